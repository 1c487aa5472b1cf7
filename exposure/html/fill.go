package html

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/records"
)

// isButton reports whether n is pressed.
func isButton(n *node) bool {
	switch n.tag {
	case atom.Button, atom.Summary:
		return true
	case atom.Input:
		switch inputType(n) {
		case "button", "submit", "reset", "image":
			return true
		}
		return false
	}
	switch n.role() {
	case "button", "tab", "menuitem":
		return true
	}
	return false
}

func isLink(n *node) bool {
	return n.tag == atom.A && n.has("href") || n.tag != atom.A && n.role() == "link"
}

// visit exposes n, a node in row r. quoted says that its text is part of a field
// already, so that only controls, actions and blocks count.
func (f *inferrer) visit(n *node, r *row, quoted bool) {
	if f.err != nil || n.is(isText) || n.flag&(isIgnored|isAnnotated) != 0 {
		return
	}
	if r.item && (n.tag == atom.Meta || n.tag == atom.Link) && n.has("itemprop") {
		f.property(n, r)
		return
	}
	if f.spend(1); n.is(isHidden) || n.is(isClaimed) && !n.is(isText) {
		return
	}
	if w := f.rowOf[n]; w != nil {
		f.fillRow(w)
		return
	}
	switch {
	case r.set == f.page:
		if id := f.landmark(n); id != "" {
			r = f.mark(id, n, r)
		}
	case r.item && n.has("itemprop"):
		f.property(n, r)
		return
	}
	if isTable(n) && f.setOf[n] != nil && f.setOf[n].kind == "table" {
		f.visitTable(n, r)
		return
	}
	if isControl(n) && !n.is(isInvisible) {
		f.control(n, r)
		return
	}
	if isButton(n) {
		f.button(n, r)
		return
	}
	if isLink(n) {
		f.link(n, r)
	}
	if n.tag == atom.Label && f.names(n, r) {
		f.visitKids(n, r, true)
		return
	}
	if isList(n) && f.setOf[n] == nil && !quoted {
		f.plainList(n, r)
		return
	}
	if n.tag == atom.Img && !quoted && r.set != f.page {
		if alt := flat(n.attr("alt")); n.is(isSensitive) && alt != "" {
			r.add("image", records.AppendMaskedUnknown(nil))
		} else {
			r.addText("image", alt)
		}
		return
	}
	if !quoted && hasText(n) {
		f.unit(n, r)
		quoted = true
	}
	f.visitKids(n, r, quoted)
}

func (f *inferrer) visitKids(n *node, r *row, quoted bool) {
	for _, c := range n.kids {
		if r.set == f.page && !quoted {
			if id := headingID(c); id != "" {
				r = f.mark(id, c, r)
			}
		}
		f.visit(c, r, quoted && c.display != block && c.display != cell)
	}
}

// hasText reports whether n holds text directly.
func hasText(n *node) bool {
	for _, c := range n.kids {
		if c.is(isText) && !c.is(isInvisible) && strings.Trim(c.raw.Data, blanks) != "" {
			return true
		}
	}
	return false
}

// unit adds the text of n as a field: its own and that of inline elements.
func (f *inferrer) unit(n *node, r *row) {
	text := f.read(writer{root: n, held: true, skip: func(c *node) bool {
		return !c.is(isText) && (c.display == block || c.display == cell || c.is(isClaimed) || f.rowOf[c] != nil || isButton(c) ||
			isControl(c) || r.item && c.has("itemprop") || c.tag == atom.Label && f.names(c, r))
	}})
	if n.is(isSensitive) && text != "" {
		r.add(f.unitName(n, r), records.AppendMaskedUnknown(nil))
		return
	}
	r.addText(f.unitName(n, r), text)
}

// names reports whether a label element only names a control of a form.
func (f *inferrer) names(n *node, r *row) bool {
	if r.set.kind != "form" && r.set.kind != "page" {
		return false
	}
	if id := n.attr("for"); id != "" {
		c := n.tree.ids[id]
		return c != nil && isControl(c) && c.shown()
	}
	return f.onlyControl(n) != nil
}

// mark returns a new row of the page for what is in n or, if n is a heading,
// after it; r if another has that id.
func (f *inferrer) mark(id string, n *node, r *row) *row {
	if f.marks[id] != nil {
		return r
	}
	w := &row{set: f.page, node: n, id: id}
	f.marks[id] = w
	f.page.rows = append(f.page.rows, w)
	return w
}

// headingID returns the id of a heading, or of what a heading starts with, by
// which others refer to the part of the page that it heads.
func headingID(n *node) string {
	if n.is(isText) || !n.shown() {
		return ""
	}
	if !isHeading(n) || n.tag == atom.Legend || n.tag == atom.Caption {
		if n.tag != atom.Div && n.tag != atom.Hgroup {
			return ""
		}
		if n = n.firstElement(); n == nil || !isHeading(n) {
			return ""
		}
	}
	if id := n.attr("id"); steady(id) {
		return id
	}
	if c := n.firstElement(); c != nil {
		for _, a := range []string{"id", "name"} {
			if id := c.attr(a); steady(id) {
				return id
			}
		}
	}
	return ""
}

func (n *node) firstElement() *node {
	for _, c := range n.kids {
		if !c.is(isText) {
			return c
		}
	}
	return nil
}

func (f *inferrer) fillRow(w *row) {
	if w.set.grid != nil && w.set.grid.rows[w.node] != nil {
		f.fillCells(w)
		return
	}
	if w.node.tag == atom.Dt {
		f.fillTerm(w)
		return
	}
	n := w.node
	if isLink(n) {
		f.link(n, w)
	}
	if isControl(n) {
		f.control(n, w)
	}
	if hasText(n) {
		f.unit(n, w)
		f.visitKids(n, w, true)
		return
	}
	f.visitKids(n, w, false)
}

// fillTerm gives the row of a term the descriptions that follow it.
func (f *inferrer) fillTerm(w *row) {
	if text := f.text(w.node); w.node.is(isSensitive) && text != "" {
		w.add("term", records.AppendMaskedUnknown(nil))
	} else {
		w.addText("term", text)
	}
	for _, c := range w.node.parent.kids[w.node.at+1:] {
		if c.tag == atom.Dt {
			break
		}
		if c.tag == atom.Dd && c.shown() {
			w.add("value", f.cellText(c))
			f.visitKids(c, w, true)
			c.flag |= isClaimed
		}
	}
}

// fillCells gives the row of a table a field for each column.
func (f *inferrer) fillCells(w *row) {
	g := w.set.grid
	slots := g.rows[w.node]
	var last *node
	for c, cl := range slots {
		if cl == nil || !cl.shown() {
			continue
		}
		name := ""
		if c < len(g.names) {
			name = g.names[c]
		}
		own := cl != last && cl.within(w.node)
		last = cl
		if name == "" && len(g.names) == 0 {
			if name = "value"; isHeadCell(cl) {
				name = rowHeading
			}
			if !g.pairs {
				name = ""
			}
		}
		if name == "" {
			if own {
				if hasText(cl) {
					f.unit(cl, w)
				}
				f.visitKids(cl, w, hasText(cl))
			}
			continue
		}
		f.cell(cl, name, w, own)
	}
}

// cell adds a cell under a name, and what can be done in it if it is the row's
// own.
func (f *inferrer) cell(n *node, name string, w *row, own bool) {
	only := f.onlyControl(n)
	v := f.cellText(n)
	empty := isEmptyText(records.RawValue(v))
	switch {
	case empty && only != nil:
		w.add(name, f.appendValue(nil, only))
	case !empty || !holdsButton(n):
		w.add(name, v)
	}
	if !own {
		return
	}
	if empty && only != nil {
		f.controlAction(w, only, slug(name))
		only.flag |= isClaimed
	}
	f.visitKids(n, w, true)
}

// cellText returns the text of n less its buttons, else the name of an image.
func (f *inferrer) cellText(n *node) []byte {
	skip := func(c *node) bool { return !c.is(isText) && (isButton(c) || isControl(c)) }
	text := f.read(writer{root: n, held: true, deep: true, skip: skip})
	if text == "" {
		text = flat(f.read(writer{root: n, held: true, deep: true, alt: true, skip: skip}))
	}
	v := records.AppendString(nil, text)
	if masked(n) {
		return records.AppendMaskOf(nil, records.RawValue(v), false)
	}
	return v
}

func holdsButton(n *node) bool {
	for _, c := range n.kids {
		if !c.is(isText) && (isButton(c) || holdsButton(c)) {
			return true
		}
	}
	return false
}

// visitTable visits a table's rows, and what its headers can do.
func (f *inferrer) visitTable(n *node, r *row) {
	s := f.setOf[n]
	g := f.grid(n)
	for _, cells := range g.heads {
		for _, c := range cells {
			if !c.is(isClaimed) {
				c.flag |= isClaimed
				f.visitKids(c, &row{set: s, outer: r}, true)
			}
		}
	}
	var walk func(*node)
	walk = func(m *node) {
		for _, c := range m.kids {
			switch {
			case c.is(isText) || !c.shown() || c.is(isClaimed):
			case f.rowOf[c] != nil:
				f.fillRow(f.rowOf[c])
			case isRow(c):
				if g.rows[c] == nil && g.headRows > 0 && len(g.heads) > 0 {
					continue // headers
				}
				f.visitKids(c, r, false)
			case c.tag == atom.Caption:
				f.visit(c, r, false)
			default:
				walk(c)
			}
		}
	}
	walk(n)
	used := map[string]bool{}
	for _, w := range s.rows {
		for _, fl := range w.fields {
			used[fl.name] = true
		}
	}
	for c, name := range g.names {
		if len(s.rows) > 0 && !used[name] && len(g.heads[c]) > 0 && !slices.ContainsFunc(g.heads[c], holdsButton) {
			r.addText(rowHeading, name) // nothing else tells of this column
		}
	}
}

// plainList adds the items of a list as an array.
func (f *inferrer) plainList(n *node, r *row) {
	name := f.unitName(n, r)
	var items []*node
	collect(n, func(c *node) bool { return isItem(c) || c.tag == atom.Dt || c.tag == atom.Dd }, &items)
	if len(items) == 0 || slices.ContainsFunc(items, func(c *node) bool { return f.rowOf[c] != nil }) {
		f.visitKids(n, r, false)
		return
	}
	v := records.BeginArray(nil)
	for _, c := range items {
		if c.shown() {
			v = append(v, f.cellText(c)...)
		}
	}
	r.add(name, records.EndArray(v, 0))
	for _, c := range items {
		f.visitKids(c, r, true)
	}
}

func (f *inferrer) control(n *node, r *row) {
	if r.outer != nil {
		r = r.outer
	}
	name := f.addControl(r, n)
	f.controlAction(r, n, name)
}

func (f *inferrer) button(n *node, r *row) {
	label := f.label(n)
	if label == "" {
		label = labelAttr(n, "title")
	}
	name := slug(label)
	if name == "" && label != "" {
		name = label
	}
	f.act(r, n, name, label)
}

// link adds the action of a link. The first of a row opens it.
func (f *inferrer) link(n *node, r *row) {
	label, target := f.label(n), n.attr("href")
	if label == "" {
		label = labelAttr(n, "title")
	}
	if r.set == f.page || r.set.kind == "form" || r.node == nil {
		if k := (linkKey{label, target}); label == "" || f.seen[k] {
			return
		} else {
			f.seen[k] = true
		}
		f.act(r, n, slug(label), label)
		return
	}
	if a := r.links[target]; a != nil {
		if a.Description == a.origin.Name && label != "" {
			a.Description = label
		}
		return
	}
	name := openName
	if len(r.links) > 0 {
		name = slug(label)
	}
	if r.links == nil {
		r.links = map[string]*inferred{}
	}
	r.links[target] = f.act(r, n, name, label)
}
