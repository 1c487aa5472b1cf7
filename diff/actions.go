package diff

import (
	"slices"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// actionFieldNames are the fields of actions in the order in which updates
// list them.
var actionFieldNames = []string{"id", "description", "kind", "primitive", "available", "params", "scope", "record"}

// compareActions pairs the actions by origin, what is left by shown id, and
// lists those that came, went or differ, but for what a change of their record
// implies.
func (d *Differ) compareActions() {
	c := &d.changes
	before, after := c.before.ActionTable(), c.after.ActionTable()
	var keepBefore, keepAfter func(int) bool
	if d.dropB != nil {
		keepBefore = func(i int) bool { return d.actionKept(c.before, d.dropB, i) }
		keepAfter = func(j int) bool { return d.actionKept(c.after, d.dropA, j) }
	}
	d.acts.match(before, after, keepBefore, keepAfter, false)
	d.actFields.reset(before, after, d.actFields.rules)
	d.bound.reset(d)
	sb, sa := before.Sums(), after.Sums()
	for _, p := range d.acts.touched {
		d.updateAction(p)
	}
	for _, p := range d.acts.pairs {
		if sb[p.before] != sa[p.after] {
			d.updateAction(p)
		}
	}
	if len(d.acts.restBefore) > 0 && len(d.acts.restAfter) > 0 {
		d.pairShownIDs()
	}
	if len(d.acts.touched) > 0 {
		slices.SortStableFunc(c.actionsUpdated, func(a, b update) int { return int(a.after) - int(b.after) })
	}
	for _, j := range d.acts.restAfter {
		if !d.bound.implied(sideAfter, int(j)) {
			c.actionsAdded = append(c.actionsAdded, j)
		}
	}
	for _, i := range d.acts.restBefore {
		if !d.bound.implied(sideBefore, int(i)) {
			c.actionsRemoved = append(c.actionsRemoved, i)
		}
	}
}

// actionKept reports whether the scope of an action is compared. Actions of no
// scope are, unless the caller names the scopes to compare.
func (d *Differ) actionKept(s *snapshot.Snapshot, drop []bool, i int) bool {
	scope := s.ActionTable().Field(i, "scope").Text()
	if n := s.Scope(string(scope)); n >= 0 && len(scope) > 0 {
		return !drop[n]
	}
	return d.opts.Scopes == nil || slices.Contains(d.opts.Scopes, string(scope))
}

// pairShownIDs pairs actions left over that are shown under one id.
func (d *Differ) pairShownIDs() {
	c := &d.changes
	shown := func(t *records.Table, i int32) string { return string(t.Field(int(i), "id").Text()) }
	waiting := map[string][]int32{}
	for _, i := range d.acts.restBefore {
		id := shown(c.before.ActionTable(), i)
		waiting[id] = append(waiting[id], i)
	}
	paired := map[int32]bool{}
	rest := d.acts.restAfter[:0]
	for _, j := range d.acts.restAfter {
		id := shown(c.after.ActionTable(), j)
		if w := waiting[id]; len(w) > 0 {
			waiting[id] = w[1:]
			paired[w[0]] = true
			d.updateAction(pair{w[0], j})
			continue
		}
		rest = append(rest, j)
	}
	d.acts.restAfter = rest
	d.acts.restBefore = take(d.acts.restBefore, func(i int32) bool { return paired[i] })
	slices.SortStableFunc(c.actionsUpdated, func(a, b update) int { return int(a.after) - int(b.after) })
}

// updateAction notes p if its actions differ in something that the change of
// their record does not imply.
func (d *Differ) updateAction(p pair) {
	lo := len(d.names)
	d.names = d.actFields.diff(d.names, int(p.before), int(p.after), false)
	fields := d.names[lo:]
	if len(fields) > 1 {
		slices.SortFunc(fields, func(a, b string) int {
			return slices.Index(actionFieldNames, a) - slices.Index(actionFieldNames, b)
		})
	}
	if len(fields) == 0 || d.bound.implied(sideBefore, int(p.before)) || d.bound.implied(sideAfter, int(p.after)) ||
		len(fields) == 1 && fields[0] == "description" && d.bound.touched(int(p.before), int(p.after)) {
		d.names = d.names[:lo]
		return
	}
	c := &d.changes
	c.actionsUpdated = append(c.actionsUpdated, update{p.before, p.after, int32(lo), int32(len(d.names)), byKey})
}

// A rowStatus says what happened to a record of one side.
type rowStatus uint8

const (
	stays rowStatus = iota
	goes            // added, removed, entered, left, moved or replaced
)

type side uint8

const (
	sideBefore side = iota
	sideAfter
)

// boundRows finds the records that actions are bound to and what happened to
// them. It indexes a side when first asked about it.
type boundRows struct {
	d       *Differ
	index   [2]records.Index
	indexed [2]bool
	byID    [2]map[string]int // row by id alone, -1 when there are several
	marked  bool
}

func (b *boundRows) reset(d *Differ) {
	b.d, b.indexed, b.byID, b.marked = d, [2]bool{}, [2]map[string]int{}, false
}

func (b *boundRows) snapshot(s side) *snapshot.Snapshot {
	if s == sideBefore {
		return b.d.changes.before
	}
	return b.d.changes.after
}

// row returns the row of the record that action i is bound to, or -1. An action
// without a scope is bound to the record of that id in the scope "", or else to
// the only one of that id.
func (b *boundRows) row(s side, i int) int {
	snap := b.snapshot(s)
	actions := snap.ActionTable()
	id := actions.Field(i, "record").Text()
	if len(id) == 0 {
		return -1
	}
	scope := actions.Field(i, "scope").Text()
	t := snap.Table()
	x := &b.index[s]
	if !b.indexed[s] {
		x.Build(t.Keys(), nil)
		b.indexed[s] = true
	}
	find := func(scope string) int {
		k := records.KeyDigest(scope, string(id))
		for row := range x.Find(k) {
			if t.Keys()[row] == k && string(t.ID(row)) == string(id) && t.Class(row).Scope() == scope {
				return row
			}
		}
		return -1
	}
	if row := find(string(scope)); row >= 0 || len(scope) > 0 {
		return row
	}
	if b.byID[s] == nil {
		b.byID[s] = make(map[string]int, t.Len())
		for row := range t.Len() {
			id := string(t.ID(row))
			if _, several := b.byID[s][id]; several {
				row = -1
			}
			b.byID[s][id] = row
		}
	}
	if row, ok := b.byID[s][string(id)]; ok {
		return row
	}
	return -1
}

// implied reports whether what became of action i follows from its record's
// coming, going, moving or being replaced.
func (b *boundRows) implied(s side, i int) bool {
	row := b.row(s, i)
	if row < 0 {
		return false
	}
	b.mark()
	if s == sideBefore {
		return b.d.statusB[row] == goes
	}
	return b.d.statusA[row] == goes
}

// mark fills in what happened to each record.
func (b *boundRows) mark() {
	if b.marked {
		return
	}
	b.marked = true
	d := b.d
	d.statusB = append(d.statusB[:0], make([]rowStatus, d.changes.before.Len())...)
	d.statusA = append(d.statusA[:0], make([]rowStatus, d.changes.after.Len())...)
	for _, i := range d.recs.restBefore {
		d.statusB[i] = goes
	}
	for _, j := range d.recs.restAfter {
		d.statusA[j] = goes
	}
	for _, p := range d.special {
		if p.kind != byNeighbours {
			d.statusB[p.before], d.statusA[p.after] = goes, goes
		}
	}
}

// touched reports whether the records of a pair of actions are one record that
// was updated or differs in fields that are not compared.
func (b *boundRows) touched(i, j int) bool {
	rb, ra := b.row(sideBefore, i), b.row(sideAfter, j)
	if rb < 0 || ra < 0 {
		return false
	}
	d := b.d
	if d.changes.before.Table().Sums()[rb] == d.changes.after.Table().Sums()[ra] {
		return false
	}
	lo := len(d.names)
	differ := len(d.fields.diff(d.names, rb, ra, true)) > lo
	d.names = d.names[:lo]
	return differ
}
