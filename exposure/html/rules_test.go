package html_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// one wraps fields into a record of a scope.
func one(fields string) string {
	return `<!doctype html><meta charset=utf-8><div data-agent-scope=s data-agent-label=S><div data-agent-record=r>` + fields + `</div></div>`
}

func TestText(t *testing.T) {
	tests := []struct{ name, why, markup, want string }{
		{"blocks", "each block is a line, however deep", `<div><div>a</div></div><div>b</div>c`, `"a\nb\nc"`},
		{"paragraphs", "blank lines between, none at the ends", `<p>a</p><p>b</p>`, `"a\n\nb"`},
		{"paragraph and block", "the most demanding counts", `<p>a</p><div>b</div>`, `"a\n\nb"`},
		{"br", "", `a<br> b <br>c`, `"a\nb\nc"`},
		{"two brs", "", `a<br><br>b`, `"a\n\nb"`},
		{"br at the end", "it adds nothing", `<div>a<br></div><div>b</div>`, `"a\nb"`},
		{"inline", "", `<b>foo</b><i>bar</i> <u>baz</u>`, `"foobar baz"`},
		{"blanks across tags", "", `a <b> b</b> c`, `"a b c"`},
		{"blanks at line ends", "", `<div> a </div> <div> b </div>`, `"a\nb"`},
		{"cells", "parted by a tab, rows by a line", `<table><tr><td>a<td> b<tr><td>c<td>d</table>`, `"a\tb\nc\td"`},
		{"empty cells", "", `<table><tr><td><td>b<td><tr><td>c</table>`, `"\tb\nc"`},
		{"pre", "", "<pre>\na\n\n  b\n</pre>", `"a\n\n  b"`},
		{"white-space", "", "<span style='white-space: pre-wrap'>a  b\nc</span>", `"a  b\nc"`},
		{"pre-line", "", "<span style='white-space:PRE-LINE'>a  b\nc</span>", `"a b\nc"`},
		{"no-break space", "it stays", "a &nbsp; b", "\"a \u00A0 b\""},
		{"text-transform", "it does not matter", `<span style="text-transform:uppercase">a</span>`, `"a"`},
		{"inline block style", "", `<span style="display:block">a</span>b`, `"a\nb"`},
		{"inlined block", "", `<div style="display: inline">a</div>b`, `"ab"`},
		{"flex", "its children are blocks", `<div style="display:flex"><span>a</span><span>b</span></div>`, `"a\nb"`},
		{"flex around contents", "its children are blocks too", `<div style="display:flex"><i style="display:contents"><span>a</span><span>b</span></i></div>`, `"a\nb"`},
		{"hidden", "", `a<span hidden>b</span><span style="display:none!important;display:block">c</span>`, `"a"`},
		{"shown again", "", `<span style="visibility:hidden">a<b style="visibility:visible">b</b></span>`, `"b"`},
		{"hidden but displayed", "an inline style beats the attribute", `<span hidden style="display:inline">a</span>`, `"a"`},
		{"semicolon in a string", "", `<span style="content:';display:none'">a</span>`, `"a"`},
		{"script", "", `a<script>b</script><style>c</style><template>d</template><noscript>e</noscript><!-- f -->`, `"a"`},
		{"controls", "their values are fields of their own", `a<textarea>b</textarea><select><option>c</select><button>d</button>`, `"ad"`},
		{"ignore", "", `a<span data-agent-ignore>b</span>`, `"a"`},
		{"other agents", "what they put into a page is not the page's", `a<span data-browser-use-ignore="true">b</span><span data-page-agent-ignore="true">c</span><span id="playwright-highlight-container">d</span>` +
			`<span data-page-agent-ignore="false">e</span>`, `"ae"`},
		{"sensitive", "", `a <span data-agent-sensitive>secret</span>`, `"a [masked]"`},
		{"sensitive block", "", `a<div data-agent-sensitive>secret</div>b`, `"a\n[masked]\nb"`},
		{"nested record", "a block takes its place", `a<div data-agent-record=i>x</div>b`, `"a\nb"`},
		{"nested paragraph", "", `a<p data-agent-record=i>x</p>b`, `"a\n\nb"`},
		{"nested scope", "", `<b>a</b><section data-agent-scope=t>x</section><b>b</b>`, `"a\nb"`},
		{"nested inline record", "", `a<span data-agent-record=i>x</span>b`, `"ab"`},
		{"nested hidden record", "what does not show leaves no line", `a<div data-agent-record=i hidden>x</div>b`, `"ab"`},
		{"ignored block", "it may come and go", `a<div data-agent-ignore>x</div>b`, `"ab"`},
		{"control as a block", "", `a<textarea style="display:block">x</textarea>b`, `"a\nb"`},
		{"details", "", `<details><summary>a</summary>b</details>`, `"a"`},
		{"open details", "", `<details open><summary>a</summary>b</details>`, `"a\nb"`},
		{"svg", "", `a<svg><title>b</title><text>c</text></svg>`, `"ac"`},
		{"ruby", "", `<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>`, `"漢kan"`},
		{"wbr and soft hyphen", "", "a<wbr>b\u00ADc", "\"ab\u00ADc\""},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			snap := decode(t, []byte(one(`<div data-agent-field=f>`+tt.markup+`</div>`)), nil)
			equal(t, tt.why, fields(t, snap, "s", "r"), []string{"f=" + tt.want})
		})
	}
}

func TestValues(t *testing.T) {
	tests := []struct {
		name, markup string
		want         []string
	}{
		{"value", `<i data-agent-field=f data-agent-value="1 ">x</i>`, []string{`f="1 "`}},
		{"repeated", `<i data-agent-field=f>a</i><i data-agent-field=g>b</i><i data-agent-field=f>c</i>`, []string{`f=["a","c"]`, `g="b"`}},
		{"nested fields", `<p data-agent-field=f>a <b data-agent-field=g>b</b></p>`, []string{`f="a b"`, `g="b"`}},
		{"field on the record", `</div><p data-agent-record=q data-agent-field=f>text</p><div>`, nil},
		{"checkbox", `<input type=CHECKBOX data-agent-field=f checked><input type=checkbox aria-checked=mixed data-agent-field=g>`, []string{`f=true`, `g="mixed"`}},
		{"radios", `<input type=radio name=p data-agent-field=f value=a><input type=radio name=p data-agent-field=f value=b checked>`, []string{`f="b"`}},
		{"no radio chosen", `<input type=radio name=p data-agent-field=f value=a>`, []string{`f=""`}},
		{"radio group", `<fieldset data-agent-field=f><input type=radio name=p value=a checked>A<input type=radio name=p value=b>B</fieldset>`, []string{`f="a"`}},
		{"select", `<select data-agent-field=f><option disabled>x<option>y</select><select data-agent-field=g><option selected>a<option selected value=B>b</select>`, []string{`f="y"`, `g="B"`}},
		{"no option", `<select data-agent-field=f></select><select size=3 data-agent-field=g><option>a</select>`, []string{`f=""`, `g=""`}},
		{"numbers", `<input type=number value=1.50 data-agent-field=a><input type=number value=.5 data-agent-field=b><input type=number value=x data-agent-field=c><input type=number value="" data-agent-field=d>`,
			[]string{`a=1.50`, `b=0.5`, `c=""`, `d=""`}},
		{"ranges", `<input type=range data-agent-field=a><input type=range max=10 value=40 data-agent-field=b><input type=range step=5 value=12 data-agent-field=c><input type=range step=any value=1.25 data-agent-field=d>`,
			[]string{`a=50`, `b=10`, `c=12`, `d=1.25`}},
		{"progress", `<progress data-agent-field=a></progress><progress value=7 max=5 data-agent-field=b></progress><meter value=0.30 data-agent-field=c></meter>`, []string{`a=""`, `b=5`, `c=0.30`}},
		{"aria", `<i role=switch aria-checked=true data-agent-field=a></i><i role=slider aria-valuenow=3 data-agent-field=b></i><i role=checkbox data-agent-field=c>c</i>`, []string{`a=true`, `b=3`, `c="c"`}},
		{"text controls", "<input value='a\nb' data-agent-field=a><textarea data-agent-field=b>\nx\n y</textarea><input type=file value=c data-agent-field=c><input type=email value=' a@b ' data-agent-field=d>",
			[]string{`a="ab"`, `b="x\n y"`, `c=""`, `d="a@b"`}},
		{"a control inside", `<p data-agent-field=a><b><input value=x></b></p><p data-agent-field=b>n <input value=x></p><p data-agent-field=c><input value=x><input value=y></p><label data-agent-field=d><input type=checkbox checked></label>`,
			[]string{`a="x"`, `b="n"`, `c=""`, `d=true`}},
		{"a control inside that speaks for itself", `<p data-agent-field=a><input value=x data-agent-field=b></p><p data-agent-field=c data-agent-value=v><input value=x></p><p data-agent-field=d><i hidden><input value=x></i></p>`,
			[]string{`a=""`, `b="x"`, `c="v"`, `d=""`}},
		{"a secret control inside", `<p data-agent-field=a><input type=password value=x></p><p data-agent-field=b data-agent-sensitive><input value=x></p>`,
			[]string{`a="[masked]"`, `b="[masked]"`}},
		{"image", `<img alt="A jar" data-agent-field=a>`, []string{`a="A jar"`}},
		{"masked", `<input type=password value=x data-agent-field=a><input type=password data-agent-field=b><p data-agent-sensitive data-agent-field=c>x</p><select autocomplete=cc-exp-month data-agent-field=d><option>1</select><div data-agent-sensitive><i data-agent-field=e>x</i></div><i data-agent-sensitive data-agent-field=g>x</i><i data-agent-field=g>y</i>`,
			[]string{`a="[masked]"`, `b=""`, `c="[masked]"`, `d="[masked]"`, `e="[masked]"`, `g=["[masked]","y"]`}},
		{"hidden fields", `<i hidden data-agent-field=a>x</i><input type=hidden value=x data-agent-field=b>`, nil},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			snap := decode(t, []byte(one(tt.markup)), nil)
			equal(t, "fields", fields(t, snap, "s", "r"), tt.want)
		})
	}
}

func TestTables(t *testing.T) {
	tests := []struct {
		name, why, rows string
		want            map[string][]string
	}{
		{"plain", "", `<tr><th>A<th>B<tr data-agent-record=1><td>a<td>b`, map[string][]string{"1": {`A="a"`, `B="b"`}}},
		{"thead", "cells without a header have no name", `<thead><tr><th>A<th></thead><tbody><tr data-agent-record=1><td>a<td><button>x</button>`, map[string][]string{"1": {`A="a"`}}},
		{"colspan", "a cell that spans fills both columns", `<tr><th>A<th>B<th>C<tr data-agent-record=1><td colspan=2>x<td>c`, map[string][]string{"1": {`A="x"`, `B="x"`, `C="c"`}}},
		{"rowspan", "and both rows; what follows keeps its column", `<tr><th>A<th>B<tr data-agent-record=1><td rowspan=2>x<td>b<tr data-agent-record=2><td>c`,
			map[string][]string{"1": {`A="x"`, `B="b"`}, "2": {`A="x"`, `B="c"`}}},
		{"rowspan to the end", "0 reaches to the end of its group, not beyond", `<thead><tr><th>A<th>B</thead><tbody><tr data-agent-record=1><td rowspan=0>x<td>b<tr data-agent-record=2><td>c</tbody><tbody><tr data-agent-record=3><td>y<td>z`,
			map[string][]string{"1": {`A="x"`, `B="b"`}, "2": {`A="x"`, `B="c"`}, "3": {`A="y"`, `B="z"`}}},
		{"last column spans", "", `<tr><th>A<th>B<tr data-agent-record=1><td>a<td rowspan=2>x<tr data-agent-record=2><td>c`,
			map[string][]string{"1": {`A="a"`, `B="x"`}, "2": {`A="c"`, `B="x"`}}},
		{"two header rows", "names are joined", `<thead><tr><th rowspan=2>Name<th colspan=2>2031<tr><th>Q1<th>Q2</thead><tr data-agent-record=1><td>a<td>1<td>2`,
			map[string][]string{"1": {`Name="a"`, `2031 Q1="1"`, `2031 Q2="2"`}}},
		{"row header", "named by its column, else heading", `<tr><td></td><th>B<tr data-agent-record=1><th scope=row>a<td>b`, map[string][]string{"1": {}}},
		{"row header in a thead", "", `<thead><tr><td></td><th>B</thead><tr data-agent-record=1><th scope=row>a<td>b`, map[string][]string{"1": {`heading="a"`, `B="b"`}}},
		{"hidden column", "a cell that is not there takes no column", `<tr><th hidden>A<th>B<tr data-agent-record=1><td style="display:none">a<td>b`, map[string][]string{"1": {`B="b"`}}},
		{"short row", "", `<tr><th>A<th>B<tr data-agent-record=1><td>a`, map[string][]string{"1": {`A="a"`}}},
		{"two columns of a name", "an array", `<tr><th>A<th>A<tr data-agent-record=1><td>a<td>b`, map[string][]string{"1": {`A=["a","b"]`}}},
		{"controls", "", `<tr><th>A<th>B<tr data-agent-record=1><td><input type=checkbox checked><td><input type=number value=3> pieces`, map[string][]string{"1": {`A=true`, `B="pieces"`}}},
		{"declared fields", "then only those, with the column's name if they have none", `<tr><th>A<th>B<th>C<tr data-agent-record=1><td data-agent-field>a<td data-agent-field=other>b<td>c`,
			map[string][]string{"1": {`A="a"`, `other="b"`}}},
		{"nested table", "its rows and headers are its own", `<tr><th>A<th>B<tr data-agent-record=1><td><table><tr><th>X<tr><td>x</table><td>b`, map[string][]string{"1": {`A="X\nx"`, `B="b"`}}},
		{"sort mark", "what is aria-hidden names nothing", `<tr><th>A <i aria-hidden=true>▲</i><tr data-agent-record=1><td>a`, map[string][]string{"1": {`A="a"`}}},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			snap := decode(t, []byte(`<table data-agent-scope=s>`+tt.rows+`</table>`), nil)
			if snap.Len() != len(tt.want) {
				t.Errorf("%d records, want %d", snap.Len(), len(tt.want))
			}
			for id, want := range tt.want {
				equal(t, tt.why, fields(t, snap, "s", id), want)
			}
		})
	}
	grid := `<div role=grid aria-rowcount=102 data-agent-scope=s><div role=row><i role=columnheader>A</i><i role=columnheader>B</i><i role=columnheader>C</i></div>
	 <div role=row aria-rowindex=42 data-agent-record=1><i role=gridcell>a</i><i role=gridcell aria-colindex=3>c</i></div></div>`
	snap := decode(t, []byte(grid), nil)
	equal(t, "a grid of roles", fields(t, snap, "s", "1"), []string{`A="a"`, `C="c"`})
	if sc := snap.Scopes()[0]; *sc.Total != 101 || *sc.Offset != 40 {
		t.Errorf("total %d, offset %d: header rows count in aria-rowcount and aria-rowindex only", *sc.Total, *sc.Offset)
	}
}

func TestScopes(t *testing.T) {
	page := `<body>
	<section data-agent-scope=a data-agent-label=" The  label " data-agent-description=D role="region x" data-agent-volatile="x y" data-agent-unordered data-agent-ids=sp data-agent-total=10 data-agent-offset=4 aria-label=other></section>
	<section data-agent-scope=b aria-label=B aria-labelledby="h none h2"><h2 id=h>First</h2><i id=h2 hidden>second</i></section>
	<section data-agent-scope=c><div data-agent-record=r><h3>not this</h3></div><div><h3>This <span aria-hidden=true>!</span></h3></div></section>
	<section data-agent-scope=d data-agent-unordered=false aria-rowcount=-1 data-agent-total=-1><ul><li data-agent-record=1 aria-setsize=7 aria-posinset=3>x</ul></section>
	<section data-agent-scope=e data-agent-total=many><section data-agent-scope=f inert></section></section>
	<section data-agent-scope=a></section><section data-agent-scope></section><section data-agent-scope=gone hidden></section>`
	snap := decode(t, []byte(page), nil)
	var got []string
	for _, sc := range snap.Scopes() {
		parts := []string{sc.ID, sc.Label, sc.Description, sc.Role, sc.Parent, string(sc.State), strings.Join(sc.Volatile, ","), sc.IDs}
		for _, n := range []*int64{sc.Total, sc.Offset} {
			if n != nil {
				parts = append(parts, string(rune('0'+*n)))
			}
		}
		if sc.Unordered {
			parts = append(parts, "unordered")
		}
		got = append(got, strings.Join(parts, "|"))
	}
	equal(t, "scopes", got, []string{
		"a|The label|D|region|||x,y|sp|:|4|unordered", "b|First second||||||", "c|This||||||", "d|||||||" + "|7|2", "e|||||||", "f||||e|inactive||",
	})
	equal(t, "diagnostics", codes(snap), []string{"bad-attribute e", "duplicate-scope a", "bad-id section"})
}

func TestShadowAndFrames(t *testing.T) {
	page := `<body><div data-agent-scope=s><x-card><template shadowrootmode=open>
	  <style>p{color:red}</style><div data-agent-record=r><slot name=t>nothing</slot><p data-agent-field=own aria-labelledby=l>in the root</p><b data-agent-field=f><slot></slot></b></div>
	  <div data-agent-record=q><i data-agent-field=f><slot name=none>fallback</slot></i></div>
	 </template><i slot=t data-agent-field=title>Title</i>rest <u>of it</u><i slot=lost data-agent-field=lost>nowhere</i></x-card></div>
	 <div id=vault><template shadowrootmode=closed><p data-agent-record=no></p></template><p data-agent-scope=light><i data-agent-record=yes></i></p></div>
	 <button><template shadowrootmode=open><p data-agent-record=no2></p></template></button>
	 <iframe name=inner srcdoc="<p data-agent-scope=framed><i data-agent-record=f1><b data-agent-field=x>&amp;lt;</b></i><button data-agent-action=go>Go</button>"></iframe>
	 <iframe title=Ads src="https://ads.example/"></iframe><iframe sandbox srcdoc="<p data-agent-record=no3>"></iframe><iframe hidden src="https://x.example"></iframe><iframe src="about:blank"></iframe>
	 <button data-agent-action=go>Go</button>`
	snap := decode(t, []byte(page), nil)
	equal(t, "records", ids(snap), []string{"s/r", "s/q", "light/yes", "framed/f1"})
	equal(t, "slotted", fields(t, snap, "s", "r"), []string{`title="Title"`, `own="in the root"`, `f="rest of it"`})
	equal(t, "fallback", fields(t, snap, "s", "q"), []string{`f="fallback"`})
	equal(t, "frame", fields(t, snap, "framed", "f1"), []string{`x="<"`})
	equal(t, "diagnostics", codes(snap)[:3], []string{"unreadable-root div vault", "unreadable-frame iframe Ads", "unreadable-frame iframe"})
	if _, ok := availability(snap)["inner/go"]; !ok || snap.Actions() != 2 {
		t.Errorf("actions: %v", availability(snap))
	}
	deep := "<p data-agent-record=deepest>"
	for range html.MaxFrames + 1 {
		deep = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(deep) + `"></iframe><b data-agent-record=x></b>`
	}
	snap = decode(t, []byte(deep), nil)
	if got := codes(snap); !slices.Contains(got, "unreadable-frame iframe") || snap.Find("", "deepest") >= 0 {
		t.Errorf("frames in frames: %v", got)
	}
}

// TestUnreadTotal takes a scope whose total cannot be read for one that shows a part of
// what there is.
func TestUnreadTotal(t *testing.T) {
	list := func(total string, rows ...string) string {
		text := `<ul data-agent-scope=s ` + total + `>`
		for _, id := range rows {
			text += `<li data-agent-record=` + id + `>` + id
		}
		return text
	}
	script := func(scope string) string {
		return `<script type=application/json data-agent-exposure>{"scopes":[{"id":"s",` + scope + `}]}</script>`
	}
	for _, tt := range []struct {
		page, said string
		partial    bool
	}{
		{list(`data-agent-total=many`, "a"), "bad-attribute s", true},
		{list(`data-agent-total=1.5`, "a"), "bad-attribute s", true},
		{list(`data-agent-total=-2`, "a"), "bad-attribute s", true},
		{list(`data-agent-total=99999999999999999999`, "a"), "bad-attribute s", true},
		{list(`data-agent-total=9000000000000000000`, "a"), "bad-total s", true},
		{list(`data-agent-total=many aria-rowcount=1`, "a"), "bad-attribute s", false},
		{list(`aria-rowcount=1,000`, "a"), "bad-attribute s", true},
		{list(``, "a aria-setsize=all"), "bad-attribute s", true},
		{list(`aria-rowcount=some`, "a aria-setsize=7"), "bad-attribute s", false},
		{list(`data-agent-total=3 data-agent-offset=x`, "a"), "bad-attribute s", false},
		{list(`data-agent-offset=x`, "a"), "bad-attribute s", false},
		{list(`data-agent-total=-1`, "a"), "", false},
		{list(`data-agent-total`, "a"), "", false},
		{list(``, "a"), "", false},
		{list(``, "a") + `</ul>` + script(`"label":"L","total":"3"`), "bad-exposure /scopes/0/total", true},
		{list(``, "a") + `</ul>` + script(`"label":"L","total":9000000000000000000`), "bad-total s", true},
		{list(``, "a") + `</ul>` + script(`"label":"L","offset":-3`), "bad-exposure /scopes/0/offset", false},
		{list(`data-agent-total=4`, "a") + `</ul>` + script(`"label":"L","total":null`), "bad-exposure /scopes/0/total", false},
	} {
		s := decode(t, []byte(tt.page), nil)
		sc := s.Scopes()[0]
		if got := strings.Join(codes(s), ", "); got != tt.said || sc.Partial != tt.partial {
			t.Errorf("%s: %q, partial %v; want %q, %v", tt.page, got, sc.Partial, tt.said, tt.partial)
		}
		if strings.Contains(tt.page, `"label"`) && sc.Label != "L" {
			t.Errorf("%s: its other members are lost: %+v", tt.page, sc.Scope)
		}
	}
	// Also once it has been written and read again.
	before := decode(t, []byte(list(`data-agent-total=2`, "a", "b")), nil)
	after := decode(t, []byte(list(`data-agent-total=two`, "b", "c")), nil)
	again, err := capture.Decode(capture.Append(nil, after), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*snapshot.Snapshot{after, again} {
		var d diff.Differ
		const want = `{"observed":true,"records":{"added":[{"id":"c"}],"window":{"left":1,"net":-1}}`
		if got := string(d.Compare(before, s, nil).AppendJSON(nil, &diff.Format{Compact: true})); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestEmbedded names documents in objects and embeds as those in frames, and nothing else
// that they show; what is inside one for those who cannot show it is not exposed.
func TestEmbedded(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{`<object data=x.html>`, "object x.html"},
		{`<object data=x.html name=o><i data-agent-record=no></i><embed src=x.html></object>`, "object o"},
		{`<object data=x type=" Text/HTML; charset=utf-8">`, "object x"},
		{`<embed src="/reports/1?as=x.png" id=e>`, "embed e"},
		{`<embed src=x type=image/svg+xml>`, "embed x"},
		{`<object data=x.pdf>`, "object x.pdf"},
		{`<object data="data:text/html,x">`, "object data:text/html,x"},
		{`<object data="data:,x">`, "object data:,x"},
		{`<object data=x.png>`, ""},
		{`<object data=x.HTML.GIF?y>`, ""},
		{`<object data=x type=image/png>`, ""},
		{`<object data=x type="image/png; x=text/html">`, ""},
		{`<object data="data:image/png;base64,AAAA">`, ""},
		{`<embed src=x.html type=video/mp4>`, ""},
		{`<embed src="">`, ""},
		{`<embed>`, ""},
		{`<object><i data-agent-record=no></i></object>`, ""},
		{`<object data=" about:blank ">`, ""},
		{`<object hidden data=x.html>`, ""},
		{`<div data-agent-ignore><object data=x.html></object></div>`, ""},
		{`<div style="display:none"><embed src=x.html></div>`, ""},
	} {
		snap := decode(t, []byte(`<p data-agent-scope=s><b data-agent-record=r></b></p>`+tt.html), nil)
		var want []string
		if tt.want != "" {
			want = []string{"unreadable-frame " + tt.want}
		}
		equal(t, tt.html, codes(snap), want)
		equal(t, tt.html, ids(snap), []string{"s/r"})
	}
}

func TestRecords(t *testing.T) {
	page := `<ul data-agent-scope=s><li data-agent-record><i data-agent-field=f>a</i><button data-agent-action=x>x</button><li data-agent-record=""><li data-agent-record=" "><li data-agent-record=2 data-agent-replaces=tmp>
	 <li data-agent-record=3 hidden><button data-agent-action=y>y</button></li></ul><i data-agent-field=stray>z</i><p data-agent-record=free><i data-agent-field>n</i>
	 <div data-agent-scope=inner><button data-agent-action=in data-agent-description=d></button></div></p>`
	snap := decode(t, []byte(page), nil)
	equal(t, "records", ids(snap), []string{"s/ ", "s/2", "/free"})
	if got := snap.Record(1).Replaces(); got != "tmp" {
		t.Errorf("replaces %q", got)
	}
	equal(t, "diagnostics", codes(snap), []string{"bad-id x", "stray-field stray", "bad-id free", "bad-id s"})
	equal(t, "count", []string{snap.Diagnostics()[3].Message}, []string{"2 records without an id are left out"})
	one := decode(t, []byte(`<ul data-agent-scope=s><li data-agent-record>`), nil)
	equal(t, "count of one", []string{one.Diagnostics()[0].Message}, []string{"1 record without an id is left out"})
	a := snap.Action(0)
	if snap.Actions() != 1 || a.ID != "in" || a.Scope != "inner" || a.Record != "" {
		t.Errorf("a scope in a record ends the record: %+v", a)
	}
}

func TestActions(t *testing.T) {
	page := `<body><dialog><button data-agent-action=ok data-agent-description=OK>OK</button></dialog>
	<label for=q>Query</label><input id=q data-agent-action=search placeholder=p><select data-agent-action=sort aria-label=Sort></select>
	<button data-agent-action=a title=" T ">text</button><button data-agent-action=b>  te<b>xt</b> </button><input type=submit data-agent-action=c><input type=image alt=Go data-agent-action=d>
	<form data-agent-action=f data-agent-kind=write data-agent-description=F data-agent-params='{"type":"object","properties":{"x":{"pattern":"^(?=a)"}}}'></form>
	<a href=# data-agent-action=g data-agent-unavailable="Not  yet" data-agent-description=G disabled>G</a><a data-agent-action=h data-agent-unavailable=false data-agent-description=H></a>
	<a data-agent-action=i data-agent-unavailable data-agent-description=I></a><a data-agent-action=j data-agent-description=J data-agent-params='{"type":"string"}'></a>
	<a data-agent-action=k data-agent-description=K data-agent-params='{'></a><a data-agent-action data-agent-description=L></a><p contenteditable data-agent-action=m data-agent-description=M>x</p>
	<input type=checkbox data-agent-action=n data-agent-description=N><input type=file data-agent-action=o data-agent-description=O><button data-agent-action=a data-agent-description=A2></button></body>`
	snap := decode(t, []byte(page), nil)
	var got []string
	for i := range snap.Actions() {
		a := snap.Action(i)
		s := a.ID + "|" + a.Description + "|" + a.Kind + "|" + a.Primitive + "|" + a.Reason + "|" + a.Params.String()
		got = append(got, s)
	}
	equal(t, "actions", got, []string{
		"ok|OK||click|hidden|absent", "search|Query||fill||absent", "sort|Sort||select||absent", "a|T||click||absent", "b|text||click||absent",
		"c|Submit||click||absent", "d|Go||click||absent", `f|F|write|submit||{"properties":{"x":{"pattern":"^(?=a)"}},"type":"object"}`,
		"g|G||click|Not yet|absent", "h|H||click||absent", "i|I||click|unavailable|absent",
		`j|J||click|` + exposure.ReasonSchema + `|{"type":"string"}`, "k|K||click|" + exposure.ReasonSchema + "|absent",
		"m|M||fill||absent", "n|N||click||absent", "o|O||upload||absent", "a#2|A2||click||absent",
	})
	equal(t, "diagnostics", codes(snap), []string{"unchecked-params f", "bad-params j", "bad-params k", "bad-id a", "no-description search", "duplicate-id a#2"})
}

func TestModal(t *testing.T) {
	page := `<main data-agent-scope=m><button data-agent-action=below data-agent-description=b></button></main>
	<div data-agent-scope=w><div role=dialog aria-modal=true data-agent-scope=d><button data-agent-action=in data-agent-description=i></button></div></div>`
	snap := decode(t, []byte(page), nil)
	got := availability(snap)
	if got["below"] != exposure.ReasonModal || got["in"] != "" {
		t.Errorf("got %v", got)
	}
	for id, want := range map[string]snapshot.State{"m": snapshot.Covered, "w": "", "d": ""} {
		if sc := snap.Scopes()[snap.Scope(id)]; sc.State != want {
			t.Errorf("%s is %q, want %q", id, sc.State, want)
		}
	}
	snap = decode(t, []byte(strings.Replace(page, "aria-modal=true", "aria-modal=true hidden", 1)), nil)
	if got := availability(snap); got["below"] != "" || got["in"] != exposure.ReasonHidden {
		t.Errorf("a hidden dialog: %v", got)
	}
}

func TestScriptBlock(t *testing.T) {
	block := func(json string) string {
		return `<div data-agent-scope=todo data-agent-label=Tasks><i data-agent-record=t1></i></div><script type="application/json" id=x data-agent-exposure>` + json + `</script>`
	}
	snap := decode(t, []byte(block(`{"format":"pagestate/1","scopes":[{"id":"todo","label":"L","description":"D","sensitive":["pin"]},{"id":"b","state":"inactive"},{"label":"x"},{"id":"b"},3],
	 "records":[{"id":7,"scope":"todo","fields":{"z":1.0,"a":[null],"pin":"1234"}},{"id":-0},{"id":"","scope":"todo"},{"id":1.5},{"id":null},{"fields":{}},{"id":"r","fields":[]},{"id":"ok","replaces":"tmp"}],
	 "actions":[{"id":"run@7","record":7,"scope":"todo","description":"R","available":"no"},{"id":"n","available":false},{"description":"none"},{"id":"p","description":"P","params":null},{"id":"q","description":"Q","params":{"$ref":"http://127.0.0.1:9/"},"scope":"b"},{"id":"s","scope":"b","description":"S"}]}`)), nil)
	equal(t, "records", ids(snap), []string{"todo/t1", "todo/7", "/0", "/ok"})
	equal(t, "fields", fields(t, snap, "todo", "7"), []string{`z=1.0`, `a=[null]`, `pin="[masked]"`})
	sc := snap.Scopes()[snap.Scope("todo")]
	if sc.Label != "Tasks" || sc.Description != "D" {
		t.Errorf("the element comes first, the block fills in: %+v", sc)
	}
	got := availability(snap)
	for id, want := range map[string]string{"run@7": "no", "n": "unavailable without a reason", "p": exposure.ReasonSchema, "q": exposure.ReasonSchema, "s": exposure.ReasonInactive} {
		if r, ok := got[id]; !ok || r != want {
			t.Errorf("%s: %q %v, want %q", id, r, ok, want)
		}
	}
	equal(t, "diagnostics", codes(snap), []string{"bad-exposure /scopes/2", "duplicate-scope b", "bad-exposure /scopes/4", "bad-exposure /records/6",
		"bad-exposure /actions/2", "bad-params p", "bad-params q", "bad-id todo", "bad-id ", "no-description n"})
	for _, bad := range []string{``, `{`, `{"records":[]}{}`, `[]`, `{"x":1}`, `{"format":"pagestate/2","records":[]}`, `{"records":{}}`, `{"records":[],"records":[]}`} {
		snap := decode(t, []byte(block(bad)), nil)
		if got := codes(snap); len(got) != 1 || !strings.HasPrefix(got[0], "unread-exposure ") || snap.Len() != 1 || !errors.Is(exposure.Unread(snap), exposure.ErrUnread) {
			t.Errorf("%s: %v, %d records", bad, got, snap.Len())
		}
	}
}

func TestPage(t *testing.T) {
	tests := []struct{ name, text, url, title string }{
		{"none", `<title> A  b </title><p>x`, "", "A b"},
		{"canonical", `<link rel="Canonical x" href="https://u:p@a.example/x"><p>x`, "https://a.example/x", ""},
		{"relative canonical", `<link rel=canonical href="/x"><p>x`, "", ""},
		{"base", `<base href="https://a.example/y/"><link rel=canonical href="x"><p>x`, "https://a.example/y/x", ""},
		{"saved", "<!doctype html>\n<!-- saved from url=(0020)https://a.example/z -->\n<html><link rel=canonical href='https://a.example/'><p>x", "https://a.example/z", ""},
		{"saved in html", "<html><!-- saved from url=(0014)about:internet --><p>x", "", ""},
		{"SingleFile", "<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://a.example/s \n saved date: x\n--><p>x", "https://a.example/s", ""},
		{"text that says so", "<p>saved from url=(0020)https://a.example/z", "", ""},
		{"script", `<link rel=canonical href="javascript:alert(1)"><p>x`, "", ""},
		{"svg title", `<svg><title>s</title></svg><title>t</title>`, "", "t"},
	}
	for _, tt := range tests {
		p := decode(t, []byte(tt.text), nil).Page()
		if p.URL != tt.url || p.Title != tt.title && tt.name != "svg title" {
			t.Errorf("%s: %+v, want %q %q", tt.name, p, tt.url, tt.title)
		}
	}
}

func TestEncodings(t *testing.T) {
	page := func(head string) string {
		return head + `<p data-agent-scope=s><i data-agent-record=r><b data-agent-field=f>blå – “x” 日本</b></i></p>`
	}
	const want = `f="blå – “x” 日本"`
	latin := func(s string) string {
		out, err := charmap.Windows1252.NewEncoder().String(strings.ReplaceAll(s, "日本", ""))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	sjis, err := japanese.ShiftJIS.NewEncoder().String(`<meta charset=Shift_JIS><p data-agent-scope=s><i data-agent-record=r><b data-agent-field=f>日本</b></i>`)
	if err != nil {
		t.Fatal(err)
	}
	utf16 := func(e unicode.Endianness, b unicode.BOMPolicy) string {
		out, err := unicode.UTF16(e, b).NewEncoder().String(page("<meta charset=iso-8859-1>"))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	long := "<!--" + strings.Repeat("x", 2000) + "-->"
	tests := []struct{ name, text, contentType, want string }{
		{"meta", page("<meta charset=utf-8>"), "", want},
		{"mark beats meta", "\uFEFF" + page("<meta charset=iso-8859-1>"), "", want},
		{"header beats meta", page("<meta charset=iso-8859-1>"), "text/html; charset=UTF-8", want},
		{"mark beats header", "\uFEFF" + page(""), "text/html; charset=latin1", want},
		{"latin1 is windows-1252", latin(page("<meta charset=iso-8859-1>")), "", `f="blå – “x” "`},
		{"http-equiv", latin(page(`<meta http-equiv=content-type content="text/html; charset=latin1">`)), "", `f="blå – “x” "`},
		{"undeclared", page(""), "", want},
		{"undeclared, late", page(long), "", want},
		{"declared, late text", latin(page("<meta charset=latin1>" + long)), "", `f="blå – “x” "`},
		{"undeclared, not UTF-8", latin(page(long)), "", `f="blå – “x” "`},
		{"meta says UTF-16", page("<meta charset=utf-16>"), "", want},
		{"UTF-16LE", utf16(unicode.LittleEndian, unicode.UseBOM), "", want},
		{"UTF-16BE", utf16(unicode.BigEndian, unicode.UseBOM), "", want},
		{"Shift_JIS", sjis, "", `f="日本"`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			snap := decode(t, []byte(tt.text), &html.Options{ContentType: tt.contentType})
			got := fields(t, snap, "s", "r")
			if len(got) != 1 || strings.TrimRight(got[0], `" `) != strings.TrimRight(tt.want, `" `) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	broken := func(b string) *snapshot.Snapshot {
		return decode(t, []byte("<meta charset=utf-8><p data-agent-scope=s><i data-agent-record=r><b data-agent-field=f>"+b+"</b>"), nil)
	}
	one, two := broken("\xFF"), broken("\xFE")
	equal(t, "shown", fields(t, one, "s", "r"), []string{"f=\"\uFFFD\""})
	equal(t, "diagnostics", codes(one), []string{"repaired-text s/r/f"})
	if one.Digest() == two.Digest() || broken("\xF5\x88\x88").Digest() == broken("\xF5\xF5\x88\x88").Digest() {
		t.Error("texts that differ are called equal")
	}
}

// TestHeaderless tells of text in annotated rows that no field holds.
func TestHeaderless(t *testing.T) {
	for cell, want := range map[string]int{`<td>1`: 1, `<td><b>1</b>`: 1, `<td>`: 0, `<td><button>x</button>`: 0, `<td hidden>1`: 0, `<td><b data-agent-field=f>1</b>`: 0} {
		rows := strings.Repeat(`<tr data-agent-record=1><td>a`+cell, 3)
		snap := decode(t, []byte(`<table data-agent-scope=s data-agent-label=S><tr><th>A<th>`+rows+`</table>`), nil)
		n := 0
		for _, d := range snap.Diagnostics() {
			if d.Code == exposure.CodeStrayField {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: told %d times, want %d", cell, n, want)
		}
	}
}

// TestCut reads documents that end where none does: what would have followed is not
// known.
func TestCut(t *testing.T) {
	whole := []string{
		`<p>a`, `<p>a<`, `<p>a</`, `<p>1 < 2`, `<p>a</p>` + "\n", `a<!-- x -->`, `a<!-->`, `a<?x?>`, `a<script>x<b</script>`, `a<textarea>x<b`,
		`<!doctype html`, `a<svg><![CDATA[x]]></svg>`, `a<plaintext><b`, `<iframe srcdoc="<p>a<b"></iframe>`, `<style>a</style>b`, `<svg><script/></svg>a`,
	}
	for _, doc := range whole {
		if err := exposure.Unread(decode(t, []byte(doc), nil)); err != nil {
			t.Errorf("%q: %v", doc, err)
		}
	}
	cut := []string{`a<b`, `a</b`, `<p class="x`, `<p class=x `, `a<!--`, `a<!-- x --`, `a<!x`, `a<?x`, `a<script>`, `a<script>x</script`, `a<style>x`, `a<script><!-- <script>`}
	for _, doc := range cut {
		if err := exposure.Unread(decode(t, []byte(doc), nil)); !errors.Is(err, exposure.ErrUnread) {
			t.Errorf("%q: got %v, want %v", doc, err, exposure.ErrUnread)
		}
	}
}
