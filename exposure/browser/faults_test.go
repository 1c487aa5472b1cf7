package browser

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

var long = flag.Bool("long", false, "more rounds of faults")

const faultPage = `<!doctype html><meta charset="utf-8"><title>Faults</title>
<ul data-agent-scope="rows"><li data-agent-record="a"></li><li data-agent-record="b"></li>%s</ul>
<button data-agent-action="press" onclick="add('p')">Press</button>
<script>
let n = 0;
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
function add(p){ const li = document.createElement('li'); li.setAttribute('data-agent-record', p + ++n + Math.random().toString(36).slice(2)); document.querySelector('ul').append(li); }
const tool = (name, execute) => ({ name, description: name, inputSchema: { type: 'object', properties: {} }, execute });
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'faults', description: 'd', tools: [
 tool('add', () => { add('t'); return 'added'; }),
 tool('slow', async () => { add('s'); await wait(150); add('s'); return 'slow'; }),
 tool('late', () => { setTimeout(() => add('l'), 40); }),
 tool('ask', () => { if (confirm('Sure?')) document.querySelector('[data-agent-record=b]')?.remove(); return 1; }),
 tool('throw', () => { add('x'); throw new Error('no'); }),
 tool('fetch', async () => { await fetch('/slow').catch(() => 0); add('f'); }),
] }));
</script>`

// A fault is what goes wrong with a page while an action runs.
type fault struct {
	name string
	do   func(ctx context.Context, tab Tab, base string)
	// gone says that the page cannot be looked at afterwards.
	gone bool
}

func command(ctx context.Context, tab Tab, method string, params any) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	tab.(Protocol).Command(ctx, method, params, nil)
}

var faults = []fault{
	{"nothing", func(context.Context, Tab, string) {}, false},
	{"navigate", func(ctx context.Context, tab Tab, base string) { tab.Navigate(ctx, base+"/other") }, false},
	{"reload", func(ctx context.Context, tab Tab, _ string) { tab.Reload(ctx) }, false},
	{"crash", func(ctx context.Context, tab Tab, _ string) { command(ctx, tab, "Page.crash", nil) }, true},
	{"close", func(ctx context.Context, tab Tab, _ string) { tab.Close(ctx) }, true},
	{"dialog", func(ctx context.Context, tab Tab, _ string) {
		tab.Evaluate(ctx, Script{World: Main, Expression: "setTimeout(() => alert('hello'))"})
	}, false},
	{"freeze", func(ctx context.Context, tab Tab, _ string) {
		tab.Evaluate(ctx, Script{World: Main, Expression: "setTimeout(() => { for (const t = Date.now(); Date.now() < t + 900;); })"})
	}, false},
	{"hang", func(ctx context.Context, tab Tab, _ string) {
		tab.Evaluate(ctx, Script{World: Main, Expression: "setTimeout(() => { for (;;); })"})
	}, true},
	{"throttle", func(ctx context.Context, tab Tab, _ string) {
		command(ctx, tab, "Emulation.setCPUThrottlingRate", map[string]any{"rate": 8})
	}, false},
	{"offline", func(ctx context.Context, tab Tab, _ string) {
		command(ctx, tab, "Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
		tab.Reload(ctx)
	}, true},
}

// TestFaults calls random actions while random things go wrong. No call outlasts its
// deadline, and no evidence says that something is unchanged or removed where nobody
// could look: what it says of records is what the page holds then.
func TestFaults(t *testing.T) {
	rounds := 40
	if *long {
		rounds = 200
	}
	if testing.Short() {
		rounds = 12
	}
	base := serve(t, map[string]string{"/": fmt.Sprintf(faultPage, ""), "/other": fmt.Sprintf(faultPage, `<li data-agent-record="c"></li>`), "/slow": "x"})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]int{}
	for n := range rounds {
		f := faults[n%len(faults)]
		action := []string{"add", "slow", "late", "ask", "throw", "fetch", "press"}[r.IntN(7)]
		name := fmt.Sprintf("%d %s during %s", n, f.name, action)
		tab, err := sharedBrowser(t).NewTab(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPage(t.Context(), tab, &PageOptions{Providers: []Provider{testTools{}}, Dialogs: Accept, Quiet: 80 * time.Millisecond, Settle: 700 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Navigate(t.Context(), base+"/"); err != nil {
			t.Fatal(err)
		}
		c := call.New(p, &call.Options{Format: compact, Timeout: 600 * time.Millisecond, Observe: 700 * time.Millisecond})
		before, err := c.Look(t.Context())
		for range 4 { // nothing is wrong yet but that the machine may be busy
			if err == nil {
				break
			}
			before, err = c.Look(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
			f.do(t.Context(), tab, base)
		})
		began := time.Now()
		res := c.Call(t.Context(), call.Request{Action: action})
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		wg.Wait()
		var ev struct {
			Observed bool
			Reason   string
			Records  struct {
				Added, Removed []struct{ ID string }
			}
		}
		if res.Changed != nil {
			if err := json.Unmarshal(res.Changed, &ev); err != nil {
				t.Fatalf("%s: %s: %v", name, res.Changed, err)
			}
		}
		seen[fmt.Sprintf("%s observed=%v %s", f.name, ev.Observed, ev.Reason)]++
		if ev.Observed {
			// What the evidence makes of the page before must have been there.
			var ids []string
			for _, rec := range before.All() {
				ids = append(ids, rec.ID())
			}
			for _, x := range ev.Records.Removed {
				if !slices.Contains(ids, x.ID) {
					t.Errorf("%s: %s was removed and never there", name, x.ID)
				}
				// Nothing but "ask" removes b, and nothing removes a.
				if x.ID == "a" || x.ID == "b" && action != "ask" {
					t.Errorf("%s: evidence says that %s was removed: %s", name, x.ID, res.Changed)
				}
			}
		}
		began = time.Now()
		next := c.Call(t.Context(), call.Request{Action: "add"})
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("%s: the next call took %v", name, took)
		}
		if f.gone {
			if next.OK {
				t.Errorf("%s: the next call is ok: %s", name, next.AppendJSON(nil))
			}
		} else if f.name != "freeze" && f.name != "throttle" && !next.OK {
			t.Errorf("%s: the next call failed: %s", name, next.AppendJSON(nil))
		}
		p.Close()
		closing, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		tab.Close(closing)
		cancel()
	}
	var list []string
	for k, n := range seen {
		list = append(list, fmt.Sprintf("%s: %d", k, n))
	}
	slices.Sort(list)
	t.Log(strings.Join(list, "\n"))
}

// announcedTools are testTools that say when one of them begins to run.
type announcedTools struct {
	testTools
	running chan<- struct{}
}

func (a announcedTools) Run(ctx context.Context, tab Tab, action *snapshot.Action, params json.RawMessage) (any, error) {
	a.running <- struct{}{}
	return a.testTools.Run(ctx, tab, action, params)
}

// TestBrowserKilled kills the browser while an action runs.
func TestBrowserKilled(t *testing.T) {
	chrome := startBrowser(t)
	defer chrome.Close()
	tab, err := chrome.NewTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	running := make(chan struct{}, 2)
	p, err := NewPage(t.Context(), tab, &PageOptions{Providers: []Provider{announcedTools{running: running}}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			chrome.Kill() // the action has begun
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, faultPage, "")
	}))
	defer server.Close()
	if err := p.Navigate(t.Context(), server.URL+"/"); err != nil {
		t.Fatal(err)
	}
	c := call.New(p, &call.Options{Format: compact, Timeout: 3 * time.Second})
	began := time.Now()
	res := c.Call(t.Context(), call.Request{Action: "fetch"})
	if res.Err == nil || res.Err.Code != call.PageGone || string(res.Changed) != `{"observed":false,"reason":"page-closed"}` {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
	if res := c.Call(t.Context(), call.Request{Action: "add"}); res.Err == nil || res.Err.Code != call.PageGone {
		t.Errorf("the next call: %s", res.AppendJSON(nil))
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestTwoTabs interleaves captures and calls of two tabs: they never mix.
func TestTwoTabs(t *testing.T) {
	page := func(name string) string {
		return `<!doctype html><title>` + name + `</title><ul data-agent-scope="rows"><li data-agent-record="` + name + `"></li></ul>
<button data-agent-action="add" data-agent-description="Add" onclick="const l=document.createElement('li');l.setAttribute('data-agent-record','` + name + `'+document.querySelectorAll('li').length);document.querySelector('ul').append(l)">Add</button>`
	}
	base := serve(t, map[string]string{"/x": page("x"), "/y": page("y")})
	rounds := 50
	if testing.Short() {
		rounds = 10
	}
	var wg sync.WaitGroup
	for _, name := range []string{"x", "y"} {
		p := openPage(t, base+"/"+name, &PageOptions{Quiet: time.Millisecond})
		c := call.New(p, &call.Options{Format: &diff.Format{Compact: true}})
		wg.Go(func() {
			for i := range rounds {
				s, err := p.Snapshot(t.Context())
				if err != nil || s.Len() != i+1 || s.Record(i).ID()[:1] != name || s.Page().Title != name {
					t.Errorf("%s %d: %v", name, i, err)
					return
				}
				res := c.Call(t.Context(), call.Request{Action: "add"})
				if want := fmt.Sprintf(`"added":[{"id":"%s%d"}]`, name, i+1); !res.OK || !strings.Contains(string(res.Changed), want) {
					t.Errorf("%s %d: %s", name, i, res.AppendJSON(nil))
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestCrashIsNoticed crashes a page while it is read by somebody who has all the time
// in the world.
func TestCrashIsNoticed(t *testing.T) {
	base := serve(t, map[string]string{"/": `<p data-agent-scope="s"><b data-agent-record="r"></b></p><script>addEventListener('pagestate:read', () => { for (const t = Date.now(); Date.now() < t + 60000;); })</script>`, "/fine": `<p data-agent-scope="s"></p>`})
	p := openPage(t, base+"/", nil)
	time.AfterFunc(300*time.Millisecond, func() { command(context.Background(), p.Tab(), "Page.crash", nil) })
	began := time.Now()
	s, err := p.Snapshot(t.Context())
	var u *call.UnobservedError
	if !errors.As(err, &u) || u.Reason != diff.PageCrashed || time.Since(began) > 20*time.Second {
		t.Errorf("got %v, %v after %v", s, err, time.Since(began))
	}
	if err := p.Navigate(t.Context(), base+"/fine"); err != nil {
		t.Fatal(err)
	}
	read(t, p)
}

// TestClosedIsNoticed asks for everything of a page that was closed: nobody waits for what
// does not come.
func TestClosedIsNoticed(t *testing.T) {
	base := serve(t, map[string]string{"/": `<p data-agent-scope="s"><b data-agent-record="r"></b></p>`})
	p := openPage(t, base+"/", nil)
	if err := p.Tab().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	_, newErr := NewPage(ctx, p.Tab(), nil)
	_, tabErr := p.Tab().Evaluate(ctx, Script{Expression: "1"})
	for name, err := range map[string]error{"NewPage": newErr, "Evaluate": tabErr, "Navigate": p.Navigate(ctx, base+"/"), "Reload": p.Reload(ctx),
		"WaitFor": p.WaitFor(ctx, "p"), "WaitLoaded": p.WaitLoaded(ctx), "Click": p.Click(ctx, "x")} {
		if u := new(call.UnobservedError); !errors.Is(err, ErrClosed) && !(errors.As(err, &u) && u.Reason == diff.PageClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}
