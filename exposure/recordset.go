package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A RecordSet exposes an app's own data as the records of a scope. All its
// functions but those named Run are called with the scope's locks held; they
// must neither lock them nor block.
type RecordSet[T any] struct {
	// All yields the data in order. What it yields is not kept.
	All func() iter.Seq[T]
	// ID returns a record's id, which must be unique in the scope and is never
	// empty.
	ID func(T) string
	// Replaces, if set, returns the id that a record had before, such as a
	// temporary one that a server has confirmed, or "".
	Replaces func(T) string
	// Fields are what is exposed of a record, in this order, and nothing else.
	Fields []Field[T]
	// Tools are actions that each record has.
	Tools []RecordTool[T]
}

// A Field is one exposed field of a record. Name and exactly one getter are
// required.
type Field[T any] struct {
	Name  string
	Text  func(T) string
	Int   func(T) int64
	Float func(T) float64 // finite
	Bool  func(T) bool
	// Any returns a value as [records.AppendAny] reads it. The zero
	// records.Value leaves the field out of this record.
	Any func(T) any

	Sensitive bool // masked
	Volatile  bool // changes by itself and is not compared
}

// A RecordTool is an action that each record of a set has; its id is the name,
// "@" and the record's id.
type RecordTool[T any] struct {
	Name        string
	Description func(T) string // required
	Kind        string
	Primitive   string // what it would be for a person, such as "click"; "" means "call"
	Params      any    // as Tool.Params

	// Available reports whether the action can be attempted on a record now, and
	// if not, why. nil means always.
	Available func(T) (ok bool, reason string)

	// Run is as Tool.Run. It gets the record's id rather than the record, which
	// may have changed since: it looks it up under its own lock.
	Run func(ctx context.Context, id string, params json.RawMessage) (any, error)

	// Expect, if set, returns what should come to hold for a record, nil for
	// nothing. It is called without locks, before Run.
	Expect func(id string) *Expect
}

// A source is a record set of any type.
type source interface {
	visit(v *visitor, h *Handle) error
	// find calls yield with the tool of that name on the record of that id.
	find(name, id string) (tool boundTool, found bool)
	names() []string
	sensitive() []string
	volatile() []string
	spec(name string) *recordTool
}

// A recordTool is what does not depend on the record.
type recordTool struct {
	name   string
	params records.Value
	schema *Schema
	run    func(ctx context.Context, id string, params json.RawMessage) (any, error)
	expect func(id string) *Expect
}

// A boundTool is a tool on a record as it is now.
type boundTool struct {
	description, reason string
	available           bool
	err                 error // of a function that panicked
}

type recordSet[T any] struct {
	RecordSet[T]
	tools []recordTool // like Tools
}

// DeclareRecords declares the records of a scope, or without a scope if in is a
// registry. A scope may have several sets. It fails with ErrDeclaration,
// ErrDuplicate, ErrSchema or ErrReleased, or with ctx's error if it has ended.
//
// Ids and values are the app's data; [Registry] says what becomes of those that
// break the rules.
func DeclareRecords[T any](ctx context.Context, in Container, set RecordSet[T]) (*Handle, error) {
	s := &recordSet[T]{RecordSet: set}
	if err := s.check(); err != nil {
		return nil, err
	}
	parent, err := parentOf(in)
	if err != nil {
		return nil, err
	}
	h := &Handle{reg: parent.reg, parent: parent, locks: parent.locks, source: s}
	r := h.reg
	err = r.declare(ctx, h, func() error {
		for _, other := range r.list {
			if other.source == nil || other.parent != parent {
				continue
			}
			for _, name := range s.names() {
				if slices.Contains(other.source.names(), name) {
					return fmt.Errorf("%w: action %q on records of scope %q", ErrDuplicate, name, h.scopeID())
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *recordSet[T]) check() error {
	switch {
	case s.All == nil:
		return fmt.Errorf("%w: records without All", ErrDeclaration)
	case s.ID == nil:
		return fmt.Errorf("%w: records without ID", ErrDeclaration)
	}
	seen := map[string]bool{}
	for _, f := range s.Fields {
		getters := 0
		for _, set := range []bool{f.Text != nil, f.Int != nil, f.Float != nil, f.Bool != nil, f.Any != nil} {
			if set {
				getters++
			}
		}
		switch {
		case f.Name == "":
			return fmt.Errorf("%w: a field has no name", ErrDeclaration)
		case seen[f.Name]:
			return fmt.Errorf("%w: field %q is declared twice", ErrDeclaration, f.Name)
		case getters != 1:
			return fmt.Errorf("%w: field %q has %d getters, not one", ErrDeclaration, f.Name, getters)
		}
		seen[f.Name] = true
	}
	for i := range s.Tools {
		t := &s.Tools[i]
		switch {
		case t.Name == "":
			return fmt.Errorf("%w: a tool of records has no name", ErrDeclaration)
		case slices.Contains(s.names()[:i], t.Name):
			return fmt.Errorf("%w: action %q", ErrDuplicate, t.Name)
		case t.Description == nil:
			return fmt.Errorf("%w: tool %q has no description", ErrDeclaration, t.Name)
		case t.Run == nil:
			return fmt.Errorf("%w: tool %q has no run function", ErrDeclaration, t.Name)
		}
		params, schema, err := declaredSchema(t.Params)
		if err != nil {
			return fmt.Errorf("tool %q: %w", t.Name, err)
		}
		s.tools = append(s.tools, recordTool{t.Name, params, schema, t.Run, t.Expect})
	}
	return nil
}

func (s *recordSet[T]) names() (list []string) {
	for i := range s.Tools {
		list = append(list, s.Tools[i].Name)
	}
	return list
}

func (s *recordSet[T]) sensitive() (list []string) {
	for _, f := range s.Fields {
		if f.Sensitive {
			list = append(list, f.Name)
		}
	}
	return list
}

func (s *recordSet[T]) volatile() (list []string) {
	for _, f := range s.Fields {
		if f.Volatile {
			list = append(list, f.Name)
		}
	}
	return list
}

func (s *recordSet[T]) spec(name string) *recordTool {
	for i := range s.tools {
		if s.tools[i].name == name {
			return &s.tools[i]
		}
	}
	return nil
}

func (s *recordSet[T]) visit(v *visitor, h *Handle) error {
	scope := h.scopeID()
	for item := range s.All() {
		if err := v.step(); err != nil {
			return err
		}
		id := s.ID(item)
		if id == "" {
			v.fault(CodeBadID, scope, "a record without an id is left out", fmt.Errorf("%w: it is empty", snapshot.ErrBadID))
			continue
		}
		if v.b != nil {
			s.row(v, scope, id, item)
		}
		for i := range s.Tools {
			t, bound := &s.Tools[i], s.bind(i, item)
			if strings.TrimSpace(bound.description) == "" {
				if bound.err == nil {
					bound.err = fmt.Errorf("%w: action %q of record %q has no description", ErrDeclaration, t.Name, id)
				}
				v.fault(CodeNoDescription, t.Name+"@"+id, "an action without a description is left out", bound.err)
				continue
			}
			if bound.err != nil {
				v.fault(CodeBadAvailable, t.Name+"@"+id, ReasonUnknown, bound.err)
			}
			v.add(h, Origin{Scope: scope, Record: id, Name: t.Name}, snapshot.Action{
				Name: t.Name, Description: bound.description, Kind: t.Kind, Primitive: primitive(t.Primitive),
				Unavailable: !bound.available, Reason: bound.reason, Params: s.tools[i].params,
				Scope: scope, Record: id,
			})
		}
	}
	return nil
}

func primitive(p string) string {
	if p == "" {
		return PrimitiveCall
	}
	return p
}

// PrimitiveCall is the primitive of function-level tools.
const PrimitiveCall = "call"

// bind returns tool i as it is on item now. A tool of which a function panics is
// not available.
func (s *recordSet[T]) bind(i int, item T) (b boundTool) {
	defer func() {
		if r := recover(); r != nil {
			b.available, b.reason, b.err = false, ReasonUnknown, panicked(r)
		}
	}()
	t := &s.Tools[i]
	b.description, b.available = t.Description(item), true
	if t.Available != nil {
		if b.available, b.reason = t.Available(item); b.available {
			b.reason = ""
		}
	}
	return b
}

func (s *recordSet[T]) find(name, id string) (tool boundTool, found bool) {
	for item := range s.All() {
		if s.ID(item) != id {
			continue
		}
		if found {
			tool.available, tool.reason = false, ReasonRepeated
			break
		}
		for i := range s.Tools {
			if s.Tools[i].Name == name {
				tool, found = s.bind(i, item), true
			}
		}
	}
	return tool, found
}

// row adds one record.
func (s *recordSet[T]) row(v *visitor, scope, id string, item T) {
	row := v.b.Record(scope, id)
	for i := 0; i < len(s.Fields); {
		i = s.fields(v, row, scope, id, item, i)
	}
	if s.Replaces != nil {
		if old := s.Replaces(item); old != "" && old != id {
			row.Replaces(old)
		}
	}
	row.End()
}

// fields adds the fields of one record from number i on and returns the number of
// the one to go on with: if a getter panics, of that behind it.
func (s *recordSet[T]) fields(v *visitor, row *snapshot.Row, scope, id string, item T, i int) (next int) {
	asking := true // a getter is at work
	defer func() {
		if !asking {
			return
		}
		if r := recover(); r != nil {
			v.badValue(scope, id, s.Fields[i].Name, panicked(r))
			next = i + 1
		}
	}()
	for ; i < len(s.Fields); i++ {
		asking = true
		switch f := &s.Fields[i]; {
		case f.Text != nil:
			text := f.Text(item)
			asking = false
			row.String(f.Name, text)
		case f.Int != nil:
			n := f.Int(item)
			asking = false
			row.Int(f.Name, n)
		case f.Float != nil:
			n := f.Float(item)
			asking = false
			if math.IsNaN(n) || math.IsInf(n, 0) {
				v.badValue(scope, id, f.Name, fmt.Errorf("%w: %v", records.ErrNumber, n))
				continue
			}
			row.Float(f.Name, n)
		case f.Bool != nil:
			is := f.Bool(item)
			asking = false
			row.Bool(f.Name, is)
		default:
			value := f.Any(item)
			asking = false
			if v, ok := value.(records.Value); ok && v.Kind() == records.Absent {
				continue
			}
			var err error
			if v.scratch, err = appendAny(v.scratch[:0], value); err != nil {
				v.badValue(scope, id, f.Name, err)
				continue
			}
			row.Value(f.Name, records.RawValue(v.scratch))
		}
	}
	return i
}

func (v *visitor) badValue(scope, id, field string, err error) {
	at := id + "/" + field
	if scope != "" {
		at = scope + "/" + at
	}
	message := "a value that is no JSON is left out"
	if errors.Is(err, ErrApp) {
		message = "a value whose function failed is left out"
	}
	v.fault(CodeBadValue, at, message, err)
}

// appendAny is records.AppendAny with panics of the value's own methods as errors.
func appendAny(dst []byte, value any) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = dst, panicked(r)
		}
	}()
	return records.AppendAny(dst, value)
}
