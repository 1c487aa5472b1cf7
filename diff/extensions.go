package diff

import (
	"hash/maphash"
	"slices"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// This file writes the extension members of evidence: those of the details
// names and values.

func (e *encoder) scopes() {
	c := e.c
	if len(c.scopesAdded) == 0 && len(c.scopesRemoved) == 0 && len(c.scopesUpdated) == 0 {
		return
	}
	e.name("scopes")
	e.begin('{')
	e.wholeScopes("added", listScopesAdded, c.scopesAdded, c.after, c.added)
	e.wholeScopes("removed", listScopesRemoved, c.scopesRemoved, c.before, c.removed)
	if len(c.scopesUpdated) > 0 || !e.Compact {
		e.name("updated")
		e.begin('[')
		for _, u := range c.scopesUpdated[:e.shown[listScopesUpdated]] {
			e.comma()
			e.begin('{')
			idMember(e, "id", c.after.Scopes()[u.after].ID)
			e.ownNames(u.fields)
			e.end('}')
		}
		e.end(']')
	}
	added, removed, updated := len(c.scopesAdded)-e.shown[listScopesAdded],
		len(c.scopesRemoved)-e.shown[listScopesRemoved], len(c.scopesUpdated)-e.shown[listScopesUpdated]
	if added+removed+updated > 0 {
		e.omitted(count{"added", added, true}, count{"removed", removed, true}, count{"updated", updated, true})
	}
	e.end('}')
}

// wholeScopes writes scopes that exist on one side only. rows are all records
// added or removed, in order.
func (e *encoder) wholeScopes(name string, list int, scopes []wholeScope, s *snapshot.Snapshot, rows []int32) {
	if len(scopes) == 0 && e.Compact {
		return
	}
	ids := map[int][]int32{} // the first rows of each scope
	for _, row := range rows {
		if n := s.ScopeNumber(int(row)); len(ids[n]) < e.shown[listScopeIDs] {
			ids[n] = append(ids[n], row)
		}
	}
	e.name(name)
	e.begin('[')
	for _, w := range scopes[:e.shown[list]] {
		e.comma()
		e.begin('{')
		idMember(e, "id", s.Scopes()[w.scope].ID)
		if w.records != 0 || !e.Compact {
			e.intMember("records", w.records)
		}
		if rows := ids[int(w.scope)]; len(rows) > 0 || !e.Compact {
			e.name("ids")
			e.begin('[')
			for _, row := range rows {
				listed(e, "id", s.Table().ID(int(row)))
			}
			e.end(']')
		}
		e.end('}')
	}
	e.end(']')
}

func (e *encoder) page() {
	c := e.c
	url := c.urlChanged && e.tight < noURL
	if !url && !c.navigated {
		return
	}
	e.name("page")
	e.begin('{')
	if url {
		e.name("url")
		e.begin('{')
		e.textOrHead("from", c.before.Page().URL, e.urlBytes)
		e.textOrHead("to", c.after.Page().URL, e.urlBytes)
		e.end('}')
	}
	if c.navigated {
		e.flag("navigated", true)
	}
	e.end('}')
}

func (e *encoder) dialogs() {
	list := e.c.d.opts.Dialogs
	shown := min(len(list), maxDialogs)
	if e.noDialogs {
		shown = 0
	}
	if shown > 0 {
		e.name("dialogs")
		e.begin('[')
		for _, dialog := range list[:shown] {
			e.comma()
			e.begin('{')
			e.text("type", dialog.Type)
			e.textOrHead("message", dialog.Message, maxMessage)
			e.textOrHead("answer", dialog.Answer, maxMessage)
			e.end('}')
		}
		e.end(']')
	}
	if more := len(list) - shown; more > 0 && e.tight < noExtraCounts {
		e.intMember("dialogsOmitted", int64(more))
	}
}

func (e *encoder) diagnostics() {
	list := e.c.diagnostics
	if len(list) == 0 {
		return
	}
	shown := min(len(list), maxDiagnostics)
	if e.noDiagnostics {
		shown = 0
	}
	if shown > 0 {
		e.name("diagnostics")
		e.begin('[')
		for _, d := range list[:shown] {
			e.comma()
			e.begin('{')
			e.text("code", d.Code)
			e.textOrHead("at", d.At, 2*e.MaxIDBytes)
			e.textOrHead("message", d.Message, maxMessage)
			e.end('}')
		}
		e.end(']')
	}
	if more := len(list) - shown; more > 0 && e.tight < noExtraCounts {
		e.intMember("diagnosticsOmitted", int64(more))
	}
}

// revision writes which contents were compared.
func (e *encoder) revision() {
	if e.Detail != Values || e.tight >= noRevision {
		return
	}
	from, to := e.c.digests()
	if from == to && e.Compact {
		return
	}
	e.name("revision")
	e.begin('{')
	e.text("from", from)
	e.text("to", to)
	e.end('}')
}

// digests returns the revisions of both sides. It computes them once.
func (c *Changes) digests() (from, to string) {
	if c.revision[0] == "" {
		c.revision = [2]string{c.before.Digest().String(), c.after.Digest().String()}
	}
	return c.revision[0], c.revision[1]
}

// A group is the updated records that changed in the same fields.
type group struct {
	first, count int // index of the first update, and how many there are
}

// updatedBy writes the largest groups, if not all updates are listed.
func (e *encoder) updatedBy() {
	c := e.c
	if e.changed <= e.shown[listUpdated] || e.noGroups {
		return
	}
	groups := c.groups()
	e.name("updatedBy")
	e.begin('[')
	for _, g := range groups[:min(len(groups), maxGroups)] {
		u := &c.updated[g.first]
		e.comma()
		e.begin('{')
		e.fieldNames("fields", c.d.names[u.lo:u.hi])
		e.intMember("count", int64(g.count))
		if e.values() {
			e.commonChanges(g)
		}
		e.end('}')
	}
	e.end(']')
}

// groups returns the groups, largest first, ties in order of appearance.
func (c *Changes) groups() []group {
	d := c.d
	if d.groupAt == nil {
		d.groupAt = map[uint64]int32{}
	}
	clear(d.groupAt)
	groups := d.groups[:0]
	last := int32(-1) // the group of the update before, the likeliest
	for k := range c.updated {
		u := &c.updated[k]
		if last >= 0 && c.sameFields(u, &c.updated[groups[last].first]) {
			groups[last].count++
			continue
		}
		d.key = c.fieldsKey(d.key[:0], u)
		for h := maphash.Bytes(contentSeed, d.key); ; h++ {
			n, ok := d.groupAt[h]
			if !ok {
				n = int32(len(groups))
				d.groupAt[h] = n
				groups = append(groups, group{first: k})
			} else if !c.sameFields(u, &c.updated[groups[n].first]) {
				continue
			}
			groups[n].count++
			last = n
			break
		}
	}
	d.groups = groups
	slices.SortStableFunc(groups, func(a, b group) int { return b.count - a.count })
	return groups
}

// sameFields reports whether the same fields changed in both updates.
func (c *Changes) sameFields(u, v *update) bool {
	return slices.Equal(c.d.names[u.lo:u.hi], c.d.names[v.lo:v.hi])
}

// fieldsKey appends text that updates of the same fields share.
func (c *Changes) fieldsKey(dst []byte, u *update) []byte {
	for _, name := range c.d.names[u.lo:u.hi] {
		dst = records.AppendName(dst, name)
	}
	return dst
}

// commonChanges writes from and to of each field on which all members of the
// group agree.
func (e *encoder) commonChanges(g group) {
	c := e.c
	lead := &c.updated[g.first]
	names := c.d.names[lead.lo:lead.hi]
	names = names[:min(len(names), e.MaxFields)]
	type agreed struct {
		from, to         records.Value
		sameFrom, sameTo bool
	}
	all := make([]agreed, len(names))
	for n, name := range names {
		all[n].from, all[n].to = c.d.fields.values(int(lead.before), int(lead.after), name)
		all[n].sameFrom, all[n].sameTo = true, true
	}
	for k := g.first + 1; k < len(c.updated); k++ {
		u := &c.updated[k]
		if !c.sameFields(u, lead) {
			continue
		}
		for n, name := range names {
			if a := &all[n]; a.sameFrom || a.sameTo {
				from, to := c.d.fields.values(int(u.before), int(u.after), name)
				a.sameFrom = a.sameFrom && records.Equal(from, a.from)
				a.sameTo = a.sameTo && records.Equal(to, a.to)
			}
		}
	}
	if !slices.ContainsFunc(all, func(a agreed) bool {
		return a.sameFrom && a.from.Kind() != records.Absent || a.sameTo && a.to.Kind() != records.Absent
	}) {
		return
	}
	e.name("changes")
	e.begin('[')
	for n, name := range names {
		a := &all[n]
		if !a.sameFrom {
			a.from = records.Value{}
		}
		if !a.sameTo {
			a.to = records.Value{}
		}
		if a.from.Kind() == records.Absent && a.to.Kind() == records.Absent {
			continue
		}
		e.change(name, "", a.from, a.to)
	}
	e.end(']')
}

// moved writes the smallest set of records whose move explains the new order.
func (e *encoder) moved() {
	c := e.c
	rows := c.movedRows()
	shown := min(len(rows), e.shown[listMoved])
	e.name("moved")
	e.begin('[')
	for _, j := range rows[:shown] {
		listed(e, "id", c.after.Table().ID(int(j)))
	}
	e.end(']')
	if more := len(rows) - shown; more > 0 {
		e.intMember("movedOmitted", int64(more))
	}
}

// movedRows returns the after rows of reordered scopes that are not on a
// longest increasing subsequence of before positions, in after order. It takes
// n log n time. (Fredman 1975; patience sorting.)
func (c *Changes) movedRows() []int32 {
	if len(c.moved) > 0 || len(c.reordered) == 0 {
		return c.moved
	}
	c.d.fillMates()
	at := make(map[int]int, len(c.reordered)) // in rows, by after scope
	for k, scope := range c.reordered {
		at[int(scope)] = k
	}
	rows := make([][]int32, len(c.reordered)) // pairs of each scope in after order
	for j, i := range c.d.mateAfter {
		if i < 0 {
			continue
		}
		scope := c.after.ScopeNumber(j)
		if k, ok := at[scope]; ok && c.before.ScopeNumber(int(i)) == int(c.d.beforeOf[scope]) {
			rows[k] = append(rows[k], int32(j))
		}
	}
	for _, list := range rows {
		c.moved = append(c.moved, outOfOrder(list, c.d.mateAfter)...)
	}
	slices.Sort(c.moved)
	return c.moved
}

// outOfOrder returns the rows that are not on a longest subsequence of rows
// whose mates increase.
func outOfOrder(rows, mate []int32) []int32 {
	tails := make([]int32, 0, len(rows)) // index into rows of the last element of the best subsequence of each length
	prev := make([]int32, len(rows))
	for k, j := range rows {
		at, _ := slices.BinarySearchFunc(tails, mate[j], func(t, m int32) int { return int(mate[rows[t]]) - int(m) })
		if prev[k] = -1; at > 0 {
			prev[k] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, int32(k))
		} else {
			tails[at] = int32(k)
		}
	}
	stays := make([]bool, len(rows))
	if len(tails) > 0 {
		for k := tails[len(tails)-1]; k >= 0; k = prev[k] {
			stays[k] = true
		}
	}
	var out []int32
	for k, j := range rows {
		if !stays[k] {
			out = append(out, j)
		}
	}
	return out
}
