package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestTodoApp compares what the app exposes before and after its action with the
// captures of C00.
func TestTodoApp(t *testing.T) {
	app := newTodoApp()
	check := func(name string) {
		t.Helper()
		text, err := os.ReadFile("testdata/C00/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := capture.Decode(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := app.snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := capture.AppendPretty(nil, got), capture.AppendPretty(nil, want); !bytes.Equal(a, b) {
			t.Errorf("%s: the app exposes\n%s\nwant\n%s", name, a, b)
		}
	}
	check("before.json")
	line, err := app.call(nil, demoAction, &diff.Format{Detail: diff.Basic}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check("after.json")
	want, err := os.ReadFile("testdata/C00/expect-result-basic.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(line) != strings.TrimSuffix(string(want), "\n")+"\n" {
		t.Errorf("result\n%s\nwant\n%s", line, want)
	}
	for _, tt := range []struct{ id, want string }{
		{demoAction, `{"ok":false,"action":{"id":"complete_open_tasks","description":"Mark every open task as completed. ` +
			`This changes all open records in one operation."},"error":{"code":"ACTION_UNAVAILABLE",` +
			`"reason":"There are no open tasks. Every task is already completed."}}` + "\n"},
		{"nope", `{"ok":false,"action":{"id":"nope"},"error":{"code":"ACTION_NOT_FOUND"}}` + "\n"},
	} {
		line, err := app.call(nil, tt.id, nil, func(*diff.Changes) { t.Error("it ran") })
		if err != nil || string(line) != tt.want {
			t.Errorf("result %s, %v, want %s", line, err, tt.want)
		}
	}
}

// TestDemoJSON compares the program's own lines.
func TestDemoJSON(t *testing.T) {
	r := runHere(t, "", "demo", "--json", "--detail", "basic")
	want, err := os.ReadFile("testdata/C00/expect-result-basic.json")
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(r.stdout, "\n")
	if r.status != exitOK || first != strings.TrimSuffix(string(want), "\n") {
		t.Errorf("exit status %d, first line\n%s\nwant\n%s", r.status, first, want)
	}
	if !strings.HasPrefix(second, `{"ok":false,"action":{"id":"complete_open_tasks",`) || strings.Count(second, "\n") != 1 {
		t.Errorf("second line %q", second)
	}
}
