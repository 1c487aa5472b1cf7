package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Respell returns the JSON capture doc in other bytes that mean the same:
// layout, member order, escapes, number spelling, 1 for "1" in ids, defaults
// said aloud and members that nobody knows. Comparing doc with it shows no
// difference. It panics when doc is no JSON.
func Respell(doc []byte, rng *rand.Rand) []byte {
	return respell(doc, &spelling{rng: rng})
}

// RespellInOrder is Respell, but the fields of records keep their declared
// order, on which the order of field names in evidence depends. Comparing with
// it gives the same evidence as comparing with doc.
func RespellInOrder(doc []byte, rng *rand.Rand) []byte {
	return respell(doc, &spelling{rng: rng, keepFields: true})
}

func respell(doc []byte, s *spelling) []byte {
	v, err := parse(doc)
	if err != nil {
		panic("pagetest: " + err.Error())
	}
	var b bytes.Buffer
	s.space(&b)
	s.write(&b, v, inTop)
	s.space(&b)
	return b.Bytes()
}

// parse reads one JSON document, members in order.
func parse(doc []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	v, err := parseValue(dec)
	if err == nil {
		if _, trailing := dec.Token(); trailing != io.EOF {
			err = fmt.Errorf("trailing data at %d", dec.InputOffset())
		}
	}
	return v, err
}

func parseValue(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		o := Object{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, Member{name.(string), v})
		}
		_, err = dec.Token()
		return o, err
	}
	if n, ok := t.(json.Number); ok {
		return Number(n), nil
	}
	return t, nil
}

// A place is where in a capture a value stands.
type place int

const (
	inTop place = iota
	inScope
	inRecord
	inAction
	inFields // the object of a record's fields
	inValue  // free JSON: numbers may be spelled in any way
	inID     // text, or an integer literal
	inFixed  // anything else
)

// below returns the place of a member of an object, or of the elements of a
// list that is this member.
func (p place) below(name string) place {
	switch p {
	case inTop:
		switch name {
		case "scopes":
			return inScope
		case "records":
			return inRecord
		case "actions":
			return inAction
		}
	case inScope, inRecord, inAction:
		switch {
		case name == "id", p == inRecord && (name == "scope" || name == "replaces"), p == inAction && (name == "scope" || name == "record"):
			return inID
		case p == inRecord && name == "fields":
			return inFields
		case p == inAction && name == "params":
			return inValue
		}
	case inFields, inValue:
		return inValue
	}
	return inFixed
}

// A spelling chooses how to write what means the same. Without rng it always
// takes the plain way.
type spelling struct {
	rng        *rand.Rand
	keepFields bool
}

var plainSpelling = &spelling{}

// one reports true once in n times.
func (s *spelling) one(n int) bool { return s.rng != nil && s.rng.IntN(n) == 0 }

func (s *spelling) space(b *bytes.Buffer) {
	for s.one(4) {
		b.WriteByte(" \n\t\r"[s.rng.IntN(4)])
	}
}

func (s *spelling) write(b *bytes.Buffer, v any, at place) {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprint(b, v)
	case Number:
		switch {
		case at == inValue && s.one(2):
			b.WriteString(string(respellNumber(v, s.rng)))
		case at == inID && s.one(2):
			s.quote(b, string(v))
		default:
			b.WriteString(string(v))
		}
	case string:
		if at == inID && s.one(2) && isInteger(v) {
			b.WriteString(v)
			return
		}
		s.quote(b, v)
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			s.space(b)
			s.write(b, e, at)
			s.space(b)
		}
		b.WriteByte(']')
	case Object:
		s.object(b, v, at)
	}
}

func (s *spelling) object(b *bytes.Buffer, o Object, at place) {
	o = s.sayDefaults(o, at)
	if s.rng != nil && !(at == inFields && s.keepFields) {
		o = slices.Clone(o)
		s.rng.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
	}
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		s.space(b)
		s.quote(b, m.Name)
		s.space(b)
		b.WriteByte(':')
		s.space(b)
		s.write(b, m.Value, at.below(m.Name))
		s.space(b)
	}
	b.WriteByte('}')
}

// sayDefaults adds members that stand for their own absence, and unknown ones.
func (s *spelling) sayDefaults(o Object, at place) Object {
	var defaults []Member
	switch at {
	case inTop:
		defaults = []Member{{"format", "pagestate/1"}, {"scopes", []any{}}, {"records", []any{}}, {"actions", []any{}}}
	case inScope:
		defaults = []Member{{"state", "active"}, {"label", ""}, {"unordered", false}, {"volatile", []any{}}}
	case inRecord:
		defaults = []Member{{"scope", ""}, {"fields", Object{}}}
	case inAction:
		defaults = []Member{{"available", true}, {"kind", ""}, {"primitive", ""}}
	default:
		return o
	}
	defaults = append(defaults, Member{"ID", Number("1")}, Member{"x-unknown", Object{{"id", nil}}})
	for _, d := range defaults {
		if s.one(8) && !slices.ContainsFunc(o, func(m Member) bool { return m.Name == d.Name }) {
			o = append(slices.Clip(o), d)
		}
	}
	return o
}

// quote writes text as a JSON string, each character in one of its spellings.
func (s *spelling) quote(b *bytes.Buffer, text string) {
	short := map[rune]byte{'"': '"', '\\': '\\', '/': '/', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
	many := s.one(8)
	b.WriteByte('"')
	for _, r := range text {
		letter, hasShort := short[r]
		must := r < 0x20 || r == '"' || r == '\\'
		if !must && !s.one(16) && !(many && s.one(2)) {
			b.WriteRune(r)
			continue
		}
		if hasShort && !s.one(2) {
			b.WriteByte('\\')
			b.WriteByte(letter)
			continue
		}
		units := utf16.AppendRune(nil, r)
		for _, u := range units {
			if s.one(2) {
				fmt.Fprintf(b, `\u%04X`, u)
			} else {
				fmt.Fprintf(b, `\u%04x`, u)
			}
		}
	}
	b.WriteByte('"')
}

// isInteger reports whether text is what an integer literal becomes as an id.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "0" {
		return text == "0"
	}
	if digits == "" || digits[0] == '0' {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

// respellNumber returns another literal of the same value.
func respellNumber(n Number, rng *rand.Rand) Number {
	text := string(n)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(strings.TrimPrefix(text[i+1:], "+")); err != nil || exponent < -1<<30 || exponent > 1<<30 {
			return n // an exponent that is better left alone
		}
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	if digits == "" {
		return Number([]string{"0", "-0", "0.0", "0e7", "-0.00E-3"}[rng.IntN(5)])
	}

	digits += strings.Repeat("0", rng.IntN(3))
	exponent -= len(digits) - len(strings.TrimLeft(whole+fraction, "0"))
	point := rng.IntN(len(digits) + 1) // digits before the point
	if rng.IntN(2) == 0 && exponent <= 0 && -exponent < len(digits) {
		point = len(digits) + exponent // needs no exponent
	}
	exponent += len(digits) - point

	var b strings.Builder
	b.WriteString(sign)
	if point == 0 {
		b.WriteByte('0')
	}
	b.WriteString(digits[:point])
	if point < len(digits) {
		b.WriteByte('.')
		b.WriteString(digits[point:])
	} else if rng.IntN(4) == 0 {
		b.WriteString(".0")
	}
	if exponent != 0 || rng.IntN(8) == 0 {
		b.WriteByte("eE"[rng.IntN(2)])
		if exponent >= 0 && rng.IntN(2) == 0 {
			b.WriteByte('+')
		}
		b.WriteString(strconv.Itoa(exponent))
	}
	return Number(b.String())
}
