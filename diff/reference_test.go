package diff_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/internal/reference"
	"github.com/pagestate/pagestate/snapshot/capture"
)

var pairCount = flag.Int("pairs", 10_000, "mutated pairs to compare with the naive reference")

// unbounded is a format that cuts nothing of what the generator makes.
var unbounded = diff.Format{MaxListed: 1 << 20, MaxFields: 1 << 20, MaxIDBytes: 1 << 20, MaxEvidenceBytes: 1 << 30}

// TestReference compares every answer with that of the naive reference, byte by
// byte, over pairs made by mutating one page.
func TestReference(t *testing.T) {
	var d diff.Differ
	changed := 0
	for seed := range *pairCount {
		before, after := pagetest.Pair(rand.New(rand.NewPCG(uint64(seed), 1)))
		if !checkPair(t, &d, before, after) {
			t.Fatalf("pair with seed %d\nbefore %s\nafter  %s", seed, before, after)
		}
		if !bytes.Equal(before, after) {
			changed++
		}
	}
	if changed < *pairCount/2 {
		t.Fatalf("only %d of %d pairs differ", changed, *pairCount)
	}
}

// checkPair reports whether engine and reference agree at basic and names.
func checkPair(t *testing.T, d *diff.Differ, before, after []byte) bool {
	t.Helper()
	b, err := capture.Decode(before, nil)
	if err != nil {
		t.Errorf("before: %v", err)
		return false
	}
	a, err := capture.Decode(after, nil)
	if err != nil {
		t.Errorf("after: %v", err)
		return false
	}
	changes := d.Compare(b, a, nil)
	ok := true
	for _, detail := range []diff.Detail{diff.Basic, diff.Names} {
		for _, compact := range []bool{false, true} {
			f := unbounded
			f.Detail, f.Compact = detail, compact
			want, err := reference.Diff(before, after, detail.String())
			if err != nil {
				t.Errorf("reference: %v", err)
				return false
			}
			got := withoutDiagnostics(changes.AppendJSON(nil, &f))
			if want := want.WithoutDiagnostics().JSON(detail.String(), compact); !bytes.Equal(got, want) {
				t.Errorf("detail=%v compact=%v\n got %s\nwant %s", detail, compact, got, want)
				ok = false
			}
			if detail == diff.Names && changes.Same() != want.Same() {
				t.Errorf("Same() = %v, reference says %v", changes.Same(), want.Same())
				ok = false
			}
		}
	}
	return ok
}

// withoutDiagnostics takes the diagnostics out of a line of evidence; their
// messages are free text.
func withoutDiagnostics(line []byte) []byte {
	from := bytes.Index(line, []byte(`,"diagnostics":[`))
	if from < 0 {
		return line
	}
	to := bytes.LastIndex(line, []byte(`}]`))
	return append(line[:from:from], line[to+2:]...)
}
