package records_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

// mark stands in an input where its error is found.
const mark = "¦"

// refusals are inputs that are no single JSON value.
var refusals = []struct {
	name, why, in, pointer string
	err                    error
	detail                 string
}{
	{"empty", "", "¦", "", records.ErrSyntax, "unexpected end of input, want a value"},
	{"blank", "", " \n\t\r¦", "", records.ErrSyntax, "unexpected end of input, want a value"},
	{"word", "", "¦x", "", records.ErrSyntax, "unexpected 'x', want a value"},
	{"cut word", "", "¦tru", "", records.ErrSyntax, "unexpected 't', want a value"},
	{"upper case word", "", "¦True", "", records.ErrSyntax, "unexpected 'T', want a value"},
	{"cut null", "", "[¦nul]", "/0", records.ErrSyntax, "unexpected 'n', want a value"},
	{"longer word", "", "null¦s", "", records.ErrSyntax, "data after the end of the document: 's'"},
	{"NUL", "a byte 0 is no end of input", "¦\x00", "", records.ErrSyntax, "unexpected '\\x00', want a value"},
	{"NUL behind", "", "1¦\x00", "", records.ErrSyntax, "data after the end of the document: '\\x00'"},
	{"NUL in an array", "", "[1¦\x00]", "", records.ErrSyntax, "unexpected '\\x00', want ',' or ']'"},
	{"no white space", "U+00A0 separates nothing", "[¦\u00a01]", "/0", records.ErrSyntax, "unexpected '\\u00a0', want a value"},
	{"form feed", "", "¦\f1", "", records.ErrSyntax, "unexpected '\\f', want a value"},
	{"byte order mark", "who reads files takes it away", "¦\ufeff1", "", records.ErrSyntax, "unexpected '\\ufeff', want a value"},
	{"ill-formed byte", "", "¦\xff", "", records.ErrSyntax, "unexpected byte 0xff, want a value"},
	{"comment", "", "[1, ¦// two\n2]", "/1", records.ErrSyntax, "unexpected '/', want a value"},
	{"single quotes", "", "¦'a'", "", records.ErrSyntax, `unexpected '\'', want a value`},

	{"plus", "", "¦+1", "", records.ErrSyntax, "unexpected '+', want a value"},
	{"point", "", "¦.5", "", records.ErrSyntax, "unexpected '.', want a value"},
	{"NaN", "", "[¦NaN]", "/0", records.ErrSyntax, "unexpected 'N', want a value"},
	{"minus", "", "¦-", "", records.ErrSyntax, "invalid number"},
	{"minus infinity", "", `{"a":¦-Infinity}`, "/a", records.ErrSyntax, "invalid number"},
	{"leading zero", "", "[1,¦007]", "/1", records.ErrSyntax, "invalid number"},
	{"no fraction", "", "¦1.", "", records.ErrSyntax, "invalid number"},
	{"no exponent", "", "¦1e", "", records.ErrSyntax, "invalid number"},
	{"exponent's sign only", "", "¦1e-", "", records.ErrSyntax, "invalid number"},
	{"two points", "", "¦1.2.3", "", records.ErrSyntax, "invalid number"},
	{"hex", "", "0¦x1", "", records.ErrSyntax, "data after the end of the document: 'x'"},

	{"open string", "", `"abc¦`, "", records.ErrSyntax, "unexpected end of input, want the end of a string"},
	{"open long string", "longer than the eight bytes looked at once", `"0123456789abcdef¦`, "", records.ErrSyntax, "unexpected end of input, want the end of a string"},
	{"open string after an escape", "", `"\n0123456789¦`, "", records.ErrSyntax, "unexpected end of input, want the end of a string"},
	{"open escape", "", `"\¦`, "", records.ErrSyntax, "unexpected end of input, want an escape"},
	{"raw line feed", "", "\"ab¦\n\"", "", records.ErrSyntax, "raw control character 0x0a in a string"},
	{"raw NUL", "", "\"¦\x00\"", "", records.ErrSyntax, "raw control character 0x00 in a string"},
	{"raw U+001F", "", "[\"é\",\"é¦\x1f\"]", "/1", records.ErrSyntax, "raw control character 0x1f in a string"},
	{"bad escape", "", `"a¦\x41"`, "", records.ErrSyntax, "invalid escape 'x'"},
	{"bad escape of a wide character", "", `"¦\日"`, "", records.ErrSyntax, `invalid escape '\u65e5'`},
	{"bad \\u", "", `"¦\u12g4"`, "", records.ErrSyntax, `invalid \u escape`},
	{"short \\u", "", `"¦\u12"`, "", records.ErrSyntax, `invalid \u escape`},
	{"cut \\u", "", `"¦\u1`, "", records.ErrSyntax, `invalid \u escape`},
	{"bad second half", "the first half is a lone surrogate, the second half is bad", `"\ud83d¦\uzzzz"`, "", records.ErrSyntax, `invalid \u escape`},

	{"open array", "", "[¦", "/0", records.ErrSyntax, "unexpected end of input, want a value"},
	{"array without end", "", "[1¦", "", records.ErrSyntax, "unexpected end of input, want ',' or ']'"},
	{"array that ends in a comma", "", "[1,¦]", "", records.ErrSyntax, "unexpected ']', want a value"},
	{"array of a comma", "", "[¦,]", "/0", records.ErrSyntax, "unexpected ',', want a value"},
	{"two commas", "", "[1,¦,2]", "/1", records.ErrSyntax, "unexpected ',', want a value"},
	{"no comma", "", "[1 ¦2]", "", records.ErrSyntax, "unexpected '2', want ',' or ']'"},
	{"array that ends as an object", "", "[1¦}", "", records.ErrSyntax, "unexpected '}', want ',' or ']'"},
	{"colon in an array", "", `["a"¦:1]`, "", records.ErrSyntax, "unexpected ':', want ',' or ']'"},
	{"end only", "", "¦]", "", records.ErrSyntax, "unexpected ']', want a value"},
	{"end twice", "", "[]¦]", "", records.ErrSyntax, "data after the end of the document: ']'"},

	{"open object", "", "{¦", "", records.ErrSyntax, "unexpected end of input, want a member name"},
	{"name only", "", `{"a"¦`, "", records.ErrSyntax, "unexpected end of input, want ':'"},
	{"no value", "", `{"a":¦`, "/a", records.ErrSyntax, "unexpected end of input, want a value"},
	{"no value before the end", "", `{"a":¦}`, "/a", records.ErrSyntax, "unexpected '}', want a value"},
	{"object without end", "", `{"a":1¦`, "", records.ErrSyntax, "unexpected end of input, want ',' or '}'"},
	{"object that ends in a comma", "", `{"a":1,¦}`, "", records.ErrSyntax, "unexpected '}', want a member name"},
	{"object of a comma", "", `{¦,}`, "", records.ErrSyntax, "unexpected ',', want a member name"},
	{"name without quotes", "", `{¦a:1}`, "", records.ErrSyntax, "unexpected 'a', want a member name"},
	{"number as name", "", `{¦1:1}`, "", records.ErrSyntax, "unexpected '1', want a member name"},
	{"no colon", "", `{"a" ¦1}`, "", records.ErrSyntax, "unexpected '1', want ':'"},
	{"comma for colon", "", `{"a"¦,1}`, "", records.ErrSyntax, "unexpected ',', want ':'"},
	{"no comma in an object", "", `{"a":1 ¦"b":2}`, "", records.ErrSyntax, `unexpected '"', want ',' or '}'`},
	{"object that ends as an array", "", `{"a":1¦]`, "", records.ErrSyntax, "unexpected ']', want ',' or '}'"},
	{"bad name", "", "{\"a¦\n\":1}", "", records.ErrSyntax, "raw control character 0x0a in a string"},

	{"pointer", "~ and / are escaped", `{"a":[0,{"b/c~d":¦x}]}`, "/a/1/b~1c~0d", records.ErrSyntax, "unexpected 'x', want a value"},
	{"pointer of an escaped name", "", `{"\u0061":¦x}`, "/a", records.ErrSyntax, "unexpected 'x', want a value"},
	{"pointer of a repaired name", "", `{"\ud800":¦x}`, "/" + fffd, records.ErrSyntax, "unexpected 'x', want a value"},
	{"pointer of an empty name", "", `{"":¦x}`, "/", records.ErrSyntax, "unexpected 'x', want a value"},
	{"pointer behind names out of order", "", `{"b":1,"a":{"z":1,"y":¦x}}`, "/a/y", records.ErrSyntax, "unexpected 'x', want a value"},

	{"data behind", "", `{} ¦{}`, "", records.ErrSyntax, "data after the end of the document: '{'"},
	{"comma behind", "", `1¦,`, "", records.ErrSyntax, "data after the end of the document: ','"},
	{"ill-formed data behind", "", "1¦\xff", "", records.ErrSyntax, "data after the end of the document: byte 0xff"},

	{"repeated member", "", `{"a":1,"a":1}¦`, "/a", records.ErrRepeated, ""},
	{"repeated through an escape", "", `{"a":1,"\u0061":1}¦`, "/a", records.ErrRepeated, ""},
	{"repeated out of order", "", `{"b":1,"a":2,"b":3}¦`, "/b", records.ErrRepeated, ""},
	{"repeated empty name", "", `{"":1,"":1}¦`, "/", records.ErrRepeated, ""},
	{"repeated inside", "", `[{"x":[{"a":1,"c":2,"a":3}¦]}]`, "/0/x/0/a", records.ErrRepeated, ""},
	{"repeated inside what is out of order", "", `{"z":1,"a":{"b":1,"b":1}¦}`, "/a/b", records.ErrRepeated, ""},
	{"repeated lone surrogate", "", `{"\ud800":1,"\ud800":1}¦`, "/" + fffd, records.ErrRepeated, ""},

	{"too deep", "", strings.Repeat("[", 1000) + "¦[", strings.Repeat("/0", 1000), records.ErrDepth, "the limit is 1000 levels"},
	{"too deep in objects", "", strings.Repeat(`{"a":`, 1000) + "¦{", strings.Repeat("/a", 1000), records.ErrDepth, "the limit is 1000 levels"},
}

func TestRefusals(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			at := strings.Index(test.in, mark)
			in := []byte(strings.Replace(test.in, mark, "", 1))
			_, err := records.ParseValue(nil, in)
			var pos *records.PosError
			if !errors.As(err, &pos) || !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v (%s)", err, test.err, test.why)
			}
			if pos.Offset != at || pos.Pointer != test.pointer || pos.Detail != test.detail {
				t.Errorf("at %d, %q: %s, want at %d, %q: %s (%s)", pos.Offset, pos.Pointer, pos.Detail, at, test.pointer, test.detail, test.why)
			}
			// Skipping is as strict.
			var s records.Scanner
			s.Reset(in, 0)
			skipped := s.Skip()
			if skipped == nil {
				skipped = s.End()
			}
			if !reflect.DeepEqual(skipped, err) {
				t.Errorf("Skip: %v, not %v", skipped, err)
			}
		})
	}
}

// accepted are inputs and what they are written as.
var accepted = []struct{ name, in, want string }{
	{"white space", " \t\r\n[ 1 , { \"a\" : [ ] } ]\n", `[1,{"a":[]}]`},
	{"words", `[null,true,false]`, `[null,true,false]`},
	{"numbers", `[0,-0,1.50,1E+2,1e1000000000]`, `[0,-0,1.50,1E+2,1e1000000000]`},
	{"escapes", `"\"\\\/\b\f\n\r\t\u0041\u00e9\u65E5\uD83D\uDE00"`, `"\"\\/\b\f\n\r\tAé日😀"`},
	{"escape after long text", `"0123456789012345\n6789"`, `"0123456789012345\n6789"`},
	{"quote in each of eight places", `["1","12","123","1234","12345","123456","1234567","12345678"]`, `["1","12","123","1234","12345","123456","1234567","12345678"]`},
	{"wide text", `"日本語é😀"`, `"日本語é😀"`},
	{"DEL is no control character", "\"\x7f\"", `"\u007f"`},
	{"lone surrogates", `["\ud800","\udc00","\ud800\ud800","\udc00\ud800","\ud800x","\ud800\u0041"]`, `["` + fffd + `","` + fffd + `","` + fffd + fffd + `","` + fffd + fffd + `","` + fffd + `x","` + fffd + `A"]`},
	{"lone surrogate before a pair", `"\ud83d\ud83d\ude00"`, `"` + fffd + `😀"`},
	{"ill-formed bytes", "\"a\xffb\xe2\x82\"", `"a` + fffd + "b" + fffd + `"`},
	{"F5", "\"\xf5\x80\x80\"", `"` + fffd + fffd + fffd + `"`},
	{"sorted", `{"b":1,"a":{"d":1,"c":2}}`, `{"a":{"c":2,"d":1},"b":1}`},
	{"case of names", `{"id":1,"ID":2}`, `{"ID":2,"id":1}`},
	{"names apart only as held", `{"\ud800":1,"\ud801":2}`, `{"` + fffd + `":1,"` + fffd + `#2":2}`},
	{"1000 levels", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
}

func TestAccepted(t *testing.T) {
	for _, test := range accepted {
		t.Run(test.name, func(t *testing.T) {
			if got := parse(t, test.in).String(); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			checkScan(t, []byte(test.in))
		})
	}
}

// TestLongPointer: a pointer is joined once, not at each of the levels it goes
// through.
func TestLongPointer(t *testing.T) {
	in := []byte(strings.Repeat(`{"`+strings.Repeat("n", 2000)+`":`, 1000) + "x")
	for _, read := range []func(*records.Scanner) error{
		func(s *records.Scanner) error { _, err := s.AppendValue(nil); return err },
		func(s *records.Scanner) error { return s.Skip() },
	} {
		var s records.Scanner
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		s.Reset(in, 0)
		err := read(&s)
		runtime.ReadMemStats(&m1)
		var pos *records.PosError
		if !errors.As(err, &pos) || pos.Pointer != strings.Repeat("/"+strings.Repeat("n", 2000), 1000) || len(err.Error()) > 300 {
			t.Fatalf("error %v", err)
		}
		if alloc := m1.TotalAlloc - m0.TotalAlloc; alloc > 24*uint64(len(in)) {
			t.Errorf("%d bytes allocated for %d", alloc, len(in))
		}
	}
}

func TestDepthLimit(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		ok    bool
	}{
		{`1`, 1, true}, {`[1]`, 1, true}, {`[[1]]`, 1, false}, {`[[],[]]`, 2, true}, {`[[],[[]]]`, 2, false}, {`{"a":{}}`, 2, true}, {`{"a":[{}]}`, 2, false},
		{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), 5000, true},
	} {
		var s records.Scanner
		s.Reset([]byte(test.in), test.limit)
		if _, err := s.AppendValue(nil); (err == nil) != test.ok || err != nil && !errors.Is(err, records.ErrDepth) {
			t.Errorf("%.20s with limit %d: %v", test.in, test.limit, err)
		}
	}
}

// TestScannerByHand walks a document as decoders do.
func TestScannerByHand(t *testing.T) {
	var s records.Scanner
	in := []byte(` {"a":[1, "x\ud800"],"b":{},"c":-1.5e3} `)
	s.Reset(in, 0)
	var got []string
	note := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(s.Begin('{'))
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		check(err)
		if !ok {
			break
		}
		note("%s at depth %d", name, s.Depth())
		switch s.Peek() {
		case '[':
			check(s.Begin('['))
			for i := 0; ; i++ {
				more, err := s.Next(i == 0)
				check(err)
				if !more {
					break
				}
				at, depth := s.Offset(), s.Depth()
				check(s.Skip())
				s.Seek(at, depth)
				v, err := s.AppendValue(nil)
				check(err)
				note("%v repaired %v", records.RawValue(v), s.Repaired())
			}
		case '{':
			check(s.Skip())
		default:
			lit, err := s.Literal()
			check(err)
			note("%s", lit)
		}
	}
	check(s.End())
	want := []string{"a at depth 1", "1 repaired false", `"x` + fffd + `" repaired true`, "b at depth 1", "c at depth 1", "-1.5e3"}
	if !slices.Equal(got, want) || s.Offset() != len(in) || s.Depth() != 0 {
		t.Errorf("%q, want %q; offset %d of %d, depth %d", got, want, s.Offset(), len(in), s.Depth())
	}

	for _, test := range []struct {
		name, in, want string
		read           func() error
	}{
		{"object", "[", "invalid JSON: unexpected '[', want an object, offset 0", func() error { return s.Begin('{') }},
		{"array", " {", "invalid JSON: unexpected '{', want an array, offset 1", func() error { return s.Begin('[') }},
		{"nothing", "", "invalid JSON: unexpected end of input, want an array, offset 0", func() error { return s.Begin('[') }},
		{"string", "1", "invalid JSON: unexpected '1', want a string, offset 0", func() error { _, err := s.Text(); return err }},
		{"number", `"1"`, "invalid JSON: invalid number, offset 0", func() error { _, err := s.Literal(); return err }},
	} {
		s.Reset([]byte(test.in), 0)
		if err := test.read(); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

func TestWithin(t *testing.T) {
	err := (&records.PosError{Pointer: "/c"}).Within("b~").Within("a/")
	if err.Pointer != "/a~1/b~0/c" {
		t.Errorf("pointer %q", err.Pointer)
	}
}

// seeds are the inputs of the tables above.
func seeds() (list []string) {
	for _, x := range refusals {
		list = append(list, strings.Replace(x.in, mark, "", 1))
	}
	for _, x := range accepted {
		list = append(list, x.in)
	}
	for _, x := range pairs {
		list = append(list, x.a, x.b)
	}
	return list
}

func FuzzScanner(f *testing.F) {
	for _, s := range seeds() {
		if len(s) < 10_000 {
			f.Add([]byte(s))
		}
	}
	f.Fuzz(checkScan)
}

// checkScan checks that data is accepted if and only if encoding/json does,
// but for repeated members and depth; that errors have a place; and that the
// value survives being written.
func checkScan(t *testing.T, data []byte) {
	enc, err := records.ParseValue(nil, data)
	var s records.Scanner
	s.Reset([]byte(`{"b":"\ud800","a":[`), 0)
	s.Skip() // leaves scratch and a depth behind
	s.Reset(data, 0)
	again, againErr := s.AppendValue([]byte("x"))
	if againErr == nil {
		againErr = s.End()
	}
	if !reflect.DeepEqual(againErr, err) || err == nil && string(again) != "x"+string(enc) {
		t.Fatalf("%q: % x, %v; a used scanner: % x, %v", data, enc, err, again, againErr)
	}
	valid := json.Valid(data)
	if err != nil {
		checkScanError(t, data, err, valid)
		return
	}
	if !valid {
		t.Fatalf("%q: accepted, but it is no JSON", data)
	}
	v := records.RawValue(enc)
	if len(v.Raw()) != len(enc) {
		t.Fatalf("%q: a value of %d bytes in %d", data, len(v.Raw()), len(enc))
	}
	if len(enc) > 5*len(data)+64 {
		t.Errorf("%q: %d bytes for %d", data, len(enc), len(data))
	}
	out := records.AppendJSON(nil, v)
	if !json.Valid(out) || !utf8.Valid(out) || bytes.ContainsAny(out, "\n\r") {
		t.Fatalf("%q: written as %q", data, out)
	}
	back, err := records.ParseValue(nil, out)
	if err != nil {
		t.Fatalf("%q: written as %q, which is refused: %v", data, out, err)
	}
	if s.Repaired() || !utf8.Valid(data) {
		return // what is written differs from what is held
	}
	if !bytes.Equal(back, enc) {
		t.Errorf("%q: % x, written and read back: % x", data, enc, back)
	}
	if !records.Equal(v, records.RawValue(back)) {
		t.Errorf("%q: differs from itself", data)
	}
	if naiveRepeats(t, data) {
		t.Errorf("%q: repeated members are accepted", data)
	}
	if !reflect.DeepEqual(decode(t, data), decode(t, out)) {
		t.Errorf("%q: written as %q", data, out)
	}
}

func checkScanError(t *testing.T, data []byte, err error, valid bool) {
	var pos *records.PosError
	if !errors.As(err, &pos) || pos.Offset < 0 || pos.Offset > len(data) || pos.Pointer != "" && pos.Pointer[0] != '/' || !utf8.ValidString(pos.Pointer) {
		t.Fatalf("%q: error without a place: %#v", data, err)
	}
	if text := err.Error(); strings.ContainsFunc(text, func(r rune) bool { return naiveHidden(r) }) || !utf8.ValidString(text) || len(text) > 1024 {
		t.Errorf("%q: error %+q", data, text)
	}
	switch {
	case errors.Is(err, records.ErrSyntax):
		if valid {
			t.Errorf("%q: error %v, but it is JSON", data, err)
		}
		var syntax *json.SyntaxError
		if errors.As(json.Unmarshal(data, new(any)), &syntax) && int64(pos.Offset) > syntax.Offset {
			t.Errorf("%q: error at %d, but encoding/json fails at %d", data, pos.Offset, syntax.Offset)
		}
	case errors.Is(err, records.ErrRepeated):
		if valid && !naiveRepeats(t, data) {
			t.Errorf("%q: error %v, but nothing is repeated", data, err)
		}
	case errors.Is(err, records.ErrDepth):
		if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= records.DefaultMaxDepth {
			t.Errorf("%q: error %v", data, err)
		}
	default:
		t.Errorf("%q: error %v", data, err)
	}
}

// decode reads JSON as encoding/json does, digits kept.
func decode(t *testing.T, data []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// naiveRepeats reports whether an object of valid JSON has two members of one
// name, as encoding/json reads names.
func naiveRepeats(t *testing.T, data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	type level struct {
		names  map[string]bool // nil in arrays
		isName bool
	}
	var open []*level
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		var top *level
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		if name, ok := token.(string); ok && top != nil && top.isName {
			if top.names[name] {
				return true
			}
			top.names[name] = true
			top.isName = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &level{map[string]bool{}, true})
			continue
		case json.Delim('['):
			open = append(open, &level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			if len(open) > 0 {
				top = open[len(open)-1]
			} else {
				top = nil
			}
		}
		if top != nil && top.names != nil {
			top.isName = true
		}
	}
}
