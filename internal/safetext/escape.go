package safetext

import (
	"unicode"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

const hexDigits = "0123456789abcdef"

// maxMarks is how many combining marks stay raw on one base. Written languages
// need up to six or so; stacks made to overflow lines are far higher.
const maxMarks = 8

// decode returns the code point at s[i:], RuneError and 1 if it is ill-formed.
func decode[T string | []byte](s T, i int) (rune, int) {
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
}

// decodeLast returns the code point that ends s[:i].
func decodeLast[T string | []byte](s T, i int) (rune, int) {
	if s[i-1] < utf8.RuneSelf {
		return rune(s[i-1]), 1
	}
	return utf8.DecodeLastRuneInString(string(s[max(0, i-utf8.UTFMax):i]))
}

// appendEscaped appends s as it stands inside quotes.
func appendEscaped[T string | []byte](dst []byte, s T) []byte {
	start := 0          // of what is not appended yet
	prev := rune(-1)    // last code point, if it is raw
	marks := 0          // raw marks at the end
	highSurrogate := -1 // end of the last held high surrogate
	flush := func(i int) { dst = append(dst, s[start:i]...) }
	for i := 0; i < len(s); {
		c := s[i]
		if 0x20 <= c && c < 0x7F && c != '"' && c != '\\' {
			prev, marks = rune(c), 0
			i++
			continue
		}
		if c < utf8.RuneSelf {
			flush(i)
			dst = records.AppendEscape(dst, rune(c))
			i++
			start, prev = i, -1
			continue
		}
		r, n := decode(s, i)
		if r == utf8.RuneError && n == 1 {
			flush(i)
			sur, ok := heldSurrogate(s, i)
			switch {
			case ok && (sur < 0xDC00 || highSurrogate != i):
				dst = records.AppendEscape(dst, sur)
				n = 3
				if sur < 0xDC00 {
					highSurrogate = i + n
				}
			case ok: // after a high one it would read as a pair
				for n = range 3 {
					dst = appendByte(dst, s[i+n])
				}
				n = 3
			default:
				dst = appendByte(dst, c)
			}
			i += n
			start, prev = i, -1
			continue
		}
		raw := false
		switch {
		case r == 0xFE0F:
			raw = prev >= utf8.RuneSelf && unicode.Is(unicode.So, prev)
			marks = 0
		case invisible(r):
		case unicode.Is(unicode.M, r):
			marks++
			raw = prev >= 0 && marks <= maxMarks
		default:
			raw, marks = true, 0
		}
		if raw {
			prev = r
		} else {
			flush(i)
			dst = records.AppendEscape(dst, r)
			start, prev = i+n, -1
		}
		i += n
	}
	flush(len(s))
	return dst
}

// heldSurrogate returns the lone surrogate held at s[i:]; see package records.
func heldSurrogate[T string | []byte](s T, i int) (rune, bool) {
	if len(s)-i >= 3 && s[i] == 0xF5 && s[i+1]&0xE0 == 0x80 && s[i+2]&0xC0 == 0x80 {
		return 0xD800 + rune(s[i+1]&0x1F)<<6 + rune(s[i+2]&0x3F), true
	}
	return 0, false
}

// invisible reports whether r, which is not ASCII, shows nothing of itself or
// changes how its neighbours show.
func invisible(r rune) bool {
	return records.Hidden(r) || !unicode.IsPrint(r) ||
		r == 0x2800 || r == 0x1D159 || r == 0x034F || // blank pattern, null notehead, grapheme joiner
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

func appendByte(dst []byte, c byte) []byte {
	return append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
}
