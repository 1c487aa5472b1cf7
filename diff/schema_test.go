package diff_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

const schemaFile = "../docs/evidence.schema.json"

// evidenceSchemas compiles the published schema: the whole of it by "", and what
// it says of each detail by name.
func evidenceSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	doc := parseJSON(t, readTestFile(t, schemaFile))
	c := jsonschema.NewCompiler()
	if err := c.AddResource("evidence.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, part := range []string{"", "basic", "names", "values", "compact"} {
		at := "evidence.schema.json"
		if part != "" {
			at += "#/$defs/" + part
		}
		s, err := c.Compile(at)
		if err != nil {
			t.Fatal(err)
		}
		schemas[part] = s
	}
	return schemas
}

func readTestFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parseJSON(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	return v
}

// casePairs yields every two captures that lie in one folder of the case files.
func casePairs(t *testing.T, yield func(name string, before, after *snapshot.Snapshot)) {
	t.Helper()
	folders, err := filepath.Glob("../internal/reference/testdata/C*")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../cmd/pagestate/testdata/C*")
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, folder := range append(folders, more...) {
		files, err := filepath.Glob(folder + "/*.json")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var snaps []*snapshot.Snapshot
		for _, file := range files {
			// What is no capture belongs to other tests.
			if s, err := capture.Decode(readTestFile(t, file), nil); err == nil {
				names, snaps = append(names, filepath.Base(file)), append(snaps, s)
			}
		}
		for i, before := range snaps {
			for j, after := range snaps {
				yield(filepath.Base(folder)+" "+names[i]+" "+names[j], before, after)
				pairs++
			}
		}
	}
	if pairs < 500 {
		t.Fatalf("only %d pairs of case files", pairs)
	}
}

// TestSchemaAccepts checks that all evidence keeps to the published schema, at
// every detail, compact or not, and cut to fit; and that between them the pairs
// make every member that the schema names.
func TestSchemaAccepts(t *testing.T) {
	schemas := evidenceSchemas(t)
	seen := map[string]bool{}
	var d diff.Differ
	var buf []byte
	check := func(name string, c *diff.Changes, format diff.Format) {
		t.Helper()
		for _, detail := range []diff.Detail{diff.Basic, diff.Names, diff.Values} {
			format.Detail = detail
			part := detail.String()
			if format.Compact || format.MaxEvidenceBytes == diff.MinEvidenceBytes && schemas[part].Validate(parseJSON(t, c.AppendJSON(nil, &format))) != nil {
				part = "compact" // which evidence becomes where it fits in no other way
			}
			buf = c.AppendJSON(buf[:0], &format)
			v := parseJSON(t, buf)
			for _, part := range []string{"", part} {
				if err := schemas[part].Validate(v); err != nil {
					t.Fatalf("%s, detail %v, schema %q: %v\n%s", name, detail, part, err, buf)
				}
			}
			collectNames(v, seen)
		}
	}
	formats := []diff.Format{{}, {Compact: true},
		{MaxListed: 1, MaxFields: 1, MaxIDBytes: 12, MaxValueBytes: 4}, {MaxListed: 1, MaxIDBytes: 12, Compact: true},
		{MaxIDBytes: 12},
		{MaxEvidenceBytes: diff.MinEvidenceBytes}, {MaxEvidenceBytes: diff.MinEvidenceBytes, Compact: true}}
	compare := func(name string, before, after *snapshot.Snapshot, opts *diff.Options) {
		t.Helper()
		c := d.Compare(before, after, opts)
		for _, format := range formats {
			check(name, c, format)
		}
	}
	casePairs(t, func(name string, before, after *snapshot.Snapshot) { compare(name, before, after, nil) })
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		before, after := pagetest.Pair(rng)
		compare("a mutated pair", decodeCapture(t, before), decodeCapture(t, after), nil)
	}
	// Names longer than 12 bytes, which is as much as some formats show.
	long := strings.NewReplacer(`"s"`, `"the-scope-of-most"`, `"u"`, `"the-other-scope"`, `"p"`, `"the-temporary-id"`, `"m"`, `"the-moved-record"`,
		`"v"`, `"the-only-field"`, `"x":[`, `"the-elements":[`)
	full := decodeCapture(t, []byte(long.Replace(`{"page":{"url":"https://a.example/"},"scopes":[{"id":"s","ids":"x"},{"id":"old"},{"id":"u","ids":"x","label":"U"},
		{"id":"w","total":10},{"id":"i","inferred":true}],"records":[
		{"id":"a","scope":"s","fields":{"v":{"x":[1,2]},"long":"`+strings.Repeat("x", 600)+`"}},
		{"id":"b","scope":"s","fields":{"v":1}},{"id":"m","scope":"s","fields":{"v":1}},{"id":"p","scope":"s","fields":{"v":1}},
		{"id":"o","scope":"old","fields":{"v":1}},{"id":"w1","scope":"w","fields":{"v":1}},{"scope":"i","fields":{"v":1}}],
		"actions":[{"id":"go","description":"Go"},{"id":"gone","description":"Gone"}],"untracked":{"s":3}}`)))
	later := decodeCapture(t, []byte(long.Replace(`{"page":{"url":"https://b.example/"},"scopes":[{"id":"s","ids":"x"},{"id":"new"},{"id":"u","ids":"x","label":"V"},
		{"id":"w","total":10},{"id":"i","inferred":true}],"records":[
		{"id":"q","scope":"s","replaces":"p","fields":{"v":2}},
		{"id":"b","scope":"s","fields":{"v":2}},{"id":"a","scope":"s","fields":{"v":{"x":[1,3]},"long":"y"}},{"id":"m","scope":"u","fields":{"v":1}},
		{"id":"n","scope":"new","fields":{"v":1}},{"id":"w2","scope":"w","fields":{"v":1}},{"scope":"i","fields":{"v":2}},
		{"id":"r","scope":"s","fields":{"long":"`+strings.Repeat("x", 600)+`"}}],
		"actions":[{"id":"go","description":"Go","available":"no"},{"id":"come","description":"Come"}],"untracked":{"s":5}}`)))
	opts := &diff.Options{Session: true, Unsettled: true, Dialogs: []diff.Dialog{{Type: "alert", Message: "Saved", Answer: "accept"}}}
	compare("everything", full, later, opts)
	compare("everything, back", later, full, opts)
	for range 25 {
		opts.Dialogs = append(opts.Dialogs, diff.Dialog{Type: "prompt", Message: strings.Repeat("?", 2000),
			Answer: strings.Repeat("!", 2000)})
	}
	c := d.Compare(full, later, opts)
	check("many dialogs", c, diff.Format{MaxEvidenceBytes: 1 << 20})

	for _, reason := range []diff.Reason{diff.NoBaseline, diff.NoSnapshot, diff.Timeout, diff.PageClosed, diff.PageCrashed,
		diff.Unresponsive, diff.Incomplete, diff.Cancelled} {
		v := parseJSON(t, diff.AppendUnobserved(nil, reason))
		if err := schemas[""].Validate(v); err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		collectNames(v, seen)
	}
	for name := range memberNames(t) {
		if !seen[name] {
			t.Errorf("no evidence has the member %q of the schema", name)
		}
	}
}

func decodeCapture(t *testing.T, text []byte) *snapshot.Snapshot {
	t.Helper()
	s, err := capture.Decode(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// collectNames notes the names of all members in v.
func collectNames(v any, seen map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			seen[name] = true
			collectNames(m, seen)
		}
	case []any:
		for _, e := range v {
			collectNames(e, seen)
		}
	}
}

// memberNames returns the names in all "properties" of the schema.
func memberNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, m := range v {
				if properties, ok := m.(map[string]any); ok && key == "properties" {
					for name := range properties {
						names[name] = true
					}
				}
				walk(m)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(parseJSON(t, readTestFile(t, schemaFile)))
	if len(names) < 40 {
		t.Fatalf("only %d members in the schema", len(names))
	}
	return names
}

// TestSchemaRefuses checks that the schema does not accept just anything.
func TestSchemaRefuses(t *testing.T) {
	schemas := evidenceSchemas(t)
	const (
		records = `"records":{"added":[],"removed":[],"updated":[],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}}`
		actions = `"actions":{"added":[],"removed":[],"omitted":{"added":0,"removed":0}}`
	)
	if err := schemas[""].Validate(parseJSON(t, []byte(`{"observed":true,`+records+`,`+actions+`}`))); err != nil {
		t.Fatal("the text that the others are made of is refused:", err)
	}
	for _, tt := range []struct{ name, part, text string }{
		{"nothing", "", `{}`},
		{"no object", "", `[]`},
		{"unobserved without a reason", "", `{"observed":false}`},
		{"unknown reason", "", `{"observed":false,"reason":"bored"}`},
		{"unobserved with records", "", `{"observed":false,"reason":"timeout",` + records + `}`},
		{"observed with a reason", "", `{"observed":true,"reason":"timeout"}`},
		{"unknown member", "", `{"observed":true,` + records + `,` + actions + `,"extra":1}`},
		{"no actions", "names", `{"observed":true,` + records + `}`},
		{"no total", "names", `{"observed":true,"records":{"added":[],"removed":[],"updated":[],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0}},` + actions + `}`},
		{"negative", "", `{"observed":true,"records":{"added":[],"removed":[],"updated":[],"reordered":false,"omitted":{"added":-1,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"text for a number", "", `{"observed":true,"records":{"added":[],"removed":[],"updated":[],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":"3","to":3}},` + actions + `}`},
		{"number for an id", "", `{"observed":true,"records":{"added":[{"id":1}],"removed":[],"updated":[],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"update without fields", "names", `{"observed":true,"records":{"added":[],"removed":[],"updated":[{"id":"a"}],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"updated actions, count missing", "names", `{"observed":true,` + records + `,"actions":{"added":[],"removed":[],"updated":[{"id":"x","fields":["kind"]}],"omitted":{"added":0,"removed":0}}}`},
		{"count of updated actions without them", "names", `{"observed":true,` + records + `,"actions":{"added":[],"removed":[],"omitted":{"added":0,"removed":0,"updated":0}}}`},
		{"unknown field of an action", "", `{"observed":true,` + records + `,"actions":{"added":[],"removed":[],"updated":[{"id":"x","fields":["color"]}],"omitted":{"added":0,"removed":0,"updated":0}}}`},
		{"updated actions at basic", "basic", `{"observed":true,` + records + `,"actions":{"added":[],"removed":[],"updated":[{"id":"x","fields":["kind"]}],"omitted":{"added":0,"removed":0,"updated":0}}}`},
		{"scopes at basic", "basic", `{"observed":true,` + records + `,` + actions + `,"scopes":{"added":[{"id":"s","records":1,"ids":["a"]}],"removed":[],"updated":[]}}`},
		{"replaces at basic", "basic", `{"observed":true,"records":{"added":[],"removed":[],"updated":[{"id":"a","replaces":"b","fields":[]}],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"changes at names", "names", `{"observed":true,"records":{"added":[],"removed":[],"updated":[{"id":"a","fields":["v"],"changes":[{"field":"v","at":"","from":1,"to":2}]}],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"revision at names", "names", `{"observed":true,` + records + `,` + actions + `,"revision":{"from":"00000000000000000000000000000000","to":"00000000000000000000000000000000"}}`},
		{"value and its head", "values", `{"observed":true,"records":{"added":[],"removed":[],"updated":[{"id":"a","fields":["v"],"changes":[{"field":"v","at":"","from":1,"fromCut":{"head":"","bytes":9}}]}],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},` + actions + `}`},
		{"settled", "", `{"observed":true,` + records + `,` + actions + `,"settled":true}`},
		{"false when compact", "compact", `{"observed":true,"records":{"reordered":false}}`},
		{"zero when compact", "compact", `{"observed":true,"records":{"omitted":{"added":0}}}`},
		{"empty when compact", "compact", `{"observed":true,"records":{}}`},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			if schemas[tt.part].Validate(parseJSON(t, []byte(tt.text))) == nil {
				t.Errorf("accepted by %q: %s", tt.part, tt.text)
			}
		})
	}
}
