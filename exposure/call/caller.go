package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A Page provides actions and can be observed. *exposure.Registry is one; live
// pages are others. It must be safe for concurrent use. Methods should return
// soon after their context ends; those that do not are given up.
type Page interface {
	// Snapshot returns what is exposed now. An *UnobservedError says why it
	// could not be told.
	Snapshot(ctx context.Context) (*snapshot.Snapshot, error)
	// Actions returns the actions exposed now, unavailable ones included, with
	// the ids under which they are shown.
	Actions(ctx context.Context) ([]snapshot.Action, error)
	// Available reports whether an action can be attempted now, looking as
	// closely as the page can, and if not, why. exposure.ErrGone says that there
	// is no such action any more.
	Available(ctx context.Context, a *snapshot.Action) (ok bool, reason string, err error)
	// Expectation returns what should hold after the action has run, nil if
	// nothing is declared.
	Expectation(a *snapshot.Action) *exposure.Expectation
	// Run runs the action once with checked params. It may fail with
	// exposure.ErrGone, ErrNavigated, ErrPageGone, an *UnavailableError, or
	// anything else; one that wraps exposure.ErrNotRun says that nothing ran. The result is a Go value, JSON as json.RawMessage, or nil
	// for nothing.
	Run(ctx context.Context, a *snapshot.Action, params json.RawMessage) (any, error)
}

// A Settler is a page that keeps changing for a while after an action.
type Settler interface {
	// Settle waits until the page is quiet. held says that an expectation held,
	// so that little waiting is needed.
	Settle(ctx context.Context, held bool) Settled
}

// A Finisher is a Settler that can be observed at the very moment at which waiting for
// it to be quiet ended. A page that embeds one, and changes what it settles or observes
// by, must have a Finish of its own.
type Finisher interface {
	Settler
	// Finish is Settle, and returns the snapshot of that moment. It returns nil where
	// there is none; Snapshot is asked then, which also says why if the page cannot be
	// observed.
	Finish(ctx context.Context, held bool) (Settled, *snapshot.Snapshot)
}

// Settled says how a page came to rest.
type Settled struct {
	Unsettled bool          // it was still changing when waiting ended
	Dialogs   []diff.Dialog // opened and answered since the run began
}

// A ParamsChecker is a page that knows more of an action's parameters than their
// schema says.
type ParamsChecker interface {
	CheckParams(a *snapshot.Action, params json.RawMessage) []exposure.Violation
}

// Errors that a page's Run returns.
var (
	ErrNavigated = errors.New("the page navigated before the action answered")
	ErrPageGone  = errors.New("the page is gone")
)

// An UnavailableError says that an action turned out not to be available when it
// was to run.
type UnavailableError struct{ Reason string }

func (e *UnavailableError) Error() string { return "unavailable: " + e.Reason }

// An UnobservedError says why a page could not be observed.
type UnobservedError struct {
	Reason diff.Reason
	Err    error // may be nil
}

func (e *UnobservedError) Error() string {
	if e.Err == nil {
		return string(e.Reason)
	}
	return fmt.Sprintf("%s: %v", e.Reason, e.Err)
}

// Unwrap returns e.Err.
func (e *UnobservedError) Unwrap() error { return e.Err }

// Defaults of Options.
const (
	DefaultTimeout   = 30 * time.Second
	DefaultGrace     = 200 * time.Millisecond
	DefaultObserve   = 2 * time.Second
	DefaultAuditWait = 3 * time.Second
)

// Options says how a [Caller] calls. The zero value and nil mean the documented
// defaults.
type Options struct {
	// Policy decides about each call; nil allows all.
	Policy Policy
	// Confirm asks a person where the policy wants it. Without it such calls are
	// denied.
	Confirm Confirm
	// Audit gets one entry for each attempt; nil means nobody does.
	Audit audit.Sink
	// Name names the page in audits.
	Name string
	// Format is how evidence is written; nil means the defaults.
	Format *diff.Format
	// Compare says what evidence compares. Its Session, Unsettled, Dialogs and
	// Diagnostics are set by the caller.
	Compare diff.Options

	Timeout time.Duration // of run and expectation together, DefaultTimeout
	Grace   time.Duration // for a tool to return after its context ended, DefaultGrace
	Observe time.Duration // for the page to answer: one snapshot, one look-up, DefaultObserve
	// AuditWait is how long a call waits for its audit entry to be kept,
	// DefaultAuditWait. After that Result.AuditErr says so, though the sink may
	// still keep it. The end of the call's context does not shorten it.
	AuditWait time.Duration

	// Logger gets what belongs to no result: late returns, panics with their
	// stack, failures of the audit. nil drops it.
	Logger *slog.Logger
}

// A Caller calls the actions of one page, one at a time. Make one with [New] for
// each page. It is safe for concurrent use.
type Caller struct {
	page Page
	opts Options
	log  *slog.Logger

	turn chan struct{} // has an element while a call or a look is at work
	// The turn guards these.
	last   *snapshot.Snapshot // the last look, nil before the first
	differ diff.Differ
	behind []*straggler // tools that were left behind

	mu      sync.Mutex
	schemas map[string]compiledSchema // by digest
}

type compiledSchema struct {
	schema *exposure.Schema
	err    error
}

// New returns a caller for page. opts may be nil.
func New(page Page, opts *Options) *Caller {
	c := &Caller{page: page, turn: make(chan struct{}, 1), schemas: map[string]compiledSchema{}}
	if opts != nil {
		c.opts = *opts
	}
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{{&c.opts.Timeout, DefaultTimeout}, {&c.opts.Grace, DefaultGrace}, {&c.opts.Observe, DefaultObserve}, {&c.opts.AuditWait, DefaultAuditWait}} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
	c.opts.Compare.Session = true
	if c.log = c.opts.Logger; c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Look observes the page and returns what it exposes. What changes from here on
// is new to the caller: the next call reports as between what has changed by
// then. It waits for a running call. What a page exposes in part only, because a
// declaration could not be read (exposure.Unread), is returned, but nothing is
// compared with it.
func (c *Caller) Look(ctx context.Context) (*snapshot.Snapshot, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	defer c.give()
	ctx, cancel := context.WithTimeout(ctx, c.opts.Observe)
	defer cancel()
	s, failure := see(ctx, c.page)
	if failure != nil {
		return nil, failure
	}
	if exposure.Unread(s) == nil {
		c.last = s
	}
	return s, nil
}

// take waits for the turn.
func (c *Caller) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give ends the turn.
func (c *Caller) give() { <-c.turn }

// observe takes a snapshot within the time that a page has to answer.
func (c *Caller) observe(ctx context.Context) (*snapshot.Snapshot, *failure) {
	return observe(ctx, c.page, c.opts.Observe)
}

// compare returns what changed, valid until the next comparison.
func (c *Caller) compare(before, after *snapshot.Snapshot, s Settled, diagnostics []snapshot.Diagnostic) *diff.Changes {
	opts := c.opts.Compare
	opts.Unsettled, opts.Dialogs, opts.Diagnostics = s.Unsettled, s.Dialogs, diagnostics
	return c.differ.Compare(before, after, &opts)
}

// maxSchemas bounds the compiled schemas that are kept.
const maxSchemas = 256

// schema returns the compiled schema of an action, nil if it declares none.
func (c *Caller) schema(a *snapshot.Action) (*exposure.Schema, error) {
	if a.Params.Kind() == records.Absent {
		return nil, nil
	}
	key := string(a.Params.Raw())
	c.mu.Lock()
	s, ok := c.schemas[key]
	c.mu.Unlock()
	if ok {
		return s.schema, s.err
	}
	schema, err := exposure.CompileSchema(a.Params)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.schemas) >= maxSchemas {
		clear(c.schemas)
	}
	c.schemas[key] = compiledSchema{schema, err}
	return schema, err
}

// unobserved returns why an observation failed.
func unobserved(err *failure) diff.Reason {
	switch {
	case err.unobserved != "":
		return err.unobserved
	case err.kind == ErrPageGone:
		return diff.PageClosed
	case err.kind == context.DeadlineExceeded:
		return diff.Timeout
	case err.kind == context.Canceled:
		return diff.Cancelled
	}
	return diff.NoSnapshot
}
