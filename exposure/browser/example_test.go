package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/call"
)

// A page is opened in a browser of its own, and one of its buttons is pressed.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Cart</title>
<ul data-agent-scope="cart" data-agent-label="Cart"><li data-agent-record="jar"><b data-agent-field="count">1</b>
<button data-agent-action="more" data-agent-description="One more" onclick="this.previousElementSibling.textContent++">+</button></li></ul>`)
	}))
	defer server.Close()

	ctx := context.Background()
	chrome, err := browser.Start(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer chrome.Close()
	tab, err := chrome.NewTab(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := browser.NewPage(ctx, tab, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := page.Navigate(ctx, server.URL); err != nil {
		fmt.Println(err)
		return
	}
	caller := call.New(page, &call.Options{Format: &diff.Format{Compact: true}})
	res := caller.Call(ctx, call.Request{Action: "more@jar"})
	fmt.Println(res.OK, string(res.Changed))
	// Output:
	// true {"observed":true,"records":{"updated":[{"id":"jar","fields":["count"]}]}}
}
