package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
)

// firstLook reads the page as somebody does who has never looked at it: nothing is kept
// here nor in the page, where the scripts are brought in anew.
func firstLook(t testing.TB, p *Page) *snapshot.Snapshot {
	t.Helper()
	const forget = `for (const name of Object.getOwnPropertyNames(globalThis)) if (/^__pagestate(?!_secrets)/.test(name)) delete globalThis[name]`
	if _, err := p.tab.Evaluate(t.Context(), Script{Expression: forget}); err != nil {
		t.Fatal(err)
	}
	p.kept, p.before = nil, nil
	return read(t, p)
}

// TestWatched changes one thing of a page that has been read, of each kind that decides
// what is read again. What is then handed over is what a first look gives, and differs
// from what was there before; so it is when the change is taken back.
func TestWatched(t *testing.T) {
	const rows = `<ul data-agent-scope="s"><li data-agent-record="a"><b id="b" data-agent-field="f">x</b><i id="i" data-agent-field="g">y</i></li><li data-agent-record="z"><b data-agent-field="f">z</b></li></ul>`
	const drawing = `<ul data-agent-scope="s"><li data-agent-record="a"><p data-agent-field="f">x<svg><text id="b">y</text></svg></p></li></ul>`
	const plain = `<table id="t"><tr><th>A<th>B<tr id="r"><td id="b">1<td>2</table><button id="act">Go</button>`
	const labels = `<ul data-agent-scope="s"><li data-agent-record="a"><span id="name">Name</span><label id="l">Label</label><button id="b" data-agent-action="go">Go</button><input id="in" data-agent-action="fill"></li></ul>`
	set := func(id, name, value string) [2]string {
		return [2]string{fmt.Sprintf(`%s.setAttribute('%s', '%s')`, id, name, value), fmt.Sprintf(`%s.removeAttribute('%s')`, id, name)}
	}
	add := func(id, html string) [2]string {
		return [2]string{fmt.Sprintf("%s.insertAdjacentHTML('beforeend', `%s`)", id, html), id + `.lastElementChild.remove()`}
	}
	for _, tt := range []struct {
		name, page string
		steps      [2]string // there and back, one reading each
	}{
		// Attributes on which it depends what is asked.
		{"style", rows, set("b", "style", "display:none")},
		{"popover", rows, [2]string{`b.popover = 'auto'; b.showPopover(); b.firstChild.data = 'above'`, `b.removeAttribute('popover'); b.firstChild.data = 'x'`}},
		{"display", drawing, set("b", "display", "none")},
		{"visibility", drawing, set("b", "visibility", "hidden")},
		{"data-agent-scope", plain, set("t", "data-agent-scope", "s")},
		{"data-agent-record", plain, set("r", "data-agent-record", "r")},
		{"data-agent-field", plain, set("b", "data-agent-field", "f")},
		{"data-agent-action", plain, set("act", "data-agent-action", "go")},
		{"data-agent-exposure", plain + `<script id="js" type="application/json">{"records":[{"id":"c"}]}</script>`, set("js", "data-agent-exposure", "")},
		{"aria-labelledby", labels, set("b", "aria-labelledby", "name")},
		{"for", labels, set("l", "for", "in")},
		{"id", rows + `<div class="d"><p data-agent-record="marks"></p></div>`, set(`document.querySelector('.d')`, "id", "playwright-highlight-container")},
		// Others, and texts.
		{"attribute", rows, set("b", "data-agent-value", "v")},
		{"hidden", rows, set("b", "hidden", "")},
		{"class", `<style>.off{display:none}</style>` + rows, set("b", "class", "off")},
		{"row's own", rows, set("b.parentElement", "hidden", "")},
		{"data", rows, [2]string{`b.firstChild.data = 'y'`, `b.firstChild.data = 'x'`}},
		{"text", rows, [2]string{`b.textContent = 'y'`, `b.textContent = 'x'`}},
		{"no text", rows, [2]string{`b.textContent = ''`, `b.textContent = 'x'`}},
		// Elements that come and go, and those in them.
		{"element", rows, add("b", `<u>more</u>`)},
		{"row", rows, add("b.closest('ul')", `<li data-agent-record="c"></li>`)},
		{"styled", rows, add("b", `<u style="display:block">more</u>`)},
		{"styled inside", rows, add("b", `<u>more<s style="visibility:hidden">most</s></u>`)},
		{"annotated", plain, add("document.body", `<p data-agent-scope="s"></p>`)},
		{"annotated inside", plain, add("document.body", `<div><p data-agent-record="c"></p></div>`)},
		{"labelled", labels, add("b.parentElement", `<button aria-labelledby="name" data-agent-action="new">N</button>`)},
		{"labelled inside", labels, add("b.parentElement", `<p><button aria-labelledby="name" data-agent-action="new">N</button></p>`)},
		{"label", labels, add("b.parentElement", `<label for="in">For it</label>`)},
		{"label inside", labels, add("b.parentElement", `<p><label for="in">For it</label></p>`)},
		{"frame", rows, add("document.body", `<iframe id="f" srcdoc="<p data-agent-record=c></p><button data-agent-action=go>Go</button>"></iframe>`)},
		// Rows that change while they are not there, and that move.
		{"away", `<script>let was</script>` + rows, [2]string{
			"was = b.parentElement, was.remove()\nwas.firstChild.textContent = 'while away'\ndocument.querySelector('ul').prepend(was)",
			"was.remove()\nwas.firstChild.textContent = 'again'\ndocument.querySelector('ul').prepend(was)"}},
		{"around", `<script>let was</script><div id="d">` + rows + `</div>`, [2]string{
			"was = d.firstElementChild, was.remove()\nwas.querySelector('b').textContent = 'while away'\nd.append(was)",
			"was.remove()\nwas.querySelector('b').textContent = 'again'\nd.append(was)"}},
		{"order", rows, [2]string{`document.querySelector('ul').append(b.parentElement)`, `document.querySelector('ul').prepend(b.parentElement)`}},
		{"many texts", rows, [2]string{`for (let i = 0; i < 3000; i++) b.firstChild.data = i`, `for (let i = 0; i < 3001; i++) b.firstChild.data = i`}},
		{"many", rows, [2]string{`for (let i = 0; i < 3000; i++) b.firstChild.data = i; b.style.display = 'none'`, `for (let i = 0; i < 3000; i++) b.firstChild.data = i; b.removeAttribute('style')`}},
		// What no observer tells of.
		{"shadow", rows, [2]string{`i.innerHTML = '<p></p>'`, `i.firstChild.attachShadow({mode: 'open'}).innerHTML = 'in it'`}},
		{"style of many", `<style>.alt b{display:none}</style>` + rows, set("document.querySelector('ul')", "class", "alt")},
		{"sheet", `<style>b{color:red}</style>` + rows, [2]string{`document.styleSheets[0].insertRule('#b{display:none}')`, `document.styleSheets[0].deleteRule(0)`}},
		{"adopted", rows, [2]string{`{const s = new CSSStyleSheet(); s.replaceSync('#b{display:none}'); document.adoptedStyleSheets = [s]}`, `document.adoptedStyleSheets = []`}},
		{"state", `<ul data-agent-scope="s"><li data-agent-record="a"><input id="b" type="checkbox" data-agent-field="f"></li></ul>`, [2]string{`b.checked = true`, `b.checked = false`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openPage(t, serve(t, map[string]string{"/": `<!doctype html><meta charset="utf-8">` + tt.page}), nil)
			read(t, p)
			before := body(read(t, p))
			for _, js := range tt.steps {
				for line := range strings.SplitSeq(js, "\n") { // a task each
					evaluate(t, p, line)
				}
				p.before = nil // on which names of inferred scopes depend
				got := body(read(t, p))
				want := body(firstLook(t, p))
				if got != want {
					t.Errorf("%s\ngot  %s\nwant %s", js, got, want)
				}
				if got == before {
					t.Errorf("%s: nothing has changed: %s", js, got)
				}
				before = got
			}
		})
	}
}
