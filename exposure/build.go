package exposure

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"weak"

	"github.com/pagestate/pagestate/snapshot"
)

// Snapshot returns what is exposed now: one moment of all that the declared
// locks guard. Snapshots of one registry are taken one at a time. It returns
// soon after ctx ends, even if a lock cannot be had or the app's function hangs;
// later snapshots then wait for that one as long as their context lets them.
//
// Its diagnostics tell of data that breaks the rules (see [Registry]). It fails
// with ErrApp if a function that records or windows depend on panics, with an error
// of package snapshot if its limits are passed, and with ctx's error. Its cost is linear in
// what is exposed.
func (r *Registry) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	s, _, err := r.snapshot(ctx)
	return s, err
}

// Check takes a snapshot and fails if data breaks the rules: with ErrDuplicate,
// ErrDeclaration or snapshot.ErrBadID, with an error of package records for a
// value that is no JSON, and as Snapshot fails. It is for the start of an app and
// for tests.
func (r *Registry) Check(ctx context.Context) error {
	s, faults, err := r.snapshot(ctx)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w (%s)", faults[0].err, faults[0].at)
	}
	for _, row := range s.Table().Repeats() {
		rec := s.Record(int(row))
		return fmt.Errorf("%w: record %q of scope %q", ErrDuplicate, rec.ID(), rec.Scope())
	}
	return nil
}

// A builder makes the snapshots of a registry. What did not change since the last one
// takes no memory again, as long as somebody has that.
type builder struct {
	snapshot.Builder
	last weak.Pointer[snapshot.Snapshot]
}

func (r *Registry) snapshot(ctx context.Context) (*snapshot.Snapshot, []fault, error) {
	page, list, locks := r.declared()
	var (
		s      *snapshot.Snapshot
		faults []fault
	)
	err := r.under(ctx, locks, func() (err error) {
		var b *builder
		select {
		case b = <-r.builder:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() {
			b.Discard() // after success there is nothing left to drop
			r.builder <- b
		}()
		if last := b.last.Value(); last != nil {
			b.Follow(last)
		}
		b.Limits = r.limits
		b.Page(page)
		v := visitor{ctx: ctx, b: &b.Builder}
		v.scopes(list)
		if err := v.visit(list); err != nil {
			return err
		}
		for i := range v.actions {
			b.Action(v.actions[i])
		}
		for _, f := range v.faults {
			b.Diagnose(f.code, f.at, f.message)
		}
		faults = v.faults
		s, err = b.Snapshot()
		b.last = weak.Make(s)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return s, faults, nil
}

// Actions returns the actions that are exposed now, unavailable ones included,
// in order of declaration. It fails with ErrApp if a lock panics, and with ctx's
// error.
func (r *Registry) Actions(ctx context.Context) ([]snapshot.Action, error) {
	v, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	return v.actions, nil
}

// look reads the actions.
func (r *Registry) look(ctx context.Context) (*visitor, error) {
	_, list, locks := r.declared()
	v := &visitor{ctx: ctx}
	if err := r.under(ctx, locks, func() error { return v.visit(list) }); err != nil {
		return nil, err
	}
	return v, nil
}

// declared returns what is declared now and the locks of all of it.
func (r *Registry) declared() (snapshot.Page, []*Handle, []sync.Locker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	locks := slices.Clone(r.root.locks)
	for _, h := range r.list {
		if h.scope != nil {
			locks, _ = addLock(locks, h.scope.Lock) // checked when it was declared
		}
	}
	return r.page, r.list, locks
}

// A visitor reads declarations with their locks held.
type visitor struct {
	ctx     context.Context
	b       *snapshot.Builder // nil when only actions are wanted
	n       int               // records since ctx was looked at
	origins []Origin
	actions []snapshot.Action
	handles []*Handle          // like actions
	states  map[*Handle]string // reasons of scopes that are not active
	faults  []fault
	scratch []byte
}

// A fault is data that breaks the rules, and what is left out for it.
type fault struct {
	code, at, message string
	err               error
}

func (v *visitor) fault(code, at, message string, err error) {
	if len(v.faults) < maxFaults {
		v.faults = append(v.faults, fault{code, at, message, err})
	}
}

// maxFaults bounds the faults that are told of one snapshot.
const maxFaults = 1000

// checkEvery is how many records are read between looks at the context.
const checkEvery = 1024

func (v *visitor) step() error {
	if v.n++; v.n < checkEvery {
		return nil
	}
	v.n = 0
	return v.ctx.Err()
}

// scopes declares the scopes with what their record sets say of fields.
func (v *visitor) scopes(list []*Handle) {
	for _, h := range list {
		if h.scope != nil {
			v.b.Scope(v.describe(h, list))
		}
	}
	if root := (fieldFlags{}); root.collect(list, nil) {
		v.b.Scope(snapshot.Scope{Sensitive: root.sensitive, Volatile: root.volatile})
	}
}

// fieldFlags are what the record sets of a scope say of its fields.
type fieldFlags struct{ sensitive, volatile []string }

// collect adds those of the scope h, nil for records without one, and reports
// whether there are any.
func (f *fieldFlags) collect(list []*Handle, h *Handle) bool {
	for _, in := range list {
		if in.source == nil || in.parent != h && (h != nil || in.parent.scope != nil) {
			continue
		}
		f.sensitive = append(f.sensitive, in.source.sensitive()...)
		f.volatile = append(f.volatile, in.source.volatile()...)
	}
	return f.sensitive != nil || f.volatile != nil
}

// describe returns the scope h as a snapshot declares it.
func (v *visitor) describe(h *Handle, list []*Handle) snapshot.Scope {
	s := h.scope
	var flags fieldFlags
	flags.collect(list, h)
	out := snapshot.Scope{
		ID: s.ID, Label: s.Label, Description: s.Description, Role: s.Role, Parent: h.parent.scopeID(),
		Volatile: flags.volatile, Sensitive: flags.sensitive, Unordered: s.Unordered, IDs: s.IDs,
	}
	var err error
	if out.State, err = s.state(); err != nil {
		v.fault(CodeBadState, s.ID, "the state could not be told; the scope is taken for inactive", err)
	}
	if out.State == snapshot.Active {
		out.State = ""
	}
	if s.Window != nil {
		total, offset := s.Window()
		out.Total = &total
		if offset >= 0 {
			out.Offset = &offset
		}
	}
	return out
}

// visit reads records and actions.
func (v *visitor) visit(list []*Handle) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	for _, h := range list {
		switch {
		case h.source != nil:
			if err := v.records(h); err != nil {
				return err
			}
		case h.tool != nil:
			ok, reason, err := h.tool.availability()
			if err != nil {
				v.fault(CodeBadAvailable, h.tool.ID, ReasonUnknown, err)
			}
			v.add(h, h.origin(), snapshot.Action{
				Name: h.tool.ID, Description: h.tool.Description, Kind: h.tool.Kind, Primitive: PrimitiveCall,
				Unavailable: !ok, Reason: reason, Params: h.params, Scope: h.scopeID(),
			})
		}
	}
	ids, tied := IDs(v.origins)
	for i := range v.actions {
		v.actions[i].ID = ids[i]
	}
	if len(tied) > 0 {
		v.disable(tied)
	}
	return nil
}

// records reads the records of h. If only actions are wanted, a set that panics
// spoils no more than itself; a snapshot without its records would say that they
// are gone.
func (v *visitor) records(h *Handle) error {
	if v.b == nil {
		defer func() {
			if r := recover(); r != nil {
				v.fault(CodeUnreadExposure, h.scopeID(), "the records could not be read", panicked(r))
			}
		}()
	}
	return h.source.visit(v, h)
}

// panicked returns the error of a function of the app that panicked with value.
func panicked(value any) error { return fmt.Errorf("%w: panic: %v", ErrApp, value) }

// disable makes actions of records that share their id unavailable. tied are those
// whose ids had to be numbered.
func (v *visitor) disable(tied []int) {
	count := make(map[Origin]int, len(v.origins))
	for _, o := range v.origins {
		count[o]++
	}
	for _, i := range tied {
		if count[v.origins[i]] == 1 { // otherwise the snapshot finds it
			id := v.actions[i].ID
			v.fault(CodeDuplicateID, id, "several actions have this id", fmt.Errorf("%w: action %q", ErrDuplicate, id))
		}
	}
	for i := range v.actions {
		if count[v.origins[i]] > 1 {
			v.actions[i].Unavailable, v.actions[i].Reason = true, ReasonRepeated
		}
	}
}

// add adds an action of h, without its id.
func (v *visitor) add(h *Handle, o Origin, a snapshot.Action) {
	if reason := v.state(h.parent); reason != "" {
		a.Unavailable, a.Reason = true, reason
	}
	v.origins = append(v.origins, o)
	v.actions = append(v.actions, a)
	v.handles = append(v.handles, h)
}

// state returns why nothing in the scope h can be attempted, "" if it can.
func (v *visitor) state(h *Handle) string {
	if h.scope == nil {
		return ""
	}
	if reason, known := v.states[h]; known {
		return reason
	}
	reason := h.inactive()
	if v.states == nil {
		v.states = map[*Handle]string{}
	}
	v.states[h] = reason
	return reason
}

// inactive returns why nothing in h can be attempted, "" if it can.
func (h *Handle) inactive() string {
	for ; h != nil && h.scope != nil; h = h.parent {
		switch state, _ := h.scope.state(); state {
		case snapshot.Inactive:
			return ReasonInactive
		case snapshot.Covered:
			return ReasonCovered
		}
	}
	return ""
}

// origin returns the origin of a function-level tool.
func (h *Handle) origin() Origin { return Origin{Scope: h.scopeID(), Name: h.tool.ID} }

// availability asks the tool; locks are held. A tool whose function panics is not
// available, err says why.
func (t *Tool) availability() (ok bool, reason string, err error) {
	if t.Available == nil {
		return true, "", nil
	}
	defer func() {
		if r := recover(); r != nil {
			ok, reason, err = false, ReasonUnknown, panicked(r)
		}
	}()
	if ok, reason = t.Available(); ok {
		reason = ""
	}
	return ok, reason, nil
}

// state asks the scope; locks are held. A scope whose function panics is inactive,
// err says why.
func (s *Scope) state() (state snapshot.State, err error) {
	if s.State == nil {
		return snapshot.Active, nil
	}
	defer func() {
		if r := recover(); r != nil {
			state, err = snapshot.Inactive, panicked(r)
		}
	}()
	return s.State(), nil
}
