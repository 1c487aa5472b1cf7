package bench_test

import (
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"testing"
)

var long = flag.Bool("long", false, "try the bench itself twenty times")

// TestRegression tries the bench itself: runs of the program without a change are
// quiet, a slowdown by 15% and one allocation, planted with the build tag
// pagestate_slow, are caught. Without -long few cases are measured, and times get
// six tries, as a machine that others use may be anything for a moment.
func TestRegression(t *testing.T) {
	dir := t.TempDir()
	build := func(name string, args ...string) string {
		program := filepath.Join(dir, name)
		if out, err := exec.Command("go", append(append([]string{"build", "-o", program}, args...), "../cmd/pagestate")...).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		return program
	}
	clean, planted := build("clean"), build("planted", "-tags=pagestate_slow")
	baseline := filepath.Join(dir, "baseline.json")
	const quick, all = `page=orders/n=1000/change=(1pct|shuffle|all)/op=(compare|build)`, `page=orders|n=1000/`
	only := quick
	if *long {
		only = all
	}
	run := func(program, plant string, args ...string) int {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append([]string{"bench", "--only", only}, args...)...)
		cmd.Env = append(cmd.Environ(), "PAGESTATE_PLANT="+plant)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() > 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		if cmd.ProcessState.ExitCode() == 1 || plant != "" {
			t.Logf("plant=%s %v\n%s", plant, args, out)
		}
		return cmd.ProcessState.ExitCode()
	}
	if got := run(clean, "", "--save", baseline); got != 0 {
		t.Fatalf("saving: exit status %d", got)
	}
	if got := run(clean, "", "--against", baseline, "--exact", "--samples=0"); got != 0 {
		t.Errorf("exact figures without a change: exit status %d, want 0", got)
	}
	if got := run(planted, "alloc", "--against", baseline, "--exact", "--samples=0"); got != 1 {
		t.Errorf("planted allocation: exit status %d, want 1", got)
	}
	if !*long {
		tries := func(what, plant string, program string, want int) {
			for range 6 {
				if run(program, plant, "--against", baseline) == want {
					return
				}
			}
			t.Errorf("%s: exit status is not %d in six runs", what, want)
		}
		tries("without a change", "", clean, 0)
		tries("planted slowdown", "slow", planted, 1)
		return
	}
	for i := range 20 {
		if got := run(clean, "", "--against", baseline); got != 0 {
			t.Errorf("run %d without a change: exit status %d, want 0", i, got)
		}
	}
	for i := range 5 {
		if got := run(planted, "slow", "--against", baseline); got != 1 {
			t.Errorf("run %d with a planted slowdown: exit status %d, want 1", i, got)
		}
	}
	// Times of another binary depend on where the linker puts its code, too.
	if got := run(planted, "", "--against", baseline, "--exact", "--samples=0"); got != 0 {
		t.Errorf("the build tag alone: exit status %d, want 0", got)
	}
}
