package html

import (
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot/capture"
)

func TestMergeBlocks(t *testing.T) {
	const head = `<!doctype html><ul data-agent-scope="s"><li data-agent-record="a"><span data-agent-field="text">A</span><span data-agent-field="own">x</span>` +
		`<button data-agent-action="go" data-agent-description="Go.">go</button><button data-agent-action="off" data-agent-description="Off." disabled>off</button></li></ul>` +
		`<script type="application/json" data-agent-exposure>`
	for _, tt := range []struct{ name, why, block, want string }{
		{"record", "the element's place, the block's fields first", `{"records":[{"id":"b","scope":"s"},{"id":"a","scope":"s","fields":{"n":1,"text":"B"}}]}`,
			`"records":[{"id":"a","scope":"s","fields":{"n":1,"text":"B","own":"x"}},{"id":"b","scope":"s"}]`},
		{"two records", "only one is the element's", `{"records":[{"id":"a","scope":"s","fields":{"n":1}},{"id":"a","scope":"s","fields":{"n":2}}]}`,
			`"records":[{"id":"a","scope":"s","fields":{"n":1,"text":"A","own":"x"}},{"id":"a","scope":"s","fields":{"n":2}}]`},
		{"action", "the element's primitive, the block's words", `{"actions":[{"id":"go@a","name":"go","scope":"s","record":"a","description":"Go on.","kind":"write","params":{"type":"object"},"element":true}]}`,
			`{"id":"go@a","description":"Go on.","kind":"write","primitive":"click","available":true,"params":{"type":"object"},"scope":"s","record":"a"}`},
		{"run", "code runs it", `{"actions":[{"id":"go@a","name":"go","scope":"s","record":"a","element":true,"run":true,"available":"Not now."}]}`,
			`{"id":"go@a","description":"Go.","primitive":"call","available":"Not now.","scope":"s","record":"a"}`},
		{"disabled", "the element's reason counts", `{"actions":[{"id":"off@a","name":"off","scope":"s","record":"a","element":true,"available":"Not now."}]}`,
			`{"id":"off@a","description":"Off.","primitive":"click","available":"disabled","scope":"s","record":"a"}`},
		{"nowhere", "without an element there is no such action", `{"actions":[{"id":"gone","description":"Gone.","scope":"s","element":true}]}`,
			`"actions":[{"id":"go@a",`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Decode([]byte(head+tt.block+`</script>`), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := string(capture.Append(nil, s))
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s\n got %s\nwant %s", tt.why, got, tt.want)
			}
			for i := range s.Actions() {
				if a := s.Action(i); a.ID == "gone" {
					t.Errorf("%s: %s", tt.why, got)
				}
			}
		})
	}
}
