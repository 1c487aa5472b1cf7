package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
)

// ErrNumber reports text that is no JSON number.
var ErrNumber = errors.New("invalid number")

// maxPlainDigits is the longest canonical spelling without an exponent.
const maxPlainDigits = 40

// numberLen returns the length of the JSON number at the start of s, or 0.
func numberLen(s []byte) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && '1' <= s[i] && s[i] <= '9':
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	default:
		return 0
	}
	if i < len(s) && s[i] == '.' {
		i++
		start := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == start {
			return 0
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		start := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == start {
			return 0
		}
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// AppendNumber appends the number spelled by the JSON literal to dst.
// Cost is linear in len(literal), whatever its exponent. It fails with
// [ErrNumber] unless literal is exactly one JSON number.
func AppendNumber(dst []byte, literal []byte) ([]byte, error) {
	if n := numberLen(literal); n == 0 || n != len(literal) {
		return dst, ErrNumber
	}
	return appendNumber(dst, literal), nil
}

// appendNumber appends a literal that is known to be well formed.
func appendNumber(dst, lit []byte) []byte {
	if plainCanonical(lit) {
		dst = append(dst, tagNumber)
		dst = binary.AppendUvarint(dst, uint64(len(lit)))
		return append(dst, lit...)
	}
	var scratch [64]byte
	canon := appendCanonical(scratch[:0], lit)
	if bytes.Equal(canon, lit) {
		dst = append(dst, tagNumber)
		dst = binary.AppendUvarint(dst, uint64(len(lit)))
		return append(dst, lit...)
	}
	dst = append(dst, tagSpelled)
	dst = binary.AppendUvarint(dst, uint64(uvarintLen(len(canon))+len(canon)+len(lit)))
	dst = binary.AppendUvarint(dst, uint64(len(canon)))
	dst = append(dst, canon...)
	return append(dst, lit...)
}

// plainCanonical reports whether lit is already canonical, for the spellings
// that are by far the commonest: integers and short decimals.
func plainCanonical(lit []byte) bool {
	if len(lit) > maxPlainDigits || lit[0] == '-' && lit[1] == '0' && len(lit) == 2 {
		return false
	}
	point := false
	for _, c := range lit {
		switch c {
		case 'e', 'E':
			return false
		case '.':
			point = true
		}
	}
	return !point || lit[len(lit)-1] != '0'
}

// appendCanonical appends the canonical spelling of the well-formed literal.
//
// With the literal read as d * 10^k, d an integer without trailing zeros, it is
// plain decimal if that takes at most maxPlainDigits digits, else d "e" k.
func appendCanonical(dst, lit []byte) []byte {
	neg := lit[0] == '-'
	if neg {
		lit = lit[1:]
	}
	mant, exp := lit, []byte(nil)
	if i := bytes.IndexAny(lit, "eE"); i >= 0 {
		mant, exp = lit[:i], lit[i+1:]
	}
	whole, frac := mant, []byte(nil)
	if i := bytes.IndexByte(mant, '.'); i >= 0 {
		whole, frac = mant[:i], mant[i+1:]
	}
	// shift counts digits moved over the decimal point: value = digits * 10^(exp+shift).
	shift := -len(frac)
	digits := make([]byte, 0, 64)
	digits = append(append(digits, whole...), frac...)
	trimmed := bytes.TrimRight(digits, "0")
	shift += len(digits) - len(trimmed)
	digits = bytes.TrimLeft(trimmed, "0")
	if len(digits) == 0 {
		return append(dst, '0')
	}
	if neg {
		dst = append(dst, '-')
	}
	// An exponent of more than 17 significant digits cannot be reached by shift
	// alone, so the plain form is out of the question and the sum is done on text.
	small, k := smallExponent(exp)
	if small {
		k += int64(shift)
		switch n := int64(len(digits)); {
		case k >= 0 && n+k <= maxPlainDigits:
			dst = append(dst, digits...)
			for ; k > 0; k-- {
				dst = append(dst, '0')
			}
			return dst
		case k < 0 && -k < n && n <= maxPlainDigits-1:
			dst = append(dst, digits[:n+k]...)
			dst = append(dst, '.')
			return append(dst, digits[n+k:]...)
		case k < 0 && -k >= n && -k <= maxPlainDigits-2:
			dst = append(dst, '0', '.')
			for z := -k - n; z > 0; z-- {
				dst = append(dst, '0')
			}
			return append(dst, digits...)
		}
		dst = append(dst, digits...)
		dst = append(dst, 'e')
		return strconv.AppendInt(dst, k, 10)
	}
	dst = append(dst, digits...)
	dst = append(dst, 'e')
	return appendExponentSum(dst, exp, shift)
}

// smallExponent returns the exponent if it has at most 17 significant digits.
func smallExponent(exp []byte) (ok bool, k int64) {
	neg := false
	if len(exp) > 0 && (exp[0] == '+' || exp[0] == '-') {
		neg = exp[0] == '-'
		exp = exp[1:]
	}
	exp = bytes.TrimLeft(exp, "0")
	if len(exp) > 17 {
		return false, 0
	}
	for _, c := range exp {
		k = k*10 + int64(c-'0')
	}
	if neg {
		k = -k
	}
	return true, k
}

// appendExponentSum appends exp+shift in decimal. exp has more than 17
// significant digits, so the sign of the sum is that of exp.
func appendExponentSum(dst, exp []byte, shift int) []byte {
	neg := false
	if exp[0] == '+' || exp[0] == '-' {
		neg = exp[0] == '-'
		exp = exp[1:]
	}
	mag := bytes.Clone(bytes.TrimLeft(exp, "0"))
	add := int64(shift)
	if neg {
		add = -add
	}
	carry := add
	for i := len(mag) - 1; i >= 0 && carry != 0; i-- {
		d := int64(mag[i]-'0') + carry
		carry = d / 10
		if d %= 10; d < 0 {
			d += 10
			carry--
		}
		mag[i] = byte('0' + d)
	}
	if neg {
		dst = append(dst, '-')
	}
	if carry > 0 {
		dst = strconv.AppendInt(dst, carry, 10)
		return append(dst, mag...)
	}
	return append(dst, bytes.TrimLeft(mag, "0")...)
}

// uvarintLen returns the number of bytes that n takes as an unsigned varint.
func uvarintLen(n int) int {
	l := 1
	for n >= 0x80 {
		n >>= 7
		l++
	}
	return l
}
