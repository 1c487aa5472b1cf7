package runtime_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pagestate/pagestate/internal/livetest"
)

// TestChapterCommand calls the example app through the command, twice on one page: it
// prints what the demo in one process prints.
func TestChapterCommand(t *testing.T) {
	index, err := os.ReadFile("example/index.html")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "pagestate")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../../cmd/pagestate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	url := serve(t, map[string]string{"/": string(index), "/main.js": bundle(t, "example/main.js")})
	ws := fmt.Sprintf("http://127.0.0.1:%d", livetest.OpenBrowser(t))
	keep(t, ws, url)
	var got []byte
	for range 2 {
		cmd := exec.CommandContext(t.Context(), bin, "call", url, "complete_open_tasks", "--detail", "basic", "--ws", ws)
		cmd.Stderr = os.Stderr
		line, _ := cmd.Output() // it fails the second time
		got = append(got, line...)
	}
	demo, err := exec.CommandContext(t.Context(), bin, "demo", "--json", "--detail", "basic").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(demo) || string(demo) != firstCall+"\n"+secondCall+"\n" {
		t.Errorf("the page gives\n%sthe demo gives\n%s", got, demo)
	}
}
