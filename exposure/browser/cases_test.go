package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// fields returns a record's fields as name=json, in order.
func fields(t testing.TB, s *snapshot.Snapshot, scope, id string) []string {
	t.Helper()
	i := s.Find(scope, id)
	if i < 0 {
		t.Fatalf("no record %q in scope %q: %s", id, scope, capture.Append(nil, s))
	}
	var list []string
	for name, v := range s.Record(i).Fields() {
		list = append(list, name+"="+v.String())
	}
	return list
}

// evidence compares two snapshots of a session.
func evidence(before, after *snapshot.Snapshot) string {
	var d diff.Differ
	return string(d.Compare(before, after, &diff.Options{Session: true}).AppendJSON(nil, compact))
}

func evaluate(t testing.TB, p *Page, js string) {
	t.Helper()
	if _, err := p.Tab().Evaluate(t.Context(), Script{World: Main, Expression: js}); err != nil {
		t.Fatal(err)
	}
}

func htmlCase(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../html/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, map[string]string{"/page.html": string(text)}) + "/page.html"
}

func TestC15(t *testing.T) {
	began := time.Now()
	p := openPage(t, serveFolder(t, "testdata/C15")+"/live.html", nil)
	s := read(t, p)
	out := capture.Append(nil, s)
	if !utf8.Valid(out) || s.Find("countries", "us") < 0 {
		t.Errorf("got %s", out)
	}
	if d := s.Diagnostics(); len(d) != 1 || d[0].Code != snapshot.CodeRepairedText || d[0].At != "countries/us/flag" {
		t.Errorf("diagnostics %v", d)
	}
	evaluate(t, p, `document.querySelector('[data-agent-field=flag]').textContent = '\ud83d'`)
	if got := evidence(s, read(t, p)); !strings.Contains(got, `"updated":[{"id":"us","fields":["flag"]}]`) {
		t.Errorf("another half: %s", got)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestC28(t *testing.T) {
	s := read(t, openPage(t, htmlCase(t, "C28/page.html"), nil))
	var ids []string
	for _, r := range s.All() {
		ids = append(ids, r.ID())
	}
	if want := []string{"visible", "aria-hidden", "price"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
	if got := fields(t, s, "items", "price"); !slices.Equal(got, []string{`t="$9"`}) {
		t.Errorf("price %q", got)
	}
}

func TestC29(t *testing.T) {
	p := openPage(t, htmlCase(t, "C29/page.html"), nil)
	before := read(t, p)
	evaluate(t, p, "act()")
	after := read(t, p)
	want := []string{`name="new name"`, `news=true`, `tos=false`, `half="mixed"`, `plan="pro"`, `city="brg"`, `langs=["da"]`,
		`bio="new bio"`, `memo="new memo"`, `qty=3`, `sum="4"`, `bar=3`}
	if got := fields(t, after, "form", "me"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	const changed = `{"observed":true,"records":{"updated":[{"id":"me","fields":["name","news","tos","half","plan","city","langs","bio","memo","qty"]}]}}`
	if got := evidence(before, after); got != changed {
		t.Errorf("got %s", got)
	}
}

func TestC30(t *testing.T) {
	p := openPage(t, htmlCase(t, "C30/page.html"), nil)
	before := read(t, p)
	if err := p.Click(t.Context(), "show"); err != nil {
		t.Fatal(err)
	}
	shown := read(t, p)
	if err := p.Click(t.Context(), "change"); err != nil {
		t.Fatal(err)
	}
	changed := read(t, p)
	if got := evidence(before, shown); !strings.HasPrefix(got, `{"observed":true,"diagnostics"`) {
		t.Errorf("show: %s", got)
	}
	if got := evidence(shown, changed); !strings.Contains(got, `"updated":[{"id":"f","fields":["pass"]}]`) {
		t.Errorf("change: %s", got)
	}
	want := []string{`user="kari"`, `pass="[masked]"`, `otp="[masked]"`, `card="[masked]"`, `newpass="[masked]"`, `hint="shown"`}
	if got := fields(t, changed, "login", "f"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	p.kept = nil
	c, err := p.collect(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range [][]byte{capture.Append(nil, before), capture.Append(nil, changed), changed.Table().Row(0), []byte(c.text)} {
		// A title that no rule reads stays in the page's process and ours.
		if bytes.Contains(bytes.ReplaceAll(out, []byte("SECRET-FOXTROT-6"), nil), []byte("SECRET")) {
			t.Errorf("a secret left the page: %s", out)
		}
	}
}

func TestC34(t *testing.T) {
	p := openPage(t, htmlCase(t, "C34/page.html"), nil)
	s := read(t, p)
	want := map[string]string{
		"help": "", "plain": "", "link": "", "pick-date": "", "aria-false": "",
		"save": exposure.ReasonFieldset, "deep": exposure.ReasonFieldset, "off": "Choose a size first",
		"aria": exposure.ReasonAriaDisabled, "aria-parent": exposure.ReasonAriaDisabled, "inert": exposure.ReasonInert,
		"opt-off": exposure.ReasonDisabled, "opt-group": exposure.ReasonGroup,
	}
	if s.Actions() != len(want) {
		t.Errorf("%d actions", s.Actions())
	}
	for i := range s.Actions() {
		a := s.Action(i)
		if reason, known := want[a.ID]; !known || a.Reason != reason || a.Unavailable != (reason != "") {
			t.Errorf("%s: %v %q, want %q", a.ID, a.Unavailable, a.Reason, reason)
		}
	}
	for _, flip := range []struct{ js, id string }{
		{`document.querySelector('[data-agent-action=plain]').disabled = true`, "plain"},
		{`document.querySelector('[data-agent-action=aria-false]').ariaDisabled = 'true'`, "aria-false"},
		{`document.querySelector('[inert]').inert = false`, "inert"},
		{`document.querySelector('[data-agent-action=off]').disabled = false`, "off"},
	} {
		before := read(t, p)
		evaluate(t, p, flip.js)
		if got := evidence(before, read(t, p)); !strings.HasPrefix(got, `{"observed":true,"actions":{"updated":[{"id":"`+flip.id+`","fields":["available"]}]}`) {
			t.Errorf("%s: %s", flip.id, got)
		}
	}
}

func TestC36(t *testing.T) {
	clean := read(t, openPage(t, htmlCase(t, "C36/clean.html"), nil))
	p := openPage(t, htmlCase(t, "C36/hostile.html"), nil)
	hostile := read(t, p)
	if body(clean) != body(hostile) {
		t.Errorf("clean %s\nhostile %s", body(clean), body(hostile))
	}
	out, err := Invoke(t.Context(), p.Tab(), "", `({ a: [1, 'b', { c: null }] })`)
	if text, ok := out.(json.RawMessage); err != nil || !ok || !json.Valid(text) {
		t.Errorf("a result: %s %v", text, err)
	}
}

// TestC57 has no baseline, or one of something else.
func TestC57(t *testing.T) {
	pages := map[string]string{}
	for path, file := range map[string]string{"/full": "full", "/only-s": "only-s", "/cart": "url-cart", "/orders": "url-orders"} {
		text, err := os.ReadFile("../../internal/reference/testdata/C57/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = `<!doctype html><script type="application/json" data-agent-exposure>` + string(text) + `</script>
<button data-agent-action="add" data-agent-description="Add" onclick="document.querySelector('ul').innerHTML='<li data-agent-record=c></li>'">Add</button><ul data-agent-scope="s"></ul>
<script>if (location.search === '?busy') setTimeout(() => { for (const t = Date.now(); Date.now() < t + 2500;); }, 50)</script>`
	}
	base := serve(t, pages)
	for _, tt := range []struct{ before, after, want string }{
		{"/full", "/only-s", `{"observed":true,"records":{"total":{"from":2,"to":1}},"scopes":{"removed":[{"id":"t","records":1,"ids":["b"]}]},"page":{"url":{"from":"$/full","to":"$/only-s"},"navigated":true}}`},
		{"/cart", "/orders", `{"observed":true,"page":{"url":{"from":"$/cart","to":"$/orders"},"navigated":true}}`},
	} {
		p := openPage(t, base+tt.before, nil)
		before := read(t, p)
		if err := p.Navigate(t.Context(), base+tt.after); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(evidence(before, read(t, p)), base, "$"); got != tt.want {
			t.Errorf("%s to %s\ngot  %s\nwant %s", tt.before, tt.after, got, tt.want)
		}
	}
	// The first call of a session looks before it acts.
	p := openPage(t, base+"/full", nil)
	res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "add"})
	if want := `{"observed":true,"records":{"added":[{"id":"c","scope":"s"}],"total":{"from":2,"to":3}}}`; string(res.Changed) != want || res.Between != nil {
		t.Errorf("the first call: %s", res.AppendJSON(nil))
	}
	// A page that could not be looked at before is not taken for an empty one.
	p = openPage(t, base+"/full?busy", nil)
	time.Sleep(100 * time.Millisecond)
	step := func(ctx context.Context) error {
		_, err := p.Tab().Evaluate(ctx, Script{Expression: "1"}) // answers when the page does
		return err
	}
	ev, err := call.Observe(t.Context(), p, step, &call.ObserveOptions{Format: compact, Timeout: 1500 * time.Millisecond})
	if err != nil || ev.Before != nil || ev.After == nil || string(ev.JSON) != `{"observed":false,"reason":"no-baseline"}` {
		t.Errorf("no baseline: %s %v", ev.JSON, err)
	}
}
