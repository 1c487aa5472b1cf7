package exposure_test

import (
	"fmt"
	"log"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

func ExampleIDs() {
	ids, _ := exposure.IDs([]exposure.Origin{
		{Name: "save"},
		{Name: "toggle", Scope: "todo", Record: "t1"},
		{Name: "open", Scope: "todo", Record: "7"},
		{Name: "open", Scope: "done", Record: "7"},
		{Name: "pay", Group: "shop"},
		{Name: "pay", Group: "bank"},
	})
	fmt.Println(ids)
	// Output: [save toggle@t1 open@todo/7 open@done/7 shop/pay bank/pay]
}

func ExampleCompileSchema() {
	enc, err := records.ParseValue(nil, []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	s, err := exposure.CompileSchema(records.RawValue(enc))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range s.Validate(map[string]any{"n": 1.5}) {
		fmt.Println(v.Pointer, v.Message)
	}
	// Output: /n got number, want integer
}
