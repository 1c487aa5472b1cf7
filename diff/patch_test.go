package diff_test

import (
	"math/rand/v2"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestPatch applies patches with another implementation of RFC 6902.
func TestPatch(t *testing.T) {
	var d diff.Differ
	for seed := range 500 {
		b, a := decodePair(t, uint64(seed))
		patch, err := jsonpatch.DecodePatch(d.Compare(b, a, nil).AppendPatch(nil))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		doc, err := patch.Apply(capture.Append(nil, b))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := capture.Decode(doc, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Digest() != a.Digest() || got.Page().Title != a.Page().Title {
			t.Fatalf("seed %d: patch %s\ngives %s\nwant  %s", seed, d.Compare(b, a, nil).AppendPatch(nil), doc, capture.Append(nil, a))
		}
		if !d.Compare(got, a, nil).Same() {
			t.Fatalf("seed %d: the patched document differs: %s", seed, d.Compare(got, a, nil).AppendJSON(nil, nil))
		}
	}
}

// decodePair returns the snapshots of a mutated pair.
func decodePair(t testing.TB, seed uint64) (before, after *snapshot.Snapshot) {
	t.Helper()
	b, a := pagetest.Pair(rand.New(rand.NewPCG(seed, 2)))
	before, err := capture.Decode(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err = capture.Decode(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}
