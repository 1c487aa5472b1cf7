package diff_test

import (
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// TestCutStrings says what is known of strings of which only the head is at hand.
func TestCutStrings(t *testing.T) {
	snap := func(digest byte, more bool) *snapshot.Snapshot {
		var b snapshot.Builder
		row := b.Record("s", "a")
		row.Value("v", records.RawValue(records.AppendCut(nil, "head", 70000, [16]byte{digest})))
		row.End()
		if more {
			row := b.Record("s", "b")
			row.Value("v", records.RawValue(records.AppendCut(nil, "new", 80000, [16]byte{digest})))
			row.End()
		}
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var d diff.Differ
	if !d.Compare(snap(1, false), snap(1, false), nil).Same() {
		t.Error("equal strings differ")
	}
	got := string(d.Compare(snap(1, false), snap(2, true), nil).AppendJSON(nil, &diff.Format{Detail: diff.Values, Compact: true}))
	const want = `{"observed":true,"records":{"added":[{"id":"b","values":{},"valuesCut":{"v":{"head":"new","bytes":80000}}}],` +
		`"updated":[{"id":"a","fields":["v"],"changes":[{"field":"v","at":"","fromCut":{"head":"head","bytes":70000},"toCut":{"head":"head","bytes":70000}}]}],"total":{"from":1,"to":2}}`
	if len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
