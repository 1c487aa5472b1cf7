package exposure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/records"
)

func value(t testing.TB, text string) records.Value {
	t.Helper()
	enc, err := records.ParseValue(nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return records.RawValue(enc)
}

func TestCompileSchema(t *testing.T) {
	tests := []struct {
		name, schema string
		want         string // part of the error, "" for none
		unchecked    int
	}{
		{"good", `{"type":"object","properties":{}}`, "", 0},
		{"empty", `{}`, "", 0},
		{"anything", `true`, "", 0},
		{"nothing", `false`, "allows nothing", 0},
		{"anyof", `{"anyOf":[{"type":"object","properties":{"a":{"type":"number"}}},{"type":"object","properties":{"b":{"type":"number"}}}]}`, "", 0},
		{"element", `{"type":"object","properties":{"el":{"type":"object","x-mcp-type":"HTMLElement"}},"required":["el"]}`, "", 0},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}}}`, "", 0},
		{"look-ahead", `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)x+$"}}}`, "", 1},
		{"look-behind", `{"properties":{"a":{"pattern":"(?<!x)y"}}}`, "", 1},
		{"back-reference", `{"properties":{"a":{"pattern":"(a)\\1"}}}`, "", 1},
		{"unicode property", `{"properties":{"a":{"pattern":"^\\p{Script=Greek}+$"}}}`, "", 1},
		{"null", `null`, "it is null", 0},
		{"string", `"object"`, "it is string", 0},
		{"array", `[]`, "it is array", 0},
		{"type string", `{"type":"string"}`, `its type is "string"`, 0},
		{"type list", `{"type":["string","null"]}`, `its type is not "object"`, 0},
		{"bad type", `{"type":"object","properties":{"a":{"type":"nummer"}}}`, `/properties/a/type`, 0},
		{"bad type at top", `{"type":"objekt"}`, `its type is "objekt"`, 0},
		{"bad properties", `{"properties":[]}`, `/properties`, 0},
		{"bad regex", `{"type":"object","properties":{"a":{"pattern":"(["}}}`, `(["`, 0},
		{"bad range", `{"properties":{"a":{"pattern":"[z-a]"}}}`, `[z-a]`, 0},
		{"loop", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, "leads back to itself", 0},
		{"loop of two", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, "leads back to itself", 0},
		{"loop of allOf", `{"allOf":[{"$ref":"#"}]}`, "leads back to itself", 0},
		{"loop of anyOf", `{"anyOf":[{"$ref":"#"},{"type":"object"}]}`, "leads back to itself", 0},
		{"loop by anchor", `{"$anchor":"a","allOf":[{"$ref":"#a"}]}`, "leads back to itself", 0},
		{"loop by id", `{"$id":"https://x.test/a","$ref":"a"}`, "leads back to itself", 0},
		{"loop inside", `{"properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`, "leads back to itself", 0},
		{"doubled references", doubled(40), "applies more than", 0},
		{"few doubled references", doubled(10), "", 0},
		{"recursion by dynamic reference", `{"$dynamicAnchor":"n","properties":{"next":{"$dynamicRef":"#n"}}}`, "", 0},
		{"recursion with a value between", `{"type":"object","properties":{"child":{"$ref":"#"}}}`, "", 0},
		{"dangling", `{"$ref":"#/$defs/none"}`, "none", 0},
		{"remote", `{"$ref":"http://127.0.0.1:9/x.json"}`, "nothing is fetched", 0},
		{"file", `{"$ref":"file:///etc/passwd"}`, "nothing is fetched", 0},
		{"dialect", `{"$schema":"http://127.0.0.1:9/dialect"}`, "nothing is fetched", 0},
		{"id elsewhere", `{"$id":"http://127.0.0.1:9/a","properties":{"a":{"$ref":"b"}}}`, "nothing is fetched", 0},
		{"large", `{"title":"` + strings.Repeat("x", MaxSchemaBytes) + `"}`, "over the limit", 0},
		{"deep", strings.Repeat(`{"not":`, 900) + `{}` + strings.Repeat(`}`, 900), "", 0},
	}
	for _, tt := range tests {
		t.Run("schema="+tt.name, func(t *testing.T) {
			s, err := CompileSchema(value(t, tt.schema))
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Unchecked(); len(got) != tt.unchecked {
					t.Errorf("unchecked %q, want %d", got, tt.unchecked)
				}
				s.Validate(map[string]any{"a": "x"})
				return
			}
			if err == nil || !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an ErrSchema with %q", err, tt.want)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q is not one line", err)
			}
		})
	}
}

// doubled returns a schema of n levels, each of which refers to the next one twice.
func doubled(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/l0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"l%d":{"type":"object"}}}`, n)
	return b.String()
}

// TestValidateCost applies a schema whose cost doubles with each level of the
// arguments.
func TestValidateCost(t *testing.T) {
	s, err := CompileSchema(value(t, `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		levels int
		ok     bool
	}{{10, true}, {60, false}} {
		began := time.Now()
		_, list := s.Read([]byte(strings.Repeat(`{"a":`, tt.levels) + `{}` + strings.Repeat(`}`, tt.levels)))
		if (list == nil) != tt.ok {
			t.Errorf("%d levels: got %v", tt.levels, list)
		}
		if d := time.Since(began); d > 30*time.Second {
			t.Errorf("%d levels took %s", tt.levels, d)
		}
	}
}

// TestSchemaNeverFetches counts what reaches a server that does exist.
func TestSchemaNeverFetches(t *testing.T) {
	hits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hits++ }))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{srv.URL + "/x", "file://" + file, file} {
		text, err := json.Marshal(map[string]any{"$ref": ref})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CompileSchema(value(t, string(text))); err == nil {
			t.Errorf("%s was accepted", ref)
		}
	}
	if hits != 0 {
		t.Errorf("%d requests were made", hits)
	}
}

func TestValidate(t *testing.T) {
	s, err := CompileSchema(value(t, `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"a/b":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Validate(map[string]any{"n": json.Number("3")}); v != nil {
		t.Errorf("got %v", v)
	}
	v := s.Validate(map[string]any{"n": json.Number("3"), "a/b": 1.5})
	if len(v) != 1 || v[0].Pointer != "/a~1b" || v[0].Message == "" {
		t.Errorf("got %+v", v)
	}
	if v := s.Validate(map[string]any{}); len(v) != 1 || v[0].Pointer != "" || !strings.Contains(v[0].Message, "n") {
		t.Errorf("got %+v", v)
	}
}

func TestMasked(t *testing.T) {
	for _, tt := range []struct {
		typ, autocomplete string
		want              bool
	}{
		{"password", "", true}, {"PASSWORD", "off", true}, {"text", "new-password", true},
		{"text", "current-password webauthn", true}, {"", "One-Time-Code", true},
		{"tel", "section-blue shipping cc-number", true}, {"text", "cc-csc", true},
		{"text", "username", false}, {"text", "", false}, {"text", "password-hint", false}, {"text", "accc-x", false},
	} {
		if got := Masked(tt.typ, tt.autocomplete); got != tt.want {
			t.Errorf("Masked(%q, %q) = %v", tt.typ, tt.autocomplete, got)
		}
	}
}
