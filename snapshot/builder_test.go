package snapshot_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// dump writes a snapshot line by line: scopes, records, actions, diagnostics.
func dump(s *snapshot.Snapshot) string {
	var b strings.Builder
	for i := range s.Scopes() {
		sc := &s.Scopes()[i]
		fmt.Fprintf(&b, "scope %q", sc.ID)
		if sc.Label != "" {
			fmt.Fprintf(&b, " %q", sc.Label)
		}
		if sc.Declared {
			b.WriteString(" declared")
		}
		fmt.Fprintf(&b, " %d", sc.Records)
		if sc.Untracked > 0 {
			fmt.Fprintf(&b, " and %d", sc.Untracked)
		}
		if sc.Extent() != sc.Count() {
			fmt.Fprintf(&b, " of %d", sc.Extent())
		}
		b.WriteByte('\n')
	}
	for i, r := range s.All() {
		fmt.Fprintf(&b, "record %q/%q", r.Scope(), r.ID())
		for name, v := range r.Fields() {
			fmt.Fprintf(&b, " %s=%v", name, v)
		}
		if old := r.Replaces(); old != "" {
			fmt.Fprintf(&b, " replaces %q", old)
		}
		if s.Scopes()[s.ScopeNumber(i)].ID != r.Scope() {
			b.WriteString(" IN ANOTHER SCOPE")
		}
		b.WriteByte('\n')
	}
	for i := range s.Actions() {
		a := s.Action(i)
		fmt.Fprintf(&b, "action %q group %q name %q", a.ID, a.Group, a.Name)
		if a.Scope != "" || a.Record != "" {
			fmt.Fprintf(&b, " of %q/%q", a.Scope, a.Record)
		}
		if a.Unavailable {
			fmt.Fprintf(&b, " unavailable %q", a.Reason)
		}
		if a.Params.Kind() != records.Absent {
			fmt.Fprintf(&b, " params %v", a.Params)
		}
		b.WriteByte('\n')
	}
	for _, d := range s.Diagnostics() {
		fmt.Fprintf(&b, "%s at %q\n", d.Code, d.At)
	}
	return b.String()
}

func record(b *snapshot.Builder, scope, id string) { b.Record(scope, id).End() }

func count(n int64) *int64 { return &n }

var built = []struct {
	name, why string
	build     func(*snapshot.Builder)
	want      string
}{
	{"nothing", "", func(*snapshot.Builder) {}, ""},
	{"a record of each kind of field", "in declared order", func(b *snapshot.Builder) {
		r := b.Record("s", "a")
		r.String("z", "x")
		r.Int("i", -1)
		r.Float("f", 0.5)
		r.Bool("b", true)
		r.Null("n")
		r.Masked("m", "secret")
		r.Masked("e", "")
		r.JSON("j", []byte(` {"b": 1.0, "a": []} `))
		r.Any("y", map[string]any{"k": []string{"v"}})
		r.Value("v", records.RawValue(records.AppendBool(nil, false)))
		r.End()
	}, `scope "s" 1
record "s"/"a" z="x" i=-1 f=0.5 b=true n=null m="[masked]" e="" j={"a":[],"b":1.0} y={"k":["v"]} v=false
`},
	{"implicit scopes", "declared ones first, then by first record", func(b *snapshot.Builder) {
		record(b, "t", "a")
		record(b, "", "a")
		record(b, "d", "a")
		record(b, "t", "b")
		b.Scope(snapshot.Scope{ID: "e", Label: "Empty"})
		b.Scope(snapshot.Scope{ID: "d"})
		record(b, "s", "a")
	}, `scope "e" "Empty" declared 0
scope "d" declared 1
scope "t" 2
scope "" 1
scope "s" 1
record "t"/"a"
record ""/"a"
record "d"/"a"
record "t"/"b"
record "s"/"a"
`},
	{"scope declared twice", "the first stands", func(b *snapshot.Builder) {
		b.Scope(snapshot.Scope{ID: "s", Label: "One"})
		b.Scope(snapshot.Scope{ID: "s", Label: "Two"})
	}, `scope "s" "One" declared 0
duplicate-scope at "s"
`},
	{"declared total", "", func(b *snapshot.Builder) {
		b.Scope(snapshot.Scope{ID: "s", Total: count(40), Offset: count(20)})
		record(b, "s", "a")
	}, `scope "s" declared 1 of 40
record "s"/"a"
`},
	{"cancelled record", "", func(b *snapshot.Builder) {
		record(b, "s", "a")
		r := b.Record("t", "b")
		r.String("v", "x")
		r.Replaces("c")
		r.Cancel()
		record(b, "s", "c")
	}, `scope "s" 2
record "s"/"a"
record "s"/"c"
`},
	{"replaces", "", func(b *snapshot.Builder) {
		record(b, "s", "a")
		r := b.Record("s", "b")
		r.Replaces("tmp")
		r.End()
		record(b, "s", "c")
		r = b.Record("s", "d")
		r.Replaces("tmp2")
		r.End()
	}, `scope "s" 4
record "s"/"a"
record "s"/"b" replaces "tmp"
record "s"/"c"
record "s"/"d" replaces "tmp2"
`},
	{"duplicate ids", "kept, and diagnosed once", func(b *snapshot.Builder) {
		for range 3 {
			record(b, "s", "a")
		}
		record(b, "", "a")
		record(b, "", "a")
		record(b, "t", "a")
	}, `scope "s" 3
scope "" 2
scope "t" 1
record "s"/"a"
record "s"/"a"
record "s"/"a"
record ""/"a"
record ""/"a"
record "t"/"a"
duplicate-id at "s/a"
duplicate-id at "a"
`},
	{"no ids in an inferred scope", "also if it is declared later", func(b *snapshot.Builder) {
		record(b, "s", "")
		record(b, "s", "")
		b.Scope(snapshot.Scope{ID: "s", Inferred: true})
	}, `scope "s" declared 2
record "s"/""
record "s"/""
`},
	{"sensitive", "also if the scope is declared later; other scopes are not masked", func(b *snapshot.Builder) {
		for _, scope := range []string{"s", "t"} {
			r := b.Record(scope, "a")
			r.String("pin", "1234")
			r.Int("n", 5)
			r.Null("none")
			r.End()
		}
		b.Scope(snapshot.Scope{ID: "s", Sensitive: []string{"pin", "n", "none", "missing"}})
	}, `scope "s" declared 1
scope "t" 1
record "s"/"a" pin="[masked]" n="[masked]" none=null
record "t"/"a" pin="1234" n=5 none=null
`},
	{"repaired text", "diagnosed once a place", func(b *snapshot.Builder) {
		r := b.Record("s", "a")
		r.String("v", "\xff\xfe")
		r.String("w", "fine")
		r.String("x\xff", "fine")
		r.JSON("j", []byte(`["\ud800"]`))
		r.End()
		record(b, "s", "\xff")
		b.Action(snapshot.Action{ID: "act", Description: "\xff", Kind: "\xff"})
	}, `scope "s" 2
record "s"/"a" v="` + "\uFFFD\uFFFD" + `" w="fine" x` + "\xff" + `="fine" j=["` + "\uFFFD" + `"]
record "s"/"\xff"
action "act" group "" name "act"
repaired-text at "s/a/v"
repaired-text at "s/a/x\xff"
repaired-text at "s/a/j"
repaired-text at "s/\xff"
repaired-text at "act"
`},

	{"actions", "", func(b *snapshot.Builder) {
		b.Action(snapshot.Action{ID: "save", Description: "Save."})
		b.Action(snapshot.Action{ID: "shop/buy", Group: "shop", Name: "buy", Unavailable: true, Reason: "Sold out."})
		b.Action(snapshot.Action{ID: "toggle@t1", Record: "t1", Scope: "todo", Unavailable: true})
		b.Action(snapshot.Action{ID: "toggle@todo/t2", Record: "t2", Scope: "todo", Params: records.RawValue(records.AppendNull(nil))})
		b.Action(snapshot.Action{ID: "other", Record: "t3"})
		b.Action(snapshot.Action{ID: "@t4", Record: "t4"})
	}, `action "save" group "" name "save"
action "shop/buy" group "shop" name "buy"` + ` unavailable "Sold out."
action "toggle@t1" group "" name "toggle" of "todo"/"t1" unavailable ""
action "toggle@todo/t2" group "" name "toggle" of "todo"/"t2" params null
action "other" group "" name "other" of ""/"t3"
action "@t4" group "" name "@t4" of ""/"t4"
`},
	{"available is no reason", "a reason without Unavailable is not kept", func(b *snapshot.Builder) {
		b.Action(snapshot.Action{ID: "a", Reason: "why"})
	}, `action "a" group "" name "a"
`},
	{"actions of one id", "numbered in order of appearance; one origin", func(b *snapshot.Builder) {
		for range 3 {
			b.Action(snapshot.Action{ID: "save"})
		}
	}, `action "save" group "" name "save"
action "save#2" group "" name "save"
action "save#3" group "" name "save"
duplicate-id at "save"
`},
	{"actions of one id and the number taken", "a number never takes an id that an action has by name, also a later one", func(b *snapshot.Builder) {
		for _, id := range []string{"save#2", "save", "save", "save", "save#2", "save#3"} {
			b.Action(snapshot.Action{ID: id})
		}
	}, `action "save#2" group "" name "save#2"
action "save" group "" name "save"
action "save#4" group "" name "save"
action "save#5" group "" name "save"
action "save#2#2" group "" name "save#2"
action "save#3" group "" name "save#3"
duplicate-id at "save"
duplicate-id at "save#2"
`},
	{"actions of one id in two groups", "two origins", func(b *snapshot.Builder) {
		b.Action(snapshot.Action{ID: "save", Group: "x"})
		b.Action(snapshot.Action{ID: "save", Group: "y"})
	}, `action "save" group "x" name "save"
action "save#2" group "y" name "save"
duplicate-id at "save"
`},
	{"bound actions of one id", "diagnosed once", func(b *snapshot.Builder) {
		for range 2 {
			b.Action(snapshot.Action{ID: "toggle@t1", Record: "t1"})
		}
	}, `action "toggle@t1" group "" name "toggle" of ""/"t1"
action "toggle@t1#2" group "" name "toggle" of ""/"t1"
duplicate-id at "toggle@t1"
`},
	{"actions of one origin and two ids", "", func(b *snapshot.Builder) {
		b.Action(snapshot.Action{ID: "a", Name: "save"})
		b.Action(snapshot.Action{ID: "b", Name: "save"})
	}, `action "a" group "" name "save"
action "b" group "" name "save"
duplicate-id at "b"
`},
	{"origins with bytes 00 and 01", "they end and escape the parts of a key", func(b *snapshot.Builder) {
		b.Action(snapshot.Action{ID: "1", Group: "a\x00", Name: "b\x01\x02"})
		b.Action(snapshot.Action{ID: "2", Group: "a", Name: "\x00b"})
		b.Action(snapshot.Action{ID: "3", Group: "a\x00\x00", Name: "b"})
		b.Action(snapshot.Action{ID: "4", Group: "a\x01", Name: "\x01b"})
		b.Action(snapshot.Action{ID: "5", Scope: "a\x00", Record: "\x00"})
	}, `action "1" group "a\x00" name "b\x01\x02"
action "2" group "a" name "\x00b"
action "3" group "a\x00\x00" name "b"
action "4" group "a\x01" name "\x01b"
action "5" group "" name "5" of "a\x00"/"\x00"
`},
	{"tracking bound", "what is beyond is counted by scope", func(b *snapshot.Builder) {
		b.Limits.MaxTracked = 2
		b.Scope(snapshot.Scope{ID: "d"})
		record(b, "s", "a")
		record(b, "d", "b")
		r := b.Record("d", "c")
		r.Replaces("x")
		r.End()
		record(b, "z", "d")
		record(b, "y", "e")
		record(b, "d", "b") // and no duplicate
	}, `scope "d" declared 1 and 2
scope "s" 1
scope "y" 0 and 1
scope "z" 0 and 1
record "s"/"a"
record "d"/"b"
`},
	{"untracked by hand", "", func(b *snapshot.Builder) {
		b.Untracked("s", 3)
		b.Untracked("s", 2)
		b.Untracked("t", 0)
		b.Untracked("t", -1)
	}, `scope "s" 0 and 5
`},
	{"diagnosed by hand", "once for each", func(b *snapshot.Builder) {
		b.Diagnose("x", "a", "m")
		b.Diagnose("x", "a", "m")
		b.Diagnose("x", "a", "n")
	}, `x at "a"
x at "a"
`},
}

func TestBuilder(t *testing.T) {
	var used snapshot.Builder
	for _, test := range built {
		t.Run(test.name, func(t *testing.T) {
			// A builder that has made other snapshots makes the same one.
			for _, b := range []*snapshot.Builder{{}, &used, &used} {
				b.Limits = snapshot.Limits{}
				test.build(b)
				s, err := b.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if got := dump(s); got != test.want {
					t.Errorf("%s\nwant (%s)\n%s", got, test.why, test.want)
				}
			}
		})
	}
	s, err := used.Snapshot()
	if err != nil || dump(s) != "" || s.Page() != (snapshot.Page{}) || !s.View().IsZero() {
		t.Errorf("a builder kept something: %s, %v", dump(s), err)
	}
}

func TestBuilderRefuses(t *testing.T) {
	var used snapshot.Builder
	for _, test := range []struct {
		name, why string
		build     func(*snapshot.Builder)
		is        error
		want      string
	}{
		{"record without id", "", func(b *snapshot.Builder) { record(b, "s", "a"); record(b, "s", "") }, snapshot.ErrBadID, `record 1 of scope "s": missing or empty id`},
		{"record without id in a declared scope", "", func(b *snapshot.Builder) {
			b.Scope(snapshot.Scope{ID: "s"})
			record(b, "s", "")
		}, snapshot.ErrBadID, `record 0 of scope "s": missing or empty id`},
		{"not ended", "it would be missing, and seem to have been removed", func(b *snapshot.Builder) { record(b, "s", "a"); b.Record("s", "b").Int("n", 1) },
			snapshot.ErrOpen, `record "s/b": ` + snapshot.ErrOpen.Error()},
		{"opened in another", "as defer in a loop does", func(b *snapshot.Builder) {
			for _, id := range []string{"a", "b"} {
				r := b.Record("s", id)
				defer r.End()
				r.Int("n", 1)
			}
		}, snapshot.ErrOpen, `record "s/a": ` + snapshot.ErrOpen.Error()},
		{"ended twice", "", func(b *snapshot.Builder) { r := b.Record("s", "a"); r.End(); r.End() }, snapshot.ErrOpen, snapshot.ErrOpen.Error()},
		{"ended after it was cancelled", "", func(b *snapshot.Builder) { r := b.Record("s", "a"); r.Cancel(); r.End() }, snapshot.ErrOpen, snapshot.ErrOpen.Error()},
		{"declared fields, not ended", "", func(b *snapshot.Builder) {
			f, err := b.Fields("s", "n")
			if err != nil {
				t.Fatal(err)
			}
			b.RecordOf(f, "a").Int(1)
		}, snapshot.ErrOpen, `record "s/a": ` + snapshot.ErrOpen.Error()},
		{"action without id", "", func(b *snapshot.Builder) { b.Action(snapshot.Action{Name: "x"}) }, snapshot.ErrBadID, "action 0: missing or empty id"},
		{"repeated field", "the first failure is returned", func(b *snapshot.Builder) {
			r := b.Record("s", "a")
			r.Int("v", 1)
			r.Int("v", 2)
			r.Float("w", math.NaN())
			r.End()
		}, records.ErrRepeated, `record "s/a", field "v": repeated member`},
		{"not a number", "", func(b *snapshot.Builder) { r := b.Record("", "a"); r.Float("v", math.Inf(-1)); r.End() }, records.ErrNumber, `record "a", field "v": invalid number: -Inf`},
		{"absent value", "", func(b *snapshot.Builder) { r := b.Record("s", "a"); r.Value("v", records.Value{}); r.End() }, nil, `record "s/a", field "v": absent value`},
		{"bad JSON", "", func(b *snapshot.Builder) { r := b.Record("s", "a"); r.JSON("v", []byte("[1,]")); r.End() }, records.ErrSyntax, `record "s/a", field "v": invalid JSON: unexpected ']', want a value, offset 3`},
		{"bad Go value", "", func(b *snapshot.Builder) { r := b.Record("s", "a"); r.Any("v", func() {}); r.End() }, nil, `record "s/a", field "v": json: unsupported type: func()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, b := range []*snapshot.Builder{{}, &used} {
				test.build(b)
				s, err := b.Snapshot()
				if s != nil || err == nil || err.Error() != test.want || test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("%v, want %s (%s)", err, test.want, test.why)
				}
				record(b, "s", "a")
				if s, err := b.Snapshot(); err != nil || s.Len() != 1 {
					t.Errorf("afterwards: %v", err)
				}
			}
		})
	}
}

// TestMasks: inside a process a change of a masked value is seen, unless the
// builder forgets.
func TestMasks(t *testing.T) {
	value := func(forget bool, secret string, set func(*snapshot.Row, string)) records.Value {
		b := snapshot.Builder{ForgetMasked: forget}
		b.Scope(snapshot.Scope{ID: "s", Sensitive: []string{"declared"}})
		r := b.Record("s", "a")
		set(r, secret)
		r.End()
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s.Record(0).Fields() {
			return v
		}
		return records.Value{}
	}
	for name, set := range map[string]func(*snapshot.Row, string){
		"set":      func(r *snapshot.Row, s string) { r.Masked("set", s) },
		"declared": func(r *snapshot.Row, s string) { r.String("declared", s) },
		"both":     func(r *snapshot.Row, s string) { r.Masked("declared", s) },
	} {
		for _, test := range []struct {
			forget bool
			a, b   string
			equal  bool
		}{
			{false, "x", "x", true}, {false, "x", "y", false}, {true, "x", "x", true}, {true, "x", "y", true},
			{false, "", "", true}, {false, "", "x", false}, {true, "", "x", false},
		} {
			a, b := value(test.forget, test.a, set), value(test.forget, test.b, set)
			if records.Equal(a, b) != test.equal {
				t.Errorf("%s, forget %v: %q and %q: equal is %v", name, test.forget, test.a, test.b, !test.equal)
			}
			if want := map[bool]string{true: `""`, false: `"[masked]"`}[test.a == ""]; a.String() != want {
				t.Errorf("%s: %q shows as %v", name, test.a, a)
			}
		}
	}
}

func TestLookups(t *testing.T) {
	var b snapshot.Builder
	b.Page(snapshot.Page{URL: "u", Title: "t", Document: "d"})
	b.View(snapshot.View{Scopes: []string{"s"}, Limit: 5})
	b.Scope(snapshot.Scope{ID: "e"})
	record(&b, "s", "a")
	record(&b, "t", "a")
	record(&b, "s", "a")
	s, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		scope, id string
		want      int
	}{{"s", "a", 0}, {"t", "a", 1}, {"s", "b", -1}, {"", "a", -1}, {"sa", "", -1}} {
		if got := s.Find(test.scope, test.id); got != test.want {
			t.Errorf("Find(%q, %q) = %d, want %d", test.scope, test.id, got, test.want)
		}
	}
	if s.Scope("e") != 0 || s.Scope("s") != 1 || s.Scope("none") != -1 || s.Scope("") != -1 {
		t.Errorf("scopes: %d, %d, %d", s.Scope("e"), s.Scope("s"), s.Scope("none"))
	}
	if s.Page() != (snapshot.Page{URL: "u", Title: "t", Document: "d"}) || s.View().IsZero() || s.View().Limit != 5 {
		t.Errorf("%v %v", s.Page(), s.View())
	}
	if s.Record(0).Field("none").Kind() != records.Absent || s.Replaced(0) != "" {
		t.Error("a field or a replacement from nowhere")
	}
	for range s.All() {
		break
	}
}

// TestDiagnosticsBound: no more than a hundred of one code are kept.
func TestDiagnosticsBound(t *testing.T) {
	var b snapshot.Builder
	for i := range 1000 {
		b.Diagnose("x", fmt.Sprint(i), "m")
		record(&b, "s", "a")
	}
	b.Diagnose("y", "", "m")
	s, err := b.Snapshot()
	if err != nil || len(s.Diagnostics()) != 102 {
		t.Errorf("%d diagnostics, %v", len(s.Diagnostics()), err)
	}
}

// TestSnapshotStands: a snapshot stays as it is while its builder goes on.
func TestSnapshotStands(t *testing.T) {
	var b snapshot.Builder
	var list []*snapshot.Snapshot
	for _, test := range built {
		b.Limits = snapshot.Limits{}
		test.build(&b)
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	for i, test := range built {
		if got := dump(list[i]); got != test.want {
			t.Errorf("%s became\n%s", test.name, got)
		}
	}
}

func ExampleBuilder() {
	var b snapshot.Builder
	b.Scope(snapshot.Scope{ID: "todo", Label: "Tasks"})
	row := b.Record("todo", "t1")
	row.String("text", "Buy milk")
	row.Bool("done", false)
	row.End()
	b.Action(snapshot.Action{ID: "complete@t1", Scope: "todo", Record: "t1", Description: "Mark as done.", Kind: "write"})
	snap, err := b.Snapshot()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range snap.All() {
		fmt.Println(r.Scope(), r.ID(), r.Field("text"), r.Field("done"))
	}
	fmt.Println(snap.Action(0).ID)
	// Output:
	// todo t1 "Buy milk" false
	// complete@t1
}

// TestTotalRange: a total that could make sums overflow is no total; how many records
// there are is not known then.
func TestTotalRange(t *testing.T) {
	for _, total := range []int64{-1, snapshot.MaxTotal + 1, 1<<63 - 1} {
		var b snapshot.Builder
		b.Scope(snapshot.Scope{ID: "s", Total: &total})
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if s.Scopes()[0].Total != nil || !s.Scopes()[0].Partial || len(s.Diagnostics()) != 1 || s.Diagnostics()[0].Code != snapshot.CodeBadTotal {
			t.Errorf("total %d: %v, %v", total, s.Scopes()[0].Total, s.Diagnostics())
		}
	}
}
