package view

// A form writes the pieces of a view. What it appends for a piece includes
// everything that the piece costs unless said otherwise, so that the length of
// the whole is the sum.
type form interface {
	// frame returns the most bytes of what is always there.
	frame() int
	page(dst []byte, lv *level) []byte
	// head sets the beginning of a scope and its number of columns.
	head(b *block, lv *level)
	// tail returns the most bytes of what ends a scope.
	tail(b *block) int
	// row appends record i to the block. It may stop, leaving a part, when that
	// takes more than most bytes.
	row(b *block, i int, lv *level, most int)
	// rowLists returns what the lists beside rows cost that have begun.
	rowLists(b *block) int
	entry(dst []byte, p *part, e *entry, lv *level) []byte
	// entryList is what a list of entries costs beside them.
	entryList() int
	tool(dst []byte, i int, lv *level) []byte
	diagnostic(dst []byte, i int, lv *level) []byte
	finish(dst []byte, p *plan) []byte
}

// A block is a scope being shown.
type block struct {
	*part
	columns           int
	head              []byte
	rows, cut, absent []byte
	acts              []byte
	shown             int // rows
	listed            int // entries
	acted             int // actions that they stand for
}

// A plan fills a budget.
type plan struct {
	m      *model
	f      form
	budget int
	left   int // bytes

	page        []byte
	blocks      []block
	tools       []byte
	listed      int // tools
	diagnostics []byte
	diagnosed   int
	scratch     []byte
}

func (p *plan) reset() {
	p.left = p.budget - p.f.frame()
	p.page, p.blocks = nil, p.blocks[:0]
	p.tools, p.listed = p.tools[:0], 0
	p.diagnostics, p.diagnosed = p.diagnostics[:0], 0
}

// fill decides what is shown.
func (p *plan) fill() {
	if least := p.m.snap.Len(); least < p.budget/leastRow {
		for lv := range lastFull + 1 {
			if p.reset(); p.everything(lv) {
				return
			}
		}
	}
	p.reset()
	p.share()
}

// everything shows all there is at one level, or reports that it does not fit.
func (p *plan) everything(lv int) bool {
	if len(p.m.parts) < len(p.m.snap.Scopes()) || !p.addPage(lv, p.left) {
		return false
	}
	if !p.addHeads(lv, p.left) || !p.addActions(lv, lv, p.left) || !p.addDiagnostics(lv, p.left) {
		return false
	}
	return p.addRows(lv)
}

// share shows what fits, in fair shares.
func (p *plan) share() {
	for lv := firstShared; lv <= lastLevel && !p.addPage(lv, p.left/6); lv++ {
	}
	// What each kind could use, and its weight.
	const heads, acts, diags, rows = 0, 1, 2, 3
	needs := [...]int{
		heads: p.needHeads(firstShared, p.left),
		acts:  p.needActions(firstShared, p.left, p.m.parts),
		diags: p.needDiagnostics(firstShared, p.left),
		rows:  p.needRows(firstShared, p.left),
	}
	caps := fair(p.left, needs, [...]int{heads: 3, acts: 3, diags: 1, rows: 3})

	lv := fitting(caps[heads], lastLevel, p.needHeads)
	p.addHeads(lv, caps[heads])
	shown := p.m.parts[:len(p.blocks)]
	lv = fitting(caps[acts], lastFull, func(lv, most int) int { return p.needActions(lv, most, shown) })
	p.addActions(lv, lastLevel, caps[acts])
	p.addDiagnostics(fitting(caps[diags], lastFull, p.needDiagnostics), caps[diags])
	rowLevel := firstShared
	for left := p.left; !p.addRows(rowLevel) && !p.plenty() && rowLevel < lastLevel; rowLevel++ {
		p.dropRows()
		p.left = left
	}
	// What is left over goes to whatever can use it.
	p.addHeads(lastLevel, p.left)
	p.addActions(lastFull, lastLevel, p.left)
	p.addRows(rowLevel)
	p.addDiagnostics(lastFull, p.left)
}

// fitting returns the first shared level at which all that need measures fits in
// most bytes, fallback if there is none.
func fitting(most, fallback int, need func(lv, most int) int) int {
	for lv := firstShared; lv <= lastLevel; lv++ {
		if need(lv, most) <= most {
			return lv
		}
	}
	return fallback
}

// fair divides total so that no kind gets more than it needs, and what one does
// not need goes to the others by weight.
func fair[T [4]int](total int, needs, weights T) T {
	var caps T
	open := [4]bool{true, true, true, true}
	for range caps {
		sum := 0
		for k := range caps {
			if open[k] {
				sum += weights[k]
			}
		}
		done := true
		for k := range caps {
			if open[k] && needs[k] <= total*weights[k]/sum {
				caps[k], open[k] = needs[k], false
				total -= needs[k]
				done = false
				break
			}
		}
		if !done {
			continue
		}
		for k := range caps {
			if open[k] {
				caps[k] = total * weights[k] / sum
			}
		}
		break
	}
	return caps
}

// add appends a piece to buf if that and extra cost no more than most.
func (p *plan) add(buf *[]byte, extra int, most *int, piece func(dst []byte) []byte) bool {
	start := len(*buf)
	*buf = piece(*buf)
	cost := len(*buf) - start + extra
	if cost > min(p.left, *most) {
		*buf = (*buf)[:start]
		return false
	}
	p.left -= cost
	*most -= cost
	return true
}

func (p *plan) addPage(lv, most int) bool {
	return p.add(&p.page, 0, &most, func(dst []byte) []byte { return p.f.page(dst, &p.m.levels[lv]) })
}

// addHeads shows further scopes and reports whether all are shown.
func (p *plan) addHeads(lv, most int) bool {
	for len(p.blocks) < len(p.m.parts) {
		b := block{part: &p.m.parts[len(p.blocks)]}
		p.f.head(&b, &p.m.levels[lv])
		cost := len(b.head) + p.f.tail(&b)
		if cost > min(p.left, most) {
			return false
		}
		p.left -= cost
		most -= cost
		p.blocks = append(p.blocks, b)
	}
	return len(p.blocks) == len(p.m.snap.Scopes())
}

func (p *plan) needHeads(lv, most int) int {
	sum := 0
	for n := range p.m.parts {
		b := block{part: &p.m.parts[n]}
		p.f.head(&b, &p.m.levels[lv])
		if sum += len(b.head) + p.f.tail(&b); sum > most {
			break
		}
	}
	return sum
}

// addActions shows further actions: a tool, then an entry of each scope, and so
// on, each at the first level from lv to last at which it fits. It reports whether
// all are shown.
func (p *plan) addActions(lv, last, most int) bool {
	fits := func(buf *[]byte, extra int, piece func(dst []byte, lv *level) []byte) bool {
		for l := lv; l <= last; l++ {
			if p.add(buf, extra, &most, func(dst []byte) []byte { return piece(dst, &p.m.levels[l]) }) {
				return true
			}
		}
		return false
	}
	stuck := make([]bool, len(p.blocks)+1)
	for again := true; again; {
		again = false
		if p.listed < len(p.m.tools) && !stuck[len(p.blocks)] {
			if fits(&p.tools, 0, func(dst []byte, lv *level) []byte { return p.f.tool(dst, p.m.tools[p.listed], lv) }) {
				p.listed++
				again = true
			} else {
				stuck[len(p.blocks)] = true
			}
		}
		for n := range p.blocks {
			b := &p.blocks[n]
			if b.listed == len(b.entries) || stuck[n] {
				continue
			}
			extra := 0
			if b.listed == 0 {
				extra = p.f.entryList()
			}
			e := b.entries[b.listed]
			if fits(&b.acts, extra, func(dst []byte, lv *level) []byte { return p.f.entry(dst, b.part, e, lv) }) {
				b.listed++
				b.acted += e.count
				again = true
			} else {
				stuck[n] = true
			}
		}
	}
	return p.omittedActions() == 0
}

func (p *plan) omittedActions() int {
	n := p.m.actions - p.listed
	for i := range p.blocks {
		n -= p.blocks[i].acted
	}
	return n
}

func (p *plan) needActions(lv, most int, parts []part) int {
	sum := 0
	count := func(piece []byte) bool {
		p.scratch = piece
		sum += len(piece)
		return sum > most
	}
	for _, i := range p.m.tools {
		if count(p.f.tool(p.scratch[:0], i, &p.m.levels[lv])) {
			return sum
		}
	}
	for n := range parts {
		for k, e := range parts[n].entries {
			if k == 0 {
				sum += p.f.entryList()
			}
			if count(p.f.entry(p.scratch[:0], &parts[n], e, &p.m.levels[lv])) {
				return sum
			}
		}
	}
	return sum
}

// addDiagnostics shows further diagnostics and reports whether all are shown that
// may be.
func (p *plan) addDiagnostics(lv, most int) bool {
	for p.diagnosed < len(p.m.diagnostics()) {
		if !p.add(&p.diagnostics, 0, &most, func(dst []byte) []byte {
			return p.f.diagnostic(dst, p.diagnosed, &p.m.levels[lv])
		}) {
			return false
		}
		p.diagnosed++
	}
	return true
}

func (p *plan) needDiagnostics(lv, most int) int {
	sum := 0
	for i := range p.m.diagnostics() {
		p.scratch = p.f.diagnostic(p.scratch[:0], i, &p.m.levels[lv])
		if sum += len(p.scratch); sum > most {
			break
		}
	}
	return sum
}

// addRows shows further rows, one of each scope in turn, and reports whether all
// are shown.
func (p *plan) addRows(lv int) bool {
	stuck := make([]bool, len(p.blocks))
	for again := true; again; {
		again = false
		for n := range p.blocks {
			b := &p.blocks[n]
			if b.shown == len(b.part.rows) || stuck[n] {
				continue
			}
			if cost := p.addRow(b, &p.m.levels[lv], p.left); cost <= p.left {
				p.left -= cost
				again = true
			} else {
				stuck[n] = true
			}
		}
	}
	return p.omittedRows() == 0
}

// addRow shows the next row of b if it costs no more than most. It returns the
// cost.
func (p *plan) addRow(b *block, lv *level, most int) int {
	rows, cut, absent, lists := len(b.rows), len(b.cut), len(b.absent), p.f.rowLists(b)
	p.f.row(b, b.part.rows[b.shown], lv, most)
	cost := len(b.rows) - rows + len(b.cut) - cut + len(b.absent) - absent + p.f.rowLists(b) - lists
	if cost > most {
		b.rows, b.cut, b.absent = b.rows[:rows], b.cut[:cut], b.absent[:absent]
		return cost
	}
	b.shown++
	return cost
}

// omittedRows returns the records that are not shown.
func (p *plan) omittedRows() int64 {
	n := int64(p.m.snap.Len()) + p.m.snap.Untracked()
	for i := range p.blocks {
		n -= int64(p.blocks[i].shown)
	}
	return n
}

func (p *plan) dropRows() {
	for n := range p.blocks {
		b := &p.blocks[n]
		b.rows, b.cut, b.absent, b.shown = b.rows[:0], b.cut[:0], b.absent[:0], 0
	}
}

// enoughRows is how many rows give an idea of a table. Values shrink further
// where that is what keeps a scope from showing as many.
const enoughRows = 5

// plenty reports whether each scope shows enough rows.
func (p *plan) plenty() bool {
	for n := range p.blocks {
		if b := &p.blocks[n]; b.shown < min(enoughRows, b.Records) {
			return false
		}
	}
	return true
}

func (p *plan) needRows(lv, most int) int {
	sum := 0
	for n := range p.m.parts {
		b := block{part: &p.m.parts[n]}
		p.f.head(&b, &p.m.levels[lv])
		for b.shown < len(b.part.rows) {
			cost := p.addRow(&b, &p.m.levels[lv], most)
			if sum += cost; sum > most {
				return sum
			}
		}
	}
	return sum
}
