package view

import (
	"errors"
	"fmt"

	"github.com/pagestate/pagestate/snapshot"
)

// The bounds of a budget, in bytes.
const (
	DefaultBudget = 8000
	MinBudget     = 256
)

// ErrBudget reports a budget below [MinBudget].
var ErrBudget = errors.New("budget too small")

// Options says how much to show. nil and the zero Options mean the defaults.
type Options struct {
	// Budget is the most bytes to append; 0 means DefaultBudget. Less than
	// MinBudget, which Check refuses, counts as MinBudget.
	Budget int
}

// Check returns an error that wraps ErrBudget if the budget is set and too small.
func (o *Options) Check() error {
	if o != nil && o.Budget != 0 && o.Budget < MinBudget {
		return fmt.Errorf("%w: %d bytes, at least %d are needed", ErrBudget, o.Budget, MinBudget)
	}
	return nil
}

func (o *Options) budget() int {
	switch {
	case o == nil || o.Budget == 0:
		return DefaultBudget
	case o.Budget < MinBudget:
		return MinBudget
	}
	return o.Budget
}

// AppendText appends the text form of snap to dst, at most the budget, each line
// ended by "\n". It keeps neither argument.
//
// The cost is one pass over the actions and the classes of the records, plus some
// times the budget: records that are not shown are counted, not read.
func AppendText(dst []byte, snap *snapshot.Snapshot, opts *Options) []byte {
	return appendForm(dst, snap, opts.budget(), func(m *model) form { return &textForm{m: m} })
}

// AppendJSON appends the JSON form of snap to dst: one line without a line end,
// one byte less than the budget at most, so that a line end fits. Otherwise as
// [AppendText].
func AppendJSON(dst []byte, snap *snapshot.Snapshot, opts *Options) []byte {
	return appendForm(dst, snap, opts.budget()-1, func(m *model) form { return &jsonForm{m: m} })
}

func appendForm(dst []byte, snap *snapshot.Snapshot, budget int, make func(*model) form) []byte {
	m := newModel(snap, budget)
	p := plan{m: m, f: make(m), budget: budget}
	p.fill()
	return p.f.finish(dst, &p)
}

// A level says how much of things is shown.
type level struct {
	cell   int // bytes of a value
	text   int // bytes of a label, description, reason or summary
	id     int // bytes of a record's or scope's id or a field's name
	action int // bytes of an action's id
	cols   int // fields of a table
	ids    int // record ids of a template
	params int // bytes of a JSON Schema
	brief  bool
}

// levels are tried in order. The first shows everything, bounded by the budget
// only; the last two are for pieces that fit in no other way. Ids shrink last: one
// that is cut cannot be used.
func levels(budget int) [lastLevel + 1]level {
	return [...]level{
		{cell: budget, text: budget, id: budget, action: budget, cols: budget, ids: budget, params: budget},
		{cell: max(256, budget/4), text: 1024, id: 256, action: 256, cols: 128, ids: 128, params: 4096},
		{cell: 256, text: 400, id: 256, action: 256, cols: 64, ids: 64, params: 2048},
		{cell: 120, text: 200, id: 128, action: 128, cols: 48, ids: 32, params: 800},
		{cell: 80, text: 120, id: 128, action: 128, cols: 32, ids: 16, params: 300},
		{cell: 40, text: 80, id: 64, action: 128, cols: 24, ids: 8, params: 150},
		{cell: 20, text: 40, id: 64, action: 128, cols: 12, ids: 4},
		{cell: 12, text: 24, id: 32, action: 64, cols: 6, ids: 2, brief: true},
		{cell: 8, text: 12, id: 16, action: 16, cols: 2, brief: true},
	}
}

// The levels by their use.
const (
	firstShared = 4 // where sharing begins
	firstRows   = 5 // where rows begin to share: values shrink before rows go
	lastFull    = 6 // the last that is not brief
	briefLevel  = 7
	lastLevel   = 8
)
