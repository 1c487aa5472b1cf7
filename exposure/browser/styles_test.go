package browser

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// styleSheets makes style sheets, and elements that they are about.
type styleSheets struct{ *rand.Rand }

func (r styleSheets) one(list ...string) string { return list[r.IntN(len(list))] }

// class is a class as a page has it, and as a selector does.
func (r styleSheets) class() (name, selector string) {
	names := []string{"a", "b", "c", "d", "e", "long-name", "md:x", "10", "é", "A"}
	selectors := []string{".a", ".b", ".c", ".d", ".e", ".long-name", `.md\:x`, `.\31 0`, ".é", ".A"}
	i := r.IntN(len(names))
	return names[i], selectors[i]
}

func (r styleSheets) compound() string {
	_, class := r.class()
	switch r.IntN(10) {
	case 0, 1, 2:
		return class
	case 3:
		return r.one("li", "i", "b") + class
	case 4:
		return "#" + r.one("x0", "x1", "nowhere")
	case 5:
		return r.one("li", "i", "b", "u")
	case 6:
		return r.one("i", "b") + ":not(" + class + ", .e)"
	case 7:
		return ":is(" + class + ", u)" + r.one("", ":nth-child(2n)", ":first-child")
	case 8:
		return `[data-k="x, .y"]` + r.one("", class)
	}
	return class + r.one("::before", ":hover", ":empty")
}

func (r styleSheets) selector() string {
	s := r.compound()
	for range r.IntN(3) {
		s += r.one(" ", " > ", " + ", " ~ ", ", ") + r.compound()
	}
	return s
}

func (r styleSheets) declarations() string {
	s := ""
	for range 1 + r.IntN(2) {
		s += r.one("display:none", "display:block", "display:inline", "display:contents", "display:flex", "visibility:hidden", "visibility:visible",
			"white-space:pre", "white-space:normal", "white-space:var(--w)", "white-space:pre-line", "all:unset", "color:red", "-webkit-text-security:disc",
			"content-visibility:hidden", "--w:pre") + ";"
	}
	return s
}

func (r styleSheets) rule(depth int) string {
	inner := r.declarations()
	if depth < 2 && r.IntN(4) == 0 {
		inner += r.one("", "&", "& > ", ".a ") + r.rule(depth+1)
		if r.IntN(2) == 0 {
			inner += r.declarations()
		}
	}
	s := r.selector() + "{" + inner + "}"
	if r.IntN(6) == 0 {
		s = r.one("@media (min-width:1px)", "@media (max-width:1px)", "@supports (display:grid)", "@layer l", "@container (min-width:1px)") + "{" + s + "}"
	}
	return s
}

func (r styleSheets) element(tag string) string {
	s := "<" + tag
	if r.IntN(2) == 0 {
		s += ` class="`
		for range 1 + r.IntN(2) {
			name, _ := r.class()
			s += name + r.one(" ", "\n", "  ")
		}
		s += `"`
	}
	if r.IntN(5) == 0 {
		s += ` data-k="x, .y"`
	}
	return s
}

// row is a record with fields whose texts show how they are laid out.
func (r styleSheets) row(i int) string {
	s := r.element("li") + fmt.Sprintf(` data-agent-record="r%d">`, i)
	for k := range 1 + r.IntN(3) {
		tag := r.one("i", "b")
		s += r.element(tag) + fmt.Sprintf(` id="x%d" data-agent-field="f%d">`, r.IntN(9), k) + r.one("one", "two  blanks", "a\nline") + r.element("u") + ">in it</u></" + tag + ">"
	}
	return s + "</li>"
}

// TestStyleSheets reads pages with random style sheets, once with what rules select and
// once with the style of every element, as where a sheet is of another origin.
func TestStyleSheets(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/css") })
	steps := 12
	if *long {
		steps = 100
	}
	for seed := range 10 {
		r := styleSheets{rand.New(rand.NewPCG(uint64(seed), 3))}
		doctype, sheet, rows := r.one("<!doctype html>", "<!doctype html>", ""), "", ""
		for range r.IntN(30) {
			sheet += r.rule(0)
		}
		for i := range 12 {
			rows += r.row(i)
		}
		page := doctype + `<meta charset="utf-8"><style>` + sheet + `</style>%s<ul data-agent-scope="s">` + rows + `</ul>`
		base := serve(t, map[string]string{"/": fmt.Sprintf(page, ""), "/all": fmt.Sprintf(page, `<link rel="stylesheet" href="`+other+`/x.css">`)})
		rules, all := openPage(t, base+"/", nil), openPage(t, base+"/all", nil)
		for _, p := range []*Page{rules, all} {
			if err := p.WaitLoaded(t.Context()); err != nil {
				t.Fatal(err)
			}
			evaluate(t, p, `globalThis.els = () => document.querySelectorAll('ul *'); globalThis.sheet = document.styleSheets[0]`)
		}
		step := ""
		for range steps {
			if got, want := body(read(t, rules)), body(read(t, all)); got != want {
				t.Fatalf("seed %d %s\nrules    %s\nelements %s\nsheet %s", seed, step, got, want, sheet)
			}
			name, _ := r.class()
			switch n := r.IntN(400); r.IntN(7) {
			case 0:
				step = fmt.Sprintf(`{const l = els(); l[%d %% l.length].classList.toggle('%s')}`, n, name)
			case 1:
				step = fmt.Sprintf("document.querySelector('ul').insertAdjacentHTML('beforeend', `%s`)", r.row(100+n))
			case 2:
				step = fmt.Sprintf(`sheet.insertRule(%s, %d %% (sheet.cssRules.length + 1))`, Quote(r.rule(0)), n)
			case 3:
				step = fmt.Sprintf(`if (sheet.cssRules.length) sheet.deleteRule(%d %% sheet.cssRules.length)`, n)
			case 4:
				step = fmt.Sprintf(`{const x = sheet.cssRules[%d %% sheet.cssRules.length]; if (x?.style) x.style.cssText = '%s'}`, n, r.declarations())
			case 5:
				step = fmt.Sprintf(`{const x = sheet.cssRules[%d %% sheet.cssRules.length]; if (x?.style) x.selectorText = %s}`, n, Quote(r.selector()))
			case 6:
				step = fmt.Sprintf(`{const l = els(); l[%d %% l.length].id = '%s'}`, n, r.one("x0", "x1", "nowhere"))
			}
			for _, p := range []*Page{rules, all} {
				evaluate(t, p, "try { "+step+" } catch {}")
			}
		}
		for _, p := range []*Page{rules, all} {
			// No rule is about the root: its style is there if that of all elements is.
			if is := strings.Contains(p.kept[""].parts[shapesPart], `["html","*`); is != (p == all) {
				t.Errorf("seed %d: the style of each element was asked for: %v", seed, is)
			}
		}
		if strings.Contains(body(read(t, rules)), `"records":[]`) {
			t.Errorf("seed %d: no records", seed)
		}
	}
}

// TestRules reads pages of one rule each, that hides or lays out a field.
func TestRules(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/css") })
	const page = `<meta charset="utf-8"><ul data-agent-scope="s"><li data-agent-record="r" class="row"><b class="a md:x 10" id="x" data-agent-field="f">two  blanks</b><i data-agent-field="g">x</i></li></ul>`
	plain := openPage(t, serve(t, map[string]string{"/": "<!doctype html>" + page})+"/", nil)
	unstyled := body(read(t, plain))
	for _, tt := range []struct{ doctype, sheet string }{
		{"<!doctype html>", `.a { display: none }`},
		{"<!doctype html>", `#x { display: none }`},
		{"<!doctype html>", `.md\:x { visibility: hidden }`},
		{"<!doctype html>", `.\31 0 { display: none }`},
		{"<!doctype html>", `b { all: inherit; display: none }`},
		{"<!doctype html>", `ul { --w: pre } .a { white-space: var(--w) }`},
		{"<!doctype html>", `.a { white-space: pre }`},
		{"<!doctype html>", `.a { -webkit-text-security: disc }`},
		{"<!doctype html>", `.row { .a { display: none } }`},
		{"<!doctype html>", `.a { b& { color: red } display: none }`},
		{"<!doctype html>", `.a { @media (min-width: 1px) { display: none } }`},
		{"<!doctype html>", `@media (min-width: 1px) { .row > :first-child { display: none } }`},
		{"<!doctype html>", `@layer one { @supports (display: grid) { .a { display: none } } }`},
		{"<!doctype html>", `@scope (.row) { .a { display: none } }`},
		{"<!doctype html>", `@keyframes k { to { visibility: hidden } } .a { animation: k 1s -1s forwards }`},
		{"<!doctype html>", `.nobody::before, .a { display: none }`},
		{"<!doctype html>", `:not(.nobody) > .a { display: none }`},
		{"", `.A { display: none }`},
		{"", `#X { display: none }`},
	} {
		base := serve(t, map[string]string{"/": tt.doctype + `<style>` + tt.sheet + `</style>` + page, "/all": tt.doctype + `<style>` + tt.sheet + `</style><link rel="stylesheet" href="` + other + `/x.css">` + page})
		all := openPage(t, base+"/all", nil)
		if err := all.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, want := body(read(t, openPage(t, base+"/", nil))), body(read(t, all))
		if got != want {
			t.Errorf("%s\nrules    %s\nelements %s", tt.sheet, got, want)
		}
		if want == unstyled {
			t.Errorf("%s: nothing shows it", tt.sheet)
		}
	}
}

// TestSelectors takes selectors apart, as style sheets write them.
func TestSelectors(t *testing.T) {
	p := openPage(t, "about:blank", nil)
	read(t, p)
	for _, tt := range []struct{ text, want string }{
		{`.a`, `[".a a "]`},
		{`li`, `["li  "]`},
		{`#b`, `["#b  b"]`},
		{`a.b#c`, `["a.b#c b c"]`},
		{`.a, .b > i`, `[".a a "," .b > i  "]`},
		{`.a .b`, `[".a .b b "]`},
		{`.a>.b`, `[".a>.b b "]`},
		{`.a + .b ~ .c`, `[".a + .b ~ .c c "]`},
		{`.md\:x`, `[".md\\:x md:x "]`},
		{`.\31 0`, `[".\\31 0 10 "]`},
		{`.\31 0 .b`, `[".\\31 0 .b b "]`},
		{`.a\.b`, `[".a\\.b a.b "]`},
		{`.a\,b, .c`, `[".a\\,b a,b "," .c c "]`},
		{`.\e9 t`, `[".\\e9 t ét "]`},
		{`.ét`, `[".ét ét "]`},
		{`i:not(.a, .b)`, `["i:not(.a, .b)  "]`},
		{`:is(.a).b`, `[":is(.a).b b "]`},
		{`.a:is(.b .c):hover`, `[".a:is(.b .c):hover a "]`},
		{`[x=".a, .b"].c`, `["[x=\".a, .b\"].c c "]`},
		{`[x="\".a, .b"].c`, `["[x=\"\\\".a, .b\"].c c "]`},
		{`.a::before`, `[]`},
		{`.a::before, .b`, `[" .b b "]`},
		{`.a:hover`, `[".a:hover a "]`},
		{`*`, `["*  "]`},
		{`svg|a.b`, `["svg|a.b b "]`},
		{`:host(.a)`, `null`},
		{`.a::slotted(i)`, `null`},
		{`.a::part(b)`, `null`},
	} {
		raw, err := p.tab.Evaluate(t.Context(), Script{Expression: `((list) => JSON.stringify(list && list.map((s) => s.text + ' ' + s.name + ' ' + s.id)))(__pagestate_selectors.selectorsOf(` + Quote(tt.text) + `))`})
		var got string
		if err != nil || json.Unmarshal(raw, &got) != nil || got != tt.want {
			t.Errorf("%s: %s, want %s, %v", tt.text, got, tt.want, err)
		}
	}
}
