package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/view"
)

// A planner chooses the next action from what a model would get: the bounded view
// of the page, the instruction, and what was done so far. ok is false when there
// is nothing more to do; say then holds the answer.
type planner func(page, instruction string, done []*call.Result) (r call.Request, say string, ok bool)

// An agent follows instructions, one action after the other.
type agent struct {
	caller *call.Caller
	plan   planner
}

// maxSteps bounds what one instruction may lead to.
const maxSteps = 5

// do follows an instruction and returns the answer with the results of the
// actions that it took.
func (a *agent) do(ctx context.Context, instruction string) (say string, done []*call.Result, err error) {
	for range maxSteps {
		page, err := a.caller.Look(ctx)
		if err != nil {
			return "", done, err
		}
		r, say, ok := a.plan(string(view.AppendText(nil, page, nil)), instruction, done)
		if !ok {
			return say, done, nil
		}
		r.Who, r.If = "agent", seen(page, r.Action)
		done = append(done, a.caller.Call(ctx, r))
		if ctx.Err() != nil {
			return "", done, ctx.Err()
		}
	}
	return "This takes too many steps.", done, nil
}

// seen returns the pin of an action as the page showed it.
func seen(page *snapshot.Snapshot, id string) string {
	for i := range page.Actions() {
		if a := page.Action(i); a.ID == id {
			return call.Pin(&a)
		}
	}
	return ""
}

// rules is a planner that stands in for a model: it knows a few phrases.
func rules(page, instruction string, done []*call.Result) (call.Request, string, bool) {
	if len(done) > 0 {
		return call.Request{}, report(done[len(done)-1]), false
	}
	words := strings.ToLower(instruction)
	request := func(action string, params any) (call.Request, string, bool) {
		text, err := json.Marshal(params)
		if err != nil {
			return call.Request{}, err.Error(), false
		}
		return call.Request{Action: action, Params: text}, "", true
	}
	switch verb, text, _ := strings.Cut(instruction, " "); {
	case strings.EqualFold(verb, "add") && text != "":
		return request("add_task", map[string]string{"text": text})
	case strings.HasPrefix(words, "show "):
		return request("filter", map[string]string{"show": strings.TrimPrefix(words, "show ")})
	case strings.HasPrefix(words, "delete "):
		return request("delete@"+strings.TrimPrefix(words, "delete "), none)
	case strings.Contains(words, "all") && strings.Contains(words, "complete") && strings.Contains(page, "complete_open_tasks"):
		return request("complete_open_tasks", none)
	}
	return call.Request{}, "I do not know how to do that.", false
}

// none are no parameters.
var none = struct{}{}

// report says what became of a call, from the result alone.
func report(r *call.Result) string {
	switch {
	case r.Err != nil && r.Err.Code == call.ActionUnavailable, r.Err != nil && r.Err.Code == call.PolicyDenied:
		return r.Err.Reason
	case r.Err != nil:
		return r.Err.Error()
	case r.Same:
		return "Done, but nothing that I can see has changed."
	case r.Data == nil:
		return fmt.Sprintf("Done: %s.", r.Action.ID)
	}
	return fmt.Sprintf("Done: %s returned %s.", r.Action.ID, r.Data)
}
