package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/records"
)

// An entry is one of a list of evidence. What was cut tells how long it was.
type entry struct {
	ID            string
	IDBytes       int
	Scope         string
	ScopeBytes    int
	Fields        []json.RawMessage
	FieldsOmitted int
	Records       int
	IDs           []json.RawMessage
}

type fromTo struct{ From, To int64 }

type list struct {
	entries []entry
	omitted int
}

// evidence is what the laws of bounds read.
type evidence struct {
	Observed bool
	Records  struct {
		Added, Removed, Updated []entry
		Reordered               bool
		Omitted                 struct{ Added, Removed, Updated int }
		Total                   fromTo
		Window                  struct {
			Entered, Left, Net int64
			Assumed            bool
		}
		ReorderedScopes        []json.RawMessage
		ReorderedScopesOmitted int
	}
	Actions struct {
		Added, Removed, Updated []entry
		Omitted                 struct{ Added, Removed, Updated int }
	}
	Scopes struct {
		Added, Removed, Updated []entry
		Omitted                 struct{ Added, Removed, Updated int }
	}
	Page               *struct{ Navigated bool }
	Settled            *bool
	Untracked          struct{ From, To int64 }
	Diagnostics        []json.RawMessage
	DiagnosticsOmitted int
	Dialogs            []json.RawMessage
	DialogsOmitted     int
}

func (e *evidence) lists() map[string]list {
	r, a, s := &e.Records, &e.Actions, &e.Scopes
	return map[string]list{
		"records added": {r.Added, r.Omitted.Added}, "records removed": {r.Removed, r.Omitted.Removed}, "records updated": {r.Updated, r.Omitted.Updated},
		"actions added": {a.Added, a.Omitted.Added}, "actions removed": {a.Removed, a.Omitted.Removed}, "actions updated": {a.Updated, a.Omitted.Updated},
		"scopes added": {s.Added, s.Omitted.Added}, "scopes removed": {s.Removed, s.Omitted.Removed}, "scopes updated": {s.Updated, s.Omitted.Updated},
	}
}

// Bounds is the law of a format: the line of evidence is one line of valid JSON
// no longer than its bound, each list is the beginning of the unbounded one and
// is followed by the exact number of entries left out, and everything that is
// counted is as it is without bounds.
func Bounds(c *diff.Changes, f *diff.Format) error {
	const before = "kept,"
	line := c.AppendJSON([]byte(before), f)
	if !bytes.HasPrefix(line, []byte(before)) {
		return fmt.Errorf("dst was overwritten: %q", line)
	}
	line = line[len(before):]
	if again := c.AppendJSON(nil, f); !bytes.Equal(again, line) {
		return fmt.Errorf("two lines for one format\n%s\n%s", line, again)
	}
	var got, want evidence
	if err := Line(line, f); err != nil {
		return err
	}
	if err := json.Unmarshal(line, &got); err != nil {
		return fmt.Errorf("%w: %s", err, line)
	}
	full := Unbounded(f.Detail, f.Compact)
	if err := json.Unmarshal(c.AppendJSON(nil, full), &want); err != nil {
		return fmt.Errorf("unbounded: %w", err)
	}
	if r := &got.Records; squeezed(&got, f) && r.Total == (fromTo{}) && want.Records.Total.From == want.Records.Total.To {
		r.Total = want.Records.Total // equal totals go where the form had to become compact
	}
	if err := sameCounts(&got, &want, c); err != nil {
		return fmt.Errorf("%w\n%s", err, line)
	}
	if err := sameExtraCounts(&got, &want); err != nil && !squeezed(&got, f) {
		return fmt.Errorf("%w\n%s", err, line)
	}
	if err := text(c, f); err != nil {
		return err
	}
	for name, l := range got.lists() {
		if err := beginning(l, want.lists()[name], f); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, line)
		}
	}
	return nil
}

// roomy is a bound that evidence without any entries never reaches. Below it the
// extension members may go.
const roomy = 1024

// squeezed reports whether the bound may have taken more than entries.
func squeezed(e *evidence, f *diff.Format) bool {
	if f.MaxEvidenceBytes <= 0 || f.MaxEvidenceBytes >= roomy {
		return false
	}
	for _, l := range e.lists() {
		if len(l.entries) > 0 {
			return false
		}
	}
	return true
}

// text is the law of the forms for people: no longer than the bound, valid
// UTF-8, whole lines, nothing hidden in them.
func text(c *diff.Changes, f *diff.Format) error {
	for _, text := range [][]byte{c.AppendText(nil, f), c.AppendMarkdown(nil, f)} {
		switch {
		case len(text) > bound(f):
			return fmt.Errorf("%d bytes of text, at most %d are allowed: %s", len(text), bound(f), text)
		case !utf8.Valid(text) || !bytes.HasSuffix(text, []byte("\n")) || bytes.HasPrefix(text, []byte("\n")):
			return fmt.Errorf("no whole lines of UTF-8: %q", text)
		}
		if i := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
			return fmt.Errorf("a hidden character is shown raw at %d: %q", i, text)
		}
	}
	return nil
}

func bound(f *diff.Format) int {
	if f == nil || f.MaxEvidenceBytes <= 0 {
		return diff.DefaultMaxEvidenceBytes
	}
	return max(f.MaxEvidenceBytes, diff.MinEvidenceBytes)
}

// Line is the law of any line of evidence: no longer than its bound, valid JSON,
// valid UTF-8, and nothing in it that could end the line or hide.
func Line(line []byte, f *diff.Format) error {
	switch {
	case len(line) > bound(f):
		return fmt.Errorf("%d bytes, at most %d are allowed: %s", len(line), bound(f), line)
	case !json.Valid(line):
		return fmt.Errorf("no JSON: %q", line)
	case !utf8.Valid(line):
		return fmt.Errorf("no UTF-8: %q", line)
	}
	if i := bytes.IndexFunc(line, hidden); i >= 0 {
		return fmt.Errorf("a hidden character is shown raw at %d: %q", i, line)
	}
	return nil
}

func hidden(r rune) bool { return r < ' ' || r == 0x7F || r >= 0x80 && records.Hidden(r) }

func sameCounts(got, want *evidence, c *diff.Changes) error {
	n := c.Counts()
	return equal([]counted{
		{"observed", got.Observed, true},
		{"reordered", got.Records.Reordered, want.Records.Reordered},
		{"total", got.Records.Total, want.Records.Total},
		{"untracked", got.Untracked, want.Untracked},
		{"settled", got.Settled != nil, want.Settled != nil},
		{"records updated", len(got.Records.Updated) + got.Records.Omitted.Updated, n.Updated},
		{"actions added", len(got.Actions.Added) + got.Actions.Omitted.Added, n.ActionsAdded},
		{"actions removed", len(got.Actions.Removed) + got.Actions.Omitted.Removed, n.ActionsRemoved},
	})
}

func sameExtraCounts(got, want *evidence) error {
	return equal([]counted{
		{"window", got.Records.Window, want.Records.Window},
		{"page", got.Page != nil, want.Page != nil},
		{"reordered scopes", len(got.Records.ReorderedScopes) + got.Records.ReorderedScopesOmitted, len(want.Records.ReorderedScopes)},
		{"diagnostics", len(got.Diagnostics) + got.DiagnosticsOmitted, len(want.Diagnostics) + want.DiagnosticsOmitted},
		{"dialogs", len(got.Dialogs) + got.DialogsOmitted, len(want.Dialogs) + want.DialogsOmitted},
	})
}

type counted struct {
	what      string
	got, want any
}

func equal(list []counted) error {
	for _, x := range list {
		if x.got != x.want {
			return fmt.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	return nil
}

// beginning checks that got lists the first entries of want and counts the
// others.
func beginning(got, want list, f *diff.Format) error {
	if want.omitted != 0 {
		return fmt.Errorf("%d are left out without bounds", want.omitted)
	}
	if len(got.entries)+got.omitted != len(want.entries) {
		return fmt.Errorf("%d listed and %d omitted of %d", len(got.entries), got.omitted, len(want.entries))
	}
	if f.MaxListed > 0 && len(got.entries) > f.MaxListed {
		return fmt.Errorf("%d listed, at most %d are allowed", len(got.entries), f.MaxListed)
	}
	for i, g := range got.entries {
		w := want.entries[i]
		if err := cutText("id", g.ID, g.IDBytes, w.ID, f); err != nil {
			return err
		}
		if err := cutText("scope", g.Scope, g.ScopeBytes, w.Scope, f); err != nil {
			return err
		}
		if len(g.Fields)+g.FieldsOmitted != len(w.Fields) && !(f.Detail == diff.Basic && f.MaxFields > 0 && len(g.Fields) == f.MaxFields) {
			return fmt.Errorf("%q: %d fields listed and %d omitted of %d", g.ID, len(g.Fields), g.FieldsOmitted, len(w.Fields))
		}
		if g.Records != w.Records {
			return fmt.Errorf("%q: %d records, want %d", g.ID, g.Records, w.Records)
		}
	}
	return nil
}

// cutText checks that got is want, or the beginning of it with the length of
// the whole; the length is that of the text as it is held, which may be less
// than what is shown of it.
func cutText(what, got string, length int, want string, f *diff.Format) error {
	switch {
	case length == 0 && got != want:
		return fmt.Errorf("%s %+q, want %+q", what, got, want)
	case length > 0 && !strings.HasPrefix(strings.TrimRight(want, "\uFFFD"), strings.TrimRight(got, "\uFFFD")):
		return fmt.Errorf("%s %+q is no beginning of %+q", what, got, want)
	case length > 0 && f.MaxIDBytes > 0 && length <= f.MaxIDBytes:
		return fmt.Errorf("%s %+q of %d bytes is cut", what, want, length)
	}
	return nil
}
