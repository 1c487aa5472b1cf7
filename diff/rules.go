package diff

import (
	"slices"

	"github.com/pagestate/pagestate/records"
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

// shown returns the value of a field of a record in scope as it may be shown:
// masked if a declaration of either side says so.
func (d *Differ) shown(scope, name string, v records.Value) records.Value {
	if r := d.rules(scope, scope); r.masks(name) {
		return masked(v, true)
	}
	return v
}

// maskedAlike returns s with the fields masked that the other side alone declares
// sensitive; s itself if there are none.
func (d *Differ) maskedAlike(s *snapshot.Snapshot) *snapshot.Snapshot {
	t := s.Table()
	mask := make([][]bool, len(t.Classes()))
	any := false
	for n, c := range t.Classes() {
		var own names
		if at := s.Scope(c.Scope()); at >= 0 {
			own.list = s.Scopes()[at].Sensitive
		}
		r := d.rules(c.Scope(), c.Scope())
		mask[n] = make([]bool, len(c.Fields()))
		for f, name := range c.Fields() {
			mask[n][f] = r.masks(name) && !own.has(name)
			any = any || mask[n][f]
		}
	}
	if !any {
		return s
	}
	var b records.Builder
	for i := range t.Len() {
		b.Begin(t.Class(i).Scope(), string(t.ID(i)))
		f := 0
		for name, v := range t.All(i) {
			if mask[t.ClassNumber(i)][f] {
				v = masked(v, false) // one byte: the table does not grow
			}
			b.Field(name)
			b.Buf = append(b.Buf, v.Raw()...)
			f++
		}
		b.End()
	}
	p := s.Parts()
	var err error
	if p.Records, err = b.Finish(); err != nil {
		panic("diff: masking made a table larger: " + err.Error())
	}
	if s, err = snapshot.FromParts(p); err != nil {
		panic("diff: a snapshot does not fit together again: " + err.Error())
	}
	return s
}

func noRules(string, string) rules { return rules{} }
