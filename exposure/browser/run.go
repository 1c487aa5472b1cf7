package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// find returns what an action of the last reading stands for.
func (p *Page) find(ctx context.Context, a *snapshot.Action) (referent, bool, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return referent{}, false, ctx.Err()
	}
	defer func() { <-p.turn }()
	t, ok := p.targets.find(a)
	if k := p.kept[""]; k != nil {
		t.signal = k.signal
	}
	return t, ok, nil
}

// Available reports whether an action can be attempted now. Elements are scrolled
// into view and hit: what is covered is not available.
func (p *Page) Available(ctx context.Context, a *snapshot.Action) (ok bool, reason string, err error) {
	if a.Unavailable {
		return false, a.Reason, nil
	}
	t, found, err := p.find(ctx, a)
	switch {
	case err != nil:
		return false, "", err
	case !found:
		return false, "", fmt.Errorf("%w: nothing of the page stands for it", exposure.ErrGone)
	case t.provider != nil || a.Primitive == "submit":
		return true, "", nil
	case a.Primitive == "upload":
		return false, reasonFiles, nil
	}
	e, err := p.hold(ctx, holdPoint, ofAction(a))
	if err == nil {
		_, err = p.point(ctx, e)
	}
	if err != nil {
		var u *call.UnavailableError
		if errors.As(err, &u) {
			return false, u.Reason, nil
		}
		return false, "", p.gone(err)
	}
	return true, "", nil
}

// How an element is held.
type holding int

const (
	// holdPoint: scrolled into view, with a point where it can be hit.
	holdPoint holding = 1 << iota
	// holdStill: of a reading since which nothing that is observed was mutated.
	holdStill
)

// hold returns the element that find finds in the last reading. Whoever reads the page
// from now on, it stays the same one. The page is read anew where that takes it.
func (p *Page) hold(ctx context.Context, how holding, find func(*snapshot.Snapshot, *referents) (element, error)) (element, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return element{}, ctx.Err()
	}
	defer func() { <-p.turn }()
	for tries := 0; ; tries++ {
		if tries > 0 {
			if _, _, err := p.readInTurn(ctx); err != nil {
				return element{}, err
			}
			how &^= holdStill
		}
		e, err := find(p.before, p.targets)
		switch {
		case err == nil && e.ref < 0:
			return element{}, exposure.ErrGone
		case err != nil && how&holdStill == 0:
			return element{}, err
		case err != nil:
			continue
		}
		e.number = p.targets.numbers[e.frame]
		raw, err := p.inWorld(ctx, e.frame, fmt.Sprintf("hold(%d,%d,%v,%v)", e.ref, e.number, how&holdStill != 0, how&holdPoint != 0), false)
		switch {
		case err == nil && string(raw) != "null":
			if how&holdPoint != 0 {
				e.at = &verdict{}
				err = json.Unmarshal(raw, e.at)
			}
			return e, err
		case tries == maxHold && err == nil:
			return element{}, exposure.ErrGone
		case err != nil && (tries == maxHold || !errors.Is(err, ErrDocumentGone)):
			return element{}, err
		}
	}
}

// maxHold is how often the page is read anew to get hold of an element.
const maxHold = 3

// ofAction finds the element of an action.
func ofAction(a *snapshot.Action) func(*snapshot.Snapshot, *referents) (element, error) {
	return func(_ *snapshot.Snapshot, targets *referents) (element, error) {
		t, ok := targets.find(a)
		if !ok || t.provider != nil {
			return element{}, exposure.ErrGone
		}
		return t.element(a)
	}
}

// element returns the element that an action stands for, by the number in its id
// where several have one origin.
func (t *referent) element(a *snapshot.Action) (element, error) {
	n := 1
	if len(t.elements) > 1 {
		if i := strings.LastIndexByte(a.ID, '#'); i >= 0 {
			if k, err := strconv.Atoi(a.ID[i+1:]); err == nil {
				n = k
			}
		}
	}
	if n < 1 || n > len(t.elements) {
		return element{}, exposure.ErrGone
	}
	return t.elements[n-1], nil
}

// Expectation returns what a provider's action expects.
func (p *Page) Expectation(a *snapshot.Action) *exposure.Expectation {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	t, found, err := p.find(ctx, a)
	if err != nil || !found || t.provider == nil {
		return nil
	}
	e := t.provider.Expectation(p.tab, a)
	if e == nil {
		return nil
	}
	told := *e
	told.Await = func(ctx context.Context) error { return e.Await(context.WithValue(ctx, signalKey{}, t.signal+"!")) }
	return &told
}

// reasonFiles is why files are not chosen.
const reasonFiles = "files are chosen by a person"

// notRun says that an error came before anything was done, unless it is that ctx ended.
func notRun(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", exposure.ErrNotRun, err)
}

// undone is notRun for what one of our scripts says, which is all or nothing.
func undone(ctx context.Context, err error) error {
	var u *call.UnavailableError
	if errors.As(err, &u) || errors.Is(err, exposure.ErrGone) {
		return notRun(ctx, err)
	}
	return err
}

// Run runs an action once: a provider's by its provider, an element's with real
// input. It fails with call.ErrNavigated when the document was replaced before the
// action answered, with call.ErrPageGone when the page was closed or crashed, and
// with exposure.ErrGone or a *call.UnavailableError when the element has gone or
// cannot be hit. Errors that came before anything was done wrap exposure.ErrNotRun.
func (p *Page) Run(ctx context.Context, a *snapshot.Action, params json.RawMessage) (any, error) {
	if p.look().gone != 0 {
		return nil, notRun(ctx, p.gone(nil))
	}
	return p.guard(ctx, func(ctx context.Context) (any, error) {
		t, found, err := p.find(ctx, a)
		switch {
		case err != nil:
			return nil, err
		case found && t.provider != nil:
			v, err := t.provider.Run(context.WithValue(ctx, signalKey{}, t.signal), p.tab, a, params)
			if errors.Is(err, exposure.ErrGone) {
				err = notRun(ctx, err)
			}
			return v, err
		}
		return nil, p.gesture(ctx, a, params)
	})
}

// answerTime is how long a tool that was cut off by a navigation may still have
// been answering.
const answerTime = 100 * time.Millisecond

// guard runs f and notices when the page leaves or is gone meanwhile.
func (p *Page) guard(ctx context.Context, f func(context.Context) (any, error)) (any, error) {
	type result struct {
		v   any
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	worlds := p.look().worlds
	done := make(chan result, 1)
	go func() {
		v, err := f(ctx)
		done <- result{v, err}
	}()
	var late <-chan time.Time
	for {
		p.mu.Lock()
		s, moved := p.state, p.moved
		p.mu.Unlock()
		if s.gone != 0 {
			return nil, p.gone(nil)
		}
		if s.worlds > worlds && late == nil {
			late = time.After(answerTime)
		}
		select {
		case r := <-done:
			return r.v, p.left(r.err, worlds)
		case <-moved:
		case <-late:
			return nil, call.ErrNavigated
		case <-ctx.Done():
			r := <-done // it returns soon
			return r.v, r.err
		}
	}
}

// left says that an error comes from the document being replaced, if it does.
func (p *Page) left(err error, worlds int) error {
	var script *ScriptError
	switch {
	case err == nil || errors.As(err, &script):
		return err
	case errors.Is(err, ErrDocumentGone):
		p.suppose(worlds)
		return fmt.Errorf("%w: %w", call.ErrNavigated, err)
	}
	return p.gone(err)
}

// supposeTime is how long the event is waited for that says why a script has ended.
const supposeTime = 500 * time.Millisecond

// suppose takes the page for leaving because a script has ended, if there was no event
// since the number of worlds was seen. There should be one very soon.
func (p *Page) suppose(worlds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.state
	if s.worlds != worlds || s.leaving {
		return
	}
	s.leaving, s.supposed = true, true
	time.AfterFunc(supposeTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.supposed && s.worlds == worlds {
			s.leaving, s.supposed = false, false
			close(p.moved)
			p.moved = make(chan struct{})
		}
	})
}
