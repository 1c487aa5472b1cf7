package snapshot

import (
	"errors"
	"slices"

	"github.com/pagestate/pagestate/records"
)

// Parts is all that a snapshot consists of, for engines that take snapshots
// apart and put them together again. The zero Parts is an empty snapshot.
type Parts struct {
	Page        Page
	View        View
	Scopes      []Scope          // declared ones, in order
	Records     *records.Table   // nil means none
	Replaces    map[int]string   // by record number
	Actions     *records.Table   // as of [Snapshot.ActionTable]; nil means none
	Untracked   map[string]int64 // records past the tracking bound, by scope
	Diagnostics []Diagnostic
}

// ErrParts reports parts that are no snapshot.
var ErrParts = errors.New("parts do not fit together")

// FromParts returns the snapshot of p, whose contents it keeps. It fails with
// [ErrParts] or [ErrBadID].
func FromParts(p Parts) (*Snapshot, error) {
	var b records.Builder
	for _, t := range []**records.Table{&p.Records, &p.Actions} {
		if *t == nil {
			*t, _ = b.Finish() // an empty table cannot fail
		}
	}
	s := &Snapshot{page: p.Page, view: p.View, recs: p.Records, acts: p.Actions, diags: p.Diagnostics}
	for row, old := range p.Replaces {
		if row < 0 || row >= p.Records.Len() {
			return nil, ErrParts
		}
		s.replaces = append(s.replaces, replacement{row, old})
	}
	slices.SortFunc(s.replaces, func(a, b replacement) int { return a.row - b.row })
	seen := make(map[string]bool, len(p.Scopes))
	for _, sc := range p.Scopes {
		if seen[sc.ID] {
			return nil, ErrParts
		}
		seen[sc.ID] = true
	}
	if err := s.setScopes(p.Scopes, p.Untracked); err != nil {
		return nil, err
	}
	return s, nil
}

// Parts takes s apart. What it returns must not be changed.
func (s *Snapshot) Parts() Parts {
	p := Parts{Page: s.page, View: s.view, Records: s.recs, Actions: s.acts, Diagnostics: s.diags}
	for i := range s.scopes {
		sc := &s.scopes[i]
		if sc.Declared {
			p.Scopes = append(p.Scopes, sc.Scope)
		}
		if sc.Untracked > 0 {
			if p.Untracked == nil {
				p.Untracked = map[string]int64{}
			}
			p.Untracked[sc.ID] = sc.Untracked
		}
	}
	for _, r := range s.replaces {
		if p.Replaces == nil {
			p.Replaces = map[int]string{}
		}
		p.Replaces[r.row] = r.old
	}
	return p
}
