package html

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A source is what may be the ids of a set's rows.
type source struct {
	ids     []string // "" where a row has none
	content bool     // they are what a reader sees, or where a link leads
}

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
	before := f.sideBefore(s.id)
	var best source
	most, full := -1, false
	for src := range f.sources(s) {
		have, unique := count(src.ids)
		if !unique || have*2 <= len(src.ids) || full && have < len(src.ids) {
			continue
		}
		kept := 0
		for _, id := range src.ids {
			if _, ok := before.at[id]; ok {
				kept++
			}
		}
		if all := have == len(src.ids); kept > most || all && !full {
			best, most, full = src, kept, all
		}
		if full && len(before.at) == 0 {
			break
		}
	}
	for i, id := range best.ids {
		s.rows[i].id = id
	}
	if best.content {
		f.keepIDs(s, before)
	}
}

// A side is a scope of the snapshot before.
type side struct {
	rows []snapshot.Record
	at   map[string]int // by id
}

// sideBefore returns a scope of the side before.
func (f *inferrer) sideBefore(scope string) *side {
	if f.before == nil {
		f.before = map[string]*side{}
		if f.opts.Before != nil {
			for _, r := range f.opts.Before.All() {
				b := f.before[r.Scope()]
				if b == nil {
					b = &side{at: map[string]int{}}
					f.before[r.Scope()] = b
				}
				if r.ID() != "" {
					b.at[r.ID()] = len(b.rows)
				}
				b.rows = append(b.rows, r)
			}
		}
	}
	if b := f.before[scope]; b != nil {
		return b
	}
	return &side{}
}

// keepIDs gives a row whose id is its content, which was edited, the id that it
// had: there is one new row and one that is gone between the same neighbours,
// and at least half of their other fields are equal.
func (f *inferrer) keepIDs(s *set, before *side) {
	if len(before.rows) == 0 {
		return
	}
	now := make(map[string]bool, len(s.rows))
	for _, r := range s.rows {
		now[r.id] = true
	}
	place := func(i int) (int, bool) { // of row i on the side before
		switch {
		case i < 0:
			return -1, true
		case i >= len(s.rows):
			return len(before.rows), true
		}
		at, ok := before.at[s.rows[i].id]
		return at, ok
	}
	for i, r := range s.rows {
		if _, ok := before.at[r.id]; ok {
			continue
		}
		prev, ok1 := place(i - 1)
		next, ok2 := place(i + 1)
		if !ok1 || !ok2 || next != prev+2 {
			continue
		}
		if old := before.rows[prev+1]; old.ID() != "" && !now[old.ID()] && alike(r, old) {
			r.id = old.ID()
		}
	}
}

// alike reports whether at least half of a row's other fields, and at least one,
// are as they were, where one differs: the one that was its id.
func alike(r *row, old snapshot.Record) bool {
	same, differ := 0, 0
	for _, fl := range merge(r.fields) {
		if v := old.Field(fl.name); v.Kind() != records.Absent && records.Equal(v, records.RawValue(fl.value)) {
			same++
		} else {
			differ++
		}
	}
	return same > 0 && same >= differ-1
}

// hadBefore reports whether an inferred record of the side before had an id.
func (f *inferrer) hadBefore(id string) bool {
	if f.allBefore == nil {
		f.allBefore = map[string]bool{}
		if b := f.opts.Before; b != nil {
			for i, r := range b.All() {
				if b.Scopes()[b.ScopeNumber(i)].Inferred {
					f.allBefore[r.ID()] = true
				}
			}
		}
	}
	return f.allBefore[id]
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
func (f *inferrer) sources(s *set) iter.Seq[source] {
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
	return func(yield func(source) bool) {
		content := false
		try := func(ids []string) bool { return len(ids) == 0 || yield(source{ids, content}) }
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
		content = true
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
