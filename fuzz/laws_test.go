package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/laws"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/internal/reference"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// maxNaive bounds the captures that the reference, which is quadratic, is asked
// about.
const maxNaive = 16 << 10

// FuzzCompare makes one page and an edit of it from the fuzzer's choices and
// compares them with the engine and with the naive reference; and all laws that
// pagetest knows must hold for the engine.
func FuzzCompare(f *testing.F) {
	addChoices(f)
	var d diff.Differ
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := pagetest.NewRand(data)
		before, after := pagetest.Pair(rng)
		if err := laws.Reference(&d, before, after); err != nil {
			t.Fatalf("%v\nbefore %s\nafter  %s", err, before, after)
		}
		if err := laws.ReferenceTracked(&d, before, after, 1+rng.IntN(8)); err != nil {
			t.Fatalf("tracked: %v\nbefore %s\nafter  %s", err, before, after)
		}
		if err := pagetest.Compare(laws.Engine).CheckAll(before, after, rng); err != nil {
			t.Fatalf("%v\nbefore %s\nafter  %s", err, before, after)
		}
	})
}

// FuzzCaptures compares any two captures with the engine and, where it knows
// them for captures and their text is whole, with the reference.
func FuzzCaptures(f *testing.F) {
	addPairs(f)
	var d diff.Differ
	f.Fuzz(func(t *testing.T, before, after, data []byte) {
		b, err := capture.Decode(before, nil)
		if err != nil || b.Parts().Untracked != nil {
			return
		}
		a, err := capture.Decode(after, nil)
		if err != nil || a.Parts().Untracked != nil {
			return
		}
		if err := checkSnapshots(&d, b, a, pagetest.NewRand(data)); err != nil {
			t.Fatal(err)
		}
		if !naive(before) || !naive(after) || repaired(b) || repaired(a) {
			return
		}
		if _, err := reference.Diff(before, after, "names"); err != nil {
			return // numbers that an int cannot hold, and the like
		}
		if err := laws.Reference(&d, before, after); err != nil {
			t.Fatal(err)
		}
	})
}

// naive reports whether doc is a capture for the reference.
func naive(doc []byte) bool {
	return len(doc) <= maxNaive && utf8.Valid(doc) && json.Valid(doc) && strings.HasPrefix(strings.TrimLeft(string(doc), " \t\r\n"), "{")
}

func repaired(s *snapshot.Snapshot) bool {
	for _, d := range s.Diagnostics() {
		if d.Code == snapshot.CodeRepairedText || d.Code == capture.CodeBadState {
			return true
		}
	}
	return false
}

// FuzzBounds checks the bounds of evidence over mutated pages, in formats made
// from the fuzzer's choices.
func FuzzBounds(f *testing.F) {
	addChoices(f)
	var d diff.Differ
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := pagetest.NewRand(data)
		b, a := snapshots(t, rng)
		if err := checkSnapshots(&d, b, a, rng); err != nil {
			t.Fatal(err)
		}
	})
}

// snapshots returns a mutated pair, or, one time in four, a page and nothing of
// it: an unrelated one.
func snapshots(t testing.TB, rng *rand.Rand) (b, a *snapshot.Snapshot) {
	before, after := pagetest.Pair(rng)
	if rng.IntN(4) == 0 {
		_, after = pagetest.Pair(rng)
	}
	return decode(t, before), decode(t, after)
}

func decode(t testing.TB, doc []byte) *snapshot.Snapshot {
	t.Helper()
	s, err := capture.Decode(doc, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return s
}

// checkSnapshots checks everything that holds for any two snapshots.
func checkSnapshots(d *diff.Differ, b, a *snapshot.Snapshot, rng *rand.Rand) error {
	opts := options(rng, b, a)
	for range 3 {
		f := format(rng)
		if err := laws.Bounds(d.Compare(b, a, opts), f); err != nil {
			return fmt.Errorf("bounds with %+v and %.300q: %w", *f, fmt.Sprint(opts), err)
		}
	}
	for _, law := range []struct {
		name string
		err  error
	}{
		{"deterministic", laws.Deterministic(d, b, a, opts)},
		{"digests", laws.Digests(d, b, a)},
		{"ignored", laws.Ignored(d, b, a, "text", "v")},
		{"deltas", laws.Deltas(a, b, a)},
	} {
		if law.err != nil {
			return fmt.Errorf("law %s: %w", law.name, law.err)
		}
	}
	return nil
}

// format returns a format with bounds that cut.
func format(rng *rand.Rand) *diff.Format {
	bound := func(small ...int) int {
		if i := rng.IntN(len(small) + 2); i < len(small) {
			return small[i]
		}
		return rng.IntN(2) * math.MaxInt // the default, or nothing is cut
	}
	return &diff.Format{
		Detail: diff.Detail(rng.IntN(3)), Compact: rng.IntN(2) == 0,
		MaxListed: bound(1, 2, 3, 7), MaxFields: bound(1, 2), MaxIDBytes: bound(1, 2, 3, 4, 9), MaxValueBytes: bound(1, 2, 5, 16),
		MaxEvidenceBytes: bound(1, 512, 513, 600, 1000, 2000),
	}
}

// options returns options for a comparison, most often none.
func options(rng *rand.Rand, b, a *snapshot.Snapshot) *diff.Options {
	if rng.IntN(2) == 0 {
		return nil
	}
	o := &diff.Options{Session: rng.IntN(2) == 0, Unsettled: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		o.Ignore = []string{"text", "v"}
	}
	if rng.IntN(4) == 0 {
		o.Scopes = []string{}
		for _, s := range []*snapshot.Snapshot{b, a} {
			for i := range s.Scopes() {
				if rng.IntN(2) == 0 {
					o.Scopes = append(o.Scopes, s.Scopes()[i].ID)
				}
			}
		}
	}
	for range rng.IntN(3) * rng.IntN(3) {
		o.Dialogs = append(o.Dialogs, diff.Dialog{Type: "confirm", Message: strings.Repeat("Sure?\u202e\n", rng.IntN(200)), Answer: "accept"})
	}
	return o
}

// FuzzDeltas checks the laws of deltas over pages that are edited twice.
func FuzzDeltas(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := pagetest.NewRand(data)
		a := pagetest.Generate(rng, rng.IntN(20))
		b := pagetest.Mutate(rng, a, rng.IntN(6))
		c := pagetest.Mutate(rng, b, rng.IntN(6))
		if rng.IntN(4) == 0 {
			c = a // back to where it was
		}
		if err := laws.Deltas(decode(t, a.JSON()), decode(t, b.JSON()), decode(t, c.JSON())); err != nil {
			t.Fatalf("%v\na %s\nb %s\nc %s", err, a.JSON(), b.JSON(), c.JSON())
		}
	})
}

// TestShared compares snapshots that many goroutines share, and expects of each
// the same bytes, whatever the number of processors.
func TestShared(t *testing.T) {
	const pages = 20
	var shared []*snapshot.Snapshot
	for seed := range uint64(pages) {
		b, a := snapshots(t, rand.New(rand.NewPCG(seed, 9)))
		shared = append(shared, b, a)
	}
	all := func() []byte {
		var d diff.Differ
		var out []byte
		for i := 0; i < len(shared); i += 2 {
			out = append(out, laws.Forms(d.Compare(shared[i], shared[i+1], nil), nil)...)
			out = append(out, shared[i].Digest().String()...)
			delta := diff.NewDelta(shared[i], shared[i+1])
			to, err := delta.Apply(shared[i])
			if err != nil {
				t.Error(err)
				return nil
			}
			out = capture.Append(out, to)
		}
		return out
	}
	want := all()
	for _, procs := range []int{1, 2, 8} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if got := all(); !bytes.Equal(got, want) {
						t.Errorf("GOMAXPROCS=%d: other bytes", procs)
					}
				})
			}
			wg.Wait()
		}()
	}
}

// TestPairs checks the laws on each seed and says which one breaks them.
func TestPairs(t *testing.T) {
	var d diff.Differ
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			before, after := []byte(p.before), []byte(p.after)
			b, a := decode(t, before), decode(t, after)
			for i := range 30 {
				if err := checkSnapshots(&d, b, a, pagetest.NewRand(choices(i))); err != nil {
					t.Fatal(err)
				}
			}
			if repaired(b) || repaired(a) {
				return
			}
			for bound := range 5 {
				if err := laws.ReferenceTracked(&d, before, after, bound); err != nil {
					t.Errorf("bound %d: %v", bound, err)
				}
			}
		})
	}
}
