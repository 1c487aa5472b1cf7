package exposure_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot/view"
)

type product struct {
	ID    string
	Name  string
	Stock int64
}

// An app declares a scope, its records, and a tool.
func ExampleRegistry() {
	var mu sync.RWMutex
	products := []*product{{"p1", "Ink", 3}, {"p2", "Pen", 0}}

	ctx := context.Background()
	reg := exposure.New(&exposure.Options{Lock: mu.RLocker()})
	shop, err := exposure.DeclareScope(ctx, reg, exposure.Scope{ID: "shop", Label: "Products"})
	if err != nil {
		panic(err)
	}
	_, err = exposure.DeclareRecords(ctx, shop, exposure.RecordSet[*product]{
		All: func() iter.Seq[*product] { return slices.Values(products) },
		ID:  func(p *product) string { return p.ID },
		Fields: []exposure.Field[*product]{
			{Name: "name", Text: func(p *product) string { return p.Name }},
			{Name: "stock", Int: func(p *product) int64 { return p.Stock }},
		},
	})
	if err != nil {
		panic(err)
	}
	type order struct {
		ProductID string `json:"productId" jsonschema:"Id of the product."`
		Quantity  int64  `json:"quantity" minimum:"1" maximum:"10" default:"1"`
	}
	tool := exposure.Tool{ID: "order", Description: "Order a product.", Kind: "write"}
	_, err = exposure.DeclareTool(ctx, shop, exposure.Typed(tool, func(ctx context.Context, in order) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range products {
			if p.ID == in.ProductID {
				p.Stock -= in.Quantity
			}
		}
		return "ordered", nil
	}))
	if err != nil {
		panic(err)
	}

	s, err := reg.Snapshot(ctx)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(view.AppendText(nil, s, nil))
	// Output:
	// scope shop label "Products" records 2
	//   | id | name | stock
	//   | p1 | "Ink" | 3
	//   | p2 | "Pen" | 0
	// action order kind write scope shop about "Order a product." params productId* string, quantity integer
}

// A declaration is refused with an error that says why.
func ExampleDeclareTool() {
	reg := exposure.New(nil)
	_, err := exposure.DeclareTool(context.Background(), reg, exposure.Tool{ID: "export"})
	fmt.Println(err)
	// Output:
	// bad declaration: tool "export" has no description
}

// Custom tools replace built-in ones of their name; nil removes one.
func ExampleToolSet() {
	ctx := context.Background()
	reg := exposure.New(nil)
	set := exposure.NewToolSet(reg)

	type wait struct {
		Seconds int `json:"seconds" minimum:"1" maximum:"10" default:"1"`
	}
	waiting := exposure.Typed(exposure.Tool{Description: "Wait for some seconds."},
		func(ctx context.Context, in wait) (exposure.Nothing, error) {
			return exposure.Nothing{}, exposure.Wait(ctx, time.Duration(in.Seconds)*time.Second)
		})
	scroll := exposure.Tool{Description: "Scroll the page.", Run: nothing}
	if err := set.Apply(ctx, map[string]*exposure.Tool{"wait": &waiting, "scroll": &scroll}); err != nil {
		panic(err)
	}

	waiting.Description = "Wait politely."
	if err := set.Apply(ctx, map[string]*exposure.Tool{"wait": &waiting, "scroll": nil}); err != nil {
		panic(err)
	}
	actions, err := reg.Actions(ctx)
	if err != nil {
		panic(err)
	}
	for _, a := range actions {
		fmt.Println(a.ID, "-", a.Description)
	}
	// Output:
	// wait - Wait politely.
}

// Wait returns as soon as the task is cancelled.
func ExampleWait() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(exposure.Wait(ctx, time.Hour))
	// Output:
	// context canceled
}

func ExampleRegistry_Check() {
	names := []string{"ann", "ben", "ann"}
	reg := exposure.New(nil)
	_, err := exposure.DeclareRecords(context.Background(), reg, exposure.RecordSet[string]{
		All: func() iter.Seq[string] { return slices.Values(names) },
		ID:  func(s string) string { return s },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Calls go on; the snapshot says what is wrong.
	s, err := reg.Snapshot(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range s.Diagnostics() {
		fmt.Println(d.Code, d.At)
	}
	fmt.Println(reg.Check(context.Background()))
	// Output:
	// duplicate-id ann
	// duplicate id: record "ann" of scope ""
}
