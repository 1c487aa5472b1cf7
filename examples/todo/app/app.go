// Package app is a small todo service: tasks, what a person does with them, and
// what an agent gets to see and do.
package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// A Task is one thing to do.
type Task struct {
	ID, Text string
	Done     bool
}

func (t *Task) status() string { return status(t.Done) }

func status(done bool) string {
	if done {
		return "completed"
	}
	return "open"
}

// The filters of what is shown.
const (
	All       = "all"
	Open      = "open"
	Completed = "completed"
)

// ErrNoTask reports a task that is not there.
var ErrNoTask = errors.New("there is no such task")

// An App is a list of tasks. Make one with [New]. It is safe for concurrent use.
type App struct {
	mu     sync.Mutex
	tasks  []*Task
	last   int
	filter string
}

// New returns an app with three tasks.
func New() *App {
	return &App{filter: All, last: 3, tasks: []*Task{
		{ID: "t1", Text: "Review the launch checklist"},
		{ID: "t2", Text: "Book the design review"},
		{ID: "t3", Text: "Send the customer follow-up", Done: true},
	}}
}

// Add adds a task and returns its id.
func (a *App) Add(text string) (id string, err error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("a task needs a text")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	id = fmt.Sprint("t", a.last)
	a.tasks = append(a.tasks, &Task{ID: id, Text: text})
	return id, nil
}

// Toggle completes an open task and opens a completed one.
func (a *App) Toggle(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tasks {
		if t.ID == id {
			t.Done = !t.Done
			return nil
		}
	}
	return ErrNoTask
}

// Delete removes a task.
func (a *App) Delete(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.tasks)
	a.tasks = slices.DeleteFunc(a.tasks, func(t *Task) bool { return t.ID == id })
	if len(a.tasks) == n {
		return ErrNoTask
	}
	return nil
}

// SetFilter says which tasks are shown: All, Open or Completed.
func (a *App) SetFilter(filter string) error {
	if !slices.Contains([]string{All, Open, Completed}, filter) {
		return fmt.Errorf("the filter is %s, %s or %s", All, Open, Completed)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.filter = filter
	return nil
}

// CompleteOpen completes all open tasks and returns how many there were. No
// button does that.
func (a *App) CompleteOpen() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.open()
	for _, t := range a.tasks {
		t.Done = true
	}
	return n
}

// Page returns what a person sees.
func (a *App) Page() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for t := range a.shown() {
		box := "[ ]"
		if t.Done {
			box = "[x]"
		}
		fmt.Fprintf(&b, "%s %s  %s\n", box, t.ID, strings.Map(printable, t.Text))
	}
	fmt.Fprintf(&b, "%d of %d open, showing %s\n", a.open(), len(a.tasks), cmp.Or(a.filter, All))
	return b.String()
}

// printable replaces what would control the terminal, or begin a line of its own:
// a task's text may come from anybody.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

// open returns how many tasks are open; the lock is held.
func (a *App) open() int {
	n := 0
	for _, t := range a.tasks {
		if !t.Done {
			n++
		}
	}
	return n
}

// shown yields the tasks that the filter lets through; the lock is held.
func (a *App) shown() iter.Seq[*Task] {
	return func(yield func(*Task) bool) {
		for _, t := range a.tasks {
			if (a.filter == All || a.filter == t.status()) && !yield(t) {
				return
			}
		}
	}
}

// Registry returns an empty registry over the app's data.
func (a *App) Registry() *exposure.Registry {
	return exposure.New(&exposure.Options{
		Page: snapshot.Page{URL: "http://127.0.0.1:5218/", Title: "Todo", Document: "d1"},
		Lock: &a.mu,
	})
}

// Declare exposes the tasks, their checkboxes, and completing all open ones.
func (a *App) Declare(ctx context.Context, reg *exposure.Registry) error {
	if _, err := exposure.DeclareTool(ctx, reg, a.completeOpenTasks()); err != nil {
		return err
	}
	return a.declareTasks(ctx, reg, exposure.Scope{}, a.toggle())
}

// DeclareAll is Declare with the composer, the filter and the delete buttons.
func (a *App) DeclareAll(ctx context.Context, reg *exposure.Registry) error {
	tools := []exposure.Tool{a.completeOpenTasks(), a.addTask(), a.setFilter()}
	for _, t := range tools {
		if _, err := exposure.DeclareTool(ctx, reg, t); err != nil {
			return err
		}
	}
	// With a filter, the tasks that are exposed are a part of all.
	window := func() (total, offset int64) { return int64(len(a.tasks)), -1 }
	return a.declareTasks(ctx, reg, exposure.Scope{Window: window}, a.toggle(), a.delete())
}

func (a *App) declareTasks(ctx context.Context, reg *exposure.Registry, s exposure.Scope, tools ...exposure.RecordTool[*Task]) error {
	s.ID, s.Label, s.Role = "todo", "Tasks", "main"
	s.Description = "The task list, the composer, and the controls for finding and filtering tasks."
	todo, err := exposure.DeclareScope(ctx, reg, s)
	if err != nil {
		return err
	}
	_, err = exposure.DeclareRecords(ctx, todo, exposure.RecordSet[*Task]{
		All: a.shown,
		ID:  func(t *Task) string { return t.ID },
		Fields: []exposure.Field[*Task]{
			{Name: "text", Text: func(t *Task) string { return t.Text }},
			{Name: "status", Text: (*Task).status},
		},
		Tools: tools,
	})
	return err
}

func (a *App) completeOpenTasks() exposure.Tool {
	return exposure.Tool{
		ID:          "complete_open_tasks",
		Description: "Mark every open task as completed. This changes all open records in one operation.",
		Kind:        "write",
		Available: func() (bool, string) {
			return a.open() > 0, "There are no open tasks. Every task is already completed."
		},
		Run: func(context.Context, json.RawMessage) (any, error) {
			return map[string]int{"completed": a.CompleteOpen()}, nil
		},
		Expect: &exposure.Expect{
			Description: "No task remains open",
			Check:       func() bool { return a.open() == 0 },
		},
	}
}

// NewTask are the parameters of add_task.
type NewTask struct {
	Text string `json:"text" jsonschema:"What is to be done." minLength:"1" maxLength:"200"`
}

func (a *App) addTask() exposure.Tool {
	return exposure.Typed(exposure.Tool{
		ID: "add_task", Description: "Add an open task at the end of the list.", Kind: "write",
	}, func(_ context.Context, in NewTask) (map[string]string, error) {
		id, err := a.Add(in.Text)
		return map[string]string{"id": id}, err
	})
}

// Filter are the parameters of filter.
type Filter struct {
	Show string `json:"show" enum:"all,open,completed" default:"all"`
}

func (a *App) setFilter() exposure.Tool {
	return exposure.Typed(exposure.Tool{
		ID: "filter", Description: "Choose which tasks are shown.", Kind: "write",
	}, func(_ context.Context, in Filter) (exposure.Nothing, error) {
		return exposure.Nothing{}, a.SetFilter(in.Show)
	})
}

func (a *App) toggle() exposure.RecordTool[*Task] {
	return exposure.RecordTool[*Task]{
		Name: "toggle", Kind: "write", Primitive: "click",
		Description: func(t *Task) string { return "Mark “" + t.Text + "” as " + status(!t.Done) + "." },
		Run: func(_ context.Context, id string, _ json.RawMessage) (any, error) {
			return nil, a.Toggle(id)
		},
	}
}

func (a *App) delete() exposure.RecordTool[*Task] {
	return exposure.RecordTool[*Task]{
		Name: "delete", Kind: "write", Primitive: "click",
		Description: func(t *Task) string { return "Delete “" + t.Text + "”." },
		Run: func(_ context.Context, id string, _ json.RawMessage) (any, error) {
			return nil, a.Delete(id)
		},
	}
}
