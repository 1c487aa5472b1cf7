// Package pagetest makes pages for tests: a seeded generator, a mutator that
// turns one page into the next by a small edit script, other spellings of the
// same capture, and the laws that evidence must satisfy.
//
// Two independent random pages are almost never alike, so that comparing them
// tests nothing: pairs are always made by mutating one page.
//
// Everything is a function of the random source given. A *rand.Rand must not
// be used by two goroutines at once; nothing else here has state.
package pagetest

import (
	"bytes"
	"slices"
	"strconv"
)

// A Page is a capture as a model. The zero value is an empty capture.
type Page struct {
	URL, Title, Document string
	View                 *View
	Scopes               []Scope
	Records              []Record
	Actions              []Action
}

// A View is the filter and limit of a capture.
type View struct {
	Scopes []string // nil: all
	Limit  int      // 0: none
}

// A Scope is a declared scope.
type Scope struct {
	ID, Label, Description, Role, Parent, State string

	Volatile, Sensitive []string
	Unordered, Inferred bool
	IDs                 string
	Total, Offset       *int
	Partial             bool
}

// A Record is one row. An empty ID means none, which only an inferred scope may
// have.
type Record struct {
	ID, Scope, Replaces string
	Fields              []Member
}

// An Action is one action. Available, Params and Scope are absent when nil.
type Action struct {
	ID, Name, Group, Description, Kind, Primitive string

	Available any // bool or string
	Params    []any
	Scope     *string
	Record    string
}

// Values are nil, bool, Number, string, []any and Object.
type (
	// A Number is the literal of a JSON number.
	Number string
	// An Object keeps its members in order; their names are distinct.
	Object []Member
	// A Member is one name and value of an object, or one field of a record.
	Member struct {
		Name  string
		Value any
	}
)

// Clone returns a deep copy of p.
func (p Page) Clone() Page {
	if p.View != nil {
		v := View{slices.Clone(p.View.Scopes), p.View.Limit}
		p.View = &v
	}
	p.Scopes = slices.Clone(p.Scopes)
	for i := range p.Scopes {
		s := &p.Scopes[i]
		s.Volatile, s.Sensitive = slices.Clone(s.Volatile), slices.Clone(s.Sensitive)
		s.Total, s.Offset = cloneInt(s.Total), cloneInt(s.Offset)
	}
	p.Records = slices.Clone(p.Records)
	for i := range p.Records {
		p.Records[i] = p.Records[i].clone()
	}
	p.Actions = slices.Clone(p.Actions)
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Params != nil {
			a.Params = cloneValue(a.Params).([]any)
		}
		if a.Scope != nil {
			scope := *a.Scope
			a.Scope = &scope
		}
	}
	return p
}

func (r Record) clone() Record {
	r.Fields = []Member(cloneValue(Object(r.Fields)).(Object))
	return r
}

func cloneInt(n *int) *int {
	if n == nil {
		return nil
	}
	c := *n
	return &c
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneValue(e)
		}
		return c
	case Object:
		c := make(Object, len(v))
		for i, m := range v {
			c[i] = Member{m.Name, cloneValue(m.Value)}
		}
		return c
	}
	return v
}

// JSON returns p as a JSON capture in one plain spelling.
func (p Page) JSON() []byte {
	var b bytes.Buffer
	plainSpelling.write(&b, p.tree(), inTop)
	return b.Bytes()
}

// tree returns the capture as one value, members that say nothing left out.
func (p Page) tree() Object {
	top := Object{{"format", "pagestate/1"}}
	var page Object
	page.text("url", p.URL)
	page.text("title", p.Title)
	page.text("document", p.Document)
	if len(page) > 0 {
		top = append(top, Member{"page", page})
	}
	if p.View != nil {
		view := Object{}
		view.texts("scopes", p.View.Scopes)
		if p.View.Limit > 0 {
			view = append(view, Member{"limit", Number(strconv.Itoa(p.View.Limit))})
		}
		top = append(top, Member{"view", view})
	}
	var scopes, records, actions []any
	for _, s := range p.Scopes {
		scopes = append(scopes, s.tree())
	}
	for _, r := range p.Records {
		records = append(records, r.tree())
	}
	for _, a := range p.Actions {
		actions = append(actions, a.tree())
	}
	for _, list := range []struct {
		name   string
		values []any
	}{{"scopes", scopes}, {"records", records}, {"actions", actions}} {
		if len(list.values) > 0 {
			top = append(top, Member{list.name, list.values})
		}
	}
	return top
}

func (s Scope) tree() Object {
	o := Object{{"id", s.ID}}
	o.text("label", s.Label)
	o.text("description", s.Description)
	o.text("role", s.Role)
	o.text("parent", s.Parent)
	o.text("state", s.State)
	o.texts("volatile", s.Volatile)
	o.texts("sensitive", s.Sensitive)
	o.flag("unordered", s.Unordered)
	o.flag("inferred", s.Inferred)
	o.text("ids", s.IDs)
	o.count("total", s.Total)
	o.count("offset", s.Offset)
	o.flag("partial", s.Partial)
	return o
}

func (r Record) tree() Object {
	var o Object
	o.text("id", r.ID)
	o.text("scope", r.Scope)
	o.text("replaces", r.Replaces)
	if len(r.Fields) > 0 {
		o = append(o, Member{"fields", Object(r.Fields)})
	}
	return o
}

func (a Action) tree() Object {
	o := Object{{"id", a.ID}, {"description", a.Description}}
	o.text("name", a.Name)
	o.text("group", a.Group)
	o.text("kind", a.Kind)
	o.text("primitive", a.Primitive)
	if a.Available != nil {
		o = append(o, Member{"available", a.Available})
	}
	if a.Params != nil {
		o = append(o, Member{"params", a.Params[0]})
	}
	if a.Scope != nil {
		o = append(o, Member{"scope", *a.Scope})
	}
	o.text("record", a.Record)
	return o
}

func (o *Object) text(name, value string) {
	if value != "" {
		*o = append(*o, Member{name, value})
	}
}

func (o *Object) texts(name string, values []string) {
	if values == nil {
		return
	}
	list := []any{}
	for _, v := range values {
		list = append(list, v)
	}
	*o = append(*o, Member{name, list})
}

func (o *Object) flag(name string, value bool) {
	if value {
		*o = append(*o, Member{name, true})
	}
}

func (o *Object) count(name string, n *int) {
	if n != nil {
		*o = append(*o, Member{name, Number(strconv.Itoa(*n))})
	}
}
