package view

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
)

func checkSnapshot(t *testing.T, snap *snapshot.Snapshot, budget int) {
	t.Helper()
	opts := &Options{Budget: budget}
	budget = opts.budget()
	text := AppendText([]byte("x"), snap, opts)
	checkTextForm(t, snap, text[1:], budget)
	line := AppendJSON([]byte("x"), snap, opts)
	checkJSONForm(t, snap, line[1:], budget)
	if text[0] != 'x' || string(AppendText([]byte("x"), snap, opts)) != string(text) || string(AppendJSON([]byte("x"), snap, opts)) != string(line) {
		t.Fatal("the output is not a function of its input")
	}
}

func TestHostileSnapshots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	made := 0
	for range 400 {
		data := make([]byte, r.IntN(4000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		snap := (&chooser{data}).hostile()
		if snap == nil {
			continue
		}
		made++
		for _, budget := range []int{MinBudget, MinBudget + r.IntN(300), 300 + r.IntN(3000), 20000 - r.IntN(12000)} {
			checkSnapshot(t, snap, budget)
		}
		checkWhole(t, snap)
	}
	if made < 200 {
		t.Fatalf("only %d snapshots could be made", made)
	}
}

// FuzzView holds the laws of both forms over snapshots that the input makes.
func FuzzView(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	f.Add([]byte{}, 0)
	for range 20 {
		data := make([]byte, 300+r.IntN(2000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data, r.IntN(20000))
	}
	f.Fuzz(func(t *testing.T, data []byte, budget int) {
		if snap := (&chooser{data}).hostile(); snap != nil {
			checkSnapshot(t, snap, MinBudget+int(uint(budget)%20000))
		}
	})
}

func TestExtremes(t *testing.T) {
	build := func(fill func(b *snapshot.Builder)) *snapshot.Snapshot {
		var b snapshot.Builder
		fill(&b)
		snap, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	huge := strings.Repeat("\u202e", 1<<19)
	for _, c := range []struct {
		name, why string
		fill      func(b *snapshot.Builder)
	}{
		{"nothing", "an empty snapshot says so", func(*snapshot.Builder) {}},
		{"long-ids", "1 MB ids everywhere", func(b *snapshot.Builder) {
			b.Page(snapshot.Page{URL: huge, Title: huge})
			b.View(snapshot.View{Scopes: []string{huge, huge}})
			b.Scope(snapshot.Scope{ID: huge, Label: huge, Description: huge, Role: huge, State: snapshot.State(huge)})
			row := b.Record(huge, huge)
			row.String(huge, huge)
			row.End()
			b.Action(snapshot.Action{ID: huge, Description: huge, Kind: huge, Unavailable: true, Reason: huge})
			b.Action(snapshot.Action{ID: huge + "@" + huge, Description: huge, Scope: huge, Record: huge})
			b.Diagnose(huge, huge, huge)
		}},
		{"huge-field", "64 MiB in one cell", func(b *snapshot.Builder) {
			row := b.Record("s", "r")
			row.String("v", strings.Repeat("x", 64<<20))
			row.End()
		}},
		{"scopes", "thousands of scopes", func(b *snapshot.Builder) {
			for n := range 5000 {
				b.Scope(snapshot.Scope{ID: fmt.Sprint("s", n), Label: "L", Description: strings.Repeat("d", 100)})
				row := b.Record(fmt.Sprint("s", n), "r")
				row.Int("v", 1)
				row.End()
			}
			b.Action(snapshot.Action{ID: "do", Description: "Do it."})
		}},
		{"fields", "each record with names of its own", func(b *snapshot.Builder) {
			for n := range 3000 {
				row := b.Record("s", fmt.Sprint("r", n))
				for k := range 5 {
					row.Int(fmt.Sprint("f", n, "-", k), 1)
				}
				row.End()
			}
		}},
		{"reasons", "each action with a reason of its own", func(b *snapshot.Builder) {
			for n := range 3000 {
				id := fmt.Sprint("r", n)
				b.Record("s", id).End()
				b.Action(snapshot.Action{ID: "do@" + id, Scope: "s", Record: id, Unavailable: true, Reason: id})
			}
		}},
		{"untracked", "most numbers are at their longest", func(b *snapshot.Builder) {
			b.Limits.MaxTracked = 1
			for n := range 3000 {
				b.Record("s", fmt.Sprint("r", n)).End()
			}
			most := int64(-1 << 63)
			b.Scope(snapshot.Scope{ID: "s", Total: &most, Offset: &most})
		}},
	} {
		t.Run("name="+c.name, func(t *testing.T) {
			snap := build(c.fill)
			for _, budget := range []int{MinBudget, 300, 777, 8000, 20000} {
				checkSnapshot(t, snap, budget)
			}
		})
	}
}

// TestActionsAreNotStarved holds that records never crowd out actions, nor one
// scope another.
func TestActionsAreNotStarved(t *testing.T) {
	var b snapshot.Builder
	for _, scope := range []string{"big", "small"} {
		size := map[string]int{"big": 5000, "small": 6}[scope]
		for n := range size {
			id := fmt.Sprint("r", n)
			row := b.Record(scope, id)
			row.String("text", strings.Repeat("long ", 40))
			row.End()
			b.Action(snapshot.Action{ID: "open@" + scope + "/" + id, Scope: scope, Record: id, Description: "Open it."})
		}
	}
	for n := range 20 {
		b.Action(snapshot.Action{ID: fmt.Sprint("tool_", n), Primitive: "call", Description: strings.Repeat("Explains ", 30)})
	}
	snap, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{2500, 4000, 8000} {
		s := checkJSONForm(t, snap, AppendJSON(nil, snap, &Options{Budget: budget}), budget)
		if *s.Omitted.Actions > 0 {
			t.Errorf("budget %d: %d actions are omitted", budget, *s.Omitted.Actions)
		}
		if len(s.Scopes) != 2 || len(s.Scopes[1].Rows) < 5 || len(s.Scopes[0].Rows) < 5 {
			t.Errorf("budget %d: a scope has no rows", budget)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		opts *Options
		want error
	}{{nil, nil}, {&Options{}, nil}, {&Options{Budget: 256}, nil}, {&Options{Budget: 255}, ErrBudget}, {&Options{Budget: -1}, ErrBudget}} {
		if err := c.opts.Check(); !errors.Is(err, c.want) {
			t.Errorf("Check(%v) = %v", c.opts, err)
		}
	}
	if (&Options{Budget: 3}).budget() != MinBudget || (*Options)(nil).budget() != DefaultBudget {
		t.Error("budgets are not adjusted as documented")
	}
}

func TestFair(t *testing.T) {
	for _, c := range []struct {
		why         string
		total       int
		needs, want [kinds]int
	}{
		{"what one does not need goes to the others", 100, [kinds]int{10, 1000, 0, 1000}, [kinds]int{10, 45, 0, 45}},
		{"all are met", 100, [kinds]int{10, 20, 30, 40}, [kinds]int{10, 20, 30, 40}},
		{"by weight", 100, [kinds]int{1000, 1000, 1000, 1000}, [kinds]int{30, 30, 10, 30}},
		{"nothing", 0, [kinds]int{1, 1, 1, 1}, [kinds]int{}},
	} {
		if got := fair(c.total, c.needs, [kinds]int{3, 3, 1, 3}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}
