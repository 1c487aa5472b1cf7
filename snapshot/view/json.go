package view

import (
	"strconv"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// jsonForm writes JSON. Its pieces begin with the comma that parts them from what
// is before; the first of a list loses it.
type jsonForm struct {
	m     *model
	cells []records.Value
	buf   []byte
}

// appendMember appends a member with at most limit bytes of text, and its length
// in another member if that is not all.
func appendMember[T string | []byte](dst []byte, name string, text T, limit int) []byte {
	n := len(text)
	if n > limit {
		n = safetext.Head(text, limit)
	}
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = records.AppendQuoted(dst, text[:n])
	return appendBytes(dst, name, n, len(text))
}

// appendFilled is appendMember unless there is no text.
func appendFilled[T string | []byte](dst []byte, name string, text T, limit int) []byte {
	if len(text) == 0 {
		return dst
	}
	return appendMember(dst, name, text, limit)
}

func appendBytes(dst []byte, name string, shown, size int) []byte {
	if shown == size {
		return dst
	}
	return appendCount(append(append(append(dst, `,"`...), name...), "Bytes"...), int64(size))
}

// appendCount ends a member's name and appends its number.
func appendCount(dst []byte, n int64) []byte {
	return strconv.AppendInt(append(dst, `":`...), n, 10)
}

func digits(n int64) int { return len(strconv.FormatInt(n, 10)) }

// list appends the pieces without the first comma.
func list(dst, pieces []byte) []byte {
	dst = append(dst, '[')
	if len(pieces) > 0 {
		dst = append(dst, pieces[1:]...)
	}
	return append(dst, ']')
}

func (f *jsonForm) frame() int {
	n := len(`{"scopes":[],"actions":[],"omitted":{"scopes":,"records":,"actions":}}`) +
		digits(int64(len(f.m.snap.Scopes()))) +
		digits(int64(f.m.snap.Len())+f.m.snap.Untracked()) +
		digits(int64(f.m.actions))
	if d := len(f.m.snap.Diagnostics()); d > 0 {
		n += len(`,"diagnostics":[],"diagnosticsOmitted":`) + digits(int64(d))
	}
	return n
}

func (f *jsonForm) page(dst []byte, lv *level) []byte {
	if p := f.m.snap.Page(); p.URL != "" || p.Title != "" {
		dst = append(dst, `,"page":{`...)
		start := len(dst)
		dst = appendFilled(dst, "url", p.URL, lv.text)
		dst = appendFilled(dst, "title", p.Title, lv.text)
		dst = append(append(dst[:start], dst[start+1:]...), '}')
	}
	if v := f.m.snap.View(); !v.IsZero() {
		dst = append(dst, `,"view":{`...)
		if v.Limit != 0 {
			dst = appendCount(append(dst, `"limit`...), v.Limit)
		}
		if v.Scopes != nil {
			if v.Limit != 0 {
				dst = append(dst, ',')
			}
			names, n := f.ids(nil, len(v.Scopes), lv, func(i int) []byte { return []byte(v.Scopes[i]) })
			dst = list(append(dst, `"scopes":`...), names)
			if n < len(v.Scopes) {
				dst = appendCount(append(dst, `,"scopesOmitted`...), int64(len(v.Scopes)-n))
			}
		}
		dst = append(dst, '}')
	}
	return dst
}

// ids appends the first ids that are short enough to be shown whole and returns
// how many those are.
func (f *jsonForm) ids(dst []byte, n int, lv *level, id func(i int) []byte) (_ []byte, shown int) {
	for i := 0; i < n && shown < lv.ids && len(dst) <= f.m.budget; i++ {
		if s := id(i); len(s) <= lv.id {
			dst = records.AppendQuoted(append(dst, ','), s)
			shown++
		}
	}
	return dst, shown
}

func (f *jsonForm) head(b *block, lv *level) {
	dst := append(b.head[:0], ',', '{')
	start := len(dst)
	dst = appendMember(dst, "id", b.ID, lv.id)
	dst = append(dst[:start], dst[start+1:]...)
	if lv.brief {
		if b.Label != "" || b.Description != "" || b.Role != "" {
			dst = append(dst, `,"brief":true`...)
		}
	} else {
		dst = appendFilled(dst, "label", b.Label, lv.text)
		dst = appendFilled(dst, "description", b.Description, lv.text)
		dst = appendFilled(dst, "role", b.Role, lv.id)
	}
	if b.State != snapshot.Active {
		dst = appendFilled(dst, "state", string(b.State), lv.id)
	}
	dst = appendCount(append(dst, `,"total`...), b.Extent())
	if b.Offset != nil {
		dst = appendCount(append(dst, `,"offset`...), *b.Offset)
	}
	if b.Partial {
		dst = append(dst, `,"partial":true`...)
	}
	if b.Untracked != 0 {
		dst = appendCount(append(dst, `,"untracked`...), b.Untracked)
	}
	b.columns = 0
	names, cut := []byte(nil), []byte(nil)
	for i, name := range b.fields[:min(len(b.fields), lv.cols)] {
		if len(names) > f.m.budget {
			break
		}
		n := len(name)
		if n > lv.id {
			n = safetext.Head(name, lv.id)
			cut = appendNumbers(cut, i, len(name))
			cut = append(cut, ']')
		}
		names = records.AppendQuoted(append(names, ','), name[:n])
		b.columns++
	}
	dst = list(append(dst, `,"fields":`...), names)
	if cut != nil {
		dst = list(append(dst, `,"fieldsCut":`...), cut)
	}
	if b.columns < len(b.fields) {
		dst = appendCount(append(dst, `,"fieldsOmitted`...), int64(len(b.fields)-b.columns))
	}
	b.head = append(dst, `,"rows":`...)
}

// appendNumbers appends a comma and an array that is left open.
func appendNumbers(dst []byte, numbers ...int) []byte {
	dst = append(dst, ',', '[')
	for i, n := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst
}

func (f *jsonForm) tail(b *block) int {
	return len(`[],"omitted":}`) + digits(b.Count())
}

func (f *jsonForm) rowLists(b *block) int {
	n := 0
	if len(b.cut) > 0 {
		n += len(`,"cut":[]`)
	}
	if len(b.absent) > 0 {
		n += len(`,"absent":[]`)
	}
	return n
}

func (f *jsonForm) row(b *block, i int, lv *level, most int) {
	start := len(b.rows)
	b.rows = append(b.rows, ',', '[')
	if id := f.m.snap.Table().ID(i); len(id) == 0 {
		b.rows = append(b.rows, "null"...)
	} else {
		f.text(b, 0, id, lv.id)
	}
	f.cells = f.m.cells(f.cells, i, b.columns)
	for col, v := range f.cells {
		b.rows = append(b.rows, ',')
		f.cell(b, col+1, v, lv)
		if len(b.rows)-start > most {
			return
		}
	}
	b.rows = append(b.rows, ']')
}

// text appends a text and notes in b.cut that it is cut.
func (f *jsonForm) text(b *block, col int, s []byte, limit int) {
	n := len(s)
	if n > limit {
		n = safetext.Head(s, limit)
		b.cut = append(appendNumbers(b.cut, b.shown, col, len(s)), ']')
	}
	b.rows = records.AppendQuoted(b.rows, s[:n])
}

func (f *jsonForm) cell(b *block, col int, v records.Value, lv *level) {
	size := 0
	switch v.Kind() {
	case records.Absent:
		b.absent = append(appendNumbers(b.absent, b.shown, col), ']')
		b.rows = append(b.rows, "null"...)
		return
	case records.String, records.Masked:
		f.text(b, col, v.Text(), lv.cell)
		return
	case records.Number:
		lit := v.Literal()
		if len(lit) <= max(lv.cell, keepDigits) {
			b.rows = append(b.rows, lit...)
			return
		}
		size = len(lit)
		b.rows = records.AppendQuoted(b.rows, lit[:max(lv.cell, keepDigits)])
	case records.Array, records.Object:
		if f.buf = f.m.appendJSON(f.buf[:0], v, lv.cell); len(f.buf) > 0 {
			b.rows = append(b.rows, f.buf...)
			return
		}
		size = f.m.jsonLen(v)
		f.buf, _ = safetext.AppendJSONHead(f.buf[:0], v, lv.cell)
		b.rows = records.AppendQuoted(b.rows, f.buf)
	default:
		b.rows = records.AppendJSON(b.rows, v)
		return
	}
	b.cut = appendNumbers(b.cut, b.shown, col, size)
	b.cut = append(append(append(b.cut, `,"`...), v.Kind().String()...), `"]`...)
}

func (f *jsonForm) entryList() int { return len(`,"actions":[]`) }

func (f *jsonForm) entry(dst []byte, p *part, e *entry, lv *level) []byte {
	a := f.m.action(e.first[0])
	if !e.lead {
		a.params = records.Value{} // those of the template, said by its first entry
	}
	a.available, a.scope, a.record = e.available, nil, nil
	id := append(append(f.buf[:0], e.of.prefix...), placeholder...)
	f.buf = id
	a.id = id
	dst = f.action(dst, &a, lv, e)
	if e.all {
		return append(dst, `,"records":"all"}`...)
	}
	ids, n := f.ids(nil, len(e.first), lv, func(i int) []byte { return f.m.action(e.first[i]).record })
	dst = list(append(dst, `,"records":`...), ids)
	return append(appendCount(append(dst, `,"omitted`...), int64(e.count-n)), '}')
}

// action appends the members of a, of which e is nil for a tool, and leaves the
// object open.
func (f *jsonForm) action(dst []byte, a *action, lv *level, e *entry) []byte {
	dst = append(dst, ',', '{')
	start := len(dst)
	dst = appendMember(dst, "id", a.id, lv.action)
	dst = append(dst[:start], dst[start+1:]...)
	if lv.brief {
		dst = append(dst, `,"brief":true`...)
	} else {
		dst = appendMember(dst, "description", a.description, lv.text)
		if e != nil && e.of.varies {
			dst = append(dst, `,"varies":true`...)
		}
		dst = appendFilled(dst, "kind", a.kind, lv.id)
	}
	if v := a.available; v.Kind() == records.String {
		dst = appendMember(dst, "available", v.Text(), lv.text)
	} else if e == nil || !v.Bool() {
		dst = strconv.AppendBool(append(dst, `,"available":`...), v.Bool())
	}
	if a.params.Kind() != records.Absent && !lv.brief {
		params := f.m.appendJSON(nil, a.params, lv.params)
		if len(params) > 0 {
			dst = append(append(dst, `,"params":`...), params...)
		} else {
			dst = appendCount(append(dst, `,"paramsBytes`...), int64(f.m.jsonLen(a.params)))
		}
	}
	return dst
}

func (f *jsonForm) tool(dst []byte, i int, lv *level) []byte {
	a := f.m.action(i)
	dst = f.action(dst, &a, lv, nil)
	dst = appendFilled(dst, "scope", a.scope, lv.id)
	dst = appendFilled(dst, "record", a.record, lv.id)
	return append(dst, '}')
}

func (f *jsonForm) diagnostic(dst []byte, i int, lv *level) []byte {
	d := f.m.diagnostics()[i]
	dst = append(dst, ',', '{')
	start := len(dst)
	dst = appendMember(dst, "code", d.Code, lv.id)
	dst = append(dst[:start], dst[start+1:]...)
	dst = appendFilled(dst, "at", d.At, lv.id)
	dst = appendFilled(dst, "message", d.Message, lv.text)
	return append(dst, '}')
}

func (f *jsonForm) finish(dst []byte, p *plan) []byte {
	dst = append(dst, '{')
	if len(p.page) > 0 {
		dst = append(append(dst, p.page[1:]...), ',')
	}
	dst = append(dst, `"scopes":[`...)
	shown := int64(0)
	for n := range p.blocks {
		b := &p.blocks[n]
		shown += b.Count()
		head := b.head
		if n == 0 {
			head = head[1:]
		}
		dst = list(append(dst, head...), b.rows)
		dst = appendCount(append(dst, `,"omitted`...), b.Count()-int64(b.shown))
		if len(b.cut) > 0 {
			dst = list(append(dst, `,"cut":`...), b.cut)
		}
		if len(b.absent) > 0 {
			dst = list(append(dst, `,"absent":`...), b.absent)
		}
		if len(b.acts) > 0 {
			dst = list(append(dst, `,"actions":`...), b.acts)
		}
		dst = append(dst, '}')
	}
	snap := f.m.snap
	dst = list(append(dst, `],"actions":`...), p.tools)
	dst = appendCount(append(dst, `,"omitted":{"scopes`...), int64(len(snap.Scopes())-len(p.blocks)))
	dst = appendCount(append(dst, `,"records`...), int64(snap.Len())+snap.Untracked()-shown)
	dst = appendCount(append(dst, `,"actions`...), int64(p.omittedActions()))
	dst = append(dst, '}')
	if all := len(snap.Diagnostics()); all > 0 {
		if p.diagnosed > 0 {
			dst = list(append(dst, `,"diagnostics":`...), p.diagnostics)
		}
		if p.diagnosed < all {
			dst = appendCount(append(dst, `,"diagnosticsOmitted`...), int64(all-p.diagnosed))
		}
	}
	return append(dst, '}')
}
