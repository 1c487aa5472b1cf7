package view

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// An archive is a golden file: why it is there, a capture, and for each wanted
// output a part named "text BUDGET" or "json BUDGET".
type archive struct {
	why   string
	parts []section
}

type section struct{ name, data string }

func parseArchive(data string) (a archive) {
	for line := range strings.Lines(data) {
		name, ok := strings.CutPrefix(line, "-- ")
		name, end := strings.CutSuffix(name, " --\n")
		switch {
		case ok && end:
			a.parts = append(a.parts, section{name: name})
		case len(a.parts) == 0:
			a.why += line
		default:
			a.parts[len(a.parts)-1].data += line
		}
	}
	return a
}

func (a *archive) format() []byte {
	out := []byte(a.why)
	for _, p := range a.parts {
		out = fmt.Appendf(out, "-- %s --\n%s", p.name, p.data)
	}
	return out
}

func goldenFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files: ", err)
	}
	return files
}

func readArchive(t testing.TB, file string) (archive, *snapshot.Snapshot) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := parseArchive(string(data))
	if len(a.parts) < 2 || a.parts[0].name != "capture.json" {
		t.Fatalf("%s has no capture.json or no output", file)
	}
	snap, err := capture.Decode([]byte(a.parts[0].data), nil)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return a, snap
}

func TestGolden(t *testing.T) {
	for _, file := range goldenFiles(t) {
		t.Run("file="+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, snap := readArchive(t, file)
			for i := range a.parts[1:] {
				p := &a.parts[i+1]
				var form string
				var budget int
				if _, err := fmt.Sscanf(p.name, "%s %d", &form, &budget); err != nil {
					t.Fatal(err)
				}
				var got []byte
				switch opts := (&Options{Budget: budget}); form {
				case "text":
					got = AppendText(nil, snap, opts)
					checkTextForm(t, snap, got, opts.budget())
				case "json":
					got = AppendJSON(nil, snap, opts)
					checkJSONForm(t, snap, got, opts.budget())
					got = append(got, '\n')
				default:
					t.Fatalf("unknown form %q", form)
				}
				if !bytes.Equal(got, []byte(p.data)) && !*update {
					t.Errorf("%s%s: got\n%swant\n%s", a.why, p.name, got, p.data)
				}
				p.data = string(got)
			}
			if *update {
				if err := os.WriteFile(file, a.format(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
