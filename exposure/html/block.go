package html

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

var errShape = errors.New("wrong type")

// A member is a part of JSON text that is known to be valid.
type member struct {
	name string // in an object
	text []byte
}

// parts returns the members of an object or the elements of an array.
func parts(text []byte, open byte) (list []member, err error) {
	var s records.Scanner
	s.Reset(text, 0)
	if c := s.Peek(); c != open {
		want := "an object"
		if open == '[' {
			want = "an array"
		}
		return nil, fmt.Errorf("%w: not %s", errShape, want)
	}
	if err := s.Begin(open); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		var m member
		var ok bool
		if open == '{' {
			var name []byte
			name, ok, err = s.NextName(first)
			m.name = string(name)
		} else {
			ok, err = s.Next(first)
		}
		if err != nil || !ok {
			return list, err
		}
		s.Peek()
		start := s.Offset()
		if err := s.Skip(); err != nil {
			return nil, err
		}
		m.text = text[start:s.Offset()]
		list = append(list, m)
	}
}

// block merges in what a script block declares. A block that is not JSON, or a
// list in it of the wrong shape, is diagnosed as unread: nobody can tell what it
// declares. Of a list, an element of the wrong shape is left out and diagnosed by
// its pointer. What a provider of tools found is no declaration; it spoils no more
// than itself.
func (d *decoder) block(n *node) {
	text := []byte(rawText(n))
	where := n.name()
	fail := func(at string, err error) {
		d.b.Diagnose(exposure.CodeBadExposure, at, "left out: "+err.Error())
	}
	unread := func(at string, err error) {
		if at == "" {
			at = where
		}
		if d.live != nil && n.attr("data-agent-exposure") == LiveTools {
			fail(at, err)
			return
		}
		d.b.Diagnose(exposure.CodeUnreadExposure, at, err.Error())
	}
	var s records.Scanner
	s.Reset(text, 0)
	if err := s.Skip(); err != nil {
		unread("", err)
		return
	}
	if err := s.End(); err != nil {
		unread("", err)
		return
	}
	top, err := parts(text, '{')
	if err != nil {
		unread("", err)
		return
	}
	known := false
	for _, m := range top {
		var each func(string, []byte) error
		switch m.name {
		case "format":
			known = true
			if f, err := text1(m.text); err != nil || f != "pagestate/1" && !strings.HasPrefix(f, "pagestate/1.") {
				unread("/format", errors.New("another format than pagestate/1"))
				return
			}
		case "scopes":
			each = d.blockScope
		case "records":
			each = d.blockRecord
		case "actions":
			each = func(at string, text []byte) error { return d.blockAction(n, at, text) }
		case "diagnostics":
			if d.live != nil {
				each = d.blockDiagnostic
			}
		}
		if each == nil {
			continue
		}
		known = true
		list, err := parts(m.text, '[')
		if err != nil {
			unread("/"+m.name, err)
			continue
		}
		for i, el := range list {
			at := "/" + m.name + "/" + strconv.Itoa(i)
			if err := each(at, el.text); err != nil {
				fail(at, err)
			}
		}
	}
	if !known {
		unread("", errors.New("no scopes, records or actions"))
	}
}

// text1 reads a string.
func text1(text []byte) (string, error) {
	var s records.Scanner
	s.Reset(text, 0)
	if s.Peek() != '"' {
		return "", fmt.Errorf("%w: not a string", errShape)
	}
	t, err := s.Text()
	return string(t), err
}

// idText reads an id: text, or an integer as its decimal text.
func idText(text []byte) (string, error) {
	if len(text) > 0 && text[0] == '"' {
		return text1(text)
	}
	if digits := bytes.TrimPrefix(text, []byte("-")); len(digits) > 0 && len(bytes.Trim(digits, "0123456789")) == 0 {
		if string(text) == "-0" {
			return "0", nil
		}
		return string(text), nil
	}
	return "", nil
}

func names(text []byte) (list []string, err error) {
	els, err := parts(text, '[')
	if err != nil {
		return nil, err
	}
	for _, el := range els {
		s, err := text1(el.text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func flagOf(text []byte) (bool, error) {
	switch string(text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%w: not true or false", errShape)
}

func countOf(text []byte) (*int64, error) {
	i, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || i < 0 {
		return nil, fmt.Errorf("%w: not a count", errShape)
	}
	return &i, nil
}

func (d *decoder) blockScope(at string, text []byte) error {
	list, err := parts(text, '{')
	if err != nil {
		return err
	}
	var sc snapshot.Scope
	known := false
	for _, m := range list {
		switch m.name {
		case "id":
			sc.ID, err = idText(m.text)
			known = err == nil
		case "label":
			sc.Label, err = text1(m.text)
		case "description":
			sc.Description, err = text1(m.text)
		case "role":
			sc.Role, err = text1(m.text)
		case "parent":
			sc.Parent, err = text1(m.text)
		case "state":
			var state string
			state, err = text1(m.text)
			sc.State = snapshot.State(state)
		case "ids":
			sc.IDs, err = text1(m.text)
		case "volatile":
			sc.Volatile, err = names(m.text)
		case "sensitive":
			sc.Sensitive, err = names(m.text)
		case "unordered":
			sc.Unordered, err = flagOf(m.text)
		case "total":
			if sc.Total, err = countOf(m.text); err != nil {
				sc.Partial = true
			}
		case "offset":
			sc.Offset, err = countOf(m.text)
		case "partial":
			sc.Partial, err = flagOf(m.text)
		}
		if err != nil && (m.name == "total" || m.name == "offset") {
			d.b.Diagnose(exposure.CodeBadExposure, at+"/"+m.name, "left out: "+err.Error())
			err = nil // the scope is there all the same
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if !known {
		return errors.New("a scope without an id")
	}
	d.mergeScope(sc)
	return nil
}

// mergeScope adds what a block says of a scope: an element of the same scope
// comes first, and what it leaves open the block fills in.
func (d *decoder) mergeScope(sc snapshot.Scope) {
	if d.blockScopes[sc.ID] != nil {
		d.b.Diagnose(snapshot.CodeDuplicateScope, sc.ID, "scope declared twice; the first declaration stands")
		return
	}
	d.region(sc.ID) // keeps its place in the order
	if d.blockScopes == nil {
		d.blockScopes = map[string]*snapshot.Scope{}
	}
	d.blockScopes[sc.ID] = &sc
}

// fill sets what r leaves open to what sc says.
func (r *region) fill(sc *snapshot.Scope) {
	set := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	set(&r.Label, sc.Label)
	set(&r.Description, sc.Description)
	set(&r.Role, sc.Role)
	set(&r.Parent, sc.Parent)
	set(&r.IDs, sc.IDs)
	if r.State == "" {
		r.State = sc.State
	}
	if r.Volatile == nil {
		r.Volatile = sc.Volatile
	}
	r.Sensitive = append(r.Sensitive, sc.Sensitive...)
	r.Unordered = r.Unordered || sc.Unordered
	if r.Total == nil {
		r.Total = sc.Total
	}
	r.Partial = r.Partial || sc.Partial
	if r.Offset == nil {
		r.Offset = sc.Offset
	}
}

func (d *decoder) blockRecord(_ string, text []byte) error {
	list, err := parts(text, '{')
	if err != nil {
		return err
	}
	r := &record{}
	for _, m := range list {
		switch m.name {
		case "id":
			r.id, err = idText(m.text)
		case "scope":
			r.scope, err = text1(m.text)
		case "replaces":
			r.replaces, err = idText(m.text)
		case "fields":
			r.fields, err = blockFields(m.text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if r.id == "" {
		d.region(r.scope).bad++
		return nil
	}
	d.region(r.scope)
	d.recs = append(d.recs, r)
	return nil
}

func blockFields(text []byte) (fields []field, err error) {
	list, err := parts(text, '{')
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		v, err := records.ParseValue(nil, m.text)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{name: m.name, value: v})
	}
	return fields, nil
}

func (d *decoder) blockAction(n *node, _ string, text []byte) error {
	list, err := parts(text, '{')
	if err != nil {
		return err
	}
	a := &action{}
	var params []byte
	for _, m := range list {
		switch m.name {
		case "id":
			a.ID, err = idText(m.text)
		case "group":
			a.Group, err = text1(m.text)
		case "name":
			a.Name, err = text1(m.text)
		case "description":
			a.Description, err = text1(m.text)
		case "kind":
			a.Kind, err = text1(m.text)
		case "primitive":
			a.Primitive, err = text1(m.text)
		case "scope":
			a.Scope, err = text1(m.text)
		case "record":
			a.Record, err = idText(m.text)
		case "available":
			if len(m.text) > 0 && m.text[0] == '"' {
				a.Unavailable = true
				a.Reason, err = text1(m.text)
			} else {
				a.Unavailable, err = flagOf(m.text)
				a.Unavailable = !a.Unavailable
			}
		case "params":
			params = m.text
		case "element":
			a.onElement, err = flagOf(m.text)
		case "run":
			a.runs, err = flagOf(m.text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if a.ID == "" {
		return errors.New("an action without an id")
	}
	if a.Group == "" {
		a.Group = n.group
	}
	a.origin = exposure.Origin{Group: a.Group, Scope: a.Scope, Record: a.Record, Name: a.BareName()}
	if a.Description == "" && !a.onElement {
		a.undeclared, a.Description = true, a.origin.Name
	}
	if params != nil {
		enc, err := records.ParseValue(nil, params)
		d.params(a, records.RawValue(enc), err)
	}
	d.acts = append(d.acts, a)
	return nil
}
