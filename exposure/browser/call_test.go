package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// testTools is as much of a provider of DevTools third-party tools as the cases
// need: one group, found when the page is read.
type testTools struct{}

func (testTools) Name() string { return "test" }

func (testTools) Script() string {
	return `(() => {
	if (window.__tools) return;
	const say = JSON.stringify, keep = window.__tools = {};
	const dispatch = window.dispatchEvent.bind(window), Custom = CustomEvent;
	window.addEventListener('pagestate:read', () => {
		const actions = [];
		const e = new Custom('devtoolstooldiscovery');
		e.respondWith = (g) => { for (const t of g.tools) { keep[t.name] = t;
			actions.push({ id: t.name, group: g.name, name: t.name, description: t.description, primitive: 'call', params: t.inputSchema }); } };
		dispatch(e);
		if (actions.length) dispatch(new Custom('pagestate:exposure', { detail: say({ provider: 'test', actions }) }));
	});
})()`
}

func (testTools) Prepare(context.Context, Tab) error { return nil }

func (testTools) Idle(Tab) bool { return true }

func (testTools) Run(ctx context.Context, tab Tab, a *snapshot.Action, params json.RawMessage) (any, error) {
	return Invoke(ctx, tab, "", fmt.Sprintf("window.__tools[%s].execute(%s)", Quote(a.Name), params))
}

func (testTools) Expectation(Tab, *snapshot.Action) *exposure.Expectation { return nil }

// serveFolder serves the files of a test folder.
func serveFolder(t testing.TB, dir string) string {
	t.Helper()
	pages := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", dir, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages["/"+filepath.Base(f)] = string(text)
	}
	return serve(t, pages)
}

// compact is how the tests below write evidence.
var compact = &diff.Format{Detail: diff.Names, Compact: true}

// caller opens a page with its tools.
func caller(t testing.TB, url string, dialogs DialogPolicy) (*call.Caller, *Page) {
	t.Helper()
	p := openPage(t, url, &PageOptions{Providers: []Provider{testTools{}}, Dialogs: dialogs})
	return call.New(p, &call.Options{Format: compact, Timeout: 5 * time.Second}), p
}

// run calls an action and returns its code, data and evidence.
func run(t testing.TB, c *call.Caller, action string) (code, data, changed string) {
	t.Helper()
	res := c.Call(t.Context(), call.Request{Action: action})
	code = "ok"
	if res.Err != nil {
		code = string(res.Err.Code)
	}
	return code, string(res.Data), string(res.Changed)
}

func TestCallsOfCases(t *testing.T) {
	const added3 = `{"observed":true,"records":{"added":[{"id":"t3"}],"total":{"from":2,"to":3}}}`
	tests := []struct {
		page, action string
		dialogs      DialogPolicy
		code, data   string
		changed      string // with $ for the server
	}{
		{"C37/page.html", "alert-then-add", nil, "ok", `"ok"`,
			`{"observed":true,"records":{"added":[{"id":"t3"}],"total":{"from":2,"to":3}},"dialogs":[{"type":"alert","message":"Low stock","answer":"dismiss"}]}`},
		{"C37/page.html", "ask-delete", Accept, "ok", `{"answer":true}`,
			`{"observed":true,"records":{"removed":[{"id":"t1"}],"total":{"from":2,"to":1}},"dialogs":[{"type":"confirm","message":"Delete t1?","answer":"accept"}]}`},
		{"C37/page.html", "ask-delete", Dismiss, "ok", `{"answer":false}`,
			`{"observed":true,"dialogs":[{"type":"confirm","message":"Delete t1?","answer":"dismiss"}]}`},
		{"C37/page.html", "ask-name", Answer("kiln"), "ok", `{"name":"kiln"}`,
			`{"observed":true,"dialogs":[{"type":"prompt","message":"Name?","answer":"kiln"}]}`},
		{"C37/page.html", "three", nil, "ok", `"done"`,
			`{"observed":true,"dialogs":[{"type":"alert","message":"1","answer":"dismiss"},{"type":"alert","message":"2","answer":"dismiss"},{"type":"alert","message":"3","answer":"dismiss"}]}`},

		{"C38/start.html", "go", nil, "NAVIGATED", "", wentDone},
		{"C38/start.html", "go-late", nil, "NAVIGATED", "", wentDone},
		{"C38/start.html", "submit", nil, "ok", `"submitted"`, strings.Replace(wentDone, "done.html", "done.html?", 1)},
		{"C38/start.html", "reload", nil, "ok", "", `{"observed":true,"page":{"navigated":true}}`},
		{"C38/start.html", "hash", nil, "ok", `"same document"`,
			`{"observed":true,"page":{"url":{"from":"$/start.html","to":"$/start.html#tab2"}}}`},

		{"C39/page.html", "add-late", nil, "ok", `"queued"`, added3},
		{"C39/page.html", "add-frame", nil, "ok", `"ok"`, added3},
		{"C39/page.html", "add-microtask", nil, "ok", `"ok"`, added3},
		{"C39/page.html", "route", nil, "ok", `"routed"`,
			`{"observed":true,"records":{"added":[{"id":"d1"}],"removed":[{"id":"t1"},{"id":"t2"}],"total":{"from":2,"to":1}},"page":{"url":{"from":"$/page.html","to":"$/page.html#/done"}}}`},
		{"C39/page.html", "add-very-late", nil, "ok", `"queued"`, `{"observed":true}`},

		{"C48/page.html", "throw-first", nil, "ACTION_FAILED", "", `{"observed":true}`},
		{"C48/page.html", "throw-after", nil, "ACTION_FAILED", "", added3},
		{"C48/page.html", "throw-string", nil, "ACTION_FAILED", "", `{"observed":true}`},
		{"C48/page.html", "rollback", nil, "ACTION_FAILED", "", `{"observed":true}`},
		{"C48/page.html", "huge-error", nil, "ACTION_FAILED", "", `{"observed":true}`},
		{"C48/page.html", "error-escape", nil, "ACTION_FAILED", "", `{"observed":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.page+"/"+tt.action, func(t *testing.T) {
			t.Parallel()
			dir, page, _ := strings.Cut(tt.page, "/")
			base := serveFolder(t, "testdata/"+dir)
			c, _ := caller(t, base+"/"+page, tt.dialogs)
			began := time.Now()
			code, data, changed := run(t, c, tt.action)
			took := time.Since(began)
			changed = strings.ReplaceAll(changed, base, "$")
			if i := strings.Index(changed, `,"diagnostics":`); i >= 0 {
				changed = changed[:i] + "}"
			}
			changed = strings.ReplaceAll(changed, "$/done.html?", "$/done.html")
			want := strings.ReplaceAll(tt.changed, "done.html?", "done.html")
			if code != tt.code || data != tt.data || changed != want {
				t.Errorf("%s %s\ngot  %s\nwant %s", code, data, changed, want)
			}
			if took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if _, _, next := run(t, c, "no such action"); next != "" {
				t.Errorf("the next call gave %s", next)
			}
		})
	}
}

const wentDone = `{"observed":true,"records":{"removed":[{"id":"t1","scope":"todo"}]},` +
	`"actions":{"removed":[{"id":"go"},{"id":"go-late"},{"id":"reload"},{"id":"submit"},{"id":"hash"}]},` +
	`"scopes":{"added":[{"id":"receipt","records":1,"ids":["r1"]}]},"page":{"url":{"from":"$/start.html","to":"$/done.html"},"navigated":true}}`

// TestC47 calls tools that return anything at all: each call is ok, its result
// well-formed, its effect seen.
func TestC47(t *testing.T) {
	p := openPage(t, serveFolder(t, "testdata/C47")+"/page.html", &PageOptions{Providers: []Provider{testTools{}}, Quiet: time.Millisecond})
	c := call.New(p, &call.Options{Format: compact, Timeout: 5 * time.Second})
	want := map[string]string{
		"undefined": "", "null": "null", "nan": `{"$js":"number","value":"NaN"}`, "neg-zero": `{"$js":"number","value":"-0"}`,
		"big":  `{"$js":"bigint","value":"123456789012345678901234567890"}`,
		"date": `{"$js":"date","value":"2031-05-01T00:00:00.000Z"}`, "bad-date": `{"$js":"date","value":"invalid"}`,
		"map": `{"$js":"map","entries":[["k",{"v":1}],[2,"two"]]}`, "set": `{"$js":"set","entries":[1,"1"]}`,
		"circular": `{"name":"c","self":{"$js":"cycle"}}`, "circular-array": `[{"$js":"cycle"}]`,
		"shared":   `{"a":{"n":1},"b":{"n":1},"list":[{"n":1},{"n":1}]}`,
		"thenable": `"late value"`, "to-json": `{"replaced":true}`, "undef-member": `{"b":null}`, "null-proto": `{"a":1}`, "lone": "\"\uFFFD\"",
		"class": `{"size":3}`, "node": `{"$js":"node","value":"<li data-agent-record=\"t1\">"}`,
	}
	actions, err := p.Actions(t.Context())
	if err != nil || len(actions) < 40 {
		t.Fatalf("%d actions, %v", len(actions), err)
	}
	for _, a := range actions {
		k := strings.TrimPrefix(a.Name, "ret-")
		began := time.Now()
		res := c.Call(t.Context(), call.Request{Action: a.ID})
		if added := `"added":[{"id":"row-` + k + `"}]`; !strings.Contains(string(res.Changed), added) {
			t.Errorf("%s: evidence %s", k, res.Changed)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %v", k, took)
		}
		if k == "proxy" {
			if res.Err == nil || res.Err.Reason != "trap" {
				t.Errorf("proxy: %v", res.Err)
			}
			continue
		}
		if !res.OK {
			t.Errorf("%s failed: %v", k, res.Err)
		}
		if res.Data != nil && !json.Valid(res.Data) {
			t.Errorf("%s: %s", k, res.Data)
		}
		if w, ok := want[k]; ok && string(res.Data) != w {
			t.Errorf("%s: got %s, want %s", k, res.Data, w)
		}
		if k == "long" && res.DataBytes != 5e6+2 {
			t.Errorf("long: cut from %d bytes", res.DataBytes)
		}
		if k == "wide" && res.DataBytes < 1e6 {
			t.Errorf("wide: cut from %d bytes", res.DataBytes)
		}
	}
}

// TestC48Late calls tools that do not answer in time: the outcome is a timeout,
// and what they do later is no effect of the next call.
func TestC48Late(t *testing.T) {
	t.Parallel()
	base := serveFolder(t, "testdata/C48")
	c, _ := caller(t, base+"/page.html", nil)
	res := c.Call(t.Context(), call.Request{Action: "never", Timeout: 300 * time.Millisecond})
	if res.Err == nil || res.Err.Code != call.Timeout || !strings.Contains(string(res.Changed), `"added":[{"id":"t4"}]`) {
		t.Errorf("never: %s", res.AppendJSON(nil))
	}
	res = c.Call(t.Context(), call.Request{Action: "huge-error"})
	if !strings.HasSuffix(res.Err.Reason, "(3000000 B)") {
		t.Errorf("huge-error: %s", res.Err.Reason[len(res.Err.Reason)-60:])
	}
	if text := string(c.Call(t.Context(), call.Request{Action: "error-escape"}).AppendText(nil)); strings.Contains(text, "\nresult: success") || strings.Contains(text, "\x1b") {
		t.Errorf("error-escape: %q", text)
	}
	slow, _ := caller(t, base+"/page.html", nil)
	if res := slow.Call(t.Context(), call.Request{Action: "slow", Timeout: 100 * time.Millisecond}); res.Err == nil || res.Err.Code != call.Timeout {
		t.Errorf("slow: %s", res.AppendJSON(nil))
	}
	time.Sleep(8500 * time.Millisecond)
	res = slow.Call(t.Context(), call.Request{Action: "throw-first"})
	if !strings.Contains(string(res.Between), `"added":[{"id":"t5"}]`) || strings.Contains(string(res.Changed), "t5") {
		t.Errorf("after slow: %s", res.AppendJSON(nil))
	}
}
