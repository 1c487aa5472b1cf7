package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// Engine is the engine as package pagetest's laws want it.
func Engine(before, after []byte) ([]byte, error) {
	b, a, err := decode(before, after)
	if err != nil {
		return nil, err
	}
	var d diff.Differ
	line, _ := splitDiagnostics(d.Compare(b, a, nil).AppendJSON(nil, Unbounded(diff.Names, false)))
	return line, nil
}

// Forms returns all that the changes can be written as.
func Forms(c *diff.Changes, f *diff.Format) []byte {
	var out []byte
	g := diff.Format{}
	if f != nil {
		g = *f
	}
	for _, g.Detail = range []diff.Detail{diff.Basic, diff.Names, diff.Values} {
		for _, g.Compact = range []bool{false, true} {
			out = append(c.AppendJSON(out, &g), '\n')
		}
		out = append(c.AppendText(out, &g), '\n')
		out = append(c.AppendMarkdown(out, &g), '\n')
	}
	return append(c.AppendPatch(out), '\n')
}

// Deterministic is the law that the answer depends on the snapshots and options
// alone: d may have compared anything before, and reading the changes does not
// change them.
func Deterministic(d *diff.Differ, before, after *snapshot.Snapshot, opts *diff.Options) error {
	var fresh diff.Differ
	want := Forms(fresh.Compare(before, after, opts), nil)
	for range 2 {
		c := d.Compare(before, after, opts)
		for range 2 {
			if got := Forms(c, nil); !bytes.Equal(got, want) {
				return fmt.Errorf("a used Differ says\n%s\na fresh one\n%s", got, want)
			}
		}
	}
	return nil
}

// Session is the law that it makes no difference whether snapshots share what they have
// in common: captures read one after the other, from before to after and back twice,
// say the same as those read alone.
func Session(d *diff.Differ, before, after []byte) error {
	b, a, err := decode(before, after)
	if err != nil {
		return err
	}
	alone := [...]*snapshot.Snapshot{b, a, b, a}
	format := Unbounded(diff.Values, false)
	said := func(before, after *snapshot.Snapshot) string {
		return string(d.Compare(before, after, nil).AppendJSON(nil, format))
	}
	var session capture.Decoder
	var last *snapshot.Snapshot
	for i, text := range [...][]byte{before, after, before, after} {
		s, err := session.DecodeNext(text, nil)
		if err != nil {
			return err
		}
		if got, want := s.Digest(), alone[i].Digest(); got != want {
			return fmt.Errorf("capture %d has the digest %v, alone %v", i, got, want)
		}
		if i > 0 {
			if got, want := said(last, s), said(alone[i-1], alone[i]); got != want {
				return fmt.Errorf("to capture %d:\n got %s\nwant %s", i, got, want)
			}
		}
		last = s
	}
	return nil
}

// Digests is the law that snapshots of one digest have no difference, and
// snapshots without any have one digest.
func Digests(d *diff.Differ, before, after *snapshot.Snapshot) error {
	one := before.Digest() == after.Digest()
	if c := d.Compare(before, after, nil); one && !c.Same() {
		return fmt.Errorf("one digest, but a difference: %s", c.AppendJSON(nil, &diff.Format{Compact: true}))
	}
	if delta := diff.NewDelta(before, after); delta.Empty() && !one {
		return fmt.Errorf("two digests, but an empty delta")
	}
	return nil
}

// Ignored is the law that ignored fields might as well not be there: of the
// records the same is said as of those of snapshots without these fields.
func Ignored(d *diff.Differ, before, after *snapshot.Snapshot, fields ...string) error {
	said := func(before, after *snapshot.Snapshot, ignore []string) (records []byte, err error) {
		line := d.Compare(before, after, &diff.Options{Ignore: ignore}).AppendJSON(nil, Unbounded(diff.Names, false))
		var evidence struct{ Records json.RawMessage }
		err = json.Unmarshal(line, &evidence)
		return evidence.Records, err
	}
	got, err := said(before, after, fields)
	if err != nil {
		return err
	}
	if before, err = without(before, fields); err != nil {
		return err
	}
	if after, err = without(after, fields); err != nil {
		return err
	}
	want, err := said(before, after, nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("ignoring %q says\n%s\nwithout them it is\n%s", fields, got, want)
	}
	return nil
}

// without returns s without the fields of these names.
func without(s *snapshot.Snapshot, fields []string) (*snapshot.Snapshot, error) {
	var b records.Builder
	for i := range s.Table().Len() {
		b.Begin(s.Table().Class(i).Scope(), string(s.Table().ID(i)))
		for name, v := range s.Table().All(i) {
			if !slices.Contains(fields, name) {
				b.Field(name)
				b.Buf = append(b.Buf, v.Raw()...)
			}
		}
		b.End()
	}
	p := s.Parts()
	var err error
	if p.Records, err = b.Finish(); err != nil {
		return nil, err
	}
	return snapshot.FromParts(p)
}

// Deltas is the law of deltas over three snapshots: apply(a, delta(a,b)) is b,
// compose(delta(a,b), delta(b,c)) is delta(a,c), and what fits nothing is
// refused or does not matter.
func Deltas(a, b, c *snapshot.Snapshot) error {
	ab, bc, ac := diff.NewDelta(a, b), diff.NewDelta(b, c), diff.NewDelta(a, c)
	for _, step := range []struct {
		what     string
		delta    *diff.Delta
		from, to *snapshot.Snapshot
	}{{"a to b", ab, a, b}, {"b to c", bc, b, c}, {"a to c", ac, a, c}, {"a to a", diff.NewDelta(a, a), a, a}} {
		if err := leads(step.delta, step.from, step.to); err != nil {
			return fmt.Errorf("delta from %s: %w", step.what, err)
		}
		if step.from == step.to && !step.delta.Empty() {
			return fmt.Errorf("delta from %s is not empty", step.what)
		}
	}
	composed, err := diff.Compose(ab, bc)
	if err != nil {
		return fmt.Errorf("compose: %w", err)
	}
	if !composed.Equal(ac) {
		return fmt.Errorf("composed\n%+v\ndirect\n%+v", composed, ac)
	}
	// A delta applied elsewhere fails, or its differences are there as well.
	if _, err := ab.Apply(c); err == nil && a.Len() != c.Len() {
		return fmt.Errorf("a delta from %d records fits %d", a.Len(), c.Len())
	}
	return nil
}

// leads checks that the delta makes of one snapshot the other, to the last
// spelling.
func leads(d *diff.Delta, from, to *snapshot.Snapshot) error {
	got, err := d.Apply(from)
	if err != nil {
		return err
	}
	if g, w := capture.Append(nil, got), capture.Append(nil, to); !bytes.Equal(g, w) || got.Digest() != to.Digest() {
		return fmt.Errorf("leads to\n%s\nnot\n%s", g, w)
	}
	if rest := diff.NewDelta(got, to); !rest.Empty() {
		return fmt.Errorf("leads to what still differs: %+v", rest)
	}
	return nil
}
