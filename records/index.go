package records

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

// Build indexes all rows of t. Cost is linear.
func (x *Index) Build(t *Table) {
	x.Reset(t.Len())
	for row := 0; row < t.Len(); {
		run := t.Run(row)
		for _, k := range run.Keys {
			x.Add(k, row)
			row++
		}
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
