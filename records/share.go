package records

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"sync/atomic"
)

// A block is the memory of rows: those that one table was made of, all but the rows
// that it found in earlier ones.
type block struct {
	arena  []byte
	off    []uint32 // len = rows+1; row i is arena[off[i]:off[i+1]]
	class  []uint32
	sum    []uint64
	key    []uint64
	tables atomic.Int32 // that have rows here and were not recycled
}

func (k *block) row(i int) []byte { return k.arena[k.off[i]:k.off[i+1]] }

// cost returns the bytes that the block keeps from being freed.
func (k *block) cost() int { return len(k.arena) + perRow*len(k.class) }

// perRow is what a row takes beyond its bytes.
const perRow = 24

// A piece is where rows of a table are, up to those of the next piece.
type piece struct {
	block *block
	start uint32 // the first row in the table
	from  uint32 // and in the block
}

// find is Ref for a table whose rows are in several places. Ref is inlined because it
// is not.
//
//go:noinline
func (t *Table) find(i int) Ref {
	k, at, _ := t.stretch(i)
	return Ref{k, at}
}

// stretch returns where row i is, and how many rows from it on follow each other
// there. Its cost is logarithmic in the number of pieces.
func (t *Table) stretch(i int) (k *block, at, n int) {
	if uint(i) >= uint(t.rows) {
		panic("records: row out of range")
	}
	if t.flat != nil {
		return t.flat, i, t.rows - i
	}
	p := t.pieceOf(i)
	return t.pieces[p].block, i - int(t.pieces[p].start) + int(t.pieces[p].from), t.endOf(p) - i
}

// pieceOf returns the piece that row i is in.
func (t *Table) pieceOf(i int) int {
	lo, hi := 0, len(t.pieces)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; int(t.pieces[mid].start) <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// endOf returns the row after those of piece p.
func (t *Table) endOf(p int) int {
	if p+1 < len(t.pieces) {
		return int(t.pieces[p+1].start)
	}
	return t.rows
}

// blocks yields each block that the table has rows in once.
func (t *Table) blocks() iter.Seq[*block] {
	return func(yield func(*block) bool) {
		if t.flat != nil {
			yield(t.flat)
			return
		}
		seen := make(map[*block]bool, len(t.pieces))
		for _, p := range t.pieces {
			if !seen[p.block] {
				seen[p.block] = true
				if !yield(p.block) {
					return
				}
			}
		}
	}
}

// A Common is rows that two tables share: N rows from Row on of the one are those from
// Other on of the other.
type Common struct{ Row, Other, N int }

// AppendCommon appends the rows that t and u share, in the order of both: rows that lie
// in one memory, and are therefore the same. What moved past others may be left out.
// The cost goes with the number of places that the rows are in, not with that of rows.
func (t *Table) AppendCommon(dst []Common, u *Table) []Common {
	var one, other [1]piece
	tp, up := t.places(&one), u.places(&other)
	view := Table{pieces: tp, rows: t.rows}
	p, next := 0, 0 // of t: the first row that is not passed yet, and its piece
	for q := range up {
		k, from := up[q].block, int(up[q].from)
		row, end := int(up[q].start), u.rows
		if q+1 < len(up) {
			end = int(up[q+1].start)
		}
		for x := p; x < min(p+reach, len(tp)) && row < end; x++ {
			if tp[x].block != k {
				continue
			}
			start := max(int(tp[x].start), next)
			there := int(tp[x].from) + start - int(tp[x].start)
			here := from + row - int(up[q].start)
			lo := max(there, here)
			hi := min(there+view.endOf(x)-start, from+end-int(up[q].start))
			if lo >= hi {
				continue
			}
			dst = append(dst, Common{start + lo - there, row + lo - here, hi - lo})
			row += hi - here
			p, next = x, start+hi-there
		}
	}
	return dst
}

// places returns the pieces of t; it makes one of a flat table's rows.
func (t *Table) places(one *[1]piece) []piece {
	if t.flat == nil || t.rows == 0 {
		return t.pieces
	}
	one[0] = piece{block: t.flat}
	return one[:]
}

// A sharer is what a builder knows while its rows may be those of an earlier table.
type sharer struct {
	own    *block // in pieces, stands for the builder's own rows
	pieces []piece
	rows   int
	last   *block // of the last piece, and
	end    int    // the row after those of it

	earlier *Table
	next    int    // row of the earlier table that is expected next,
	block   *block // where it is,
	at      int
	left    int // and how many rows follow it there, itself included

	misses int // rows in turn that were not there
	jumps  int // rows in turn that were somewhere else
	most   int // pieces
	index  *Index
}

const (
	// reach is how far ahead a row, or a piece, is looked for.
	reach = 32
	// missesNear and missesIndex are after how many rows in turn that were not found
	// rows are expected at one place only, and then looked for everywhere.
	missesNear  = 8
	missesIndex = 64
	// maxJumps is after how many rows in turn that were somewhere else rows are taken
	// to be shuffled: none is shared then.
	maxJumps = 16
)

// Follow makes the next table share the memory of rows that earlier has too, so that
// tables that are kept take memory for what is new in each. Call it before the first
// row. earlier must be made by b; Follow reports false, and nothing is shared, if it is
// not, or b has forgotten its layouts since.
//
// Rows are shared if their scopes, fields and bytes are the same. If too little is
// shared, or in too small pieces, the table gets memory of its own, so that none keeps
// more than twice its size from being freed.
func (b *Builder) Follow(earlier *Table) bool {
	if earlier.rows == 0 || len(b.class) > 0 || len(earlier.classes) > len(b.classes) ||
		!slices.Equal(earlier.classes, b.classes[:len(earlier.classes)]) {
		return false
	}
	b.earlier = earlier
	b.shares = &sharer{own: &block{}, earlier: earlier, most: 64 + 8*int(math.Sqrt(float64(earlier.rows)))}
	b.shares.expect(0)
	return true
}

// Take adds rows from to from+n of the table that is followed, as they are. It reports
// false, and does nothing, if none is.
func (b *Builder) Take(from, n int) bool {
	if b.earlier == nil {
		return false
	}
	if s := b.shares; s != nil {
		s.expect(from + n)
	}
	for n > 0 {
		k, at, have := b.earlier.stretch(from)
		have = min(have, n)
		if b.earlier.noID > 0 {
			for i := at; i < at+have; i++ {
				if k.arena[k.off[i]] == 0 {
					b.noID++
				}
			}
		}
		if b.shares != nil {
			b.shares.add(k, at, have)
		} else {
			b.copyRows(k, at, have)
		}
		from, n = from+have, n-have
	}
	b.limitPieces()
	return true
}

// copyRows appends rows of k.
func (b *Builder) copyRows(k *block, from, n int) {
	start, end := k.off[from], k.off[from+n]
	if uint64(len(b.Buf))+uint64(end-start) > math.MaxUint32 {
		b.fail(ErrTooLarge)
		return
	}
	if len(b.off) == 0 {
		b.firstRow()
	}
	shift := uint32(len(b.Buf)) - start
	b.Buf = append(b.Buf, k.arena[start:end]...)
	for _, off := range k.off[from+1 : from+n+1] {
		b.off = append(b.off, off+shift)
	}
	b.class = append(b.class, k.class[from:from+n]...)
	b.sum = append(b.sum, k.sum[from:from+n]...)
	b.key = append(b.key, k.key[from:from+n]...)
}

// endNext closes the open row if it is the one that is expected. No digest is made.
func (b *Builder) endNext(number uint32) bool {
	s := b.shares
	if s.left == 0 || s.block.class[s.at] != number || !bytes.Equal(s.block.row(s.at), b.Buf[b.start:]) {
		return false
	}
	b.Buf = b.Buf[:b.start]
	s.add(s.block, s.at, 1)
	s.pass()
	b.limitPieces()
	return true
}

// endShared closes the open row: as a row of the earlier table, or as one of b's own.
func (b *Builder) endShared(number uint32, sum, key uint64) {
	if b.shares.find(key) {
		if b.endNext(number) {
			return
		}
		b.shares.pass()
	}
	b.shares.add(b.shares.own, len(b.class), 1)
	b.append(number, sum, key)
	b.limitPieces()
}

// expect makes row of the earlier table the next one.
func (s *sharer) expect(row int) {
	s.next, s.left = row, 0
	if row < s.earlier.rows {
		s.block, s.at, s.left = s.earlier.stretch(row)
	}
}

// pass expects the row after the next one.
func (s *sharer) pass() {
	s.next++
	s.at++
	if s.left--; s.left == 0 {
		s.expect(s.next)
	}
}

// find makes the row of this key in the earlier table the next one, and reports whether
// there is one near, or at all.
func (s *sharer) find(key uint64) bool {
	ahead := reach
	if s.misses > missesNear {
		ahead = 1
	}
	was := s.next
	for i := 0; i < ahead && s.left > 0; i++ {
		if s.block.key[s.at] == key {
			s.misses, s.jumps = 0, 0
			return true
		}
		s.pass()
	}
	if s.misses++; s.misses > missesIndex {
		if s.index == nil {
			s.index = &Index{}
			s.index.Build(s.earlier)
		}
		for row, at := s.index.First(key); row >= 0; row, at = s.index.Next(key, at) {
			if s.earlier.Key(row) == key {
				s.jumps++
				s.expect(row)
				return true
			}
		}
	}
	s.expect(was)
	return false
}

// add adds n rows of k.
func (s *sharer) add(k *block, from, n int) {
	if k != s.last || from != s.end {
		s.pieces = append(s.pieces, piece{k, uint32(s.rows), uint32(from)})
		s.last = k
	}
	s.end = from + n
	s.rows += n
}

func (s *sharer) lastKey(b *Builder) uint64 {
	if s.rows == 0 {
		return 0
	}
	p := &s.pieces[len(s.pieces)-1]
	if p.block == s.own {
		return b.key[len(b.key)-1]
	}
	return p.block.key[int(p.from)+s.rows-1-int(p.start)]
}

// limitPieces stops sharing when the rows are in too many pieces for that to pay, or
// will be.
func (b *Builder) limitPieces() {
	if s := b.shares; s != nil && (len(s.pieces) > s.most || s.jumps > maxJumps) {
		b.unshare(b.earlier.rows, b.earlier.size)
	}
}

// unshare gives b rows of its own instead of those that are shared, and room for as
// many in all as it is told to expect.
func (b *Builder) unshare(rows, size int) {
	s := b.shares
	b.shares = nil
	if s == nil || len(s.pieces) == 0 || len(s.pieces) == 1 && s.pieces[0].block == s.own {
		return
	}
	s.keepOwn(b)
	view := Table{pieces: s.pieces, rows: s.rows}
	rows, size = max(rows, s.rows), max(size, view.count())
	b.Buf, b.off, b.class, b.sum, b.key = b.Buf[:0], b.off[:0], b.class[:0], b.sum[:0], b.key[:0]
	b.Grow(rows+rows/16, size+size/16)
	for row := 0; row < s.rows; {
		k, at, n := view.stretch(row)
		b.copyRows(k, at, n)
		row += n
	}
}

// keepOwn copies b's own rows to their block.
func (s *sharer) keepOwn(b *Builder) {
	*s.own = block{arena: slices.Clone(b.Buf), off: slices.Clone(b.off), class: slices.Clone(b.class),
		sum: slices.Clone(b.sum), key: slices.Clone(b.key)}
}

// count returns the bytes of the rows.
func (t *Table) count() int {
	size := 0
	for row := 0; row < t.rows; {
		k, at, n := t.stretch(row)
		size += int(k.off[at+n] - k.off[at])
		row += n
	}
	return size
}

// placeShared puts the rows into t, if sharing pays; otherwise it gives b rows of its
// own and reports false.
func (b *Builder) placeShared(t *Table) bool {
	s := b.shares
	own := len(b.class) > 0
	if !own && s.rows == 0 || own && len(s.pieces) == 1 {
		return false // nothing is shared
	}
	if own {
		s.keepOwn(b) // the builder's memory has room for more
	}
	*t = Table{pieces: slices.Clone(s.pieces), rows: s.rows}
	t.size = t.count()
	held := 0
	for k := range t.blocks() {
		held += k.cost()
	}
	if held > 2*(t.size+perRow*t.rows) {
		*t = Table{}
		b.unshare(0, 0)
		return false
	}
	for k := range t.blocks() {
		k.tables.Add(1)
	}
	if k := t.pieces[0].block; len(t.pieces) == 1 && len(k.class) == t.rows {
		t.flat, t.pieces = k, nil // from its first row on, there being no more
	}
	b.Buf, b.off, b.class, b.sum, b.key = b.Buf[:0], b.off[:0], b.class[:0], b.sum[:0], b.key[:0]
	return true
}
