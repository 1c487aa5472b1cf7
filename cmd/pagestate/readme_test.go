package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadme runs the commands that README.md and the documents show and compares
// what they print.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	for name, least := range map[string]int{"README.md": 4, "docs/annotations.md": 2} {
		t.Run(name, func(t *testing.T) { runShown(t, name, least) })
	}
}

// runShown runs the commands that a document shows, at least least of them.
func runShown(t *testing.T, name string, least int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var command string
	var want strings.Builder
	ran := 0
	check := func() {
		defer want.Reset()
		if command == "" {
			return
		}
		ran++
		var stdout, stderr bytes.Buffer
		run(t.Context(), strings.Fields(command), strings.NewReader(""), &stdout, &stderr)
		if stdout.String() != want.String() || stderr.Len() > 0 {
			t.Errorf("pagestate %s\nprints %s%s\n%s says %s", command, &stdout, &stderr, name, &want)
		}
		command = ""
	}
	for line := range strings.Lines(string(text)) {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok {
			check()
			continue
		}
		for _, prompt := range []string{"$ pagestate ", "$ go run ./cmd/pagestate "} {
			if args, ok := strings.CutPrefix(code, prompt); ok {
				check()
				command, code = strings.TrimSpace(args), ""
			}
		}
		want.WriteString(code)
	}
	check()
	if ran < least {
		t.Errorf("%s shows %d commands", name, ran)
	}
}
