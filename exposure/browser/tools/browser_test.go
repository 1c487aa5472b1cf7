package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/browser"
)

// The tests of this package share one browser; what needs other flags starts its own.
var shared struct {
	once   sync.Once
	chrome *browser.Chrome
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}

// start starts a browser.
func start(opts *browser.StartOptions) (*browser.Chrome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return browser.Start(ctx, opts)
}

func sharedBrowser(t testing.TB) *browser.Chrome {
	t.Helper()
	shared.once.Do(func() { shared.chrome, shared.err = start(nil) })
	if shared.err != nil {
		t.Fatalf("a browser is needed: %v", shared.err)
	}
	return shared.chrome
}

// A site serves pages by path, from memory and from testdata directories.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string]string
	rows  []map[string]any // of the database behind shop.html
}

func newSite(t testing.TB, files map[string]string) *site {
	t.Helper()
	s := &site{files: files, rows: []map[string]any{
		{"order_id": 901, "subtotal": 13.8, "tax": 2.62, "status": "paid"},
		{"order_id": 902, "subtotal": 6, "tax": 1.14, "status": "open"},
		{"order_id": 903, "subtotal": 3.5, "tax": 0.67, "status": "open"},
	}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/db" {
		var limit int
		fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		if r.URL.Query().Get("table") != "orders" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.rows[:min(limit, len(s.rows))])
		return
	}
	text, ok := s.files[r.URL.Path]
	if !ok {
		// Cases that other packages have, too, are theirs.
		for _, dir := range []string{"testdata", "../testdata", "../../html/testdata"} {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
			if text, ok = string(data), err == nil; ok {
				break
			}
		}
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if strings.HasSuffix(r.URL.Path, ".js") {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	}
	fmt.Fprint(w, text)
}

// A bare is a tab with this package's script and nothing else of ours.
type bare struct {
	testing.TB
	ctx   context.Context
	tab   browser.Tab
	tools *Tools
}

// openBare opens an empty tab of c.
func openBare(t testing.TB, c *browser.Chrome, opts *Options) *bare {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	p, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := c.NewTab(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tab.Close(context.Background()) })
	if err := tab.OnNewDocument(ctx, browser.Main, p.Script()); err != nil {
		t.Fatal(err)
	}
	return &bare{t, ctx, tab, p}
}

// open loads a page.
func (b *bare) open(url string) {
	b.Helper()
	if err := b.tab.Navigate(b.ctx, url); err != nil {
		b.Fatal(err)
	}
	b.main(`new Promise((done) => document.readyState === 'complete' ? done(0) : addEventListener('load', () => done(0)))`)
}

// main evaluates JavaScript in the page's world and returns its value as JSON.
func (b *bare) main(js string) string {
	b.Helper()
	out, err := b.tab.Evaluate(b.ctx, browser.Script{World: browser.Main, Await: true, Expression: js})
	if err != nil {
		b.Fatalf("%s: %v", js, err)
	}
	return string(out)
}

// An answer is what the script says of a page.
type answer struct {
	text    string
	Scopes  []struct{ ID, Label string }
	Records []struct {
		ID, Scope string
		Fields    json.RawMessage
	}
	Actions []struct {
		ID, Group, Description, Kind string
		Available                    any
		Params                       json.RawMessage
	}
	Diagnostics []struct{ Code, At, Message string }
}

// read reads as the collector does, from a world of its own, after preparing.
func (b *bare) read() (a answer) {
	b.Helper()
	if err := b.tools.Prepare(b.ctx, b.tab); err != nil {
		b.Fatal(err)
	}
	out, err := b.tab.Evaluate(b.ctx, browser.Script{Expression: `(() => {
const got = [];
const hear = (e) => got.push(e.detail);
addEventListener('` + browser.ExposureEvent + `', hear);
dispatchEvent(new Event('` + browser.ReadEvent + `'));
removeEventListener('` + browser.ExposureEvent + `', hear);
return got;
})()`})
	if err != nil {
		b.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || len(got) > 1 {
		b.Fatalf("%d answers: %v", len(got), err)
	}
	if len(got) == 1 {
		if err := json.Unmarshal([]byte(got[0]), &a); err != nil {
			b.Fatalf("%s: %v", got[0], err)
		}
		a.text = got[0]
	}
	return a
}

// names returns the tools in short.
func (a *answer) names() string {
	var s []string
	for _, x := range a.Actions {
		s = append(s, x.Group+"/"+x.ID)
	}
	return strings.Join(s, " ")
}
