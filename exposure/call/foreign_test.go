package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// An odd error or value runs its functions where others answer.
type odd struct {
	say, is, as, unwrap, marshal func()
}

func (o *odd) Error() string {
	if o.say != nil {
		o.say()
	}
	return "odd"
}

func (o *odd) Is(error) bool {
	if o.is != nil {
		o.is()
	}
	return false
}

func (o *odd) As(any) bool {
	if o.as != nil {
		o.as()
	}
	return false
}

func (o *odd) Unwrap() error {
	if o.unwrap != nil {
		o.unwrap()
	}
	return nil
}

func (o *odd) MarshalJSON() ([]byte, error) {
	o.marshal()
	return nil, nil
}

// An uncomparable error cannot be compared with another of its type.
type uncomparable []string

func (uncomparable) Error() string { return "uncomparable" }

// TestForeignErrors returns errors and values whose methods are as foreign as the
// tools: whatever they do, the call returns in time, the page is free for the next
// one, and the attempt is audited.
func TestForeignErrors(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	boom, hang := func() { panic("boom") }, func() { <-forever }
	fails := func(err error) func(context.Context) (any, error) {
		return func(context.Context) (any, error) { return nil, err }
	}
	returns := func(v any) func(context.Context) (any, error) {
		return func(context.Context) (any, error) { return v, nil }
	}
	var noUnavailable *call.UnavailableError
	var noUnobserved *call.UnobservedError
	var noOdd *odd
	for _, tt := range []struct {
		name   string
		run    func(context.Context) (any, error)
		code   call.Code
		reason string
	}{
		{"nil *UnavailableError", fails(noUnavailable), call.ActionFailed, "UnavailableError"},
		{"nil *UnavailableError, wrapped", fails(fmt.Errorf("run: %w", noUnavailable)), call.ActionFailed, "run: "},
		{"nil *UnobservedError", fails(noUnobserved), call.ActionFailed, "UnobservedError"},
		{"nil of its own", fails(noOdd), call.ActionFailed, "odd"},
		{"uncomparable", fails(uncomparable{"x"}), call.ActionFailed, "uncomparable"},
		{"Error panics", fails(&odd{say: boom}), call.ActionFailed, "odd"},
		{"Error hangs", fails(&odd{say: hang}), call.Timeout, ""},
		{"Error exits", fails(&odd{say: runtime.Goexit}), call.ActionFailed, "ended its goroutine"},
		{"Is panics", fails(&odd{is: boom}), call.ActionFailed, "odd"},
		{"Is hangs", fails(&odd{is: hang}), call.Timeout, ""},
		{"As panics", fails(&odd{as: boom}), call.ActionFailed, "odd"},
		{"Unwrap panics", fails(&odd{unwrap: boom}), call.ActionFailed, "odd"},
		{"Unwrap hangs", fails(&odd{unwrap: hang}), call.Timeout, ""},
		{"panics with an error that panics", func(context.Context) (any, error) { panic(&odd{say: boom}) }, call.ActionFailed, "odd"},
		{"panics with an error that hangs", func(context.Context) (any, error) { panic(&odd{say: hang}) }, call.Timeout, ""},
		{"panics with an error that exits", func(context.Context) (any, error) { panic(&odd{say: runtime.Goexit}) }, call.ActionFailed, "ended its goroutine"},
		{"MarshalJSON panics", returns([]any{&odd{marshal: boom}, 1}), "", ""},
		{"MarshalJSON hangs", returns(&odd{marshal: hang}), call.Timeout, ""},
		{"MarshalJSON exits", returns(&odd{marshal: runtime.Goexit}), call.ActionFailed, "ended its goroutine"},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			t.Parallel()
			_, reg := newList(t)
			declare(t, reg, exposure.Tool{ID: "x", Description: "d",
				Run: func(ctx context.Context, _ json.RawMessage) (any, error) { return tt.run(ctx) }})
			ring := audit.NewRing(9)
			c := call.New(reg, &call.Options{Audit: ring, Grace: time.Millisecond})
			timeout := 10 * time.Second
			if tt.code == call.Timeout {
				timeout = short
			}
			res := c.Call(t.Context(), call.Request{Action: "x", Timeout: timeout})
			var code call.Code
			if res.Err != nil {
				code = res.Err.Code
			}
			if code != tt.code || res.Err != nil && !strings.Contains(res.Err.Reason, tt.reason) || !res.Same {
				t.Errorf("got %s, want %q with %q", res.AppendJSON(nil), tt.code, tt.reason)
			}
			if !json.Valid(res.AppendJSON(nil)) {
				t.Errorf("not JSON: %s", res.AppendJSON(nil))
			}
			if res := c.Call(t.Context(), call.Request{Action: "complete_open_tasks"}); !res.OK {
				t.Errorf("the page is not free: %s", res.AppendJSON(nil))
			}
			if ring.Total() != 2 {
				t.Errorf("%d audit entries for two attempts", ring.Total())
			}
		})
	}
}

// TestForeignPage has a page fail with such errors, and the caller's own cause.
func TestForeignPage(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	var none *call.UnobservedError
	for name, err := range map[string]error{
		"nil": none, "panics": &odd{is: func() { panic("boom") }}, "hangs": &odd{say: func() { <-forever }},
		"told": fmt.Errorf("look: %w", &call.UnobservedError{Reason: "unresponsive"}),
	} {
		p := &fakePage{actions: twins(), run: func(context.Context, *snapshot.Action) (any, error) { return "done", nil }}
		p.observe = func(_ context.Context, looks int32) error {
			if looks == 2 {
				return err
			}
			return nil
		}
		res := call.New(p, &call.Options{Observe: 200 * time.Millisecond}).Call(t.Context(), call.Request{Action: "go"})
		want := map[string]string{"hangs": "timeout", "told": "unresponsive"}[name]
		if want == "" {
			want = "no-snapshot"
		}
		if !res.OK || string(res.Changed) != `{"observed":false,"reason":"`+want+`"}` {
			t.Errorf("%s: got %s", name, res.AppendJSON(nil))
		}
		p.looks.Store(1)
		if _, err := call.New(p, &call.Options{Observe: 200 * time.Millisecond}).Look(t.Context()); err == nil || err.Error() == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, cause := range map[string]error{"hangs": &odd{say: func() { <-forever }}, "panics": &odd{say: func() { panic("boom") }}, "uncomparable": uncomparable{"x"}} {
		_, reg := newList(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		res := call.New(reg, &call.Options{Grace: time.Millisecond}).Call(ctx, call.Request{Action: "complete_open_tasks"})
		if res.Err == nil || res.Err.Code != call.Aborted {
			t.Errorf("%s: got %s", name, res.AppendJSON(nil))
		}
	}
}

// TestReplaced replaces, releases and disables an action while it is being called:
// what runs is what was looked up and agreed to, or nothing.
func TestReplaced(t *testing.T) {
	const (
		words  = "Show a task."
		params = `{"properties":{"id":{"type":"string"}}}`
	)
	for _, tt := range []struct {
		name, why   string
		description string // of what it is replaced by; "" removes it
		kind        string
		unavailable bool
		want        call.Code
		ran         string // under a policy
	}{
		{"other meaning", "", "Delete everything.", "", false, call.ActionChanged, ""},
		{"other kind", "what was agreed to may not have been a write", words, "write", false, call.ActionChanged, ""},
		{"same meaning", "a component that was mounted again; the new one runs, if somebody decided on it", words, "", false, "", "new"},
		{"removed", "", "", "", false, call.ActionNotFound, ""},
		{"unavailable", "", words, "", true, call.ActionUnavailable, ""},
	} {
		for _, at := range []string{"policy", "snapshot"} {
			t.Run("case="+tt.name+"/at="+at, func(t *testing.T) {
				l, reg := newList(t)
				set := exposure.NewToolSet(reg)
				ran := ""
				apply := func(tool *exposure.Tool) {
					if err := set.Apply(t.Context(), map[string]*exposure.Tool{"x": tool}); err != nil {
						t.Error(err)
					}
				}
				tool := func(words, kind, name string) *exposure.Tool {
					return &exposure.Tool{Description: words, Kind: kind, Params: params,
						Run: func(context.Context, json.RawMessage) (any, error) { ran += name; return nil, nil }}
				}
				apply(tool(words, "", "old"))
				replace := func() {
					if tt.description == "" {
						apply(nil)
						return
					}
					next := tool(tt.description, tt.kind, "new")
					next.Available = func() (bool, string) { return !tt.unavailable, "" }
					apply(next)
				}
				opts := &call.Options{}
				page := call.Page(reg)
				want, wantRan := tt.want, tt.ran
				if at == "policy" {
					opts.Policy = func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision {
						replace()
						return call.Decision{Verdict: call.Allow}
					}
				} else {
					page = &hooked{Registry: reg, before: replace}
					if want, wantRan = call.ActionChanged, ""; tt.description == "" {
						want = call.ActionNotFound
					}
				}
				res := call.New(page, opts).Call(t.Context(), call.Request{Action: "x", If: pin(t, reg, "x"), Params: json.RawMessage(`{"id":"t1"}`)})
				var code call.Code
				if res.Err != nil {
					code = res.Err.Code
				}
				if code != want || ran != wantRan {
					t.Errorf("%s: ran %q, got %s; want %q, %q", tt.why, ran, res.AppendJSON(nil), wantRan, want)
				}
				if (ran == "") != (res.Changed == nil) {
					t.Errorf("ran %q: %s", ran, res.AppendJSON(nil))
				}
				l.add("t9", "free")
			})
		}
	}
}

// hooked is a registry to which something happens when it is first observed.
type hooked struct {
	*exposure.Registry
	before func()
}

func (h *hooked) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	if h.before != nil {
		h.before()
		h.before = nil
	}
	return h.Registry.Snapshot(ctx)
}

// TestCancelBeforeRun ends the context in the last foreign function before the run.
func TestCancelBeforeRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	p := &fakePage{actions: twins(), run: func(context.Context, *snapshot.Action) (any, error) { ran = true; return nil, nil }}
	res := call.New(&expecting{p, cancel}, nil).Call(ctx, call.Request{Action: "go"})
	if ran || res.Err == nil || res.Err.Code != call.Aborted || res.Changed != nil {
		t.Errorf("ran %v: %s", ran, res.AppendJSON(nil))
	}
}

type expecting struct {
	*fakePage
	hook func()
}

func (e *expecting) Expectation(*snapshot.Action) *exposure.Expectation {
	e.hook()
	return nil
}

// TestExpectDeadline lets the caller's own deadline pass while an expectation is
// awaited; its context has ended, so the call has.
func TestExpectDeadline(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return 1, nil },
		Expect: &exposure.Expect{Description: "It is done", Check: func() bool { return false }}})
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	if res := call.New(reg, nil).Call(ctx, call.Request{Action: "x"}); res.Err == nil || res.Err.Code != call.Timeout || res.Data != nil || !res.Same {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestBoundedText cuts what is not valid by the length that it is written with.
func TestBoundedText(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: strings.Repeat("\xff", 1024),
		Run: func(context.Context, json.RawMessage) (any, error) {
			return nil, errors.New(strings.Repeat("\xfe", 5000))
		}})
	var got struct {
		Action struct{ Description string }
		Error  struct{ Reason string }
	}
	line := call.New(reg, nil).Call(t.Context(), call.Request{Action: "x"}).AppendJSON(nil)
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if n, m := len(got.Action.Description), len(got.Error.Reason); n > 1024 || n < 900 || m > 1024 || m < 900 || !strings.HasSuffix(got.Error.Reason, "(5000 B)") {
		t.Errorf("description of %d bytes, reason of %d: %s", n, m, line)
	}
}
