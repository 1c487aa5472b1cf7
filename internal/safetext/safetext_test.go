package safetext

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

var appendCases = []struct{ name, why, in, want string }{
	{"word", "ids stay readable", "t1", "t1"},
	{"tool", "action ids are words", "toggle@t1#2", "toggle@t1#2"},
	{"url", "addresses without a query are words", "http://127.0.0.1:5218/", "http://127.0.0.1:5218/"},
	{"query", "= is syntax", "/a?b=1", `"/a?b=1"`},
	{"empty", "something must be seen", "", `""`},
	{"space", "a word has none", "a b", `"a b"`},
	{"our-word", "data must not read as ours", "omitted", `"omitted"`},
	{"our-word-case", "in any case", "Omitted", `"Omitted"`},
	{"sign", "a line of ours may begin with a sign", "-1", `"-1"`},
	{"colon", "a colon at the end is syntax", "added:", `"added:"`},
	{"quote", "quotes and backslashes are escaped", `a"b\c`, `"a\"b\\c"`},
	{"line", "never a line break", "x\nremoved: 999 records\ny\r\t", `"x\nremoved: 999 records\ny\r\t"`},
	{"control", "C0, DEL and C1", "\x1b[2J\x7f\u009b31m", `"\u001b[2J\u007f\u009b31m"`},
	{"bidi", "overrides and isolates", "user\u202enimda\u202c \u2066x\u2069", `"user\u202enimda\u202c \u2066x\u2069"`},
	{"zero-width", "joiner, space, soft hyphen, grapheme joiner", "pay\u200bpal\u00ad\u034f", `"pay\u200bpal\u00ad\u034f"`},
	{"separators", "line and paragraph", "a\u2028b\u2029", `"a\u2028b\u2029"`},
	{"tags", "above U+FFFF as a pair", "hi\U000e0041", `"hi\udb40\udc41"`},
	{"annotation", "format characters beyond records.Hidden", "\ufff9a\ufffab\ufffb", `"\ufff9a\ufffab\ufffb"`},
	{"private", "private use and unassigned", "\ue000\U0010ffff\u0378", `"\ue000\udbff\udfff\u0378"`},
	{"spaces", "only U+0020 is a space", "a\u00a0b\u3000", `"a\u00a0b\u3000"`},
	{"fillers", "letters that show nothing", "\u3164\u115f\u2800", `"\u3164\u115f\u2800"`},
	{"mark-first", "it would attach to our quote", "\u0301a", `"\u0301a"`},
	{"mark-after-escape", "or to an escape", "\u200b\u0301", `"\u200b\u0301"`},
	{"mark", "on a base it stays", "e\u0301", "\"e\u0301\""},
	{"stack", "nine marks", "e" + strings.Repeat("\u0301", 9), "\"e" + strings.Repeat("\u0301", 8) + `\u0301"`},
	{"letters", "other alphabets are shown, quoted", "omitteд 完了", `"omitteд 完了"`},
	{"emoji", "presentation selector after a symbol", "❤\ufe0f a\ufe0f", "\"❤\ufe0f a" + `\ufe0f"`},
	{"family", "the joiner shows", "👨\u200d👩", `"👨\u200d👩"`},
	{"byte", "an ill-formed byte shows", "a\xffb\xe2\x82", `"a\xffb\xe2\x82"`},
	{"surrogate", "as held by package records", "\xf5\x80\xbd", `"\ud83d"`},
	{"surrogates", "two alone must not read as a pair", "\xf5\x80\x80\xf5\x90\x80", `"\ud800\xf5\x90\x80"`},
	{"replacement", "a real U+FFFD is a sign like others", "\ufffd", "\"\ufffd\""},
}

func TestAppend(t *testing.T) {
	for _, c := range appendCases {
		t.Run("name="+c.name, func(t *testing.T) {
			got := string(Append(nil, c.in))
			if got != c.want {
				t.Errorf("%s: Append(%q) = %s, want %s", c.why, c.in, got, c.want)
			}
			if b := string(Append([]byte("x"), []byte(c.in))); b != "x"+got {
				t.Errorf("bytes give %s", b)
			}
			checkText(t, c.in)
		})
	}
}

func TestAppendClipped(t *testing.T) {
	for _, c := range []struct {
		name, why, in string
		max           int
		want          string
	}{
		{"word", "the mark tells a cut word", "complete", 4, "comp…(8 B)"},
		{"whole", "exactly the limit is not cut", "complete", 8, "complete"},
		{"none", "0 is no limit", "complete", 0, "complete"},
		{"quoted", "the mark stands outside the quotes", "Buy milk", 6, `"Buy mi"…(8 B)`},
		{"imitation", "inside quotes it is data", "Buy mi…(8 B)", 0, `"Buy mi…(8 B)"`},
		{"code-point", "é is two bytes", "aé", 2, "a…(3 B)"},
		{"mark", "a letter keeps its marks", "abe\u0301", 4, "ab…(5 B)"},
		{"family", "an emoji sequence stays whole", "ab👨\u200d👩\u200d👧", 15, "ab…(20 B)"},
		{"flag", "a flag is two", "🇩🇪🇫🇷", 12, `"🇩🇪"…(16 B)`},
		{"skin", "with its tone", "a👍🏽", 6, "a…(9 B)"},
		{"long-stack", "a sequence without end is cut", "a" + strings.Repeat("\u0301", 50), 42, "\"a" + strings.Repeat("\u0301", 8) + strings.Repeat(`\u0301`, 12) + `"…(101 B)`},
		{"surrogate", "a held surrogate is one", "ab\xf5\x80\xbd", 4, "ab…(5 B)"},
		{"nothing", "not even one code point fits", "👍", 3, `""…(4 B)`},
	} {
		t.Run("name="+c.name, func(t *testing.T) {
			if got := string(AppendClipped(nil, c.in, c.max)); got != c.want {
				t.Errorf("%s: got %s, want %s", c.why, got, c.want)
			}
		})
	}
}

func TestReservedWordsFit(t *testing.T) {
	if !Reserved("diagnostics") || plain("DIAGNOSTICS") || !plain("diagnosticss") {
		t.Error("the longest reserved word is not found")
	}
}

func TestAppendValue(t *testing.T) {
	for _, c := range []struct {
		name, why, json string
		max             int
		want            string
	}{
		{"number", "bare", "1", 0, "1"},
		{"digits", "as spelled", "1.50e2", 0, "1.50e2"},
		{"string", "a string is quoted even if a number", `"1"`, 0, `"1"`},
		{"null", "", "null", 0, "null"},
		{"null-string", "", `"null"`, 0, `"null"`},
		{"bool", "", "true", 0, "true"},
		{"array", "JSON with our escapes", `[1,"a\u202e",{"b":null}]`, 0, `[1,"a\u202e",{"b":null}]`},
		{"array-private", "also those that JSON shows raw", `["\ue000"]`, 0, `["\ue000"]`},
		{"empty", "", `[[],{}]`, 0, `[[],{}]`},
		{"cut-string", "", `"Buy milk"`, 3, `"Buy"…(8 B)`},
		{"cut-number", "numbers keep 24 digits", strings.Repeat("7", 30), 3, strings.Repeat("7", 24) + "…(30 B)"},
		{"keep-number", "", strings.Repeat("7", 24), 3, strings.Repeat("7", 24)},
		{"cut-array", "the cut is outside of quotes", `["abcdef",2]`, 4, `["abc"…(12 B)`},
		{"cut-object", "", `{"a":1,"b":2}`, 7, `{"a":1,…(13 B)`},
	} {
		t.Run("name="+c.name, func(t *testing.T) {
			enc, err := records.ParseValue(nil, []byte(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(AppendValue(nil, records.RawValue(enc), c.max)); got != c.want {
				t.Errorf("%s: got %s, want %s", c.why, got, c.want)
			}
		})
	}
	if got := string(AppendValue(nil, records.Value{}, 0)); got != "-" {
		t.Errorf("absent: got %s", got)
	}
	if got := string(AppendValue(nil, records.RawValue(records.AppendMasked(nil, "x")), 0)); got != `"[masked]"` {
		t.Errorf("masked: got %s", got)
	}
}

func TestDiffers(t *testing.T) {
	for _, c := range []struct{ name, why, a, b, want string }{
		{"composed", "the spec's example", "café", "cafe\u0301", "differs at 3: U+00E9 / U+0065 U+0301"},
		{"order", "marks in another order", "e\u0301\u0323", "e\u0323\u0301", "differs at 0: U+0065 U+0301 U+0323 / U+0065 U+0323 U+0301"},
		{"cyrillic", "letters of two alphabets", "paypal", "p\u0430ypal", "differs at 1: U+0061 / U+0430"},
		{"hangul", "syllables and jamo", "가나", "\u1100\u1161나", "differs at 0: U+AC00 / U+1100 U+1161"},
		{"dash", "", "a-b", "a\u2011b", "differs at 1: U+002D / U+2011"},
		{"quote", "", "don't", "don’t", "differs at 3: U+0027 / U+2019"},
		{"l", "", "l0", "1O", "differs at 0: U+006C / U+0031"},
		{"ohm", "", "\u2126", "\u03a9", "differs at 0: U+2126 / U+03A9"},
		{"compat", "", "\uf900", "\u8c48", "differs at 0: U+F900 / U+8C48"},
		{"kana", "a voiced mark apart", "が", "か\u3099", "differs at 0: U+304C / U+304B U+3099"},
		{"plain", "plainly different", "open", "completed", ""},
		{"accent", "an accent more is seen", "cafe", "café", ""},
		{"case", "", "a", "A", ""},
		{"han", "different ideographs are seen", "完", "未", ""},
		{"escaped", "the escape shows", "ab", "a\u200bb", ""},
		{"nbsp", "", "a b", "a\u00a0b", ""},
		{"equal", "", "a", "a", ""},
		{"longer", "", "a", "aa", ""},
		{"ill-formed", "bytes show by their escapes", "\xff", "\xfe", ""},
	} {
		t.Run("name="+c.name, func(t *testing.T) {
			if got := Differs(c.a, c.b); got != c.want {
				t.Errorf("%s: got %q, want %q", c.why, got, c.want)
			}
			if ab, ba := Differs(c.a, c.b) == "", Differs(c.b, c.a) == ""; ab != ba {
				t.Error("depends on the order of its arguments")
			}
		})
	}
	for _, c := range []struct{ a, b, want string }{
		{strings.Repeat("a", 10000), strings.Repeat("a", 9999) + "b", "differs at 9999: U+0061 / U+0062"},
		{"a", "ab", "differs at 1: end / U+0062"},
		{"a\xff", "a\xfe", `differs at 1: \xff / \xfe`},
		{"ae\u0301", "ae\u0300", "differs at 1: U+0065 U+0301 / U+0065 U+0300"},
		{"x", "x", ""},
	} {
		if got := FirstDifference(c.a, c.b); got != c.want {
			t.Errorf("FirstDifference = %q, want %q", got, c.want)
		}
	}
}

// checkText holds the laws of one text.
func checkText(t *testing.T, s string) {
	t.Helper()
	out := string(Append(nil, s))
	checkPrintable(t, out)
	if back := read(t, out); back != s {
		t.Fatalf("Append(%q) = %s, which reads as %q", s, out, back)
	}
	quoted := string(AppendQuoted(nil, s, 0))
	if back := read(t, quoted); quoted[0] != '"' || back != s {
		t.Fatalf("AppendQuoted(%q) = %s, which reads as %q", s, quoted, back)
	}
	for _, limit := range []int{1, 2, 5, 12, 80} {
		cut := string(AppendClipped(nil, s, limit))
		checkPrintable(t, cut)
		if len(cut) > 6*limit+30 {
			t.Fatalf("AppendClipped(%q, %d) has %d bytes", s, limit, len(cut))
		}
		shown, mark, isCut := strings.Cut(cut, "…(")
		if q, ok := strings.CutPrefix(cut, `"`); ok { // the mark is what follows the closing quote
			end := closing(q) + 2
			shown, mark, isCut = cut[:end], strings.TrimPrefix(cut[end:], "…("), end < len(cut)
		}
		back := read(t, shown)
		switch {
		case !strings.HasPrefix(s, back) || len(back) > limit:
			t.Fatalf("AppendClipped(%q, %d) = %s is no beginning", s, limit, cut)
		case isCut != (len(s) > limit):
			t.Fatalf("AppendClipped(%q, %d) = %s", s, limit, cut)
		case isCut && mark != strconv.Itoa(len(s))+" B)":
			t.Fatalf("AppendClipped(%q, %d) = %s has a wrong mark", s, limit, cut)
		case utf8.ValidString(s) && !utf8.ValidString(back):
			t.Fatalf("AppendClipped(%q, %d) = %s cuts a code point", s, limit, cut)
		}
	}
}

func checkPrintable(t *testing.T, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q is not UTF-8", out)
	}
	prev := rune(0)
	for _, r := range out {
		if r != ' ' && !unicode.IsGraphic(r) || r >= 0x80 && records.Hidden(r) || r != ' ' && unicode.IsSpace(r) || unicode.Is(unicode.C, r) {
			t.Fatalf("%q has %U", out, r)
		}
		if unicode.Is(unicode.M, r) && (prev == '"' || prev == 0) {
			t.Fatalf("%q has a mark on a quote", out)
		}
		prev = r
	}
}

// closing returns the index of the quote that ends s.
func closing(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

// read undoes Append, for the inputs that it can tell apart.
func read(t *testing.T, out string) string {
	t.Helper()
	if out == "" || out[0] != '"' {
		if out == "" || Reserved(out) || strings.ContainsAny(out, " \"…|,(){}[]=") {
			t.Fatalf("%q is bare", out)
		}
		return out
	}
	if closing(out[1:]) != len(out)-2 {
		t.Fatalf("%s does not end at its quote", out)
	}
	var s []byte
	in := out[1 : len(out)-1]
	hex := func(i, n int) rune {
		u, err := strconv.ParseUint(in[i:i+n], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return rune(u)
	}
	for i := 0; i < len(in); {
		if in[i] != '\\' {
			s = append(s, in[i])
			i++
			continue
		}
		switch c := in[i+1]; c {
		case 'x':
			s = append(s, byte(hex(i+2, 2)))
			i += 4
		case 'u':
			r := hex(i+2, 4)
			i += 6
			if 0xD800 <= r && r < 0xE000 {
				if r < 0xDC00 && strings.HasPrefix(in[i:], `\ud`) && hex(i+2, 4) >= 0xDC00 {
					r = 0x10000 + (r-0xD800)<<10 + hex(i+2, 4) - 0xDC00
					i += 6
				} else {
					s = append(s, 0xF5, 0x80|byte((r-0xD800)>>6), 0x80|byte(r&0x3F))
					continue
				}
			}
			s = utf8.AppendRune(s, r)
		default:
			s = append(s, map[byte]byte{'"': '"', '\\': '\\', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[c])
			i += 2
		}
	}
	return string(s)
}

// FuzzAppend holds that output is printable, is one line, and reads back as the
// input, so that no two texts are written alike.
func FuzzAppend(f *testing.F) {
	for _, c := range appendCases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

// FuzzAppendValue holds that values stay printable, bounded and apart.
func FuzzAppendValue(f *testing.F) {
	for _, s := range []string{`1`, `"1"`, `[1,"a\u202e",{"b":null}]`, `{"a":["\ud800","\ue000",{}],"b":1e400}`, `[[[[]]]]`, "[\"\xff\"]"} {
		f.Add([]byte(s), 7)
	}
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		enc, err := records.ParseValue(nil, text)
		if err != nil {
			return
		}
		v := records.RawValue(enc)
		if n, want := JSONLen(v), len(records.AppendJSON(nil, v)); n != want {
			t.Fatalf("JSONLen(%s) = %d, want %d", v, n, want)
		}
		whole := string(AppendValue(nil, v, 0))
		checkPrintable(t, whole)
		limit = 1 + int(uint(limit)%100)
		cut := string(AppendValue(nil, v, limit))
		checkPrintable(t, cut)
		if len(cut) > 6*limit+90 {
			t.Fatalf("AppendValue(%s, %d) has %d bytes: %s", v, limit, len(cut), cut)
		}
		if strings.HasSuffix(whole, " B)") {
			t.Fatalf("%s looks cut", whole)
		}
		if cut != whole && !strings.HasSuffix(cut, " B)") {
			t.Fatalf("AppendValue(%s, %d) = %s does not say that it is cut", v, limit, cut)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ name, in string }{
		{"word", "toggle@t1"}, {"ascii", "Review the launch checklist"}, {"han", "把所有未完成待办标记为已完成"},
	} {
		b.Run("text="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.in)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = Append(dst[:0], c.in)
			}
		})
	}
}
