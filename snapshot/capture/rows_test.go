package capture_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot/capture"
)

var (
	asRows   = &capture.Options{Rows: true}
	asLines  = &capture.Options{NDJSON: true}
	keyedSKU = &capture.Options{Key: "sku"}
)

func TestRows(t *testing.T) {
	var d capture.Decoder
	for _, c := range []struct {
		name, why, in string
		opts          *capture.Options
		want          string
	}{
		{"id first", "", `[{"id":1,"a":"x"},{"id":"2","b":null}]`, nil, "record \"\" \"1\" \"a\":\"x\"\nrecord \"\" \"2\" \"b\":null\n"},
		{"id last", "", `[{"a":[1,{"id":9}],"b":2,"id":1}]`, nil, `record "" "1" "a":[1,{"id":9}] "b":2` + "\n"},
		{"default keys", "id, then _id, then key, for each row", `[{"key":"k","_id":"u","id":"i"},{"key":"k","_id":"u"},{"key":"k"},{"_id":"u","id":"i"}]`, nil,
			"record \"\" \"i\" \"key\":\"k\" \"_id\":\"u\"\nrecord \"\" \"u\" \"key\":\"k\"\nrecord \"\" \"k\"\nrecord \"\" \"i\" \"_id\":\"u\"\n"},
		{"named key", "the others are fields", `[{"id":7,"sku":"A"},{"sku":"B","scope":"x","fields":{}}]`, keyedSKU,
			"record \"\" \"A\" \"id\":7\nrecord \"\" \"B\" \"scope\":\"x\" \"fields\":{}\n"},
		{"no rows", "Rows says that they are", ` [] `, asRows, ""},
		{"array with Rows", "", `[{"id":1}]`, asRows, "record \"\" \"1\"\n"},
		{"a byte order mark", "", "\uFEFF[{\"id\":1}]", nil, "record \"\" \"1\"\n"},
		{"lines", "", "{\"id\":1,\"a\":2}\n{\"a\":3,\"id\":2}", asLines, "record \"\" \"1\" \"a\":2\nrecord \"\" \"2\" \"a\":3\n"},
		{"lines with Rows", "", "{\"id\":1}\n{\"id\":2}\n", asRows, "record \"\" \"1\"\nrecord \"\" \"2\"\n"},
		{"blank lines", "are ignored, and CR too", "\r\n \n{\"id\":1}\r\n\n\t\n{\"id\":2} \n\n", asLines, "record \"\" \"1\"\nrecord \"\" \"2\"\n"},
		{"a capture as lines", "a row like any other", `{"id":1,"records":[]}`, asLines, "record \"\" \"1\" \"records\":[]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap, err := d.Decode([]byte(c.in), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(snap); got != c.want || !d.Rows() {
				t.Errorf("rows %v, got\n%swant\n%s", d.Rows(), got, c.want)
			}
			checkRoundTrip(t, snap)
		})
	}
}

func TestRowsRefused(t *testing.T) {
	var d capture.Decoder
	for _, c := range []struct {
		name, why, in string
		opts          *capture.Options
		err           error
		pointer       string
		line          int
		text          string
	}{
		{"bare array", "rows or nothing", `¦[]`, nil, capture.ErrEmptyRows, "", 0, "no capture: an empty array"},
		{"bare array with key", "", `¦[ ]`, keyedSKU, capture.ErrNotCapture, "", 0, ""},
		{"no object", "", `[{"id":1},¦2]`, nil, capture.ErrType, "/1", 0, "a number, want an object"},
		{"no id", "", `[{"id":1},¦{"x":1}]`, nil, capture.ErrBadID, "/1/id", 0, "no member id, _id or key"},
		{"no key", "", `[¦{"id":1}]`, keyedSKU, capture.ErrBadID, "/0/sku", 0, "missing"},
		{"null id", "", `[{"a":1,"id":¦null}]`, nil, capture.ErrBadID, "/0/id", 0, "null"},
		{"null id beside another", "present is present", `[{"_id":"x","id":¦null}]`, nil, capture.ErrBadID, "/0/id", 0, "null"},
		{"empty id", "", `[{"_id":¦""}]`, nil, capture.ErrBadID, "/0/_id", 0, "empty text"},
		{"id twice", "", `[{"id":1,"a":2,"id":¦1}]`, nil, records.ErrRepeated, "/0/id", 0, ""},
		{"_id twice", "", `[{"_id":1,"_id":¦1}]`, nil, records.ErrRepeated, "/0/_id", 0, ""},
		{"field twice", "", `[{"id":1,"a":2,"a":¦1}]`, nil, records.ErrRepeated, "/0/a", 0, ""},
		{"key as field twice", "", `[{"id":1,"key":2,"key":¦1}]`, nil, records.ErrRepeated, "/0/key", 0, ""},
		{"broken before id", "", `[{"a":{"b":¦x},"id":1}]`, nil, records.ErrSyntax, "/0/a/b", 0, ""},
		{"trailing data", "", `[{"id":1}] ¦[]`, nil, records.ErrSyntax, "", 0, "data after the end"},
		{"cut", "", `[{"id":1}¦`, nil, records.ErrSyntax, "", 0, "unexpected end of input"},
		{"no lines", "a cut file is not an empty result", " \n\n¦", asLines, capture.ErrEmpty, "", 0, ""},
		{"second line", "", "{\"id\":1}\n{\"id\":2,\"a\":[1,¦]}\n", asLines, records.ErrSyntax, "/a", 2, "line 2: "},
		{"after blank lines", "they count", "\n \n{\"id\":1}\n\n¦{}\n", asLines, capture.ErrBadID, "/id", 5, "line 5: "},
		{"two on a line", "", "{\"id\":1}¦{\"id\":2}", asLines, records.ErrSyntax, "", 1, "data after the end"},
		{"over two lines", "", "{\"id\":1,¦\n\"a\":2}", asLines, records.ErrSyntax, "", 1, "unexpected end of input"},
		{"array of lines", "the name says NDJSON", `¦[{"id":1}]`, asLines, capture.ErrType, "", 1, "an array, want an object"},
		{"capture with Rows", "", `¦{"records":[]}`, asRows, capture.ErrBadID, "/id", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := strings.Index(c.in, mark)
			in := []byte(strings.Replace(c.in, mark, "", 1))
			w := refused(c.err, c.pointer, at).saying(c.text)
			checkDecode(t, &d, in, c.opts, w)
			_, err := d.Decode(in, c.opts)
			var line *capture.LineError
			if errors.As(err, &line) != (c.line > 0) || line != nil && line.Line != c.line {
				t.Errorf("error %v, want line %d", err, c.line)
			}
		})
	}
}

// TestAfterFailure decodes after every kind of failure: nothing may be left.
func TestAfterFailure(t *testing.T) {
	const good = `{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s","fields":{"x":1}}]}`
	fresh, err := capture.Decode([]byte(good), nil)
	if err != nil {
		t.Fatal(err)
	}
	var d capture.Decoder
	for _, c := range refusals {
		d.Decode([]byte(strings.Replace(c.in, mark, "", 1)), nil)
		snap, err := d.Decode([]byte(good), nil)
		if err != nil || dump(snap) != dump(fresh) || len(snap.Diagnostics()) != 0 {
			t.Fatalf("after %s: %v\n%v", c.name, err, snap)
		}
	}
}

// TestIndependent checks that a snapshot does not change when its decoder or the
// input is used again.
func TestIndependent(t *testing.T) {
	var d capture.Decoder
	in := []byte(`{"records":[{"id":"a","scope":"s","fields":{"x":"text","y":[1]}}],"actions":[{"id":"go","description":"d","params":{"a":1}}]}`)
	snap, err := d.Decode(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := dump(snap)
	clear(in)
	for range 3 {
		if _, err := d.Decode([]byte(`{"records":[{"id":"b","scope":"t","fields":{"x":"other","y":[2]}}],"actions":[{"id":"no","description":"e","params":{"b":1}}]}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := dump(snap); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
