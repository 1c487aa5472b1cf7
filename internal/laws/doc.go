// Package laws holds what must be true of the packages together, for any two
// captures: that the engine finds what the naive reference finds, that evidence
// keeps to its bounds and counts what it leaves out, that it depends on nothing
// but its inputs, and that deltas lead from one snapshot to the other.
//
// Each law returns an error that says what was broken. Tests of packages call
// them over mutated pages, package fuzz over whatever the fuzzer makes.
package laws
