package exposure_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

func compile(t *testing.T, text string) *exposure.Schema {
	t.Helper()
	enc, err := records.ParseValue(nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := exposure.CompileSchema(records.RawValue(enc))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRead(t *testing.T) {
	const cart = `{"type":"object","required":["id"],"additionalProperties":false,"properties":{
		"id":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":10,"default":1},
		"opts":{"$ref":"#/$defs/o"},"list":{"type":"array","items":{"$ref":"#/$defs/o"}}},
		"$defs":{"o":{"type":"object","properties":{"gift":{"type":"boolean","default":false}}}}}`
	tests := []struct {
		name, why, schema, params, want string
		pointers                        []string
	}{
		{"default", "a missing member is filled in", cart, `{"id":"p"}`, `{"id":"p","n":1}`, nil},
		{"nested default", "also inside what is there, through references", cart, `{"id":"p","opts":{},"list":[{},{"gift":true}]}`,
			`{"id":"p","list":[{"gift":false},{"gift":true}],"n":1,"opts":{"gift":false}}`, nil},
		{"null is there", "null is a value, and here a wrong one", cart, `{"id":"p","n":null}`, "", []string{"/n"}},
		{"plain numbers", "1.0 and 2e0 are integers, and Go decodes only plain ones", cart, `{"id":"p","n":2e0}`, `{"id":"p","n":2}`, nil},
		{"missing", "", cart, `{}`, "", []string{""}},
		{"no text", "no parameters are no members", `{"type":"object"}`, "", `{}`, nil},
		{"several", "all faults are told", cart, `{"id":1,"n":11}`, "", []string{"/id", "/n"}},
		{"unknown", "", cart, `{"id":"p","m":1}`, "", []string{""}},
		{"not an object", "", cart, `[1]`, "", []string{""}},
		{"not JSON", "", cart, `{"id":`, "", []string{"/id"}},
		{"repeated", "no reader may see one value and another the other", cart, `{"id":"a","id":"b"}`, "", []string{"/id"}},
		{"huge number", "it would be written out", cart, `{"id":"p","n":1e999999999}`, "", []string{"/n"}},
		{"exact digits", "what a double cannot hold is kept", `{"type":"object"}`, `{"a":9007199254740993}`, `{"a":9007199254740993}`, nil},
		{"undeclared", "parameters are declared or there are none", "", `{"a":1}`, "", []string{"/a"}},
		{"none declared", "", "", `{}`, `{}`, nil},
		{"allOf", "", `{"allOf":[{"properties":{"a":{"default":"x"}}}]}`, `{}`, `{"a":"x"}`, nil},
		{"anyOf", "a default that may not apply is not filled in", `{"anyOf":[{"properties":{"a":{"default":"x"}}},{}]}`, `{}`, `{}`, nil},
		{"default behind an anchor", "", `{"$defs":{"n":{"$anchor":"n","default":1}},"properties":{"n":{"$ref":"#n"}}}`, `{}`, `{"n":1}`, nil},
		{"default behind an id", "", `{"$id":"https://x.test/s","$defs":{"n":{"$id":"n","default":1}},"properties":{"n":{"$ref":"n"}}}`, `{}`, `{"n":1}`, nil},
		{"endless default", "a default is not completed further", `{"$defs":{"a":{"properties":{"a":{"$ref":"#/$defs/a","default":{}}}}},"$ref":"#/$defs/a"}`,
			`{}`, `{"a":{}}`, nil},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			var s *exposure.Schema
			if tt.schema != "" {
				s = compile(t, tt.schema)
			}
			got, list := s.Read([]byte(tt.params))
			var pointers []string
			for _, v := range list {
				pointers = append(pointers, v.Pointer)
			}
			if string(got) != tt.want || !slices.Equal(pointers, tt.pointers) {
				t.Errorf("%s: got %s %+v, want %s %q", tt.why, got, list, tt.want, tt.pointers)
			}
		})
	}
	if _, list := compile(t, `{}`).Read([]byte(`{"a":"` + strings.Repeat("x", exposure.MaxParamsBytes) + `"}`)); list == nil {
		t.Error("parameters of any size are accepted")
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ name, why, schema, params, want string }{
		{"writeOnly", "", `{"properties":{"a":{"writeOnly":true}}}`, `{"a":{"b":1},"c":2}`, `{"a":"[masked]","c":2}`},
		{"password", "", `{"properties":{"a":{"format":"password"}}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"x-sensitive", "", `{"properties":{"a":{"x-sensitive":true}}}`, `{"a":[1]}`, `{"a":"[masked]"}`},
		{"empty", "empty stays empty, as masked fields do", `{"properties":{"a":{"writeOnly":true}}}`, `{"a":""}`, `{"a":""}`},
		{"list", "", `{"properties":{"a":{"items":{"writeOnly":true}}}}`, `{"a":["x","y"]}`, `{"a":["[masked]","[masked]"]}`},
		{"reference", "", `{"$defs":{"s":{"writeOnly":true}},"properties":{"a":{"$ref":"#/$defs/s"}}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"either", "what may be a secret is one", `{"properties":{"a":{"anyOf":[{"type":"number"},{"writeOnly":true}]}}}`, `{"a":1}`, `{"a":"[masked]"}`},
		{"branch", "", `{"if":{"required":["b"]},"then":{"properties":{"a":{"writeOnly":true}}}}`, `{"a":1}`, `{"a":"[masked]"}`},
		{"additional", "", `{"additionalProperties":{"writeOnly":true}}`, `{"a":1}`, `{"a":"[masked]"}`},
		{"pattern", "", `{"patternProperties":{"^a":{"writeOnly":true}}}`, `{"a":1,"b":1}`, `{"a":"[masked]","b":1}`},
		{"strange pattern", "a pattern that cannot be told matches", `{"patternProperties":{"^(?=a)a":{"writeOnly":true}}}`, `{"a":1}`, `{"a":"[masked]"}`},
		{"invalid", "refused parameters are masked as well", `{"required":["z"],"properties":{"a":{"writeOnly":true}}}`, `{"a":1}`, `{"a":"[masked]"}`},
		{"unreadable", "what cannot be read cannot be masked", `{}`, `{"a":`, ""},
		{"undeclared", "", "", `{"a":1}`, ""},
		{"whole", "", `{"writeOnly":true}`, `{"a":1}`, `"[masked]"`},
		{"anchor", "", `{"$defs":{"p":{"$anchor":"p","writeOnly":true}},"properties":{"a":{"$ref":"#p"}}}`, `{"a":"x","b":1}`, `{"a":"[masked]","b":1}`},
		{"id", "", `{"$id":"https://x.test/s","$defs":{"p":{"$id":"p","writeOnly":true}},"properties":{"a":{"$ref":"p"}}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"own id", "", `{"$id":"https://x.test/s","$defs":{"p":{"writeOnly":true}},"properties":{"a":{"$ref":"s#/$defs/p"}}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"pointer below an id", "a pointer starts at the nearest id", `{"$defs":{"p":{},"r":{"$id":"https://x.test/r","$defs":{"p":{"writeOnly":true}},"properties":{"a":{"$ref":"#/$defs/p"}}}},"$ref":"https://x.test/r"}`,
			`{"a":"x"}`, `{"a":"[masked]"}`},
		{"dynamic", "", `{"$defs":{"p":{"$dynamicAnchor":"p","writeOnly":true}},"properties":{"a":{"$dynamicRef":"#p"}}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"dynamic, from outside", "where it leads depends on the way", `{"$ref":"list","$defs":{"secret":{"$dynamicAnchor":"e","writeOnly":true},` +
			`"list":{"$id":"list","$defs":{"e":{"$dynamicAnchor":"e"}},"properties":{"a":{"items":{"$dynamicRef":"#e"}}}}}}`, `{"a":["x"]}`, `{"a":["[masked]"]}`},
		{"recursive dialect", "", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"s":{"writeOnly":true},"a":{"$recursiveRef":"#"}}}`,
			`{"a":{"s":"x"},"b":1}`, `{"a":"[masked]","b":1}`},
		{"dependencies", "", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"b":{"properties":{"a":{"writeOnly":true}}}}}`, `{"a":"x","b":1}`, `{"a":"[masked]","b":1}`},
		{"beside a reference", "ignored by the dialect, but meant", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"t":{}},"properties":{"a":{"$ref":"#/definitions/t","properties":{"s":{"writeOnly":true}}}}}`,
			`{"a":{"s":"x"}}`, `{"a":"[masked]"}`},
		{"not", "", `{"not":{"properties":{"a":{"writeOnly":true,"const":"z"}},"required":["a"]}}`, `{"a":"x"}`, `{"a":"[masked]"}`},
		{"names", "", `{"properties":{"a":{"propertyNames":{"writeOnly":true}}}}`, `{"a":{"x":1}}`, `{"a":"[masked]"}`},
		{"encoded", "", `{"properties":{"a":{"contentMediaType":"application/json","contentSchema":{"properties":{"s":{"writeOnly":true}}}}}}`, `{"a":"{}"}`, `{"a":"[masked]"}`},
		{"recursive", "", `{"properties":{"next":{"$ref":"#"},"a":{"writeOnly":true}}}`, `{"next":{"next":{"a":1}}}`, `{"next":{"next":{"a":"[masked]"}}}`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			var s *exposure.Schema
			if tt.schema != "" {
				s = compile(t, tt.schema)
			}
			if got := string(s.Redact([]byte(tt.params))); got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
		})
	}
}

func TestRedactAll(t *testing.T) {
	s := compile(t, `{"properties":{"a":{"writeOnly":true},"b":{"items":{"format":"password"}},"c":{}}}`)
	got, secrets := s.RedactAll([]byte(`{"a":{"x":"one","y":[1.50,true,""]},"b":["longest","one"],"c":"clear"}`))
	if want := `{"a":"[masked]","b":["[masked]","[masked]"],"c":"clear"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []string{"longest", "1.50", "one"}; !slices.Equal(secrets, want) {
		t.Errorf("secrets %q, want %q", secrets, want)
	}
}

type address struct {
	City string `json:"city" minLength:"1"`
}

type order struct {
	Product  string    `json:"product" jsonschema:"The product's id." pattern:"^[a-z]+$"`
	Quantity int       `json:"quantity" minimum:"1" maximum:"10" default:"1"`
	Size     string    `json:"size,omitempty" enum:"S,M,L"`
	Code     string    `json:"code,omitempty" writeOnly:"true"`
	To       []address `json:"to,omitempty" maxItems:"2"`
	By       time.Time `json:"by,omitzero"`
	internal int
}

func TestTyped(t *testing.T) {
	var got order
	reg := exposure.New(nil)
	mustTool(t, reg, exposure.Typed(exposure.Tool{ID: "order", Description: "Order a product."},
		func(_ context.Context, in order) (string, error) {
			got = in
			return in.Product, nil
		}))
	list, err := reg.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := &list[0]
	const want = `{"additionalProperties":false,"properties":{"by":{"type":"string"},"code":{"type":"string","writeOnly":true},` +
		`"product":{"description":"The product's id.","pattern":"^[a-z]+$","type":"string"},` +
		`"quantity":{"default":1,"maximum":10,"minimum":1,"type":"integer"},"size":{"enum":["S","M","L"],"type":"string"},` +
		`"to":{"items":{"additionalProperties":false,"properties":{"city":{"minLength":1,"type":"string"}},"required":["city"],"type":"object"},` +
		`"maxItems":2,"type":["null","array"]}},"required":["product"],"type":"object"}`
	if a.Params.String() != want {
		t.Errorf("schema\n%s, want\n%s", a.Params, want)
	}
	s := compile(t, want)
	params, violations := s.Read([]byte(`{"product":"pen","to":[{"city":"Oslo"}]}`))
	if violations != nil {
		t.Fatal(violations)
	}
	if v := reg.CheckParams(a, params); v != nil {
		t.Errorf("refused: %v", v)
	}
	out, err := reg.Run(t.Context(), a, params)
	if err != nil || out != "pen" || got.Quantity != 1 || got.To[0].City != "Oslo" {
		t.Errorf("ran with %+v, returned %v, %v", got, out, err)
	}
	for _, bad := range []string{`{}`, `{"product":"Pen"}`, `{"product":"pen","quantity":11}`, `{"product":"pen","size":"XL"}`,
		`{"product":"pen","to":[{}]}`, `{"product":"pen","internal":1}`} {
		if _, violations := s.Read([]byte(bad)); violations == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
	// A date is text to the schema and more to Go.
	if v := reg.CheckParams(a, json.RawMessage(`{"product":"pen","by":"soon"}`)); v == nil {
		t.Error("a date of any form was accepted")
	}
	if _, err := reg.Run(t.Context(), a, json.RawMessage(`{"product":"pen","quantity":99999999999999999999}`)); !errors.Is(err, exposure.ErrParams) {
		t.Errorf("got %v, want %v", err, exposure.ErrParams)
	}
	_ = order{}.internal
}

// TestSchemaOf describes what encoding/json reads, or refuses.
func TestSchemaOf(t *testing.T) {
	type bytes struct {
		B []byte   `json:"b"`
		L [][]byte `json:"l,omitempty"`
	}
	v, err := exposure.SchemaOf[bytes]()
	if err != nil {
		t.Fatal(err)
	}
	s := compile(t, v.String())
	for params, ok := range map[string]bool{`{"b":"aGk=","l":["aGk=",null]}`: true, `{"b":null}`: true, `{"b":[104,105]}`: false, `{"b":1}`: false} {
		var in bytes
		got, list := s.Read([]byte(params))
		if (list == nil) != ok {
			t.Errorf("%s: got %v", params, list)
		}
		if err := json.Unmarshal(got, &in); ok && err != nil {
			t.Errorf("%s: %v", params, err)
		}
	}
	type quoted struct {
		N int `json:"n,string"`
	}
	_, asString := exposure.SchemaOf[quoted]()
	_, text := exposure.SchemaOf[string]()
	_, mapped := exposure.SchemaOf[map[string]int]()
	for _, err := range []error{asString, text, mapped} {
		if !errors.Is(err, exposure.ErrSchema) {
			t.Errorf("got %v, want %v", err, exposure.ErrSchema)
		}
	}
	if _, err := exposure.SchemaOf[*bytes](); err != nil {
		t.Error(err)
	}
}

func TestTypedNothing(t *testing.T) {
	reg := exposure.New(nil)
	mustTool(t, reg, exposure.Typed(exposure.Tool{ID: "x", Description: "d"},
		func(context.Context, struct{}) (exposure.Nothing, error) { return exposure.Nothing{}, nil }))
	list, err := reg.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Params.Kind() != records.Absent {
		t.Errorf("params %s of a tool without any", list[0].Params)
	}
	if out, err := reg.Run(t.Context(), &list[0], json.RawMessage(`{}`)); out != nil || err != nil {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestToolSet(t *testing.T) {
	ctx := t.Context()
	run := func(answer string) *exposure.Tool {
		return &exposure.Tool{Description: "Answers.", Run: func(context.Context, json.RawMessage) (any, error) { return answer, nil }}
	}
	answer := func(reg *exposure.Registry, id string) any {
		list, err := reg.Actions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].ID == id {
				out, err := reg.Run(ctx, &list[i], nil)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
		}
		return nil
	}
	reg := exposure.New(nil)
	set := exposure.NewToolSet(reg)
	apply := func(tools map[string]*exposure.Tool, want error) {
		t.Helper()
		if err := set.Apply(ctx, tools); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	apply(map[string]*exposure.Tool{"scroll": run("built in"), "ask": run("built in"), "wait": run("built in")}, nil)
	mustTool(t, reg, exposure.Tool{ID: "own", Description: "d", Run: nothing})
	apply(map[string]*exposure.Tool{"ask": run("custom"), "scroll": nil, "zoom": run("custom"), "absent": nil}, nil)
	if got := actionIDs(t, reg); !slices.Equal(got, []string{"ask", "wait", "own", "zoom"}) {
		t.Errorf("got %q: a replaced tool keeps its place", got)
	}
	if got := answer(reg, "ask"); got != "custom" {
		t.Errorf("got %v, not the replacement", got)
	}
	if got := set.Names(); !slices.Equal(got, []string{"ask", "wait", "zoom"}) {
		t.Errorf("got %q", got)
	}
	apply(map[string]*exposure.Tool{"wait": run("custom"), "own": run("custom")}, exposure.ErrDuplicate)
	apply(map[string]*exposure.Tool{"wait": run("custom"), "x": {Description: "d"}}, exposure.ErrDeclaration)
	apply(map[string]*exposure.Tool{"x": {ID: "y", Description: "d", Run: nothing}}, exposure.ErrDeclaration)
	if got := answer(reg, "wait"); got != "built in" {
		t.Errorf("got %v: a set is applied as a whole or not at all", got)
	}
	apply(map[string]*exposure.Tool{"own": nil}, nil)
	if got := answer(reg, "own"); got != nil || !slices.Contains(actionIDs(t, reg), "own") {
		t.Error("a set removed what is not its own")
	}
}

func TestWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	began := time.Now()
	if err := exposure.Wait(ctx, time.Hour); !errors.Is(err, context.Canceled) || time.Since(began) > time.Minute {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
	if err := exposure.Wait(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v of a context that has ended", err)
	}
	if err := exposure.Wait(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}

// FuzzRead reads and masks parameters: what was read reads back as itself, and no
// secret stays.
func FuzzRead(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"n":{"type":"integer","default":1},"o":{"$ref":"#"}},"required":["n"]}`, `{"o":{"n":2.0}}`},
		{`{"properties":{"a":{"items":{"writeOnly":true}}}}`, `{"a":["secret-word"],"b":"x"}`},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"x":{"default":[{}]}}}}}`, `{}`},
		{`{"anyOf":[{"patternProperties":{"^s":{"format":"password"}}},{"additionalProperties":false}]}`, `{"s":"secret-word"}`},
		{`true`, `{"a":1e99,"\u0000":null}`},
		{`{"additionalProperties":{"x-sensitive":true}}`, `{"":"secret-word"}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, params string) {
		if len(schema)+len(params) > 1<<12 {
			return
		}
		enc, err := records.ParseValue(nil, []byte(schema))
		if err != nil {
			return
		}
		s, err := exposure.CompileSchema(records.RawValue(enc))
		if err != nil {
			return
		}
		if got, violations := s.Read([]byte(params)); violations == nil {
			again, violations := s.Read(got)
			if violations != nil || string(again) != string(got) {
				t.Fatalf("%s reads back as %s, %v", got, again, violations)
			}
		}
		if masked := s.Redact([]byte(params)); masked != nil && !json.Valid(masked) {
			t.Fatalf("masked to %s", masked)
		}
	})
}
