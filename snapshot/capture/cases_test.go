package capture_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// ok says that a case's file is accepted with these diagnostics, "code at".
func ok(diagnostics ...string) want { return want{diagnostics: diagnostics} }

// refused says that it is refused with this error at a place.
func refused(err error, pointer string, offset int) want {
	return want{err: err, pointer: pointer, offset: offset}
}

type want struct {
	diagnostics []string
	err         error
	pointer     string
	offset      int
	text        string // part of the error's text
}

func (w want) saying(text string) want { w.text = text; return w }

// caseFiles says for every file below testdata what becomes of it. Patterns are
// those of path.Match; the first that matches counts.
var caseFiles = []struct {
	pattern, why string
	want         want
}{
	{"C05/id-blank.json", "blanks are text like any other", ok()},
	{"C05/ok.json", "", ok()},
	{"C05/id-array.json", "no silent key [object Object]", refused(capture.ErrBadID, "/records/1/id", 176).saying("an array")},
	{"C05/id-bool.json", "", refused(capture.ErrBadID, "/records/1/id", 176).saying("a boolean")},
	{"C05/id-empty.json", "", refused(capture.ErrBadID, "/records/1/id", 176).saying("empty text")},
	{"C05/id-missing.json", "", refused(capture.ErrBadID, "/records/1/id", 165).saying("missing")},
	{"C05/id-null.json", "", refused(capture.ErrBadID, "/records/1/id", 176).saying("null")},
	{"C05/id-object.json", "", refused(capture.ErrBadID, "/records/1/id", 176).saying("an object")},

	{"C07/*", "digits past 2^53 are kept", ok()},
	{"C08/nan.json", "no JSON", refused(records.ErrSyntax, "/records/0/fields/ref", 96)},
	{"C08/infinity.json", "no JSON", refused(records.ErrSyntax, "/records/0/fields/ref", 96)},
	{"C08/leading-zero.json", "no JSON", refused(records.ErrSyntax, "/records/0/fields/ref", 96)},
	{"C08/plus.json", "no JSON", refused(records.ErrSyntax, "/records/0/fields/ref", 96)},
	{"C08/*", "numbers of any spelling and size", ok()},
	{"C11/*", "ID, Scope and Fields are other members than id, scope and fields", ok()},
	{"C12/*", "", ok()},
	{"C15/nul-escaped.json", "U+0000 is text", ok()},
	{"C15/nul-raw.json", "a control character in a string is no JSON", refused(records.ErrSyntax, "/records/0/fields/v", 85).saying("0x00")},
	{"C15/replacement-char.json", "a real U+FFFD is intact text", ok()},
	{"C15/*", "repaired, but not silently", ok("repaired-text s/b1/v")},
	{"C16/*", "long text is kept whole", ok()},

	{"C23/plain.json", "", ok()},
	{"C23/utf8-bom.json", "", ok()},
	{"C23/utf16?e-bom.json", "PowerShell writes it", ok()},
	{"C23/utf16le-nobom.json", "", refused(capture.ErrEncoding, "", 0).saying("UTF-16")},
	{"C23/bom-only.json", "", refused(capture.ErrEmpty, "", 3).saying("byte order mark")},
	{"C23/bom-twice.json", "", refused(capture.ErrEncoding, "", 3).saying("second byte order mark")},

	{"C25/ok.json", "", ok()},
	{"C25/array.json", "no rows, or nothing: only Rows can tell", refused(capture.ErrEmptyRows, "", 0)},
	{"C25/comment.json", "", refused(records.ErrSyntax, "", 0)},
	{"C25/cut.json", "", refused(records.ErrSyntax, "/records/0", 70).saying("unexpected end of input")},
	{"C25/empty.json", "", refused(capture.ErrEmpty, "", 0).saying("empty input")},
	{"C25/null.json", "", refused(capture.ErrNotCapture, "", 0).saying("null")},
	{"C25/page.json", "an error page", refused(records.ErrSyntax, "", 0)},
	{"C25/spaces.json", "", refused(capture.ErrEmpty, "", 5).saying("empty input")},
	{"C25/string.json", "", refused(capture.ErrNotCapture, "", 0).saying("a string")},
	{"C25/trailing-brace.json", "", refused(records.ErrSyntax, "", 161).saying("data after the end")},
	{"C25/trailing-comma.json", "", refused(records.ErrSyntax, "", 161)},
	{"C25/trailing-nul.json", "", refused(records.ErrSyntax, "", 161).saying("data after the end")},
	{"C25/trailing-words.json", "", refused(records.ErrSyntax, "", 162).saying("data after the end")},
	{"C25/two-documents.json", "", refused(records.ErrSyntax, "", 162).saying("data after the end")},

	{"C49/actions.json", "one bad schema hides no neighbour", ok("bad-params null", "bad-params str")},
}

func TestCaseFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/C*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	used := make([]bool, len(caseFiles))
	var d capture.Decoder // one for all: nothing may be left from a failure
	for _, file := range files {
		name := filepath.ToSlash(strings.TrimPrefix(file, "testdata"+string(filepath.Separator)))
		t.Run(name, func(t *testing.T) {
			for i, c := range caseFiles {
				if match, err := filepath.Match(c.pattern, name); err != nil {
					t.Fatal(err)
				} else if match {
					used[i] = true
					checkDecode(t, &d, readFile(t, file), nil, c.want)
					return
				}
			}
			t.Fatal("nothing is said of this file")
		})
	}
	for i, c := range caseFiles {
		if !used[i] {
			t.Errorf("no file is %s", c.pattern)
		}
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkDecode decodes data and compares the outcome. What is accepted must also
// survive being written.
func checkDecode(t *testing.T, d *capture.Decoder, data []byte, opts *capture.Options, w want) *snapshot.Snapshot {
	t.Helper()
	snap, err := d.Decode(data, opts)
	if w.err == nil {
		if err != nil {
			t.Fatalf("error %v", err)
		}
		var got []string
		for _, d := range snap.Diagnostics() {
			got = append(got, d.Code+" "+d.At)
		}
		if strings.Join(got, "\n") != strings.Join(w.diagnostics, "\n") {
			t.Errorf("diagnostics %q, want %q", got, w.diagnostics)
		}
		checkRoundTrip(t, snap)
		return snap
	}
	if snap != nil || !errors.Is(err, w.err) {
		t.Fatalf("error %v, want %v", err, w.err)
	}
	var pos *records.PosError
	if !errors.As(err, &pos) || pos.Pointer != w.pointer || pos.Offset != w.offset {
		t.Errorf("error %v, want it at %q, offset %d", err, w.pointer, w.offset)
	}
	if !strings.Contains(err.Error(), w.text) {
		t.Errorf("error %q, want it to say %q", err, w.text)
	}
	return nil
}

// checkRoundTrip writes snap, reads that and compares.
func checkRoundTrip(t testing.TB, snap *snapshot.Snapshot) {
	t.Helper()
	for _, text := range [][]byte{capture.Append(nil, snap), capture.AppendPretty(nil, snap)} {
		again, err := capture.Decode(text, nil)
		if err != nil {
			t.Fatalf("written capture is refused: %v\n%.2000s", err, text)
		}
		if again.Digest() != snap.Digest() && !repaired(snap) {
			t.Errorf("written capture has another digest\n%.2000s", text)
		}
		if twice := capture.Append(nil, again); string(twice) != string(capture.Append(nil, snap)) && !repaired(snap) {
			t.Errorf("capture changed when written twice\n%.2000s\n%.2000s", text, twice)
		}
	}
}

func repaired(snap *snapshot.Snapshot) bool {
	for _, d := range snap.Diagnostics() {
		if d.Code == snapshot.CodeRepairedText {
			return true
		}
	}
	return false
}
