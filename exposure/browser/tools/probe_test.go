package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

func TestParseProbe(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Probe
		ok   bool
	}{
		{"getFeatureFlags", Probe{Tool: "getFeatureFlags"}, true},
		{"State/getGlobalState#cart.items@sku", Probe{Tool: "State/getGlobalState", Path: "cart.items", Key: "sku"}, true},
		{`queryDatabaseTable{"tableName":"orders","limit":2}@order_id=orders`,
			Probe{Tool: "queryDatabaseTable", Params: json.RawMessage(`{"tableName":"orders","limit":2}`), Key: "order_id", Scope: "orders"}, true},
		{`t{"a":"#@="}#/b/0=s`, Probe{Tool: "t", Params: json.RawMessage(`{"a":"#@="}`), Path: "/b/0", Scope: "s"}, true},
		{"", Probe{}, false},
		{"#path", Probe{}, false},
		{`t{"a"`, Probe{}, false},
		{`t{} more`, Probe{}, false},
		{"t#p=", Probe{}, false},
	} {
		got, err := ParseProbe(tt.text)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrProbe) {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if tt.ok && fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%q: %+v, want %+v", tt.text, got, tt.want)
		}
	}
	for _, p := range []Probe{{}, {Tool: "t", Params: json.RawMessage(`[]`)}, {Tool: "t", Params: json.RawMessage(`null`)}} {
		if _, err := New(&Options{Probes: []Probe{p}}); !errors.Is(err, ErrProbe) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// shopProbes are the four tools of shop.html, one of them twice.
var shopProbes = []string{
	`getCacheStatistics`,
	`getFeatureFlags=flags`,
	`getGlobalState=state`,
	`getGlobalState{"path":"cart.items"}@sku=items`,
	`queryDatabaseTable{"tableName":"orders","limit":2}@order_id=orders`,
}

func probes(t testing.TB, texts ...string) *Options {
	t.Helper()
	var o Options
	for _, s := range texts {
		p, err := ParseProbe(s)
		if err != nil {
			t.Fatal(err)
		}
		o.Probes = append(o.Probes, p)
	}
	return &o
}

// TestShop reads the state of a page through its tools. A change shows as exactly
// that.
func TestShop(t *testing.T) {
	site := newSite(t, nil)
	l := openLive(t, sharedBrowser(t), site.URL+"/shop.html", probes(t, shopProbes...))
	before := l.look()
	for _, tt := range []struct{ scope, id, field, want string }{
		{"getCacheStatistics", "getCacheStatistics", "hits", "12"},
		{"flags", "getFeatureFlags", "new-checkout", "true"},
		{"state", "getGlobalState", "user", `{"name":"Ada","roles":["buyer"]}`},
		{"items", "lid", "qty", "12"},
		{"orders", "902", "status", `"open"`},
		{"cart", "lid", "name", `"lid"`},
	} {
		if got := field(before, tt.scope, tt.id, tt.field); got != tt.want {
			t.Errorf("%s/%s %s: %s, want %s", tt.scope, tt.id, tt.field, got, tt.want)
		}
	}
	if field(before, "orders", "903", "status") != "" {
		t.Error("more rows than the limit")
	}
	var d diff.Differ
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing", func() {}, `{"observed":true}`},
		{"flag", func() { l.main(`flags['dark-shelf'] = true, 0`) },
			`"updated":[{"id":"getFeatureFlags","scope":"flags","fields":["dark-shelf"],"changes":[{"field":"dark-shelf","at":"","from":false,"to":true}]}]`},
		{"nested quantity", func() { l.main(`store.cart.items[2].qty = 13, 0`) },
			`"updated":[{"id":"getGlobalState","scope":"state","fields":["cart"],"changes":[{"field":"cart","at":"/items/2/qty","from":12,"to":13}]},` +
				`{"id":"lid","scope":"items","fields":["qty"],"changes":[{"field":"qty","at":"","from":12,"to":13}]}]`},
		{"database row", func() {
			site.mu.Lock()
			defer site.mu.Unlock()
			site.rows[1]["status"] = "paid"
		}, `"updated":[{"id":"902","scope":"orders","fields":["status"],"changes":[{"field":"status","at":"","from":"open","to":"paid"}]}]`},
		{"new item", func() { l.main(`store.cart.items.push({ sku: 'label', qty: 1, price: 1 }), render(), 0`) },
			`"added":[{"id":"label","scope":"cart","values":{"name":"label"}},{"id":"label","scope":"items","values":{"qty":1,"price":1}}]`},
	} {
		tt.do()
		after := l.look()
		ch := d.Compare(before, after, &diff.Options{Session: true})
		got := string(ch.AppendJSON(nil, &diff.Format{Detail: diff.Values, Compact: true}))
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if ch.Same() != (tt.name == "nothing") {
			t.Errorf("%s: same %v", tt.name, ch.Same())
		}
		before = after
	}

	// The tools are actions too.
	res := l.call(call.Request{Action: "queryDatabaseTable", Params: json.RawMessage(`{"tableName":"orders"}`)})
	if !res.OK || !strings.HasPrefix(string(res.Data), `[{"order_id":901,`) || strings.Count(string(res.Data), "order_id") != 3 || !res.Same {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	res = l.call(call.Request{Action: "queryDatabaseTable", Params: json.RawMessage(`{}`)})
	if res.OK || res.Err.Code != call.InvalidParams {
		t.Errorf("%s", res.AppendJSON(nil))
	}
	res = l.call(call.Request{Action: "getGlobalState", Params: json.RawMessage(`{"path":"cart.currency"}`)})
	if !res.OK || string(res.Data) != `"EUR"` {
		t.Errorf("%s", res.AppendJSON(nil))
	}
}

// field returns a field as JSON, "" if it or its record is not there.
func field(s *snapshot.Snapshot, scope, id, name string) string {
	i := s.Find(scope, id)
	if i < 0 {
		return ""
	}
	r := s.Record(i)
	v := r.Field(name)
	if v.Kind() == 0 {
		return ""
	}
	return v.String()
}

// TestProbeFailures shows that what cannot be seen is never taken for gone.
func TestProbeFailures(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Probes</title><script>
let mode = 'rows';
const tool = (name, execute, annotations) => ({ name, description: name, inputSchema: {}, execute, annotations });
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', description: 'd', tools: [
  tool('list', async () => { switch (mode) {
    case 'rows': return [{ id: 1, v: 'a' }, { key: 'k', v: new Date(0) }, { v: 'lost' }];
    case 'throw': throw new Error('no rows today');
    case 'hang': return new Promise(() => {});
    case 'nothing': return undefined;
    case 'empty': return [];
    case 'words': return ['x', 'y'];
    case 'number': return 7;
    case 'many': return Array.from({ length: 20001 }, (_, id) => ({ id }));
    case 'heavy': return Array.from({ length: 100 }, (_, id) => ({ id, v: 'x'.repeat(1e5) }));
    case 'big': return { v: 'x'.repeat(9e6) };
    case 'map': return { m: new Map([['k', 1]]), n: NaN, get bad() { throw new Error('bad'); } };
  } }),
  tool('drop', () => { window.dropped = true; }, { readOnlyHint: false }),
] }));
</script>`})
	o := probes(t, "list=rows", "drop", "absent")
	o.ProbeTimeout = 200e6
	b := openBare(t, sharedBrowser(t), o)
	b.open(s.URL)
	const rows = `rows/1{"v":"a"} rows/k{"v":{"$js":"date","value":"1970-01-01T00:00:00.000Z"}}`
	for _, tt := range []struct{ mode, want, failed string }{
		{"rows", rows, ""},
		{"throw", rows, "no rows today"},
		{"hang", rows, "did not answer"},
		{"nothing", rows, "returned nothing"},
		{"many", rows, "too large: 20001 rows"},
		{"heavy", rows, "too large: 84 rows or more"},
		{"big", rows, "too large: 90000"},
		{"empty", "", ""},
		{"words", `rows/list{"value":["x","y"]}`, ""},
		{"number", `rows/list{"value":7}`, ""},
		{"map", `rows/list{"m":{"$js":"map","entries":[["k",1]]},"n":{"$js":"number","value":"NaN"},"bad":{"$js":"error","message":"bad"}}`, ""},
	} {
		b.main(`mode = '` + tt.mode + `', 0`)
		a := b.read()
		var got []string
		for _, r := range a.Records {
			got = append(got, r.Scope+"/"+r.ID+string(r.Fields))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: records %s, want %s", tt.mode, got, tt.want)
		}
		failed := map[string]string{}
		for _, d := range a.Diagnostics {
			if d.Code == "probe-failed" {
				failed[d.At] = d.Message
			}
		}
		if tt.failed == "" && failed["rows"] != "" || !strings.Contains(failed["rows"], tt.failed) {
			t.Errorf("%s: diagnosed %q, want %q", tt.mode, failed["rows"], tt.failed)
		}
		if !strings.Contains(failed["drop"], "it changes something") || !strings.Contains(failed["absent"], "no such tool") {
			t.Errorf("%s: diagnosed %q", tt.mode, failed)
		}
	}
	if got := b.main(`window.dropped`); got != "" && got != "null" {
		t.Error("a tool that changes something was used as a probe")
	}
}

// TestProbeNotSeen calls while a probe has not answered yet in this document: what it may
// have to tell is neither added nor removed.
func TestProbeNotSeen(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Late</title><script>
let ready = location.search === '?ready';
const tool = (name, execute) => ({ name, description: name, inputSchema: {}, execute });
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'g', description: 'd', tools: [
  tool('list', () => { if (!ready) throw new Error('not yet'); return [{ id: 1 }]; }),
  tool('go', () => { ready = true; }), tool('leave', () => { location = '/?later'; }),
] }));</script>`})
	for _, tt := range []struct{ path, action string }{{"/", "go"}, {"/?ready", "leave"}} {
		l := openLive(t, sharedBrowser(t), s.URL+tt.path, probes(t, "list=rows"))
		if res := l.call(call.Request{Action: tt.action}); !res.OK || evidenceOf(t, res.Changed).Observed {
			t.Errorf("%s: %s", tt.action, res.AppendJSON(nil))
		}
	}
}

func FuzzParseProbe(f *testing.F) {
	for _, s := range append(shopProbes, "", "#", "{", `t{"a":"}"}#p@k=s`, "a@b#c=d", "a=b=c") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseProbe(s)
		if err != nil {
			return
		}
		// What was read, written again, reads the same.
		again := p.Tool + string(p.Params)
		for _, part := range []struct{ mark, text string }{{"#", p.Path}, {"@", p.Key}, {"=", p.Scope}} {
			if part.text != "" {
				again += part.mark + part.text
			}
		}
		q, err := ParseProbe(again)
		if err != nil || fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("%q gives %+v; written as %q it gives %+v, %v", s, p, again, q, err)
		}
	})
}

func ExampleParseProbe() {
	p, err := ParseProbe(`queryDatabaseTable{"tableName":"orders"}@order_id=orders`)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %s, rows by %s, in scope %s\n", p.Tool, p.Params, p.Key, p.Scope)
	// Output: queryDatabaseTable {"tableName":"orders"}, rows by order_id, in scope orders
}
