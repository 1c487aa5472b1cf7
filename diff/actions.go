package diff

import (
	"iter"
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
		keepBefore = func(i int) bool { return d.actionKept(sideBefore, i) }
		keepAfter = func(j int) bool { return d.actionKept(sideAfter, j) }
	}
	d.bound.reset(d)
	d.acts.match(before, after, keepBefore, keepAfter, false)
	d.actFields.reset(before, after, d.actFields.rules)
	for _, list := range [...][]pair{d.acts.touched, d.acts.unlike} {
		for _, p := range list {
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

// actionKept reports whether the scope of an action, or of the record that it
// is bound to, is compared. Actions of no scope are, unless the caller names the
// scopes to compare.
func (d *Differ) actionKept(s side, i int) bool {
	snap := d.bound.snapshot(s)
	scope := string(snap.ActionTable().Field(i, "scope").Text())
	for row := range d.bound.rows(s, i) {
		scope = snap.Record(row).Scope()
		return !d.outside(scope)
	}
	if scope == "" {
		return d.opts.Scopes == nil || d.only.has("")
	}
	return !d.outside(scope)
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
		len(fields) == 1 && fields[0] == "description" &&
			(d.bound.touched(sideBefore, int(p.before)) || d.bound.touched(sideAfter, int(p.after))) {
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
	d      *Differ
	index  [2]records.Index
	asked  [2]int            // look-ups so far
	byID   [2]map[string]int // row by id alone, -1 when there are several
	marked bool

	// Of sides on which keys are repeated.
	byKey     [2]map[rowKey][]int32
	impliedBy [2]map[rowKey]answer
	touchedBy [2]map[rowKey]answer
}

func (b *boundRows) reset(d *Differ) {
	*b = boundRows{d: d, index: b.index}
}

func (b *boundRows) snapshot(s side) *snapshot.Snapshot {
	if s == sideBefore {
		return b.d.changes.before
	}
	return b.d.changes.after
}

// rows yields the rows of the record that action i is bound to: none, one, or
// several if its key is repeated. An action without a scope is bound to the
// record of that id in the scope "", or else to the only one of that id.
func (b *boundRows) rows(s side, i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		snap := b.snapshot(s)
		actions := snap.ActionTable()
		id := actions.Field(i, "record").Text()
		if len(id) == 0 {
			return
		}
		scope := actions.Field(i, "scope").Text()
		found := false
		for row := range b.find(s, string(scope), string(id)) {
			found = true
			if !yield(row) {
				return
			}
		}
		if found || len(scope) > 0 {
			return
		}
		if b.byID[s] == nil {
			b.byID[s] = onlyByID(snap.Table())
		}
		if row, ok := b.byID[s][string(id)]; ok && row >= 0 {
			yield(row)
		}
	}
}

// find yields the rows of a key.
func (b *boundRows) find(s side, scope, id string) iter.Seq[int] {
	t := b.snapshot(s).Table()
	if len(t.Repeats()) > 0 {
		return b.findRepeated(s, rowKey{scope, id})
	}
	k := records.KeyDigest(scope, id)
	same := func(row int) bool {
		return t.Key(row) == k && string(t.ID(row)) == id && t.Class(row).Scope() == scope
	}
	return func(yield func(int) bool) {
		if b.asked[s]++; b.asked[s] <= scansBeforeIndex {
			for row := range t.Len() {
				if same(row) && !yield(row) {
					return
				}
			}
			return
		}
		if b.asked[s] == scansBeforeIndex+1 {
			b.index[s].Build(t)
		}
		x := &b.index[s]
		for row, at := x.First(k); row >= 0; row, at = x.Next(k, at) {
			if same(row) && !yield(row) {
				return
			}
		}
	}
}

// findRepeated is find for a side on which keys are repeated.
func (b *boundRows) findRepeated(s side, key rowKey) iter.Seq[int] {
	t := b.snapshot(s).Table()
	if b.byKey[s] == nil {
		b.byKey[s] = make(map[rowKey][]int32, t.Len())
		for row := range t.Len() {
			k := keyOf(t, row)
			b.byKey[s][k] = append(b.byKey[s][k], int32(row))
		}
	}
	return func(yield func(int) bool) {
		for _, row := range b.byKey[s][key] {
			if !yield(int(row)) {
				return
			}
		}
	}
}

// An answer about the rows of a key, kept where the key is repeated: many actions
// may be bound to one key of many rows.
type answer struct{ known, yes bool }

// once returns ask's answer for action i, asking once for each key that is
// repeated.
func (b *boundRows) once(answers *[2]map[rowKey]answer, s side, i int, ask func() bool) bool {
	snap := b.snapshot(s)
	if len(snap.Table().Repeats()) == 0 {
		return ask()
	}
	actions := snap.ActionTable()
	key := rowKey{string(actions.Field(i, "scope").Text()), string(actions.Field(i, "record").Text())}
	if a := answers[s][key]; a.known {
		return a.yes
	}
	if answers[s] == nil {
		answers[s] = map[rowKey]answer{}
	}
	yes := ask()
	answers[s][key] = answer{true, yes}
	return yes
}

// scansBeforeIndex is how many look-ups scan the keys: building the index costs
// as much as about a dozen scans.
const scansBeforeIndex = 8

// onlyByID maps each id to its row, or to -1 if several records have it.
func onlyByID(t *records.Table) map[string]int {
	byID := make(map[string]int, t.Len())
	for row := range t.Len() {
		id := string(t.ID(row))
		if _, several := byID[id]; several {
			byID[id] = -1
		} else {
			byID[id] = row
		}
	}
	return byID
}

// implied reports whether what became of action i follows from its record's
// coming, going, moving or being replaced; of all its records, if the key is
// repeated.
func (b *boundRows) implied(s side, i int) bool {
	return b.once(&b.impliedBy, s, i, func() bool { return b.allGo(s, i) })
}

// allGo is implied without remembering.
func (b *boundRows) allGo(s side, i int) bool {
	bound := false
	for row := range b.rows(s, i) {
		b.mark()
		status := b.d.statusA
		if s == sideBefore {
			status = b.d.statusB
		}
		if status[row] != goes {
			return false
		}
		bound = true
	}
	return bound
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

// touched reports whether the record of action i was updated or differs in
// fields that are not compared.
func (b *boundRows) touched(s side, i int) bool {
	return b.once(&b.touchedBy, s, i, func() bool { return b.anyDiffers(s, i) })
}

// anyDiffers is touched without remembering.
func (b *boundRows) anyDiffers(s side, i int) bool {
	d := b.d
	for row := range b.rows(s, i) {
		d.fillMates()
		rb, ra := row, row
		if s == sideBefore {
			ra = int(d.mateBefore[row])
		} else {
			rb = int(d.mateAfter[row])
		}
		if ra < 0 || rb < 0 || d.changes.before.Table().Sum(rb) == d.changes.after.Table().Sum(ra) {
			continue
		}
		lo := len(d.names)
		differ := len(d.fields.diff(d.names, rb, ra, true)) > lo
		d.names = d.names[:lo]
		if differ {
			return true
		}
	}
	return false
}
