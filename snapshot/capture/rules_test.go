package capture_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// mark stands in the input of a refusal table where the error is.
const mark = "¦"

// refusals are inputs that are no capture, with the place of the error marked.
var refusals = []struct {
	name, why, in string
	err           error
	pointer       string
	text          string // in the error
}{
	{"empty object", "nothing says that it is a capture", `¦{}`, capture.ErrNotCapture, "", "an object without format"},
	{"other object", "", ` ¦{"id":1}`, capture.ErrNotCapture, "", "no capture"},
	{"only page and view", "", `¦{"page":{},"view":{}}`, capture.ErrNotCapture, "", ""},
	{"boolean", "", `¦true`, capture.ErrNotCapture, "", "a boolean is none"},
	{"number", "", `¦1`, capture.ErrNotCapture, "", "a number is none"},
	{"broken number", "", `¦1.`, records.ErrSyntax, "", ""},
	{"closing only", "", `¦}`, records.ErrSyntax, "", ""},

	{"other major", "", `{"format":¦"pagestate/2"}`, capture.ErrVersion, "/format", `"pagestate/2"`},
	{"longer major", "", `{"format":¦"pagestate/10"}`, capture.ErrVersion, "/format", ""},
	{"other format", "", `{"format":¦"har\u001b/1"}`, capture.ErrVersion, "/format", `"har\x1b/1"`},
	{"no format", "", `{"format":¦""}`, capture.ErrVersion, "/format", ""},
	{"format number", "", `{"format":¦1}`, capture.ErrType, "/format", "a number, want a string"},
	{"format null", "null is no default", `{"format": ¦null}`, capture.ErrType, "/format", "null, want a string"},

	{"page text", "", `{"records":[],"page":¦"x"}`, capture.ErrType, "/page", "a string, want an object"},
	{"page null", "", `{"records":[],"page":¦null}`, capture.ErrType, "/page", ""},
	{"url", "", `{"records":[],"page":{"url":¦1}}`, capture.ErrType, "/page/url", ""},
	{"title", "", `{"records":[],"page":{"title":¦[]}}`, capture.ErrType, "/page/title", "an array"},
	{"view", "", `{"records":[],"view":¦[]}`, capture.ErrType, "/view", ""},
	{"view scopes", "", `{"records":[],"view":{"scopes":¦"a"}}`, capture.ErrType, "/view/scopes", "a string, want an array"},
	{"view scope", "", `{"records":[],"view":{"scopes":["a",¦null]}}`, capture.ErrBadID, "/view/scopes/1", ""},
	{"view limit", "", `{"records":[],"view":{"limit":¦-1}}`, capture.ErrType, "/view/limit", "non-negative integer"},

	{"scopes", "", `{"scopes":¦{}}`, capture.ErrType, "/scopes", "an object, want an array"},
	{"scope", "", `{"scopes":[¦"todo"]}`, capture.ErrType, "/scopes/0", "a string, want an object"},
	{"scope without id", "", `{"scopes":[{"id":"a"},¦{"label":"x"}]}`, capture.ErrBadID, "/scopes/1/id", "missing"},
	{"scope id", "", `{"scopes":[{"id":¦1.5}]}`, capture.ErrBadID, "/scopes/0/id", "a fraction or an exponent"},
	{"label", "", `{"scopes":[{"id":"a","label":¦1}]}`, capture.ErrType, "/scopes/0/label", ""},
	{"description", "", `{"scopes":[{"id":"a","description":¦1}]}`, capture.ErrType, "/scopes/0/description", ""},
	{"role", "", `{"scopes":[{"id":"a","role":¦1}]}`, capture.ErrType, "/scopes/0/role", ""},
	{"parent", "", `{"scopes":[{"id":"a","parent":¦null}]}`, capture.ErrBadID, "/scopes/0/parent", ""},
	{"state", "", `{"scopes":[{"id":"a","state":¦true}]}`, capture.ErrType, "/scopes/0/state", ""},
	{"volatile", "", `{"scopes":[{"id":"a","volatile":¦"age"}]}`, capture.ErrType, "/scopes/0/volatile", ""},
	{"volatile name", "", `{"scopes":[{"id":"a","volatile":["age",¦2]}]}`, capture.ErrType, "/scopes/0/volatile/1", ""},
	{"unordered", "", `{"scopes":[{"id":"a","unordered":¦1}]}`, capture.ErrType, "/scopes/0/unordered", "a number, want a boolean"},
	{"sensitive", "", `{"scopes":[{"id":"a","sensitive":¦{}}]}`, capture.ErrType, "/scopes/0/sensitive", ""},
	{"ids", "", `{"scopes":[{"id":"a","ids":¦1}]}`, capture.ErrType, "/scopes/0/ids", ""},
	{"total text", "", `{"scopes":[{"id":"a","total":¦"10"}]}`, capture.ErrType, "/scopes/0/total", ""},
	{"total negative", "", `{"scopes":[{"id":"a","total":¦-1}]}`, capture.ErrType, "/scopes/0/total", ""},
	{"total fraction", "", `{"scopes":[{"id":"a","total":¦1.0}]}`, capture.ErrType, "/scopes/0/total", ""},
	{"total too large", "", `{"scopes":[{"id":"a","total":¦9223372036854775808}]}`, capture.ErrType, "/scopes/0/total", ""},
	{"offset exponent", "", `{"scopes":[{"id":"a","offset":¦1e2}]}`, capture.ErrType, "/scopes/0/offset", ""},
	{"offset null", "", `{"scopes":[{"id":"a","offset":¦null}]}`, capture.ErrType, "/scopes/0/offset", ""},
	{"inferred", "", `{"scopes":[{"id":"a","inferred":¦"true"}]}`, capture.ErrType, "/scopes/0/inferred", ""},

	{"records", "", `{"records":¦{}}`, capture.ErrType, "/records", "an object, want an array"},
	{"records null", "", `{"records":¦null}`, capture.ErrType, "/records", ""},
	{"record", "", `{"records":[{"id":1},¦2]}`, capture.ErrType, "/records/1", "a number, want an object"},
	{"id exponent", "no integer literal", `{"records":[{"id":¦1e3}]}`, capture.ErrBadID, "/records/0/id", ""},
	{"id fraction", "no integer literal", `{"records":[{"id":¦1.0}]}`, capture.ErrBadID, "/records/0/id", ""},
	{"id boolean", "", `{"records":[{"fields":{},"id":¦false}]}`, capture.ErrBadID, "/records/0/id", "a boolean"},
	{"record without anything", "", `{"records":[¦{}]}`, capture.ErrBadID, "/records/0/id", "missing"},
	{"missing id first", "the first is named", `{"records":[{"id":1},¦{"scope":"b"},{"scope":"a"}]}`, capture.ErrBadID, "/records/1/id", ""},
	{"missing id in a declared scope", "it is not inferred", `{"scopes":[{"id":"a"}],"records":[¦{"scope":"a"}]}`, capture.ErrBadID, "/records/0/id", ""},
	{"missing id beside an inferred scope", "", `{"records":[{"scope":"a"},¦{"scope":"b"}],"scopes":[{"id":"a","inferred":true}]}`, capture.ErrBadID, "/records/1/id", ""},
	{"second declaration infers", "the first stands", `{"scopes":[{"id":"a"},{"id":"a","inferred":true}],"records":[¦{"scope":"a"}]}`, capture.ErrBadID, "/records/0/id", ""},
	{"empty id in an inferred scope", "only absence will do", `{"scopes":[{"id":"a","inferred":true}],"records":[{"id":¦"","scope":"a"}]}`, capture.ErrBadID, "/records/0/id", ""},
	{"record scope", "", `{"records":[{"id":1,"scope":¦null}]}`, capture.ErrBadID, "/records/0/scope", ""},
	{"record scope fraction", "", `{"records":[{"id":1,"scope":¦0.5}]}`, capture.ErrBadID, "/records/0/scope", ""},
	{"replaces", "", `{"records":[{"id":1,"replaces":¦null}]}`, capture.ErrBadID, "/records/0/replaces", ""},
	{"replaces nothing", "", `{"records":[{"id":1,"replaces":¦""}]}`, capture.ErrBadID, "/records/0/replaces", ""},
	{"fields", "", `{"records":[{"id":1,"fields":¦[]}]}`, capture.ErrType, "/records/0/fields", "an array, want an object"},
	{"fields before id", "", `{"records":[{"fields":¦7,"id":1}]}`, capture.ErrType, "/records/0/fields", ""},
	{"fields null", "", `{"records":[{"id":1,"fields":¦null}]}`, capture.ErrType, "/records/0/fields", ""},
	{"broken before id", "", `{"records":[{"fields":{"a":[1,¦]},"id":1}]}`, records.ErrSyntax, "/records/0/fields/a", ""},
	{"control character", "", "{\"records\":[{\"id\":1,\"fields\":{\"a/b~\":\"x¦\ty\"}}]}", records.ErrSyntax, "/records/0/fields/a~1b~0", "0x09"},

	{"actions", "", `{"actions":¦"x"}`, capture.ErrType, "/actions", ""},
	{"action", "", `{"actions":[¦null]}`, capture.ErrType, "/actions/0", ""},
	{"action without id", "", `{"actions":[¦{"description":"x"}]}`, capture.ErrBadID, "/actions/0/id", "missing"},
	{"action with empty id", "", `{"actions":[{"id":¦""}]}`, capture.ErrBadID, "/actions/0/id", ""},
	{"action description", "", `{"actions":[{"id":"a","description":¦null}]}`, capture.ErrType, "/actions/0/description", ""},
	{"kind", "", `{"actions":[{"id":"a","kind":¦1}]}`, capture.ErrType, "/actions/0/kind", ""},
	{"primitive", "", `{"actions":[{"id":"a","primitive":¦{}}]}`, capture.ErrType, "/actions/0/primitive", ""},
	{"available", "", `{"actions":[{"id":"a","available":¦0}]}`, capture.ErrType, "/actions/0/available", "a number, want a boolean or a string"},
	{"available null", "", `{"actions":[{"id":"a","available":¦null}]}`, capture.ErrType, "/actions/0/available", ""},
	{"broken boolean", "", `{"actions":[{"id":"a","available":¦troo}]}`, records.ErrSyntax, "/actions/0/available", ""},
	{"action scope", "", `{"actions":[{"id":"a","scope":¦[]}]}`, capture.ErrBadID, "/actions/0/scope", ""},
	{"action record", "", `{"actions":[{"id":"a","record":¦""}]}`, capture.ErrBadID, "/actions/0/record", ""},
	{"group", "", `{"actions":[{"id":"a","group":¦1}]}`, capture.ErrType, "/actions/0/group", ""},
	{"name", "", `{"actions":[{"id":"a","name":¦1}]}`, capture.ErrType, "/actions/0/name", ""},
	{"untracked", "", `{"records":[],"untracked":¦3}`, capture.ErrType, "/untracked", ""},
	{"untracked scope", "", `{"records":[],"untracked":{"a":¦"3"}}`, capture.ErrType, "/untracked/a", ""},

	{"repeated at the top", "", `{"records":[],"records"¦:[]}`, records.ErrRepeated, "/records", ""},
	{"repeated unknown", "", `{"records":[],"x":1,"y":2,"x":¦3}`, records.ErrRepeated, "/x", ""},
	{"repeated through an escape", "", `{"records":[],"\u0072ecords":¦[]}`, records.ErrRepeated, "/records", ""},
	{"repeated in page", "", `{"records":[],"page":{"url":"","url":¦""}}`, records.ErrRepeated, "/page/url", ""},
	{"repeated in view", "", `{"records":[],"view":{"z":1,"z":¦1}}`, records.ErrRepeated, "/view/z", ""},
	{"repeated in a scope", "", `{"scopes":[{"id":"a","id":¦"a"}]}`, records.ErrRepeated, "/scopes/0/id", ""},
	{"repeated id", "", `{"records":[{"id":1,"id":¦1}]}`, records.ErrRepeated, "/records/0/id", ""},
	{"repeated fields", "", `{"records":[{"fields":{},"fields":¦{},"id":1}]}`, records.ErrRepeated, "/records/0/fields", ""},
	{"repeated unknown in a record", "", `{"records":[{"id":1,"x":1,"\u0078":¦1}]}`, records.ErrRepeated, "/records/0/x", ""},
	{"repeated field", "", `{"records":[{"id":1,"fields":{"a":1,"b":2,"a":¦3}}]}`, records.ErrRepeated, "/records/0/fields/a", ""},
	{"repeated field before id", "", `{"records":[{"fields":{"a":1,"a":2}¦,"id":1}]}`, records.ErrRepeated, "/records/0/fields/a", ""},
	{"repeated in a value", "", `{"records":[{"id":1,"fields":{"f":[0,{"a":1,"\u0061":2}¦]}}]}`, records.ErrRepeated, "/records/0/fields/f/1/a", ""},
	{"repeated in an action", "", `{"actions":[{"id":"a","kind":"","kind":¦""}]}`, records.ErrRepeated, "/actions/0/kind", ""},
	{"repeated in params", "", `{"actions":[{"id":"a","params":{"a":1,"a":1}¦}]}`, records.ErrRepeated, "/actions/0/params/a", ""},
	{"repeated in what is ignored", "", `{"records":[],"x":{"a":1,"a":1}¦}`, records.ErrRepeated, "/x/a", ""},
	{"repeated broken name", "", "{\"records\":[],\"\xff\":1,\"\xff\":¦1}", records.ErrRepeated, "/\uFFFD", ""},
	{"repeated untracked", "", `{"records":[],"untracked":{"a":1,"a":¦1}}`, records.ErrRepeated, "/untracked/a", ""},

	{"broken in what is ignored", "", `{"records":[],"x":[1,¦}`, records.ErrSyntax, "/x/1", ""},
	{"trailing comma", "", `{"records":[¦,]}`, records.ErrSyntax, "/records/0", ""},
	{"comma at the end", "", `{"records":[{"id":1},¦]}`, records.ErrSyntax, "/records", ""},
	{"no comma", "", `{"records":[{"id":1}¦{"id":2}]}`, records.ErrSyntax, "/records", ""},
	{"cut name", "", `{"rec¦`, records.ErrSyntax, "", "unexpected end of input"},
	{"cut record", "", `{"records":[{"id":1,"fields":{"a":"b¦`, records.ErrSyntax, "/records/0/fields/a", ""},
	{"cut before the end", "", `{"records":[]¦`, records.ErrSyntax, "", ""},
	{"single quotes", "", `{¦'records':[]}`, records.ErrSyntax, "", ""},
	{"byte order mark inside", "", "{\"records\":¦\uFEFF[]}", records.ErrSyntax, "/records", `'\ufeff'`},
	{"no-break space", "", "{\"records\":¦\u00A0[]}", records.ErrSyntax, "/records", `'\u00a0'`},
	{"second document", "", `{"records":[]} ¦[]`, records.ErrSyntax, "", "data after the end"},
	{"escape code after the end", "shown escaped", "{\"records\":[]}¦\x1b[31m", records.ErrSyntax, "", `'\x1b'`},
}

func TestRefusals(t *testing.T) {
	var d capture.Decoder
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			at := strings.Index(c.in, mark)
			in := strings.Replace(c.in, mark, "", 1)
			// Where exactly a repetition is reported is not promised.
			if errors.Is(c.err, records.ErrRepeated) {
				_, err := d.Decode([]byte(in), nil)
				var pos *records.PosError
				if !errors.As(err, &pos) || !errors.Is(err, c.err) || pos.Pointer != c.pointer || pos.Offset == 0 || pos.Offset > len(in) {
					t.Errorf("error %v, want %v at %q", err, c.err, c.pointer)
				}
				return
			}
			checkDecode(t, &d, []byte(in), nil, refused(c.err, c.pointer, at).saying(c.text))
			// The same, from UTF-16.
			if wide, same := utf16le(in); same {
				checkDecode(t, &d, wide, nil, refused(c.err, c.pointer, 2+2*len([]rune(in[:at]))).saying(c.text))
			}
		})
	}
}

// utf16le returns s in little-endian UTF-16 with a byte order mark, and whether
// s is well-formed text without characters of two units.
func utf16le(s string) (out []byte, ok bool) {
	out = []byte("\xFF\xFE")
	for _, r := range s {
		if r > 0xFFFF || r == 0xFFFD {
			return nil, false
		}
		out = append(out, byte(r), byte(r>>8))
	}
	return out, true
}

// dump writes a snapshot for comparison, one thing a line.
func dump(snap *snapshot.Snapshot) string {
	var b strings.Builder
	if snap.Page() != (snapshot.Page{}) {
		fmt.Fprintf(&b, "page %q %q\n", snap.Page().URL, snap.Page().Title)
	}
	if v := snap.View(); !v.IsZero() {
		fmt.Fprintf(&b, "view %q %v %d\n", v.Scopes, v.Scopes == nil, v.Limit)
	}
	for _, sc := range snap.Scopes() {
		if !sc.Declared {
			continue
		}
		fmt.Fprintf(&b, "scope %q", sc.ID)
		for _, text := range []string{sc.Label, sc.Description, sc.Role, sc.Parent, string(sc.State), sc.IDs} {
			fmt.Fprintf(&b, " %q", text)
		}
		fmt.Fprintf(&b, " %q %q %v %v", sc.Volatile, sc.Sensitive, sc.Unordered, sc.Inferred)
		for _, n := range []*int64{sc.Total, sc.Offset} {
			if n != nil {
				fmt.Fprintf(&b, " %d", *n)
			} else {
				b.WriteString(" -")
			}
		}
		b.WriteString("\n")
	}
	for _, r := range snap.All() {
		fmt.Fprintf(&b, "record %q %q", r.Scope(), r.ID())
		if r.Replaces() != "" {
			fmt.Fprintf(&b, " replaces %q", r.Replaces())
		}
		for name, v := range r.Fields() {
			fmt.Fprintf(&b, " %q:%v", name, v)
		}
		b.WriteString("\n")
	}
	for i := range snap.Actions() {
		a := snap.Action(i)
		fmt.Fprintf(&b, "action %q %q %q %q %v %q %v %q %q %q %q\n", a.ID, a.Description, a.Kind, a.Primitive,
			!a.Unavailable, a.Reason, a.Params, a.Scope, a.Record, a.Group, a.Name)
	}
	for _, sc := range snap.Scopes() {
		if sc.Untracked > 0 {
			fmt.Fprintf(&b, "untracked %q %d\n", sc.ID, sc.Untracked)
		}
	}
	return b.String()
}

// accepted are inputs with what is read from them.
var accepted = []struct {
	name, why, in, want string
	diagnostics         []string
}{
	{"format alone", "an app that exposes nothing now", `{"format":"pagestate/1"}`, "", nil},
	{"minor version", "", `{"format":"pagestate/1.7"}`, "", nil},
	{"scopes alone", "", ` { "scopes" : [ ] } `, "", nil},
	{"page and view", "", `{"view":{"scopes":["a",7],"limit":500},"page":{"title":"T","url":"u"},"records":[]}`,
		"page \"u\" \"T\"\nview [\"a\" \"7\"] false 500\n", nil},
	{"view of nothing", "no scope is not all scopes", `{"view":{"scopes":[]},"records":[]}`, "view [] false 0\n", nil},
	{"whole scope", "", `{"scopes":[{"id":"s","label":"l","description":"d","role":"r","parent":"p","state":"covered","volatile":["v"],"unordered":true,"sensitive":["x"],"ids":"i","total":1000,"offset":40,"inferred":true}]}`,
		`scope "s" "l" "d" "r" "p" "covered" "i" ["v"] ["x"] true true 1000 40` + "\n", nil},
	{"default scope declared", "", `{"scopes":[{"id":""}],"records":[{"id":"a","scope":""}]}`,
		`scope "" "" "" "" "" "" "" [] [] false false - -` + "\nrecord \"\" \"a\"\n", nil},
	{"zero totals", "a zero is said", `{"scopes":[{"id":1,"total":0,"offset":-0}]}`, `scope "1" "" "" "" "" "" "" [] [] false false 0 0` + "\n", nil},
	{"scope twice", "the first stands", `{"scopes":[{"id":"s","label":"1"},{"id":"s","label":"2"}]}`,
		`scope "s" "1" "" "" "" "" "" [] [] false false - -` + "\n", []string{"duplicate-scope s"}},
	{"other state", "kept, but named", `{"scopes":[{"id":"s","state":"gone"}]}`,
		`scope "s" "" "" "" "" "gone" "" [] [] false false - -` + "\n", []string{"bad-state s"}},

	{"record alone", "defaults", `{"records":[{"id":"a"}]}`, "record \"\" \"a\"\n", nil},
	{"any order", "", `{"records":[{"fields":{"x":1,"y":[2]},"scope":"s","id":"a"},{"id":"b","fields":{"x":3},"scope":"t"},{"scope":"s","id":"c","fields":{}}]}`,
		"record \"s\" \"a\" \"x\":1 \"y\":[2]\nrecord \"t\" \"b\" \"x\":3\nrecord \"s\" \"c\"\n", nil},
	{"ids", "an integer is its text", `{"records":[{"id":1},{"id":-0},{"id":"01"},{"id":123456789012345678901234567890},{"id":"\u0000"}]}`,
		"record \"\" \"1\"\nrecord \"\" \"0\"\nrecord \"\" \"01\"\nrecord \"\" \"123456789012345678901234567890\"\nrecord \"\" \"\\x00\"\n", nil},
	{"one key twice", "1 and \"1\" are one id", `{"records":[{"id":1,"scope":2},{"id":"1","scope":"2"}]}`,
		"record \"2\" \"1\"\nrecord \"2\" \"1\"\n", []string{"duplicate-id 2/1"}},
	{"replaces", "", `{"records":[{"replaces":-5,"id":501,"fields":{"a":null}}]}`, "record \"\" \"501\" replaces \"-5\" \"a\":null\n", nil},
	{"inferred rows", "declared after its records", `{"records":[{"scope":"s","fields":{"a":1}},{"id":"x","scope":"s"}],"scopes":[{"id":"s","inferred":true}]}`,
		`scope "s" "" "" "" "" "" "" [] [] false true - -` + "\nrecord \"s\" \"\" \"a\":1\nrecord \"s\" \"x\"\n", nil},
	{"values", "every kind, as spelled", `{"records":[{"id":1,"fields":{"a":null,"b":true,"c":1.50e+1,"d":"\u00e9\/","e":[],"f":{"z":1,"a":{}},"":""}}]}`,
		`record "" "1" "a":null "b":true "c":1.50e+1 "d":"é/" "e":[] "f":{"a":{},"z":1} "":""` + "\n", nil},
	{"names in another case", "", `{"RECORDS":[1],"records":[{"ID":[],"id":"a","Fields":0}]}`, "record \"\" \"a\"\n", nil},
	{"escaped member names", "", `{"\u0072ecords":[{"\u0069d":"a"}]}`, "record \"\" \"a\"\n", nil},
	{"unknown members", "ignored", `{"records":[{"id":"a","$schema":{"id":1}}],"x":[{}],"":1}`, "record \"\" \"a\"\n", nil},
	{"masked", "what a file says of a masked value", `{"scopes":[{"id":"s","sensitive":["pin"]}],"records":[{"id":1,"scope":"s","fields":{"pin":"1234","x":"[masked]"}},{"id":2,"scope":"s","fields":{"pin":""}}]}`,
		`scope "s" "" "" "" "" "" "" [] ["pin"] false false - -` + "\nrecord \"s\" \"1\" \"pin\":\"[masked]\" \"x\":\"[masked]\"\nrecord \"s\" \"2\" \"pin\":\"\"\n", nil},

	{"whole action", "", `{"actions":[{"id":"toggle@s/t1","description":"d","kind":"write","primitive":"click","available":"locked","params":{"type":"object"},"scope":"s","record":"t1","group":"g"}]}`,
		`action "toggle@s/t1" "d" "write" "click" false "locked" {"type":"object"} "s" "t1" "g" "toggle"` + "\n", nil},
	{"action defaults", "", `{"actions":[{"id":7,"description":"d"},{"id":"b","description":"d","available":false},{"id":"c","description":"d","available":""}]}`,
		"action \"7\" \"d\" \"\" \"\" true \"\" absent \"\" \"\" \"\" \"7\"\naction \"b\" \"d\" \"\" \"\" false \"\" absent \"\" \"\" \"\" \"b\"\naction \"c\" \"d\" \"\" \"\" false \"\" absent \"\" \"\" \"\" \"c\"\n", nil},
	{"action name", "not to be told from the id", `{"actions":[{"id":"shop/refresh","description":"d","group":"shop","name":"refresh"}]}`,
		`action "shop/refresh" "d" "" "" true "" absent "" "" "shop" "refresh"` + "\n", nil},
	{"no description", "", `{"actions":[{"id":"a"}]}`, `action "a" "" "" "" true "" absent "" "" "" "a"` + "\n", []string{"no-description a"}},
	{"bad schema", "hides no neighbour", `{"actions":[{"id":"a","description":"d","params":[1]},{"id":"b","description":"d","params":{}}]}`,
		"action \"a\" \"d\" \"\" \"\" true \"\" [1] \"\" \"\" \"\" \"a\"\naction \"b\" \"d\" \"\" \"\" true \"\" {} \"\" \"\" \"\" \"b\"\n", []string{"bad-params a"}},
	{"same origin", "both are kept", `{"actions":[{"id":"a","description":"d"},{"id":"a","description":"e"}]}`,
		"action \"a\" \"d\" \"\" \"\" true \"\" absent \"\" \"\" \"\" \"a\"\naction \"a#2\" \"e\" \"\" \"\" true \"\" absent \"\" \"\" \"\" \"a\"\n", []string{"duplicate-id a"}},
	{"untracked", "", `{"records":[{"id":"a","scope":"s"}],"untracked":{"s":5,"":2,"z":0}}`,
		"record \"s\" \"a\"\nuntracked \"s\" 5\nuntracked \"\" 2\n", nil},

	{"repaired field", "", `{"records":[{"id":"a","scope":"s","fields":{"x":"\ud800","y":[{"z":"\udfff!"}],"ok":"\ud83d\ude00"}}]}`,
		"record \"s\" \"a\" \"x\":\"\uFFFD\" \"y\":[{\"z\":\"\uFFFD!\"}] \"ok\":\"😀\"\n", []string{"repaired-text s/a/x", "repaired-text s/a/y"}},
	{"repaired name", "", `{"records":[{"id":"a","fields":{"x\ud800":1}}]}`, "record \"\" \"a\" \"x\\xf5\\x80\\x80\":1\n", []string{"repaired-text a/x\xf5\x80\x80"}},
	{"repaired id", "", "{\"records\":[{\"id\":\"\xff\",\"scope\":\"s\"}]}", "record \"s\" \"\\xff\"\n", []string{"repaired-text s/\xff"}},
	{"repaired scope", "of a record, after its fields", `{"records":[{"id":"a","fields":{"x":1},"scope":"\udc00"}]}`, "record \"\\xf5\\x90\\x80\" \"a\" \"x\":1\n", []string{"repaired-text \xf5\x90\x80/a"}},
	{"repaired untracked", "the name of a scope that is told of nowhere else", "{\"records\":[],\"untracked\":{\"a\":1,\"\x94a\":2}}", "untracked \"a\" 1\nuntracked \"\\x94a\" 2\n", []string{"repaired-text \x94a"}},
	{"repaired replaces", "", `{"records":[{"id":"a","replaces":"\udc00"}]}`, "record \"\" \"a\" replaces \"\\xf5\\x90\\x80\"\n", []string{"repaired-text a"}},
	{"repaired before id", "named by the id that follows", `{"records":[{"fields":{"x":"\ud800"},"id":"a"}]}`, "record \"\" \"a\" \"x\":\"\uFFFD\"\n", []string{"repaired-text a/x"}},
	{"repaired declaration", "", `{"scopes":[{"id":"s","label":"\ud800"}]}`, `scope "s" "\xf5\x80\x80" "" "" "" "" "" [] [] false false - -` + "\n", []string{"repaired-text s"}},
	{"repaired page and view", "", `{"page":{"url":"\ud800"},"view":{"scopes":["\ud800"]},"records":[]}`,
		"page \"\\xf5\\x80\\x80\" \"\"\nview [\"\\xf5\\x80\\x80\"] false 0\n", []string{"repaired-text /page", "repaired-text /view"}},
	{"repaired action", "params and reason count", `{"actions":[{"id":"a","description":"d","params":{"x":"\ud800"}},{"id":"b","description":"d","available":"\ud800"},{"id":"c","description":"d"}]}`,
		"action \"a\" \"d\" \"\" \"\" true \"\" {\"x\":\"\uFFFD\"} \"\" \"\" \"\" \"a\"\naction \"b\" \"d\" \"\" \"\" false \"\\xf5\\x80\\x80\" absent \"\" \"\" \"\" \"b\"\naction \"c\" \"d\" \"\" \"\" true \"\" absent \"\" \"\" \"\" \"c\"\n",
		[]string{"repaired-text a", "repaired-text b"}},
	{"repaired in what is ignored", "nothing was shown", `{"records":[{"id":"a","x\ud800":"\ud800"}],"y":"\ud800"}`, "record \"\" \"a\"\n", nil},
	{"alike after repair", "two fields, two scopes, two members", "{\"scopes\":[{\"id\":\"\xff\"},{\"id\":\"\xfe\"}],\"records\":[{\"id\":\"a\",\"scope\":\"\xfe\",\"fields\":{\"\xff\":1,\"\xfe\":{\"\xfd\":1,\"\xfc\":2}}}]}",
		"scope \"\\xff\" \"\" \"\" \"\" \"\" \"\" \"\" [] [] false false - -\nscope \"\\xfe\" \"\" \"\" \"\" \"\" \"\" \"\" [] [] false false - -\nrecord \"\\xfe\" \"a\" \"\\xff\":1 \"\\xfe\":{\"\uFFFD\":2,\"\uFFFD#2\":1}\n",
		[]string{"repaired-text \xff", "repaired-text \xfe", "repaired-text \xfe/a", "repaired-text \xfe/a/\xff", "repaired-text \xfe/a/\xfe"}},
}

func TestAccepted(t *testing.T) {
	var d capture.Decoder
	for _, c := range accepted {
		t.Run(c.name, func(t *testing.T) {
			snap := checkDecode(t, &d, []byte(c.in), nil, ok(c.diagnostics...))
			if got := dump(snap); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if d.Rows() {
				t.Error("taken for rows")
			}
			if repaired(snap) {
				return
			}
			again, err := capture.Decode(capture.Append(nil, snap), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(again); got != c.want {
				t.Errorf("written and read again\n%swant\n%s", got, c.want)
			}
			if wide, ok := utf16le(c.in); ok {
				if snap, err := d.Decode(wide, nil); err != nil || dump(snap) != c.want {
					t.Errorf("as UTF-16: %v", err)
				}
			}
		})
	}
}
