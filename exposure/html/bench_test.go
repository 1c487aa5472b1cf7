package html_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/exposure/html"
)

// rows makes a table of n rows of four columns and a button each.
func rows(n int, annotated bool) []byte {
	var b strings.Builder
	scope, record, action := ` id="orders"`, "id", ""
	if annotated {
		scope, record, action = ` data-agent-scope="orders"`, "data-agent-record", ` data-agent-action="ship" data-agent-description="Ship it"`
	}
	b.WriteString("<!doctype html><meta charset=utf-8><table" + scope + "><thead><tr><th>Order<th>Customer<th>Total<th>State<th></thead>\n<tbody>\n")
	for i := range n {
		fmt.Fprintf(&b, "<tr %s=\"o%d\"><td>#%d<td>Customer %d<td>%d.50<td><span class=badge>open</span><td><button%s>Ship</button></tr>\n", record, i, i, i%97, i%1000, action)
	}
	b.WriteString("</table>")
	return []byte(b.String())
}

func BenchmarkDecode(b *testing.B) {
	for _, annotated := range []bool{true, false} {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("page=orders/n=%d/annotated=%v", n, annotated), func(b *testing.B) {
				data := rows(n, annotated)
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					snap, err := html.Decode(data, nil)
					if err != nil || snap.Len() != n || snap.Actions() != n {
						b.Fatal(err, snap.Len(), snap.Actions())
					}
				}
				b.ReportMetric(float64(n), "records/op")
			})
		}
	}
}
