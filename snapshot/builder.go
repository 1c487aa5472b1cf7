package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/records"
)

// ErrBadID reports a record, action or scope without an id.
var ErrBadID = errors.New("missing or empty id")

// ErrOpen reports a record that was not ended before another was opened or the
// snapshot taken, or one that was ended twice.
var ErrOpen = errors.New("a record must be ended, once, before anything else is added")

// A Builder collects one snapshot. The zero value is ready. It must not be used
// by two goroutines at once.
//
// After Snapshot it is ready for the next one, for which it keeps what it has
// learned of the layout of records: make one builder for a session, not one for
// a snapshot.
type Builder struct {
	// Limits applies to the snapshot being built. It is kept by Snapshot.
	Limits Limits
	// ForgetMasked makes masked values forget what they hide, so that all are
	// equal. Set it for data that came from a file, where nobody can tell.
	ForgetMasked bool

	page     Page
	view     View
	scopes   []Scope
	byID     map[string]int
	recs     records.Builder
	acts     records.Builder
	replaces []replacement
	beyond   map[string]int64 // records past the tracking bound, by scope
	diags    []Diagnostic
	counts   map[string]int // diagnostics by code
	masks    bool           // some scope declares sensitive fields
	err      error
	asked    map[uint64]int // actions by digest of the id they asked for
	tied     []int          // actions whose id an earlier one asked for
	row      Row
	scan     records.Scanner // of Row.JSON
	values   Values
	replaced string // of the open record
	earlier  *Snapshot

	isOpen    bool // there is a record to be ended
	fromBytes bool // the open record is read by Row.Scan
	key       []byte

	broken    []string // fields of the open record with repaired text
	brokenKey bool     // its scope or id has some
}

type replacement struct {
	row int
	old string
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Page sets where the exposure was found.
func (b *Builder) Page(p Page) { b.page = p }

// View sets how the capture was narrowed.
func (b *Builder) View(v View) { b.view = v }

// Scope declares s and takes ownership of its slices. A second declaration of
// an id is diagnosed as duplicate-scope and otherwise ignored. Scopes may be
// declared before or after their records.
func (b *Builder) Scope(s Scope) {
	if b.byID == nil {
		b.byID = map[string]int{}
	}
	if _, dup := b.byID[s.ID]; dup {
		b.Diagnose(CodeDuplicateScope, s.ID, "scope declared twice; the first declaration stands")
		return
	}
	for _, n := range [...]**int64{&s.Total, &s.Offset} {
		if *n != nil && (**n < 0 || **n > MaxTotal) {
			b.Diagnose(CodeBadTotal, s.ID, "a declared total or offset is out of range and ignored")
			s.Partial = s.Partial || n == &s.Total
			*n = nil
		}
	}
	s.Partial = s.Partial && s.Total == nil
	b.byID[s.ID] = len(b.scopes)
	b.scopes = append(b.scopes, s)
	b.masks = b.masks || len(s.Sensitive) > 0
}

// Codes of the diagnostics that a Builder makes.
const (
	CodeDuplicateID    = "duplicate-id"
	CodeDuplicateScope = "duplicate-scope"
	CodeRepairedText   = "repaired-text"
	CodeBadTotal       = "bad-total"
)

// Diagnose adds a diagnostic. Past a hundred of one code they are counted only.
func (b *Builder) Diagnose(code, at, message string) {
	if b.counts == nil {
		b.counts = map[string]int{}
	}
	if b.counts[code]++; b.counts[code] <= maxDiagnostics {
		b.diags = append(b.diags, Diagnostic{code, at, message})
	}
}

// Record opens a record. Set its fields through the returned Row and close it
// with End before anything else is added. An empty id is refused unless the
// scope is declared as inferred by the time of Snapshot.
func (b *Builder) Record(scope, id string) *Row {
	b.noneOpen()
	b.recs.Begin(scope, id)
	return b.open(false)
}

// noneOpen fails the snapshot if a record is open.
func (b *Builder) noneOpen() {
	if b.isOpen {
		b.fail(fmt.Errorf("record %q: %w", b.row.place(), ErrOpen))
	}
}

// open returns the row that was just begun. fromBytes says that a reader of bytes
// tells itself what text was not Unicode.
func (b *Builder) open(fromBytes bool) *Row {
	if b.row.b != b {
		b.row.b = b
	}
	if b.replaced != "" {
		b.replaced = ""
	}
	b.isOpen, b.fromBytes = true, fromBytes
	return &b.row
}

func (b *Builder) repaired(at string) {
	b.Diagnose(CodeRepairedText, at, "text that is not valid Unicode is shown with U+FFFD")
}

// path joins a scope, a record id and what is below it the way diagnostics
// name places.
func path(scope string, rest ...string) string {
	if scope == "" {
		return strings.Join(rest, "/")
	}
	return scope + "/" + strings.Join(rest, "/")
}

func (b *Builder) maxTracked() int {
	if b.Limits.MaxTracked > 0 {
		return b.Limits.MaxTracked
	}
	return DefaultMaxTracked
}

// note counts the id that the action to be added asks for, and notes a tie.
func (b *Builder) note(id string) {
	if b.asked == nil {
		b.asked = map[uint64]int{}
	}
	k := records.KeyDigest("", id)
	if b.asked[k]++; b.asked[k] > 1 {
		b.tied = append(b.tied, b.acts.Len())
		b.Diagnose(CodeDuplicateID, id, "several actions have this id")
	}
}

// number rewrites t with an id of its own for each action whose id an earlier one
// has: the id and "#2", "#3", and so on in order of appearance, but none that
// another action has by name, wherever that stands.
func (b *Builder) number(t *records.Table) (*records.Table, error) {
	w := &b.acts
	if b.earlier != nil {
		w.Follow(b.earlier.acts)
	}
	next := map[uint64]int{}
	tied := b.tied
	for i := range t.Len() {
		w.BeginIn("", t.ID(i))
		for name, v := range t.All(i) {
			w.Field(name)
			if name == "id" && len(tied) > 0 && tied[0] == i {
				tied = tied[1:]
				w.Buf = records.AppendString(w.Buf, b.numbered(string(v.Text()), next))
			} else {
				w.Buf = append(w.Buf, v.Raw()...)
			}
		}
		w.End()
	}
	return w.Finish()
}

// numbered returns id with the next number that makes an id nobody has.
func (b *Builder) numbered(id string, next map[uint64]int) string {
	k := records.KeyDigest("", id)
	for n := max(next[k], 2); ; n++ {
		own := id + "#" + strconv.Itoa(n)
		if d := records.KeyDigest("", own); b.asked[d] == 0 {
			b.asked[d] = 1
			next[k] = n + 1
			return own
		}
	}
}

// Action adds a. An empty id fails the snapshot. An action whose id is taken is
// kept, shown under the id with "#2" and so on, and diagnosed as duplicate-id.
func (b *Builder) Action(a Action) {
	if a.ID == "" {
		b.fail(fmt.Errorf("action %d: %w", b.acts.Len(), ErrBadID))
		return
	}
	for _, s := range []string{a.ID, a.Description, a.Kind, a.Primitive, a.Reason, a.Scope, a.Record} {
		if !records.Intact(s) {
			b.repaired(a.ID)
			break
		}
	}
	b.note(a.ID)
	b.key = appendOrigin(b.key[:0], &a)
	w := &b.acts
	w.BeginBytes(nil, b.key)
	put := func(name string) { w.Field(name) }
	put("id")
	w.Buf = records.AppendString(w.Buf, a.ID)
	put("description")
	w.Buf = records.AppendString(w.Buf, a.Description)
	put("kind")
	w.Buf = records.AppendString(w.Buf, a.Kind)
	put("primitive")
	w.Buf = records.AppendString(w.Buf, a.Primitive)
	put("available")
	switch {
	case !a.Unavailable:
		w.Buf = records.AppendBool(w.Buf, true)
	case a.Reason == "":
		w.Buf = records.AppendBool(w.Buf, false)
	default:
		w.Buf = records.AppendString(w.Buf, a.Reason)
	}
	if a.Params.Kind() != records.Absent {
		put("params")
		w.Buf = append(w.Buf, a.Params.Raw()...)
	}
	if a.Scope != "" {
		put("scope")
		w.Buf = records.AppendString(w.Buf, a.Scope)
	}
	if a.Record != "" {
		put("record")
		w.Buf = records.AppendString(w.Buf, a.Record)
	}
	w.End()
}

// appendOrigin appends the key of an action's row: group, scope, record and
// name, each ended by 00; inside them 00 is written as 01 01 and 01 as 01 02.
func appendOrigin(dst []byte, a *Action) []byte {
	for _, part := range [...]string{a.Group, a.Scope, a.Record, a.BareName()} {
		for i := range len(part) {
			if part[i] <= 1 {
				dst = append(dst, 1, part[i]+1)
			} else {
				dst = append(dst, part[i])
			}
		}
		dst = append(dst, 0)
	}
	return dst
}

// BareName returns the action's name inside its group: Name, or ID without the
// "@record" or "@scope/record" that says what it is bound to.
func (a *Action) BareName() string {
	if a.Name != "" {
		return a.Name
	}
	if a.Record != "" {
		if name, ok := strings.CutSuffix(a.ID, "@"+a.Scope+"/"+a.Record); ok && name != "" {
			return name
		}
		if name, ok := strings.CutSuffix(a.ID, "@"+a.Record); ok && name != "" {
			return name
		}
	}
	return a.ID
}

// Snapshot returns what was collected and makes b ready for the next one.
func (b *Builder) Snapshot() (*Snapshot, error) {
	defer b.reset()
	b.noneOpen()
	recs, err := b.recs.Finish()
	if err != nil {
		b.fail(err)
	}
	acts, err := b.acts.Finish()
	if err != nil {
		b.fail(err)
	}
	if b.err != nil {
		return nil, b.err
	}
	if len(b.tied) > 0 {
		if acts, err = b.number(acts); err != nil {
			return nil, err
		}
	}
	if b.masks {
		if recs, err = b.mask(recs); err != nil {
			return nil, err
		}
	}
	s := &Snapshot{page: b.page, view: b.view, recs: recs, acts: acts,
		replaces: slices.Clone(b.replaces)}
	if err := s.setScopes(b.scopes, b.beyond); err != nil {
		return nil, err
	}
	for _, row := range recs.Repeats() {
		b.Diagnose(CodeDuplicateID, path(recs.Class(int(row)).Scope(), string(recs.ID(int(row)))), "several records have this id")
	}
	for _, row := range acts.Repeats() {
		if _, tied := slices.BinarySearch(b.tied, int(row)); !tied { // else note has said so
			b.Diagnose(CodeDuplicateID, s.Action(int(row)).ID, "several actions have this origin")
		}
	}
	s.diags = dedupe(b.diags)
	return s, nil
}

// Follow makes the next snapshot share the memory of records and actions that earlier
// has too, so that the snapshots of a session take memory for what changes. Call it
// before anything is added. earlier must be made by b and is best the last one; of one
// that is not, nothing is shared, which is always right.
func (b *Builder) Follow(earlier *Snapshot) {
	b.earlier = earlier
	b.recs.Follow(earlier.recs)
	b.acts.Follow(earlier.acts)
}

// Recycle takes back the memory of s, which nobody may use any more: neither s
// itself nor a record, value or evidence that came from it. The next snapshots
// are built in it, but for what others share. Not recycling is always safe; to
// recycle s again does nothing.
func (b *Builder) Recycle(s *Snapshot) {
	if s.recs == nil {
		return // it has been taken back
	}
	if b.earlier == s {
		b.earlier = nil
	}
	b.recs.Recycle(s.recs)
	b.acts.Recycle(s.acts)
	*s = Snapshot{}
}

// dedupe returns a copy without later repetitions.
func dedupe(list []Diagnostic) []Diagnostic {
	var out []Diagnostic
	seen := make(map[Diagnostic]bool, len(list))
	for _, d := range list {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

func (b *Builder) reset() {
	b.page, b.view = Page{}, View{}
	b.scopes, b.byID = nil, nil
	b.replaces, b.diags, b.counts, b.beyond = b.replaces[:0], b.diags[:0], nil, nil
	b.masks, b.err, b.earlier, b.isOpen = false, nil, nil, false
	clear(b.asked)
	b.tied = b.tied[:0]
}

// mask rewrites t with the sensitive fields of declared scopes masked.
func (b *Builder) mask(t *records.Table) (*records.Table, error) {
	w := &b.recs
	masked := make([][]bool, len(t.Classes())) // by class and field
	declared := map[string]map[string]bool{}   // sensitive fields by scope
	for _, sc := range b.scopes {
		if len(sc.Sensitive) > 0 {
			declared[sc.ID] = make(map[string]bool, len(sc.Sensitive))
			for _, name := range sc.Sensitive {
				declared[sc.ID][name] = true
			}
		}
	}
	for n, c := range t.Classes() {
		masked[n] = make([]bool, len(c.Fields()))
		for f, name := range c.Fields() {
			masked[n][f] = declared[c.Scope()][name]
		}
	}
	if b.earlier != nil {
		w.Follow(b.earlier.recs)
	}
	for i := range t.Len() {
		c := t.ClassNumber(i)
		w.Begin(t.Class(i).Scope(), string(t.ID(i)))
		f := 0
		for name, v := range t.All(i) {
			w.Field(name)
			if masked[c][f] {
				w.Buf = records.AppendMaskOf(w.Buf, v, !b.ForgetMasked)
			} else {
				w.Buf = append(w.Buf, v.Raw()...)
			}
			f++
		}
		w.End()
	}
	return w.Finish()
}
