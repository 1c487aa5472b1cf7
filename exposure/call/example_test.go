package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// counter returns an app with one record and a tool that changes it.
func counter() *exposure.Registry {
	type cell struct{ n int64 }
	c := &cell{}
	ctx := context.Background()
	reg := exposure.New(nil)
	_, err := exposure.DeclareRecords(ctx, reg, exposure.RecordSet[*cell]{
		All:    func() iter.Seq[*cell] { return slices.Values([]*cell{c}) },
		ID:     func(*cell) string { return "counter" },
		Fields: []exposure.Field[*cell]{{Name: "value", Int: func(c *cell) int64 { return c.n }}},
	})
	if err != nil {
		panic(err)
	}
	type step struct {
		By int64 `json:"by" minimum:"1" default:"1"`
	}
	_, err = exposure.DeclareTool(ctx, reg, exposure.Typed(
		exposure.Tool{ID: "count", Description: "Count on."},
		func(_ context.Context, in step) (map[string]int64, error) {
			c.n += in.By
			return map[string]int64{"value": c.n}, nil
		}))
	if err != nil {
		panic(err)
	}
	return reg
}

// A call returns status, data and evidence as one line of JSON.
func ExampleCaller_Call() {
	caller := call.New(counter(), &call.Options{Format: &diff.Format{Compact: true}})
	res := caller.Call(context.Background(), call.Request{Action: "count", Params: json.RawMessage(`{"by":3}`)})
	fmt.Println(string(res.AppendJSON(nil)))
	res = caller.Call(context.Background(), call.Request{Action: "count", Params: json.RawMessage(`{"by":0}`)})
	fmt.Println(string(res.AppendJSON(nil)))
	// Output:
	// {"ok":true,"action":{"id":"count","description":"Count on."},"data":{"value":3},"changed":{"observed":true,"records":{"updated":[{"id":"counter","fields":["value"]}]}}}
	// {"ok":false,"action":{"id":"count","description":"Count on."},"error":{"code":"INVALID_PARAMS","reason":"the parameters do not match what the action declares","details":[{"pointer":"/by","message":"minimum: got 0, want 1"}]}}
}

// A policy decides who may do what; an audit keeps what became of it.
func ExampleOptions() {
	recent := audit.NewRing(100)
	caller := call.New(counter(), &call.Options{
		Audit: recent,
		Policy: func(_ context.Context, who string, a *snapshot.Action, params json.RawMessage) call.Decision {
			if who == "guest" {
				return call.Decision{Verdict: call.Deny, Reason: "Guests only look."}
			}
			return call.Decision{Verdict: call.Allow}
		},
	})
	for _, who := range []string{"ann", "guest"} {
		caller.Call(context.Background(), call.Request{Action: "count", Who: who})
	}
	for e := range recent.Recent() {
		fmt.Printf("%s %s %s %q\n", e.Who, e.Action, e.Decision, e.Code)
	}
	// Output:
	// guest count deny "POLICY_DENIED"
	// ann count allow ""
}

// A caller that pins what it saw does not run what has changed since.
func ExamplePin() {
	ctx := context.Background()
	reg := counter()
	actions, err := reg.Actions(ctx)
	if err != nil {
		panic(err)
	}
	seen := call.Pin(&actions[0])
	caller := call.New(reg, nil)
	fmt.Println(caller.Call(ctx, call.Request{Action: "count", If: seen}).OK)
	fmt.Println(caller.Call(ctx, call.Request{Action: "count", If: "0123"}).Err.Code)
	// Output:
	// true
	// ACTION_CHANGED
}

// A runtime adds evidence to its steps in three lines.
func ExampleObserve() {
	ctx := context.Background()
	page := counter()
	step := func(ctx context.Context) error { // any step of an agent
		call.New(page, nil).Call(ctx, call.Request{Action: "count"})
		return nil
	}

	ev, err := call.Observe(ctx, page, step, &call.ObserveOptions{Format: &diff.Format{Compact: true}})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(ev.JSON))
	// Output:
	// {"observed":true,"records":{"updated":[{"id":"counter","fields":["value"]}]}}
}
