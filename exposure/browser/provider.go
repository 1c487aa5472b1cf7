package browser

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// The events by which the main world and the isolated world of a document talk,
// both on window and both dispatched synchronously, so that what code exposes and
// what elements expose is read at one moment:
//
//   - The collector dispatches an Event of type [ReadEvent].
//   - Whoever exposes something from code (the page runtime, the script of a
//     [Provider]) answers while that is dispatched with a CustomEvent of type
//     [ExposureEvent], whose detail is JSON text: a capture (scopes, records,
//     actions), with a member "provider" that names whose Run runs its actions;
//     without it the page runtime's does.
//
// Any number may answer. What they say is merged as script blocks of the document
// are. An answer that is no capture is diagnosed.
const (
	ReadEvent     = "pagestate:read"
	ExposureEvent = "pagestate:exposure"
)

// SettledEvent is the type of an Event that code of the page dispatches on window
// to say that what it was doing is done: waiting for it to be quiet ends then.
const SettledEvent = "pagestate:settled"

// RuntimeProvider is the name of the provider of the page runtime.
const RuntimeProvider = "runtime"

// A Provider exposes something of live pages that has no element: tools of a
// page, or records that are read through them. It must be safe for concurrent use.
type Provider interface {
	// Name is what its answers to [ReadEvent] carry as "provider".
	Name() string
	// Script is evaluated in the main world of every document before the page's
	// own scripts, and in the document that is there when a page is attached to.
	// It must stand being evaluated twice. "" for none.
	Script() string
	// Prepare is called before each reading, to find out what takes time. What it
	// found it leaves with its script, which answers the reading. An error is
	// diagnosed; nothing else fails for it. It gets half of the time that is left
	// for the reading, which goes on without it then.
	Prepare(ctx context.Context, tab Tab) error
	// Run runs one of its actions as call.Page.Run does, by [Invoke] or an expression
	// of [Answering] so that the page settles from the answer on; exposure.ErrGone says that
	// the action is not there any more, and nothing was run. Navigation, crash and
	// closing are noticed by the page itself; Run may return whatever Evaluate
	// returned then.
	Run(ctx context.Context, tab Tab, a *snapshot.Action, params json.RawMessage) (any, error)
	// Expectation returns what an action expects, nil for nothing.
	Expectation(tab Tab, a *snapshot.Action) *exposure.Expectation
}

// An Idler is a provider that can tell when Prepare would do nothing: a page may be
// read in the very evaluation in which it has become quiet then. It must be cheap and ask
// no page.
type Idler interface {
	Idle(tab Tab) bool
}

// prepare lets provider i prepare. It gets half of the time that is left: the page is
// read without what takes longer. What has not ended by then is not begun again beside
// itself.
func (p *Page) prepare(ctx context.Context, i int) error {
	limited, cancel := half(ctx)
	if p.preparing == nil {
		p.preparing = make([]chan struct{}, len(p.opts.Providers))
	}
	if last := p.preparing[i]; last != nil {
		select {
		case <-last:
		case <-limited.Done():
			cancel()
			return errSlow
		}
	}
	var err error
	done := make(chan struct{})
	p.preparing[i] = done
	go func() {
		defer cancel()
		defer close(done)
		err = p.opts.Providers[i].Prepare(limited, p.tab)
	}()
	select {
	case <-done:
	case <-limited.Done():
		select {
		case <-done: // both at once
		default:
			return errSlow
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errSlow
	}
	return err
}

var errSlow = errors.New("it took too long")
