// Package slab hands out values in blocks, which are used again as long as nobody
// needs their memory for something else.
package slab

import "sync"

// A Pool holds blocks that are not in use, until a garbage collection takes them. The
// zero value is ready. It is safe for concurrent use.
type Pool[T any] struct{ blocks sync.Pool }

// Size is how many values a block has unless the slab says otherwise.
const Size = 512

// A Slab hands out values. The zero value is ready, and makes blocks of its own; one
// that is made with Pool takes and gives back those of the pool. It must not be used by
// two goroutines at once.
type Slab[T any] struct {
	Pool *Pool[T] // of blocks of one size
	Size int      // of a block, Size if it is 0

	free []T
	used []*[]T
}

// Take returns n zero values one behind another, with no room for more.
func (s *Slab[T]) Take(n int) []T {
	if len(s.free) < n {
		s.more(n)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

// One returns one zero value.
func (s *Slab[T]) One() *T {
	if len(s.free) == 0 {
		s.more(1)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

func (s *Slab[T]) more(n int) {
	size := s.Size
	if size == 0 {
		size = Size
	}
	if n > size {
		s.free = make([]T, n)
		return
	}
	var block *[]T
	if s.Pool != nil {
		block, _ = s.Pool.blocks.Get().(*[]T)
	}
	if block == nil {
		list := make([]T, size)
		block = &list
	}
	s.used = append(s.used, block)
	s.free = *block
}

// Release gives all blocks back. What was handed out must not be used any more.
func (s *Slab[T]) Release() {
	for i, block := range s.used {
		list := *block
		if i == len(s.used)-1 && len(s.free) <= len(list) && len(list) > 0 && len(s.free) > 0 && &list[len(list)-1] == &s.free[len(s.free)-1] {
			list = list[:len(list)-len(s.free)] // the rest is as it was made
		}
		clear(list)
		if s.Pool != nil {
			s.Pool.blocks.Put(block)
		}
	}
	s.free, s.used = nil, nil
}
