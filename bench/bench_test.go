package bench

import (
	"flag"
	"reflect"
	"slices"
	"testing"

	"github.com/pagestate/pagestate/diff"
)

var large = flag.Bool("large", false, "benchmarks of 100,000 and 1,000,000 records, too")

func sizes() []int {
	if *large {
		return []int{100, 1000, 10_000, 100_000, 1_000_000}
	}
	return []int{100, 1000, 10_000}
}

// eachWorkload calls f with every workload whose answer was checked.
func eachWorkload(b *testing.B, pages, changes []string, f func(w *Workload)) {
	for _, page := range pages {
		for _, n := range sizes() {
			if page == "long" && n > 100_000 {
				continue // 4 GB
			}
			for _, change := range changes {
				w, err := Make(page, n, change)
				if err != nil {
					b.Fatal(err)
				}
				f(w)
			}
		}
	}
}

// loop measures f as one operation on n records and size bytes.
func loop(b *testing.B, n int, size int64, f func()) {
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(n), "records/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
}

// BenchmarkCompare compares two snapshots, beside differs written by hand and the
// limits of the machine.
func BenchmarkCompare(b *testing.B) {
	eachWorkload(b, Pages, Changes, func(w *Workload) {
		source := w.NewSource()
		before, after := source.Build(w.Before), source.Build(w.After)
		size := int64(before.Table().Size() + after.Table().Size())
		var d diff.Differ
		if err := w.Check(d.Compare(before, after, nil)); err != nil {
			b.Fatal(err)
		}
		b.Run(w.Name()+"/impl=ours", func(b *testing.B) {
			var line []byte
			loop(b, w.N, size, func() { line = d.Compare(before, after, nil).AppendJSON(line[:0], nil) })
			b.ReportMetric(float64(len(line)), "evidence-bytes")
		})
		x, y := w.Maps()
		if got := MapDiff(x, y); !got.Equal(w.Want()) {
			b.Fatalf("%s: map differ found %v", w.Name(), got)
		}
		b.Run(w.Name()+"/impl=map", func(b *testing.B) { loop(b, w.N, size, func() { MapDiff(x, y) }) })
		b.Run(w.Name()+"/impl=typed", func(b *testing.B) { loop(b, w.N, size, func() { TypedDiff(w.Before, w.After) }) })
		b.Run(w.Name()+"/impl=reflect", func(b *testing.B) { loop(b, w.N, size, func() { reflect.DeepEqual(w.Before, w.After) }) })
		p := newPlain(before, after)
		b.Run(w.Name()+"/impl=plain", func(b *testing.B) { loop(b, w.N, size, func() { p.diff() }) })
		for _, l := range Limits(before, after) {
			b.Run(w.Name()+"/impl="+l.Name, func(b *testing.B) { loop(b, w.N, size, l.Run) })
		}
	})
}

// BenchmarkBuild builds a snapshot from Go values and compares it with an earlier
// one.
func BenchmarkBuild(b *testing.B) {
	eachWorkload(b, Pages, []string{"none", "1pct", "shuffle"}, func(w *Workload) {
		loopCase(b, w, "build")
		loopCase(b, w, "step")
	})
}

// BenchmarkFile reads two captures and compares them.
func BenchmarkFile(b *testing.B) {
	eachWorkload(b, Pages, []string{"none", "1pct", "mixed", "shuffle", "all"}, func(w *Workload) { loopCase(b, w, "file") })
	for i := range realPairs {
		for _, c := range realPairs[i].pair(b).Cases() {
			b.Run(c.Name+"/impl=ours", func(b *testing.B) {
				s, err := c.setup()
				if err != nil {
					b.Fatal(err)
				}
				loop(b, s.records, s.bytes, s.op)
			})
		}
	}
}

func loopCase(b *testing.B, w *Workload, op string) {
	s, err := w.subject(op)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(w.Name()+"/impl=ours", func(b *testing.B) { loop(b, w.N, s.bytes, s.op) })
	if op == "file" {
		b.Run(w.Name()+"/impl=scan", func(b *testing.B) { loop(b, w.N, s.bytes, s.reference) })
	}
}

// TestBuiltin checks that every case can be set up, and that names are unique.
func TestBuiltin(t *testing.T) {
	var names []string
	for _, c := range Builtin([]int{10, 20}) {
		if slices.Contains(names, c.Name) {
			t.Errorf("%s: twice", c.Name)
		}
		names = append(names, c.Name)
		s, err := c.setup()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		s.op()
		s.reference()
		if len(s.evidence) == 0 || s.records != c.Records {
			t.Errorf("%s: %d bytes of evidence, %d records, want %d", c.Name, len(s.evidence), s.records, c.Records)
		}
	}
}
