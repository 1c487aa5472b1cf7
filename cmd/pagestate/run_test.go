package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/records"
)

// TestInterrupt ends a program that waits for stdin.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	defer w.Close()
	dir := t.TempDir()
	var stdout, stderr strings.Builder
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"capture", "-", "-o", filepath.Join(dir, "x.json")}, r, &stdout, &stderr)
	}()
	if _, err := io.WriteString(w, "{"); err != nil { // now it reads
		t.Fatal(err)
	}
	cancel()
	if got := <-done; got != exitTrouble || stderr.String() != "pagestate: interrupted\n" || stdout.Len() > 0 {
		t.Errorf("exit status %d, stderr %q, stdout %q", got, stderr.String(), stdout.String())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestPanic ends with one line and no trace.
func TestPanic(t *testing.T) {
	var stderr strings.Builder
	c := &cli{out: &output{w: panicWriter{}}, stderr: &stderr, getenv: os.Getenv}
	if got := c.execute(context.Background(), []string{"--help"}); got != exitTrouble {
		t.Errorf("exit status %d", got)
	}
	if want := "pagestate: internal error: line\\nbreak \\x1b[2J\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("line\nbreak \x1b[2J") }

// TestCommands checks what every command owes its user.
func TestCommands(t *testing.T) {
	c := &cli{out: &output{w: io.Discard}, stderr: io.Discard, getenv: os.Getenv}
	n := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		n++
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example or no short description", cmd.CommandPath())
		}
		for line := range strings.SplitSeq(cmd.Long+"\n"+cmd.Example, "\n") {
			if len(line) > 100 && cmd.Parent() != nil && cmd.Parent().Name() != "completion" {
				t.Errorf("%s: a line of %d bytes", cmd.CommandPath(), len(line))
			}
		}
		for _, args := range [][]string{{"--help"}, {"--version"}} {
			path := strings.Fields(cmd.CommandPath())[1:]
			if r := runHere(t, "", append(path, args...)...); r.status != exitOK || r.stdout == "" || r.stderr != "" {
				t.Errorf("%s %v: exit status %d, stderr %q", cmd.CommandPath(), args, r.status, r.stderr)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(c.root(nil))
	if n < 12 {
		t.Errorf("only %d commands", n)
	}
}

// TestSafe looks for what no text may hold, in every text form and in errors.
func TestSafe(t *testing.T) {
	const before, after = "testdata/C58/before.json", "testdata/C58/after.json"
	var runs []result
	for _, args := range [][]string{
		{"diff", before, after}, {"diff", before, after, "--detail=values"}, {"diff", before, after, "--detail=basic"},
		{"diff", after, before, "--detail=values"}, {"diff", before, after, "--format=markdown", "--detail=values"},
		{"diff", before, after, "--format=json", "--detail=values"}, {"diff", before, after, "--format=patch"},
		{"show", after}, {"show", after, "--budget=256"}, {"show", after, "--format=json"},
		{"capture", after}, {"capture", "--pretty", after}, {"lint", after}, {"lint", after, "--format=json"},
		{"expect", before, after, "nothing-else"}, {"expect", before, after, "added:\x1b[2J", "updated:\"\x1b\""},
		{"expect", before, after, "updated:clear.\u202e"}, {"expect", before, after, "\x1b=1"},
		{"git-diff", "\x1b[2J\u202e.json", before, "a", "100644", after, "b", "100755\x07"},
		{"diff", "\x1b[2J\u202e\n.json", after}, {"diff", "--\x1b[2J", after}, {"diff", "--detail=\u202e", after}, {"\x1b[2J\n"}, {"help", "\x9b"},
		{"diff", "--scope=\x1b[2J", before, after}, {"show", "http://\x1b[2J"}, {"capture", after, "-o", "\u202e.txt"},
		{"capture", after, "-o", "no\x1bsuch/x.json"}, {"diff", "--key=\x1b", before, after}, {"lint", "\xff\xfe"},
		{"diff", "--max-size=\x07", before, after}, {"show", strings.Repeat("\u00ad", 9000)},
	} {
		r := runHere(t, "", args...)
		runs = append(runs, r)
		if r.status == exitTrouble {
			checkTrouble(t, r)
		}
	}
	for _, text := range []string{`{"records":[{"id":"\u001b"},{"id":[]}]}`, `{"a\u001b":1,"a\u001b":2}`, `{"format":"\u202e"}`} {
		runs = append(runs, runHere(t, text, "show", "-"))
	}
	for _, r := range runs {
		for _, text := range []string{r.stdout, r.stderr} {
			for _, c := range text {
				if c != '\n' && (c < ' ' || c == 0x7F || c >= 0x80 && (records.Hidden(c) || !unicode.IsPrint(c))) {
					t.Errorf("%U is raw in %q", c, text)
					break
				}
			}
		}
	}
}

// TestWriteFile pins what becomes of the file that is written over.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	name := filepath.Join(dir, "x.json")
	write := func(data string) {
		t.Helper()
		if err := writeFile(ctx, name, plain, []byte(data)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != data {
			t.Fatalf("read %q, %v", got, err)
		}
	}
	write("one")
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	write("two")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want that of the file before", info.Mode(), err)
	}
	real := filepath.Join(dir, "real.json")
	if err := errors.Join(os.Rename(name, real), os.Symlink("real.json", name)); err != nil {
		t.Fatal(err)
	}
	write("three")
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(real); string(got) != "three" {
		t.Errorf("the link leads to %q", got)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := writeFile(cancelled, name, gzipped, []byte("four")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(real); string(got) != "three" {
		t.Errorf("a failed write left %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}
