package exposure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

func mustSchema(t *testing.T, text string) *exposure.Schema {
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

// TestPatterns matches what patterns cost something for; a text that it would take
// too long to match breaks the schema.
func TestPatterns(t *testing.T) {
	long := strings.Repeat("a", 1<<20-100)
	tests := []struct {
		name, pattern, text string
		ok                  bool
		message             string
	}{
		{"matches", `^a{1,1000}$`, strings.Repeat("a", 1000), true, ""},
		{"one too many", `^a{1,1000}$`, strings.Repeat("a", 1001), false, "does not match pattern"},
		{"a long text", `^a+$`, long, true, ""},
		{"a long text, classes", `^[\p{L}\d -]+$`, long, true, ""},
		{"a thousand instructions for each byte", `[a-z]{1000}!`, long, false, "too long"},
		{"nested repetitions", `([a-z]{1,30}){1,30}!`, long, false, "too long"},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			for _, where := range []struct{ schema, params string }{
				{`{"properties":{"p":{"pattern":%q}}}`, `{"p":%q}`},
				{`{"propertyNames":{"pattern":%q}}`, `{%q:1}`},
				{`{"patternProperties":{%q:true},"additionalProperties":false}`, `{%q:1}`},
			} {
				s := mustSchema(t, fmt.Sprintf(where.schema, tt.pattern))
				began := time.Now()
				_, list := s.Read(fmt.Appendf(nil, where.params, tt.text))
				if ok := list == nil; ok != tt.ok {
					t.Errorf("%s: %.200v", where.schema, list)
				}
				if strings.HasPrefix(where.schema, `{"properties`) && !tt.ok && !strings.Contains(list[0].Message, tt.message) {
					t.Errorf("%s: %.200v, want %s", where.schema, list, tt.message)
				}
				if d := time.Since(began); d > 5*time.Second {
					t.Errorf("%s: %v", where.schema, d)
				}
			}
		})
	}
}

// TestManyPatterns has a schema of patterns that stand for millions of instructions:
// those over the bound are accepted unchecked, and said to be.
func TestManyPatterns(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"properties":{"first":{"pattern":"^x$"}`)
	for i := range 5000 {
		fmt.Fprintf(&text, `,"p%d":{"pattern":"^[a-z]{%d}$"}`, i, 500+i%500)
	}
	text.WriteString(`}}`)
	s := mustSchema(t, text.String())
	if list := s.Unchecked(); len(list) != 383 || list[0] != "^[a-z]{617}$" {
		t.Errorf("%d patterns are unchecked, from %s on", len(list), list[0])
	}
	if _, list := s.Read([]byte(`{"first":"y"}`)); len(list) != 1 {
		t.Errorf("within the bound: %v", list)
	}
}
