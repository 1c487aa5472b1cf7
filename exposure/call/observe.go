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
	settled, after, err := finish(context.WithoutCancel(ctx), page, false, aborted, o.Timeout)
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

// finish lets a page settle, if it can and what was done was not aborted, and takes the
// snapshot after, each within the time that it has.
func finish(ctx context.Context, page Observable, held, aborted bool, timeout time.Duration) (Settled, *snapshot.Snapshot, *failure) {
	s, ok := page.(Settler)
	if !ok || aborted {
		after, err := observe(ctx, page, timeout)
		return Settled{Unsettled: ok}, after, err
	}
	type end struct {
		settled Settled
		after   *snapshot.Snapshot
	}
	limited, cancel := context.WithTimeout(ctx, 2*timeout)
	defer cancel()
	got, err := within(limited, func(ctx context.Context) (e end, err error) {
		if f, ok := s.(Finisher); ok {
			e.settled, e.after = f.Finish(ctx, held)
		} else {
			e.settled = s.Settle(ctx, held)
		}
		return e, nil
	})
	if err != nil {
		got = end{settled: Settled{Unsettled: true}}
	}
	if got.after == nil {
		got.after, err = observe(ctx, page, timeout)
		return got.settled, got.after, err
	}
	after, err := whole(got.after)
	return got.settled, after, err
}

// observe takes a snapshot of all that page exposes, within timeout.
func observe(ctx context.Context, page Observable, timeout time.Duration) (*snapshot.Snapshot, *failure) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, failure := see(ctx, page)
	if failure != nil {
		return nil, failure
	}
	return whole(s)
}

// whole returns s if nothing of it is known to be missing.
func whole(s *snapshot.Snapshot) (*snapshot.Snapshot, *failure) {
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
