package diff

import (
	"iter"

	"github.com/pagestate/pagestate/snapshot"
)

// This file lets callers walk what Compare found, unbounded and without writing
// evidence: gates, reports of their own.

// Counts are how many of each kind of change there are, all of them, whatever a
// [Format] would list.
type Counts struct {
	// Records, those of scopes that came or went as a whole included. At the
	// details names and values evidence counts these with their scope.
	Added, Removed, Updated       int
	AddedWhole, RemovedWhole      int   // of Added and Removed, those of whole scopes
	Entered, Left                 int64 // came into or fell out of a window or the tracking bound
	From, To                      int64 // records that each side exposes
	Net                           int64 // of To - From, what neither a record nor a scope accounts for
	Reordered                     int   // scopes whose records changed their relative order
	ActionsAdded, ActionsRemoved  int
	ActionsUpdated                int
	ScopesAdded, ScopesRemoved    int
	ScopesUpdated                 int
	UntrackedBefore, UntrackedNow int64 // records past the tracking bound
}

// Counts returns the counts of all changes.
func (c *Changes) Counts() Counts {
	return Counts{
		Added: len(c.added), Removed: len(c.removed), Updated: len(c.updated),
		AddedWhole: c.wholeAdded, RemovedWhole: c.wholeRemoved,
		Entered: c.window.entered, Left: c.window.left,
		From: c.total.from, To: c.total.to, Net: c.window.net,
		Reordered:    len(c.reordered),
		ActionsAdded: len(c.actionsAdded), ActionsRemoved: len(c.actionsRemoved), ActionsUpdated: len(c.actionsUpdated),
		ScopesAdded: len(c.scopesAdded), ScopesRemoved: len(c.scopesRemoved), ScopesUpdated: len(c.scopesUpdated),
		UntrackedBefore: c.untracked.from, UntrackedNow: c.untracked.to,
	}
}

// URLChanged reports whether the sides have different addresses.
func (c *Changes) URLChanged() bool { return c.urlChanged }

// A Presence is a record that is on one side only.
type Presence struct {
	snapshot.Record
	Whole bool // its declared scope came or went with it
}

// An Update is one record that is on both sides and differs.
type Update struct {
	Before, After snapshot.Record
	// Fields are the names that differ, in after order, then those that are
	// gone. The slice belongs to the Differ and is valid until its next Compare.
	Fields []string
	// Inferred says that the two were paired by their neighbours, having no id.
	Inferred bool
}

// An ActionUpdate is one action that is on both sides and differs.
type ActionUpdate struct {
	Before, After snapshot.Action
	Fields        []string // as in Update
}

// A ScopeUpdate is one scope that is on both sides and differs.
type ScopeUpdate struct {
	Before, After *snapshot.ScopeInfo // must not be changed
	Fields        []string            // must not be changed
}

// Added returns the records that were added, in after order.
func (c *Changes) Added() iter.Seq[Presence] {
	return presences(c.after, c.added, c.d.wholeAfter)
}

// Removed returns the records that were removed, in before order.
func (c *Changes) Removed() iter.Seq[Presence] {
	return presences(c.before, c.removed, c.d.wholeBefore)
}

func presences(s *snapshot.Snapshot, rows []int32, whole func(scope int) bool) iter.Seq[Presence] {
	return func(yield func(Presence) bool) {
		for _, row := range rows {
			if !yield(Presence{s.Record(int(row)), whole(s.ScopeNumber(int(row)))}) {
				return
			}
		}
	}
}

// Updated returns the records that were updated, in after order.
func (c *Changes) Updated() iter.Seq[Update] {
	return func(yield func(Update) bool) {
		for k := range c.updated {
			u := &c.updated[k]
			if !yield(Update{
				Before: c.before.Record(int(u.before)), After: c.after.Record(int(u.after)),
				Fields: c.d.names[u.lo:u.hi:u.hi], Inferred: u.kind == byNeighbours,
			}) {
				return
			}
		}
	}
}

// Reordered returns the ids of the scopes that were reordered, in after order.
func (c *Changes) Reordered() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, n := range c.reordered {
			if !yield(c.after.Scopes()[n].ID) {
				return
			}
		}
	}
}

// ActionsAdded returns the actions that were added, in after order. It allocates
// the strings of each.
func (c *Changes) ActionsAdded() iter.Seq[snapshot.Action] { return actions(c.after, c.actionsAdded) }

// ActionsRemoved returns the actions that were removed, in before order.
func (c *Changes) ActionsRemoved() iter.Seq[snapshot.Action] {
	return actions(c.before, c.actionsRemoved)
}

func actions(s *snapshot.Snapshot, rows []int32) iter.Seq[snapshot.Action] {
	return func(yield func(snapshot.Action) bool) {
		for _, row := range rows {
			if !yield(s.Action(int(row))) {
				return
			}
		}
	}
}

// ActionsUpdated returns the actions that were updated, in after order.
func (c *Changes) ActionsUpdated() iter.Seq[ActionUpdate] {
	return func(yield func(ActionUpdate) bool) {
		for k := range c.actionsUpdated {
			u := &c.actionsUpdated[k]
			if !yield(ActionUpdate{c.before.Action(int(u.before)), c.after.Action(int(u.after)), c.d.names[u.lo:u.hi:u.hi]}) {
				return
			}
		}
	}
}

// ScopesAdded returns the declared scopes that came, in after order.
func (c *Changes) ScopesAdded() iter.Seq[*snapshot.ScopeInfo] { return scopes(c.after, c.scopesAdded) }

// ScopesRemoved returns the declared scopes that went, in before order.
func (c *Changes) ScopesRemoved() iter.Seq[*snapshot.ScopeInfo] {
	return scopes(c.before, c.scopesRemoved)
}

func scopes(s *snapshot.Snapshot, list []wholeScope) iter.Seq[*snapshot.ScopeInfo] {
	return func(yield func(*snapshot.ScopeInfo) bool) {
		for _, w := range list {
			if !yield(&s.Scopes()[w.scope]) {
				return
			}
		}
	}
}

// ScopesUpdated returns the scopes that were updated, in after order.
func (c *Changes) ScopesUpdated() iter.Seq[ScopeUpdate] {
	return func(yield func(ScopeUpdate) bool) {
		for _, u := range c.scopesUpdated {
			if !yield(ScopeUpdate{&c.before.Scopes()[u.before], &c.after.Scopes()[u.after], u.fields}) {
				return
			}
		}
	}
}
