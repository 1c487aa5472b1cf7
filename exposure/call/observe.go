package call

import (
	"context"
	"errors"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// An Observable is what can be observed: every [Page].
type Observable interface {
	Snapshot(ctx context.Context) (*snapshot.Snapshot, error)
}

// ObserveOptions says how [Observe] observes. The zero value and nil mean the
// documented defaults.
type ObserveOptions struct {
	Format  *diff.Format  // of the evidence
	Compare diff.Options  // Session, Unsettled and Dialogs are set
	Timeout time.Duration // for the page to answer, DefaultObserve
}

// Evidence is what was seen to change around a step.
type Evidence struct {
	Before, After *snapshot.Snapshot // nil where the page could not be observed
	JSON          []byte             // as package diff writes it; never empty
	Same          bool               // observed, and nothing differs
}

// Observe runs one step of an agent, whatever that is, and returns what changed
// on the page while it ran: the page is observed, step runs once, the page settles
// if it can, and is observed again. The error is step's; where the page could not
// be observed, the evidence says so.
//
//	ev, err := call.Observe(ctx, page, agent.Step, nil)
//	history = append(history, ev.JSON...)
//
// Changes that others make meanwhile are among them. opts may be nil. A panic of
// step is not caught.
func Observe(ctx context.Context, page Observable, step func(context.Context) error, opts *ObserveOptions) (Evidence, error) {
	var o ObserveOptions
	if opts != nil {
		o = *opts
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultObserve
	}
	var ev Evidence
	ev.Before, _ = observe(ctx, page, o.Timeout)
	stepErr := step(ctx)
	aborted := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	var settled Settled
	if s, ok := page.(Settler); ok {
		settled.Unsettled = true
		if !aborted {
			limited, cancel := context.WithTimeout(ctx, 2*o.Timeout)
			defer cancel()
			got, err := within(limited, func(ctx context.Context) (Settled, error) { return s.Settle(ctx, false), nil })
			if err == nil {
				settled = got
			}
		}
	}
	after, err := observe(ctx, page, o.Timeout)
	ev.After = after
	switch {
	case ev.Before == nil:
		ev.JSON = diff.AppendUnobserved(nil, diff.NoBaseline)
	case err != nil:
		ev.JSON = diff.AppendUnobserved(nil, unobserved(err))
	default:
		var d diff.Differ
		o.Compare.Session, o.Compare.Unsettled, o.Compare.Dialogs = true, settled.Unsettled, settled.Dialogs
		ch := d.Compare(ev.Before, after, &o.Compare)
		ev.JSON, ev.Same = ch.AppendJSON(nil, o.Format), ch.Same()
	}
	return ev, stepErr
}

// observe takes a snapshot of all that page exposes, within timeout.
func observe(ctx context.Context, page Observable, timeout time.Duration) (*snapshot.Snapshot, *failure) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, failure := see(ctx, page)
	if failure != nil {
		return nil, failure
	}
	if err := exposure.Unread(s); err != nil {
		return nil, failed(&UnobservedError{Reason: diff.Incomplete, Err: err})
	}
	return s, nil
}

var errNoSnapshot = errors.New("the page returned no snapshot")

// see takes a snapshot of what page exposes and can be read.
func see(ctx context.Context, page Observable) (*snapshot.Snapshot, *failure) {
	return within(ctx, func(ctx context.Context) (*snapshot.Snapshot, error) {
		s, err := page.Snapshot(ctx)
		if err == nil && s == nil {
			err = errNoSnapshot
		}
		return s, err
	})
}
