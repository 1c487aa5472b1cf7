package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
)

// TestSettleFramesApart waits for what goes on in frames of other origins, but not for
// those that do not answer or have crashed.
func TestSettleFramesApart(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(700 * time.Millisecond)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Inner</title><ul data-agent-scope="s"><li data-agent-record="r"><i data-agent-field="n">0</i></li></ul><script>
const n = () => document.querySelector('i').textContent++;
const many = (times) => { n(); if (times > 1) setTimeout(many, 150, times - 1); };
const todo = { many: () => many(5), load: async () => { n(); await fetch('/slow'); n(); }, hang: () => { for (const t = Date.now(); Date.now() < t + 4000;); }, forever: () => { setInterval(n, 50); } };
onmessage = (e) => todo[e.data]();</script>`)
	})
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>Outer</title><p data-agent-scope="o"><b data-agent-record="p"><i data-agent-field="n">0</i></b></p><iframe title="a" src="%s/"></iframe>
<script>let frame = 0; addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', tools: ['many', 'load', 'hang', 'forever'].map((name) => ({ name, description: name, inputSchema: {}, execute: () => { document.querySelector('i').textContent++; window[0].postMessage(name, '*'); } })) }));</script>`, other)
	})
	for _, tt := range []struct {
		action, n string
		settled   bool
		most      time.Duration
	}{
		{"many", "5", true, 8 * time.Second},
		{"load", "2", true, 8 * time.Second},
		{"forever", "", false, 8 * time.Second},
		{"hang", "", true, 6 * time.Second},
		{"crash", "", true, 6 * time.Second},
	} {
		p := openPage(t, base+"/", &PageOptions{Providers: []Provider{testTools{}}, Quiet: 400 * time.Millisecond, Settle: 4 * time.Second})
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Second); read(t, p).Find("s", "r") < 0 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		}
		c := call.New(p, &call.Options{Format: &diff.Format{Detail: diff.Values, Compact: true}})
		action := tt.action
		if action == "crash" {
			tab := p.Tab().(*chromeTab)
			frame := p.look().apart[0]
			session, err := tab.session(t.Context(), frame)
			if err != nil {
				t.Fatal(err)
			}
			go tab.call(t.Context(), session, "Page.crash", nil, nil) // is never answered
			action = "many"
		}
		began := time.Now()
		res := c.Call(t.Context(), call.Request{Action: action})
		took := time.Since(began)
		if !res.OK || strings.Contains(string(res.Changed), `"settled":false`) == tt.settled || took > tt.most {
			t.Errorf("%s took %v: %s", tt.action, took, res.AppendJSON(nil))
		}
		if tt.n == "" {
			continue
		}
		// All of it is part of the call.
		if want := `"from":"0","to":"` + tt.n + `"`; !strings.Contains(string(res.Changed), want) {
			t.Errorf("%s: %s", tt.action, res.AppendJSON(nil))
		}
	}
}
