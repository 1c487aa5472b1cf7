package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
// soon after ctx ends.
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
	nth      int // how many actions of its origin stand before it
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
		reason += ": " + text(cause)
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
		turns := c.turns
		c.give()
		held = false
		began := time.Now()
		asked, ok := k.decide(ctx)
		k.timings.Policy = time.Since(began)
		if !ok || !k.take(ctx) {
			return
		}
		held = true
		if (asked || turns != c.turns) && (!k.lookUpAgain(ctx) || !k.available(ctx)) {
			return
		}
	}
	c.turns++
	c.awaitBehind(ctx)
	k.observeBefore(ctx)
	if ctx.Err() != nil {
		k.ended(ctx, "before it ran")
		return
	}
	expectation := k.expectation(ctx)
	seen := k.run(ctx, expectation)
	k.observeAfter(ctx, seen)
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
	case errors.Is(err, exposure.ErrGone):
		k.fail(ActionNotFound, "the action is not there any more")
	case errors.Is(err, ErrPageGone):
		k.fail(PageGone, text(err))
	case errors.Is(err, exposure.ErrSchema):
		k.fail(ActionUnavailable, exposure.ReasonSchema)
	case limited.Err() != nil:
		k.fail(Timeout, fmt.Sprintf("the page did not answer within %s", k.caller.opts.Observe))
	default:
		k.caller.logPanic("page", k, err)
		k.fail(ActionFailed, "the page could not be read: "+text(err))
	}
	return v, false
}

func (k *attempt) lookUp(ctx context.Context) bool {
	actions, ok := ask(ctx, k, k.caller.page.Actions)
	return ok && k.setFound(actions)
}

// lookUpAgain finds the action after others may have changed the page. What was
// agreed to must still be meant.
func (k *attempt) lookUpAgain(ctx context.Context) bool {
	actions, ok := ask(ctx, k, k.caller.page.Actions)
	if !ok {
		return false
	}
	nth := k.nth
	for i := range actions {
		if !same(&actions[i], &k.action) {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		if Pin(&actions[i]) != Pin(&k.action) {
			k.fail(ActionChanged, "its description or parameters changed before it ran")
			return false
		}
		k.found(&actions[i])
		return true
	}
	k.fail(ActionNotFound, "the action is not there any more")
	return false
}

func (k *attempt) available(ctx context.Context) bool {
	type answer struct {
		ok     bool
		reason string
	}
	a, ok := ask(ctx, k, func(ctx context.Context) (a answer, err error) {
		a.ok, a.reason, err = k.caller.page.Available(ctx, &k.action)
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
		if checker, ok := k.caller.page.(ParamsChecker); ok && r.details == nil {
			r.details = checker.CheckParams(&k.action, r.params)
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
		c.log.WarnContext(ctx, "the page could not be observed before a call", "action", k.action.ID, "error", text(err))
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
	var settled Settled
	if s, ok := c.page.(Settler); ok {
		settled.Unsettled = true
		if !aborted {
			limited, cancel := context.WithTimeout(ctx, 2*c.opts.Observe)
			defer cancel()
			if got, err := within(limited, func(ctx context.Context) (Settled, error) { return s.Settle(ctx, held), nil }); err == nil {
				settled = got
			}
		}
	}
	after, err := c.observe(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "the page could not be observed after a call", "action", k.action.ID, "error", text(err))
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
}

// audit records the attempt.
func (k *attempt) audit() {
	c := k.caller
	if c.opts.Audit == nil {
		return
	}
	k.timings.Total = time.Since(k.began)
	e := &audit.Entry{
		Time: k.began, Who: k.req.Who, Page: c.opts.Name, Action: k.req.Action,
		Decision: k.decision, Timings: k.timings,
	}
	shownResult := *k.result
	if k.result.Action != nil {
		e.Params = k.redacted()
	}
	if err := k.result.Err; err != nil {
		e.Code = string(err.Code)
		if k.schema.Secret() && err.Details != nil {
			// Messages may quote what they complain of.
			redacted := *err
			redacted.Details = make([]exposure.Violation, len(err.Details))
			for i, d := range err.Details {
				redacted.Details[i] = exposure.Violation{Pointer: d.Pointer, Message: "invalid"}
			}
			shownResult.Err = &redacted
		}
	}
	e.Result = shownResult.AppendJSON(nil)
	_, err := within(context.Background(), func(context.Context) (struct{}, error) { return struct{}{}, c.opts.Audit.Append(e) })
	if err != nil {
		k.result.AuditErr = err
		c.log.Error("a call could not be audited", "action", k.req.Action, "code", e.Code, "error", text(err))
	}
}

// redacted returns the parameters with their secrets masked, nil if they cannot
// be told.
func (k *attempt) redacted() json.RawMessage {
	ctx, cancel := context.WithTimeout(context.Background(), k.caller.opts.Observe)
	defer cancel()
	params, err := within(ctx, func(context.Context) (json.RawMessage, error) {
		schema := k.schema
		if !k.read {
			var err error
			if schema, err = k.caller.schema(&k.action); err != nil {
				return nil, err
			}
		}
		return schema.Redact(k.req.Params), nil
	})
	if err != nil {
		return nil
	}
	return params
}

// logPanic logs the stack of a panic, if err is one.
func (c *Caller) logPanic(what string, k *attempt, err error) {
	var p *panicError
	if errors.As(err, &p) {
		c.log.Error("panic", "in", what, "action", k.req.Action, "value", text(p.value), "stack", string(p.stack))
	}
}
