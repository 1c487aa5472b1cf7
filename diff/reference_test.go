package diff_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/laws"
	"github.com/pagestate/pagestate/internal/pagetest"
)

var pairCount = flag.Int("pairs", 10_000, "mutated pairs to compare with the naive reference")

// TestReference compares every answer with that of the naive reference, byte by
// byte, over pairs made by mutating one page.
func TestReference(t *testing.T) {
	var d diff.Differ
	changed := 0
	pairs := *pairCount
	if testing.Short() {
		pairs /= 20
	}
	for seed := range pairs {
		before, after := pagetest.Pair(rand.New(rand.NewPCG(uint64(seed), 1)))
		if err := laws.Reference(&d, before, after); err != nil {
			t.Fatalf("pair with seed %d: %v\nbefore %s\nafter  %s", seed, err, before, after)
		}
		if !bytes.Equal(before, after) {
			changed++
		}
	}
	if changed < pairs/2 {
		t.Fatalf("only %d of %d pairs differ", changed, pairs)
	}
}
