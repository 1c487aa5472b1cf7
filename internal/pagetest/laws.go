package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Compare returns the evidence of two JSON captures at detail names, full
// form, with bounds that leave nothing out.
type Compare func(before, after []byte) ([]byte, error)

// Evidence is what the laws read of it.
type Evidence struct {
	Observed bool
	Records  struct {
		Added, Removed, Updated []struct{ ID string }

		Reordered       bool
		ReorderedScopes []string
		Omitted         struct{ Added, Removed, Updated int }
		Total           struct{ From, To int }
		Window          struct {
			Entered, Left, Net int
			Assumed            bool
		}
	}
	Actions struct {
		Added, Removed, Updated []struct{ ID string }

		Omitted struct{ Added, Removed, Updated int }
	}
	Scopes struct {
		Added, Removed, Updated []struct {
			ID      string
			Records int
		}
	}
	Page *struct{ URL struct{ From, To string } }
}

func (compare Compare) read(before, after []byte) (e Evidence, err error) {
	text, err := compare(before, after)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("evidence: %w: %s", err, text)
	}
	if !e.Observed {
		return e, fmt.Errorf("not observed: %s", text)
	}
	return e, nil
}

// CheckAll runs all laws on one pair.
func (compare Compare) CheckAll(before, after []byte, rng *rand.Rand) error {
	for _, law := range []struct {
		name string
		err  error
	}{
		{"self before", compare.CheckSelf(before, rng)},
		{"self after", compare.CheckSelf(after, rng)},
		{"totals", compare.CheckTotals(before, after)},
		{"swap", compare.CheckSwap(before, after)},
		{"spelling", compare.CheckSpelling(before, after, rng)},
	} {
		if law.err != nil {
			return fmt.Errorf("law %s: %w", law.name, law.err)
		}
	}
	return nil
}

// CheckSelf is the law that a capture equals itself, in the same and in other
// bytes.
func (compare Compare) CheckSelf(doc []byte, rng *rand.Rand) error {
	for _, other := range [][]byte{doc, Respell(doc, rng), RespellInOrder(doc, rng)} {
		e, err := compare.read(doc, other)
		if err != nil {
			return err
		}
		changes := e.Records.Total.To - e.Records.Total.From
		e.Records.Total.From, e.Records.Total.To = 0, 0
		text, _ := json.Marshal(e)
		nothing, _ := json.Marshal(Evidence{Observed: true})
		// Lists may be there and empty.
		text = bytes.ReplaceAll(text, []byte("[]"), []byte("null"))
		if changes != 0 || !bytes.Equal(text, nothing) {
			return fmt.Errorf("a capture differs from itself: %s\nin other bytes: %s", text, other)
		}
	}
	return nil
}

// CheckTotals is the law that the totals are accounted for: from + added -
// removed + records of scopes added - of scopes removed + net of windows = to.
func (compare Compare) CheckTotals(before, after []byte) error {
	e, err := compare.read(before, after)
	if err != nil {
		return err
	}
	r := e.Records
	sum := r.Total.From + len(r.Added) + r.Omitted.Added - len(r.Removed) - r.Omitted.Removed + r.Window.Net
	for _, s := range e.Scopes.Added {
		sum += s.Records
	}
	for _, s := range e.Scopes.Removed {
		sum -= s.Records
	}
	if sum != r.Total.To {
		return fmt.Errorf("the changes add up to %d, not to %d", sum, r.Total.To)
	}
	return nil
}

// CheckSwap is the law that swapped captures swap what was added and removed,
// and where things came from and went to. It says nothing about captures with
// replaces, which speaks of one direction.
func (compare Compare) CheckSwap(before, after []byte) error {
	for _, doc := range [][]byte{before, after} {
		if p, err := parse(doc); err != nil || mentions(p, "replaces") {
			return err
		}
	}
	there, err := compare.read(before, after)
	if err != nil {
		return err
	}
	back, err := compare.read(after, before)
	if err != nil {
		return err
	}
	ids := func(list []struct{ ID string }) string {
		var out []string
		for _, e := range list {
			out = append(out, e.ID)
		}
		slices.Sort(out)
		return fmt.Sprintf("%q", out)
	}
	scopes := func(list []struct {
		ID      string
		Records int
	}) string {
		var out []string
		for _, s := range list {
			out = append(out, fmt.Sprintf("%q:%d", s.ID, s.Records))
		}
		slices.Sort(out)
		return fmt.Sprint(out)
	}
	slices.Sort(there.Records.ReorderedScopes)
	slices.Sort(back.Records.ReorderedScopes)
	for _, same := range []struct {
		what        string
		there, back any
	}{
		{"added", ids(there.Records.Added), ids(back.Records.Removed)},
		{"removed", ids(there.Records.Removed), ids(back.Records.Added)},
		{"updated", ids(there.Records.Updated), ids(back.Records.Updated)},
		{"reordered", fmt.Sprint(there.Records.Reordered, there.Records.ReorderedScopes), fmt.Sprint(back.Records.Reordered, back.Records.ReorderedScopes)},
		{"total from", there.Records.Total.From, back.Records.Total.To},
		{"total to", there.Records.Total.To, back.Records.Total.From},
		{"entered", there.Records.Window.Entered, back.Records.Window.Left},
		{"left", there.Records.Window.Left, back.Records.Window.Entered},
		{"net", there.Records.Window.Net, -back.Records.Window.Net},
		{"assumed", there.Records.Window.Assumed, back.Records.Window.Assumed},
		{"actions added", ids(there.Actions.Added), ids(back.Actions.Removed)},
		{"actions removed", ids(there.Actions.Removed), ids(back.Actions.Added)},
		{"actions updated", len(there.Actions.Updated), len(back.Actions.Updated)},
		{"scopes added", scopes(there.Scopes.Added), scopes(back.Scopes.Removed)},
		{"scopes removed", scopes(there.Scopes.Removed), scopes(back.Scopes.Added)},
		{"scopes updated", scopes(there.Scopes.Updated), scopes(back.Scopes.Updated)},
		{"page", there.Page != nil, back.Page != nil},
	} {
		if same.there != same.back {
			return fmt.Errorf("%s: %v there, %v back", same.what, same.there, same.back)
		}
	}
	return nil
}

// CheckSpelling is the law that evidence does not depend on how captures are
// spelled.
func (compare Compare) CheckSpelling(before, after []byte, rng *rand.Rand) error {
	want, err := compare(before, after)
	if err != nil {
		return err
	}
	before, after = RespellInOrder(before, rng), RespellInOrder(after, rng)
	got, err := compare(before, after)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("other bytes\n%s\n%s\ngive\n%s\nnot\n%s", before, after, got, want)
	}
	return nil
}

// mentions reports whether a record of the capture has that member.
func mentions(capture any, name string) bool {
	top, _ := capture.(Object)
	for _, m := range top {
		if m.Name != "records" {
			continue
		}
		list, _ := m.Value.([]any)
		for _, r := range list {
			if o, _ := r.(Object); slices.ContainsFunc(o, func(m Member) bool { return m.Name == name }) {
				return true
			}
		}
	}
	return false
}
