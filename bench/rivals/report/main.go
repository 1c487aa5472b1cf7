// Program report measures pagestate and its rivals in turn, in one run, and
// writes docs/performance.md.
//
//	go run -C bench/rivals ./report -o ../../docs/performance.md
//
// It takes some minutes and 4 GB of memory; -quick leaves out what is large.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/bench/rivals"
)

func main() {
	out := flag.String("o", "", "file to write; standard output if empty")
	quick := flag.Bool("quick", false, "small sizes and few samples, to try the program")
	flag.Parse()
	if err := run(*out, *quick); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// A plan says how much to measure.
type plan struct {
	main, large int // records
	sizes       []int
	samples     int
	each        time.Duration
}

func run(out string, quick bool) error {
	p := plan{main: 10_000, large: 1_000_000, sizes: []int{100, 1000, 10_000, 100_000}, samples: 15, each: 10 * time.Millisecond}
	if quick {
		p = plan{main: 1000, large: 10_000, sizes: []int{100, 1000}, samples: 3, each: time.Millisecond}
	}
	r := &report{plan: p}
	for _, part := range []func() error{r.compare, r.sizesTable, r.decode, r.growth, r.session, r.memory} {
		if err := part(); err != nil {
			return err
		}
	}
	text := r.text()
	if out == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(out, []byte(text), 0o666)
}

// A report collects what was measured.
type report struct {
	plan
	body   strings.Builder
	claims []claim
}

// A claim is one thing that is to hold.
type claim struct {
	what      string
	want, got float64
	most      bool // want is an upper bound, not a lower one
	unit      string
}

func (c *claim) holds() bool { return c.got >= c.want && !c.most || c.got <= c.want && c.most }

func (r *report) claim(what string, want, got float64, unit string, most bool) {
	r.claims = append(r.claims, claim{what, want, got, most, unit})
}

// median sorts list.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// times are samples of functions measured in turn, in nanoseconds a call.
type times [][]float64

func (r *report) measure(samples int, fns ...func()) times {
	return bench.Interleave(samples, r.each, fns...)
}

// of returns the median of a function.
func (t times) of(i int) float64 { return median(slices.Clone(t[i])) }

// over returns how many times as long as another a function takes: the median of
// the ratios of samples that were taken together.
func (t times) over(i, other int) float64 {
	var ratios []float64
	for k := range t[i] {
		ratios = append(ratios, t[i][k]/t[other][k])
	}
	return median(ratios)
}

func (r *report) printf(format string, args ...any) { fmt.Fprintf(&r.body, format, args...) }

// row writes a row of a table; the first also writes the line below it.
func (r *report) row(head bool, cells ...string) {
	r.printf("| %s |\n", strings.Join(cells, " | "))
	if head {
		r.printf("| --- |%s\n", strings.Repeat(" ---: |", len(cells)-1))
	}
}

// digits writes a number with three significant digits, with separators.
func digits(x float64) string {
	switch {
	case x >= 999.5:
		s := fmt.Sprintf("%.0f", x)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// compare measures every differ with every change.
func (r *report) compare() error {
	n := r.main
	r.printf("## Comparing: %s records of 8 fields\n\nNanoseconds a record; - where the rival cannot give the answer.\n\n", digits(float64(n)))
	r.row(true, append(append([]string{"differ"}, bench.Changes...), "allocs at 1pct")...)
	cells := make([][]string, len(rivals.Differs))
	for i, d := range rivals.Differs {
		cells[i] = []string{"**" + d.Name + "**: " + d.How}
	}
	limits := []string{"bytes.Equal over the same rows", "copy of the same rows", "bytes.IndexByte over the same rows"}
	limitCells := make([][]string, len(limits))
	allocs := make([]string, len(rivals.Differs))
	measured, place := map[string]times{}, map[string]map[string]int{} // by change, and name of the function
	for _, change := range bench.Changes {
		w, err := bench.Make("orders", n, change)
		if err != nil {
			return err
		}
		var fns []func()
		var names []string
		for i, d := range rivals.Differs {
			if slices.Contains(d.Blind, change) {
				continue
			}
			run, _ := d.Setup(w)
			fns, names = append(fns, run), append(names, d.Name)
			if change == "1pct" {
				count, _ := bench.Allocations(run)
				allocs[i] = digits(float64(count))
				if count == 0 {
					allocs[i] = "0"
				}
				if d.Name == "ours+evidence" {
					r.claim("compare, 1%, to evidence: allocations", 0, float64(count), "", true)
				}
			}
		}
		source := w.NewSource()
		for _, l := range bench.Limits(source.Build(w.Before), source.Build(w.After)) {
			fns, names = append(fns, l.Run), append(names, l.Name)
		}
		t, at, all := r.measure(r.samples, fns...), map[string]int{}, map[string]float64{}
		for i, name := range names {
			at[name], all[name] = i, t.of(i)/float64(n)
		}
		measured[change], place[change] = t, at
		for i, d := range rivals.Differs {
			if t, ok := all[d.Name]; ok {
				cells[i] = append(cells[i], digits(t))
			} else {
				cells[i] = append(cells[i], "-")
			}
		}
		for i, l := range []string{"equal", "copy", "read"} {
			limitCells[i] = append(limitCells[i], digits(all[l]))
		}
	}
	for i := range cells {
		r.row(false, append(cells[i], allocs[i])...)
	}
	for i, name := range limits {
		r.row(false, append(append([]string{name}, limitCells[i]...), "0")...)
	}
	r.printf("\n")
	over := func(change, a, b string) float64 { return measured[change].over(place[change][a], place[change][b]) }
	r.claim("compare, 1%: times faster than the map differ", 400, over("1pct", "map", "ours"), "x", false)
	r.claim("compare, 1%: times faster than r3labs/diff", 4000, over("1pct", "r3labs", "ours"), "x", false)
	r.claim("compare, 1%: times faster than cmp.Diff on maps", 20_000, over("1pct", "go-cmp Diff", "ours"), "x", false)
	none := measured["none"].of(place["none"]["ours"]) / float64(n)
	r.claim("compare, none: ns a record, or a tenth of bytes.Equal", max(0.5, none/over("none", "ours", "equal")/10), none, " ns", true)
	r.claim("compare, reverse: times faster than the map differ", 30, over("reverse", "map", "ours"), "x", false)
	r.claim("compare, shuffle: times faster than the map differ", 30, over("shuffle", "map", "ours"), "x", false)
	r.claim("build and compare, 1%: time, as a multiple of the typed differ's", 1.2, over("1pct", "ours+build", "typed"), "x", true)
	return nil
}

// sizesTable compares with the hand-written differs at all sizes.
func (r *report) sizesTable() error {
	r.printf("## Against differs written by hand, at other sizes\n\nTimes faster than the map differ / than the typed differ, two snapshots given.\n\n")
	r.row(true, append([]string{"records"}, bench.Changes...)...)
	least, where := 0.0, ""
	for _, n := range r.sizes {
		cells := []string{digits(float64(n))}
		for _, change := range bench.Changes {
			w, err := bench.Make("orders", n, change)
			if err != nil {
				return err
			}
			var fns []func()
			for _, name := range []string{"ours", "map", "typed"} {
				run, _ := differ(name).Setup(w)
				fns = append(fns, run)
			}
			t := r.measure(r.samples, fns...)
			cells = append(cells, digits(t.over(1, 0))+" / "+digits(t.over(2, 0)))
			if x := t.over(1, 0); where == "" || x < least {
				least, where = x, fmt.Sprintf("%d records, %s", n, change)
			}
		}
		r.row(false, cells...)
	}
	r.printf("\n")
	r.claim("compare, any: least times faster than the map differ ("+where+")", 1, least, "x", false)
	return nil
}

func differ(name string) *rivals.Differ {
	for i := range rivals.Differs {
		if rivals.Differs[i].Name == name {
			return &rivals.Differs[i]
		}
	}
	panic("no differ " + name)
}
