package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/internal/livetest"
	"github.com/pagestate/pagestate/snapshot"
)

// TestPageAgentCalls calls the tools of a page-agent from npm.
func TestPageAgentCalls(t *testing.T) {
	s := newSite(t, map[string]string{"/agent.js": livetest.Bundle(t, "testdata/agent.js")})
	l := openLive(t, sharedBrowser(t), s.URL+"/agent.html", nil)
	res := l.call(call.Request{Action: "add_to_cart", Params: json.RawMessage(`{"product":"lid"}`)})
	if !res.OK || string(res.Data) != `"Added 1x lid."` || evidenceOf(t, res.Changed).added() != "lid" {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	res = l.call(call.Request{Action: "add_to_cart", Params: json.RawMessage(`{"product":"lid","quantity":100}`)})
	if res.OK || res.Err.Code != call.InvalidParams || len(res.Err.Details) != 1 || res.Err.Details[0].Pointer != "/quantity" || res.Changed != nil {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	res = l.call(call.Request{Action: "wait"})
	if !res.OK || string(res.Data) != `"Waited."` || !res.Same {
		t.Errorf("the tool that replaces a built-in one: %s", res.AppendJSON(nil))
	}
	res = l.call(call.Request{Action: "scroll"})
	if res.OK || res.Err.Code != call.ActionNotFound {
		t.Errorf("the tool that was taken away: %s", res.AppendJSON(nil))
	}

	// Stopped half-way: two jars are there, and nothing says that it was done.
	ctx, cancel := context.WithCancel(l.ctx)
	time.AfterFunc(500*time.Millisecond, cancel)
	res = l.caller.Call(ctx, call.Request{Action: "restock", Params: json.RawMessage(`{"jars":5}`)})
	if res.OK || res.Err.Code != call.Aborted || evidenceOf(t, res.Changed).added() != "jar-1 jar-2" || res.Data != nil {
		t.Errorf("stopped: %s", res.AppendJSON(nil))
	}
	time.Sleep(50 * time.Millisecond)
	res = l.call(call.Request{Action: "wait"})
	if !res.OK || !res.Same || res.Between != nil || strings.Contains(string(res.Changed), call.CodeUnfinishedCall) {
		t.Errorf("after it was stopped: %s", res.AppendJSON(nil))
	}
	for i, n := 0, l.look(); i < n.Actions(); i++ {
		if a := n.Action(i); strings.Contains(a.Description, "never-to-be-seen") {
			t.Error("the agent's secrets are exposed")
		}
	}
}

// TestWebMCPEvidence registers and unregisters tools; each is seen once.
func TestWebMCPEvidence(t *testing.T) {
	const page = `<!doctype html><meta charset="utf-8"><title>WebMCP</title>%POLYFILL%
<ul data-agent-scope="list" aria-label="List"></ul><script>
const stops = {};
const register = (name) => document.modelContext.registerTool({ name, description: 'Add ' + name + '.', inputSchema: { type: 'object', properties: {} },
  execute: async () => { const li = document.createElement('li'); li.dataset.agentRecord = name; document.querySelector('ul').append(li); return { added: name }; } },
  { signal: (stops[name] = new AbortController()).signal });
</script>`
	for _, tt := range []struct {
		name, polyfill string
		flags          map[string]any
	}{
		{"native", "", nil},
		{"polyfill", `<script src="polyfill.js"></script>`, map[string]any{"enable-features": false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := sharedBrowser(t)
			if tt.flags != nil {
				var err error
				if c, err = start(&browser.StartOptions{Flags: tt.flags}); err != nil {
					t.Fatal(err)
				}
				defer c.Close()
			}
			s := newSite(t, map[string]string{"/": strings.Replace(page, "%POLYFILL%", tt.polyfill, 1),
				"/polyfill.js": livetest.Read(t, "@mcp-b/webmcp-polyfill/dist/index.iife.js")})
			l := openLive(t, c, s.URL, nil)
			var d diff.Differ
			before := l.look()
			for _, step := range []struct{ do, want string }{
				{`register('milk')`, `{"observed":true,"actions":{"added":[{"id":"milk"}]}}`},
				{`register('eggs')`, `{"observed":true,"actions":{"added":[{"id":"eggs"}]}}`},
				{`0`, `{"observed":true}`},
				{`stops.milk.abort()`, `{"observed":true,"actions":{"removed":[{"id":"milk"}]}}`},
				{`0`, `{"observed":true}`},
			} {
				l.main("(async () => { await " + step.do + "; await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); })()")
				after := l.look()
				if got := compact(&d, before, after); got != step.want {
					t.Errorf("%s\n got %s\nwant %s", step.do, got, step.want)
				}
				before = after
			}
			res := l.call(call.Request{Action: "eggs"})
			if !res.OK || string(res.Data) != `{"added":"eggs"}` || evidenceOf(t, res.Changed).added() != "eggs" {
				t.Errorf("%s", res.AppendJSON(nil))
			}
		})
	}
}

func compact(d *diff.Differ, before, after *snapshot.Snapshot) string {
	return string(d.Compare(before, after, &diff.Options{Session: true}).AppendJSON(nil, &diff.Format{Detail: diff.Names, Compact: true}))
}

// TestC36 calls a tool of a page that has replaced half of the language.
func TestC36(t *testing.T) {
	s := newSite(t, nil)
	clean := openLive(t, sharedBrowser(t), s.URL+"/C36/clean.html", nil).look()
	for _, attach := range []bool{false, true} {
		testC36(t, s, clean, attach)
	}
}

// testC36 opens the hostile page, or attaches to it when it has done its worst.
func testC36(t *testing.T, s *site, clean *snapshot.Snapshot, attach bool) {
	url := s.URL + "/C36/hostile.html"
	var l *live
	if !attach {
		l = openLive(t, sharedBrowser(t), url, nil)
	} else {
		tab, err := sharedBrowser(t).NewTab(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tab.Close(context.Background()) })
		if err := tab.Navigate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Evaluate(t.Context(), browser.Script{World: browser.Main, Expression: `globalThis.matchMedia = globalThis.MediaQueryList = undefined`}); err != nil {
			t.Fatal(err)
		}
		l = attachLive(t, tab, nil)
	}
	var d diff.Differ
	if got := compact(&d, clean, l.look()); !strings.HasPrefix(got, `{"observed":true,"page":`) {
		t.Errorf("clean against hostile: %s", got)
	}
	l.main(`addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'h', description: 'd', tools: [{ name: 'mix', description: 'Mix.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
  execute: async ({ n }) => ({ n, list: [1, 'two', [3]], text: 'it\'s "quoted"', none: undefined, date: new Date(0) }) }] }))`)
	res := l.call(call.Request{Action: "mix", Params: json.RawMessage(`{"n":41}`)})
	const want = `{"n":41,"list":[1,"two",[3]],"text":"it's \"quoted\"","date":{"$js":"date","value":"1970-01-01T00:00:00.000Z"}}`
	if !res.OK || string(res.Data) != want || !res.Same {
		t.Errorf("%s", res.AppendJSON(nil))
	}
}

// TestInheritedDescriptors gives all objects of a page members that descriptors of
// properties have, which those of ours must not take for theirs.
func TestInheritedDescriptors(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Inherited</title><p data-agent-scope="s"><b data-agent-record="r"></b></p><script>
Object.prototype.get = Object.prototype.set = () => 'inherited';
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', description: 'd', tools: [
  { name: 'add', description: 'Add.', inputSchema: {}, execute: () => { document.querySelector('p').insertAdjacentHTML('beforeend', '<b data-agent-record=new></b>'); } },
] }));</script>`})
	l := openLive(t, sharedBrowser(t), s.URL, nil)
	if res := l.call(call.Request{Action: "add"}); !res.OK || evidenceOf(t, res.Changed).added() != "new" {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	if d := l.look().Diagnostics(); len(d) > 0 {
		t.Errorf("diagnostics %v", d)
	}
}

// TestPageAgentLeavings shows that what a page-agent puts into a page is not taken for
// the page's own: its panel, its mask, the marks over elements.
func TestPageAgentLeavings(t *testing.T) {
	s := newSite(t, map[string]string{"/agent.js": livetest.Bundle(t, "testdata/agent.js"),
		"/": `<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain</title><button id="buy">Buy</button><script src="agent.js"></script>`})
	l := openLive(t, sharedBrowser(t), s.URL, nil)
	before := l.look()
	l.main(`assistant.pageController.updateTree().then(() => 0)`)
	l.main(`assistant.panel.show(), assistant.panel.expand(), 0`)
	l.main(`(() => { if (!document.querySelector('#page-agent-runtime_agent-panel button, #page-agent-runtime_agent-panel input, #page-agent-runtime_agent-panel [role]')?.checkVisibility()) throw new Error('no panel: ' + document.querySelector('#page-agent-runtime_agent-panel')?.outerHTML.slice(0, 900)); })()`)
	l.main(`(() => { if (!document.getElementById('playwright-highlight-container')) throw new Error('no marks'); })()`)
	var d diff.Differ
	if ch := d.Compare(before, l.look(), nil); !ch.Same() {
		t.Errorf("marks: %s", ch.AppendJSON(nil, nil))
	}
	before = l.look()
	for i := range before.Actions() {
		if a := before.Action(i); a.Primitive != "call" && a.Description != "Buy" {
			t.Errorf("the page has the action %q: %s", a.ID, a.Description)
		}
	}
}

// TestNavigation calls tools that leave the page before they answer.
func TestNavigation(t *testing.T) {
	const page = `<!doctype html><title>Here</title><ul data-agent-scope="s"><li data-agent-record="here"></li></ul><script>
const leave = { name: 'leave', description: 'Leave.', inputSchema: { type: 'object', properties: {} }, execute: () => { location.href = '/there'; return new Promise(() => {}); } };
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'devtools', description: 'd', tools: [leave] }));
document.modelContext.registerTool(leave);
</script>`
	s := newSite(t, map[string]string{"/": page, "/there": `<!doctype html><title>There</title><ul data-agent-scope="s"><li data-agent-record="there"></li></ul>`})
	for _, id := range []string{"devtools/leave", "webmcp/leave"} {
		l := openLive(t, sharedBrowser(t), s.URL, nil)
		l.look()
		res := l.call(call.Request{Action: id})
		e := evidenceOf(t, res.Changed)
		if res.OK || res.Err.Code != call.Navigated || e.added() != "there" || len(e.Records.Removed) != 1 {
			t.Errorf("%s: %s", id, res.AppendJSON(nil))
		}
		if got := l.call(call.Request{Action: id}); got.OK || got.Err.Code != call.ActionNotFound {
			t.Errorf("%s: afterwards %s", id, got.AppendJSON(nil))
		}
	}
}

// TestScriptAddresses opens documents that addresses which are scripts put in place of
// others. Chromium ends pages in which the contexts of both are looked at.
func TestScriptAddresses(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Old</title><p data-agent-scope="s"><b data-agent-record="r"></b></p>
<iframe src="javascript:''"></iframe><iframe id="f" srcdoc="<p data-agent-scope=f><b data-agent-record=old></b>"></iframe><script>
const put = (frame, id) => { frame.location = "javascript:'<p data-agent-scope=s><b data-agent-record=" + id + "></b>'"; };
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', description: 'd', tools: [
  { name: 'inside', description: 'Put another document into the frame.', inputSchema: {}, execute: () => put(f.contentWindow, 'inner') },
  { name: 'here', description: 'Put another document in place of this.', inputSchema: {}, execute: () => put(window, 'new') },
] }));</script>`})
	l := openLive(t, sharedBrowser(t), s.URL, nil)
	for _, tt := range []struct{ action, want string }{{"inside", "inner"}, {"here", "new"}} {
		res := l.call(call.Request{Action: tt.action})
		if !res.OK || evidenceOf(t, res.Changed).added() != tt.want {
			t.Errorf("%s", res.AppendJSON(nil))
		}
	}
}

// TestScriptlessDocuments prepares documents that run no scripts: nothing that is waited
// for comes in them.
func TestScriptlessDocuments(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Frames</title><iframe sandbox="allow-same-origin" srcdoc="<p>still</p>"></iframe>`})
	b := openBare(t, sharedBrowser(t), nil)
	b.open(s.URL)
	began := time.Now()
	b.read()
	if took := time.Since(began); took > patience {
		t.Errorf("a reading took %v", took)
	}
}
