package bench

import (
	"os"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
)

// realPair is a pair of captures in testdata/captures and what changes in it.
type realPair struct {
	name, why                          string
	added, removed, updated, reordered int
	actions                            int // added, removed and updated
}

var realPairs = []realPair{
	{"todo", "two tasks are completed, which makes an action available", 0, 0, 2, 0, 1},
	{"tickets", "one of sixty tickets that look alike goes", 0, 1, 0, 0, 0},
	{"churn", "40 records of 12 fields all change, 12 actions come and 12 go", 0, 0, 40, 0, 24},
	{"article", "the last character of a long text changes", 0, 0, 1, 0, 0},
	{"signs", "ids, names and values hold every sign that text must not show", 1, 0, 16, 0, 1},
	{"markup", "values are markup, and an action comes", 0, 0, 17, 0, 1},
}

// pair reads the captures.
func (r *realPair) pair(t testing.TB) *Pair {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/captures/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return &Pair{Name: "page=" + r.name, Before: read(r.name + "-1.json"), After: read(r.name + "-2.json")}
}

// TestCaptures checks what ours finds in the real captures.
func TestCaptures(t *testing.T) {
	files, err := os.ReadDir("testdata/captures")
	if err != nil || len(files) != 2*len(realPairs) {
		t.Errorf("%d files of %d pairs (%v)", len(files), len(realPairs), err)
	}
	var d diff.Differ
	for _, r := range realPairs {
		p := r.pair(t)
		before, after, err := p.reader()(p.Before, p.After)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		n := d.Compare(before, after, nil).Counts()
		if actions := n.ActionsAdded + n.ActionsRemoved + n.ActionsUpdated; n.Added != r.added || n.Removed != r.removed ||
			n.Updated != r.updated || n.Reordered != r.reordered || actions != r.actions {
			t.Errorf("%s: %+v, want %+v", r.name, n, r)
		}
		for _, c := range p.Cases() {
			if !strings.HasPrefix(c.Name, "page="+r.name+"/op=") {
				t.Errorf("case %q", c.Name)
			}
		}
	}
}
