// Package snapshot holds what a page or an app exposes at one moment: scopes,
// records with declared fields, and actions.
//
// A [Builder] makes a [Snapshot]; a Snapshot is immutable and may be shared
// between goroutines. Package diff compares two of them, package
// snapshot/capture reads and writes them as JSON.
//
//	var b snapshot.Builder
//	b.Scope(snapshot.Scope{ID: "todo", Label: "Tasks"})
//	row := b.Record("todo", "t1")
//	row.String("text", "Buy milk")
//	row.Bool("done", false)
//	row.End()
//	snap, err := b.Snapshot()
//
// The snapshots of a session are best made by one builder, each with [Builder.Follow]
// for the one before: they then share what has not changed, take memory for what has,
// and are compared at the cost of that.
//
// # Identity
//
// A record is identified by its scope and id, an action by its origin (group,
// scope, record, name), a scope by its id. Two records of one key are kept and
// compared both, and diagnosed as duplicate-id.
//
// # Bounds
//
// At most [Limits].MaxTracked records are kept; the others are counted in their
// scope's total and reported as untracked.
package snapshot
