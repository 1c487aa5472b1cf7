package capture

import (
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Append appends snap as JSON on one line, without a newline at its end, and
// returns the extended slice. See the package comment for what is written.
//
// Its cost is linear in snap. It allocates to grow dst and a little for each
// layout of records.
func Append(dst []byte, snap *snapshot.Snapshot) []byte {
	w := writer{snap: snap}
	return w.append(dst)
}

// AppendPretty is Append with one scope, record or action a line, as suits a file
// under version control. It ends with a newline.
//
//	{"format":"pagestate/1",
//	 "scopes":[
//	  {"id":"todo"}],
//	 "records":[
//	  {"id":"t1","scope":"todo","fields":{"text":"Buy milk"}},
//	  {"id":"t2","scope":"todo","fields":{"text":"Call Ana"}}],
//	 "actions":[]}
func AppendPretty(dst []byte, snap *snapshot.Snapshot) []byte {
	w := writer{snap: snap, pretty: true}
	return append(w.append(dst), '\n')
}

// A writer writes one snapshot.
type writer struct {
	snap   *snapshot.Snapshot
	pretty bool
	scopes map[string]string // how scopes are written whose id is not Unicode
	heads  []rowHead         // by class
}

// A rowHead is what rows of one class share.
type rowHead struct {
	scope []byte   // `,"scope":"todo"` or nothing
	names [][]byte // `"text":` for each field
	ready bool
}

func (w *writer) append(dst []byte) []byte {
	w.nameScopes()
	dst = append(dst, `{"format":"`+Format+`"`...)
	dst = w.page(dst)
	dst = w.view(dst)
	dst = w.declarations(dst)
	dst = w.records(dst)
	dst = w.actions(dst)
	dst = w.untracked(dst)
	return append(dst, '}')
}

// nameScopes decides how scopes are written whose ids would be repaired.
func (w *writer) nameScopes() {
	infos := w.snap.Scopes()
	intact := true
	for i := range infos {
		intact = intact && records.Intact(infos[i].ID)
	}
	if intact {
		return
	}
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i] = infos[i].ID
	}
	w.scopes = make(map[string]string, len(ids))
	for i, shown := range records.DistinctTexts(ids) {
		w.scopes[ids[i]] = shown
	}
}

// scope returns the id of a scope as it is written.
func (w *writer) scope(id string) string {
	if shown, ok := w.scopes[id]; ok {
		return shown
	}
	return records.Text(id)
}

// member appends the separator and the name of a top-level member.
func (w *writer) member(dst []byte, name string) []byte {
	dst = append(dst, ',')
	if w.pretty {
		dst = append(dst, "\n "...)
	}
	return append(append(append(dst, '"'), name...), `":`...)
}

// element appends what comes before element i of a top-level list.
func (w *writer) element(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if w.pretty {
		dst = append(dst, "\n  "...)
	}
	return dst
}

// text appends a member of an object if its text is not empty.
func text(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return records.AppendQuoted(key(dst, name), value)
}

// key appends a member's name, and a separator unless it is the first.
func key(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), `":`...)
}

func (w *writer) page(dst []byte) []byte {
	p := w.snap.Page()
	if p.URL == "" && p.Title == "" {
		return dst
	}
	dst = append(w.member(dst, "page"), '{')
	dst = text(dst, "url", p.URL)
	dst = text(dst, "title", p.Title)
	return append(dst, '}')
}

func (w *writer) view(dst []byte) []byte {
	v := w.snap.View()
	if v.IsZero() {
		return dst
	}
	dst = append(w.member(dst, "view"), '{')
	if v.Scopes != nil {
		dst = append(key(dst, "scopes"), '[')
		for i, id := range v.Scopes {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = records.AppendQuoted(dst, w.scope(id))
		}
		dst = append(dst, ']')
	}
	if v.Limit != 0 {
		dst = strconv.AppendInt(key(dst, "limit"), v.Limit, 10)
	}
	return append(dst, '}')
}

func (w *writer) declarations(dst []byte) []byte {
	dst = append(w.member(dst, "scopes"), '[')
	n := 0
	for i := range w.snap.Scopes() {
		if sc := &w.snap.Scopes()[i]; sc.Declared {
			dst = w.declaration(w.element(dst, n), &sc.Scope)
			n++
		}
	}
	return append(dst, ']')
}

func (w *writer) declaration(dst []byte, sc *snapshot.Scope) []byte {
	dst = records.AppendQuoted(append(dst, `{"id":`...), w.scope(sc.ID))
	dst = text(dst, "label", sc.Label)
	dst = text(dst, "description", sc.Description)
	dst = text(dst, "role", sc.Role)
	if sc.Parent != "" {
		dst = records.AppendQuoted(key(dst, "parent"), w.scope(sc.Parent))
	}
	dst = text(dst, "state", string(sc.State))
	dst = texts(dst, "volatile", sc.Volatile)
	if sc.Unordered {
		dst = append(key(dst, "unordered"), "true"...)
	}
	dst = texts(dst, "sensitive", sc.Sensitive)
	dst = text(dst, "ids", sc.IDs)
	if sc.Total != nil {
		dst = strconv.AppendInt(key(dst, "total"), *sc.Total, 10)
	}
	if sc.Offset != nil {
		dst = strconv.AppendInt(key(dst, "offset"), *sc.Offset, 10)
	}
	if sc.Partial {
		dst = append(key(dst, "partial"), "true"...)
	}
	if sc.Inferred {
		dst = append(key(dst, "inferred"), "true"...)
	}
	return append(dst, '}')
}

// texts appends a member whose value is a list, if that is not empty.
func texts(dst []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(key(dst, name), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = records.AppendQuoted(dst, s)
	}
	return append(dst, ']')
}

func (w *writer) records(dst []byte) []byte {
	dst = append(w.member(dst, "records"), '[')
	t := w.snap.Table()
	w.heads = make([]rowHead, len(t.Classes()))
	for i := range t.Len() {
		class := t.ClassNumber(i)
		head := &w.heads[class]
		if !head.ready {
			w.prepare(head, t.Classes()[class])
		}
		dst = append(w.element(dst, i), '{')
		if id := t.ID(i); len(id) > 0 {
			dst = records.AppendQuoted(append(dst, `"id":`...), id)
			dst = append(dst, head.scope...)
		} else if len(head.scope) > 0 {
			dst = append(dst, head.scope[1:]...)
		}
		dst = text(dst, "replaces", w.snap.Replaced(i))
		if len(head.names) > 0 {
			dst = append(key(dst, "fields"), '{')
			rest := t.Values(i)
			for f, name := range head.names {
				if f > 0 {
					dst = append(dst, ',')
				}
				var v records.Value
				v, rest = records.Cut(rest)
				dst = records.AppendJSON(append(dst, name...), v)
			}
			dst = append(dst, '}')
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (w *writer) prepare(head *rowHead, c *records.Class) {
	head.ready = true
	if scope := w.scope(c.Scope()); scope != "" {
		head.scope = records.AppendQuoted([]byte(`,"scope":`), scope)
	}
	for _, name := range records.DistinctTexts(c.Fields()) {
		head.names = append(head.names, append(records.AppendQuoted(nil, name), ':'))
	}
}

func (w *writer) actions(dst []byte) []byte {
	dst = append(w.member(dst, "actions"), '[')
	for i := range w.snap.Actions() {
		dst = w.action(w.element(dst, i), w.snap.Action(i))
	}
	return append(dst, ']')
}

func (w *writer) action(dst []byte, a snapshot.Action) []byte {
	dst = records.AppendQuoted(append(dst, `{"id":`...), a.ID)
	dst = text(dst, "description", a.Description)
	dst = text(dst, "kind", a.Kind)
	dst = text(dst, "primitive", a.Primitive)
	dst = key(dst, "available")
	if a.Unavailable && a.Reason != "" {
		dst = records.AppendQuoted(dst, a.Reason)
	} else {
		dst = strconv.AppendBool(dst, !a.Unavailable)
	}
	if a.Params.Kind() != records.Absent {
		dst = records.AppendJSON(key(dst, "params"), a.Params)
	}
	shown := snapshot.Action{ID: records.Text(a.ID), Record: records.Text(a.Record)}
	if a.Scope != "" {
		shown.Scope = w.scope(a.Scope)
	}
	dst = text(dst, "scope", shown.Scope)
	dst = text(dst, "record", shown.Record)
	dst = text(dst, "group", a.Group)
	if name := records.Text(a.Name); name != shown.BareName() {
		dst = text(dst, "name", name)
	}
	return append(dst, '}')
}

func (w *writer) untracked(dst []byte) []byte {
	if w.snap.Untracked() == 0 {
		return dst
	}
	dst = append(w.member(dst, "untracked"), '{')
	for i := range w.snap.Scopes() {
		if sc := &w.snap.Scopes()[i]; sc.Untracked > 0 {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(records.AppendQuoted(dst, w.scope(sc.ID)), ':')
			dst = strconv.AppendInt(dst, sc.Untracked, 10)
		}
	}
	return append(dst, '}')
}
