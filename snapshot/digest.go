package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/records"
)

// A Digest identifies the content of a snapshot: it is SHA-256 over a canonical
// form, the same in every process.
type Digest [sha256.Size]byte

// String returns the first 16 bytes in hex: a revision.
func (d Digest) String() string { return hex.EncodeToString(d[:16]) }

// Digest returns the digest of the content: the url, scopes with their
// declarations, records with their fields, and actions. However their captures
// were laid out, snapshots of equal content have one digest, and snapshots that
// differ to diff have two, but for masked values, which all count as equal here.
//
// Title, document, view, replaces, the order of fields, scopes and actions, and
// the order of records in an unordered scope are no content. Volatile fields and
// declarations are, although a change of them alone is no difference to diff.
//
// Its cost is linear in the content, times log n in unordered scopes; nothing
// is cached.
func (s *Snapshot) Digest() Digest {
	var buf []byte
	buf = appendHeld(buf, s.page.URL)
	rowsOf := make([][]int, len(s.scopes))
	for i := range s.Len() {
		n := s.ScopeNumber(i)
		rowsOf[n] = append(rowsOf[n], i)
	}
	for _, n := range s.scopesByID() {
		buf = s.appendScopeContent(buf, n, rowsOf[n])
	}
	buf = append(buf, "actions\n"...)
	rows := make([][]byte, s.acts.Len())
	for i := range rows {
		rows[i] = appendRowContent(appendHeld(nil, string(s.acts.ID(i))), s.acts, i)
	}
	slices.SortFunc(rows, bytes.Compare)
	buf = append(buf, bytes.Join(rows, nil)...)
	return sha256.Sum256(buf)
}

func (s *Snapshot) scopesByID() []int {
	order := make([]int, len(s.scopes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.scopes[a].ID, s.scopes[b].ID) })
	return order
}

// appendScopeContent appends the content of scope n and of its records, rows.
func (s *Snapshot) appendScopeContent(buf []byte, n int, rows []int) []byte {
	sc := &s.scopes[n]
	if !sc.Declared && sc.Records == 0 && sc.Untracked == 0 {
		return buf
	}
	buf = append(buf, "scope\n"...)
	for _, part := range []string{sc.ID, sc.Label, sc.Description, sc.Role, sc.Parent, string(cmp.Or(sc.State, Active)), sc.IDs} {
		buf = appendHeld(buf, part)
	}
	for _, list := range [][]string{sc.Volatile, sc.Sensitive} {
		names := slices.Compact(slices.Sorted(slices.Values(list)))
		buf = strconv.AppendInt(buf, int64(len(names)), 10)
		for _, name := range names {
			buf = appendHeld(buf, name)
		}
	}
	for _, flag := range []bool{sc.Unordered, sc.Inferred} {
		buf = strconv.AppendBool(append(buf, ','), flag)
	}
	for _, num := range []*int64{sc.Total, sc.Offset} {
		if buf = append(buf, ','); num != nil {
			buf = strconv.AppendInt(buf, *num, 10)
		}
	}
	buf = strconv.AppendInt(append(buf, ','), sc.Untracked, 10)
	if sc.Partial {
		buf = append(buf, ",partial"...)
	}
	buf = append(buf, '\n')
	if sc.Unordered {
		contents := make([][]byte, len(rows))
		for at, i := range rows {
			contents[at] = s.appendRecordContent(nil, i)
		}
		slices.SortFunc(contents, bytes.Compare)
		return append(buf, bytes.Join(contents, nil)...)
	}
	for _, i := range rows {
		buf = s.appendRecordContent(buf, i)
	}
	return buf
}

func (s *Snapshot) appendRecordContent(buf []byte, i int) []byte {
	return appendRowContent(appendHeld(buf, string(s.recs.ID(i))), s.recs, i)
}

// appendRowContent appends the fields of row i sorted by name.
func appendRowContent(buf []byte, t *records.Table, i int) []byte {
	type field struct {
		name string
		val  records.Value
	}
	var fields []field
	for name, v := range t.All(i) {
		fields = append(fields, field{name, v})
	}
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.name, b.name) })
	for _, f := range fields {
		buf = appendHeld(buf, f.name)
		buf = records.AppendCanonical(buf, f.val)
		buf = append(buf, ',')
	}
	return append(buf, '\n')
}

// appendHeld appends text with its length in front, so that no two sequences of
// texts run together.
func appendHeld(buf []byte, s string) []byte {
	buf = strconv.AppendInt(buf, int64(len(s)), 10)
	return append(append(buf, ':'), s...)
}
