package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// The tests are the six steps by which the chapter's reader checks its example.

func start(t *testing.T) *service {
	t.Helper()
	s, err := newService(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask tells the assistant something and returns the results and the answer.
func (s *service) ask(t *testing.T, words string) (string, []*call.Result) {
	t.Helper()
	say, done, err := s.agent.do(t.Context(), words)
	if err != nil {
		t.Fatal(err)
	}
	return say, done
}

// look returns what the page exposes: the tasks with their status, and the action.
func (s *service) look(t *testing.T, action string) (tasks []string, a snapshot.Action) {
	t.Helper()
	page, err := s.page.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.All() {
		tasks = append(tasks, r.ID()+" "+string(r.Field("status").Text()))
	}
	for i := range page.Actions() {
		if page.Action(i).ID == action {
			a = page.Action(i)
		}
	}
	return tasks, a
}

const completeAll = "Mark all open tasks as completed."

// TestStep1 tells the assistant to complete everything: the records and what a
// person sees change together.
func TestStep1(t *testing.T) {
	s := start(t)
	s.ask(t, completeAll)
	if tasks, _ := s.look(t, ""); !slices.Equal(tasks, []string{"t1 completed", "t2 completed", "t3 completed"}) {
		t.Errorf("exposed are %q", tasks)
	}
	if page := s.answer(t.Context(), "list"); strings.Count(page, "[x]") != 3 || strings.Contains(page, "[ ]") {
		t.Errorf("shown is\n%s", page)
	}
}

// TestStep2 opens the recent operations: what was returned, expected and changed.
func TestStep2(t *testing.T) {
	s := start(t)
	s.ask(t, completeAll)
	entries := slices.Collect(s.recent.Recent())
	if len(entries) != 1 || entries[0].Who != "agent" || entries[0].Action != "complete_open_tasks" || entries[0].Code != "" {
		t.Fatalf("recent: %s", s.answer(t.Context(), "recent"))
	}
	var result struct {
		Expect string
		Data   struct{ Completed int }
	}
	if err := json.Unmarshal(entries[0].Result, &result); err != nil {
		t.Fatal(err)
	}
	if result.Expect != "No task remains open" || result.Data.Completed != 2 {
		t.Errorf("got %s", entries[0].Result)
	}
	if want := `"updated":[{"id":"t1","fields":["status"]},{"id":"t2","fields":["status"]}]`; !strings.Contains(string(entries[0].Result), want) {
		t.Errorf("got %s", entries[0].Result)
	}
}

// TestStep3 asks again: the action is still listed, with its reason, and does not
// run.
func TestStep3(t *testing.T) {
	const reason = "There are no open tasks. Every task is already completed."
	s := start(t)
	s.ask(t, completeAll)
	if _, a := s.look(t, "complete_open_tasks"); !a.Unavailable || a.Reason != reason {
		t.Errorf("listed as %+v", a)
	}
	say, done := s.ask(t, completeAll)
	if say != reason || len(done) != 1 || done[0].Err.Code != call.ActionUnavailable || done[0].Changed != nil {
		t.Errorf("said %q after %s", say, done[0].AppendJSON(nil))
	}
}

// TestStep4 starts afresh and does by hand what the controls do; they are
// declared as controls, and an agent that uses them does the same.
func TestStep4(t *testing.T) {
	s := start(t)
	for _, line := range []string{"add Water the plants", "toggle t4", "toggle t1", "delete t2"} {
		s.answer(t.Context(), line)
	}
	if tasks, _ := s.look(t, ""); !slices.Equal(tasks, []string{"t1 completed", "t3 completed", "t4 completed"}) {
		t.Errorf("exposed are %q", tasks)
	}
	for _, id := range []string{"toggle@t4", "delete@t4"} {
		if _, a := s.look(t, id); a.Primitive != "click" || a.Record != "t4" || a.Scope != "todo" || a.Unavailable {
			t.Errorf("%s is listed as %+v", id, a)
		}
	}
	if _, a := s.look(t, "toggle@t4"); a.Description != "Mark “Water the plants” as open." {
		t.Errorf("described as %q", a.Description)
	}
	if page := s.answer(t.Context(), "filter open"); !strings.Contains(page, "0 of 3 open, showing open") {
		t.Errorf("shown is\n%s", page)
	}
	_, done := s.ask(t, "show completed")
	if !done[0].OK || !strings.Contains(string(done[0].Changed), `"total":{"from":3,"to":3}`) && strings.Contains(string(done[0].Changed), "added") {
		t.Errorf("a filter adds nothing: %s", done[0].AppendJSON(nil))
	}
	if say, _ := s.ask(t, "delete t1"); say != "Only a person deletes tasks." {
		t.Errorf("said %q", say)
	}
}

// TestStep5 lets the assistant add a task and complete all: the new one is in the
// same evidence as the others.
func TestStep5(t *testing.T) {
	s := start(t)
	_, done := s.ask(t, "Add Water the plants")
	if !done[0].OK || string(done[0].Data) != `{"id":"t4"}` || !strings.Contains(string(done[0].Changed), `"added":[{"id":"t4"}]`) {
		t.Fatalf("got %s", done[0].AppendJSON(nil))
	}
	_, done = s.ask(t, completeAll)
	want := `"updated":[{"id":"t1","fields":["status"]},{"id":"t2","fields":["status"]},{"id":"t4","fields":["status"]}]`
	if !done[0].OK || !strings.Contains(string(done[0].Changed), want) || done[0].Between != nil {
		t.Errorf("got %s", done[0].AppendJSON(nil))
	}
}

// TestStep6 looks at the list of tools: the function-level one has no element to
// act on and is no template of records.
func TestStep6(t *testing.T) {
	s := start(t)
	_, a := s.look(t, "complete_open_tasks")
	if a.Primitive != "call" || a.Record != "" || a.Scope != "" {
		t.Errorf("listed as %+v", a)
	}
	text := s.answer(t.Context(), "tools")
	if !strings.Contains(text, "complete_open_tasks") || strings.Contains(text, "complete_open_tasks@") || !strings.Contains(text, "toggle@{record}") {
		t.Errorf("shown as\n%s", text)
	}
}

// TestTerminal runs a session as a person types it.
func TestTerminal(t *testing.T) {
	s := start(t)
	var out strings.Builder
	in := "what\nask mark all as completed\nask sing\nask add  \nadd\ntoggle t9\n\nrecent\nlist\n" +
		"ask Add ȺȺȺȺȺȺȺȺ\nadd \x1b[2J\u202eodd\nquit\nlist\n"
	if err := s.serve(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ask WORDS", `Done: complete_open_tasks returned {"completed":2}.`, "I do not know how to do that.",
		"a task needs a text", "there is no such task", `"action":"complete_open_tasks"`, "0 of 3 open",
		"[ ] t4  ȺȺȺȺȺȺȺȺ\n", "[ ] t5  \ufffd[2J\ufffdodd\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
	if err := start(t).serve(t.Context(), strings.NewReader("list"), &out); err != nil {
		t.Fatal(err)
	}
}
