package safetext

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Differs tells where a and b first differ if they are different and yet would
// look alike when shown: "differs at 3: U+00E9 / U+0065 U+0301". Otherwise it
// returns "".
//
// Alike are letters with their marks composed and apart, letters of different
// alphabets in the same place, dashes, quotation marks, full-width and ASCII
// forms, compatibility ideographs, and 1 I l |, 0 O. The rule is meant to miss
// little; that it also reports letters of two alphabets which a reader could
// tell apart does no harm. It uses no tables beyond those of package unicode.
//
// Texts of which only equal beginnings are shown look alike too: callers that
// cut ask [FirstDifference].
func Differs(a, b string) string {
	if a == b || !alike(a, b) {
		return ""
	}
	return FirstDifference(a, b)
}

// FirstDifference tells where a and b first differ, by code points from 0, with
// the code points there: a base and its marks. It returns "" if they are equal.
func FirstDifference(a, b string) string {
	if a == b {
		return ""
	}
	i, at := 0, 0
	starts := [maxMarks + 1]int{} // of the last code points
	for i < len(a) && i < len(b) {
		ra, n := decode(a, i)
		rb, m := decode(b, i)
		if ra != rb || n != m || a[i:i+n] != b[i:i+n] {
			break
		}
		starts[at%len(starts)] = i
		i += n
		at++
	}
	for back := 0; back < maxMarks && at > 0 && (extends(a, i) || extends(b, i)); back++ {
		at--
		i = starts[at%len(starts)]
	}
	dst := append([]byte("differs at "), strconv.Itoa(at)...)
	dst = appendUnits(append(dst, ": "...), a[i:])
	dst = appendUnits(append(dst, " / "...), b[i:])
	return string(dst)
}

// extends reports whether the code point at s[i:] belongs to one before it.
func extends(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := decode(s, i)
	return attaches(r)
}

// attaches reports whether r is a mark, or a vowel or final of a Hangul syllable.
func attaches(r rune) bool { return unicode.Is(unicode.M, r) || 0x1160 <= r && r <= 0x11FF }

// appendUnits appends the code points of the base that starts s and its marks.
func appendUnits(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "end"...)
	}
	for i, shown := 0, 0; i < len(s) && shown <= maxMarks; shown++ {
		if shown > 0 {
			if !extends(s, i) {
				break
			}
			dst = append(dst, ' ')
		}
		r, n := decode(s, i)
		if r == utf8.RuneError && n == 1 {
			return appendByte(dst, s[i])
		}
		hex := strconv.FormatInt(int64(r), 16)
		dst = append(dst, "U+"...)
		for range 4 - len(hex) {
			dst = append(dst, '0')
		}
		for _, c := range []byte(hex) {
			if c >= 'a' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
		}
		i += n
	}
	return dst
}

// A sign is what a reader takes for one: a base and what attaches to it.
type sign struct {
	base  rune
	marks []rune // sorted
}

// next takes the first sign of s, using marks as its memory.
func next(s string, marks []rune) (g sign, rest string) {
	r, n := decode(s, 0)
	if r == utf8.RuneError && n == 1 {
		return sign{base: -1 - rune(s[0])}, s[1:]
	}
	g.base, g.marks = r, marks[:0]
	if 0xAC00 <= r && r < 0xAC00+11172 { // a Hangul syllable is made of jamo
		r -= 0xAC00
		g.base = 0x1100 + r/588
		g.marks = append(g.marks, 0x1161+r%588/28)
		if t := r % 28; t > 0 {
			g.marks = append(g.marks, 0x11A7+t)
		}
	}
	for s = s[n:]; s != ""; s = s[n:] {
		if r, n = decode(s, 0); !attaches(r) {
			break
		}
		g.marks = append(g.marks, r)
	}
	slices.Sort(g.marks)
	return g, s
}

func alike(a, b string) bool {
	var ma, mb []rune
	for a != "" && b != "" {
		var ga, gb sign
		ga, a = next(a, ma)
		gb, b = next(b, mb)
		if !ga.alike(gb) {
			return false
		}
		ma, mb = ga.marks, gb.marks
	}
	return a == "" && b == ""
}

func (g sign) alike(h sign) bool {
	if g.base == h.base {
		return slices.Equal(g.marks, h.marks)
	}
	if shown(g.base) || shown(h.base) {
		return false
	}
	if fold(g.base) == fold(h.base) {
		return slices.Equal(g.marks, h.marks)
	}
	if g.base < utf8.RuneSelf && h.base < utf8.RuneSelf {
		return false
	}
	if compatHan(g.base) != compatHan(h.base) {
		return unicode.Is(unicode.Han, g.base) && unicode.Is(unicode.Han, h.base)
	}
	sg, sh := alphabet(g.base), alphabet(h.base)
	if sg == nil || sh == nil {
		// Scripts we do not tell apart: composed against decomposed.
		return sg == sh && unicode.IsLetter(g.base) && unicode.IsLetter(h.base) && len(g.marks) != len(h.marks)
	}
	return sg != sh || len(g.marks) != len(h.marks)
}

// shown reports whether what r is shows by its escape.
func shown(r rune) bool {
	return r < 0x20 || r == 0x7F || r >= utf8.RuneSelf && invisible(r)
}

// fold maps signs that look alike to one of them.
func fold(r rune) rune {
	switch {
	case r == 'I', r == '1', r == '|':
		return 'l'
	case r == '0':
		return 'O'
	case r < utf8.RuneSelf:
		return r
	case 0xFF01 <= r && r <= 0xFF5E:
		return fold(r - 0xFEE0)
	case r == 0x212A:
		return 'K'
	case r == 0x212B:
		return 0xC5
	case r == 0x2126:
		return 0x3A9
	case r == 0x2212, unicode.Is(unicode.Dash, r):
		return '-'
	case r == 0xB4, r == 0x2B9, r == 0x2BC, 0x2018 <= r && r <= 0x201B, r == 0x2032:
		return '\''
	case 0x201C <= r && r <= 0x201F, r == 0x2033:
		return '"'
	}
	return r
}

func compatHan(r rune) bool {
	return 0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
}

// alphabet returns the alphabet of a letter whose letters are taken for those
// of others, nil for all else.
func alphabet(r rune) *unicode.RangeTable {
	if !unicode.IsLetter(r) {
		return nil
	}
	for _, t := range [...]*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek,
		unicode.Armenian, unicode.Cherokee, unicode.Coptic} {
		if unicode.Is(t, r) {
			return t
		}
	}
	return nil
}
