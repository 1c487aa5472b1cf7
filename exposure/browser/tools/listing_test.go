package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/internal/livetest"
	"github.com/pagestate/pagestate/snapshot"
)

// discovery is a page whose listeners answer in ways that real clients lose.
const discovery = `<!doctype html><meta charset="utf-8"><title>Discovery</title><script>
const tool = (name) => ({ name, description: name, inputSchema: {}, execute: () => name });
const group = (name, ...tools) => ({ name, description: name, tools: tools.map(tool) });
addEventListener('devtoolstooldiscovery', (e) => { e.respondWith(group('first', 'a')); e.respondWith(group('second', 'b')); });
addEventListener('devtoolstooldiscovery', () => { throw new Error('a listener that fails'); });
addEventListener('devtoolstooldiscovery', (e) => Promise.resolve().then(() => e.respondWith(group('microtask', 'c'))));
addEventListener('devtoolstooldiscovery', (e) => e.respondWith(Promise.resolve(group('promise', 'd'))));
addEventListener('devtoolstooldiscovery', (e) => setTimeout(() => e.respondWith(group('timeout', 'e')), 0));
addEventListener('devtoolstooldiscovery', (e) => { e.respondWith({ name: 'broken', tools: 'none' }); });
var later = (e) => e.respondWith(group('later', 'f'));
</script>`

func TestDiscovery(t *testing.T) {
	s := newSite(t, map[string]string{"/": discovery, "/other": `<!doctype html><title>Other</title>`})
	b := openBare(t, sharedBrowser(t), nil)
	b.open(s.URL)
	const all = "first/a second/b microtask/c promise/d timeout/e"
	// Late groups are listed in the order in which they come.
	for i := range 3 {
		if got := b.read(); got.names() != all && got.names() != "first/a second/b promise/d microtask/c timeout/e" {
			t.Fatalf("reading %d: %s, want %s", i, got.names(), all)
		}
	}
	first := b.read()
	for range 20 {
		if got := b.read(); got.names() != first.names() {
			t.Fatalf("readings in a row differ: %s, then %s", first.names(), got.names())
		}
	}
	if d := first.Diagnostics; len(d) != 1 || d[0].Code != "bad-tool" || d[0].At != "broken" {
		t.Errorf("diagnostics %v, want one of the broken group", d)
	}
	b.main(`addEventListener('devtoolstooldiscovery', later)`)
	if got := b.read(); !strings.Contains(got.names(), "later/f") {
		t.Errorf("a listener that was added later is not asked: %s", got.names())
	}
	b.main(`removeEventListener('devtoolstooldiscovery', later)`)
	if got := b.read(); got.names() != first.names() {
		t.Errorf("a listener that was removed: %s, want %s", got.names(), first.names())
	}

	// Away and back: the document may come from the back-forward cache.
	b.open(s.URL + "/other")
	if got := b.read(); got.text != "" {
		t.Errorf("a page without tools: %s", got.text)
	}
	b.main(`history.back()`)
	deadline := time.Now().Add(5 * time.Second)
	for {
		if got := b.read(); len(got.Actions) == len(first.Actions) {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("after going back: %s", got.names())
		}
		time.Sleep(20 * time.Millisecond)
	}
	if v, err := b.run("second", "b", `{}`); err != nil || v != `"b"` {
		t.Errorf("after going back: %s, %v", v, err)
	}
}

// run runs a tool without looking at its parameters.
func (b *bare) run(group, name, params string) (string, error) {
	v, err := b.tools.Run(b.ctx, b.tab, &snapshot.Action{ID: name, Group: group, Name: name}, json.RawMessage(params))
	text, _ := v.(json.RawMessage)
	return string(text), err
}

func TestLateGroupsEnd(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Late</title><script>
const late = (e) => setTimeout(() => e.respondWith({ name: 'late', description: 'd', tools: [{ name: 'x', description: 'd', inputSchema: {}, execute() {} }] }), 0);
addEventListener('devtoolstooldiscovery', late);
</script>`})
	b := openBare(t, sharedBrowser(t), nil)
	b.open(s.URL)
	if got := b.read(); got.names() != "late/x" {
		t.Fatalf("%q", got.names())
	}
	b.main(`removeEventListener('devtoolstooldiscovery', late)`)
	deadline := time.Now().Add(10 * time.Second)
	for len(b.read().Actions) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("a late group stays although nobody answers with it any more")
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func TestWebMCPNative(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>WebMCP</title><script>
const stop = new AbortController();
const ready = document.modelContext.registerTool({ name: 'count', description: 'Count.', inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  annotations: { readOnlyHint: true }, execute: ({ n }) => ({ n, next: n + 1 }) }, { signal: stop.signal });
const more = document.modelContext.registerTool({ name: 'bare', description: 'Bare.', execute: (input, { signal }) => { if (input.fail) throw new TypeError('card declined'); return input.wait ? new Promise((_, no) => signal.addEventListener('abort', () => { window.aborted = true; no(signal.reason); })) : undefined; } });
</script>`})
	testWebMCP(t, openBare(t, sharedBrowser(t), nil), s)
}

func TestWebMCPPolyfill(t *testing.T) {
	s := newSite(t, map[string]string{"/polyfill.js": livetest.Read(t, "@mcp-b/webmcp-polyfill/dist/index.iife.js"),
		"/": `<!doctype html><title>WebMCP</title><script src="polyfill.js"></script><script>
const stop = new AbortController();
const ready = document.modelContext.registerTool({ name: 'count', description: 'Count.', inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  annotations: { readOnlyHint: true }, execute: ({ n }) => ({ n, next: n + 1 }) }, { signal: stop.signal });
const more = document.modelContext.registerTool({ name: 'bare', description: 'Bare.', execute: (input) => { if (input.fail) throw new TypeError('card declined'); return input.wait ? new Promise(() => { window.aborted = true; }) : undefined; } });
</script>`})
	c, err := start(&browser.StartOptions{Flags: map[string]any{"enable-features": false}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := openBare(t, c, nil)
	b.open(s.URL)
	if got := b.main(`document.modelContext.__isWebMCPPolyfill === true`); got != "true" {
		t.Fatal("the browser has WebMCP of its own")
	}
	testWebMCP(t, b, s)
}

func testWebMCP(t *testing.T, b *bare, s *site) {
	b.open(s.URL)
	b.main(`Promise.all([ready, more]).then(() => 0)`)
	got := b.read()
	if got.names() != "webmcp/bare webmcp/count" {
		t.Fatalf("%s; %v", got.names(), got.Diagnostics)
	}
	if c := got.Actions[1]; c.Kind != "read" || c.Description != "Count." || !strings.Contains(string(c.Params), `"n":{"type":"integer"}`) {
		t.Errorf("%+v", c)
	}
	if v, err := b.run("webmcp", "count", `{"n":41}`); err != nil || v != `{"n":41,"next":42}` {
		t.Errorf("%s, %v", v, err)
	}
	if v, err := b.run("webmcp", "bare", `{}`); err != nil || v != "" && v != `"Operation succeeded"` {
		t.Errorf("%s, %v", v, err)
	}
	var te *ToolError
	if _, err := b.run("webmcp", "bare", `{"fail":true}`); !errors.As(err, &te) || !strings.Contains(te.Message, "card declined") {
		t.Errorf("a tool that fails: %v", err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := b.tools.Run(ctx, b.tab, &snapshot.Action{ID: "bare", Group: "webmcp", Name: "bare"}, json.RawMessage(`{"wait":true}`)); err == nil {
		t.Error("a tool that was stopped returned")
	}
	if got := b.main(`new Promise((done) => setTimeout(() => done(window.aborted), 50))`); got != "true" {
		t.Errorf("the tool was not told to stop")
	}
	b.main(`stop.abort(), 0`)
	if got := b.read(); got.names() != "webmcp/bare" {
		t.Errorf("after its signal aborted: %s", got.names())
	}
	if _, err := b.run("webmcp", "count", `{"n":1}`); !errors.Is(err, exposure.ErrGone) {
		t.Errorf("a tool that was unregistered: %v", err)
	}
}

func TestPageAgent(t *testing.T) {
	script := livetest.Bundle(t, "testdata/agent.js")
	for _, where := range []string{"window.assistant", "a script's own variable"} {
		t.Run("held by "+where, func(t *testing.T) {
			if where != "window.assistant" {
				script = "let hidden;\n" + strings.ReplaceAll(script, "window.assistant", "hidden")
				script = "(() => {" + script + "\nsetInterval(() => hidden.status, 1e6);})()"
			}
			testPageAgent(t, script)
		})
	}
}

func testPageAgent(t *testing.T, script string) {
	s := newSite(t, map[string]string{"/agent.js": script})
	b := openBare(t, sharedBrowser(t), nil)
	b.open(s.URL + "/agent.html")
	got := b.read()
	const want = "page-agent/done page-agent/wait page-agent/ask_user page-agent/click_element_by_index page-agent/input_text page-agent/select_dropdown_option " +
		"page-agent/scroll_horizontally page-agent/add_to_cart page-agent/restock"
	if got.names() != want {
		t.Errorf("got  %s\nwant %s\n%v", got.names(), want, got.Diagnostics)
	}
	if strings.Contains(got.text, "never-to-be-seen") {
		t.Error("the agent's secrets are exposed")
	}
	for _, a := range got.Actions {
		switch a.ID {
		case "add_to_cart":
			if p := string(a.Params); !strings.Contains(p, `"maximum":99`) || !strings.Contains(p, `"required":["product"]`) || !strings.Contains(p, `"default":1`) {
				t.Errorf("parameters %s", p)
			}
		case "wait":
			if a.Description != "Wait for a while, at most a second." || string(a.Params) != "{}" {
				t.Errorf("the tool that replaces a built-in one: %+v", a)
			}
		}
	}
	if v, err := b.run("page-agent", "add_to_cart", `{"product":"lid"}`); err != nil || v != `"Added 1x lid."` {
		t.Errorf("%s, %v", v, err)
	}
	var te *ToolError
	if v, err := b.run("page-agent", "add_to_cart", `{"product":"lid","quantity":100}`); !errors.As(err, &te) || !strings.Contains(te.Message, "invalid parameters") {
		t.Errorf("what the tool's own schema refuses: %s, %v", v, err)
	}
	if v, err := b.run("page-agent", "restock", `{"jars":1}`); err != nil || v != `"Filled up by the assistant."` {
		t.Errorf("%s, %v", v, err)
	}
	if v, err := b.run("page-agent", "scroll", `{}`); !errors.Is(err, exposure.ErrGone) {
		t.Errorf("a built-in tool that was removed: %s, %v", v, err)
	}
}

// TestFrames runs tools of frames: of the same origin, of another one, and of a page
// that was there before us.
func TestFrames(t *testing.T) {
	const register = `<script>document.modelContext.registerTool({ name: 'where', description: 'Where.', inputSchema: { type: 'object', properties: {} }, execute: () => location.search })</script>`
	s := newSite(t, map[string]string{"/in": `<!doctype html><title>In</title>` + register + `<iframe name="deep" src="/deep?deep"></iframe>`, "/deep": `<!doctype html>` + register})
	other := newSite(t, map[string]string{"/far": `<!doctype html><title>Far</title>` + register})
	far := strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/far?far"
	s.files["/"] = `<!doctype html><title>Frames</title><iframe name="near" src="/in?near"></iframe><iframe name="far" allow="tools" src="` + far + `"></iframe>`

	// Chromium 156 now and then forgets a frame, or kills its process over a message of
	// its own ("bad IPC message, reason 346"), when documents that register tools come
	// close to each other. It is tried anew then.
	const want = "near.deep/webmcp/where near/webmcp/where far/webmcp/where "
	c := sharedBrowser(t)
	listed := func(attach bool) (*live, string) {
		var l *live
		if attach {
			tab, err := c.NewTab(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { tab.Close(context.Background()) })
			if err := tab.Navigate(t.Context(), s.URL); err != nil {
				t.Fatal(err)
			}
			l = attachLive(t, tab, nil)
		} else {
			l = openLive(t, c, s.URL, nil)
		}
		ids := ""
		for range 30 {
			snap, err := l.caller.Look(l.ctx)
			if err != nil {
				return nil, err.Error()
			}
			ids = ""
			for i := range snap.Actions() {
				ids += snap.Action(i).ID + " "
			}
			if ids == want {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		return l, ids
	}
	for _, attach := range []bool{false, true} {
		l, ids := listed(attach)
		for again := 0; again < 5 && ids != want; again++ {
			t.Logf("attached %v: %s", attach, ids)
			l, ids = listed(attach)
		}
		if ids != want {
			t.Errorf("attached %v: %s", attach, ids)
			continue
		}
		for _, id := range strings.Fields(ids) {
			want := map[string]string{"near/webmcp/where": `"?near"`, "near.deep/webmcp/where": `"?deep"`, "far/webmcp/where": `"?far"`}[id]
			if res := l.call(call.Request{Action: id}); !res.OK || string(res.Data) != want {
				t.Errorf("attached %v: %s: %s", attach, id, res.AppendJSON(nil))
			}
		}
	}
}

func TestManyTools(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Many</title><script>
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'many', description: 'd',
  tools: Array.from({ length: 3000 }, (_, i) => ({ name: 't' + i, description: 'd', inputSchema: {}, execute() {} })) }));
</script>`})
	b := openBare(t, sharedBrowser(t), nil)
	b.open(s.URL)
	got := b.read()
	if len(got.Actions) != 2000 || len(got.Diagnostics) != 1 || !strings.Contains(got.Diagnostics[0].Message, "left out") {
		t.Errorf("%d actions, diagnostics %v", len(got.Actions), got.Diagnostics)
	}
}
