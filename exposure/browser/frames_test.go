package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// serveFunc serves what f writes, and returns the address of it under two names, which
// are two sites.
func serveFunc(t testing.TB, f func(w http.ResponseWriter, r *http.Request)) (ip, name string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// scopes returns the scopes and their records, in order.
func scopes(s *snapshot.Snapshot) (list []string) {
	for _, r := range s.All() {
		list = append(list, r.Scope()+"/"+r.ID())
	}
	return list
}

// leaf is a document with one record and one action.
const leaf = `<!doctype html><body style="margin:0"><p data-agent-scope="%[1]s"><b data-agent-record="r"><i data-agent-field="n">0</i><button data-agent-action="press" data-agent-description="Press" onclick="this.previousSibling.textContent++">Press</button></b></p>`

// TestNestedFrames reads frames of other origins wherever they are: in frames of the
// document's own origin, in frames with a process of their own, in shadow trees, and in
// what was there before anybody looked.
func TestNestedFrames(t *testing.T) {
	third, thirdName := serveFunc(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, leaf, strings.Trim(r.URL.Path, "/")) })
	second, secondName := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, leaf, "b")
		// One in the process of this document, one back in that of the page around it.
		fmt.Fprintf(w, `<iframe title="near" src="%s/d" style="border:7px solid;padding:9px"></iframe><iframe title="far" src="%s/e"></iframe>`, thirdName, third)
	})
	first, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/child" {
			fmt.Fprintf(w, leaf, "c")
			fmt.Fprintf(w, `<div id="h"></div><script>h.attachShadow({mode:'open'}).innerHTML='<iframe title="other" src="%s/" width=600 height=700></iframe>'</script>`, secondName)
			return
		}
		fmt.Fprintf(w, leaf, "a")
		fmt.Fprintf(w, `<div style="height:900px"></div><iframe title="child" src="/child" width=700 height=900></iframe><iframe title="same site" src="%s/f"></iframe>`, second[:strings.LastIndexByte(second, ':')]+third[strings.LastIndexByte(third, ':'):])
	})
	tab := openTab(t, sharedBrowser(t))
	p, err := NewPage(t.Context(), tab, &PageOptions{Quiet: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Navigate(t.Context(), first+"/"); err != nil {
		t.Fatal(err)
	}
	if err := p.WaitLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/r", "c/r", "b/r", "d/r", "e/r", "f/r"}
	late, err := sharedBrowser(t).FindTab(t.Context(), func(url, _ string) bool { return url == first+"/" })
	if err != nil || late == nil {
		t.Fatal(late, err)
	}
	defer late.Close(t.Context())
	attached, err := NewPage(t.Context(), late, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	for _, p := range []*Page{p, attached, p} {
		if got := scopes(read(t, p)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q: %v", got, want, read(t, p).Diagnostics())
		}
	}
	c := call.New(p, &call.Options{Format: compact})
	for _, scope := range []string{"d", "e", "b", "c", "f", "a"} {
		id, now := "", read(t, p)
		for i := range now.Actions() {
			if a := now.Action(i); a.Scope == scope {
				id = a.ID
			}
		}
		res := c.Call(t.Context(), call.Request{Action: id})
		if want := `{"observed":true,"records":{"updated":[{"id":"r","scope":"` + scope + `","fields":["n"]}]}}`; string(res.Changed) != want {
			t.Errorf("%s: %s", id, res.AppendJSON(nil))
		}
	}
	evaluate(t, p, `document.querySelector('iframe').remove()`)
	if got := scopes(read(t, p)); !slices.Equal(got, []string{"a/r", "f/r"}) {
		t.Errorf("without the child: %q", got)
	}
}

// TestSilentFrames reads pages with frames that do not answer, or whose documents do
// not come: the rest is read in time, and what is not is named.
func TestSilentFrames(t *testing.T) {
	stop := make(chan struct{})
	part := func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, "/own") {
		case "/hang":
			fmt.Fprint(w, `<script>for(;;);</script>`)
		case "/later":
			fmt.Fprintf(w, leaf+`<script>onmessage = () => { for (const t = Date.now(); Date.now() < t + 2500;); }</script>`, "later")
		case "/never":
			<-stop
		case "/half":
			fmt.Fprintf(w, leaf+strings.Repeat(" ", 1<<16), "half")
			w.(http.Flusher).Flush()
			<-stop
		}
	}
	_, other := serveFunc(t, part)
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/own") {
			part(w, r)
			return
		}
		fmt.Fprintf(w, leaf+`<iframe id="f" src="%s"></iframe>`, "a", strings.ReplaceAll(r.URL.Query().Get("frame"), "$", other))
	})
	defer close(stop) // before the servers are
	for _, tt := range []struct {
		frame   string
		message string // of the diagnostic
		scopes  string
	}{
		{"$/hang", "the document in this frame cannot be read: it does not answer", "a/r"},
		{"$/never", "the document in this frame is still on its way; what has come is read", "a/r"},
		{"/own/never", "the document in this frame is still on its way; what has come is read", "a/r"},
		{"$/half", "the document in this frame is still on its way; what has come is read", "a/r half/r"},
		{"/own/half", "the document in this frame is still on its way; what has come is read", "a/r half/r"},
		{"http://localhost:1/", "the document in this frame cannot be read: its document could not be loaded", "a/r"},
	} {
		t.Run(tt.frame, func(t *testing.T) {
			p := openPage(t, base+"/?frame="+tt.frame, &PageOptions{Settle: 300 * time.Millisecond})
			got := func() string {
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				defer cancel()
				began := time.Now()
				s, err := p.Snapshot(ctx)
				if err != nil {
					t.Fatalf("%v after %v", err, time.Since(began))
				}
				return fmt.Sprint(scopes(s), s.Diagnostics())
			}
			want := fmt.Sprint(strings.Fields(tt.scopes), []snapshot.Diagnostic{{Code: exposure.CodeUnreadableFrame, At: "iframe f", Message: tt.message}})
			// The frame is on its way first.
			for deadline := time.Now().Add(10 * time.Second); got() != want && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			}
			if got := got(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "press"})
			if tt.scopes == "a/r" && !strings.Contains(string(res.Changed), `"updated":[{"id":"r","fields":["n"]}]`) {
				t.Errorf("%s: %s", tt.frame, res.AppendJSON(nil))
			}
		})
	}
}

// slowTools prepare for ever.
type slowTools struct{ testTools }

func (slowTools) Name() string { return "slow" }

func (slowTools) Prepare(context.Context, Tab) error { select {} }

// TestSlowProvider reads a page one of whose providers never gets ready.
func TestSlowProvider(t *testing.T) {
	p := openPage(t, serve(t, map[string]string{"/": fmt.Sprintf(leaf, "a")})+"/", &PageOptions{Providers: []Provider{slowTools{}}})
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		s, err := p.Snapshot(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if d := s.Diagnostics(); s.Len() != 1 || len(d) != 1 || d[0] != (snapshot.Diagnostic{Code: CodeProvider, At: "slow", Message: "it took too long"}) {
			t.Errorf("%d records, %v", s.Len(), d)
		}
	}
}

// TestLostFrame reads a page one of whose frames does not answer any more, or has
// crashed: what it had is not said to be gone, and what exposes nothing is not missed.
func TestLostFrame(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		text := "<p>An advertisement</p>"
		if r.URL.Path == "/rows" {
			text = fmt.Sprintf(leaf, "b")
		}
		fmt.Fprint(w, text+`<script>onmessage = () => { for (const t = Date.now(); Date.now() < t + 4000;); }</script>`)
	})
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, leaf+`<iframe id="f" src="%s"></iframe>`, "a", other+r.URL.Path)
	})
	const seen = `{"observed":true,"records":{"updated":[{"id":"r","fields":["n"]}]},"diagnostics":[{"code":"unreadable-frame","at":"iframe f","message":"the document in this frame cannot be read: it does not answer (both sides)"}]}`
	const unseen = `{"observed":false,"reason":"no-baseline"}`
	for _, tt := range []struct{ path, how, want string }{
		{"/", "hang", seen},
		{"/", "crash", seen},
		{"/rows", "hang", unseen},
		{"/rows", "crash", unseen},
	} {
		t.Run(tt.path+tt.how, func(t *testing.T) {
			p := openPage(t, base+tt.path, &PageOptions{Quiet: 20 * time.Millisecond})
			if err := p.WaitLoaded(t.Context()); err != nil {
				t.Fatal(err)
			}
			c := call.New(p, &call.Options{Format: compact})
			before, err := c.Look(t.Context())
			if err != nil || len(before.Diagnostics()) > 0 {
				t.Fatal(err, before.Diagnostics())
			}
			if tt.how == "hang" {
				evaluate(t, p, `document.querySelector('iframe').contentWindow.postMessage(1, '*')`)
			} else {
				tab := p.tab.(*chromeTab)
				for id := range tab.foreign {
					s, err := tab.session(t.Context(), id)
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					_ = s.Call(ctx, "Page.crash", nil, nil)
					cancel()
				}
			}
			res := c.Call(t.Context(), call.Request{Action: "press"})
			if !res.OK || string(res.Changed) != tt.want || res.Between != nil && tt.path == "/rows" {
				t.Errorf("%s", res.AppendJSON(nil))
			}
			if s := read(t, p); tt.path == "/rows" && exposure.Unread(s) == nil {
				t.Errorf("nothing is missed: %v", s.Diagnostics())
			}
			if tt.how != "hang" || tt.path != "/rows" {
				return
			}
			for deadline := time.Now().Add(6 * time.Second); time.Now().Before(deadline) && exposure.Unread(read(t, p)) != nil; time.Sleep(100 * time.Millisecond) {
			}
			res = c.Call(t.Context(), call.Request{Action: "press@a/r"})
			if want := `{"observed":true,"records":{"updated":[{"id":"r","scope":"a","fields":["n"]}]}}`; string(res.Changed) != want {
				t.Errorf("once it answers: %s", res.AppendJSON(nil))
			}
		})
	}
}

// A blindTab does not find the elements of frames.
type blindTab struct {
	Tab
	blind bool
}

func (b *blindTab) FrameElement(ctx context.Context, f Frame, function string) (json.RawMessage, error) {
	if b.blind {
		return nil, context.DeadlineExceeded
	}
	return b.Tab.FrameElement(ctx, f, function)
}

// TestUnfoundFrame reads a page whose browser does not tell in time which element a frame
// is in: what the frame had is not said to be gone.
func TestUnfoundFrame(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, leaf, "b") })
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, leaf+`<iframe id="f" src="%s/"></iframe>`, "a", other)
	})
	p := openPage(t, base+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	if err := p.WaitLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	tab := &blindTab{Tab: p.tab}
	p.tab = tab
	for deadline := time.Now().Add(8 * time.Second); len(scopes(read(t, p))) < 2 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
	}
	for range 2 {
		tab.blind = true
		if s := read(t, p); exposure.Unread(s) == nil {
			t.Errorf("nothing is missed: %q %v", scopes(s), s.Diagnostics())
		}
		tab.blind = false
		if s := read(t, p); exposure.Unread(s) != nil || len(scopes(s)) != 2 {
			t.Errorf("%q %v", scopes(s), s.Diagnostics())
		}
	}
	// A frame that is gone is not missed.
	evaluate(t, p, `document.querySelector('iframe').remove()`)
	if s := read(t, p); exposure.Unread(s) != nil || len(scopes(s)) != 1 {
		t.Errorf("%q %v", scopes(s), s.Diagnostics())
	}
}

// TestFramesArrive loads a page again that has frames in processes of their own: requests
// for their documents, whose end is told there, keep nobody waiting.
func TestFramesArrive(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, leaf, "b") })
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inner" {
			fmt.Fprintf(w, leaf, "c")
			return
		}
		fmt.Fprintf(w, leaf+`<iframe src="%s/"></iframe><iframe sandbox src="/inner"></iframe>`, "a", other)
	})
	p := openPage(t, base+"/", &PageOptions{Quiet: 50 * time.Millisecond, Settle: 10 * time.Second})
	for range 3 {
		began := time.Now()
		ev, err := call.Observe(t.Context(), p, p.Reload, &call.ObserveOptions{Format: compact})
		if took := time.Since(began); err != nil || took > 9*time.Second || strings.Contains(string(ev.JSON), `"settled"`) {
			t.Errorf("took %v: %s, %v", took, ev.JSON, err)
		}
	}
}
