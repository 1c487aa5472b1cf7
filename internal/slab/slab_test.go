package slab

import "testing"

// TestTake shows that values are zero and do not overlap, also when blocks are used
// again.
func TestTake(t *testing.T) {
	var pool Pool[int]
	for range 3 {
		s := Slab[int]{Pool: &pool}
		n, seen := 0, map[*int]bool{}
		for _, count := range []int{1, 511, 1, 0, 300, 300, 2000, 5, Size, Size + 1} {
			list := s.Take(count)
			if len(list) != count || cap(list) != count {
				t.Fatalf("%d values with room for %d, want %d", len(list), cap(list), count)
			}
			for i := range list {
				if list[i] != 0 || seen[&list[i]] {
					t.Fatalf("value %d of %d is %d, seen %v", i, count, list[i], seen[&list[i]])
				}
				seen[&list[i]] = true
				n++
				list[i] = n
			}
			if one := s.One(); *one != 0 || seen[one] {
				t.Fatalf("one behind %d is %d, seen %v", count, *one, seen[one])
			} else {
				seen[one] = true
				*one = -1
			}
		}
		s.Release()
	}
}

// TestAlloc pins that a pool's blocks are used again.
func TestAlloc(t *testing.T) {
	var pool Pool[[4]string]
	s := Slab[[4]string]{Pool: &pool}
	all := func() {
		for range 20 * Size {
			s.One()
		}
		s.Release()
	}
	all()
	// The list of used blocks is made anew, and a collection may take some blocks.
	if n := testing.AllocsPerRun(10, all); n > 15 {
		t.Errorf("%v allocations for 20 blocks", n)
	}
}
