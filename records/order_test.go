package records_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
)

func TestPosErrorText(t *testing.T) {
	for _, c := range []struct {
		name, why, pointer, want string
	}{
		{"whole", "no place but the offset", "", "invalid JSON: odd, offset 7"},
		{"plain", "", "/records/1/é 日", "invalid JSON: odd at /records/1/é 日, offset 7"},
		{"unprintable", "escaped as in Go", "/a\x1b[31m\n\u202e\u200b", `invalid JSON: odd at /a\x1b[31m\n\u202e\u200b, offset 7`},
		{"not Unicode", "", "/\xff\uFFFD", `invalid JSON: odd at /\xff` + "\uFFFD, offset 7"},
		{"long", "cut", "/" + strings.Repeat("x", 500), "invalid JSON: odd at /" + strings.Repeat("x", 200) + "..., offset 7"},
	} {
		err := &records.PosError{Offset: 7, Pointer: c.pointer, Detail: "odd", Err: records.ErrSyntax}
		if got := err.Error(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMemberOrder reads objects out of order at every depth: whatever the order,
// one encoding comes out, and a name twice is found wherever it stands.
func TestMemberOrder(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"flat", `{"c":1,"a":2,"b":3}`, `{"a":2,"b":3,"c":1}`},
		{"nested", `{"b":{"z":[{"y":1,"x":2}],"a":{}},"a":0}`, `{"a":0,"b":{"a":{},"z":[{"x":2,"y":1}]}}`},
		{"inner only", `[{"a":{"b":1,"a":2}},{"a":3}]`, `[{"a":{"a":2,"b":1}},{"a":3}]`},
		{"empty name", `{"a":1,"":2}`, `{"":2,"a":1}`},
		{"prefixes", `{"ab":1,"a":2,"abc":3}`, `{"a":2,"ab":1,"abc":3}`},
	} {
		got, err := records.ParseValue([]byte("before"), []byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		want, err := records.ParseValue([]byte("before"), []byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: %v, want %v", c.name, records.RawValue(got[6:]), records.RawValue(want[6:]))
		}
	}
	for in, want := range map[string]string{
		`{"b":1,"a":2,"b":3}`:               "repeated member at /b, offset 19",
		`{"b":1,"a":[{"d":1,"c":2,"d":3}]}`: "repeated member at /a/0/d, offset 31",
		`{"z":{"y":1,"x":1},"a":1,"a":1}`:   "repeated member at /a, offset 31",
	} {
		if _, err := records.ParseValue(nil, []byte(in)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", in, err, want)
		}
	}
}

// TestManyFields checks that a row finds a repeated field however many it has.
func TestManyFields(t *testing.T) {
	var b records.Builder
	for _, n := range []int{1, 31, 32, 33, 34, 100} {
		for _, again := range []int{0, n / 2, n - 1} {
			b.Begin("s", "a")
			for i := range n {
				if !b.Field(fmt.Sprint("f", i)) {
					t.Fatalf("field %d of %d is taken for repeated", i, n)
				}
				b.Buf = records.AppendInt(b.Buf, int64(i))
			}
			if b.Field(fmt.Sprint("f", again)) {
				t.Errorf("field %d of %d may be repeated", again, n)
			}
			b.Discard()
			// Another row with the same beginning and other ends.
			b.Begin("s", "b")
			for i := range n - 1 {
				b.Field(fmt.Sprint("f", i))
				b.Buf = records.AppendNull(b.Buf)
			}
			for i := range 3 {
				if !b.FieldBytes(fmt.Appendf(nil, "g%d-%d-%d", n, again, i)) {
					t.Errorf("a new field after %d is taken for repeated", n-1)
				}
				b.Buf = records.AppendNull(b.Buf)
			}
			b.End()
			if table, err := b.Finish(); err != nil || table.Len() != 1 || len(table.Class(0).Fields()) != n+2 {
				t.Errorf("%d fields: %v", n, err)
			}
		}
	}
}
