package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/livetest"
	"github.com/pagestate/pagestate/snapshot"
)

// TestTimes fails when a full reading, decoded and compared, takes longer than the page's
// outerHTML: of 20 rows than chromedp's action for it, of 2,000 than an evaluation; or when
// it is not twenty times faster than Playwright's snapshot for models of 2,000 rows. All
// are medians of turns in one run; on a machine that others use it gets three.
func TestTimes(t *testing.T) {
	for _, n := range []int{20, 2000} {
		r := newRace(t, n)
		var failures []string
		for range 3 {
			if failures = r.judge(t, n >= 2000); len(failures) == 0 {
				break
			}
		}
		for _, text := range failures {
			t.Errorf("%d rows: %s", n, text)
		}
	}
}

// judge takes turns and returns what took too long.
func (r *race) judge(t *testing.T, large bool) (failures []string) {
	r.ways = []*way{
		{name: "OuterHTML", drawn: true, f: r.outerHTMLAction},
		{name: "outerHTML", drawn: true, f: r.outerHTML},
		{name: "full", drawn: true, f: r.readFull},
		{name: "changed", changed: true, drawn: true, f: r.read},
		{name: "ariaSnapshot", drawn: true, f: r.aria.snapshot, most: 5},
	}
	for i := range 25 {
		r.round(i)
	}
	action, outer, full, changed, aria := r.way("OuterHTML").median(), r.way("outerHTML").median(), r.way("full").median(), r.way("changed").median(), r.way("ariaSnapshot").median()
	t.Logf("outerHTML %.2f ms, by chromedp's action %.2f, full reading %.2f, of a change %.2f, Playwright %.1f: %.1f times the full reading", outer, action, full, changed, aria, aria/full)
	if !large {
		outer = action
	}
	for _, w := range []string{"full", "changed"} {
		if took := r.way(w).median(); took > outer {
			failures = append(failures, fmt.Sprintf("%s: a reading takes %.2f ms, %.2f times as long as outerHTML", w, took, took/outer))
		}
	}
	if large && aria < 20*full {
		failures = append(failures, fmt.Sprintf("Playwright takes %.0f ms, only %.1f times as long as a full reading", aria, aria/full))
	}
	return failures
}

// A countingTab counts what is asked of a tab.
type countingTab struct {
	Tab
	n int
}

func (c *countingTab) Evaluate(ctx context.Context, s Script) (json.RawMessage, error) {
	c.n++
	return c.Tab.Evaluate(ctx, s)
}

func (c *countingTab) Frames(ctx context.Context) ([]Frame, error) { c.n++; return c.Tab.Frames(ctx) }

func (c *countingTab) FrameElement(ctx context.Context, f Frame, function string) (json.RawMessage, error) {
	c.n++
	return c.Tab.FrameElement(ctx, f, function)
}

func (c *countingTab) ClosedRoots(ctx context.Context, frame FrameID, elements string) ([]bool, error) {
	c.n++
	return c.Tab.ClosedRoots(ctx, frame, elements)
}

// TestRoundTrips pins how often a reading asks the page: once, also for frames of the
// same origin and for what code exposes. The first reading of a document also brings the
// scripts, and asks twice about each element that may have a closed shadow root.
func TestRoundTrips(t *testing.T) {
	base := serve(t, map[string]string{
		"/":       ordersPage(20),
		"/frames": ordersPage(2) + `<iframe src="/"></iframe><iframe srcdoc="<p data-agent-record=a></p>"></iframe>`,
		"/closed": `<ul data-agent-scope="a"><li data-agent-record="b"><a-b></a-b></li></ul><script>customElements.define('a-b', class extends HTMLElement { constructor() { super().attachShadow({mode: 'closed'}) } })
function toggle() { document.querySelector('li').append('x') }</script>`,
		"/plain": `<ul><li id="a">a</li><li id="b">b</li></ul><script>function toggle() { document.querySelector('li').append('x') }</script>`,
	})
	for _, tt := range []struct {
		url   string
		first int
	}{{"/", 2}, {"/frames", 2}, {"/closed", 5}, {"/plain", 2}} {
		p := openPage(t, base+tt.url, &PageOptions{Providers: []Provider{testTools{}}})
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := &countingTab{Tab: p.tab}
		p.tab = c
		for i, what := range []string{"first", "unchanged", "changed", "changed again", "unchanged"} {
			if strings.HasPrefix(what, "changed") {
				evaluate(t, p, "toggle()")
			}
			c.n = 0
			read(t, p)
			want := 1
			if i == 0 {
				want = tt.first
			}
			if c.n != want {
				t.Errorf("%s %s: the page was asked %d times, want %d", tt.url, what, c.n, want)
			}
		}
	}
}

// A race reads one page in several ways, in turns, so that what else the machine does
// slows all of them alike.
type race struct {
	testing.TB
	page   *Page
	aria   *ariaClient
	before *snapshot.Snapshot
	differ diff.Differ
	ways   []*way
}

// A way is one of reading a page.
type way struct {
	name    string
	f       func() int // returns bytes, 0 if they are not of interest
	changed bool       // the page changes before it is read
	drawn   bool       // and has drawn itself
	most    int        // rounds that it takes part in, 0 for all
	times   []time.Duration
	size    int
}

func (r *race) way(name string) *way {
	i := slices.IndexFunc(r.ways, func(w *way) bool { return w.name == name })
	return r.ways[i]
}

// median returns the median time of a way in milliseconds.
func (w *way) median() float64 {
	list := slices.Sorted(slices.Values(w.times))
	return float64(list[len(list)/2].Microseconds()) / 1000
}

// newRace opens the page of n orders in a browser of its own, to which Playwright is
// attached as well.
func newRace(t testing.TB, n int) *race {
	t.Helper()
	port := livetest.OpenBrowser(t)
	chrome, err := Attach(t.Context(), fmt.Sprintf("http://127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chrome.Close() })
	p, err := NewPage(t.Context(), openTab(t, chrome), &PageOptions{Providers: []Provider{testTools{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	url := serve(t, map[string]string{"/": ordersPage(n)}) + "/"
	if err := p.Navigate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return &race{TB: t, page: p, aria: startAria(t, port, url), before: read(t, p)}
}

// round reads the page once in each way, in another order each time.
func (r *race) round(i int) {
	for k := range r.ways {
		w := r.ways[(i+k)%len(r.ways)]
		if w.most > 0 && i >= w.most {
			continue
		}
		if w.changed {
			evaluate(r, r.page, "toggle()")
		}
		if w.drawn {
			script := Script{World: Main, Await: true, Expression: `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`}
			if _, err := r.page.tab.Evaluate(r.Context(), script); err != nil {
				r.Fatal(err)
			}
		}
		began := time.Now()
		w.size = w.f()
		took := time.Since(began)
		if w.name == "ariaSnapshot" {
			took = r.aria.took
		}
		w.times = append(w.times, took)
	}
}

// read reads the page and says in which way it differs from the last reading.
func (r *race) read() int {
	after := read(r, r.page)
	line := r.differ.Compare(r.before, after, &diff.Options{Session: true}).AppendJSON(nil, compact)
	r.before = after
	return len(line)
}

// readFull is read by a page that remembers nothing: everything is read, handed over
// and decoded.
func (r *race) readFull() int {
	r.page.kept, r.page.before = nil, nil
	return r.read()
}

// evaluated is the size of what a script gives.
func (r *race) evaluated(expression string) int {
	out, err := r.page.tab.Evaluate(r.Context(), Script{Expression: expression})
	if err != nil {
		r.Fatal(err)
	}
	return len(out)
}

// outerHTML takes the page's markup the shortest way that chromedp has.
func (r *race) outerHTML() int {
	return r.run(chromedp.Evaluate[string]("document.documentElement.outerHTML"))
}

// outerHTMLAction takes it by the action that chromedp has for it.
func (r *race) outerHTMLAction() int { return r.run(chromedp.OuterHTML("html")) }

func (r *race) run(action chromedp.Action[string]) int {
	text, err := chromedp.Run(r.page.tab.(*chromeTab).ctx, action)
	if err != nil {
		r.Fatal(err)
	}
	return len(text)
}

// asked is the size of the answer to a command of the protocol.
func (r *race) asked(method string, params any) int {
	var out json.RawMessage
	if err := r.page.tab.(Protocol).Command(r.Context(), method, params, &out); err != nil {
		r.Fatal(err)
	}
	return len(out)
}

// An ariaClient is Playwright from npm, in a program of its own.
type ariaClient struct {
	testing.TB
	in    io.Writer
	lines *bufio.Scanner
	took  time.Duration // by the last snapshot, by its own clock
}

func startAria(t testing.TB, port int, url string) *ariaClient {
	t.Helper()
	livetest.Installed(t, "playwright-core/package.json")
	cmd := exec.Command("node", filepath.Join(livetest.Packages(t), "aria.mjs"), fmt.Sprintf("http://127.0.0.1:%d", port), url)
	var trouble strings.Builder
	cmd.Stderr = &trouble
	t.Cleanup(func() { // after it has ended
		if t.Failed() {
			t.Logf("Playwright: %s", trouble.String())
		}
	})
	in, out := livetest.Talk(t, cmd)
	c := &ariaClient{TB: t, in: in, lines: bufio.NewScanner(out)}
	c.answer()
	return c
}

func (c *ariaClient) answer() (a struct {
	MS    float64
	Bytes int
}) {
	c.Helper()
	if !c.lines.Scan() {
		c.Fatalf("Playwright ended: %v", c.lines.Err())
	}
	if err := json.Unmarshal(c.lines.Bytes(), &a); err != nil {
		c.Fatalf("Playwright answered %q", c.lines.Text())
	}
	return a
}

// snapshot takes Playwright's snapshot for models and returns its size.
func (c *ariaClient) snapshot() int {
	c.Helper()
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		c.Fatal(err)
	}
	a := c.answer()
	c.took = time.Duration(a.MS * float64(time.Millisecond))
	return a.Bytes
}
