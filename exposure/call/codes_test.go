package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// has reports whether evidence lists a record as added.
func adds(evidence json.RawMessage, id string) bool {
	return strings.Contains(string(evidence), `"added":[{"id":"`+id+`"`)
}

const short = 30 * time.Millisecond

// TestCodes provokes every code that needs no browser.
func TestCodes(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	type env struct {
		l    *list
		reg  *exposure.Registry
		opts call.Options
		ctx  context.Context
		end  context.CancelCauseFunc
	}
	tool := func(e *env, run func(ctx context.Context) (any, error), change ...func(*exposure.Tool)) {
		spec := exposure.Tool{ID: "x", Description: "Does something.",
			Run: func(ctx context.Context, _ json.RawMessage) (any, error) { return run(ctx) }}
		for _, f := range change {
			f(&spec)
		}
		declare(t, e.reg, spec)
	}
	add := func(e *env) func(context.Context) (any, error) {
		return func(context.Context) (any, error) { e.l.add("t9", "New"); return "done", nil }
	}
	allow := func(v call.Verdict, reason string) call.Policy {
		return func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision {
			return call.Decision{Verdict: v, Reason: reason}
		}
	}
	tests := []struct {
		name, why string
		set       func(e *env, r *call.Request)
		code      call.Code
		reason    string // part of it
		changed   string // "" nothing ran, "t9" added, "same"
		decision  string
	}{
		{"not found", "", func(e *env, r *call.Request) { r.Action = "nope\n" }, call.ActionNotFound, `"nope\n"`, "", ""},
		{"ambiguous", "a bare name that several have", func(e *env, r *call.Request) { r.Action = "toggle" }, call.ActionAmbiguous, "3 actions", "", ""},
		{"bare name", "a bare name that one has is enough", func(e *env, r *call.Request) {
			e.l.remove("t1")
			e.l.remove("t2")
			r.Action = "toggle"
		}, "", "", "updated", "allow"},
		{"stale target", "never replaced by its neighbour", func(e *env, r *call.Request) {
			e.l.remove("t1")
			r.Action = "toggle@t1"
		}, call.ActionNotFound, "", "", ""},
		{"pinned", "an action that means what the caller saw", func(e *env, r *call.Request) {
			tool(e, add(e))
			r.If = pin(t, e.reg, "x")
		}, "", "", "t9", "allow"},
		{"changed", "a pinned action that means something else now", func(e *env, r *call.Request) {
			set := exposure.NewToolSet(e.reg)
			one := func(words string) {
				err := set.Apply(t.Context(), map[string]*exposure.Tool{"x": {Description: words, Run: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}})
				if err != nil {
					t.Fatal(err)
				}
			}
			one("Archive it.")
			r.If = pin(t, e.reg, "x")
			one("Delete it.")
		}, call.ActionChanged, "", "", ""},
		{"unavailable", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) { t.Available = func() (bool, string) { return false, "Sign in first." } })
		}, call.ActionUnavailable, "Sign in first.", "", ""},
		{"unavailable without reason", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) { t.Available = func() (bool, string) { return false, "" } })
		}, call.ActionUnavailable, exposure.ReasonUnavailable, "", ""},
		{"invalid", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) { t.Params = `{"required":["reason"],"properties":{"reason":{"type":"string"}}}` })
			r.Params = json.RawMessage(`{"reason":3}`)
		}, call.InvalidParams, "", "", ""},
		{"denied", "", func(e *env, r *call.Request) { tool(e, add(e)); e.opts.Policy = allow(call.Deny, "Not on a Sunday.") }, call.PolicyDenied, "Not on a Sunday.", "", "deny"},
		{"zero decision", "forgetting to decide is a no", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy = func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision { return call.Decision{} }
		}, call.PolicyDenied, "denied", "", "deny"},
		{"policy panics", "and so is failing to", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy = func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision { panic("boom") }
		}, call.PolicyDenied, "failed", "", "deny"},
		{"nobody to ask", "", func(e *env, r *call.Request) { tool(e, add(e)); e.opts.Policy = allow(call.Ask, "") }, call.PolicyDenied, "nobody", "", "unanswered"},
		{"refused", "", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy, e.opts.Confirm = allow(call.Ask, ""), answer(false)
		}, call.PolicyDenied, "not confirmed", "", "refuse"},
		{"confirmed", "", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy, e.opts.Confirm = allow(call.Ask, "sure?"), answer(true)
		}, "", "", "t9", "confirm"},
		{"unavailable while asked", "somebody was quicker than the person", func(e *env, r *call.Request) {
			r.Action = "complete_open_tasks"
			e.opts.Policy = allow(call.Ask, "")
			e.opts.Confirm = func(context.Context, string, *snapshot.Action, json.RawMessage, string) (bool, error) {
				e.l.completeAll()
				return true, nil
			}
		}, call.ActionUnavailable, "Every task is already completed.", "", "confirm"},
		{"changed while asked", "a yes to one thing is none to another", func(e *env, r *call.Request) {
			r.Action = "toggle@t1"
			e.opts.Policy = allow(call.Ask, "")
			e.opts.Confirm = func(context.Context, string, *snapshot.Action, json.RawMessage, string) (bool, error) {
				e.l.completeAll()
				return true, nil
			}
		}, call.ActionChanged, "", "", "confirm"},
		{"gone while asked", "", func(e *env, r *call.Request) {
			r.Action = "toggle@t1"
			e.opts.Policy = allow(call.Ask, "")
			e.opts.Confirm = func(context.Context, string, *snapshot.Action, json.RawMessage, string) (bool, error) {
				e.l.remove("t1")
				return true, nil
			}
		}, call.ActionNotFound, "", "", "confirm"},
		{"cancelled while asked", "a person who never answers does not hold the task", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy = allow(call.Ask, "")
			e.opts.Confirm = func(ctx context.Context, _ string, _ *snapshot.Action, _ json.RawMessage, _ string) (bool, error) {
				e.end(errors.New("the user pressed stop"))
				<-forever
				return true, nil
			}
		}, call.Aborted, "the user pressed stop", "", "unanswered"},
		{"cancelled in the policy", "", func(e *env, r *call.Request) {
			tool(e, add(e))
			e.opts.Policy = func(context.Context, string, *snapshot.Action, json.RawMessage) call.Decision {
				e.end(nil)
				<-forever
				return call.Decision{Verdict: call.Allow}
			}
		}, call.Aborted, "", "", ""},
		{"cancelled before", "", func(e *env, r *call.Request) { tool(e, add(e)); e.end(nil) }, call.Aborted, "", "", ""},
		{"cancelled, cooperative", "", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) {
				e.l.add("t9", "New")
				e.end(nil)
				return nil, exposure.Wait(ctx, time.Hour)
			})
		}, call.Aborted, "before it returned", "t9", "allow"},
		{"cancelled, ignored", "a tool that returns after the cancel, and happily", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) {
				e.end(nil)
				time.Sleep(short)
				e.l.add("t9", "New")
				return "done", nil
			})
		}, call.Aborted, "before it returned", "t9", "allow"},
		{"cancelled, never returns", "", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) {
				e.l.add("t9", "New")
				e.end(nil)
				<-forever
				return "done", nil
			})
			e.opts.Grace = 10 * short
		}, call.Aborted, "had not returned", "t9", "allow"},
		{"timeout, cooperative", "", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) {
				e.l.add("t9", "New")
				return nil, exposure.Wait(ctx, time.Hour)
			})
			r.Timeout = short
		}, call.Timeout, "before it returned", "t9", "allow"},
		{"timeout, never returns", "the caller is not held", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) { e.l.add("t9", "New"); <-forever; return nil, nil })
			e.opts.Grace = 10 * short
			r.Timeout = short
		}, call.Timeout, "had not returned", "t9", "allow"},
		{"timeout of the caller", "", func(e *env, r *call.Request) {
			tool(e, func(ctx context.Context) (any, error) {
				e.l.add("t9", "New")
				return nil, exposure.Wait(ctx, time.Hour)
			})
			ctx, cancel := context.WithTimeout(e.ctx, 20*short)
			t.Cleanup(cancel)
			e.ctx = ctx
		}, call.Timeout, "", "t9", "allow"},
		{"own deadline of the tool", "an error like any other: our context has not ended", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { return nil, context.DeadlineExceeded })
		}, call.ActionFailed, "deadline exceeded", "same", "allow"},
		{"fails first", "", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { return "lost", errors.New("nothing done") })
		}, call.ActionFailed, "nothing done", "same", "allow"},
		{"fails after", "failure and evidence both", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) {
				e.l.add("t9", "Half done")
				return nil, errors.New("card declined")
			})
		}, call.ActionFailed, "card declined", "t9", "allow"},
		{"panics", "", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { e.l.add("t9", "Half done"); panic("boom") })
		}, call.ActionFailed, "panic: boom", "t9", "allow"},
		{"panics with an error that panics", "", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { panic(badError{}) })
		}, call.ActionFailed, "badError", "same", "allow"},
		{"error that says nothing", "a reason is never empty", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { return nil, errors.New("") })
		}, call.ActionFailed, "an error of type *errors.errorString that says nothing", "same", "allow"},
		{"error that panics", "", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { return nil, badError{} })
		}, call.ActionFailed, "badError", "same", "allow"},
		{"huge error", "cut, its length given", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) { return nil, errors.New(strings.Repeat("e", 3_000_000)) })
		}, call.ActionFailed, "…(3000000 B)", "same", "allow"},
		{"expect, late", "comes true while it is awaited", func(e *env, r *call.Request) {
			tool(e, func(context.Context) (any, error) {
				time.AfterFunc(short, func() { e.l.add("t9", "New") })
				return "accepted", nil
			}, func(t *exposure.Tool) {
				t.Expect = &exposure.Expect{Description: "The task is there", Check: func() bool { return len(e.l.tasks) == 4 }}
			})
		}, "", "", "t9", "allow"},
		{"expect, never", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) {
				t.Expect = &exposure.Expect{Description: "It is done", Check: func() bool { return false }, Timeout: short}
			})
		}, call.ExpectationFailed, "It is done", "t9", "allow"},
		{"expect, call's timeout", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) {
				t.Expect = &exposure.Expect{Description: "It is done", Check: func() bool { return false }}
			})
			r.Timeout = short
		}, call.ExpectationFailed, "It is done", "t9", "allow"},
		{"expect, panics", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) {
				t.Expect = &exposure.Expect{Description: "It is done", Check: func() bool { panic("boom") }}
			})
		}, call.ExpectationFailed, "could not be checked", "t9", "allow"},
		{"expect, cancelled", "", func(e *env, r *call.Request) {
			tool(e, add(e), func(t *exposure.Tool) {
				t.Expect = &exposure.Expect{Description: "It is done", Check: func() bool { e.end(nil); return false }}
			})
		}, call.Aborted, "expectation", "t9", "allow"},
		{"data broken", "a record that repeats an id spoils no other call", func(e *env, r *call.Request) {
			e.l.add("t1", "Again")
			tool(e, add(e))
		}, "", "", "t9", "allow"},
		{"data broken, its own action", "nobody can tell which record is meant", func(e *env, r *call.Request) {
			e.l.add("t1", "Again")
			r.Action = "toggle@t1"
		}, call.ActionUnavailable, exposure.ReasonRepeated, "", ""},
		{"data broken, no such action", "", func(e *env, r *call.Request) { e.l.add("t1", "Again") }, call.ActionNotFound, "", "", ""},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			t.Parallel()
			e := &env{}
			e.l, e.reg = newList(t)
			e.ctx, e.end = context.WithCancelCause(context.Background())
			defer e.end(nil)
			ring := audit.NewRing(10)
			e.opts = call.Options{Audit: ring, Grace: 10 * time.Second}
			r := call.Request{Action: "x", Who: "tester"}
			tt.set(e, &r)
			began := time.Now()
			res := call.New(e.reg, &e.opts).Call(e.ctx, r)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
			line := string(res.AppendJSON(nil))
			if !json.Valid([]byte(line)) {
				t.Fatalf("not JSON: %s", line)
			}
			var code call.Code
			if res.Err != nil {
				code = res.Err.Code
			}
			if code != tt.code || res.OK != (tt.code == "") {
				t.Fatalf("%s: got %s, want %q", tt.why, line, tt.code)
			}
			if res.Err != nil && !strings.Contains(res.Err.Reason, tt.reason) || res.Err != nil && len(res.Err.Reason) > 1024 {
				t.Errorf("reason %q, want %q in it", res.Err.Reason, tt.reason)
			}
			switch tt.changed {
			case "":
				if res.Changed != nil || res.Data != nil {
					t.Errorf("nothing ran, but: %s", line)
				}
			case "same":
				if !res.Same || !strings.Contains(string(res.Changed), `"observed":true`) {
					t.Errorf("nothing changed, but: %s", line)
				}
			case "updated":
				if res.Same || !strings.Contains(string(res.Changed), `"updated":[{"id":"t3","fields":["status"]}]`) {
					t.Errorf("evidence missing: %s", line)
				}
			default:
				if res.Same || !adds(res.Changed, tt.changed) {
					t.Errorf("evidence missing: %s", line)
				}
			}
			if (tt.code == call.Aborted || tt.code == call.Timeout) && res.Data != nil {
				t.Errorf("a result that came too late was kept: %s", line)
			}
			if (tt.code == call.ExpectationFailed) != (res.Data != nil && code != "") {
				t.Errorf("data with %s: %s", code, line)
			}
			entries := 0
			for entry := range ring.Recent() {
				entries++
				if entry.Code != string(tt.code) || entry.Decision != tt.decision || entry.Who != "tester" || string(entry.Result) != line {
					t.Errorf("audited as %s", entry.AppendJSON(nil))
				}
			}
			if entries != 1 {
				t.Errorf("%d audit entries for one attempt", entries)
			}
			if text := string(res.AppendText(nil)); tt.code == "" != strings.HasPrefix(text, "ok ") {
				t.Errorf("text %q", text)
			}
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("no words") }

func answer(yes bool) call.Confirm {
	return func(context.Context, string, *snapshot.Action, json.RawMessage, string) (bool, error) {
		return yes, nil
	}
}

func pin(t *testing.T, page call.Page, id string) string {
	t.Helper()
	actions, err := page.Actions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range actions {
		if actions[i].ID == id {
			return call.Pin(&actions[i])
		}
	}
	t.Fatalf("no action %q", id)
	return ""
}

// TestReasonOnOneLine is what a tool's error can do to a line of text: nothing.
func TestReasonOnOneLine(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) {
		return nil, errors.New("\x1b[2J\x1b[31mok\nresult: success\nok \"x\"\u202e")
	}})
	res := call.New(reg, nil).Call(t.Context(), call.Request{Action: "x"})
	lines := strings.Split(strings.TrimSpace(string(res.AppendText(nil))), "\n")
	if len(lines) != 3 || lines[0] != `ACTION_FAILED "x"` || strings.ContainsAny(lines[1], "\x1b\u202e") {
		t.Errorf("got %q", lines)
	}
	if line := string(res.AppendJSON(nil)); strings.ContainsAny(line, "\n\x1b\u202e") {
		t.Errorf("got %q", line)
	}
}

// TestReturnsNothing states what an author's run did not say.
func TestReturnsNothing(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return nil, nil }})
	declare(t, reg, exposure.Tool{ID: "y", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return json.RawMessage("null"), nil }})
	c := call.New(reg, &call.Options{Format: &diff.Format{Compact: true}})
	x, y := c.Call(t.Context(), call.Request{Action: "x"}), c.Call(t.Context(), call.Request{Action: "y"})
	if x.Data != nil || string(y.Data) != "null" {
		t.Errorf("nothing is %s, null is %s", x.Data, y.Data)
	}
	for i, v := range []any{(*int)(nil), json.RawMessage(nil), json.RawMessage("")} {
		id := fmt.Sprint("z", i)
		declare(t, reg, exposure.Tool{ID: id, Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return v, nil }})
		if res := c.Call(t.Context(), call.Request{Action: id}); !res.OK || res.Data != nil {
			t.Errorf("%#v is %s", v, res.AppendJSON(nil))
		}
	}
	if got, want := string(x.AppendText(nil)), "ok \"x\"\nreturned nothing\nchanged {\"observed\":true}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGoType refuses what the schema accepts and the tool's Go type cannot hold,
// before anything runs.
func TestGoType(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Typed(exposure.Tool{ID: "x", Description: "d"},
		func(context.Context, struct {
			By time.Time `json:"by"`
			N  int64     `json:"n,omitempty"`
		}) (exposure.Nothing, error) {
			t.Error("it ran")
			return exposure.Nothing{}, nil
		}))
	c := call.New(reg, nil)
	for _, params := range []string{`{"by":"soon"}`, `{"by":"2031-05-01T00:00:00Z","n":99999999999999999999}`} {
		res := c.Call(t.Context(), call.Request{Action: "x", Params: json.RawMessage(params)})
		if res.Err == nil || res.Err.Code != call.InvalidParams || len(res.Err.Details) != 1 || res.Changed != nil {
			t.Errorf("%s: got %s", params, res.AppendJSON(nil))
		}
	}
}

// TestLogger gets what belongs to no result.
func TestLogger(t *testing.T) {
	_, reg := newList(t)
	release := make(chan struct{})
	declare(t, reg, exposure.Tool{ID: "panics", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { panic("boom") }})
	declare(t, reg, exposure.Tool{ID: "late", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { <-release; return nil, nil }})
	var log lines
	c := call.New(reg, &call.Options{Grace: short, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c.Call(t.Context(), call.Request{Action: "panics"})
	c.Call(t.Context(), call.Request{Action: "late", Timeout: short})
	close(release)
	for _, want := range []string{"msg=panic in=run action=panics value=boom stack=", "returned after its call had ended"} {
		for deadline := time.Now().Add(10 * time.Second); !strings.Contains(log.text(), want); {
			if time.Now().After(deadline) {
				t.Fatalf("%q was not logged:\n%s", want, log.text())
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// lines is a writer that can be read meanwhile.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
