package call

import (
	"context"
	"encoding/json"

	"github.com/pagestate/pagestate/snapshot"
)

// A Verdict is what a policy says of a call. The zero Verdict denies.
type Verdict uint8

// The verdicts.
const (
	Deny Verdict = iota
	Allow
	Ask // a person decides
)

// A Decision is a verdict with its reason.
type Decision struct {
	Verdict Verdict
	Reason  string // why it is denied, or what the person is to know
}

// A Policy decides whether a caller may run an action with these checked
// parameters. It may take its time: no turn is held meanwhile, and it is given up
// when ctx ends. A panic denies. It must not change its arguments, and must not
// take an action's kind or availability for an authorisation.
type Policy func(ctx context.Context, who string, a *snapshot.Action, params json.RawMessage) Decision

// Confirm asks a person whether an action may run. It should return soon after
// ctx ends; otherwise it is given up. An error or a panic is a no.
type Confirm func(ctx context.Context, who string, a *snapshot.Action, params json.RawMessage, reason string) (bool, error)

// decide asks the policy and, where it wants it, a person. It reports whether the
// call may go on.
func (k *attempt) decide(ctx context.Context) bool {
	c := k.caller
	d, err := within(ctx, func(ctx context.Context) (Decision, error) {
		return c.opts.Policy(ctx, k.req.Who, &k.action, k.params), nil
	})
	if ctx.Err() != nil {
		k.ended(ctx, "while the policy decided")
		return false
	}
	if err != nil {
		c.logPanic("policy", k, err)
		k.decision = "deny"
		k.fail(PolicyDenied, "the policy failed")
		return false
	}
	switch d.Verdict {
	case Allow:
		k.decision = "allow"
		return true
	case Ask:
		return k.confirm(ctx, d.Reason)
	}
	k.decision = "deny"
	if d.Reason == "" {
		d.Reason = "denied"
	}
	k.fail(PolicyDenied, d.Reason)
	return false
}

func (k *attempt) confirm(ctx context.Context, reason string) bool {
	c := k.caller
	k.decision = "unanswered"
	if c.opts.Confirm == nil {
		k.fail(PolicyDenied, "it needs confirmation, and there is nobody to ask")
		return false
	}
	yes, err := within(ctx, func(ctx context.Context) (bool, error) {
		return c.opts.Confirm(ctx, k.req.Who, &k.action, k.params, reason)
	})
	switch {
	case ctx.Err() != nil:
		k.ended(ctx, "while confirmation was awaited")
		return false
	case err != nil:
		c.logPanic("confirm", k, err)
		k.fail(PolicyDenied, "it could not be confirmed: "+err.text)
		return false
	case !yes:
		k.decision = "refuse"
		k.fail(PolicyDenied, "it was not confirmed")
		return false
	}
	k.decision = "confirm"
	return true
}
