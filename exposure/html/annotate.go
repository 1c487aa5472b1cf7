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

// A region is a scope while its document is read.
type region struct {
	snapshot.Scope
	node  *node   // nil if it comes from a script block
	first *record // its first record with an element
	bad   int     // records left out for their ids
}

// A record is a record while its document is read.
type record struct {
	scope, id, replaces string
	node                *node
	fields              []field
	merged              bool // with what a block says of it
}

// A field is one value of a record; several of one name are an array.
type field struct {
	name  string
	value []byte  // encoded; of a group of radio buttons once all are known
	group []*node // radio buttons of one name in one record are one value
}

// radioField is where a group of radio buttons is held.
type radioField struct {
	record       *record
	field, group string
}

// An action is an action while its document is read.
type action struct {
	snapshot.Action
	origin     exposure.Origin
	undeclared bool  // it has no description of its own
	node       *node // nil if it comes from a script block

	onElement bool // block: it belongs to an annotated element
	runs      bool // block: code runs it, not the element
}

// A context is what annotations around an element say.
type context struct {
	scope  string
	record *record
	hidden bool // in a scope or record that is not exposed
	lost   bool // in a record that was left out
}

// annotations reads what is annotated in n and below.
func (d *decoder) annotations(n *node, at context) {
	if n.is(isText|isIgnored) || d.err != nil {
		return
	}
	if n.tag == atom.Script {
		if n.has("data-agent-exposure") && isJSON(n.attr("type")) {
			d.block(n)
		}
		return
	}
	if n.is(isAnnotated) {
		at = d.annotation(n, at)
	}
	if n.is(holdsAnnotated) {
		for _, c := range n.kids {
			d.annotations(c, at)
		}
	}
	if r := at.record; r != nil && r.node == n && len(r.fields) == 0 {
		r.fields = d.columns(n)
	}
}

func isJSON(typ string) bool {
	typ, _, _ = strings.Cut(typ, ";")
	return strings.EqualFold(strings.Trim(typ, blanks), "application/json")
}

// isUnit reports whether n starts a record or a scope, whose text is its own.
func (d *decoder) isUnit(n *node) bool {
	return n.has("data-agent-record") || n.attr("data-agent-scope") != ""
}

// annotation reads the annotations on n.
func (d *decoder) annotation(n *node, at context) context {
	hidden := !n.shown()
	if id, ok := n.lookup("data-agent-scope"); ok {
		if id == "" {
			d.b.Diagnose(exposure.CodeBadID, n.name(), "a scope without an id is not one")
		} else {
			if !hidden {
				d.scope(n, id, at.scope)
			}
			at = context{scope: id}
		}
	}
	if id, ok := n.lookup("data-agent-record"); ok {
		at.record, at.hidden, at.lost = nil, hidden, false
		switch {
		case hidden:
		case id == "":
			at.lost = true
			d.region(at.scope).bad++
		default:
			at.record = d.records.One()
			*at.record = record{scope: at.scope, id: id, replaces: n.attr("data-agent-replaces"), node: n}
			d.recs = append(d.recs, at.record)
			if reg := d.region(at.scope); reg.first == nil {
				reg.first = at.record
			}
		}
	}
	if name, ok := n.lookup("data-agent-field"); ok && !hidden {
		d.field(n, name, at)
	}
	if name, ok := n.lookup("data-agent-action"); ok {
		switch {
		case name == "":
			d.b.Diagnose(exposure.CodeBadID, n.name(), "an action without a name is left out")
		case at.lost:
			d.b.Diagnose(exposure.CodeBadID, name, "the action is left out: its record has no id")
		case !at.hidden:
			d.action(n, name, at)
		}
	}
	return at
}

// region returns the region of an id, which it makes if there is none yet.
func (d *decoder) region(id string) *region {
	r := d.regions[id]
	if r == nil {
		r = &region{Scope: snapshot.Scope{ID: id}}
		d.regions[id] = r
		d.order = append(d.order, r)
	}
	return r
}

func (d *decoder) scope(n *node, id, parent string) {
	r := d.region(id)
	if r.node != nil {
		d.b.Diagnose(snapshot.CodeDuplicateScope, id, "scope declared twice; the first declaration stands")
		return
	}
	r.node = n
	r.Scope = snapshot.Scope{
		ID: id, Label: strings.Clone(flat(n.attr("data-agent-label"))), Description: strings.Clone(flat(n.attr("data-agent-description"))),
		Role: n.role(), Parent: parent, State: d.stateOf(n),
		Volatile:  strings.Fields(n.attr("data-agent-volatile")),
		Unordered: isOn(n, "data-agent-unordered"),
		IDs:       n.attr("data-agent-ids"),
		Offset:    d.count(n, "data-agent-offset", id),
	}
	r.Total = d.total(n, "data-agent-total", r)
	if r.Label == "" {
		r.Label = strings.Clone(d.regionLabel(n))
	}
}

// isOn reports whether a boolean annotation is set.
func isOn(n *node, name string) bool {
	v, ok := n.lookup(name)
	return ok && !strings.EqualFold(v, "false")
}

// count reads an attribute that counts, nil if it is missing or -1.
func (d *decoder) count(n *node, name, at string) *int64 {
	v := strings.Trim(n.attr(name), blanks)
	if v == "" || v == "-1" {
		return nil
	}
	i, err := strconv.ParseInt(v, 10, 64)
	if err != nil || i < 0 {
		d.b.Diagnose(exposure.CodeBadAttribute, at, name+" is not a count")
		return nil
	}
	return &i
}

// total is count for how many records of r there are. If that is declared and cannot be
// read, r is partial unless another attribute tells.
func (d *decoder) total(n *node, name string, r *region) *int64 {
	v := d.count(n, name, r.ID)
	if text := strings.Trim(n.attr(name), blanks); v == nil && text != "" && text != "-1" {
		r.Partial = true
	}
	return v
}

// regionLabel returns the label of a region without data-agent-label.
func (d *decoder) regionLabel(n *node) string {
	if s := d.ariaLabel(n); s != "" {
		return s
	}
	if h := d.heading(n); h != nil {
		return d.label(h)
	}
	return ""
}

// heading returns the element that heads a region: its caption or legend, or
// the first heading in it outside records and other scopes.
func (d *decoder) heading(n *node) *node {
	for _, c := range n.kids {
		d.spend(1)
		if c.is(isText) || !c.shown() || c.is(isAnnotated) && d.isUnit(c) {
			continue
		}
		if isHeading(c) {
			return c
		}
		if h := d.heading(c); h != nil {
			return h
		}
	}
	return nil
}

func isHeading(n *node) bool {
	switch n.tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	case atom.Caption, atom.Legend:
		return true
	}
	return n.role() == "heading"
}

// window sets total and offset from what ARIA says of the rows.
func (d *decoder) window(r *region) {
	if r.node == nil || r.first == nil {
		return
	}
	row := r.first.node
	heads := int64(0)
	if t := tableOf(row); t != nil && isRow(row) {
		heads = int64(d.grid(t).headRows)
	}
	if r.Total == nil {
		for p := row; p != nil; p = p.parent {
			if v := d.total(p, "aria-rowcount", r); v != nil {
				*v = max(*v-heads, 0)
				r.Total = v
				break
			}
			if p == r.node {
				break
			}
		}
	}
	if r.Total == nil {
		r.Total = d.total(row, "aria-setsize", r)
	}
	if r.Offset == nil && r.Total != nil {
		if v := d.count(row, "aria-rowindex", r.ID); v != nil && *v > heads {
			*v -= heads + 1
			r.Offset = v
		} else if v := d.count(row, "aria-posinset", r.ID); v != nil && *v > 0 {
			*v--
			r.Offset = v
		}
	}
}

func (d *decoder) field(n *node, name string, at context) {
	if at.hidden || at.lost {
		return
	}
	if at.record == nil {
		d.b.Diagnose(exposure.CodeStrayField, name, "the field is in no record")
		return
	}
	if name == "" {
		if name = d.columnName(n); name == "" {
			d.b.Diagnose(exposure.CodeBadID, at.record.path(), "a field without a name is left out")
			return
		}
	}
	f := field{name: name}
	if isRadio(n) && !n.has("data-agent-value") {
		of := radioField{at.record, name, n.attr("name")}
		if i, known := d.radios[of]; known {
			g := &at.record.fields[i]
			g.group = append(g.group, n)
			return
		}
		if d.radios == nil {
			d.radios = map[radioField]int{}
		}
		d.radios[of] = len(at.record.fields)
		f.group = []*node{n}
	} else {
		f.value = d.fieldValue(n)
	}
	r := at.record
	if r.fields == nil {
		r.fields = d.fields.Take(d.fieldsHint)[:0]
	}
	r.fields = append(r.fields, f)
	d.fieldsHint = max(len(r.fields), 1)
}

// fieldValue returns the value of n as a field. Values lie together in blocks.
func (d *decoder) fieldValue(n *node) []byte {
	const block = 1 << 14
	if cap(d.values)-len(d.values) < block/16 {
		d.values = make([]byte, 0, block)
	}
	start := len(d.values)
	d.values = d.heldValue(d.values, n)
	return d.values[start:len(d.values):len(d.values)]
}

func maskRadios(group []*node) []byte {
	v := appendRadios(nil, group)
	if slices.ContainsFunc(group, masked) {
		return records.AppendMaskOf(nil, records.RawValue(v), false)
	}
	return v
}

// path names a record in diagnostics.
func (r *record) path() string {
	if r.scope == "" {
		return r.id
	}
	return r.scope + "/" + r.id
}

func (d *decoder) action(n *node, name string, at context) {
	a := d.actions.One()
	a.node, a.origin = n, exposure.Origin{Group: n.group, Scope: at.scope, Name: name}
	if at.record != nil {
		a.origin.Record = at.record.id
	}
	a.Kind = n.attr("data-agent-kind")
	a.Primitive = primitive(n)
	a.Description = flat(n.attr("data-agent-description"))
	if a.Description == "" {
		a.undeclared = true
		a.Description = d.describe(n, name)
	}
	a.Unavailable, a.Reason = d.unavailable(n)
	if text, ok := n.lookup("data-agent-params"); ok {
		enc, err := records.ParseValue(nil, []byte(text))
		d.params(a, records.RawValue(enc), err)
	}
	d.acts = append(d.acts, a)
}

// describe returns a description for an action that declares none.
func (d *decoder) describe(n *node, name string) string {
	for _, s := range []string{d.ariaLabel(n), labelAttr(n, "title"), d.label(n), labelAttr(n, "placeholder")} {
		if s != "" {
			return s
		}
	}
	return name
}

// params sets an action's parameters, without which it cannot be used if they
// are broken.
func (d *decoder) params(a *action, v records.Value, err error) {
	if err == nil {
		var unchecked []string
		if unchecked, err = d.schemas.check(v); err == nil {
			a.Params = v
			for _, p := range unchecked {
				d.b.Diagnose(exposure.CodeUncheckedParams, a.origin.Name, "the pattern "+strconv.Quote(p)+" is accepted unchecked")
			}
			return
		}
		if v.Kind() == records.Object {
			a.Params = v
		}
	}
	d.b.Diagnose(exposure.CodeBadParams, a.origin.Name, err.Error())
	if !a.Unavailable {
		a.Unavailable, a.Reason = true, exposure.ReasonSchema
	}
}
