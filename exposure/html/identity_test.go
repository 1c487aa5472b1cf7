package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
)

// against reads two pages as they are compared, and returns the evidence.
func against(t testing.TB, before, after string) (evidenceText string, b, a *snapshot.Snapshot) {
	t.Helper()
	b = decode(t, []byte(before), nil)
	a = decode(t, []byte(after), &html.Options{Before: b})
	return evidence(b, a), b, a
}

// TestScopesStay changes what is around scopes, which stay what they were.
func TestScopesStay(t *testing.T) {
	list := func(ids ...string) string {
		s := "<ul>"
		for _, id := range ids {
			s += "<li data-id=" + id + ">item " + id + "</li>"
		}
		return s + "</ul>"
	}
	plain := func(items ...string) string { return "<ul><li>" + strings.Join(items, "<li>") + "</ul>" }
	head := func(label, s string) string { return "<section><h2>" + label + "</h2>" + s + "</section>" }
	class := func(name, s string) string { return strings.Replace(s, "<ul", "<ul class="+name, 1) }
	table := func(names string, rows ...string) string {
		s := "<table><tr><th>" + strings.ReplaceAll(names, " ", "<th>")
		for _, r := range rows {
			s += "<tr><td>" + strings.ReplaceAll(r, " ", "<td>")
		}
		return s + "</table>"
	}
	form := func(names ...string) string {
		s := "<form>"
		for _, n := range names {
			s += "<input name=" + n + " value=v>"
		}
		return s + "</form>"
	}
	abc, xyz, mid := list("a", "b", "c"), list("x", "y", "z"), "<p>mid</p>"
	tests := []struct{ name, why, before, after, want string }{
		{"first goes", "the second is not the first", abc + mid + xyz, mid + xyz,
			`"scopes":{"removed":[{"id":"list","records":3,"ids":["a","b","c"]}]}`},
		{"one comes before", "", mid + xyz, abc + mid + xyz,
			`"scopes":{"added":[{"id":"list-2","records":3,"ids":["a","b","c"]}]}`},
		{"they change places", "nothing else does", abc + mid + xyz, xyz + mid + abc, `{"observed":true}`},
		{"first goes, no ids", "by content", plain("a", "b") + mid + plain("x", "y"), mid + plain("x", "y"),
			`"scopes":{"removed":[{"id":"list","records":2,"ids":["",""]}]}`},
		{"first goes and another changes", "", abc + mid + xyz, mid + list("x", "z", "new"),
			`"added":[{"id":"new","scope":"list-2"}],"removed":[{"id":"y","scope":"list-2"}]`},
		{"all rows of one are new", "it is the only one left", abc + mid + xyz, list("p", "q") + mid + xyz,
			`"added":[{"id":"p","scope":"list"},{"id":"q","scope":"list"}],"removed":[{"id":"a","scope":"list"}`},
		{"one for two others", "it is neither", abc + mid + xyz, mid + list("p", "q"),
			`"scopes":{"added":[{"id":"list-3","records":2,"ids":["p","q"]}],"removed":[{"id":"list","records":3,"ids":["a","b","c"]},{"id":"list-2"`},
		{"emptied", "it is the only one left", abc + mid + xyz, "<ul></ul>" + mid + xyz, `"removed":[{"id":"a","scope":"list"},{"id":"b","scope":"list"},{"id":"c","scope":"list"}]`},
		{"a row moves under labels", "labels are not overruled by rows", head("Open", list("a")) + head("Done", "<ul></ul>"), head("Open", "<ul></ul>") + head("Done", list("a")),
			`"added":[{"id":"a"}],"removed":[{"id":"a"}]`},
		{"a row moves between classes", "", class("todo", list("b", "a")) + class("archive", list("x")), class("todo", list("b")) + class("archive", list("x", "a")),
			`"added":[{"id":"a","scope":"archive"}],"removed":[{"id":"a","scope":"todo"}]`},
		{"a class changes sides", "most rows of the other and none of its own", class("primary-set", abc) + class("spare-set", xyz), class("spare-set", abc) + class("primary-set", xyz), `{"observed":true}`},
		{"label is edited", "", head("Open", abc) + head("Done", xyz), head("Open (3)", abc) + head("Done", xyz), `"scopes":{"updated":[{"id":"open","fields":["label"]}]}`},
		{"label of an empty one is edited", "", head("Open", "<ul></ul>") + head("Done", xyz), head("Opened", "<ul></ul>") + head("Done", xyz), `"scopes":{"updated":[{"id":"open","fields":["label"]}]}`},
		{"another label", "with other rows it is another scope", head("Orders", abc), head("Customers", list("p", "q")),
			`"scopes":{"added":[{"id":"customers","records":2,"ids":["p","q"]}],"removed":[{"id":"orders","records":3,"ids":["a","b","c"]}]}`},
		{"first table goes", "by columns, though all rows are new", table("Name Qty", "a 1", "b 2") + table("City Code", "x 1", "y 2"), table("City Code", "v 3", "w 4"),
			`"scopes":{"removed":[{"id":"name-qty","records":2,"ids":["a","b"]}]}`},
		{"first form goes", "by names of fields", form("a", "b") + mid + form("x", "y"), mid + strings.Replace(form("x", "y"), "value=v", "value=w", 1),
			`"updated":[{"id":"form-2","scope":"form-2","fields":["x"]}]`},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			got, b, _ := against(t, tt.before, tt.after)
			if !strings.Contains(got, tt.want) || tt.want == `{"observed":true}` && got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
			if again := decode(t, []byte(tt.before), &html.Options{Before: b}); again.Digest() != b.Digest() {
				t.Errorf("against itself: %s", evidence(b, again))
			}
		})
	}
}

// TestScopeNames names scopes without another side.
func TestScopeNames(t *testing.T) {
	tests := []struct {
		name, why, page string
		want            []string
	}{
		{"label before place", "another list in it does not change that", `<main><h2>Open</h2><ul><li>a</ul></main>`, []string{"open"}},
		{"place", "", `<main><ul><li>a</ul></main><nav><ul><li>a</ul></nav>`, []string{"main-list", "nav-list"}},
		{"place with a name", "", `<section id=left><ul><li>a</ul></section><section aria-label="Right side"><ul><li>a</ul></section>`, []string{"left-list", "right-side-list"}},
		{"columns", "", `<table><tr><th>Name<th>Qty<tr><td>a<td>1</table><table><tr><th>City<tr><td>b</table>`, []string{"name-qty", "city"}},
		{"keys", "", `<ul><li data-order-id=1>a<li data-order-id=2>b</ul><ul><li data-user-id=1>a<li data-user-id=2>b</ul>`, []string{"order-list", "user-list"}},
		{"links", "", `<ul><li><a href=/users/1>a</a><li><a href=/users/2>b</a></ul><ul><li><a href=/orders/1>a</a></ul>`, []string{"users-list", "orders-list"}},
		{"ties", "in order of appearance", `<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>`, []string{"list", "list-2", "list-3"}},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			var got []string
			for _, sc := range decode(t, []byte(tt.page), nil).Scopes() {
				if sc.ID != "page" {
					got = append(got, sc.ID)
				}
			}
			equal(t, tt.why, got, tt.want)
		})
	}
}

// TestRepeatedIDs repeats what is the id of rows: the others keep theirs.
func TestRepeatedIDs(t *testing.T) {
	table := func(rows ...string) string {
		s := "<table><tr><th>Name<th>Qty<th>Unit"
		for _, r := range rows {
			s += "<tr><td>" + strings.ReplaceAll(r, " ", "<td>")
		}
		return s + "</table>"
	}
	list := func(ids ...string) string {
		s := "<ul>"
		for i, id := range ids {
			s += fmt.Sprintf("<li data-id=%s>item %s.%d</li>", id, id, i)
		}
		return s + "</ul>"
	}
	apple, pear, fig := "apple 5 kg", "pear 7 kg", "fig 9 kg"
	tests := []struct {
		name, why, before, after, want string
		repeats                        bool
	}{
		{"a row repeats a name", "one came", table(apple, pear), table(apple, pear, "apple 9 kg"), `"records":{"added":[{"id":"apple"}]`, true},
		{"the only row is repeated", "", table(apple), table(apple, "apple 9 kg"), `"records":{"added":[{"id":"apple"}]`, true},
		{"the repeated row goes", "without ids on one side there are none on the other", table(apple, pear, "apple 9 kg"), table(apple, pear), `"records":{"removed":[{"id":""}]`, false},
		{"no unique name, another cell", "not the second column", table("a 51 x", "b 72 x", "a 33 x"), table("a 51 x", "b 51 x", "a 33 x"), `"updated":[{"id":"","inferred":true,"fields":["Qty"]}]`, false},
		{"a name becomes unique", "they stay without ids", table(apple, pear, "apple 9 kg"), table(apple, pear, fig), `"updated":[{"id":"","inferred":true,"fields":["Name"]}]`, false},
		{"a name is edited to another", "it is the same row", table(apple, pear, fig), table(apple, "apple 7 kg", fig), `"updated":[{"id":"pear","fields":["Name"]}]`, false},
		{"an attribute is repeated", "one came", list("1", "2"), list("1", "2", "2"), `"records":{"added":[{"id":"2"}]`, true},
		{"the repeated attribute goes", "", list("1", "2", "2"), list("1", "2"), `"records":{"removed":[{"id":"2"}]`, false},
		{"a row without a link", "the others keep theirs", `<ul><li><a href=/u/1>A</a><li><a href=/u/2>B</a></ul>`, `<ul><li><a href=/u/1>A</a><li><a href=/u/2>B</a><li>C</ul>`, `"records":{"added":[{"id":""}]`, false},
		{"rows instead of a word", "they are other rows and get ids", `<ul><li>Loading</ul>`, list("1", "2"), `"records":{"added":[{"id":"1"},{"id":"2"}],"removed":[{"id":""}]`, false},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			got, _, a := against(t, tt.before, tt.after)
			if !strings.Contains(got, tt.want) || strings.Count(got, `"id"`) > strings.Count(tt.want, `"id"`)+strings.Count(got, `"open@`) {
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
			said := slices.ContainsFunc(a.Diagnostics(), func(d snapshot.Diagnostic) bool { return d.Code == snapshot.CodeDuplicateID })
			if said != tt.repeats {
				t.Errorf("diagnostics: %v", a.Diagnostics())
			}
		})
	}
}

// TestMoveScopes removes each list, table and form of the pages in turn and puts
// it back: no record of another scope comes or goes.
func TestMoveScopes(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	moved := 0
	for _, path := range pages {
		text := load(t, strings.TrimPrefix(filepath.ToSlash(path), "testdata/"))
		root, err := nethtml.Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		before := decode(t, text, nil)
		var list []*nethtml.Node
		for n := range root.Descendants() {
			switch n.DataAtom {
			case atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Form:
				list = append(list, n)
			}
		}
		for _, n := range list {
			parent, next := n.Parent, n.NextSibling
			parent.RemoveChild(n)
			var b bytes.Buffer
			if err := nethtml.Render(&b, root); err != nil {
				t.Fatal(err)
			}
			parent.InsertBefore(n, next)
			without := decode(t, b.Bytes(), &html.Options{Before: before})
			again := decode(t, text, &html.Options{Before: without})
			var gone, back evidenceJSON
			var d diff.Differ
			if err := json.Unmarshal(d.Compare(before, without, nil).AppendJSON(nil, nil), &gone); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(d.Compare(without, again, nil).AppendJSON(nil, nil), &back); err != nil {
				t.Fatal(err)
			}
			if len(gone.Records.Added)+len(gone.Scopes.Added) > 0 || gone.Records.Reordered {
				t.Errorf("%s: without %s %.40q: %s", filepath.Base(path), n.Data, textOf(n), evidence(before, without))
			}
			if len(back.Records.Removed)+len(back.Scopes.Removed) > 0 || back.Records.Reordered {
				t.Errorf("%s: again with %s %.40q: %s", filepath.Base(path), n.Data, textOf(n), evidence(without, again))
			}
			moved++
		}
	}
	t.Logf("%d lists, tables and forms", moved)
}
