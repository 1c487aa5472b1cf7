package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/browser/runtime"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// TestCallRoundTrips pins how often a call asks the page.
func TestCallRoundTrips(t *testing.T) {
	base := serve(t, map[string]string{"/": ordersPage(20) + "<script>" + runtime.Source + "</script><script>pagestate.tool({ id: 'own', desc: 'Own', run: toggle })</script>"})
	p := openPage(t, base+"/", &PageOptions{Providers: []Provider{testTools{}}, Quiet: time.Millisecond})
	if err := p.WaitLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	read(t, p)
	c := &countingTab{Tab: p.tab}
	p.tab = c
	caller := call.New(p, &call.Options{Format: compact})
	for _, tt := range []struct {
		action string
		want   int
	}{
		{"toggle", 4}, // look-up, before, run, settled and after
		{"toggle", 4},
		{"own", 5},       // the page runtime is asked what it expects
		{"delete@o1", 7}, // look-up, available, before; point, aim, landed; settled and after
	} {
		c.n = 0
		res := caller.Call(t.Context(), call.Request{Action: tt.action})
		if !res.OK || c.n != tt.want {
			t.Errorf("%s: the page was asked %d times, want %d: %s", tt.action, c.n, tt.want, res.AppendJSON(nil))
		}
	}
}

// busyTools are testTools whose preparation may have something to wait for.
type busyTools struct{ testTools }

func (busyTools) Idle(Tab) bool { return false }

// finishPage has tools that change a record at once and then again, after some time or
// when an answer comes.
const finishPage = `<!doctype html><title>Finish</title><ul data-agent-scope="s"><li data-agent-record="r"><i data-agent-field="n">0</i></li></ul><div id="more"></div>
<script>
const n = () => document.querySelector('i').textContent++;
const many = (times, ms) => { n(); if (times > 1) setTimeout(many, ms, times - 1, ms); };
const load = async (path) => { n(); await fetch(path); n(); };
const tools = {
	once: n, twice: () => many(2, 100), often: () => many(8, 60), forever: () => { setInterval(n, 20); },
	fetches: () => { load('/slow'); }, awaits: () => load('/slow'), done: () => { n(); setTimeout(n, 2000); dispatchEvent(new Event('pagestate:settled')); },
	frame: () => { n(); more.innerHTML = '<iframe src="/inner"></iframe>'; }, route: () => { n(); history.pushState(null, '', '/routed'); document.title = 'Routed'; },
	leave: () => { n(); setTimeout(() => { location = '/'; }, 50); },
	deep: () => { n(); requestAnimationFrame(() => requestAnimationFrame(n)); },
	observed: () => { new IntersectionObserver(n).observe(more); },
};
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: {}, execute: () => tools[name]() })) }));
</script>`

// TestFinish compares the evidence of pages that are read in the evaluation in which they
// come to rest with that of pages that are not.
func TestFinish(t *testing.T) {
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			time.Sleep(300 * time.Millisecond)
		case "/inner":
			w.Write([]byte(`<p data-agent-scope="inner"><b data-agent-record="x"></b></p>`))
		default:
			w.Write([]byte(finishPage))
		}
	})
	for _, tt := range []struct{ action, n, has string }{
		{"once", "1", ""}, {"twice", "2", ""}, {"often", "8", ""}, {"forever", "", `"settled":false`}, {"fetches", "2", ""}, {"awaits", "2", ""},
		{"done", "1", ""}, {"frame", "1", `"id":"inner"`}, {"route", "1", `"to":"` + base + `/routed"`}, {"leave", "0", `"navigated":true`}, {"deep", "2", ""}, {"observed", "1", ""},
	} {
		for _, provider := range []Provider{testTools{}, busyTools{}} {
			p := openPage(t, base+"/", &PageOptions{Providers: []Provider{provider}, Quiet: 300 * time.Millisecond, Settle: 3 * time.Second})
			ev, err := call.Observe(t.Context(), p, func(context.Context) error { evaluate(t, p, "void tools."+tt.action+"()"); return nil }, &call.ObserveOptions{Format: compact})
			got := string(ev.JSON)
			if err != nil || ev.After == nil || !strings.Contains(got, tt.has) || strings.Contains(got, `"settled":false`) != (tt.action == "forever") {
				t.Errorf("%s, %T: %s %v", tt.action, provider, got, err)
				continue
			}
			if n := strings.Trim(fields(t, ev.After, "s", "r")[0], `n="`); tt.n != "" && n != tt.n {
				t.Errorf("%s, %T: n is %s, want %s", tt.action, provider, n, tt.n)
			}
		}
	}
}

// TestFinishBeside reads a page all the time while it is called: results stay right, and
// elements are not taken for others.
func TestFinishBeside(t *testing.T) {
	base := serve(t, map[string]string{"/": `<!doctype html><title>Beside</title><ul data-agent-scope="s"><li data-agent-record="r"><i data-agent-field="n">0</i></li></ul>
<button data-agent-action="add" data-agent-description="Add" onclick="this.after(document.createElement('p')); document.querySelector('i').textContent++">Add</button><div id="box"></div>
<script>setInterval(() => { box.innerHTML = '<button data-agent-action="other" data-agent-description="Other" onclick="document.title = 1">x</button>'.repeat(Math.random() * 5) }, 7)</script>`})
	p := openPage(t, base+"/", &PageOptions{Quiet: time.Millisecond})
	c := call.New(p, &call.Options{Format: compact})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if _, err := p.Snapshot(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	for range 20 {
		res := c.Call(t.Context(), call.Request{Action: "add"})
		if res.OK && !strings.Contains(string(res.Changed), `"updated":[{"id":"r","fields":["n"]}]`) {
			t.Errorf("%s", res.AppendJSON(nil))
		}
	}
	cancel()
	wg.Wait()
	if s := read(t, p); s.Page().Title != "Beside" {
		t.Error("another element was clicked")
	}
}

// TestSettleInFrames changes what is in frames of the same origin some time after a tool
// has answered: that is waited for.
func TestSettleInFrames(t *testing.T) {
	const inner = `<ul data-agent-scope="in"><li data-agent-record="r"><i data-agent-field="n">0</i></li></ul><script>
var many = (times) => { document.querySelector('i').textContent++; if (times > 1) setTimeout(many, 120, times - 1); };</script>`
	for _, tag := range []string{`<iframe src="/in"></iframe>`, `<object data="/in" type="text/html"></object>`, `<embed src="/in" type="text/html">`} {
		base := serve(t, map[string]string{"/in": inner, "/": `<!doctype html><title>t</title>` + tag + `<script>
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', tools: [{ name: 'go', description: 'go', inputSchema: {}, execute: () => { frames[0].many(4); } }] }));</script>`})
		p := openPage(t, base+"/", &PageOptions{Providers: []Provider{testTools{}}})
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "go"})
		after := read(t, p)
		if n := string(after.Record(after.Find("in", "r")).Field("n").Text()); !res.OK || n != "4" {
			t.Errorf("%s: was read when %s of 4 changes were made: %s", tag, n, res.AppendJSON(nil))
		}
	}
}

// TestAnswering counts the animation frames that are asked for from the answer of an
// action on: they pass whether or not somebody waits for the page to settle, and are
// counted from the expectation if there is one. A page that keeps events to itself is
// given its frames when it is asked to settle.
func TestAnswering(t *testing.T) {
	base := serve(t, map[string]string{"/": `<!doctype html><title>Answering</title><script>` + runtime.Source + `</script><ul data-agent-scope="s"><li data-agent-record="r"></li></ul><script>
pagestate.tool({ id: 'plain', desc: 'Plain', run: () => {} });
pagestate.tool({ id: 'throws', desc: 'Throws', run: () => { throw new Error('no') } });
pagestate.tool({ id: 'expects', desc: 'Expects', run: () => {}, expect: { desc: 'Done', check: () => true } });
pagestate.tool({ id: 'mute', desc: 'Mute', run: () => { window.dispatchEvent = () => { throw new Error('no') } } });
</script>`})
	for _, tt := range []struct {
		action                  string
		answered, held, settled int // frames asked for by then
	}{
		{"plain", 2, 2, 2},
		{"throws", 2, 2, 2},
		{"expects", 2, 4, 4},
		{"mute", 0, 0, 2},
	} {
		p := openPage(t, base+"/", &PageOptions{Quiet: time.Millisecond})
		frames := func(after time.Duration) (n int) {
			time.Sleep(after)
			raw, err := p.inWorld(t.Context(), "", "asked", false)
			if err != nil || json.Unmarshal(raw, &n) != nil {
				t.Fatalf("%s %v", raw, err)
			}
			return n
		}
		s := read(t, p)
		count := `(() => { const ask = requestAnimationFrame; __pagestate.asked = 0; globalThis.requestAnimationFrame = (f) => { __pagestate.asked++; return ask(f); } })()`
		if _, err := p.Tab().Evaluate(t.Context(), Script{Expression: count}); err != nil {
			t.Fatal(err)
		}
		var a snapshot.Action
		for i := range s.Actions() {
			if a = s.Action(i); a.ID == tt.action {
				break
			}
		}
		e := p.Expectation(&a)
		if _, err := p.Run(t.Context(), &a, nil); (err != nil) != (tt.action == "throws") {
			t.Errorf("%s: %v", tt.action, err)
		}
		answered := frames(300 * time.Millisecond)
		if (e != nil) != (tt.action == "expects") {
			t.Errorf("%s: expects %v", tt.action, e)
		} else if e != nil {
			if err := e.Await(t.Context()); err != nil {
				t.Error(err)
			}
		}
		held := frames(300 * time.Millisecond)
		if got, after := p.Finish(t.Context(), e != nil); got.Unsettled || after == nil {
			t.Errorf("%s: %+v, %v", tt.action, got, after)
		}
		if settled := frames(0); answered != tt.answered || held != tt.held || settled != tt.settled {
			t.Errorf("%s: %d, %d, %d frames, want %d, %d, %d", tt.action, answered, held, settled, tt.answered, tt.held, tt.settled)
		}
	}
}

// TestScriptless reads and operates a document that runs no scripts, in which nothing that
// is waited for comes.
func TestScriptless(t *testing.T) {
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox allow-forms")
		w.Write([]byte(`<!doctype html><title>Still</title><ul data-agent-scope="s"><li data-agent-record="r">
<input type="checkbox" data-agent-field="on" data-agent-action="tick" data-agent-description="Tick"></li></ul>
<form><button data-agent-action="send" data-agent-description="Send" name="sent" value="1">Send</button></form>`))
	})
	p := openPage(t, base+"/", nil)
	caller := call.New(p, &call.Options{Format: compact})
	for _, tt := range []struct{ action, want string }{
		{"tick@r", `"updated":[{"id":"r","fields":["on"]}]`},
		{"send", `"navigated":true`},
	} {
		began := time.Now()
		res := caller.Call(t.Context(), call.Request{Action: tt.action})
		if took := time.Since(began); !res.OK || !strings.Contains(string(res.Changed), tt.want) || strings.Contains(string(res.Changed), "settled") || took > DefaultSettle {
			t.Errorf("%s took %v: %s", tt.action, took, res.AppendJSON(nil))
		}
	}
}
