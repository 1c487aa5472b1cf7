package capture

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// text reads a string.
func (d *Decoder) text() (string, error) {
	if d.scan.Peek() != '"' {
		return "", d.wrongType("a string")
	}
	text, err := d.scan.Text()
	return string(text), err
}

// texts reads an array of strings.
func (d *Decoder) texts() ([]string, error) {
	list := []string{}
	err := d.list("", func() error {
		text, err := d.text()
		list = append(list, text)
		return err
	})
	return list, err
}

// flag reads a boolean.
func (d *Decoder) flag() (bool, error) {
	c := d.scan.Peek()
	if c != 't' && c != 'f' {
		return false, d.wrongType("a boolean")
	}
	return c == 't', d.scan.Skip()
}

// count reads an integer literal from 0 to snapshot.MaxTotal.
func (d *Decoder) count() (int64, error) {
	s := &d.scan
	c := s.Peek()
	if c != '-' && (c < '0' || c > '9') {
		return 0, d.wrongType("a non-negative integer")
	}
	at := s.Offset()
	lit, err := s.Literal()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(lit[:min(len(lit), 20)]), 10, 64)
	if err != nil || n < 0 || len(lit) > 20 {
		return 0, &records.PosError{Offset: at, Err: ErrType, Detail: shown(string(lit)) + ", want a non-negative integer"}
	}
	if n > snapshot.MaxTotal {
		return 0, &records.PosError{Offset: at, Err: ErrType, Detail: fmt.Sprintf("%d, want at most %d", n, int64(snapshot.MaxTotal))}
	}
	return n, nil
}

func (d *Decoder) countTo(p **int64) error {
	n, err := d.count()
	*p = &n
	return err
}

// appendID reads an id and appends it to dst[:0].
func (d *Decoder) appendID(dst []byte) ([]byte, error) {
	s := &d.scan
	c := s.Peek()
	at := s.Offset()
	bad := func(what string) error {
		return &records.PosError{Offset: at, Err: ErrBadID, Detail: what + ", want text or an integer"}
	}
	switch {
	case c == '"':
		text, err := s.Text()
		if err == nil && len(text) == 0 {
			err = bad("empty text")
		}
		return append(dst[:0], text...), err
	case c == '-' || '0' <= c && c <= '9':
		lit, err := s.Literal()
		switch {
		case err != nil:
			return dst, err
		case bytes.ContainsAny(lit, ".eE"):
			return dst, bad("a number with a fraction or an exponent")
		case string(lit) == "-0":
			lit = lit[1:]
		}
		return append(dst[:0], lit...), nil
	}
	if err := s.Skip(); err != nil {
		return dst, err
	}
	return dst, bad(kindAt(c))
}

// appendReference is appendID for the id of a scope, which may be "".
func (d *Decoder) appendReference(dst []byte) ([]byte, error) {
	s := &d.scan
	if s.Peek() == '"' {
		text, err := s.Text()
		return append(dst[:0], text...), err
	}
	return d.appendID(dst)
}

func (d *Decoder) idTo(p *string) (err error) {
	d.id, err = d.appendID(d.id)
	*p = string(d.id)
	return err
}

func (d *Decoder) referenceTo(p *string) (err error) {
	d.id, err = d.appendReference(d.id)
	*p = string(d.id)
	return err
}

var pageMembers = []string{"url", "title"}

func (d *Decoder) page() error {
	var p snapshot.Page
	d.broken = false
	_, err := d.object(pageMembers, func(name string) (err error) {
		switch name {
		case "url":
			p.URL, err = d.text()
		case "title":
			p.Title, err = d.text()
		}
		return err
	})
	if err != nil {
		return err
	}
	if d.broken {
		d.out.DiagnoseRepaired("/page")
	}
	d.out.Page(p)
	return nil
}

var viewMembers = []string{"scopes", "limit"}

func (d *Decoder) view() error {
	var v snapshot.View
	d.broken = false
	_, err := d.object(viewMembers, func(name string) (err error) {
		switch name {
		case "scopes":
			v.Scopes = []string{}
			return d.list("", func() error {
				var id string
				err := d.referenceTo(&id)
				v.Scopes = append(v.Scopes, id)
				return err
			})
		case "limit":
			v.Limit, err = d.count()
		}
		return err
	})
	if err != nil {
		return err
	}
	if d.broken {
		d.out.DiagnoseRepaired("/view")
	}
	d.out.View(v)
	return nil
}

var scopeMembers = []string{"id", "label", "description", "role", "parent", "state", "volatile",
	"unordered", "sensitive", "ids", "total", "offset", "inferred", "partial"}

func (d *Decoder) declareScope() error {
	var sc snapshot.Scope
	d.broken = false
	d.scan.Peek()
	start := d.scan.Offset()
	seen, err := d.object(scopeMembers, func(name string) (err error) {
		switch name {
		case "id":
			return d.referenceTo(&sc.ID)
		case "label":
			sc.Label, err = d.text()
		case "description":
			sc.Description, err = d.text()
		case "role":
			sc.Role, err = d.text()
		case "parent":
			return d.referenceTo(&sc.Parent)
		case "state":
			var text string
			text, err = d.text()
			sc.State = snapshot.State(text)
		case "volatile":
			sc.Volatile, err = d.texts()
		case "unordered":
			sc.Unordered, err = d.flag()
		case "sensitive":
			sc.Sensitive, err = d.texts()
		case "ids":
			sc.IDs, err = d.text()
		case "total":
			return d.countTo(&sc.Total)
		case "offset":
			return d.countTo(&sc.Offset)
		case "inferred":
			sc.Inferred, err = d.flag()
		case "partial":
			sc.Partial, err = d.flag()
		}
		return err
	})
	if err != nil {
		return err
	}
	if seen&1 == 0 {
		return missingID(start)
	}
	switch sc.State {
	case "", snapshot.Active, snapshot.Inactive, snapshot.Covered:
	default:
		d.out.Diagnose(CodeBadState, sc.ID, "the state is none of active, inactive and covered")
	}
	if d.broken {
		d.out.DiagnoseRepaired(sc.ID)
	}
	d.out.Scope(sc)
	if _, dup := d.inferred[sc.ID]; !dup {
		if d.inferred == nil {
			d.inferred = map[string]bool{}
		}
		d.inferred[sc.ID] = sc.Inferred
	}
	return nil
}

// missingID reports an object at offset start without an id.
func missingID(start int) error {
	return (&records.PosError{Offset: start, Err: ErrBadID, Detail: "missing"}).Within("id")
}

var actionMembers = []string{"id", "description", "kind", "primitive", "available", "params",
	"scope", "record", "group", "name"}

func (d *Decoder) action() error {
	var a snapshot.Action
	d.broken = false
	d.scan.Peek()
	start := d.scan.Offset()
	seen, err := d.object(actionMembers, func(name string) (err error) {
		switch name {
		case "id":
			return d.idTo(&a.ID)
		case "description":
			a.Description, err = d.text()
		case "kind":
			a.Kind, err = d.text()
		case "primitive":
			a.Primitive, err = d.text()
		case "available":
			return d.available(&a)
		case "params":
			d.params, err = d.scan.AppendValue(d.params[:0])
			a.Params = records.RawValue(d.params)
		case "scope":
			return d.referenceTo(&a.Scope)
		case "record":
			return d.idTo(&a.Record)
		case "group":
			a.Group, err = d.text()
		case "name":
			a.Name, err = d.text()
		}
		return err
	})
	if err != nil {
		return err
	}
	if seen&1 == 0 {
		return missingID(start)
	}
	if a.Description == "" {
		d.out.Diagnose(CodeNoDescription, a.ID, "the action has no description")
	}
	if k := a.Params.Kind(); k != records.Absent && k != records.Object {
		d.out.Diagnose(CodeBadParams, a.ID, "params is no JSON Schema: "+k.String()+", want an object")
	}
	if d.broken {
		d.out.DiagnoseRepaired(a.ID)
	}
	d.out.Action(a)
	return nil
}

func (d *Decoder) available(a *snapshot.Action) (err error) {
	switch d.scan.Peek() {
	case 't', 'f':
		var ok bool
		ok, err = d.flag()
		a.Unavailable = !ok
	case '"':
		a.Unavailable = true
		a.Reason, err = d.text()
	default:
		return d.wrongType("a boolean or a string")
	}
	return err
}

// untracked reads the numbers of records, by scope, that were not kept.
func (d *Decoder) untracked() error {
	s := &d.scan
	if s.Peek() != '{' {
		return d.wrongType("an object")
	}
	if err := s.Begin('{'); err != nil {
		return err
	}
	frame := d.openMembers()
	for i := 0; ; i++ {
		name, ok, err := s.NextName(i == 0)
		if err != nil {
			return err
		}
		if !ok {
			return d.closeMembers(frame)
		}
		if i >= d.most {
			return within(d.tooMany("scopes"), string(name))
		}
		d.note(name)
		scope := string(name)
		if s.Repaired() {
			d.out.DiagnoseRepaired(scope)
		}
		n, err := d.count()
		if err != nil {
			return within(err, scope)
		}
		d.out.Untracked(scope, n)
	}
}
