package bench

import (
	"os"
	"testing"
)

// baselineSizes are those of the committed baseline. The larger one is among the
// defaults of pagestate bench.
var baselineSizes = []int{100, 1000}

const baselineFile = "testdata/baseline.json"

// TestBaseline compares what is exact with the committed baseline. A figure that
// grew is a regression; one that shrank is to be committed: run with -update.
func TestBaseline(t *testing.T) {
	if raced {
		return // its allocations are not ours; the other figures are checked without it
	}
	cases := Builtin(baselineSizes)
	for i := range realPairs {
		cases = append(cases, realPairs[i].pair(t).Cases()...)
	}
	report, err := Run(t.Context(), cases, &Options{Samples: -1})
	if err != nil {
		t.Fatal(err)
	}
	report.Machine.CPU, report.Machine.Cores = "", 0 // exact figures do not depend on them
	if *update {
		if err := os.WriteFile(baselineFile, AppendReport(nil, report), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(baselineFile)
	if err != nil {
		t.Fatal(err)
	}
	before, err := ReadReport(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Results) != len(cases) {
		t.Errorf("the baseline has %d cases, want %d", len(before.Results), len(cases))
	}
	for _, c := range Compare(before, report, nil) {
		if c.New {
			t.Errorf("%s: not in the baseline", c.Name)
		}
		for _, x := range c.Exact {
			if x.Verdict != Unjudged {
				t.Errorf("%s: %s %s: %.0f -> %.0f", c.Name, x.Figure, x.Verdict, x.Before, x.After)
			}
		}
	}
}
