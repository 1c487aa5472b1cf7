package snapshot

import (
	"fmt"

	"github.com/pagestate/pagestate/records"
)

// A Fields declares the scope and the fields of records that are alike, so that
// each of them is its values in order and no name is looked at again. It belongs
// to the [Builder] that made it and stays valid over its snapshots.
type Fields struct {
	scope string
	names []string
	rows  records.Layout
	era   uint64
}

// Fields declares records of scope with fields of these names. It fails with
// [records.ErrRepeated] if two are the same. No record may be open.
func (b *Builder) Fields(scope string, names ...string) (*Fields, error) {
	f := &Fields{scope: scope, names: append([]string(nil), names...)}
	if err := b.layOut(f); err != nil {
		return nil, err
	}
	return f, nil
}

// layOut finds the layout of f's records in b as it is now.
func (b *Builder) layOut(f *Fields) error {
	var err error
	f.rows, err = b.recs.NewLayout(f.scope, f.names)
	f.era = b.recs.Era()
	if err != nil {
		return fmt.Errorf("fields of scope %q: %w", f.scope, err)
	}
	return nil
}

// RecordOf opens a record of declared fields. Set all of their values in order
// and close it with End before anything else is added.
func (b *Builder) RecordOf(f *Fields, id string) *Values {
	if f.era != b.recs.Era() {
		if err := b.layOut(f); err != nil { // it did not fail before
			b.fail(err)
		}
	}
	b.noneOpen()
	b.recs.BeginOf(&f.rows, id)
	b.open(false)
	b.values.left = len(f.names)
	if b.values.b != b {
		b.values.b = b
	}
	return &b.values
}

// A Values sets the values of the record that [Builder.RecordOf] opened, in the
// order of its fields. It belongs to the builder and is valid until End or
// Cancel. Failures, such as a value too many, are returned by
// [Builder.Snapshot].
type Values struct {
	b    *Builder
	left int
}

// String sets the next field to text.
func (v *Values) String(value string) {
	w := &v.b.recs
	v.left--
	w.Buf = records.AppendString(w.Buf, value)
}

// Int sets the next field to a number.
func (v *Values) Int(value int64) {
	w := &v.b.recs
	v.left--
	w.Buf = records.AppendInt(w.Buf, value)
}

// Float sets the next field to the shortest decimal that reads back as value.
func (v *Values) Float(value float64) {
	var err error
	w := &v.b.recs
	v.left--
	if w.Buf, err = records.AppendFloat(w.Buf, value); err != nil {
		w.Buf = records.AppendNull(w.Buf)
		v.b.fail(fmt.Errorf("record %q: %w: %v", v.b.row.place(), err, value))
	}
}

// Bool sets the next field to a boolean.
func (v *Values) Bool(value bool) {
	w := &v.b.recs
	v.left--
	w.Buf = records.AppendBool(w.Buf, value)
}

// Null sets the next field to null.
func (v *Values) Null() {
	w := &v.b.recs
	v.left--
	w.Buf = records.AppendNull(w.Buf)
}

// Value sets the next field to a copy of value, which must not be absent.
func (v *Values) Value(value records.Value) {
	w := &v.b.recs
	v.left--
	if value.Kind() == records.Absent {
		w.Buf = records.AppendNull(w.Buf)
		v.b.fail(fmt.Errorf("record %q: absent value", v.b.row.place()))
		return
	}
	w.Buf = append(w.Buf, value.Raw()...)
}

// Replaces says which id the record had before; see [Row.Replaces].
func (v *Values) Replaces(id string) { v.b.replaced = id }

// Cancel drops the record.
func (v *Values) Cancel() { v.b.row.Cancel() }

// End closes the record.
func (v *Values) End() {
	if v.left != 0 {
		v.b.fail(fmt.Errorf("record %q: %d values missing or, if negative, too many", v.b.row.place(), v.left))
		v.b.row.Cancel()
		return
	}
	v.b.row.End()
}
