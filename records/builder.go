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

	earlier *Table  // the one that is followed, if any
	shares  *sharer // nil unless rows of it are shared

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
func (b *Builder) Len() int {
	if b.shares != nil {
		return b.shares.rows
	}
	return len(b.class)
}

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

// Grow makes room for rows more rows of size bytes together, unless most rows have
// been shared so far.
func (b *Builder) Grow(rows, size int) {
	if b.shares != nil && 2*len(b.class) < b.shares.rows {
		return
	}
	b.Buf = slices.Grow(b.Buf, size)
	b.off, b.class = slices.Grow(b.off, rows+1), slices.Grow(b.class, rows)
	b.sum, b.key = slices.Grow(b.sum, rows), slices.Grow(b.key, rows)
}

// LastKey returns the digest of the key of the row ended last, as [Run] has it; 0 if
// there is none.
func (b *Builder) LastKey() uint64 {
	if b.shares != nil {
		return b.shares.lastKey(b)
	}
	if len(b.key) == 0 {
		return 0
	}
	return b.key[len(b.key)-1]
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
	rows, size := b.lastRows+b.lastRows/16, b.lastSize+b.lastSize/16
	if b.shares != nil {
		rows, size = rows/16, size/16 // most of them are shared
	}
	b.Buf = make([]byte, 0, size)
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
	if s := b.shares; s != nil && b.endNext(number) {
		s.misses, s.jumps = 0, 0
		return
	}
	sum := mixKey(salt, maphash.Bytes(seed, b.Buf[b.start:]))
	key := mixKey(b.scopeHash, b.idHash)
	if b.shares != nil {
		b.endShared(number, sum, key)
		return
	}
	b.append(number, sum, key)
}

// append adds the open row to the columns.
func (b *Builder) append(number uint32, sum, key uint64) {
	b.off = append(b.off, uint32(len(b.Buf)))
	b.class = append(b.class, number)
	b.sum = append(b.sum, sum)
	b.key = append(b.key, key)
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
	t := &Table{}
	if b.err == nil {
		b.place(t)
	}
	if b.err != nil { // maybe only now
		err := b.err
		b.reset()
		return nil, err
	}
	t.classes, t.noID = slices.Clip(b.classes), b.noID
	b.findRepeats(t)
	t.repeats = b.repeats
	b.repeats, b.noID = nil, 0
	b.earlier, b.shares = nil, nil
	b.forgetLayouts()
	return t, nil
}

// place puts the rows into t.
func (b *Builder) place(t *Table) {
	if b.shares != nil && b.placeShared(t) || b.err != nil {
		return
	}
	if len(b.off) == 0 {
		b.off = append(b.off, 0)
	}
	if b.earlier != nil && cap(b.Buf) > len(b.Buf)*9/8+4096 {
		// Room was made step by step, not for a table like the last one.
		b.Buf, b.off, b.class = slices.Clone(b.Buf), slices.Clone(b.off), slices.Clone(b.class)
		b.sum, b.key = slices.Clone(b.sum), slices.Clone(b.key)
	}
	t.flat = &block{arena: b.Buf, off: b.off, class: b.class, sum: b.sum, key: b.key}
	t.flat.tables.Store(1)
	t.rows, t.size = len(b.class), len(b.Buf)
	b.Buf, b.off, b.class, b.sum, b.key = nil, nil, nil, nil, nil
	b.lastSize, b.lastRows = t.size, t.rows
}

// Recycle takes back the memory of t, which nobody may use any more, but for rows that
// other tables share. Builds with the race detector or the tag pagestate_checked
// overwrite it, so that a row or value that somebody kept reads as nonsense or panics
// at once.
func (b *Builder) Recycle(t *Table) {
	if b.earlier == t {
		b.unshare(0, 0)
		b.earlier = nil
	}
	for k := range t.blocks() {
		if k.tables.Add(-1) > 0 {
			continue
		}
		if checked {
			k.scribble()
		}
		if len(b.off) == 0 && cap(k.arena) >= cap(b.Buf) && cap(k.class) >= cap(b.class) {
			b.Buf, b.off, b.class = k.arena[:0], k.off[:0], k.class[:0]
			b.sum, b.key = k.sum[:0], k.key[:0]
		}
	}
	if len(b.repeats) == 0 {
		b.repeats = t.repeats[:0]
	}
	*t = Table{}
}

// scribble overwrites the block's memory, also that past its rows.
func (k *block) scribble() {
	fill(k.arena[:cap(k.arena)], 0xFF) // no tag of a value
	fill(k.off[:cap(k.off)], 0xFFFFFFFF)
	fill(k.class[:cap(k.class)], 0xFFFFFFFF)
	fill(k.sum[:cap(k.sum)], 0xDEAD)
	fill(k.key[:cap(k.key)], 0xDEAD)
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
	b.earlier, b.shares = nil, nil
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
	x.resize(t.rows + t.rows/3 + 1) // few look-ups: small rather than fast
	b.repeats = b.repeats[:0]
	for row := 0; row < t.rows; {
		k, at, n := t.stretch(row)
		b.findRepeatsIn(t, k, at, n, row)
		row += n
	}
}

// findRepeatsIn does so for n rows of a block, which are those of t from row on.
func (b *Builder) findRepeatsIn(t *Table, rows *block, from, n, row int) {
	x := &b.index
rows:
	for i, k := range rows.key[from : from+n] {
		if t.noID > 0 && rows.arena[rows.off[from+i]] == 0 {
			continue
		}
		at := k & x.mask
		for ; x.slots[at] != 0; at = (at + 1) & x.mask {
			if (x.slots[at]^k)&highHalf != 0 {
				continue
			}
			if first := int(uint32(x.slots[at])) - 1; t.SameKey(row+i, t, first) {
				b.repeats = append(b.repeats, uint32(row+i))
				continue rows
			}
		}
		x.slots[at] = k&highHalf | uint64(uint32(row+i)+1)
	}
}
