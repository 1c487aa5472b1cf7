package safetext

import (
	"github.com/pagestate/pagestate/records"
)

// minNumber is how many digits of a number are shown whatever the limit: half a
// number misleads more than half a sentence.
const minNumber = 24

// AppendValue appends v to dst: null, booleans and numbers bare, numbers as they
// were spelled; strings always quoted, so that "1" and 1, "null" and null differ;
// arrays and objects as JSON with the escapes of this package; a masked value as
// the string that it becomes in a file; an absent one as "-".
//
// Of a string at most maxBytes bytes are shown, of a number maxBytes or 24
// digits, of JSON text about maxBytes; 0 means all. What is cut ends in the mark
// of [AppendCutMark] with the full length: of the text, of the number, or
// [JSONLen]. The cost is linear in what is shown, and in v for a cut array or
// object.
func AppendValue(dst []byte, v records.Value, maxBytes int) []byte {
	switch v.Kind() {
	case records.Array, records.Object:
		dst, whole := AppendJSONHead(dst, v, maxBytes)
		if !whole {
			dst = AppendCutMark(dst, JSONLen(v))
		}
		return dst
	}
	return appendScalar(dst, v, maxBytes)
}

func appendScalar(dst []byte, v records.Value, maxBytes int) []byte {
	switch v.Kind() {
	case records.Absent:
		return append(dst, '-')
	case records.Number:
		lit := v.Literal()
		n := len(lit)
		if maxBytes > 0 {
			n = min(n, max(maxBytes, minNumber))
		}
		return appendCutMark(append(dst, lit[:n]...), n, len(lit))
	case records.String, records.Masked:
		return AppendQuoted(dst, v.Text(), maxBytes)
	}
	return records.AppendJSON(dst, v)
}

// AppendJSONHead appends the beginning of v as JSON with the escapes of this
// package, and reports whether that is all of v. It stops, outside quotes, soon
// after maxBytes bytes: what it appends has at most 6 maxBytes + 60 bytes. 0
// means no limit.
func AppendJSONHead(dst []byte, v records.Value, maxBytes int) ([]byte, bool) {
	w := jsonWriter{buf: dst, limit: -1}
	if maxBytes > 0 {
		w.limit = len(dst) + maxBytes
	}
	whole := w.value(v)
	return w.buf, whole
}

type jsonWriter struct {
	buf   []byte
	limit int // most bytes of buf; less than 0 means any number
}

// room returns how many bytes may follow, 0 meaning any number; ok is false if
// none.
func (w *jsonWriter) room() (n int, ok bool) {
	if w.limit < 0 {
		return 0, true
	}
	n = w.limit - len(w.buf)
	return n, n > 0
}

func (w *jsonWriter) text(s []byte) bool {
	room, ok := w.room()
	if !ok {
		return false
	}
	n := head(s, room)
	w.buf = appendQuoted(w.buf, s[:n])
	return n == len(s)
}

func (w *jsonWriter) value(v records.Value) bool {
	room, ok := w.room()
	if !ok {
		return false
	}
	switch v.Kind() {
	case records.Array:
		return w.array(v)
	case records.Object:
		return w.object(v)
	case records.String, records.Masked:
		return w.text(v.Text())
	case records.Number:
		lit := v.Literal()
		n := len(lit)
		if room > 0 {
			n = min(n, max(room, minNumber))
		}
		w.buf = append(w.buf, lit[:n]...)
		return n == len(lit)
	}
	w.buf = records.AppendJSON(w.buf, v)
	return true
}

func (w *jsonWriter) array(v records.Value) bool {
	w.buf = append(w.buf, '[')
	sep := false
	for e := range v.Elements() {
		if sep {
			w.buf = append(w.buf, ',')
		}
		sep = true
		if !w.value(e) {
			return false
		}
	}
	if _, ok := w.room(); !ok {
		return false
	}
	w.buf = append(w.buf, ']')
	return true
}

func (w *jsonWriter) object(v records.Value) bool {
	w.buf = append(w.buf, '{')
	sep := false
	for name, e := range v.Written() {
		if sep {
			w.buf = append(w.buf, ',')
		}
		sep = true
		if !w.text(name) {
			return false
		}
		w.buf = append(w.buf, ':')
		if !w.value(e) {
			return false
		}
	}
	if _, ok := w.room(); !ok {
		return false
	}
	w.buf = append(w.buf, '}')
	return true
}

// JSONLen returns the length of what [records.AppendJSON] appends for v, without
// making it. Its cost is linear in v.
func JSONLen(v records.Value) int {
	switch v.Kind() {
	case records.Number:
		return len(v.Literal())
	case records.String, records.Masked:
		return quotedLen(v.Text())
	case records.Bool:
		if v.Bool() {
			return len("true")
		}
		return len("false")
	case records.Array:
		n := 1
		for e := range v.Elements() {
			n += JSONLen(e) + 1
		}
		return max(n, 2)
	case records.Object:
		n := 1
		for name, e := range v.Written() {
			n += quotedLen(name) + 1 + JSONLen(e) + 1
		}
		return max(n, 2)
	}
	return len("null")
}

// quotedLen returns the length of what records.AppendQuoted appends for s.
func quotedLen(s []byte) int {
	if !records.Intact(s) {
		s = records.AppendText(nil, s)
	}
	n := len(s) + 2
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < 0x20 || c == 0x7F:
			n += len(`\u0000`) - 1
		case c >= 0x80:
			r, size := decode(s, i)
			if records.Hidden(r) {
				n += len(`\u0000`) - size
				if r > 0xFFFF {
					n += len(`\u0000`)
				}
			}
			i += size
			continue
		}
		i++
	}
	return n
}
