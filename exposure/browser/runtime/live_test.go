package runtime_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/browser/runtime"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/view"
)

// The two results that the demo in this process prints.
const (
	firstCall = `{"ok":true,"action":{"id":"complete_open_tasks","description":"Mark every open task as completed. This changes all open records in one operation."},` +
		`"expect":"No task remains open","data":{"completed":2},"changed":{"observed":true,"records":{"added":[],"removed":[],"updated":[{"id":"t1","fields":["status"]},{"id":"t2","fields":["status"]}],` +
		`"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":3,"to":3}},"actions":{"added":[],"removed":[],"omitted":{"added":0,"removed":0}}}}`
	secondCall = `{"ok":false,"action":{"id":"complete_open_tasks","description":"Mark every open task as completed. This changes all open records in one operation."},` +
		`"error":{"code":"ACTION_UNAVAILABLE","reason":"There are no open tasks. Every task is already completed."}}`
)

// A session is a live page with its caller.
type session struct {
	*testPage
	page   *browser.Page
	caller *call.Caller
	ring   *audit.Ring
}

func openLive(t *testing.T, files map[string]string) *session {
	t.Helper()
	p, tab := open(t, files)
	page, err := browser.NewPage(p.ctx, tab, &browser.PageOptions{Quiet: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	ring := audit.NewRing(16)
	return &session{p, page, call.New(page, &call.Options{Audit: ring, Format: &diff.Format{Detail: diff.Basic}}), ring}
}

func (s *session) call(action, params string) *call.Result {
	s.t.Helper()
	return s.caller.Call(s.ctx, call.Request{Action: action, Params: json.RawMessage(params)})
}

func (s *session) look() *snapshot.Snapshot {
	s.t.Helper()
	snap, err := s.caller.Look(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return snap
}

// tasks returns the records in short.
func tasks(s *snapshot.Snapshot) string {
	var out []string
	for _, r := range s.All() {
		out = append(out, fmt.Sprintf("%s %s", r.ID(), r.Field("status").Text()))
	}
	return strings.Join(out, ", ")
}

// action returns an action as it is exposed.
func action(t *testing.T, s *snapshot.Snapshot, id string) snapshot.Action {
	t.Helper()
	for i := range s.Actions() {
		if a := s.Action(i); a.ID == id {
			return a
		}
	}
	t.Fatalf("there is no action %q", id)
	return snapshot.Action{}
}

// TestChapter goes through the chapter's steps with the example app.
func TestChapter(t *testing.T) {
	index, err := os.ReadFile("example/index.html")
	if err != nil {
		t.Fatal(err)
	}
	s := openLive(t, map[string]string{"/": string(index), "/main.js": bundle(t, "example/main.js")})

	// 1: one call completes both open tasks, records and visible boxes alike.
	res := s.call("complete_open_tasks", "")
	if got := string(res.AppendJSON(nil)); got != firstCall {
		t.Errorf("first call\n got %s\nwant %s", got, firstCall)
	}
	if got := tasks(s.look()); got != "t1 completed, t2 completed, t3 completed" {
		t.Errorf("records %s", got)
	}
	if got := s.main(`[...document.querySelectorAll('li input')].map((e) => e.checked).join()`); got != `"true,true,true"` {
		t.Errorf("boxes %s", got)
	}

	// 2: the history has what was returned, what was expected, and the two records.
	if n := s.ring.Total(); n != 1 {
		t.Errorf("%d audit entries", n)
	}
	for e := range s.ring.Recent() {
		if e.Action != "complete_open_tasks" || e.Code != "" || string(e.Result) != firstCall {
			t.Errorf("audit %s", e.AppendJSON(nil))
		}
	}

	// 3: the action stays listed, with the reason why it cannot be attempted.
	if got := string(s.call("complete_open_tasks", "").AppendJSON(nil)); got != secondCall {
		t.Errorf("second call\n got %s\nwant %s", got, secondCall)
	}
	if a := action(t, s.look(), "complete_open_tasks"); !a.Unavailable || a.Reason != "There are no open tasks. Every task is already completed." {
		t.Errorf("%+v", a)
	}

	// 4: after a reload, form, boxes, buttons and filter work by their own actions.
	if err := s.page.Reload(s.ctx); err != nil {
		t.Fatal(err)
	}
	if got := tasks(s.look()); got != "t1 open, t2 open, t3 completed" {
		t.Fatalf("after a reload: %s", got)
	}
	for _, step := range []struct{ action, params, want string }{
		{"draft", `{"text":"Water the plants"}`, "t1 open, t2 open, t3 completed"},
		{"add", "", "t1 open, t2 open, t3 completed, t4 open"},
		{"toggle@t1", "", "t1 completed, t2 open, t3 completed, t4 open"},
		{"delete@t3", "", "t1 completed, t2 open, t4 open"},
		{"filter", `{"value":"open"}`, "t2 open, t4 open"},
		{"filter", `{"value":"all"}`, "t1 completed, t2 open, t4 open"},
	} {
		if res := s.call(step.action, step.params); !res.OK {
			t.Errorf("%s: %s", step.action, res.AppendJSON(nil))
		}
		if got := tasks(s.look()); got != step.want {
			t.Errorf("after %s: %s, want %s", step.action, got, step.want)
		}
	}

	// 5: a task that was added is in the same evidence.
	res = s.call("complete_open_tasks", "")
	if text := string(res.Changed); !res.OK || !strings.Contains(text, `"updated":[{"id":"t2","fields":["status"]},{"id":"t4","fields":["status"]}]`) {
		t.Errorf("%s", res.AppendJSON(nil))
	}

	// 6: the action has no element and is not folded; those of rows are.
	snap := s.look()
	if a := action(t, snap, "complete_open_tasks"); a.Primitive != "call" || a.Record != "" || a.Scope != "" {
		t.Errorf("%+v", a)
	}
	if a := action(t, snap, "toggle@t2"); a.Primitive == "call" || a.Record != "t2" || a.Scope != "todo" {
		t.Errorf("%+v", a)
	}
	shown := string(view.AppendText(nil, snap, nil))
	if !strings.Contains(shown, "toggle@{record}") || !strings.Contains(shown, "complete_open_tasks") || strings.Contains(shown, "toggle@t2") {
		t.Errorf("shown as\n%s", shown)
	}
}

// plain is a page on the runtime alone, with a frame that has it too.
const plain = `<!doctype html><meta charset="utf-8"><title>Plain</title><script src="pagestate.js"></script><script>
let rows = [{ id: 'a', n: 1 }], done = false;
pagestate.scope({ id: 'rows', label: 'Rows' });
pagestate.record(() => rows.map(({ id, n }) => ({ id, fields: { n } })), { scope: 'rows' });
pagestate.tool({ id: 'add', desc: 'Add rows.', kind: 'write',
  params: { type: 'object', properties: { count: { type: 'integer', minimum: 1, default: 1 } } },
  available: () => rows.length < 5 || 'There are five rows.',
  run: ({ count }) => { for (let i = 0; i < count; i++) rows.push({ id: 'r' + rows.length, n: i }); pagestate.settled(); return { rows: rows.length, big: 10n }; } });
pagestate.tool({ id: 'later', desc: 'Finish later.', run: () => { done = false; setTimeout(() => { done = true; rows[0].n++; }, 150); },
  expect: { desc: 'It is done', check: () => done, timeout: 2000 } });
pagestate.tool({ id: 'never', desc: 'Never finish.', run: () => 1, expect: { desc: 'It is done', check: () => { throw new Error('x'); }, timeout: 200 } });
for (const held of [true, false]) {
  const once = pagestate.tool({ id: 'once-' + held, desc: 'Take this away.', run: () => { once.release(); }, expect: { desc: 'It is away', check: () => held, timeout: 200 } });
}
pagestate.tool({ id: 'wait', desc: 'Wait.', run: (_, { signal }) => new Promise((_, fail) => { rows[0].n = 'waiting'; signal.addEventListener('abort', () => fail(signal.reason)); }) });
pagestate.tool({ id: 'leave', desc: 'Leave.', run: () => { location.href = '/?away'; return new Promise(() => {}); } });
</script><iframe name="side" src="/frame"></iframe>`

const plainFrame = `<!doctype html><script src="pagestate.js"></script><script>
let n = 0;
pagestate.scope({ id: 'inner' });
pagestate.record(() => [{ id: 'count', fields: { n } }], { scope: 'inner' });
pagestate.tool({ id: 'add', desc: 'Count.', run: () => ++n, expect: { desc: 'It counts', check: () => n > 0 } });
</script>`

func TestRuntimeCalls(t *testing.T) {
	s := openLive(t, map[string]string{"/": plain, "/frame": plainFrame, "/pagestate.js": runtime.Source})
	s.caller = call.New(s.page, &call.Options{Format: &diff.Format{Detail: diff.Basic, Compact: true}, Timeout: 3 * time.Second})
	for _, tt := range []struct{ name, action, params, want string }{
		{"default", "add", "", `{"ok":true,"action":{"id":"add","description":"Add rows."},"data":{"rows":2,"big":{"$js":"bigint","value":"10"}},"changed":{"observed":true,"records":{"added":[{"id":"r1","scope":"rows"}],"total":{"from":2,"to":3}}}}`},
		{"parameters", "add", `{"count":"x"}`, `INVALID_PARAMS`},
		{"more", "add", `{"count":3}`, `"added":[{"id":"r2","scope":"rows"},{"id":"r3","scope":"rows"},{"id":"r4","scope":"rows"}]`},
		{"unavailable", "add", "", `"error":{"code":"ACTION_UNAVAILABLE","reason":"There are five rows."}`},
		{"expectation", "later", "", `"expect":"It is done","changed":{"observed":true,"records":{"updated":[{"id":"a","scope":"rows","fields":["n"]}]}}`},
		{"disappointed", "never", "", `"error":{"code":"EXPECTATION_FAILED"`},
		{"taken away", "once-true", "", `"expect":"It is away","changed":{"observed":true,"actions":{"removed":[{"id":"once-true"}]}}`},
		{"taken away, disappointed", "once-false", "", `"error":{"code":"EXPECTATION_FAILED"`},
		{"frame", "side/add", "", `"expect":"It counts","data":1,"changed":{"observed":true,"records":{"updated":[{"id":"count","scope":"inner","fields":["n"]}]}}`},
		{"stopped", "wait", "", `"error":{"code":"TIMEOUT"`},
		{"navigated", "leave", "", `"error":{"code":"NAVIGATED"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			req := call.Request{Action: tt.action, Params: json.RawMessage(tt.params)}
			if tt.name == "stopped" {
				req.Timeout = 300 * time.Millisecond
			}
			res := s.caller.Call(s.ctx, req)
			got := string(res.AppendJSON(nil))
			if !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestUnreadList calls a tool of a page one of whose lists throws before, after or always:
// what it had is not said to be gone.
func TestUnreadList(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"rows", "rows", `"changed":{"observed":true}`},
		{"rows", "thrown()", `"changed":{"observed":false,"reason":"incomplete"}`},
		{"rows", "{}", `"changed":{"observed":false,"reason":"incomplete"}`},
		{"thrown()", "rows", `"changed":{"observed":false,"reason":"no-baseline"}`},
	} {
		s := openLive(t, map[string]string{"/": `<!doctype html><script src="pagestate.js"></script><script>
const rows = [{ id: 'a' }, { id: 'b' }], thrown = () => { throw new Error('offline') };
let now = () => ` + tt.before + `;
pagestate.scope({ id: 's' });
pagestate.record(() => now(), { scope: 's' });
pagestate.record({ id: 'c', scope: 's' });
pagestate.tool({ id: 'go', desc: 'Go.', run: () => { now = () => (` + tt.after + `); } });
</script>`, "/pagestate.js": runtime.Source})
		s.caller = call.New(s.page, &call.Options{Format: &diff.Format{Detail: diff.Basic, Compact: true}})
		if got := string(s.call("go", "").AppendJSON(nil)); !strings.HasPrefix(got, `{"ok":true,`) || !strings.Contains(got, tt.want) {
			t.Errorf("%s, then %s: %s", tt.before, tt.after, got)
		}
	}
}

// bound is a page whose tools belong to elements: one is run by code, one is pressed.
const bound = `<!doctype html><meta charset="utf-8"><title>Bound</title><script src="pagestate.js"></script>
<ul id="list"><li id="row"><button id="archive">Archive</button> <button id="star">Star</button></li></ul><script>
let state = { archived: 0, stars: 0 };
star.onclick = () => state.stars++;
pagestate.scope({ id: 'mail', el: list });
pagestate.record({ id: 'm1', el: row, fields: () => ({ ...state }) });
pagestate.tool({ id: 'archive@m1', desc: 'Archive.', el: archive, available: () => state.archived < 1 || 'It is archived.',
  params: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] }, run: ({ why }) => { state.archived++; return why; } });
pagestate.tool({ id: 'star@m1', desc: 'Star.', el: star, available: () => state.stars < 2 || 'Enough stars.' });
</script>`

func TestElementTools(t *testing.T) {
	s := openLive(t, map[string]string{"/": bound, "/pagestate.js": runtime.Source})
	s.caller = call.New(s.page, &call.Options{Format: &diff.Format{Detail: diff.Basic, Compact: true}, Timeout: 3 * time.Second})
	snap := s.look()
	if a := action(t, snap, "archive@m1"); a.Primitive != "call" || a.Scope != "mail" || a.Record != "m1" {
		t.Errorf("%+v", a)
	}
	if a := action(t, snap, "star@m1"); a.Primitive != "click" || a.Scope != "mail" || a.Record != "m1" {
		t.Errorf("%+v", a)
	}
	const starred = `"changed":{"observed":true,"records":{"updated":[{"id":"m1","fields":["stars"]}]}}`
	for _, tt := range []struct{ why, do, action, params, want string }{
		{"its schema counts", "", "archive@m1", `{}`, "INVALID_PARAMS"},
		{"the element counts", "archive.disabled = true", "archive@m1", `{"why":"old"}`, `"code":"ACTION_UNAVAILABLE","reason":"disabled"`},
		{"code runs it", "archive.disabled = false", "archive@m1", `{"why":"old"}`,
			`"data":"old","changed":{"observed":true,"records":{"updated":[{"id":"m1","fields":["archived"]}]}}`},
		{"code says why not", "", "archive@m1", `{"why":"old"}`, `"reason":"It is archived."`},
		{"it is pressed", "", "star@m1", ``, starred},
		{"and again", "", "star@m1", ``, starred},
		{"code says why not", "", "star@m1", ``, `"reason":"Enough stars."`},
		{"without its element there is no action", "archive.remove()", "archive@m1", ``, "ACTION_NOT_FOUND"},
	} {
		if tt.do != "" {
			s.main("(" + tt.do + ", 0)")
		}
		res := s.call(tt.action, tt.params)
		if got := string(res.AppendJSON(nil)); !strings.Contains(got, tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.why, got, tt.want)
		}
	}
}

// TestSettled shows that a page which never rests can say that it is done.
func TestSettled(t *testing.T) {
	s := openLive(t, map[string]string{"/pagestate.js": runtime.Source, "/": `<!doctype html><title>Clock</title><script src="pagestate.js"></script><p id="clock"></p><script>
setInterval(() => { clock.textContent = performance.now(); }, 10);
let n = 0;
pagestate.scope({ id: 's' });
pagestate.record(() => [{ id: 'r', fields: { n } }], { scope: 's' });
const later = (done) => { setTimeout(() => { n++; done && pagestate.settled(); }, 100); };
pagestate.tool({ id: 'said', desc: 'Say when it is done.', run: () => later(true) });
pagestate.tool({ id: 'unsaid', desc: 'Do not say.', run: () => later(false) });
</script>`})
	s.caller = call.New(s.page, &call.Options{Format: &diff.Format{Detail: diff.Names, Compact: true}})
	const changed = `"updated":[{"id":"r","fields":["n"]}]`
	began := time.Now()
	res := s.call("said", "")
	if took := time.Since(began); !res.OK || !strings.Contains(string(res.Changed), changed) || strings.Contains(string(res.Changed), `"settled":false`) || took > browser.DefaultSettle {
		t.Errorf("said, after %s: %s", took, res.AppendJSON(nil))
	}
	if res := s.call("unsaid", ""); !res.OK || !strings.Contains(string(res.Changed), changed) || !strings.Contains(string(res.Changed), `"settled":false`) {
		t.Errorf("not said: %s", res.AppendJSON(nil))
	}
}
