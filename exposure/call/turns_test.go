package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

var long = flag.Bool("long", false, "run the long form of tests that have one")

// TestLateEffects leaves a tool behind whose effect comes after the next call has
// ended: it is between the calls, and no effect of either.
func TestLateEffects(t *testing.T) {
	l, reg := newList(t)
	release, done := make(chan struct{}), make(chan struct{})
	declare(t, reg, exposure.Tool{ID: "slow", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) {
		<-release
		l.add("late", "Finally")
		close(done)
		return "ok", nil
	}})
	declare(t, reg, exposure.Tool{ID: "quick", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return "ok", nil }})
	c := call.New(reg, &call.Options{Grace: 10 * time.Millisecond})
	if res := c.Call(t.Context(), call.Request{Action: "slow", Timeout: 10 * time.Millisecond}); res.Err == nil || res.Err.Code != call.Timeout || !res.Same {
		t.Fatalf("got %s", res.AppendJSON(nil))
	}
	res := c.Call(t.Context(), call.Request{Action: "quick"})
	if !res.OK || !res.Same || !strings.Contains(string(res.Changed), `"code":"unfinished-call","at":"slow"`) {
		t.Errorf("the evidence does not say that another tool is still at work: %s", res.AppendJSON(nil))
	}
	// Evidence of the closed shape has no place for it; the result does.
	res = c.Call(t.Context(), call.Request{Action: "quick", Format: &diff.Format{Detail: diff.Basic}})
	if line := string(res.AppendJSON(nil)); !slices.Equal(res.Unfinished, []string{"slow"}) || !strings.HasSuffix(line, `,"unfinished":["slow"]}`) || strings.Contains(line, "diagnostics") {
		t.Errorf("the result does not say that another tool is still at work: %s", line)
	}
	if text := string(res.AppendText(nil)); !strings.HasSuffix(text, "\nunfinished \"slow\"\n") {
		t.Errorf("text %q", text)
	}
	close(release)
	<-done
	res = c.Call(t.Context(), call.Request{Action: "quick"})
	if !res.OK || !res.Same || !adds(res.Between, "late") {
		t.Errorf("a late effect is not between the calls: %s", res.AppendJSON(nil))
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		res = c.Call(t.Context(), call.Request{Action: "quick"})
		if res.Between != nil {
			t.Errorf("it was reported twice: %s", res.AppendJSON(nil))
		}
		if !strings.Contains(string(res.Changed), "unfinished") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the tool has returned: %s", res.AppendJSON(nil))
		}
	}
}

// TestBetween reports once what others changed, and not what the caller has seen.
func TestBetween(t *testing.T) {
	l, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return nil, nil }})
	c := call.New(reg, nil)
	l.add("a", "before the first look")
	if res := c.Call(t.Context(), call.Request{Action: "x"}); res.Between != nil {
		t.Errorf("between without a look: %s", res.Between)
	}
	l.add("b", "unseen")
	if res := c.Call(t.Context(), call.Request{Action: "nope"}); res.Between != nil {
		t.Errorf("nothing ran: %s", res.AppendJSON(nil))
	}
	if res := c.Call(t.Context(), call.Request{Action: "x"}); !adds(res.Between, "b") || !res.Same {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
	l.add("c", "seen")
	if _, err := c.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := c.Call(t.Context(), call.Request{Action: "x"}); res.Between != nil {
		t.Errorf("the caller has seen it: %s", res.AppendJSON(nil))
	}
}

// TestSerialised runs calls of one page from many goroutines: they never overlap,
// and those of another page do not wait.
func TestSerialised(t *testing.T) {
	_, reg := newList(t)
	var running, most atomic.Int32
	hold := make(chan struct{})
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) {
		most.Store(max(most.Load(), running.Add(1)))
		time.Sleep(time.Millisecond)
		running.Add(-1)
		return nil, nil
	}})
	declare(t, reg, exposure.Tool{ID: "hold", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { <-hold; return nil, nil }})
	c := call.New(reg, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if res := c.Call(t.Context(), call.Request{Action: "x"}); !res.OK {
				t.Errorf("got %s", res.AppendJSON(nil))
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
	held := make(chan *call.Result)
	go func() { held <- c.Call(t.Context(), call.Request{Action: "hold"}) }()
	waits := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		res := c.Call(ctx, call.Request{Action: "x"})
		return res.Err != nil && res.Err.Code == call.Timeout && res.Changed == nil
	}
	for deadline := time.Now().Add(10 * time.Second); !waits(); {
		if time.Now().After(deadline) {
			t.Fatal("the page is not held")
		}
	}
	_, other := newList(t)
	if res := call.New(other, nil).Call(t.Context(), call.Request{Action: "complete_open_tasks"}); !res.OK {
		t.Errorf("another page waited: %s", res.AppendJSON(nil))
	}
	close(hold)
	if res := <-held; !res.OK {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestConfirmHoldsNothing looks at the page and calls another action of it while
// a person is asked.
func TestConfirmHoldsNothing(t *testing.T) {
	l, reg := newList(t)
	var c *call.Caller
	c = call.New(reg, &call.Options{
		Policy: func(_ context.Context, who string, a *snapshot.Action, _ json.RawMessage) call.Decision {
			if who == "agent" {
				return call.Decision{Verdict: call.Ask, Reason: "bulk"}
			}
			return call.Decision{Verdict: call.Allow}
		},
		Confirm: func(ctx context.Context, who string, a *snapshot.Action, params json.RawMessage, reason string) (bool, error) {
			if _, err := c.Look(ctx); err != nil {
				return false, err
			}
			if res := c.Call(ctx, call.Request{Action: "toggle@t1", Who: "person"}); !res.OK {
				return false, res.Err
			}
			return reason == "bulk", nil
		},
	})
	res := c.Call(t.Context(), call.Request{Action: "complete_open_tasks", Who: "agent"})
	if !res.OK || string(res.Data) != `{"completed":1}` || l.open() != 0 {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestHungApp calls actions of an app whose lock is never given back, and of one
// whose getter hangs: the call ends all the same, and says what it could not see.
func TestHungApp(t *testing.T) {
	l, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "deadlock", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) {
		l.mu.Lock() // and never unlocks
		return "done", nil
	}})
	c := call.New(reg, &call.Options{Observe: 10 * short})
	res := c.Call(t.Context(), call.Request{Action: "deadlock"})
	if !res.OK || string(res.Changed) != `{"observed":false,"reason":"timeout"}` || res.Same {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
	res = c.Call(t.Context(), call.Request{Action: "deadlock"})
	if res.Err == nil || res.Err.Code != call.Timeout || res.Changed != nil {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
	l.add2("after")
	if res = c.Call(t.Context(), call.Request{Action: "complete_open_tasks"}); !res.OK || !adds(res.Between, "after") {
		t.Errorf("what could not be seen then is not between now: %s", res.AppendJSON(nil))
	}
}

// add2 adds a task and gives the lock back that the caller holds.
func (l *list) add2(id string) {
	l.tasks = append(l.tasks, &task{id: id, done: false})
	l.mu.Unlock()
}

// TestNotify awaits a condition that is only checked when the app says so.
func TestNotify(t *testing.T) {
	l, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "x", Description: "d", Run: func(context.Context, json.RawMessage) (any, error) {
		time.AfterFunc(short, func() { l.add("t9", "New"); reg.Notify() })
		return nil, nil
	}, Expect: &exposure.Expect{Description: "It is there", Poll: -1, Check: func() bool { return len(l.tasks) == 4 }}})
	if res := call.New(reg, nil).Call(t.Context(), call.Request{Action: "x"}); !res.OK || res.Expect != "It is there" {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestAuditFails keeps the result and says that nobody has a record of it.
func TestAuditFails(t *testing.T) {
	full := errors.New("disk full")
	for name, sink := range map[string]sinkFunc{
		"fails":  func(*audit.Entry) error { return full },
		"panics": func(*audit.Entry) error { panic("boom") },
		"hangs":  func(*audit.Entry) error { <-t.Context().Done(); return nil },
	} {
		_, reg := newList(t)
		res := call.New(reg, &call.Options{Audit: sink, AuditWait: short}).Call(t.Context(), call.Request{Action: "complete_open_tasks"})
		if !res.OK || res.AuditErr == nil {
			t.Errorf("%s: got %s, %v", name, res.AppendJSON(nil), res.AuditErr)
		}
	}
}

// TestAuditTakesAll logs attempts whose texts have any length, and names a page by
// a url with a password.
func TestAuditTakesAll(t *testing.T) {
	_, reg := newList(t)
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	log, _, err := audit.OpenLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := call.New(reg, &call.Options{Audit: log, Name: "https://ann:s3cret@a.test/"})
	huge := strings.Repeat("x", audit.MaxEntryBytes+1)
	for _, r := range []call.Request{{Action: huge}, {Action: "complete_open_tasks", Who: huge}, {Action: "x", Params: json.RawMessage(huge)}} {
		if res := c.Call(t.Context(), r); res.AuditErr != nil {
			t.Error(res.AuditErr)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for e, err := range audit.Read(file) {
		if n++; err != nil || e.Page != "https://a.test/" || len(e.Action) > 1024 || len(e.Who) > 1024 {
			t.Errorf("entry %d: %+v, %v", n, e, err)
		}
	}
	if n != 3 {
		t.Errorf("%d entries of 3", n)
	}
}

type sinkFunc func(*audit.Entry) error

func (f sinkFunc) Append(e *audit.Entry) error { return f(e) }

// TestAuditRedacts keeps secrets out of the audit, in refused calls too.
func TestAuditRedacts(t *testing.T) {
	_, reg := newList(t)
	declare(t, reg, exposure.Tool{ID: "login", Description: "d", Params: `{"properties":{"user":{"type":"string"},"password":{"type":"string","writeOnly":true,"pattern":"^[a-z]+$"}}}`,
		Run: func(context.Context, json.RawMessage) (any, error) { return nil, nil }})
	// What a tool says of its parameters, in plain and in quoted form.
	declare(t, reg, exposure.Tool{ID: "quotes", Description: "d", Params: `{"properties":{"password":{"writeOnly":true},"pin":{"writeOnly":true}}}`,
		Run: func(_ context.Context, p json.RawMessage) (any, error) { return nil, fmt.Errorf("refused: %s", p) }})
	declare(t, reg, exposure.Tool{ID: "returns", Description: "d", Params: `{"properties":{"password":{"writeOnly":true}}}`,
		Run: func(_ context.Context, p json.RawMessage) (any, error) { return []any{p, "user hunter", "hunt"}, nil }})
	ring := audit.NewRing(9)
	c := call.New(reg, &call.Options{Audit: ring})
	if res := c.Call(t.Context(), call.Request{Action: "quotes", Params: json.RawMessage(`{"password":"hunter\n\"2\"","pin":4711}`)}); !strings.Contains(res.Err.Reason, "hunter") {
		t.Errorf("who called is not told: %s", res.AppendJSON(nil))
	}
	if res := c.Call(t.Context(), call.Request{Action: "returns", Params: json.RawMessage(`{"password":"hunter"}`)}); !strings.Contains(string(res.Data), "user hunter") {
		t.Errorf("who called is not told: %s", res.AppendJSON(nil))
	}
	for _, r := range []call.Request{
		{Action: "login", Params: json.RawMessage(`{"user":"ann","password":"hunter"}`)},
		{Action: "login", Params: json.RawMessage(`{"user":"ann","password":"hunter 2"}`)},
		{Action: "logni", Params: json.RawMessage(`{"user":"ann","password":"hunter"}`)},
		{Action: "login", Params: json.RawMessage(`{"password":"hunter",`)},
	} {
		c.Call(t.Context(), r)
	}
	n := 0
	for e := range ring.Recent() {
		n++
		if line := string(e.AppendJSON(nil)); strings.Contains(line, "hunter") || strings.Contains(line, "4711") || !json.Valid([]byte(line)) {
			t.Errorf("a secret was audited: %s", line)
		}
		if e.Action == "returns" && !strings.Contains(string(e.Result), `"data":[{"password":"[masked]"},"user [masked]","hunt"]`) {
			t.Errorf("data %s", e.Result)
		}
		if e.Code == "" && e.Action == "login" && string(e.Params) != `{"password":"[masked]","user":"ann"}` {
			t.Errorf("params %s", e.Params)
		}
	}
	if n != 6 {
		t.Errorf("%d entries of 6", n)
	}
}

// counts is what evidence says of records at detail basic.
type counts struct {
	Observed bool
	Records  struct {
		Added, Removed []struct{ ID string }
		Omitted        struct{ Added, Removed int }
		Total          struct{ From, To int }
	}
}

// balance checks from + added - removed = to.
func balance(evidence []byte) error {
	var c counts
	if err := json.Unmarshal(evidence, &c); err != nil {
		return err
	}
	r := c.Records
	if c.Observed && r.Total.From+len(r.Added)+r.Omitted.Added-len(r.Removed)-r.Omitted.Removed != r.Total.To {
		return fmt.Errorf("%s does not add up", evidence)
	}
	return nil
}

// TestConcurrent calls, registers, releases and looks from 64 goroutines: two
// seconds, or thirty with -long.
func TestConcurrent(t *testing.T) {
	l, reg := newList(t)
	for _, id := range []string{"add", "drop", "hang"} {
		declare(t, reg, exposure.Tool{ID: id, Description: "d", Params: `{"properties":{"id":{"type":"string"}}}`,
			Run: func(ctx context.Context, params json.RawMessage) (any, error) {
				var in struct{ ID string }
				if err := json.Unmarshal(params, &in); err != nil {
					return nil, err
				}
				switch id {
				case "add":
					l.remove(in.ID)
					l.add(in.ID, "New")
				case "drop":
					l.remove(in.ID)
				default:
					<-ctx.Done()
					l.add(in.ID+"-late", "Late")
					time.Sleep(time.Millisecond)
					l.remove(in.ID + "-late")
				}
				return nil, nil
			}})
	}
	ring := audit.NewRing(1)
	basic := &diff.Format{Detail: diff.Basic}
	c := call.New(reg, &call.Options{Audit: ring, Format: basic, Grace: time.Millisecond,
		Policy: func(ctx context.Context, _ string, a *snapshot.Action, _ json.RawMessage) call.Decision {
			return call.Decision{Verdict: call.Verdict(rand.IntN(3))}
		}, Confirm: answer(true)})
	length := 2 * time.Second
	if *long {
		length = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var attempts, ran, changes atomic.Int64
	check := func(evidence []byte) {
		if evidence == nil {
			return
		}
		if err := balance(evidence); err != nil {
			t.Error(err)
		}
		changes.Add(1)
	}
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			id := fmt.Sprintf("g%d", g)
			for n := 0; ctx.Err() == nil; n++ {
				switch rand.IntN(8) {
				case 0:
					one, stop := context.WithCancel(ctx)
					s, err := exposure.DeclareScope(one, reg, exposure.Scope{ID: id})
					if err == nil {
						_, err = exposure.DeclareRecords(one, s, exposure.RecordSet[*task]{All: l.all, ID: func(t *task) string { return t.id }})
					}
					if err == nil {
						_, err = exposure.DeclareTool(one, s, exposure.Tool{ID: id, Description: "d", Run: func(context.Context, json.RawMessage) (any, error) { return nil, nil }})
					}
					if err != nil && ctx.Err() == nil && !errors.Is(err, exposure.ErrDuplicate) {
						t.Error(err)
					}
					c.Call(ctx, call.Request{Action: id})
					attempts.Add(1)
					if n%2 == 0 && err == nil {
						s.Release()
					}
					stop()
				case 1:
					if s, err := reg.Snapshot(ctx); err == nil && s.Len() < 3 {
						t.Errorf("a snapshot of %d records", s.Len())
					}
				case 2:
					if _, err := c.Look(ctx); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				case 3:
					ev, err := call.Observe(ctx, reg, func(context.Context) error { l.add(id+"-observed", ""); l.remove(id + "-observed"); return nil }, &call.ObserveOptions{Format: basic})
					if err != nil {
						t.Error(err)
					}
					check(ev.JSON)
				default:
					r := call.Request{Action: []string{"add", "drop", "hang", "toggle@t1", "complete_open_tasks", "nope"}[rand.IntN(6)], Who: id}
					switch r.Action {
					case "add", "drop":
						r.Params = json.RawMessage(`{"id":"` + id + `"}`)
					case "hang":
						r.Params, r.Timeout = json.RawMessage(`{"id":"`+id+`"}`), time.Millisecond
					}
					res := c.Call(ctx, r)
					attempts.Add(1)
					if res.Changed != nil {
						ran.Add(1)
					}
					check(res.Changed)
					check(res.Between)
				}
			}
		})
	}
	wg.Wait()
	if got := int64(ring.Total()); got != attempts.Load() {
		t.Errorf("%d audit entries for %d attempts", got, attempts.Load())
	}
	if ran.Load() == 0 || changes.Load() == 0 {
		t.Error("nothing ran")
	}
	t.Logf("%d attempts, %d ran, %d pieces of evidence", attempts.Load(), ran.Load(), changes.Load())
}
