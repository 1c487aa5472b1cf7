package capture_test

import (
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestAppend says exactly what is written, and that reading and writing that
// gives it again. Each want is what is read, or what the builder was told, in the
// layout of the package.
func TestAppend(t *testing.T) {
	for _, c := range []struct{ name, why, in, want string }{
		{"nothing", "all lists are always there", `{"format":"pagestate/1"}`, `{"format":"pagestate/1","scopes":[],"records":[],"actions":[]}`},
		{"order of members", "fixed", `{"untracked":{"s":1},"actions":[],"records":[{"fields":{"b":1,"a":2},"replaces":"y","scope":"s","id":"x"}],"view":{"limit":1,"scopes":[]},"page":{"title":"T","url":"U"}}`,
			`{"format":"pagestate/1","page":{"url":"U","title":"T"},"view":{"scopes":[],"limit":1},"scopes":[],"records":[{"id":"x","scope":"s","replaces":"y","fields":{"b":1,"a":2}}],"actions":[],"untracked":{"s":1}}`},
		{"whole scope", "", `{"scopes":[{"inferred":true,"offset":0,"total":9,"ids":"i","sensitive":["x"],"unordered":true,"volatile":["v","w"],"state":"active","parent":"p","role":"r","description":"d","label":"l","id":"s"}]}`,
			`{"format":"pagestate/1","scopes":[{"id":"s","label":"l","description":"d","role":"r","parent":"p","state":"active","volatile":["v","w"],"unordered":true,"sensitive":["x"],"ids":"i","total":9,"offset":0,"inferred":true}],"records":[],"actions":[]}`},
		{"defaults", "left out, but for available", `{"scopes":[{"id":"","label":"","volatile":[],"unordered":false}],"records":[{"id":1,"scope":"","fields":{}}],"actions":[{"id":"a","kind":"","description":"d"}]}`,
			`{"format":"pagestate/1","scopes":[{"id":""}],"records":[{"id":"1"}],"actions":[{"id":"a","description":"d","available":true}]}`},
		{"without id", "", `{"scopes":[{"id":"s","inferred":true},{"id":"","inferred":true}],"records":[{"scope":"s"},{"fields":{"a":1}},{}]}`,
			`{"format":"pagestate/1","scopes":[{"id":"s","inferred":true},{"id":"","inferred":true}],"records":[{"scope":"s"},{"fields":{"a":1}},{}],"actions":[]}`},
		{"values", "digits as typed, members by name, controls escaped", "{\"records\":[{\"id\":1,\"fields\":{\"n\":[1.0,1E+2,-0],\"o\":{\"b\":1,\"a\":2},\"s\":\"\\u0000\\u001b\\u007f\\u200b\\u2028/<\\u00e9\\\\\\\"\"}}]}",
			`{"format":"pagestate/1","scopes":[],"records":[{"id":"1","fields":{"n":[1.0,1E+2,-0],"o":{"a":2,"b":1},"s":"\u0000\u001b\u007f\u200b\u2028/<é\\\""}}],"actions":[]}`},
		{"whole action", "", `{"actions":[{"name":"refresh","group":"g","record":"r","scope":"s","params":[1],"available":"busy","primitive":"call","kind":"read","description":"d","id":"g/refresh"},{"id":"x@r","record":"r","available":""}]}`,
			`{"format":"pagestate/1","scopes":[],"records":[],"actions":[{"id":"g/refresh","description":"d","kind":"read","primitive":"call","available":"busy","params":[1],"scope":"s","record":"r","group":"g","name":"refresh"},{"id":"x@r","available":false,"record":"r"}]}`},
		{"repaired", "one U+FFFD for each part", "{\"records\":[{\"id\":\"\xf0\x9f\",\"fields\":{\"\\ud800\":\"\\udfff\xff\"}}]}",
			"{\"format\":\"pagestate/1\",\"scopes\":[],\"records\":[{\"id\":\"\uFFFD\",\"fields\":{\"\uFFFD\":\"\uFFFD\uFFFD\"}}],\"actions\":[]}"},
		{"alike after repair", "numbered", "{\"records\":[{\"id\":1,\"fields\":{\"\uFFFD#2\":0,\"\xff\":1,\"\xfe\":2,\"\uFFFD\":3}}]}",
			"{\"format\":\"pagestate/1\",\"scopes\":[],\"records\":[{\"id\":\"1\",\"fields\":{\"\uFFFD#2\":0,\"\uFFFD#3\":1,\"\uFFFD#4\":2,\"\uFFFD\":3}}],\"actions\":[]}"},
		{"members alike after repair", "numbered as they are held, sorted as they are written", `{"records":[{"id":1,"fields":{"o":{"\ud801":1,"\ud800":2,"\ud800\udc00":3,"\ud800!":4}}}]}`,
			"{\"format\":\"pagestate/1\",\"scopes\":[],\"records\":[{\"id\":\"1\",\"fields\":{\"o\":{\"\uFFFD\":2,\"\uFFFD!\":4,\"\uFFFD#2\":1,\"\U00010000\":3}}}],\"actions\":[]}"},
		{"actions of one id", "numbered by the snapshot", `{"actions":[{"id":"a","description":"1"},{"id":"a","description":"2"}]}`,
			`{"format":"pagestate/1","scopes":[],"records":[],"actions":[{"id":"a","description":"1","available":true},{"id":"a#2","description":"2","available":true,"name":"a"}]}`},
	} {
		snap, err := capture.Decode([]byte(c.in), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(capture.Append([]byte("x"), snap)); got != "x"+c.want {
			t.Errorf("%s (%s)\ngot  %s\nwant x%s", c.name, c.why, got, c.want)
		}
		again, err := capture.Decode([]byte(c.want), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(capture.Append(nil, again)); got != c.want {
			t.Errorf("%s: read and written again\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestAppendMasked checks that a masked value leaves as the text that says so.
func TestAppendMasked(t *testing.T) {
	var b snapshot.Builder
	row := b.Record("", "a")
	row.Masked("pin", "1234")
	row.Masked("none", "")
	row.End()
	b.Page(snapshot.Page{Document: "d1"})
	snap, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"format":"pagestate/1","scopes":[],"records":[{"id":"a","fields":{"pin":"[masked]","none":""}}],"actions":[]}`
	got := capture.Append(nil, snap)
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	again, err := capture.Decode(got, nil)
	if err != nil || again.Digest() != snap.Digest() || !records.Equal(again.Record(0).Field("pin"), snap.Record(0).Field("pin")) {
		t.Errorf("read again it differs: %v", err)
	}
}
