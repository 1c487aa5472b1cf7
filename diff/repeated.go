package diff

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/records"
)

// This file pairs rows that a key does not tell apart: several of one key, and
// rows without an id. Such pages are rare and already diagnosed, so it uses maps
// and allocates; it is linear all the same.

type rowKey struct{ scope, id string }

func keyOf(t *records.Table, i int) rowKey {
	return rowKey{t.Class(i).Scope(), string(t.ID(i))}
}

func keySet(t *records.Table) map[rowKey]bool {
	set := make(map[rowKey]bool, t.Len())
	for i := range t.Len() {
		set[keyOf(t, i)] = true
	}
	return set
}

// matchRepeated pairs the rows whose key occurs more than once on a side and
// takes them, paired or not, out of the rows left for matchRest. What stays
// unpaired is put back at the end.
func (m *matcher) matchRepeated(before, after *records.Table, contentFirst bool) {
	repeated := map[rowKey]bool{}
	for _, i := range before.Repeats() {
		repeated[keyOf(before, int(i))] = true
	}
	for _, j := range after.Repeats() {
		repeated[keyOf(after, int(j))] = true
	}
	groupsBefore, restBefore := split(before, m.restBefore, repeated)
	groupsAfter, restAfter := split(after, m.restAfter, repeated)
	m.restBefore, m.restAfter = restBefore, restAfter
	m.matchRest(before, after)
	for _, key := range groupsAfter.order {
		rowsBefore, rowsAfter := groupsBefore.rows[key], groupsAfter.rows[key]
		if contentFirst {
			rowsBefore, rowsAfter = m.pairContents(before, after, rowsBefore, rowsAfter)
		}
		n := min(len(rowsBefore), len(rowsAfter))
		for k := range n {
			m.pairs = append(m.pairs, pair{rowsBefore[k], rowsAfter[k]})
		}
		m.restBefore = append(m.restBefore, rowsBefore[n:]...)
		m.restAfter = append(m.restAfter, rowsAfter[n:]...)
	}
	for _, key := range groupsBefore.order {
		if _, both := groupsAfter.rows[key]; !both {
			m.restBefore = append(m.restBefore, groupsBefore.rows[key]...)
		}
	}
	slices.Sort(m.restBefore)
	slices.Sort(m.restAfter)
	m.sortPairs()
}

type rowGroups struct {
	order []rowKey
	rows  map[rowKey][]int32
}

// split takes the rows of repeated keys out of rows, in place.
func split(t *records.Table, rows []int32, repeated map[rowKey]bool) (rowGroups, []int32) {
	g := rowGroups{rows: map[rowKey][]int32{}}
	rest := rows[:0]
	for _, i := range rows {
		key := keyOf(t, int(i))
		if key.id == "" || !repeated[key] {
			rest = append(rest, i)
			continue
		}
		if len(g.rows[key]) == 0 {
			g.order = append(g.order, key)
		}
		g.rows[key] = append(g.rows[key], i)
	}
	return g, rest
}

// matchAnonymous pairs rows without an id that have equal contents, among those
// left over.
func (m *matcher) matchAnonymous(before, after *records.Table) {
	pick := func(t *records.Table, rows []int32) (picked map[string][]int32, rest []int32) {
		picked = map[string][]int32{}
		for _, i := range rows {
			if noID(t, int(i)) {
				scope := t.Class(int(i)).Scope()
				picked[scope] = append(picked[scope], i)
			} else {
				rest = append(rest, i)
			}
		}
		return picked, rest
	}
	anonBefore, restBefore := pick(before, m.restBefore)
	anonAfter, restAfter := pick(after, m.restAfter)
	for scope, rowsAfter := range anonAfter {
		rowsBefore, rowsAfter := m.pairContents(before, after, anonBefore[scope], rowsAfter)
		restBefore, restAfter = append(restBefore, rowsBefore...), append(restAfter, rowsAfter...)
		delete(anonBefore, scope)
	}
	for _, rows := range anonBefore {
		restBefore = append(restBefore, rows...)
	}
	slices.Sort(restBefore)
	slices.Sort(restAfter)
	m.restBefore, m.restAfter = append(m.restBefore[:0], restBefore...), append(m.restAfter[:0], restAfter...)
}

var contentSeed = maphash.MakeSeed()

// pairContents pairs rows of equal content by occurrence and returns the others.
func (m *matcher) pairContents(before, after *records.Table, rowsBefore, rowsAfter []int32) (restBefore, restAfter []int32) {
	waiting := map[uint64][]int32{}
	for _, i := range rowsBefore {
		c := m.contentOf(before, int(i))
		waiting[c] = append(waiting[c], i)
	}
	paired := map[int32]bool{}
	for _, j := range rowsAfter {
		c := m.contentOf(after, int(j))
		if w := waiting[c]; len(w) > 0 {
			m.pairs = append(m.pairs, pair{w[0], j})
			paired[w[0]] = true
			waiting[c] = w[1:]
		} else {
			restAfter = append(restAfter, j)
		}
	}
	for _, i := range rowsBefore {
		if !paired[i] {
			restBefore = append(restBefore, i)
		}
	}
	return restBefore, restAfter
}

// contentOf returns a keyed digest of what is compared of a row, which rows share
// that compare equal: fields that are not excepted, whatever their spelling and
// order, masked as either side declares.
func (m *matcher) contentOf(t *records.Table, i int) uint64 {
	var r rules
	if m.rules != nil {
		scope := t.Class(i).Scope()
		r = m.rules(scope, scope)
	}
	type field struct {
		name string
		val  records.Value
	}
	fields := make([]field, 0, 16)
	for name, v := range t.All(i) {
		if !r.skips(name) {
			fields = append(fields, field{name, v})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.name, b.name) })
	var buf []byte
	for _, f := range fields {
		buf = append(strconv.AppendInt(buf, int64(len(f.name)), 10), ':')
		buf = append(buf, f.name...)
		if r.masks(f.name) {
			f.val = masked(f.val, false)
		}
		buf = append(records.AppendCanonical(buf, f.val), ',')
	}
	return maphash.Bytes(contentSeed, buf)
}
