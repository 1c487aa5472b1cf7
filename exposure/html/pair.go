package html

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pagestate/pagestate/snapshot"
)

// A known is an inferred scope of the side before.
type known struct {
	info *snapshot.ScopeInfo
	rows []snapshot.Record
	at   map[string]int // rows by id, the first of each
	set  *set           // what it is now
}

// pairSets finds out which sets are scopes of the side before, and gives them
// their ids. A set is the first of these that is not another set already:
//
//   - the scope with its id, form name, class, part of the page or label, if no two have that, unless
//     it shares no record with that one and most with another;
//   - the scope with which it shares most records, by id, by content or, of forms,
//     by the names of fields;
//   - the only scope with its fields, if these are several;
//   - a scope with another name of it: of those that only numbers tell apart the one
//     in its place, if there are as many as there were, or if both are empty;
//   - an empty one, if it is empty.
//
// Time is linear in the records of both sides: a key that more than maxSharing
// scopes have tells nothing.
func (f *inferrer) pairSets(names []setNames) {
	f.readBefore()
	if len(f.known) == 0 {
		return
	}
	role := make([]string, len(f.sets))
	for i, s := range f.sets {
		role[i] = roleOf(s)
	}
	p := &pairing{inferrer: f, names: names, role: role}
	for level := byID; level <= byHome; level++ {
		p.byName(level)
	}
	p.byKey(func(i int) string { return label(role[i], f.sets[i].label) },
		func(k *known) string { return label(k.info.Role, k.info.Label) })
	p.byRecords()
	p.byKey(func(i int) string { return label(role[i], rowFields(f.sets[i])) },
		func(k *known) string { return label(k.info.Role, k.fields()) })
	for level := range levels {
		p.inOrder(level)
	}
	p.emptyOnes()
	for _, s := range f.sets {
		if s.was != nil {
			s.id = s.was.info.ID
		}
	}
}

// label joins a role and a text, "" without a text.
func label(role, text string) string {
	if text == "" {
		return ""
	}
	return role + "\x00" + text
}

// readBefore collects the inferred scopes of the side before.
func (f *inferrer) readBefore() {
	b := f.opts.Before
	if b == nil {
		return
	}
	byNumber := make([]*known, len(b.Scopes()))
	for i := range b.Scopes() {
		if sc := &b.Scopes()[i]; sc.Inferred && sc.ID != "page" {
			byNumber[i] = &known{info: sc, at: map[string]int{}}
			f.known = append(f.known, byNumber[i])
		}
	}
	for i, r := range b.All() {
		k := byNumber[b.ScopeNumber(i)]
		if k == nil {
			continue
		}
		if id := r.ID(); id != "" {
			if _, ok := k.at[id]; !ok {
				k.at[id] = len(k.rows)
			}
		}
		k.rows = append(k.rows, r)
	}
}

// fields returns the names of the fields of the first record.
func (k *known) fields() string {
	if len(k.rows) == 0 {
		return ""
	}
	var names []string
	for name := range k.rows[0].Fields() {
		names = append(names, name)
	}
	return several(names)
}

func rowFields(s *set) string {
	if len(s.rows) == 0 {
		return ""
	}
	var names []string
	for _, fl := range merge(s.rows[0].fields) {
		names = append(names, fl.name)
	}
	return several(names)
}

// several joins names, if there are at least two.
func several(names []string) string {
	if len(names) < 2 {
		return ""
	}
	return strings.Join(names, "\x00")
}

// A pairing is the work of pairSets.
type pairing struct {
	*inferrer
	names   []setNames
	role    []string
	shared  []map[int]*overlap // by set, by number of the known; nil until it is needed
	regular []*overlap
}

// An overlap is what a set and a scope of the side before have in common.
type overlap struct {
	set, known int
	rows       int // that are alike in anything
	alike      int // ids and contents that are equal
}

const maxSharing = 8

// overlaps counts what sets and scopes of the same role have in common.
func (p *pairing) overlaps() {
	if p.shared != nil {
		return
	}
	have := map[string][]int{} // knowns by key
	add := func(key string, k int) {
		if list := have[key]; len(list) <= maxSharing && (len(list) == 0 || list[len(list)-1] != k) {
			have[key] = append(list, k)
		}
	}
	for i, k := range p.known {
		if k.info.Role == "form" {
			add("f"+k.fields(), i)
		}
		for _, r := range k.rows {
			if id := r.ID(); id != "" && k.info.Role != "form" {
				add("i"+id, i)
			}
			add("c"+content(r.Fields()), i)
		}
	}
	p.shared = make([]map[int]*overlap, len(p.sets))
	for i, s := range p.sets {
		p.shared[i] = map[int]*overlap{}
		seen := map[int]bool{} // knowns of the row
		look := func(key string) {
			list := have[key]
			if len(list) > maxSharing {
				return
			}
			for _, k := range list {
				if p.known[k].info.Role != p.role[i] {
					continue
				}
				o := p.shared[i][k]
				if o == nil {
					o = &overlap{set: i, known: k}
					p.shared[i][k] = o
					p.regular = append(p.regular, o)
				}
				if o.alike++; !seen[k] {
					seen[k] = true
					o.rows++
				}
			}
		}
		for n, r := range s.rows {
			clear(seen)
			for _, src := range p.tried(s) {
				if src.ids[n] != "" {
					look("i" + src.ids[n])
				}
			}
			look("c" + content(each(merge(r.fields))))
			if s.kind == "form" && n == 0 {
				look("f" + rowFields(s))
			}
		}
	}
}

// tried returns what may be the ids of a set's rows.
func (f *inferrer) tried(s *set) []source {
	if s.sources == nil && s.kind != "form" {
		s.sources = slices.Collect(f.sources(s))
	}
	return s.sources
}

// free reports whether a set and a scope can still be paired.
func (p *pairing) free(i int, k *known) bool { return p.sets[i].was == nil && k.set == nil }

func (p *pairing) pair(i int, k *known) {
	p.sets[i].was, k.set = k, p.sets[i]
}

// byName pairs sets with the scopes of their names, where no two sets have one.
func (p *pairing) byName(level int) {
	ids := make(map[string]*known, len(p.known))
	for _, k := range p.known {
		ids[k.info.ID] = k
	}
	count := map[string]int{}
	for i := range p.sets {
		count[p.names[i][level]]++
	}
	for i := range p.sets {
		name := p.names[i][level]
		if k := ids[name]; k != nil && count[name] == 1 && p.free(i, k) && !p.contradicted(i, k) {
			p.pair(i, k)
		}
	}
}

// contradicted reports whether set i has nothing of the scope k with its name, but
// most of another one: a heading that was left behind heads what follows, and a
// class may say what is chosen.
func (p *pairing) contradicted(i int, k *known) bool {
	rows := len(p.sets[i].rows)
	if rows == 0 || len(k.rows) == 0 || len(p.known) == 1 {
		return false
	}
	for _, src := range p.tried(p.sets[i]) {
		for _, id := range src.ids {
			if _, ok := k.at[id]; ok {
				return false
			}
		}
	}
	p.overlaps()
	for other := range p.shared[i] {
		if p.known[other] == k {
			return false
		}
	}
	for other, o := range p.shared[i] {
		if o.rows >= 2 && o.rows*2 >= max(rows, len(p.known[other].rows)) {
			return true
		}
	}
	return false
}

// byKey pairs a set and a scope that are the only ones with a key.
func (p *pairing) byKey(ofSet func(int) string, ofKnown func(*known) string) {
	sets, knowns := map[string][]int{}, map[string][]*known{}
	for i, s := range p.sets {
		if key := ofSet(i); key != "" && s.was == nil {
			sets[key] = append(sets[key], i)
		}
	}
	for _, k := range p.known {
		if key := ofKnown(k); key != "" && k.set == nil {
			knowns[key] = append(knowns[key], k)
		}
	}
	for key, list := range sets {
		if len(list) == 1 && len(knowns[key]) == 1 && !p.contradicted(list[0], knowns[key][0]) {
			p.pair(list[0], knowns[key][0])
		}
	}
}

// byRecords pairs those that have most in common first.
func (p *pairing) byRecords() {
	if !slices.ContainsFunc(p.sets, func(s *set) bool { return s.was == nil && len(s.rows) > 0 }) ||
		!slices.ContainsFunc(p.known, func(k *known) bool { return k.set == nil && len(k.rows) > 0 }) {
		return
	}
	p.overlaps()
	size := func(o *overlap) int {
		d := len(p.sets[o.set].rows) - len(p.known[o.known].rows)
		return max(d, -d)
	}
	slices.SortFunc(p.regular, func(a, b *overlap) int {
		return cmp.Or(b.rows-a.rows, b.alike-a.alike, size(a)-size(b), a.known-b.known, a.set-b.set)
	})
	for _, o := range p.regular {
		if p.free(o.set, p.known[o.known]) {
			p.pair(o.set, p.known[o.known])
		}
	}
}

// inOrder pairs sets of one name with scopes of that name, numbered or not.
func (p *pairing) inOrder(level int) {
	p.groups(func(i int) string { return label(p.role[i], p.names[i][level]) },
		func(k *known) []string {
			return []string{label(k.info.Role, k.info.ID), label(k.info.Role, withoutNumber(k.info.ID))}
		})
}

func withoutNumber(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > 0 && i+1 < len(id) && strings.Trim(id[i+1:], "0123456789") == "" {
		return id[:i]
	}
	return id
}

// emptyOnes pairs sets and scopes without records, whose labels were all that
// told them apart, where there are as many as there were.
func (p *pairing) emptyOnes() {
	p.groups(func(i int) string {
		if len(p.sets[i].rows) > 0 {
			return ""
		}
		return p.role[i]
	}, func(k *known) []string {
		if len(k.rows) > 0 {
			return nil
		}
		return []string{k.info.Role}
	})
}

// groups pairs, in order, the sets and the scopes left that have a key, where
// there are as many of both; else those without records.
func (p *pairing) groups(ofSet func(int) string, ofKnown func(*known) []string) {
	type group struct {
		sets   []int
		knowns []*known
	}
	byKey := map[string]*group{}
	var order []*group
	for i, s := range p.sets {
		if s.was != nil {
			continue
		}
		key := ofSet(i)
		if key == "" {
			continue
		}
		if byKey[key] == nil {
			byKey[key] = &group{}
			order = append(order, byKey[key])
		}
		byKey[key].sets = append(byKey[key].sets, i)
	}
	for _, k := range p.known {
		if k.set != nil {
			continue
		}
		var last *group
		for _, key := range ofKnown(k) {
			if g := byKey[key]; g != nil && g != last {
				g.knowns = append(g.knowns, k)
				last = g
			}
		}
	}
	for _, g := range order {
		if len(g.sets) != len(g.knowns) {
			g.sets = slices.DeleteFunc(g.sets, func(i int) bool { return len(p.sets[i].rows) > 0 })
			g.knowns = slices.DeleteFunc(g.knowns, func(k *known) bool { return len(k.rows) > 0 })
		}
		for n := range min(len(g.sets), len(g.knowns)) {
			if p.free(g.sets[n], g.knowns[n]) {
				p.pair(g.sets[n], g.knowns[n])
			}
		}
	}
}
