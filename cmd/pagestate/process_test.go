//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestStable runs the pair of C13 fifty times, each in a process of its own, on
// one and on eight processors: the bytes are always the same.
func TestStable(t *testing.T) {
	forms := [][]string{
		{"--format=text"}, {"--format=json"}, {"--format=json", "--detail=values"}, {"--format=patch"}, {"--format=markdown"},
	}
	const runs = 50
	for _, form := range forms {
		var first [sha256.Size]byte
		for n := range runs {
			procs := 1 + 7*(n%2)
			cmd := command(t, append([]string{"diff", "C13/before.json", "C13/after.json", "--exit-zero"}, form...)...)
			cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(procs))
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(out)
			if n == 0 {
				first = sum
			}
			if sum != first {
				t.Fatalf("%v: run %d on %d processors gave other bytes", form, n, procs)
			}
		}
	}
}

// TestFullDisk writes to a device that is always full.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{
		{"diff", "C53/a.json", "C53/b.json"},
		{"diff", "C53/a.json", "C53/same-as-a.json", "--format=json"},
		{"diff", "C53/a.json", "C53/b.json", "--exit-zero"},
		{"show", "C53/a.json"}, {"capture", "C53/a.json"}, {"demo"}, {"demo", "--json"},
		{"expect", "C53/a.json", "C53/b.json", "added=1"}, {"lint", "-"},
		{"--help"}, {"diff", "--help"}, {"--version"}, {"completion", "bash"}, {"help", "diff"},
		{"capture", "C53/a.json", "-o", "/dev/full"},
	} {
		cmd := command(t, args...)
		if args[0] == "lint" {
			cmd.Args = []string{cmd.Args[0], "lint", "-"}
			cmd.Stdin = strings.NewReader(`{"scopes":[{"id":"s"}]}`)
		}
		cmd.Stdout = full
		got, stderr := exitOf(t, cmd)
		if got != exitTrouble || !strings.Contains(stderr, "no space left") {
			t.Errorf("%v: exit status %d, stderr %q", args, got, stderr)
		}
		checkErrorLine(t, stderr)
	}
}

// TestClosedPipe writes to a pipe that nobody reads: quietly, with the status
// that it would have had.
func TestClosedPipe(t *testing.T) {
	for _, tt := range []struct {
		want int
		args []string
	}{
		{1, []string{"diff", "C53/a.json", "C53/b.json"}},
		{0, []string{"diff", "C53/a.json", "C53/b.json", "--exit-zero", "--format=json"}},
		{0, []string{"diff", "C53/a.json", "C53/same-as-a.json"}},
		{2, []string{"diff", "C53/a.json", "C53/bad.json"}},
		{0, []string{"show", "C13/before.json"}},
		{0, []string{"capture", "C13/before.json"}},
		{0, []string{"--help"}},
		{0, []string{"completion", "zsh"}},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := command(t, tt.args...)
		cmd.Stdout = w
		got, stderr := exitOf(t, cmd)
		w.Close()
		if got != tt.want || tt.want != exitTrouble && stderr != "" {
			t.Errorf("%v: exit status %d, stderr %q, want %d", tt.args, got, stderr, tt.want)
		}
	}
}

// TestShell runs the steps of C54 as a shell does: pipes, process substitution.
func TestShell(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal("this test needs bash:", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json"} {
		data, err := os.ReadFile("testdata/C53/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range map[string][]string{"a.json": {"a.json", "-"}, "b.json": {"b.json"}}[name] {
			if err := os.WriteFile(filepath.Join(dir, as), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		script string
		want   int
	}{
		{`cat a.json | $T - b.json`, 1},
		{`cat b.json | $T a.json -`, 1},
		{`cat a.json | $T - a.json`, 0},
		{`cat a.json | $T - -`, 2},
		{`$T - b.json </dev/null`, 2},
		{`$T ./- a.json`, 0},
		{`$T -- a.json b.json`, 1},
		{`$T <(cat a.json) <(cat b.json)`, 1},
		{`$T <(cat a.json) <(cat a.json)`, 0},
		{`$T /dev/stdin b.json <a.json`, 1},
		{`gzip -c a.json | $T - b.json`, 1},
		{`gzip -c a.json | $T - a.json`, 0},
		{`$T a.json b.json | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}`, 1},
		{`$T a.json b.json >/dev/full`, 2},
		// Closed is as good as /dev/null: Go opens that in its place, as Python does
		// for a caller that wants the status alone.
		{`$T a.json b.json >&-`, 1},
		{`$T a.json b.json >/dev/null`, 1},
	} {
		cmd := command(t)
		self := cmd.Path
		cmd = exec.CommandContext(t.Context(), "bash", "-c", tt.script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), beMain+"=1", raceAtOnce, "T="+self+" diff")
		got, stderr := exitOf(t, cmd)
		if got != tt.want {
			t.Errorf("%s: exit status %d, want %d", tt.script, got, tt.want)
		}
		if tt.want == exitTrouble {
			checkErrorLine(t, stderr)
		} else if stderr != "" {
			t.Errorf("%s: stderr %q", tt.script, stderr)
		}
	}
}

// TestColor looks for escape codes on a terminal and elsewhere.
func TestColor(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		terminal  bool
		env       []string
		args      []string
		want      bool
	}{
		{"terminal", "", true, nil, nil, true},
		{"pipe", "", false, nil, nil, false},
		{"always", "the flag wins", false, []string{"NO_COLOR=1", "TERM=dumb"}, []string{"--color=always"}, true},
		{"never", "", true, nil, []string{"--color=never"}, false},
		{"no color", "", true, []string{"NO_COLOR=1"}, nil, false},
		{"empty no color", "only a non-empty one counts", true, []string{"NO_COLOR="}, nil, true},
		{"dumb", "", true, []string{"TERM=dumb"}, nil, false},
		{"auto", "auto is no wish", true, []string{"NO_COLOR=1"}, []string{"--color=auto"}, false},
		{"json", "JSON is never coloured", true, nil, []string{"--format=json", "--color=always"}, false},
		{"patch", "it is JSON", true, nil, []string{"--format=patch", "--color=always"}, false},
		{"markdown", "it is for a file", true, nil, []string{"--format=markdown", "--color=always"}, false},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			cmd := command(t, append([]string{"diff", "C53/a.json", "C53/b.json"}, tt.args...)...)
			cmd.Env = append(cmd.Env, "NO_COLOR=", "TERM=xterm")
			cmd.Env = append(cmd.Env, tt.env...)
			var out []byte
			if tt.terminal {
				out = onTerminal(t, cmd)
			} else {
				out, _ = cmd.Output() // it exits with 1
			}
			if !bytes.Contains(out, []byte("n")) {
				t.Fatalf("output %q", out)
			}
			if got := bytes.Contains(out, []byte("\x1b[")); got != tt.want {
				t.Errorf("%s: coloured %t, want %t: %q", tt.why, got, tt.want, out)
			}
		})
	}
}

// onTerminal runs cmd with a terminal as its stdout and returns what it wrote.
func onTerminal(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	cmd.Stdout = slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	out, _ := io.ReadAll(master) // it ends with EIO once the program has gone
	_ = cmd.Wait()
	return out
}
