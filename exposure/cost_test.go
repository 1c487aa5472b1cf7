package exposure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestCost applies schemas whose keywords look at each value many times: what takes
// too long breaks the schema, and is not tried.
func TestCost(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	enum := func(n int, format string) string {
		return `{"properties":{"p":{"items":{"enum":[` + list(n, format) + `]}}}}`
	}
	tests := []struct{ name, schema, params, want string }{
		{"a usual enumeration", enum(300, `"c%d"`), `{"p":[` + strings.Repeat(`"c299",`, 5000) + `"c7"]}`, ""},
		{"texts", enum(20_000, `"c%d"`), `{"p":[` + list(80_000, `"d%d"`) + `]}`, "too long"},
		{"numbers", enum(20_000, `%d`), `{"p":[` + list(80_000, `1%d.5`) + `]}`, "too long"},
		{"objects", enum(10_000, `{"a":%d}`), `{"p":[` + list(60_000, `{"a":-%d}`) + `]}`, "too long"},
		{"required members", `{"properties":{"p":{"items":{"required":[` + list(20_000, `"r%d"`) + `]}}}}`, `{"p":[` + strings.Repeat("{},", 200_000) + `{}]}`, "too long"},
		{"a long number", `{"properties":{"p":{"minimum":1}}}`, `{"p":` + strings.Repeat("9", 900_000) + `}`, "too long"},
		{"numbers of many digits", `{"properties":{"p":{"items":{"multipleOf":7}}}}`, `{"p":[` + strings.Repeat("1e999,", 150_000) + `1]}`, "too long"},
		{"names", `{"patternProperties":{` + list(4000, `"^p%dx":{}`) + `}}`, `{` + list(60_000, `"k%d":1`) + `}`, "too long"},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			s := mustSchema(t, tt.schema)
			began := time.Now()
			_, found := s.Read([]byte(tt.params))
			took := time.Since(began)
			switch {
			case tt.want == "" && found != nil, tt.want == "too long" && (len(found) != 1 || !strings.Contains(found[0].Message, tt.want)):
				t.Errorf("%d violations, %.300v", len(found), found)
			case took > 10*time.Second:
				t.Errorf("it took %v", took)
			}
			if s.Redact([]byte(tt.params)) != nil && tt.want == "too long" {
				t.Error("it was searched for secrets")
			}
		})
	}
}
