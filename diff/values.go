package diff

import (
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// This file writes values: what fields changed from and to, and what added
// records hold.

// value writes v as member name, or its head as member nameCut.
func (e *encoder) value(name string, v records.Value) {
	var text string
	switch v.Kind() {
	case records.Absent:
		return
	case records.String:
		text = string(v.Text())
		if size, cut := v.Cut(); cut { // only its head is at hand
			e.comma()
			e.buf = append(append(append(e.buf, '"'), name...), `Cut":`...)
			e.head(text[:safetext.Head(text, e.MaxValueBytes)], int(size))
			return
		}
		if len(text) > e.MaxValueBytes {
			e.textOrHead(name, text, e.MaxValueBytes)
			return
		}
	default:
		if len(v.Raw()) > e.MaxValueBytes/2 {
			if text = string(records.AppendJSON(nil, v)); len(text) > e.MaxValueBytes {
				e.textOrHead(name, text, e.MaxValueBytes)
				return
			}
		}
	}
	e.name(name)
	e.buf = records.AppendJSON(e.buf, v)
}

// recordValues writes the fields of an added record.
func (e *encoder) recordValues(r snapshot.Record) {
	type cutValue struct {
		name, head string
		bytes      int
	}
	var cut []cutValue
	more := 0
	shown := 0
	e.name("values")
	e.begin('{')
	for name, v := range r.Fields() {
		v = e.c.d.shown(r.Scope(), name, v)
		if shown == e.MaxFields || len(name) > e.MaxIDBytes {
			more++
			continue
		}
		shown++
		text := ""
		if v.Kind() == records.String {
			text = string(v.Text())
		} else if len(v.Raw()) > e.MaxValueBytes/2 {
			text = string(records.AppendJSON(nil, v))
		}
		head, is := clip(text, e.MaxValueBytes)
		size := len(text)
		if whole, short := v.Cut(); short {
			is, size = true, int(whole)
		}
		if is {
			cut = append(cut, cutValue{name, head, size})
			continue
		}
		e.comma()
		e.buf = append(records.AppendQuoted(e.buf, name), ':')
		e.buf = records.AppendJSON(e.buf, v)
	}
	e.end('}')
	if len(cut) > 0 {
		e.name("valuesCut")
		e.begin('{')
		for _, v := range cut {
			e.comma()
			e.buf = append(records.AppendQuoted(e.buf, v.name), ':')
			e.head(v.head, v.bytes)
		}
		e.end('}')
	}
	if more > 0 {
		e.intMember("valuesOmitted", int64(more))
	}
}

// fieldChanges writes what the listed fields of an update changed from and to.
func (e *encoder) fieldChanges(u *update) {
	c := e.c
	names := c.d.names[u.lo:u.hi]
	if len(names) == 0 {
		return
	}
	e.name("changes")
	e.begin('[')
	for _, name := range names[:min(len(names), e.MaxFields)] {
		for _, ch := range c.valueChanges(u, name, e.MaxFields) {
			e.change(name, ch.at, ch.from, ch.to)
		}
	}
	e.end(']')
}

// valueChanges returns where the named field differs, or the whole of it if
// there are more than limit places.
func (c *Changes) valueChanges(u *update, name string, limit int) []valueChange {
	from, to := c.d.fields.values(int(u.before), int(u.after), name)
	return differences(from, to, limit)
}

func (e *encoder) change(field, at string, from, to records.Value) {
	e.comma()
	e.begin('{')
	idMember(e, "field", field)
	idMember(e, "at", at)
	e.value("from", from)
	e.value("to", to)
	e.end('}')
}

// A valueChange is a difference at a JSON pointer inside a value.
type valueChange struct {
	at       string
	from, to records.Value
}

// A valueWalk finds where two values differ: member by member in objects,
// element by element in arrays of one length, and else as a whole. It stops
// when there are more than max differences, and goes no deeper than pointers of
// maxPointer bytes. It is linear in the values.
type valueWalk struct {
	found []valueChange
	max   int
	path  []byte // JSON pointer to where the walk is
}

const maxPointer = 1024

// differences returns where from and to differ, or the whole of them if there
// are more than limit places.
func differences(from, to records.Value, limit int) []valueChange {
	w := valueWalk{max: limit}
	w.walk(from, to)
	if len(w.found) > limit {
		return []valueChange{{"", from, to}}
	}
	return w.found
}

func (w *valueWalk) walk(from, to records.Value) {
	if len(w.found) > w.max {
		return
	}
	at := len(w.path)
	switch {
	case at > maxPointer:
	case from.Kind() == records.Object && to.Kind() == records.Object:
		for _, m := range mergeMembers(from, to) {
			w.path = records.AppendPointer(w.path[:at], m.name)
			w.walk(m.from, m.to)
		}
		w.path = w.path[:at]
		return
	case from.Kind() == records.Array && to.Kind() == records.Array && from.Len() == to.Len():
		elements := slices.Collect(to.Elements())
		i := 0
		for v := range from.Elements() {
			w.path = strconv.AppendInt(append(w.path[:at], '/'), int64(i), 10)
			w.walk(v, elements[i])
			i++
		}
		w.path = w.path[:at]
		return
	}
	if !records.Equal(from, to) {
		w.found = append(w.found, valueChange{string(w.path), from, to})
	}
}

type memberPair struct {
	name     string
	from, to records.Value
}

// mergeMembers returns the members of both objects by name, those of to first
// in its order, each with both values.
func mergeMembers(from, to records.Value) []memberPair {
	var list []memberPair
	at := map[string]int{}
	for name, v := range to.Members() {
		at[string(name)] = len(list)
		list = append(list, memberPair{name: string(name), to: v})
	}
	for name, v := range from.Members() {
		if k, ok := at[string(name)]; ok {
			list[k].from = v
		} else {
			list = append(list, memberPair{name: string(name), from: v})
		}
	}
	return list
}
