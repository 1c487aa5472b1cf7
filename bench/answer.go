package bench

import (
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/diff"
)

// An Answer says what changed, as far as every differ here can say it: ids of
// records in the order of the page that has them.
type Answer struct {
	Added, Removed, Updated []string
	Fields                  []string // names of the fields that differ, of one record after the other
	Reordered               bool     // some scope's records changed their relative order
}

// Equal reports whether two answers are the same.
func (a Answer) Equal(b Answer) bool {
	return slices.Equal(a.Added, b.Added) && slices.Equal(a.Removed, b.Removed) &&
		slices.Equal(a.Updated, b.Updated) && slices.Equal(a.Fields, b.Fields) && a.Reordered == b.Reordered
}

// String returns the counts.
func (a Answer) String() string {
	return fmt.Sprintf("%d added, %d removed, %d updated in %d fields, reordered %t",
		len(a.Added), len(a.Removed), len(a.Updated), len(a.Fields), a.Reordered)
}

// Want returns the right answer, from how the workload was made.
func (w *Workload) Want() (a Answer) {
	n := w.N
	switch w.Change {
	case "mixed":
		k := min(10, n/10)
		for i := range k {
			a.Added = append(a.Added, w.After[i].ID)
			a.Removed = append(a.Removed, w.Before[n/2+i].ID)
		}
	case "reverse", "shuffle":
		a.Reordered = w.reorderedScopes() > 0
	}
	for i := range w.After {
		if w.After[i].Status == Cancelled {
			a.Updated = append(a.Updated, w.After[i].ID)
			a.Fields = append(a.Fields, w.ChangedField())
		}
	}
	return a
}

// reorderedScopes counts the scopes whose records, of which none came or went,
// are in another order.
func (w *Workload) reorderedScopes() int {
	scopes := len(w.scopes())
	split := func(list []Order) [][]string {
		ids := make([][]string, scopes)
		for i := range list {
			at := scopeOf(&list[i], scopes)
			ids[at] = append(ids[at], list[i].ID)
		}
		return ids
	}
	before, after, n := split(w.Before), split(w.After), 0
	for i := range before {
		if !slices.Equal(before[i], after[i]) {
			n++
		}
	}
	return n
}

// AnswerOf returns what ours found.
func AnswerOf(c *diff.Changes) (a Answer) {
	for p := range c.Added() {
		a.Added = append(a.Added, p.ID())
	}
	for p := range c.Removed() {
		a.Removed = append(a.Removed, p.ID())
	}
	for u := range c.Updated() {
		a.Updated = append(a.Updated, u.After.ID())
		a.Fields = append(a.Fields, u.Fields...)
	}
	a.Reordered = c.Counts().Reordered > 0
	return a
}

// Check reports whether ours found the right answer, counts included.
func (w *Workload) Check(c *diff.Changes) error {
	want, got := w.Want(), AnswerOf(c)
	if !got.Equal(want) {
		return fmt.Errorf("%s: found %v, want %v", w.Name(), got, want)
	}
	n, reordered := c.Counts(), 0
	if want.Reordered {
		reordered = w.reorderedScopes()
	}
	if n.From != int64(len(w.Before)) || n.To != int64(len(w.After)) || n.Net != 0 || n.Reordered != reordered ||
		n.Added != len(want.Added) || n.Removed != len(want.Removed) || n.Updated != len(want.Updated) ||
		n.ActionsAdded+n.ActionsRemoved+n.ActionsUpdated+n.ScopesAdded+n.ScopesRemoved+n.ScopesUpdated != 0 {
		return fmt.Errorf("%s: counts %+v", w.Name(), n)
	}
	return nil
}
