package records_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

const fffd = "\uFFFD"

// texts are texts as held, as repaired, and as quoted.
var texts = []struct{ name, why, in, text, quoted string }{
	{"empty", "", "", "", `""`},
	{"ascii", "", "Buy milk", "Buy milk", `"Buy milk"`},
	{"not escaped", "", "/<>&'", "/<>&'", `"/<>&'"`},
	{"short escapes", "", "\"\\\b\f\n\r\t", "\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
	{"control characters", "lower case", "\x00\x1b\x1f\x7f", "\x00\x1b\x1f\x7f", `"\u0000\u001b\u001f\u007f"`},
	{"other scripts", "raw", "日本 é e\u0301 😀", "日本 é e\u0301 😀", `"日本 é ` + "e\u0301" + ` 😀"`},
	{"no-break space", "U+00A0 is the first not escaped", "\u009f\u00a0", "\u009f\u00a0", "\"\\u009f\u00a0\""},
	{"between plain text", "", "a\nb\u202ec", "a\nb\u202ec", `"a\nb\u202ec"`},
	{"tag character", "a surrogate pair", "x\U000E0041", "x\U000E0041", `"x\udb40\udc41"`},
	{"emoji sequence", "the joiner is hidden", "👩\u200d🚀", "👩\u200d🚀", `"👩\u200d🚀"`},
	{"highest character", "", "\U0010FFFF", "\U0010FFFF", "\"\U0010FFFF\""},
	{"replacement character", "is text like any other", fffd, fffd, `"` + fffd + `"`},

	// Unicode 15, section 3.9.
	{"table 3-8", "non-shortest forms", "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", strings.Repeat(fffd, 8) + "A", `"` + strings.Repeat(fffd, 8) + `A"`},
	{"table 3-9", "surrogates as bytes", "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", strings.Repeat(fffd, 8) + "A", `"` + strings.Repeat(fffd, 8) + `A"`},
	{"table 3-10", "other ill-formed sequences", "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", strings.Repeat(fffd, 5) + "A" + fffd + fffd + "B", `"` + strings.Repeat(fffd, 5) + "A" + fffd + fffd + `B"`},
	{"table 3-11", "truncated sequences", "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", strings.Repeat(fffd, 4) + "A", `"` + strings.Repeat(fffd, 4) + `A"`},
	{"truncated at the end", "", "a\xF0\x9F\x98", "a" + fffd, `"a` + fffd + `"`},
	{"truncated before a character", "", "\xE2\x82é", fffd + "é", `"` + fffd + `é"`},
	{"lone continuation", "", "\x80", fffd, `"` + fffd + `"`},
	{"ill-formed between hidden", "", "\u200b\xff\u200b", "\u200b" + fffd + "\u200b", `"\u200b` + fffd + `\u200b"`},
	{"two-byte bounds", "C1 starts nothing, C2 does", "\xC1\x80\xC2\x80", fffd + fffd + "\u0080", `"` + fffd + fffd + `\u0080"`},
	{"E0 bounds", "", "\xE0\x9F\xE0\xA0", strings.Repeat(fffd, 3), `"` + strings.Repeat(fffd, 3) + `"`},
	{"F0 bounds", "", "\xF0\x8F\x80\xF0\x90\x80", strings.Repeat(fffd, 4), `"` + strings.Repeat(fffd, 4) + `"`},
	{"F4 bounds", "", "\xF4\x90\xF4\x8F\xBF", strings.Repeat(fffd, 3), `"` + strings.Repeat(fffd, 3) + `"`},

	// Held forms.
	{"lone surrogate", "one U+FFFD for three bytes", "a\xF5\x80\x80b", "a" + fffd + "b", `"a` + fffd + `b"`},
	{"last surrogate", "", "\xF5\x9F\xBF", fffd, `"` + fffd + `"`},
	{"two lone surrogates", "", "\xF5\x80\x80\xF5\x90\x80", fffd + fffd, `"` + fffd + fffd + `"`},
	{"F5 as read", "two bytes are held for one", "\xF5\xF5", fffd, `"` + fffd + `"`},
	{"F5 as read, then continuations", "", "\xF5\xF5\x80\x80", strings.Repeat(fffd, 3), `"` + strings.Repeat(fffd, 3) + `"`},
	{"F5 alone", "", "\xF5", fffd, `"` + fffd + `"`},
	{"F5 and text", "", "\xF5a", fffd + "a", `"` + fffd + `a"`},
	{"F5 and one continuation", "", "\xF5\x80", fffd + fffd, `"` + fffd + fffd + `"`},
	{"F5 beyond the surrogates", "", "\xF5\xA0\x80", strings.Repeat(fffd, 3), `"` + strings.Repeat(fffd, 3) + `"`},
}

func TestTexts(t *testing.T) {
	for _, test := range texts {
		t.Run(test.name, func(t *testing.T) {
			if got := string(records.AppendText([]byte("x"), test.in)); got != "x"+test.text {
				t.Errorf("AppendText: %+q, want %+q (%s)", got, "x"+test.text, test.why)
			}
			if got := records.Text(test.in); got != test.text {
				t.Errorf("Text: %+q, want %+q (%s)", got, test.text, test.why)
			}
			if got := string(records.AppendQuoted([]byte("x"), test.in)); got != "x"+test.quoted {
				t.Errorf("AppendQuoted: %+q, want %+q (%s)", got, "x"+test.quoted, test.why)
			}
			checkText(t, test.in)
		})
	}
}

// checkText checks the laws of text on s.
func checkText(t *testing.T, s string) {
	text, quoted := records.Text(s), records.AppendQuoted(nil, s)
	if intact := utf8.ValidString(s); records.Intact(s) != intact || records.Intact([]byte(s)) != intact || intact && text != s {
		t.Errorf("%+q: intact is %v, text %+q", s, records.Intact(s), text)
	}
	if !utf8.ValidString(text) || records.Text(text) != text {
		t.Errorf("%+q: text %+q needs repair", s, text)
	}
	if want := naiveText(s); text != want {
		t.Errorf("%+q: text %+q, the naive decision is %+q", s, text, want)
	}
	if got := string(records.AppendText(nil, []byte(s))); got != text {
		t.Errorf("%+q: from bytes %+q, from a string %+q", s, got, text)
	}
	if got := records.AppendQuoted(nil, []byte(s)); string(got) != string(quoted) {
		t.Errorf("%+q: quoted from bytes %+q, from a string %+q", s, got, quoted)
	}
	var decoded string
	if err := json.Unmarshal(quoted, &decoded); err != nil || decoded != text {
		t.Errorf("%+q: quoted %+q decodes to %+q, %v, want %+q", s, quoted, decoded, err, text)
	}
	if !utf8.Valid(quoted) {
		t.Errorf("%+q: quoted %+q is not UTF-8", s, quoted)
	}
	for _, r := range string(quoted) {
		if naiveHidden(r) {
			t.Errorf("%+q: quoted %+q shows %U raw", s, quoted, r)
		}
	}
	for _, free := range []string{`\/`, `\u003c`, `\u003e`, `\u0026`, `\u0022`, `\u005c`} {
		if strings.Contains(strings.ReplaceAll(string(quoted), `\\`, ""), free) {
			t.Errorf("%+q: quoted %+q escapes needlessly", s, quoted)
		}
	}
	if enc, err := records.ParseValue(nil, quoted); err != nil || string(records.RawValue(enc).Text()) != text {
		t.Errorf("%+q: quoted %+q is read as %x, %v", s, quoted, enc, err)
	}
}

// hiddenRanges are the characters that are always escaped, from the contract.
var hiddenRanges = [][2]rune{
	{0, 0x1F}, {0x7F, 0x9F}, {0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F},
}

func naiveHidden(r rune) bool {
	for _, x := range hiddenRanges {
		if x[0] <= r && r <= x[1] {
			return true
		}
	}
	return false
}

func TestHidden(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if records.Hidden(r) != naiveHidden(r) {
			t.Fatalf("Hidden(%U) is %v", r, !naiveHidden(r))
		}
	}
	for _, x := range hiddenRanges {
		for _, r := range []rune{x[0] - 1, x[0], x[1], x[1] + 1} {
			if r < 0 || 0x20 <= r && r < 0x7F {
				continue
			}
			got := string(records.AppendQuoted(nil, string(r)))
			if escaped := strings.HasPrefix(got, `"\`); escaped != naiveHidden(r) {
				t.Errorf("%U is quoted as %+q", r, got)
			}
		}
	}
}

// naiveText repairs s by trying: an ill-formed part is as long as the longest
// prefix that some bytes complete to a character.
func naiveText(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n > 1 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n := 1
		switch {
		case strings.HasPrefix(s, "\xF5\xF5"):
			n = 2
		case len(s) >= 3 && s[0] == 0xF5 && 0x80 <= s[1] && s[1] <= 0x9F && 0x80 <= s[2] && s[2] <= 0xBF:
			n = 3
		default:
			for n < len(s) && completable(s[:n+1]) {
				n++
			}
		}
		b.WriteString(fffd)
		s = s[n:]
	}
	return b.String()
}

// completions holds what completable found out.
var completions sync.Map

// completable reports whether one character's encoding starts with prefix.
func completable(prefix string) bool {
	if known, ok := completions.Load(prefix); ok {
		return known.(bool)
	}
	is := utf8.ValidString(prefix) && utf8.RuneCountInString(prefix) == 1
	for _, c := range []byte{0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF} {
		is = is || len(prefix) < 4 && completable(prefix+string([]byte{c}))
	}
	completions.Store(strings.Clone(prefix), is)
	return is
}

// TestAllShortTexts compares with the naive decision over every text of up to
// four bytes that start, continue or end sequences.
func TestAllShortTexts(t *testing.T) {
	bytes := []byte{'a', 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF}
	var try func(s string)
	try = func(s string) {
		if got, want := records.Text(s), naiveText(s); got != want {
			t.Fatalf("%+q: text %+q, the naive decision is %+q", s, got, want)
		}
		if len(s) == 4 {
			return
		}
		for _, c := range bytes {
			try(s + string([]byte{c}))
		}
	}
	try("")
}

func TestDistinctTexts(t *testing.T) {
	for _, test := range []struct {
		name, why string
		in, want  []string
	}{
		{"none", "", nil, nil},
		{"intact", "", []string{"a", "b"}, []string{"a", "b"}},
		{"repaired", "", []string{"\xff", "a"}, []string{fffd, "a"}},
		{"alike after repair", "", []string{"\xfe", "\xff", "\xfd"}, []string{fffd, fffd + "#2", fffd + "#3"}},
		{"alike a real name", "the real one keeps its name", []string{"\xff", fffd}, []string{fffd + "#2", fffd}},
		{"the number is taken", "", []string{"\xff", fffd, fffd + "#2"}, []string{fffd + "#3", fffd, fffd + "#2"}},
		{"the number is made", "", []string{"\xfe", "\xff", "\xff#2"}, []string{fffd, fffd + "#2", fffd + "#2#2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := records.DistinctTexts(test.in); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+q, want %+q (%s)", got, test.want, test.why)
			}
		})
	}
}

// TestRepairedNames: two names that look alike after repair stay two members.
func TestRepairedNames(t *testing.T) {
	v := parse(t, `{"\ud800":1,"\ud801":2,"\ufffd":3}`)
	var m map[string]int
	if err := json.Unmarshal([]byte(v.String()), &m); err != nil || len(m) != 3 || v.Len() != 3 || m[fffd] != 3 {
		t.Errorf("%s: %v, %v", v, m, err)
	}
}

func TestAppendPointer(t *testing.T) {
	for _, test := range []struct{ token, want string }{
		{"", "/"}, {"a", "/a"}, {"a/b~c", "/a~1b~0c"}, {"~1", "/~01"}, {"\xff", "/" + fffd}, {"日", "/日"},
	} {
		if got := string(records.AppendPointer([]byte("/x"), test.token)); got != "/x"+test.want {
			t.Errorf("%q: %q", test.token, got)
		}
	}
}

func FuzzQuoted(f *testing.F) {
	for _, x := range texts {
		f.Add(x.in)
	}
	for _, x := range hiddenRanges {
		f.Add(fmt.Sprintf("%c%c%c%c", max(0, x[0]-1), x[0], x[1], x[1]+1))
	}
	f.Fuzz(checkText)
}
