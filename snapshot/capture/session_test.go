package capture_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestSessionMemory: the snapshots of a session take memory for what changes, whether
// records are taken over by their text or read, and actions as well as records.
func TestSessionMemory(t *testing.T) {
	const n, steps = 5000, 100
	for _, test := range []struct {
		name, why, head string
	}{
		{"by text", "records that follow the same text are not read", `"scopes":[{"id":"s"}]`},
		{"by content", "masked records are always read", `"scopes":[{"id":"s","sensitive":["x"]}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := func(step int) []byte {
				var b strings.Builder
				b.WriteString(`{"format":"pagestate/1",` + test.head + `,"records":[`)
				for i := range n {
					state := 0
					if i <= step && step > 0 {
						state = i
					}
					fmt.Fprintf(&b, `%s{"scope":"s","id":"r%d","fields":{"title":"Order number %d of something","state":%d,"x":"secret %d"}}`, comma(i), i, i, state, i)
				}
				b.WriteString(`],"actions":[`)
				for i := range n {
					fmt.Fprintf(&b, `%s{"id":"a%d","description":"Delete order %d","scope":"s","record":"r%d","available":%v}`, comma(i), i, i, i, i != step)
				}
				b.WriteString(`]}`)
				return []byte(b.String())
			}
			var d capture.Decoder
			var kept []*snapshot.Snapshot
			read := func(step int) {
				s, err := d.DecodeNext(page(step), nil)
				if err != nil {
					t.Fatal(err)
				}
				kept = append(kept, s)
			}
			read(0)
			one := kept[0].Table().Size() + kept[0].ActionTable().Size() + 48*n
			read(1)
			read(2)
			var m0, m1 runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m0)
			for step := 3; step < steps; step++ {
				read(step)
			}
			runtime.GC()
			runtime.ReadMemStats(&m1)
			each := (int(m1.HeapAlloc) - int(m0.HeapAlloc)) / (steps - 3)
			t.Logf("%d bytes for each snapshot of %d", each, one)
			if each > one/50 {
				t.Errorf("each snapshot of %d bytes takes %d", one, each)
			}
			for step, s := range kept {
				if got, want := s.Record(step).Field("state").String(), fmt.Sprint(step); got != want && step > 0 {
					t.Errorf("step %d: state is %s", step, got)
				}
				if a := s.Action(step); !a.Unavailable || a.ID != fmt.Sprint("a", step) {
					t.Errorf("step %d: action %+v", step, a)
				}
			}
			runtime.KeepAlive(kept)
			runtime.KeepAlive(&d)
		})
	}
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
