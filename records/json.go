package records

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// AppendJSON appends v as JSON text without spaces: numbers as they were
// spelled, the members of objects as [Value.Written] has them, masked values as
// [MaskedText], an absent value as null. Reading the text back and writing that
// gives the same text. Its cost is linear in v, but for sorting repaired names.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case Number:
		return append(dst, v.Literal()...)
	case String:
		return AppendQuoted(dst, payload(v.enc))
	case Masked:
		return AppendQuoted(dst, MaskedText)
	case Array:
		dst = append(dst, '[')
		sep := false
		for e := range v.Elements() {
			if sep {
				dst = append(dst, ',')
			}
			sep = true
			dst = AppendJSON(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		sep := false
		for name, e := range v.Written() {
			if sep {
				dst = append(dst, ',')
			}
			sep = true
			dst = append(AppendQuoted(dst, name), ':')
			dst = AppendJSON(dst, e)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// Written returns the members of an object as they are written: under names that
// [DistinctTexts] has made of those held, in the order of these, byte by byte;
// none for any other kind. Its cost is linear in the members, but for sorting
// repaired names; it allocates only if there are any. The names must not be
// changed.
func (v Value) Written() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		if v.Kind() != Object {
			return
		}
		// All names come first: what is found out after a member is written would
		// have it, and with it all that is nested in it, written again.
		intact := true
		for rest := v.enc[5:]; len(rest) > 0 && intact; {
			var name []byte
			name, _, rest = cutMember(rest)
			intact = Intact(name)
		}
		if intact {
			v.Members()(yield)
			return
		}
		v.repaired(yield)
	}
}

// repaired is Written where names are repaired.
func (v Value) repaired(yield func([]byte, Value) bool) {
	type member struct {
		name  string
		value Value
	}
	var names []string
	var members []member
	for name, e := range v.Members() {
		names = append(names, string(name))
		members = append(members, member{value: e})
	}
	for i, name := range DistinctTexts(names) {
		members[i].name = name
	}
	// Read back, the members are held by their new names and sorted by these.
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for _, m := range members {
		if !yield([]byte(m.name), m.value) {
			return
		}
	}
}

// AppendCanonical appends the form of v that equal values share: as
// [AppendJSON] writes it, but numbers in canonical spelling and text as it is
// held rather than repaired. It is what content digests are made of.
func AppendCanonical(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Number:
		return append(dst, v.canonical()...)
	case String:
		if v.enc[0] == tagCut {
			return appendHeld(append(dst, '~'), v.enc)
		}
		return appendHeld(dst, payload(v.enc))
	case Masked:
		return appendHeld(dst, []byte(MaskedText))
	case Array:
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = append(AppendCanonical(dst, e), ',')
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for name, e := range v.Members() {
			dst = append(appendHeld(dst, name), ':')
			dst = append(AppendCanonical(dst, e), ',')
		}
		return append(dst, '}')
	}
	return AppendJSON(dst, v)
}

// appendHeld appends held text so that no two texts look alike.
func appendHeld(dst, s []byte) []byte {
	dst = strconv.AppendInt(append(dst, '"'), int64(len(s)), 10)
	return append(append(dst, '"'), s...)
}

// String returns v as JSON text, "absent" for the zero Value.
func (v Value) String() string {
	if v.Kind() == Absent {
		return "absent"
	}
	return string(AppendJSON(nil, v))
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// AppendPointer appends "/" and one token to a JSON pointer (RFC 6901).
func AppendPointer(dst []byte, token string) []byte {
	if strings.ContainsAny(token, "~/") {
		token = pointerEscaper.Replace(token)
	}
	return AppendText(append(dst, '/'), token)
}

// MarshalJSON returns v as [AppendJSON] writes it.
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v), nil }
