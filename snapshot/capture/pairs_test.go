package capture_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func decodeFile(t testing.TB, name string) *snapshot.Snapshot {
	t.Helper()
	snap, err := capture.Decode(readFile(t, filepath.Join("testdata", filepath.FromSlash(name))), nil)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestPairs compares files of the reports by digest and, where one field is what
// they are about, by its value.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		a, b, why string
		field     string // of the only record, or ""
		same      bool
	}{
		{"C07/before-1.json", "C07/after-1.json", "2^53+1 and 2^53", "ref", false},
		{"C07/before-2.json", "C07/after-2.json", "20 digits", "ref", false},
		{"C07/before-3.json", "C07/after-3.json", "the end of int64", "ref", false},
		{"C07/before-4.json", "C07/after-4.json", "0.1 and its binary expansion", "ref", false},
		{"C08/same-1-before.json", "C08/same-1-after.json", "", "ref", true},
		{"C08/same-2-before.json", "C08/same-2-after.json", "", "ref", true},
		{"C08/same-3-before.json", "C08/same-3-after.json", "", "ref", true},
		{"C08/same-4-before.json", "C08/same-4-after.json", "", "ref", true},
		{"C08/same-5-before.json", "C08/same-5-after.json", "", "ref", true},
		{"C08/same-6-before.json", "C08/same-6-after.json", "", "ref", true},
		{"C08/same-7-before.json", "C08/same-7-after.json", "", "ref", true},
		{"C08/diff-1-before.json", "C08/diff-1-after.json", "", "ref", false},
		{"C08/diff-2-before.json", "C08/diff-2-after.json", "", "ref", false},
		{"C08/diff-3-before.json", "C08/diff-3-after.json", "", "ref", false},
		{"C08/diff-4-before.json", "C08/diff-4-after.json", "", "ref", false},
		{"C11/before.json", "C11/after.json", "Status is not status", "Status", false},
		{"C11/before.json", "C11/after.json", "Status is not status", "status", true},
		{"C12/pretty.json", "C12/minified.json", "one state in other bytes", "", true},
		{"C15/lone-high-a.json", "C15/lone-high-b.json", "both show as U+FFFD", "v", false},
		{"C15/lone-high-a.json", "C15/replacement-char.json", "both show as U+FFFD", "v", false},
		{"C15/raw-ff.json", "C15/raw-fe.json", "both show as U+FFFD", "v", false},
		{"C15/lone-high-a.json", "C15/reversed-pair.json", "", "v", false},
		{"C15/cesu8.json", "C15/reversed-pair.json", "a surrogate as bytes is not one as an escape", "v", false},
		{"C15/overlong.json", "C15/nul-escaped.json", "", "v", false},
		{"C16/tail-before.json", "C16/tail-after.json", "the last of 10,001 characters", "body", false},
		{"C23/plain.json", "C23/utf8-bom.json", "", "", true},
		{"C23/plain.json", "C23/utf16le-bom.json", "", "", true},
		{"C23/plain.json", "C23/utf16be-bom.json", "", "", true},
	} {
		a, b := decodeFile(t, c.a), decodeFile(t, c.b)
		if c.field == "" {
			if same := a.Digest() == b.Digest(); same != c.same {
				t.Errorf("%s and %s (%s): one digest is %v", c.a, c.b, c.why, same)
			}
			continue
		}
		va, vb := a.Record(0).Field(c.field), b.Record(0).Field(c.field)
		if va.Kind() == records.Absent || records.Equal(va, vb) != c.same {
			t.Errorf("%s and %s (%s): %s is %v and %v", c.a, c.b, c.why, c.field, va, vb)
		}
		if (a.Digest() == b.Digest()) != (c.same && c.field == "ref") {
			t.Errorf("%s and %s (%s): digests do not follow", c.a, c.b, c.why)
		}
	}
}

// TestDigits checks that digits are echoed as they were typed (report C07).
func TestDigits(t *testing.T) {
	for file, want := range map[string]string{
		"C07/before-1.json":         "9007199254740993",
		"C07/before-2.json":         "14629384756102938475",
		"C08/hostile-exponent.json": "1e1000000000",
		"C15/nul-escaped.json":      `a\u0000b`,
		"C15/replacement-char.json": "\uFFFD",
		"C08/many-exponents.json":   "1e999999",
		"C05/ok.json":               `"name":"Tove"`,
		"C12/minified.json":         "café/☕ 😀",
		"C23/utf16le-bom.json":      `"scope":`,
		"C25/ok.json":               `"fields":{"n":2}`,
		"C11/before.json":           `"fields":{"Status":"on","status":"idle"}`,
		"C49/actions.json":          `"params":null`,
		"C16/tail-before.json":      `"id":"d1"`,
		"C15/lone-high-a.json":      "\uFFFD",
		"C15/reversed-pair.json":    "\uFFFD\uFFFD",
		"C15/cesu8.json":            strings.Repeat("\uFFFD", 6),
		"C15/overlong.json":         strings.Repeat("\uFFFD", 2),
	} {
		if out := string(capture.Append(nil, decodeFile(t, file))); !strings.Contains(out, want) {
			t.Errorf("%s was written as %.300s, want %q in it", file, out, want)
		}
	}
}
