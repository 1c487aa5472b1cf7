package runtime_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/browser/runtime"
	"github.com/pagestate/pagestate/internal/livetest"
)

// minified returns JavaScript as esbuild from npm writes it.
func minified(t *testing.T, source string) string {
	t.Helper()
	cmd := exec.Command("node", livetest.Installed(t, "esbuild/bin/esbuild"), "--minify", "--loader=js")
	cmd.Stdin = strings.NewReader(source)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSize(t *testing.T) {
	const max = 6 << 10
	small := minified(t, runtime.Source)
	t.Logf("%d bytes, %d minified; Vue adapter %d minified", len(runtime.Source), len(small), len(minified(t, runtime.Vue)))
	if len(small) >= max {
		t.Errorf("%d bytes minified, want fewer than %d", len(small), max)
	}
}

// serve serves files by path and returns the address of "/".
func serve(t *testing.T, files map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// open opens a page of these files in a browser.
func open(t *testing.T, files map[string]string) (*testPage, browser.Tab) {
	t.Helper()
	url := serve(t, files)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	c, err := browser.Start(ctx, nil)
	if err != nil {
		t.Fatalf("a browser is needed: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return load(t, ctx, c, url)
}

// keep opens a page in a running browser for as long as the test lasts.
func keep(t *testing.T, ws, url string) {
	t.Helper()
	c, err := browser.Attach(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	load(t, t.Context(), c, url)
}

func load(t *testing.T, ctx context.Context, c *browser.Chrome, url string) (*testPage, browser.Tab) {
	t.Helper()
	tab, err := c.NewTab(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	p := &testPage{t, ctx, tab}
	p.main(`new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))`)
	return p, tab
}

type testPage struct {
	t   *testing.T
	ctx context.Context
	tab browser.Tab
}

// main evaluates JavaScript in the page's world and returns its value as JSON.
func (p *testPage) main(js string) string {
	p.t.Helper()
	out, err := p.tab.Evaluate(p.ctx, browser.Script{World: browser.Main, Await: true, Expression: "(async () => { return " + js + " })()"})
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return string(out)
}

// read asks the page what it exposes, as the collector does, from a world of its own.
func (p *testPage) read() (answer answer) {
	p.t.Helper()
	out, err := p.tab.Evaluate(p.ctx, browser.Script{Expression: `(() => {
const got = [];
const hear = (e) => got.push(e.detail);
addEventListener('pagestate:exposure', hear);
dispatchEvent(new Event('pagestate:read'));
removeEventListener('pagestate:exposure', hear);
return got;
})()`})
	if err != nil {
		p.t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || len(got) > 1 {
		p.t.Fatalf("%d answers: %v", len(got), err)
	}
	if len(got) == 1 {
		if err := json.Unmarshal([]byte(got[0]), &answer); err != nil {
			p.t.Fatalf("%s: %v", got[0], err)
		}
		answer.text = got[0]
	}
	return answer
}

type answer struct {
	text    string
	Scopes  []struct{ ID, Label, State string }
	Records []struct {
		ID, Scope string
		Fields    json.RawMessage
	}
	Actions []struct {
		ID, Name, Scope, Record string
		Available               any
		Element, Run            bool
	}
	Diagnostics []struct{ Code, At, Message string }
}

// ids returns what is exposed in short.
func (a *answer) ids() string {
	var s []string
	for _, x := range a.Scopes {
		s = append(s, "scope "+x.ID)
	}
	for _, x := range a.Records {
		s = append(s, x.Scope+"/"+x.ID+string(x.Fields))
	}
	for _, x := range a.Actions {
		s = append(s, x.ID)
	}
	for _, x := range a.Diagnostics {
		s = append(s, x.Code+" "+x.At)
	}
	return strings.Join(s, "; ")
}

func TestRuntime(t *testing.T) {
	p, _ := open(t, map[string]string{"/": `<!doctype html><script src="pagestate.js"></script><script src="pagestate.js"></script>
<ul id="list"><li id="row"><button id="button">x</button></ul>`, "/pagestate.js": runtime.Source})
	for _, tt := range []struct {
		name, why string
		do        string // an expression
		value     string // of it
		want      string // what is then exposed
	}{
		{"nothing", "a page that declares nothing answers nothing", `0`, "0", ""},
		{"tool", "a tool without an element", `(h = {}, h.a = pagestate.tool({ id: 'a', desc: 'd', run() { return 1; } }), 0)`, "0", "a"},
		{"same id", "ids share one name space", `(() => { try { pagestate.tool({ id: 'a', desc: 'd', run() {} }) } catch (e) { return e.message } })()`,
			`"pagestate: tool \"a\" is declared twice"`, "a"},
		{"no desc", "nobody can choose it", `(() => { try { pagestate.tool({ id: 'b', run() {} }) } catch (e) { return e.message } })()`,
			`"pagestate: tool \"b\" needs a desc"`, "a"},
		{"no run", "nothing could run", `(() => { try { pagestate.tool({ id: 'b', desc: 'd' }) } catch (e) { return e.message } })()`,
			`"pagestate: tool \"b\" needs a run function"`, "a"},
		{"release", "handles end what they stand for", `(h.a.release(), h.a.release(), 0)`, "0", ""},
		{"signal", "so do signals", `(h.stop = new AbortController(), pagestate.tool({ id: 's', desc: 'd', run() {}, signal: h.stop.signal }), 0)`, "0", "s"},
		{"abort", "so do signals", `(h.stop.abort(), 0)`, "0", ""},
		{"aborted", "a signal that has aborted declares nothing", `(pagestate.tool({ id: 's', desc: 'd', run() {}, signal: h.stop.signal }), 0)`, "0", ""},
		{"records", "values that live in code, ids as text", `(h.rows = [{ id: 'r1', fields: { n: 1, gone: undefined, o: { deep: [null] } } }, { id: 7, fields: {} }],
			h.scope = pagestate.scope({ id: 's', label: 'S' }), h.list = pagestate.record(() => h.rows, { scope: 's' }), 0)`, "0",
			`scope s; s/r1{"n":1,"o":{"deep":[null]}}; s/7{}`},
		{"bad id", "a record without an id is left out and said to be", `(h.rows.push({ id: 1.5 }), 0)`, "0",
			`scope s; s/r1{"n":1,"o":{"deep":[null]}}; s/7{}; bad-id s`},
		{"bad field", "a field that has no JSON form spoils itself only", `(h.rows = [{ id: 'c', fields: { ok: true, big: 1n } }], 0)`, "0",
			`scope s; s/c{"ok":true}; bad-field s/c/big`},
		{"throws", "what a list that throws would have had is not known", `(h.list.release(), h.list = pagestate.record(() => { throw new Error('x') }, { scope: 's' }), 0)`, "0", `scope s; unread-exposure s`},
		{"no list", "nor what one has that gives none", `(h.list.release(), h.list = pagestate.record(() => 7, { scope: 's' }), 0)`, "0", `scope s; unread-exposure s`},
		{"ends early", "nor what would have followed", `(h.list.release(), h.list = pagestate.record(function* () { yield { id: 'first' }; throw Symbol('x') }, { scope: 's' }), 0)`, "0", `scope s; s/first{}; unread-exposure s`},
		{"no fields", "nor a record whose fields throw", `(h.list.release(), h.list = pagestate.record({ id: 'r', scope: 's', fields: () => { throw null } }), 0)`, "0", `scope s; unread-exposure s`},
		{"no state", "a scope whose state throws is there all the same", `(h.list.release(), h.other = pagestate.scope({ id: 'o', state: () => { throw 'x' } }), 0)`, "0", `scope s; scope o; bad-state o`},
		{"no JSON", "nothing is known of what cannot be written", `(h.other.release(), h.other = pagestate.scope({ id: 'o', total: 1n }), 0)`, "0", `unread-exposure pagestate`},
		{"empty again", "", `(h.other.release(), h.list.release(), h.scope.release(), 0)`, "0", ""},
		{"elements", "an element is annotated, its tool is named without its record",
			`(h.scope = pagestate.scope({ id: 'el', label: 'L', el: list }), h.record = pagestate.record({ data: { id: 'r' }, fields: () => ({ v: 1 }), el: row }),
			h.tool = pagestate.tool({ id: 'press@r', desc: 'Press.', el: button }), list.outerHTML.replace(/\n/g, ''))`,
			`"\u003cul id=\"list\" data-agent-scope=\"el\" data-agent-label=\"L\"\u003e\u003cli id=\"row\" data-agent-record=\"r\"\u003e\u003cbutton id=\"button\" data-agent-action=\"press\" data-agent-description=\"Press.\"\u003ex\u003c/button\u003e\u003c/li\u003e\u003c/ul\u003e"`,
			`scope el; el/r{"v":1}; press@r`},
		{"update", "options change one by one", `(h.record.update({ fields: { v: 2 } }), h.tool.update({ desc: 'P' }), button.dataset.agentDescription)`, `"P"`, `scope el; el/r{"v":2}; press@r`},
		{"detached", "an element that is not in the document does not count", `(h.li = row, row.remove(), 0)`, "0", `scope el`},
		{"released", "the element is as it was", `(list.append(h.li), h.tool.release(), h.record.release(), h.scope.release(), list.outerHTML.replace(/\n/g, ''))`,
			`"\u003cul id=\"list\"\u003e\u003cli id=\"row\"\u003e\u003cbutton id=\"button\"\u003ex\u003c/button\u003e\u003c/li\u003e\u003c/ul\u003e"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			value, got := p.main(tt.do), p.read()
			var a, b any
			json.Unmarshal([]byte(value), &a)
			json.Unmarshal([]byte(tt.value), &b)
			if a != b {
				t.Errorf("value %s, want %s", value, tt.value)
			}
			if got.ids() != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.why, got.ids(), tt.want)
			}
		})
	}
}
