package diff

import (
	"strconv"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// AppendJSON appends the evidence as one line of JSON without its line break
// and returns the extended slice. f may be nil. The same changes and format
// give the same bytes.
//
// The line takes at most f.MaxEvidenceBytes: what does not fit is dropped in
// the order changes and values, diagnostics, updatedBy, dialogs, and then the
// longest list is halved until the rest fits. Counts stay exact throughout. Where
// empty lists are still too long, urls are cut, the form becomes the compact one,
// and in the end the counts of the extension members go.
func (c *Changes) AppendJSON(dst []byte, f *Format) []byte {
	e := &c.d.encoder
	*e = encoder{limits: newLimits(c, f)}
	start := len(dst)
	for {
		e.buf = dst[:start]
		e.evidence()
		if len(e.buf)-start <= e.MaxEvidenceBytes || !e.shrink() {
			return e.buf
		}
		dst = e.buf
	}
}

// An encoder writes the evidence of c as JSON within the limits that it has left.
type encoder struct {
	limits
	buf     []byte
	open    []bool // whether the open objects and arrays have a member yet
	openBuf [16]bool
}

// Punctuation. Each open object or array knows whether a comma is due.

func (e *encoder) begin(b byte) {
	e.buf = append(e.buf, b)
	e.open = append(e.open, false)
}

func (e *encoder) end(b byte) {
	e.buf = append(e.buf, b)
	e.open = e.open[:len(e.open)-1]
}

func (e *encoder) comma() {
	if last := len(e.open) - 1; e.open[last] {
		e.buf = append(e.buf, ',')
	} else {
		e.open[last] = true
	}
}

// name starts a member; name needs no escaping.
func (e *encoder) name(name string) {
	e.comma()
	e.buf = append(append(append(e.buf, '"'), name...), '"', ':')
}

func (e *encoder) intMember(name string, n int64) {
	e.name(name)
	e.buf = strconv.AppendInt(e.buf, n, 10)
}

func (e *encoder) flag(name string, b bool) {
	e.name(name)
	e.buf = strconv.AppendBool(e.buf, b)
}

func (e *encoder) text(name, s string) {
	e.name(name)
	e.buf = records.AppendQuoted(e.buf, s)
}

// clip returns the longest prefix of s that takes at most n bytes and ends
// between code points, and whether that is less than s.
func clip[T string | []byte](s T, n int) (T, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

// textOrHead writes member name, or member nameCut when s is longer than n.
func (e *encoder) textOrHead(name, s string, n int) {
	head, cut := clip(s, n)
	if !cut {
		e.text(name, s)
		return
	}
	e.comma()
	e.buf = append(append(append(e.buf, '"'), name...), `Cut":`...)
	e.head(head, len(s))
}

// head writes what stands for a value that was cut.
func (e *encoder) head(head string, bytes int) {
	e.begin('{')
	e.text("head", head)
	e.intMember("bytes", int64(bytes))
	e.end('}')
}

// idMember writes an id, cut if it is too long, as member key, and its length
// as keyBytes.
func idMember[T string | []byte](e *encoder, key string, id T) {
	head, cut := clip(id, e.MaxIDBytes)
	e.name(key)
	e.buf = records.AppendQuoted(e.buf, head)
	if cut {
		e.comma()
		e.buf = append(append(append(e.buf, '"'), key...), `Bytes":`...)
		e.buf = strconv.AppendInt(e.buf, int64(len(id)), 10)
	}
}

// listed writes an id or name as an element: text, or an object if it was cut.
func listed[T string | []byte](e *encoder, key string, id T) {
	e.comma()
	if len(id) <= e.MaxIDBytes {
		e.buf = records.AppendQuoted(e.buf, id)
		return
	}
	e.begin('{')
	idMember(e, key, id)
	e.end('}')
}

func (e *encoder) evidence() {
	e.open = e.openBuf[:0]
	e.begin('{')
	e.flag("observed", true)
	e.records()
	e.actions()
	if !e.basic() {
		e.scopes()
		e.page()
		if e.c.d.opts.Unsettled {
			e.flag("settled", false)
		}
		e.dialogs()
		if u := e.c.untracked; u != (fromTo{}) {
			e.fromTo("untracked", u)
		}
		e.diagnostics()
		e.revision()
	}
	e.end('}')
}

func (e *encoder) fromTo(name string, v fromTo) {
	e.name(name)
	e.begin('{')
	e.intMember("from", v.from)
	e.intMember("to", v.to)
	e.end('}')
}

// object starts a member whose value is an object; close takes it back if it
// stayed empty and compact is set.
func (e *encoder) object(name string) (mark int, had bool) {
	mark, had = len(e.buf), e.open[len(e.open)-1]
	e.name(name)
	e.begin('{')
	return mark, had
}

func (e *encoder) closeObject(mark int, had, force bool) {
	empty := !e.open[len(e.open)-1]
	e.end('}')
	if empty && !force {
		e.buf = e.buf[:mark]
		e.open[len(e.open)-1] = had
	}
}

func (e *encoder) records() {
	c := e.c
	mark, had := e.object("records")
	e.recordList("added", listAdded, e.added, c.added, c.after, func(n int) bool { return c.d.wholeAfter(n) }, true)
	e.recordList("removed", listRemoved, e.removed, c.removed, c.before, func(n int) bool { return c.d.wholeBefore(n) }, false)
	e.updatedRecords()
	if r := len(c.reordered) > 0; r || !e.Compact {
		e.flag("reordered", r)
	}
	e.omitted(
		count{"added", e.added - e.shown[listAdded], true},
		count{"removed", e.removed - e.shown[listRemoved], true},
		count{"updated", e.changed - e.shown[listUpdated], true})
	if c.total.from != c.total.to || !e.Compact {
		e.fromTo("total", c.total)
	}
	if !e.basic() {
		e.updatedBy()
		e.reorderedScopes()
		e.window()
	}
	e.closeObject(mark, had, !e.Compact)
}

// A count is one member of an omitted object.
type count struct {
	name string
	n    int
	show bool
}

func (e *encoder) omitted(counts ...count) {
	mark, had := e.object("omitted")
	for _, n := range counts {
		if n.show && (n.n > 0 || !e.Compact) {
			e.intMember(n.name, int64(n.n))
		}
	}
	e.closeObject(mark, had, !e.Compact)
}

// recordList writes the rows that are not reported with their whole scope.
func (e *encoder) recordList(name string, list, n int, rows []int32, s *snapshot.Snapshot, whole func(scope int) bool, values bool) {
	if n == 0 && e.Compact {
		return
	}
	e.name(name)
	e.begin('[')
	shown := 0
	for _, row := range rows {
		if shown == e.shown[list] {
			break
		}
		if !e.basic() && whole(s.ScopeNumber(int(row))) {
			continue
		}
		shown++
		e.comma()
		e.begin('{')
		idMember(e, "id", s.Table().ID(int(row)))
		if e.scoped {
			idMember(e, "scope", s.Table().Class(int(row)).Scope())
		}
		if values && e.values() {
			e.recordValues(s.Record(int(row)))
		}
		e.end('}')
	}
	e.end(']')
}

func (e *encoder) updatedRecords() {
	c := e.c
	if e.changed == 0 && e.Compact {
		return
	}
	e.name("updated")
	e.begin('[')
	for k := range c.updated[:e.shown[listUpdated]] {
		u := &c.updated[k]
		e.comma()
		e.begin('{')
		before, after := c.before.Table(), c.after.Table()
		idMember(e, "id", after.ID(int(u.after)))
		if e.scoped {
			idMember(e, "scope", after.Class(int(u.after)).Scope())
		}
		if !e.basic() {
			switch u.kind {
			case byMove:
				idMember(e, "scopeFrom", before.Class(int(u.before)).Scope())
			case byReplaces:
				idMember(e, "replaces", before.ID(int(u.before)))
			case byNeighbours:
				e.flag("inferred", true)
			}
		}
		e.fieldNames("fields", c.d.names[u.lo:u.hi])
		if e.values() {
			e.fieldChanges(u)
		}
		e.end('}')
	}
	e.end(']')
}

// fieldNames writes names and how many were left out: none at basic, whose shape
// has no place to say so.
func (e *encoder) fieldNames(member string, names []string) {
	if len(names) == 0 && e.Compact {
		return
	}
	e.name(member)
	e.begin('[')
	shown := len(names)
	if !e.basic() {
		shown = min(shown, e.MaxFields)
	}
	for _, name := range names[:shown] {
		listed(e, "name", name)
	}
	e.end(']')
	if more := len(names) - shown; more > 0 {
		e.intMember(member+"Omitted", int64(more))
	}
}

// ownNames writes the member fields of an action or a scope, whose names are a
// few words of ours.
func (e *encoder) ownNames(names []string) {
	e.name("fields")
	e.begin('[')
	for _, name := range names {
		e.comma()
		e.buf = records.AppendQuoted(e.buf, name)
	}
	e.end(']')
}

func (e *encoder) reorderedScopes() {
	c := e.c
	if len(c.reordered) == 0 {
		return
	}
	e.name("reorderedScopes")
	e.begin('[')
	for _, n := range c.reordered[:e.shown[listReordered]] {
		listed(e, "id", c.after.Scopes()[n].ID)
	}
	e.end(']')
	if more := len(c.reordered) - e.shown[listReordered]; more > 0 && e.tight < noExtraCounts {
		e.intMember("reorderedScopesOmitted", int64(more))
	}
	if e.values() {
		e.moved()
	}
}

func (e *encoder) window() {
	w := e.c.window
	if w == (window{}) || e.tight >= noWindow {
		return
	}
	e.name("window")
	e.begin('{')
	for _, n := range [...]struct {
		name string
		n    int64
	}{{"entered", w.entered}, {"left", w.left}, {"net", w.net}} {
		if n.n != 0 || !e.Compact {
			e.intMember(n.name, n.n)
		}
	}
	if w.assumed {
		e.flag("assumed", true)
	}
	e.end('}')
}

func (e *encoder) actions() {
	c := e.c
	mark, had := e.object("actions")
	e.actionList("added", listActionsAdded, c.actionsAdded, c.after)
	e.actionList("removed", listActionsRemoved, c.actionsRemoved, c.before)
	updates := !e.basic() && len(c.actionsUpdated) > 0
	if updates {
		e.name("updated")
		e.begin('[')
		for k := range c.actionsUpdated[:e.shown[listActionsUpdated]] {
			u := &c.actionsUpdated[k]
			e.comma()
			e.begin('{')
			idMember(e, "id", actionID(c.after, u.after))
			e.ownNames(c.d.names[u.lo:u.hi])
			e.end('}')
		}
		e.end(']')
	}
	e.omitted(
		count{"added", len(c.actionsAdded) - e.shown[listActionsAdded], true},
		count{"removed", len(c.actionsRemoved) - e.shown[listActionsRemoved], true},
		count{"updated", len(c.actionsUpdated) - e.shown[listActionsUpdated], updates})
	e.closeObject(mark, had, !e.Compact)
}

func actionID(s *snapshot.Snapshot, row int32) []byte {
	return s.ActionTable().Field(int(row), "id").Text()
}

func (e *encoder) actionList(name string, list int, rows []int32, s *snapshot.Snapshot) {
	if len(rows) == 0 && e.Compact {
		return
	}
	e.name(name)
	e.begin('[')
	for _, row := range rows[:e.shown[list]] {
		e.comma()
		e.begin('{')
		idMember(e, "id", actionID(s, row))
		e.end('}')
	}
	e.end(']')
}
