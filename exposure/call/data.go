package call

import (
	"encoding/json"
	"reflect"

	"github.com/pagestate/pagestate/records"
)

// MaxDataBytes bounds what an action returns in a result.
const MaxDataBytes = 16 << 10

// bound returns v as JSON of at most MaxDataBytes, with the length of the whole
// if that is more, else 0. A nil v, a nil pointer and empty JSON text are nothing.
func bound(v any) (data json.RawMessage, whole int) {
	switch v := v.(type) {
	case nil:
		return nil, 0
	case json.RawMessage:
		if len(v) == 0 {
			return nil, 0
		}
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, 0
	}
	full := encode(v)
	if !json.Valid(full) {
		// Whatever is wrong with the encoder, results stay JSON.
		return json.RawMessage(`{"$js":"error","message":"the result has no JSON form"}`), 0
	}
	if len(full) <= MaxDataBytes {
		return full, 0
	}
	if data = cutJSON(full, MaxDataBytes); len(data) == 0 {
		data = nil // one endless number
	}
	return data, len(full)
}

// cutJSON returns the longest beginning of full, JSON without white space, that
// is at most limit bytes when open strings, arrays and objects are closed. Names,
// numbers and words are never cut. limit must be at least 2; a number that alone is
// longer has no beginning, and the result is empty.
func cutJSON(full []byte, limit int) []byte {
	var (
		closers []byte // innermost last
		cut     int    // bytes of full that are kept
		inside  bool   // the cut is inside a string
		kept    int    // closers at the cut
	)
	fits := func(at, extra int) bool { return at+extra+len(closers) <= limit }
	keep := func(at int, in bool) { cut, inside, kept = at, in, len(closers) }
	isName := false // the next string is a member's name
	for i := 0; i < len(full); {
		switch c := full[i]; c {
		case '{', '[':
			closers = append(closers, c+2) // '}' and ']' follow by two
			i++
			if !fits(i, 0) {
				closers = closers[:len(closers)-1]
				return closed(full, cut, inside, closers[:min(kept, len(closers))])
			}
			keep(i, false)
			isName = c == '{'
		case '}', ']':
			closers = closers[:len(closers)-1]
			i++
			keep(i, false)
		case ',':
			i++
			isName = len(closers) > 0 && closers[len(closers)-1] == '}'
		case ':':
			i++
			isName = false
		case '"':
			start := i
			for i++; full[i] != '"'; {
				if !isName && fits(i, 1) {
					keep(i, true)
				}
				i += unit(full[i:])
			}
			if !isName && fits(i, 1) {
				keep(i, true)
			}
			i++
			if isName {
				if !fits(start, 0) {
					return closed(full, cut, inside, closers[:kept])
				}
				continue
			}
			if !fits(i, 0) {
				return closed(full, cut, inside, closers[:kept])
			}
			keep(i, false)
		default:
			for i < len(full) && !isEnd(full[i]) {
				i++
			}
			if !fits(i, 0) {
				return closed(full, cut, inside, closers[:kept])
			}
			keep(i, false)
		}
	}
	return full
}

// closed returns the kept beginning with what it needs behind.
func closed(full []byte, cut int, inside bool, closers []byte) []byte {
	out := append(make([]byte, 0, cut+len(closers)+1), full[:cut]...)
	if inside {
		out = append(out, '"')
	}
	for i := len(closers) - 1; i >= 0; i-- {
		out = append(out, closers[i])
	}
	return out
}

func isEnd(c byte) bool { return c == ',' || c == '}' || c == ']' }

// unit returns the length of the character or escape at the start of s, a pair
// of escaped surrogates included.
func unit(s []byte) int {
	switch {
	case s[0] != '\\':
		n := 1
		for n < len(s) && s[n]&0xC0 == 0x80 {
			n++
		}
		return n
	case s[1] != 'u':
		return 2
	case s[2] == 'd' && (s[3] == '8' || s[3] == '9' || s[3] == 'a' || s[3] == 'b'):
		return 12
	}
	return 6
}

// respell appends the JSON in text in the project's spelling, members in their
// order, and its strings, names of members included, as edit returns them; nil
// leaves them as they are.
func respell(dst, text []byte, edit func(string) string) ([]byte, error) {
	var s records.Scanner
	s.Reset(text, 0)
	if edit == nil {
		edit = func(s string) string { return s }
	}
	dst, err := respellValue(dst, &s, edit)
	if err != nil {
		return dst, err
	}
	return dst, s.End()
}

func respellValue(dst []byte, s *records.Scanner, edit func(string) string) ([]byte, error) {
	switch s.Peek() {
	case '"':
		text, err := s.Text()
		if err != nil {
			return dst, err
		}
		return records.AppendQuoted(dst, edit(string(text))), nil
	case '{':
		if err := s.Begin('{'); err != nil {
			return dst, err
		}
		dst = append(dst, '{')
		for first := true; ; first = false {
			name, more, err := s.NextName(first)
			if err != nil {
				return dst, err
			}
			if !more {
				return append(dst, '}'), nil
			}
			if !first {
				dst = append(dst, ',')
			}
			dst = append(records.AppendQuoted(dst, edit(string(name))), ':')
			if dst, err = respellValue(dst, s, edit); err != nil {
				return dst, err
			}
		}
	case '[':
		if err := s.Begin('['); err != nil {
			return dst, err
		}
		dst = append(dst, '[')
		for first := true; ; first = false {
			more, err := s.Next(first)
			if err != nil {
				return dst, err
			}
			if !more {
				return append(dst, ']'), nil
			}
			if !first {
				dst = append(dst, ',')
			}
			if dst, err = respellValue(dst, s, edit); err != nil {
				return dst, err
			}
		}
	}
	enc, err := s.AppendValue(nil)
	if err != nil {
		return dst, err
	}
	return records.AppendJSON(dst, records.RawValue(enc)), nil
}
