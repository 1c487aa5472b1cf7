package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"
)

// The tests of this package share one browser; what kills it starts its own.
var shared struct {
	once   sync.Once
	chrome *Chrome
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}

func startBrowser(t testing.TB) *Chrome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := Start(ctx, nil)
	if err != nil {
		t.Fatalf("a browser is needed: %v", err)
	}
	return c
}

func sharedBrowser(t testing.TB) *Chrome {
	t.Helper()
	shared.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		shared.chrome, shared.err = Start(ctx, nil)
	})
	if shared.err != nil {
		t.Fatalf("a browser is needed: %v", shared.err)
	}
	return shared.chrome
}

func openTab(t testing.TB, c *Chrome) Tab {
	t.Helper()
	tab, err := c.NewTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tab.Close(context.Background()) })
	return tab
}

// serve serves pages by path.
func serve(t testing.TB, pages map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestInvokeKeepsWhatJSONHasNoFormFor(t *testing.T) {
	tab := openTab(t, sharedBrowser(t))
	for _, test := range []struct{ js, want string }{
		{`undefined`, ``},
		{`null`, `null`},
		{`NaN`, `{"$js":"number","value":"NaN"}`},
		{`-0`, `{"$js":"number","value":"-0"}`},
		{`0`, `0`},
		{`1e21`, `1e+21`},
		{`123456789012345678901234567890n`, `{"$js":"bigint","value":"123456789012345678901234567890"}`},
		{`new Date(Date.UTC(2031,4,1))`, `{"$js":"date","value":"2031-05-01T00:00:00.000Z"}`},
		{`new Date(NaN)`, `{"$js":"date","value":"invalid"}`},
		{`new Map([['k',{v:1}],[2,'two']])`, `{"$js":"map","entries":[["k",{"v":1}],[2,"two"]]}`},
		{`new Set([1,'1'])`, `{"$js":"set","entries":[1,"1"]}`},
		{`(()=>{const c={name:'c'};c.self=c;return c})()`, `{"name":"c","self":{"$js":"cycle"}}`},
		{`(()=>{const s={n:1};return {a:s,b:s}})()`, `{"a":{"n":1},"b":{"n":1}}`},
		{`({ok:1,get boom(){throw new Error('getter')}})`, `{"ok":1,"boom":{"$js":"error","message":"getter"}}`},
		{`[1,,3]`, `[1,{"$js":"undefined"},3]`},
		{`({a:undefined,b:null})`, `{"b":null}`},
		{`({toJSON(){return {replaced:true}},real:1})`, `{"replaced":true}`},
		{`({toJSON(){throw new Error('toJSON')}})`, `{"$js":"error","message":"toJSON"}`},
		{`Object.assign(Object.create(null),{a:1})`, `{"a":1}`},
		{`new (class Jar{constructor(){this.size=3}})()`, `{"size":3}`},
		{`new TypeError('returned')`, `{"$js":"error","message":"returned"}`},
		{`'\ud83c'`, `"\ud83c"`},
		{`'a\u0000"\\\n'`, `"a\u0000\"\\\u000a"`},
		{`new Uint8Array([1,2,255])`, `{"$js":"Uint8Array","values":[1,2,255]}`},
		{`document.createElement('p')`, `{"$js":"node","value":"<p>"}`},
		{`Promise.resolve(1)`, `1`},
		{`({then(r){setTimeout(()=>r('late'),20)}})`, `"late"`},
		{`window`, `{"$js":"object","class":"Window"}`},
		{`JSON.parse('{"__proto__":{"x":1}}')`, `{"__proto__":{"x":1}}`},
		{`() => 1`, `{"$js":"function","name":""}`},
	} {
		got, err := Invoke(t.Context(), tab, "", test.js)
		if err != nil {
			t.Errorf("%s: %v", test.js, err)
			continue
		}
		text := ""
		if got != nil {
			text = fmt.Sprintf("%s", got)
		}
		if text != test.want {
			t.Errorf("%s gave %s, want %s", test.js, text, test.want)
		}
	}
	for _, test := range []struct{ js, want string }{
		{`Promise.reject(new Error('card declined'))`, "card declined"},
		{`(()=>{throw 'plain text'})()`, "plain text"},
		{`Promise.reject()`, "threw undefined"},
		{`(()=>{const e={};e.e=e;return Promise.reject(e)})()`, "threw [object Object]"},
		{`new Proxy({},{get(){throw new Error('trap')}})`, "trap"},
	} {
		_, err := Invoke(t.Context(), tab, "", test.js)
		var se *ScriptError
		if !errors.As(err, &se) || se.Text != test.want {
			t.Errorf("%s failed with %v, want %s", test.js, err, test.want)
		}
	}
}
