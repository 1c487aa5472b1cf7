package diff

import (
	"slices"

	"github.com/pagestate/pagestate/snapshot"
)

// names is a set of field names. Cost of looking one up does not grow with the
// set.
type names struct {
	list  []string
	index map[string]bool // of list, once it is asked and long
}

func (n *names) has(name string) bool {
	if len(n.list) <= smallClass {
		return slices.Contains(n.list, name)
	}
	if n.index == nil {
		n.index = make(map[string]bool, len(n.list))
		for _, name := range n.list {
			n.index[name] = true
		}
	}
	return n.index[name]
}

// A declaration is what one scope of one side excepts.
type declaration struct{ volatile, sensitive names }

// rules are the fields excepted from comparison, or masked, for rows of two
// scopes: those that a declaration of either scope on either side names, and
// those that the caller ignores. The zero rules except nothing.
type rules struct {
	ignore   *names
	declared [4]*declaration // nil where there is none
}

func (r *rules) skips(name string) bool {
	if r.ignore != nil && r.ignore.has(name) {
		return true
	}
	for _, d := range r.declared {
		if d != nil && d.volatile.has(name) {
			return true
		}
	}
	return false
}

func (r *rules) masks(name string) bool {
	for _, d := range r.declared {
		if d != nil && d.sensitive.has(name) {
			return true
		}
	}
	return false
}

// readDeclarations lists what the scopes of both sides declare.
func (d *Differ) readDeclarations() {
	read := func(list []declaration, s *snapshot.Snapshot) []declaration {
		list = list[:0]
		for i := range s.Scopes() {
			sc := &s.Scopes()[i]
			list = append(list, declaration{names{list: sc.Volatile}, names{list: sc.Sensitive}})
		}
		return list
	}
	d.ignore = names{list: d.opts.Ignore}
	d.declaredBefore = read(d.declaredBefore, d.changes.before)
	d.declaredAfter = read(d.declaredAfter, d.changes.after)
}

// rules returns the rules for rows of these scopes.
func (d *Differ) rules(scopeBefore, scopeAfter string) (r rules) {
	if len(d.ignore.list) > 0 {
		r.ignore = &d.ignore
	}
	for i, scope := range [...]string{scopeBefore, scopeAfter} {
		if i == 1 && scopeAfter == scopeBefore {
			break
		}
		if n := d.changes.before.Scope(scope); n >= 0 {
			r.declared[2*i] = &d.declaredBefore[n]
		}
		if n := d.changes.after.Scope(scope); n >= 0 {
			r.declared[2*i+1] = &d.declaredAfter[n]
		}
	}
	return r
}

func noRules(string, string) rules { return rules{} }
