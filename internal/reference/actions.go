package reference

import (
	"slices"

	"github.com/google/go-cmp/cmp"
)

// resolveActions finds the record key that each record-bound action is about:
// its own scope and record, or without a scope the record of that id in the
// scope "", or else the only record of that id.
func (c *comparison) resolveActions() {
	for _, side := range []*capture{c.before, c.after} {
		for _, a := range side.actions {
			if !a.hasRecord {
				continue
			}
			a.bound, a.boundScope = true, a.scope
			if a.scope != "" || len(bound(side, a)) > 0 {
				continue
			}
			a.bound = false
			var found []*record
			for _, r := range side.records {
				if r.hasID && r.id == a.record {
					found = append(found, r)
				}
			}
			if len(found) == 1 {
				a.bound, a.boundScope = true, found[0].scope
			}
		}
	}
}

// bound lists the rows of the key that the action is about.
func bound(side *capture, a *action) (rows []*record) {
	for _, r := range side.records {
		if a.bound && r.hasID && r.scope == a.boundScope && r.id == a.record {
			rows = append(rows, r)
		}
	}
	return rows
}

// implied reports an action of a record that was itself added, removed,
// entered, left, moved or replaced: of every row of its key, where the key is
// there more than once.
func implied(side *capture, a *action) bool {
	rows := bound(side, a)
	plain := func(r *record) bool { return r.pair != nil && !r.moved && !r.replaced }
	return len(rows) > 0 && !slices.ContainsFunc(rows, plain)
}

// actions lists what changed about actions, beyond what is implied.
func (c *comparison) actions() {
	c.matchActions()
	e := &c.evidence
	for _, after := range c.after.actions {
		before := after.pair
		if before == nil {
			if !implied(c.after, after) {
				e.ActionsAdded = append(e.ActionsAdded, after.id)
			}
			continue
		}
		fields := actionFields(before, after)
		if len(fields) == 0 || implied(c.before, before) || implied(c.after, after) {
			continue
		}
		if slices.Equal(fields, []string{"description"}) && (c.touched(c.before, before) || c.touched(c.after, after)) {
			continue
		}
		e.ActionsUpdated = append(e.ActionsUpdated, ActionEntry{after.id, fields})
	}
	for _, before := range c.before.actions {
		if before.pair == nil && !implied(c.before, before) {
			e.ActionsRemoved = append(e.ActionsRemoved, before.id)
		}
	}
}

// touched reports whether the record that an action is about differs in any
// field, volatile ones included.
func (c *comparison) touched(side *capture, a *action) bool {
	return slices.ContainsFunc(bound(side, a), func(r *record) bool {
		return r.pair != nil && len(c.changes(r, r.pair, true)) > 0
	})
}

// matchActions pairs by origin, which is group, scope, record, name and
// occurrence, and then what is left by shown id.
func (c *comparison) matchActions() {
	pair := func(same func(b, a *action) bool) {
		for _, after := range c.after.actions {
			for _, before := range c.before.actions {
				if after.pair == nil && before.pair == nil && same(before, after) {
					before.pair, after.pair = after, before
				}
			}
		}
	}
	pair(func(b, a *action) bool {
		return b.group == a.group && b.scope == a.scope && b.record == a.record && b.name == a.name
	})
	pair(func(b, a *action) bool { return b.id == a.id })
}

func actionFields(before, after *action) (fields []string) {
	for _, f := range []struct {
		name     string
		from, to any
	}{
		{"id", before.id, after.id},
		{"description", before.description, after.description},
		{"kind", before.kind, after.kind},
		{"primitive", before.primitive, after.primitive},
		{"available", before.available, after.available},
		{"params", before.params, after.params},
		{"scope", before.scope, after.scope},
		{"record", before.record, after.record},
	} {
		if !cmp.Equal(f.from, f.to) {
			fields = append(fields, f.name)
		}
	}
	return fields
}
