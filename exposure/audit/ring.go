package audit

import (
	"iter"
	"sync"
)

// A Ring keeps the latest entries in memory. Make one with [NewRing]. It is safe
// for concurrent use.
type Ring struct {
	mu      sync.Mutex
	entries []Entry // at most size, from next on when full
	size    int
	next    int
	total   int
}

// NewRing returns a ring of at most size entries, at least one.
func NewRing(size int) *Ring { return &Ring{size: max(size, 1)} }

// Append keeps e and forgets the oldest entry if there are too many. It never
// fails.
func (r *Ring) Append(e *Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	if len(r.entries) < r.size {
		r.entries = append(r.entries, *e)
		return nil
	}
	r.entries[r.next] = *e
	r.next = (r.next + 1) % r.size
	return nil
}

// Total returns how many entries were appended, forgotten ones included.
func (r *Ring) Total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// Recent returns the entries that are kept now, the latest first.
func (r *Ring) Recent() iter.Seq[Entry] {
	r.mu.Lock()
	list := make([]Entry, 0, len(r.entries))
	for i := len(r.entries) - 1; i >= 0; i-- {
		list = append(list, r.entries[(r.next+i)%len(r.entries)])
	}
	r.mu.Unlock()
	return func(yield func(Entry) bool) {
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}
