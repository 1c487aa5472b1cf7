package html

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// countKeys counts the elements of each tag that an attribute names.
func (f *inferrer) countKeys(n *node) {
	for _, c := range n.kids {
		if c.is(isText) || !c.shown() || c.is(isAnnotated) {
			continue
		}
		if key, v := keyAttr(c); key != "" {
			k := keyed{c.raw.Data, key}
			if f.keys[k] == nil {
				f.keys[k] = map[string]bool{}
			}
			f.keys[k][v] = true
		}
		f.countKeys(c)
	}
}

// A keyed is a kind of elements with keys.
type keyed struct{ tag, attr string }

// detect finds the sets and rows in n, which is in row r of set s.
func (f *inferrer) detect(n *node, s *set, r *row) {
	items := f.keyedItems(n, r)
	for _, c := range n.kids {
		if c.is(isText) || !c.shown() || c.is(isAnnotated) {
			continue
		}
		f.countLandmark(c)
		switch {
		case items[c]:
			f.row(f.setAt(n, "items", s, r), c)
		case c.has("itemscope") && !c.is(holdsAnnotated) && f.ownItem(c):
			w := f.row(f.typeSet(c, s), c)
			w.item = true
		case isTable(c) && f.table(c, s, r):
		case isList(c):
			f.list(c, s, r)
		case c.tag == atom.Form && r == nil:
			f.row(f.setAt(c, "form", s, r), c)
		case isItem(c) && c.tag != atom.Li && !f.inTable(c) && f.rowOf[c] == nil && !c.is(holdsAnnotated):
			kind := "items"
			if c.tag == atom.Article || c.role() == "article" {
				kind = "feed"
			}
			f.row(f.setAt(n, kind, s, r), c)
		}
		if w := f.rowOf[c]; w != nil {
			f.detect(c, w.set, w)
		} else if !isCell(c) || r == nil || r.set.grid == nil {
			f.detect(c, s, r)
		}
	}
}

// setAt returns the set of a container. Those inside the rows of one set that
// are alike are one set.
func (f *inferrer) setAt(n *node, kind string, outer *set, r *row) *set {
	if s := f.setOf[n]; s != nil {
		return s
	}
	key := setKey{outer, kind, classWord(n)}
	inRow := r != nil && kind != "form" && r.set.kind != "form"
	if inRow && f.merged[key] != nil {
		f.setOf[n] = f.merged[key]
		return f.setOf[n]
	}
	s := &set{kind: kind, node: n, parent: outer, nested: r != nil}
	f.setOf[n] = s
	if inRow {
		f.merged[key] = s
	}
	f.sets = append(f.sets, s)
	return s
}

func (f *inferrer) row(s *set, n *node) *row {
	w := &row{set: s, node: n}
	s.rows = append(s.rows, w)
	f.rowOf[n] = w
	return w
}

// typeSet returns the set of a microdata type.
func (f *inferrer) typeSet(n *node, outer *set) *set {
	typ, _, _ := strings.Cut(strings.Trim(n.attr("itemtype"), blanks), " ")
	typ = strings.TrimRight(typ, "/#")
	name := slug(typ[strings.LastIndexAny(typ, "/#:")+1:])
	if name == "" {
		name = "item"
	}
	s := f.types[name]
	if s == nil {
		s = &set{kind: "microdata", id: name, node: n.parent, parent: outer, nested: outer != nil}
		f.types[name] = s
		f.sets = append(f.sets, s)
	}
	return s
}

// ownItem reports whether a microdata item is a record rather than a value of
// the item around it.
func (f *inferrer) ownItem(n *node) bool {
	if n.tag == atom.Body || n.tag == atom.Html {
		return false // it says what the page is
	}
	if !n.has("itemprop") || n.has("itemid") {
		return true
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.has("itemscope") {
			return f.repeatsProp(p, n)
		}
	}
	return true
}

// repeatsProp reports whether item has several items under the property that n,
// one of them, is under.
func (f *inferrer) repeatsProp(item, n *node) bool {
	if f.propCounts == nil {
		f.propCounts = map[*node]map[string]int{}
	}
	counts := f.propCounts[item]
	if counts == nil {
		counts = map[string]int{}
		f.propCounts[item] = counts
		var walk func(*node)
		walk = func(m *node) {
			for _, c := range m.kids {
				if c.is(isText) || !c.shown() {
					continue
				}
				if c.has("itemscope") {
					counts[c.attr("itemprop")]++
				} else {
					walk(c)
				}
			}
		}
		walk(item)
	}
	return counts[n.attr("itemprop")] > 1
}

// inTable reports whether n is a row of a table that is a set.
func (f *inferrer) inTable(n *node) bool {
	if !isRow(n) {
		return false
	}
	t := tableOf(n)
	return t != nil && f.setOf[t] != nil
}

// keyedItems returns the children of n that are records for having, each of
// them, a key of their own in one attribute, as others of their tag in the
// document have or one of the side before had.
func (f *inferrer) keyedItems(n *node, r *row) map[*node]bool {
	if n.is(isAnnotated) || isTable(n) || isList(n) || isRow(n) || r != nil && r.set.grid != nil {
		return nil
	}
	var tag string
	var items map[*node]bool
	var seen map[string]bool
	for _, c := range n.kids {
		if c.is(isText) || !c.shown() || c.flag&(isAnnotated|holdsAnnotated) != 0 || isControl(c) || isButton(c) || isCell(c) ||
			isRow(c) || c.has("itemscope") || c.tag == atom.Tbody {
			continue
		}
		key, v := keyAttr(c)
		if key == "" || v == "" || seen[v] || tag != "" && tag != c.raw.Data+" "+key {
			continue
		}
		if len(f.keys[keyed{c.raw.Data, key}]) < 2 && !f.hadBefore(v) {
			continue
		}
		if items == nil {
			items, seen = map[*node]bool{}, map[string]bool{}
		}
		tag = c.raw.Data + " " + key
		seen[v], items[c] = true, true
	}
	return items
}

// keyAttr returns the attribute that names a record by its name: data-id,
// data-key, or one that ends in id or key.
func keyAttr(n *node) (name, value string) {
	for i := range n.raw.Attr {
		a := &n.raw.Attr[i]
		if a.Namespace == "" && isKeyName(a.Key) && a.Val != "" && (name == "" || len(a.Key) < len(name)) {
			name, value = a.Key, a.Val
		}
	}
	return name, value
}

func isKeyName(name string) bool {
	rest, ok := strings.CutPrefix(name, "data-")
	if !ok || strings.HasPrefix(rest, "agent-") {
		return false
	}
	for token := range strings.SplitSeq(rest, "-") {
		switch token {
		case "id", "key", "uid", "uuid", "guid", "pk":
			return rest != "test-id"
		case "testid", "reactid", "grid", "valid", "invalid", "void", "hybrid", "paid", "solid", "fluid", "android", "bid":
			return false
		}
	}
	return strings.HasSuffix(rest, "id") && len(rest) > 4
}

// isList reports whether n holds items.
func isList(n *node) bool {
	switch n.tag {
	case atom.Ul, atom.Ol, atom.Menu, atom.Dl:
		switch n.role() {
		case "presentation", "none", "tablist", "menu", "menubar", "toolbar", "radiogroup":
			return false
		}
		return true
	}
	switch n.role() {
	case "list", "listbox", "tree", "feed":
		return true
	}
	return false
}

func isItem(n *node) bool {
	switch n.role() {
	case "listitem", "option", "treeitem", "article", "row":
		return n.tag != atom.Option
	}
	return n.tag == atom.Article || n.tag == atom.Li && n.role() == ""
}

// list makes a set of a list, unless it is but a value of the row around it.
func (f *inferrer) list(n *node, s *set, r *row) {
	if n.is(holdsAnnotated) || f.setOf[n] != nil {
		return
	}
	var rows []*node
	if n.tag == atom.Dl {
		if r == nil {
			f.setAt(n, "list", s, r)
			f.terms(n)
		}
		return
	}
	collect(n, isItem, &rows)
	if len(rows) > 0 && !slices.ContainsFunc(rows, func(c *node) bool { return !c.has("itemscope") }) {
		return // they are items of their own
	}
	if r != nil && r.set.kind != "form" && isPlain(rows) {
		return
	}
	l := f.setAt(n, "list", s, r)
	for _, c := range rows {
		if c.shown() && !c.has("itemscope") {
			f.row(l, c)
		}
	}
}

// terms makes rows of the terms of a description list.
func (f *inferrer) terms(n *node) {
	var list []*node
	collect(n, func(c *node) bool { return c.tag == atom.Dt }, &list)
	for _, dt := range list {
		f.row(f.setOf[n], dt)
	}
}

// isPlain reports whether the items of a list hold nothing but text and links.
func isPlain(rows []*node) bool {
	var plain func(*node) bool
	plain = func(n *node) bool {
		for _, c := range n.kids {
			if c.is(isText) {
				continue
			}
			if c.display != inline || isControl(c) || isButton(c) || !plain(c) {
				return false
			}
		}
		return true
	}
	for _, c := range rows {
		if k, _ := keyAttr(c); k != "" || c.has("id") || c.has("itemscope") || !plain(c) {
			return false
		}
	}
	return true
}

// table makes a set of a table, if it is one of data.
func (f *inferrer) table(n *node, s *set, r *row) bool {
	if r := n.role(); n.is(holdsAnnotated) || r == "presentation" || r == "none" {
		return false
	}
	g := f.grid(n)
	if f.err != nil || len(g.order)+g.headRows < 2 && len(g.names) == 0 {
		return false
	}
	for _, w := range g.order {
		for _, c := range g.rows[w] {
			if c != nil && holdsTable(c) {
				return false // layout
			}
		}
	}
	t := f.setAt(n, "table", s, r)
	if t.node == n {
		t.grid = g
	}
	foot := func(w *node) bool { return w.parent.tag == atom.Tfoot }
	sums := slices.ContainsFunc(g.order, func(w *node) bool { return !foot(w) })
	for _, w := range g.order {
		if w.shown() && !w.has("itemscope") && !(sums && foot(w)) {
			f.row(t, w)
		}
	}
	return true
}

// holdsTable reports whether there is a table in n.
func holdsTable(n *node) bool {
	return slices.ContainsFunc(n.kids, func(c *node) bool { return isTable(c) || !c.is(isText) && holdsTable(c) })
}

// landmark returns the name by which n is a landmark: its id, label, role or tag.
func (f *inferrer) landmark(n *node) string {
	tag := landmarkTag(n)
	if tag == "" {
		return ""
	}
	if id := n.attr("id"); steady(id) {
		return id
	}
	if s := slug(f.ariaLabel(n)); s != "" {
		return s
	}
	if tag != "section" && f.tags[tag] == 1 {
		return tag
	}
	return ""
}

func (f *inferrer) countLandmark(n *node) {
	if tag := landmarkTag(n); tag != "" {
		f.tags[tag]++
	}
}

func landmarkTag(n *node) string {
	switch n.role() {
	case "banner":
		return "header"
	case "navigation":
		return "nav"
	case "main", "search", "dialog", "alertdialog", "alert", "status":
		return n.role()
	case "complementary":
		return "aside"
	case "contentinfo":
		return "footer"
	case "region":
		return "section"
	}
	switch n.tag {
	case atom.Header, atom.Footer:
		for p := n.parent; p != nil; p = p.parent {
			switch p.tag {
			case atom.Article, atom.Aside, atom.Main, atom.Nav, atom.Section:
				return "" // of that part only
			}
		}
		return n.raw.Data
	case atom.Nav, atom.Main, atom.Aside, atom.Section, atom.Dialog:
		return n.raw.Data
	}
	return ""
}

// labelSet finds what labels a set and takes it, so that it is no text as well.
func (f *inferrer) labelSet(s *set) {
	if s.node == nil || s.node == f.root {
		return
	}
	if s.label = f.ariaLabel(s.node); s.label != "" || s.nested {
		return
	}
	if h := f.headOf(s); h != nil && !h.is(isClaimed) {
		h.flag |= isClaimed
		s.label = f.label(h)
	}
}

func (f *inferrer) headOf(s *set) *node {
	if s.kind == "form" || s.kind == "table" || s.kind == "list" {
		if h := f.headIn(s.node, s.kind != "form"); h != nil {
			return h
		}
	}
	n := s.node
	if s.kind == "items" || s.kind == "feed" || s.kind == "microdata" {
		if h := f.headIn(n, false); h != nil {
			return h
		}
	}
	for level := 0; level < 3 && n.parent != nil && !isSection(n); level++ {
		kids := n.parent.kids
		steps := 0
		for i := n.at - 1; i >= 0 && steps < 3; i-- {
			c := kids[i]
			if c.is(isText) || !c.shown() {
				continue
			}
			steps++
			if isHeading(c) {
				return c
			}
			if f.setOf[c] != nil || f.rowOf[c] != nil || landmarkTag(c) != "" && c.tag != atom.Header {
				return nil
			}
			if h := f.headIn(c, false); h != nil {
				return h
			}
		}
		n = n.parent
	}
	return nil
}

// headIn returns the first heading in n that is in no row or other set.
func (f *inferrer) headIn(n *node, captions bool) *node {
	for _, c := range n.kids {
		f.spend(1)
		if c.is(isText) || !c.shown() || f.rowOf[c] != nil || f.setOf[c] != nil || c.is(isAnnotated) {
			continue
		}
		if isHeading(c) && (captions || c.tag != atom.Legend && c.tag != atom.Caption) {
			return c
		}
		if isTable(c) || isRow(c) {
			continue
		}
		if h := f.headIn(c, captions); h != nil {
			return h
		}
	}
	return nil
}

// isSection reports whether n is a part of the page of its own: labels of what
// is in it are not looked for around it.
func isSection(n *node) bool {
	switch n.tag {
	case atom.Section, atom.Article, atom.Main, atom.Aside, atom.Nav, atom.Body, atom.Dialog, atom.Header, atom.Footer:
		return true
	}
	return false
}
