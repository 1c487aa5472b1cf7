package snapshot_test

import (
	"testing"

	"github.com/pagestate/pagestate/snapshot"
)

// TestSnapshotsOutlive: what a builder does later changes no snapshot that was
// not given back.
func TestSnapshotsOutlive(t *testing.T) {
	var b snapshot.Builder
	build := func(n int) *snapshot.Snapshot {
		for i := range n {
			r := b.Record("s", "r"+string(rune('a'+i%26)))
			r.Int("n", int64(i))
			r.End()
		}
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	kept := build(50)
	want := kept.Digest()
	for n := range 20 {
		given := build(10 * n)
		if n%2 == 0 {
			b.Recycle(given)
		}
		if got := kept.Digest(); got != want {
			t.Fatalf("after %d more snapshots the first has another digest", n+1)
		}
	}
}

// TestRecycleAgain takes a snapshot back a second time, also while its memory is in use.
func TestRecycleAgain(t *testing.T) {
	var b snapshot.Builder
	build := func(id string) *snapshot.Snapshot {
		b.Record("s", id).End()
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := build("a")
	b.Follow(first)
	b.Recycle(first)
	b.Recycle(first)
	second := build("b")
	b.Recycle(first)
	third := build("c")
	if second.Find("s", "b") != 0 || third.Find("s", "c") != 0 {
		t.Errorf("%v and %v share memory", second.Record(0).ID(), third.Record(0).ID())
	}
	b.Recycle(&snapshot.Snapshot{})
}
