package view

import (
	"strconv"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// textForm writes lines. Its pieces are whole lines.
type textForm struct {
	m     *model
	cells []records.Value
}

// appendWord appends a space, a word of ours and a space.
func appendWord(dst []byte, word string) []byte {
	return append(append(append(dst, ' '), word...), ' ')
}

func appendNumber(dst []byte, word string, n int64) []byte {
	return strconv.AppendInt(appendWord(dst, word), n, 10)
}

// appendCounted appends "n things", in the singular if n is 1.
func appendCounted(dst []byte, n int64, thing string) []byte {
	dst = strconv.AppendInt(dst, n, 10)
	dst = append(append(dst, ' '), thing...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

func (f *textForm) frame() int {
	snap := f.m.snap
	n := len("omitted  scopes,  records,  actions\n") +
		digits(int64(len(snap.Scopes()))) + digits(int64(snap.Len())+snap.Untracked()) + digits(int64(f.m.actions))
	if d := len(snap.Diagnostics()); d > 0 {
		n += len("omitted  diagnostics\n") + digits(int64(d))
	}
	return n
}

func (f *textForm) page(dst []byte, lv *level) []byte {
	if p := f.m.snap.Page(); p.URL != "" || p.Title != "" {
		dst = append(dst, "page"...)
		if p.URL != "" {
			dst = safetext.AppendClipped(append(dst, ' '), p.URL, lv.text)
		}
		if p.Title != "" {
			dst = safetext.AppendQuoted(appendWord(dst, "title"), p.Title, lv.text)
		}
		dst = append(dst, '\n')
	}
	if v := f.m.snap.View(); !v.IsZero() {
		dst = append(dst, "view"...)
		if v.Limit != 0 {
			dst = appendNumber(dst, "limit", v.Limit)
		}
		if v.Scopes != nil {
			dst = append(dst, " scopes"...)
			dst = f.ids(dst, len(v.Scopes), int64(len(v.Scopes)), "omitted", lv, func(i int) []byte { return []byte(v.Scopes[i]) })
		}
		dst = append(dst, '\n')
	}
	return dst
}

// ids appends the first of n ids that are short enough to be shown whole, and how
// many of all there are besides; if none is, how many things there are.
func (f *textForm) ids(dst []byte, n int, all int64, things string, lv *level, id func(i int) []byte) []byte {
	start, shown := len(dst), int64(0)
	for i := 0; i < n && int(shown) < lv.ids && len(dst)-start <= f.m.budget; i++ {
		if s := id(i); len(s) <= lv.id {
			if shown > 0 {
				dst = append(dst, ',')
			}
			dst = safetext.Append(append(dst, ' '), s)
			shown++
		}
	}
	switch {
	case shown == 0:
		dst = strconv.AppendInt(append(dst, ' '), all, 10)
		dst = append(append(dst, ' '), things...)
	case shown < all:
		dst = strconv.AppendInt(append(dst, " and "...), all-shown, 10)
		dst = append(dst, " more"...)
	}
	return dst
}

func (f *textForm) head(b *block, lv *level) {
	dst := append(b.head[:0], "scope "...)
	dst = safetext.AppendClipped(dst, b.ID, lv.id)
	if !lv.brief {
		if b.Label != "" {
			dst = safetext.AppendQuoted(appendWord(dst, "label"), b.Label, lv.text)
		}
		if b.Role != "" {
			dst = safetext.AppendClipped(appendWord(dst, "role"), b.Role, lv.id)
		}
	}
	if b.State != "" && b.State != snapshot.Active {
		dst = append(dst, " state "...)
		switch b.State {
		case snapshot.Inactive, snapshot.Covered: // ours, not data
			dst = append(dst, b.State...)
		default:
			dst = safetext.AppendClipped(dst, string(b.State), lv.id)
		}
	}
	dst = appendNumber(dst, "records", b.Count())
	if b.Total != nil {
		dst = appendNumber(dst, "of", *b.Total)
	}
	if b.Partial {
		dst = append(dst, " partial"...)
	}
	if b.Offset != nil {
		dst = appendNumber(dst, "from", *b.Offset)
	}
	if b.Untracked != 0 {
		dst = appendNumber(dst, "untracked", b.Untracked)
	}
	if lv.brief && (b.Label != "" || b.Description != "" || b.Role != "") {
		dst = append(dst, " brief"...)
	}
	dst = append(dst, '\n')
	if b.Description != "" && !lv.brief {
		dst = safetext.AppendQuoted(append(dst, "  about "...), b.Description, lv.text)
		dst = append(dst, '\n')
	}
	b.columns = 0
	if b.Records > 0 {
		dst = append(dst, "  | id"...)
		start := len(dst)
		for _, name := range b.fields[:min(len(b.fields), lv.cols)] {
			if len(dst)-start > f.m.budget {
				break
			}
			dst = safetext.AppendClipped(append(dst, " | "...), name, lv.id)
			b.columns++
		}
		if n := len(b.fields) - b.columns; n > 0 {
			dst = appendCounted(append(dst, " | and "...), int64(n), "more field")
		}
		dst = append(dst, '\n')
	}
	b.head = dst
}

func (f *textForm) tail(b *block) int {
	if b.Count() == 0 {
		return 0
	}
	return len("  omitted  records\n") + digits(b.Count())
}

func (f *textForm) rowLists(*block) int { return 0 }

func (f *textForm) row(b *block, i int, lv *level, most int) {
	start := len(b.rows)
	b.rows = append(b.rows, "  | "...)
	if id := f.m.snap.Table().ID(i); len(id) == 0 {
		b.rows = append(b.rows, '-')
	} else {
		b.rows = safetext.AppendClipped(b.rows, id, lv.id)
	}
	f.cells = f.m.cells(f.cells, i, b.columns)
	for _, v := range f.cells {
		b.rows = f.m.appendCell(append(b.rows, " | "...), v, lv.cell)
		if len(b.rows)-start > most {
			return
		}
	}
	b.rows = append(b.rows, '\n')
}

// appendCell is [safetext.AppendValue] with lengths of long values computed once.
func (m *model) appendCell(dst []byte, v records.Value, limit int) []byte {
	switch v.Kind() {
	case records.Array, records.Object:
		dst, whole := safetext.AppendJSONHead(dst, v, limit)
		if !whole {
			dst = safetext.AppendCutMark(dst, m.jsonLen(v))
		}
		return dst
	}
	return safetext.AppendValue(dst, v, limit)
}

func (f *textForm) entryList() int { return 0 }

func (f *textForm) entry(dst []byte, _ *part, e *entry, lv *level) []byte {
	a := f.m.action(e.of.first)
	a.available = e.available
	dst = append(dst, "  action "...)
	dst = safetext.AppendClipped(dst, e.of.prefix, lv.action)
	if len(e.of.prefix) <= lv.action {
		dst = append(dst, placeholder...)
	}
	if e.lead {
		dst = f.kind(dst, &a, lv)
	}
	switch {
	case e.all:
		dst = append(dst, " on all"...)
	default:
		dst = f.ids(append(dst, " on"...), len(e.first), int64(e.count), "records", lv, func(i int) []byte { return f.m.action(e.first[i]).record })
	}
	dst = f.reason(dst, &a, lv)
	if e.lead {
		dst = f.about(dst, &a, lv, e.of.varies)
	}
	return append(dst, '\n')
}

func (f *textForm) kind(dst []byte, a *action, lv *level) []byte {
	if len(a.kind) == 0 || lv.brief {
		return dst
	}
	return safetext.AppendClipped(appendWord(dst, "kind"), a.kind, lv.id)
}

func (f *textForm) reason(dst []byte, a *action, lv *level) []byte {
	if a.available.Bool() {
		return dst
	}
	dst = append(dst, " unavailable"...)
	if reason := a.available.Text(); len(reason) > 0 {
		dst = safetext.AppendQuoted(append(dst, ' '), reason, lv.text)
	}
	return dst
}

// about appends what an action is for and its params.
func (f *textForm) about(dst []byte, a *action, lv *level, varies bool) []byte {
	if lv.brief {
		return append(dst, " brief"...)
	}
	if len(a.description) > 0 {
		dst = safetext.AppendQuoted(append(dst, " about "...), a.description, lv.text)
		if varies {
			dst = append(dst, " varies"...)
		}
	}
	if a.params.Kind() != records.Absent {
		dst = f.m.appendParams(appendWord(dst, "params"), a.params, lv)
	}
	return dst
}

func (f *textForm) tool(dst []byte, i int, lv *level) []byte {
	a := f.m.action(i)
	dst = safetext.AppendClipped(append(dst, "action "...), a.id, lv.action)
	dst = f.kind(dst, &a, lv)
	if len(a.scope) > 0 {
		dst = safetext.AppendClipped(appendWord(dst, "scope"), a.scope, lv.id)
	}
	if len(a.record) > 0 {
		dst = safetext.AppendClipped(appendWord(dst, "record"), a.record, lv.id)
	}
	dst = f.reason(dst, &a, lv)
	dst = f.about(dst, &a, lv, false)
	return append(dst, '\n')
}

func (f *textForm) diagnostic(dst []byte, i int, lv *level) []byte {
	d := f.m.diagnostics()[i]
	dst = safetext.AppendClipped(append(dst, "diagnostic "...), d.Code, lv.id)
	if d.At != "" {
		dst = safetext.AppendClipped(appendWord(dst, "at"), d.At, lv.id)
	}
	if d.Message != "" {
		dst = safetext.AppendQuoted(appendWord(dst, "about"), d.Message, lv.text)
	}
	return append(dst, '\n')
}

func (f *textForm) finish(dst []byte, p *plan) []byte {
	dst = append(dst, p.page...)
	snap := f.m.snap
	hidden := int64(snap.Len()) + snap.Untracked()
	for n := range p.blocks {
		b := &p.blocks[n]
		hidden -= b.Count()
		dst = append(append(dst, b.head...), b.rows...)
		if omitted := b.Count() - int64(b.shown); omitted > 0 {
			dst = appendCounted(append(dst, "  omitted "...), omitted, "record")
			dst = append(dst, '\n')
		}
		dst = append(dst, b.acts...)
	}
	dst = append(dst, p.tools...)
	scopes, actions := int64(len(snap.Scopes())-len(p.blocks)), int64(p.omittedActions())
	if len(snap.Scopes()) == 0 && p.m.actions == 0 {
		dst = append(dst, "no scopes and no actions\n"...)
	}
	word := "omitted "
	for _, o := range []struct {
		n     int64
		thing string
	}{{scopes, "scope"}, {hidden, "record"}, {actions, "action"}} {
		if o.n > 0 {
			dst = appendCounted(append(dst, word...), o.n, o.thing)
			word = ", "
		}
	}
	if word == ", " {
		dst = append(dst, '\n')
	}
	dst = append(dst, p.diagnostics...)
	if n := len(snap.Diagnostics()) - p.diagnosed; n > 0 {
		dst = appendCounted(append(dst, "omitted "...), int64(n), "diagnostic")
		dst = append(dst, '\n')
	}
	return dst
}
