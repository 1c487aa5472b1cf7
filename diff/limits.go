package diff

import "github.com/pagestate/pagestate/snapshot"

// The lists that are cut to fit, in the order in which ties are halved.
const (
	listUpdated = iota
	listAdded
	listRemoved
	listActionsUpdated
	listActionsAdded
	listActionsRemoved
	listScopesUpdated
	listScopesAdded
	listScopesRemoved
	listScopeIDs
	listReordered
	listMoved
	lists
)

// The limits of a form of evidence: how much of c it may still show.
type limits struct {
	c *Changes
	Format
	shown [lists]int // entries shown at most

	changed, added, removed int // records listed or counted at this detail
	scoped                  bool
	noValues                bool
	noDiagnostics           bool
	noGroups                bool
	noDialogs               bool
	urlBytes                int
	tight                   tightness
}

// A tightness is how much is left out when even the lists are empty.
type tightness uint8

const (
	noRevision tightness = iota + 1
	asCompact
	noURL
	noExtraCounts // of reordered scopes, diagnostics and dialogs
	noWindow      // what is left fits MinEvidenceBytes, whatever the numbers
)

func (e *limits) values() bool { return e.Detail == Values && !e.noValues }
func (e *limits) basic() bool  { return e.Detail == Basic }

// newLimits counts what there is and sets the first limits.
func newLimits(c *Changes, f *Format) limits {
	e := limits{c: c, Format: f.withDefaults()}
	e.changed, e.added, e.removed = len(c.updated), len(c.added), len(c.removed)
	if !e.basic() {
		e.added -= c.wholeAdded
		e.removed -= c.wholeRemoved
	}
	e.scoped = manyScopes(c.before) || manyScopes(c.after)
	e.urlBytes = maxURLBytes
	ids := 0
	for _, list := range [][]wholeScope{c.scopesAdded, c.scopesRemoved} {
		for _, w := range list {
			ids = max(ids, int(min(w.records, int64(e.MaxListed))))
		}
	}
	for l, n := range [lists]int{e.changed, e.added, e.removed,
		len(c.actionsUpdated), len(c.actionsAdded), len(c.actionsRemoved),
		len(c.scopesUpdated), len(c.scopesAdded), len(c.scopesRemoved), ids,
		len(c.reordered), e.MaxListed} {
		e.shown[l] = min(n, e.MaxListed)
	}
	return e
}

// manyScopes reports whether s has records in more than one scope.
func manyScopes(s *snapshot.Snapshot) bool {
	n := 0
	for i := range s.Scopes() {
		if s.Scopes()[i].Count() > 0 {
			n++
		}
	}
	return n > 1
}

// shrink takes one more thing out; false if there is nothing left to take.
func (e *limits) shrink() bool {
	switch {
	case e.values():
		e.noValues = true
		return true
	case !e.noDiagnostics && len(e.c.diagnostics) > 0:
		e.noDiagnostics = true
		return true
	case !e.noGroups && e.changed > e.shown[listUpdated]:
		e.noGroups = true
		return true
	case !e.noDialogs && len(e.c.d.opts.Dialogs) > 0:
		e.noDialogs = true
		return true
	}
	longest := 0
	for l, n := range e.shown {
		if n > e.shown[longest] {
			longest = l
		}
	}
	if e.shown[longest] > 0 {
		e.shown[longest] /= 2
		e.noGroups = e.noGroups || longest == listUpdated
		return true
	}
	if e.urlBytes > 0 {
		e.urlBytes /= 2
		return true
	}
	if e.tight < noWindow {
		e.tight++
		e.Compact = e.Compact || e.tight >= asCompact
		return true
	}
	return false
}
