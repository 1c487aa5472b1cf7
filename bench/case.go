package bench

import (
	"fmt"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// A Case is one operation on one pair of pages.
type Case struct {
	// Name is a list of key=value, the last of them the operation:
	//
	//	compare  two snapshots to evidence
	//	build    Go values to a snapshot, that and an earlier one to evidence
	//	step     the same with a snapshot that shares memory with the earlier one
	//	file     two files to evidence
	Name string
	// Records are those of the after side, 0 if only setting up tells.
	Records int

	setup func() (*subject, error)
}

// A subject is a case set up.
type subject struct {
	op        func() // writes evidence
	reference func()
	changes   *diff.Changes // of the last op
	evidence  []byte        // of the last op
	records   int
	bytes     int64 // read by one op: of rows, or of files
}

// A Pair is a page at two moments, as files.
type Pair struct {
	Name          string // key=value and more of them
	Before, After []byte
	// Read reads both; nil means that they are captures.
	Read func(before, after []byte) (b, a *snapshot.Snapshot, err error)
}

// Cases returns the operations on a pair: compare and file.
func (p *Pair) Cases() []Case {
	return []Case{
		{p.Name + "/op=compare", 0, func() (*subject, error) {
			b, a, err := p.reader()(p.Before, p.After)
			if err != nil {
				return nil, err
			}
			return compareSubject(b, a), nil
		}},
		{p.Name + "/op=file", 0, func() (*subject, error) { return fileSubject(p.reader(), p.Before, p.After) }},
	}
}

func (p *Pair) reader() func(before, after []byte) (b, a *snapshot.Snapshot, err error) {
	if p.Read != nil {
		return p.Read
	}
	return captureReader()
}

// captureReader returns a function that reads pairs of captures with one warm
// decoder, the second one against the first.
func captureReader() func(before, after []byte) (b, a *snapshot.Snapshot, err error) {
	var d capture.Decoder
	return func(before, after []byte) (b, a *snapshot.Snapshot, err error) {
		if b, err = d.Decode(before, nil); err == nil {
			a, err = d.DecodeNext(after, nil)
		}
		return b, a, err
	}
}

// Cases returns the operations on a workload: compare; build and step for one change
// in a hundred; and file for that, for none, and for a new order.
func (w *Workload) Cases() []Case {
	list := []Case{w.Case("compare")}
	if w.Change == "1pct" {
		list = append(list, w.Case("build"), w.Case("step"))
	}
	if w.Change == "none" || w.Change == "1pct" || w.Change == "shuffle" {
		list = append(list, w.Case("file"))
	}
	return list
}

// Case returns one operation on a workload, whose sides need not be made yet.
func (w *Workload) Case(op string) Case {
	return Case{w.Name() + "/op=" + op, w.N, func() (*subject, error) { return w.subject(op) }}
}

// subject makes the workload, sets the operation up and checks its answer.
func (w *Workload) subject(op string) (*subject, error) {
	w, err := Make(w.Page, w.N, w.Change)
	if err != nil {
		return nil, err
	}
	var s *subject
	switch op {
	case "compare":
		source := w.NewSource()
		s = compareSubject(source.Build(w.Before), source.Build(w.After))
	case "build":
		s = w.buildSubject(false)
	case "step":
		s = w.buildSubject(true)
	case "file":
		before, after := w.Captures()
		if s, err = fileSubject(captureReader(), before, after); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unknown operation %q", op)
	}
	s.op()
	if s.changes != nil {
		err = w.Check(s.changes)
	}
	return s, err
}

func compareSubject(before, after *snapshot.Snapshot) *subject {
	s := &subject{records: after.Len(), bytes: int64(before.Table().Size() + after.Table().Size())}
	var d diff.Differ
	s.op = func() {
		s.changes = d.Compare(before, after, nil)
		s.evidence = s.changes.AppendJSON(s.evidence[:0], nil)
	}
	s.reference = plainReference(before, after)
	return s
}

func (w *Workload) buildSubject(follow bool) *subject {
	source := w.NewSource()
	before, after := source.Build(w.Before), source.Build(w.After)
	s := &subject{records: len(w.After), bytes: int64(before.Table().Size() + after.Table().Size())}
	var d diff.Differ
	s.reference = plainReference(before, after)
	s.op = func() {
		source.Recycle(after)
		if follow {
			source.Follow(before)
		}
		after = source.Build(w.After)
		s.changes = d.Compare(before, after, nil)
		s.evidence = s.changes.AppendJSON(s.evidence[:0], nil)
	}
	return s
}

func fileSubject(read func(before, after []byte) (b, a *snapshot.Snapshot, err error), before, after []byte) (*subject, error) {
	_, a, err := read(before, after)
	if err != nil {
		return nil, err
	}
	s := &subject{records: a.Len(), bytes: int64(len(before) + len(after))}
	var d diff.Differ
	s.op = func() {
		b, a, err := read(before, after)
		if err != nil {
			panic(err) // it was read before
		}
		s.changes = d.Compare(b, a, nil)
		s.evidence = s.changes.AppendJSON(s.evidence[:0], nil)
	}
	s.reference = func() {
		scan(before)
		scan(after)
	}
	return s, nil
}

// Step returns a function that makes the after side of a workload follow the before
// side and makes evidence of both: operation step.
func Step(w *Workload) (func(), error) {
	s, err := w.subject("step")
	if err != nil {
		return nil, err
	}
	return s.op, nil
}

// FilePair returns a function that reads both of a workload's captures, which are
// written before, and makes evidence of them: operation file.
func FilePair(w *Workload) (func(), error) {
	s, err := w.subject("file")
	if err != nil {
		return nil, err
	}
	return s.op, nil
}

func plainReference(before, after *snapshot.Snapshot) func() {
	p := newPlain(before, after)
	return func() { p.diff() }
}

// Builtin returns the cases of the built-in workloads in these sizes.
func Builtin(sizes []int) []Case {
	var list []Case
	for _, page := range Pages {
		for _, n := range sizes {
			for _, change := range Changes {
				w := Workload{Page: page, N: n, Change: change}
				list = append(list, w.Cases()...)
			}
		}
	}
	return list
}
