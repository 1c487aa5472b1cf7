//go:build race

package bench

// raced says that the race detector allocates beside what is measured.
const raced = true
