package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden files of scripts")

// beMain, set in the environment, makes the test binary the program itself.
const beMain = "PAGESTATE_TEST_BE_MAIN"

// raceAtOnce keeps a program built with -race from waiting a second at its end.
const raceAtOnce = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"pagestate": main})
}

// TestScripts runs the scripts of testdata, each of one behaviour.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	cases, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts, UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("CASES", cases)
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
	})
}

// A result is what one execution did.
type result struct {
	status         int
	stdout, stderr string
}

// runHere runs a command line in this process.
func runHere(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// command returns a command line as a process of its own, in testdata.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), beMain+"=1", raceAtOnce)
	return cmd
}

// exitOf runs cmd and returns its exit status and what it wrote to stderr.
func exitOf(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// checkTrouble checks that a failure was told on one line and nothing else was
// written.
func checkTrouble(t *testing.T, r result) {
	t.Helper()
	if r.stdout != "" {
		t.Errorf("stdout %q, want none", r.stdout)
	}
	checkErrorLine(t, r.stderr)
}

func checkErrorLine(t *testing.T, stderr string) {
	t.Helper()
	if !strings.HasPrefix(stderr, "pagestate: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("stderr %q, want one line that begins with pagestate:", stderr)
	}
	if strings.Contains(stderr, "goroutine") {
		t.Errorf("stderr %q has a stack trace", stderr)
	}
}

// TestCaptureNote counts what a capture cannot say: that text was repaired, which makes
// values alike that were not.
func TestCaptureNote(t *testing.T) {
	for _, tt := range []struct{ input, note string }{
		{`{"records":[{"id":"a","fields":{"v":"x"}}]}`, ""},
		{`{"records":[{"id":"a","fields":{"v":"\ud83c"}}]}`, "pagestate: note: the capture does not say: 1 repaired-text; pagestate lint tells where\n"},
		{`{"scopes":[{"id":"s"},{"id":"s"}],"records":[{"id":"a","fields":{"v":"\ud83c"}},{"id":"b","fields":{"v":"\udf00"}}]}`,
			"pagestate: note: the capture does not say: 1 duplicate-scope, 2 repaired-text; pagestate lint tells where\n"},
	} {
		var out, notes bytes.Buffer
		if code := run(t.Context(), []string{"capture", "-"}, strings.NewReader(tt.input), &out, &notes); code != 0 || notes.String() != tt.note {
			t.Errorf("%s: %d, %q, want %q", tt.input, code, notes.String(), tt.note)
		}
	}
}
