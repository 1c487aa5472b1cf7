//go:build pagestate_slow

package bench

import (
	"os"
	"strings"
	"time"
)

// With the build tag pagestate_slow, what is measured is made worse as the
// environment variable PAGESTATE_PLANT says: "slow", by plantedDelay; "alloc", by
// one allocation. The bench itself is tried with it.

// plantedDelay is the part of its time by which a batch of operations is delayed.
const plantedDelay = 0.15

var plantedSink *[16]byte

func plantAllocation(op func()) func() {
	if !strings.Contains(os.Getenv("PAGESTATE_PLANT"), "alloc") {
		return op
	}
	return func() {
		plantedSink = new([16]byte)
		op()
	}
}

func plantDelay(batch func(int)) func(n int) {
	if !strings.Contains(os.Getenv("PAGESTATE_PLANT"), "slow") {
		return batch
	}
	return func(n int) {
		start := time.Now()
		batch(n)
		until := time.Duration(float64(time.Since(start)) * (1 + plantedDelay))
		for time.Since(start) < until {
		}
	}
}
