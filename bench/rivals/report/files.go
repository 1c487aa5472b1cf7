package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/bench/rivals"
)

// decode measures reading two captures and comparing them beside decoders that
// only read both.
func (r *report) decode() error {
	n := r.main
	r.printf("## From two files to evidence: %s records of 8 fields\n\n", digits(float64(n)))
	w, err := bench.Make("orders", n, "1pct")
	if err != nil {
		return err
	}
	before, after := w.Captures()
	size := float64(len(before) + len(after))
	r.printf("Two captures of %s bytes. Nanoseconds a record are of both: the time divided by the records of one.\n\n", digits(float64(len(before))))
	r.row(true, "", "ns/record", "MB/s", "allocs/record")
	var fns []func()
	var names []string
	for _, change := range []string{"none", "1pct", "mixed", "shuffle", "all"} {
		w, err := bench.Make("orders", n, change)
		if err != nil {
			return err
		}
		run, err := bench.FilePair(w)
		if err != nil {
			return err
		}
		fns, names = append(fns, run), append(names, "**ours**: read, build and compare, change="+change)
	}
	ours := len(fns)
	for _, d := range rivals.Decoders {
		read, _ := d.Setup()
		fns = append(fns, func() {
			if err := errors.Join(read(before), read(after)); err != nil {
				panic(err)
			}
		})
		name := d.Name
		if d.Name == "ours" {
			name = "**ours**: read both, only"
		}
		names = append(names, name)
	}
	measured := r.measure(r.samples, fns...)
	for i := range fns {
		t := measured.of(i)
		allocs, _ := bench.Allocations(fns[i])
		r.row(false, names[i], digits(t/float64(n)), digits(size/t*1e3), fmt.Sprintf("%.2f", float64(allocs)/float64(n)))
	}
	r.printf("\nOthers are lax: of members repeated in one object one wins, text that is not Unicode is replaced or kept.\n\n")
	fastest := 0.0
	for i, d := range rivals.Decoders {
		t := measured.over(ours+i, 1)
		switch d.Name {
		case "encoding/json to structs":
			r.claim("two files to evidence, 1%: times faster than encoding/json decodes them", 12, t, "x", false)
		case "goccy/go-json v0.12.0 to structs", "bytedance/sonic v1.15.5 to structs":
			if fastest == 0 || t < fastest {
				fastest = t
			}
		}
	}
	r.claim("two files to evidence, 1%: times faster than the fastest decoder decodes them", 2.5, fastest, "x", false)
	return nil
}

// growth measures the same at a large size.
func (r *report) growth() error {
	r.printf("## Growth\n\nNanoseconds a record, change=1pct.\n\n")
	r.row(true, "operation", digits(float64(r.main))+" records", digits(float64(r.large))+" records", "grows by")
	names := []string{"compare", "build and compare", "two files to evidence", "bytes.Equal over the same rows", "copy of the same rows", "bytes.IndexByte over the same rows"}
	var fns []func() // of the main size, then of the large one
	var heap [2]float64
	sizes := [2]int{r.main, r.large}
	for i, n := range sizes {
		w, err := bench.Make("orders", n, "1pct")
		if err != nil {
			return err
		}
		compare, _ := differ("ours").Setup(w)
		build, _ := differ("ours+build").Setup(w)
		file, err := bench.FilePair(w)
		if err != nil {
			return err
		}
		heap[i] = heapOver(w)
		fns = append(fns, compare, build, file)
		source := w.NewSource()
		for _, l := range bench.Limits(source.Build(w.Before), source.Build(w.After)) {
			fns = append(fns, l.Run)
		}
	}
	t := r.measure(max(3, r.samples/2), fns...)
	perRecord := func(size, i int) float64 { return t.of(size*len(names)+i) / float64(sizes[size]) }
	growth := func(i int) float64 { return t.over(len(names)+i, i) * float64(r.main) / float64(r.large) }
	for i, name := range names {
		r.row(false, name, digits(perRecord(0, i)), digits(perRecord(1, i)), digits(growth(i))+"x")
	}
	r.printf("\nLive heap of a snapshot, beyond 1.3 times the bytes of its rows: %.1f bytes a record at %s records, %.1f at %s.\n\n",
		heap[0], digits(float64(r.main)), heap[1], digits(float64(r.large)))
	r.claim("growth of build and compare from the main size to the large one", 1.6, growth(1), "x", true)
	r.claim("growth of two files to evidence from the main size to the large one", 1.6, growth(2), "x", true)
	r.claim("live heap a record beyond 1.3 times its rows", 48, max(heap[0], heap[1]), " B", true)
	return nil
}

// heapOver returns the live heap of a snapshot beyond 1.3 times the bytes of its
// rows, in bytes a record.
func heapOver(w *bench.Workload) float64 {
	var before, after runtime.MemStats
	source := w.NewSource()
	source.Build(w.Before) // what it keeps from one snapshot to the next is not the snapshot's
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := source.Build(w.Before)
	runtime.GC()
	runtime.ReadMemStats(&after)
	over := float64(after.HeapAlloc-before.HeapAlloc) - 1.3*float64(s.Table().Size())
	runtime.KeepAlive(source)
	return over / float64(w.N)
}

// memory measures the program's peak memory.
func (r *report) memory() error {
	dir, err := os.MkdirTemp("", "pagestate-report-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, measurer := filepath.Join(dir, "pagestate"), filepath.Join(dir, "peak")
	for _, args := range [][]string{{"build", "-C", "../..", "-o", program, "./cmd/pagestate"}, {"build", "-o", measurer, "./peak"}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	w, err := bench.Make("orders", r.main, "1pct")
	if err != nil {
		return err
	}
	before, after := w.Captures()
	empty := []byte(`{"format":"pagestate/1","records":[]}`)
	files := map[string][]byte{"before.json": before, "after.json": after, "none.json": empty, "nothing.json": empty}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	peak := func(a, b string) (int64, error) {
		least := int64(0)
		for range 5 {
			cmd := exec.Command(measurer, program, "diff", "--exit-zero", "--format=json", filepath.Join(dir, a), filepath.Join(dir, b))
			out, err := cmd.Output()
			if err != nil {
				return 0, fmt.Errorf("diff: %w", err)
			}
			size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
			if err != nil {
				return 0, err
			}
			if least == 0 || size < least {
				least = size
			}
		}
		return least, nil
	}
	none, err := peak("none.json", "nothing.json")
	if err != nil {
		return err
	}
	full, err := peak("before.json", "after.json")
	if err != nil {
		return err
	}
	part := float64(full-none) / float64(len(before)+len(after))
	r.printf("## Memory of `pagestate diff`\n\nPeak resident memory: %s bytes with two captures of %s records (%s bytes together), %s with two empty ones.\n\n",
		digits(float64(full)), digits(float64(r.main)), digits(float64(len(before)+len(after))), digits(float64(none)))
	r.claim("peak memory of diff beyond that of two empty captures, as a multiple of the files", 2, part, "x", true)
	return nil
}
