package exposure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

func nothing(context.Context, json.RawMessage) (any, error) { return nil, nil }

type item struct {
	id, name string
	price    float64
	n        int64
	sold     bool
	was      string
	extra    any
}

func items(list *[]item) func() iter.Seq[item] {
	return func() iter.Seq[item] { return slices.Values(*list) }
}

func itemSet(list *[]item) exposure.RecordSet[item] {
	return exposure.RecordSet[item]{
		All:      items(list),
		ID:       func(i item) string { return i.id },
		Replaces: func(i item) string { return i.was },
		Fields: []exposure.Field[item]{
			{Name: "name", Text: func(i item) string { return i.name }},
			{Name: "price", Float: func(i item) float64 { return i.price }},
			{Name: "n", Int: func(i item) int64 { return i.n }},
			{Name: "sold", Bool: func(i item) bool { return i.sold }},
			{Name: "extra", Any: func(i item) any { return i.extra }},
		},
	}
}

func mustScope(t testing.TB, in exposure.Container, s exposure.Scope) exposure.ScopeHandle {
	t.Helper()
	h, err := exposure.DeclareScope(t.Context(), in, s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustTool(t testing.TB, in exposure.Container, tool exposure.Tool) *exposure.Handle {
	t.Helper()
	h, err := exposure.DeclareTool(t.Context(), in, tool)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustRecords[T any](t testing.TB, in exposure.Container, set exposure.RecordSet[T]) *exposure.Handle {
	t.Helper()
	h, err := exposure.DeclareRecords(t.Context(), in, set)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustSnapshot(t testing.TB, reg *exposure.Registry) *snapshot.Snapshot {
	t.Helper()
	s, err := reg.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func actionIDs(t testing.TB, reg *exposure.Registry) (ids []string) {
	t.Helper()
	list, err := reg.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestSnapshot(t *testing.T) {
	var mu sync.Mutex
	list := []item{
		{id: "a", name: "Pen", price: 1.5, n: 2, sold: true, extra: []any{"x", nil}},
		{id: "b", name: "Ink", was: "tmp-1", extra: records.Value{}},
	}
	reg := exposure.New(&exposure.Options{Lock: &mu, Page: snapshot.Page{URL: "app://shop", Title: "Shop"}})
	shop := mustScope(t, reg, exposure.Scope{ID: "shop", Label: "Shop"})
	shelf := mustScope(t, shop, exposure.Scope{ID: "shelf", Window: func() (int64, int64) { return 90, 40 },
		State: func() snapshot.State { return snapshot.Covered }})
	set := itemSet(&list)
	set.Fields[0].Sensitive, set.Fields[1].Volatile = true, true
	mustRecords(t, shelf, set)
	mustTool(t, shelf, exposure.Tool{ID: "dust", Description: "Dust it.", Kind: "write", Run: nothing})
	mustTool(t, reg, exposure.Tool{ID: "shut", Description: "Shut.", Run: nothing, Params: `{"type":"object"}`,
		Available: func() (bool, string) { return false, "" }})
	s := mustSnapshot(t, reg)

	if got := s.Page().URL; got != "app://shop" {
		t.Errorf("page %q", got)
	}
	sc := s.Scopes()[s.Scope("shelf")]
	if sc.Parent != "shop" || *sc.Total != 90 || *sc.Offset != 40 || sc.State != snapshot.Covered ||
		!slices.Equal(sc.Sensitive, []string{"name"}) || !slices.Equal(sc.Volatile, []string{"price"}) {
		t.Errorf("scope %+v", sc)
	}
	rec := s.Record(0)
	want := map[string]string{"name": `"[masked]"`, "price": "1.5", "n": "2", "sold": "true", "extra": `["x",null]`}
	for name, text := range want {
		if got := rec.Field(name).String(); got != text {
			t.Errorf("%s is %s, want %s", name, got, text)
		}
	}
	if s.Record(1).Field("extra").Kind() != records.Absent || s.Record(1).Replaces() != "tmp-1" {
		t.Error("the second record is not as declared")
	}
	dust, shut := s.Action(0), s.Action(1)
	if dust.Scope != "shelf" || dust.Reason != exposure.ReasonCovered || dust.Primitive != exposure.PrimitiveCall || dust.Kind != "write" {
		t.Errorf("dust %+v", dust)
	}
	if !shut.Unavailable || shut.Reason != "" || shut.Params.String() != `{"type":"object"}` {
		t.Errorf("shut %+v", shut)
	}
}

func TestDeclarationsRefused(t *testing.T) {
	list := []item{{id: "a"}}
	good := exposure.Tool{ID: "good", Description: "d", Run: nothing}
	with := func(change func(*exposure.Tool)) exposure.Tool {
		tool := good
		tool.ID = "other"
		change(&tool)
		return tool
	}
	set := func(change func(*exposure.RecordSet[item])) exposure.RecordSet[item] {
		s := itemSet(&list)
		change(&s)
		return s
	}
	recTool := exposure.RecordTool[item]{Name: "buy", Description: func(item) string { return "Buy." },
		Run: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	type bad struct {
		N int `default:"x"`
	}
	type outOfRange struct {
		N int `json:"n" minimum:"1" maximum:"3" default:"4"`
	}
	tests := []struct {
		name, why string
		declare   func(*exposure.Registry) error
		want      error
		text      string
	}{
		{"no description", "a model could only guess", tool(with(func(t *exposure.Tool) { t.Description = "" })), exposure.ErrDeclaration, `tool "other" has no description`},
		{"no id", "", tool(with(func(t *exposure.Tool) { t.ID = "" })), exposure.ErrDeclaration, "no id"},
		{"no run", "", tool(with(func(t *exposure.Tool) { t.Run = nil })), exposure.ErrDeclaration, "no run"},
		{"same id", "actions share one name space", tool(good), exposure.ErrDuplicate, `action "good"`},
		{"schema type", "arguments are an object", tool(with(func(t *exposure.Tool) { t.Params = `{"type":"string"}` })), exposure.ErrSchema, `tool "other"`},
		{"schema text", "", tool(with(func(t *exposure.Tool) { t.Params = `{` })), exposure.ErrSchema, ""},
		{"schema ref", "nothing is fetched", tool(with(func(t *exposure.Tool) { t.Params = `{"$ref":"http://127.0.0.1:9/x"}` })), exposure.ErrSchema, "nothing is fetched"},
		{"schema number", "a validator would write it out", tool(with(func(t *exposure.Tool) { t.Params = `{"properties":{"a":{"minimum":1e100000000}}}` })), exposure.ErrSchema, "out of range"},
		{"schema default", "a default that is refused helps nobody", tool(with(func(t *exposure.Tool) {
			t.Params = `{"properties":{"a":{"type":"integer","maximum":3,"default":4}}}`
		})), exposure.ErrSchema, `default of "a"`},
		{"typed tag", "", tool(exposure.Typed(with(func(*exposure.Tool) {}), func(context.Context, bad) (int, error) { return 0, nil })), exposure.ErrSchema, "field N: default"},
		{"typed default", "", tool(exposure.Typed(with(func(*exposure.Tool) {}), func(context.Context, outOfRange) (int, error) { return 0, nil })), exposure.ErrSchema, `default of "n"`},
		{"typed not an object", "", tool(exposure.Typed(with(func(*exposure.Tool) {}), func(context.Context, int) (int, error) { return 0, nil })), exposure.ErrSchema, "not a struct"},
		{"expect without check", "", tool(with(func(t *exposure.Tool) { t.Expect = &exposure.Expect{Description: "d"} })), exposure.ErrDeclaration, "no check"},
		{"expect without words", "the result could not say what was seen", tool(with(func(t *exposure.Tool) { t.Expect = &exposure.Expect{Check: func() bool { return true }} })), exposure.ErrDeclaration, "no description"},
		{"ended context", "", func(r *exposure.Registry) error {
			_, err := exposure.DeclareTool(ended, r, with(func(*exposure.Tool) {}))
			return err
		}, context.Canceled, ""},
		{"nowhere", "a scope whose declaration failed", func(r *exposure.Registry) error {
			_, err := exposure.DeclareTool(t.Context(), exposure.ScopeHandle{}, good)
			return err
		}, exposure.ErrDeclaration, "never declared"},
		{"same scope", "", scope(exposure.Scope{ID: "taken"}), exposure.ErrDuplicate, `scope "taken"`},
		{"scope without id", "", scope(exposure.Scope{}), exposure.ErrDeclaration, ""},
		{"strange lock", "locks are told apart by comparing", scope(exposure.Scope{ID: "x", Lock: sliceLock{}}), exposure.ErrDeclaration, "cannot be compared"},
		{"no iterator", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.All = nil })), exposure.ErrDeclaration, "All"},
		{"no record id", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.ID = nil })), exposure.ErrDeclaration, "ID"},
		{"field twice", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.Fields[1].Name = "name" })), exposure.ErrDeclaration, `"name" is declared twice`},
		{"field without name", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.Fields[1].Name = "" })), exposure.ErrDeclaration, "no name"},
		{"two getters", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.Fields[0].Int = func(item) int64 { return 1 } })), exposure.ErrDeclaration, "2 getters"},
		{"no getter", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.Fields[0].Text = nil })), exposure.ErrDeclaration, "0 getters"},
		{"record tool twice", "", recordSet(set(func(s *exposure.RecordSet[item]) { s.Tools = []exposure.RecordTool[item]{recTool, recTool} })), exposure.ErrDuplicate, `"buy"`},
		{"record tool schema", "", recordSet(set(func(s *exposure.RecordSet[item]) {
			broken := recTool
			broken.Params = `{"type":1}`
			s.Tools = []exposure.RecordTool[item]{broken}
		})), exposure.ErrSchema, `"buy"`},
		{"record tool without words", "", recordSet(set(func(s *exposure.RecordSet[item]) {
			broken := recTool
			broken.Description = nil
			s.Tools = []exposure.RecordTool[item]{broken}
		})), exposure.ErrDeclaration, "no description"},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			reg := exposure.New(nil)
			mustTool(t, reg, good)
			mustScope(t, reg, exposure.Scope{ID: "taken"})
			before := len(actionIDs(t, reg))
			err := tt.declare(reg)
			if !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.text) {
				t.Errorf("%s: got %v, want %v with %q", tt.why, err, tt.want, tt.text)
			}
			if after := len(actionIDs(t, reg)); after != before {
				t.Errorf("%d actions, were %d", after, before)
			}
		})
	}
}

type sliceLock []int

func (sliceLock) Lock()   {}
func (sliceLock) Unlock() {}

func tool(t exposure.Tool) func(*exposure.Registry) error {
	return func(r *exposure.Registry) error {
		_, err := exposure.DeclareTool(context.Background(), r, t)
		return err
	}
}

func scope(s exposure.Scope) func(*exposure.Registry) error {
	return func(r *exposure.Registry) error {
		_, err := exposure.DeclareScope(context.Background(), r, s)
		return err
	}
}

func recordSet(s exposure.RecordSet[item]) func(*exposure.Registry) error {
	return func(r *exposure.Registry) error {
		_, err := exposure.DeclareRecords(context.Background(), r, s)
		return err
	}
}

func TestActionIDs(t *testing.T) {
	a, b := []item{{id: "1"}, {id: "2"}}, []item{{id: "1"}}
	reg := exposure.New(nil)
	for name, list := range map[string]*[]item{"a": &a, "b": &b} {
		set := itemSet(list)
		set.Tools = []exposure.RecordTool[item]{{Name: "buy", Description: func(item) string { return "Buy." },
			Run: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }}}
		mustRecords(t, mustScope(t, reg, exposure.Scope{ID: name}), set)
	}
	ids := actionIDs(t, reg)
	slices.Sort(ids)
	if want := []string{"buy@2", "buy@a/1", "buy@b/1"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
	// A tool that is called like a record's action takes its id.
	mustTool(t, reg, exposure.Tool{ID: "buy@2", Description: "d", Run: nothing})
	if err := reg.Check(t.Context()); !errors.Is(err, exposure.ErrDuplicate) {
		t.Errorf("got %v, want %v", err, exposure.ErrDuplicate)
	}
	if ids := actionIDs(t, reg); !slices.Contains(ids, "buy@2#2") {
		t.Errorf("got %q", ids)
	}
}

func TestRelease(t *testing.T) {
	list := []item{{id: "a"}}
	reg := exposure.New(nil)
	outer := mustScope(t, reg, exposure.Scope{ID: "outer"})
	inner := mustScope(t, outer, exposure.Scope{ID: "inner"})
	mustRecords(t, inner, itemSet(&list))
	mustTool(t, inner, exposure.Tool{ID: "in", Description: "d", Run: nothing})
	out := mustTool(t, reg, exposure.Tool{ID: "out", Description: "d", Run: nothing})
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := exposure.DeclareTool(ctx, reg, exposure.Tool{ID: "bound", Description: "d", Run: nothing}); err != nil {
		t.Fatal(err)
	}
	if got := actionIDs(t, reg); !slices.Equal(got, []string{"in", "out", "bound"}) {
		t.Errorf("got %q", got)
	}
	cancel()
	if got := actionIDs(t, reg); !slices.Equal(got, []string{"in", "out"}) {
		t.Errorf("the context ended and its declaration did not: %q", got)
	}
	outer.Release()
	outer.Release()
	s := mustSnapshot(t, reg)
	if len(s.Scopes()) != 0 || s.Len() != 0 || s.Actions() != 1 {
		t.Errorf("a released scope left %d scopes, %d records, %d actions", len(s.Scopes()), s.Len(), s.Actions())
	}
	if _, err := exposure.DeclareTool(t.Context(), inner, exposure.Tool{ID: "late", Description: "d", Run: nothing}); !errors.Is(err, exposure.ErrReleased) {
		t.Errorf("got %v, want %v", err, exposure.ErrReleased)
	}
	out.Release()
	mustTool(t, reg, exposure.Tool{ID: "out", Description: "d", Run: nothing})
	out.Release() // does not end its successor
	mustScope(t, reg, exposure.Scope{ID: "inner"})
	if got := actionIDs(t, reg); !slices.Equal(got, []string{"out"}) {
		t.Errorf("got %q", got)
	}
}

// TestOneMoment moves an amount between two scopes with locks of their own: no
// snapshot may see it in neither or in both.
func TestOneMoment(t *testing.T) {
	var left, right sync.Mutex
	a, b := []item{{id: "x", n: 100}}, []item{{id: "x"}}
	reg := exposure.New(nil)
	mustRecords(t, mustScope(t, reg, exposure.Scope{ID: "left", Lock: &left}), itemSet(&a))
	slow := itemSet(&b)
	slow.All = func() iter.Seq[item] {
		time.Sleep(100 * time.Microsecond) // time enough to change what was read
		return slices.Values(b)
	}
	mustRecords(t, mustScope(t, reg, exposure.Scope{ID: "right", Lock: &right}), slow)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			left.Lock()
			right.Lock()
			a[0].n, b[0].n = b[0].n, a[0].n
			right.Unlock()
			left.Unlock()
		}
	})
	for range 100 {
		s := mustSnapshot(t, reg)
		if l, r := s.Record(0).Field("n").String(), s.Record(1).Field("n").String(); l == r {
			t.Errorf("left %s, right %s", l, r)
		}
	}
	cancel()
	wg.Wait()
}

// TestLockOrder gives one lock to two scopes so that a snapshot and the question
// for one action would take locks in opposite orders.
func TestLockOrder(t *testing.T) {
	var x, y sync.Mutex
	reg := exposure.New(nil)
	mustScope(t, reg, exposure.Scope{ID: "c", Lock: &y})
	a := mustScope(t, reg, exposure.Scope{ID: "a", Lock: &x})
	mustTool(t, mustScope(t, a, exposure.Scope{ID: "b", Lock: &y}), exposure.Tool{ID: "act", Description: "d", Run: nothing})
	list, err := reg.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2000 {
				if _, err := reg.Snapshot(ctx); err != nil {
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			for range 2000 {
				if _, _, err := reg.Available(ctx, &list[0]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestSnapshotGivesUp takes snapshots that cannot be had.
func TestSnapshotGivesUp(t *testing.T) {
	var mu sync.Mutex
	hang := make(chan struct{})
	hanging := false
	reg := exposure.New(&exposure.Options{Lock: &mu})
	mustTool(t, reg, exposure.Tool{ID: "x", Description: "d", Run: nothing, Available: func() (bool, string) {
		if hanging {
			<-hang
		}
		return true, ""
	}})
	try := func(want error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := reg.Snapshot(ctx); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	mu.Lock()
	try(context.DeadlineExceeded)
	try(context.DeadlineExceeded)
	hanging = true
	mu.Unlock()
	try(context.DeadlineExceeded)
	try(context.DeadlineExceeded)
	close(hang)
	mustSnapshot(t, reg)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, err := reg.Snapshot(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	mustSnapshot(t, reg)
}

// TestSnapshotsShare: a registry's snapshots share the memory of what has not changed,
// masked fields included, and are right all the same.
func TestSnapshotsShare(t *testing.T) {
	const n = 500
	list := make([]item, n)
	for i := range list {
		list[i] = item{id: fmt.Sprint("i", i), name: fmt.Sprint("Name ", i), n: int64(i)}
	}
	reg := exposure.New(nil)
	scope := mustScope(t, reg, exposure.Scope{ID: "list"})
	set := itemSet(&list)
	set.Fields[0].Sensitive = true
	mustRecords(t, scope, set)
	last := mustSnapshot(t, reg)
	for step := range 5 {
		list[100*step].n = -1
		s := mustSnapshot(t, reg)
		shared := 0
		for _, c := range last.Table().AppendCommon(nil, s.Table()) {
			shared += c.N
		}
		if shared != n-1 {
			t.Errorf("step %d: %d of %d records are shared", step, shared, n)
		}
		for i, r := range s.All() {
			if want := fmt.Sprint(list[i].n); r.Field("n").String() != want || r.Field("name").Kind() != records.Masked {
				t.Errorf("step %d: record %d is %v, %v", step, i, r.Field("n"), r.Field("name"))
			}
		}
		last = s
	}
}
