package diff_test

import (
	"bytes"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestSensitiveOnOneSide: a field that either side declares sensitive is shown in
// the clear nowhere, whichever side holds it so.
func TestSensitiveOnOneSide(t *testing.T) {
	const (
		open   = `{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s","fields":{"pin":"SECRET-1","n":1}},{"id":"b","scope":"s","fields":{"pin":"SECRET-2"}}]}`
		closed = `{"scopes":[{"id":"s","sensitive":["pin"]}],"records":[{"id":"a","scope":"s","fields":{"pin":"SECRET-3","n":2}},{"id":"c","scope":"s","fields":{"pin":["SECRET-4"]}}]}`
	)
	forms := map[string]func(*diff.Changes) []byte{}
	for name, form := range goldenForms {
		forms[name] = form
	}
	forms["values.markdown"] = func(c *diff.Changes) []byte { return c.AppendMarkdown(nil, &diff.Format{Detail: diff.Values}) }
	for _, c := range []struct{ name, before, after string }{
		{"declared after", open, closed},
		{"declared before", closed, open},
		{"only before has the scope", `{"scopes":[{"id":"s","sensitive":["pin"]}]}`, open},
	} {
		before, err := capture.Decode([]byte(c.before), nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := capture.Decode([]byte(c.after), nil)
		if err != nil {
			t.Fatal(err)
		}
		var d diff.Differ
		changes := d.Compare(before, after, nil)
		for name, form := range forms {
			if out := form(changes); bytes.Contains(out, []byte("SECRET")) {
				t.Errorf("%s, %s: %s", c.name, name, out)
			}
		}
	}
}
