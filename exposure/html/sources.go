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
	ids     []string // of all rows, "" where one has none
	content bool     // they are what a reader sees, or where a link leads
}

// identify gives the rows of a set their ids. A set that was there before keeps
// the source under which most of its ids were ids before, while that gives most
// rows an id and at most half of those a repeated one; repeated ids are kept, and
// diagnosed by the builder. If its rows had no ids and most are still there, they
// have none now.
//
// Otherwise the first source counts that gives each row an id of its own, else the
// first attribute that most rows have without repeating it, else the first that
// most rows have and most of these alone.
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
	if s.was != nil {
		if len(s.was.at) == 0 && f.stays(s) {
			return
		}
		if src, ok := f.keptSource(s); ok {
			s.take(src)
			if src.content {
				f.keepIDs(s)
			}
			return
		}
	}
	var most, some source
	tried := f.sources(s)
	if s.sources != nil {
		tried = slices.Values(s.sources)
	}
	for src := range tried {
		have, own := count(src.ids)
		switch {
		case src.content && (have < len(src.ids) || own < have), have*2 <= len(src.ids):
		case own == len(src.ids):
			s.take(src)
			return
		case own == have && most.ids == nil:
			most = src
		case own*2 > have && some.ids == nil:
			some = src
		}
	}
	if most.ids == nil {
		most = some
	}
	s.take(most)
}

func (s *set) take(src source) {
	for i, id := range src.ids {
		s.rows[i].id = id
	}
}

// keptSource returns the source under which most ids are those of the side before.
func (f *inferrer) keptSource(s *set) (best source, ok bool) {
	most := 0
	for _, src := range f.tried(s) {
		have, own := count(src.ids)
		if have*2 <= len(src.ids) || own*2 < have {
			continue
		}
		kept := 0
		seen := make(map[string]bool, own)
		for _, id := range src.ids {
			if _, was := s.was.at[id]; was && !seen[id] {
				seen[id] = true
				kept++
			}
		}
		if kept > most {
			best, most = src, kept
		}
	}
	return best, most > 0
}

// stays reports whether at least half of the rows of a set, or of those that it
// had, are as they were.
func (f *inferrer) stays(s *set) bool {
	had := make(map[string]int, len(s.was.rows))
	for _, r := range s.was.rows {
		had[content(r.Fields())]++
	}
	same := 0
	for _, r := range s.rows {
		if c := content(each(merge(r.fields))); had[c] > 0 {
			had[c]--
			same++
		}
	}
	return same > 0 && same*2 >= min(len(s.rows), len(s.was.rows))
}

// keepIDs gives a row whose id is its content, which was edited, the id that it
// had: there is one new row and one that is gone between the same neighbours,
// and at least half of their other fields are equal.
func (f *inferrer) keepIDs(s *set) {
	before := s.was
	now := make(map[string]int, len(s.rows))
	for _, r := range s.rows {
		now[r.id]++
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
		if _, ok := before.at[r.id]; ok && now[r.id] < 2 {
			continue
		}
		prev, ok1 := place(i - 1)
		next, ok2 := place(i + 1)
		if !ok1 || !ok2 || next != prev+2 {
			continue
		}
		if old := before.rows[prev+1]; old.ID() != "" && now[old.ID()] == 0 && alike(r, old) {
			now[r.id]--
			r.id = old.ID()
			now[r.id]++
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

// count returns how many rows have an id, and how many ids there are.
func count(ids []string) (have, own int) {
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id != "" {
			have++
			seen[id] = true
		}
	}
	return have, len(seen)
}

// sources yields what may be the ids of a set's rows, the best first.
func (f *inferrer) sources(s *set) iter.Seq[source] {
	each := func(id func(*row) string) []string {
		ids := make([]string, len(s.rows))
		for i, r := range s.rows {
			ids[i] = id(r)
		}
		return ids
	}
	attrs := func(yield func([]string) bool) bool {
		if !yield(each(func(r *row) string { return r.node.attr("itemid") })) {
			return false
		}
		for _, name := range s.keyNames() {
			if !yield(each(func(r *row) string { return r.node.attr(name) })) {
				return false
			}
		}
		if !yield(each(func(r *row) string { return madeUp(r.node.attr("id")) })) {
			return false
		}
		name := f.keyBelow(s.rows[0].node)
		return name == "" || yield(each(func(r *row) string { return f.attrBelow(r, name) }))
	}
	return func(yield func(source) bool) {
		if len(s.rows) == 0 || !attrs(func(ids []string) bool { return yield(source{ids, false}) }) {
			return
		}
		if !yield(source{each(func(r *row) string { return f.firstLink(r.node) }), true}) {
			return
		}
		if name := firstColumn(s); name != "" {
			yield(source{each(func(r *row) string {
				if len(r.fields) < 2 {
					return "" // the id would be all there is
				}
				return textOf(r, name)
			}), true})
		}
	}
}

// maxSources bounds the attributes that are tried.
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
		if f.spend(1); c.is(isText|isSensitive) || !c.shown() || f.rowOf[c] != nil {
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
			if f.spend(1); c.is(isText|isSensitive) || !c.shown() || f.rowOf[c] != nil {
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
	if isLink(n) && !n.is(isSensitive) {
		return n.attr("href")
	}
	for _, c := range n.kids {
		if f.spend(1); c.is(isText|isSensitive) || !c.shown() || f.rowOf[c] != nil {
			continue
		}
		if v := f.firstLink(c); v != "" {
			return v
		}
	}
	return ""
}

// firstColumn returns the name of the text that most rows hold first: that of
// one row does not count, lest it change when that row comes or goes.
func firstColumn(s *set) (name string) {
	first, once := map[string]int{}, map[string]int{}
	for _, r := range s.rows {
		clear(once)
		for _, fl := range r.fields {
			once[fl.name]++
		}
		for _, fl := range r.fields {
			if v := records.RawValue(fl.value); v.Kind() == records.String && once[fl.name] == 1 {
				if first[fl.name]++; name == "" || first[fl.name] > first[name] {
					name = fl.name
				}
				break
			}
		}
	}
	return name
}

// textOf returns the text of a field that r has once.
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
