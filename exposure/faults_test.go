package exposure_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// TestBadData breaks the rules that only data can break: nothing but what is bad
// is spoiled, and Check refuses.
func TestBadData(t *testing.T) {
	run := func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }
	buy := func(describe func(item) string) func(*exposure.RecordSet[item]) {
		return func(s *exposure.RecordSet[item]) {
			s.Tools = []exposure.RecordTool[item]{{Name: "buy", Description: describe, Run: run}}
		}
	}
	good := buy(func(item) string { return "Buy." })
	tests := []struct {
		name, why string
		list      []item
		change    func(*exposure.RecordSet[item])
		records   int
		actions   []string // "-" in front of those that are unavailable
		codes     []string // of diagnostics, with "@" and their place
		want      error    // of Check
		text      string
	}{
		{"duplicate id", "nobody can tell which is meant", []item{{id: "a"}, {id: "b"}, {id: "a"}}, good,
			3, []string{"-buy@a", "buy@b", "-buy@a#2"}, []string{"duplicate-id@s/a", "duplicate-id@buy@a#2"}, exposure.ErrDuplicate, `record "a" of scope "s"`},
		{"empty id", "", []item{{id: ""}, {id: "b"}}, good, 1, []string{"buy@b"}, []string{"bad-id@s"}, snapshot.ErrBadID, "s"},
		{"not finite", "", []item{{id: "a", price: math.NaN()}}, good, 1, []string{"buy@a"}, []string{"bad-value@s/a/price"}, records.ErrNumber, "s/a/price"},
		{"infinite", "", []item{{id: "a", price: math.Inf(-1)}}, nil, 1, nil, []string{"bad-value@s/a/price"}, records.ErrNumber, "s/a/price"},
		{"no JSON", "", []item{{id: "a", extra: make(chan int)}}, nil, 1, nil, []string{"bad-value@s/a/extra"}, nil, "s/a/extra"},
		{"a value that panics", "", []item{{id: "a", extra: panicking{}}}, nil, 1, nil, []string{"bad-value@s/a/extra"}, exposure.ErrApp, "boom"},
		{"a getter that panics", "the fields behind it are there", []item{{id: "a", extra: 1}}, func(s *exposure.RecordSet[item]) {
			s.Fields[0] = exposure.Field[item]{Name: s.Fields[0].Name, Text: func(item) string { panic("boom") }}
			good(s)
		}, 1, []string{"buy@a"}, []string{"bad-value@s/a/name"}, exposure.ErrApp, "boom"},
		{"all getters panic", "", []item{{id: "a"}, {id: "b"}}, func(s *exposure.RecordSet[item]) {
			s.Fields = []exposure.Field[item]{
				{Name: "t", Text: func(item) string { panic("boom") }}, {Name: "i", Int: func(item) int64 { panic("boom") }},
				{Name: "f", Float: func(item) float64 { panic("boom") }}, {Name: "b", Bool: func(item) bool { panic("boom") }},
				{Name: "a", Any: func(item) any { panic("boom") }},
			}
		}, 2, nil, []string{"bad-value@s/a/t", "bad-value@s/a/i", "bad-value@s/a/f", "bad-value@s/a/b", "bad-value@s/a/a",
			"bad-value@s/b/t", "bad-value@s/b/i", "bad-value@s/b/f", "bad-value@s/b/b", "bad-value@s/b/a"}, exposure.ErrApp, "boom"},
		{"a record's availability panics", "", []item{{id: "a"}}, func(s *exposure.RecordSet[item]) {
			good(s)
			s.Tools[0].Available = func(item) (bool, string) { panic("boom") }
		}, 1, []string{"-buy@a"}, []string{"bad-available@buy@a"}, exposure.ErrApp, "boom"},
		{"a record's description panics", "", []item{{id: "a"}}, buy(func(item) string { panic("boom") }), 1, nil, []string{"no-description@buy@a"}, exposure.ErrApp, "boom"},
		{"no words for a record", "", []item{{id: "a"}}, buy(func(item) string { return " " }), 1, nil, []string{"no-description@buy@a"}, exposure.ErrDeclaration, `action "buy" of record "a"`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			reg := exposure.New(nil)
			set := itemSet(&tt.list)
			if tt.change != nil {
				tt.change(&set)
			}
			mustRecords(t, mustScope(t, reg, exposure.Scope{ID: "s"}), set)
			mustTool(t, reg, exposure.Tool{ID: "other", Description: "d", Run: nothing})
			s := mustSnapshot(t, reg)
			var codes []string
			for _, d := range s.Diagnostics() {
				codes = append(codes, d.Code+"@"+d.At)
			}
			list, err := reg.Actions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var actions []string
			for _, a := range list {
				id := a.ID
				if ok, _, err := reg.Available(t.Context(), &a); err != nil || ok == a.Unavailable {
					t.Errorf("%s: available %v, %v", id, ok, err)
				}
				if a.Unavailable {
					id = "-" + id
				}
				actions = append(actions, id)
			}
			if s.Len() != tt.records || !slices.Equal(actions, append(tt.actions, "other")) || !slices.Equal(codes, tt.codes) {
				t.Errorf("%s: %d records, actions %q, diagnostics %q; want %d, %q, %q", tt.why, s.Len(), actions, codes, tt.records, tt.actions, tt.codes)
			}
			if err := reg.Check(t.Context()); err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Check: got %v, want %v with %q", err, tt.want, tt.text)
			}
			tt.list = nil
			if err := reg.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPanicsSpoilThemselves has functions of tools, scopes and whole sets panic: all
// others can be listed and called.
func TestPanicsSpoilThemselves(t *testing.T) {
	list := []item{{id: "a"}}
	reg := exposure.New(nil)
	bad := mustScope(t, reg, exposure.Scope{ID: "bad", State: func() snapshot.State { panic("boom") }})
	mustTool(t, bad, exposure.Tool{ID: "in", Description: "d", Run: nothing})
	mustTool(t, reg, exposure.Tool{ID: "odd", Description: "d", Run: nothing, Available: func() (bool, string) { panic("boom") }})
	mustTool(t, reg, exposure.Tool{ID: "good", Description: "d", Run: nothing})
	s := mustSnapshot(t, reg)
	var codes []string
	for _, d := range s.Diagnostics() {
		codes = append(codes, d.Code+"@"+d.At)
	}
	if want := []string{"bad-state@bad", "bad-available@odd"}; !slices.Equal(codes, want) {
		t.Errorf("diagnostics %q, want %q", codes, want)
	}
	if state := s.Scopes()[s.Scope("bad")].State; state != snapshot.Inactive {
		t.Errorf("the scope is %q", state)
	}
	set := itemSet(&list)
	set.All = func() iter.Seq[item] { panic("boom") }
	mustRecords(t, reg, set)
	if _, err := reg.Snapshot(t.Context()); !errors.Is(err, exposure.ErrApp) {
		t.Errorf("a snapshot without records that are there: %v", err)
	}
	actions, err := reg.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ id, reason string }{{"in", exposure.ReasonInactive}, {"odd", exposure.ReasonUnknown}, {"good", ""}} {
		a := actions[i]
		ok, reason, err := reg.Available(t.Context(), &a)
		if a.ID != want.id || a.Reason != want.reason || reason != want.reason || ok != (want.reason == "") || ok == a.Unavailable || err != nil {
			t.Errorf("%s: %q, available %v, %q, %v; want %q", a.ID, a.Reason, ok, reason, err, want.reason)
		}
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("boom") }

// TestAppPanics has functions and locks of the app panic or end their goroutine.
func TestAppPanics(t *testing.T) {
	list := []item{{id: "a"}}
	for name, fail := range map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit} {
		reg := exposure.New(nil)
		set := itemSet(&list)
		bad := true
		set.ID = func(i item) string {
			if bad {
				fail()
			}
			return i.id
		}
		mustRecords(t, reg, set)
		mustScope(t, reg, exposure.Scope{ID: "s", Lock: &badLock{fail: func() {
			if bad {
				fail()
			}
		}}})
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if _, err := reg.Snapshot(ctx); !errors.Is(err, exposure.ErrApp) {
				t.Errorf("%s: got %v, want %v", name, err, exposure.ErrApp)
			}
			cancel()
		}
		bad = false
		if s := mustSnapshot(t, reg); s.Len() != 1 {
			t.Errorf("%s: %d records after the fault", name, s.Len())
		}
	}
	var mu *sync.Mutex
	if _, err := exposure.DeclareScope(t.Context(), exposure.New(nil), exposure.Scope{ID: "s", Lock: mu}); !errors.Is(err, exposure.ErrDeclaration) {
		t.Errorf("a lock that is a nil pointer: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a lock that is a nil pointer was taken")
		}
	}()
	exposure.New(&exposure.Options{Lock: mu})
}

type badLock struct {
	sync.Mutex
	fail func()
}

func (l *badLock) Lock() {
	l.fail()
	l.Mutex.Lock()
}

// TestContextEnds declares, ends the context, and looks at once.
func TestContextEnds(t *testing.T) {
	reg := exposure.New(nil)
	set := exposure.NewToolSet(reg)
	for range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		scope, err := exposure.DeclareScope(ctx, reg, exposure.Scope{ID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		mustTool(t, scope, exposure.Tool{ID: "in", Description: "d", Run: nothing})
		if _, err := exposure.DeclareTool(ctx, reg, exposure.Tool{ID: "x", Description: "d", Run: nothing}); err != nil {
			t.Fatal(err)
		}
		if err := set.Apply(ctx, map[string]*exposure.Tool{"y": {Description: "d", Run: nothing}}); err != nil {
			t.Fatal(err)
		}
		list, at, err := reg.BoundActions(t.Context())
		if err != nil || len(list) != 3 {
			t.Fatal(list, err)
		}
		cancel()
		for i := range list {
			if _, err := at(i).Run(t.Context(), nil); !errors.Is(err, exposure.ErrNotRun) || !errors.Is(err, exposure.ErrGone) {
				t.Fatalf("%s ran after its context had ended: %v", list[i].ID, err)
			}
		}
		if _, err := exposure.DeclareTool(t.Context(), scope, exposure.Tool{ID: "late", Description: "d", Run: nothing}); !errors.Is(err, exposure.ErrReleased) {
			t.Fatalf("declared in a scope whose context has ended: %v", err)
		}
		if got := actionIDs(t, reg); len(got) != 0 || len(set.Names()) != 0 {
			t.Fatalf("%q are left, in the set %q", got, set.Names())
		}
	}
}

// TestBoundActions replaces tools that are held on to.
func TestBoundActions(t *testing.T) {
	ran := ""
	tool := func(name string) *exposure.Tool {
		return &exposure.Tool{Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { ran += name; return nil, nil }}
	}
	reg := exposure.New(nil)
	set := exposure.NewToolSet(reg)
	apply := func(tool *exposure.Tool) {
		t.Helper()
		if err := set.Apply(t.Context(), map[string]*exposure.Tool{"x": tool}); err != nil {
			t.Fatal(err)
		}
	}
	apply(tool("old"))
	_, at, err := reg.BoundActions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at(0).Run(t.Context(), nil); err != nil || ran != "old" {
		t.Errorf("ran %q, %v", ran, err)
	}
	apply(tool("new"))
	if _, err := at(0).Run(t.Context(), nil); !errors.Is(err, exposure.ErrReplaced) || !errors.Is(err, exposure.ErrNotRun) || ran != "old" {
		t.Errorf("ran %q, %v", ran, err)
	}
	if _, _, err := at(0).Available(t.Context()); !errors.Is(err, exposure.ErrReplaced) {
		t.Errorf("got %v, want %v", err, exposure.ErrReplaced)
	}
	apply(nil)
	if _, err := at(0).Run(t.Context(), nil); !errors.Is(err, exposure.ErrGone) {
		t.Errorf("got %v, want %v", err, exposure.ErrGone)
	}
	if err := exposure.NewToolSet(exposure.ScopeHandle{}).Apply(t.Context(), map[string]*exposure.Tool{"x": nil}); !errors.Is(err, exposure.ErrDeclaration) {
		t.Errorf("a set without a place: %v", err)
	}
}

// TestTypedFaults declares types whose own methods fail.
func TestTypedFaults(t *testing.T) {
	type in struct{ A badInput }
	type out struct{}
	reg := exposure.New(nil)
	mustTool(t, reg, exposure.Typed(exposure.Tool{ID: "x", Description: "d"}, func(context.Context, in) (*out, error) { return nil, nil }))
	mustTool(t, reg, exposure.Typed(exposure.Tool{ID: "y", Description: "d"}, func(context.Context, struct{}) (*out, error) { return nil, nil }))
	_, at, err := reg.BoundActions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list := at(0).CheckParams(json.RawMessage(`{"A":{}}`)); len(list) != 1 || !strings.Contains(list[0].Message, "boom") {
		t.Errorf("got %v", list)
	}
	if v, err := at(1).Run(t.Context(), json.RawMessage(`{}`)); v != nil || err != nil {
		t.Errorf("a nil pointer is %#v, %v", v, err)
	}
}

type badInput struct{}

func (*badInput) UnmarshalJSON([]byte) error { panic("boom") }

func TestPageUser(t *testing.T) {
	page := snapshot.Page{URL: "https://ann:s3cret@a.test/b"}
	reg := exposure.New(&exposure.Options{Page: page})
	for range 2 {
		if got := mustSnapshot(t, reg).Page().URL; got != "https://a.test/b" {
			t.Errorf("the page is at %q", got)
		}
		reg.SetPage(page)
	}
}
