package records

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// surrogateLead starts the three-byte form of a lone surrogate; see doc.go.
const surrogateLead = 0xF5

// appendSurrogate appends the held form of the lone surrogate r.
func appendSurrogate(dst []byte, r rune) []byte {
	off := r - 0xD800
	return append(dst, surrogateLead, 0x80|byte(off>>6), 0x80|byte(off&0x3F))
}

// illFormed returns the length of the ill-formed part at the start of s, which
// must start with one: the bytes that one U+FFFD stands for.
func illFormed[T string | []byte](s T) int {
	c := s[0]
	if c == surrogateLead && len(s) > 1 {
		if s[1] == surrogateLead {
			return 2
		}
		if len(s) > 2 && s[1]&0xE0 == 0x80 && s[2]&0xC0 == 0x80 {
			return 3
		}
		return 1
	}
	// The maximal subpart: as many bytes as could start a well-formed sequence.
	lo, hi, more := byte(0x80), byte(0xBF), 0
	switch {
	case 0xC2 <= c && c <= 0xDF:
		more = 1
	case c == 0xE0:
		lo, more = 0xA0, 2
	case c == 0xED:
		hi, more = 0x9F, 2
	case 0xE1 <= c && c <= 0xEF:
		more = 2
	case c == 0xF0:
		lo, more = 0x90, 3
	case c == 0xF4:
		hi, more = 0x8F, 3
	case 0xF1 <= c && c <= 0xF3:
		more = 3
	}
	n := 1
	for ; more > 0 && n < len(s) && lo <= s[n] && s[n] <= hi; more-- {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// ASCII reports whether b holds nothing but ASCII.
func ASCII(b []byte) bool {
	for len(b) >= 32 {
		x := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if x&highs != 0 {
			return false
		}
		b = b[32:]
	}
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&highs != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Intact reports whether s is valid UTF-8, so that writing it repairs nothing.
func Intact[T string | []byte](s T) bool {
	// Most text is ASCII: eight bytes at a time is several times faster than
	// calling utf8.Valid for the short strings that fields hold.
	i := 0
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return validTail(s[i:])
		}
	}
	return true
}

func validTail[T string | []byte](s T) bool {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := decodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

func decodeRune[T string | []byte](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}

// AppendText appends s to dst as valid UTF-8, each ill-formed part replaced by
// one U+FFFD.
func AppendText[T string | []byte](dst []byte, s T) []byte {
	if Intact(s) {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			dst = append(dst, s[i])
			i++
			continue
		}
		r, n := decodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, "\uFFFD"...)
			i += illFormed(s[i:])
			continue
		}
		dst = append(dst, s[i:i+n]...)
		i += n
	}
	return dst
}

// Text returns s as valid UTF-8, as [AppendText] does. It allocates only if
// something is repaired.
func Text(s string) string {
	if Intact(s) {
		return s
	}
	return string(AppendText(nil, s))
}

// DistinctTexts returns distinct held names as distinct valid UTF-8: each as
// [Text] has it, but where that is another name too with "#2" behind it, or the
// next number that is free. It returns names itself if nothing is repaired. Its
// cost is linear in the names.
func DistinctTexts(names []string) []string {
	intact := 0
	for _, name := range names {
		if Intact(name) {
			intact++
		}
	}
	if intact == len(names) {
		return names
	}
	taken := make(map[string]int, len(names))
	for _, name := range names {
		if Intact(name) {
			taken[name] = 1
		}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = Text(name)
		if Intact(name) {
			continue
		}
		base := out[i]
		for n := taken[base] + 1; taken[out[i]] > 0; n++ {
			out[i] = base + "#" + strconv.Itoa(n)
			taken[base] = n
		}
		taken[out[i]] = max(taken[out[i]], 1)
	}
	return out
}

// AppendQuoted appends s to dst as a JSON string in the project's one spelling:
// \" \\ \b \f \n \r \t where they exist; other control characters, bidi and
// zero-width controls, line and paragraph separators and tag characters as
// \uXXXX in lower case; everything else as repaired UTF-8. / < > & are not
// escaped.
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && c != 0x7F {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = AppendEscape(dst, rune(c))
			i++
			start = i
			continue
		}
		r, n := decodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i += illFormed(s[i:])
			start = i
			continue
		}
		if Hidden(r) {
			dst = append(dst, s[start:i]...)
			dst = AppendEscape(dst, r)
			i += n
			start = i
			continue
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// AppendEscape appends r as JSON escapes it: the short form if it has one, else \uXXXX,
// of which characters above U+FFFF take two and a surrogate one.
func AppendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if r > 0xFFFF {
		r -= 0x10000
		dst = AppendEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// Hidden reports whether r, which must be U+0080 or above, is never written as
// it is: C1 controls, bidi and zero-width controls, line and paragraph
// separators, and tag characters. They can reorder, hide or end what a reader
// sees around them.
func Hidden(r rune) bool {
	switch {
	case r < 0xA0:
		return true
	case r == 0x061C, r == 0x180E,
		0x200B <= r && r <= 0x200F,
		0x2028 <= r && r <= 0x202E,
		0x2060 <= r && r <= 0x206F,
		r == 0xFEFF,
		0xE0000 <= r && r <= 0xE007F:
		return true
	}
	return false
}
