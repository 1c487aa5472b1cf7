package bench

import (
	"runtime"
	"runtime/debug"
	"time"
)

// repeat returns a batch of calls of f.
func repeat(f func()) func(n int) {
	return func(n int) {
		for range n {
			f()
		}
	}
}

// Interleave measures functions in turn, so that what slows the machine for a
// while slows all of them. It returns for each what a call took in each of so
// many samples, in nanoseconds. A sample takes about as long as each says, or one
// call. It starts without garbage, and pays for collecting its own as far as that
// falls into it.
func Interleave(samples int, each time.Duration, fns ...func()) [][]float64 {
	batches := make([]func(int), len(fns))
	for i, f := range fns {
		batches[i] = repeat(f)
	}
	return interleave(samples, each, runtime.GC, batches...)
}

// interleave calls prepare before each sample.
func interleave(samples int, each time.Duration, prepare func(), batches ...func(n int)) [][]float64 {
	lists, reps := make([][]float64, len(batches)), make([]int, len(batches))
	for i, f := range batches {
		f(1) // warm
		reps[i] = calls(f, each)
	}
	for range samples {
		for i, f := range batches {
			prepare()
			took := timed(f, reps[i])
			lists[i] = append(lists[i], float64(took.Nanoseconds())/float64(reps[i]))
		}
	}
	return lists
}

// mostGarbage is after how many bytes of it garbage is collected.
const mostGarbage = 16 << 20

// stopCollector stops the collection of garbage, except that collect does it when
// there is much; start makes things as they were. When a collection falls is
// chance, and what is allocated is counted anyway.
func stopCollector() (collect, start func()) {
	old := debug.SetGCPercent(-1)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	last := m.TotalAlloc
	collect = func() {
		if runtime.ReadMemStats(&m); m.TotalAlloc-last > mostGarbage {
			runtime.GC()
			last = m.TotalAlloc
		}
	}
	return collect, func() { debug.SetGCPercent(old) }
}

// calls returns how many calls take about as long as each says, at least one.
func calls(f func(n int), each time.Duration) int {
	const most = 1 << 26
	for n := 1; ; {
		took := max(1, timed(f, n))
		want := int(min(most, int64(n)*int64(each)/int64(took)))
		if took >= each/2 || n >= most {
			return max(1, want)
		}
		n = max(2*n, min(100*n, want))
	}
}

// timed returns how long n calls take.
func timed(f func(n int), n int) time.Duration {
	start := time.Now()
	f(n)
	return time.Since(start)
}

// Allocations returns how many objects and bytes one call of f allocates once it
// is warm: the least of several calls, as other goroutines allocate too.
func Allocations(f func()) (objects, bytes int64) {
	f()
	f()
	var before, after runtime.MemStats
	for i := range 5 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		n, size := int64(after.Mallocs-before.Mallocs), int64(after.TotalAlloc-before.TotalAlloc)
		if i == 0 || n < objects || n == objects && size < bytes {
			objects, bytes = n, size
		}
	}
	return objects, bytes
}
