package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pagestate/pagestate/snapshot"
)

// This file is what package exposure/call needs of a page.

// Errors of actions that cannot be had or run.
var (
	// ErrGone reports an action that is not declared any more, or whose record is
	// not there any more.
	ErrGone = errors.New("the action is gone")
	// ErrReplaced reports an action in whose place another one is declared.
	ErrReplaced = errors.New("the action was replaced")
	// ErrNotRun is wrapped, beside the reason, by failures of a Run that did not
	// get as far as running anything.
	ErrNotRun = errors.New("it was not run")
)

// A Bound is one action of a page, held on to as it was found: what it runs is
// what was declared then, or nothing, even if something else is declared under
// the same name by now.
type Bound interface {
	// Available reports whether the action can be attempted now, and if not, why.
	Available(ctx context.Context) (ok bool, reason string, err error)
	// CheckParams returns what is wrong with params beyond what the schema says.
	CheckParams(params json.RawMessage) []Violation
	// Expectation returns what should hold after the action has run, nil if nothing.
	Expectation() *Expectation
	// Run runs the action once. A failure that wraps ErrNotRun says that it did not.
	Run(ctx context.Context, params json.RawMessage) (any, error)
}

// BoundActions returns what Actions returns, and a function that holds on to the
// one at an index.
func (r *Registry) BoundActions(ctx context.Context) ([]snapshot.Action, func(i int) Bound, error) {
	v, err := r.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	return v.actions, func(i int) Bound { return bound{v.handles[i], v.actions[i].Name, v.actions[i].Record} }, nil
}

// Available reports whether a, which came from Actions, can be attempted now,
// and if not, why. It fails with ErrGone, ErrApp or ctx's error.
func (r *Registry) Available(ctx context.Context, a *snapshot.Action) (ok bool, reason string, err error) {
	return r.bind(a).Available(ctx)
}

// CheckParams returns the ways in which the Go type of a's tool cannot hold
// params, which its schema accepts.
func (r *Registry) CheckParams(a *snapshot.Action, params json.RawMessage) []Violation {
	return r.bind(a).CheckParams(params)
}

// Run runs what is declared now where a, which came from Actions, was, with
// checked params. It fails with ErrGone or with what the tool returns; a panic of
// the tool is not caught.
func (r *Registry) Run(ctx context.Context, a *snapshot.Action, params json.RawMessage) (any, error) {
	return r.bind(a).Run(ctx, params)
}

// Expectation returns what a's declaration expects to hold after it has run, nil
// if nothing.
func (r *Registry) Expectation(a *snapshot.Action) *Expectation { return r.bind(a).Expectation() }

// bind returns the declaration that is now where a came from.
func (r *Registry) bind(a *snapshot.Action) bound { return bound{r.find(a), a.Name, a.Record} }

// A bound is an action of a registry.
type bound struct {
	h            *Handle // nil if there is none
	name, record string
}

// gone returns why the action cannot be had any more, nil if it can.
func (b bound) gone() error {
	if b.h == nil {
		return ErrGone
	}
	r := b.h.reg
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	switch {
	case !b.h.released:
		return nil
	case b.h.tool != nil && r.tools[b.name] != nil:
		return ErrReplaced
	}
	return ErrGone
}

func (b bound) Available(ctx context.Context) (ok bool, reason string, err error) {
	if err := b.gone(); err != nil {
		return false, "", err
	}
	h := b.h
	var now boundTool // written by a call that may outlive this one
	err = h.reg.under(ctx, h.locks, func() error {
		if now.reason = h.parent.inactive(); now.reason != "" {
			return nil
		}
		if h.tool != nil {
			now.available, now.reason, _ = h.tool.availability()
			return nil
		}
		var found bool
		if now, found = h.source.find(b.name, b.record); !found {
			return ErrGone
		}
		return nil
	})
	if err != nil {
		return false, "", err
	}
	return now.available, now.reason, nil
}

func (b bound) CheckParams(params json.RawMessage) []Violation {
	if b.h == nil || b.h.tool == nil || b.h.tool.check == nil {
		return nil
	}
	if err := b.h.tool.check(params); err != nil {
		v := Violation{Message: err.Error()}
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			v.Message = fmt.Sprintf("%s cannot be held by %s", te.Value, te.Type)
		}
		return []Violation{v}
	}
	return nil
}

func (b bound) Run(ctx context.Context, params json.RawMessage) (any, error) {
	if err := b.gone(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRun, err)
	}
	if b.h.tool != nil {
		return b.h.tool.Run(ctx, params)
	}
	return b.h.source.spec(b.name).run(ctx, b.record, params)
}

// An Expectation is a condition that is awaited after a run.
type Expectation struct {
	Description string
	Timeout     time.Duration // 0 means DefaultExpectTimeout
	// Await returns nil once the condition holds, or ctx's error.
	Await func(ctx context.Context) error
}

func (b bound) Expectation() *Expectation {
	h := b.h
	if h == nil {
		return nil
	}
	var e *Expect
	if h.tool != nil {
		e = h.tool.Expect
	} else if f := h.source.spec(b.name).expect; f != nil {
		e = f(b.record)
	}
	if e == nil || e.Check == nil {
		return nil
	}
	return &Expectation{e.Description, e.Timeout, func(ctx context.Context) error { return h.await(ctx, e) }}
}

// await checks e until it holds.
func (h *Handle) await(ctx context.Context, e *Expect) error {
	poll := e.Poll
	if poll == 0 {
		poll = DefaultPoll
	}
	for {
		changed := h.reg.notified()
		holds := false
		if err := h.reg.under(ctx, h.locks, func() error {
			holds = e.Check()
			return nil
		}); err != nil || holds {
			return err
		}
		var tick <-chan time.Time
		if poll > 0 {
			tick = time.After(poll)
		}
		select {
		case <-changed:
		case <-tick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// find returns the declaration that is where a came from, nil if there is none.
func (r *Registry) find(a *snapshot.Action) *Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	if a.Record == "" {
		if h := r.tools[a.Name]; h != nil && h.scopeID() == a.Scope {
			return h
		}
		return nil
	}
	for _, h := range r.list {
		if h.source != nil && h.scopeID() == a.Scope && h.source.spec(a.Name) != nil {
			return h
		}
	}
	return nil
}
