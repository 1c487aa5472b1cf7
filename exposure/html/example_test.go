package html_test

import (
	"fmt"
	"log"

	"github.com/pagestate/pagestate/exposure/html"
)

// An annotated page exposes what its annotations say.
func ExampleDecode() {
	page := []byte(`<ul data-agent-scope="todo" aria-label="Tasks">
	  <li data-agent-record="t1"><b data-agent-field="text">Buy milk</b>
	    <button data-agent-action="finish" data-agent-description="Finish it" disabled>Done</button></li>
	</ul>`)
	snap, err := html.Decode(page, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range snap.All() {
		fmt.Println(r.Scope(), r.ID(), r.Field("text"))
	}
	a := snap.Action(0)
	fmt.Println(a.ID, a.Description, a.Reason)
	// Output:
	// todo t1 "Buy milk"
	// finish@t1 Finish it disabled
}

// Of a page without annotations what it exposes is inferred. The snapshot before
// keeps ids the same.
func ExampleDecode_inferred() {
	before, err := html.Decode([]byte(`<table id="staff"><tr><th>Name<th>Room<tr><td>Ann<td>1.04<tr><td>Bo<td>1.07</table>`), nil)
	if err != nil {
		log.Fatal(err)
	}
	after, err := html.Decode([]byte(`<table id="staff"><tr><th>Name<th>Room<tr><td>Anna<td>1.04<tr><td>Bo<td>1.07</table>`),
		&html.Options{Before: before})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range after.All() {
		fmt.Println(r.Scope(), r.ID(), r.Field("Name"), r.Field("Room"))
	}
	// Output:
	// staff Ann "Anna" "1.04"
	// staff Bo "Bo" "1.07"
}
