package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestDeltas mutates a page step by step. What a page that has been read before hands
// over, as a difference, gives what a first look at it gives.
func TestDeltas(t *testing.T) {
	for _, halves := range []bool{false, true} {
		t.Run(fmt.Sprintf("halves=%v", halves), func(t *testing.T) { testDeltas(t, halves) })
	}
}

// A watchedTab counts evaluations that contain a text.
type watchedTab struct {
	Tab
	text string
	n    int
}

func (w *watchedTab) Evaluate(ctx context.Context, s Script) (json.RawMessage, error) {
	if strings.Contains(s.Expression, w.text) {
		w.n++
	}
	return w.Tab.Evaluate(ctx, s)
}

// testDeltas uses texts with halves of surrogate pairs or not. Without them nothing is
// read twice, so that no mistake is made good.
func testDeltas(t *testing.T, halves bool) {
	const page = `<!doctype html><meta charset="utf-8"><title>Deltas</title><style>.off{display:none} .hid{visibility:hidden} .alt li:nth-child(2n) i{display:none} .pre b{white-space:pre} b:empty{visibility:hidden}</style>
<ul data-agent-scope="rows"></ul><div data-agent-scope="form"><p data-agent-record="f"><input data-agent-field="v"><textarea data-agent-field="a"></textarea><input type="checkbox" data-agent-field="c"></p></div>
<script>let away; const row = (i) => document.querySelectorAll('ul li')[i];</script>`
	base := serve(t, map[string]string{"/": page})
	p := openPage(t, base+"/", nil)
	w := &watchedTab{Tab: p.tab, text: `"careful":true`}
	p.tab = w
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		if !halves {
			return []string{"a", "æøå", "👩‍👩‍👧", "x\\ny", "  ", "日本", "long " + strings.Repeat("z", 300)}[r.IntN(7)]
		}
		return []string{"a", "æøå", "👩‍👩‍👧", "\\ud83c", "\\udf00", "x\\ny", "  ", "日本", "long " + strings.Repeat("z", 300)}[r.IntN(9)]
	}
	add := func() string {
		return fmt.Sprintf(`{const li=document.createElement('li'); li.setAttribute('data-agent-record','r%d'); li.innerHTML='<b data-agent-field=t></b><i data-agent-field=u%s></i><button data-agent-action=go%s>Go</button>'; li.firstChild.textContent='%s'; li.children[1].textContent='%s'; const u=document.querySelector('ul'); u.insertBefore(li, u.children[%d]||null)}`, r.IntN(1e6),
			[]string{``, ``, ` style=display:none`}[r.IntN(3)], []string{``, ``, ` aria-labelledby=n0`}[r.IntN(3)], text(), []string{"u", "u", "v"}[r.IntN(3)], r.IntN(8))
	}
	plain := false
	steps := []func() string{
		add, add, add, add,
		func() string {
			return fmt.Sprintf(`document.querySelectorAll('li b')[%d]?.replaceChildren('%s','%s')`, r.IntN(6), text(), text())
		},
		func() string { return fmt.Sprintf(`document.querySelectorAll('li')[%d]?.remove()`, r.IntN(8)) },
		func() string {
			return fmt.Sprintf(`document.querySelectorAll('li')[%d]?.classList.toggle('%s')`, r.IntN(6), []string{"off", "hid"}[r.IntN(2)])
		},
		func() string {
			return fmt.Sprintf(`{const s=document.querySelectorAll('li i')[%d]; if(s) s.style.cssText='%s'}`, r.IntN(6), []string{"display:block", "white-space:pre", "", "display:none"}[r.IntN(4)])
		},
		func() string { return fmt.Sprintf(`document.querySelector('input').value='%s'`, text()) },
		func() string { return fmt.Sprintf(`document.querySelector('textarea').value='%s'`, text()) },
		func() string { return `document.querySelector('[type=checkbox]').checked^=1` },
		func() string { return `document.querySelector('input').type='password'` },
		func() string { return `document.querySelector('ul').append(document.querySelector('li')||'')` },
		func() string {
			return `{const s = document.styleSheets[0]; s.cssRules[0].selectorText === 'i' ? s.deleteRule(0) : s.insertRule('i{display:block}')}`
		},
		func() string { return `document.querySelector('ul').classList.toggle('alt')` },
		func() string { return `document.body.classList.toggle('pre')` },
		func() string {
			return `away ? (document.querySelector('ul').prepend(away), away = null) : (away = row(1), away?.remove())`
		},
		func() string { return fmt.Sprintf(`if (away) away.querySelector('b').textContent = '%s'`, text()) },
		func() string {
			return `document.querySelector('ul').append(...[...document.querySelectorAll('ul li')].reverse())`
		},
		func() string {
			return fmt.Sprintf(`row(%d)?.insertAdjacentHTML('beforeend', '<label><input type=radio name=g data-agent-field=g value=a></label><input type=radio name=g data-agent-field=g value=b><select data-agent-field=s><option>1<option>2</select><div data-agent-field=d>light</div>')`, r.IntN(4))
		},
		func() string {
			return fmt.Sprintf(`{const x = document.querySelectorAll('[type=radio]')[%d]; if (x) x.checked = true}`, r.IntN(8))
		},
		func() string {
			return fmt.Sprintf(`{const x = document.querySelectorAll('select')[%d]; if (x) x.selectedIndex ^= 1}`, r.IntN(4))
		},
		func() string {
			return `{const x = document.querySelector('li div:not([done])'); if (x && !x.shadowRoot) { x.attachShadow({mode:'open'}).innerHTML = '<u>in a shadow</u>' }}`
		},
		func() string {
			return `{const x = document.querySelector('li div')?.shadowRoot?.firstChild; if (x) x.textContent += '!'}`
		},
		func() string { return `row(0)?.setAttribute('data-agent-record', 'again' + Math.random())` },
		func() string { // nothing is annotated any more, or all is again
			plain = !plain
			return `{const [from, to] = document.querySelector('[data-agent-scope]') ? ['data-agent-', 'data-off-'] : ['data-off-', 'data-agent-'];
for (const e of document.querySelectorAll('*')) for (const n of e.getAttributeNames()) if (n.startsWith(from)) { e.setAttribute(to + n.slice(from.length), e.getAttribute(n)); e.removeAttribute(n) }}`
		},
		func() string { return fmt.Sprintf(`document.querySelector('ul').hidden = %v`, r.IntN(4) == 0) },
		func() string {
			return fmt.Sprintf(`row(%d)?.insertAdjacentHTML('beforeend', '<em id="n%d">named</em>')`, r.IntN(4), r.IntN(3))
		},
		func() string {
			return fmt.Sprintf(`row(%d)?.querySelector('button')?.setAttribute('aria-labelledby', 'n%d')`, r.IntN(4), r.IntN(3))
		},
		func() string {
			return `document.querySelectorAll('[aria-labelledby]').forEach((e) => e.removeAttribute('aria-labelledby'))`
		},
		func() string { return `document.querySelector('[aria-labelledby]')?.closest('li').remove()` },
		func() string {
			return `document.querySelectorAll('[style]').forEach((e) => e.removeAttribute('style'))`
		},
		func() string {
			return `row(2)?.querySelector('b')?.animate([{ visibility: 'hidden' }, { visibility: 'hidden' }], 1e6)`
		},
		func() string { return `` },
	}
	for range 8 {
		evaluate(t, p, add())
	}
	for n := range 150 {
		var js string
		var got *snapshot.Snapshot
		for range 1 + r.IntN(3) { // what was written before the last reading is copied again
			js = steps[r.IntN(len(steps))]()
			evaluate(t, p, js)
			if plain {
				p.before = nil // on which names of inferred scopes depend
			}
			got = read(t, p)
		}
		for _, e := range p.targets.elements {
			id := e.origin.record
			raw, err := p.inWorld(t.Context(), "", fmt.Sprintf("ref(%d).closest('li').getAttribute('data-agent-record')", e.element.ref), false)
			if err != nil || string(raw) != Quote(id) {
				t.Fatalf("step %d %s\nthe action of %s is on an element of %s, %v", n, js, id, raw, err)
			}
		}
		// The other side is read by somebody who has kept nothing, nor has the page.
		var want *snapshot.Snapshot
		if p.kept, p.before = nil, nil; r.IntN(3) == 0 {
			want = firstLook(t, p)
		} else {
			want = read(t, p)
		}
		if body(got) != body(want) {
			t.Fatalf("step %d %s\ngot  %s\nwant %s", n, js, body(got), body(want))
		}
		if w.n > 0 && !halves {
			t.Fatalf("step %d %s: what was handed over did not fit together", n, js)
		}
	}
}

// TestLarge reads a page of 20,000 rows and a field of 20 MB.
func TestLarge(t *testing.T) {
	page := `<!doctype html><meta charset="utf-8"><title>Large</title><div data-agent-scope="big"><p data-agent-record="b"><textarea data-agent-field="area"></textarea><span data-agent-field="text"></span><i data-agent-field="value"></i></p></div><ul data-agent-scope="rows"></ul>
<script>document.querySelector('textarea').value='é'.repeat(1e5); document.querySelector('span').textContent='x'.repeat(2e5)+'tail';
document.querySelector('i').setAttribute('data-agent-value', 'x'.repeat(2e7)+'tail');
let h=''; for(let i=0;i<20000;i++) h+='<li data-agent-record=r'+i+'><b data-agent-field=n>'+i+'</b></li>'; document.querySelector('ul').innerHTML=h</script>`
	p := openPage(t, serve(t, map[string]string{"/": page})+"/", nil)
	before := read(t, p)
	if before.Len() != 20001 {
		t.Fatalf("%d records", before.Len())
	}
	r := before.Record(before.Find("big", "b"))
	for name, size := range map[string]int64{"area": 2e5, "text": 2e5 + 4, "value": 2e7 + 4} {
		v := r.Field(name)
		if got, cut := v.Cut(); !cut || got < size || got > size+8192 || len(v.Text()) > 4096 {
			t.Errorf("%s: %d bytes, cut %v, %d here", name, got, cut, len(v.Text()))
		}
	}
	p.kept = nil
	c, err := p.collect(t.Context(), "", false)
	if err != nil || len(c.text)+len(c.ops)+len(c.lens) > 2<<20 {
		t.Errorf("%d bytes were handed over, %v", len(c.text), err)
	}
	evaluate(t, p, `document.querySelector('span').firstChild.data='x'.repeat(2e5)+'tale'; document.querySelector('i').setAttribute('data-agent-value', 'x'.repeat(2e7)+'tale')`)
	if got := evidence(before, read(t, p)); !strings.Contains(got, `"updated":[{"id":"b","scope":"big","fields":["text","value"]}]`) {
		t.Errorf("a change at the end of 20 MB: %s", got)
	}
}

// TestHostile reads pages that get in the way: names that clobber, policies against
// scripts and HTML, closed roots, and frames of other origins.
func TestHostile(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><ul data-agent-scope="inner"><li data-agent-record="i1"><b data-agent-field="n">in a frame</b><button data-agent-action="press" onclick="document.querySelector('b').textContent='pressed'">Press</button></li></ul>`)
	}))
	defer other.Close()
	site := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	main := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "script-src 'nonce-a'; require-trusted-types-for 'script'; trusted-types 'none'; frame-src *")
		fmt.Fprintf(w, `<!doctype html><title>Hostile</title>
<form data-agent-scope="f"><input name="children"><input name="firstChild"><input name="nextSibling"><input name="getAttribute"><input name="attributes"><input name="firstElementChild">
<input name="localName"><input name="nodeType"><input name="parentNode"><input name="textContent"><input name="shadowRoot"><input name="hasAttribute">
<p data-agent-record="r"><b data-agent-field="n">in the form</b></p></form>
<img name="defaultView"><img name="documentElement"><img name="readyState"><form name="querySelector"></form><img name="querySelectorAll"><img name="styleSheets"><img name="title">
<div id="Text"></div><div id="Element"></div><div id="HTMLFormElement"></div><div id="getComputedStyle"></div>
<x-closed></x-closed>
<iframe title="same site" src="%s/"></iframe><iframe title="other site" src="%s/"></iframe>
<script nonce="a">document.querySelector; Document.prototype.querySelector.call(document, 'x-closed').attachShadow({mode:'closed'}).append('closed')</script>`, other.URL, site)
	}))
	defer main.Close()
	p := openPage(t, main.URL+"/", nil)
	if err := p.WaitLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := read(t, p)
	var ids []string
	for _, r := range s.All() {
		ids = append(ids, r.Scope()+"/"+r.ID()+" "+r.Field("n").String())
	}
	want := []string{`f/r "in the form"`, `inner/i1 "in a frame"`, `inner/i1 "in a frame"`}
	if fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("got %q\n%s", ids, capture.Append(nil, s))
	}
	codes := map[string]string{}
	for _, d := range s.Diagnostics() {
		codes[d.Code] = d.At
	}
	if codes[exposure.CodeUnreadableFrame] != "" || codes[exposure.CodeUnreadableRoot] != "x-closed" {
		t.Errorf("diagnostics %v", s.Diagnostics())
	}
	for _, frame := range []string{"same site", "other site"} {
		if err := p.Click(t.Context(), frame+"/press@i1"); err != nil {
			t.Errorf("%s: %v", frame, err)
		}
	}
	pressed := 0
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline) && pressed < 2; time.Sleep(20 * time.Millisecond) {
		pressed = count(read(t, p), "pressed")
	}
	if pressed != 2 {
		t.Errorf("%d frames were clicked", pressed)
	}
}

func count(s *snapshot.Snapshot, text string) (n int) {
	for _, r := range s.All() {
		if string(r.Field("n").Text()) == text {
			n++
		}
	}
	return n
}
