package records

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// This file reads JSON strings.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainEnd returns the index of the first byte at or after i that a string
// cannot hold as it is and be ASCII: a control character, '"', '\\', or a byte
// from 0x80 on; len(b) if there is none. It looks at eight bytes at a time: a
// subtraction borrows into the high bit exactly where a byte is small or zero,
// and false positives lie only above a true one.
func plainEnd(b []byte, i int) int {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		q, e := x^('"'*ones), x^('\\'*ones)
		if m := ((x - ' '*ones) | (q - ones) | (e - ones) | x) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

// Text reads a string and returns its text as it is held. The text aliases the
// input or scratch memory and is valid until the next call of a method.
func (s *Scanner) Text() ([]byte, error) {
	if s.Peek() != '"' {
		return nil, s.unexpected("a string")
	}
	b := s.data
	start := s.pos + 1
	i := start
	for {
		i = plainEnd(b, i)
		if i >= len(b) {
			s.pos = len(b)
			return nil, s.unexpected("the end of a string")
		}
		if b[i] == '"' {
			s.pos = i + 1
			return b[start:i], nil
		}
		if b[i] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return s.slowText(start, i)
}

// slowText is Text from the first escape or ill-formed byte, at i, on.
func (s *Scanner) slowText(start, i int) ([]byte, error) {
	b := s.data
	out := append(s.scratch[:0], b[start:i]...)
	for {
		j := plainEnd(b, i)
		out = append(out, b[i:j]...)
		i = j
		if i >= len(b) {
			s.pos = len(b)
			return nil, s.unexpected("the end of a string")
		}
		switch c := b[i]; {
		case c == '"':
			s.pos = i + 1
			s.scratch = out
			return out, nil
		case c < ' ':
			return nil, s.failAt(i, ErrSyntax, fmt.Sprintf("raw control character 0x%02x in a string", c))
		case c == '\\':
			var err *PosError
			if out, i, err = s.escape(out, i); err != nil {
				return nil, err
			}
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				s.repaired = true
				if c == surrogateLead {
					out = append(out, c)
				}
			}
			out = append(out, b[i:i+n]...)
			i += n
		}
	}
}

// escape appends what the escape at data[i] stands for.
func (s *Scanner) escape(out []byte, i int) ([]byte, int, *PosError) {
	b := s.data
	if i+1 >= len(b) {
		s.pos = len(b)
		return nil, 0, s.unexpected("an escape")
	}
	switch c := b[i+1]; c {
	case '"', '\\', '/':
		return append(out, c), i + 2, nil
	case 'b':
		return append(out, '\b'), i + 2, nil
	case 'f':
		return append(out, '\f'), i + 2, nil
	case 'n':
		return append(out, '\n'), i + 2, nil
	case 'r':
		return append(out, '\r'), i + 2, nil
	case 't':
		return append(out, '\t'), i + 2, nil
	case 'u':
		r, ok := hex4(b, i+2)
		if !ok {
			return nil, 0, s.failAt(i, ErrSyntax, "invalid \\u escape")
		}
		i += 6
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), i, nil
		}
		if i+1 < len(b) && b[i] == '\\' && b[i+1] == 'u' {
			if low, ok := hex4(b, i+2); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return utf8.AppendRune(out, pair), i + 6, nil
				}
			}
		}
		s.repaired = true
		return appendSurrogate(out, r), i, nil
	}
	return nil, 0, s.failAt(i, ErrSyntax, "invalid escape "+quoteByte(b[i+1:]))
}

func hex4(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
