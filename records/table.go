package records

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
)

// seed keys the digests of this process; page content cannot aim at them.
var seed = maphash.MakeSeed()

// A Class is what rows of one layout share: their scope and their field names
// in declared order. It is immutable.
type Class struct {
	scope  string
	fields []string
	salt   uint64 // digest of both
}

// digest returns a keyed digest of the class's scope and fields.
func (c *Class) digest() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var n [8]byte
	text := func(s string) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.WriteString(s)
	}
	text(c.scope)
	for _, f := range c.fields {
		text(f)
	}
	return h.Sum64()
}

// Scope returns the scope's id.
func (c *Class) Scope() string { return c.scope }

// Fields returns the field names in declared order. The slice must not be
// changed.
func (c *Class) Fields() []string { return c.fields }

// Field returns the position of the named field, or -1.
func (c *Class) Field(name string) int {
	for i, f := range c.fields {
		if f == name {
			return i
		}
	}
	return -1
}

// A Table is an immutable sequence of rows. It is safe for concurrent use. Tables of
// one builder may share the memory of rows; see [Builder.Follow].
//
// Beyond its rows' bytes it holds 24 bytes a row that it does not share.
type Table struct {
	flat    *block  // where all rows are, in order; nil if they are in several places
	pieces  []piece // those places then, in order
	rows    int
	size    int
	classes []*Class
	repeats []uint32
	noID    int
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Size returns the bytes of all rows, shared or not.
func (t *Table) Size() int { return t.size }

// Class returns the class of row i.
func (t *Table) Class(i int) *Class { return t.classes[t.ClassNumber(i)] }

// Classes returns the classes by number. Some may have no row in this table.
// The slice must not be changed.
func (t *Table) Classes() []*Class { return t.classes }

// ClassNumber returns which of Classes that of row i is.
func (t *Table) ClassNumber(i int) uint32 { return t.Ref(i).ClassNumber() }

// Sum returns the digest of row i; see [Run].
func (t *Table) Sum(i int) uint64 {
	r := t.Ref(i)
	return r.block.sum[r.at]
}

// Key returns the digest of the key of row i; see [Run].
func (t *Table) Key(i int) uint64 {
	r := t.Ref(i)
	return r.block.key[r.at]
}

// A Run is what a table knows of rows that follow each other, in columns. They must
// not be changed.
type Run struct {
	// Class holds the number in Classes of each row's class.
	Class []uint32
	// Sums holds a process-keyed digest of each row: its bytes, its scope and its field
	// names in order. Rows of equal sums, of this or another table, are the same in all
	// of these, but for a chance of 2^-64 a pair that content cannot influence.
	Sums []uint64
	// Keys holds a process-keyed digest of each row's (scope, id). Equal digests do not
	// prove equal keys.
	Keys []uint64
}

// Run returns the run of rows that begins with row i. A table that shares no memory
// with others is a single run:
//
//	for i := 0; i < t.Len(); {
//		run := t.Run(i)
//		// rows i to i+len(run.Keys)
//		i += len(run.Keys)
//	}
func (t *Table) Run(i int) Run {
	b, at, n := t.stretch(i)
	return Run{b.class[at : at+n : at+n], b.sum[at : at+n : at+n], b.key[at : at+n : at+n]}
}

// Repeats returns the rows, in order, whose (scope, id) an earlier row has too.
// Rows without an id are never among them. The slice must not be changed.
func (t *Table) Repeats() []uint32 { return t.repeats }

// Anonymous returns the number of rows without an id.
func (t *Table) Anonymous() int { return t.noID }

// Row returns the bytes of row i, id included. They must not be changed.
func (t *Table) Row(i int) []byte { return t.Ref(i).Row() }

// ID returns the id of row i as it is held. It must not be changed.
func (t *Table) ID(i int) []byte {
	id, _ := uvarintText(t.Ref(i).Row())
	return id
}

// Values returns the encoded values of row i back to back, in the order of its
// class's fields; [Cut] takes them apart. They must not be changed.
func (t *Table) Values(i int) []byte { return t.Ref(i).Values() }

// A Ref is where a row is, for who reads several things of one. It is valid as long as
// its table.
type Ref struct {
	block *block
	at    int
}

// Ref returns where row i is.
func (t *Table) Ref(i int) Ref {
	if t.flat != nil {
		return Ref{t.flat, i}
	}
	return t.find(i)
}

// ClassNumber is [Table.ClassNumber].
func (r Ref) ClassNumber() uint32 { return r.block.class[r.at] }

// Row is [Table.Row].
func (r Ref) Row() []byte { return r.block.arena[r.block.off[r.at]:r.block.off[r.at+1]] }

// Values is [Table.Values].
func (r Ref) Values() []byte {
	row := r.Row()
	if n := row[0]; n < 0x80 {
		return row[1+n:]
	}
	_, rest := uvarintText(row)
	return rest
}

// Touch loads the start and the middle of the row into the processor's cache. Calls
// for several rows overlap their waits for memory, where reading the rows one
// after the other would add them up. The result means nothing.
func (r Ref) Touch() byte {
	start, end := r.block.off[r.at], r.block.off[r.at+1]
	return r.block.arena[start] + r.block.arena[(start+end)/2]
}

// CutID cuts the id of a row from its values.
func CutID(row []byte) (id, values []byte) { return uvarintText(row) }

// Cut cuts the first value of enc from the rest. enc must not be empty.
func Cut(enc []byte) (v Value, rest []byte) {
	n := valueLen(enc)
	return Value{enc[:n]}, enc[n:]
}

// All returns the fields of row i with their values, in declared order.
func (t *Table) All(i int) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		rest := t.Values(i)
		for _, name := range t.Class(i).fields {
			var v Value
			v, rest = Cut(rest)
			if !yield(name, v) {
				return
			}
		}
	}
}

// Field returns the value of the named field of row i, or the absent Value.
func (t *Table) Field(i int, name string) Value {
	at := t.Class(i).Field(name)
	if at < 0 {
		return Value{}
	}
	rest := t.Values(i)
	for range at {
		rest = rest[valueLen(rest):]
	}
	v, _ := Cut(rest)
	return v
}

// SameKey reports whether row i of t and row j of u have one (scope, id).
func (t *Table) SameKey(i int, u *Table, j int) bool {
	return t.Key(i) == u.Key(j) && string(t.ID(i)) == string(u.ID(j)) &&
		t.Class(i).scope == u.Class(j).scope
}

// KeyDigest returns the digest that [Run] holds for the key of a row.
func KeyDigest(scope, id string) uint64 {
	return mixKey(maphash.String(seed, scope), maphash.String(seed, id))
}

func mixKey(scope, id uint64) uint64 {
	return (id ^ scope<<32 ^ scope>>32) * 0x9E3779B97F4A7C15
}

// appendID starts a row.
func appendID[T string | []byte](dst []byte, id T) []byte {
	if len(id) < 0x80 {
		dst = append(dst, byte(len(id)))
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(id)))
	}
	return append(dst, id...)
}
