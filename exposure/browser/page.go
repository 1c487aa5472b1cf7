package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
)

// Defaults of PageOptions.
const (
	DefaultQuiet  = 200 * time.Millisecond
	DefaultSettle = 2 * time.Second
	DefaultCut    = 64 << 10
)

// PageOptions says how a live page is read and run. The zero value and nil mean
// the documented defaults.
type PageOptions struct {
	// Quiet is how long nothing must change, and no request be under way, for the
	// page to count as settled; DefaultQuiet.
	Quiet time.Duration
	// Settle is how long that is waited for at most; DefaultSettle.
	Settle time.Duration
	// Dialogs answers what the page asks its user; nil means [Dismiss].
	Dialogs DialogPolicy
	// Providers are those of tools, besides the page runtime's.
	Providers []Provider
	// Infer infers exposure also on a page that has annotations.
	Infer bool
	// Whole hands over values of any size. Otherwise of those above 64 KiB only
	// the head, the length and a digest leave the page, which is enough to see
	// that they change.
	Whole bool
	// Limits bounds snapshots.
	Limits snapshot.Limits
}

// A DialogPolicy answers a dialog: whether it is accepted, and with which text if
// it is a prompt. It must not block.
type DialogPolicy func(Dialog) (accept bool, text string)

// Dismiss answers as somebody does who closes everything: no, and for a
// beforeunload that the page may be left.
func Dismiss(d Dialog) (accept bool, text string) { return d.Type == "beforeunload", "" }

// Accept answers yes to everything, to prompts with what they suggest.
func Accept(d Dialog) (accept bool, text string) { return true, d.Default }

// Answer answers yes to everything, to prompts with text.
func Answer(text string) DialogPolicy {
	return func(d Dialog) (bool, string) { return true, text }
}

// A Page is a live page: it is observed and called through package call. It is
// safe for concurrent use; readings of one page take turns.
//
//	page, err := browser.NewPage(ctx, tab, nil)
//	caller := call.New(page, nil)
type Page struct {
	tab  Tab
	opts PageOptions
	key  [4]uint32 // of digests made in the page
	stop func()

	turn      chan struct{}   // has an element while the page is being read
	turns     int             // how often it has been
	preparing []chan struct{} // by provider, closed when it has ended
	builder   snapshot.Builder
	targets   *referents // of the last reading, nil before the first
	before    *snapshot.Snapshot
	notes     []snapshot.Diagnostic // that came with it
	kept      map[FrameID]*kept
	decoded   *kept        // those of the top document that before was made of
	coming    bool         // documents in frames were not whole when the page was read last
	pools     pools        // of trees
	scratch   html.Scratch // for decoding them

	mu    sync.Mutex
	state pageState
	moved chan struct{} // closed and replaced when state changes
}

// A pageState is what events have told of a page.
type pageState struct {
	gone       EventType // Crashed, Closed or BrowserGone, 0 while the page is there
	documents  int       // how often another document was navigated to
	worlds     int       // how often scripts of the document have ended, at least as often
	leaving    bool      // it is about to be
	supposed   bool      // as somebody's script ended, of which no event has told yet
	overdue    bool      // it was, and nobody waits for that any more
	ready      bool      // the document is parsed
	loaded     bool      // with all it needs
	requests   map[string]time.Time
	quietSince time.Time // when the last request ended
	readAt     time.Time // when the page was read last
	apart      []FrameID // the frames that were read for themselves then
	dialogs    []diff.Dialog
	open       *Dialog // the dialog that is open
	popups     []string
}

// origin is what identifies an action.
type origin struct{ group, scope, record, name string }

func originOf(a *snapshot.Action) origin { return origin{a.Group, a.Scope, a.Record, a.BareName()} }

// A referent is what an action stands for: elements, several if the page gives one
// origin to several, or something of a provider.
type referent struct {
	elements []element
	provider Provider
	signal   string // by which the provider says that it has answered
}

// referents are what the actions of a reading stand for. It is safe for concurrent
// use once the reading is over.
type referents struct {
	elements  []placed
	providers map[origin]Provider
	numbers   map[FrameID]int // of the readings of documents; who has the turn may look

	once  sync.Once
	index map[origin][]element
}

// A placed element is one with the origin of its action.
type placed struct {
	origin  origin
	element element
}

// find returns what an action stands for. An element comes before code of the same
// origin. The first call costs as much as there are elements.
func (r *referents) find(a *snapshot.Action) (referent, bool) {
	if r == nil {
		return referent{}, false
	}
	r.once.Do(func() {
		r.index = make(map[origin][]element, len(r.elements))
		for _, p := range r.elements {
			r.index[p.origin] = append(r.index[p.origin], p.element)
		}
	})
	o := originOf(a)
	if list := r.index[o]; list != nil {
		return referent{elements: list}, true
	}
	p, ok := r.providers[o]
	return referent{provider: p}, ok
}

// An element is one of a reading.
type element struct {
	frame  FrameID
	ref    int // what the collector calls it
	number int // of the reading, 0 until it is held
	// at is where it could be hit when it was held, nil if that was not asked.
	at *verdict
}

// key is the JavaScript literal by which our scripts know an element that is held.
func (e element) key() string { return fmt.Sprintf(`"%d@%d"`, e.ref, e.number) }

// NewPage returns the live page in a tab. The tab must not be used for another
// page at the same time.
func NewPage(ctx context.Context, tab Tab, opts *PageOptions) (*Page, error) {
	p := &Page{tab: tab, turn: make(chan struct{}, 1), moved: make(chan struct{}), key: sessionKey()}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Providers = append([]Provider{&pageRuntime{}}, p.opts.Providers...)
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{{&p.opts.Quiet, DefaultQuiet}, {&p.opts.Settle, DefaultSettle}} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
	if p.opts.Dialogs == nil {
		p.opts.Dialogs = Dismiss
	}
	p.state.requests, p.state.ready = map[string]time.Time{}, true
	p.state.loaded = true
	p.stop = tab.Events(p.event)
	err := tab.OnNewDocument(ctx, Isolated, earlyJS)
	if err == nil {
		_, err = tab.Evaluate(ctx, Script{Expression: earlyJS + "\n;undefined"})
	}
	if err != nil {
		p.stop()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("the page does not answer; a dialog may be open in it: %w", err)
		}
		return nil, err
	}
	for _, provider := range p.opts.Providers {
		source := provider.Script()
		if source == "" {
			continue
		}
		err = tab.OnNewDocument(ctx, Main, source)
		if err == nil {
			_, err = tab.Evaluate(ctx, Script{World: Main, Expression: source + "\n;undefined"})
		}
		if err != nil {
			p.stop()
			return nil, fmt.Errorf("provider %s: %w", provider.Name(), err)
		}
	}
	return p, nil
}

// Tab returns the tab that the page is in.
func (p *Page) Tab() Tab { return p.tab }

// Close lets go of the page; the tab stays open.
func (p *Page) Close() { p.stop() }

// Navigate loads url and waits until its document is parsed.
func (p *Page) Navigate(ctx context.Context, url string) error {
	was := p.depart()
	err := p.tab.Navigate(ctx, url)
	none := errors.Is(err, ErrNoDocument)
	if err != nil && !none {
		return p.gone(err)
	}
	// The answer comes before or after the event, and for a fragment there is
	// none of a new document.
	there := func(s *pageState) bool {
		return s.ready && !s.leaving && (s.documents > was || strings.Contains(url, "#") && !none)
	}
	if none {
		// Unless another one came in between, of a page that moves on by itself.
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if p.await(limited, there) == nil {
			return nil
		}
		if gone := p.gone(nil); gone != nil || ctx.Err() != nil {
			return errors.Join(gone, ctx.Err())
		}
		return err
	}
	return p.await(ctx, there)
}

// depart makes ready to load a document, which also a page that crashed can, and
// returns how many there have been.
func (p *Page) depart() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.gone == Crashed {
		p.state.gone, p.state.ready, p.state.loaded = 0, false, false
	}
	return p.state.documents
}

// Reload loads the document again and returns when the new one is there.
func (p *Page) Reload(ctx context.Context) error {
	was := p.depart()
	if err := p.tab.Reload(ctx); err != nil {
		return p.gone(err)
	}
	return p.await(ctx, func(s *pageState) bool { return s.ready && !s.leaving && s.documents > was })
}

// WaitLoaded waits until the document has loaded with all it needs.
func (p *Page) WaitLoaded(ctx context.Context) error {
	return p.await(ctx, func(s *pageState) bool { return s.loaded && !s.leaving })
}

// event keeps p.state. It runs in the driver's reader.
func (p *Page) event(e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.state
	top := e.Frame == ""
	switch e.Type {
	case NavigationStarted:
		s.leaving, s.supposed = s.leaving || top, s.supposed && !top
	case ScriptsEnded:
		s.worlds++
		s.leaving, s.supposed = s.leaving && !s.supposed, false
	case NavigationEnded:
		s.leaving, s.overdue = s.leaving && !top, s.overdue && !top
	case Navigated:
		if !top || e.SameDocument {
			break
		}
		s.documents++
		s.worlds++
		s.leaving, s.supposed, s.overdue, s.ready, s.loaded = false, false, false, false, false
		clear(s.requests)
		s.open = nil
		if s.gone == Crashed {
			s.gone = 0
		}
	case DOMReady:
		s.ready = true
	case Loaded:
		s.ready, s.loaded = true, true
	case RequestStarted:
		s.requests[e.Request] = time.Now()
	case RequestEnded:
		if _, ok := s.requests[e.Request]; ok {
			delete(s.requests, e.Request)
			s.quietSince = time.Now()
		}
	case DialogOpened:
		d := e.Dialog
		s.open = &d
		go p.answer(d)
	case DialogClosed:
		s.open = nil
	case PopupOpened:
		if len(s.popups) < maxPopups {
			s.popups = append(s.popups, e.URL)
		}
	case Crashed, Closed, BrowserGone:
		s.gone = e.Type
		s.open = nil
	}
	close(p.moved)
	p.moved = make(chan struct{})
}

// maxPopups bounds how many pages that were opened are told of at once.
const maxPopups = 20

// answer answers a dialog.
func (p *Page) answer(d Dialog) {
	accept, text := p.opts.Dialogs(d)
	word := "dismiss"
	if accept {
		word = "accept"
		if d.Type == "prompt" {
			word = text
		}
	}
	p.mu.Lock()
	if len(p.state.dialogs) < maxDialogs {
		p.state.dialogs = append(p.state.dialogs, diff.Dialog{Type: d.Type, Message: d.Message, Answer: word})
	}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := p.tab.AnswerDialog(ctx, accept, text) // who waits for the page sees if it stays open
	if d.Type == "beforeunload" && !accept && err == nil {
		p.stay()
	}
}

// stay notes that the page was not let go, of which no event tells.
func (p *Page) stay() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.leaving, p.state.supposed, p.state.overdue = false, false, false
	close(p.moved)
	p.moved = make(chan struct{})
}

// maxDialogs bounds the dialogs of one call that are told of.
const maxDialogs = 100

// await waits until holds of the state, or the page is gone.
func (p *Page) await(ctx context.Context, holds func(*pageState) bool) error {
	for {
		p.mu.Lock()
		gone, ok, moved := p.state.gone, holds(&p.state), p.moved
		p.mu.Unlock()
		if gone != 0 {
			return p.gone(nil)
		}
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look returns a copy of the state, for reading.
func (p *Page) look() pageState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// gone returns err as what it means for a call: that the page is gone, if it is.
func (p *Page) gone(err error) error {
	p.mu.Lock()
	why := p.state.gone
	p.mu.Unlock()
	switch {
	case why == Crashed, errors.Is(err, ErrCrashed):
		return &call.UnobservedError{Reason: diff.PageCrashed, Err: fmt.Errorf("%w: %w", call.ErrPageGone, ErrCrashed)}
	case why == BrowserGone, errors.Is(err, ErrBrowserGone):
		return &call.UnobservedError{Reason: diff.PageClosed, Err: fmt.Errorf("%w: %w", call.ErrPageGone, ErrBrowserGone)}
	case why == Closed, errors.Is(err, ErrClosed):
		return &call.UnobservedError{Reason: diff.PageClosed, Err: fmt.Errorf("%w: %w", call.ErrPageGone, ErrClosed)}
	}
	return err
}

// WaitFor waits until something of the page matches a CSS selector.
func (p *Page) WaitFor(ctx context.Context, selector string) error {
	for {
		raw, err := p.inWorld(ctx, "", "matches("+Quote(selector)+")", false)
		var script *ScriptError
		switch {
		case errors.As(err, &script):
			return fmt.Errorf("%q is no selector", selector)
		case err != nil && !errors.Is(err, ErrDocumentGone) && ctx.Err() == nil:
			return p.gone(err)
		case string(raw) == "true":
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("nothing matches %q: %w", selector, ctx.Err())
		}
	}
}
