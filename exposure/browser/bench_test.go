package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
)

// ordersPage is a page of n orders, each a checkbox, four texts and a button.
func ordersPage(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><meta charset="utf-8"><title>Orders</title><style>li{display:flex}.id{font-weight:bold}</style>
<h1>Orders</h1><p id="sum">%d open</p><ul data-agent-scope="orders" aria-label="Orders">`, n)
	for i := range n {
		fmt.Fprintf(&b, `
<li class="order row" data-agent-record="o%[1]d" id="row%[1]d"><input type="checkbox" data-agent-field="done" aria-label="Done %[1]d"><span class="id" data-agent-field="id">#%05[1]d</span>
<span class="title" data-agent-field="title">Order number %[1]d of something</span><span class="status badge" data-agent-field="status">open</span>
<span class="amount" data-agent-field="amount">%[2]d.00 EUR</span><button class="btn delete" data-agent-action="delete" data-agent-description="Delete the order">Delete</button></li>`, i, i*7%1000)
	}
	b.WriteString(`</ul><script>
let turn = 0;
function toggle(){ const li = document.querySelectorAll('li')[document.querySelectorAll('li').length >> 1]; turn ^= 1;
 li.querySelector('[data-agent-field=status]').textContent = turn ? 'done' : 'open'; document.getElementById('sum').textContent = turn; }
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'orders', description: '', tools: [
 { name: 'toggle', description: 'Toggle', inputSchema: { type: 'object', properties: {} }, execute: toggle }] }));
</script>`)
	return b.String()
}

// TestEvidenceSize pins that what a model gets of one change does not grow with the
// page.
func TestEvidenceSize(t *testing.T) {
	sizes := []int{20, 200, 2000, 10000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		p := openPage(t, serve(t, map[string]string{"/": ordersPage(n)})+"/", nil)
		before := read(t, p)
		evaluate(t, p, "toggle()")
		got := evidence(before, read(t, p))
		id := fmt.Sprintf("o%d", n/2)
		if want := `{"observed":true,"records":{"updated":[{"id":"` + id + `","fields":["status"]}]}}`; got != want {
			t.Errorf("n=%d: %s", n, got)
		}
		if size := len(got) - len(id); size >= 120 {
			t.Errorf("n=%d: %d bytes plus ids", n, size)
		}
	}
}

// BenchmarkLive reads the same page in several ways, in one browser. Ours are a whole
// reading, decoded and compared with the one before: of a page that has not changed,
// of one with a change, and the first one; and a call with and without waiting for the
// page to be quiet. The times of the others are for what the browser hands over alone.
func BenchmarkLive(b *testing.B) {
	for _, n := range []int{20, 200, 2000, 10000} {
		p := openPage(b, serve(b, map[string]string{"/": ordersPage(n)})+"/", &PageOptions{Providers: []Provider{testTools{}}})
		var d diff.Differ
		before := read(b, p)
		compare := func() int {
			after := read(b, p)
			line := d.Compare(before, after, &diff.Options{Session: true}).AppendJSON(nil, compact)
			before = after
			return len(line)
		}
		toggle := func() {
			if _, err := p.tab.Evaluate(b.Context(), Script{World: Main, Expression: "toggle()"}); err != nil {
				b.Fatal(err)
			}
		}
		ask := func(method string, params any) {
			var out any
			if err := p.tab.(Protocol).Command(b.Context(), method, params, &out); err != nil {
				b.Fatal(err)
			}
		}
		quiet := call.New(p, &call.Options{Format: compact})
		run := func(name string, prepare func(), f func() int) {
			b.Run(fmt.Sprintf("page=orders/n=%d/read=%s", n, name), func(b *testing.B) {
				var times []time.Duration
				size := 0
				for b.Loop() {
					if prepare != nil {
						b.StopTimer()
						prepare()
						b.StartTimer()
					}
					began := time.Now()
					size = f()
					times = append(times, time.Since(began))
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
				if size > 0 {
					b.ReportMetric(float64(size), "bytes/op")
				}
			})
		}
		run("outerHTML", nil, func() int {
			out, err := p.tab.Evaluate(b.Context(), Script{Expression: "document.documentElement.outerHTML"})
			if err != nil {
				b.Fatal(err)
			}
			return len(out)
		})
		run("unchanged", nil, compare)
		run("changed", toggle, compare)
		run("first", func() { p.kept, p.before = nil, nil }, compare)
		run("call", nil, func() int { return len(quiet.Call(b.Context(), call.Request{Action: "toggle"}).Changed) })
		p.opts.Quiet = time.Nanosecond
		run("call-without-quiet", nil, func() int { return len(quiet.Call(b.Context(), call.Request{Action: "toggle"}).Changed) })
		p.opts.Quiet = DefaultQuiet
		run("DOMSnapshot", nil, func() int {
			ask("DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}})
			return 0
		})
		run("AXTree", nil, func() int { ask("Accessibility.getFullAXTree", map[string]any{}); return 0 })
	}
}
