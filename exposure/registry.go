package exposure

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Options says how a [Registry] works. The zero value and nil mean the
// documented defaults.
type Options struct {
	// Page says where the app is found; SetPage changes it.
	Page snapshot.Page
	// Lock guards the app's data. It is held while the app's functions are
	// called for a snapshot, an availability or an expectation; with an RWMutex
	// give its RLocker. Scopes may add locks of their own. nil means that the
	// data never changes while it is read.
	Lock sync.Locker
	// Limits bounds each snapshot.
	Limits snapshot.Limits
}

// A Registry is what an app in this process exposes: scopes, records read from
// its own data, and tools. Make one with [New]. It is safe for concurrent use
// and serves as a page for package exposure/call.
//
// # One moment
//
// A snapshot first takes the registry's lock and those of all scopes, in the
// order of declaration, and holds them until everything is read. So it shows one
// moment of all data that these locks guard; while it is taken, the app's
// writers wait. The app's functions are called with the locks held, so they must
// not take them; Tool.Run is called without them. An app that holds several of
// them at once must take them in the same order.
//
// # Lifetime
//
// A declaration ends when its handle is released, when the context it was made
// with ends, or with the scope it lies in, in each case at once: it is not listed
// or found any more, does not run any more, and its id is free. A call that has
// begun goes on.
//
// # Faults in data
//
// What breaks the rules of a declaration is refused when it is declared. What
// only data can break spoils no more than itself, so that one bad record does not
// end all calls: a record without an id is left out, with its actions; so is a
// field whose value is no JSON, and an action without a description. Records of
// one id are all shown, and their actions are unavailable, since nobody could tell
// which is meant. A function of the app that panics spoils as little: a getter its
// field, Available its action, which is then unavailable, State its scope, which is
// then inactive. If All, ID, Replaces or Window panics, nobody could tell what was
// removed: there is no snapshot then, and no action of those records, but all
// others can be called. Snapshots say so in their diagnostics (the codes are
// bad-id, bad-value, bad-available, bad-state, no-description and duplicate-id).
// Check fails where they do.
type Registry struct {
	limits  snapshot.Limits
	root    ScopeHandle
	builder chan *builder // holds the one builder while nobody builds
	gate    sync.Mutex    // held while the app's locks are taken

	mu      sync.Mutex // guards what follows and the handles' state
	page    snapshot.Page
	list    []*Handle // in order of declaration; replaced, never changed
	tools   map[string]*Handle
	scopes  map[string]*Handle
	changed chan struct{} // closed by Notify
}

// New returns an empty registry. opts may be nil. It panics if opts.Lock cannot
// be compared, or is a nil pointer.
func New(opts *Options) *Registry {
	if opts == nil {
		opts = &Options{}
	}
	r := &Registry{
		limits:  opts.Limits,
		builder: make(chan *builder, 1),
		tools:   map[string]*Handle{},
		scopes:  map[string]*Handle{},
		changed: make(chan struct{}),
	}
	r.builder <- &builder{}
	locks, err := addLock(nil, opts.Lock)
	if err != nil {
		panic(err)
	}
	r.root = ScopeHandle{&Handle{reg: r, locks: locks}}
	r.SetPage(opts.Page)
	return r
}

// SetPage says where the app is found from now on. The url's user name and
// password are never exposed.
func (r *Registry) SetPage(p snapshot.Page) {
	p.URL = WithoutUser(p.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page = p
}

// Notify says that the app's data has changed: conditions that are awaited are
// checked at once. It never blocks.
func (r *Registry) Notify() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
}

// notified returns a channel that the next Notify closes.
func (r *Registry) notified() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// A Handle is a declaration. It is safe for concurrent use.
type Handle struct {
	reg    *Registry
	parent *Handle // scope it lies in; the root's is nil
	locks  []sync.Locker
	ctx    context.Context // it ends with it; nil for the root
	stop   func() bool     // of ctx, nil when there is nothing to wait for

	scope  *Scope // one of these three is set, none for the root
	source source
	tool   *Tool

	params   records.Value // of tool
	schema   *Schema
	set      *ToolSet // that tool belongs to
	released bool
}

// Release ends the declaration, and those in it if it is a scope. It may be
// called more than once.
func (h *Handle) Release() {
	r := h.reg
	r.mu.Lock()
	defer r.mu.Unlock()
	h.release()
}

// release is Release with the registry's mutex held.
func (h *Handle) release() {
	r := h.reg
	if h.released || h == r.root.Handle {
		return
	}
	h.released = true
	if h.stop != nil {
		h.stop()
	}
	if h.scope != nil {
		for _, in := range r.list {
			if in.parent == h {
				in.release()
			}
		}
		delete(r.scopes, h.scope.ID)
	}
	if h.tool != nil && r.tools[h.tool.ID] == h {
		delete(r.tools, h.tool.ID)
	}
	kept := make([]*Handle, 0, len(r.list))
	for _, other := range r.list {
		if other != h {
			kept = append(kept, other)
		}
	}
	r.list = kept
}

// sweep releases what ended with its context; the registry's mutex is held. It
// does not wait for the functions that contexts start when they end.
func (r *Registry) sweep() {
	for _, h := range r.list {
		if h.ctx.Err() != nil {
			h.release()
		}
	}
}

// scopeID returns the id of the scope that h is, or lies in.
func (h *Handle) scopeID() string {
	switch {
	case h == nil:
		return ""
	case h.scope != nil:
		return h.scope.ID
	}
	return h.parent.scopeID()
}

// declare adds h at the end unless it clashes.
func (r *Registry) declare(ctx context.Context, h *Handle, clash func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	if h.parent.released {
		return fmt.Errorf("%w: %q", ErrReleased, h.parent.scopeID())
	}
	if err := clash(); err != nil {
		return err
	}
	r.list = append(slices.Clone(r.list), h)
	h.lastsFor(ctx)
	return nil
}

// lastsFor has h end with ctx; the registry's mutex is held.
func (h *Handle) lastsFor(ctx context.Context) {
	h.ctx = ctx
	if ctx.Done() != nil {
		h.stop = context.AfterFunc(ctx, h.Release)
	}
}

// A Scope declares a region of the app. ID is required.
type Scope struct {
	ID          string
	Label       string
	Description string
	Role        string
	Unordered   bool   // the order of records means nothing
	IDs         string // identity space: scopes that share it share their record ids

	// State reports whether the scope can be used now; nil means always. Actions
	// in a scope that is not active, and in scopes inside it, are unavailable.
	State func() snapshot.State
	// Window is set if the records are a part of more: how many there are, and
	// the index of the first, -1 if that is not known. A total that is none, such as
	// -1, is diagnosed, and records that come or go are then not said to be added or
	// removed ([snapshot.Scope].Partial).
	Window func() (total, offset int64)

	// Lock guards data of this scope that the locks around it do not.
	Lock sync.Locker
}

// A Container is where declarations are made: a registry or a scope in it.
type Container interface {
	container() ScopeHandle
}

func (r *Registry) container() ScopeHandle { return r.root }

// ScopeHandle is a declared scope; more can be declared in it.
type ScopeHandle struct{ *Handle }

func (s ScopeHandle) container() ScopeHandle { return s }

// parentOf returns the scope that a declaration in in lies in.
func parentOf(in Container) (*Handle, error) {
	if h := in.container().Handle; h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("%w: the scope was never declared", ErrDeclaration)
}

// DeclareScope declares s in a registry or in another scope. It fails with
// ErrDeclaration, ErrDuplicate or ErrReleased, or with ctx's error if it has
// ended.
func DeclareScope(ctx context.Context, in Container, s Scope) (ScopeHandle, error) {
	if s.ID == "" {
		return ScopeHandle{}, fmt.Errorf("%w: a scope has no id", ErrDeclaration)
	}
	parent, err := parentOf(in)
	if err != nil {
		return ScopeHandle{}, err
	}
	locks, err := addLock(parent.locks, s.Lock)
	if err != nil {
		return ScopeHandle{}, err
	}
	h := &Handle{reg: parent.reg, parent: parent, locks: locks, scope: &s}
	r := h.reg
	err = r.declare(ctx, h, func() error {
		if r.scopes[s.ID] != nil {
			return fmt.Errorf("%w: scope %q", ErrDuplicate, s.ID)
		}
		r.scopes[s.ID] = h
		return nil
	})
	if err != nil {
		return ScopeHandle{}, err
	}
	return ScopeHandle{h}, nil
}

// DeclareTool declares a function-level tool in a registry or in a scope. It
// fails with ErrDeclaration, ErrDuplicate, ErrSchema or ErrReleased, or with
// ctx's error if it has ended.
func DeclareTool(ctx context.Context, in Container, t Tool) (*Handle, error) {
	h, err := newTool(in, t)
	if err != nil {
		return nil, err
	}
	r := h.reg
	err = r.declare(ctx, h, func() error {
		if r.tools[t.ID] != nil {
			return fmt.Errorf("%w: action %q", ErrDuplicate, t.ID)
		}
		r.tools[t.ID] = h
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// newTool checks t.
func newTool(in Container, t Tool) (*Handle, error) {
	if err := checkTool(&t); err != nil {
		return nil, err
	}
	params, schema, err := t.params()
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.ID, err)
	}
	parent, err := parentOf(in)
	if err != nil {
		return nil, err
	}
	return &Handle{reg: parent.reg, parent: parent, locks: parent.locks, tool: &t, params: params, schema: schema}, nil
}

// addLock returns locks with l behind, unless it is nil or among them.
func addLock(locks []sync.Locker, l sync.Locker) ([]sync.Locker, error) {
	if l == nil {
		return locks, nil
	}
	if v := reflect.ValueOf(l); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%w: the lock is a nil %T", ErrDeclaration, l)
	}
	if !reflect.TypeOf(l).Comparable() {
		return nil, fmt.Errorf("%w: a lock of type %T cannot be compared", ErrDeclaration, l)
	}
	if slices.Contains(locks, l) {
		return locks, nil
	}
	return append(locks[:len(locks):len(locks)], l), nil
}

// ErrApp reports an app's function that panicked.
var ErrApp = errors.New("the app's function failed")

// under calls f with locks held and returns when f does or ctx ends. A call that
// is given up goes on until f returns; it holds the locks so long.
func (r *Registry) under(ctx context.Context, locks []sync.Locker, f func() error) error {
	if ctx.Done() == nil {
		return r.held(ctx, locks, f)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		err := fmt.Errorf("%w: it ended its goroutine", ErrApp)
		defer func() { done <- err }()
		err = r.held(ctx, locks, f)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// held calls f with locks held. Panics, those of the locks included, are ErrApp.
func (r *Registry) held(ctx context.Context, locks []sync.Locker, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	for _, l := range r.take(locks) {
		defer l.Unlock()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// take takes locks and returns them. Who holds locks never waits for more, so
// that the order does not matter among ourselves.
func (r *Registry) take(locks []sync.Locker) (taken []sync.Locker) {
	r.gate.Lock()
	defer r.gate.Unlock()
	complete := false
	defer func() {
		if !complete { // one panicked
			for _, l := range taken {
				l.Unlock()
			}
		}
	}()
	for i, l := range locks {
		l.Lock()
		taken = locks[:i+1]
	}
	complete = true
	return taken
}
