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

// An edit changes one thing that a reader can see.
type edit struct {
	node     *nethtml.Node
	what     string // for the log
	old, new string // what the evidence must tell apart; "" for states
	apply    func()
	undo     func()
}

func get(n *nethtml.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// set sets an attribute, removes it if val is nil, and returns the undoing.
func set(n *nethtml.Node, name string, val *string) func() {
	old := slices.Clone(n.Attr)
	n.Attr = slices.DeleteFunc(slices.Clone(n.Attr), func(a nethtml.Attribute) bool { return a.Key == name })
	if val != nil {
		n.Attr = append(n.Attr, nethtml.Attribute{Key: name, Val: *val})
	}
	return func() { n.Attr = old }
}

// editsOf lists an edit of every text and of the state of every control that a
// reader of the page sees. It knows nothing of how the page is read.
func editsOf(root *nethtml.Node) (list []*edit) {
	var walk func(n *nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch n.Type {
		case nethtml.TextNode:
			if text := strings.TrimSpace(n.Data); text != "" {
				e := &edit{node: n, what: "text", old: text, new: text + " anew"}
				if n.Parent.DataAtom == atom.Textarea {
					e.what = "textarea"
				}
				data := n.Data
				e.apply = func() { n.Data = strings.Replace(data, text, e.new, 1) }
				e.undo = func() { n.Data = data }
				list = append(list, e)
			}
			return
		case nethtml.ElementNode:
			if _, hidden := get(n, "hidden"); hidden {
				return
			}
			switch n.DataAtom {
			case atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript:
				return
			case atom.Details:
				if _, open := get(n, "open"); !open {
					for c := n.FirstChild; c != nil; c = c.NextSibling {
						if c.DataAtom == atom.Summary {
							walk(c)
						}
					}
					return
				}
			case atom.Input, atom.Select:
				if e := controlEdit(n); e != nil {
					list = append(list, e)
				}
			}
			if v, ok := get(n, "aria-checked"); ok {
				to := map[string]string{"true": "false", "false": "true"}[v]
				e := &edit{node: n, what: "switch"}
				e.apply = func() { e.undo = set(n, "aria-checked", &to) }
				list = append(list, e)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return list
}

func controlEdit(n *nethtml.Node) *edit {
	e := &edit{node: n, what: "control"}
	attr := func(name string, val *string) {
		e.apply = func() { e.undo = set(n, name, val) }
	}
	if n.DataAtom == atom.Select {
		var options []*nethtml.Node
		for d := range n.Descendants() {
			if d.DataAtom == atom.Option {
				options = append(options, d)
			}
		}
		at := max(slices.IndexFunc(options, func(o *nethtml.Node) bool { _, ok := get(o, "selected"); return ok }), 0)
		to := options[(at+1)%len(options)]
		e.apply = func() {
			yes := ""
			one, two := set(options[at], "selected", nil), set(to, "selected", &yes)
			e.undo = func() { two(); one() }
		}
		return e
	}
	typ, _ := get(n, "type")
	val, _ := get(n, "value")
	_, checked := get(n, "checked")
	yes := ""
	switch typ {
	case "hidden", "password":
		return nil
	case "checkbox":
		if checked {
			attr("checked", nil)
		} else {
			attr("checked", &yes)
		}
	case "radio":
		if checked {
			attr("checked", nil)
		} else {
			e.apply = func() {
				undo := []func(){set(n, "checked", &yes)}
				for d := range rootOf(n).Descendants() { // browsers let go of the other one
					if name, _ := get(d, "name"); d != n && name != "" && name == nameOf(n) {
						undo = append(undo, set(d, "checked", nil))
					}
				}
				e.undo = func() {
					for _, f := range undo {
						f()
					}
				}
			}
		}
	case "number", "range":
		to := val + "1"
		if typ == "range" {
			to = "7"
		}
		attr("value", &to)
	case "submit", "button", "reset":
		e.what, e.old, e.new = "button", val, val+" anew"
		attr("value", &e.new)
	default:
		to := val + "anew"
		e.old, e.new = val, to
		attr("value", &to)
	}
	return e
}

func nameOf(n *nethtml.Node) string {
	name, _ := get(n, "name")
	return name
}

func rootOf(n *nethtml.Node) *nethtml.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// The evidence as a reader of its JSON gets it.
type evidenceJSON struct {
	Records struct {
		Added, Removed, Updated []entryJSON
		Reordered               bool
	}
	Actions struct{ Added, Removed, Updated []entryJSON }
	Scopes  struct{ Added, Removed, Updated []entryJSON }
}

type entryJSON struct {
	ID, Scope string
	Fields    []string
	Changes   []struct {
		Field, At string
		From, To  any
	}
}

// named reports whether the evidence names what was edited: a record around it
// with the field that held the old and holds the new text, or an action or scope
// with that label, and nothing that has nothing to do with it.
func named(e *edit, before, after *snapshot.Snapshot, ev *evidenceJSON) bool {
	ok := false
	for _, r := range ev.Records.Updated {
		if !around(e.node, r.ID) {
			return false
		}
		if len(r.Changes) == 0 {
			return false
		}
		for _, c := range r.Changes {
			from, to := fmt.Sprint(c.From), fmt.Sprint(c.To)
			if e.new == "" || contains(to, e.new) && (e.old == "" || contains(from, e.old)) {
				ok = true
			}
			if c.Field == e.new || strings.Contains(c.Field, e.new) && e.new != "" {
				ok = true // a column was renamed: all its records change
			}
		}
	}
	if len(ev.Records.Added)+len(ev.Records.Removed)+len(ev.Scopes.Added)+len(ev.Scopes.Removed) > 0 {
		return false
	}
	for _, a := range slices.Concat(ev.Actions.Updated, ev.Actions.Added) {
		for i := range after.Actions() {
			if b := after.Action(i); b.ID == a.ID && (contains(b.Description, e.new) || contains(b.Params.String(), e.new)) {
				ok = true
			}
		}
	}
	for _, s := range ev.Scopes.Updated {
		if i := after.Scope(s.ID); i >= 0 && contains(after.Scopes()[i].Label, e.new) {
			ok = true
		}
	}
	return ok
}

// contains reports whether part, but for its blanks, is in text.
func contains(text, part string) bool {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	return squeeze(part) != "" && strings.Contains(squeeze(text), squeeze(part))
}

// around reports whether id is told by markup around n: an attribute or the tag
// of an ancestor, or a link or a text in its row.
func around(n *nethtml.Node, id string) bool {
	if id == "page" {
		return true
	}
	for p := n; p != nil; p = p.Parent {
		role, _ := get(p, "role")
		if p.Data == id || map[string]string{"banner": "header", "contentinfo": "footer"}[role] == id {
			return true
		}
		for s := p; s != nil; s = s.PrevSibling { // under a heading of that id
			if strings.HasPrefix(s.Data, "h") || s.DataAtom == atom.Div {
				for d := range s.Descendants() {
					if v, _ := get(d, "id"); v == id {
						return true
					}
				}
				if v, _ := get(s, "id"); v == id {
					return true
				}
			}
		}
		for _, a := range p.Attr {
			if a.Val == id || a.Key == "aria-label" && strings.EqualFold(a.Val, id) || a.Key == "class" && slices.Contains(strings.Fields(a.Val), id) {
				return true
			}
		}
		row := []*nethtml.Node{}
		switch p.DataAtom {
		case atom.Dd, atom.Dt: // a term and what follows it
			for row = append(row, p); p.DataAtom == atom.Dd && p.PrevSibling != nil; row = append(row, p) {
				p = p.PrevSibling
			}
		case atom.Li, atom.Tr:
			row = append(row, p)
		}
		for _, p := range row {
			if contains(textOf(p), id) {
				return true
			}
			for d := range p.Descendants() {
				if v, ok := get(d, "href"); ok && v == id {
					return true
				}
			}
		}
		if p.DataAtom == atom.Th || role == "columnheader" {
			return true // a column has all records
		}
	}
	return false
}

func textOf(n *nethtml.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == nethtml.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// TestMutatePages edits everything that can be seen on pages without
// annotations, one thing at a time, and wants the evidence to name it.
func TestMutatePages(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	total, hits := 0, 0
	for _, path := range pages {
		text := load(t, strings.TrimPrefix(filepath.ToSlash(path), "testdata/"))
		root, err := nethtml.Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		render := func() []byte {
			var b bytes.Buffer
			if err := nethtml.Render(&b, root); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		before := decode(t, text, nil)
		if again := decode(t, render(), nil); again.Digest() != before.Digest() {
			t.Errorf("%s: rendering alone changes it: %s", path, evidence(before, again))
		}
		of, named1 := 0, 0
		for _, e := range editsOf(root) {
			e.apply()
			after := decode(t, render(), &html.Options{Before: before})
			e.undo()
			var d diff.Differ
			out := d.Compare(before, after, nil).AppendJSON(nil, &diff.Format{Detail: diff.Values, MaxValueBytes: 1 << 20, MaxEvidenceBytes: 1 << 30})
			var ev evidenceJSON
			if err := json.Unmarshal(out, &ev); err != nil {
				t.Fatal(err)
			}
			of++
			if named(e, before, after, &ev) {
				named1++
			} else {
				t.Logf("%s: missed %s %q in %s: %s", filepath.Base(path), e.what, e.old, e.node.Parent.Data, evidence(before, after))
			}
		}
		t.Logf("%s: %d of %d edits named", filepath.Base(path), named1, of)
		total += of
		hits += named1
	}
	t.Logf("%d of %d edits named", hits, total)
	if hits*100 < total*95 {
		t.Errorf("%d of %d edits named, want 95%%", hits, total)
	}
}

// rowsOf lists the elements that are one of several alike.
func rowsOf(root *nethtml.Node) (list []*nethtml.Node) {
	for n := range root.Descendants() {
		row := n.DataAtom == atom.Li || n.DataAtom == atom.Article || n.DataAtom == atom.Tr && n.Parent.DataAtom == atom.Tbody
		for _, a := range n.Attr {
			row = row || a.Key == "data-card-id" || a.Key == "data-column-id"
		}
		if row && !isHeader(n) {
			list = append(list, n)
		}
	}
	return list
}

// isHeader reports whether a row holds nothing but th.
func isHeader(row *nethtml.Node) bool {
	for c := range row.ChildNodes() {
		if c.Type == nethtml.ElementNode && c.DataAtom != atom.Th {
			return false
		}
	}
	return row.DataAtom == atom.Tr
}

// neighbour returns the next element after n that is of its kind.
func neighbour(n *nethtml.Node) *nethtml.Node {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == nethtml.ElementNode && !isHeader(s) {
			if s.Data == n.Data && len(s.Attr) == len(n.Attr) {
				return s
			}
			return nil
		}
	}
	return nil
}

// TestMoveRows removes each row of the pages in turn, puts it back, and swaps it
// with the next one: only it is removed or added, or its scope reordered. Where
// rows are values of the record around them, that one field differs.
func TestMoveRows(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, path := range pages {
		text := load(t, strings.TrimPrefix(filepath.ToSlash(path), "testdata/"))
		root, err := nethtml.Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		before := decode(t, text, nil)
		look := func(what string, n *nethtml.Node, back bool) *evidenceJSON {
			var b bytes.Buffer
			if err := nethtml.Render(&b, root); err != nil {
				t.Fatal(err)
			}
			from, to := before, decode(t, b.Bytes(), &html.Options{Before: before})
			if back {
				from, to = to, decode(t, text, &html.Options{Before: to})
			}
			var d diff.Differ
			var ev evidenceJSON
			if err := json.Unmarshal(d.Compare(from, to, nil).AppendJSON(nil, nil), &ev); err != nil {
				t.Fatal(err)
			}
			came, gone := len(ev.Records.Added), len(ev.Records.Removed)
			updated := len(ev.Records.Updated)
			ok := false
			switch what {
			case "swap":
				ok = came+gone == 0 && (updated == 0) == ev.Records.Reordered
			case "remove":
				ok = came == 0 && (gone > 0 && updated == 0 || gone == 0 && updated == 1)
			case "add":
				ok = gone == 0 && (came > 0 && updated == 0 || came == 0 && updated == 1)
			}
			if !ok || len(ev.Scopes.Updated) > 0 {
				t.Errorf("%s: %s %s %.60q: %s", filepath.Base(path), what, n.Data, textOf(n), evidence(from, to))
			}
			return &ev
		}
		for _, n := range rowsOf(root) {
			parent, next := n.Parent, n.NextSibling
			parent.RemoveChild(n)
			look("remove", n, false)
			look("add", n, true)
			parent.InsertBefore(n, next)
			if s := neighbour(n); s != nil {
				parent.RemoveChild(s)
				parent.InsertBefore(s, n)
				look("swap", n, false)
				parent.RemoveChild(n)
				parent.InsertBefore(n, s)
			}
		}
	}
}
