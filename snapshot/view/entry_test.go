package view_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pagestate/pagestate/snapshot/capture"
	"github.com/pagestate/pagestate/snapshot/view"
)

// TestEntries: in JSON every entry of a template says what it does, so that one
// that is read alone can be understood.
func TestEntries(t *testing.T) {
	const head = `{"scopes":[{"id":"s"}],"records":[{"id":"1","scope":"s"},{"id":"2","scope":"s"},{"id":"3","scope":"s"}],"actions":[`
	type entry struct {
		Description, Kind string
		Varies            bool
		Available, Params any
		Records           any
	}
	of := func(ids ...any) any { return ids }
	for _, tt := range []struct {
		name, why, actions string
		want               []entry
	}{
		{"one state", "", `{"id":"t@1","scope":"s","record":"1","description":"x","kind":"write"},{"id":"t@2","scope":"s","record":"2","description":"x","kind":"write"},{"id":"t@3","scope":"s","record":"3","description":"x","kind":"write"}`,
			[]entry{{Description: "x", Kind: "write", Records: "all"}}},
		{"apart", "but params, which are long, are said once", `{"id":"t@1","scope":"s","record":"1","description":"x","kind":"write","params":{"a":1}},{"id":"t@2","scope":"s","record":"2","description":"x","kind":"write","available":"no","params":{"a":1}}`,
			[]entry{{Description: "x", Kind: "write", Params: map[string]any{"a": 1.0}, Records: of("1")}, {Description: "x", Kind: "write", Available: "no", Records: of("2")}}},
		{"varying", "each has the description of its own first record", `{"id":"t@1","scope":"s","record":"1","description":"x1","available":"no"},{"id":"t@2","scope":"s","record":"2","description":"x2"},{"id":"t@3","scope":"s","record":"3","description":"x3"}`,
			[]entry{{Description: "x2", Varies: true, Records: of("2", "3")}, {Description: "x1", Varies: true, Available: "no", Records: of("1")}}},
	} {
		snap, err := capture.Decode([]byte(head+tt.actions+"]}"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Scopes []struct{ Actions []entry } }
		line := view.AppendJSON(nil, snap, nil)
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Scopes[0].Actions, tt.want) {
			t.Errorf("%s (%s): %s", tt.name, tt.why, line)
		}
	}
}
