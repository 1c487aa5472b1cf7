package reference

import (
	"encoding/json"
	"reflect"
	"testing"
)

func diff(t *testing.T, before, after string) Evidence {
	t.Helper()
	e, err := Diff([]byte(before), []byte(after), "values")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestForms(t *testing.T) {
	before := `{"page":{"url":"u"},"scopes":[{"id":"s","ids":"x","label":"1"},{"id":"t","ids":"x","total":3},{"id":"old"}],
		"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s","fields":{"v":1}},{"id":"c","scope":"t"},{"id":"o","scope":"old"}],
		"actions":[{"id":"x"},{"id":"y"}]}`
	after := `{"page":{"url":"v"},"scopes":[{"id":"s","ids":"x","label":"2"},{"id":"t","ids":"x","total":3},{"id":"new"}],
		"records":[{"id":"n","scope":"new"},{"id":"b2","scope":"s","replaces":"b","fields":{"v":2}},{"id":"a","scope":"t"},{"id":"a","scope":"t"},{"id":"p","scope":"s"}],
		"actions":[{"id":"y","kind":"k"},{"id":"z"}]}`
	for _, test := range []struct {
		name, why, detail string
		compact           bool
		want              string
	}{
		{"basic", "the closed shape: whole scopes are listed, nothing else is said", "basic", false,
			`{"observed":true,"records":{"added":[{"id":"n","scope":"new"},{"id":"p","scope":"s"}],` +
				`"removed":[{"id":"c","scope":"t"},{"id":"o","scope":"old"}],` +
				`"updated":[{"id":"b2","scope":"s","fields":["v"]},{"id":"a","scope":"t","fields":[]}],` +
				`"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":6,"to":6}},` +
				`"actions":{"added":[{"id":"z"}],"removed":[{"id":"x"}],"omitted":{"added":0,"removed":0}}}`},
		{"names", "every extension member in its place", "names", false,
			`{"observed":true,"records":{"added":[{"id":"p","scope":"s"}],"removed":[{"id":"c","scope":"t"}],` +
				`"updated":[{"id":"b2","scope":"s","replaces":"b","fields":["v"]},{"id":"a","scope":"t","scopeFrom":"s","fields":[]}],` +
				`"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},"total":{"from":6,"to":6},` +
				`"window":{"entered":1,"left":0,"net":0,"assumed":true}},` +
				`"actions":{"added":[{"id":"z"}],"removed":[{"id":"x"}],"updated":[{"id":"y","fields":["kind"]}],"omitted":{"added":0,"removed":0,"updated":0}},` +
				`"scopes":{"added":[{"id":"new","records":1,"ids":["n"]}],"removed":[{"id":"old","records":1,"ids":["o"]}],"updated":[{"id":"s","fields":["label"]}]},` +
				`"page":{"url":{"from":"u","to":"v"},"navigated":true},` +
				`"diagnostics":[{"code":"duplicate-id","at":"t/a","message":"duplicate id"}]}`},
		{"compact basic", "what is empty is left out", "basic", true,
			`{"observed":true,"records":{"added":[{"id":"n","scope":"new"},{"id":"p","scope":"s"}],` +
				`"removed":[{"id":"c","scope":"t"},{"id":"o","scope":"old"}],` +
				`"updated":[{"id":"b2","scope":"s","fields":["v"]},{"id":"a","scope":"t"}]},` +
				`"actions":{"added":[{"id":"z"}],"removed":[{"id":"x"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(diff(t, before, after).JSON(test.detail, test.compact)); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.why, got, test.want)
			}
		})
	}
}

func TestEmptyForms(t *testing.T) {
	e := diff(t, `{"records":[]}`, `{"records":[]}`)
	want := `{"observed":true,"records":{"added":[],"removed":[],"updated":[],"reordered":false,"omitted":{"added":0,"removed":0,"updated":0},` +
		`"total":{"from":0,"to":0}},"actions":{"added":[],"removed":[],"omitted":{"added":0,"removed":0}}}`
	for _, detail := range []string{"basic", "names"} {
		if got := string(e.JSON(detail, false)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", detail, got, want)
		}
	}
	if !e.Same() {
		t.Error("not the same")
	}
}

func TestQuote(t *testing.T) {
	for _, test := range []struct{ name, why, text, want string }{
		{"short", "escapes of one letter", "\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"c0 and c1", "no control is raw", "\x00\x1b\x7f\u0085\u009f", `"\u0000\u001b\u007f\u0085\u009f"`},
		{"bidi", "nothing turns the reading order", "\u061c\u200e\u200f\u202a\u202e\u2066\u2069", `"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"`},
		{"zero width", "nothing hides", "\u200b\u200c\u200d\u2060\ufeff", `"\u200b\u200c\u200d\u2060\ufeff"`},
		{"separators", "no other line break", "\u2028\u2029", `"\u2028\u2029"`},
		{"tags", "nothing hides, as two units", "\U000E0041\U000E007F", `"\udb40\udc41\udb40\udc7f"`},
		{"raw", "all else is as it is", "/<>&é\u00a0\u00ad\u0301日😀", "\"/<>&é\u00a0\u00ad\u0301日😀\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := quote(test.text)
			if got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.why, got, test.want)
			}
			var back string
			if err := json.Unmarshal([]byte(got), &back); err != nil || back != test.text {
				t.Errorf("reads back as %q, %v", back, err)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	classes := [][]Number{
		{"0", "-0", "0.0", "0e9", "-0.00E-99999999999999999999"},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1.000", "0.00001e+5", "100E-2"},
		{"-1", "-1.0", "-10e-1"},
		{"100", "1e2", "1E+2", "0.1e3", "100.0"},
		{"9007199254740993"}, {"9007199254740992"},
		{"1e400", "10e399"}, {"1e401"}, {"1e-400"},
		{"1e1000000000", "10e999999999"}, {"1e1000000001"},
		{"1e99999999999999999999999999", "0.01e100000000000000000000000001"},
		{"0.1"}, {"0.10000000000000001"}, {"101"}, {"10"},
	}
	for i, class := range classes {
		for _, a := range class {
			for j, other := range classes {
				for _, b := range other {
					if a.Equal(b) != (i == j) {
						t.Errorf("%s equals %s: %v", a, b, i != j)
					}
				}
			}
		}
	}
}

func TestTracked(t *testing.T) {
	before := `{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"},{"id":"c","scope":"s"}]}`
	after := `{"scopes":[{"id":"s"}],"records":[{"id":"b","scope":"s"},{"id":"c","scope":"s"},{"id":"d","scope":"s"}]}`
	for _, test := range []struct {
		name, why string
		bound     int
		want      string
	}{
		{"unbounded", "all are compared", 0, `{"observed":true,"records":{"added":[{"id":"d"}],"removed":[{"id":"a"}]}}`},
		{"just enough", "all are compared", 3, `{"observed":true,"records":{"added":[{"id":"d"}],"removed":[{"id":"a"}]}}`},
		{"two", "unmatched keys have only crossed the bound", 2,
			`{"observed":true,"records":{"window":{"entered":1,"left":1}},"untracked":{"from":1,"to":1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := DiffTracked([]byte(before), []byte(after), "names", test.bound)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(e.JSON("names", true)); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.why, got, test.want)
			}
		})
	}
}

func TestDiagnostics(t *testing.T) {
	before := `{"view":{"scopes":["s"]},"scopes":[{"id":"s"},{"id":"s"}],"records":[{"id":"a"},{"id":"a"},{"id":"a"},{"id":"a","scope":"s"},{"id":"a","scope":"s"}]}`
	after := `{"scopes":[{"id":"s"},{"id":"s"},{"id":"t"},{"id":"t"}],"records":[{"id":"a"},{"id":"a"}],"actions":[{"id":"x"},{"id":"x"},{"id":"x"}]}`
	want := []Diagnostic{
		{"duplicate-scope", "s"}, {"duplicate-id", "a"}, {"duplicate-id", "s/a"},
		{"duplicate-scope", "t"}, {"duplicate-id", "x"}, {"view-differs", "view"},
	}
	if got := diff(t, before, after).Diagnostics; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestSameActionID(t *testing.T) {
	e := diff(t, `{"actions":[{"id":"x"},{"id":"x#2"}]}`, `{"actions":[{"id":"x"},{"id":"x"},{"id":"x#2"},{"id":"x"}]}`)
	want := `{"observed":true,"actions":{"added":[{"id":"x#3"},{"id":"x#4"}]}}`
	if got := string(e.WithoutDiagnostics().JSON("names", true)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestChangesAndGroups(t *testing.T) {
	e := diff(t,
		`{"records":[{"id":"a","fields":{"v":1,"w":null}},{"id":"b","fields":{"v":1}},{"id":"c","fields":{"w":{}}},{"id":"d","fields":{"w":[]}}]}`,
		`{"records":[{"id":"a","fields":{"v":2.50}},{"id":"b","fields":{"v":"1"}},{"id":"c","fields":{"w":1}},{"id":"d","fields":{"w":2}}]}`)
	want := []Change{{"v", []any{Number("1")}, []any{Number("2.50")}}, {"w", []any{nil}, nil}}
	if got := e.Updated[0].Changes; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	groups := []Group{{[]string{"w"}, 2}, {[]string{"v", "w"}, 1}, {[]string{"v"}, 1}}
	if got := e.UpdatedBy(); !reflect.DeepEqual(got, groups) {
		t.Errorf("got  %v\nwant %v", got, groups)
	}
}
