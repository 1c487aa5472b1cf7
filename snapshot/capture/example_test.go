package capture_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func ExampleDecode() {
	snap, err := capture.Decode([]byte(`{
	  "scopes": [{"id": "todo", "label": "Tasks"}],
	  "records": [{"id": 1, "scope": "todo", "fields": {"text": "Buy milk", "done": false}}],
	  "actions": [{"id": "add", "description": "Add a task", "available": "The list is full."}]
	}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range snap.All() {
		fmt.Println(r.Scope(), r.ID(), r.Field("text"), r.Field("done"))
	}
	fmt.Println(snap.Action(0).Reason)
	// Output:
	// todo 1 "Buy milk" false
	// The list is full.
}

func ExampleDecode_rows() {
	snap, err := capture.Decode([]byte(`[{"sku": "A-1", "stock": 4}, {"sku": "B-7", "stock": 0}]`), &capture.Options{Key: "sku"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range snap.All() {
		fmt.Println(r.ID(), r.Field("stock"))
	}
	// Output:
	// A-1 4
	// B-7 0
}

func ExampleDecoder() {
	var d capture.Decoder
	_, err := d.Decode([]byte(`{"records":[{"id":"a"},{"id":null}]}`), nil)
	fmt.Println(err)
	var pos *records.PosError
	fmt.Println(errors.As(err, &pos), errors.Is(err, capture.ErrBadID), pos.Pointer, pos.Offset)
	// Output:
	// bad id: null, want text or an integer at /records/1/id, offset 29
	// true true /records/1/id 29
}

func todo() *snapshot.Snapshot {
	var b snapshot.Builder
	b.Page(snapshot.Page{URL: "https://shop.example/todo"})
	b.Scope(snapshot.Scope{ID: "todo", Label: "Tasks", Volatile: []string{"age"}})
	for i, text := range []string{"Buy milk", "Call Ana"} {
		row := b.Record("todo", fmt.Sprintf("t%d", i+1))
		row.String("text", text)
		row.Int("age", int64(i))
		row.End()
	}
	b.Action(snapshot.Action{ID: "add", Description: "Add a task"})
	snap, err := b.Snapshot()
	if err != nil {
		panic(err)
	}
	return snap
}

func ExampleAppend() {
	os.Stdout.Write(capture.Append(nil, todo()))
	// Output:
	// {"format":"pagestate/1","page":{"url":"https://shop.example/todo"},"scopes":[{"id":"todo","label":"Tasks","volatile":["age"]}],"records":[{"id":"t1","scope":"todo","fields":{"text":"Buy milk","age":0}},{"id":"t2","scope":"todo","fields":{"text":"Call Ana","age":1}}],"actions":[{"id":"add","description":"Add a task","available":true}]}
}

func ExampleAppendPretty() {
	os.Stdout.Write(capture.AppendPretty(nil, todo()))
	// Output:
	// {"format":"pagestate/1",
	//  "page":{"url":"https://shop.example/todo"},
	//  "scopes":[
	//   {"id":"todo","label":"Tasks","volatile":["age"]}],
	//  "records":[
	//   {"id":"t1","scope":"todo","fields":{"text":"Buy milk","age":0}},
	//   {"id":"t2","scope":"todo","fields":{"text":"Call Ana","age":1}}],
	//  "actions":[
	//   {"id":"add","description":"Add a task","available":true}]}
}
