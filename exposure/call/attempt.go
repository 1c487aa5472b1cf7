package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/snapshot"
)

// A Request is one call to be made. Only Action is required.
type Request struct {
	Action  string          // id as shown, or the bare name if that is unique
	Params  json.RawMessage // one JSON object; nil means {}
	If      string          // Pin of the action that the caller saw; "" means any
	Who     string          // for the policy and the audit
	Timeout time.Duration   // of run and expectation; 0 means that of the Options
	Format  *diff.Format    // of the evidence; nil means that of the Options
}

// Call makes one call and returns what became of it, whatever happens. It returns
// soon after ctx ends; only the audit may take up to Options.AuditWait more.
func (c *Caller) Call(ctx context.Context, req Request) *Result {
	k := &attempt{caller: c, req: req, result: &Result{}, began: time.Now()}
	k.perform(ctx)
	k.result.OK = k.result.Err == nil
	k.audit()
	return k.result
}

// An attempt is one call on its way.
type attempt struct {
	caller *Caller
	req    Request
	result *Result

	action   snapshot.Action
	bound    exposure.Bound // what action stands for
	nth      int            // how many actions of its origin stand before it
	schema   *exposure.Schema
	read     bool // schema is that of action
	params   json.RawMessage
	decision string
	began    time.Time
	timings  audit.Timings

	before *snapshot.Snapshot
}

func (k *attempt) fail(code Code, reason string) {
	k.result.Err = &Error{Code: code, Reason: shown(reason, maxText)}
}

// ended fails the attempt because ctx has ended.
func (k *attempt) ended(ctx context.Context, when string) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		k.fail(Timeout, "the deadline passed "+when)
		return
	}
	reason := "cancelled " + when
	if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
		limited, cancel := context.WithTimeout(context.Background(), k.caller.opts.Grace)
		defer cancel()
		if _, f := within(limited, func(context.Context) (struct{}, error) { return struct{}{}, cause }); limited.Err() == nil {
			reason += ": " + f.text
		}
	}
	k.fail(Aborted, reason)
}

// perform takes the attempt through the steps of a call.
func (k *attempt) perform(ctx context.Context) {
	c := k.caller
	if !k.take(ctx) {
		return
	}
	held := true
	defer func() {
		if held {
			c.give()
		}
	}()
	if !k.lookUp(ctx) || !k.available(ctx) || !k.readParams(ctx) {
		return
	}
	if c.opts.Policy == nil {
		k.decision = "allow"
	} else {
		c.give()
		held = false
		began := time.Now()
		ok := k.decide(ctx)
		k.timings.Policy = time.Since(began)
		if !ok || !k.take(ctx) {
			return
		}
		held = true
		if !k.lookUpAgain(ctx) || !k.available(ctx) {
			return
		}
	}
	c.awaitBehind(ctx)
	k.observeBefore(ctx)
	if ctx.Err() != nil {
		k.ended(ctx, "before it ran")
		return
	}
	expectation := k.expectation(ctx)
	if ctx.Err() != nil {
		k.ended(ctx, "before it ran")
		return
	}
	if seen, ran := k.run(ctx, expectation); ran {
		k.observeAfter(ctx, seen)
	}
}

// take waits for the turn.
func (k *attempt) take(ctx context.Context) bool {
	began := time.Now()
	err := k.caller.take(ctx)
	k.timings.Wait += time.Since(began)
	if err != nil {
		k.ended(ctx, "while it waited for its turn")
		return false
	}
	return true
}

// ask asks the page something that it has to answer in time, and fails the
// attempt if it does not.
func ask[T any](ctx context.Context, k *attempt, f func(context.Context) (T, error)) (T, bool) {
	limited, cancel := context.WithTimeout(ctx, k.caller.opts.Observe)
	defer cancel()
	v, err := within(limited, f)
	switch {
	case err == nil:
		return v, true
	case ctx.Err() != nil:
		k.ended(ctx, "before it ran")
	case err.kind == exposure.ErrReplaced:
		k.fail(ActionChanged, replaced)
	case err.kind == exposure.ErrGone:
		k.fail(ActionNotFound, gone)
	case err.kind == ErrPageGone:
		k.fail(PageGone, err.text)
	case err.kind == exposure.ErrSchema:
		k.fail(ActionUnavailable, exposure.ReasonSchema)
	case limited.Err() != nil:
		k.fail(Timeout, fmt.Sprintf("the page did not answer within %s", k.caller.opts.Observe))
	default:
		k.caller.logPanic("page", k, err)
		k.fail(ActionFailed, "the page could not be read: "+err.text)
	}
	return v, false
}

func (k *attempt) available(ctx context.Context) bool {
	type answer struct {
		ok     bool
		reason string
	}
	a, ok := ask(ctx, k, func(ctx context.Context) (a answer, err error) {
		a.ok, a.reason, err = k.bound.Available(ctx)
		return a, err
	})
	if !ok {
		return false
	}
	if !a.ok {
		k.unavailable(a.reason)
	}
	return a.ok
}

func (k *attempt) unavailable(reason string) {
	if reason == "" {
		reason = exposure.ReasonUnavailable
	}
	k.fail(ActionUnavailable, reason)
}

func (k *attempt) readParams(ctx context.Context) bool {
	type reading struct {
		schema  *exposure.Schema
		params  json.RawMessage
		details []exposure.Violation
	}
	// A page's schema may cost any time to compile and to apply.
	r, ok := ask(ctx, k, func(context.Context) (r reading, err error) {
		if r.schema, err = k.caller.schema(&k.action); err != nil {
			return r, err
		}
		r.params, r.details = r.schema.Read(k.req.Params)
		if r.details == nil {
			r.details = k.bound.CheckParams(r.params)
		}
		return r, nil
	})
	if !ok {
		return false
	}
	k.schema, k.read = r.schema, true
	if r.details != nil {
		k.invalidParams(r.details)
		return false
	}
	k.params = r.params
	return true
}

// maxDetails bounds the faults of parameters that a result lists.
const maxDetails = 20

func (k *attempt) invalidParams(details []exposure.Violation) {
	reason := "the parameters do not match what the action declares"
	if len(details) > maxDetails {
		reason += fmt.Sprintf(" in %d ways; %d are listed", len(details), maxDetails)
		details = details[:maxDetails]
	}
	k.fail(InvalidParams, reason)
	k.result.Err.Details = details
}

// observeBefore takes the snapshot that evidence starts from.
func (k *attempt) observeBefore(ctx context.Context) {
	c := k.caller
	began := time.Now()
	defer func() { k.timings.Observe += time.Since(began) }()
	before, err := c.observe(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "the page could not be observed before a call", "action", k.action.ID, "error", err.text)
		return
	}
	if c.last != nil {
		if ch := c.compare(c.last, before, Settled{}, c.unfinished()); !ch.Same() {
			k.result.Between = ch.AppendJSON(nil, k.format())
		}
	}
	c.last, k.before = before, before
}

func (k *attempt) format() *diff.Format {
	if k.req.Format != nil {
		return k.req.Format
	}
	return k.caller.opts.Format
}

// observeAfter lets the page settle, takes the snapshot that evidence ends with,
// and writes the evidence.
func (k *attempt) observeAfter(ctx context.Context, held bool) {
	c := k.caller
	began := time.Now()
	defer func() { k.timings.Observe += time.Since(began) }()
	aborted := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	settled, after, err := finish(ctx, c.page, held, aborted, c.opts.Observe)
	if err != nil {
		c.log.WarnContext(ctx, "the page could not be observed after a call", "action", k.action.ID, "error", err.text)
	}
	switch {
	case k.before == nil:
		k.result.Changed = diff.AppendUnobserved(nil, diff.NoBaseline)
	case err != nil:
		k.result.Changed = diff.AppendUnobserved(nil, unobserved(err))
	default:
		ch := c.compare(k.before, after, settled, c.unfinished())
		k.result.Changed, k.result.Same = ch.AppendJSON(nil, k.format()), ch.Same()
	}
	if err == nil {
		c.last = after
	}
	for _, straggler := range c.behind {
		if straggler.attempt != k && len(k.result.Unfinished) < maxUnfinished && !slices.Contains(k.result.Unfinished, straggler.action) {
			k.result.Unfinished = append(k.result.Unfinished, straggler.action)
		}
	}
}
