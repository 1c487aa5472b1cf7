package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/call"
)

// TestScriptAddresses goes where addresses are scripts: they load nothing and are not
// waited for, and what they put in place of the document is read.
func TestScriptAddresses(t *testing.T) {
	const doc = `'<!doctype html><title>New</title><p data-agent-scope=s><b data-agent-record=w></b></p>'`
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>Old</title><ul data-agent-scope="s"><li data-agent-record="r"><i data-agent-field="n">0</i></li></ul><iframe id="f" srcdoc="<p data-agent-scope=f><b data-agent-record=old></b>"></iframe>
<script>var add = () => { document.querySelector('i').textContent++ }, doc = %s, inner = doc.replace('=s', '=t')</script>%s`, strings.ReplaceAll(doc, "</", `<\/`), r.URL.Query().Get("body"))
	})
	const added, replaced = `"updated":[{"id":"r",`, `"added":[{"id":"w","scope":"s"}]`
	for _, tt := range []struct{ name, body, want string }{
		{"location", `<button onclick="location='javascript:add()'">`, added},
		{"location with blanks", `<button onclick="location.href=' \t\n JavaScript:add()'">`, added},
		{"link", `<a href="javascript:void(add())">x</a><hr`, added},
		{"link with blanks", `<a href=" java&#10;script:void(add())">x</a><hr`, added},
		{"form", `<form action="javascript:void(add())"><button></form><hr`, added},
		{"opened here", `<button onclick="window.open('javascript:void(add())', '_self')">`, added},
		{"replaced from location", `<button onclick="location='javascript:doc'">`, replaced},
		{"replaced from link", `<a href="javascript:doc">x</a><hr`, replaced},
		{"replaced late", `<button onclick="setTimeout(() => { location='javascript:doc' }, 100)">`, replaced},
		{"in a frame", `<button onclick="document.body.append(Object.assign(document.createElement('iframe'), {src: 'javascript:parent.add()'}))">`, added},
		{"replaced in a frame", `<button onclick="f.contentWindow.location='javascript:parent.inner'">`, `"added":[{"id":"t","records":1,"ids":["w"]}]`},
		{"in a new frame", `<button onclick="document.body.insertAdjacentHTML('beforeend', '<iframe src=javascript:parent.inner></iframe>')">`, `"added":[{"id":"t","records":1,"ids":["w"]}]`},
	} {
		body := strings.Replace(strings.Replace(tt.body, "<a ", "<a data-agent-action=go data-agent-description=Go ", 1), "<button", "<button data-agent-action=go data-agent-description=Go ", 1)
		p := openPage(t, base+"/?body="+strings.NewReplacer(" ", "%20", "&", "%26", "#", "%23", ";", "%3B", "+", "%2B").Replace(body)+">Go", &PageOptions{Quiet: 200 * time.Millisecond})
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			before := read(t, p)
			if before.Find("s", "r") < 0 || before.Find("t", "w") >= 0 {
				break // it has been replaced
			}
			began := time.Now()
			res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "go"})
			took := time.Since(began)
			if !res.OK || !strings.Contains(string(res.Changed), tt.want) || strings.Contains(string(res.Changed), `"settled"`) || took > 1500*time.Millisecond {
				t.Errorf("%s took %v: %s", tt.name, took, res.AppendJSON(nil))
			}
		}
	}
}

// TestScriptCutsOff runs code of a page that a script's address takes away while it runs:
// nobody waits for its answer.
func TestScriptCutsOff(t *testing.T) {
	base := serve(t, map[string]string{"/": `<!doctype html><title>Old</title><p data-agent-scope="s"><b data-agent-record="r"></b></p><script>
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', tools: [{ name: 'go', description: 'Go', inputSchema: {}, execute: () => new Promise(() => {
	location = 'javascript:"<p data-agent-scope=s><b data-agent-record=w></b>"';
}) }] }));</script>`})
	p := openPage(t, base+"/", &PageOptions{Providers: []Provider{testTools{}}})
	began := time.Now()
	res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "go"})
	if res.Err == nil || res.Err.Code != call.Navigated || !strings.Contains(string(res.Changed), `"added":[{"id":"w"}]`) || time.Since(began) > 5*time.Second {
		t.Errorf("took %v: %s", time.Since(began), res.AppendJSON(nil))
	}
}
