package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

const gesturePage = `<!doctype html><meta charset="utf-8"><title>Gestures</title>
<div data-agent-scope="log"><p data-agent-record="l"><span data-agent-field="events" id="log"></span></p></div>
<button data-agent-action="push" onclick="log('push '+event.isTrusted)">Push</button>
<ul data-agent-scope="rows"><li data-agent-record="a"><b data-agent-field="n">A</b><button data-agent-action="del" onclick="log('del a')">x</button></li>
<li data-agent-record="b"><b data-agent-field="n">B</b><button data-agent-action="del" onclick="log('del b')">x</button></li></ul>
<div data-agent-scope="form"><div data-agent-record="f">
<input data-agent-field="name" data-agent-action="name" value="old" oninput="log('input '+event.isTrusted+' '+this.value)" onkeydown="log('key '+event.key)">
<textarea data-agent-field="bio" data-agent-action="bio">old</textarea><div contenteditable data-agent-field="memo" data-agent-action="memo">old</div>
<input type="date" data-agent-field="date" data-agent-action="date" onchange="log('date '+this.value)">
<select data-agent-field="city" data-agent-action="city" onchange="log('city '+this.value)"><option value="">Pick<option value="osl">Oslo<option value="brg">Bergen<option disabled value="x">X</select>
<label>Tick<input type="checkbox" data-agent-field="tick" data-agent-action="tick"></label></div></div>
<form data-agent-action="send" onsubmit="event.preventDefault();log('submit')"><input name="q"></form>
<div style="position:relative;width:100px;height:30px"><button data-agent-action="covered" onclick="log('covered')">Covered</button><div id="cover" style="position:absolute;inset:0;background:#fff"></div></div>
<div style="height:5000px"></div><button data-agent-action="far" onclick="log('far')">Far</button>
<div id="host"></div><iframe data-x title="frame" srcdoc="<button data-agent-action=inframe onclick='parent.log(&quot;inframe&quot;)'>In</button>"></iframe>
<script>function log(s){ document.getElementById('log').textContent += s + ';' }
const sh = document.getElementById('host').attachShadow({mode:'open'}); sh.innerHTML = '<button data-agent-action="shadow">S</button>'; sh.firstChild.onclick = () => log('shadow');</script>`

func TestGestures(t *testing.T) {
	p := openPage(t, serve(t, map[string]string{"/": gesturePage})+"/", nil)
	ctx := t.Context()
	logged := func() string {
		evs := fields(t, read(t, p), "log", "l")
		evaluate(t, p, `document.getElementById('log').textContent = ''`)
		return strings.TrimSuffix(strings.TrimPrefix(evs[0], `events="`), `"`)
	}
	steps := []struct {
		name string
		do   func() error
		log  string
	}{
		{"click", func() error { return p.Click(ctx, "push") }, "push true;"},
		{"a record's", func() error { return p.Click(ctx, "del@b") }, "del b;"},
		{"scrolled to", func() error { return p.Click(ctx, "far") }, "far;"},
		{"in a shadow tree", func() error { return p.Click(ctx, "shadow") }, "shadow;"},
		{"in a frame", func() error { return p.Click(ctx, "inframe") }, "inframe;"},
		{"fill", func() error { return p.Fill(ctx, "name@f", "new") }, "input true new;"},
		{"empty", func() error { return p.Fill(ctx, "name@f", "") }, "key Delete;input true ;"},
		{"press", func() error { return p.Press(ctx, "name@f", "Enter") }, "key Enter;"},
		{"type", func() error { return p.Press(ctx, "name@f", "a") }, "key a;input true a;"},
		{"date", func() error { return p.Fill(ctx, "date@f", "2031-05-01") }, "date 2031-05-01;"},
		{"select", func() error { return p.Select(ctx, "city@f", "Bergen") }, "city brg;"},
		{"select the same", func() error { return p.Select(ctx, "city@f", "brg") }, ""},
		{"check", func() error { return p.Check(ctx, "tick@f", true) }, ""},
		{"text area", func() error { return p.Fill(ctx, "bio@f", "new bio") }, ""},
		{"editable", func() error { return p.Fill(ctx, "memo@f", "new memo") }, ""},
		{"scroll", func() error { return p.ScrollIntoView(ctx, "far") }, ""},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := logged(); got != s.log {
			t.Errorf("%s: logged %q, want %q", s.name, got, s.log)
		}
	}
	want := []string{`name="a"`, `bio="new bio"`, `memo="new memo"`, `date="2031-05-01"`, `city="brg"`, `tick=true`}
	if got := fields(t, read(t, p), "form", "f"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	var u *call.UnavailableError
	if err := p.Click(ctx, "covered"); !errors.As(err, &u) || !strings.Contains(u.Reason, `covered by <div id="cover">`) {
		t.Errorf("covered: %v", err)
	}
	if err := p.Select(ctx, "city@f", "x"); !errors.As(err, &u) || u.Reason != "the option is disabled" {
		t.Errorf("disabled option: %v", err)
	}
	if err := p.Click(ctx, "gone"); !errors.Is(err, exposure.ErrGone) {
		t.Errorf("gone: %v", err)
	}
}

// TestElementCalls runs element actions through the pipeline.
func TestElementCalls(t *testing.T) {
	p := openPage(t, serve(t, map[string]string{"/": gesturePage})+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	c := call.New(p, &call.Options{Format: compact})
	for _, tt := range []struct{ action, params, want string }{
		{"del@a", "", `{"ok":true,"action":{"id":"del@a","description":"x"},"changed":{"observed":true,"records":{"updated":[{"id":"l","scope":"log","fields":["events"]}]}`},
		{"name@f", `{"text":"via call"}`, `{"ok":true,"action":{"id":"name@f","description":"name"},"changed":{"observed":true,"records":{"updated":[{"id":"l","scope":"log","fields":["events"]},{"id":"f","scope":"form","fields":["name"]}]}`},
		{"name@f", `{}`, `{"ok":false,"action":{"id":"name@f","description":"name"},"error":{"code":"INVALID_PARAMS"`},
		{"city@f", `{"value":"osl"}`, `{"ok":true,"action":{"id":"city@f","description":"city"},"changed":{"observed":true,"records":{"updated":[{"id":"l","scope":"log","fields":["events"]},{"id":"f","scope":"form","fields":["city"]}]}`},
		{"send", "", `{"ok":true`},
		{"covered", "", `{"ok":false,"action":{"id":"covered","description":"Covered"},"error":{"code":"ACTION_UNAVAILABLE","reason":"covered by <div id=\"cover\">"}}`},
		{"del", "", `{"ok":false,"error":{"code":"ACTION_AMBIGUOUS"`},
	} {
		got := string(c.Call(t.Context(), call.Request{Action: tt.action, Params: []byte(tt.params)}).AppendJSON(nil))
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s\ngot  %s\nwant %s", tt.action, tt.params, got, tt.want)
		}
	}
	// Elements that were made again are the same actions; none is the neighbour.
	evaluate(t, p, `document.querySelector('[data-agent-record=a]').remove(); const b = document.querySelector('[data-agent-record=b]'); b.outerHTML = b.outerHTML; document.getElementById('log').textContent=''`)
	if got := string(c.Call(t.Context(), call.Request{Action: "del@a"}).AppendJSON(nil)); !strings.Contains(got, "ACTION_NOT_FOUND") {
		t.Errorf("a deleted record's: %s", got)
	}
	c.Call(t.Context(), call.Request{Action: "del@b"})
	if got := fields(t, read(t, p), "log", "l")[0]; got != `events="del b;"` {
		t.Errorf("made again: %s", got)
	}
}

// TestNotRun calls what turns out not to be there, or not usable, only when it is about
// to run: nothing ran, and there is no evidence.
func TestNotRun(t *testing.T) {
	const page = `<!doctype html><meta charset="utf-8"><title>Not run</title><button data-agent-action="go" data-agent-description="Go">Go</button>
<input type="file" data-agent-action="file" data-agent-description="File"><input readonly data-agent-action="fixed" data-agent-description="Fixed" value="1">
<div data-agent-scope="s"><p data-agent-record="r"><input type="date" data-agent-field="date" data-agent-action="date" data-agent-description="Date" value="2031-05-01">
<select data-agent-action="pick" data-agent-description="Pick"><option>a</select></p></div>`
	base := serve(t, map[string]string{"/": page})
	for _, tt := range []struct{ action, params, js, want string }{
		{"go", "", `document.querySelector('button').remove()`, `{"ok":false,"action":{"id":"go","description":"Go"},"error":{"code":"ACTION_NOT_FOUND","reason":"the action is not there any more"}}`},
		{"go", "", `document.querySelector('button').style.cssText = 'position:fixed;left:-100px;width:10px'`, `{"ok":false,"action":{"id":"go","description":"Go"},"error":{"code":"ACTION_UNAVAILABLE","reason":"it cannot be scrolled into view"}}`},
		{"file", "", "", `{"ok":false,"action":{"id":"file","description":"File"},"error":{"code":"ACTION_UNAVAILABLE","reason":"files are chosen by a person"}}`},
		{"fixed", `{"text":"2"}`, "", `{"ok":false,"action":{"id":"fixed","description":"Fixed"},"error":{"code":"ACTION_UNAVAILABLE","reason":"it is read-only"}}`},
		{"date", `{"text":"tomorrow"}`, "", `{"ok":false,"action":{"id":"date@r","description":"Date"},"error":{"code":"ACTION_UNAVAILABLE","reason":"it does not take this value"}}`},
		{"pick", `{"value":"b"}`, "", `{"ok":false,"action":{"id":"pick@r","description":"Pick"},"error":{"code":"ACTION_UNAVAILABLE","reason":"there is no option \"b\""}}`},
		{"go", "", "close", `{"ok":false,"action":{"id":"go","description":"Go"},"error":{"code":"PAGE_GONE"`},
	} {
		tab := openTab(t, sharedBrowser(t))
		p, err := NewPage(t.Context(), tab, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Navigate(t.Context(), base+"/"); err != nil {
			t.Fatal(err)
		}
		c := call.New(lastMoment{p, func() {
			switch {
			case tt.js == "close":
				tab.Close(t.Context())
				for deadline := time.Now().Add(3 * time.Second); p.look().gone == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				}
			case tt.js != "":
				evaluate(t, p, tt.js)
			}
		}}, &call.Options{Format: compact})
		got := string(c.Call(t.Context(), call.Request{Action: tt.action, Params: []byte(tt.params)}).AppendJSON(nil))
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, `"changed"`) {
			t.Errorf("%s after %s\ngot  %s\nwant %s", tt.action, tt.js, got, tt.want)
		}
		if tt.js != "close" {
			if got := fields(t, read(t, p), "s", "r"); got[0] != `date="2031-05-01"` {
				t.Errorf("%s: %s", tt.action, got)
			}
		}
		p.Close()
	}
}

// lastMoment is a page to which something happens right before an action runs.
type lastMoment struct {
	*Page
	do func()
}

func (l lastMoment) Run(ctx context.Context, a *snapshot.Action, params json.RawMessage) (any, error) {
	l.do()
	return l.Page.Run(ctx, a, params)
}

// TestMovingTargets clicks what moves or hides when the mouse comes: the click is its
// own, or nobody's.
func TestMovingTargets(t *testing.T) {
	const page = `<!doctype html><meta charset="utf-8"><title>Moving</title><div data-agent-scope="s"><p data-agent-record="r"><b data-agent-field="clicked"></b></p></div>
<style>button{position:absolute;top:100px;left:0;z-index:1} #n{top:60px;width:500px;height:300px;z-index:0}</style>
<button data-agent-action="go" data-agent-description="Go" onclick="log('go')" %s>Go</button>
<button id="n" data-agent-action="n" data-agent-description="Neighbour" onclick="log('neighbour')" onmousedown="log('pressed')" onpointerdown="log('pressed')">.</button>
<script>const log = (s) => document.querySelector('[data-agent-field]').textContent += s + ';';</script>`
	for _, tt := range []struct{ name, attr, want, clicked string }{
		{"away from the mouse", `onmouseenter="this.style.left='300px'"`, `"ok":true`, "go;"},
		{"away when it is there", `onmousemove="if (event.isTrusted) setTimeout(() => { this.style.left = Math.random() * 400 + 'px'; }, 3)"`, ``, ""},
		{"gone before it is pressed", `onmousemove="setTimeout(() => this.remove(), 0)"`, ``, ""},
		{"away when it is pressed", `onmousedown="this.style.left='300px'"`, `"ok":true`, ""},
		{"to and fro", `style="transition:left 2s linear" onmouseenter="this.style.left='400px'"`, `"ok":true`, "go;"},
	} {
		p := openPage(t, serve(t, map[string]string{"/": fmt.Sprintf(page, tt.attr)})+"/", &PageOptions{Quiet: 20 * time.Millisecond})
		res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "go"})
		got := strings.Trim(strings.TrimPrefix(fields(t, read(t, p), "s", "r")[0], "clicked="), `"`)
		switch {
		case !strings.Contains(string(res.AppendJSON(nil)), tt.want), strings.Contains(got, "neighbour"):
			t.Errorf("%s: clicked %q: %s", tt.name, got, res.AppendJSON(nil))
		case tt.want != "" && got != tt.clicked:
			t.Errorf("%s: clicked %q, want %q", tt.name, got, tt.clicked)
		case tt.want == "" && res.OK != (got == "go;"):
			t.Errorf("%s: clicked %q: %s", tt.name, got, res.AppendJSON(nil))
		}
	}
}

// TestBehindPopup clicks in a page that has opened another one in front of itself.
func TestBehindPopup(t *testing.T) {
	base := serve(t, map[string]string{"/": `<p data-agent-scope="s"><b data-agent-record="r"><i data-agent-field="n">0</i></b></p><button data-agent-action="open" data-agent-description="Open" onclick="document.querySelector('i').textContent++;window.open('/two')">Open</button>`, "/two": "two"})
	p := openPage(t, base+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	c := call.New(p, &call.Options{Format: compact, Timeout: 3 * time.Second})
	for range 3 {
		if res := c.Call(t.Context(), call.Request{Action: "open"}); !res.OK || !strings.Contains(string(res.Changed), `"updated":[{"id":"r","fields":["n"]}]`) {
			t.Errorf("%s", res.AppendJSON(nil))
		}
	}
}

// A slowTab loses clicks, and takes its time to say so.
type slowTab struct{ Tab }

func (s slowTab) Mouse(ctx context.Context, e MouseEvent) error {
	if e.Type != "move" {
		return nil
	}
	return s.Tab.Mouse(ctx, e)
}

func (s slowTab) Evaluate(ctx context.Context, script Script) (json.RawMessage, error) {
	if strings.Contains(script.Expression, "landed(") {
		time.Sleep(3 * answerTime)
	}
	return s.Tab.Evaluate(ctx, script)
}

// TestLostClick clicks on a machine so busy that the click is lost, and that this is not
// heard of at once: it is not said to have gone well.
func TestLostClick(t *testing.T) {
	base := serve(t, map[string]string{"/": `<button data-agent-action="a" onclick="this.textContent='clicked'">A</button>`})
	p := openPage(t, base+"/", nil)
	read(t, p)
	p.tab = slowTab{p.tab}
	if err := p.Click(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "the click did not reach it") {
		t.Errorf("got %v", err)
	}
}

// A pressless tab loses presses of the mouse, as a browser does that does not know yet
// where a frame is drawn.
type pressless struct{ Tab }

func (p pressless) Mouse(ctx context.Context, e MouseEvent) error {
	if e.Type == "press" {
		return nil
	}
	return p.Tab.Mouse(ctx, e)
}

// TestHalfClick lets an element hear of the end of a click alone: it was not clicked.
func TestHalfClick(t *testing.T) {
	base := serve(t, map[string]string{"/": `<button data-agent-action="a" onpointerup="this.textContent='half'" onmouseup="this.textContent='half'" onclick="this.textContent='clicked'">A</button>`})
	p := openPage(t, base+"/", nil)
	read(t, p)
	p.tab = pressless{p.tab}
	if err := p.Click(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "the click did not reach it") {
		t.Errorf("got %v", err)
	}
	raw, err := p.Tab().Evaluate(t.Context(), Script{World: Main, Expression: "document.querySelector('button').textContent"})
	if err != nil || string(raw) != `"A"` {
		t.Errorf("the page heard of it: %s, %v", raw, err)
	}
}

// TestLabels operates boxes that only their labels draw, as a person does: at the label,
// where that does nothing of its own.
func TestLabels(t *testing.T) {
	const drawn = `position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)`
	base := serve(t, map[string]string{"/": `<!doctype html><title>Labels</title><p data-agent-scope="s"><span data-agent-record="r">
<label><input type="checkbox" data-agent-field="in" data-agent-action="in" data-agent-description="Do" style="` + drawn + `">Inside</label><br>
<input type="checkbox" id="for" data-agent-field="for" data-agent-action="for" data-agent-description="Do" style="appearance:none;width:0"><label for="for">Beside</label><br>
<input type="radio" name="q" value="1" checked data-agent-field="q"><input type="radio" name="q" value="2" id="q" data-agent-field="q" data-agent-action="q" data-agent-description="Do" style="position:absolute;left:-9999px"><label for="q">Far away</label><br>
<label><input type="checkbox" data-agent-field="terms" data-agent-action="terms" data-agent-description="Do" style="` + drawn + `"><a href="#terms">I accept these terms</a> gladly</label><br>
<label><input type="checkbox" data-agent-field="link" data-agent-action="link" data-agent-description="Do" style="` + drawn + `"><a href="#link">Only a link</a></label><br>
<label style="position:relative"><input type="checkbox" data-agent-field="lost" data-agent-action="lost" data-agent-description="Do" style="` + drawn + `">Covered<i style="position:absolute;inset:0" onclick="event.preventDefault()"><button style="width:100%;height:100%"></button></i></label>
</span></p>`})
	p := openPage(t, base+"/", &PageOptions{Quiet: 20 * time.Millisecond})
	c := call.New(p, &call.Options{Format: compact})
	for _, name := range []string{"in", "for", "q", "terms"} {
		res := c.Call(t.Context(), call.Request{Action: name})
		if want := `{"observed":true,"records":{"updated":[{"id":"r","fields":["` + name + `"]}]}}`; !res.OK || string(res.Changed) != want {
			t.Errorf("%s: %s", name, res.AppendJSON(nil))
		}
	}
	for _, name := range []string{"link", "lost"} {
		res := c.Call(t.Context(), call.Request{Action: name})
		if res.OK || res.Err.Code != call.ActionUnavailable || res.Changed != nil {
			t.Errorf("%s: %s", name, res.AppendJSON(nil))
		}
	}
}
