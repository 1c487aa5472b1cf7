package snapshot

import (
	"fmt"

	"github.com/pagestate/pagestate/records"
)

// A Row sets the fields of the record that a [Builder] has open, in declared
// order. It belongs to the builder and is valid until End or Cancel. Failures,
// such as a field set twice or a number that is not finite, are returned by
// [Builder.Snapshot].
type Row struct{ b *Builder }

// place names the open record as diagnostics do, with what is below it.
func (r *Row) place(below ...string) string {
	id := string(r.b.recs.ID())
	return path(r.b.recs.Scope(), append([]string{id}, below...)...)
}

// repeated fails the snapshot because a field is set twice, and returns false.
func (r *Row) repeated(name string) bool {
	r.b.fail(fmt.Errorf("record %q, field %q: %w", r.place(), name, records.ErrRepeated))
	return false
}

// String sets a text field.
func (r *Row) String(name, value string) {
	if w := &r.b.recs; w.Field(name) || r.repeated(name) {
		w.Buf = records.AppendString(w.Buf, value)
	}
}

// Int sets a number field.
func (r *Row) Int(name string, value int64) {
	if w := &r.b.recs; w.Field(name) || r.repeated(name) {
		w.Buf = records.AppendInt(w.Buf, value)
	}
}

// Float sets a number field to the shortest decimal that reads back as value.
func (r *Row) Float(name string, value float64) {
	w := &r.b.recs
	if !w.Field(name) && !r.repeated(name) {
		return
	}
	var err error
	if w.Buf, err = records.AppendFloat(w.Buf, value); err != nil {
		w.Buf = records.AppendNull(w.Buf)
		r.b.fail(fmt.Errorf("record %q, field %q: %w: %v", r.place(), name, err, value))
	}
}

// Bool sets a boolean field.
func (r *Row) Bool(name string, value bool) {
	if w := &r.b.recs; w.Field(name) || r.repeated(name) {
		w.Buf = records.AppendBool(w.Buf, value)
	}
}

// Null sets a field to null, which differs from leaving it out.
func (r *Row) Null(name string) {
	if w := &r.b.recs; w.Field(name) || r.repeated(name) {
		w.Buf = records.AppendNull(w.Buf)
	}
}

// Masked sets a field that shows as [records.MaskedText]; an empty secret stays
// empty. The secret itself is not kept.
func (r *Row) Masked(name, secret string) {
	w := &r.b.recs
	if !w.Field(name) && !r.repeated(name) {
		return
	}
	if r.b.ForgetMasked && secret != "" {
		w.Buf = records.AppendMaskedUnknown(w.Buf)
		return
	}
	w.Buf = records.AppendMasked(w.Buf, secret)
}

// Value sets a field to a copy of v, which must not be absent.
func (r *Row) Value(name string, v records.Value) {
	if v.Kind() == records.Absent {
		r.b.fail(fmt.Errorf("record %q, field %q: absent value", r.place(), name))
		return
	}
	if w := &r.b.recs; w.Field(name) || r.repeated(name) {
		w.Buf = append(w.Buf, v.Raw()...)
	}
}

// JSON sets a field to the value of one JSON text.
func (r *Row) JSON(name string, text []byte) {
	w, scan := &r.b.recs, &r.b.scan
	if !w.Field(name) && !r.repeated(name) {
		return
	}
	start := len(w.Buf)
	scan.Reset(text, 0)
	var err error
	if w.Buf, err = scan.AppendValue(w.Buf); err == nil {
		err = scan.End()
	}
	if err != nil {
		w.Buf = records.AppendNull(w.Buf[:start])
		r.b.fail(fmt.Errorf("record %q, field %q: %w", r.place(), name, err))
	}
}

// Any sets a field to a Go value, as [records.AppendAny] reads it.
func (r *Row) Any(name string, value any) {
	v, err := records.AppendAny(nil, value)
	if err != nil {
		r.b.fail(fmt.Errorf("record %q, field %q: %w", r.place(), name, err))
		return
	}
	r.Value(name, records.RawValue(v))
}

// Replaces says that the record had another id before, such as a temporary one
// that a server has now confirmed under this one.
func (r *Row) Replaces(id string) { r.b.replaced = id }

// Cancel drops the record.
func (r *Row) Cancel() {
	if r.b.isOpen {
		r.b.isOpen = false
		r.b.recs.Cancel()
	}
}

// checkText diagnoses text that is not valid Unicode.
func (r *Row) checkText() {
	b := r.b
	id, values := records.CutID(b.recs.Open())
	intact := b.recs.IntactFields()
	for rest := values; len(rest) > 0 && intact; {
		var v records.Value
		v, rest = records.Cut(rest)
		intact = v.Intact()
	}
	if !records.Intact(id) {
		b.repaired(r.place())
	}
	if intact {
		return
	}
	for _, name := range b.recs.OpenFields() {
		var v records.Value
		v, values = records.Cut(values)
		if !records.Intact(name) || !v.Intact() {
			b.repaired(r.place(name))
		}
	}
}

// End closes the record.
func (r *Row) End() {
	b := r.b
	if !b.isOpen {
		b.fail(ErrOpen)
		return
	}
	b.isOpen = false
	if b.fromBytes {
		r.endBytes()
	} else if !records.ASCII(b.recs.Open()) || !b.recs.IntactFields() {
		r.checkText()
	}
	if b.recs.Len() >= b.maxTracked() {
		b.recs.Cancel()
		b.Untracked(b.recs.Scope(), 1)
		return
	}
	if b.replaced != "" {
		b.replaces = append(b.replaces, replacement{b.recs.Len(), b.replaced})
	}
	b.recs.End()
}
