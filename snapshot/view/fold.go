package view

import (
	"bytes"
	"encoding/binary"

	"github.com/pagestate/pagestate/records"
)

// placeholder is where a record's id goes in the id of a template.
const placeholder = "{record}"

// An action is a row of the action table. Its parts alias the table.
type action struct {
	id, description, kind, primitive []byte
	available, params                records.Value
	scope, record                    []byte
}

// action reads action i without copying.
func (m *model) action(i int) (a action) {
	for name, v := range m.snap.ActionTable().All(i) {
		switch name {
		case "id":
			a.id = v.Text()
		case "description":
			a.description = v.Text()
		case "kind":
			a.kind = v.Text()
		case "primitive":
			a.primitive = v.Text()
		case "available":
			a.available = v
		case "params":
			a.params = v
		case "scope":
			a.scope = v.Text()
		case "record":
			a.record = v.Text()
		}
	}
	return a
}

// foldable returns a's id without its record's at the end, if what is left is a
// name and something that parts the two ("toggle@"). A "#" there only tells
// namesakes apart.
func (a *action) foldable() (prefix []byte, ok bool) {
	if len(a.record) == 0 || string(a.primitive) == "call" {
		return nil, false
	}
	prefix, ok = bytes.CutSuffix(a.id, a.record)
	if !ok || len(prefix) < 2 {
		return nil, false
	}
	switch prefix[len(prefix)-1] {
	case '@', '/', ':', '-', '_', '.', '=':
		return prefix, true
	}
	return nil, false
}

// A template stands for actions that differ in their record only.
type template struct {
	first   int    // the action that describes it
	prefix  []byte // of its id, before the record's
	varies  bool   // descriptions differ
	entries []*entry
	byState map[string]*entry
}

// An entry is the part of a template that has one availability.
type entry struct {
	of        *template
	available records.Value
	count     int    // actions it stands for
	sum       uint64 // of the digests of their records' keys
	first     []int  // the first of them
	all       bool   // they are those of all records of the scope, one each
	lead      bool   // it is the first of its template
}

// A folder folds the actions of a scope. The zero value is ready.
type folder struct {
	templates []*template
	byKey     map[string]*template
	entries   int
}

// collectActions folds what can be folded and lists the rest.
func (m *model) collectActions() {
	table := m.snap.ActionTable()
	m.actions = table.Len()
	var scope, key []byte
	number := -1
	for i := range table.Len() {
		a := m.action(i)
		if prefix, ok := a.foldable(); ok {
			if number < 0 || !bytes.Equal(scope, a.scope) {
				scope, number = a.scope, m.snap.Scope(string(a.scope))
			}
			if number >= 0 {
				if number < len(m.parts) {
					key = m.parts[number].add(m, i, &a, prefix, key)
				}
				continue
			}
		}
		if len(m.tools) <= m.budget/leastAction {
			m.tools = append(m.tools, i)
		}
	}
	m.findAll()
	for n := range m.parts {
		m.parts[n].listEntries()
	}
}

// add folds action i into a template of p, using key as its memory. An action
// that opens more entries than the budget could hold is not folded, and so counts
// as omitted.
func (p *part) add(m *model, i int, a *action, prefix, key []byte) []byte {
	f := &p.fold
	key = binary.AppendUvarint(key[:0], uint64(len(prefix)))
	key = append(key, prefix...)
	key = binary.AppendUvarint(key, uint64(len(a.kind)))
	key = append(key, a.kind...)
	key = append(key, a.params.Raw()...)
	t := f.byKey[string(key)]
	full := f.entries > m.budget/leastAction
	if t == nil {
		if full {
			return key
		}
		t = &template{first: i, prefix: prefix, byState: map[string]*entry{}}
		if f.byKey == nil {
			f.byKey = map[string]*template{}
		}
		f.byKey[string(key)] = t
		f.templates = append(f.templates, t)
	} else if !t.varies {
		t.varies = !bytes.Equal(a.description, m.action(t.first).description)
	}
	e := t.byState[string(a.available.Raw())]
	if e == nil {
		if full {
			return key
		}
		e = &entry{of: t, available: a.available}
		t.byState[string(a.available.Raw())] = e
		t.entries = append(t.entries, e)
		f.entries++
	}
	e.count++
	e.sum += records.KeyDigest(p.ID, string(a.record))
	if len(e.first) <= m.budget/leastID {
		e.first = append(e.first, i)
	}
	return key
}

// findAll finds the entries that stand for every record of their scope: as many
// as there are records, with the same sum of key digests. The digests are keyed
// by the process, so that equal sums of different keys cannot be arranged.
func (m *model) findAll() {
	var sums []uint64
	for n := range m.parts {
		p := &m.parts[n]
		for _, t := range p.fold.templates {
			for _, e := range t.entries {
				if e.count != p.Records || p.Untracked > 0 {
					continue
				}
				if sums == nil {
					sums = make([]uint64, len(m.snap.Scopes()))
					for i := range m.snap.Len() {
						sums[m.snap.ScopeNumber(i)] += m.snap.Table().Key(i)
					}
				}
				e.all = e.sum == sums[n]
			}
		}
	}
}

// listEntries orders the entries of each template: the available one, then by
// first appearance.
func (p *part) listEntries() {
	for _, t := range p.fold.templates {
		start := len(p.entries)
		for _, open := range []bool{true, false} {
			for _, e := range t.entries {
				if e.available.Bool() == open {
					p.entries = append(p.entries, e)
				}
			}
		}
		p.entries[start].lead = true
	}
}
