// Package tools finds and runs the tools that a page offers by itself, and exposes
// each as an action with primitive "call": it is a [browser.Provider].
//
//   - DevTools third-party tools: groups that listeners of the window event
//     devtoolstooldiscovery answer with. The event is dispatched for each reading, so
//     that what is added or removed shows. All groups count, those that come late
//     too, and a broken tool hides no other.
//   - WebMCP tools: those registered in document.modelContext, native or a polyfill.
//   - The tools of a page-agent, also of one that only scripts of the page hold.
//     Nothing else of an agent is read: its configuration has secrets.
//
// Tools with one name are told apart by their group: the group's own name,
// "webmcp", or "page-agent"; that of a tool in a frame begins with the frame's name.
//
// A tool that lacks a description or a function, or whose parameters are not
// described correctly, is listed all the same, and diagnosed or unavailable. A tool
// gets its parameters and, as a second argument, {signal}, which aborts when the
// call is given up.
//
// Read-only tools can be state probes (see [Probe]).
package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/snapshot"
)

// Name is the provider's name.
const Name = "tools"

// groupWebMCP is the group of WebMCP tools of the top document.
const groupWebMCP = "webmcp"

// ReasonNoFunction is why a tool without a function cannot be attempted.
const ReasonNoFunction = "it has no function to run"

// DefaultProbeTimeout is how long a probe may take unless Options says otherwise.
const DefaultProbeTimeout = time.Second

// patience is how long a list of tools, or a frame, is waited for.
const patience = 300 * time.Millisecond

//go:embed tools.js
var script string

// property is what the script leaves on window.
const property = `globalThis.__pagestate_tools`

// Options says what is looked for. The zero value and nil mean the documented
// defaults.
type Options struct {
	Probes       []Probe
	ProbeTimeout time.Duration // for each probe, DefaultProbeTimeout
}

// Tools is the provider of the tools of pages. Make one with [New]; it serves any
// number of pages and is safe for concurrent use.
type Tools struct {
	source string
	calls  atomic.Int64

	mu   sync.Mutex
	tabs map[browser.Tab]*tabState
}

// New returns a provider. It fails with ErrProbe.
func New(opts *Options) (*Tools, error) {
	if opts == nil {
		opts = &Options{}
	}
	timeout := opts.ProbeTimeout
	if timeout <= 0 {
		timeout = DefaultProbeTimeout
	}
	probes := make([]probe, len(opts.Probes))
	for i := range opts.Probes {
		if err := opts.Probes[i].check(); err != nil {
			return nil, err
		}
		probes[i] = opts.Probes[i].script()
	}
	config, err := json.Marshal(map[string]any{
		"provider": Name, "webmcp": groupWebMCP, "readEvent": browser.ReadEvent, "answerEvent": browser.ExposureEvent,
		"reasonSchema": exposure.ReasonSchema, "reasonNoFunction": ReasonNoFunction,
		"probes": probes, "probeTimeout": timeout.Milliseconds(), "patience": patience.Milliseconds(),
	})
	if err != nil {
		return nil, err
	}
	return &Tools{source: "(" + script + ")((" + browser.EncodeScript() + ")()," + string(config) + ")"}, nil
}

// Name returns Name.
func (t *Tools) Name() string { return Name }

// Script returns the script that finds tools.
func (t *Tools) Script() string { return t.source }

// Prepare asks the probes, and waits for lists of tools that are not there yet. On a
// page where nothing has to be waited for it costs nothing from the second reading on.
func (t *Tools) Prepare(ctx context.Context, tab browser.Tab) error {
	known := t.tab(tab)
	document, idle := known.state()
	if idle {
		return nil
	}
	prepare := browser.Script{World: browser.Main, Await: true, Expression: property + `?.prepare()`}
	out, err := tab.Evaluate(ctx, prepare)
	if err != nil {
		return err
	}
	if string(out) == `"frames"` {
		// Frames that were there before us.
		frames, err := tab.Frames(ctx)
		if err != nil {
			return err
		}
		for _, f := range frames {
			if f.ID != "" && !f.Silent {
				_, _ = tab.Evaluate(ctx, browser.Script{Frame: f.ID, World: browser.Main, Expression: "void (" + t.source + "\n)"}) // it may have gone
			}
		}
		if out, err = tab.Evaluate(ctx, prepare); err != nil {
			return err
		}
	}
	switch string(out) {
	case `"agents"`:
		if p, ok := tab.(browser.Protocol); ok {
			adoptAgents(ctx, p)
		}
	case `"idle"`:
		known.rest(document)
	}
	return nil
}

// Idle reports whether Prepare has found that nothing in the document has to be waited
// for.
func (t *Tools) Idle(tab browser.Tab) bool {
	_, idle := t.tab(tab).state()
	return idle
}

// adoptAgents looks for page-agents that only scripts of the page hold, among all
// that is an EventTarget. It costs a
// garbage collection, which takes most of a second on a large page.
func adoptAgents(ctx context.Context, p browser.Protocol) {
	const group = "pagestate-agents"
	defer func() { _ = p.Command(ctx, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": group}, nil) }()
	type object struct {
		ID string `json:"objectId"`
	}
	var prototype struct {
		Result object `json:"result"`
	}
	var found struct {
		Objects object `json:"objects"`
	}
	if p.Command(ctx, "Runtime.evaluate", map[string]any{"expression": "EventTarget.prototype", "objectGroup": group}, &prototype) != nil ||
		p.Command(ctx, "Runtime.queryObjects", map[string]any{"prototypeObjectId": prototype.Result.ID, "objectGroup": group}, &found) != nil {
		return // the document went away, or is another kind of browser's
	}
	_ = p.Command(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": found.Objects.ID, "returnByValue": true,
		"functionDeclaration": "function () { " + property + ".adopt(this); }"}, nil)
}

// A tabState is what is known of a tab.
type tabState struct {
	mu       sync.Mutex
	document int  // how often it was replaced, that of a frame included
	idle     bool // the document needs no preparation
}

func (s *tabState) state() (document int, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.document, s.idle
}

// rest notes that a document needs no preparation, unless it has been replaced.
func (s *tabState) rest(document int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = s.document == document
}

// tab returns what is known of a tab, until that is gone.
func (t *Tools) tab(tab browser.Tab) *tabState {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.tabs[tab]
	if s != nil {
		return s
	}
	s = &tabState{}
	if t.tabs == nil {
		t.tabs = map[browser.Tab]*tabState{}
	}
	t.tabs[tab] = s
	tab.Events(func(e browser.Event) {
		switch e.Type {
		case browser.Navigated:
			if !e.SameDocument {
				s.mu.Lock()
				s.document++
				s.idle = false
				s.mu.Unlock()
			}
		case browser.Closed, browser.BrowserGone:
			t.mu.Lock()
			delete(t.tabs, tab)
			t.mu.Unlock()
		}
	})
	return s
}

// A ToolError is what a tool threw.
type ToolError struct{ Message string }

func (e *ToolError) Error() string { return e.Message }

// Run runs a tool of the last reading. When ctx ends, the tool's signal aborts; Run
// returns when the tool does, or when its document is gone.
func (t *Tools) Run(ctx context.Context, tab browser.Tab, a *snapshot.Action, params json.RawMessage) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if !json.Valid(params) {
		return nil, fmt.Errorf("the parameters of %q are no JSON", a.ID)
	}
	if p, ok := tab.(browser.Protocol); ok && a.Group == groupWebMCP {
		if out, err := invoke(ctx, tab, p, a.BareName(), params); !errors.Is(err, errNotInvoked) {
			return out, err
		}
	}
	id := browser.Quote(strconv.FormatInt(t.calls.Add(1), 10))
	// The parameters go as text, and as an expression for a page that had replaced
	// JSON.parse before this script came.
	run := fmt.Sprintf("%s?.run(%s,%s,%s,()=>(%s))", property, key(a), browser.Quote(string(params)), id, params)
	unbounded := context.WithoutCancel(ctx)
	var at atomic.Value // the frame that is asked
	at.Store(browser.FrameID(""))
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(unbounded, time.Second)
		defer cancel()
		_, _ = tab.Evaluate(limited, browser.Script{Frame: at.Load().(browser.FrameID), World: browser.Main, Expression: property + "?.stop(" + id + ")"})
	})
	defer stop()
	out, err := runIn(unbounded, tab, "", run)
	if !errors.Is(err, exposure.ErrGone) {
		return out, err
	}
	// A frame of another origin, which the top one cannot see into.
	frames, err := tab.Frames(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		if f.ID == "" || f.Silent || ctx.Err() != nil {
			continue
		}
		at.Store(f.ID)
		if out, err := runIn(unbounded, tab, f.ID, run); !errors.Is(err, exposure.ErrGone) {
			return out, err
		}
	}
	return nil, exposure.ErrGone
}

// runIn evaluates run in a frame.
func runIn(ctx context.Context, tab browser.Tab, frame browser.FrameID, run string) (any, error) {
	out, err := tab.Evaluate(ctx, browser.Script{Frame: frame, World: browser.Main, Await: true, Gesture: true, Expression: browser.Answering(ctx, run)})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
		Error *string         `json:"error"`
		Gone  bool            `json:"gone"`
	}
	if err := decode(out, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Gone:
		return nil, exposure.ErrGone
	case answer.Error != nil:
		return nil, &ToolError{*answer.Error}
	case answer.Value == nil:
		return nil, nil
	}
	return answer.Value, nil
}

// Expectation returns nil: tools of these kinds declare none.
func (t *Tools) Expectation(browser.Tab, *snapshot.Action) *exposure.Expectation { return nil }

var errAnswer = errors.New("the page's tools answered with what is no answer")

// decode reads what the script's functions return: JSON text. No text is what a
// document without the script gives, which has no tools.
func decode(out json.RawMessage, into any) error {
	if len(out) == 0 {
		return exposure.ErrGone
	}
	var text string
	if json.Unmarshal(out, &text) != nil || json.Unmarshal([]byte(text), into) != nil {
		return errAnswer
	}
	return nil
}

// key returns the arguments by which the script finds a tool: group, name and which
// of those that have both.
func key(a *snapshot.Action) string {
	name, occurrence := a.BareName(), 0
	if a.ID != name && !strings.HasSuffix(a.ID, "/"+name) {
		if i := strings.LastIndexByte(a.ID, '#'); i >= 0 {
			if n, err := strconv.Atoi(a.ID[i+1:]); err == nil && n > 1 {
				occurrence = n - 1
			}
		}
	}
	return browser.Quote(a.Group) + "," + browser.Quote(name) + "," + strconv.Itoa(occurrence)
}
