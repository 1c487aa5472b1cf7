package reference

import (
	"slices"

	"github.com/google/go-cmp/cmp"
)

// declarations is what either side of a pair of rows declares about fields.
type declarations struct {
	volatile, sensitive map[string]bool
}

// declared joins the declarations of both captures about the given scopes: one
// on either side counts.
func (c *comparison) declared(scopes ...string) declarations {
	d := declarations{map[string]bool{}, map[string]bool{}}
	for _, side := range []*capture{c.before, c.after} {
		for _, id := range scopes {
			if s := side.scope(id); s != nil {
				for name := range s.volatile {
					d.volatile[name] = true
				}
				for name := range s.sensitive {
					d.sensitive[name] = true
				}
			}
		}
	}
	return d
}

// unordered reports whether either side declares it of the scope.
func (c *comparison) unordered(id string) bool {
	for _, side := range []*capture{c.before, c.after} {
		if s := side.scope(id); s != nil && s.unordered {
			return true
		}
	}
	return false
}

// changes lists the fields that differ between two rows: those of after in its
// order, then those gone in the order of before. Volatile fields count only on
// request.
func (c *comparison) changes(before, after *record, volatile bool) (list []Change) {
	d := c.declared(before.scope, after.scope)
	look := func(r *record, name string) []any {
		v, ok := r.fields[name]
		if !ok {
			return nil
		}
		if d.sensitive[name] {
			v = masked(v)
		}
		return []any{v}
	}
	for _, name := range append(slices.Clone(after.names), before.names...) {
		if d.volatile[name] && !volatile {
			continue
		}
		if slices.ContainsFunc(list, func(c Change) bool { return c.Field == name }) {
			continue
		}
		from, to := look(before, name), look(after, name)
		if !cmp.Equal(from, to) {
			list = append(list, Change{name, from, to})
		}
	}
	return list
}

// masked hides a value; empty stays empty.
func masked(v any) any {
	switch v := v.(type) {
	case nil:
		return v
	case string:
		if v == "" {
			return v
		}
	case []any:
		if len(v) == 0 {
			return v
		}
	case map[string]any:
		if len(v) == 0 {
			return v
		}
	}
	return "[masked]"
}

func (c *comparison) join(before, after *record) {
	before.pair, after.pair = after, before
}

// match pairs the records of both sides.
func (c *comparison) match() {
	c.matchKeys()
	c.matchReplaced()
	c.matchMoved()
	c.matchInferred()
}

// matchKeys pairs by (scope, id): equal contents first, then by occurrence.
// Rows without an id have no key; only equal ones of a scope are paired here.
func (c *comparison) matchKeys() {
	sameKey := func(a, b *record) bool { return a.scope == b.scope && a.hasID == b.hasID && a.id == b.id }
	for _, after := range c.after.records {
		for _, before := range c.before.records {
			if before.pair == nil && sameKey(before, after) && len(c.changes(before, after, false)) == 0 {
				c.join(before, after)
				break
			}
		}
	}
	for _, after := range c.after.records {
		for _, before := range c.before.records {
			if after.pair == nil && before.pair == nil && after.hasID && sameKey(before, after) {
				c.join(before, after)
			}
		}
	}
}

// has reports whether the side has a record of that key.
func has(side *capture, scope, id string) bool {
	return slices.ContainsFunc(side.records, func(r *record) bool { return r.hasID && r.scope == scope && r.id == id })
}

// matchReplaced pairs by declared replacement: the old key only in before, the
// new one only in after, and the first claimant of an old key wins.
func (c *comparison) matchReplaced() {
	claimed := map[[2]string]bool{}
	for _, after := range c.after.records {
		if !after.hasID || after.replaces == "" || after.pair != nil {
			continue
		}
		if has(c.after, after.scope, after.replaces) || has(c.before, after.scope, after.id) {
			continue
		}
		for _, before := range c.before.records {
			old := [2]string{before.scope, before.id}
			if before.hasID && before.scope == after.scope && before.id == after.replaces && !claimed[old] {
				claimed[old] = true
				c.join(before, after)
				after.replaced, before.replaced = true, true
			}
		}
	}
}

// matchMoved pairs keys that are on one side only with the same id in another
// scope of the same identity space, by occurrence.
func (c *comparison) matchMoved() {
	space := func(side *capture, r *record) string {
		if s := side.scope(r.scope); s != nil {
			return s.ids
		}
		return ""
	}
	for _, after := range c.after.records {
		if !after.hasID || after.pair != nil || has(c.before, after.scope, after.id) {
			continue
		}
		for _, before := range c.before.records {
			if !before.hasID || before.pair != nil || has(c.after, before.scope, before.id) {
				continue
			}
			if before.id == after.id && space(c.before, before) != "" && space(c.before, before) == space(c.after, after) {
				c.join(before, after)
				after.moved, before.moved = true, true
				break
			}
		}
	}
}

// stayed reports a row that is matched within its own scope.
func stayed(r *record) bool { return r.pair != nil && r.pair.scope == r.scope }

// neighbours returns the nearest rows before and after r in its scope that
// satisfy ok; nil where there is none.
func neighbours(side *capture, r *record, ok func(*record) bool) (previous, next *record) {
	passed := false
	for _, other := range side.records {
		switch {
		case other == r:
			passed = true
		case other.scope != r.scope || !ok(other):
		case !passed:
			previous = other
		case next == nil:
			next = other
		}
	}
	return previous, next
}

// matchInferred pairs the one unmatched row without an id on each side that
// stands between the same matched neighbours. The ends of a list count as
// neighbours.
func (c *comparison) matchInferred() {
	type gap struct {
		scope          string
		previous, next *record // rows of after
	}
	lone := map[gap][2][]*record{}
	for i, side := range []*capture{c.before, c.after} {
		for _, r := range side.records {
			if r.hasID || r.pair != nil {
				continue
			}
			previous, next := neighbours(side, r, stayed)
			if i == 0 && previous != nil {
				previous = previous.pair
			}
			if i == 0 && next != nil {
				next = next.pair
			}
			here := gap{r.scope, previous, next}
			rows := lone[here]
			rows[i] = append(rows[i], r)
			lone[here] = rows
		}
	}
	for _, rows := range lone {
		if len(rows[0]) == 1 && len(rows[1]) == 1 {
			c.join(rows[0][0], rows[1][0])
			rows[1][0].inferred = true
		}
	}
}
