package reference

import (
	"fmt"
	"maps"
	"slices"
)

// A comparison is one run of Diff.
type comparison struct {
	before, after *capture

	cutBefore, cutAfter bool // the side may have been cut by its own limit
	untracked           bool // a side has records beyond the tracking bound
	untrackedBefore     map[string]int
	untrackedAfter      map[string]int

	evidence Evidence
}

// Diff compares two JSON captures. detail is basic, names or values; the result
// holds what all of them need, and prints at the first two.
func Diff(before, after []byte, detail string) (Evidence, error) {
	return DiffTracked(before, after, detail, 0)
}

// DiffTracked is Diff with a tracking bound: of each side only the first bound
// records are compared, the others are counted. 0 means no bound.
func DiffTracked(before, after []byte, detail string, bound int) (Evidence, error) {
	switch detail {
	case "basic", "names", "values":
	default:
		return Evidence{}, fmt.Errorf("unknown detail %q", detail)
	}
	var c comparison
	var err error
	if c.before, err = decode(before); err != nil {
		return Evidence{}, fmt.Errorf("before: %w", err)
	}
	if c.after, err = decode(after); err != nil {
		return Evidence{}, fmt.Errorf("after: %w", err)
	}
	c.diagnose()
	c.evidence.qualified = spread(c.before) || spread(c.after)
	c.track(bound)
	c.resolveActions()
	c.restrictToCommonView()
	c.countUntracked()

	c.match()
	c.crossings()
	c.records()
	c.order()
	c.totals()
	c.actions()
	c.scopes()
	if c.before.url != c.after.url {
		c.evidence.Navigated = true
		c.evidence.URLFrom, c.evidence.URLTo = c.before.url, c.after.url
	}
	return c.evidence, nil
}

// diagnose joins the diagnostics of both sides, before's first, and adds a
// difference of views.
func (c *comparison) diagnose() {
	list := slices.Clone(c.before.diagnostics)
	for _, d := range c.after.diagnostics {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	if c.viewsDiffer() {
		list = append(list, Diagnostic{"view-differs", "view"})
	}
	c.evidence.Diagnostics = list
}

func (c *comparison) viewsDiffer() bool {
	b, a := c.before.view, c.after.view
	return b.limit != a.limit || (b.scopes == nil) != (a.scopes == nil) || !maps.Equal(b.scopes, a.scopes)
}

// spread reports whether the capture has records in more than one scope.
func spread(c *capture) bool {
	return slices.ContainsFunc(c.records, func(r *record) bool { return r.scope != c.records[0].scope })
}

// restrictToCommonView drops, if the views differ, the scopes that one of them
// leaves out, and those that are missing on a side that may have been cut.
func (c *comparison) restrictToCommonView() {
	if !c.viewsDiffer() {
		return
	}
	beyond := func(side *capture) map[string]int {
		if side == c.before {
			return c.untrackedBefore
		}
		return c.untrackedAfter
	}
	if c.before.view.limit != c.after.view.limit {
		cut := func(side *capture) bool {
			shown := len(side.records)
			for _, n := range beyond(side) {
				shown += n
			}
			return side.view.limit > 0 && shown >= side.view.limit
		}
		c.cutBefore, c.cutAfter = cut(c.before), cut(c.after)
	}
	exists := map[*capture]map[string]bool{}
	for _, side := range []*capture{c.before, c.after} {
		exists[side] = map[string]bool{}
		for _, s := range side.scopes {
			exists[side][s.id] = true
		}
	}
	outside := func(scope string) bool {
		for _, side := range []*capture{c.before, c.after} {
			if side.view.scopes != nil && !side.view.scopes[scope] {
				return true
			}
		}
		return c.cutBefore && !exists[c.before][scope] || c.cutAfter && !exists[c.after][scope]
	}
	for _, side := range []*capture{c.before, c.after} {
		side.scopes = slices.DeleteFunc(side.scopes, func(s *scope) bool { return outside(s.id) })
		side.records = slices.DeleteFunc(side.records, func(r *record) bool { return outside(r.scope) })
		side.actions = slices.DeleteFunc(side.actions, func(a *action) bool {
			if a.bound {
				return outside(a.boundScope)
			}
			return a.scope != "" && outside(a.scope)
		})
	}
}

// track takes the records beyond the bound out and keeps their counts.
func (c *comparison) track(bound int) {
	cut := func(side *capture) map[string]int {
		beyond := map[string]int{}
		if bound > 0 && len(side.records) > bound {
			for _, r := range side.records[bound:] {
				beyond[r.scope]++
			}
			side.records = side.records[:bound]
		}
		return beyond
	}
	c.untrackedBefore, c.untrackedAfter = cut(c.before), cut(c.after)
}

// countUntracked sums the records beyond the bound of the scopes compared.
func (c *comparison) countUntracked() {
	for _, s := range c.before.scopes {
		c.evidence.UntrackedFrom += c.untrackedBefore[s.id]
	}
	for _, s := range c.after.scopes {
		c.evidence.UntrackedTo += c.untrackedAfter[s.id]
	}
	c.untracked = c.evidence.UntrackedFrom+c.evidence.UntrackedTo > 0
}

// scopeIDs lists the scopes of both sides: those of after in its order, then
// those only in before.
func (c *comparison) scopeIDs() (list []string) {
	for _, s := range append(slices.Clone(c.after.scopes), c.before.scopes...) {
		if !slices.Contains(list, s.id) {
			list = append(list, s.id)
		}
	}
	return list
}

// whole reports a scope that is declared here and does not exist there.
func whole(here, there *capture, id string) bool {
	s := here.scope(id)
	return s != nil && s.declared && there.scope(id) == nil
}

// records lists what was added, removed and updated.
func (c *comparison) records() {
	e := &c.evidence
	for _, after := range c.after.records {
		before := after.pair
		if before == nil {
			if !after.crossed {
				e.Added = append(e.Added, Entry{ID: after.id, Scope: after.scope, Whole: whole(c.after, c.before, after.scope)})
			}
			continue
		}
		changes := c.changes(before, after, false)
		if len(changes) == 0 && !after.moved && !after.replaced {
			continue
		}
		entry := Entry{ID: after.id, Scope: after.scope, Inferred: after.inferred, Changes: changes}
		if after.moved {
			entry.ScopeFrom = before.scope
		}
		if after.replaced {
			entry.Replaces = before.id
		}
		for _, change := range changes {
			entry.Fields = append(entry.Fields, change.Field)
		}
		e.Updated = append(e.Updated, entry)
	}
	for _, before := range c.before.records {
		if before.pair == nil && !before.crossed {
			e.Removed = append(e.Removed, Entry{ID: before.id, Scope: before.scope, Whole: whole(c.before, c.after, before.scope)})
		}
	}
}

// order finds the scopes in which the rows that stayed changed their order.
func (c *comparison) order() {
	for _, id := range c.scopeIDs() {
		if c.unordered(id) {
			continue
		}
		var was, is []*record // the rows of after, in the order of each side
		for _, r := range c.before.records {
			if r.scope == id && stayed(r) {
				was = append(was, r.pair)
			}
		}
		for _, r := range c.after.records {
			if r.scope == id && stayed(r) {
				is = append(is, r)
			}
		}
		if !slices.Equal(was, is) {
			c.evidence.Reordered = true
			c.evidence.ReorderedScopes = append(c.evidence.ReorderedScopes, id)
		}
	}
}

// scopes lists declared scopes that came or went as a whole, and those on both
// sides whose own texts or state differ.
func (c *comparison) scopes() {
	entry := func(side *capture, id string) ScopeEntry {
		s := ScopeEntry{ID: id, Records: c.extent(side, id).total}
		for _, r := range side.records {
			switch {
			case r.scope != id:
			case r.pair != nil:
				s.Records--
			default:
				s.IDs = append(s.IDs, r.id)
			}
		}
		return s
	}
	e := &c.evidence
	for _, after := range c.after.scopes {
		before := c.before.scope(after.id)
		if before == nil {
			if after.declared {
				e.ScopesAdded = append(e.ScopesAdded, entry(c.after, after.id))
			}
			continue
		}
		var fields []string
		for _, f := range []struct{ name, from, to string }{
			{"label", before.label, after.label},
			{"description", before.description, after.description},
			{"role", before.role, after.role},
			{"parent", before.parent, after.parent},
			{"state", before.state, after.state},
		} {
			if f.from != f.to {
				fields = append(fields, f.name)
			}
		}
		if len(fields) > 0 {
			e.ScopesUpdated = append(e.ScopesUpdated, ScopeUpdate{after.id, fields})
		}
	}
	for _, before := range c.before.scopes {
		if whole(c.before, c.after, before.id) {
			e.ScopesRemoved = append(e.ScopesRemoved, entry(c.before, before.id))
		}
	}
}
