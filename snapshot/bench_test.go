package snapshot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
)

// BenchmarkBuild builds a snapshot of 10,000 records of eight fields, warm, with
// the memory of the one before last.
func BenchmarkBuild(b *testing.B) {
	type order struct {
		id, title, status, customer, updatedAt, note string
		amount                                       int64
		done                                         bool
	}
	list := make([]order, 10_000)
	for i := range list {
		list[i] = order{
			id: fmt.Sprintf("ord-%06d", i), title: fmt.Sprintf("Order %d for the usual goods", i),
			status: []string{"open", "paid", "shipped"}[i%3], customer: fmt.Sprintf("Customer number %d", i*7%1000),
			updatedAt: fmt.Sprintf("2031-05-%02dT10:%02d:00Z", i%28+1, i%60), note: strings.Repeat("note ", i%12),
			amount: int64(i*137%100000) + 1, done: i%2 == 0,
		}
	}
	var builder snapshot.Builder
	for _, recycle := range []bool{false, true} {
		b.Run(fmt.Sprintf("recycle=%v", recycle), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				builder.Scope(snapshot.Scope{ID: "orders"})
				for i := range list {
					o := &list[i]
					r := builder.Record("orders", o.id)
					r.String("title", o.title)
					r.String("status", o.status)
					r.Int("amount", o.amount)
					r.String("customer", o.customer)
					r.String("updatedAt", o.updatedAt)
					r.Bool("done", o.done)
					r.String("note", o.note)
					r.End()
				}
				s, err := builder.Snapshot()
				if err != nil {
					b.Fatal(err)
				}
				if recycle {
					builder.Recycle(s)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/record")
		})
	}
}
