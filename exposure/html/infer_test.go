package html_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
)

// shape lists the records of a snapshot as scope/id name=value ...
func shape(t testing.TB, snap *snapshot.Snapshot) (list []string) {
	t.Helper()
	for _, r := range snap.All() {
		s := r.Scope() + "/" + r.ID()
		for name, v := range r.Fields() {
			s += " " + name + "=" + v.String()
		}
		list = append(list, s)
	}
	return list
}

func TestInfer(t *testing.T) {
	tests := []struct {
		name, why, page string
		want            []string
	}{
		{"ids of rows", "the first attribute that all have and none share; then the first column, if it is not all there is",
			`<table id=t><tr><th>A<th>B<tr id=x1 data-row-key=k1><td>a<td>b<tr id=x2 data-row-key=k2><td>c<td>b</table>
			 <table id=u><tr><th>A<th>B<tr id=x3 data-row-key=k><td>a<td>b<tr id=x4 data-row-key=k><td>c<td>b</table>
			 <table id=v><tr><th>A<th>B<tr><td>a<td>b<tr><td>a<td>c</table>
			 <table id=y><tr><th>A<th>B<tr><td>a<td>b<tr><td>c<td>b</table>
			 <table id=w><tr><th>A<th>B<tr><td>a<td>b<tr><td>a<td>b</table>
			 <table id=x><tr><th>A<tr><td>a<tr><td>b</table>`,
			[]string{`t/k1 A="a" B="b"`, `t/k2 A="c" B="b"`, `u/x3 A="a" B="b"`, `u/x4 A="c" B="b"`, `v/ A="a" B="b"`, `v/ A="a" B="c"`, `y/a A="a" B="b"`, `y/c A="c" B="b"`,
				`w/ A="a" B="b"`, `w/ A="a" B="b"`, `x/ A="a"`, `x/ A="b"`}},
		{"links", "a target that no other row leads to", `<ul id=l><li><a href=/a>A</a><li><a href=/b>A</a></ul><ul id=m><li><a href=/a>A</a><li><a href=/a>B</a></ul>`,
			[]string{`l//a link="A"`, `l//b link="A"`, `m/ link="A"`, `m/ link="B"`}},
		{"keys below", "", `<ul id=l><li>A <button data-id=1>x</button><li>B <button data-id=2>x</button></ul>`, []string{`l/1 text="A"`, `l/2 text="B"`}},
		{"most rows", "one without the attribute has no id", `<ul id=l><li data-id=1>A<li data-id=2>B<li>Loading</ul>`, []string{`l/1 text="A"`, `l/2 text="B"`, `l/ text="Loading"`}},
		{"numbered by a framework", "is no id", `<ul id=l><li id=":r1:">A<li id=":r2:">B</ul>`, []string{`l/ text="A"`, `l/ text="B"`}},
		{"pairs", "a table of row headers", `<table id=t><tr><th>A<td>1<tr><th>B<td>2</table>`, []string{`t/A heading="A" value="1"`, `t/B heading="B" value="2"`}},
		{"spans", "no value lands under another column", `<table id=t><tr><th>A<th>B<th>C<tr id=1><td rowspan=2>a<td>b<td>c<tr id=2><td colspan=2>d</table>`,
			[]string{`t/1 A="a" B="b" C="c"`, `t/2 A="a" B="d" C="d"`}},
		{"sum", "a tfoot is no record", `<table id=t><thead><tr><th>A<th>B</thead><tbody><tr id=1><td>a<td>1</tbody><tfoot><tr><td>Sum<td>1</tfoot></table>`, []string{`page/page text=["Sum","1"]`, `t/1 A="a" B="1"`}},
		{"layout table", "", `<table><tr><td>x<td><table id=t><tr><th>A<tr id=1><td>a</table></table>`, []string{`page/page text="x"`, `t/1 A="a"`}},
		{"empty table", "it is a scope without records", `<table id=t><tr><th>A<th>B</table>`, nil},
		{"description list", "", `<dl id=d><dt>A<dd>1<dd>2<dt>B<dd>3</dl>`, []string{`d/A term="A" value=["1","2"]`, `d/B term="B" value="3"`}},
		{"nested list", "with items of its own it is a scope", `<ul id=l><li data-id=1>A<ul><li data-id=2>B<li data-id=3>C</ul></ul>`, []string{`l/1 text="A"`, `list/2 text="B"`, `list/3 text="C"`}},
		{"plain list in a record", "is a field", `<article id=a><h2>T</h2><ul class=tags><li>x<li>y</ul></article>`, []string{`feed/a heading="T" tags=["x","y"]`}},
		{"microdata", "a nested item is a value, with an id a record", `<div itemscope itemtype="https://schema.org/Book" itemid=urn:1><b itemprop="name title">N</b>
			 <i itemprop=author itemscope><b itemprop=name>Ann</b></i><time itemprop=date datetime=2031-01-01>1 January</time><meta itemprop=lang content=en><a itemprop=url href=/x>N</a>
			 <p>more</p><p itemprop=part itemscope itemtype=x#Part itemid=urn:2><b itemprop=name>P</b></p></div>`,
			[]string{`book/urn:1 name="N" title="N" author={"name":"Ann"} date="2031-01-01" date.text="1 January" lang="en" url="/x" url.text="N" text="more"`, `part/urn:2 name="P"`}},
		{"keyed siblings", "", `<main><div class=x data-id=1><b>A</b></div><div class=x data-id=2><b>B</b></div><div>rest</div></main>`, []string{`page/main text="rest"`, `main-items/1 text="A"`, `main-items/2 text="B"`}},
		{"one key", "it may be anything", `<div data-page-id=home><p>x</p></div>`, []string{`page/page text="x"`}},
		{"test ids", "are no keys", `<div data-testid=a>x</div><div data-testid=b>y</div>`, []string{`page/page a="x" b="y"`}},
		{"roles", "", `<div role=listbox id=b><div role=option data-value=1 id=o1>A</div><div role=option id=o2>B</div></div><div role=tree id=t><div role=treeitem id=i1>C<div role=group><div role=treeitem id=i2>D</div></div></div></div>`,
			[]string{`b/o1 text="A"`, `b/o2 text="B"`, `t/i1 text="C"`, `items/i2 text="D"`}},
		{"form", "", `<form id=f><label>Mail <input name=mail value=a@b></label><input type=hidden name=h value=x><input type=password name=p value=x><label for=z>Zip</label><input id=z value=1>
			 <label><input type=checkbox name=c value=1 checked>One</label><label><input type=checkbox name=c value=2>Two</label><textarea aria-label="Free text">t</textarea><p class=hint>h</p></form>`,
			[]string{`f/f mail="a@b" p="[masked]" z="1" c=["1"] free-text="t" hint="h"`}},
		{"form in a row", "its controls are the row's", `<ul id=l><li id=a><form><input type=checkbox name=done checked> A</form></ul>`, []string{`l/a text="A" done=true`}},
		{"landmarks", "with a name of their own", `<header>h</header><nav>n</nav><section>s1</section><section id=s2>s2</section><section aria-label="S 3">s3</section><footer>f</footer>`,
			[]string{`page/page text="s1"`, `page/header text="h"`, `page/nav text="n"`, `page/s2 text="s2"`, `page/s-3 text="s3"`, `page/footer text="f"`}},
		{"ignored", "also where nothing is annotated", `<p>a</p><p data-agent-ignore>b</p><p data-agent-sensitive>c</p>`, []string{`page/page text=["a","[masked]"]`}},
		{"mixed", "inline elements are part of the text around them", `<p>a <b>b</b> <a href=#>c</a> <button>d</button></p>`, []string{`page/page text="a b c"`}},
		{"text around a block", "it is two lines", `<ul id=l><li id=a>A<div>mid</div>B<li id=b>C</ul>`, []string{`l/a text=["A\nB","mid"]`, `l/b text="C"`}},
		{"shadow", "", `<x-list><template shadowrootmode=open><ul id=l><slot></slot></ul></template><li id=a>A</li><li id=b>B</li></x-list>`, []string{`l/a text="A"`, `l/b text="B"`}},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			snap := decode(t, []byte("<!doctype html><meta charset=utf-8>"+tt.page), nil)
			equal(t, tt.why, shape(t, snap), tt.want)
			for _, sc := range snap.Scopes() {
				if !sc.Inferred || !sc.Declared {
					t.Errorf("scope %q is not declared as inferred", sc.ID)
				}
			}
			if tt.name == "empty table" && snap.Scope("t") < 0 {
				t.Error("no scope")
			}
		})
	}
}

func TestInferActions(t *testing.T) {
	page := `<button>Save all</button><button aria-label="Close it">✕</button><button>✕</button><button id=menu><svg></svg></button><a href=/x>Go</a><a href=/x>Go</a><a>no link</a>
	 <ul id=l><li data-id=1><a href=/1>One</a> <a href=/1/edit>Edit</a> <button disabled title="Not yours">Delete</button><select name=s><option value=a>A<option>B</select>
	 <li data-id=2><a href=/2><img alt=Two></a> <button>Delete</button> <input type=checkbox aria-label=Done></ul>`
	snap := decode(t, []byte(page), nil)
	var got []string
	for i := range snap.Actions() {
		a := snap.Action(i)
		got = append(got, a.ID+"|"+a.Description+"|"+a.Primitive+"|"+a.Reason)
	}
	equal(t, "actions", got, []string{"save-all|Save all|click|", "close-it|Close it|click|", "✕|✕|click|", "menu|menu|click|", "go|Go|click|",
		"open@1|One|click|", "edit@1|Edit|click|", "delete@1|Delete|click|Not yours", "s@1|s|select|", "open@2|Two|click|", "delete@2|Delete|click|", "checked@2|Done|click|"})
	want := `{"properties":{"value":{"oneOf":[{"const":"a","title":"A"},{"const":"B","title":"B"}]}},"type":"object"}`
	if p := snap.Action(8).Params.String(); p != want {
		t.Errorf("choices: %s", p)
	}
	if len(snap.Diagnostics()) > 0 {
		t.Errorf("diagnostics %v", snap.Diagnostics())
	}
}

func TestInferBeside(t *testing.T) {
	page := `<ul data-agent-scope=l><li data-agent-record=1><i data-agent-field=f>x</i> rest</li></ul><p>text</p><ul id=l><li id=a>A<li id=b>B</ul><button data-agent-action=go data-agent-description=d>Go</button><button>Stop</button>`
	plain := decode(t, []byte(page), nil)
	equal(t, "nothing is inferred", shape(t, plain), []string{`l/1 f="x"`})
	both := decode(t, []byte(page), &html.Options{Infer: true})
	equal(t, "unless it is asked for", shape(t, both), []string{`l/1 f="x"`, `page/page text="text"`, `l-2/a text="A"`, `l-2/b text="B"`})
	for id, inferred := range map[string]bool{"l": false, "page": true, "l-2": true} {
		if sc := both.Scopes()[both.Scope(id)]; sc.Inferred != inferred {
			t.Errorf("%s: inferred %v", id, sc.Inferred)
		}
	}
	if got := availability(both); len(got) != 2 {
		t.Errorf("actions %v", got)
	}
	block := `<p>x</p><script type="application/json" data-agent-exposure>{"actions":[]}</script>`
	if snap := decode(t, []byte(block), nil); snap.Len() != 0 {
		t.Error("a script block is an annotation")
	}
}

// TestBefore keeps the source of ids, ids that are content, and names of scopes.
func TestBefore(t *testing.T) {
	row := func(attr, name, room string) string { return "<tr " + attr + "><td>" + name + "<td>" + room + "<td>x" }
	table := func(rows ...string) string {
		return "<h2>Staff</h2><table><tr><th>Name<th>Room<th>Kind" + strings.Join(rows, "") + "</table>"
	}
	tests := []struct{ name, why, before, after, want string }{
		{"ids appear", "the column stays the source",
			table(row("", "Ann", "1"), row("", "Bo", "2")), table(row("id=r1", "Ann", "1"), row("id=r2", "Bo", "3")),
			`"updated":[{"id":"Bo","fields":["Room"]}]`},
		{"source is lost", "the next one is taken",
			table(row("id=r1", "Ann", "1"), row("id=r2", "Bo", "2")), table(row("", "Ann", "1"), row("", "Bo", "2")),
			`"added":[{"id":"Ann"},{"id":"Bo"}],"removed":[{"id":"r1"},{"id":"r2"}]`},
		{"id is edited", "one row between the same neighbours, otherwise as it was",
			table(row("", "Ann", "1"), row("", "Bo", "2"), row("", "Cy", "3")), table(row("", "Ann", "1"), row("", "Bob", "2"), row("", "Cy", "3")),
			`"updated":[{"id":"Bo","fields":["Name"]}]`},
		{"another row", "nothing of it is as it was",
			table(row("", "Ann", "1"), row("", "Bo", "2"), row("", "Cy", "3")), table(row("", "Ann", "1"), "<tr><td>Di<td>9<td>y", row("", "Cy", "3")),
			`"added":[{"id":"Di"}],"removed":[{"id":"Bo"}]`},
		{"attributes are not edited", "an id that the page gives is another record",
			table(row("id=r1", "Ann", "1"), row("id=r2", "Bo", "2")), table(row("id=r1", "Ann", "1"), row("id=r3", "Bo", "2")),
			`"added":[{"id":"r3"}],"removed":[{"id":"r2"}]`},
		{"scope is renamed", "half of its records are as they were",
			table(row("", "Ann", "1"), row("", "Bo", "2")), strings.Replace(table(row("", "Ann", "1"), row("", "Bo", "2")), "Staff", "People", 1),
			`"scopes":{"updated":[{"id":"staff","fields":["label"]}]}`},
		{"one is left", "a key that the side before knew",
			`<div data-id=1>A</div><div data-id=2>B</div>`, `<div data-id=1>A</div>`, `"removed":[{"id":"2"}]`},
		{"rows without ids", "one on each side between the same neighbours",
			`<ul id=l><li>A<li>B<li>C</ul>`, `<ul id=l><li>A<li>X<li>C</ul>`, `"updated":[{"id":"","inferred":true,"fields":["text"]}]`},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			before := decode(t, []byte(tt.before), nil)
			after := decode(t, []byte(tt.after), &html.Options{Before: before})
			if got := evidence(before, after); !strings.Contains(got, tt.want) || strings.Count(got, `"id"`) != strings.Count(tt.want, `"id"`) {
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
		})
	}
	many := table(row("", "Ann", "1"), row("", "Bo", "2"))
	if a, b := decode(t, []byte(many), nil), decode(t, []byte(many), &html.Options{Before: decode(t, []byte(many), nil)}); a.Digest() != b.Digest() || !slices.Equal(ids(a), ids(b)) {
		t.Error("the same page against itself differs")
	}
}
