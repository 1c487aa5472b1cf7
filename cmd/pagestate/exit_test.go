package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExit pins exact exit statuses; names of cases are those of the reports
// they come from. Where the status is 2, one line must say why, and the words of
// want must be in it.
func TestExit(t *testing.T) {
	const (
		c53 = "testdata/C53/"
		in  = "../../internal/input/testdata/"
	)
	capture := func(name string) string {
		data, err := os.ReadFile(c53 + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	a, b := c53+"a.json", c53+"b.json"
	dash := filepath.Join(t.TempDir(), "-")
	if err := os.WriteFile(dash, []byte(capture("a.json")), 0o666); err != nil {
		t.Fatal(err)
	}
	noRows := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(noRows, []byte(" [ ]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(rows, []byte(`[{"id":1,"n":2}]`), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, why string
		stdin     string
		args      []string
		want      int
		words     string // of the error, separated by |
	}{
		{"same", "", "", []string{"diff", a, c53 + "same-as-a.json"}, 0, ""},
		{"differs", "", "", []string{"diff", a, b}, 1, ""},
		{"only action", "availability counts", "", []string{"diff", a, c53 + "only-action.json"}, 1, ""},
		{"only label", "a label counts", "", []string{"diff", a, c53 + "only-label.json"}, 1, ""},
		{"only label basic", "decided at names, though basic does not show it", "", []string{"diff", "--detail", "basic", a, c53 + "only-label.json"}, 1, ""},
		{"missing", "", "", []string{"diff", a, c53 + "missing.json"}, 2, "missing.json: no such file"},
		{"bad", "", "", []string{"diff", a, c53 + "bad.json"}, 2, "bad.json: invalid JSON"},
		{"both bad", "two equal broken files are no comparison", "", []string{"diff", c53 + "bad.json", c53 + "bad.json"}, 2, "bad.json"},
		{"directory", "", "", []string{"diff", a, "."}, 2, ".: is a directory"},
		{"no arguments", "", "", []string{"diff"}, 2, "want BEFORE and AFTER"},
		{"three arguments", "", "", []string{"diff", a, b, a}, 2, "got 3 arguments"},
		{"unknown flag", "", "", []string{"diff", "--nope", a, b}, 2, "unknown flag: --nope"},
		{"unknown short flag", "", "", []string{"diff", "-z", a, b}, 2, "unknown shorthand flag"},
		{"unknown command", "", "", []string{"dif", a, b}, 2, `unknown command "dif"`},
		{"no command", "", "", nil, 2, "no command"},
		{"unknown help", "", "", []string{"help", "dif"}, 2, `unknown command "dif"`},
		{"unknown shell", "", "", []string{"completion", "tcsh"}, 2, "want a shell"},
		{"exit zero differs", "", "", []string{"diff", "--exit-zero", a, b}, 0, ""},
		{"exit zero trouble", "it maps nothing but 1", "", []string{"diff", "--exit-zero", a, c53 + "bad.json"}, 2, "bad.json"},
		{"exit zero usage", "", "", []string{"diff", "--exit-zero", a}, 2, "got 1 argument"},
		{"flags last", "flags may follow arguments", "", []string{"diff", a, b, "--exit-zero"}, 0, ""},
		{"flags between", "", "", []string{"diff", a, "--format", "json", b}, 1, ""},
		{"double dash", "", "", []string{"diff", "--", a, b}, 1, ""},
		{"double dash flag", "what follows is a file", "", []string{"diff", a, b, "--", "--exit-zero"}, 2, "got 3 arguments"},
		{"help", "", "", []string{"--help"}, 0, ""},
		{"diff help", "help wins over what is missing", "", []string{"diff", "--help"}, 0, ""},
		{"version", "", "", []string{"--version"}, 0, ""},
		{"diff version", "", "", []string{"diff", "--version"}, 0, ""},

		{"stdin before", "", capture("a.json"), []string{"diff", "-", b}, 1, ""},
		{"stdin after", "", capture("b.json"), []string{"diff", a, "-"}, 1, ""},
		{"stdin same", "", capture("a.json"), []string{"diff", "-", a}, 0, ""},
		{"stdin twice", "it cannot be both sides", capture("a.json"), []string{"diff", "-", "-"}, 2, "stdin"},
		{"stdin empty", "that is not all removed", "", []string{"diff", "-", b}, 2, "stdin: empty input"},
		{"file named -", "", "", []string{"diff", filepath.Dir(dash) + "/./-", a}, 0, ""},

		{"html", "no such form", "", []string{"diff", "--format", "html", a, b}, 2, "text, json, patch"},
		{"unknown format", "", "", []string{"diff", "--format", "xml", a, b}, 2, "want text, json"},
		{"unknown detail", "", "", []string{"diff", "--detail", "all", a, b}, 2, "want basic, names or values"},
		{"unknown color", "", "", []string{"diff", "--color", "yes", a, b}, 2, "want auto, always or never"},
		{"few bytes", "evidence has a least size", "", []string{"diff", "--max-bytes", "511", a, b}, 2, "at least 512"},
		{"enough bytes", "", "", []string{"diff", "--max-bytes", "512", a, b}, 1, ""},
		{"enough bytes indented", "blanks go where they are too many", "", []string{"diff", "--format", "json", "--pretty", "--max-bytes", "512", a, b}, 1, ""},
		{"bytes with unit", "", "", []string{"diff", "--max-bytes", "1KiB", a, b}, 1, ""},
		{"no bytes", "", "", []string{"diff", "--max-bytes", "0", a, b}, 2, "want a number of bytes"},
		{"overflow", "", "", []string{"diff", "--max-size", "9223372036854775807KiB", a, b}, 2, "want a number of bytes"},
		{"list nothing", "", "", []string{"diff", "--max-listed", "0", a, b}, 2, "at least 1"},
		{"depth", "", "", []string{"diff", "--max-depth", "1000000", a, b}, 2, "from 1 to"},
		{"compact text", "it would change nothing", "", []string{"diff", "--compact", a, b}, 2, "--compact changes nothing with --format text"},
		{"pretty text", "", "", []string{"diff", "--pretty", a, b}, 2, "--pretty changes nothing"},
		{"detail patch", "", "", []string{"diff", "--format", "patch", "--detail", "basic", a, b}, 2, "--detail changes nothing"},
		{"key without rows", "", "", []string{"diff", "--key", "n", a, b}, 2, "--key is for rows"},
		{"infer without page", "", "", []string{"diff", "--infer", a, b}, 2, "--infer is for pages"},
		{"large window", "the flag that helps is named, and how", "", []string{"show", "--max-unpacked", "64MiB", "../../internal/input/testdata/C62/bomb-long-window.zst"}, 2, "window that the zstd archive asks for exceeds the limit of 16 MiB; see --max-unpacked, of which it may be a quarter"},
		{"xz", "", "\xFD7zXZ\x00\x00", []string{"show", "-"}, 2, "stdin: xz archive: only gzip and zstd are unpacked"},
		{"unknown scope", "a name mistyped must not make captures equal", "", []string{"diff", "--scope", "t", a, b}, 2, `no input has a scope "t"`},
		{"known scope", "", "", []string{"diff", "--scope", "s", a, b}, 1, ""},
		{"ignored field", "", "", []string{"diff", "--ignore", "n", a, b}, 0, ""},
		{"ignored fields", "it may be repeated", "", []string{"diff", "--ignore", "x,y", "--ignore", "n", a, b}, 0, ""},

		{"empty array", "rows or nothing", "", []string{"diff", noRows, a}, 2, "--rows"},
		{"empty arrays", "", "", []string{"diff", noRows, noRows}, 2, "--rows"},
		{"empty rows", "", "", []string{"diff", "--rows", noRows, noRows}, 0, ""},
		{"empty against rows", "the other side says what it is", "", []string{"diff", noRows, rows}, 1, ""},
		{"rows against empty", "", "", []string{"diff", rows, noRows}, 1, ""},
		{"empty against bad", "", "", []string{"diff", noRows, c53 + "bad.json"}, 2, "bad.json"},
		{"key", "", "", []string{"diff", "--key", "n", rows, rows}, 0, ""},
		{"no such key", "", "", []string{"diff", "--key", "m", rows, rows}, 2, "rows: bad id"},
		{"rows as page", "", "<p>x</p>", []string{"diff", "--rows", rows, "-"}, 2, "stdin: is a page"},

		{"url", "", "", []string{"show", "file:///no/such/page.html"}, 2, "ERR_FILE_NOT_FOUND"},
		{"url for bench", "it reads files", "", []string{"bench", "https://shop.example/", a}, 2, "https://shop.example/: pages in a browser are no input of this command"},
		{"archive step", "not yet", "", []string{"diff", "session.psa@7", "@-1"}, 2, "session.psa@7: session archives are not supported yet"},
		{"drive", "a drive letter is no scheme", "", []string{"show", `C:\x.json`}, 2, `C:\x.json: no such file`},

		{"show", "", "", []string{"show", a}, 0, ""},
		{"show small", "", "", []string{"show", "--budget", "255", a}, 2, "at least 256"},
		{"show two", "", "", []string{"show", a, b}, 2, "want INPUT, got 2 arguments"},
		{"capture", "", "", []string{"capture", a}, 0, ""},
		{"capture name", "", "", []string{"capture", a, "-o", "x.txt"}, 2, "x.txt: the name of an output ends in"},
		{"lint clean", "", "", []string{"lint", a}, 0, ""},
		{"lint findings", "", `{"actions":[{"id":"x","description":"X","available":false}]}`, []string{"lint", "-"}, 1, ""},
		{"lint bad", "", "{", []string{"lint", "-"}, 2, "stdin: invalid JSON"},
		{"expect holds", "", "", []string{"expect", a, b, "updated=1", "nothing-else"}, 0, ""},
		{"expect fails", "", "", []string{"expect", a, b, "added=1"}, 1, ""},
		{"expect same", "", "", []string{"expect", a, a, "nothing-else"}, 0, ""},
		{"expect malformed", "", "", []string{"expect", a, b, "added"}, 2, `rule "added": want`},
		{"expect malformed second", "even if the first fails", "", []string{"expect", a, b, "added=1", "x=2"}, 2, `rule "x=2"`},
		{"expect no rule", "", "", []string{"expect", a, b}, 2, "want BEFORE, AFTER and a rule"},
		{"expect bad input", "", "", []string{"expect", a, c53 + "bad.json", "nothing-else"}, 2, "bad.json"},
		{"demo", "", "", []string{"demo"}, 0, ""},
		{"demo json", "", "", []string{"demo", "--json"}, 0, ""},
		{"demo arguments", "", "", []string{"demo", "x"}, 2, "takes no argument"},
		{"git diff", "git takes 1 for a failure", "", []string{"git-diff", "x.json", a, "abc", "100644", b, "def", "100644"}, 0, ""},
		{"git diff exit code", "", "", []string{"git-diff", "--exit-code", "x.json", a, "abc", "100644", b, "def", "100644"}, 1, ""},
		{"git diff bad", "", "", []string{"git-diff", "x.json", a, "abc", "100644", c53 + "bad.json", "def", "100644"}, 2, "x.json: invalid JSON"},
		{"git diff arguments", "", "", []string{"git-diff", a, b}, 2, "want the 7 arguments"},

		{"C23 bom", "a byte order mark is no content", "", []string{"diff", in + "C23/plain.json", in + "C23/utf8-bom.json"}, 0, ""},
		{"C23 utf-16", "", "", []string{"diff", in + "C23/plain.json", in + "C23/utf16le-bom.json"}, 0, ""},
		{"C23 utf-16 big", "", "", []string{"diff", in + "C23/plain.json", in + "C23/utf16be-bom.json"}, 0, ""},
		{"C23 no bom", "", "", []string{"diff", in + "C23/plain.json", in + "C23/utf16le-nobom.json"}, 2, "UTF-16"},
		{"C23 bom only", "", "", []string{"diff", in + "C23/plain.json", in + "C23/bom-only.json"}, 2, "bom-only.json: empty input"},
		{"C23 bom twice", "", "", []string{"diff", in + "C23/plain.json", in + "C23/bom-twice.json"}, 2, "byte order mark"},

		{"C61 zst", "", "", []string{"diff", in + "C61/ok.json", in + "C61/ok.json.zst"}, 0, ""},
		{"C61 gz", "", "", []string{"diff", in + "C61/ok.json", in + "C61/ok.json.gz"}, 0, ""},
		{"C61 frames", "", "", []string{"diff", in + "C61/ok.json", in + "C61/two-frames.zst"}, 0, ""},
		{"C61 skippable", "", "", []string{"diff", in + "C61/ok.json", in + "C61/skippable-frame.zst"}, 0, ""},

		{"C62 limit", "", "", []string{"diff", in + "C61/ok.json", in + "C62/bomb-512m.zst"}, 2, "bomb-512m.zst: |exceeds the limit|--max-unpacked"},
		{"C62 gzip", "", "", []string{"diff", in + "C61/ok.json", in + "C62/gz-bomb.json.gz"}, 2, "exceeds the limit"},
		{"C62 lower", "the limit is the user's", "", []string{"diff", "--max-unpacked", "1KiB", in + "C61/ok.json", in + "C61/ok.json.zst"}, 2, "exceeds the limit of 1024 bytes"},
		{"size", "", "", []string{"diff", "--max-size", "100", a, b}, 2, "exceeds the limit|--max-size"},
		{"deep patch", "a capture of rows is deeper than the rows", `[{"id":1,"n":` + strings.Repeat("[", 997) + strings.Repeat("]", 997) + `}]`,
			[]string{"diff", "--format", "patch", rows, "-"}, 1, ""},
		{"shallow", "", `{"records":[{"id":"a","fields":{"v":[[[]]]}}]}`, []string{"show", "--max-depth", "5", "-"}, 2, "stdin: nested too deeply|--max-depth"},
	}
	for _, name := range []string{"array", "comment", "cut", "empty", "null", "page", "spaces", "string", "trailing-brace",
		"trailing-comma", "trailing-nul", "trailing-words", "two-documents"} {
		tests = append(tests, struct {
			name, why string
			stdin     string
			args      []string
			want      int
			words     string
		}{"C25 " + name, "exactly one document", "", []string{"diff", in + "C25/ok.json", in + "C25/" + name + ".json"}, 2, name + ".json: "})
	}
	for _, name := range []string{"cut-4.zst", "cut-5.zst", "cut-half.zst", "header-only.zst", "magic-only.zst", "empty.zst", "bitflip.zst",
		"bad-checksum.zst", "trailing-garbage.zst", "trailing-zeros.zst", "two-documents.zst", "cut.json.gz", "trailing.json.gz"} {
		tests = append(tests, struct {
			name, why string
			stdin     string
			args      []string
			want      int
			words     string
		}{"C61 " + name, "nothing of a damaged archive is believed", "", []string{"diff", in + "C61/ok.json", in + "C61/" + name}, 2, name + ": "})
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			r := runHere(t, tt.stdin, tt.args...)
			if r.status != tt.want {
				t.Fatalf("%s: exit status %d, want %d\nstdout %s\nstderr %s", tt.why, r.status, tt.want, r.stdout, r.stderr)
			}
			if tt.want != exitTrouble {
				if r.stderr != "" {
					t.Errorf("stderr %q, want none", r.stderr)
				}
				return
			}
			checkTrouble(t, r)
			for word := range strings.SplitSeq(tt.words, "|") {
				if !strings.Contains(r.stderr, word) {
					t.Errorf("stderr %q, want %q in it", r.stderr, word)
				}
			}
		})
	}
}

// TestExitFormats runs the matrix of C53 with every form: none changes the
// status.
func TestExitFormats(t *testing.T) {
	forms := [][]string{nil, {"--format=json"}, {"--format=json", "--detail=basic"}, {"--format=json", "--detail=values", "--compact"},
		{"--format=json", "--pretty"}, {"--format=patch"}, {"--format=markdown"}, {"--format=text", "--detail=basic"},
		{"--format=text", "--detail=values", "--color=always"}, {"--max-listed=1", "--max-bytes=512"}}
	for _, form := range forms {
		for _, tt := range []struct {
			before, after string
			want, zero    int // and with --exit-zero
		}{
			{"a.json", "same-as-a.json", 0, 0},
			{"a.json", "b.json", 1, 0},
			{"b.json", "a.json", 1, 0},
			{"a.json", "only-action.json", 1, 0},
			{"a.json", "only-label.json", 1, 0},
			{"a.json", "missing.json", 2, 2},
			{"a.json", "bad.json", 2, 2},
			{"bad.json", "bad.json", 2, 2},
			{"bad.json", "a.json", 2, 2},
			{"a.json", "", 2, 2},
		} {
			args := append([]string{"diff", "testdata/C53/" + tt.before, "testdata/C53/" + tt.after}, form...)
			if r := runHere(t, "", args...); r.status != tt.want {
				t.Errorf("%v: exit status %d, want %d", args, r.status, tt.want)
			}
			args = append(args, "--exit-zero")
			if r := runHere(t, "", args...); r.status != tt.zero {
				t.Errorf("%v: exit status %d, want %d", args, r.status, tt.zero)
			}
		}
	}
}
