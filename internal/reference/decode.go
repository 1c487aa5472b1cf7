package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// object is a decoded JSON object. names keeps the order of its members.
type object struct {
	names   []string
	members map[string]any
}

// A capture is one decoded JSON capture. Lists keep document order.
type capture struct {
	url     string
	view    view
	scopes  []*scope // declared ones, then those that only have records
	records []*record
	actions []*action

	diagnostics []Diagnostic
}

type view struct {
	scopes map[string]bool // nil: all
	limit  int             // 0: none
}

type scope struct {
	id       string
	declared bool

	label, description, role, parent, state string

	volatile, sensitive map[string]bool
	unordered, inferred bool
	partial             bool
	ids                 string
	total, offset       *int
}

type record struct {
	id, scope string
	hasID     bool
	replaces  string // "": none
	names     []string
	fields    map[string]any

	// Set by matching.
	pair     *record // the same record on the other side
	moved    bool
	replaced bool
	inferred bool
	crossed  bool // unmatched, and may only have come into or gone out of view
}

type action struct {
	id                                 string
	description, kind, primitive, name string
	available                          string // "yes", "no", "because " + reason
	params                             []any  // none or one JSON value
	scope, record, group               string
	hasScope, hasRecord                bool

	bound      bool // it is about the record (boundScope, record)
	boundScope string

	pair *action
}

// decode reads one capture.
func decode(text []byte) (*capture, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := value(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("trailing data at %d", dec.InputOffset())
	}
	top, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("a capture is an object")
	}
	known := false
	for _, name := range []string{"format", "scopes", "records", "actions"} {
		if _, ok := top.members[name]; ok {
			known = true
		}
	}
	if !known {
		return nil, fmt.Errorf("no capture: none of format, scopes, records, actions")
	}

	c := new(capture)
	r := &reader{}
	if format := r.text(top, "", "format", ""); format != "" && format != "pagestate/1" && !strings.HasPrefix(format, "pagestate/1.") {
		r.fail("/format")
	}
	c.url = r.text(r.object(top, "", "page"), "/page", "url", "")
	c.view = r.view(top)
	for i, v := range r.list(top, "", "scopes") {
		c.addScope(r.scope(v, fmt.Sprintf("/scopes/%d", i)))
	}
	for i, v := range r.list(top, "", "records") {
		c.records = append(c.records, r.record(v, fmt.Sprintf("/records/%d", i), c))
	}
	for i, v := range r.list(top, "", "actions") {
		c.actions = append(c.actions, r.action(v, fmt.Sprintf("/actions/%d", i)))
	}
	if r.err != nil {
		return nil, r.err
	}
	c.finish()
	return c, nil
}

func (c *capture) addScope(s *scope) {
	if c.scope(s.id) != nil {
		c.diagnose("duplicate-scope", s.id)
		return
	}
	c.scopes = append(c.scopes, s)
}

// scope returns the scope of that id, or nil.
func (c *capture) scope(id string) *scope {
	for _, s := range c.scopes {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (c *capture) diagnose(code, at string) {
	d := Diagnostic{Code: code, At: at}
	for _, old := range c.diagnostics {
		if old == d {
			return
		}
	}
	c.diagnostics = append(c.diagnostics, d)
}

// finish adds the scopes that only have records, names the duplicates and
// makes the shown ids of actions distinct.
func (c *capture) finish() {
	seen := map[[2]string]bool{}
	for _, r := range c.records {
		if c.scope(r.scope) == nil {
			c.scopes = append(c.scopes, &scope{id: r.scope, state: "active"})
		}
		if !r.hasID {
			continue
		}
		if seen[[2]string{r.scope, r.id}] {
			c.diagnose("duplicate-id", path(r.scope, r.id))
		}
		seen[[2]string{r.scope, r.id}] = true
	}

	taken := map[string]bool{}
	for _, a := range c.actions {
		taken[a.id] = true
	}
	used := map[string]bool{}
	var origins []action // those before, by what matchActions compares
	for _, a := range c.actions {
		same := func(b action) bool {
			return b.group == a.group && b.scope == a.scope && b.record == a.record && b.name == a.name
		}
		again := slices.ContainsFunc(origins, same)
		origins = append(origins, *a)
		if !used[a.id] {
			used[a.id] = true
			if again {
				c.diagnose("duplicate-id", a.id) // one origin under two ids
			}
			continue
		}
		c.diagnose("duplicate-id", a.id)
		for n := 2; ; n++ {
			if id := fmt.Sprintf("%s#%d", a.id, n); !taken[id] {
				a.id = id
				taken[id] = true
				break
			}
		}
	}
}

func path(scope, id string) string {
	if scope == "" {
		return id
	}
	return scope + "/" + id
}

// value reads one JSON value: nil, bool, Number, string, []any (never nil) or
// object.
func value(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return Number(t), nil
	case json.Delim:
		if t == '[' {
			list := []any{}
			for dec.More() {
				v, err := value(dec)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err := dec.Token()
			return list, err
		}
		o := object{members: map[string]any{}}
		for dec.More() {
			t, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name := t.(string)
			if _, ok := o.members[name]; ok {
				return nil, fmt.Errorf("repeated member %q at %d", name, dec.InputOffset())
			}
			v, err := value(dec)
			if err != nil {
				return nil, err
			}
			o.names = append(o.names, name)
			o.members[name] = v
		}
		_, err := dec.Token()
		return o, err
	}
	return t, nil
}

// plain turns objects into maps, for comparing.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, plain(e))
		}
		return list
	case object:
		m := map[string]any{}
		for name, e := range v.members {
			m[name] = plain(e)
		}
		return m
	}
	return v
}

// A reader picks typed members out of objects and keeps the first error.
type reader struct {
	err error
}

func (r *reader) fail(pointer string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: wrong value", pointer)
	}
}

func (r *reader) text(o object, at, name, absent string) string {
	v, ok := o.members[name]
	if !ok {
		return absent
	}
	s, ok := v.(string)
	if !ok {
		r.fail(at + "/" + name)
	}
	return s
}

// id reads an identity: text, or an integer literal.
func (r *reader) id(o object, at, name string) (string, bool) {
	v, ok := o.members[name]
	if !ok {
		return "", false
	}
	switch v := v.(type) {
	case string:
		if v == "" {
			r.fail(at + "/" + name)
		}
		return v, true
	case Number:
		if strings.ContainsAny(string(v), ".eE") {
			r.fail(at + "/" + name)
		}
		if v == "-0" {
			return "0", true
		}
		return string(v), true
	}
	r.fail(at + "/" + name)
	return "", false
}

// reference reads an identity that may also be the empty text.
func (r *reader) reference(o object, at, name string) (string, bool) {
	if o.members[name] == "" {
		return "", true
	}
	return r.id(o, at, name)
}

func (r *reader) list(o object, at, name string) []any {
	v, ok := o.members[name]
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		r.fail(at + "/" + name)
	}
	return list
}

func (r *reader) object(o object, at, name string) object {
	v, ok := o.members[name]
	if !ok {
		return object{}
	}
	child, ok := v.(object)
	if !ok {
		r.fail(at + "/" + name)
	}
	return child
}

func (r *reader) set(o object, at, name string) map[string]bool {
	set := map[string]bool{}
	for _, v := range r.list(o, at, name) {
		s, ok := v.(string)
		if !ok {
			r.fail(at + "/" + name)
		}
		set[s] = true
	}
	return set
}

func (r *reader) flag(o object, at, name string) bool {
	v, ok := o.members[name]
	if !ok {
		return false
	}
	b, ok := v.(bool)
	if !ok {
		r.fail(at + "/" + name)
	}
	return b
}

func (r *reader) count(o object, at, name string) *int {
	v, ok := o.members[name]
	if !ok {
		return nil
	}
	number, ok := v.(Number)
	n := 0
	if _, err := fmt.Sscanf(string(number), "%d", &n); !ok || err != nil || n < 0 || fmt.Sprint(n) != string(number) {
		r.fail(at + "/" + name)
	}
	return &n
}

func (r *reader) view(top object) view {
	o := r.object(top, "", "view")
	var v view
	if _, ok := o.members["scopes"]; ok {
		v.scopes = r.set(o, "/view", "scopes")
	}
	if n := r.count(o, "/view", "limit"); n != nil {
		v.limit = *n
	}
	return v
}

func (r *reader) scope(v any, at string) *scope {
	o, ok := v.(object)
	if !ok {
		r.fail(at)
	}
	s := &scope{declared: true}
	if s.id, ok = r.id(o, at, "id"); !ok {
		r.fail(at + "/id")
	}
	s.label = r.text(o, at, "label", "")
	s.description = r.text(o, at, "description", "")
	s.role = r.text(o, at, "role", "")
	s.parent, _ = r.reference(o, at, "parent")
	s.state = r.text(o, at, "state", "active")
	s.volatile = r.set(o, at, "volatile")
	s.sensitive = r.set(o, at, "sensitive")
	s.unordered = r.flag(o, at, "unordered")
	s.inferred = r.flag(o, at, "inferred")
	s.ids = r.text(o, at, "ids", "")
	s.total = r.count(o, at, "total")
	s.offset = r.count(o, at, "offset")
	s.partial = r.flag(o, at, "partial") && s.total == nil
	return s
}

func (r *reader) record(v any, at string, c *capture) *record {
	o, ok := v.(object)
	if !ok {
		r.fail(at)
	}
	rec := &record{fields: map[string]any{}}
	rec.scope, _ = r.reference(o, at, "scope")
	rec.id, rec.hasID = r.id(o, at, "id")
	if s := c.scope(rec.scope); !rec.hasID && (s == nil || !s.inferred) {
		r.fail(at + "/id")
	}
	rec.replaces, _ = r.id(o, at, "replaces")
	fields := r.object(o, at, "fields")
	for _, name := range fields.names {
		rec.names = append(rec.names, name)
		rec.fields[name] = plain(fields.members[name])
	}
	return rec
}

func (r *reader) action(v any, at string) *action {
	o, ok := v.(object)
	if !ok {
		r.fail(at)
	}
	a := new(action)
	if a.id, ok = r.id(o, at, "id"); !ok {
		r.fail(at + "/id")
	}
	a.description = r.text(o, at, "description", "")
	a.kind = r.text(o, at, "kind", "")
	a.primitive = r.text(o, at, "primitive", "")
	a.scope, a.hasScope = r.reference(o, at, "scope")
	a.record, a.hasRecord = r.reference(o, at, "record")
	a.hasRecord = a.hasRecord && a.record != ""
	a.group = r.text(o, at, "group", "")
	switch v, ok := o.members["available"]; {
	case !ok || v == true:
		a.available = "yes"
	case v == false || v == "":
		a.available = "no"
	default:
		reason, ok := v.(string)
		if !ok {
			r.fail(at + "/available")
		}
		a.available = "because " + reason
	}
	if v, ok := o.members["params"]; ok {
		a.params = []any{plain(v)}
	}

	// The name inside an origin: declared, or the id without the record.
	a.name = a.id
	if a.hasRecord {
		if short, ok := strings.CutSuffix(a.id, "@"+a.record); ok {
			a.name = short
		} else if short, ok := strings.CutSuffix(a.id, "@"+a.scope+"/"+a.record); ok && a.scope != "" {
			a.name = short
		}
	}
	a.name = r.text(o, at, "name", a.name)
	return a
}
