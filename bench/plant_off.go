//go:build !pagestate_slow

package bench

// What the operation that is measured goes through; here, nothing.

func plantAllocation(op func()) func()       { return op }
func plantDelay(batch func(int)) func(n int) { return batch }
