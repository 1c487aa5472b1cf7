package diff

import (
	"iter"
	"math"
	"slices"
	"sort"
	"sync"

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

// collectUpdates compares the rows of pairs that are not the same, in after order.
func (d *Differ) collectUpdates() {
	touched, unlike, special := d.recs.touched, d.recs.unlike, d.special
	if len(special) == 0 && len(unlike) == 0 {
		d.updateAll(touched)
		return
	}
	if len(special) == 0 && len(touched) == 0 {
		d.updateAll(unlike)
		return
	}
	for len(touched) > 0 || len(unlike) > 0 || len(special) > 0 {
		next := int32(math.MaxInt32)
		for _, list := range [...][]pair{touched, unlike} {
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
		case len(unlike) > 0 && unlike[0].after == next:
			d.update(unlike[0], byKey)
			unlike = unlike[1:]
		default:
			d.update(special[0].pair, special[0].kind)
			special = special[1:]
		}
	}
}

// updateAll compares the rows of pairs, which are in after order. The rows lie
// apart in memory: those of a batch are fetched together. (16 pairs were enough
// in BenchmarkCompare, change=1pct.)
func (d *Differ) updateAll(pairs []pair) {
	before, after := d.changes.before.Table(), d.changes.after.Table()
	const batch = 16
	for len(pairs) > 0 {
		n := min(batch, len(pairs))
		for _, p := range pairs[:n] {
			d.sink += before.Ref(int(p.before)).Touch() + after.Ref(int(p.after)).Touch()
		}
		for _, p := range pairs[:n] {
			d.update(p, byKey)
		}
		pairs = pairs[n:]
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

// repeatedKeys returns, when asked, the keys of each side, or nothing if no key
// is repeated: a key left over on one side is then not on the other.
func (d *Differ) repeatedKeys() (before, after func() map[rowKey]bool) {
	b, a := d.changes.before.Table(), d.changes.after.Table()
	if len(b.Repeats()) == 0 && len(a.Repeats()) == 0 {
		none := func() map[rowKey]bool { return nil }
		return none, none
	}
	return sync.OnceValue(func() map[rowKey]bool { return keySet(b) }),
		sync.OnceValue(func() map[rowKey]bool { return keySet(a) })
}

// pairReplaced pairs a record that says which id it replaces with that one, if
// the old key is only in before and the new one only in after.
func (d *Differ) pairReplaced() {
	c := &d.changes
	from := len(d.special)
	keysBefore, keysAfter := d.repeatedKeys()
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
		if !ok || old == "" || keysAfter()[key] || keysBefore()[rowKey{key.scope, r.ID()}] {
			continue
		}
		delete(waiting, key)
		d.special = append(d.special, specialPair{pair{i, int32(j)}, byReplaces})
	}
	d.settle(from)
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
	// spaceKey returns the identity that a row shares over scopes, if its own key
	// is not on the other side too, as it can be when it is repeated.
	spaceKey := func(s *snapshot.Snapshot, row int, other func() map[rowKey]bool) (key rowKey, ok bool) {
		sc := &s.Scopes()[s.ScopeNumber(row)]
		if sc.IDs == "" || noID(s.Table(), row) || other()[keyOf(s.Table(), row)] {
			return rowKey{}, false
		}
		return rowKey{sc.IDs, string(s.Table().ID(row))}, true
	}
	keysBefore, keysAfter := d.repeatedKeys()
	waiting := map[rowKey][]int32{}
	for _, i := range d.recs.restBefore {
		if key, ok := spaceKey(c.before, int(i), keysAfter); ok {
			waiting[key] = append(waiting[key], i)
		}
	}
	for _, j := range d.recs.restAfter {
		key, ok := spaceKey(c.after, int(j), keysBefore)
		if !ok {
			continue
		}
		// Neither row's key is on the other side, so they are of two scopes.
		if rows := waiting[key]; len(rows) > 0 {
			d.special = append(d.special, specialPair{pair{rows[0], j}, byMove})
			waiting[key] = rows[1:]
		}
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
	// gaps maps the neighbours, as before rows, to the only row without an id
	// that is left over between them.
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
			if rows := open[sc]; len(rows) == 1 {
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
				if noID(s.Table(), row) {
					open[sc] = append(open[sc], int32(row))
				}
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
		if j := d.mateBefore[i]; j < 0 || !d.sameScope(i, int(j)) {
			return -1
		}
		return int32(i)
	}, inferredBefore)
	inAfter, order := gaps(c.after, d.recs.restAfter, func(j int) int32 {
		if i := d.mateAfter[j]; i >= 0 && d.sameScope(int(i), j) {
			return i
		}
		return -1
	}, inferredAfter)
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

// findReordered lists the scopes whose pairs do not keep their order. It stops
// when that is known of all scopes.
func (d *Differ) findReordered() {
	c := &d.changes
	d.resetStates()
	open := 0 // scopes on both sides that are not known to be reordered
	for n, b := range d.beforeOf {
		if b >= 0 && c.before.Scopes()[b].Records > 1 && c.after.Scopes()[n].Records > 1 {
			open++
		}
	}
	for p := range d.eachPair() {
		if !d.sameScope(int(p.before), int(p.after)) {
			continue // moved here from another scope
		}
		st := &d.state[c.after.ScopeNumber(int(p.after))]
		if p.before < st.last && !st.reordered {
			st.reordered = true
			if open--; open == 0 {
				break
			}
		}
		st.last = max(st.last, p.before)
	}
	for n := range d.state {
		if d.state[n].reordered && !d.unordered(n) {
			c.reordered = append(c.reordered, int32(n))
		}
	}
}

// eachPair yields all pairs in after order.
func (d *Differ) eachPair() iter.Seq[pair] {
	return func(yield func(pair) bool) {
		runs, pairs, special := d.recs.runs, d.recs.pairs, d.special
		for {
			next := int32(math.MaxInt32)
			if len(pairs) > 0 {
				next = pairs[0].after
			}
			if len(special) > 0 {
				next = min(next, special[0].after)
			}
			for len(runs) > 0 && runs[0].after < next {
				for k := range runs[0].n {
					if !yield(pair{runs[0].before + k, runs[0].after + k}) {
						return
					}
				}
				runs = runs[1:]
			}
			switch {
			case len(pairs) > 0 && pairs[0].after == next:
				if !yield(pairs[0]) {
					return
				}
				pairs = pairs[1:]
			case len(special) > 0:
				if !yield(special[0].pair) {
					return
				}
				special = special[1:]
			default:
				return
			}
		}
	}
}

// sameScope reports whether before row i and after row j are of one scope.
func (d *Differ) sameScope(i, j int) bool {
	return int(d.beforeOf[d.changes.after.ScopeNumber(j)]) == d.changes.before.ScopeNumber(i)
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
		d.state[k] = scopeState{last: -1, before: sideState{first: -1, last: -1}, after: sideState{first: -1, last: -1}}
	}
}
