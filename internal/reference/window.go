package reference

// extent is how much of a scope one side shows.
type extent struct {
	count       int // records shown
	total       int // declared, else count
	complete    bool
	partial     bool // nobody can tell what is not shown
	offset      int
	offsetKnown bool
}

// extent returns what the side shows of a scope. A scope that it does not have,
// or for which it declares no total, is complete.
func (c *comparison) extent(side *capture, id string) extent {
	untracked := c.untrackedBefore
	if side == c.after {
		untracked = c.untrackedAfter
	}
	x := extent{count: untracked[id]}
	for _, r := range side.records {
		if r.scope == id {
			x.count++
		}
	}
	x.total = x.count
	s := side.scope(id)
	if s != nil && s.total != nil {
		x.total = *s.total
	}
	x.partial = s != nil && s.partial
	x.complete = x.total == x.count && !x.partial
	switch {
	case x.partial:
	case x.complete:
		x.offsetKnown = true
	case s.offset != nil:
		x.offset, x.offsetKnown = *s.offset, true
	}
	return x
}

// crossings tells, for each unmatched row, whether it is new or gone, or may
// only have crossed an edge of what is shown.
func (c *comparison) crossings() {
	for _, id := range c.scopeIDs() {
		c.crossing(c.after, c.before, c.cutBefore, id)
		c.crossing(c.before, c.after, c.cutAfter, id)
	}
}

// crossing does so for the rows of one scope that are here and have no match
// there.
func (c *comparison) crossing(here, there *capture, thereCut bool, id string) {
	var rows []*record
	for _, r := range here.records {
		if r.scope == id && r.pair == nil {
			rows = append(rows, r)
		}
	}
	h, t := c.extent(here, id), c.extent(there, id)
	growth := h.total - t.total - movedInto(here, id) + movedInto(there, id)
	for _, r := range rows {
		switch {
		case whole(here, there, id):
		case thereCut || c.untracked || t.partial:
			r.crossed = true
		case t.complete:
		case h.partial:
			r.crossed = true
		case h.offsetKnown && t.offsetKnown:
			// It cannot have been outside: it stands between two rows that were
			// inside, or at an end that was the end of the whole list.
			previous, next := neighbours(here, r, stayed)
			afterFirst := previous != nil || t.offset == 0
			beforeLast := next != nil || t.offset+t.count == t.total
			r.crossed = !afterFirst || !beforeLast
		default:
			c.evidence.Window.Assumed = true
			r.crossed = growth <= 0 || len(rows) != growth
		}
	}
}

// movedInto counts the rows of a scope whose match is in another scope.
func movedInto(side *capture, id string) (n int) {
	for _, r := range side.records {
		if r.scope == id && r.pair != nil && r.pair.scope != id {
			n++
		}
	}
	return n
}

// totals counts the exposed records of both sides, and what no listed row
// accounts for.
func (c *comparison) totals() {
	e := &c.evidence
	for _, id := range c.scopeIDs() {
		from, to := c.extent(c.before, id).total, c.extent(c.after, id).total
		e.TotalFrom += from
		e.TotalTo += to
		if whole(c.after, c.before, id) || whole(c.before, c.after, id) {
			continue
		}
		e.Window.Net += to - from
		for _, r := range c.after.records {
			switch {
			case r.scope != id:
			case r.crossed:
				e.Window.Entered++
			case r.pair == nil, r.moved:
				e.Window.Net--
			}
		}
		for _, r := range c.before.records {
			switch {
			case r.scope != id:
			case r.crossed:
				e.Window.Left++
			case r.pair == nil, r.moved:
				e.Window.Net++
			}
		}
	}
}
