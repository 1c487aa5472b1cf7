package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// said returns the diagnostics of a snapshot, one a line.
func said(s *snapshot.Snapshot) (list []string) {
	for _, d := range s.Diagnostics() {
		list = append(list, d.Code+" "+d.At+": "+d.Message)
	}
	return list
}

// TestEmbedded reads documents in objects and embeds as it does those in frames,
// wherever they come from and wherever they are, and names the ones it cannot read. What
// shows no document is not named.
func TestEmbedded(t *testing.T) {
	stop := make(chan struct{})
	serve := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/image.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"><text data-agent-record="drawn">x</text></svg>`)
		case "/image.gif":
			w.Header().Set("Content-Type", "image/gif")
			fmt.Fprint(w, "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
		case "/x.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>")
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/hang":
			fmt.Fprint(w, `<script>for(;;);</script>`)
		case "/never":
			<-stop
		default:
			fmt.Fprintf(w, leaf, strings.Trim(r.URL.Path, "/"))
		}
	}
	_, other := serveFunc(t, serve)
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			serve(w, r)
			return
		}
		fmt.Fprintf(w, leaf+`<div id="h"></div><script>const s = new URLSearchParams(location.search); h.outerHTML = s.get('in').replaceAll('$', s.get('other')); if (window.x) x.attachShadow({ mode: 'open' }).innerHTML = x.title.replaceAll('$', s.get('other'))</script>`, "a")
	})
	defer close(stop) // before the servers are
	for _, tt := range []struct {
		name, in string
		want     []string // scopes and records
		said     []string
	}{
		{"object", `<object data="/b"></object>`, []string{"a/r", "b/r"}, nil},
		{"typed", `<object type="text/html" data="/b"><p data-agent-record="not shown">x</p></object>`, []string{"a/r", "b/r"}, nil},
		{"embed", `<embed src="/b">`, []string{"a/r", "b/r"}, nil},
		{"foreign object", `<object data="$/b"></object>`, []string{"a/r", "b/r"}, nil},
		{"foreign embed", `<embed src="$/b">`, []string{"a/r", "b/r"}, nil},
		{"scope", `<object data="$/b" data-agent-scope="o"></object><embed src="/c" data-agent-scope="e"><p data-agent-scope="d"><b data-agent-record="r"></b></p>`, []string{"a/r", "b/r", "c/r", "d/r"}, nil},
		{"shadow tree", `<div id="x" title='<object data="/b"></object><embed src="/c"><embed src="$/d">'></div>`, []string{"a/r", "b/r", "c/r", "d/r"}, nil},
		{"drawing", `<object data="/image.svg"></object>`, []string{"a/r", "/drawn"}, nil},
		{"image", `<object data="/image.gif">x</object><embed src="/image.gif"><embed src="/image.gif" type="image/gif"><object></object><embed>`, []string{"a/r"}, nil},
		{"hidden", `<object data="/b" style="display:none"></object><embed src="$/b" hidden>`, []string{"a/r"}, nil},
		{"missing", `<object data="/missing"></object>`, []string{"a/r"}, nil},
		{"hangs", `<object id="o" data="$/hang"></object>`, []string{"a/r"}, []string{"unreadable-frame object o: the document in this frame cannot be read: it does not answer"}},
		{"embed hangs", `<embed src="$/hang">`, []string{"a/r"}, []string{"unreadable-frame embed $/hang: the document in this frame cannot be read: it does not answer"}},
		{"pdf", `<object data="/x.pdf"></object><iframe src="$/x.pdf"></iframe>`, []string{"a/r"}, []string{
			"unreadable-frame object /x.pdf: the document in this frame cannot be read: it is a PDF", "unreadable-frame iframe $/x.pdf: the document in this frame cannot be read: it is a PDF"}},
		{"on its way", `<object data="/never"></object>`, []string{"a/r"}, []string{"unreadable-frame object /never: the document in this frame is still on its way; what has come is read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openPage(t, base+"/?other="+other+"&in="+url.QueryEscape(tt.in), &PageOptions{Quiet: 20 * time.Millisecond, Settle: 300 * time.Millisecond})
			var s *snapshot.Snapshot
			for i := range tt.said {
				tt.said[i] = strings.ReplaceAll(tt.said[i], "$", other)
			}
			for deadline := time.Now().Add(8 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
				if s = read(t, p); slices.Equal(scopes(s), tt.want) && slices.Equal(said(s), tt.said) {
					break
				}
			}
			if !slices.Equal(scopes(s), tt.want) || !slices.Equal(said(s), tt.said) {
				t.Fatalf("got %q %q, want %q %q", scopes(s), said(s), tt.want, tt.said)
			}
			c := call.New(p, &call.Options{Format: compact, Observe: 20 * time.Second}) // frames of other origins have a part of it
			for i := range s.Actions() {
				a := s.Action(i)
				res := c.Call(t.Context(), call.Request{Action: a.ID})
				scope := ""
				if len(s.Scopes()) > 1 {
					scope = `"scope":"` + a.Scope + `",`
				}
				if want := `{"observed":true,"records":{"updated":[{"id":"r",` + scope + `"fields":["n"]}]}`; !strings.HasPrefix(string(res.Changed), want) {
					t.Errorf("%s: %s", a.ID, res.AppendJSON(nil))
				}
			}
		})
	}
}

// TestPDF goes to a document that cannot be read, which is not one where nothing is.
func TestPDF(t *testing.T) {
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x.pdf" {
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.4")
			return
		}
		fmt.Fprintf(w, leaf+`<button data-agent-action="print" onclick="location='/x.pdf'">Print</button>`, "a")
	})
	p := openPage(t, base, nil)
	res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "print"})
	if want := `{"observed":false,"reason":"no-snapshot"}`; string(res.Changed) != want {
		t.Errorf("%s", res.AppendJSON(nil))
	}
}

// TestLostObject reads a page with a document of another origin in an object, which does
// not answer any more: what it had is not said to be gone.
func TestLostObject(t *testing.T) {
	_, other := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, leaf+`<script>onmessage = () => { for (const t = Date.now(); Date.now() < t + 4000;); }</script>`, "b")
	})
	for _, tag := range []string{`<object data="%s/"></object>`, `<embed src="%s/" name="e">`} {
		base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, leaf+tag, "a", other) })
		p := openPage(t, base, &PageOptions{Quiet: 20 * time.Millisecond})
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := call.New(p, &call.Options{Format: compact})
		if before, err := c.Look(t.Context()); err != nil || before.Len() != 2 {
			t.Fatal(err, before.Diagnostics())
		}
		evaluate(t, p, `window[0].postMessage(1, '*')`)
		res := c.Call(t.Context(), call.Request{Action: "press"})
		if string(res.Changed) != `{"observed":false,"reason":"no-baseline"}` {
			t.Errorf("%s: %s", tag, res.AppendJSON(nil))
		}
		if s := read(t, p); exposure.Unread(s) == nil {
			t.Errorf("%s: nothing is missed: %v", tag, s.Diagnostics())
		}
	}
}

// TestNoCapture reads pages whose code answers with something else than a capture: what
// it exposes is not known.
func TestNoCapture(t *testing.T) {
	for _, tt := range []struct{ detail, want string }{
		{`'{"records":[{"id":"c"}]}'`, ""},
		{`''`, ""},
		{`null`, ""},
		{`{records:[]}`, "unread-exposure"},
		{`5`, "unread-exposure"},
		{`'no'`, "unread-exposure"},
		{`'{"records":{}}'`, "unread-exposure"},
		{`'{"records":[5]}'`, "bad-exposure"},
	} {
		page := `<!doctype html><p data-agent-scope="s"><b data-agent-record="r"></b></p><script>addEventListener('pagestate:read', () => dispatchEvent(new CustomEvent('pagestate:exposure', { detail: ` + tt.detail + ` })))</script>`
		got := ""
		for _, d := range read(t, openPage(t, serve(t, map[string]string{"/": page}), nil)).Diagnostics() {
			got += d.Code
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.detail, got, tt.want)
		}
	}
}

// TestClosedRoots names closed shadow roots of elements of any kind that can have one,
// whenever they are attached.
func TestClosedRoots(t *testing.T) {
	base := serve(t, map[string]string{"/": `<!doctype html><style>.icon{display:inline-block;width:9px;height:9px}</style><p data-agent-scope="s"><b data-agent-record="r"></b></p>
<div id="plain"></div><section id="section"></section><div class="icon"></div><ul data-agent-scope="rows"></ul><a-b id="custom"></a-b>
<div id="declared"><template shadowrootmode="closed">declared</template></div><div id="open"><template shadowrootmode="open">open</template></div><div id="hidden" hidden></div>
<script>const closed = (e, html) => e.attachShadow({ mode: 'closed' }).innerHTML = html;
function rows(n, c) { for (let i = 0; i < n; i++) document.querySelector('ul').insertAdjacentHTML('beforeend', '<li data-agent-record=r' + i + '><span class=' + c + '></span></li>') }</script>`})
	p := openPage(t, base, nil)
	for _, step := range []struct {
		js   string
		want string // elements that are named
	}{
		{``, "div declared"},
		{`closed(plain, 'x<br>y')`, "div declared, div plain"},
		{`closed(section, '<p>z</p>')`, "div declared, div plain, section section"},
		{`closed(custom, 'w')`, "div declared, div plain, section section, a-b custom"},
		{`rows(300, 'icon')`, "div declared, div plain, section section, a-b custom"},
		// It comes behind many that are alike and have none.
		{`document.body.insertAdjacentHTML('beforeend', '<div id=widget></div>'); closed(widget, '<p style="position:fixed">chat</p>')`, "div declared, div plain, section section, a-b custom, div widget"},
		{`document.querySelector('li').insertAdjacentHTML('beforeend', '<p id=inrow></p>')`, "div declared, div plain, section section, a-b custom, div widget"},
		{`closed(inrow, 'in a row')`, "div declared, div plain, section section, p inrow, a-b custom, div widget"},
		{`section.remove()`, "div declared, div plain, p inrow, a-b custom, div widget"},
		{`hidden.hidden = false; closed(hidden, 'hidden')`, "div declared, div hidden, div plain, p inrow, a-b custom, div widget"},
	} {
		evaluate(t, p, step.js)
		var got []string
		for _, d := range read(t, p).Diagnostics() {
			if d.Code != exposure.CodeUnreadableRoot || d.Message != "a closed shadow root cannot be read" {
				t.Errorf("%s: %v", step.js, d)
			}
			got = append(got, d.At)
		}
		if want := strings.Split(step.want, ", "); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: got %q, want %q", step.js, got, want)
		}
	}
}

// TestUnreadTotal calls actions after which a page shows other rows of a list, and how
// many there are cannot be read.
func TestUnreadTotal(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"2", "2", `{"observed":true,"records":{"added":[{"id":"c"}],"removed":[{"id":"a"}]}}`},
		{"2", "many", `{"observed":true,"records":{"added":[{"id":"c"}],"window":{"left":1,"net":-1}},"diagnostics":[{"code":"bad-attribute","at":"s","message":"data-agent-total is not a count (after)"}]}`},
		{"many", "2", `{"observed":true,"records":{"removed":[{"id":"a"}],"window":{"entered":1,"net":1}},"diagnostics":[{"code":"bad-attribute","at":"s","message":"data-agent-total is not a count (before)"}]}`},
	} {
		page := `<ul id="s" data-agent-scope="s" data-agent-total="` + tt.before + `"><li id="a" data-agent-record="a"><li data-agent-record="b"></ul>
<button data-agent-action="page" data-agent-description="Page" onclick="a.remove(); s.insertAdjacentHTML('beforeend', '<li data-agent-record=c>'); s.dataset.agentTotal = '` + tt.after + `'">Page</button>`
		p := openPage(t, serve(t, map[string]string{"/": page}), &PageOptions{Quiet: 20 * time.Millisecond})
		res := call.New(p, &call.Options{Format: compact}).Call(t.Context(), call.Request{Action: "page"})
		if string(res.Changed) != tt.want {
			t.Errorf("%s, then %s: %s", tt.before, tt.after, res.AppendJSON(nil))
		}
	}
}

// TestManyAttributes reads an element with very many attributes, which must not take the
// square of the time that one takes.
func TestManyAttributes(t *testing.T) {
	for _, name := range []string{"data-agent-x", "aria-x"} {
		var attrs strings.Builder
		for i := range 40_000 {
			fmt.Fprintf(&attrs, " %s%d=%d", name, i, i)
		}
		p := openPage(t, serve(t, map[string]string{"/": `<ul data-agent-scope="s"><li data-agent-record="r"><b` + attrs.String() + ` data-agent-field="n">x</b></li></ul>`}), nil)
		began := time.Now()
		s := read(t, p)
		if took := time.Since(began); s.Len() != 1 || s.Record(0).Field("n").String() != `"x"` || took > 4*time.Second {
			t.Errorf("%s: %d records after %v", name, s.Len(), took)
		}
	}
}
