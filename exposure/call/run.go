package call

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// CodeUnfinishedCall is the diagnostic of evidence that was taken while a tool
// that was left behind had not returned.
const CodeUnfinishedCall = "unfinished-call"

// A straggler is a tool that did not return in time.
type straggler struct {
	action  string
	done    <-chan struct{}
	awaited bool // by a later call
	attempt *attempt
}

// over reports whether the tool has returned.
func (s *straggler) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// awaitBehind gives the tools that were left behind the grace period to return,
// once.
func (c *Caller) awaitBehind(ctx context.Context) {
	c.behind = slices.DeleteFunc(c.behind, (*straggler).over)
	if !slices.ContainsFunc(c.behind, func(s *straggler) bool { return !s.awaited }) {
		return
	}
	t := time.NewTimer(c.opts.Grace)
	defer t.Stop()
wait:
	for _, s := range c.behind {
		if s.awaited {
			continue
		}
		s.awaited = true
		select {
		case <-s.done:
		case <-t.C:
			break wait
		case <-ctx.Done():
			break wait
		}
	}
	c.behind = slices.DeleteFunc(c.behind, (*straggler).over)
}

// unfinished returns the diagnostics of tools that were left behind.
func (c *Caller) unfinished() (list []snapshot.Diagnostic) {
	said := map[string]bool{}
	for _, s := range c.behind {
		if said[s.action] {
			continue
		}
		said[s.action] = true
		list = append(list, snapshot.Diagnostic{Code: CodeUnfinishedCall, At: s.action,
			Message: "an earlier call of it has not returned; these changes may be its effects"})
	}
	return list
}

// maxUnfinished bounds the tools left behind that a result names.
const maxUnfinished = 20

// returned is what a tool returned, as JSON.
type returned struct {
	data  json.RawMessage
	whole int
}

// expectation asks the page what should hold afterwards.
func (k *attempt) expectation(ctx context.Context) *exposure.Expectation {
	ctx, cancel := context.WithTimeout(ctx, k.caller.opts.Observe)
	defer cancel()
	e, err := within(ctx, func(context.Context) (*exposure.Expectation, error) {
		return k.bound.Expectation(), nil
	})
	if err != nil {
		k.caller.logPanic("expectation", k, err)
		return &exposure.Expectation{Description: "what the action declares", Await: func(context.Context) error { return err }}
	}
	return e
}

// run runs the action and awaits its expectation. It reports whether that held,
// and whether anything ran at all.
func (k *attempt) run(ctx context.Context, e *exposure.Expectation) (held, ran bool) {
	c := k.caller
	timeout := k.req.Timeout
	if timeout <= 0 {
		timeout = c.opts.Timeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	done := start(limited, func(ctx context.Context) (r returned, err error) {
		v, err := k.bound.Run(ctx, k.params)
		if err == nil {
			r.data, r.whole = bound(v)
		}
		return r, err
	})
	o, back := k.receive(limited, done)
	k.timings.Run = time.Since(began)
	switch {
	case !back:
		k.late(ctx, limited, "while it ran; it had not returned %s later, and what it does from now on is not part of this call", c.opts.Grace)
		k.leaveBehind(done)
		return false, true
	case o.err != nil && o.err.notRun:
		k.failed(o.err)
		return false, false
	case limited.Err() != nil:
		k.late(ctx, limited, "before it returned")
		return false, true
	case o.err != nil:
		k.failed(o.err)
		return false, true
	}
	k.result.Data, k.result.DataBytes = o.value.data, o.value.whole
	if e == nil {
		return false, true
	}
	began = time.Now()
	defer func() { k.timings.Expect = time.Since(began) }()
	return k.await(ctx, limited, e), true
}

// receive waits for the tool, after its context has ended for the grace period.
func (k *attempt) receive(ctx context.Context, done <-chan outcome[returned]) (o outcome[returned], back bool) {
	select {
	case o = <-done:
		return o, true
	case <-ctx.Done():
	}
	t := time.NewTimer(k.caller.opts.Grace)
	defer t.Stop()
	select {
	case o = <-done:
		return o, true
	case <-t.C:
		return o, false
	}
}

// late fails the attempt because the context of its run, limited, ended.
func (k *attempt) late(ctx, limited context.Context, format string, args ...any) {
	when := fmt.Sprintf(format, args...)
	if ctx.Err() == nil {
		ctx = limited
	}
	k.ended(ctx, when)
}

// leaveBehind remembers a tool that has not returned.
func (k *attempt) leaveBehind(done <-chan outcome[returned]) {
	c := k.caller
	over := make(chan struct{})
	c.behind = append(c.behind, &straggler{action: k.action.ID, done: over, attempt: k})
	began, id := k.began, k.action.ID
	go func() {
		o := <-done
		close(over)
		c.log.Warn("an action returned after its call had ended", "action", id, "after", time.Since(began), "failed", o.err != nil)
	}()
}

// failed fails the attempt with what the action returned.
func (k *attempt) failed(err *failure) {
	switch {
	case err.unavailable != nil:
		k.unavailable(err.unavailable.Reason)
	case err.kind == ErrNavigated:
		k.fail(Navigated, err.text)
	case err.kind == ErrPageGone:
		k.fail(PageGone, err.text)
	case err.kind == exposure.ErrReplaced && err.notRun:
		k.fail(ActionChanged, replaced)
	case err.kind == exposure.ErrGone:
		k.fail(ActionNotFound, gone)
	default:
		k.caller.logPanic("run", k, err)
		k.fail(ActionFailed, err.text)
	}
}

// await waits for the expectation and reports whether it held.
func (k *attempt) await(ctx, limited context.Context, e *exposure.Expectation) bool {
	timeout := e.Timeout
	if timeout <= 0 {
		timeout = exposure.DefaultExpectTimeout
	}
	began := time.Now()
	waiting, cancel := context.WithTimeout(limited, timeout)
	defer cancel()
	_, err := within(waiting, func(ctx context.Context) (struct{}, error) { return struct{}{}, e.Await(ctx) })
	switch {
	case ctx.Err() != nil:
		k.ended(ctx, "while its expectation was awaited")
		k.result.Data, k.result.DataBytes = nil, 0
		return false
	case err == nil:
		k.result.Expect = e.Description
		return true
	case waiting.Err() != nil:
		k.fail(ExpectationFailed, fmt.Sprintf("the action returned, but this was not seen within %s: %s",
			time.Since(began).Round(time.Millisecond), e.Description))
	default:
		k.caller.logPanic("expectation", k, err)
		k.fail(ExpectationFailed, fmt.Sprintf("the action returned, but this could not be checked: %s (%s)", e.Description, err.text))
	}
	return false
}
