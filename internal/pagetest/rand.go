package pagetest

import (
	"hash/fnv"
	"math/rand/v2"
)

// NewRand returns a source of choices that are read from data, one byte each,
// and drawn at random from what data seeds when it is used up. A fuzzer that
// changes a byte of data changes one choice of the page or script made with it.
func NewRand(data []byte) *rand.Rand {
	h := fnv.New64a()
	h.Write(data)
	return rand.New(&choices{data, rand.NewPCG(h.Sum64(), 1)})
}

type choices struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns the next byte repeated, so that whatever bits are used of it,
// each value of the byte gives another choice among few.
func (c *choices) Uint64() uint64 {
	if len(c.data) == 0 {
		return c.rest.Uint64()
	}
	b := c.data[0]
	c.data = c.data[1:]
	return uint64(b) * 0x0101010101010101
}
