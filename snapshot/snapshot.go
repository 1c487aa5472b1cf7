package snapshot

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/pagestate/pagestate/records"
)

// A Snapshot is what was exposed at one moment. It is immutable and safe for
// concurrent use.
type Snapshot struct {
	page     Page
	view     View
	scopes   []ScopeInfo
	byID     map[string]int
	ofClass  []int // scope number by record class
	recs     *records.Table
	acts     *records.Table
	replaces []replacement
	diags    []Diagnostic
	beyond   int64
}

// A ScopeInfo is a scope with what the snapshot knows of it.
type ScopeInfo struct {
	Scope
	Declared  bool  // declared, rather than only having records
	Records   int   // records kept
	Untracked int64 // records past the tracking bound
}

// Count returns how many records the scope exposes, kept or not.
func (s *ScopeInfo) Count() int64 { return int64(s.Records) + s.Untracked }

// Extent returns how many records there are: the declared total if there is
// one, otherwise Count.
func (s *ScopeInfo) Extent() int64 {
	if s.Total != nil {
		return *s.Total
	}
	return s.Count()
}

// setScopes lists the declared scopes, then those that only have records in the
// order of their first one, and counts.
func (s *Snapshot) setScopes(declared []Scope, beyond map[string]int64) error {
	s.scopes = make([]ScopeInfo, 0, len(declared))
	s.byID = make(map[string]int, len(declared))
	for _, d := range declared {
		s.byID[d.ID] = len(s.scopes)
		s.scopes = append(s.scopes, ScopeInfo{Scope: d, Declared: true})
	}
	number := func(id string) int {
		n, ok := s.byID[id]
		if !ok {
			n = len(s.scopes)
			s.byID[id] = n
			s.scopes = append(s.scopes, ScopeInfo{Scope: Scope{ID: id}})
		}
		return n
	}
	classes := s.recs.Classes()
	s.ofClass = make([]int, len(classes))
	counts := make([]int, len(classes))
	for i := 0; i < s.recs.Len(); {
		run := s.recs.Run(i)
		for _, c := range run.Class {
			if counts[c] == 0 {
				s.ofClass[c] = number(classes[c].Scope())
			}
			counts[c]++
		}
		i += len(run.Class)
	}
	for c, n := range counts {
		if n > 0 {
			s.scopes[s.ofClass[c]].Records += n
		}
	}
	for _, id := range slices.Sorted(maps.Keys(beyond)) {
		s.scopes[number(id)].Untracked = beyond[id]
		s.beyond += beyond[id]
	}
	return s.checkIDs()
}

// checkIDs refuses records without an id outside inferred scopes.
func (s *Snapshot) checkIDs() error {
	if s.recs.Anonymous() == 0 {
		return nil
	}
	for i := range s.recs.Len() {
		if len(s.recs.ID(i)) == 0 {
			if sc := &s.scopes[s.ScopeNumber(i)]; !sc.Inferred {
				return fmt.Errorf("record %d of scope %q: %w", i, sc.ID, ErrBadID)
			}
		}
	}
	return nil
}

// Page returns where the exposure was found.
func (s *Snapshot) Page() Page { return s.page }

// View returns how the capture was narrowed.
func (s *Snapshot) View() View { return s.view }

// Scopes returns the scopes: those declared in the order of declaration, then
// those that only have records in the order of their first one. The slice must
// not be changed.
func (s *Snapshot) Scopes() []ScopeInfo { return s.scopes }

// Scope returns the number of the scope in Scopes, or -1.
func (s *Snapshot) Scope(id string) int {
	if n, ok := s.byID[id]; ok {
		return n
	}
	return -1
}

// Len returns the number of records kept.
func (s *Snapshot) Len() int { return s.recs.Len() }

// Untracked returns the number of records past the tracking bound.
func (s *Snapshot) Untracked() int64 { return s.beyond }

// ScopeNumber returns the number in Scopes of the scope of record i.
func (s *Snapshot) ScopeNumber(i int) int { return s.ofClass[s.recs.ClassNumber(i)] }

// Record returns a view of record i.
func (s *Snapshot) Record(i int) Record { return Record{s, i} }

// All returns the records in document order with their numbers.
func (s *Snapshot) All() iter.Seq2[int, Record] {
	return func(yield func(int, Record) bool) {
		for i := range s.Len() {
			if !yield(i, Record{s, i}) {
				return
			}
		}
	}
}

// Find returns the number of the first record with this key, or -1. Its cost is
// linear; build a [records.Index] over [Snapshot.Table] for many look-ups.
func (s *Snapshot) Find(scope, id string) int {
	want := records.KeyDigest(scope, id)
	for i := 0; i < s.recs.Len(); {
		run := s.recs.Run(i)
		for at, k := range run.Keys {
			if i := i + at; k == want && string(s.recs.ID(i)) == id && s.recs.Class(i).Scope() == scope {
				return i
			}
		}
		i += len(run.Keys)
	}
	return -1
}

// Table returns the records as rows of canonical values, for engines.
func (s *Snapshot) Table() *records.Table { return s.recs }

// ActionTable returns the actions as rows, for engines: the id of a row is the
// action's origin, its fields are those that evidence names.
func (s *Snapshot) ActionTable() *records.Table { return s.acts }

// Diagnostics returns what was wrong with the exposure. The slice must not be
// changed.
func (s *Snapshot) Diagnostics() []Diagnostic { return s.diags }

// Replaced returns the id that record i says it replaces, or "". Its cost is
// logarithmic in the number of records that say so.
func (s *Snapshot) Replaced(i int) string {
	lo, hi := 0, len(s.replaces)
	for lo < hi {
		if mid := (lo + hi) / 2; s.replaces[mid].row < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.replaces) && s.replaces[lo].row == i {
		return s.replaces[lo].old
	}
	return ""
}

// Replacements returns the records that say which id they replace, by number,
// in order.
func (s *Snapshot) Replacements() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, r := range s.replaces {
			if !yield(r.row, r.old) {
				return
			}
		}
	}
}

// Actions returns the number of actions.
func (s *Snapshot) Actions() int { return s.acts.Len() }

// Action returns action i, in document order. It allocates its strings.
func (s *Snapshot) Action(i int) Action {
	var a Action
	for name, v := range s.acts.All(i) {
		switch name {
		case "id":
			a.ID = string(v.Text())
		case "description":
			a.Description = string(v.Text())
		case "kind":
			a.Kind = string(v.Text())
		case "primitive":
			a.Primitive = string(v.Text())
		case "available":
			a.Unavailable = v.Kind() != records.Bool || !v.Bool()
			a.Reason = string(v.Text())
		case "params":
			a.Params = v
		case "scope":
			a.Scope = string(v.Text())
		case "record":
			a.Record = string(v.Text())
		}
	}
	a.Group, a.Name = origin(s.acts.ID(i))
	return a
}

// origin takes group and name from an action's key; see appendOrigin.
func origin(key []byte) (group, name string) {
	var parts [4][]byte
	at := 0
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c == 0:
			at++
		case c == 1:
			i++
			parts[at] = append(parts[at], key[i]-1)
		default:
			parts[at] = append(parts[at], c)
		}
	}
	return string(parts[0]), string(parts[3])
}

// A Record is a view of one record of a snapshot. It is valid as long as the
// snapshot and safe for concurrent use.
type Record struct {
	s *Snapshot
	i int
}

// ID returns the record's id, "" if it has none.
func (r Record) ID() string { return string(r.s.recs.ID(r.i)) }

// Scope returns the id of the record's scope.
func (r Record) Scope() string { return r.s.recs.Class(r.i).Scope() }

// Replaces returns the id that the record says it had before, or "".
func (r Record) Replaces() string { return r.s.Replaced(r.i) }

// Fields returns the record's fields in declared order.
func (r Record) Fields() iter.Seq2[string, records.Value] { return r.s.recs.All(r.i) }

// Field returns the named field's value, absent if there is none.
func (r Record) Field(name string) records.Value { return r.s.recs.Field(r.i, name) }
