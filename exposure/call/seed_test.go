package call_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
)

// A task and a list of them are the app of the tests.
type task struct {
	id, text string
	done     bool
}

type list struct {
	mu    sync.Mutex
	tasks []*task
}

func (l *list) all() iter.Seq[*task] { return slices.Values(l.tasks) }

func (l *list) add(id, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks = append(l.tasks, &task{id: id, text: text})
}

func (l *list) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks = slices.DeleteFunc(l.tasks, func(t *task) bool { return t.id == id })
}

func (l *list) open() int {
	n := 0
	for _, t := range l.tasks {
		if !t.done {
			n++
		}
	}
	return n
}

func (l *list) completeAll() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.open()
	for _, t := range l.tasks {
		t.done = true
	}
	return n
}

// newList returns the tasks of the chapter and a registry that exposes them.
func newList(t testing.TB) (*list, *exposure.Registry) {
	t.Helper()
	l := &list{tasks: []*task{
		{id: "t1", text: "Review the launch checklist"},
		{id: "t2", text: "Book the design review"},
		{id: "t3", text: "Send the customer follow-up", done: true},
	}}
	reg := exposure.New(&exposure.Options{Lock: &l.mu})
	ctx := t.Context()
	todo, err := exposure.DeclareScope(ctx, reg, exposure.Scope{ID: "todo", Label: "Tasks", Role: "main"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = exposure.DeclareRecords(ctx, todo, exposure.RecordSet[*task]{
		All: l.all,
		ID:  func(t *task) string { return t.id },
		Fields: []exposure.Field[*task]{
			{Name: "text", Text: func(t *task) string { return t.text }},
			{Name: "status", Text: func(t *task) string { return status(t.done) }},
		},
		Tools: []exposure.RecordTool[*task]{{
			Name: "toggle", Kind: "write", Primitive: "click",
			Description: func(t *task) string { return "Mark “" + t.text + "” as " + status(!t.done) + "." },
			Run: func(ctx context.Context, id string, params json.RawMessage) (any, error) {
				l.mu.Lock()
				defer l.mu.Unlock()
				for _, t := range l.tasks {
					if t.id == id {
						t.done = !t.done
						return nil, nil
					}
				}
				return nil, exposure.ErrGone
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	declare(t, reg, exposure.Tool{
		ID: "complete_open_tasks", Kind: "write",
		Description: "Mark every open task as completed. This changes all open records in one operation.",
		Available: func() (bool, string) {
			if l.open() > 0 {
				return true, ""
			}
			return false, "There are no open tasks. Every task is already completed."
		},
		Run: func(ctx context.Context, params json.RawMessage) (any, error) {
			return map[string]int{"completed": l.completeAll()}, nil
		},
		Expect: &exposure.Expect{Description: "No task remains open", Check: func() bool { return l.open() == 0 }},
	})
	return l, reg
}

func status(done bool) string {
	if done {
		return "completed"
	}
	return "open"
}

func declare(t testing.TB, in exposure.Container, tool exposure.Tool) *exposure.Handle {
	t.Helper()
	h, err := exposure.DeclareTool(t.Context(), in, tool)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSeed calls the chapter's action: the result is that of the chapter, byte
// for byte.
func TestSeed(t *testing.T) {
	want, err := os.ReadFile("testdata/C00/expect-result-basic.json")
	if err != nil {
		t.Fatal(err)
	}
	l, reg := newList(t)
	c := call.New(reg, &call.Options{Format: &diff.Format{Detail: diff.Basic}})
	req := call.Request{Action: "complete_open_tasks"}
	if got := string(c.Call(t.Context(), req).AppendJSON(nil)); got != strings.TrimSpace(string(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	second := `{"ok":false,"action":{"id":"complete_open_tasks","description":"Mark every open task as completed. This changes all open records in one operation."},` +
		`"error":{"code":"ACTION_UNAVAILABLE","reason":"There are no open tasks. Every task is already completed."}}`
	if got := string(c.Call(t.Context(), req).AppendJSON(nil)); got != second {
		t.Errorf("got  %s\nwant %s", got, second)
	}
	l.add("t4", "Water the plants")
	res := c.Call(t.Context(), req)
	if !strings.Contains(string(res.Changed), `"updated":[{"id":"t4","fields":["status"]}]`) {
		t.Errorf("after adding a task: %s", res.AppendJSON(nil))
	}
	if !strings.Contains(string(res.Between), `"added":[{"id":"t4"}]`) || strings.Contains(string(res.Changed), `"added":[{`) {
		t.Errorf("the added task was not between: %s", res.AppendJSON(nil))
	}
}
