package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// Settle waits until the page is quiet: two animation frames, then no change and no
// request under way for the quiet time, at most for the settle time. After an
// expectation that held, or when the page said that it is done, the frames are
// enough. A navigation that was begun is waited for. What goes on in frames of other
// origins counts as long as they answer.
func (p *Page) Settle(ctx context.Context, held bool) call.Settled {
	settled, _ := p.finish(ctx, held, false)
	return settled
}

// Finish is Settle, and reads the page in the evaluation that waits for it to be quiet:
// no other task comes between. It returns no snapshot where that is not possible:
// a provider has to wait for something, frames are read for themselves, a document is
// on its way, or only what the page has asked the network for kept it from being quiet.
func (p *Page) Finish(ctx context.Context, held bool) (call.Settled, *snapshot.Snapshot) {
	settled, c := p.finish(ctx, held, true)
	if c == nil {
		return settled, nil
	}
	return settled, p.readCaught(ctx, c)
}

func (p *Page) finish(ctx context.Context, held, read bool) (call.Settled, *caught) {
	settled, c := p.settle(ctx, held, time.Now().Add(p.opts.Settle), read)
	p.mu.Lock()
	defer p.mu.Unlock()
	out := call.Settled{Unsettled: !settled, Dialogs: p.state.dialogs}
	p.state.dialogs = nil
	return out, c
}

// Answers of the script that waits for a document to be quiet.
const (
	isSettled  = 's' // it said so, or need not be waited for
	isQuiet    = 'q'
	isChanging = 'c'
	isMute     = 'm' // it runs no scripts: nothing can be waited for in it, and only input changes it
)

// muteTime is what a document that runs no scripts is given instead of two frames.
const muteTime = 50 * time.Millisecond

// settle reports whether the page came to rest by the deadline. With read, what it was
// then comes with it if it was caught.
func (p *Page) settle(ctx context.Context, enough bool, deadline time.Time, read bool) (settled bool, c *caught) {
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(margin))
	defer cancel()
	around := p.watchFrames(ctx, enough)
	for time.Until(deadline) > 0 {
		err := p.await(ctx, func(s *pageState) bool { return s.ready && !s.leaving && s.open == nil })
		if err != nil {
			p.mu.Lock()
			// It led nowhere, or is noticed when it arrives.
			p.state.overdue, p.state.leaving = p.state.leaving, false
			p.mu.Unlock()
			return ctx.Err() == nil, nil // gone: nothing changes any more
		}
		worlds := p.look().worlds
		c, expression := (*caught)(nil), ""
		if _, busy := p.busy(); read && !busy {
			if c, expression = p.catch(ctx); c != nil {
				expression = "," + expression
			}
		}
		// What is awaited in a document that a script's address replaces never comes.
		here, leave := context.WithCancel(ctx)
		go func() {
			if p.await(here, func(s *pageState) bool { return s.worlds != worlds }) == nil {
				leave()
			}
		}()
		raw, err := p.inWorld(here, "", fmt.Sprintf("settle(%v,%d,%d%s)", enough,
			p.opts.Quiet.Milliseconds(), max(time.Until(deadline).Milliseconds(), 1), expression), true)
		leave()
		s := p.look()
		switch {
		case errors.Is(err, ErrDocumentGone):
			_ = p.left(err, worlds)
			enough = false
			continue
		case s.worlds != worlds || err == nil && s.leaving:
			enough = false
			continue
		case err != nil:
			return ctx.Err() == nil && s.gone != 0, nil
		}
		state := c.take(raw)
		switch state {
		case isSettled:
			return true, c.whole()
		case isChanging:
			return false, c.whole()
		case isMute:
			select {
			case <-time.After(muteTime):
			case <-ctx.Done():
				return false, nil
			}
			if p.look().leaving {
				continue
			}
		}
		if !around.quiet(ctx, p.opts.Quiet) {
			continue // which takes as long as they have to be quiet
		}
		rest, busy := p.busy()
		if !busy && rest <= 0 {
			return true, c.whole()
		}
		if busy {
			if p.await(ctx, func(s *pageState) bool { _, busy := s.busy(p.opts.Quiet); return !busy || s.leaving }) != nil {
				return false, nil
			}
			continue // what was answered shows now
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return false, nil
		}
	}
	return false, nil
}

// frameWatch watches the documents of frames that are read for themselves.
type frameWatch struct {
	page *Page
	mu   sync.Mutex
	ids  []FrameID // those that have answered
}

// watchFrames begins to watch the frames of the last reading, those that answer in time
// not to hold anything up. If the animation frames are enough there is nothing to watch.
func (p *Page) watchFrames(ctx context.Context, enough bool) *frameWatch {
	w := &frameWatch{page: p}
	if enough {
		return w
	}
	for _, id := range p.look().apart {
		go func() {
			if _, err := p.inWorld(ctx, id, "calm(true)", false); err == nil {
				w.mu.Lock()
				w.ids = append(w.ids, id)
				w.mu.Unlock()
			}
		}()
	}
	return w
}

// quiet reports whether nothing has changed in the frames for some time. Those that do not
// answer any more are left out.
func (w *frameWatch) quiet(ctx context.Context, quiet time.Duration) bool {
	w.mu.Lock()
	ids := w.ids
	w.mu.Unlock()
	if len(ids) == 0 {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, calmTime)
	defer cancel()
	calm := make([]bool, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			raw, err := w.page.inWorld(limited, id, "calm()", false)
			ms, no := strconv.Atoi(string(raw))
			calm[i] = err != nil || no != nil || time.Duration(ms)*time.Millisecond >= quiet.Truncate(time.Millisecond)
		})
	}
	wg.Wait()
	return !slices.Contains(calm, false)
}

// calmTime is how long frames may take to say for how long they have been quiet.
const calmTime = 200 * time.Millisecond

// busy reports whether a request that began after the last reading is under way,
// and how much of the quiet time since the last one is left.
func (p *Page) busy() (rest time.Duration, busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.busy(p.opts.Quiet)
}

func (s *pageState) busy(quiet time.Duration) (rest time.Duration, busy bool) {
	for began := range maps.Values(s.requests) {
		if began.After(s.readAt) {
			return 0, true
		}
	}
	if s.quietSince.After(s.readAt) {
		rest = quiet - time.Since(s.quietSince)
	}
	return rest, false
}

// caught is what the collector handed over of the moment at which the page was settled.
// A nil *caught is that of somebody who did not ask for it.
type caught struct {
	raw    json.RawMessage
	before *kept // what it may be told against
	turn   int   // how often the page had been read before
}

// catch returns the collector's options for a reading that can be of use, nil if none
// can be.
func (p *Page) catch(ctx context.Context) (*caught, string) {
	for _, provider := range p.opts.Providers {
		if i, ok := provider.(Idler); !ok || !i.Idle(p.tab) {
			return nil, ""
		}
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ""
	}
	before := p.kept[""]
	if before == nil || before.Foreign > 0 || p.coming {
		return nil, ""
	}
	return &caught{before: before, turn: p.turns}, p.collectOptions(false, true)
}

// take takes what the script answered, and returns how it came to rest.
func (c *caught) take(raw json.RawMessage) byte {
	if len(raw) < 3 || raw[0] != '"' {
		return isChanging
	}
	state := raw[1]
	if c != nil && len(raw) > 3 {
		raw[1] = '"' // the rest is a string again
		c.raw = raw[1:]
	}
	return state
}

// whole returns c if there is anything in it.
func (c *caught) whole() *caught {
	if c == nil || c.raw == nil {
		return nil
	}
	return c
}

// readCaught returns the snapshot of what was caught, nil if that is not all there is
// to read, or if somebody has read the page since.
func (p *Page) readCaught(ctx context.Context, c *caught) *snapshot.Snapshot {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil
	}
	if p.turns != c.turn {
		return nil
	}
	p.turns++
	r := p.newReading(nil)
	columns, err := p.accept("", c.raw, c.before)
	if err != nil || columns.Foreign > 0 || columns.Unknown > 0 || columns.Coming > 0 || columns.Unread != "" || columns.Ready == "loading" {
		return nil
	}
	if err := r.grow(columns, "", &r.root); err != nil {
		return nil
	}
	r.top = &columns.header
	s, err := r.decode()
	if err != nil {
		return nil
	}
	return s
}

// signalKey is the key of a context's value: the event that says that an action has
// answered, or that what it expects holds.
type signalKey struct{}

// Answering returns an expression that gives what expression, which may be a promise,
// gives, and tells the page at that moment that the action is done that ctx is of: the
// frames that the page is given to settle pass while the answer is on its way. ctx comes
// from Provider.Run or from awaiting an expectation; any other leaves the expression as
// it is.
func Answering(ctx context.Context, expression string) string {
	name, ok := ctx.Value(signalKey{}).(string)
	if !ok {
		return expression
	}
	return "(async () => { try { return await (" + expression + "); } finally { try { dispatchEvent(new Event(" + Quote(name) + ")); } catch { /* the page is what it is */ } } })()"
}
