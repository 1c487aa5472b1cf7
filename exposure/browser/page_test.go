package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// openPage opens a page of the shared browser.
func openPage(t testing.TB, url string, opts *PageOptions) *Page {
	t.Helper()
	p, err := NewPage(t.Context(), openTab(t, sharedBrowser(t)), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Navigate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t testing.TB, p *Page) *snapshot.Snapshot {
	t.Helper()
	s, err := p.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReadingsShare: what has not changed since the last reading takes no memory again.
func TestReadingsShare(t *testing.T) {
	p := openPage(t, serve(t, map[string]string{"/": ordersPage(300)})+"/", nil)
	before := read(t, p)
	evaluate(t, p, "toggle()")
	after := read(t, p)
	shared := 0
	for _, c := range before.Table().AppendCommon(nil, after.Table()) {
		shared += c.N
	}
	for _, c := range before.ActionTable().AppendCommon(nil, after.ActionTable()) {
		shared += c.N
	}
	if want := before.Len() + before.Actions() - 1; shared != want || after.Len() != 300 {
		t.Errorf("%d records and actions are shared, want %d", shared, want)
	}
}

// TestAgreement reads pages both ways. Where markup decides, a live page and the
// same page saved give the same capture.
func TestAgreement(t *testing.T) {
	files, err := filepath.Glob("../html/testdata/*/*.html")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	own, _ := filepath.Glob("testdata/agree/*.html")
	files = append(files, own...)
	pages := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages["/"+strings.ReplaceAll(f, "..", "up")] = string(text)
	}
	base := serve(t, pages)
	for _, infer := range []bool{false, true} {
		p := openPage(t, "about:blank", &PageOptions{Infer: infer})
		for _, f := range files {
			name := "/" + strings.ReplaceAll(f, "..", "up")
			text := pages[name]
			// What style sheets hide is not known of a saved page.
			if strings.Contains(f, "C28") {
				text = strings.ReplaceAll(text, `class="gone"`, `style="display:none"`)
				pages[name] = text
			}
			p.before = nil
			if err := p.Navigate(context.Background(), base+name); err != nil {
				t.Fatal(err)
			}
			live := read(t, p)
			saved, err := html.Decode([]byte(text), &html.Options{Infer: infer})
			if err != nil {
				t.Fatal(err)
			}
			got, want := body(live), body(saved)
			if got != want {
				t.Errorf("%s infer=%v\nlive  %s\nsaved %s", f, infer, got, want)
			}
		}
	}
}

// body returns a capture without what tells where it was found.
func body(s *snapshot.Snapshot) string {
	text := string(capture.Append(nil, s))
	if i := strings.Index(text, `"scopes":`); i >= 0 {
		text = text[i:]
	}
	for _, d := range s.Diagnostics() {
		text += "\n" + d.Code + " " + d.At + " " + d.Message
	}
	return text
}

// TestNothingStale reads a page again after a reading that gave nothing: what is as it
// was then is not what was there before.
func TestNothingStale(t *testing.T) {
	base := serve(t, map[string]string{"/": `<p data-agent-scope="s"><b data-agent-record="r"></b></p>`})
	p := openPage(t, base+"/", nil)
	read(t, p)
	if err := p.Navigate(t.Context(), "http://localhost:1/"); err == nil {
		t.Fatal("a page was loaded from nowhere")
	}
	for range 3 {
		s, err := p.Snapshot(t.Context())
		var u *call.UnobservedError
		if !errors.As(err, &u) || u.Reason != diff.NoSnapshot {
			t.Errorf("got %v, %v", s, err)
		}
	}
}

// TestDeep reads a document that is too deep, and what is left when it is not any more.
func TestDeep(t *testing.T) {
	base := serve(t, map[string]string{"/": `<!doctype html><body><p data-agent-scope="s"><b data-agent-record="r"></b></p><iframe id="w"></iframe>
<script>w.contentDocument.open(); w.contentDocument.write('<p data-agent-scope=written>');
function deep(n) { let e = document.body.appendChild(document.createElement('div')); e.id = 'deep'; while (n--) e = e.appendChild(document.createElement('div')); }</script>`})
	p := openPage(t, base+"/", nil)
	before := read(t, p)
	if before.Scope("written") < 0 || len(before.Diagnostics()) > 0 {
		t.Errorf("a frame that is written and not closed: %v", before.Diagnostics())
	}
	for range 2 {
		evaluate(t, p, `deep(1600)`)
		s, err := p.Snapshot(t.Context())
		var u *call.UnobservedError
		if !errors.As(err, &u) || u.Reason != diff.Incomplete || !strings.Contains(err.Error(), "too many elements inside each other") {
			t.Errorf("got %v, %v", s, err)
		}
		evaluate(t, p, `document.getElementById('deep').remove()`)
		if got := evidence(before, read(t, p)); got != `{"observed":true}` {
			t.Errorf("afterwards: %s", got)
		}
	}
}
