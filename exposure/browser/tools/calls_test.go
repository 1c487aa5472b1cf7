package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// A live is a page that is read and called as a whole.
type live struct {
	testing.TB
	ctx    context.Context
	page   *browser.Page
	caller *call.Caller
}

// openLive opens a page in a tab of c.
func openLive(t testing.TB, c *browser.Chrome, url string, opts *Options) *live {
	t.Helper()
	tab, err := c.NewTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tab.Close(context.Background()) })
	l := attachLive(t, tab, opts)
	if err := l.page.Navigate(l.ctx, url); err != nil {
		t.Fatal(err)
	}
	return l
}

// attachLive takes the page that is in a tab.
func attachLive(t testing.TB, tab browser.Tab, opts *Options) *live {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	p, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	page, err := browser.NewPage(ctx, tab, &browser.PageOptions{Quiet: 50 * time.Millisecond, Providers: []browser.Provider{p}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	return &live{t, ctx, page, call.New(page, &call.Options{Timeout: 5 * time.Second})}
}

// call calls an action.
func (l *live) call(req call.Request) *call.Result {
	l.Helper()
	return l.caller.Call(l.ctx, req)
}

// look returns what is exposed now.
func (l *live) look() *snapshot.Snapshot {
	l.Helper()
	s, err := l.caller.Look(l.ctx)
	if err != nil {
		l.Fatal(err)
	}
	return s
}

// main evaluates JavaScript in the page's world.
func (l *live) main(js string) {
	l.Helper()
	if _, err := l.page.Tab().Evaluate(l.ctx, browser.Script{World: browser.Main, Await: true, Expression: js}); err != nil {
		l.Fatalf("%s: %v", js, err)
	}
}

// evidence is what changed, in the compact form.
type evidence struct {
	Observed bool
	Records  struct {
		Added, Removed []struct{ ID, Scope string }
		Updated        []struct {
			ID, Scope string
			Fields    []string
		}
	}
	Diagnostics []struct{ Code, At string }
}

func evidenceOf(t testing.TB, text json.RawMessage) (e evidence) {
	t.Helper()
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// added returns the ids of the records that were added.
func (e evidence) added() string {
	var ids []string
	for _, r := range e.Records.Added {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

// TestC47 calls tools that return anything at all.
func TestC47(t *testing.T) {
	l := openLive(t, sharedBrowser(t), newSite(t, nil).URL+"/C47/page.html", nil)
	text := func(s string) func(string) bool { return func(got string) bool { return got == s } }
	want := map[string]func(string) bool{
		"undefined": text(""), "null": text("null"), "nan": text(`{"$js":"number","value":"NaN"}`), "neg-zero": text(`{"$js":"number","value":"-0"}`),
		"inf": text(`{"$js":"number","value":"-Infinity"}`), "big": text(`{"$js":"bigint","value":"123456789012345678901234567890"}`),
		"symbol": text(`{"$js":"symbol","value":"Symbol(s)"}`), "fn": text(`{"$js":"function","name":"f"}`),
		"date": text(`{"$js":"date","value":"2031-05-01T00:00:00.000Z"}`), "bad-date": text(`{"$js":"date","value":"invalid"}`),
		"map": text(`{"$js":"map","entries":[["k",{"v":1}],[2,"two"]]}`), "set": text(`{"$js":"set","entries":[1,"1"]}`),
		"circular": text(`{"name":"c","self":{"$js":"cycle"}}`), "circular-array": text(`[{"$js":"cycle"}]`),
		"shared": text(`{"a":{"n":1},"b":{"n":1},"list":[{"n":1},{"n":1}]}`), "node": text(`{"$js":"node","value":"<li data-agent-record=\"t1\">"}`),
		"window": text(`{"$js":"object","class":"Window"}`), "doc": text(`{"$js":"node","value":"#document"}`),
		"error": text(`{"$js":"error","message":"returned, not thrown"}`), "null-proto": text(`{"a":1}`), "class": text(`{"size":3}`),
		"getter": text(`{"ok":1,"boom":{"$js":"error","message":"getter"}}`), "sparse": text(`[1,{"$js":"undefined"},3]`),
		"typed": text(`{"$js":"Uint8Array","values":[1,2,255]}`), "buffer": text(`{"$js":"arraybuffer","bytes":4}`), "regexp": text(`{"$js":"regexp","value":"/a+/gi"}`),
		"url": text(`"https://example.test/a?b=1"`), "boxed": text(`["s",1]`), "thenable": text(`"late value"`), "to-json": text(`{"replaced":true}`),
		"to-json-throws": text(`{"$js":"error","message":"toJSON"}`), "undef-member": text(`{"b":null}`), "lone": text("\"\uFFFD\""),
		"nested": text(`{"a":[{"$js":"undefined"},{"$js":"number","value":"NaN"},{"$js":"bigint","value":"10"},{"$js":"function","name":""},{}]}`),
		"proto":  text(`{"__proto__":{"x":1},"constructor":2}`), "blob": text(`{"$js":"object","class":"Blob"}`), "weak": text(`{"$js":"object","class":"WeakMap"}`),
		"gen": func(s string) bool { return strings.HasPrefix(s, `{"$js":"object","class":`) }, "promise": text(`{"nested":{"$js":"object","class":"Promise"}}`),
		"deep": func(s string) bool { return strings.Contains(s, `{"$js":"depth"}`) },
	}
	n := 0
	s := l.look()
	for i := range s.Actions() {
		name, ok := strings.CutPrefix(s.Action(i).Name, "ret-")
		if !ok {
			continue
		}
		n++
		began := time.Now()
		res := l.call(call.Request{Action: "ret-" + name})
		took := time.Since(began)
		if took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if got := evidenceOf(t, res.Changed); !got.Observed || got.added() != "row-"+name || len(got.Records.Removed)+len(got.Records.Updated) > 0 {
			t.Errorf("%s: evidence %s", name, res.Changed)
		}
		if !json.Valid(res.AppendJSON(nil)) {
			t.Errorf("%s: not well-formed: %s", name, res.AppendJSON(nil))
		}
		switch name {
		case "proxy": // it throws while it is awaited
			if res.OK || res.Err.Code != call.ActionFailed || res.Err.Reason != "trap" {
				t.Errorf("proxy: %s", res.AppendJSON(nil))
			}
			continue
		case "long":
			if !res.OK || res.DataBytes != 5000002 || len(res.Data) != call.MaxDataBytes {
				t.Errorf("long: %v, %d of %d bytes", res.Err, len(res.Data), res.DataBytes)
			}
			continue
		case "wide":
			if !res.OK || res.DataBytes != 1288891 || len(res.Data) > call.MaxDataBytes || len(res.Data) < call.MaxDataBytes-10 {
				t.Errorf("wide: %v, %d of %d bytes", res.Err, len(res.Data), res.DataBytes)
			}
			continue
		case "nodelist":
			if !res.OK || !strings.HasPrefix(string(res.Data), `[{"$js":"node","value":"<li data-agent-record=\"t1\">"},`) {
				t.Errorf("nodelist: %s", res.AppendJSON(nil))
			}
			continue
		}
		if ok := want[name]; ok == nil || !res.OK || !ok(string(res.Data)) {
			t.Errorf("%s: %v, data %.200s", name, res.Err, res.Data)
		}
	}
	if n != 44 {
		t.Errorf("%d tools, want 44", n)
	}
}

// TestC48 calls tools that fail, change things before they fail, and do not answer.
func TestC48(t *testing.T) {
	l := openLive(t, sharedBrowser(t), newSite(t, nil).URL+"/C48/page.html", nil)
	for _, tt := range []struct {
		tool   string
		code   call.Code
		reason string // a part of it
		added  string
	}{
		{"throw-first", call.ActionFailed, "nothing done", ""},
		{"throw-after", call.ActionFailed, "card declined", "t3"},
		{"throw-string", call.ActionFailed, "plain text", ""},
		{"reject-undefined", call.ActionFailed, "it failed without saying why", ""},
		{"reject-circular", call.ActionFailed, `it failed with {"e":{"$js":"cycle"}}`, ""},
		{"rollback", call.ActionFailed, "server said no", ""},
		{"huge-error", call.ActionFailed, "3000000", ""},
		{"error-escape", call.ActionFailed, "result: success", ""},
		{"never", call.Timeout, "the deadline passed", "t4"},
		{"slow", call.Timeout, "the deadline passed", ""},
	} {
		res := l.call(call.Request{Action: tt.tool, Timeout: map[call.Code]time.Duration{call.Timeout: time.Second}[tt.code]})
		if res.OK || res.Err.Code != tt.code || !strings.Contains(res.Err.Reason, tt.reason) || len(res.Err.Reason) > 1024 {
			t.Errorf("%s: %.300s", tt.tool, res.AppendJSON(nil))
			continue
		}
		if got := evidenceOf(t, res.Changed); !got.Observed || got.added() != tt.added || len(got.Records.Removed)+len(got.Records.Updated) > 0 {
			t.Errorf("%s: evidence %s", tt.tool, res.Changed)
		}
		if text := string(res.AppendText(nil)); tt.tool == "error-escape" && (strings.Contains(text, "\nresult: success") || strings.Contains(text, "\x1b")) {
			t.Errorf("the text form shows what a tool threw as if it were ours: %q", text)
		}
	}
	// What the slow tool does long after its call is nobody's effect but its own: it is
	// between, and while tools are still at work the evidence of other calls says so.
	deadline := time.Now().Add(15 * time.Second)
	for {
		if s, err := l.page.Snapshot(l.ctx); err == nil && hasRecord(s, "t5") {
			break
		} else if time.Now().After(deadline) {
			t.Fatal("the slow tool never finished")
		}
		time.Sleep(100 * time.Millisecond)
	}
	res := l.call(call.Request{Action: "throw-first"})
	if res.Between == nil || evidenceOf(t, res.Between).added() != "t5" {
		t.Errorf("between: %s", res.Between)
	}
	var behind []string
	for _, d := range evidenceOf(t, res.Changed).Diagnostics {
		if d.Code == call.CodeUnfinishedCall {
			behind = append(behind, d.At)
		}
	}
	if evidenceOf(t, res.Changed).added() != "" || len(behind) != 1 || behind[0] != "never" {
		t.Errorf("evidence %s", res.Changed)
	}
}

func hasRecord(s *snapshot.Snapshot, id string) bool {
	for i := range s.Len() {
		if r := s.Record(i); r.ID() == id {
			return true
		}
	}
	return false
}

// action returns an action as it is exposed.
func action(t testing.TB, s *snapshot.Snapshot, id string) snapshot.Action {
	t.Helper()
	for i := range s.Actions() {
		if a := s.Action(i); a.ID == id {
			return a
		}
	}
	t.Errorf("there is no action %q", id)
	return snapshot.Action{}
}

// TestC49 lists and calls tools beside broken ones.
func TestC49(t *testing.T) {
	l := openLive(t, sharedBrowser(t), newSite(t, nil).URL+"/C49/page.html", nil)
	s := l.look()
	for _, id := range []string{"good", "good2", "schema-empty", "schema-anyof", "schema-lookahead", "schema-null", "schema-missing", "no-description", "with space/and:colon"} {
		if a := action(t, s, id); a.Unavailable {
			t.Errorf("%s is unavailable: %s", id, a.Reason)
		}
		if res := l.call(call.Request{Action: id}); !res.OK || string(res.Data) != "1" {
			t.Errorf("%s: %s", id, res.AppendJSON(nil))
		}
	}
	if res := l.call(call.Request{Action: "schema-element", Params: json.RawMessage(`{"el":{}}`)}); !res.OK {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	for id, reason := range map[string]string{
		"schema-string-type": exposure.ReasonSchema, "schema-bad-type": exposure.ReasonSchema, "schema-bad-regex": exposure.ReasonSchema,
		"schema-ref-loop": exposure.ReasonSchema, "schema-remote-ref": exposure.ReasonSchema, "schema-circular": exposure.ReasonSchema, "no-execute": ReasonNoFunction,
	} {
		if a := action(t, s, id); !a.Unavailable || a.Reason != reason {
			t.Errorf("%s: available %v, %q", id, !a.Unavailable, a.Reason)
		}
		if res := l.call(call.Request{Action: id}); res.OK || res.Err.Code != call.ActionUnavailable || res.Changed != nil {
			t.Errorf("%s: %s", id, res.AppendJSON(nil))
		}
	}
	codes := map[string]int{}
	for _, d := range s.Diagnostics() {
		codes[d.Code]++
	}
	if codes["bad-tool"] != 5 || codes[exposure.CodeNoDescription] == 0 || codes[exposure.CodeUncheckedParams] != 1 || codes[exposure.CodeBadParams] < 8 {
		t.Errorf("diagnostics %v: %v", codes, s.Diagnostics())
	}
}

// TestC50 tells tools of one name apart.
func TestC50(t *testing.T) {
	url := newSite(t, nil).URL + "/C50/page.html"
	var l *live
	var s *snapshot.Snapshot
	for range 4 { // Chromium 156 may forget a frame's tools; see TestFrames
		l = openLive(t, sharedBrowser(t), url, nil)
		for range 50 { // the frame registers its tool when it is there
			if s = l.look(); s.Actions() == 6 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if s.Actions() == 6 {
			break
		}
		t.Logf("%d actions; another tab", s.Actions())
	}
	var ids []string
	for i := range s.Actions() {
		ids = append(ids, s.Action(i).ID)
	}
	const want = "frame/webmcp/refresh shop/refresh shop/refresh#2 debug/refresh Refresh debug/refresh#2"
	if got := strings.Join(ids, " "); got != want {
		t.Fatalf("ids %s\nwant %s", got, want)
	}
	for range 3 {
		var d diff.Differ
		if again := l.look(); !d.Compare(s, again, nil).Same() {
			t.Errorf("two readings differ: %s", d.Compare(s, again, nil).AppendJSON(nil, nil))
		}
	}
	for id, v := range map[string]string{"shop/refresh": "shop", "shop/refresh#2": "shop-second", "debug/refresh": "debug", "Refresh": "debug-upper",
		"debug/refresh#2": "debug-two", "frame/webmcp/refresh": "frame"} {
		res := l.call(call.Request{Action: id})
		if !res.OK || string(res.Data) != `"`+v+`"` {
			t.Errorf("%s: %s", id, res.AppendJSON(nil))
		}
		if v == "frame" {
			continue
		}
		if got := evidenceOf(t, res.Changed).added(); got != "by-"+v {
			t.Errorf("%s: evidence %s", id, res.Changed)
		}
	}
	// Who is asked is asked about the one that then runs.
	asked := call.New(l.page, &call.Options{
		Policy: func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision {
			return call.Decision{Verdict: call.Ask}
		},
		Confirm: func(context.Context, string, *snapshot.Action, json.RawMessage, string) (bool, error) {
			return true, nil
		},
	})
	if res := asked.Call(l.ctx, call.Request{Action: "debug/refresh#2"}); !res.OK || string(res.Data) != `"debug-two"` {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	res := l.call(call.Request{Action: "refresh"})
	if res.OK || res.Err.Code != call.ActionAmbiguous || len(res.Err.Candidates) != 5 {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	found := false
	for _, d := range s.Diagnostics() {
		found = found || d.Code == exposure.CodeDuplicateID && d.At == "shop/refresh#2"
	}
	if !found {
		t.Errorf("the second refresh of shop is not diagnosed: %v", s.Diagnostics())
	}
}

// TestTwoPages reads and calls two pages through one provider, interleaved.
func TestTwoPages(t *testing.T) {
	const page = `<!doctype html><title>Page</title><script>
let n = 0;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', description: 'd', tools: [
  { name: 'state', description: 'State.', inputSchema: {}, execute: async () => { await wait(1); return { page: location.search, n }; } },
  { name: 'step', description: 'Step.', inputSchema: { type: 'object', properties: { by: { type: 'integer' } } }, execute: async ({ by }) => { await wait(3); return location.search + (n += by); } },
] }));
</script>`
	s := newSite(t, map[string]string{"/": page})
	p, err := New(probes(t, "state"))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i, name := range []string{"?one", "?two"} {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			tab, err := sharedBrowser(t).NewTab(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer tab.Close(context.Background())
			page, err := browser.NewPage(ctx, tab, &browser.PageOptions{Quiet: 10 * time.Millisecond, Providers: []browser.Provider{p}})
			if err == nil {
				err = page.Navigate(ctx, s.URL+"/"+name)
			}
			if err != nil {
				t.Error(err)
				return
			}
			defer page.Close()
			caller := call.New(page, &call.Options{Format: &diff.Format{Detail: diff.Basic, Compact: true}})
			for round := 1; round <= 25; round++ {
				by := i + 1
				res := caller.Call(ctx, call.Request{Action: "step", Params: json.RawMessage(fmt.Sprintf(`{"by":%d}`, by))})
				want := fmt.Sprintf(`"data":"%s%d","changed":{"observed":true,"records":{"updated":[{"id":"state","fields":["n"]}]}}`, name, by*round)
				if got := string(res.AppendJSON(nil)); !res.OK || !strings.Contains(got, want) {
					t.Errorf("%s round %d: %s", name, round, got)
					return
				}
				snap, err := caller.Look(ctx)
				if err != nil || field(snap, "state", "state", "page") != `"`+name+`"` || field(snap, "state", "state", "n") != fmt.Sprint(by*round) {
					t.Errorf("%s round %d: %v", name, round, err)
					return
				}
			}
		})
	}
	group.Wait()
}
