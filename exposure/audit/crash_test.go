package audit

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var kills = flag.Int("kills", 40, "how many times TestCrash kills a writer")

// TestMain is the writer of TestCrash when it is told so.
func TestMain(m *testing.M) {
	if path := os.Getenv("AUDIT_TEST_WRITER"); path != "" {
		write(path)
		return
	}
	os.Exit(m.Run())
}

// write appends entries from four goroutines and says which were acknowledged,
// until the process is killed.
func write(path string) {
	l, _, err := OpenLog(path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var mu sync.Mutex
	next := 0
	fmt.Println("ready")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				mu.Lock()
				next++
				n := next
				mu.Unlock()
				e := entry(n)
				e.Who = strings.Repeat("w", n%5000)
				if n%25 == 0 { // long enough to be killed in the middle
					e.Who = strings.Repeat("w", 1<<19)
				}
				if err := l.Append(e); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println(n)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestCrash kills a writer at random moments, over and over on one file: every
// entry that was acknowledged is there, no broken line is read as an entry, and
// the next writer goes on behind it.
func TestCrash(t *testing.T) {
	if testing.Short() {
		*kills = min(*kills, 5)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	torn, acked := 0, 0
	for round := range *kills {
		path := filepath.Join(dir, "audit"+strconv.Itoa(round/4)+".ndjson")
		before := 0
		if round%4 > 0 {
			before = lines(t, path)
		}
		numbers := killWriter(t, self, path)
		acked += len(numbers)
		got := map[string]int{}
		for _, a := range kept(t, path, before) {
			got[a]++
		}
		for _, n := range numbers {
			if got["a"+n] != 1 {
				t.Fatalf("round %d: entry %s was acknowledged and is there %d times", round, n, got["a"+n])
			}
		}
		l, dropped, err := OpenLog(path, nil)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if dropped > 0 {
			torn++
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		lines(t, path)
	}
	if acked == 0 {
		t.Error("no writer came to write")
	}
	t.Logf("%d kills, %d entries acknowledged, %d torn ends", *kills, acked, torn)
}

// killWriter starts a writer, kills it at a random moment, and returns what it
// acknowledged.
func killWriter(t *testing.T, self, path string) (numbers []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "AUDIT_TEST_WRITER="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	if !in.Scan() || in.Text() != "ready" {
		t.Fatal("the writer does not start")
	}
	killed := make(chan error, 1)
	time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { killed <- cmd.Process.Kill() })
	for in.Scan() { // lines this short are written to a pipe whole
		numbers = append(numbers, in.Text())
	}
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return numbers
}

// lines returns how many entries a log that was opened after a crash has; there
// is nothing else in it.
func lines(t *testing.T, path string) int {
	t.Helper()
	actions, faults := read(t, path)
	if faults != nil {
		t.Fatalf("broken lines are left: %v", faults)
	}
	return len(actions)
}

// kept returns the actions of the entries behind the first skip.
func kept(t *testing.T, path string, skip int) []string {
	t.Helper()
	actions, faults := read(t, path)
	if faults != nil {
		t.Fatalf("broken lines were written over: %v", faults)
	}
	return actions[skip:]
}
