// Package bench measures what comparing pages costs and notices when that grows.
//
//	cases := bench.Builtin([]int{1000, 10_000})
//	report, err := bench.Run(ctx, cases, nil)
//	verdicts := bench.Judge(baseline, report, nil)
//
// # Workloads
//
// A [Workload] is a page of n records and the same page after a change, both a
// function of their names alone. It knows the right answer, and everything that
// is measured must give that answer first. [Case] is one operation on one pair of
// pages: comparing two snapshots, building one from Go values and comparing it,
// or reading two files and comparing them.
//
// # Figures
//
// What is exact (allocations and bytes of an operation, bytes of evidence, the
// changes found) is compared exactly. Time is only ever compared as a ratio to a
// reference that is measured in turn with it, a few milliseconds each: what slows
// the machine slows both. The references allocate nothing and use nothing of this
// module, so that they stay what they are.
//
// # Judgement
//
// A case is slower than its baseline if the median of its ratios grew beyond the
// threshold and the Mann-Whitney U-test of golang.org/x/perf/benchmath says that
// the two samples differ. [Run] measures what looks slower again, and only what
// looks slower every time is a regression.
package bench
