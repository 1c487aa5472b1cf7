package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/reference"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// Unbounded returns a format that cuts nothing of what tests make.
func Unbounded(detail diff.Detail, compact bool) *diff.Format {
	const most = math.MaxInt
	return &diff.Format{Detail: detail, Compact: compact,
		MaxListed: most, MaxFields: most, MaxIDBytes: most, MaxValueBytes: most, MaxEvidenceBytes: most}
}

// Reference is the law that engine and naive reference agree byte by byte, at
// basic and names, in full and compact form, and on which diagnostics there are
// where the reference knows of them.
//
// It is what they say of snapshots that share memory, too; see [Session].
func Reference(d *diff.Differ, before, after []byte) error {
	if err := ReferenceTracked(d, before, after, 0); err != nil {
		return err
	}
	return Session(d, before, after)
}

// ReferenceTracked is Reference where only the first bound records of each side
// are compared; 0 means all.
func ReferenceTracked(d *diff.Differ, before, after []byte, bound int) error {
	b, a, err := decode(before, after)
	if err != nil {
		return err
	}
	if b, err = track(b, bound); err != nil {
		return err
	}
	if a, err = track(a, bound); err != nil {
		return err
	}
	changes := d.Compare(b, a, nil)
	for _, detail := range []diff.Detail{diff.Basic, diff.Names} {
		want, err := reference.DiffTracked(before, after, detail.String(), bound)
		if err != nil {
			return fmt.Errorf("reference: %w", err)
		}
		for _, compact := range []bool{false, true} {
			line := changes.AppendJSON(nil, Unbounded(detail, compact))
			got, found := splitDiagnostics(line)
			if want := want.WithoutDiagnostics().JSON(detail.String(), compact); !bytes.Equal(got, want) {
				return fmt.Errorf("detail=%v compact=%v\n got %s\nwant %s", detail, compact, got, want)
			}
			if detail == diff.Names && bound == 0 && !sameDiagnostics(found, want.Diagnostics) {
				return fmt.Errorf("diagnostics %+v, want %+v", found, want.Diagnostics)
			}
		}
		// Records beyond the bound are told, but are no difference.
		if blind := want.UntrackedFrom+want.UntrackedTo > 0; !blind && changes.Same() != want.Same() {
			return fmt.Errorf("Same() is %v, the reference says %v", changes.Same(), want.Same())
		}
	}
	return nil
}

func decode(before, after []byte) (b, a *snapshot.Snapshot, err error) {
	if b, err = capture.Decode(before, nil); err != nil {
		return nil, nil, fmt.Errorf("before: %w", err)
	}
	if a, err = capture.Decode(after, nil); err != nil {
		return nil, nil, fmt.Errorf("after: %w", err)
	}
	return b, a, nil
}

// track builds s again with a tracking bound, if that is not 0.
func track(s *snapshot.Snapshot, bound int) (*snapshot.Snapshot, error) {
	if bound == 0 {
		return s, nil
	}
	b := snapshot.Builder{Limits: snapshot.Limits{MaxTracked: bound}, ForgetMasked: true}
	b.Page(s.Page())
	b.View(s.View())
	for _, sc := range s.Scopes() {
		if sc.Declared {
			b.Scope(sc.Scope)
		}
	}
	for _, r := range s.All() {
		row := b.Record(r.Scope(), r.ID())
		for name, v := range r.Fields() {
			row.Value(name, v)
		}
		if old := r.Replaces(); old != "" {
			row.Replaces(old)
		}
		row.End()
	}
	for i := range s.Actions() {
		b.Action(s.Action(i))
	}
	return b.Snapshot()
}

// splitDiagnostics takes the diagnostics out of a line of evidence; their
// messages are free text.
func splitDiagnostics(line []byte) (rest []byte, list []reference.Diagnostic) {
	from := bytes.Index(line, []byte(`,"diagnostics":[`))
	if from < 0 {
		return line, nil
	}
	var e struct{ Diagnostics []reference.Diagnostic }
	_ = json.Unmarshal(line, &e) // what is no JSON does not equal the reference
	to := bytes.LastIndex(line, []byte(`}]`)) + len(`}]`)
	if more := []byte(`,"diagnosticsOmitted":`); bytes.HasPrefix(line[to:], more) {
		to += len(more)
		for line[to] >= '0' && line[to] <= '9' {
			to++
		}
	}
	return append(line[:from:from], line[to:]...), e.Diagnostics
}

// sameDiagnostics reports whether the diagnostics that were found are those
// wanted, but for codes that the reference does not make, and for those beyond
// the most that are shown.
func sameDiagnostics(found, want []reference.Diagnostic) bool {
	const shown = 20
	known := []string{snapshot.CodeDuplicateID, snapshot.CodeDuplicateScope, diff.CodeViewDiffers}
	cut := len(found) >= shown
	found = slices.DeleteFunc(found, func(d reference.Diagnostic) bool { return !slices.Contains(known, d.Code) })
	for _, d := range found {
		if !slices.Contains(want, d) {
			return false
		}
	}
	for _, d := range want {
		if !cut && !slices.Contains(found, d) {
			return false
		}
	}
	return true
}
