package records

import (
	"errors"
	"hash/maphash"
	"math"
	"slices"
)

// ErrTooLarge reports a table of more than 4 GiB.
var ErrTooLarge = errors.New("table too large")

// A Builder makes tables row by row. The zero value is ready. It must not be
// used by two goroutines at once.
//
// For each row: Begin, then Field and exactly one value appended to Buf for
// each field, then End or Cancel.
//
// A finished table owns its memory, and the builder starts afresh; a table that
// nobody uses any more may be given back with Recycle. The builder keeps the
// layouts it has seen, so that rows alike cost no more than copying their values
// and tables made by one builder share their classes.
type Builder struct {
	// Buf is where the values of the open row are appended.
	Buf []byte

	off     []uint32
	class   []uint32
	sum     []uint64
	key     []uint64
	repeats []uint32

	path    map[string]bool // the names on the way to pathEnd
	pathEnd *layout

	root    *layout
	at      *layout // of the open row
	layouts int     // nodes below root
	classes []*Class
	byClass map[classKey]uint32

	lastSize, lastRows int // of the table finished last

	scope     string
	scopeHash uint64
	start     int
	like      *Layout // of the open row, if BeginLike opened it
	idHash    uint64
	idLen     int
	noID      int // rows without an id
	era       uint64
	index     Index
	err       error
}

// A layout is a node of the tree of field-name sequences that were seen.
type layout struct {
	name   string
	parent *layout
	depth  int
	last   *layout            // the child taken last: nearly always the right guess
	kids   map[string]*layout // nil while there is at most one
	scope  string             // with number and salt, the class found last for this layout
	number uint32
	salt   uint64
	known  bool
	broken bool // some name on the way here is not valid UTF-8
}

type classKey struct {
	at    *layout
	scope string
}

// maxLayouts bounds the layouts kept from one table to the next.
const maxLayouts = 1 << 16

// Err returns the first failure since the last Finish.
func (b *Builder) Err() error { return b.err }

// Len returns the number of rows ended since the last Finish.
func (b *Builder) Len() int { return len(b.class) }

// Begin opens a row of the given scope. An empty id means that the row has none.
func (b *Builder) Begin(scope, id string) {
	b.begin(scope)
	b.Buf = appendID(b.Buf, id)
	b.idHash, b.idLen = maphash.String(seed, id), len(id)
}

// BeginBytes is Begin without making strings. It keeps neither argument.
func (b *Builder) BeginBytes(scope, id []byte) {
	if b.scope == string(scope) {
		b.begin(b.scope)
	} else {
		b.begin(string(scope))
	}
	b.Buf = appendID(b.Buf, id)
	b.idHash, b.idLen = maphash.Bytes(seed, id), len(id)
}

// BeginIn is Begin for an id in bytes, which it does not keep.
func (b *Builder) BeginIn(scope string, id []byte) {
	b.begin(scope)
	b.Buf = appendID(b.Buf, id)
	b.idHash, b.idLen = maphash.Bytes(seed, id), len(id)
}

// Scope returns the scope of the open row.
func (b *Builder) Scope() string { return b.scope }

// Rescope puts the open row into another scope.
func (b *Builder) Rescope(scope string) {
	if scope != b.scope {
		b.scope, b.scopeHash = scope, maphash.String(seed, scope)
	}
}

// ID returns the id of the open row, which aliases Buf.
func (b *Builder) ID() []byte {
	id, _ := uvarintText(b.Buf[b.start:])
	return id
}

// Grow makes room for rows more rows of size bytes together.
func (b *Builder) Grow(rows, size int) {
	b.Buf = slices.Grow(b.Buf, size)
	b.off, b.class = slices.Grow(b.off, rows+1), slices.Grow(b.class, rows)
	b.sum, b.key = slices.Grow(b.sum, rows), slices.Grow(b.key, rows)
}

// LastKey returns the digest of the key of the row ended last, as [Table.Keys]
// has it; 0 if there is none.
func (b *Builder) LastKey() uint64 {
	if len(b.key) == 0 {
		return 0
	}
	return b.key[len(b.key)-1]
}

// CopyRows appends rows from to from+n of t, which this builder must have made.
// It reports false, and does nothing, if it has forgotten their layouts since.
func (b *Builder) CopyRows(t *Table, from, n int) bool {
	if len(t.classes) > len(b.classes) || len(t.classes) > 0 && &t.classes[0] != &b.classes[0] {
		for _, c := range t.class[from : from+n] {
			if int(c) >= len(b.classes) || b.classes[c] != t.classes[c] {
				return false
			}
		}
	}
	if n == 0 {
		return true
	}
	start, end := t.off[from], t.off[from+n]
	if uint64(len(b.Buf))+uint64(end-start) > math.MaxUint32 {
		b.fail(ErrTooLarge)
		return true
	}
	if len(b.off) == 0 {
		b.firstRow()
	}
	if t.noID > 0 {
		for i := from; i < from+n; i++ {
			if t.arena[t.off[i]] == 0 {
				b.noID++
			}
		}
	}
	shift := uint32(len(b.Buf)) - start
	b.Buf = append(b.Buf, t.arena[start:end]...)
	for _, off := range t.off[from+1 : from+n+1] {
		b.off = append(b.off, off+shift)
	}
	b.class = append(b.class, t.class[from:from+n]...)
	b.sum = append(b.sum, t.sum[from:from+n]...)
	b.key = append(b.key, t.key[from:from+n]...)
	return true
}

// A Layout is the scope and the fields announced for a row. It belongs to the
// builder and is valid until Finish or Discard.
type Layout struct {
	at        *layout
	scope     string
	scopeHash uint64
	number    uint32
	salt      uint64
}

// Layout returns the layout of the open row.
func (b *Builder) Layout() Layout {
	if !b.at.known || b.at.scope != b.scope {
		b.findClass()
	}
	return Layout{b.at, b.scope, b.scopeHash, b.at.number, b.at.salt}
}

// NewLayout returns the layout of rows of this scope and these fields. No row may
// be open. It fails with [ErrRepeated] if two names are the same.
func (b *Builder) NewLayout(scope string, names []string) (Layout, error) {
	failed := b.err
	b.err = nil
	b.begin(scope)
	for _, name := range names {
		b.Field(name)
	}
	err := b.err
	b.err = failed
	return b.Layout(), err
}

// Era changes whenever the builder forgets its layouts.
func (b *Builder) Era() uint64 { return b.era }

// BeginOf is [Builder.BeginLike] for an id in a string.
func (b *Builder) BeginOf(l *Layout, id string) {
	b.beginLike(l)
	b.Buf = appendID(b.Buf, id)
	b.idHash, b.idLen = maphash.String(seed, id), len(id)
}

// BeginLike opens a row of this layout, whose fields are thereby announced: their
// values must be appended to Buf in order.
func (b *Builder) BeginLike(l *Layout, id []byte) {
	b.beginLike(l)
	b.Buf = appendID(b.Buf, id)
	b.idHash, b.idLen = maphash.Bytes(seed, id), len(id)
}

func (b *Builder) beginLike(l *Layout) {
	if len(b.off) == 0 {
		b.firstRow()
	}
	if b.at != l.at {
		b.at = l.at
	}
	if b.scopeHash != l.scopeHash {
		b.scope, b.scopeHash = l.scope, l.scopeHash
	}
	b.like = l
	b.start = len(b.Buf)
}

// Open returns the bytes of the open row, which alias Buf.
func (b *Builder) Open() []byte { return b.Buf[b.start:] }

// OpenFields returns the names announced for the open row.
func (b *Builder) OpenFields() []string {
	names := make([]string, b.at.depth)
	for n := b.at; n != b.root; n = n.parent {
		names[n.depth-1] = n.name
	}
	return names
}

// IntactFields reports whether the names announced for the open row are valid
// UTF-8.
func (b *Builder) IntactFields() bool { return !b.at.broken }

// FieldName returns the name that was announced last for the open row.
func (b *Builder) FieldName() string { return b.at.name }

func (b *Builder) begin(scope string) {
	if b.root == nil {
		b.root = &layout{}
		b.byClass = map[classKey]uint32{}
	}
	if len(b.off) == 0 {
		b.firstRow()
	}
	if scope != b.scope || b.scopeHash == 0 {
		b.scope, b.scopeHash = scope, maphash.String(seed, scope)
	}
	b.at = b.root
	b.like = nil
	b.start = len(b.Buf)
}

// firstRow makes the columns ready for a first row.
func (b *Builder) firstRow() {
	if b.off == nil {
		b.makeRoom()
	}
	b.off = append(b.off, 0)
}

// makeRoom makes room for a table a little larger than the last one.
func (b *Builder) makeRoom() {
	rows := b.lastRows + b.lastRows/16
	b.Buf = make([]byte, 0, b.lastSize+b.lastSize/16)
	b.off = make([]uint32, 0, rows+1)
	b.class = make([]uint32, 0, rows)
	b.sum = make([]uint64, 0, rows)
	b.key = make([]uint64, 0, rows)
}

// Field announces the open row's next field, whose value must be appended to
// Buf. It reports false, and the value must not be appended, if the row has a
// field of that name; Err then returns [ErrRepeated].
func (b *Builder) Field(name string) bool {
	k := b.at.last
	if k == nil || k.name != name {
		return b.slowField(name)
	}
	b.at = k
	return true
}

// FieldBytes is Field without making a string of a name seen before.
func (b *Builder) FieldBytes(name []byte) bool {
	if k := b.at.last; k != nil && k.name == string(name) {
		b.at = k
		return true
	}
	if k := b.at.kids[string(name)]; k != nil {
		b.at.last = k
		b.at = k
		return true
	}
	return b.slowField(string(name))
}

func (b *Builder) slowField(name string) bool {
	k := b.at.kids[name]
	if k == nil {
		if b.taken(name) {
			b.fail(ErrRepeated)
			return false
		}
		k = &layout{name: name, parent: b.at, depth: b.at.depth + 1, broken: b.at.broken || !Intact(name)}
		if only := b.at.last; only != nil {
			if b.at.kids == nil {
				b.at.kids = map[string]*layout{only.name: only}
			}
			b.at.kids[name] = k
		}
		if b.pathEnd == b.at {
			b.path[name] = true
			b.pathEnd = k
		}
		b.layouts++
	}
	b.at.last = k
	b.at = k
	return true
}

// manyFields is how many fields a row may have before their names are looked up
// in a map rather than one by one.
const manyFields = 32

// taken reports whether the open row has a field of that name.
func (b *Builder) taken(name string) bool {
	if b.at.depth < manyFields {
		for n := b.at; n != b.root; n = n.parent {
			if n.name == name {
				return true
			}
		}
		return false
	}
	if b.pathEnd != b.at {
		b.pathEnd, b.path = b.at, make(map[string]bool, 2*manyFields)
		for n := b.at; n != b.root; n = n.parent {
			b.path[n.name] = true
		}
	}
	return b.path[name]
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Cancel drops the open row.
func (b *Builder) Cancel() { b.Buf = b.Buf[:b.start] }

// End closes the open row.
func (b *Builder) End() {
	if uint64(len(b.Buf)) > math.MaxUint32 {
		b.fail(ErrTooLarge)
		b.Cancel()
		return
	}
	if b.idLen == 0 {
		b.noID++
	}
	number, salt := b.openClass()
	b.off = append(b.off, uint32(len(b.Buf)))
	b.class = append(b.class, number)
	b.sum = append(b.sum, mixKey(salt, maphash.Bytes(seed, b.Buf[b.start:])))
	b.key = append(b.key, mixKey(b.scopeHash, b.idHash))
}

// openClass returns number and salt of the open row's class.
func (b *Builder) openClass() (number uint32, salt uint64) {
	if l := b.like; l != nil && l.at == b.at && l.scopeHash == b.scopeHash {
		return l.number, l.salt
	}
	if !b.at.known || b.at.scope != b.scope {
		b.findClass()
	}
	return b.at.number, b.at.salt
}

// findClass sets the class of the open row's layout and scope.
func (b *Builder) findClass() {
	key := classKey{b.at, b.scope}
	number, ok := b.byClass[key]
	if !ok {
		number = uint32(len(b.classes))
		b.byClass[key] = number
		c := &Class{scope: b.scope, fields: make([]string, b.at.depth)}
		for n := b.at; n != b.root; n = n.parent {
			c.fields[n.depth-1] = n.name
		}
		c.salt = c.digest()
		b.classes = append(b.classes, c)
	}
	b.at.scope, b.at.number, b.at.salt, b.at.known = b.scope, number, b.classes[number].salt, true
}

// Finish returns the rows as a table and makes b ready for the next one.
func (b *Builder) Finish() (*Table, error) {
	if b.err != nil {
		err := b.err
		b.reset()
		return nil, err
	}
	if len(b.off) == 0 {
		b.off = append(b.off, 0)
	}
	t := &Table{arena: b.Buf, off: b.off, class: b.class, sum: b.sum, key: b.key,
		classes: slices.Clip(b.classes), noID: b.noID}
	b.findRepeats(t)
	t.repeats = b.repeats
	b.Buf, b.off, b.class, b.sum, b.key = nil, nil, nil, nil, nil
	b.lastSize, b.lastRows = len(t.arena), t.Len()
	b.repeats, b.noID = nil, 0
	b.forgetLayouts()
	return t, nil
}

// Recycle takes back the memory of t, which nobody may use any more. Builds with
// the race detector or the tag pagestate_checked overwrite it, so that a row or
// value that somebody kept reads as nonsense or panics at once.
func (b *Builder) Recycle(t *Table) {
	if checked {
		t.scribble()
	}
	b.Buf, b.off, b.class = t.arena[:0], t.off[:0], t.class[:0]
	b.sum, b.key, b.repeats = t.sum[:0], t.key[:0], t.repeats[:0]
	*t = Table{}
}

// scribble overwrites the table's memory, also that past its rows.
func (t *Table) scribble() {
	fill(t.arena[:cap(t.arena)], 0xFF) // no tag of a value
	fill(t.off[:cap(t.off)], 0xFFFFFFFF)
	fill(t.class[:cap(t.class)], 0xFFFFFFFF)
	fill(t.sum[:cap(t.sum)], 0xDEAD)
	fill(t.key[:cap(t.key)], 0xDEAD)
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// Discard drops all rows and failures since the last Finish.
func (b *Builder) Discard() { b.reset() }

func (b *Builder) reset() {
	b.Buf, b.off, b.class, b.sum, b.key = b.Buf[:0], b.off[:0], b.class[:0], b.sum[:0], b.key[:0]
	b.repeats, b.err, b.noID = b.repeats[:0], nil, 0
	b.forgetLayouts()
}

// forgetLayouts keeps a page that never repeats a layout from filling memory.
func (b *Builder) forgetLayouts() {
	if b.layouts > maxLayouts || len(b.classes) > maxLayouts {
		b.root, b.at, b.byClass, b.classes, b.layouts = nil, nil, nil, nil, 0
		b.path, b.pathEnd = nil, nil
		b.scopeHash = 0
		b.era++
	}
}

// findRepeats lists the rows whose key an earlier row has.
func (b *Builder) findRepeats(t *Table) {
	x := &b.index
	x.resize(len(t.key) + len(t.key)/3 + 1) // few look-ups: small rather than fast
	b.repeats = b.repeats[:0]
rows:
	for row, k := range t.key {
		if t.noID > 0 && t.arena[t.off[row]] == 0 {
			continue
		}
		at := k & x.mask
		for ; x.slots[at] != 0; at = (at + 1) & x.mask {
			if (x.slots[at]^k)&highHalf != 0 {
				continue
			}
			if first := int(uint32(x.slots[at])) - 1; t.key[first] == k && t.SameKey(row, t, first) {
				b.repeats = append(b.repeats, uint32(row))
				continue rows
			}
		}
		x.slots[at] = k&highHalf | uint64(uint32(row)+1)
	}
}
