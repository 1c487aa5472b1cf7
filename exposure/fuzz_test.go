package exposure

import (
	"errors"
	"os"
	"testing"

	"github.com/pagestate/pagestate/records"
)

// TestC49 reads the tool schemas of a capture of which most are broken.
func TestC49(t *testing.T) {
	text, err := os.ReadFile("testdata/C49/actions.json")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"good": true, "noparams": true}
	for _, m := range elements(value(t, string(text)), "actions") {
		id := string(member(m, "id").Text())
		params := member(m, "params")
		usable := true
		if params.Kind() != records.Absent {
			_, err := CompileSchema(params)
			usable = err == nil
			if err != nil && !errors.Is(err, ErrSchema) {
				t.Errorf("%s: %v is no ErrSchema", id, err)
			}
		}
		if usable != want[id] {
			t.Errorf("%s: usable %v, want %v", id, usable, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

func member(v records.Value, name string) records.Value {
	for n, m := range v.Members() {
		if string(n) == name {
			return m
		}
	}
	return records.Value{}
}

func elements(v records.Value, name string) (list []records.Value) {
	for e := range member(v, name).Elements() {
		list = append(list, e)
	}
	return list
}

func FuzzCompileSchema(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"type":"object","properties":{"a":{"pattern":"^(?=x)x+$"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		`{"$dynamicRef":"#n","$dynamicAnchor":"n"}`, `{"$id":"x","$anchor":"y","$ref":"#y"}`, `{"properties":{"a":{"$ref":"#/properties/a/x~1"}}}`,
		`{"$recursiveRef":"#","$schema":"https://json-schema.org/draft/2019-09/schema"}`, `{"required":["a"],"dependentRequired":{"a":["b"]}}`,
		`{"allOf":[{"$ref":"#"}]}`, `{"if":{"$ref":"#/else"},"else":{"$ref":"#/if"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		enc, err := records.ParseValue(nil, []byte(text))
		if err != nil {
			return
		}
		s, err := CompileSchema(records.RawValue(enc))
		if err != nil {
			if !errors.Is(err, ErrSchema) {
				t.Fatalf("%v is no ErrSchema", err)
			}
			return
		}
		s.Validate(map[string]any{})
		s.Validate(map[string]any{"a": []any{"x", nil}})
	})
}
