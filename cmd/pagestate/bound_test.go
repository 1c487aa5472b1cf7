package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// writeCaptures writes a pair of captures that differ in many records of many
// scopes, with long texts.
func writeCaptures(t *testing.T) (before, after string) {
	t.Helper()
	write := func(name string, at func(i int) string) string {
		var scopes, rows []string
		for i := range 60 {
			scopes = append(scopes, fmt.Sprintf(`{"id":"s%d","label":"%s"}`, i, at(i)))
			rows = append(rows, fmt.Sprintf(`{"id":"%s","scope":"s%d","fields":{"a":"%s"}}`, at(i), i, strings.Repeat(at(i), 30)),
				fmt.Sprintf(`{"id":"u","scope":"s%d","fields":{"%s":[1,{"b":%d}]}}`, i, at(i), i))
		}
		path := filepath.Join(t.TempDir(), name)
		text := `{"scopes":[` + strings.Join(scopes, ",") + `],"records":[` + strings.Join(rows, ",") + `]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("before.json", func(i int) string { return fmt.Sprintf("b%d", i) }),
		write("after.json", func(i int) string { return fmt.Sprintf("after \u65e5 %d", i) })
}

// TestMaxBytes: --max-bytes bounds all that diff prints, and --budget all that
// show does, whatever the form.
func TestMaxBytes(t *testing.T) {
	before, after := writeCaptures(t)
	for _, tt := range []struct {
		why   string
		args  []string
		least int
	}{
		{"the end of the line counts", []string{"diff", "--format=json"}, 512},
		{"", []string{"diff", "--format=json", "--compact", "--detail=values"}, 512},
		{"blanks count, and go where they are too many", []string{"diff", "--format=json", "--pretty"}, 512},
		{"", []string{"diff", "--format=json", "--pretty", "--compact", "--detail=basic"}, 512},
		{"", []string{"diff"}, 512},
		{"colours count", []string{"diff", "--color=always", "--detail=values"}, 512},
		{"", []string{"diff", "--format=markdown"}, 512},
		{"", []string{"show"}, 256},
		{"", []string{"show", "--format=json"}, 256},
		{"", []string{"show", "--color=always"}, 256},
	} {
		full := 0
		for most := tt.least; most < 6*tt.least; most += 1 + most/16 {
			args := append([]string{}, tt.args...)
			if tt.args[0] == "diff" {
				args = append(args, "--exit-zero", "--max-bytes", strconv.Itoa(most), before, after)
			} else {
				args = append(args, "--budget", strconv.Itoa(most), after)
			}
			r := runHere(t, "", args...)
			if r.status != exitOK || len(r.stdout) > most || !strings.HasSuffix(r.stdout, "\n") {
				t.Fatalf("%v (%s): status %d, %d bytes, at most %d are allowed:\n%s%s", tt.args, tt.why, r.status, len(r.stdout), most, r.stdout, r.stderr)
			}
			if strings.HasPrefix(r.stdout, "{") && !json.Valid([]byte(r.stdout)) {
				t.Fatalf("%v: no JSON: %s", tt.args, r.stdout)
			}
			full = max(full, 100*len(r.stdout)/most)
		}
		if full < 60 {
			t.Errorf("%v: never more than %d %% of the bytes are used", tt.args, full)
		}
	}
}

// TestMaxBytesExact: evidence that takes exactly --max-bytes is whole, and with one
// byte less to print it is shorter.
func TestMaxBytesExact(t *testing.T) {
	before, after := writeCaptures(t)
	for _, form := range [][]string{{"--format=json"}, {"--format=json", "--pretty"}, {"--format=text"}, {"--color=always"}, {"--format=markdown"}} {
		args := append([]string{"diff", "--exit-zero", "--max-listed=2", before, after}, form...)
		whole := runHere(t, "", args...).stdout
		for less := range 4 {
			most := len(whole) - less
			got := runHere(t, "", append(args, "--max-bytes", strconv.Itoa(most))...).stdout
			if len(got) > most || (got == whole) != (less == 0) {
				t.Errorf("%v: %d bytes of %d, at most %d are allowed", form, len(got), len(whole), most)
			}
		}
	}
}

// TestFit: what dressing adds is taken from what is dressed, as far as that goes.
func TestFit(t *testing.T) {
	write := func(most int) []byte { return []byte(strings.Repeat("x", most-most%10)) }
	for _, tt := range []struct {
		name, why string
		times     int // that dressing makes it longer
		want      string
	}{
		{"bare", "all that fits", 1, strings.Repeat("d", 100)},
		{"doubled", "less is dressed", 2, strings.Repeat("d", 100)},
		{"threefold", "", 3, strings.Repeat("d", 90)},
		{"tenfold", "the least would not fit: nothing is dressed", 10, strings.Repeat("x", 100)},
	} {
		dress := func(out []byte) ([]byte, error) { return []byte(strings.Repeat("d", tt.times*len(out))), nil }
		if out, err := fit(100, 20, write, dress); err != nil || string(out) != tt.want {
			t.Errorf("%s (%s): %s, want %s, %v", tt.name, tt.why, out, tt.want, err)
		}
	}
}
