package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
)

// An order is a record of eight fields.
type order struct {
	id, customer, city, status, note string
	amount                           float64
	items, weight                    int64
	paid                             bool
}

// newOrders returns an app of n orders whose tool changes one of them.
func newOrders(t testing.TB, n int, tools bool) *exposure.Registry {
	orders := make([]*order, n)
	for i := range orders {
		orders[i] = &order{id: fmt.Sprint("order-", i), customer: fmt.Sprint("Customer ", i%97), city: "Oslo", status: "open",
			note: "Leave it with the neighbour.", amount: float64(i) * 1.25, items: int64(i % 9), weight: int64(i)}
	}
	reg := exposure.New(nil)
	set := exposure.RecordSet[*order]{
		All: func() iter.Seq[*order] { return slices.Values(orders) },
		ID:  func(o *order) string { return o.id },
		Fields: []exposure.Field[*order]{
			{Name: "customer", Text: func(o *order) string { return o.customer }},
			{Name: "city", Text: func(o *order) string { return o.city }},
			{Name: "status", Text: func(o *order) string { return o.status }},
			{Name: "note", Text: func(o *order) string { return o.note }},
			{Name: "amount", Float: func(o *order) float64 { return o.amount }},
			{Name: "items", Int: func(o *order) int64 { return o.items }},
			{Name: "weight", Int: func(o *order) int64 { return o.weight }},
			{Name: "paid", Bool: func(o *order) bool { return o.paid }},
		},
	}
	if tools {
		set.Tools = []exposure.RecordTool[*order]{{Name: "cancel", Description: func(o *order) string { return "Cancel " + o.id + "." },
			Run: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }}}
	}
	if _, err := exposure.DeclareRecords(t.Context(), reg, set); err != nil {
		t.Fatal(err)
	}
	at := 0
	declare(t, reg, exposure.Tool{ID: "ship", Description: "Ship the next order.", Run: func(context.Context, json.RawMessage) (any, error) {
		at++
		orders[at%n].status = fmt.Sprint("shipped ", at)
		return orders[at%n].id, nil
	}})
	return reg
}

// TestCost compares a call, evidence and audit included, with building the
// snapshot twice, in one process.
func TestCost(t *testing.T) {
	const most = 3
	for _, tools := range []bool{false, true} {
		t.Run(fmt.Sprintf("records=1000/fields=8/recordtools=%v", tools), func(t *testing.T) {
			reg := newOrders(t, 1000, tools)
			c := call.New(reg, &call.Options{Audit: audit.NewRing(100)})
			least := func(f func()) time.Duration {
				best := time.Hour
				for range 30 {
					began := time.Now()
					f()
					best = min(best, time.Since(began))
				}
				return best
			}
			var ratio float64
			for range 5 { // a busy machine may disturb one measurement, not all
				twice := least(func() {
					for range 2 {
						if _, err := reg.Snapshot(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				})
				one := least(func() {
					if res := c.Call(t.Context(), call.Request{Action: "ship"}); !res.OK || res.Same {
						t.Fatalf("got %s", res.AppendJSON(nil))
					}
				})
				ratio = float64(one) / float64(twice)
				t.Logf("a call takes %s, two snapshots %s: %.2fx", one, twice, ratio)
				if ratio <= most {
					return
				}
			}
			t.Errorf("a call takes %.2f times what two snapshots take, at most %d", ratio, most)
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for _, n := range []int{10, 1000} {
		reg := newOrders(b, n, false)
		b.Run(fmt.Sprintf("n=%d/fields=8/do=call", n), func(b *testing.B) {
			c := call.New(reg, nil)
			b.ReportAllocs()
			for b.Loop() {
				if res := c.Call(b.Context(), call.Request{Action: "ship"}); !res.OK {
					b.Fatalf("got %s", res.AppendJSON(nil))
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/fields=8/do=snapshots-2", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range 2 {
					if _, err := reg.Snapshot(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
