package view

import (
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A model is what a snapshot offers to show: no more than a budget could hold,
// with exact counts of everything.
type model struct {
	snap    *snapshot.Snapshot
	budget  int
	levels  [lastLevel + 1]level
	parts   []part
	tools   []int // rows of actions that are shown by themselves
	actions int
	columns map[uint32][]int32 // by record class: the column of each field
	lens    map[*byte]int      // JSON lengths of large values, by encoding
}

// A part is a scope that may be shown.
type part struct {
	*snapshot.ScopeInfo
	rows    []int    // its first records
	fields  []string // of those records, in order of appearance
	entries []*entry
	fold    folder
}

// The least that things cost in either form, in bytes: no budget holds more of
// them.
const (
	leastScope  = 16 // "scope a records"
	leastRow    = 6  // "  | a" and a line end
	leastAction = 9  // "action a" and a line end
	leastID     = 3  // ", a"
)

// maxDiagnostics is how many diagnostics are shown at most.
const maxDiagnostics = 20

func newModel(snap *snapshot.Snapshot, budget int) *model {
	m := &model{snap: snap, budget: budget, levels: levels(budget)}
	scopes := snap.Scopes()
	m.parts = make([]part, min(len(scopes), budget/leastScope+1))
	for n := range m.parts {
		m.parts[n].ScopeInfo = &scopes[n]
	}
	m.collectRows()
	m.collectFields()
	m.collectActions()
	return m
}

// collectRows finds the first records of each part. It stops when it has as many
// as the budget could hold.
func (m *model) collectRows() {
	want := 0
	for n := range m.parts {
		p := &m.parts[n]
		size := min(p.Records, m.budget/leastRow+1)
		p.rows = make([]int, 0, size)
		want += size
	}
	for i := 0; want > 0; i++ {
		n := m.snap.ScopeNumber(i)
		if n < len(m.parts) && len(m.parts[n].rows) < cap(m.parts[n].rows) {
			m.parts[n].rows = append(m.parts[n].rows, i)
			want--
		}
	}
}

// collectFields finds the columns of each part and where the fields of each class
// of records go.
func (m *model) collectFields() {
	m.columns = map[uint32][]int32{}
	table := m.snap.Table()
	for n := range m.parts {
		p := &m.parts[n]
		var seen map[string]int32
		for at, i := range p.rows {
			class := table.ClassNumber(i)
			if at > 0 && class == table.ClassNumber(p.rows[at-1]) || m.columns[class] != nil {
				continue
			}
			if seen == nil {
				seen = map[string]int32{}
			}
			names := table.Class(i).Fields()
			cols := make([]int32, len(names)) // not nil, even if empty
			for k, name := range names {
				col, ok := seen[name]
				if !ok {
					col = int32(len(p.fields))
					seen[name] = col
					p.fields = append(p.fields, name)
				}
				cols[k] = col
			}
			m.columns[class] = cols
		}
	}
}

// cells appends the first n columns of record i to dst, absent values where it
// has no field.
func (m *model) cells(dst []records.Value, i, n int) []records.Value {
	dst = dst[:0]
	for range n {
		dst = append(dst, records.Value{})
	}
	table := m.snap.Table()
	cols := m.columns[table.ClassNumber(i)]
	k, left := 0, n
	for _, v := range table.All(i) {
		if left == 0 {
			break
		}
		if c := int(cols[k]); c < n {
			dst[c] = v
			left--
		}
		k++
	}
	return dst
}

// diagnostics returns those that may be shown.
func (m *model) diagnostics() []snapshot.Diagnostic {
	list := m.snap.Diagnostics()
	return list[:min(len(list), maxDiagnostics)]
}
