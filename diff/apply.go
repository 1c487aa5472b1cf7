package diff

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Apply returns the snapshot that the delta makes of before. It fails with
// [ErrMismatch] if before is not, in what differs, the snapshot that the delta
// was made from. Its cost is linear in before and the delta.
func (d *Delta) Apply(before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	if !frameOf(before).equal(d.before) {
		return nil, fmt.Errorf("page: %w", ErrMismatch)
	}
	p := snapshot.Parts{Page: d.after.page, View: d.after.view, Untracked: d.after.untracked, Diagnostics: d.after.diagnostics}
	scopes, err := d.scopes.apply(scopeRows(before))
	if err != nil {
		return nil, fmt.Errorf("scopes: %w", err)
	}
	for _, row := range scopes {
		p.Scopes = append(p.Scopes, scopeOf(row))
	}
	recs, err := d.records.apply(recordRows{before})
	if err != nil {
		return nil, fmt.Errorf("records: %w", err)
	}
	p.Replaces = map[int]string{}
	for i, row := range recs {
		if row.replaces != "" {
			p.Replaces[i] = row.replaces
		}
	}
	if p.Records, err = tableOf(recs); err != nil {
		return nil, err
	}
	acts, err := d.actions.apply(actionRows{before.ActionTable()})
	if err != nil {
		return nil, fmt.Errorf("actions: %w", err)
	}
	if p.Actions, err = tableOf(acts); err != nil {
		return nil, err
	}
	return snapshot.FromParts(p)
}

func tableOf(list []deltaRow) (*records.Table, error) {
	var b records.Builder
	for _, row := range list {
		b.Begin(row.key.scope, row.key.id)
		for n, name := range row.names {
			b.Field(name)
			b.Buf = append(b.Buf, row.values[n]...)
		}
		b.End()
	}
	return b.Finish()
}

// apply returns the rows that t makes of before.
func (t *tableDelta) apply(before rows) ([]deltaRow, error) {
	if before.len() != t.from {
		return nil, ErrMismatch
	}
	mate, err := t.mates()
	if err != nil {
		return nil, err
	}
	keys := deltaKeys(before)
	for _, r := range t.removed {
		row := before.row(r.index)
		if keys[r.index] != r.key || !row.same(r) {
			return nil, ErrMismatch
		}
	}
	out := make([]deltaRow, t.to)
	updated, added := t.updated, t.added
	for j, i := range mate {
		if i < 0 {
			out[j] = added[0]
			added = added[1:]
			continue
		}
		out[j] = before.row(i)
		out[j].key = keys[i]
		if len(updated) > 0 && updated[0].after == j {
			if updated[0].before != i || updated[0].key != keys[i] {
				return nil, ErrMismatch
			}
			if out[j], err = updated[0].apply(out[j]); err != nil {
				return nil, err
			}
			updated = updated[1:]
		}
	}
	if len(updated) > 0 {
		return nil, ErrMismatch
	}
	return out, nil
}

// same reports whether two rows have the same content.
func (r deltaRow) same(s deltaRow) bool {
	return r.replaces == s.replaces && slices.Equal(r.names, s.names) &&
		slices.EqualFunc(r.values, s.values, func(x, y []byte) bool { return bytes.Equal(x, y) })
}

// apply returns the row that u makes of row, or ErrMismatch.
func (u *deltaUpdate) apply(row deltaRow) (deltaRow, error) {
	out := row
	values := row.byName()
	for _, f := range u.fields {
		if !bytes.Equal(values[f.name], f.before) {
			return row, ErrMismatch
		}
		if values[f.name] = f.after; f.after == nil {
			delete(values, f.name)
		}
	}
	if u.namesAfter != nil || u.namesBefore != nil {
		if !slices.Equal(row.names, u.namesBefore) {
			return row, ErrMismatch
		}
		out.names = u.namesAfter
	}
	if u.replacesBefore != u.replacesAfter {
		if row.replaces != u.replacesBefore {
			return row, ErrMismatch
		}
		out.replaces = u.replacesAfter
	}
	out.values = make([][]byte, len(out.names))
	for n, name := range out.names {
		v, ok := values[name]
		if !ok {
			return row, ErrMismatch
		}
		out.values[n] = v
	}
	return out, nil
}

// reverse returns the update that takes u back.
func (u *deltaUpdate) reverse() deltaUpdate {
	r := deltaUpdate{before: u.after, after: u.before, key: u.key, namesBefore: u.namesAfter, namesAfter: u.namesBefore,
		replacesBefore: u.replacesAfter, replacesAfter: u.replacesBefore}
	for _, f := range u.fields {
		r.fields = append(r.fields, fieldDelta{f.name, f.after, f.before})
	}
	return r
}
