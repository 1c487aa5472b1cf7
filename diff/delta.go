package diff

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A Delta is everything that turns one snapshot into another: also what evidence
// leaves out, such as volatile fields, order, the title and how numbers are
// spelled. It is unbounded and holds both sides of every difference, so that it
// can be composed without the snapshots. The zero Delta changes nothing of an
// empty snapshot.
//
// A Delta pairs rows by key and occurrence alone; a record that moved or was
// replaced is removed and added. It is immutable and safe for concurrent use,
// and keeps the memory of the values that differ, not that of the snapshots.
type Delta struct {
	before, after frame
	scopes        tableDelta
	records       tableDelta
	actions       tableDelta
}

// A frame is what a snapshot has besides rows.
type frame struct {
	page        snapshot.Page
	view        snapshot.View
	untracked   map[string]int64
	diagnostics []snapshot.Diagnostic
}

// A deltaKey identifies a row of one side. No two rows of a side have one key.
type deltaKey struct {
	scope, id  string
	occurrence int // 0 for the first row of this scope and id
}

// A tableDelta turns the rows of one table into those of another.
type tableDelta struct {
	from, to int        // rows on each side
	removed  []deltaRow // rows of before that are not in after, by index
	added    []deltaRow // rows of after that were not in before, by index
	updated  []deltaUpdate
	// order lists, for the rows on both sides in after order, which of them in
	// before order it is. nil means that the order is the same.
	order []int32
}

// A deltaRow is a whole row.
type deltaRow struct {
	index    int
	key      deltaKey
	names    []string
	values   [][]byte // encoded, by position in names
	replaces string
}

// A deltaUpdate is a row on both sides that differs.
type deltaUpdate struct {
	before, after int // indices
	key           deltaKey
	fields        []fieldDelta // by name
	// names and replaces on each side, where they are not the same.
	namesBefore, namesAfter       []string
	replacesBefore, replacesAfter string
}

// A fieldDelta is the value of a field on each side, encoded; nil where the
// field is absent.
type fieldDelta struct {
	name          string
	before, after []byte
}

// NewDelta returns the delta from before to after. Its cost is linear in both.
func NewDelta(before, after *snapshot.Snapshot) *Delta {
	return &Delta{
		before:  frameOf(before),
		after:   frameOf(after),
		scopes:  newTableDelta(scopeRows(before), scopeRows(after)),
		records: newTableDelta(recordRows{before}, recordRows{after}),
		actions: newTableDelta(actionRows{before.ActionTable()}, actionRows{after.ActionTable()}),
	}
}

func frameOf(s *snapshot.Snapshot) frame {
	p := s.Parts()
	return frame{p.Page, p.View, p.Untracked, p.Diagnostics}
}

func (f frame) equal(g frame) bool {
	return f.page == g.page && f.view.Limit == g.view.Limit && (f.view.Scopes == nil) == (g.view.Scopes == nil) &&
		slices.Equal(f.view.Scopes, g.view.Scopes) && maps.Equal(f.untracked, g.untracked) && slices.Equal(f.diagnostics, g.diagnostics)
}

// Empty reports whether the delta changes nothing.
func (d *Delta) Empty() bool {
	return d.before.equal(d.after) && d.scopes.empty() && d.records.empty() && d.actions.empty()
}

func (t *tableDelta) empty() bool {
	return len(t.removed) == 0 && len(t.added) == 0 && len(t.updated) == 0 && t.order == nil
}

// Equal reports whether two deltas are the same: between snapshots of the same
// sizes, with the same differences to the last spelling.
func (d *Delta) Equal(e *Delta) bool {
	return d.before.equal(e.before) && d.after.equal(e.after) && reflect.DeepEqual(d.scopes, e.scopes) &&
		reflect.DeepEqual(d.records, e.records) && reflect.DeepEqual(d.actions, e.actions)
}

// Errors of applying and composing.
var (
	// ErrMismatch reports a delta applied to, or composed with, something other
	// than what it was made from.
	ErrMismatch = errors.New("the delta does not fit")
)

// rows is a table as deltas see it.
type rows interface {
	len() int
	key(i int) (scope, id string)
	// sum returns a digest that rows of equal content share, or 0.
	sum(i int) uint64
	row(i int) deltaRow // without index and key; values alias the table
}

type recordRows struct{ s *snapshot.Snapshot }

func (r recordRows) len() int { return r.s.Len() }
func (r recordRows) key(i int) (string, string) {
	t := r.s.Table()
	return t.Class(i).Scope(), string(t.ID(i))
}
func (r recordRows) sum(i int) uint64 {
	if r.s.Replaced(i) != "" {
		return 0
	}
	return r.s.Table().Sum(i)
}
func (r recordRows) row(i int) deltaRow {
	row := tableRow(r.s.Table(), i)
	row.replaces = r.s.Replaced(i)
	return row
}

type actionRows struct{ t *records.Table }

func (r actionRows) len() int                   { return r.t.Len() }
func (r actionRows) key(i int) (string, string) { return "", string(r.t.ID(i)) }
func (r actionRows) sum(i int) uint64           { return r.t.Sum(i) }
func (r actionRows) row(i int) deltaRow         { return tableRow(r.t, i) }

func tableRow(t *records.Table, i int) deltaRow {
	row := deltaRow{names: t.Class(i).Fields()}
	for rest := t.Values(i); len(rest) > 0; {
		var v records.Value
		v, rest = records.Cut(rest)
		row.values = append(row.values, v.Raw())
	}
	return row
}

// scopeRows returns the declared scopes as rows: a row's id is the scope's, its
// fields are the members of its declaration.
func scopeRows(s *snapshot.Snapshot) rows {
	var b records.Builder
	for i := range s.Scopes() {
		if sc := &s.Scopes()[i]; sc.Declared {
			b.Begin("", "s"+sc.ID) // a scope's id may be empty
			for _, m := range scopeMembers {
				if v := m.get(&sc.Scope); v != nil {
					b.Field(m.name)
					b.Buf = append(b.Buf, v...)
				}
			}
			b.End()
		}
	}
	t, err := b.Finish()
	if err != nil {
		panic("diff: scopes of more than 4 GiB") // a snapshot cannot hold them
	}
	return actionRows{t}
}

// newTableDelta pairs rows by key and occurrence and lists what differs.
func newTableDelta(before, after rows) tableDelta {
	t := tableDelta{from: before.len(), to: after.len()}
	at := make(map[deltaKey]int, t.from)
	keysBefore, keysAfter := deltaKeys(before), deltaKeys(after)
	for i, k := range keysBefore {
		at[k] = i
	}
	mate := make([]int, t.to) // before row of each after row, or -1
	kept := make([]bool, t.from)
	for j, k := range keysAfter {
		i, ok := at[k]
		if !ok {
			mate[j] = -1
			t.added = append(t.added, after.row(j).at(j, k))
			continue
		}
		mate[j] = i
		kept[i] = true
		if s := before.sum(i); s != 0 && s == after.sum(j) {
			continue
		}
		if u, differs := updateOf(before.row(i), after.row(j)); differs {
			u.before, u.after, u.key = i, j, k
			t.updated = append(t.updated, u)
		}
	}
	for i, k := range keysBefore {
		if !kept[i] {
			t.removed = append(t.removed, before.row(i).at(i, k))
		}
	}
	t.setOrder(mate)
	return t
}

// deltaKeys returns the key of each row.
func deltaKeys(r rows) []deltaKey {
	keys := make([]deltaKey, r.len())
	seen := make(map[rowKey]int, r.len())
	for i := range keys {
		scope, id := r.key(i)
		keys[i] = deltaKey{scope, id, seen[rowKey{scope, id}]}
		seen[rowKey{scope, id}]++
	}
	return keys
}

// at returns a copy of the row with its place.
func (r deltaRow) at(index int, key deltaKey) deltaRow {
	r.index, r.key = index, key
	values := make([][]byte, len(r.values))
	for i, v := range r.values {
		values[i] = bytes.Clone(v)
	}
	r.values = values
	return r
}

// updateOf returns how two rows differ, without their places.
func updateOf(b, a deltaRow) (u deltaUpdate, differs bool) {
	sameNames := slices.Equal(b.names, a.names)
	if sameNames {
		for n, name := range a.names {
			if !bytes.Equal(b.values[n], a.values[n]) {
				u.fields = append(u.fields, fieldDelta{name, bytes.Clone(b.values[n]), bytes.Clone(a.values[n])})
			}
		}
	} else {
		u.namesBefore, u.namesAfter = b.names, a.names
		old := b.byName()
		for n, name := range a.names {
			if v := old[name]; !bytes.Equal(v, a.values[n]) {
				u.fields = append(u.fields, fieldDelta{name, bytes.Clone(v), bytes.Clone(a.values[n])})
			}
			delete(old, name)
		}
		for name, v := range old {
			u.fields = append(u.fields, fieldDelta{name, bytes.Clone(v), nil})
		}
	}
	slices.SortFunc(u.fields, func(x, y fieldDelta) int { return cmp.Compare(x.name, y.name) })
	if b.replaces != a.replaces {
		u.replacesBefore, u.replacesAfter = b.replaces, a.replaces
	}
	return u, len(u.fields) > 0 || !sameNames || b.replaces != a.replaces
}

func (r *deltaRow) byName() map[string][]byte {
	m := make(map[string][]byte, len(r.names))
	for n, name := range r.names {
		m[name] = r.values[n]
	}
	return m
}

// setOrder notes the order of the rows on both sides if it changed. mate is the
// before row of each after row, or -1.
func (t *tableDelta) setOrder(mate []int) {
	rank := make([]int32, t.from) // of the before rows on both sides
	for _, i := range mate {
		if i >= 0 {
			rank[i] = 1
		}
	}
	n := int32(0)
	for i := range rank {
		if rank[i] == 1 {
			rank[i] = n
			n++
		} else {
			rank[i] = -1
		}
	}
	order := make([]int32, 0, n)
	for _, i := range mate {
		if i >= 0 {
			order = append(order, rank[i])
		}
	}
	if !slices.IsSorted(order) {
		t.order = order
	}
}

// mates returns the before row of each after row, or -1. It fails if the delta
// contradicts itself.
func (t *tableDelta) mates() ([]int, error) {
	kept := make([]int, 0, t.from)
	removed := t.removed
	for i := range t.from {
		if len(removed) > 0 && removed[0].index == i {
			removed = removed[1:]
		} else {
			kept = append(kept, i)
		}
	}
	if len(kept) != t.to-len(t.added) || t.order != nil && len(t.order) != len(kept) {
		return nil, ErrMismatch
	}
	mate := make([]int, t.to)
	added := t.added
	n := 0
	for j := range mate {
		switch {
		case len(added) > 0 && added[0].index == j:
			added = added[1:]
			mate[j] = -1
		case n == len(kept):
			return nil, ErrMismatch
		default:
			mate[j] = kept[n]
			if t.order != nil {
				mate[j] = kept[t.order[n]]
			}
			n++
		}
	}
	return mate, nil
}
