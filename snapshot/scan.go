package snapshot

import "github.com/pagestate/pagestate/records"

// RecordBytes is [Builder.Record] for a reader of bytes: it does not keep id and
// makes no string of it. The record's fields are then set with [Row.Scan]; of
// the other methods of the row use only Scope, Replaces, Repaired, Cancel and
// End.
func (b *Builder) RecordBytes(scope string, id []byte) *Row {
	b.noneOpen()
	b.recs.BeginIn(scope, id)
	b.broken, b.brokenKey = b.broken[:0], false
	return b.open(true)
}

// A Layout is the scope and the fields of a record that was read. It belongs to
// the builder and is valid until Snapshot or Discard.
type Layout struct{ rows records.Layout }

// Layout returns the layout of the record, all of whose fields are set.
func (r *Row) Layout() Layout { return Layout{r.b.recs.Layout()} }

// RecordLike is [Builder.RecordBytes] for a record of a known layout: set all of
// its fields, in order, with [Row.ScanNext].
func (b *Builder) RecordLike(l *Layout, id []byte) *Row {
	b.noneOpen()
	b.recs.BeginLike(&l.rows, id)
	b.broken, b.brokenKey = b.broken[:0], false
	return b.open(true)
}

// ScanNext sets the next field of a record opened with RecordLike to the value
// that s reads next.
func (r *Row) ScanNext(s *records.Scanner) (err error) {
	w := &r.b.recs
	w.Buf, err = s.AppendValue(w.Buf)
	return err
}

// Grow makes room for rows more records of size bytes together.
func (b *Builder) Grow(rows, size int) { b.recs.Grow(min(rows, b.maxTracked()), size) }

// Records returns the number of records kept so far and the bytes they take.
func (b *Builder) Records() (n, size int) { return b.recs.Len(), len(b.recs.Buf) }

// LastKey returns the key digest of the record ended last; see
// [records.Builder.LastKey].
func (b *Builder) LastKey() uint64 { return b.recs.LastKey() }

// TakeRecords adds n records of the snapshot that is followed, from record from on, as
// they are: without what they replace, and without the diagnostics made when they were
// read. It reports false, and adds nothing, if it cannot: if none is followed, or the
// tracking bound would be passed.
func (b *Builder) TakeRecords(from, n int) bool {
	return b.recs.Len()+n <= b.maxTracked() && b.recs.Take(from, n)
}

// Scope puts the record into another scope than the one it was opened in.
func (r *Row) Scope(id string) { r.b.recs.Rescope(id) }

// Repaired says that the scope or the id of a record opened with RecordBytes was
// not Unicode as read.
func (r *Row) Repaired() { r.b.brokenKey = true }

// Broken reports whether text of the record was not Unicode as read.
func (r *Row) Broken() bool { return r.b.brokenKey || len(r.b.broken) > 0 }

// Scan sets a field to the value that s reads next. It keeps neither argument.
// Its errors are *records.PosError with a pointer below the record's fields;
// after one, the record can only be cancelled or the builder discarded.
//
// Text that s did not read as Unicode since its last Repaired is laid to this
// field.
func (r *Row) Scan(name []byte, s *records.Scanner) error {
	b := r.b
	w := &b.recs
	if !w.FieldBytes(name) {
		return s.Fail(records.ErrRepeated, "").Within(string(name))
	}
	var err error
	if w.Buf, err = s.AppendValue(w.Buf); err != nil {
		if pos, ok := err.(*records.PosError); ok {
			return pos.Within(w.FieldName())
		}
		return err
	}
	if s.Repaired() && len(b.broken) <= maxDiagnostics {
		b.broken = append(b.broken, w.FieldName())
	}
	return nil
}

// endBytes diagnoses what was found in the open record before it is closed.
func (r *Row) endBytes() {
	b := r.b
	if len(b.broken) == 0 && !b.brokenKey {
		return
	}
	id := string(b.recs.ID())
	if b.brokenKey {
		b.DiagnoseRepaired(b.recs.Scope(), id)
	}
	for _, name := range b.broken {
		b.DiagnoseRepaired(b.recs.Scope(), id, name)
	}
}

// DiagnoseRepaired adds the diagnostic repaired-text for a scope, or for what
// the further names lead to in it: a record, and a field of that.
func (b *Builder) DiagnoseRepaired(scope string, below ...string) {
	if len(below) == 0 {
		b.repaired(scope)
		return
	}
	b.repaired(path(scope, below...))
}

// Discard drops what was collected and makes b ready for the next snapshot.
func (b *Builder) Discard() {
	b.recs.Discard()
	b.acts.Discard()
	b.reset()
}

// Untracked counts n records of a scope, 0 or more, that exist but are not
// kept: those that an earlier snapshot of the same records did not keep.
func (b *Builder) Untracked(scope string, n int64) {
	if n <= 0 {
		return
	}
	if b.beyond == nil {
		b.beyond = map[string]int64{}
	}
	b.beyond[scope] += n
}
