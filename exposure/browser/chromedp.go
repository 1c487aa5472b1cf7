package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// A chromeTab is a Tab over a chromedp context.
type chromeTab struct {
	ctx    context.Context // of chromedp
	cancel context.CancelFunc
	t      *chromedp.Target
	top    FrameID // what the protocol calls the frame that we call ""
	stop   context.CancelFunc

	mu        sync.Mutex
	listeners map[int]func(Event)
	next      int
	worlds    map[FrameID]int64     // isolated worlds by frame
	outside   map[FrameID]*outFrame // frames in processes of their own
	sources   []source              // for new documents
	foreign   map[FrameID]FrameID   // those that the browser told of, with their parents
	inner     map[FrameID]FrameID   // other frames with the one whose session they are in
	silent    map[FrameID]bool      // those that did not answer the last time
	sessions  map[target.SessionID]FrameID
	requests  map[FrameID]map[string]bool // under way, by the frame whose session told of them, none for the tab's own
	arriving  map[FrameID]arrival         // the last requests for documents of frames inside
	crashed   bool
	crash     chan struct{} // closed when it crashes
	lost      EventType     // Closed or BrowserGone once it is no more
	end       chan struct{} // closed then
}

func newChromeTab(ctx context.Context, cancel context.CancelFunc) (*chromeTab, error) {
	c := chromedp.FromContext(ctx)
	if c == nil || c.Target == nil {
		return nil, chromedp.ErrInvalidContext
	}
	lctx, stop := context.WithCancel(ctx)
	t := &chromeTab{ctx: ctx, cancel: cancel, t: c.Target, top: FrameID(c.Target.TargetID), stop: stop,
		listeners: map[int]func(Event){}, crash: make(chan struct{}), end: make(chan struct{}), worlds: map[FrameID]int64{}, outside: map[FrameID]*outFrame{},
		foreign: map[FrameID]FrameID{}, inner: map[FrameID]FrameID{}, silent: map[FrameID]bool{}, sessions: map[target.SessionID]FrameID{}, requests: map[FrameID]map[string]bool{}, arriving: map[FrameID]arrival{}}
	if err := chromedp.Listen(lctx, t.event); err != nil {
		stop()
		return nil, err
	}
	detached, err := chromedp.Detached(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	t.findForeign()
	go func() {
		select {
		case <-detached:
			t.gone(Closed)
		case <-c.Browser.LostConnection:
			t.gone(BrowserGone)
		case <-lctx.Done():
			t.gone(Closed)
		}
	}()
	return t, nil
}

// gone notes that the tab is no more.
func (t *chromeTab) gone(why EventType) {
	t.mu.Lock()
	was := t.lost
	if was == 0 {
		t.lost = why
		close(t.end)
	}
	t.mu.Unlock()
	if was == 0 {
		t.emit(Event{Type: why})
	}
}

func (t *chromeTab) emit(e Event) {
	t.mu.Lock()
	list := make([]func(Event), 0, len(t.listeners))
	for i := range t.next {
		if f := t.listeners[i]; f != nil {
			list = append(list, f)
		}
	}
	t.mu.Unlock()
	for _, f := range list {
		f(e)
	}
}

func (t *chromeTab) Events(f func(Event)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.next
	t.next++
	t.listeners[n] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners, n)
	}
}

// event turns what chromedp tells into events of ours.
func (t *chromeTab) event(ev any) {
	t.frameEvent("", ev)
	t.requestEvent("", ev)
	switch ev := ev.(type) {
	case *page.EventFrameStartedNavigating:
		if ev.NavigationType != "sameDocument" && ev.NavigationType != "historySameDocument" && !isScript(ev.URL) {
			t.emit(Event{Type: NavigationStarted, Frame: t.frame(ev.FrameID), URL: ev.URL})
		}
	case *page.EventFrameRequestedNavigation:
		if !isScript(ev.URL) {
			t.emit(Event{Type: NavigationStarted, Frame: t.frame(ev.FrameID), URL: ev.URL})
		}
	case *page.EventFrameNavigated:
		id := t.frame(ev.Frame.ID)
		t.emit(Event{Type: Navigated, Frame: id, URL: ev.Frame.URL})
		if id == "" && ev.Type == page.NavigationTypeBackForwardCacheRestore {
			t.emit(Event{Type: Loaded}) // it comes back as it was left
		}
	case *runtime.EventExecutionContextsCleared:
		t.emit(Event{Type: ScriptsEnded})
	case *page.EventNavigatedWithinDocument:
		t.emit(Event{Type: Navigated, Frame: t.frame(ev.FrameID), URL: ev.URL, SameDocument: true})
	case *page.EventFrameStoppedLoading:
		t.emit(Event{Type: NavigationEnded, Frame: t.frame(ev.FrameID)})
	case *page.EventDomContentEventFired:
		t.emit(Event{Type: DOMReady})
	case *page.EventLoadEventFired:
		t.emit(Event{Type: Loaded})
	case *page.EventJavascriptDialogOpening:
		t.emit(Event{Type: DialogOpened, URL: ev.URL, Dialog: Dialog{Type: string(ev.Type), Message: ev.Message, Default: ev.DefaultPrompt}})
	case *page.EventJavascriptDialogClosed:
		t.emit(Event{Type: DialogClosed})
	case *page.EventWindowOpen:
		t.emit(Event{Type: PopupOpened, URL: ev.URL})
	case *inspector.EventTargetCrashed:
		t.mu.Lock()
		if !t.crashed {
			close(t.crash)
		}
		t.crashed = true
		t.mu.Unlock()
		t.emit(Event{Type: Crashed})
	}
}

// isScript reports whether an address is a script, which loads nothing.
func isScript(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return strings.EqualFold(scheme, "javascript")
}

// failure names what a command's error comes from.
func (t *chromeTab) failure(err error) error {
	if err == nil {
		return nil
	}
	t.mu.Lock()
	crashed, lost := t.crashed, t.lost
	t.mu.Unlock()
	browser := chromedp.FromContext(t.ctx).Browser
	var pe *cdproto.Error
	switch {
	case lost == BrowserGone:
		return fmt.Errorf("%w: %w", ErrBrowserGone, err)
	case lost == Closed, errors.Is(err, chromedp.ErrTargetDetached):
		return fmt.Errorf("%w: %w", ErrClosed, err)
	case crashed:
		return fmt.Errorf("%w: %w", ErrCrashed, err)
	case errors.As(err, &pe):
		for _, text := range []string{"Cannot find context", "context was destroyed", "navigated or closed", "uniqueContextId not found",
			"No frame for given id", "Frame with the given id", "Promise was collected", "No frame with given id"} {
			if strings.Contains(pe.Message, text) {
				return fmt.Errorf("%w: %w", ErrDocumentGone, err)
			}
		}
		if strings.Contains(pe.Message, "Target crashed") {
			return fmt.Errorf("%w: %w", ErrCrashed, err)
		}
		if strings.Contains(pe.Message, "Session with given id not found") || strings.Contains(pe.Message, "No target with given id") {
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
	}
	select {
	case <-browser.LostConnection:
		return fmt.Errorf("%w: %w", ErrBrowserGone, err)
	default:
	}
	if t.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// call runs a command, giving it up when the tab is gone.
func (t *chromeTab) call(ctx context.Context, s *chromedp.Target, method string, params, result any) error {
	t.mu.Lock()
	lost, crashed, crash := t.lost, t.crashed, t.crash
	t.mu.Unlock()
	loads := method == "Page.navigate" || method == "Page.reload"
	switch {
	case lost == BrowserGone:
		return ErrBrowserGone
	case lost != 0:
		return ErrClosed
	case loads:
		crash = nil // a page that has crashed can load something else
	case crashed:
		return ErrCrashed
	}
	// What a page that crashes, or is closed, was asked is never answered.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-crash:
			cancel()
		case <-t.end:
			cancel()
		case <-done:
		}
	}()
	return t.failure(s.Call(ctx, method, params, result))
}

// Command runs a command of the tab's session.
func (t *chromeTab) Command(ctx context.Context, method string, params, result any) error {
	return t.call(ctx, t.t, method, params, result)
}

// Subscribe buffers the events of a method.
func (t *chromeTab) Subscribe(method string) (<-chan json.RawMessage, func()) {
	in, stop := t.t.Subscribe(method)
	out := make(chan json.RawMessage)
	done := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(out)
		for v := range in {
			select {
			case out <- json.RawMessage(v):
			case <-done:
				return
			}
		}
	}()
	return out, func() { once.Do(func() { close(done); stop() }) }
}

// worldName names our isolated worlds.
const worldName = "pagestate"

// world returns the isolated world of a frame's document.
func (t *chromeTab) world(ctx context.Context, s *chromedp.Target, id FrameID) (int64, error) {
	t.mu.Lock()
	n := t.worlds[id]
	t.mu.Unlock()
	if n != 0 {
		return n, nil
	}
	frame := id
	if frame == "" {
		frame = t.top
	}
	var made struct {
		ID int64 `json:"executionContextId"`
	}
	params := struct {
		Frame FrameID `json:"frameId"`
		Name  string  `json:"worldName"`
	}{frame, worldName}
	if err := t.call(ctx, s, "Page.createIsolatedWorld", params, &made); err != nil {
		return 0, err
	}
	t.mu.Lock()
	t.worlds[id] = made.ID
	t.mu.Unlock()
	return made.ID, nil
}

// evaluateParams are those of Runtime.evaluate.
type evaluateParams struct {
	Expression string `json:"expression"`
	Context    int64  `json:"contextId,omitzero"`
	ByValue    bool   `json:"returnByValue"`
	Await      bool   `json:"awaitPromise,omitzero"`
	Gesture    bool   `json:"userGesture,omitzero"`
	Silent     bool   `json:"silent"`
}

type evaluated struct {
	Result struct {
		Type  string       `json:"type"`
		Value jsonv2.Value `json:"value"`
	} `json:"result"`
	Exception *runtime.ExceptionDetails `json:"exceptionDetails"`
}

// Evaluate evaluates a script.
func (t *chromeTab) Evaluate(ctx context.Context, s Script) (json.RawMessage, error) {
	session, err := t.session(ctx, s.Frame)
	if err != nil {
		return nil, t.failure(err)
	}
	if s.World == Main {
		return t.evaluateMain(ctx, session, s)
	}
	for again := false; ; again = true {
		id, err := t.world(ctx, session, s.Frame)
		if err != nil {
			return nil, err
		}
		out, err := t.evaluate(ctx, session, s, id)
		if err == nil || again || !errors.Is(err, ErrDocumentGone) {
			return out, err
		}
		t.left(s.Frame, id)
		if s.Await {
			return nil, err // it may have begun
		}
	}
}

// evaluateMain evaluates in the page's own world: the default one of a session, or for
// a frame inside it that of the frame's document.
func (t *chromeTab) evaluateMain(ctx context.Context, session *chromedp.Target, s Script) (json.RawMessage, error) {
	if t.own(s.Frame) {
		return t.evaluate(ctx, session, s, 0)
	}
	document, err := t.document(ctx, session, s.Frame)
	if err != nil {
		return nil, err
	}
	var r evaluated
	err = t.call(ctx, session, "Runtime.callFunctionOn", map[string]any{"objectId": document,
		"functionDeclaration": "function () { return (\n" + s.Expression + "\n) }",
		"returnByValue":       true, "awaitPromise": s.Await, "userGesture": s.Gesture, "silent": true}, &r)
	_ = t.call(ctx, session, "Runtime.releaseObject", map[string]any{"objectId": document}, nil) // or it goes with the document
	if err != nil {
		return nil, err
	}
	return r.value()
}

func (t *chromeTab) evaluate(ctx context.Context, session *chromedp.Target, s Script, world int64) (json.RawMessage, error) {
	var r evaluated
	err := t.call(ctx, session, "Runtime.evaluate",
		evaluateParams{s.Expression, world, true, s.Await, s.Gesture, true}, &r)
	if err != nil {
		return nil, err
	}
	return r.value()
}

// value returns what was evaluated, or what was thrown as the error.
func (r *evaluated) value() (json.RawMessage, error) {
	if e := r.Exception; e != nil {
		text := e.Text
		if e.Exception != nil {
			if text = e.Exception.Description; text == "" {
				text = string(e.Exception.Value)
			}
		}
		return nil, &ScriptError{Text: text}
	}
	return json.RawMessage(r.Result.Value), nil
}

// A source is a script for new documents.
type source struct {
	world World
	text  string
}

// OnNewDocument evaluates a script in every new document. Frames that have a session
// of their own get it with that.
func (t *chromeTab) OnNewDocument(ctx context.Context, world World, text string) error {
	t.mu.Lock()
	t.sources = append(t.sources, source{world, text})
	sessions := []*chromedp.Target{t.t}
	for _, out := range t.outside {
		if out.t != nil {
			sessions = append(sessions, out.t)
		}
	}
	t.mu.Unlock()
	for _, s := range sessions {
		if err := t.addSource(ctx, s, source{world, text}); err != nil {
			return err
		}
	}
	return nil
}

func (t *chromeTab) addSource(ctx context.Context, s *chromedp.Target, src source) error {
	params := map[string]any{"source": src.text}
	if src.world == Isolated {
		params["worldName"] = worldName
	}
	return t.call(ctx, s, "Page.addScriptToEvaluateOnNewDocument", params, nil)
}

// Navigate loads url.
func (t *chromeTab) Navigate(ctx context.Context, url string) error {
	var r struct {
		ErrorText string `json:"errorText"`
	}
	if err := t.Command(ctx, "Page.navigate", map[string]any{"url": url}, &r); err != nil {
		return err
	}
	switch r.ErrorText {
	case "":
		return nil
	case "net::ERR_ABORTED":
		return ErrNoDocument
	}
	return fmt.Errorf("the page cannot be loaded: %s", r.ErrorText)
}

// Reload loads the document again.
func (t *chromeTab) Reload(ctx context.Context) error {
	return t.Command(ctx, "Page.reload", map[string]any{}, nil)
}

// AnswerDialog answers the dialog that is open.
func (t *chromeTab) AnswerDialog(ctx context.Context, accept bool, text string) error {
	return t.Command(ctx, "Page.handleJavaScriptDialog", map[string]any{"accept": accept, "promptText": text}, nil)
}

// Close closes the tab if it was opened by its driver, and lets go of it.
func (t *chromeTab) Close(ctx context.Context) error {
	defer t.stop()
	if t.cancel == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, out := range t.outside {
			go out.cancel()
		}
		clear(t.outside)
		return nil
	}
	return await(ctx, func() error { t.cancel(); return nil })
}
