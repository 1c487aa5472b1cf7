package view

import (
	"fmt"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
)

func page(n int, actions bool) *snapshot.Snapshot {
	var b snapshot.Builder
	b.Scope(snapshot.Scope{ID: "orders", Label: "Orders", Description: "All orders."})
	for i := range n {
		id := fmt.Sprint("o", i)
		row := b.Record("orders", id)
		row.String("customer", fmt.Sprint("Customer number ", i))
		row.Int("total", int64(i))
		row.String("status", "open")
		row.End()
		if actions {
			b.Action(snapshot.Action{ID: "ship@" + id, Scope: "orders", Record: id, Description: "Ship it.", Primitive: "click"})
		}
	}
	snap, err := b.Snapshot()
	if err != nil {
		panic(err)
	}
	return snap
}

// BenchmarkView shows that records which are not shown cost nothing, and actions,
// which must be folded, one pass.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		n       int
		actions bool
	}{{3, true}, {100, true}, {10_000, false}, {1_000_000, false}, {10_000, true}} {
		snap := page(c.n, c.actions)
		for _, form := range []struct {
			name  string
			write func([]byte, *snapshot.Snapshot, *Options) []byte
		}{{"text", AppendText}, {"json", AppendJSON}} {
			b.Run(fmt.Sprintf("records=%d/actions=%t/form=%s", c.n, c.actions, form.name), func(b *testing.B) {
				b.ReportAllocs()
				var out []byte
				for b.Loop() {
					out = form.write(out[:0], snap, nil)
				}
				b.ReportMetric(float64(len(out)), "bytes")
			})
		}
	}
}
