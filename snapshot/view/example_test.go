package view_test

import (
	"fmt"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/view"
)

func todo() *snapshot.Snapshot {
	var b snapshot.Builder
	b.Scope(snapshot.Scope{ID: "todo", Label: "Tasks"})
	for _, t := range []struct{ id, text, status string }{
		{"t1", "Buy milk", "open"}, {"t2", "Call\nscope x", "done"},
	} {
		row := b.Record("todo", t.id)
		row.String("text", t.text)
		row.String("status", t.status)
		row.End()
		b.Action(snapshot.Action{ID: "toggle@" + t.id, Description: "Toggle it.", Kind: "write", Primitive: "click",
			Scope: "todo", Record: t.id})
	}
	b.Action(snapshot.Action{ID: "clear", Description: "Remove what is done.", Primitive: "call",
		Unavailable: true, Reason: "Nothing is done."})
	snap, err := b.Snapshot()
	if err != nil {
		panic(err)
	}
	return snap
}

func ExampleAppendText() {
	fmt.Printf("%s", view.AppendText(nil, todo(), nil))
	// Output:
	// scope todo label "Tasks" records 2
	//   | id | text | status
	//   | t1 | "Buy milk" | "open"
	//   | t2 | "Call\nscope x" | "done"
	//   action toggle@{record} kind write on all about "Toggle it."
	// action clear unavailable "Nothing is done." about "Remove what is done."
}

func ExampleAppendJSON() {
	fmt.Printf("%s\n", view.AppendJSON(nil, todo(), &view.Options{Budget: 300}))
	// Output:
	// {"scopes":[{"id":"todo","brief":true,"total":2,"fields":["text","status"],"rows":[["t1","Buy milk","open"],["t2","Call\nscope x","done"]],"omitted":0}],"actions":[{"id":"clear","description":"Remove what is done.","available":"Nothing is done."}],"omitted":{"scopes":0,"records":0,"actions":2}}
}

func ExampleOptions_Check() {
	fmt.Println((&view.Options{Budget: 100}).Check())
	// Output:
	// budget too small: 100 bytes, at least 256 are needed
}
