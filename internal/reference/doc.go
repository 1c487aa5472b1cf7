// Package reference is the naive oracle that the diff engine is tested
// against. It was written from the evidence contract alone: it shares no code
// with the packages that do the real work, decodes captures by itself, keeps
// plain structs, maps and slices, compares values with go-cmp, and lists every
// change without any bound.
//
// It favours being obviously right over everything else: several steps are
// quadratic in the records of a scope, and nothing is reused between calls.
// Input is trusted to be valid UTF-8 without lone surrogate escapes; repairing
// broken text is not part of it.
package reference
