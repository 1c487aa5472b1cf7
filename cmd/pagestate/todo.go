package main

import (
	"strconv"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A todoApp is a small app whose state lives in this process: tasks, a control
// for each, and one function-level tool.
type todoApp struct {
	tasks []todoTask

	builder snapshot.Builder
	differ  diff.Differ
}

type todoTask struct {
	id, text string
	done     bool
}

func newTodoApp() *todoApp {
	return &todoApp{tasks: []todoTask{
		{"t1", "Review the launch checklist", false},
		{"t2", "Book the design review", false},
		{"t3", "Send the customer follow-up", true},
	}}
}

// A todoTool is a function-level tool of the app.
type todoTool struct {
	id, description, kind string
	available             func() (reason string, ok bool)
	run                   func() (data []byte)
	expect                string
	holds                 func() bool
}

func (a *todoApp) tools() []todoTool {
	return []todoTool{{
		id:          "complete_open_tasks",
		description: "Mark every open task as completed. This changes all open records in one operation.",
		kind:        "write",
		available: func() (string, bool) {
			return "There are no open tasks. Every task is already completed.", a.open() > 0
		},
		run: func() []byte {
			n := a.open()
			for i := range a.tasks {
				a.tasks[i].done = true
			}
			return append(strconv.AppendInt([]byte(`{"completed":`), int64(n), 10), '}')
		},
		expect: "No task remains open",
		holds:  func() bool { return a.open() == 0 },
	}}
}

// open returns how many tasks are open.
func (a *todoApp) open() int {
	n := 0
	for _, t := range a.tasks {
		if !t.done {
			n++
		}
	}
	return n
}

func status(done bool) string {
	if done {
		return "completed"
	}
	return "open"
}

// snapshot returns what the app exposes now.
func (a *todoApp) snapshot() (*snapshot.Snapshot, error) {
	b := &a.builder
	b.Page(snapshot.Page{URL: "http://127.0.0.1:5218/", Title: "Todo", Document: "d1"})
	b.Scope(snapshot.Scope{
		ID: "todo", Label: "Tasks", Role: "main",
		Description: "The task list, the composer, and the controls for finding and filtering tasks.",
	})
	for _, t := range a.tasks {
		row := b.Record("todo", t.id)
		row.String("text", t.text)
		row.String("status", status(t.done))
		row.End()
	}
	for _, tool := range a.tools() {
		act := snapshot.Action{ID: tool.id, Description: tool.description, Kind: tool.kind, Primitive: "call"}
		if reason, ok := tool.available(); !ok {
			act.Unavailable, act.Reason = true, reason
		}
		b.Action(act)
	}
	for _, t := range a.tasks {
		b.Action(snapshot.Action{
			ID: "toggle@" + t.id, Scope: "todo", Record: t.id, Kind: "write", Primitive: "click",
			Description: "Mark “" + t.text + "” as " + status(!t.done) + ".",
		})
	}
	return b.Snapshot()
}

// call calls a tool and appends the result to dst as one line of JSON. changed,
// if not nil, is called with what it changed.
func (a *todoApp) call(dst []byte, id string, format *diff.Format, changed func(*diff.Changes)) ([]byte, error) {
	var tool *todoTool
	for _, t := range a.tools() {
		if t.id == id {
			tool = &t
		}
	}
	if tool == nil {
		dst = append(dst, `{"ok":false,"action":{"id":`...)
		dst = records.AppendQuoted(dst, id)
		return append(dst, `},"error":{"code":"ACTION_NOT_FOUND"}}`+"\n"...), nil
	}
	head := func(ok bool) {
		dst = strconv.AppendBool(append(dst, `{"ok":`...), ok)
		dst = records.AppendQuoted(append(dst, `,"action":{"id":`...), tool.id)
		dst = append(records.AppendQuoted(append(dst, `,"description":`...), tool.description), '}')
	}
	if reason, ok := tool.available(); !ok {
		head(false)
		dst = records.AppendQuoted(append(dst, `,"error":{"code":"ACTION_UNAVAILABLE","reason":`...), reason)
		return append(dst, "}}\n"...), nil
	}
	before, err := a.snapshot()
	if err != nil {
		return nil, err
	}
	data := tool.run()
	held := tool.holds()
	after, err := a.snapshot()
	if err != nil {
		return nil, err
	}
	changes := a.differ.Compare(before, after, &diff.Options{Session: true})
	if head(held); !held {
		dst = append(dst, `,"error":{"code":"EXPECTATION_FAILED"}`...)
	}
	dst = records.AppendQuoted(append(dst, `,"expect":`...), tool.expect)
	dst = append(append(dst, `,"data":`...), data...)
	dst = changes.AppendJSON(append(dst, `,"changed":`...), format)
	if changed != nil {
		changed(changes)
	}
	return append(dst, "}\n"...), nil
}
