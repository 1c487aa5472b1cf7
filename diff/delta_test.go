package diff_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func decodePage(t testing.TB, p pagetest.Page) *snapshot.Snapshot {
	t.Helper()
	s, err := capture.Decode(p.JSON(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDelta checks the laws of deltas over pages that are edited twice.
func TestDelta(t *testing.T) {
	for seed := range 1000 {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		pageA := pagetest.Generate(rng, rng.IntN(20))
		pageB := pagetest.Mutate(rng, pageA, 1+rng.IntN(5))
		pageC := pagetest.Mutate(rng, pageB, 1+rng.IntN(5))
		if rng.IntN(3) == 0 {
			pageC = pageA // back to where it was
		}
		a, b, c := decodePage(t, pageA), decodePage(t, pageB), decodePage(t, pageC)
		ab, bc, ac := diff.NewDelta(a, b), diff.NewDelta(b, c), diff.NewDelta(a, c)
		got, err := ab.Apply(a)
		if err != nil {
			t.Fatalf("seed %d: apply: %v", seed, err)
		}
		if want := capture.Append(nil, b); !bytes.Equal(capture.Append(nil, got), want) || got.Digest() != b.Digest() {
			t.Fatalf("seed %d: apply gives\n%s\nwant\n%s", seed, capture.Append(nil, got), want)
		}
		if !diff.NewDelta(got, b).Empty() {
			t.Fatalf("seed %d: what apply gives differs from after", seed)
		}
		composed, err := diff.Compose(ab, bc)
		if err != nil {
			t.Fatalf("seed %d: compose: %v", seed, err)
		}
		if !composed.Equal(ac) {
			t.Fatalf("seed %d: composed\n%+v\ndirect\n%+v", seed, composed, ac)
		}
		if !diff.NewDelta(a, a).Empty() {
			t.Fatalf("seed %d: delta(a, a) is not empty", seed)
		}
		if ab.Empty() != bytes.Equal(capture.Append(nil, a), capture.Append(nil, b)) {
			// Only the document, which captures do not hold, may make the difference.
			if a.Page().Document == b.Page().Document {
				t.Fatalf("seed %d: Empty() = %v", seed, ab.Empty())
			}
		}
		if !ab.Empty() && a.Len() != c.Len() {
			if _, err := ab.Apply(c); !errors.Is(err, diff.ErrMismatch) {
				t.Fatalf("seed %d: a delta applied to the wrong page: %v", seed, err)
			}
		}
	}
}
