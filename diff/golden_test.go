package diff_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot/capture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenForms are the outputs that a golden file may hold.
var goldenForms = map[string]func(*diff.Changes) []byte{
	"basic.json": func(c *diff.Changes) []byte {
		return append(c.AppendJSON(nil, &diff.Format{Detail: diff.Basic}), '\n')
	},
	"names.json": func(c *diff.Changes) []byte { return append(c.AppendJSON(nil, nil), '\n') },
	"values.json": func(c *diff.Changes) []byte {
		return append(c.AppendJSON(nil, &diff.Format{Detail: diff.Values}), '\n')
	},
	"compact.json": func(c *diff.Changes) []byte { return append(c.AppendJSON(nil, &diff.Format{Compact: true}), '\n') },
	"text":         func(c *diff.Changes) []byte { return c.AppendText(nil, nil) },
	"values.text":  func(c *diff.Changes) []byte { return c.AppendText(nil, &diff.Format{Detail: diff.Values}) },
	"markdown":     func(c *diff.Changes) []byte { return c.AppendMarkdown(nil, nil) },
	"patch.json":   func(c *diff.Changes) []byte { return append(c.AppendPatch(nil), '\n') },
}

// TestGolden compares each form of evidence with the files in docs/golden and
// testdata.
func TestGolden(t *testing.T) {
	for _, pattern := range []string{"../docs/golden/*.txtar", "testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no golden files (%v)", pattern, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) { checkGolden(t, file) })
		}
	}
}

func checkGolden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{}
	for _, f := range archive.Files {
		data[f.Name] = f.Data
	}
	before, err := capture.Decode(data["before.json"], nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := capture.Decode(data["after.json"], nil)
	if err != nil {
		t.Fatal(err)
	}
	var d diff.Differ
	changes := d.Compare(before, after, nil)
	checked := 0
	for i, f := range archive.Files {
		form := goldenForms[f.Name]
		if form == nil {
			continue
		}
		checked++
		got := form(changes)
		if *update {
			archive.Files[i].Data = got
		} else if !bytes.Equal(got, f.Data) {
			t.Errorf("%s\n got %s\nwant %s", f.Name, got, f.Data)
		}
	}
	if checked == 0 {
		t.Fatal("the file holds no output")
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
