package diff

import (
	"bytes"
	"strconv"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// AppendText appends the evidence as text for a person or a model: one line for
// each change, nothing for what is empty, each line ended by "\n".
//
//	changed: 3 -> 4 records
//	+ record t4
//	~ record t1: status
//	~ action complete_open_tasks: available
//
// A line starts with a word or sign of ours and never with data. Ids, names and
// values that are not plain words are quoted with everything unprintable
// escaped, so that data can imitate neither a line nor our words. f.Compact
// means nothing here. The text keeps to f.MaxEvidenceBytes as AppendJSON does.
func (c *Changes) AppendText(dst []byte, f *Format) []byte {
	return c.appendLines(dst, f, plainStyle)
}

// AppendMarkdown appends the evidence as a Markdown list, with all data in code
// spans. It has the lines of [Changes.AppendText] and keeps to its limits.
func (c *Changes) AppendMarkdown(dst []byte, f *Format) []byte {
	return c.appendLines(dst, f, markdownStyle)
}

type style uint8

const (
	plainStyle style = iota
	markdownStyle
)

func (c *Changes) appendLines(dst []byte, f *Format, s style) []byte {
	t := textWriter{limits: newLimits(c, f), style: s}
	start := len(dst)
	for {
		t.buf = dst[:start]
		t.evidence()
		if len(t.buf)-start <= t.MaxEvidenceBytes || !t.shrink() {
			return t.buf
		}
		dst = t.buf
	}
}

// A textWriter writes evidence as lines.
type textWriter struct {
	limits
	style style
	buf   []byte
	item  []byte // the piece of data being written
}

// line starts a line with a sign, which Markdown shows as a word.
func (t *textWriter) line(sign byte, noun string) {
	if t.style == markdownStyle {
		t.buf = append(t.buf, "- "...)
		switch sign {
		case '+':
			t.word("added ")
		case '-':
			t.word("removed ")
		case '~':
			t.word("updated ")
		}
	} else if sign != ' ' {
		t.buf = append(t.buf, sign, ' ')
	}
	t.word(noun)
}

func (t *textWriter) end()             { t.buf = append(t.buf, '\n') }
func (t *textWriter) word(s string)    { t.buf = append(t.buf, s...) }
func (t *textWriter) number(n int64)   { t.buf = strconv.AppendInt(t.buf, n, 10) }
func (t *textWriter) id(s string)      { t.data(safetext.AppendClipped(t.item[:0], s, t.MaxIDBytes)) }
func (t *textWriter) message(s string) { t.data(safetext.AppendQuoted(t.item[:0], s, maxMessage)) }

func (t *textWriter) value(v records.Value) {
	if v.Kind() == records.Absent {
		t.word("absent")
		return
	}
	t.data(safetext.AppendValue(t.item[:0], v, t.MaxValueBytes))
}

// data writes a piece of data that is safe already.
func (t *textWriter) data(item []byte) {
	t.item = item
	if t.style == plainStyle {
		t.buf = append(t.buf, item...)
		return
	}
	fence := 1
	for run, rest := 0, item; len(rest) > 0; rest = rest[1:] {
		if run++; rest[0] != '`' {
			run = 0
		}
		fence = max(fence, run+1)
	}
	ticks := bytes.Repeat([]byte{'`'}, fence)
	t.buf = append(t.buf, ticks...)
	if fence > 1 {
		t.buf = append(t.buf, ' ')
	}
	t.buf = append(t.buf, item...)
	if fence > 1 {
		t.buf = append(t.buf, ' ')
	}
	t.buf = append(t.buf, ticks...)
}

// separator writes what stands before an element of a list.
func (t *textWriter) separator(first bool) {
	if first {
		t.word(": ")
	} else {
		t.word(", ")
	}
}

// plural writes n and the noun.
func (t *textWriter) plural(n int64, noun string) {
	t.number(n)
	t.word(" ")
	t.word(noun)
	if n != 1 {
		t.word("s")
	}
}

func (t *textWriter) evidence() {
	c := t.c
	if t.style == markdownStyle {
		t.word("**")
	}
	state := "changed"
	if c.Same() {
		state = "unchanged"
	}
	t.word(state)
	if t.style == markdownStyle {
		t.word("**")
	}
	t.word(": ")
	if c.total.from != c.total.to {
		t.number(c.total.from)
		t.word(" -> ")
	}
	t.plural(c.total.to, "record")
	t.end()
	if t.style == markdownStyle {
		t.end()
	}
	t.presences('+', c.added, c.after, t.shown[listAdded], c.d.wholeAfter)
	t.presences('-', c.removed, c.before, t.shown[listRemoved], c.d.wholeBefore)
	t.updates()
	t.omitted("record", t.added-t.shown[listAdded], t.removed-t.shown[listRemoved], t.changed-t.shown[listUpdated])
	if t.basic() {
		if len(c.reordered) > 0 {
			t.line(' ', "reordered")
			t.end()
		}
	} else {
		t.groups()
		t.reordered()
		t.windowLine()
	}
	t.actions()
	if t.basic() {
		return
	}
	t.scopes()
	t.page()
	t.rest()
}

func (t *textWriter) record(r snapshot.Record) {
	t.id(r.ID())
	if t.scoped {
		t.word(" in ")
		t.id(r.Scope())
	}
}

func (t *textWriter) presences(sign byte, rows []int32, s *snapshot.Snapshot, n int, whole func(int) bool) {
	c := t.c
	for _, row := range rows {
		if n == 0 {
			return
		}
		if !t.basic() && whole(s.ScopeNumber(int(row))) {
			continue
		}
		n--
		t.line(sign, "record ")
		r := s.Record(int(row))
		t.record(r)
		if sign == '+' && t.values() {
			shown := 0
			for name, v := range r.Fields() {
				if shown++; shown > t.MaxFields {
					t.word(", ...")
					break
				}
				t.separator(shown == 1)
				t.id(name)
				t.word("=")
				t.value(c.d.shown(r.Scope(), name, v))
			}
		}
		t.end()
	}
}

func (t *textWriter) updates() {
	c := t.c
	for k := range c.updated[:t.shown[listUpdated]] {
		u := &c.updated[k]
		before, after := c.before.Record(int(u.before)), c.after.Record(int(u.after))
		t.line('~', "record ")
		t.record(after)
		if !t.basic() {
			switch u.kind {
			case byMove:
				t.word(" from ")
				t.id(before.Scope())
			case byReplaces:
				t.word(" was ")
				t.id(before.ID())
			case byNeighbours:
				t.word(" inferred")
			}
		}
		names := c.d.names[u.lo:u.hi]
		t.fieldNames(names)
		t.end()
		if t.values() {
			for _, name := range names[:min(len(names), t.MaxFields)] {
				for _, ch := range c.valueChanges(u, name, t.MaxFields) {
					t.change(func() { t.id(name) }, ch)
				}
			}
		}
	}
}

// fieldNames writes ": a, b" and how many more there are.
func (t *textWriter) fieldNames(names []string) {
	for n, name := range names[:min(len(names), t.MaxFields)] {
		t.separator(n == 0)
		t.id(name)
	}
	if more := len(names) - t.MaxFields; more > 0 {
		t.word(" and ")
		t.number(int64(more))
		t.word(" more")
	}
}

// ownNames is fieldNames for the members of actions and scopes, which are words
// of ours.
func (t *textWriter) ownNames(names []string) {
	for n, name := range names {
		t.separator(n == 0)
		t.word(name)
	}
}

// change writes one line below that of its record, beginning with the field.
func (t *textWriter) change(field func(), ch valueChange) {
	t.word("  ")
	if t.style == markdownStyle {
		t.word("- ")
	}
	field()
	if ch.at != "" {
		t.word(" at ")
		t.id(ch.at)
	}
	t.word(": ")
	t.value(ch.from)
	t.word(" -> ")
	t.value(ch.to)
	if ch.from.Kind() == records.String && ch.to.Kind() == records.String {
		from, to := string(ch.from.Text()), string(ch.to.Text())
		where := safetext.Differs(from, to)
		if len(from) > t.MaxValueBytes || len(to) > t.MaxValueBytes {
			where = safetext.FirstDifference(from, to)
		}
		if where != "" {
			t.word(" (")
			t.word(where)
			t.word(")")
		}
	}
	t.end()
}

// omitted says how many more changes there are than lines.
func (t *textWriter) omitted(noun string, added, removed, updated int) {
	if added+removed+updated == 0 {
		return
	}
	t.line(' ', "not listed:")
	sep := " "
	for _, n := range [...]struct {
		n    int
		word string
	}{{added, " added"}, {removed, " removed"}, {updated, " updated"}} {
		if n.n > 0 {
			t.word(sep)
			t.plural(int64(n.n), noun)
			t.word(n.word)
			sep = ", "
		}
	}
	t.end()
}

func (t *textWriter) groups() {
	c := t.c
	if t.changed <= t.shown[listUpdated] || t.noGroups {
		return
	}
	groups := c.groups()
	for _, g := range groups[:min(len(groups), maxGroups)] {
		t.line(' ', "updated by fields: ")
		t.plural(int64(g.count), "record")
		u := &c.updated[g.first]
		t.fieldNames(c.d.names[u.lo:u.hi])
		t.end()
	}
}

func (t *textWriter) reordered() {
	c := t.c
	for _, n := range c.reordered[:t.shown[listReordered]] {
		t.line(' ', "reordered scope ")
		t.id(c.after.Scopes()[n].ID)
		t.end()
	}
	if more := len(c.reordered) - t.shown[listReordered]; more > 0 {
		t.line(' ', "not listed: ")
		t.plural(int64(more), "reordered scope")
		t.end()
	}
	if len(c.reordered) > 0 && t.values() {
		rows := c.movedRows()
		shown := min(len(rows), t.shown[listMoved])
		t.line(' ', "moved")
		for n, j := range rows[:shown] {
			t.separator(n == 0)
			t.id(string(c.after.Table().ID(int(j))))
		}
		if more := len(rows) - shown; more > 0 {
			t.word(" and ")
			t.number(int64(more))
			t.word(" more")
		}
		t.end()
	}
}

func (t *textWriter) windowLine() {
	w := t.c.window
	if w == (window{}) {
		return
	}
	t.line(' ', "window: ")
	t.number(w.entered)
	t.word(" entered, ")
	t.number(w.left)
	t.word(" left, net ")
	t.number(w.net)
	if w.assumed {
		t.word(", assumed from totals")
	}
	t.end()
}

func (t *textWriter) actions() {
	c := t.c
	list := func(sign byte, rows []int32, s *snapshot.Snapshot, n int) {
		for _, row := range rows[:n] {
			t.line(sign, "action ")
			t.id(string(actionID(s, row)))
			t.end()
		}
	}
	list('+', c.actionsAdded, c.after, t.shown[listActionsAdded])
	list('-', c.actionsRemoved, c.before, t.shown[listActionsRemoved])
	updated := 0
	if !t.basic() {
		updated = len(c.actionsUpdated) - t.shown[listActionsUpdated]
		for k := range c.actionsUpdated[:t.shown[listActionsUpdated]] {
			u := &c.actionsUpdated[k]
			t.line('~', "action ")
			t.id(string(actionID(c.after, u.after)))
			t.ownNames(c.d.names[u.lo:u.hi])
			t.end()
			if t.values() {
				t.actionChanges(u)
			}
		}
	}
	t.omitted("action", len(c.actionsAdded)-t.shown[listActionsAdded], len(c.actionsRemoved)-t.shown[listActionsRemoved], updated)
}

func (t *textWriter) actionChanges(u *update) {
	c := t.c
	for _, name := range c.d.names[u.lo:u.hi] {
		from, to := c.before.ActionTable().Field(int(u.before), name), c.after.ActionTable().Field(int(u.after), name)
		t.change(func() { t.word(name) }, valueChange{from: from, to: to})
	}
}

func (t *textWriter) scopes() {
	c := t.c
	whole := func(sign byte, list []wholeScope, s *snapshot.Snapshot, n int) {
		for _, w := range list[:n] {
			t.line(sign, "scope ")
			t.id(s.Scopes()[w.scope].ID)
			t.word(" with ")
			t.plural(w.records, "record")
			t.end()
		}
	}
	whole('+', c.scopesAdded, c.after, t.shown[listScopesAdded])
	whole('-', c.scopesRemoved, c.before, t.shown[listScopesRemoved])
	for _, u := range c.scopesUpdated[:t.shown[listScopesUpdated]] {
		t.line('~', "scope ")
		t.id(c.after.Scopes()[u.after].ID)
		t.ownNames(u.fields)
		t.end()
	}
	t.omitted("scope", len(c.scopesAdded)-t.shown[listScopesAdded], len(c.scopesRemoved)-t.shown[listScopesRemoved],
		len(c.scopesUpdated)-t.shown[listScopesUpdated])
}

func (t *textWriter) page() {
	c := t.c
	if c.urlChanged && t.tight < noURL {
		t.line(' ', "page url: ")
		t.data(safetext.AppendQuoted(t.item[:0], c.before.Page().URL, t.urlBytes))
		t.word(" -> ")
		t.data(safetext.AppendQuoted(t.item[:0], c.after.Page().URL, t.urlBytes))
		t.end()
	} else if c.navigated {
		t.line(' ', "page: new document")
		t.end()
	}
}

// rest writes what is said of the observation itself.
func (t *textWriter) rest() {
	c := t.c
	if c.d.opts.Unsettled {
		t.line(' ', "still changing when looked at")
		t.end()
	}
	dialogs := c.d.opts.Dialogs
	shown := min(len(dialogs), maxDialogs)
	if t.noDialogs {
		shown = 0
	}
	for _, dialog := range dialogs[:shown] {
		t.line(' ', "dialog ")
		t.id(dialog.Type)
		t.word(" ")
		t.message(dialog.Message)
		t.word(" answered ")
		t.message(dialog.Answer)
		t.end()
	}
	if more := len(dialogs) - shown; more > 0 && t.tight < noExtraCounts {
		t.line(' ', "not listed: ")
		t.plural(int64(more), "dialog")
		t.end()
	}
	if c.untracked != (fromTo{}) {
		t.line(' ', "untracked: ")
		t.number(c.untracked.from)
		t.word(" -> ")
		t.plural(c.untracked.to, "record")
		t.end()
	}
	shown = min(len(c.diagnostics), maxDiagnostics)
	if t.noDiagnostics {
		shown = 0
	}
	for _, d := range c.diagnostics[:shown] {
		t.line(' ', "diagnostic ")
		t.id(d.Code)
		t.word(" at ")
		t.data(safetext.AppendClipped(t.item[:0], d.At, 2*t.MaxIDBytes))
		t.word(": ")
		t.message(d.Message)
		t.end()
	}
	if more := len(c.diagnostics) - shown; more > 0 && t.tight < noExtraCounts {
		t.line(' ', "not listed: ")
		t.plural(int64(more), "diagnostic")
		t.end()
	}
}

// AppendUnobservedText is [AppendUnobserved] as a line of text.
func AppendUnobservedText(dst []byte, reason Reason) []byte {
	return append(append(append(dst, "not observed: "...), reason...), '\n')
}
