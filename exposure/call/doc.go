// Package call runs one action of a page and returns one result with evidence of
// what changed.
//
//	caller := call.New(reg, nil) // reg is a *exposure.Registry
//	res := caller.Call(ctx, call.Request{Action: "complete_open_tasks", Who: "agent"})
//	os.Stdout.Write(append(res.AppendJSON(nil), '\n'))
//
// # The order of a call
//
//  1. The action is looked up: by its exact id, then by its bare name. A caller
//     may pin what it saw of it ([Pin]).
//  2. It must be available.
//  3. Its parameters are checked against the declared schema, and defaults are
//     filled in.
//  4. The [Policy] allows, denies, or asks for confirmation.
//  5. The page is observed. What has changed since the last look at it is
//     reported as between, and never credited to this call.
//  6. The action runs, once.
//  7. What it expects is awaited.
//  8. The page settles, if it is one that can, and is observed again; what has
//     changed is the evidence.
//  9. The attempt is audited, whatever became of it. Secrets are masked in its
//     parameters, and where the action's reason or data repeats them.
//
// What runs is the very declaration that was looked up, or nothing: on a page that
// can hold on to it ([Binder]), one that was replaced meanwhile is
// ACTION_CHANGED. Status and evidence are independent: an action that fails after it has changed
// something gives both. Where nothing ran there is no evidence.
//
// # Time
//
// The call's timeout bounds steps 6 and 7. Cancelling is cooperative: the tool's
// context ends, and the tool has a grace period to return. Its result then comes
// too late and is dropped: the call is TIMEOUT or ABORTED, with evidence. A tool
// that still has not returned is left behind, and the call returns without it.
// Every other function that the page or the application provides is given up when
// the context ends or the page does not answer in Options.Observe. The methods of
// errors and values that they return are foreign as they are, and guarded alike:
// they may panic, hang or end their goroutine.
//
// If the context ends while the expectation is awaited, the call is TIMEOUT or
// ABORTED and the data is dropped; if only the call's timeout passes then, it is
// EXPECTATION_FAILED and the data is kept, since the action has answered.
//
// The audit is not shortened by the context: a call waits for it at most
// Options.AuditWait more.
//
// # One at a time
//
// Calls on one page take turns; make one [Caller] for a page and share it. Calls
// on different pages are independent. No turn is held while a policy decides or a
// person is asked; afterwards the action is looked up again, must not have changed
// its meaning (description, parameters, kind), and must still be available.
//
// A tool that was left behind holds no turn, so that it cannot block the page for
// good. The next call waits for it for the grace period. If it returns by then,
// what it did is between; if not, its effects cannot be told from those of the
// calls that run beside it: their results name it as unfinished, and their
// evidence carries the diagnostic unfinished-call (at the details names and
// values; the closed shape of basic has no place for it).
package call
