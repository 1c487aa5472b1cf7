package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestTextSize: no change takes at most 48 bytes of text, one changed field at
// most 64 besides ids and names, whatever the totals.
func TestTextSize(t *testing.T) {
	page := func(value string, total int64) *snapshot.Snapshot {
		s, err := capture.Decode(fmt.Appendf(nil,
			`{"scopes":[{"id":"board","total":%d,"offset":0},{"id":"other"}],"records":[{"id":"t1","scope":"board","fields":{"status":"%s"}},{"id":"x","scope":"other"}]}`,
			total, value), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, total := range []int64{1, 1000, snapshot.MaxTotal} {
		var d diff.Differ
		open, done := page("open", total), page("done", total)
		if text := d.Compare(open, open, nil).AppendText(nil, nil); len(text) > 48 || !strings.HasPrefix(string(text), "unchanged") {
			t.Errorf("no change takes %d bytes: %q", len(text), text)
		}
		text := d.Compare(open, done, nil).AppendText(nil, nil)
		names := len("t1") + len("board") + len("status")
		if len(text)-names > 64 || !strings.Contains(string(text), "~ record t1 in board: status\n") {
			t.Errorf("one field takes %d bytes besides ids and names: %q", len(text)-names, text)
		}
	}
}
