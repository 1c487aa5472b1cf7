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
	rowLevel    int
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
	if p.m.snap.Len() < p.budget/leastRow {
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
	if !p.addHeads(lv, p.left, 0) || !p.addActions(lv, lv, p.left, 0) || !p.addDiagnostics(lv, p.left) {
		return false
	}
	return p.addRows(lv)
}

// The kinds of what is shown, as far as they share a budget.
const (
	scopeKind = iota
	actionKind
	diagnosticKind
	rowKind
	kinds
)

// share shows what fits, in fair shares.
func (p *plan) share() {
	p.sharePage()
	needs := [kinds]int{
		scopeKind:      p.needHeads(firstShared, p.left),
		actionKind:     p.needActions(firstShared, p.left, p.m.parts),
		diagnosticKind: p.needDiagnostics(firstShared, p.left),
		rowKind:        p.needRows(firstShared, p.left),
	}
	caps := fair(p.left, needs, [kinds]int{scopeKind: 3, actionKind: 3, diagnosticKind: 1, rowKind: 3})
	// However short the budget, one scope and one action come first.
	caps[scopeKind] = max(caps[scopeKind], min(p.left/2, p.needHeads(briefLevel, 0)))
	caps[actionKind] = max(caps[actionKind], min(p.left/2, p.needActions(briefLevel, 0, p.m.parts)))
	used := p.divide(caps)
	// Pieces come in few sizes, so that a share is seldom used up. What is left
	// goes to one kind after the other; rows always take what they can.
	for _, kind := range []int{actionKind, scopeKind, diagnosticKind} {
		if p.left > 0 && used[kind] < needs[kind] {
			caps[kind] = used[kind] + p.left
			p.reset()
			p.sharePage()
			used = p.divide(caps)
		}
	}
	// The rest goes to whatever can use it, in whatever size.
	p.addHeads(lastLevel, p.left, 0)
	p.addActions(lastFull, lastLevel, p.left/2, 0)
	p.addRows(p.rowLevel)
	p.addActions(lastFull, lastLevel, p.left, 0)
	p.addRows(p.rowLevel)
	p.addDiagnostics(lastFull, p.left)
}

func (p *plan) sharePage() {
	for lv := firstShared; lv <= lastLevel && !p.addPage(lv, p.left/6); lv++ {
	}
}

// divide fills the shares that caps names, rows with all that is left, and
// returns what was used.
func (p *plan) divide(caps [kinds]int) (used [kinds]int) {
	left := p.left
	spent := func() int {
		n := left - p.left
		left = p.left
		return n
	}
	lv := fitting(caps[scopeKind], briefLevel, p.needHeads)
	p.addHeads(lv, caps[scopeKind], caps[scopeKind]-p.needHeads(lv, caps[scopeKind]))
	used[scopeKind] = spent()
	shown := p.m.parts[:len(p.blocks)]
	lv = fitting(caps[actionKind], lastFull, func(lv, most int) int { return p.needActions(lv, most, shown) })
	p.addActions(lv, lastLevel, caps[actionKind], caps[actionKind]-p.needActions(lv, caps[actionKind], shown))
	used[actionKind] = spent()
	p.addDiagnostics(fitting(caps[diagnosticKind], lastFull, p.needDiagnostics), caps[diagnosticKind])
	used[diagnosticKind] = spent()
	p.rowLevel = firstRows
	for !p.addRows(p.rowLevel) && !p.plenty() && p.rowLevel < lastLevel {
		p.dropRows()
		p.left = left
		p.rowLevel++
	}
	used[rowKind] = spent()
	return used
}

// fitting returns the first shared level at which all that need measures fits in
// most bytes, fallback if there is none.
func fitting(most, fallback int, need func(lv, most int) int) int {
	for lv := firstShared; lv <= briefLevel; lv++ {
		if need(lv, most) <= most {
			return lv
		}
	}
	return fallback
}

// fair divides total so that no kind gets more than it needs, and what one does
// not need goes to the others by weight.
func fair(total int, needs, weights [kinds]int) (caps [kinds]int) {
	var met [kinds]bool
	for {
		sum := 0
		for k, w := range weights {
			if !met[k] {
				sum += w
			}
		}
		again := false
		for k, need := range needs {
			if !met[k] && need <= total*weights[k]/sum {
				caps[k], met[k] = need, true
				total -= need
				again = true
				break
			}
		}
		if again {
			continue
		}
		for k, w := range weights {
			if !met[k] {
				caps[k] = total * w / sum
			}
		}
		return caps
	}
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

// addHeads shows further scopes, each at lv or at a better level as far as slack
// bytes go. It reports whether all are shown.
func (p *plan) addHeads(lv, most, slack int) bool {
	for len(p.blocks) < len(p.m.parts) {
		b := block{part: &p.m.parts[len(p.blocks)]}
		size := func(lv int) int {
			p.f.head(&b, &p.m.levels[lv])
			return len(b.head) + p.f.tail(&b)
		}
		base := size(lv)
		if base > min(p.left, most) {
			return false
		}
		cost := base
		if slack > 0 && lv > firstShared {
			l := firstShared
			for cost = size(l); l < lv && cost > min(p.left, most, base+slack); cost = size(l) {
				l++
			}
			slack -= max(0, cost-base)
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
// on, each at the first level from lv to last at which it fits, or at a better one
// as far as slack bytes go. It reports whether all are shown.
func (p *plan) addActions(lv, last, most, slack int) bool {
	fits := func(buf *[]byte, extra int, piece func(dst []byte, lv *level) []byte) bool {
		add := func(l, most int) int {
			start := len(*buf)
			*buf = piece(*buf, &p.m.levels[l])
			cost := len(*buf) - start + extra
			if cost > most {
				*buf = (*buf)[:start]
				return 0
			}
			return cost
		}
		cost := 0
		if slack > 0 && lv > firstShared {
			p.scratch = piece(p.scratch[:0], &p.m.levels[lv])
			base := len(p.scratch) + extra
			for l := firstShared; l < lv && cost == 0; l++ {
				if cost = add(l, min(p.left, most, base+slack)); cost > 0 {
					slack -= max(0, cost-base)
				}
			}
		}
		for l := lv; l <= last && cost == 0; l++ {
			cost = add(l, min(p.left, most))
		}
		p.left -= cost
		most -= cost
		return cost > 0
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
// records that were kept are shown.
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
	return p.omittedRows() == p.m.snap.Untracked()
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
