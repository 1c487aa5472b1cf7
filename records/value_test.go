package records_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/records"
)

// encodings are what each encoder appends: the format of the package comment.
var encodings = []struct {
	name, why string
	enc       func([]byte) []byte
	want      string
	kind      records.Kind
	json      string
}{
	{"null", "", records.AppendNull, "\x01", records.Null, `null`},
	{"false", "", func(b []byte) []byte { return records.AppendBool(b, false) }, "\x02", records.Bool, `false`},
	{"true", "", func(b []byte) []byte { return records.AppendBool(b, true) }, "\x03", records.Bool, `true`},
	{"int", "", func(b []byte) []byte { return records.AppendInt(b, -12) }, "\x04\x03-12", records.Number, `-12`},
	{"least int", "", func(b []byte) []byte { return records.AppendInt(b, math.MinInt64) }, "\x04\x14-9223372036854775808", records.Number, `-9223372036854775808`},
	{"greatest uint", "", func(b []byte) []byte { return records.AppendUint(b, math.MaxUint64) }, "\x04\x1418446744073709551615", records.Number, `18446744073709551615`},
	{"float", "", float(0.1), "\x04\x030.1", records.Number, `0.1`},
	{"whole float", "", float(3), "\x04\x013", records.Number, `3`},
	{"minus zero", "-0 equals 0", float(math.Copysign(0, -1)), "\x04\x010", records.Number, `0`},
	{"large float", "", float(1e20), "\x04\x15100000000000000000000", records.Number, `100000000000000000000`},
	{"larger float", "spelled with an exponent, though the canonical form has none", float(1e21), "\x05\x1c\x161" + zeros(21) + "1e+21", records.Number, `1e+21`},
	{"small float", "", float(1e-7), "\x05\x0f\x090.0000001" + "1e-07", records.Number, `1e-07`},
	{"literal", "", number("1"), "\x04\x011", records.Number, `1`},
	{"literal in another spelling", "", number("1.0"), "\x05\x05\x0111.0", records.Number, `1.0`},
	{"text", "", text("a\n"), "\x06\x02a\n", records.String, `"a\n"`},
	{"empty text", "", text(""), "\x06\x00", records.String, `""`},
	{"text of 127 bytes", "", text(strings.Repeat("x", 127)), "\x06\x7f" + strings.Repeat("x", 127), records.String, `"` + strings.Repeat("x", 127) + `"`},
	{"text of 128 bytes", "the length takes two bytes", text(strings.Repeat("x", 128)), "\x06\x80\x01" + strings.Repeat("x", 128), records.String, `"` + strings.Repeat("x", 128) + `"`},
	{"ill-formed text", "held as it is, repaired when shown", text("\xff"), "\x06\x01\xff", records.String, "\"\uFFFD\""},
	{"empty array", "", func(b []byte) []byte { return records.EndArray(records.BeginArray(b), len(b)) }, "\x07\x00\x00\x00\x00", records.Array, `[]`},
	{"array", "", func(b []byte) []byte {
		at := len(b)
		b = records.BeginArray(b)
		b = records.AppendNull(b)
		inner := len(b)
		b = records.EndArray(records.AppendInt(records.BeginArray(b), 7), inner)
		return records.EndArray(b, at)
	}, "\x07\x09\x00\x00\x00\x01\x07\x03\x00\x00\x00\x04\x017", records.Array, `[null,[7]]`},
	{"empty object", "", object(), "\x08\x00\x00\x00\x00", records.Object, `{}`},
	{"object", "members are sorted", object("b", "a", "ab", ""), "\x08\x0c\x00\x00\x00" + "\x00\x01" + "\x01a\x01" + "\x02ab\x01" + "\x01b\x01", records.Object, `{"":null,"a":null,"ab":null,"b":null}`},
	{"masked", "", func(b []byte) []byte { return records.AppendMaskedUnknown(b) }, "\x09", records.Masked, `"[masked]"`},
	{"masked empty", "empty stays empty", func(b []byte) []byte { return records.AppendMasked(b, "") }, "\x06\x00", records.String, `""`},
}

func float(f float64) func([]byte) []byte {
	return func(b []byte) []byte { b, _ = records.AppendFloat(b, f); return b }
}

func number(lit string) func([]byte) []byte {
	return func(b []byte) []byte { b, _ = records.AppendNumber(b, []byte(lit)); return b }
}

func text(s string) func([]byte) []byte {
	return func(b []byte) []byte { return records.AppendString(b, s) }
}

// object encodes an object of null members.
func object(names ...string) func([]byte) []byte {
	return func(b []byte) []byte {
		at := len(b)
		b = records.BeginObject(b)
		for _, n := range names {
			b = records.AppendNull(records.AppendName(b, n))
		}
		b, _ = records.EndObject(b, at)
		return b
	}
}

func TestEncodings(t *testing.T) {
	for _, test := range encodings {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			// Behind something and before something: encodings end themselves.
			enc := test.enc([]byte("before"))
			v := records.RawValue(append(bytes.Clone(enc[len("before"):]), "after"...))
			if string(enc) != "before"+want || string(v.Raw()) != want {
				t.Fatalf("% x, a value of % x, want % x (%s)", enc[len("before"):], v.Raw(), want, test.why)
			}
			if v.Kind() != test.kind || v.String() != test.json {
				t.Errorf("%v %s, want %v %s", v.Kind(), v, test.kind, test.json)
			}
			if first, rest := records.Cut(append(bytes.Clone(v.Raw()), 1)); !records.Equal(first, v) || string(rest) != "\x01" {
				t.Errorf("Cut: % x and % x", first.Raw(), rest)
			}
			if !json.Valid([]byte(v.String())) {
				t.Errorf("%s is no JSON", v)
			}
			checkAccessors(t, v)
		})
	}
}

// checkAccessors checks that accessors of other kinds return nothing.
func checkAccessors(t *testing.T, v records.Value) {
	t.Helper()
	k := v.Kind()
	if k != records.Bool && v.Bool() || (v.Literal() != nil) != (k == records.Number) || k != records.String && k != records.Masked && v.Text() != nil {
		t.Errorf("%v: Bool %v, Literal %q, Text %q", k, v.Bool(), v.Literal(), v.Text())
	}
	elements, members := 0, 0
	for e := range v.Elements() {
		if elements++; e.Kind() == records.Absent {
			t.Error("absent element")
		}
	}
	var names []string
	for name := range v.Members() {
		members++
		names = append(names, string(name))
	}
	if elements > 0 && k != records.Array || members > 0 && k != records.Object || v.Len() != elements+members || !slices.IsSorted(names) {
		t.Errorf("%v: %d elements, members %q, Len %d", k, elements, names, v.Len())
	}
	for range v.Elements() {
		break
	}
	for range v.Members() {
		break
	}
}

func TestAbsent(t *testing.T) {
	var v records.Value
	if v.Kind() != records.Absent || v.String() != "absent" || v.Raw() != nil || records.RawValue(nil).Kind() != records.Absent || string(records.AppendJSON(nil, v)) != "null" {
		t.Errorf("%v %v", v.Kind(), v)
	}
	checkAccessors(t, v)
}

func TestKindString(t *testing.T) {
	for k, want := range map[records.Kind]string{records.Absent: "absent", records.Masked: "masked", 8: "Kind(8)", 255: "Kind(255)"} {
		if k.String() != want {
			t.Errorf("%d is %q", uint8(k), k)
		}
	}
}

func TestRefusedEncodings(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if b, err := records.AppendFloat([]byte("x"), f); !errors.Is(err, records.ErrNumber) || string(b) != "x" {
			t.Errorf("%v: %q, %v", f, b, err)
		}
	}
	for _, names := range [][]string{{"a", "a"}, {"b", "a", "b"}, {"", "x", ""}} {
		b := records.BeginObject(nil)
		for _, n := range names {
			b = records.AppendNull(records.AppendName(b, n))
		}
		if _, err := records.EndObject(b, 0); !errors.Is(err, records.ErrRepeated) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func masked(secret string) records.Value { return records.RawValue(records.AppendMasked(nil, secret)) }

func TestMasks(t *testing.T) {
	unknown := records.RawValue(records.AppendMaskedUnknown(nil))
	shown := records.RawValue(records.AppendString(nil, records.MaskedText))
	other := records.RawValue(records.AppendString(nil, "x"))
	for _, test := range []struct {
		name, why string
		a, b      records.Value
		equal     bool
	}{
		{"one secret", "", masked("x"), masked("x"), true},
		{"two secrets", "a change is seen inside one process", masked("x"), masked("y"), false},
		{"unknown", "", unknown, unknown, true},
		{"known and unknown", "nobody can tell", masked("x"), unknown, true},
		{"known and shown", "what it becomes in a file", masked("x"), shown, true},
		{"unknown and shown", "", unknown, shown, true},
		{"masked and text", "", masked("x"), other, false},
		{"masked and empty", "empty stays empty", masked("x"), masked(""), false},
		{"unknown and number", "", unknown, records.RawValue(records.AppendInt(nil, 1)), false},
		{"unknown and absent", "", unknown, records.Value{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if records.Equal(test.a, test.b) != test.equal || records.Equal(test.b, test.a) != test.equal {
				t.Errorf("equal is %v (%s)", !test.equal, test.why)
			}
		})
	}
	if enc := records.AppendMasked(nil, "secret"); bytes.Contains(enc, []byte("secret")) || string(masked("secret").Text()) != "[masked]" {
		t.Errorf("% x", enc)
	}
	if a, b := masked("x"), records.RawValue(records.AppendMasked(nil, []byte("x"))); !records.Equal(a, b) || !bytes.Equal(a.Raw(), b.Raw()) {
		t.Error("text and bytes are masked differently")
	}
}

func TestMaskOf(t *testing.T) {
	for _, test := range []struct {
		name, why string
		in        string
		stays     bool
	}{
		{"absent", "", "", true},
		{"null", "", `null`, true},
		{"empty text", "", `""`, true},
		{"empty array", "", `[]`, true},
		{"empty object", "", `{}`, true},
		{"text", "", `"x"`, false},
		{"number", "0 is no empty value", `0`, false},
		{"false", "", `false`, false},
		{"array", "", `[""]`, false},
		{"object", "", `{"a":null}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.in)
			known := records.RawValue(records.AppendMaskOf(nil, v, true))
			forgotten := records.RawValue(records.AppendMaskOf(nil, v, false))
			if test.stays {
				if !bytes.Equal(known.Raw(), v.Raw()) || !bytes.Equal(forgotten.Raw(), v.Raw()) {
					t.Errorf("%v and %v", known, forgotten)
				}
				return
			}
			if known.Kind() != records.Masked || forgotten.Kind() != records.Masked || records.Equal(known, masked("something else")) || !records.Equal(forgotten, masked("something else")) {
				t.Errorf("%v and %v (%s)", known, forgotten, test.why)
			}
			again := records.RawValue(records.AppendMaskOf(nil, known, true))
			if !bytes.Equal(again.Raw(), known.Raw()) {
				t.Error("masking twice changes the mask")
			}
			if twice := records.RawValue(records.AppendMaskOf(nil, known, false)); !records.Equal(twice, masked("something else")) {
				t.Error("a mask does not forget")
			}
		})
	}
	if v := records.RawValue(records.AppendMaskOf(nil, parse(t, `"[masked]"`), true)); !records.Equal(v, masked("x")) {
		t.Error("the text of a mask hides something")
	}
	if a, b := records.AppendMaskOf(nil, parse(t, `"x"`), true), records.AppendMasked(nil, "x"); !bytes.Equal(a, b) {
		t.Error("a declared and a set mask of one text differ")
	}
}

// TestMemberSort: members in any order give one encoding.
func TestMemberSort(t *testing.T) {
	want := parse(t, `{"a":[{"x":1,"y":2}],"b":{"c":null,"d":{"e":0,"f":1}},"z":true}`)
	for _, in := range []string{
		`{"z":true,"b":{"d":{"f":1,"e":0},"c":null},"a":[{"y":2,"x":1}]}`,
		`{"b":{"c":null,"d":{"f":1,"e":0}},"a":[{"x":1,"y":2}],"z":true}`,
		`{"a":[{"y":2,"x":1}],"z":true,"b":{"d":{"e":0,"f":1},"c":null}}`,
	} {
		if got := parse(t, in); !bytes.Equal(got.Raw(), want.Raw()) {
			t.Errorf("%s became %s", in, got)
		}
	}
}

func TestAppendAny(t *testing.T) {
	type point struct {
		X, Y int
		Name string `json:"name,omitempty"`
	}
	type level int
	for _, test := range []struct {
		name, why string
		in        any
		want      string
	}{
		{"nil", "", nil, `null`},
		{"bool", "", true, `true`},
		{"text", "", "a\u202e", `"a\u202e"`},
		{"bytes", "are text", []byte("ab"), `"ab"`},
		{"ill-formed text", "", "a\xff", `"a` + fffd + `"`},
		{"int", "", -1, `-1`},
		{"int8", "", int8(-128), `-128`},
		{"int16", "", int16(300), `300`},
		{"int32", "", int32(-70000), `-70000`},
		{"int64", "", int64(math.MaxInt64), `9223372036854775807`},
		{"uint", "", uint(1), `1`},
		{"uint8", "", uint8(255), `255`},
		{"uint64", "", uint64(math.MaxUint64), `18446744073709551615`},
		{"float", "", 1.5, `1.5`},
		{"float32", "the shortest that reads back as float32", float32(0.1), `0.1`},
		{"json number", "digits are kept", json.Number("1.50"), `1.50`},
		{"value", "", parse(t, `{"b":1,"a":2}`), `{"a":2,"b":1}`},
		{"absent value", "", records.Value{}, `null`},
		{"list", "", []any{1, "a", nil, []any{}}, `[1,"a",null,[]]`},
		{"texts", "", []string{"b", "a"}, `["b","a"]`},
		{"map", "", map[string]any{"b": 1, "a": map[string]any{}}, `{"a":{},"b":1}`},
		{"ints", "what encoding/json makes of it", []int{1, 2}, `[1,2]`},
		{"struct", "", point{1, 2, "<p>"}, `{"X":1,"Y":2,"name":"<p>"}`},
		{"pointer", "", &point{}, `{"X":0,"Y":0}`},
		{"named int", "", level(3), `3`},
		{"time", "a MarshalJSON", time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},
		{"raw JSON", "", json.RawMessage(`{"b":1e2,"a":[]}`), `{"a":[],"b":1e2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			enc, err := records.AppendAny([]byte("x"), test.in)
			if err != nil || enc[0] != 'x' {
				t.Fatalf("%v", err)
			}
			if got := records.RawValue(enc[1:]); got.String() != test.want || len(got.Raw()) != len(enc)-1 {
				t.Errorf("%s, want %s (%s)", got, test.want, test.why)
			}
		})
	}
	for _, test := range []struct {
		name string
		in   any
		want string // of the error
	}{
		{"not a number", math.NaN(), "invalid number: NaN"},
		{"bad literal", json.Number("1."), `invalid number: "1."`},
		{"empty literal", json.Number(""), `invalid number: ""`},
		{"inside", []any{0, map[string]any{"a": math.Inf(1)}}, `element 1: member "a": invalid number: +Inf`},
		{"channel", make(chan int), "json: unsupported type: chan int"},
		{"repeated member", json.RawMessage(`{"a":1,"a":2}`), "repeated member at /a, offset 13"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := records.AppendAny(nil, test.in); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestAppendCanonical(t *testing.T) {
	// No two of these are equal, so no two forms may be.
	var forms []string
	for _, in := range append([]string{`"1"`, `"a"`, `["a"]`, `["a",""]`, `{"a":""}`, `{"":"a"}`, `"null"`, `"[]"`, `[[]]`, `[0]`, `"\ud800"`, `"\ufffd"`, "\"\xff\"", `{"1\"a":1}`, `{"1":{"a":1}}`}, emptyStates...) {
		v := parse(t, in)
		if v.Kind() == records.Absent {
			continue
		}
		form := string(records.AppendCanonical(nil, v))
		if slices.Contains(forms, form) {
			t.Errorf("%s has the form of another: %q", in, form)
		}
		forms = append(forms, form)
	}
	if got := string(records.AppendCanonical(nil, masked("x"))); got != string(records.AppendCanonical(nil, parse(t, `"[masked]"`))) {
		t.Errorf("a masked value has the form %q", got)
	}
}
