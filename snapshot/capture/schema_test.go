package capture_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot/capture"
)

const schemaFile = "../../docs/capture.schema.json"

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(readFile(t, schemaFile)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("capture.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("capture.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate returns what the schema says of one JSON document.
func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %.100q", err, text)
	}
	return schema.Validate(v)
}

// TestSchemaAccepts checks that the published schema accepts all that is
// accepted and all that is written.
func TestSchemaAccepts(t *testing.T) {
	schema := compileSchema(t)
	inputs := [][]byte{orders(20)}
	for _, c := range accepted {
		inputs = append(inputs, []byte(c.in))
	}
	for _, c := range caseFiles {
		if c.want.err == nil && !strings.ContainsAny(c.pattern, "*?") {
			inputs = append(inputs, readFile(t, "testdata/"+c.pattern))
		}
	}
	for _, in := range inputs {
		snap, err := capture.Decode(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{bytes.TrimPrefix(in, []byte("\xEF\xBB\xBF")), capture.Append(nil, snap), capture.AppendPretty(nil, snap)} {
			if err := validate(t, schema, text); err != nil {
				t.Errorf("%.300s\n%v", text, err)
			}
		}
	}
}

// beyondSchema are refusals that no schema can express.
var beyondSchema = map[string]string{
	"id exponent":                         "1e3 is an integer to a schema",
	"id fraction":                         "1.0 is an integer to a schema",
	"total fraction":                      "1.0 is an integer to a schema",
	"offset exponent":                     "1e2 is an integer to a schema",
	"missing id beside an inferred scope": "a schema does not look up the scope",
	"second declaration infers":           "a schema does not know which came first",
}

// TestSchemaRefuses checks that it refuses what is refused, where a schema can.
func TestSchemaRefuses(t *testing.T) {
	schema := compileSchema(t)
	used := 0
	check := func(name string, text []byte) {
		err := validate(t, schema, text)
		if _, ok := beyondSchema[name]; ok {
			used++
			if err != nil {
				t.Errorf("%s: the schema can refuse it: %v", name, err)
			}
		} else if err == nil {
			t.Errorf("%s: the schema accepts %s", name, text)
		}
	}
	for _, c := range refusals {
		if !errors.Is(c.err, records.ErrSyntax) && !errors.Is(c.err, records.ErrRepeated) {
			check(c.name, []byte(strings.Replace(c.in, mark, "", 1)))
		}
	}
	for _, c := range caseFiles {
		if errors.Is(c.want.err, capture.ErrBadID) || errors.Is(c.want.err, capture.ErrNotCapture) {
			check(c.pattern, readFile(t, "testdata/"+c.pattern))
		}
	}
	if used != len(beyondSchema) {
		t.Errorf("%d of %d exceptions were met", used, len(beyondSchema))
	}
}
