package exposure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/records"
)

// MaxParamsBytes bounds the JSON text of an action's parameters.
const MaxParamsBytes = 1 << 20

// Read reads the parameters of a call: one JSON object, checked against s after
// the defaults of missing members were filled in. It returns what a tool gets,
// which holds numbers in plain spelling (1, not 1.0), or the ways in which text
// breaks s. Empty text is read as {}.
//
// A nil Schema means that no parameters are declared: only {} is accepted.
// It takes time linear in text, times what the keywords of s cost.
func (s *Schema) Read(text []byte) (json.RawMessage, []Violation) {
	v, args, violation := readParams(text)
	if violation != nil {
		return nil, []Violation{*violation}
	}
	if s == nil {
		var list []Violation
		for name := range v.Members() {
			list = append(list, Violation{string(records.AppendPointer(nil, string(name))), "the action declares no parameters"})
		}
		if list != nil {
			return nil, list
		}
		return json.RawMessage("{}"), nil
	}
	if !s.affords(args) {
		return nil, []Violation{{Message: tooLong}}
	}
	args = s.complete(args)
	if list := s.Validate(args); list != nil {
		return nil, list
	}
	enc, err := records.AppendAny(nil, args)
	if err != nil {
		return nil, []Violation{{Message: err.Error()}}
	}
	return appendPlain(nil, records.RawValue(enc)), nil
}

// readParams reads text strictly: one object without repeated members, within
// limits. It returns it in both forms.
func readParams(text []byte) (records.Value, any, *Violation) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if len(text) > MaxParamsBytes {
		return records.Value{}, nil, &Violation{Message: fmt.Sprintf("%d bytes, over the limit of %d", len(text), MaxParamsBytes)}
	}
	enc, err := records.ParseValue(nil, text)
	if err != nil {
		violation := Violation{Message: err.Error()}
		var pos *records.PosError
		if errors.As(err, &pos) {
			violation.Pointer = pos.Pointer
		}
		return records.Value{}, nil, &violation
	}
	v := records.RawValue(enc)
	if v.Kind() != records.Object {
		return records.Value{}, nil, &Violation{Message: fmt.Sprintf("the parameters are %s, not an object", v.Kind())}
	}
	if ptr, found := findHugeNumber(v, nil); found {
		return records.Value{}, nil, &Violation{Pointer: string(ptr), Message: "the number is out of range"}
	}
	args, err := jsonschema.UnmarshalJSON(bytes.NewReader(records.AppendJSON(nil, v)))
	if err != nil {
		return records.Value{}, nil, &Violation{Message: err.Error()}
	}
	return v, args, nil
}

// maxExponentDigits bounds decimal exponents where a validator computes with
// them: it would write all digits out.
const maxExponentDigits = 3

// findHugeNumber returns the pointer of a number whose exponent has more digits.
func findHugeNumber(v records.Value, at []byte) ([]byte, bool) {
	switch v.Kind() {
	case records.Number:
		canon := records.AppendCanonical(nil, v)
		if i := bytes.IndexByte(canon, 'e'); i >= 0 && len(bytes.TrimPrefix(canon[i+1:], []byte("-"))) > maxExponentDigits {
			return at, true
		}
	case records.Array:
		i := 0
		for e := range v.Elements() {
			if ptr, found := findHugeNumber(e, records.AppendPointer(at, strconv.Itoa(i))); found {
				return ptr, true
			}
			i++
		}
	case records.Object:
		for name, e := range v.Members() {
			if ptr, found := findHugeNumber(e, records.AppendPointer(at, string(name))); found {
				return ptr, true
			}
		}
	}
	return nil, false
}

// appendPlain appends v as records.AppendJSON does, but numbers in canonical
// spelling: what is an integer by value decodes into one in Go.
func appendPlain(dst []byte, v records.Value) []byte {
	switch v.Kind() {
	case records.Number:
		return records.AppendCanonical(dst, v)
	case records.Array:
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = append(appendPlain(dst, e), ',')
		}
		return closeWith(dst, '[', ']')
	case records.Object:
		dst = append(dst, '{')
		for name, e := range v.Members() {
			dst = append(records.AppendQuoted(dst, name), ':')
			dst = append(appendPlain(dst, e), ',')
		}
		return closeWith(dst, '{', '}')
	}
	return records.AppendJSON(dst, v)
}

// closeWith puts end in the place of a last comma, or after begin.
func closeWith(dst []byte, begin, end byte) []byte {
	if dst[len(dst)-1] == begin {
		return append(dst, end)
	}
	dst[len(dst)-1] = end
	return dst
}

// Redact returns text, the parameters of a call, with what s marks as secret
// replaced by [records.MaskedText]: values whose schema says writeOnly, format
// "password" or x-sensitive, wherever a keyword that could apply leads to it;
// the empty string stays empty. Where it cannot be told which part of a value is
// meant, all of it is replaced. It returns nil if text cannot be read, if it would
// take too long to apply s to it, or if s is nil and text has members: nothing is
// known of them.
func (s *Schema) Redact(text []byte) json.RawMessage {
	out, _ := s.RedactAll(text)
	return out
}

// RedactAll returns what Redact returns, and the texts and numbers that it
// replaced, longest first, so that they can be found elsewhere.
func (s *Schema) RedactAll(text []byte) (redacted json.RawMessage, secrets []string) {
	v, args, violation := readParams(text)
	if violation != nil {
		return nil, nil
	}
	if s == nil {
		if v.Len() > 0 {
			return nil, nil
		}
		return json.RawMessage("{}"), nil
	}
	if !s.affords(args) {
		return nil, nil
	}
	args = s.redact(args, func(secret any) {
		scalars(secret, func(text string) {
			if text != "" {
				secrets = append(secrets, text)
			}
		})
	})
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	enc, err := records.AppendAny(nil, args)
	if err != nil {
		return nil, secrets
	}
	return records.AppendJSON(nil, records.RawValue(enc)), slices.Compact(secrets)
}

// Secret reports whether s marks anything as secret.
func (s *Schema) Secret() bool { return s != nil && s.secret }
