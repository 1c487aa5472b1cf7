package rivals

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pagestate/pagestate/bench"
)

func workload(t testing.TB, n int, change string) *bench.Workload {
	t.Helper()
	w, err := bench.Make("orders", n, change)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestDiffers checks that every differ gives the right answer, as far as it can
// say it; what it cannot say is in [Differs].
func TestDiffers(t *testing.T) {
	for _, change := range bench.Changes {
		w := workload(t, 500, change)
		for _, d := range Differs {
			if slices.Contains(d.Blind, change) {
				continue
			}
			t.Run(fmt.Sprintf("change=%s/impl=%s", change, d.Name), func(t *testing.T) {
				run, answer := d.Setup(w)
				run()
				if got, want := answer(), d.can(w.Want()); !got.Equal(want) {
					t.Errorf("found %v, want %v", got, want)
				}
			})
		}
	}
}

// can returns what of an answer the differ can say.
func (d *Differ) can(a bench.Answer) bench.Answer {
	if d.Says == Equality {
		return bench.Answer{Reordered: !a.Equal(bench.Answer{})}
	}
	if d.Says&Presence == 0 {
		a.Added, a.Removed = nil, nil
	}
	if d.Says&Fields == 0 {
		a.Fields = nil
	}
	if d.Says&Order == 0 {
		a.Reordered = false
	}
	return a
}

// TestDecoders checks that every decoder reads what was written.
func TestDecoders(t *testing.T) {
	w := workload(t, 500, "none")
	data, _ := w.Captures()
	for _, d := range Decoders {
		t.Run("impl="+d.Name, func(t *testing.T) {
			read, check := d.Setup()
			if err := read(data); err != nil {
				t.Fatal(err)
			}
			if err := check(w.Before); err != nil {
				t.Error(err)
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		for _, change := range bench.Changes {
			w := workload(b, n, change)
			for _, d := range Differs {
				if slices.Contains(d.Blind, change) {
					continue
				}
				b.Run(fmt.Sprintf("%s/impl=%s", w.Name(), d.Name), func(b *testing.B) {
					run, _ := d.Setup(w)
					b.ReportAllocs()
					for b.Loop() {
						run()
					}
					b.ReportMetric(float64(n), "records/op")
				})
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	w := workload(b, 10_000, "none")
	data, _ := w.Captures()
	for _, d := range Decoders {
		b.Run(fmt.Sprintf("page=orders/n=%d/impl=%s", w.N, d.Name), func(b *testing.B) {
			read, _ := d.Setup()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.N), "records/op")
		})
	}
}
