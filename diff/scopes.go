package diff

import (
	"cmp"
	"slices"

	"github.com/pagestate/pagestate/snapshot"
)

// A scopeState collects, for one after scope, what its pairs say.
type scopeState struct {
	last          int32 // largest before row of a pair so far, for reorder
	reordered     bool
	before, after sideState
	movedIn       int64 // rows moved in from other scopes, less those moved out
}

// A sideState is what is known of the rows of a scope on one side.
type sideState struct {
	first, last int32 // matched rows, -1 when none
	over        int64 // rows left over
	rule        windowRule
}

// mapScopes finds each scope on the other side and which are not compared.
func (d *Differ) mapScopes() {
	c := &d.changes
	before, after := c.before.Scopes(), c.after.Scopes()
	d.afterOf, d.beforeOf = d.afterOf[:0], d.beforeOf[:0]
	for n := range before {
		if n < len(after) && after[n].ID == before[n].ID {
			d.afterOf = append(d.afterOf, int32(n))
		} else {
			d.afterOf = append(d.afterOf, int32(c.after.Scope(before[n].ID)))
		}
	}
	for n := range after {
		if n < len(before) && before[n].ID == after[n].ID {
			d.beforeOf = append(d.beforeOf, int32(n))
		} else {
			d.beforeOf = append(d.beforeOf, int32(c.before.Scope(after[n].ID)))
		}
	}
	d.dropScopes()
	for n := range before {
		if !dropped(d.dropB, n) {
			c.untracked.from += before[n].Untracked
		}
	}
	for n := range after {
		if !dropped(d.dropA, n) {
			c.untracked.to += after[n].Untracked
		}
	}
}

// dropScopes marks the scopes that are not compared.
func (d *Differ) dropScopes() {
	c := &d.changes
	d.dropB, d.dropA = nil, nil
	d.viewsDiffer = viewsDiffer(c.before.View(), c.after.View())
	if d.opts.Scopes == nil && !d.viewsDiffer {
		return
	}
	d.only = names{list: d.opts.Scopes}
	d.seenBefore, d.seenAfter = names{list: c.before.View().Scopes}, names{list: c.after.View().Scopes}
	d.dropB, d.dropA = make([]bool, len(d.afterOf)), make([]bool, len(d.beforeOf))
	for n, sc := range c.before.Scopes() {
		d.dropB[n] = d.outside(sc.ID)
	}
	for n, sc := range c.after.Scopes() {
		d.dropA[n] = d.outside(sc.ID)
	}
}

// outside reports whether a scope is not compared: the caller left it out, or
// only one of two captures that were narrowed differently could see it.
func (d *Differ) outside(id string) bool {
	c := &d.changes
	if d.opts.Scopes != nil && !d.only.has(id) {
		return true
	}
	if !d.viewsDiffer {
		return false
	}
	vb, va := c.before.View(), c.after.View()
	return vb.Scopes != nil && !d.seenBefore.has(id) ||
		va.Scopes != nil && !d.seenAfter.has(id) ||
		vb.Limit != va.Limit && (wasCut(c.before) && c.before.Scope(id) < 0 || wasCut(c.after) && c.after.Scope(id) < 0)
}

// wasCut reports whether a limit may have kept records out of s.
func wasCut(s *snapshot.Snapshot) bool {
	return s.View().Limit > 0 && int64(s.Len())+s.Untracked() >= s.View().Limit
}

func viewsDiffer(a, b snapshot.View) bool {
	if a.IsZero() && b.IsZero() {
		return false
	}
	sorted := func(v snapshot.View) []string { return slices.Compact(slices.Sorted(slices.Values(v.Scopes))) }
	return a.Limit != b.Limit || (a.Scopes == nil) != (b.Scopes == nil) || !slices.Equal(sorted(a), sorted(b))
}

func dropped(drop []bool, scope int) bool { return drop != nil && drop[scope] }

// compareScopes lists scopes that came, went or changed, and sums the totals.
func (d *Differ) compareScopes() {
	c := &d.changes
	before, after := c.before.Scopes(), c.after.Scopes()
	for n := range before {
		if dropped(d.dropB, n) {
			continue
		}
		c.total.from += before[n].Extent()
		if d.wholeBefore(n) {
			c.scopesRemoved = append(c.scopesRemoved, wholeScope{scope: int32(n), records: before[n].Extent()})
		}
	}
	for n := range after {
		if dropped(d.dropA, n) {
			continue
		}
		c.total.to += after[n].Extent()
		if d.wholeAfter(n) {
			c.scopesAdded = append(c.scopesAdded, wholeScope{scope: int32(n), records: after[n].Extent()})
		} else if b := d.beforeOf[n]; b >= 0 {
			if fields := scopeFields(&before[b].Scope, &after[n].Scope); fields != nil {
				c.scopesUpdated = append(c.scopesUpdated, scopeUpdate{b, int32(n), fields})
			}
		}
	}
	d.settleTotals()
}

// wholeBefore reports whether before scope n is a declared one that vanished.
func (d *Differ) wholeBefore(n int) bool {
	return d.afterOf[n] < 0 && d.changes.before.Scopes()[n].Declared
}

func (d *Differ) wholeAfter(n int) bool {
	return d.beforeOf[n] < 0 && d.changes.after.Scopes()[n].Declared
}

// settleTotals takes matched records out of the counts of whole scopes and
// leaves in window.net what no listed row accounts for, so that
// from + added - removed + whole scopes + net = to.
func (d *Differ) settleTotals() {
	c := &d.changes
	find := func(list []wholeScope, n int32) *wholeScope {
		at, ok := slices.BinarySearchFunc(list, n, func(w wholeScope, n int32) int { return cmp.Compare(w.scope, n) })
		if !ok {
			return nil
		}
		return &list[at]
	}
	for _, p := range d.special {
		if w := find(c.scopesRemoved, int32(c.before.ScopeNumber(int(p.before)))); w != nil {
			w.records--
		}
		if w := find(c.scopesAdded, int32(c.after.ScopeNumber(int(p.after)))); w != nil {
			w.records--
		}
	}
	net := c.total.to - c.total.from - int64(len(c.added)-c.wholeAdded) + int64(len(c.removed)-c.wholeRemoved)
	for _, w := range c.scopesAdded {
		net -= w.records
	}
	for _, w := range c.scopesRemoved {
		net += w.records
	}
	c.window.net = net
}

var scopeFieldNames = []string{"label", "description", "role", "parent", "state"}

// scopeFields returns the names of the members that differ, nil if none does.
func scopeFields(b, a *snapshot.Scope) []string {
	differ := [...]bool{b.Label != a.Label, b.Description != a.Description, b.Role != a.Role, b.Parent != a.Parent,
		cmp.Or(b.State, snapshot.Active) != cmp.Or(a.State, snapshot.Active)}
	var fields []string
	for i, is := range differ {
		if is {
			fields = append(fields, scopeFieldNames[i])
		}
	}
	return fields
}
