package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// pageRuntime is the provider of what pages declare with the page runtime (package
// runtime, which documents the registry it asks).
type pageRuntime struct{ calls atomic.Int64 }

const runtimeRegistry = `globalThis[Symbol.for("pagestate.registry")]`

// Name returns RuntimeProvider.
func (r *pageRuntime) Name() string                       { return RuntimeProvider }
func (r *pageRuntime) Script() string                     { return "" }
func (r *pageRuntime) Prepare(context.Context, Tab) error { return nil }
func (r *pageRuntime) Idle(Tab) bool                      { return true }

// A runtimeAnswer is what the registry's functions answer.
type runtimeAnswer struct {
	Gone    bool            `json:"gone"`
	Value   json.RawMessage `json:"value"`
	Desc    string          `json:"desc"`
	Timeout float64         `json:"timeout"` // milliseconds
}

// ask calls a function of the registry of a frame for a.
func (r *pageRuntime) ask(ctx context.Context, tab Tab, frame FrameID, function string, a *snapshot.Action, more string) (runtimeAnswer, error) {
	answer := runtimeAnswer{Gone: true} // of a document without the runtime
	v, err := Invoke(ctx, tab, frame, fmt.Sprintf("%s?.%s(%s,%s,%s%s)", runtimeRegistry, function, Quote(a.Scope), Quote(a.Record), Quote(a.BareName()), more))
	if err != nil || v == nil {
		return answer, err
	}
	answer.Gone = false
	if text, ok := v.(json.RawMessage); !ok || json.Unmarshal(text, &answer) != nil {
		return answer, errResult
	}
	return answer, nil
}

// frameOf returns the frame whose runtime has declared a: the one that a's group
// names. Of several that are named alike and have a tool of that name, the number
// in a's id tells which.
func (r *pageRuntime) frameOf(ctx context.Context, tab Tab, a *snapshot.Action) (FrameID, error) {
	if a.Group == "" {
		return "", nil
	}
	frames, err := tab.Frames(ctx)
	if err != nil {
		return "", err
	}
	nth := 1
	if i := strings.LastIndexByte(a.ID, '#'); i >= 0 {
		if n, err := strconv.Atoi(a.ID[i+1:]); err == nil {
			nth = n
		}
	}
	groups := map[FrameID]string{}
	for _, f := range frames {
		if f.ID == "" || f.Silent {
			continue
		}
		own, err := tab.FrameElement(ctx, f, `(e) => e.getAttribute('name') || e.id || e.title || 'frame'`)
		var name string
		if err != nil || json.Unmarshal(own, &name) != nil {
			continue // it has gone meanwhile
		}
		if around := groups[f.Parent]; around != "" {
			name = around + "." + name
		}
		if groups[f.ID] = name; name != a.Group {
			continue
		}
		if answer, err := r.ask(ctx, tab, f.ID, "available", a, ""); err != nil || answer.Gone {
			continue
		}
		if nth--; nth == 0 {
			return f.ID, nil
		}
	}
	return "", exposure.ErrGone
}

// stoppable calls f with the arguments that name a call, and a context that does not
// end before the page answers. When ctx ends, the page is told to stop.
func (r *pageRuntime) stoppable(ctx context.Context, tab Tab, frame FrameID, f func(ctx context.Context, id string) (runtimeAnswer, error)) (runtimeAnswer, error) {
	if err := ctx.Err(); err != nil {
		return runtimeAnswer{}, err
	}
	id := strconv.FormatInt(r.calls.Add(1), 10)
	unbounded := context.WithoutCancel(ctx)
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(unbounded, time.Second)
		defer cancel()
		_, _ = tab.Evaluate(limited, Script{Frame: frame, World: Main, Expression: runtimeRegistry + "?.stop(" + id + ")"})
	})
	defer stop()
	return f(unbounded, id)
}

// Run runs a tool. When ctx ends, the tool's signal aborts; Run returns when the
// tool does, or when its document is gone.
func (r *pageRuntime) Run(ctx context.Context, tab Tab, a *snapshot.Action, params json.RawMessage) (any, error) {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	frame, err := r.frameOf(ctx, tab, a)
	if err != nil {
		return nil, err
	}
	answer, err := r.stoppable(ctx, tab, frame, func(ctx context.Context, id string) (runtimeAnswer, error) {
		return r.ask(ctx, tab, frame, "run", a, ",JSON.parse("+Quote(string(params))+"),"+id)
	})
	switch {
	case err != nil:
		return nil, err
	case answer.Gone:
		return nil, exposure.ErrGone
	case answer.Value == nil:
		return nil, nil
	}
	return answer.Value, nil
}

// maxAsk is how long a page may take to say what a tool expects.
const maxAsk = time.Second

// Expectation returns what a tool declares to hold after it has run.
func (r *pageRuntime) Expectation(tab Tab, a *snapshot.Action) *exposure.Expectation {
	ctx, cancel := context.WithTimeout(context.Background(), maxAsk)
	defer cancel()
	frame, err := r.frameOf(ctx, tab, a)
	if err != nil {
		return nil
	}
	answer, err := r.ask(ctx, tab, frame, "expectation", a, "")
	if err != nil || answer.Desc == "" {
		return nil
	}
	action := *a
	return &exposure.Expectation{Description: answer.Desc, Timeout: time.Duration(answer.Timeout * float64(time.Millisecond)),
		Await: func(ctx context.Context) error {
			answer, err := r.stoppable(ctx, tab, frame, func(ctx context.Context, id string) (runtimeAnswer, error) {
				return r.ask(ctx, tab, frame, "holds", &action, ","+id)
			})
			if err == nil && string(answer.Value) != "true" {
				if err = ctx.Err(); err == nil {
					err = exposure.ErrGone
				}
			}
			return err
		}}
}
