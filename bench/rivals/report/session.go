package main

import (
	"runtime"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/snapshot"
)

// session measures what the snapshots of a session cost, each following the one before.
func (r *report) session() error {
	r.printf("## A session: %s records of 8 fields\n\nEach snapshot follows the one before and shares its memory. ", digits(float64(r.main)))
	r.printf("Bytes are of live heap,\na snapshot, when all are kept; nanoseconds a record are for building one from Go values,\ncomparing it with the one before, and evidence.\n\n")
	r.row(true, "change", "bytes", "bytes without", "ns/record", "ns/record without")
	for _, change := range []string{"one", "1pct"} {
		w, err := bench.Make("orders", r.main, change)
		if err != nil {
			return err
		}
		step, err := bench.Step(w)
		if err != nil {
			return err
		}
		build, _ := differ("ours+build").Setup(w)
		t := r.measure(max(3, r.samples/2), step, build)
		shared, alone := kept(w, true), kept(w, false)
		r.row(false, change, digits(shared), digits(alone), digits(t.of(0)/float64(w.N)), digits(t.of(1)/float64(w.N)))
		if change == "one" {
			r.claim("memory of a further snapshot with one record changed, as part of one alone", 0.02, shared/alone, "x", true)
		}
	}
	r.printf("\n")
	return nil
}

// kept returns the live heap of each of many snapshots that are kept, the pages of w in
// turn.
func kept(w *bench.Workload, follow bool) float64 {
	const steps = 40
	pages := [2][]bench.Order{w.Before, w.After}
	source := w.NewSource()
	list := []*snapshot.Snapshot{source.Build(pages[0])}
	step := func(i int) {
		if follow {
			source.Follow(list[len(list)-1])
		}
		list = append(list, source.Build(pages[i%2]))
	}
	step(1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range steps {
		step(i)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(list)
	runtime.KeepAlive(source)
	return float64(after.HeapAlloc-before.HeapAlloc) / steps
}
