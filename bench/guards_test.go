package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// mostAllocs returns want, or with the race detector, whose allocations are not
// ours, something that nothing exceeds.
func mostAllocs(want float64) float64 {
	if raced {
		return 1e9
	}
	return want
}

// TestCompareAllocations checks that comparing and writing evidence allocates
// nothing once it is warm, whatever changed.
func TestCompareAllocations(t *testing.T) {
	for _, page := range Pages {
		for _, change := range Changes {
			w := Workload{Page: page, N: 500, Change: change}
			s, err := w.subject("compare")
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(20, s.op); n > mostAllocs(0) {
				t.Errorf("%s: %v allocations, want none", w.Name(), n)
			}
		}
	}
}

// TestBuildAllocations bounds the allocations for a record more, in a snapshot
// built from Go values in memory that is used again, and in one read from a
// capture.
func TestBuildAllocations(t *testing.T) {
	for _, tt := range []struct {
		page, op string
		most     float64 // a record
	}{
		{"orders", "build", 0}, {"short", "build", 0}, {"long", "build", 0}, {"scopes", "build", 0.05}, {"nested", "build", 0},
		{"orders", "file", 0.001}, {"short", "file", 0.001}, {"long", "file", 0.001}, {"scopes", "file", 0.25}, {"nested", "file", 0.001},
	} {
		count := func(n int) float64 {
			w := Workload{Page: tt.page, N: n, Change: "1pct"}
			s, err := w.subject(tt.op)
			if err != nil {
				t.Fatal(err)
			}
			return testing.AllocsPerRun(10, s.op)
		}
		const few, many = 1000, 5000
		got := (count(many) - count(few)) / (many - few)
		t.Logf("page=%s/op=%s: %.4f allocations a record", tt.page, tt.op, got)
		if got > mostAllocs(tt.most) {
			t.Errorf("page=%s/op=%s: %.4f allocations a record, want at most %v", tt.page, tt.op, got, tt.most)
		}
	}
}

// TestLiveHeap bounds the memory of a snapshot: 1.3 times the bytes of its rows
// and 48 bytes a record.
func TestLiveHeap(t *testing.T) {
	const n = 10_000
	for _, page := range Pages {
		w, err := Make(page, n, "none")
		if err != nil {
			t.Fatal(err)
		}
		data, _ := w.Captures()
		source := w.NewSource()
		for _, from := range []struct {
			name string
			make func() *snapshot.Snapshot
		}{
			{"built", func() *snapshot.Snapshot { return source.Build(w.Before) }},
			{"read", func() *snapshot.Snapshot {
				s, err := capture.Decode(data, nil)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}},
		} {
			from.make() // what is kept from one snapshot to the next is not its own
			before := liveHeap()
			s := from.make()
			size := liveHeap() - before
			most := 1.3*float64(s.Table().Size()) + 48*n
			t.Logf("page=%s/from=%s: %.1f bytes a record of %.1f", page, from.name, float64(size)/n, float64(s.Table().Size())/n)
			if float64(size) > most && !raced {
				t.Errorf("page=%s/from=%s: %d bytes live, want at most %.0f", page, from.name, size, most)
			}
		}
		runtime.KeepAlive(data)
		runtime.KeepAlive(source)
		runtime.KeepAlive(w)
	}
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestInlining checks that the compiler inlines the small functions that are
// called for each record, row or value.
func TestInlining(t *testing.T) {
	for pkg, names := range map[string][]string{
		"records": {"(*Table).Len", "(*Table).Class", "(*Table).Ref", "Ref.Row", "Ref.ClassNumber", "Ref.Touch",
			"(*Builder).Open", "(*Scanner).Peek", "(*Index).Add", "(*Index).First", "(*Index).Next",
			"Cut", "CutID", "CommonPrefix", "ASCII", "AppendBool", "AppendNull", "AppendString[go.shape.string]", "mixKey"},
		"snapshot": {"(*Snapshot).Table", "(*Snapshot).Len", "(*Snapshot).ScopeNumber", "(*Builder).open", "Record.Field"},
		"diff":     {"(*Changes).Counts"},
	} {
		cmd := exec.Command("go", "build", "-gcflags=-m", "./"+pkg)
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
		inlined := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			if _, name, ok := strings.Cut(strings.TrimSpace(line), "can inline "); ok {
				inlined[name] = true
			}
		}
		if len(inlined) == 0 {
			t.Errorf("%s: the compiler said nothing", pkg)
		}
		for _, name := range names {
			if !inlined[name] {
				t.Errorf("%s: %s is not inlined", pkg, name)
			}
		}
	}
}

// TestReferences checks that the references do the work that they stand for, and
// allocate nothing.
func TestReferences(t *testing.T) {
	for _, page := range Pages {
		for _, change := range Changes {
			w, err := Make(page, 200, change)
			if err != nil {
				t.Fatal(err)
			}
			s := w.NewSource()
			p, want := newPlain(s.Build(w.Before), s.Build(w.After)), w.Want()
			added, removed, updated, moved := p.diff()
			if added != len(want.Added) || removed != len(want.Removed) || updated != len(want.Updated) || want.Reordered && moved == 0 {
				t.Errorf("%s: plain found %d added, %d removed, %d updated, %d moved, want %v", w.Name(), added, removed, updated, moved, want)
			}
			if n := testing.AllocsPerRun(10, func() { p.diff() }); n > mostAllocs(0) {
				t.Errorf("%s: plain allocates %v", w.Name(), n)
			}
		}
	}
	if quoted, signs := scan([]byte(`{"a":["\"\\",1],"b":{}}`)); quoted != 3 || signs != 10 {
		t.Errorf("scan found %d strings and %d signs", quoted, signs)
	}
}

// TestInterleave checks that samples are as many and as long as asked for.
func TestInterleave(t *testing.T) {
	calls := [2]int{}
	lists := Interleave(3, 1000, func() { calls[0]++ }, func() { calls[1]++ })
	if len(lists) != 2 || len(lists[0]) != 3 || len(lists[1]) != 3 || calls[0] < 4 || calls[1] < 4 {
		t.Errorf("%v, calls %v", lists, calls)
	}
	for _, tt := range []struct{ in, want float64 }{{123456.789, 123460}, {0.123456, 0.12346}, {1.5, 1.5}, {0, 0.001}, {99999.7, 100000}} {
		if got := appendRounded(nil, []float64{tt.in})[0]; fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("rounded %v to %v, want %v", tt.in, got, tt.want)
		}
	}
}
