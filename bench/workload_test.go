package bench

import (
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestWorkloads checks ours and what is measured beside it against the answer
// that each workload was made with: built from Go values, and read from captures.
func TestWorkloads(t *testing.T) {
	var d diff.Differ
	for _, page := range Pages {
		for _, change := range Changes {
			for _, n := range []int{1, 2, 99, 100, 1234} {
				w, err := Make(page, n, change)
				if err != nil {
					t.Fatal(err)
				}
				s := w.NewSource()
				if err := w.Check(d.Compare(s.Build(w.Before), s.Build(w.After), nil)); err != nil {
					t.Errorf("built: %v", err)
				}
				before, after := w.Captures()
				b, err := capture.Decode(before, nil)
				if err != nil {
					t.Fatal(err)
				}
				a, err := capture.Decode(after, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Check(d.Compare(b, a, nil)); err != nil {
					t.Errorf("read: %v", err)
				}
				if got := MapDiff(w.Maps()); !got.Equal(w.Want()) {
					t.Errorf("%s: map differ found %v, want %v", w.Name(), got, w.Want())
				}
				typed := TypedDiff(w.Before, w.After)
				if page == "nested" {
					continue // it names the field inside
				}
				if !typed.Equal(w.Want()) {
					t.Errorf("%s: typed differ found %v, want %v", w.Name(), typed, w.Want())
				}
			}
		}
	}
}

// TestMakeRefuses checks names and sizes that make no workload.
func TestMakeRefuses(t *testing.T) {
	for _, tt := range []struct {
		page, change string
		n            int
	}{{"order", "none", 1}, {"orders", "some", 1}, {"orders", "none", 0}, {"orders", "none", 1_000_001}} {
		if _, err := Make(tt.page, tt.n, tt.change); err == nil {
			t.Errorf("Make(%q, %d, %q) failed to fail", tt.page, tt.n, tt.change)
		}
	}
}

// TestRowSize keeps the main workload at the size that its published figures are
// for: about 141 bytes a row, 222 and what a capture adds in JSON.
func TestRowSize(t *testing.T) {
	w, err := Make("orders", 10_000, "none")
	if err != nil {
		t.Fatal(err)
	}
	row := float64(w.NewSource().Build(w.Before).Table().Size()) / 10_000
	before, _ := w.Captures()
	text := float64(len(before)) / 10_000
	t.Logf("%.1f bytes a row, %.1f in JSON", row, text)
	if row < 130 || row > 155 || text < 210 || text > 260 {
		t.Errorf("%.1f bytes a row, %.1f in JSON", row, text)
	}
}
