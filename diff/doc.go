// Package diff compares two snapshots and says what changed.
//
//	var d diff.Differ
//	changes := d.Compare(before, after, nil)
//	line := changes.AppendJSON(nil, nil)
//
// The line is evidence: which records were added, removed, updated (by field
// names) or reordered, how many more there were than are listed, exact totals,
// and which actions came, went or changed. It never says whether that is good.
// An observation that could not be made is said as such by [AppendUnobserved];
// nothing else looks like it.
//
// # Matching
//
// A record is the same on both sides if it has the same key, (scope, id). Among
// several records of one key, equal contents pair first, the others by order of
// occurrence. Records left over are paired, in this order, by a declared
// "replaces", by id across scopes that declare one identity space, and, in
// inferred scopes only, when one record without an id is left over on each side
// between the same matched neighbours. Content and position decide nothing else.
//
// # Windows
//
// A scope whose declared total is larger than its records shows a window of a
// longer list. A record without a match may then only have come into the window
// or fallen out of it. It is added or removed
//
//   - if the other side shows the whole list, which is so when it declares no
//     total or one that its records reach, and is not Partial;
//   - where both offsets are known, if the matched records around it, or the
//     ends of the list, leave no place for it outside the other window;
//   - otherwise if the change of the total, less records moved in or out, is
//     exactly the number of such records; evidence says then that this was
//     assumed.
//
// All others entered or left. Where a total was declared that cannot be read
// ([snapshot.Scope].Partial), nobody can tell what is not shown, and no other rule
// counts. A total declared on one side only makes a window of that side; the law from + added - removed + net = to holds throughout.
//
// # Cost
//
// Compare takes time linear in the records. Where both sides are aligned it
// reads eight bytes a record; a table of keys is built only for the rest. A
// warm [Differ] allocates nothing.
package diff
