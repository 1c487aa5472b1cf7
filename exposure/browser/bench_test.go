package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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

// styledPage is a page of n orders with a style sheet as large as those of frameworks:
// 2,600 rules, a tenth of them about what is shown. foreign, if set, is where it comes
// from: another origin, whose rules no script may read.
func styledPage(n int, foreign string) string {
	link := `<link rel="stylesheet" href="` + foreign + `">`
	if foreign == "" {
		link = "<style>" + styleSheet() + "</style>"
	}
	return strings.Replace(ordersPage(n), "<style>", link+"<style>", 1)
}

func styleSheet() string {
	var b strings.Builder
	b.WriteString(".btn,.badge{display:inline-block}.row{display:flex}.row>*{max-width:100%}[hidden]{display:none!important}")
	for i := range 260 {
		fmt.Fprintf(&b, ".d-%d{display:block}", i)
		for k := range 9 {
			fmt.Fprintf(&b, ".u-%d-%d:not(:last-child)>.x{margin:%dpx;color:#%03d}", i, k, k, i)
		}
	}
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

// BenchmarkLive reads the same page in several ways, in turns. Ours are whole readings,
// decoded and compared with the one before: full ones, that know nothing of the page;
// such as follow one, of a page that has not changed, has just changed, or has changed
// and drawn itself since; and calls, with and without waiting for the page to be quiet.
// outerHTML is decoded to a string, by an evaluation and by chromedp's action OuterHTML.
// The times of the others are for what the browser hands over alone, for Playwright's by
// its own clock in its own program.
//
// Times are medians in milliseconds. A table is logged for each size.
func BenchmarkLive(b *testing.B) {
	for _, n := range []int{20, 200, 2000, 10000} {
		b.Run(fmt.Sprintf("page=orders/n=%d", n), func(b *testing.B) {
			r := newRace(b, n)
			calls := call.New(r.page, &call.Options{Format: compact})
			toggle := func(quiet time.Duration) func() int {
				return func() int {
					r.page.opts.Quiet = quiet
					return len(calls.Call(b.Context(), call.Request{Action: "toggle"}).Changed)
				}
			}
			few := 5 // these take long
			r.ways = []*way{
				{name: "empty", f: func() int { return r.evaluated("1") }},
				{name: "outerHTML", drawn: true, f: r.outerHTML},
				{name: "OuterHTML", drawn: true, f: r.outerHTMLAction},
				{name: "full", drawn: true, f: r.readFull},
				{name: "unchanged", drawn: true, f: r.read},
				{name: "changed", changed: true, drawn: true, f: r.read},
				{name: "full-at-once", changed: true, f: r.readFull},
				{name: "changed-at-once", changed: true, f: r.read},
				{name: "outerHTML-at-once", changed: true, f: r.outerHTML},
				{name: "call", drawn: true, f: toggle(DefaultQuiet), most: few},
				{name: "call-without-quiet", drawn: true, f: toggle(time.Nanosecond)},
				{name: "DOMSnapshot", drawn: true, most: few, f: func() int {
					return r.asked("DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}})
				}},
				{name: "AXTree", drawn: true, most: few, f: func() int { return r.asked("Accessibility.getFullAXTree", map[string]any{}) }},
				{name: "ariaSnapshot", drawn: true, most: few, f: r.aria.snapshot},
			}
			i := 0
			for b.Loop() {
				r.round(i)
				i++
			}
			outer := r.way("outerHTML").median()
			b.ReportMetric(0, "ns/op") // of a round says nothing
			// Of what a benchmark logs ten lines are shown.
			var table strings.Builder
			for k, w := range r.ways {
				ms := w.median()
				b.ReportMetric(ms, w.name+"-ms")
				if k%2 == 0 {
					table.WriteByte('\n')
				}
				fmt.Fprintf(&table, "%-18s %8.2f ms %7.2f of outerHTML %9d bytes   ", w.name, ms, ms/outer, w.size)
			}
			b.Log(table.String())
		})
	}
}

// BenchmarkStyled reads pages with a large style sheet, their own or one of another
// origin, as BenchmarkLive does.
func BenchmarkStyled(b *testing.B) {
	sheet := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, styleSheet())
	}))
	b.Cleanup(sheet.Close)
	for _, foreign := range []string{"", strings.Replace(sheet.URL, "127.0.0.1", "localhost", 1)} {
		name := "own"
		if foreign != "" {
			name = "foreign"
		}
		for _, n := range []int{200, 2000} {
			b.Run(fmt.Sprintf("sheet=%s/n=%d", name, n), func(b *testing.B) {
				p := openPage(b, serve(b, map[string]string{"/": styledPage(n, foreign)})+"/", nil)
				if err := p.WaitLoaded(b.Context()); err != nil {
					b.Fatal(err)
				}
				r := &race{TB: b, page: p, before: read(b, p)}
				r.ways = []*way{
					{name: "outerHTML", drawn: true, f: r.outerHTML},
					{name: "full", drawn: true, f: r.readFull},
					{name: "unchanged", drawn: true, f: r.read},
					{name: "changed", changed: true, drawn: true, f: r.read},
				}
				i := 0
				for b.Loop() {
					r.round(i)
					i++
				}
				b.ReportMetric(0, "ns/op")
				for _, w := range r.ways {
					b.ReportMetric(w.median(), w.name+"-ms")
				}
			})
		}
	}
}
