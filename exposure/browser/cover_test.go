package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// states returns the scopes that are not active.
func states(s *snapshot.Snapshot) string {
	var list []string
	for _, sc := range s.Scopes() {
		if sc.State != "" && sc.State != snapshot.Active {
			list = append(list, sc.ID+" "+string(sc.State))
		}
	}
	return strings.Join(list, ", ")
}

const coverPage = `<!doctype html><meta charset="utf-8"><style>body{margin:0;height:3000px}.box{position:relative;height:120px;width:400px}</style>
<div class="box" data-agent-scope="one"><button data-agent-action="act" data-agent-description="Act" onclick="document.body.dataset.done=1">Act</button>
<ul style="height:40px;overflow:auto"><li style="height:200px">high</li><li data-agent-scope="away" style="height:30px">scrolled away</li></ul></div>
<div class="box"><div class="box" data-agent-scope="two">two</div><div id="here"></div></div>
<iframe title="f" style="display:block;height:100px" srcdoc="<p data-agent-scope=framed>in a frame</p>"></iframe>
<div id="there"></div><div style="height:900px"></div><p data-agent-scope="below">below <button data-agent-action="low" data-agent-description="Low">Low</button></p>
<div id="top">%s</div>`

// TestCovered looks at regions that something lies over.
func TestCovered(t *testing.T) {
	for _, tt := range []struct{ name, top, js, want string }{
		{"nothing", ``, ``, ""},
		{"cookie wall", `<div style="position:fixed;inset:0;background:#0008"><div data-agent-scope="wall" style="position:absolute;bottom:0;background:#fff">Cookies?</div></div>`, ``,
			"one covered, two covered, framed covered"},
		{"cookie wall whose middle is a box", `<div style="position:fixed;inset:0;background:#0008"><div style="position:absolute;inset:20px;background:#fff">Cookies?</div></div>`, ``,
			"one covered, two covered, framed covered"},
		{"banner", `<div style="position:fixed;bottom:0;left:0;right:0;height:100px;background:#fff">Cookies?</div>`, ``, ""},
		{"sticky header over a part", `<div style="position:fixed;top:0;left:0;right:0;height:50px;background:#fff">Header</div>`, ``, ""},
		{"sticky header over all of it, which can be scrolled", `<div style="position:fixed;top:0;left:0;right:0;height:200px;background:#fff">Header</div>`, ``, ""},
		{"the same where nothing scrolls", `<style>body{height:auto;overflow:hidden}html{overflow:hidden}body>*:not(.box):not(#top){display:none!important}</style><div style="position:fixed;top:0;left:0;right:0;height:200px;background:#fff">Header</div>`, ``,
			"one covered"},
		{"lets clicks through", `<div style="position:fixed;inset:0;pointer-events:none;background:#0003"><b style="pointer-events:auto;position:absolute;left:150px;top:20px;width:200px;height:90px">toast</b></div>`, ``, ""},
		{"invisible but there", `<div style="position:fixed;inset:0;opacity:0"></div>`, ``, "one covered, two covered, framed covered"},
		{"spinner over one panel", ``, `here.style.cssText = 'position:absolute;inset:0;background:#fff9'`, "two covered"},
		{"spinner over a frame", `<div style="position:absolute;top:230px;height:120px;left:0;width:400px"></div>`, ``, "framed covered"},
		{"modal dialog", `<dialog id="d"><p data-agent-scope="inside">in the dialog</p></dialog>`, `d.showModal()`,
			"one covered, away covered, two covered, framed covered, below covered"},
		{"dialog beside", `<dialog id="d" style="width:60px"><p data-agent-scope="inside">in the dialog</p></dialog>`, `d.show()`, ""},
		{"popover", `<div popover id="p">menu</div>`, `p.showPopover()`, ""},
		{"popover over everything", `<div popover id="p" style="inset:0;width:100%%;height:100%%;padding:0;border:0;margin:0">menu</div>`, `p.showPopover()`,
			"one covered, two covered, framed covered"},
		{"scope that is hit through", `<style>.box{pointer-events:none}</style><div style="position:absolute;inset:0;z-index:-1">backdrop</div>`, ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openPage(t, serve(t, map[string]string{"/": fmt.Sprintf(coverPage, strings.ReplaceAll(tt.top, "%%", "%"))})+"/", nil)
			if err := p.WaitLoaded(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tt.js != "" {
				read(t, p)
				evaluate(t, p, tt.js)
			}
			s := read(t, p)
			if got := states(s); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for i := range s.Actions() {
				a := s.Action(i)
				if a.ID != "act" {
					continue
				}
				if covered := strings.Contains(tt.want, "one covered"); a.Unavailable != covered || covered && tt.name != "modal dialog" && a.Reason != exposure.ReasonCovered {
					t.Errorf("%s: %v %s", a.ID, a.Unavailable, a.Reason)
				}
			}
		})
	}
}

// TestUncovered takes away what is above a page: its scopes and actions change, and
// nothing else.
func TestUncovered(t *testing.T) {
	p := openPage(t, serve(t, map[string]string{"/": fmt.Sprintf(coverPage, `<div id="w" style="position:fixed;inset:0" data-agent-scope="wall"><button data-agent-action="ok" data-agent-description="OK" onclick="w.style.display='none'">OK</button></div>`)})+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	if err := p.WaitLoaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := call.New(p, &call.Options{Format: compact})
	if got := string(c.Call(t.Context(), call.Request{Action: "act"}).AppendJSON(nil)); !strings.Contains(got, `"error":{"code":"ACTION_UNAVAILABLE","reason":"its scope is covered"}`) {
		t.Errorf("covered: %s", got)
	}
	const want = `{"observed":true,"actions":{"updated":[{"id":"act","fields":["available"]},{"id":"ok","fields":["available"]}]},"scopes":{"removed":[{"id":"wall"}],"updated":[{"id":"one","fields":["state"]},{"id":"two","fields":["state"]},{"id":"framed","fields":["state"]}]}`
	if got := string(c.Call(t.Context(), call.Request{Action: "ok"}).Changed); !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := c.Call(t.Context(), call.Request{Action: "act"}); !got.OK {
		t.Errorf("uncovered: %s", got.AppendJSON(nil))
	}
	// A sticky header is scrolled from under.
	evaluate(t, p, `w.style.cssText = 'position:fixed;left:0;right:0;top:0;height:200px;background:#fff'; document.querySelector('[data-agent-scope=below]').scrollIntoView()`)
	if got := c.Call(t.Context(), call.Request{Action: "low"}); !got.OK {
		t.Errorf("under a header: %s", got.AppendJSON(nil))
	}
}
