package reference

import (
	"cmp"
	"slices"
	"strings"
)

// Evidence is everything that differs between two captures, without bounds.
type Evidence struct {
	// Added and Removed hold every record that is new or gone, those of whole
	// scopes (Entry.Whole) included.
	Added, Removed, Updated []Entry

	Reordered       bool
	ReorderedScopes []string
	TotalFrom       int
	TotalTo         int
	Window          Window

	ActionsAdded, ActionsRemoved []string
	ActionsUpdated               []ActionEntry

	ScopesAdded, ScopesRemoved []ScopeEntry
	ScopesUpdated              []ScopeUpdate

	Navigated      bool
	URLFrom, URLTo string

	UntrackedFrom, UntrackedTo int

	Diagnostics []Diagnostic

	qualified bool // entries name their scope
}

// An Entry is one record of a list.
type Entry struct {
	ID, Scope string
	Whole     bool // it came or went with its declared scope

	// In updated entries only.
	ScopeFrom, Replaces string
	Inferred            bool
	Fields              []string
	Changes             []Change
}

// A Change is one differing field. From or To is empty where the field is
// absent, and holds one decoded JSON value elsewhere.
type Change struct {
	Field    string
	From, To []any
}

// A Window sums what crossed the edges of windows.
type Window struct {
	Entered, Left, Net int
	Assumed            bool
}

// An ActionEntry is one updated action.
type ActionEntry struct {
	ID     string
	Fields []string
}

// A ScopeEntry is a declared scope that appeared or vanished as a whole.
type ScopeEntry struct {
	ID      string
	Records int
	IDs     []string
}

// A ScopeUpdate is a scope whose own texts or state differ.
type ScopeUpdate struct {
	ID     string
	Fields []string
}

// A Diagnostic is a code and the place it is about.
type Diagnostic struct {
	Code, At string
}

// A Group is a set of updated records that differ in the same fields.
type Group struct {
	Fields []string
	Count  int
}

// WithoutDiagnostics returns e without its diagnostics, whose messages are
// free text.
func (e Evidence) WithoutDiagnostics() Evidence {
	e.Diagnostics = nil
	return e
}

// Listed returns the added and removed entries that a detail level lists: all
// at basic, those outside of whole scopes at the others.
func (e Evidence) Listed(detail string) (added, removed []Entry) {
	if detail == "basic" {
		return e.Added, e.Removed
	}
	whole := func(r Entry) bool { return r.Whole }
	return slices.DeleteFunc(slices.Clone(e.Added), whole), slices.DeleteFunc(slices.Clone(e.Removed), whole)
}

// UpdatedBy groups the updated records by their differing fields, largest group
// first, ties by first occurrence. Unbounded evidence never shows it, since
// it stands only beside omitted updates.
func (e Evidence) UpdatedBy() []Group {
	var groups []Group
	for _, u := range e.Updated {
		i := slices.IndexFunc(groups, func(g Group) bool { return slices.Equal(g.Fields, u.Fields) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Fields: u.Fields})
		}
		groups[i].Count++
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Count, a.Count) })
	return groups
}

// Same reports whether nothing exposed changed. Diagnostics are no change.
func (e Evidence) Same() bool {
	same := string(e.WithoutDiagnostics().JSON("names", true))
	return same == `{"observed":true}`
}

// JSON returns the one-line form at level basic or names. It panics on any
// other level.
func (e Evidence) JSON(detail string, compact bool) []byte {
	if detail != "basic" && detail != "names" {
		panic("reference: no JSON form for detail " + detail)
	}
	names := detail == "names"
	added, removed := e.Listed(detail)

	var records members
	records.list("added", compact, e.entries(added, detail, compact, false))
	records.list("removed", compact, e.entries(removed, detail, compact, false))
	records.list("updated", compact, e.entries(e.Updated, detail, compact, true))
	records.flag("reordered", compact, e.Reordered)
	records.child("omitted", compact, zeros(compact, "added", "removed", "updated"))
	if !compact || e.TotalFrom != e.TotalTo {
		var total members
		total.count("from", false, e.TotalFrom)
		total.count("to", false, e.TotalTo)
		records.child("total", false, total)
	}
	if names && len(e.ReorderedScopes) > 0 {
		records.list("reorderedScopes", compact, quoteAll(e.ReorderedScopes))
	}
	if w := e.Window; names && w != (Window{}) {
		var window members
		window.count("entered", compact, w.Entered)
		window.count("left", compact, w.Left)
		window.count("net", compact, w.Net)
		window.flag("assumed", true, w.Assumed)
		records.child("window", compact, window)
	}

	var actions members
	actions.list("added", compact, ids(e.ActionsAdded))
	actions.list("removed", compact, ids(e.ActionsRemoved))
	kinds := []string{"added", "removed"}
	if names && len(e.ActionsUpdated) > 0 {
		var updated []string
		for _, a := range e.ActionsUpdated {
			var m members
			m.text("id", a.ID)
			m.list("fields", compact, quoteAll(a.Fields))
			updated = append(updated, m.object())
		}
		actions.list("updated", compact, updated)
		kinds = append(kinds, "updated")
	}
	actions.child("omitted", compact, zeros(compact, kinds...))

	var top members
	top.flag("observed", false, true)
	top.child("records", compact, records)
	top.child("actions", compact, actions)
	if names {
		e.extensions(&top, compact)
	}
	return []byte(top.object())
}

// extensions adds the members that follow actions at names.
func (e Evidence) extensions(top *members, compact bool) {
	if len(e.ScopesAdded)+len(e.ScopesRemoved)+len(e.ScopesUpdated) > 0 {
		whole := func(list []ScopeEntry) (out []string) {
			for _, s := range list {
				var m members
				m.text("id", s.ID)
				m.count("records", compact, s.Records)
				m.list("ids", compact, quoteAll(s.IDs))
				out = append(out, m.object())
			}
			return out
		}
		var updated []string
		for _, s := range e.ScopesUpdated {
			var m members
			m.text("id", s.ID)
			m.list("fields", compact, quoteAll(s.Fields))
			updated = append(updated, m.object())
		}
		var scopes members
		scopes.list("added", compact, whole(e.ScopesAdded))
		scopes.list("removed", compact, whole(e.ScopesRemoved))
		scopes.list("updated", compact, updated)
		top.child("scopes", compact, scopes)
	}
	if e.Navigated {
		var url, page members
		url.text("from", e.URLFrom)
		url.text("to", e.URLTo)
		page.child("url", compact, url)
		page.flag("navigated", compact, true)
		top.child("page", compact, page)
	}
	if e.UntrackedFrom+e.UntrackedTo > 0 {
		var untracked members
		untracked.count("from", false, e.UntrackedFrom)
		untracked.count("to", false, e.UntrackedTo)
		top.child("untracked", compact, untracked)
	}
	if len(e.Diagnostics) > 0 {
		var list []string
		for _, d := range e.Diagnostics {
			var m members
			m.text("code", d.Code)
			m.text("at", d.At)
			m.text("message", strings.ReplaceAll(d.Code, "-", " "))
			list = append(list, m.object())
		}
		top.list("diagnostics", compact, list)
	}
}

func (e Evidence) entries(list []Entry, detail string, compact, updated bool) (out []string) {
	for _, r := range list {
		var m members
		m.text("id", r.ID)
		if e.qualified {
			m.text("scope", r.Scope)
		}
		if detail == "names" {
			if r.ScopeFrom != "" {
				m.text("scopeFrom", r.ScopeFrom)
			}
			if r.Replaces != "" {
				m.text("replaces", r.Replaces)
			}
			m.flag("inferred", true, r.Inferred)
		}
		if updated {
			m.list("fields", compact, quoteAll(r.Fields))
		}
		out = append(out, m.object())
	}
	return out
}
