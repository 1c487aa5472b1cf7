package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

const bom = "\xEF\xBB\xBF"

// utf8Text returns data as UTF-8 and where in it the document starts. wide says
// that data was UTF-16, so that offsets differ; see unwiden.
func (d *Decoder) utf8Text(data []byte) (text []byte, start int, wide bool, err error) {
	fail := func(offset int, err error, detail string) ([]byte, int, bool, error) {
		return nil, 0, false, &records.PosError{Offset: offset, Err: err, Detail: detail}
	}
	lead := 0
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF")):
		return fail(0, ErrEncoding, "UTF-32, want UTF-8")
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		wide, lead = true, 2
		if len(data)%2 != 0 {
			return fail(len(data)-1, ErrEncoding, "UTF-16 that ends in the middle of a character")
		}
		d.wide = appendWide(d.wide[:0], data)
		text = d.wide
	case bytes.HasPrefix(data, []byte(bom)):
		text, start, lead = data, len(bom), len(bom)
	case len(data) >= 2 && data[0] != 0 && data[1] == 0:
		return fail(0, ErrEncoding, "UTF-16 (little endian) without a byte order mark, want UTF-8")
	case len(data) >= 2 && data[0] == 0 && data[1] != 0:
		return fail(0, ErrEncoding, "UTF-16 (big endian) without a byte order mark, want UTF-8")
	default:
		return data, 0, false, nil
	}
	switch rest := text[start:]; {
	case len(rest) == 0:
		return fail(lead, ErrEmpty, "only a byte order mark")
	case bytes.HasPrefix(rest, []byte(bom)):
		return fail(lead, ErrEncoding, "a second byte order mark")
	}
	return text, start, wide, nil
}

// wideOrder returns the byte order of UTF-16 data that starts with its mark.
func wideOrder(data []byte) binary.ByteOrder {
	if data[0] == 0xFF {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// appendWide appends UTF-16 data, which starts with its byte order mark, as
// UTF-8. A surrogate without its other half becomes a JSON escape, so that it
// is read as the lone surrogate that it is. After a backslash, where that would
// be read as something else, it becomes bytes that no escape may have.
func appendWide(dst, data []byte) []byte {
	order := wideOrder(data)
	escape := false
	for i := 2; i < len(data); i += 2 {
		r, n := wideRune(data, i, order)
		i += n - 2
		switch {
		case !utf16.IsSurrogate(r):
			dst = utf8.AppendRune(dst, r)
		case escape:
			dst = append(dst, wideBroken...)
		default:
			dst = append(dst, '\\', 'u')
			for shift := 12; shift >= 0; shift -= 4 {
				dst = append(dst, "0123456789abcdef"[r>>shift&15])
			}
		}
		escape = r == '\\' && !escape
	}
	return dst
}

const wideBroken = "\xED\xA0\x80"

// wideRune returns the character at data[i] and its length in bytes: a surrogate
// if it came alone.
func wideRune(data []byte, i int, order binary.ByteOrder) (rune, int) {
	r := rune(order.Uint16(data[i:]))
	if utf16.IsSurrogate(r) && i+4 <= len(data) {
		if pair := utf16.DecodeRune(r, rune(order.Uint16(data[i+2:]))); pair != utf8.RuneError {
			return pair, 4
		}
	}
	return r, 2
}

// unwiden turns the offset in err, which counts in the UTF-8 that appendWide
// made of data, into one that counts in data.
func unwiden(err error, data []byte) {
	var pos *records.PosError
	if !errors.As(err, &pos) {
		return
	}
	order := wideOrder(data)
	left, escape := pos.Offset, false
	i := 2
	for i < len(data) {
		r, n := wideRune(data, i, order)
		l := utf8.RuneLen(r)
		if utf16.IsSurrogate(r) {
			if l = len(`\ud800`); escape {
				l = len(wideBroken)
			}
		}
		if left < l {
			break
		}
		left -= l
		i += n
		escape = r == '\\' && !escape
	}
	pos.Offset = i
}
