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

// ErrGone reports an action that is not declared any more, or whose record is
// not there any more.
var ErrGone = errors.New("the action is gone")

// Available reports whether a, which came from Actions, can be attempted now,
// and if not, why. It fails with ErrGone, ErrApp or ctx's error.
func (r *Registry) Available(ctx context.Context, a *snapshot.Action) (ok bool, reason string, err error) {
	h := r.find(a)
	if h == nil {
		return false, "", ErrGone
	}
	var b boundTool // written by a call that may outlive this one
	err = r.under(ctx, h.locks, func() error {
		if b.reason = h.parent.inactive(); b.reason != "" {
			return nil
		}
		if h.tool != nil {
			b.available, b.reason = h.tool.availability()
			return nil
		}
		var found bool
		if b, found = h.source.find(a.Name, a.Record); !found {
			return ErrGone
		}
		return nil
	})
	if err != nil {
		return false, "", err
	}
	return b.available, b.reason, nil
}

// CheckParams returns the ways in which the Go type of a's tool cannot hold
// params, which its schema accepts.
func (r *Registry) CheckParams(a *snapshot.Action, params json.RawMessage) []Violation {
	h := r.find(a)
	if h == nil || h.tool == nil || h.tool.check == nil {
		return nil
	}
	if err := h.tool.check(params); err != nil {
		v := Violation{Message: err.Error()}
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			v.Message = fmt.Sprintf("%s cannot be held by %s", te.Value, te.Type)
		}
		return []Violation{v}
	}
	return nil
}

// Run runs a, which came from Actions, with checked params. It fails with ErrGone
// or with what the tool returns; a panic of the tool is not caught.
func (r *Registry) Run(ctx context.Context, a *snapshot.Action, params json.RawMessage) (any, error) {
	h := r.find(a)
	if h == nil {
		return nil, ErrGone
	}
	if h.tool != nil {
		return h.tool.Run(ctx, params)
	}
	return h.source.spec(a.Name).run(ctx, a.Record, params)
}

// An Expectation is a condition that is awaited after a run.
type Expectation struct {
	Description string
	Timeout     time.Duration // 0 means DefaultExpectTimeout
	// Await returns nil once the condition holds, or ctx's error.
	Await func(ctx context.Context) error
}

// Expectation returns what a's declaration expects to hold after it has run, nil
// if nothing.
func (r *Registry) Expectation(a *snapshot.Action) *Expectation {
	h := r.find(a)
	if h == nil {
		return nil
	}
	var e *Expect
	if h.tool != nil {
		e = h.tool.Expect
	} else if f := h.source.spec(a.Name).expect; f != nil {
		e = f(a.Record)
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

// find returns the declaration that a came from, nil if it has ended.
func (r *Registry) find(a *snapshot.Action) *Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
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
