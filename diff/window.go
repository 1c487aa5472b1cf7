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
		if b := d.beforeOf[n]; b >= 0 && (c.after.Scopes()[n].Total != nil || c.before.Scopes()[b].Total != nil) {
			return true
		}
	}
	return false
}

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
		if st.firstAfter < 0 {
			st.firstAfter, st.firstBefore, st.lastBefore = int32(j), i, i
		}
		st.lastAfter = int32(j)
		st.firstBefore, st.lastBefore = min(st.firstBefore, i), max(st.lastBefore, i)
	}
	for _, j := range d.recs.restAfter {
		d.state[c.after.ScopeNumber(int(j))].appeared++
	}
	for _, i := range d.recs.restBefore {
		if n := d.afterOf[c.before.ScopeNumber(int(i))]; n >= 0 {
			d.state[n].disappeared++
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
		switch {
		case d.blind(), limitsDiffer && wasCut(c.before):
			st.appearRule = unknown
		case wb.complete:
			st.appearRule = certain
		case wb.placed && wa.placed:
			st.appearRule = placed
		default:
			st.appearRule = counted
		}
		switch {
		case d.blind(), limitsDiffer && wasCut(c.after):
			st.disappearRule = unknown
		case wa.complete:
			st.disappearRule = certain
		case wb.placed && wa.placed:
			st.disappearRule = placed
		default:
			st.disappearRule = counted
		}
	}
}

// appeared reports whether after row j of after scope n was added, rather than
// having entered the window.
func (d *Differ) appeared(n int, j int32) bool {
	st := &d.state[n]
	b := &d.changes.before.Scopes()[d.beforeOf[n]]
	switch st.appearRule {
	case certain:
		return true
	case placed:
		w := windowOf(b)
		afterOld := st.firstAfter >= 0 && st.firstAfter < j
		beforeOld := st.lastAfter > j
		return (afterOld || w.offset == 0) && (beforeOld || w.reachesEnd)
	case counted:
		d.changes.window.assumed = true
		grown := d.changes.after.Scopes()[n].Extent() - b.Extent() - st.movedIn
		return grown > 0 && st.appeared == grown
	}
	return false
}

// disappeared reports whether before row i of before scope n was removed, rather
// than having left the window.
func (d *Differ) disappeared(n int, i int32) bool {
	a := d.afterOf[n]
	st := &d.state[a]
	after := &d.changes.after.Scopes()[a]
	switch st.disappearRule {
	case certain:
		return true
	case placed:
		w := windowOf(after)
		afterKept := st.firstBefore >= 0 && st.firstBefore < i
		beforeKept := st.lastBefore > i
		return (afterKept || w.offset == 0) && (beforeKept || w.reachesEnd)
	case counted:
		d.changes.window.assumed = true
		shrunk := d.changes.before.Scopes()[n].Extent() - after.Extent() + st.movedIn
		return shrunk > 0 && st.disappeared == shrunk
	}
	return false
}

// A bounds says which part of its scope's records a side exposes.
type bounds struct {
	complete   bool // all of them
	placed     bool // offset is known
	offset     int64
	reachesEnd bool // nothing follows the window
}

// windowOf returns the bounds of a scope. A scope without a declared total, or
// with one that equals its records, exposes all of them.
func windowOf(sc *snapshot.ScopeInfo) bounds {
	if sc.Count() >= sc.Extent() {
		return bounds{complete: true, placed: true, reachesEnd: true}
	}
	if sc.Offset == nil {
		return bounds{}
	}
	return bounds{placed: true, offset: *sc.Offset, reachesEnd: *sc.Offset+sc.Count() >= sc.Extent()}
}
