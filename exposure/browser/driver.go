package browser

import (
	"context"
	"encoding/json"
	"errors"
)

// A Driver is a browser. It is safe for concurrent use. chromedp's, which
// [Start], [Attach] and [FromContext] use, is in chromedp.go; another one needs
// these two interfaces and nothing else of this package.
type Driver interface {
	// NewTab opens an empty tab.
	NewTab(ctx context.Context) (Tab, error)
	// Close closes the tabs that were opened through the driver, and the browser
	// and its profile if the driver started it.
	Close() error
}

// A World is one of the global objects that scripts of a document have.
type World int

const (
	// Isolated is a world of ours: the document is the page's, the globals and
	// prototypes are our own. No page script can see or change them.
	Isolated World = iota
	// Main is where the page's own scripts run.
	Main
)

// A FrameID names a frame of a tab, "" the top one. It outlives navigations.
type FrameID string

// A Script is one evaluation in a document.
type Script struct {
	Frame FrameID
	World World
	// Expression is a JavaScript expression. It is not subject to the page's
	// content security policy.
	Expression string
	// Await waits for the promise that the expression gives.
	Await bool
	// Gesture makes the script run as if the user had clicked.
	Gesture bool
}

// A Frame is a frame of a tab.
type Frame struct {
	ID     FrameID
	Parent FrameID
	URL    string
	// Document changes whenever the frame's document is replaced.
	Document string
	// Silent says that the frame did not answer soon: of it only the ID and Parent
	// are known, of what is in it nothing.
	Silent bool
}

// A Tab is one page of a browser. It is safe for concurrent use. All methods
// return soon after their context ends or the tab is gone.
//
// Errors wrap ErrDocumentGone when the document was replaced meanwhile,
// ErrCrashed, ErrClosed or ErrBrowserGone when there is nothing to ask any more,
// and are a *ScriptError when a script threw.
type Tab interface {
	// Evaluate returns what a script gives as JSON: nil for undefined. A result
	// that is to survive exactly is best given as a string.
	Evaluate(ctx context.Context, s Script) (json.RawMessage, error)
	// OnNewDocument evaluates source in a world of every new document of the tab
	// before the scripts of the page.
	OnNewDocument(ctx context.Context, world World, source string) error
	// Navigate starts to load url and returns when the new document is there or
	// the navigation has failed; it does not wait until everything is loaded. It
	// fails with ErrNoDocument when there will be none from there.
	Navigate(ctx context.Context, url string) error
	// Reload starts to load the document again.
	Reload(ctx context.Context) error
	// Frames returns the frames of the tab, the top one first, each behind its
	// parent. It is not held up by one that does not answer: that is Silent.
	Frames(ctx context.Context) ([]Frame, error)
	// FrameElement calls function, a JavaScript function, in the isolated world
	// of the document that embeds frame, with the element that does.
	FrameElement(ctx context.Context, frame Frame, function string) (json.RawMessage, error)
	// ClosedRoots reports for each of the elements of the array that an expression
	// gives in the isolated world of a frame whether it has a shadow root that
	// scripts cannot reach.
	ClosedRoots(ctx context.Context, frame FrameID, elements string) ([]bool, error)
	// AnswerDialog answers the dialog that is open.
	AnswerDialog(ctx context.Context, accept bool, text string) error
	// Mouse moves the mouse, and presses or releases its left button.
	Mouse(ctx context.Context, e MouseEvent) error
	// Key presses and releases a key, named as KeyboardEvent.key is.
	Key(ctx context.Context, key string) error
	// InsertText types text at the caret, as an input method does.
	InsertText(ctx context.Context, text string) error
	// Events calls f for each event until stop is called. f must not block and
	// must not call the tab.
	Events(f func(Event)) (stop func())
	// Close closes the tab without asking it.
	Close(ctx context.Context) error
}

// A Protocol is a tab that takes commands of the DevTools protocol, for what the
// other methods do not cover. Tabs that have no such protocol are not one.
type Protocol interface {
	// Command runs a command of the tab's session. params and result are
	// marshalled and unmarshalled as JSON; both may be nil.
	Command(ctx context.Context, method string, params, result any) error
	// Subscribe buffers the parameters of the events of a method until stop is
	// called or the tab is gone, which closes the channel.
	Subscribe(method string) (events <-chan json.RawMessage, stop func())
}

// A MouseEvent is one of "move", "press" and "release" at a place in the
// viewport, in CSS pixels.
type MouseEvent struct {
	Type string
	X, Y float64
}

// An EventType says what happened in a tab.
type EventType int

const (
	// NavigationStarted: a frame is about to load another document.
	NavigationStarted EventType = iota + 1
	// Navigated: a frame has another document, or the same one under another
	// address (SameDocument).
	Navigated
	// ScriptsEnded: the document of the top frame is replaced, and with it go its scripts
	// and worlds. Navigated follows unless the new one comes from a script's address.
	ScriptsEnded
	// NavigationEnded: a frame is no longer about to load anything.
	NavigationEnded
	// DOMReady and Loaded: the document of the top frame is parsed, with all it
	// needs.
	DOMReady
	Loaded
	// RequestStarted and RequestEnded: a request of the page or of a frame, by its id.
	// What a frame that is gone, or does not answer, was waiting for has ended.
	RequestStarted
	RequestEnded
	// DialogOpened and DialogClosed: alert, confirm, prompt or beforeunload. The
	// page does nothing until it is answered.
	DialogOpened
	DialogClosed
	// PopupOpened: the page opened another one.
	PopupOpened
	// Crashed, Closed and BrowserGone: there will be no other event, but that a
	// crashed tab can navigate again.
	Crashed
	Closed
	BrowserGone
)

// An Event is something that happened in a tab.
type Event struct {
	Type         EventType
	Frame        FrameID // "" for the top frame
	URL          string
	SameDocument bool
	Request      string
	Dialog       Dialog
}

// A Dialog is a question that the page asks its user.
type Dialog struct {
	Type    string // alert, confirm, prompt, beforeunload
	Message string
	Default string // of a prompt
}

// Errors of tabs.
var (
	ErrDocumentGone = errors.New("the document was replaced")
	ErrNoDocument   = errors.New("there is no document: it is a download, has no content, or was not let in place of the page")
	ErrCrashed      = errors.New("the page crashed")
	ErrClosed       = errors.New("the page was closed")
	ErrBrowserGone  = errors.New("the browser is gone")
)

// A ScriptError is an exception that a script did not catch.
type ScriptError struct {
	Text string // what the exception says, from the page
}

func (e *ScriptError) Error() string { return e.Text }
