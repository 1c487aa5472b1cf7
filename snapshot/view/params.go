package view

import (
	"strconv"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
)

// appendParams sums up a JSON Schema in about lv.text bytes: the required
// parameters with a star, then the others, each with its type or its choices.
// A schema that does not describe an object is shown as it is.
func (m *model) appendParams(dst []byte, schema records.Value, lv *level) []byte {
	var props, required, typ records.Value
	for name, v := range schema.Members() {
		switch string(name) {
		case "properties":
			props = v
		case "required":
			required = v
		case "type":
			typ = v
		}
	}
	if props.Kind() != records.Object || typ.Kind() != records.Absent && string(typ.Text()) != "object" {
		return m.appendCell(dst, schema, lv.text)
	}
	must := map[string]bool{}
	for e := range required.Elements() {
		if s := e.Text(); len(s) <= lv.id { // longer names are never shown whole
			must[string(s)] = true
		}
	}
	start, shown, all := len(dst), 0, props.Len()
	for _, star := range []bool{true, false} {
		for name, p := range props.Members() {
			if (len(name) <= lv.id && must[string(name)]) != star {
				continue
			}
			at := len(dst)
			if shown > 0 {
				dst = append(dst, ", "...)
			}
			dst = safetext.AppendClipped(dst, name, lv.id)
			if star {
				dst = append(dst, '*')
			}
			dst = m.appendType(dst, p, lv)
			if shown > 0 && len(dst)-start > lv.text {
				return appendMore(dst[:at], all-shown)
			}
			shown++
		}
	}
	if all == 0 {
		dst = append(dst, "none"...)
	}
	return dst
}

func appendMore(dst []byte, n int) []byte {
	return append(strconv.AppendInt(append(dst, " and "...), int64(n), 10), " more"...)
}

// maxChoices is how many values of an enum are shown.
const maxChoices = 8

// appendType appends the type of the parameter that schema describes, or its
// choices, if it says so.
func (m *model) appendType(dst []byte, schema records.Value, lv *level) []byte {
	var typ, enum records.Value
	for name, v := range schema.Members() {
		switch string(name) {
		case "type":
			typ = v
		case "enum":
			enum = v
		}
	}
	if enum.Kind() == records.Array {
		sep, n := byte(' '), 0
		for e := range enum.Elements() {
			if n++; n > maxChoices {
				return appendMore(dst, enum.Len()-maxChoices)
			}
			dst = m.appendCell(append(dst, sep), e, lv.id)
			sep = '|'
		}
		return dst
	}
	switch typ.Kind() {
	case records.String:
		dst = safetext.AppendClipped(append(dst, ' '), typ.Text(), lv.id)
	case records.Array:
		dst = m.appendCell(append(dst, ' '), typ, lv.id)
	}
	return dst
}
