package diff

import (
	"github.com/pagestate/pagestate/snapshot"
)

// Options says what to compare. The zero Options compares everything.
type Options struct {
	Ignore []string // field names that are not compared, in any scope
	Scopes []string // compare only records and actions of these scopes; nil means all

	// Session says that both snapshots come from one live session, in which a
	// document that was replaced is told by its Page.Document.
	Session bool
	// Unsettled says that the page was still changing when after was taken.
	Unsettled bool
	// Dialogs were opened and answered between the snapshots.
	Dialogs []Dialog
	// Diagnostics of the observation itself come before those of the snapshots.
	Diagnostics []snapshot.Diagnostic
}

// A Dialog is one that the page opened and somebody answered.
type Dialog struct {
	Type    string // "alert", "confirm", "prompt", "beforeunload"
	Message string
	Answer  string // "accept", "dismiss", or the text of the answer
}

// A Differ compares snapshots. It holds scratch memory; the zero value is
// ready. It must not be used by two goroutines at once: keep one for each.
type Differ struct {
	changes Changes
	opts    Options

	recs, acts matcher
	fields     fieldComparer
	actFields  fieldComparer

	afterOf  []int32 // after scope number by before scope number, -1 when gone
	beforeOf []int32 // and the reverse
	dropB    []bool  // scopes not compared, by number; nil when all are
	dropA    []bool

	only                  names         // of scopes, as Options has it
	seenBefore, seenAfter names         // likewise, as each view has it
	ignore                names         // of fields
	declaredBefore        []declaration // by scope number
	declaredAfter         []declaration

	viewsDiffer bool // the captures were narrowed differently

	special    []specialPair
	sink       byte     // keeps what Touch reads from being optimised away
	names      []string // changed fields, of all updates together
	mateBefore []int32  // matched row on the other side, -1 when none
	mateAfter  []int32
	state      []scopeState
	statusB    []rowStatus
	statusA    []rowStatus
	bound      boundRows
	encoder    encoder
	groups     []group
	groupAt    map[uint64]int32
	key        []byte
}

// Changes is what Compare found. It belongs to its [Differ] and is valid until
// the next Compare.
type Changes struct {
	d             *Differ
	before, after *snapshot.Snapshot

	added   []int32 // rows of after, whole scopes included
	removed []int32 // rows of before, whole scopes included
	updated []update
	total   fromTo
	window  window

	reordered []int32 // numbers of after scopes
	moved     []int32 // filled by movedRows
	revision  [2]string

	scopesAdded   []wholeScope // by number in after
	scopesRemoved []wholeScope // by number in before
	scopesUpdated []scopeUpdate
	wholeAdded    int // rows of added that are reported with their scope
	wholeRemoved  int

	actionsAdded   []int32
	actionsRemoved []int32
	actionsUpdated []update

	urlChanged  bool
	navigated   bool
	untracked   fromTo
	diagnostics []snapshot.Diagnostic
}

type fromTo struct{ from, to int64 }

// An update is a pair of rows that differ; names lo to hi of the Differ.
type update struct {
	before, after int32
	lo, hi        int32
	kind          pairKind
}

type pairKind uint8

const (
	byKey pairKind = iota
	byReplaces
	byMove
	byNeighbours
)

type specialPair struct {
	pair
	kind pairKind
}

// A wholeScope is a declared scope that exists on one side only.
type wholeScope struct {
	scope   int32
	records int64 // how many it has, less those matched elsewhere
}

type scopeUpdate struct {
	before, after int32
	fields        []string
}

type window struct {
	entered, left, net int64
	assumed            bool
}

// Compare returns what changed from before to after. opts may be nil. It takes
// time linear in the records, actions and scopes.
func (d *Differ) Compare(before, after *snapshot.Snapshot, opts *Options) *Changes {
	if opts == nil {
		opts = &Options{}
	}
	d.opts = *opts
	c := &d.changes
	c.reset(d, before, after)
	d.names, d.special = d.names[:0], d.special[:0]
	d.statusB, d.statusA = d.statusB[:0], d.statusA[:0]
	d.mateBefore, d.mateAfter = d.mateBefore[:0], d.mateAfter[:0]
	if d.fields.rules == nil {
		d.fields.rules, d.actFields.rules = d.rules, noRules
		d.recs.rules = d.rules
	}
	d.readDeclarations()
	d.mapScopes()
	d.compareRecords()
	d.compareScopes()
	d.compareActions()
	d.comparePage()
	return c
}

func (c *Changes) reset(d *Differ, before, after *snapshot.Snapshot) {
	*c = Changes{d: d, before: before, after: after,
		added: c.added[:0], removed: c.removed[:0], updated: c.updated[:0],
		reordered: c.reordered[:0], moved: c.moved[:0],
		scopesAdded: c.scopesAdded[:0], scopesRemoved: c.scopesRemoved[:0], scopesUpdated: c.scopesUpdated[:0],
		actionsAdded: c.actionsAdded[:0], actionsRemoved: c.actionsRemoved[:0], actionsUpdated: c.actionsUpdated[:0],
		diagnostics: c.diagnostics[:0],
	}
}

// Same reports whether nothing that is compared differs: nothing would be
// listed or counted at detail names, where diagnostics, and a document replaced
// by one with the same exposure, are no difference.
func (c *Changes) Same() bool {
	return len(c.added) == 0 && len(c.removed) == 0 && len(c.updated) == 0 &&
		len(c.reordered) == 0 && c.window == window{} && c.total.from == c.total.to &&
		len(c.scopesAdded) == 0 && len(c.scopesRemoved) == 0 && len(c.scopesUpdated) == 0 &&
		len(c.actionsAdded) == 0 && len(c.actionsRemoved) == 0 && len(c.actionsUpdated) == 0 &&
		!c.urlChanged && c.untracked.from == c.untracked.to
}

func (d *Differ) comparePage() {
	c := &d.changes
	before, after := c.before.Page(), c.after.Page()
	if d.opts.Scopes == nil {
		c.urlChanged = before.URL != after.URL
	}
	// Files cannot tell a new document from the same one under another url.
	c.navigated = c.urlChanged
	if d.opts.Session {
		c.navigated = before.Document != after.Document
	}
	d.collectDiagnostics()
}

// CodeViewDiffers is the diagnostic of two captures that were narrowed
// differently.
const CodeViewDiffers = "view-differs"

// collectDiagnostics lists the diagnostics of both sides, those of before first.
func (d *Differ) collectDiagnostics() {
	c := &d.changes
	c.diagnostics = append(c.diagnostics, d.opts.Diagnostics...)
	if d.viewsDiffer {
		c.diagnostics = append(c.diagnostics, snapshot.Diagnostic{Code: CodeViewDiffers, At: "view",
			Message: "the captures were narrowed differently; what only one of them could see was not compared"})
	}
	b, a := c.before.Diagnostics(), c.after.Diagnostics()
	if len(b) == 0 && len(a) == 0 {
		return
	}
	type place struct{ code, at string }
	inAfter := make(map[place]bool, len(a))
	for _, x := range a {
		inAfter[place{x.Code, x.At}] = true
	}
	inBefore := make(map[place]bool, len(b))
	for _, x := range b {
		side := " (before)"
		if inAfter[place{x.Code, x.At}] {
			side = " (both sides)"
		}
		if !inBefore[place{x.Code, x.At}] {
			inBefore[place{x.Code, x.At}] = true
			c.diagnostics = append(c.diagnostics, snapshot.Diagnostic{Code: x.Code, At: x.At, Message: x.Message + side})
		}
	}
	for _, x := range a {
		if !inBefore[place{x.Code, x.At}] {
			inBefore[place{x.Code, x.At}] = true
			c.diagnostics = append(c.diagnostics, snapshot.Diagnostic{Code: x.Code, At: x.At, Message: x.Message + " (after)"})
		}
	}
}
