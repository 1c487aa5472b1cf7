// Package rivals measures other differs and decoders on the workloads of package
// bench. It is a module of its own, so that nobody who uses pagestate downloads
// them.
//
// Every rival must give the right answer first, as far as it can say it: see
// [Differ] and TestDiffers. Program report measures them and pagestate in turn and
// writes docs/performance.md.
package rivals
