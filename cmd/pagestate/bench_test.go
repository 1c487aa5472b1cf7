package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchExit pins exact exit statuses of bench and why there is trouble.
func TestBenchExit(t *testing.T) {
	const a, b, bad = "testdata/C53/a.json", "testdata/C53/b.json", "testdata/C53/bad.json"
	dir := t.TempDir()
	base := filepath.Join(dir, "base.json")
	if r := runHere(t, "", "bench", "--samples", "0", "--save", base, a, b); r.status != exitOK {
		t.Fatalf("saving: %+v", r)
	}
	one := filepath.Join(dir, "one")
	if err := os.MkdirAll(one, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"x.json": `{"records":[]}`, ".hidden": "x"} {
		if err := os.WriteFile(filepath.Join(one, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, why string
		args      []string
		want      int
		words     string // of the error, separated by |
	}{
		{"same", "", []string{a, b, "--samples=0", "--against", base}, exitOK, ""},
		{"times", "", []string{a, b, "--samples=6"}, exitOK, ""},
		{"three", "each with the next", []string{a, b, a, "--samples=0"}, exitOK, ""},
		{"one input", "", []string{a}, exitTrouble, "two inputs at least"},
		{"directory of one", "hidden files are no inputs", []string{one}, exitTrouble, "two inputs at least"},
		{"bad input", "", []string{a, bad}, exitTrouble, "bad.json: invalid JSON"},
		{"missing input", "", []string{a, "nope.json"}, exitTrouble, "nope.json: no such file"},
		{"no baseline", "", []string{a, b, "--against", "nope.json"}, exitTrouble, "nope.json: no such file"},
		{"capture as baseline", "", []string{a, b, "--against", a}, exitTrouble, "a.json: no report of the bench"},
		{"other cases", "a comparison of nothing must not pass", []string{b, a, "--samples=0", "--against", base}, exitTrouble, "has none of these cases"},
		{"few samples", "", []string{a, b, "--samples=5"}, exitTrouble, "0 or at least 6"},
		{"size", "", []string{"--sizes=0"}, exitTrouble, "--sizes: 0 records"},
		{"large size", "", []string{"--sizes=1000001"}, exitTrouble, "1,000,000"},
		{"sizes of inputs", "they have their own", []string{a, b, "--sizes=10"}, exitTrouble, "built-in"},
		{"rows built in", "it would change nothing", []string{"--rows"}, exitTrouble, "--rows changes nothing"},
		{"only none", "", []string{"--only=nope"}, exitTrouble, `--only "nope" matches none`},
		{"only malformed", "", []string{"--only=("}, exitTrouble, "--only: |missing"},
		{"threshold", "", []string{a, b, "--against", base, "--threshold=0"}, exitTrouble, "want a part"},
		{"threshold alone", "", []string{a, b, "--threshold=5%"}, exitTrouble, "for --against"},
		{"threshold exact", "", []string{a, b, "--against", base, "--exact", "--threshold=5%"}, exitTrouble, "changes nothing"},
		{"plot name", "", []string{a, b, "--plot=x.png"}, exitTrouble, "ends in .svg"},
		{"plot without times", "", []string{a, b, "--plot=x.svg", "--samples=0"}, exitTrouble, "needs times"},
		{"save name", "", []string{a, b, "--samples=0", "--save=x.txt"}, exitTrouble, "x.txt: the name of an output ends in"},
		{"format", "", []string{"--format=html"}, exitTrouble, "want text, json or markdown"},
	} {
		t.Run("name="+tt.name, func(t *testing.T) {
			r := runHere(t, "", append([]string{"bench"}, tt.args...)...)
			if r.status != tt.want {
				t.Errorf("exit status %d, want %d; stderr %q", r.status, tt.want, r.stderr)
			}
			if tt.want != exitTrouble {
				return
			}
			checkTrouble(t, r)
			for _, word := range strings.Split(tt.words, "|") {
				if !strings.Contains(r.stderr, word) {
					t.Errorf("stderr %q lacks %q", r.stderr, word)
				}
			}
		})
	}
}
