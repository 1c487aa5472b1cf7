package diff_test

import (
	"fmt"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
)

// An agent runtime exposes what the app shows, lets the model act, exposes it
// again, and hands the model the line that says what has changed.
func ExampleDiffer_Compare() {
	var b snapshot.Builder // keep one, and one Differ, for a session
	row := b.Record("todo", "t1")
	row.String("status", "open")
	row.End()
	before, _ := b.Snapshot() // fails on a record without an id, or a field set twice
	b.Follow(before)          // the next snapshot takes memory for what changes
	row = b.Record("todo", "t1")
	row.String("status", "done")
	row.End()
	after, _ := b.Snapshot()
	changes := new(diff.Differ).Compare(before, after, nil)
	fmt.Printf("%s\n", changes.AppendJSON(nil, &diff.Format{Compact: true}))
	// Output: {"observed":true,"records":{"updated":[{"id":"t1","fields":["status"]}]}}
}

// Changes can be walked, rather than written.
func ExampleChanges_Updated() {
	observe := func(status string) *snapshot.Snapshot {
		var b snapshot.Builder
		row := b.Record("todo", "t1")
		row.String("status", status)
		row.End()
		snap, _ := b.Snapshot()
		return snap
	}
	var d diff.Differ
	for u := range d.Compare(observe("open"), observe("done"), nil).Updated() {
		for _, name := range u.Fields {
			fmt.Println(u.After.ID(), name, u.Before.Field(name), u.After.Field(name))
		}
	}
	// Output: t1 status "open" "done"
}

// An observation that could not be made never reads as "nothing changed".
func ExampleAppendUnobserved() {
	fmt.Printf("%s\n", diff.AppendUnobserved(nil, diff.Timeout))
	// Output: {"observed":false,"reason":"timeout"}
}

// A delta carries everything, and leads from one snapshot to the other.
func ExampleDelta_Apply() {
	observe := func(status string) *snapshot.Snapshot {
		var b snapshot.Builder
		row := b.Record("todo", "t1")
		row.String("status", status)
		row.End()
		snap, _ := b.Snapshot()
		return snap
	}
	before, after := observe("open"), observe("done")
	got, err := diff.NewDelta(before, after).Apply(before)
	fmt.Println(got.Record(0).Field("status"), got.Digest() == after.Digest(), err)
	// Output: "done" true <nil>
}
