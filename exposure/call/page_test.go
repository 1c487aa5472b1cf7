package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A fakePage is a page of another kind than a registry: groups of tools, a page
// that settles, and failures of its own.
type fakePage struct {
	actions  []snapshot.Action
	rows     atomic.Int32
	document atomic.Value
	run      func(ctx context.Context, a *snapshot.Action) (any, error)
	observe  func(ctx context.Context, looks int32) error
	looks    atomic.Int32
	unread   int32 // the look at which a part of it cannot be read, from 1
	nothing  int32 // the look that returns nothing at all
	settle   func(ctx context.Context, held bool) call.Settled
	settled  []bool
}

func (p *fakePage) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	n := p.looks.Add(1)
	if p.observe != nil {
		if err := p.observe(ctx, n); err != nil {
			return nil, err
		}
	}
	if n == p.nothing {
		return nil, nil
	}
	var b snapshot.Builder
	if n == p.unread {
		b.Diagnose(exposure.CodeUnreadExposure, "script", "invalid JSON")
		return b.Snapshot()
	}
	document, _ := p.document.Load().(string)
	b.Page(snapshot.Page{URL: "https://shop.example/" + document, Document: document})
	for i := range p.rows.Load() {
		b.Record("", fmt.Sprint("row", i)).End()
	}
	return b.Snapshot()
}

func (p *fakePage) Actions(context.Context) ([]snapshot.Action, error) { return p.actions, nil }

func (p *fakePage) Available(context.Context, *snapshot.Action) (bool, string, error) {
	return true, "", nil
}

func (p *fakePage) Expectation(*snapshot.Action) *exposure.Expectation { return nil }

func (p *fakePage) Run(ctx context.Context, a *snapshot.Action, _ json.RawMessage) (any, error) {
	return p.run(ctx, a)
}

func (p *fakePage) Settle(ctx context.Context, held bool) call.Settled {
	p.settled = append(p.settled, held)
	if p.settle == nil {
		return call.Settled{}
	}
	return p.settle(ctx, held)
}

// twins are the tools of two groups, some of one name.
func twins() []snapshot.Action {
	origins := []exposure.Origin{{Group: "shop", Name: "refresh"}, {Group: "debug", Name: "refresh"}, {Group: "debug", Name: "dump"}, {Name: "go"}}
	ids, _ := exposure.IDs(origins)
	var list []snapshot.Action
	for i, o := range origins {
		list = append(list, snapshot.Action{ID: ids[i], Group: o.Group, Name: o.Name, Description: "Does it."})
	}
	return list
}

func TestLookUpInGroups(t *testing.T) {
	p := &fakePage{actions: twins(), run: func(_ context.Context, a *snapshot.Action) (any, error) { return a.Group + ":" + a.Name, nil }}
	c := call.New(p, nil)
	for id, want := range map[string]string{"shop/refresh": `"shop:refresh"`, "debug/refresh": `"debug:refresh"`, "dump": `"debug:dump"`} {
		if res := c.Call(t.Context(), call.Request{Action: id}); string(res.Data) != want {
			t.Errorf("%s: got %s", id, res.AppendJSON(nil))
		}
	}
	res := c.Call(t.Context(), call.Request{Action: "refresh"})
	if res.Err == nil || res.Err.Code != call.ActionAmbiguous || !slices.Equal(res.Err.Candidates, []string{"shop/refresh", "debug/refresh"}) {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
	if line := string(res.AppendJSON(nil)); line != `{"ok":false,"error":{"code":"ACTION_AMBIGUOUS","reason":"2 actions have this name","candidates":["shop/refresh","debug/refresh"]}}` {
		t.Errorf("got %s", line)
	}
	p.actions = nil
	for i := range 50 {
		p.actions = append(p.actions, snapshot.Action{ID: fmt.Sprint("buy@", i), Name: "buy", Record: fmt.Sprint(i), Description: "Buy."})
	}
	if res = c.Call(t.Context(), call.Request{Action: "buy"}); len(res.Err.Candidates) != 20 || !strings.Contains(res.Err.Reason, "50 actions") {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestPageFailures maps what a page's Run says about itself to codes.
func TestPageFailures(t *testing.T) {
	tests := []struct {
		name, why string
		err       error
		code      call.Code
		changed   string
	}{
		{"navigated", "cut off: outcome unknown, evidence from the new document", fmt.Errorf("eval: %w", call.ErrNavigated), call.Navigated, `"navigated":true`},
		{"gone", "", call.ErrPageGone, call.PageGone, `{"observed":false,"reason":"page-closed"}`},
		{"covered", "the hit test of the last moment", &call.UnavailableError{Reason: "covered by a dialog"}, call.ActionUnavailable, `"observed":true`},
		{"withdrawn", "", fmt.Errorf("tool: %w", exposure.ErrGone), call.ActionNotFound, `"observed":true`},
		{"exits", "a tool that ends its goroutine", nil, call.ActionFailed, `"observed":true`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			p := &fakePage{actions: twins()}
			p.document.Store("a")
			p.run = func(context.Context, *snapshot.Action) (any, error) {
				switch {
				case errors.Is(tt.err, call.ErrNavigated):
					p.document.Store("b")
				case tt.err == call.ErrPageGone:
					p.observe = func(context.Context, int32) error { return call.ErrPageGone }
				case tt.err == nil:
					runtime.Goexit()
				}
				return nil, tt.err
			}
			res := call.New(p, nil).Call(t.Context(), call.Request{Action: "go"})
			if res.Err == nil || res.Err.Code != tt.code || !strings.Contains(string(res.Changed), tt.changed) {
				t.Errorf("%s: got %s", tt.why, res.AppendJSON(nil))
			}
		})
	}
}

// TestUnobserved says why there is no evidence, and still runs the action.
func TestUnobserved(t *testing.T) {
	crashed := &call.UnobservedError{Reason: diff.PageCrashed}
	tests := []struct {
		name, why string
		observe   func(ctx context.Context, looks int32) error
		changed   string
	}{
		{"before", "", func(_ context.Context, looks int32) error { return on(looks == 1, crashed) }, `{"observed":false,"reason":"no-baseline"}`},
		{"after", "", func(_ context.Context, looks int32) error { return on(looks == 2, crashed) }, `{"observed":false,"reason":"page-crashed"}`},
		{"after, unexplained", "", func(_ context.Context, looks int32) error { return on(looks == 2, errors.New("?")) }, `{"observed":false,"reason":"no-snapshot"}`},
		{"after, slow", "", func(ctx context.Context, looks int32) error {
			if looks == 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}, `{"observed":false,"reason":"timeout"}`},
		{"after, panics", "", func(_ context.Context, looks int32) error {
			if looks == 2 {
				panic("boom")
			}
			return nil
		}, `{"observed":false,"reason":"no-snapshot"}`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			p := &fakePage{actions: twins(), observe: tt.observe}
			p.run = func(context.Context, *snapshot.Action) (any, error) { p.rows.Add(1); return "did it", nil }
			c := call.New(p, &call.Options{Observe: 10 * short})
			res := c.Call(t.Context(), call.Request{Action: "go"})
			if !res.OK || string(res.Changed) != tt.changed || res.Same || string(res.Data) != `"did it"` {
				t.Errorf("%s: got %s", tt.why, res.AppendJSON(nil))
			}
			// What could not be seen is not lost where there is a look before it.
			res = c.Call(t.Context(), call.Request{Action: "go"})
			if seen := adds(res.Between, "row0"); seen != (tt.name != "before") {
				t.Errorf("between is %s", res.Between)
			}
		})
	}
}

// TestPartlyRead is a page of which a part could not be read, or that returns no
// snapshot: what is missing was not removed.
func TestPartlyRead(t *testing.T) {
	step := func(context.Context, *snapshot.Action) (any, error) { return nil, nil }
	for _, tt := range []struct {
		name            string
		unread, nothing int32
		changed         string
	}{
		{"a part, before", 1, 0, `{"observed":false,"reason":"no-baseline"}`},
		{"a part, after", 2, 0, `{"observed":false,"reason":"incomplete"}`},
		{"nothing, before", 0, 1, `{"observed":false,"reason":"no-baseline"}`},
		{"nothing, after", 0, 2, `{"observed":false,"reason":"no-snapshot"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &fakePage{actions: twins(), run: step, unread: tt.unread, nothing: tt.nothing}
			p.rows.Store(3)
			c := call.New(p, nil)
			if res := c.Call(t.Context(), call.Request{Action: "go"}); !res.OK || string(res.Changed) != tt.changed || res.Same {
				t.Errorf("got %s", res.AppendJSON(nil))
			}
			if res := c.Call(t.Context(), call.Request{Action: "go"}); !res.OK || !res.Same || res.Between != nil {
				t.Errorf("afterwards: got %s", res.AppendJSON(nil))
			}
			p.looks.Store(0)
			ev, err := call.Observe(t.Context(), p, func(context.Context) error { return nil }, nil)
			if err != nil || ev.Same || string(ev.JSON) != tt.changed {
				t.Errorf("observe: got %s, %v", ev.JSON, err)
			}
		})
	}
	// A look shows what there is, and nothing is compared with it.
	p := &fakePage{actions: twins(), run: step, unread: 1}
	p.rows.Store(3)
	c := call.New(p, nil)
	if s, err := c.Look(t.Context()); err != nil || !errors.Is(exposure.Unread(s), exposure.ErrUnread) {
		t.Errorf("look: %v", err)
	}
	if res := c.Call(t.Context(), call.Request{Action: "go"}); !res.OK || !res.Same || res.Between != nil {
		t.Errorf("after a look: got %s", res.AppendJSON(nil))
	}
	p = &fakePage{nothing: 1}
	if s, err := call.New(p, nil).Look(t.Context()); s != nil || err == nil {
		t.Errorf("look at nothing: %v, %v", s, err)
	}
}

func on(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

func TestSettle(t *testing.T) {
	p := &fakePage{actions: twins()}
	p.run = func(context.Context, *snapshot.Action) (any, error) { return nil, nil }
	p.settle = func(context.Context, bool) call.Settled {
		return call.Settled{Unsettled: true, Dialogs: []diff.Dialog{{Type: "alert", Message: "Saved", Answer: "accept"}}}
	}
	c := call.New(p, nil)
	res := c.Call(t.Context(), call.Request{Action: "go"})
	if s := string(res.Changed); !strings.Contains(s, `"settled":false`) || !strings.Contains(s, `"dialogs":[{"type":"alert"`) {
		t.Errorf("got %s", s)
	}
	// A page whose Settle never ends is given up, and called unsettled.
	p.settle = func(ctx context.Context, _ bool) call.Settled { <-ctx.Done(); time.Sleep(short); return call.Settled{} }
	res = call.New(p, &call.Options{Observe: 5 * short}).Call(t.Context(), call.Request{Action: "go"})
	if !res.OK || !strings.Contains(string(res.Changed), `"settled":false`) {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestBadSchema is an action that a page lists although its schema is unusable.
func TestBadSchema(t *testing.T) {
	p := &fakePage{actions: twins()}
	p.actions[3].Params = records.RawValue(records.AppendString(nil, "object"))
	res := call.New(p, nil).Call(t.Context(), call.Request{Action: "go"})
	if res.Err == nil || res.Err.Code != call.ActionUnavailable || res.Err.Reason != exposure.ReasonSchema {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

func TestObserve(t *testing.T) {
	l, reg := newList(t)
	ev, err := call.Observe(t.Context(), reg, func(context.Context) error { l.add("t9", "New"); return nil }, nil)
	if err != nil || ev.Same || !adds(ev.JSON, "t9") || ev.Before.Len() != 3 || ev.After.Len() != 4 {
		t.Errorf("got %s, %v", ev.JSON, err)
	}
	if ev, err = call.Observe(t.Context(), reg, func(context.Context) error { return nil }, nil); err != nil || !ev.Same {
		t.Errorf("got %s, %v", ev.JSON, err)
	}
	// The step is cancelled, and what it did is seen all the same.
	ctx, cancel := context.WithCancel(t.Context())
	ev, err = call.Observe(ctx, reg, func(ctx context.Context) error { l.remove("t9"); cancel(); return ctx.Err() }, nil)
	if !errors.Is(err, context.Canceled) || !strings.Contains(string(ev.JSON), `"removed":[{"id":"t9"}]`) {
		t.Errorf("got %s, %v", ev.JSON, err)
	}
	p := &fakePage{observe: func(_ context.Context, looks int32) error { return on(looks == 1, call.ErrPageGone) }}
	if ev, err = call.Observe(t.Context(), p, func(context.Context) error { return nil }, nil); err != nil || ev.Same || string(ev.JSON) != `{"observed":false,"reason":"no-baseline"}` {
		t.Errorf("got %s, %v", ev.JSON, err)
	}
}

// A finishingPage is a fakePage that is observed as it comes to rest.
type finishingPage struct {
	fakePage
	finish func() *snapshot.Snapshot
}

func (p *finishingPage) Finish(ctx context.Context, held bool) (call.Settled, *snapshot.Snapshot) {
	return p.Settle(ctx, held), p.finish()
}

// TestFinish calls an action of a page that is observed as it comes to rest: that
// snapshot is the one after, and the page is asked for another one only if there is none.
func TestFinish(t *testing.T) {
	snap := func(n int, unread bool) *snapshot.Snapshot {
		var b snapshot.Builder
		b.Page(snapshot.Page{URL: "https://shop.example/"})
		for i := range n {
			b.Record("", fmt.Sprint("row", i)).End()
		}
		if unread {
			b.Diagnose(exposure.CodeUnreadExposure, "script", "invalid JSON")
		}
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name    string
		finish  *snapshot.Snapshot
		looks   int32
		changed string
	}{
		{"caught", snap(2, false), 1, `{"id":"row1"}`},
		{"not caught", nil, 2, `{"id":"row2"}`},
		{"caught in part", snap(2, true), 1, `{"observed":false,"reason":"incomplete"}`},
	} {
		p := &finishingPage{fakePage: fakePage{actions: twins()}, finish: func() *snapshot.Snapshot { return tt.finish }}
		p.run = func(context.Context, *snapshot.Action) (any, error) { p.rows.Store(3); return nil, nil }
		res := call.New(p, nil).Call(t.Context(), call.Request{Action: "go"})
		if !res.OK || !strings.Contains(string(res.Changed), tt.changed) || p.looks.Load() != tt.looks || len(p.settled) != 1 {
			t.Errorf("%s: %d looks, %s", tt.name, p.looks.Load(), res.AppendJSON(nil))
		}
		p.looks.Store(0)
		p.rows.Store(0)
		ev, _ := call.Observe(t.Context(), p, func(context.Context) error { p.rows.Store(3); return nil }, nil)
		if !strings.Contains(string(ev.JSON), tt.changed) || p.looks.Load() != tt.looks {
			t.Errorf("%s, observed: %d looks, %s", tt.name, p.looks.Load(), ev.JSON)
		}
	}
}
