package capture_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot/capture"
)

// orders writes a capture of n orders of eight fields in two scopes.
func orders(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"format":"pagestate/1","scopes":[{"id":"open","label":"Open"},{"id":"done","label":"Done"}],"records":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"order-%06d","scope":"%s","fields":{"customer":"Customer number %d","city":"München","total":%d.%02d,"currency":"EUR","paid":%t,"items":%d,"note":"Leave at the back door, please","shipped":null}}`,
			i, [2]string{"open", "done"}[i%2], i*7919%1000, i*31%500, i%100, i%3 == 0, i%9)
	}
	b.WriteString(`],"actions":[{"id":"refresh","description":"Load the orders again","kind":"read","available":true}]}`)
	return []byte(b.String())
}

// TestAllocations checks that a warm decoder allocates nothing for a record: as
// much for a thousand as for four thousand.
func TestAllocations(t *testing.T) {
	var d capture.Decoder
	count := func(in []byte, opts *capture.Options) float64 {
		return testing.AllocsPerRun(10, func() {
			if _, err := d.Decode(in, opts); err != nil {
				t.Fatal(err)
			}
		})
	}
	list := func(head, row, tail string) func(n int) []byte {
		return func(n int) []byte {
			var rows []string
			for i := range n {
				rows = append(rows, fmt.Sprintf(row, i))
			}
			return []byte(head + strings.Join(rows, ",") + tail)
		}
	}
	for _, c := range []struct {
		name string
		make func(n int) []byte
		most float64 // allocations a snapshot
	}{
		{"orders", orders, 40},
		{"fields first", list(`{"records":[`, `{"fields":{"a":1,"b":{"z":1,"y":[]}},"x":0,"id":%d}`, `]}`), 30},
		{"scope last", list(`{"records":[`, `{"id":"a\u0042%d","fields":{"a":"\n"},"scope":7}`, `]}`), 30},
		{"rows", list(`[`, `{"a":1,"id":"%d","b":[1,{"c":2}]}`, `]`), 30},
	} {
		few, many := count(c.make(1000), nil), count(c.make(4000), nil)
		t.Logf("%s: %v allocations, %v", c.name, few, many)
		if many > few+1 || many > c.most {
			t.Errorf("%s: %v allocations for few, %v for many, want at most %v", c.name, few, many, c.most)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		in := orders(n)
		b.Run(fmt.Sprintf("page=orders/n=%d/impl=ours", n), func(b *testing.B) {
			var d capture.Decoder
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Decode(in, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n), "records/op")
		})
		b.Run(fmt.Sprintf("page=orders/n=%d/impl=next", n), func(b *testing.B) {
			var d capture.Decoder
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.DecodeNext(in, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("page=orders/n=%d/impl=once", n), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := capture.Decode(in, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("page=orders/n=%d/impl=valid", n), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if !json.Valid(in) {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	const n = 10_000
	snap, err := capture.Decode(orders(n), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run(fmt.Sprintf("page=orders/n=%d/impl=ours", n), func(b *testing.B) {
		var out []byte
		b.ReportAllocs()
		for b.Loop() {
			out = capture.Append(out[:0], snap)
		}
		b.SetBytes(int64(len(out)))
	})
}
