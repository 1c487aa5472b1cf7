package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pagestate/pagestate/exposure/call"
)

// TestObserveChromedp says what a chromedp action changed, in a context that a runtime
// has already.
func TestObserveChromedp(t *testing.T) {
	base := serveFolder(t, "testdata/C38")
	ctx, cancel := chromedp.NewContext(sharedBrowser(t).ctx)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/start.html")); err != nil {
		t.Fatal(err)
	}
	tab, err := FromContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPage(ctx, tab, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	steps := []struct {
		name string
		step chromedp.Action[chromedp.Void]
		want string
	}{
		{"nothing", chromedp.Sleep(time.Millisecond), `{"observed":true}`},
		{"script", chromedp.Steps(func(ctx context.Context, tt *chromedp.Target) (v chromedp.Void, err error) {
			_, err = chromedp.Run(ctx, chromedp.Evaluate[any](`addRow('t3', 'New')`))
			return v, err
		}), `{"observed":true,"records":{"added":[{"id":"t3"}],"total":{"from":2,"to":3}}}`},
		{"navigation", chromedp.Navigate(base + "/done.html"),
			`{"observed":true,"records":{"removed":[{"id":"t1","scope":"todo"},{"id":"t3","scope":"todo"}],"total":{"from":3,"to":2}},"scopes":{"added":[{"id":"receipt","records":1,"ids":["r1"]}]},"page":{"url":{"from":"$/start.html","to":"$/done.html"},"navigated":true}}`},
	}
	for _, s := range steps {
		ev, err := call.Observe(ctx, p, func(ctx context.Context) error { return chromedp.Do(ctx, s.step) }, &call.ObserveOptions{Format: compact})
		if got := strings.ReplaceAll(string(ev.JSON), base, "$"); err != nil || got != s.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", s.name, err, got, s.want)
		}
	}
	if err := tab.Close(t.Context()); err != nil || chromedp.FromContext(ctx).Target == nil || ctx.Err() != nil {
		t.Errorf("the runtime's tab was closed: %v", err)
	}
}

// TestDialogsOfNavigation answers what a page asks before it is left, and while it
// loads.
func TestDialogsOfNavigation(t *testing.T) {
	base := serveFolder(t, "testdata/C37")
	for _, tt := range []struct {
		name    string
		dialogs DialogPolicy
		left    bool
	}{
		{"accept", Accept, true},
		{"stay", func(Dialog) (bool, string) { return false, "" }, false},
	} {
		c, p := caller(t, base+"/page.html", tt.dialogs)
		// A page may only ask somebody who has touched it.
		if err := p.Tab().Mouse(t.Context(), MouseEvent{"press", 200, 200}); err != nil {
			t.Fatal(err)
		}
		if err := p.Tab().Mouse(t.Context(), MouseEvent{"release", 200, 200}); err != nil {
			t.Fatal(err)
		}
		res := c.Call(t.Context(), call.Request{Action: "leave"})
		got := string(res.Changed)
		if left := strings.Contains(got, `"navigated":true`); left != tt.left || !strings.Contains(got, `"dialogs":[{"type":"beforeunload"`) || strings.Contains(got, `"settled"`) {
			t.Errorf("%s: %s", tt.name, res.AppendJSON(nil))
		}
	}
	p := openPage(t, base+"/page.html?onload", nil)
	if s := read(t, p); s.Len() != 2 {
		t.Errorf("%d records of a page that asks while it loads", s.Len())
	}
}

// TestPopup tells of a page that the page opened.
func TestPopup(t *testing.T) {
	base := serve(t, map[string]string{"/": `<button data-agent-action="open" onclick="window.open('/two')">Open</button>`, "/two": "two"})
	p := openPage(t, base+"/", &PageOptions{Quiet: 50 * time.Millisecond})
	res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "open"})
	if got := string(res.Changed); !res.OK || !strings.Contains(got, `{"code":"popup","at":"`+base+`/two"`) {
		t.Errorf("got %s", res.AppendJSON(nil))
	}
}

// TestBackAndForward goes back to a document that the browser may have kept whole.
func TestBackAndForward(t *testing.T) {
	base := serve(t, map[string]string{
		"/one": `<!doctype html><title>1</title><p data-agent-scope="s"><b data-agent-record="one"></b></p>`,
		"/two": `<!doctype html><title>2</title><p data-agent-scope="s"><b data-agent-record="two"></b></p>`,
	})
	p := openPage(t, base+"/one", nil)
	first := read(t, p)
	if err := p.Navigate(t.Context(), base+"/two"); err != nil {
		t.Fatal(err)
	}
	second := read(t, p)
	back := func(ctx context.Context) error {
		_, err := p.Tab().Evaluate(ctx, Script{World: Main, Expression: "history.back()"})
		return err
	}
	ev, err := call.Observe(t.Context(), p, back, &call.ObserveOptions{Format: compact})
	if err != nil || ev.After == nil || ev.After.Find("s", "one") < 0 || ev.After.Page().Document == second.Page().Document {
		t.Fatalf("%v %s", err, ev.JSON)
	}
	t.Logf("the document was kept: %v", ev.After.Page().Document == first.Page().Document)
}

// TestNoDocument goes where there is none, or where it does not come.
func TestNoDocument(t *testing.T) {
	stop := make(chan struct{})
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/download":
			w.Header().Set("Content-Disposition", "attachment; filename=x")
			fmt.Fprint(w, "x")
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/never":
			<-stop
		default:
			fmt.Fprintf(w, `<p data-agent-scope="s"><b data-agent-record="r"></b></p><button data-agent-action="go" data-agent-description="Go" onclick="location='%s'">Go</button>
<button data-agent-action="write" data-agent-description="Write" onclick="document.open();document.write('<p data-agent-scope=s><b data-agent-record=w></b>')">Write</button>`, r.URL.Query().Get("to"))
		}
	})
	defer close(stop)
	for _, tt := range []struct{ to, want string }{
		{"/download", `{"observed":true}`},
		{"/nothing", `{"observed":true}`},
		{"/never", `{"observed":false,"reason":"incomplete"}`},
	} {
		p := openPage(t, base+"/?to="+tt.to, &PageOptions{Settle: 1500 * time.Millisecond})
		if tt.to != "/never" {
			began := time.Now()
			if err := p.Navigate(t.Context(), base+tt.to); !errors.Is(err, ErrNoDocument) || time.Since(began) > 5*time.Second {
				t.Errorf("%s: %v after %v", tt.to, err, time.Since(began))
			}
		}
		res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "go"})
		if !res.OK || string(res.Changed) != tt.want {
			t.Errorf("%s: %s", tt.to, res.AppendJSON(nil))
		}
	}
	// A document that is opened by script and not closed is there all the same.
	p := openPage(t, base+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "write"})
	const want = `{"observed":true,"records":{"added":[{"id":"w"}],"removed":[{"id":"r"}]},"actions":{"removed":[{"id":"go"},{"id":"write"}]},"diagnostics":[{"code":"loading"`
	if !res.OK || !strings.HasPrefix(string(res.Changed), want) {
		t.Errorf("written: %s", res.AppendJSON(nil))
	}
}
