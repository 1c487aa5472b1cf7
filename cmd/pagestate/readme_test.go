package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadme runs the commands that README.md shows and compares what they print.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
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
			t.Errorf("pagestate %s\nprints %s%s\nREADME.md says %s", command, &stdout, &stderr, &want)
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
	if ran < 4 {
		t.Errorf("README.md shows %d commands", ran)
	}
}
