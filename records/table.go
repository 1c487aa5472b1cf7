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

// A Table is an immutable sequence of rows. It is safe for concurrent use.
//
// Beyond its rows' bytes it holds 24 bytes a row.
type Table struct {
	arena   []byte
	off     []uint32 // len = rows+1; row i is arena[off[i]:off[i+1]]
	class   []uint32
	sum     []uint64
	key     []uint64
	classes []*Class
	repeats []uint32
	noID    int
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.class) }

// Size returns the bytes of all rows.
func (t *Table) Size() int { return len(t.arena) }

// Class returns the class of row i.
func (t *Table) Class(i int) *Class { return t.classes[t.class[i]] }

// Classes returns the classes by number. Some may have no row in this table.
// The slice must not be changed.
func (t *Table) Classes() []*Class { return t.classes }

// ClassColumn returns the class number of each row. It must not be changed.
func (t *Table) ClassColumn() []uint32 { return t.class }

// Sums returns a process-keyed digest of each row: its bytes, its scope and its
// field names in order. Rows of equal sums, of this or another table, are the
// same in all of these, but for a chance of 2^-64 a pair that content cannot
// influence. The slice must not be changed.
func (t *Table) Sums() []uint64 { return t.sum }

// Keys returns a process-keyed digest of each row's (scope, id). Equal digests
// do not prove equal keys. The slice must not be changed.
func (t *Table) Keys() []uint64 { return t.key }

// Repeats returns the rows, in order, whose (scope, id) an earlier row has too.
// Rows without an id are never among them. The slice must not be changed.
func (t *Table) Repeats() []uint32 { return t.repeats }

// Anonymous returns the number of rows without an id.
func (t *Table) Anonymous() int { return t.noID }

// Touch loads the start and the middle of row i into the processor's cache. Calls
// for several rows overlap their waits for memory, where reading the rows one
// after the other would add them up. The result means nothing.
func (t *Table) Touch(i int) byte {
	start, end := t.off[i], t.off[i+1]
	return t.arena[start] + t.arena[(start+end)/2]
}

// Row returns the bytes of row i, id included. They must not be changed.
func (t *Table) Row(i int) []byte { return t.arena[t.off[i]:t.off[i+1]] }

// ID returns the id of row i as it is held. It must not be changed.
func (t *Table) ID(i int) []byte {
	id, _ := uvarintText(t.arena[t.off[i]:])
	return id
}

// Values returns the encoded values of row i back to back, in the order of its
// class's fields; [Cut] takes them apart. They must not be changed.
func (t *Table) Values(i int) []byte {
	row := t.Row(i)
	if n := row[0]; n < 0x80 {
		return row[1+n:]
	}
	_, rest := uvarintText(row)
	return rest
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
	return t.key[i] == u.key[j] && string(t.ID(i)) == string(u.ID(j)) &&
		t.Class(i).scope == u.Class(j).scope
}

// KeyDigest returns the digest that [Table.Keys] holds for a row of this key.
func KeyDigest(scope, id string) uint64 {
	return mixKey(maphash.String(seed, scope), maphash.String(seed, id))
}

func mixKey(scope, id uint64) uint64 {
	return (id ^ scope<<32 ^ scope>>32) * 0x9E3779B97F4A7C15
}

// An Index finds rows of one table by key digest. The zero value is empty; its
// memory is reused by each Reset. It must not be used by two goroutines at once
// while rows are added.
//
// It is an open-addressing table with linear probing, at most half full, whose
// slots hold a row and half of its digest, so that a probe reads the table alone.
type Index struct {
	slots []uint64 // digest's high half << 32 | row+1; 0 when free
	mask  uint64
}

// Build indexes all rows of keys, whose digests are keys[row]. Cost is linear.
func (x *Index) Build(keys []uint64) {
	x.Reset(len(keys))
	for row, k := range keys {
		x.Add(k, row)
	}
}

// Reset empties x and makes room for n rows.
func (x *Index) Reset(n int) { x.resize(2 * n) }

// resize empties x and gives it at least n slots, of which one must stay free.
func (x *Index) resize(n int) {
	size := 16
	for size < n {
		size *= 2
	}
	if cap(x.slots) < size {
		x.slots = make([]uint64, size)
	} else {
		x.slots = x.slots[:size]
		clear(x.slots)
	}
	x.mask = uint64(size - 1)
}

const highHalf = 0xFFFFFFFF << 32

// Add puts row under digest k. There must be room for it.
func (x *Index) Add(k uint64, row int) {
	at := k & x.mask
	for x.slots[at] != 0 {
		at = (at + 1) & x.mask
	}
	x.slots[at] = k&highHalf | uint64(uint32(row)+1)
}

// First returns a row that is under k, or under a digest that half equals it,
// and where Next goes on; -1 if there is none. Rows come in the order in which
// they were added.
func (x *Index) First(k uint64) (row int, at uint64) {
	if len(x.slots) == 0 {
		return -1, 0
	}
	return x.from(k, k&x.mask)
}

// Next returns the row after the one that First or Next returned with at.
func (x *Index) Next(k, at uint64) (row int, next uint64) {
	return x.from(k, (at+1)&x.mask)
}

func (x *Index) from(k, at uint64) (int, uint64) {
	for {
		s := x.slots[at]
		if s == 0 {
			return -1, at
		}
		if (s^k)&highHalf == 0 {
			return int(uint32(s)) - 1, at
		}
		at = (at + 1) & x.mask
	}
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
