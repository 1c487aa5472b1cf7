// Package fuzz holds the fuzz targets that cross packages: what a fuzzer makes
// is decoded, compared, written and put together again, and the laws of
// internal/laws and internal/pagetest must hold throughout. Targets of one
// package lie beside its code.
//
// All targets share their seeds, which are pairs of captures that once were
// wrong or nearly so, and choices from which internal/pagetest makes pages.
package fuzz
