package main

import (
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// Codes of findings beyond the diagnostics of a snapshot.
const (
	codeNoReason        = "no-reason"
	codeNoLabel         = "no-label"
	codeNoFields        = "no-fields"
	codeHugeValue       = "huge-value"
	codeUndeclaredScope = "undeclared-scope"
	codeUnknownParent   = "unknown-parent"
	codeUnknownScope    = "unknown-scope"
	codeUnknownRecord   = "unknown-record"
	codeUnknownField    = "unknown-field"
	codeBadWindow       = "bad-window"
	codeStaleReplaces   = "stale-replaces"
)

const (
	// hugeValue is from how many bytes on a value is better left out: it costs
	// in every comparison, and no evidence or view shows it.
	hugeValue = 64 << 10
	// maxFindings bounds the findings of one code.
	maxFindings = 100
)

// A linter collects findings.
type linter struct {
	snap  *snapshot.Snapshot
	found []snapshot.Diagnostic
	seen  map[[2]string]bool // by code and place
	count map[string]int     // by code
}

// lint returns what is wrong with an exposure: first what reading it told, then
// what the checks here find, scope by scope, record by record, action by action.
func lint(snap *snapshot.Snapshot) []snapshot.Diagnostic {
	l := &linter{snap: snap, seen: map[[2]string]bool{}, count: map[string]int{}}
	for _, d := range snap.Diagnostics() {
		l.seen[[2]string{d.Code, d.At}] = true
		l.found = append(l.found, d)
	}
	l.scopes()
	l.records()
	l.actions()
	for _, code := range slices.Sorted(mapKeys(l.count)) {
		if more := l.count[code] - maxFindings; more > 0 {
			l.found = append(l.found, snapshot.Diagnostic{Code: code, Message: fmt.Sprintf("and %d more", more)})
		}
	}
	return l.found
}

func mapKeys(m map[string]int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (l *linter) find(code, at, format string, args ...any) {
	key := [2]string{code, at}
	if l.seen[key] {
		return
	}
	if l.count[code]++; l.count[code] > maxFindings {
		return
	}
	l.seen[key] = true
	l.found = append(l.found, snapshot.Diagnostic{Code: code, At: at, Message: fmt.Sprintf(format, args...)})
}

func (l *linter) scopes() {
	fields := make([]map[string]bool, len(l.snap.Scopes())) // that records of a scope have
	for i := range l.snap.Len() {
		n := l.snap.ScopeNumber(i)
		if fields[n] == nil {
			fields[n] = map[string]bool{}
		}
	}
	for _, class := range l.classes() {
		n := l.snap.Scope(class.Scope())
		for _, f := range class.Fields() {
			fields[n][f] = true
		}
	}
	for n := range l.snap.Scopes() {
		sc := &l.snap.Scopes()[n]
		if !sc.Declared {
			if sc.ID != "" {
				l.find(codeUndeclaredScope, sc.ID, "the scope has records but is not declared")
			}
			continue
		}
		if sc.Label == "" && !sc.Inferred {
			l.find(codeNoLabel, sc.ID, "the scope has no label")
		}
		l.parents(sc)
		l.window(sc)
		if fields[n] == nil {
			continue // nothing to tell by
		}
		for _, list := range []struct {
			what  string
			names []string
		}{{"volatile", sc.Volatile}, {"sensitive", sc.Sensitive}} {
			for _, f := range list.names {
				if !fields[n][f] {
					l.find(codeUnknownField, place(sc.ID, f), "the field is declared %s, but no record has it", list.what)
				}
			}
		}
	}
}

// classes returns the layouts of the records, each once.
func (l *linter) classes() (list []*records.Class) {
	seen := map[*records.Class]bool{}
	t := l.snap.Table()
	for i := range t.Len() {
		if c := t.Class(i); !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	return list
}

func (l *linter) parents(sc *snapshot.ScopeInfo) {
	parent := sc.Parent
	for range len(l.snap.Scopes()) {
		if parent == "" {
			return
		}
		n := l.snap.Scope(parent)
		if n < 0 || !l.snap.Scopes()[n].Declared {
			if parent == sc.Parent {
				l.find(codeUnknownParent, sc.ID, "the parent scope is not declared")
			}
			return
		}
		parent = l.snap.Scopes()[n].Parent
	}
	l.find(codeUnknownParent, sc.ID, "the parent scopes form a circle")
}

func (l *linter) window(sc *snapshot.ScopeInfo) {
	switch {
	case sc.Total == nil && sc.Offset != nil && !sc.Partial:
		l.find(codeBadWindow, sc.ID, "an offset is declared but no total")
	case sc.Total != nil && *sc.Total < sc.Count():
		l.find(codeBadWindow, sc.ID, "the declared total is %d, but there are %d records", *sc.Total, sc.Count())
	case sc.Total != nil && sc.Offset != nil && *sc.Offset+sc.Count() > *sc.Total:
		l.find(codeBadWindow, sc.ID, "%d records from %d on are past the declared total of %d", sc.Count(), *sc.Offset, *sc.Total)
	}
}

func (l *linter) records() {
	for _, r := range l.snap.All() {
		fields := 0
		for name, v := range r.Fields() {
			fields++
			if n := len(v.Raw()); n > hugeValue {
				l.find(codeHugeValue, place(r.Scope(), r.ID(), name), "the value takes %d bytes", n)
			}
		}
		if fields == 0 {
			l.find(codeNoFields, place(r.Scope(), r.ID()), "the record has no fields, so that no change of it can be seen")
		}
	}
	index := l.index()
	for i, old := range l.snap.Replacements() {
		r := l.snap.Record(i)
		if index[recordKey{r.Scope(), old}] {
			l.find(codeStaleReplaces, place(r.Scope(), r.ID()), "the record that it replaces is still there")
		}
	}
}

type recordKey struct{ scope, id string }

// index returns the keys of records that something refers to.
func (l *linter) index() map[recordKey]bool {
	wanted := map[recordKey]bool{}
	ids := map[string]bool{}
	for i, old := range l.snap.Replacements() {
		wanted[recordKey{l.snap.Record(i).Scope(), old}] = false
		ids[old] = true
	}
	for i := range l.snap.Actions() {
		if a := l.snap.Action(i); a.Record != "" {
			ids[a.Record] = true
		}
	}
	found := map[recordKey]bool{}
	t := l.snap.Table()
	for i := range t.Len() {
		if id := t.ID(i); ids[string(id)] {
			found[recordKey{t.Class(i).Scope(), string(id)}] = true
		}
	}
	return found
}

func (l *linter) actions() {
	index := l.index()
	scopesOf := map[string]int{} // in how many scopes a record id is
	for k := range index {
		scopesOf[k.id]++
	}
	shown := map[string]bool{}
	for i := range l.snap.Actions() {
		a := l.snap.Action(i)
		if shown[a.ID] {
			l.find(snapshot.CodeDuplicateID, a.ID, "several actions have this id")
		}
		shown[a.ID] = true
		if a.Description == "" {
			l.find(exposure.CodeNoDescription, a.ID, "the action has no description")
		}
		if a.Unavailable && a.Reason == "" {
			l.find(codeNoReason, a.ID, "the action is unavailable without a reason")
		}
		l.params(&a)
		if a.Scope != "" && l.snap.Scope(a.Scope) < 0 {
			l.find(codeUnknownScope, a.ID, "the action is in a scope that does not exist")
			continue
		}
		if a.Record == "" || index[recordKey{a.Scope, a.Record}] {
			continue
		}
		switch n := scopesOf[a.Record]; {
		case a.Scope != "" || n == 0:
			l.find(codeUnknownRecord, a.ID, "the action is bound to a record that does not exist")
		case n > 1:
			l.find(codeUnknownRecord, a.ID, "the action is bound to a record id that %d scopes have, and names no scope", n)
		}
	}
}

func (l *linter) params(a *snapshot.Action) {
	if a.Params.Kind() == records.Absent || l.seen[[2]string{capture.CodeBadParams, a.ID}] {
		return
	}
	schema, err := exposure.CompileSchema(a.Params)
	if err != nil {
		l.find(exposure.CodeBadParams, a.ID, "%v", err)
		return
	}
	for _, pattern := range schema.Unchecked() {
		l.find(exposure.CodeUncheckedParams, a.ID, "the pattern %s is accepted unchecked", quoted(pattern))
	}
}

// place names a thing as diagnostics do.
func place(scope string, names ...string) string {
	at := scope
	for i, name := range names {
		if i > 0 || at != "" {
			at += "/"
		}
		at += name
	}
	return at
}
