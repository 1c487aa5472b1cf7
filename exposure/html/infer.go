package html

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Inference exposes a document that says nothing of itself. Everything a reader
// can see becomes part of a record, an action or a label:
//
//   - microdata items: a scope for each type, a record for each item, a field for
//     each property. A nested item is an object, or a record of its own if it has
//     an itemid or several are under one property. What an element with an
//     address or a time shows besides is the field <property>.text.
//   - tables: a record for each row. Fields are named by the column's header; in a
//     table of nothing but row headers and one value each, the field is "value".
//   - lists (ul, ol, menu, dl, role list, listbox, tree, feed), elements with role
//     row, listitem, option, treeitem or article, article elements, and siblings
//     of one tag with data-...id or data-key: a record for each item. A plain list
//     inside a record is an array in it.
//   - forms outside records: one record, with a field for each control, named by
//     its name, else its id or label.
//   - the rest: scope "page", a record for each landmark with an id, label or tag of
//     its own and for what follows a heading with an id, else the one around it.
//
// Text in records is split into fields at the innermost elements that hold text
// directly, named by their class where that is a word, else by their tag
// (heading, time, link, ...), else "text".
//
// Buttons, links and controls are actions: named by their label, a control by its
// field, the first link of a record "open"; the choices of a select are its
// parameters. A label that is edited therefore shows as an action that changed.
//
// The ids of records come from the first of these that every record of the scope
// has and no two share: itemid, a data-...id or data-key attribute, id, such an
// attribute below the record, the target of the first link, the first column or
// text if it is not all there is; else from such an attribute that most records
// have. Where there is none, records have no id. With [Options].Before the source
// under which most ids are those of that side is taken instead, even if a few
// repeat, and none if that side had none; a row whose id is its text or link keeps
// it when that is edited, if its neighbours and half of its other fields are as
// before. See identify.
//
// Scopes are named by id, test id, name, class or part of the page, label, what
// their records are, or kind, the first that is theirs alone; only scopes that
// share all of these are numbered, in order of appearance. With [Options].Before a
// scope that was there keeps its name, wherever it is now. See nameSets and pairSets.
type inferrer struct {
	*decoder
	sets   []*set
	setOf  map[*node]*set
	rowOf  map[*node]*row
	merged map[setKey]*set
	types  map[string]*set
	tags   map[string]int // landmarks by tag or role
	keys   map[keyed]map[string]bool
	page   *set
	marks  map[string]*row // rows of page by id
	acts   []*inferred
	seen   map[linkKey]bool
	known  []*known // the inferred scopes of the other side

	allBefore map[string]bool // ids of inferred records of the other side

	propCounts map[*node]map[string]int // items by property, by the item around them
}

// A set is an inferred scope.
type set struct {
	id, kind, label string
	node            *node
	parent          *set
	rows            []*row
	grid            *grid
	nested          bool     // in a row, whose headings are its own
	was             *known   // what it was on the other side
	sources         []source // what may be its ids, if there is another side
}

// A row is an inferred record.
type row struct {
	set    *set
	node   *node
	id     string
	fields []field
	links  map[string]*inferred // by target
	item   bool                 // a microdata item
	values map[string][]*node   // controls by name that stand for one field
	outer  *row                 // of what is no record itself: where its controls belong
	mute   int                  // values are part of a field already
}

// openName is the name of the action on the first link of a record.
const openName = "open"

// An inferred is an action of a row.
type inferred struct {
	action
	row   *row
	node  *node
	value string // of a control: a suffix of its name if several share it
}

type setKey struct {
	parent      *set
	kind, class string
}

type linkKey struct{ label, target string }

func (d *decoder) infer() {
	f := &inferrer{decoder: d, setOf: map[*node]*set{}, rowOf: map[*node]*row{}, merged: map[setKey]*set{},
		types: map[string]*set{}, tags: map[string]int{}, keys: map[keyed]map[string]bool{}, marks: map[string]*row{}, seen: map[linkKey]bool{}}
	f.countKeys(d.root)
	f.detect(d.root, nil, nil)
	for _, s := range f.sets {
		f.labelSet(s)
	}
	f.page = &set{kind: "page", id: "page", node: d.root}
	top := &row{set: f.page, node: d.root, id: "page"}
	f.marks["page"] = top
	f.page.rows = append(f.page.rows, top)
	for _, c := range d.root.kids {
		f.visit(c, top, false)
	}
	if d.err != nil {
		return
	}
	f.closeRows()
	f.nameSets()
	for _, s := range f.sets {
		f.identify(s)
	}
	f.emitSets()
}

// emitSets adds what was inferred to what the decoder emits.
func (f *inferrer) emitSets() {
	acts := map[*row]bool{}
	for _, a := range f.acts {
		acts[a.row] = true
	}
	f.page.rows = slices.DeleteFunc(f.page.rows, func(r *row) bool {
		return len(r.fields) == 0 && (!acts[r] || r.node == f.root)
	})
	all := f.sets
	if len(f.page.rows) > 0 || acts[f.marks["page"]] {
		all = append([]*set{f.page}, all...)
	}
	for _, s := range all {
		if f.regions[s.id] != nil {
			s.id = f.free(s.id)
		}
		r := f.region(s.id)
		r.Scope = snapshot.Scope{ID: s.id, Label: s.label, Role: roleOf(s), Inferred: true}
		if s.node != nil {
			r.node, r.State = s.node, f.stateOf(s.node)
		}
		for _, w := range s.rows {
			rec := &record{scope: s.id, id: w.id, node: w.node, fields: w.fields}
			f.recs = append(f.recs, rec)
			if r.first == nil && w.node != nil && s.kind != "page" {
				r.first = rec
			}
		}
	}
	for _, s := range all {
		if s.parent != nil {
			f.regions[s.id].Parent = s.parent.id
		}
	}
	for _, a := range f.acts {
		a.origin.Group, a.origin.Scope = a.node.group, a.row.set.id
		if a.row != f.marks["page"] {
			a.origin.Record = a.row.id
		}
		if name := slug(a.Description); a.origin.Name == openName && a.row.id == "" && name != "" {
			a.origin.Name = name // there is no record to open
		}
		a.Primitive = primitive(a.node)
		a.Unavailable, a.Reason = f.unavailable(a.node)
	}
	f.numberActions()
	for _, a := range f.acts {
		f.decoder.acts = append(f.decoder.acts, &a.action)
	}
}

// numberActions tells actions apart that would be shown under one id, which in a
// page that declares nothing is no fault to be told of each.
func (f *inferrer) numberActions() {
	shown := func(o exposure.Origin) exposure.Origin {
		if o.Record == "" {
			o.Scope = ""
		}
		return o
	}
	next := map[exposure.Origin]int{}
	taken := make(map[exposure.Origin]bool, len(f.acts))
	for _, a := range f.acts {
		taken[shown(a.origin)] = true
	}
	tied, first := 0, ""
	seen := make(map[exposure.Origin]bool, len(f.acts))
	for _, a := range f.acts {
		o, name := shown(a.origin), a.origin.Name
		if !seen[o] {
			seen[o] = true
			continue
		}
		for n := max(next[o], 2); taken[shown(a.origin)]; n++ {
			a.origin.Name = name + "#" + itoa(n)
			next[o] = n + 1
		}
		taken[shown(a.origin)], seen[shown(a.origin)] = true, true
		if tied++; tied == 1 {
			first = a.origin.Name
		}
	}
	if tied > 0 {
		f.b.Diagnose(exposure.CodeDuplicateID, first, itoa(tied)+" inferred actions, this one first, have the name of another and are numbered")
	}
}

// free returns the first of id-2, id-3, ... that no scope has.
func (d *decoder) free(id string) string {
	for n := 2; ; n++ {
		if s := id + "-" + strconv.Itoa(n); d.regions[s] == nil {
			return s
		}
	}
}

func roleOf(s *set) string {
	if s.node != nil && s.node.raw.Attr != nil {
		if r := s.node.role(); r != "" {
			return r
		}
	}
	switch s.kind {
	case "page":
		return "document"
	case "items", "microdata":
		return "list"
	}
	return s.kind
}

// closeRows turns controls that share a name into one field.
func (f *inferrer) closeRows() {
	for _, r := range f.allRows() {
		for i := range r.fields {
			g := r.values[r.fields[i].name]
			if r.fields[i].value != nil || len(g) == 0 {
				continue
			}
			r.fields[i].value = f.groupValue(g)
		}
	}
	for _, a := range f.acts {
		if a.value != "" && (isRadio(a.node) || len(a.row.values[a.origin.Name]) > 1) {
			a.origin.Name += "-" + a.value
		}
	}
}

func (f *inferrer) allRows() (list []*row) {
	list = append(list, f.page.rows...)
	for _, s := range f.sets {
		list = append(list, s.rows...)
	}
	return list
}

// groupValue returns the value of controls of one name: that of the only one, the
// chosen radio button's, the values of the boxes that are checked, or all.
func (f *inferrer) groupValue(g []*node) []byte {
	if isRadio(g[0]) {
		return maskRadios(g)
	}
	if len(g) == 1 {
		return f.appendValue(nil, g[0])
	}
	v := records.BeginArray(nil)
	for _, n := range g {
		if n.tag == atom.Input && inputType(n) == "checkbox" && !masked(n) {
			if n.has("checked") {
				v = records.AppendString(v, radioValue(n))
			}
			continue
		}
		v = f.appendValue(v, n)
	}
	return records.EndArray(v, 0)
}

func (r *row) add(name string, value []byte) {
	if r.mute > 0 {
		return
	}
	r.fields = append(r.fields, field{name: name, value: value})
}

func (r *row) addText(name, text string) {
	if text != "" {
		r.add(name, records.AppendString(nil, text))
	}
}

// addControl gives r a field for a control.
func (f *inferrer) addControl(r *row, n *node) string {
	name := f.controlName(r, n)
	if r.values == nil {
		r.values = map[string][]*node{}
	}
	if r.values[name] == nil {
		r.fields = append(r.fields, field{name: name})
	}
	r.values[name] = append(r.values[name], n)
	return name
}

// controlName names the field of a control. In lists labels hold data, so that
// they name nothing there.
func (f *inferrer) controlName(r *row, n *node) string {
	if name := strings.TrimSuffix(n.attr("name"), "[]"); name != "" {
		return name
	}
	if r.set.kind == "form" || r.set.kind == "page" {
		if id := n.attr("id"); steady(id) {
			return id
		}
		for _, s := range []string{f.label(n), labelAttr(n, "placeholder")} {
			if s = slug(s); s != "" {
				return s
			}
		}
	}
	if c := classWord(n); c != "" {
		return c
	}
	if n.tag == atom.Input && inputType(n) == "checkbox" || ariaState(n) == "aria-checked" {
		return "checked"
	}
	return "value"
}

// act adds an action of r.
func (f *inferrer) act(r *row, n *node, name, description string) *inferred {
	a := &inferred{row: r, node: n}
	if name == "" {
		name = f.fallbackName(n)
	}
	a.origin = exposure.Origin{Name: name}
	if a.Description = description; description == "" {
		a.Description = name
	}
	f.acts = append(f.acts, a)
	return a
}

func (f *inferrer) fallbackName(n *node) string {
	if id := n.attr("id"); steady(id) {
		return id
	}
	if c := classWord(n); c != "" {
		return c
	}
	if n.tag == atom.A {
		return "link"
	}
	return "button"
}

// controlAction adds the action on a control that is field name of r.
func (f *inferrer) controlAction(r *row, n *node, name string) {
	switch n.tag {
	case atom.Progress, atom.Meter:
		return
	}
	label := f.label(n)
	if label == "" {
		if label = labelAttr(n, "placeholder"); label == "" {
			label = labelAttr(n, "title")
		}
	}
	a := f.act(r, n, name, label)
	if !masked(n) && (isRadio(n) || n.tag == atom.Input && inputType(n) == "checkbox") {
		a.value = slug(radioValue(n))
	}
	if n.tag == atom.Select && !masked(n) {
		a.Params = f.choices(n)
	}
}

// maxChoices bounds the options that are listed as parameters.
const maxChoices = 200

// choices returns a schema of the options of a select.
func (f *inferrer) choices(n *node) records.Value {
	list := options(n)
	if len(list) == 0 || len(list) > maxChoices {
		return records.Value{}
	}
	text := func(dst []byte, name, s string) []byte {
		return records.AppendString(records.AppendName(dst, name), s)
	}
	v := records.BeginObject(nil)
	v = text(v, "type", "object")
	v = records.AppendName(v, "properties")
	props := len(v)
	v = records.AppendName(records.BeginObject(v), "value")
	prop := len(v)
	v = records.AppendName(records.BeginObject(v), "oneOf")
	arr := len(v)
	v = records.BeginArray(v)
	seen := map[string]bool{}
	for _, o := range list {
		val := f.optionValue(o)
		if seen[val] {
			continue
		}
		seen[val] = true
		at := len(v)
		v = text(records.BeginObject(v), "const", val)
		label := labelAttr(o, "label")
		if label == "" {
			label = flat(f.read(writer{root: o}))
		}
		if v = text(v, "title", label); true {
			v, _ = records.EndObject(v, at)
		}
	}
	v = records.EndArray(v, arr)
	v, _ = records.EndObject(v, prop)
	v, _ = records.EndObject(v, props)
	v, _ = records.EndObject(v, 0)
	return records.RawValue(v)
}
