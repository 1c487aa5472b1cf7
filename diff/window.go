package diff

import "github.com/pagestate/pagestate/snapshot"

// This file decides for each record left over whether it was added or removed,
// or only entered or left what the producer shows of a longer list.

// A windowRule says what a record left over means in its scope.
type windowRule uint8

const (
	certain windowRule = iota // added or removed
	placed                    // by its neighbours and the other window's bounds
	counted                   // added if the totals account for all of them
	unknown                   // entered or left
)

// classifyRest fills added, removed and window from the rows left over.
func (d *Differ) classifyRest() {
	c := &d.changes
	restBefore, restAfter := d.recs.restBefore, d.recs.restAfter
	if len(restBefore) == 0 && len(restAfter) == 0 {
		return
	}
	if !d.windowed() {
		c.added = append(c.added, restAfter...)
		c.removed = append(c.removed, restBefore...)
	} else {
		d.measureScopes()
		for _, j := range restAfter {
			n := c.after.ScopeNumber(int(j))
			if b := d.beforeOf[n]; b < 0 && (!d.blind() || d.wholeAfter(n)) || b >= 0 && d.appeared(n, j) {
				c.added = append(c.added, j)
			} else {
				c.window.entered++
			}
		}
		for _, i := range restBefore {
			n := c.before.ScopeNumber(int(i))
			if a := d.afterOf[n]; a < 0 && (!d.blind() || d.wholeBefore(n)) || a >= 0 && d.disappeared(n, i) {
				c.removed = append(c.removed, i)
			} else {
				c.window.left++
			}
		}
	}
	for _, j := range c.added {
		if d.wholeAfter(c.after.ScopeNumber(int(j))) {
			c.wholeAdded++
		}
	}
	for _, i := range c.removed {
		if d.wholeBefore(c.before.ScopeNumber(int(i))) {
			c.wholeRemoved++
		}
	}
}

// blind reports whether records past a tracking bound may hide any key, but for
// those of a scope that is not there at all.
func (d *Differ) blind() bool {
	return d.changes.untracked != (fromTo{})
}

// windowed reports whether some scope does not expose all of its records.
func (d *Differ) windowed() bool {
	c := &d.changes
	if d.blind() || c.before.View().Limit != c.after.View().Limit {
		return true
	}
	for n := range c.after.Scopes() {
		if b := d.beforeOf[n]; b >= 0 && (isWindow(&c.after.Scopes()[n]) || isWindow(&c.before.Scopes()[b])) {
			return true
		}
	}
	return false
}

// isWindow reports whether a scope may expose less than all of its records.
func isWindow(sc *snapshot.ScopeInfo) bool { return sc.Total != nil || sc.Partial }

// measureScopes finds, for each scope on both sides, the first and last matched
// row of each side and the rule for those left over.
func (d *Differ) measureScopes() {
	c := &d.changes
	d.fillMates()
	d.resetStates()
	for j, i := range d.mateAfter {
		if i < 0 || !d.sameScope(int(i), j) {
			continue
		}
		st := &d.state[c.after.ScopeNumber(j)]
		if st.after.first < 0 {
			st.after.first, st.before.first, st.before.last = int32(j), i, i
		}
		st.after.last = int32(j)
		st.before.first, st.before.last = min(st.before.first, i), max(st.before.last, i)
	}
	for _, j := range d.recs.restAfter {
		d.state[c.after.ScopeNumber(int(j))].after.over++
	}
	for _, i := range d.recs.restBefore {
		if n := d.afterOf[c.before.ScopeNumber(int(i))]; n >= 0 {
			d.state[n].before.over++
		}
	}
	for _, p := range d.special {
		if p.kind == byMove {
			d.state[c.after.ScopeNumber(int(p.after))].movedIn++
			if n := d.afterOf[c.before.ScopeNumber(int(p.before))]; n >= 0 {
				d.state[n].movedIn--
			}
		}
	}
	limitsDiffer := c.before.View().Limit != c.after.View().Limit
	for n := range d.state {
		b := d.beforeOf[n]
		if b < 0 {
			continue
		}
		st := &d.state[n]
		wb, wa := windowOf(&c.before.Scopes()[b]), windowOf(&c.after.Scopes()[n])
		st.after.rule = d.ruleOf(limitsDiffer && wasCut(c.before), wb, wa)
		st.before.rule = d.ruleOf(limitsDiffer && wasCut(c.after), wa, wb)
	}
}

// ruleOf returns the rule for rows of one side that the other one has not: other is
// what that shows, which was cut if so.
func (d *Differ) ruleOf(cut bool, other, own bounds) windowRule {
	switch {
	case d.blind(), cut, other.partial:
		return unknown
	case other.complete:
		return certain
	case own.partial:
		return unknown
	case own.placed && other.placed:
		return placed
	}
	return counted
}

// appeared reports whether after row j of after scope n was added, rather than
// having entered the window.
func (d *Differ) appeared(n int, j int32) bool {
	st := &d.state[n]
	before, after := &d.changes.before.Scopes()[d.beforeOf[n]], &d.changes.after.Scopes()[n]
	return d.proven(&st.after, j, before, after.Extent()-before.Extent()-st.movedIn)
}

// disappeared reports whether before row i of before scope n was removed, rather
// than having left the window.
func (d *Differ) disappeared(n int, i int32) bool {
	a := d.afterOf[n]
	st := &d.state[a]
	before, after := &d.changes.before.Scopes()[n], &d.changes.after.Scopes()[a]
	return d.proven(&st.before, i, after, before.Extent()-after.Extent()+st.movedIn)
}

// proven reports whether a row left over on one side is surely not in what the other
// one does not show. more is how many rows this side has beyond the other one's.
func (d *Differ) proven(side *sideState, row int32, other *snapshot.ScopeInfo, more int64) bool {
	switch side.rule {
	case certain:
		return true
	case placed:
		w := windowOf(other)
		afterMatched := side.first >= 0 && side.first < row
		beforeMatched := side.last > row
		return (afterMatched || w.offset == 0) && (beforeMatched || w.reachesEnd)
	case counted:
		d.changes.window.assumed = true
		return more > 0 && side.over == more
	}
	return false
}

// A bounds says which part of its scope's records a side exposes.
type bounds struct {
	complete   bool // all of them
	partial    bool // nobody can tell which
	placed     bool // offset is known
	offset     int64
	reachesEnd bool // nothing follows the window
}

// windowOf returns the bounds of a scope. A scope without a declared total, or
// with one that equals its records, exposes all of them.
func windowOf(sc *snapshot.ScopeInfo) bounds {
	if sc.Partial {
		return bounds{partial: true}
	}
	if sc.Count() >= sc.Extent() {
		return bounds{complete: true, placed: true, reachesEnd: true}
	}
	if sc.Offset == nil {
		return bounds{}
	}
	return bounds{placed: true, offset: *sc.Offset, reachesEnd: *sc.Offset+sc.Count() >= sc.Extent()}
}
