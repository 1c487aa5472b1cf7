package call

import (
	"context"
	"encoding/json"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// A Binder is a page on which an action can be replaced by another of its name
// while it is being called. It holds on to what was looked up, so that the other
// one is never run in its place. *exposure.Registry is one. A page that embeds
// one and changes how actions run must have a BoundActions of its own.
type Binder interface {
	// BoundActions returns what Actions returns, and a function that holds on to
	// the action at an index.
	BoundActions(ctx context.Context) (actions []snapshot.Action, at func(i int) exposure.Bound, err error)
}

// actions returns the page's actions and what holds on to them.
func (c *Caller) actions(ctx context.Context) ([]snapshot.Action, func(i int) exposure.Bound, error) {
	if b, ok := c.page.(Binder); ok {
		return b.BoundActions(ctx)
	}
	actions, err := c.page.Actions(ctx)
	return actions, func(i int) exposure.Bound { return named{c.page, &actions[i]} }, err
}

// named is an action of a page that finds its actions by themselves.
type named struct {
	page Page
	a    *snapshot.Action
}

func (n named) Available(ctx context.Context) (bool, string, error) {
	return n.page.Available(ctx, n.a)
}

func (n named) CheckParams(params json.RawMessage) []exposure.Violation {
	if c, ok := n.page.(ParamsChecker); ok {
		return c.CheckParams(n.a, params)
	}
	return nil
}

func (n named) Expectation() *exposure.Expectation { return n.page.Expectation(n.a) }

func (n named) Run(ctx context.Context, params json.RawMessage) (any, error) {
	return n.page.Run(ctx, n.a, params)
}
