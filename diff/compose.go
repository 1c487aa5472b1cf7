package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Compose returns the delta from the before side of first to the after side of
// second, which must start where first ends; otherwise it fails with
// [ErrMismatch] as far as the deltas show it. The result equals the delta made
// from the two snapshots themselves. Its cost is linear in the rows of the
// snapshots and in the deltas.
func Compose(first, second *Delta) (*Delta, error) {
	if !first.after.equal(second.before) {
		return nil, fmt.Errorf("page: %w", ErrMismatch)
	}
	out := &Delta{before: first.before, after: second.after}
	for _, t := range []struct {
		name               string
		out, first, second *tableDelta
	}{
		{"scopes", &out.scopes, &first.scopes, &second.scopes},
		{"records", &out.records, &first.records, &second.records},
		{"actions", &out.actions, &first.actions, &second.actions},
	} {
		var err error
		if *t.out, err = compose(t.first, t.second); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return out, nil
}

func compose(first, second *tableDelta) (tableDelta, error) {
	out := tableDelta{from: first.from, to: second.to}
	if first.to != second.from {
		return out, ErrMismatch
	}
	mateAB, err := first.mates()
	if err != nil {
		return out, err
	}
	mateBC, err := second.mates()
	if err != nil {
		return out, err
	}
	updateAB, addedAB := byAfter(first)
	updateBC, addedBC := byAfter(second)

	// The rows of a that are not in c: with what they held in a.
	removed := map[deltaKey]deltaRow{}
	for _, r := range first.removed {
		removed[r.key] = r
	}
	for _, r := range second.removed {
		i := mateAB[r.index]
		if i < 0 {
			continue // it came and went
		}
		if u := updateAB[r.index]; u != nil {
			back := u.reverse()
			if r, err = back.apply(r); err != nil {
				return out, err
			}
		}
		r.index = i
		removed[r.key] = r
	}

	mate := make([]int, out.to)
	for k, j := range mateBC {
		mate[k] = -1
		if j >= 0 && mateAB[j] >= 0 {
			mate[k] = mateAB[j]
			if u, differs := join(updateAB[j], updateBC[k]); differs {
				u.before, u.after = mate[k], k
				out.updated = append(out.updated, u)
			}
			continue
		}
		var row deltaRow
		if j < 0 {
			row = *addedBC[k]
		} else {
			row = *addedAB[j]
			if u := updateBC[k]; u != nil {
				if row, err = u.apply(row); err != nil {
					return out, err
				}
			}
			row.index = k
		}
		old, back := removed[row.key]
		if !back {
			out.added = append(out.added, row)
			continue
		}
		delete(removed, row.key) // it went and came back
		mate[k] = old.index
		if u, differs := updateOf(old, row); differs {
			u.before, u.after, u.key = old.index, k, row.key
			out.updated = append(out.updated, u)
		}
	}
	for _, r := range removed {
		out.removed = append(out.removed, r)
	}
	slices.SortFunc(out.removed, func(a, b deltaRow) int { return cmp.Compare(a.index, b.index) })
	out.setOrder(mate)
	return out, nil
}

// byAfter returns the updates and the added rows of t by after row.
func byAfter(t *tableDelta) (map[int]*deltaUpdate, map[int]*deltaRow) {
	updates, added := make(map[int]*deltaUpdate, len(t.updated)), make(map[int]*deltaRow, len(t.added))
	for n := range t.updated {
		updates[t.updated[n].after] = &t.updated[n]
	}
	for n := range t.added {
		added[t.added[n].index] = &t.added[n]
	}
	return updates, added
}

// join returns what two updates of one row in turn amount to; either may be nil.
// Places are those of neither.
func join(first, second *deltaUpdate) (u deltaUpdate, differs bool) {
	switch {
	case first == nil && second == nil:
		return u, false
	case first == nil:
		return *second, true
	case second == nil:
		return *first, true
	}
	u.key = first.key
	fields := map[string]fieldDelta{}
	for _, f := range first.fields {
		fields[f.name] = f
	}
	for _, f := range second.fields {
		if g, ok := fields[f.name]; ok {
			f.before = g.before
		}
		fields[f.name] = f
	}
	for _, f := range fields {
		if !bytes.Equal(f.before, f.after) {
			u.fields = append(u.fields, f)
		}
	}
	slices.SortFunc(u.fields, func(x, y fieldDelta) int { return cmp.Compare(x.name, y.name) })

	u.namesBefore, u.namesAfter = first.namesBefore, second.namesAfter
	if first.namesBefore == nil && first.namesAfter == nil {
		u.namesBefore = second.namesBefore
	}
	if second.namesBefore == nil && second.namesAfter == nil {
		u.namesAfter = first.namesAfter
	}
	if slices.Equal(u.namesBefore, u.namesAfter) {
		u.namesBefore, u.namesAfter = nil, nil
	}
	u.replacesBefore, u.replacesAfter = first.replacesBefore, second.replacesAfter
	if first.replacesBefore == first.replacesAfter {
		u.replacesBefore = second.replacesBefore
	}
	if second.replacesBefore == second.replacesAfter {
		u.replacesAfter = first.replacesAfter
	}
	if u.replacesBefore == u.replacesAfter {
		u.replacesBefore, u.replacesAfter = "", ""
	}
	return u, len(u.fields) > 0 || u.namesBefore != nil || u.namesAfter != nil || u.replacesBefore != u.replacesAfter
}
