package diff

import (
	"math"
	"slices"
	"sort"

	"github.com/pagestate/pagestate/snapshot"
)

// compareRecords pairs the records, finds those that differ, and sorts the
// others into added and removed, or entered and left.
func (d *Differ) compareRecords() {
	c := &d.changes
	before, after := c.before.Table(), c.after.Table()
	var keepBefore, keepAfter func(int) bool
	if d.dropB != nil {
		keepBefore = func(i int) bool { return !d.dropB[c.before.ScopeNumber(i)] }
		keepAfter = func(j int) bool { return !d.dropA[c.after.ScopeNumber(j)] }
	}
	d.recs.match(before, after, keepBefore, keepAfter, true)
	d.fields.reset(before, after, d.fields.rules)
	if len(d.recs.restBefore) > 0 && len(d.recs.restAfter) > 0 {
		d.pairReplaced()
		d.pairMoved()
		d.pairNeighbours()
		if len(d.special) > 1 {
			slices.SortFunc(d.special, func(a, b specialPair) int { return int(a.after) - int(b.after) })
		}
	}
	d.collectUpdates()
	if len(d.recs.pairs) > 0 || len(d.special) > 0 {
		d.findReordered()
	}
	d.classifyRest()
}

// collectUpdates compares the rows of pairs, in after order.
func (d *Differ) collectUpdates() {
	sb, sa := d.changes.before.Table().Sums(), d.changes.after.Table().Sums()
	touched, pairs, special := d.recs.touched, d.recs.pairs, d.special
	for len(touched) > 0 || len(pairs) > 0 || len(special) > 0 {
		next := int32(math.MaxInt32)
		for _, list := range [...][]pair{touched, pairs} {
			if len(list) > 0 {
				next = min(next, list[0].after)
			}
		}
		if len(special) > 0 {
			next = min(next, special[0].after)
		}
		switch {
		case len(touched) > 0 && touched[0].after == next:
			d.update(touched[0], byKey)
			touched = touched[1:]
		case len(pairs) > 0 && pairs[0].after == next:
			if p := pairs[0]; sb[p.before] != sa[p.after] {
				d.update(p, byKey)
			}
			pairs = pairs[1:]
		default:
			d.update(special[0].pair, special[0].kind)
			special = special[1:]
		}
	}
}

// update notes p if its rows differ, or are paired by something that is itself
// a change.
func (d *Differ) update(p pair, kind pairKind) {
	lo := len(d.names)
	d.names = d.fields.diff(d.names, int(p.before), int(p.after), false)
	if len(d.names) > lo || kind == byReplaces || kind == byMove {
		c := &d.changes
		c.updated = append(c.updated, update{p.before, p.after, int32(lo), int32(len(d.names)), kind})
	}
}

// take removes the rows for which paired says so.
func take(rows []int32, paired func(row int32) bool) []int32 {
	rest := rows[:0]
	for _, r := range rows {
		if !paired(r) {
			rest = append(rest, r)
		}
	}
	return rest
}

// settle moves new pairs out of the rows left over.
func (d *Differ) settle(from int) {
	added := d.special[from:]
	if len(added) == 0 {
		return
	}
	before, after := make(map[int32]bool, len(added)), make(map[int32]bool, len(added))
	for _, p := range added {
		before[p.before], after[p.after] = true, true
	}
	d.recs.restBefore = take(d.recs.restBefore, func(r int32) bool { return before[r] })
	d.recs.restAfter = take(d.recs.restAfter, func(r int32) bool { return after[r] })
}

// pairReplaced pairs a record that says which id it replaces with that one, if
// the old key is only in before and the new one only in after.
func (d *Differ) pairReplaced() {
	c := &d.changes
	from := len(d.special)
	// A key left over on one side is on the other one too only if it is repeated.
	var keysBefore, keysAfter map[rowKey]bool
	repeatedKey := func(old, new rowKey) bool {
		if len(c.before.Table().Repeats()) == 0 && len(c.after.Table().Repeats()) == 0 {
			return false
		}
		if keysBefore == nil {
			keysBefore, keysAfter = keySet(c.before.Table()), keySet(c.after.Table())
		}
		return keysAfter[old] || keysBefore[new]
	}
	var waiting map[rowKey]int32 // first unmatched row of each key of before
	for j, old := range c.after.Replacements() {
		if waiting == nil {
			waiting = map[rowKey]int32{}
			for _, i := range slices.Backward(d.recs.restBefore) {
				waiting[keyOf(c.before.Table(), int(i))] = i
			}
		}
		at := sort.Search(len(d.recs.restAfter), func(k int) bool { return d.recs.restAfter[k] >= int32(j) })
		if at == len(d.recs.restAfter) || d.recs.restAfter[at] != int32(j) {
			continue
		}
		r := c.after.Record(j)
		key := rowKey{r.Scope(), old}
		i, ok := waiting[key]
		if !ok || old == "" || repeatedKey(key, rowKey{key.scope, r.ID()}) {
			continue
		}
		delete(waiting, key)
		d.special = append(d.special, specialPair{pair{i, int32(j)}, byReplaces})
	}
	d.settle(from)
}

// identitySpace returns the space that the scope of a record declares on either
// side.
func (d *Differ) identitySpace(own, other *snapshot.Snapshot, row int) string {
	sc := &own.Scopes()[own.ScopeNumber(row)]
	if sc.IDs != "" {
		return sc.IDs
	}
	if n := other.Scope(sc.ID); n >= 0 {
		return other.Scopes()[n].IDs
	}
	return ""
}

// pairMoved pairs records of one id in scopes of one identity space.
func (d *Differ) pairMoved() {
	c := &d.changes
	declared := func(s *snapshot.Snapshot) bool {
		return slices.ContainsFunc(s.Scopes(), func(sc snapshot.ScopeInfo) bool { return sc.IDs != "" })
	}
	if !declared(c.before) && !declared(c.after) {
		return
	}
	from := len(d.special)
	waiting := map[rowKey][]int32{} // by (space, id)
	for _, i := range d.recs.restBefore {
		if space := d.identitySpace(c.before, c.after, int(i)); space != "" && !noID(c.before.Table(), int(i)) {
			key := rowKey{space, string(c.before.Table().ID(int(i)))}
			waiting[key] = append(waiting[key], i)
		}
	}
	for _, j := range d.recs.restAfter {
		space := d.identitySpace(c.after, c.before, int(j))
		if space == "" || noID(c.after.Table(), int(j)) {
			continue
		}
		key := rowKey{space, string(c.after.Table().ID(int(j)))}
		rows := waiting[key]
		at := slices.IndexFunc(rows, func(i int32) bool {
			return c.before.Record(int(i)).Scope() != c.after.Record(int(j)).Scope()
		})
		if at < 0 {
			continue
		}
		d.special = append(d.special, specialPair{pair{rows[at], j}, byMove})
		waiting[key] = slices.Delete(rows, at, at+1)
	}
	d.settle(from)
}

// pairNeighbours pairs, in inferred scopes, the one record without an id that
// is left over on each side between the same matched neighbours.
func (d *Differ) pairNeighbours() {
	c := &d.changes
	if !slices.ContainsFunc(c.after.Scopes(), func(sc snapshot.ScopeInfo) bool { return sc.Inferred }) {
		return
	}
	d.fillMates()
	type gap struct {
		scope       int // number in after
		left, right int32
	}
	// gaps maps the neighbours, as before rows, to the only row between them,
	// or to -1 when there are several or it has an id.
	gaps := func(s *snapshot.Snapshot, rest []int32, mate func(row int) int32, scope func(row int) int) (map[gap]int32, []gap) {
		found := map[gap]int32{}
		var order []gap
		left := map[int]int32{}
		open := map[int][]int32{}
		closeGap := func(sc int, right int32) {
			l, ok := left[sc]
			if !ok {
				l = -1
			}
			if rows := open[sc]; len(rows) == 1 && noID(s.Table(), int(rows[0])) {
				g := gap{sc, l, right}
				found[g] = rows[0]
				order = append(order, g)
			}
			delete(open, sc)
			left[sc] = right
		}
		isRest := make(map[int32]bool, len(rest))
		for _, r := range rest {
			isRest[r] = true
		}
		for row := range s.Len() {
			sc := scope(row)
			if sc < 0 {
				continue
			}
			if isRest[int32(row)] {
				open[sc] = append(open[sc], int32(row))
			} else if m := mate(row); m >= 0 {
				closeGap(sc, m)
			}
		}
		for sc := range c.after.Scopes() {
			closeGap(sc, math.MaxInt32)
		}
		return found, order
	}
	inferredAfter := func(j int) int {
		if n := c.after.ScopeNumber(j); c.after.Scopes()[n].Inferred {
			return n
		}
		return -1
	}
	inferredBefore := func(i int) int {
		if n := d.afterOf[c.before.ScopeNumber(i)]; n >= 0 && c.after.Scopes()[n].Inferred {
			return int(n)
		}
		return -1
	}
	from := len(d.special)
	inBefore, _ := gaps(c.before, d.recs.restBefore, func(i int) int32 {
		if d.mateBefore[i] < 0 {
			return -1
		}
		return int32(i)
	}, inferredBefore)
	inAfter, order := gaps(c.after, d.recs.restAfter, func(j int) int32 { return d.mateAfter[j] }, inferredAfter)
	for _, g := range order {
		if i, ok := inBefore[g]; ok {
			d.special = append(d.special, specialPair{pair{i, inAfter[g]}, byNeighbours})
		}
	}
	d.settle(from)
	d.mateBefore, d.mateAfter = d.mateBefore[:0], d.mateAfter[:0]
}

// fillMates lists for each row the row it is paired with.
func (d *Differ) fillMates() {
	nb, na := d.changes.before.Len(), d.changes.after.Len()
	if len(d.mateBefore) == nb && len(d.mateAfter) == na {
		return
	}
	d.mateBefore, d.mateAfter = fill(d.mateBefore, nb), fill(d.mateAfter, na)
	for _, r := range d.recs.runs {
		for k := range r.n {
			d.mateBefore[r.before+k], d.mateAfter[r.after+k] = r.after+k, r.before+k
		}
	}
	for _, p := range d.recs.pairs {
		d.mateBefore[p.before], d.mateAfter[p.after] = p.after, p.before
	}
	for _, p := range d.special {
		d.mateBefore[p.before], d.mateAfter[p.after] = p.after, p.before
	}
}

// fill returns n elements of -1.
func fill(dst []int32, n int) []int32 {
	dst = slices.Grow(dst[:0], n)[:n]
	for i := range dst {
		dst[i] = -1
	}
	return dst
}

// findReordered lists the scopes whose pairs do not keep their order.
func (d *Differ) findReordered() {
	c := &d.changes
	d.fillMates()
	d.resetStates()
	for j, i := range d.mateAfter {
		if i < 0 {
			continue
		}
		n := c.after.ScopeNumber(j)
		if int(d.beforeOf[n]) != c.before.ScopeNumber(int(i)) {
			continue // moved here from another scope
		}
		st := &d.state[n]
		st.reordered = st.reordered || i < st.last
		st.last = max(st.last, i)
	}
	for n := range d.state {
		if d.state[n].reordered && !d.unordered(n) {
			c.reordered = append(c.reordered, int32(n))
		}
	}
}

// unordered reports whether either side declares after scope n unordered.
func (d *Differ) unordered(n int) bool {
	c := &d.changes
	b := d.beforeOf[n]
	return c.after.Scopes()[n].Unordered || b >= 0 && c.before.Scopes()[b].Unordered
}

func (d *Differ) resetStates() {
	n := len(d.beforeOf)
	d.state = slices.Grow(d.state[:0], n)[:n]
	for k := range d.state {
		d.state[k] = scopeState{last: -1, firstAfter: -1, lastAfter: -1, firstBefore: -1, lastBefore: -1}
	}
}
