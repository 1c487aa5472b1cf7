package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
)

// An order is one record of the benchmark workload: eight fields of the kinds
// that tables on pages have, about 140 bytes.
type order struct {
	ID, Title, Status, Customer, UpdatedAt, Note string
	Amount                                       int64
	Done                                         bool
}

func makeOrders(n int) []order {
	list := make([]order, n)
	for i := range list {
		list[i] = order{
			ID: fmt.Sprintf("ord-%06d", i), Title: fmt.Sprintf("Order %d for the usual goods", i),
			Status: []string{"open", "paid", "shipped"}[i%3], Customer: fmt.Sprintf("Customer number %d", i*7%1000),
			UpdatedAt: fmt.Sprintf("2031-05-%02dT10:%02d:00Z", i%28+1, i%60), Note: strings.Repeat("note ", i%12),
			Amount: int64(i*137%100000) + 1, Done: i%2 == 0,
		}
	}
	return list
}

func build(b *snapshot.Builder, list []order) *snapshot.Snapshot {
	b.Scope(snapshot.Scope{ID: "orders"})
	for i := range list {
		o := &list[i]
		r := b.Record("orders", o.ID)
		r.String("title", o.Title)
		r.String("status", o.Status)
		r.Int("amount", o.Amount)
		r.String("customer", o.Customer)
		r.String("updatedAt", o.UpdatedAt)
		r.Bool("done", o.Done)
		r.String("note", o.Note)
		r.End()
	}
	s, err := b.Snapshot()
	if err != nil {
		panic(err)
	}
	return s
}

// changeOrders returns the list after a change of the named kind.
func changeOrders(list []order, change string) []order {
	out := slices.Clone(list)
	switch change {
	case "none":
	case "1pct":
		for i := 0; i < len(out); i += 100 {
			out[i].Status = "cancelled"
		}
	case "mixed":
		for i := 0; i < len(out); i += 100 {
			out[i].Status = "cancelled"
		}
		out = slices.Delete(out, len(out)/2, len(out)/2+10)
		head := makeOrders(10)
		for i := range head {
			head[i].ID = fmt.Sprintf("new-%d", i)
		}
		out = append(head, out...)
	case "reverse":
		slices.Reverse(out)
	case "all":
		for i := range out {
			out[i].Status = "cancelled"
		}
	}
	return out
}

// mapDiff is what a developer writes by hand: the same answers without a
// snapshot, from maps of fields.
func mapDiff(before, after []map[string]any) (added, removed, updated []string) {
	index := make(map[string]map[string]any, len(before))
	for _, r := range before {
		index[r["id"].(string)] = r
	}
	for _, r := range after {
		id := r["id"].(string)
		old, ok := index[id]
		if !ok {
			added = append(added, id)
			continue
		}
		delete(index, id)
		for k, v := range r {
			if old[k] != v {
				updated = append(updated, id+"."+k)
			}
		}
	}
	for id := range index {
		removed = append(removed, id)
	}
	return added, removed, updated
}

func asMaps(list []order) []map[string]any {
	out := make([]map[string]any, len(list))
	for i, o := range list {
		out[i] = map[string]any{"id": o.ID, "title": o.Title, "status": o.Status, "amount": o.Amount,
			"customer": o.Customer, "updatedAt": o.UpdatedAt, "done": o.Done, "note": o.Note}
	}
	return out
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		list := makeOrders(n)
		for _, change := range []string{"none", "1pct", "mixed", "reverse", "all"} {
			var builder snapshot.Builder
			before, after := build(&builder, list), build(&builder, changeOrders(list, change))
			name := fmt.Sprintf("n=%d/change=%s", n, change)
			b.Run(name+"/impl=ours", func(b *testing.B) {
				var d diff.Differ
				var line []byte
				b.SetBytes(int64(before.Table().Size() + after.Table().Size()))
				b.ReportAllocs()
				for b.Loop() {
					line = d.Compare(before, after, nil).AppendJSON(line[:0], nil)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
			})
			x, y := asMaps(list), asMaps(changeOrders(list, change))
			b.Run(name+"/impl=map", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mapDiff(x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	list := makeOrders(10_000)
	var builder snapshot.Builder
	b.ReportAllocs()
	for b.Loop() {
		build(&builder, list)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/record")
}
