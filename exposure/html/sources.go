package html

import (
	"maps"
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/records"
)

func itoa(n int) string { return strconv.Itoa(n) }

// identify gives the rows of a set their ids: from the first source that gives
// each row one of its own, or from the one that keeps most ids of the side
// before. Where none does for all, an attribute that most rows have will do.
func (f *inferrer) identify(s *set) {
	if s.kind == "form" {
		for _, r := range s.rows {
			r.id = s.id
		}
		return
	}
	if len(s.rows) == 0 {
		return
	}
	before := f.idsBefore(s.id)
	var best []string
	most, full := -1, false
	for ids := range f.sources(s) {
		have, unique := count(ids)
		if !unique || have*2 <= len(ids) || full && have < len(ids) {
			continue
		}
		kept := 0
		for _, id := range ids {
			if before[id] {
				kept++
			}
		}
		if all := have == len(ids); kept > most || all && !full {
			best, most, full = ids, kept, all
		}
		if full && len(before) == 0 {
			break
		}
	}
	for i, id := range best {
		s.rows[i].id = id
	}
}

// idsBefore returns the ids of a scope of the side before.
func (f *inferrer) idsBefore(scope string) map[string]bool {
	if f.opts.Before == nil {
		return nil
	}
	if f.before == nil {
		f.before = map[string]map[string]bool{}
		for _, r := range f.opts.Before.All() {
			m := f.before[r.Scope()]
			if m == nil {
				m = map[string]bool{}
				f.before[r.Scope()] = m
			}
			if id := r.ID(); id != "" {
				m[id] = true
			}
		}
	}
	return f.before[scope]
}

// hadBefore reports whether a record of the side before had an id.
func (f *inferrer) hadBefore(id string) bool {
	f.idsBefore("")
	for _, m := range f.before {
		if m[id] {
			return true
		}
	}
	return false
}

// count returns how many rows have an id, and whether no two have one.
func count(ids []string) (have int, unique bool) {
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id == "" {
			continue
		}
		if seen[id] {
			return 0, false
		}
		seen[id] = true
	}
	return len(seen), true
}

// sources yields what may be the ids of a set's rows, the best first.
func (f *inferrer) sources(s *set) func(func([]string) bool) {
	some := func(id func(*row) string) []string {
		ids := make([]string, len(s.rows))
		for i, r := range s.rows {
			ids[i] = id(r)
		}
		return ids
	}
	each := func(id func(*row) string) []string {
		if ids := some(id); !slices.Contains(ids, "") {
			return ids
		}
		return nil
	}
	return func(yield func([]string) bool) {
		try := func(ids []string) bool { return len(ids) == 0 || yield(ids) }
		if !try(some(func(r *row) string { return r.node.attr("itemid") })) {
			return
		}
		for _, name := range s.keyNames() {
			if !try(some(func(r *row) string { return r.node.attr(name) })) {
				return
			}
		}
		if !try(some(func(r *row) string { return madeUp(r.node.attr("id")) })) {
			return
		}
		if name := f.keyBelow(s.rows[0].node); name != "" {
			if !try(each(func(r *row) string { return f.attrBelow(r, name) })) {
				return
			}
		}
		if !try(each(func(r *row) string { return f.firstLink(r.node) })) {
			return
		}
		for _, name := range textColumns(s.rows[0]) {
			ids := each(func(r *row) string {
				if len(r.fields) < 2 {
					return "" // the id would be all there is
				}
				return textOf(r, name)
			})
			if !try(ids) {
				return
			}
		}
	}
}

// maxSources bounds the attributes, and the columns, that are tried.
const maxSources = 8

// madeUp drops ids that frameworks number elements with.
func madeUp(id string) string {
	if len(id) > 0 && id[0] == ':' {
		return ""
	}
	return id
}

// keyNames returns the attributes that name rows of s, data-id and data-key
// first.
func (s *set) keyNames() []string {
	names := map[string]bool{}
	for _, r := range s.rows {
		for _, a := range r.node.raw.Attr {
			if a.Namespace == "" && isKeyName(a.Key) && len(names) < maxSources {
				names[a.Key] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(names))
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list
}

// keyBelow returns the attribute that names records on the first element below n
// that has one.
func (f *inferrer) keyBelow(n *node) string {
	for _, c := range n.kids {
		if f.spend(1); c.is(isText) || !c.shown() || f.rowOf[c] != nil {
			continue
		}
		if name, _ := keyAttr(c); name != "" {
			return name
		}
		if name := f.keyBelow(c); name != "" {
			return name
		}
	}
	return ""
}

func (f *inferrer) attrBelow(r *row, name string) string {
	var find func(*node) string
	find = func(n *node) string {
		for _, c := range n.kids {
			if f.spend(1); c.is(isText) || !c.shown() || f.rowOf[c] != nil {
				continue
			}
			if v := c.attr(name); v != "" {
				return v
			}
			if v := find(c); v != "" {
				return v
			}
		}
		return ""
	}
	return find(r.node)
}

// firstLink returns the target of the first link in n.
func (f *inferrer) firstLink(n *node) string {
	if isLink(n) {
		return n.attr("href")
	}
	for _, c := range n.kids {
		if f.spend(1); c.is(isText) || !c.shown() || f.rowOf[c] != nil {
			continue
		}
		if v := f.firstLink(c); v != "" {
			return v
		}
	}
	return ""
}

// textColumns returns the fields of r that hold text once.
func textColumns(r *row) (names []string) {
	count := map[string]int{}
	for _, fl := range r.fields {
		count[fl.name]++
	}
	for _, fl := range r.fields {
		v := records.RawValue(fl.value)
		if count[fl.name] == 1 && v.Kind() == records.String && len(names) < maxSources {
			names = append(names, fl.name)
		}
	}
	return names
}

func textOf(r *row, name string) string {
	id := ""
	for _, fl := range r.fields {
		if fl.name != name {
			continue
		}
		v := records.RawValue(fl.value)
		if id != "" || v.Kind() != records.String {
			return ""
		}
		id = string(v.Text())
	}
	return id
}
