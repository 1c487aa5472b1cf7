package diff

import (
	"slices"

	"github.com/pagestate/pagestate/records"
)

// A pair is one row on both sides.
type pair struct{ before, after int32 }

// A run is n rows on each side that pair in order, starting where it says.
type run struct{ before, after, n int32 }

// A matcher pairs the rows of two tables. Its memory is reused.
//
// After match, runs and pairs hold every pair between them, each row in at most
// one; restBefore and restAfter hold the rows that were not paired, in order.
type matcher struct {
	runs                  []run
	touched               []pair // pairs of runs whose rows are not the same, in after order
	pairs                 []pair // in after order
	unlike                []pair // those of pairs whose rows are not the same
	restBefore, restAfter []int32

	// rules returns the rules of a scope; nil means that there are none.
	rules func(scopeBefore, scopeAfter string) rules

	index records.Index
	taken []bool

	common []records.Common
	// The digests of keys and of contents of the rows on each side: columns of the
	// tables, or copies as far as they were loaded.
	kb, ka, sb, sa []uint64
	copies         [4][]uint64
}

const (
	// resync is how far ahead a run that broke is looked for again. On head
	// insertions and scattered removals 32 is as good as more; see
	// BenchmarkCompare, change=mixed.
	resync = 32
	// maxMisses is after how many rows in turn without a match in that window
	// the rows are taken to be shuffled, and left to the table of keys.
	maxMisses = 8
)

// match pairs rows of equal keys. keepBefore and keepAfter, if not nil, say
// which rows take part at all; the others appear nowhere. contentFirst tells
// how rows of one key pair: equal contents first, or by occurrence alone.
func (m *matcher) match(before, after *records.Table, keepBefore, keepAfter func(row int) bool, contentFirst bool) {
	m.runs, m.touched, m.pairs, m.unlike = m.runs[:0], m.touched[:0], m.pairs[:0], m.unlike[:0]
	m.restBefore, m.restAfter = m.restBefore[:0], m.restAfter[:0]
	repeats := len(before.Repeats()) > 0 || len(after.Repeats()) > 0
	anonymous := before.Anonymous() > 0 || after.Anonymous() > 0
	if repeats || anonymous || keepBefore != nil || keepAfter != nil {
		m.restBefore = appendRows(m.restBefore, before.Len(), keepBefore)
		m.restAfter = appendRows(m.restAfter, after.Len(), keepAfter)
		m.columns(before, after)
		m.load(before, after, 0, before.Len(), 0, after.Len())
	} else {
		m.align(before, after)
	}
	if len(m.restBefore) == 0 || len(m.restAfter) == 0 {
		return
	}
	if repeats {
		m.matchRepeated(before, after, contentFirst)
	} else {
		m.matchRest(before, after)
	}
}

func appendRows(rows []int32, n int, keep func(int) bool) []int32 {
	for i := range n {
		if keep == nil || keep(i) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// columns makes the columns of digests ready to be loaded.
func (m *matcher) columns(before, after *records.Table) {
	m.kb, m.sb = columnsOf(before, &m.copies[0], &m.copies[1])
	m.ka, m.sa = columnsOf(after, &m.copies[2], &m.copies[3])
}

// columnsOf returns the columns of a table whose rows lie together, and room for those
// of another one.
func columnsOf(t *records.Table, keys, sums *[]uint64) (k, s []uint64) {
	n := t.Len()
	if n == 0 {
		return nil, nil
	}
	if run := t.Run(0); len(run.Keys) == n {
		return run.Keys, run.Sums
	}
	*keys, *sums = slices.Grow((*keys)[:0], n)[:n], slices.Grow((*sums)[:0], n)[:n]
	return *keys, *sums
}

// load fills in the columns from rows i and j to before iEnd and jEnd.
func (m *matcher) load(before, after *records.Table, i, iEnd, j, jEnd int) {
	loadRows(before, m.kb, m.sb, i, iEnd)
	loadRows(after, m.ka, m.sa, j, jEnd)
}

func loadRows(t *records.Table, keys, sums []uint64, i, end int) {
	for i < end {
		run := t.Run(i)
		if &run.Keys[0] == &keys[i] {
			return // they are the table's own
		}
		copy(keys[i:end], run.Keys)
		copy(sums[i:end], run.Sums)
		i += len(run.Keys)
	}
}

// align pairs the rows that both tables share, and aligns those between them.
func (m *matcher) align(before, after *records.Table) {
	m.columns(before, after)
	m.common = before.AppendCommon(m.common[:0], after)
	i, j := 0, 0
	for _, c := range m.common {
		m.alignBetween(before, after, i, c.Row, j, c.Other)
		m.runs = append(m.runs, run{int32(c.Row), int32(c.Other), int32(c.N)})
		i, j = c.Row+c.N, c.Other+c.N
	}
	m.alignBetween(before, after, i, before.Len(), j, after.Len())
}

// alignBetween walks both tables in step, from rows i and j to before iEnd and jEnd,
// and collects runs of rows with equal keys; rows skipped to find the next run go to
// the rest. Keys must be unique on each side and every row must have an id, so that
// any pair of equal keys is the right one. Keys are digests keyed per process, 64 bits
// wide; the rows themselves are not read.
func (m *matcher) alignBetween(before, after *records.Table, i, iEnd, j, jEnd int) {
	m.load(before, after, i, iEnd, j, jEnd)
	kb, ka := m.kb[:iEnd], m.ka[:jEnd]
	sb, sa := m.sb[:iEnd], m.sa[:jEnd]
	misses := 0
	for i < len(kb) && j < len(ka) {
		start := i
		for {
			n := commonPrefix(sb[i:], sa[j:])
			i, j = i+n, j+n
			if i == len(kb) || j == len(ka) || kb[i] != ka[j] {
				break
			}
			m.touched = append(m.touched, pair{int32(i), int32(j)})
			i, j = i+1, j+1
		}
		if n := i - start; n > 0 {
			m.runs = append(m.runs, run{int32(start), int32(j - n), int32(n)})
			misses = 0
		}
		if i == len(kb) || j == len(ka) {
			break
		}
		if m.alignReversed(kb, ka, i, j) {
			return
		}
		di, dj := nextAligned(kb[i:], ka[j:], resync)
		if di+dj == 0 {
			if misses++; misses > maxMisses {
				break
			}
			di, dj = 1, 1
		}
		for ; di > 0; di-- {
			m.restBefore = append(m.restBefore, int32(i))
			i++
		}
		for ; dj > 0; dj-- {
			m.restAfter = append(m.restAfter, int32(j))
			j++
		}
	}
	for ; i < len(kb); i++ {
		m.restBefore = append(m.restBefore, int32(i))
	}
	for ; j < len(ka); j++ {
		m.restAfter = append(m.restAfter, int32(j))
	}
}

// alignReversed pairs all rows from i and j on if they are the same rows in
// reverse order, as when a column is sorted the other way; otherwise it does
// nothing.
func (m *matcher) alignReversed(kb, ka []uint64, i, j int) bool {
	sb, sa := m.sb[i:len(kb)], m.sa[j:len(ka)]
	kb, ka = kb[i:], ka[j:]
	n := len(kb)
	if n != len(ka) || n < 2 || kb[n-1] != ka[0] || kb[0] != ka[n-1] {
		return false
	}
	for k := range ka {
		if kb[n-1-k] != ka[k] {
			return false
		}
	}
	for k := range sa {
		p := pair{int32(i + n - 1 - k), int32(j + k)}
		if sb[n-1-k] != sa[k] {
			m.unlike = append(m.unlike, p)
		}
		m.pairs = append(m.pairs, p)
	}
	return true
}

// noID reports whether row i has no id. Such rows have equal keys without being
// the same record.
func noID(t *records.Table, i int) bool { return t.Row(i)[0] == 0 }

// nextAligned returns the smallest skip on one side that makes the first keys
// equal, within reach; zeros if there is none.
func nextAligned(kb, ka []uint64, reach int) (di, dj int) {
	for d := 1; d <= reach; d++ {
		if d < len(ka) && ka[d] == kb[0] {
			return 0, d
		}
		if d < len(kb) && kb[d] == ka[0] {
			return d, 0
		}
	}
	return 0, 0
}

// commonPrefix returns how many leading elements are equal.
func commonPrefix(a, b []uint64) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		if (x[0]^y[0])|(x[1]^y[1])|(x[2]^y[2])|(x[3]^y[3])|(x[4]^y[4])|(x[5]^y[5])|(x[6]^y[6])|(x[7]^y[7]) != 0 {
			break
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// matchRest pairs what is left of rows with unique keys. Rows without an id
// pair when their contents are equal, by occurrence.
func (m *matcher) matchRest(before, after *records.Table) {
	kb, ka, sb, sa := m.kb, m.ka, m.sb, m.sa
	anonymous := before.Anonymous() > 0 || after.Anonymous() > 0
	m.index.Reset(len(m.restBefore))
	for at, i := range m.restBefore {
		if !anonymous || !noID(before, int(i)) {
			m.index.Add(kb[i], at)
		}
	}
	m.taken = append(m.taken[:0], make([]bool, len(m.restBefore))...)
	rest := m.restAfter[:0]
	sorted := len(m.pairs) == 0
	for _, j := range m.restAfter {
		k := ka[j]
		at := -1
		if !anonymous || !noID(after, int(j)) {
			c, next := m.index.First(k)
			for ; c >= 0; c, next = m.index.Next(k, next) {
				i := m.restBefore[c]
				if sb[i] == sa[j] {
					at = c
					break
				}
				if kb[i] == k && before.SameKey(int(i), after, int(j)) {
					m.unlike = append(m.unlike, pair{i, j})
					at = c
					break
				}
			}
		}
		if at < 0 {
			rest = append(rest, j)
			continue
		}
		m.taken[at] = true
		m.pairs = append(m.pairs, pair{m.restBefore[at], j})
	}
	m.restAfter = rest
	m.dropTaken()
	if anonymous && len(m.restBefore) > 0 && len(m.restAfter) > 0 {
		m.matchAnonymous(before, after)
		sorted = false
	}
	if !sorted {
		m.sortPairs()
	}
}

// dropTaken removes the taken rows from restBefore.
func (m *matcher) dropTaken() {
	rest := m.restBefore[:0]
	for at, i := range m.restBefore {
		if !m.taken[at] {
			rest = append(rest, i)
		}
	}
	m.restBefore = rest
}

// sortPairs puts the pairs in after order and finds those that are unlike.
func (m *matcher) sortPairs() {
	slices.SortFunc(m.pairs, func(a, b pair) int { return int(a.after) - int(b.after) })
	m.unlike = m.unlike[:0]
	for _, p := range m.pairs {
		if m.sb[p.before] != m.sa[p.after] {
			m.unlike = append(m.unlike, p)
		}
	}
}
