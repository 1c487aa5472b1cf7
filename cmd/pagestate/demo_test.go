package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestDemoApp compares what the app exposes before and after its action with the
// captures of C00.
func TestDemoApp(t *testing.T) {
	caller, err := newDemo(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
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
		got, err := caller.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := capture.AppendPretty(nil, got), capture.AppendPretty(nil, want); !bytes.Equal(a, b) {
			t.Errorf("%s: the app exposes\n%s\nwant\n%s", name, a, b)
		}
	}
	check("before.json")
	if res := caller.Call(t.Context(), call.Request{Action: demoAction}); !res.OK {
		t.Errorf("result %s", res.AppendJSON(nil))
	}
	check("after.json")
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
	if want := `{"ok":false,"action":{"id":"complete_open_tasks","description":"Mark every open task as completed. ` +
		`This changes all open records in one operation."},"error":{"code":"ACTION_UNAVAILABLE",` +
		`"reason":"There are no open tasks. Every task is already completed."}}` + "\n"; second != want {
		t.Errorf("second line %q, want %q", second, want)
	}
}
