package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func entry(n int) *Entry {
	return &Entry{
		Time: time.Date(2031, 5, 1, 10, 0, n, 123456789, time.UTC), Who: "agent", Page: "todo", Action: fmt.Sprintf("a%d", n),
		Params: json.RawMessage(`{"text":"x"}`), Decision: "allow", Code: "ACTION_FAILED",
		Timings: Timings{Wait: time.Millisecond, Run: 1500 * time.Microsecond, Total: 2 * time.Second},
		Result:  json.RawMessage(`{"ok":false,"changed":{"observed":true}}`),
	}
}

func TestEntry(t *testing.T) {
	want := `{"time":"2031-05-01T10:00:01.123456789Z","who":"agent","page":"todo","action":"a1","params":{"text":"x"},"decision":"allow",` +
		`"ms":{"wait":1,"policy":0,"run":1.5,"expect":0,"observe":0,"total":2000},"code":"ACTION_FAILED","result":{"ok":false,"changed":{"observed":true}}}`
	got := string(entry(1).AppendJSON(nil))
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back Entry
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	if again := string(back.AppendJSON(nil)); again != want {
		t.Errorf("read back as %s", again)
	}
	if line := (&Entry{Action: "a\n\u202e"}).AppendJSON(nil); bytes.ContainsAny(line, "\n\u202e") {
		t.Errorf("got %q", line)
	}
}

func TestRing(t *testing.T) {
	r := NewRing(3)
	var names []string
	recent := func() []string {
		names = nil
		for e := range r.Recent() {
			names = append(names, e.Action)
		}
		return names
	}
	if got := recent(); got != nil {
		t.Errorf("got %q", got)
	}
	for n := range 5 {
		if err := r.Append(entry(n)); err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			if got := recent(); !slices.Equal(got, []string{"a1", "a0"}) {
				t.Errorf("got %q", got)
			}
		}
	}
	if got := recent(); !slices.Equal(got, []string{"a4", "a3", "a2"}) || r.Total() != 5 {
		t.Errorf("got %q of %d", got, r.Total())
	}
	for range r.Recent() {
		break
	}
}

func TestTee(t *testing.T) {
	a, b := NewRing(1), NewRing(1)
	bad := errors.New("bad")
	if err := Tee(a, failing{bad}, b).Append(entry(1)); err != bad || a.Total() != 1 || b.Total() != 1 {
		t.Errorf("got %v, %d and %d entries", err, a.Total(), b.Total())
	}
}

type failing struct{ err error }

func (f failing) Append(*Entry) error { return f.err }

func open(t *testing.T, path string) (*Log, int64) {
	t.Helper()
	l, dropped, err := OpenLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l, dropped
}

// read returns the actions of the intact entries and the errors.
func read(t *testing.T, path string) (actions []string, faults []error) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range Read(bytes.NewReader(text)) {
		if err != nil {
			faults = append(faults, err)
		} else {
			actions = append(actions, e.Action)
		}
	}
	return actions, faults
}

// TestLogTorn cuts a log at every byte and opens it again: what was whole is
// there, what was torn is gone, and the next entry is whole.
func TestLogTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	l, _ := open(t, path)
	for n := range 2 {
		if err := l.Append(entry(n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := OpenLog(path, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(entry(9)); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want %v", err, ErrClosed)
	}
	if err := l.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want %v", err, ErrClosed)
	}
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(full) + 1 {
		if err := os.WriteFile(path, full[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := bytes.Count(full[:cut], []byte("\n"))
		if actions, faults := read(t, path); len(actions) != whole || faults != nil {
			t.Fatalf("cut at %d: read %q %v before it was opened", cut, actions, faults)
		}
		l, dropped, err := OpenLog(path, &LogOptions{Sync: SyncNever})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if want := int64(cut - bytes.LastIndexByte(full[:cut], '\n') - 1); dropped != want {
			t.Fatalf("cut at %d: %d bytes dropped, want %d", cut, dropped, want)
		}
		// Shorter than a torn end may be, which it must not be followed by.
		if err := errors.Join(l.Append(&Entry{Action: "a7"}), l.Close()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || text[len(text)-1] != '\n' {
			t.Fatalf("cut at %d: something is left behind the last line, %v", cut, err)
		}
		actions, faults := read(t, path)
		if want := append([]string{"a0", "a1"}[:whole:whole], "a7"); !slices.Equal(actions, want) || faults != nil {
			t.Fatalf("cut at %d: read %q %v, want %q", cut, actions, faults, want)
		}
	}
}

// TestLogDamage turns each byte of a log: no changed line is read as an entry.
func TestLogDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	l, _ := open(t, path)
	for n := range 2 {
		if err := l.Append(entry(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(full, '\n')
	for i := range full {
		bad := bytes.Clone(full)
		bad[i] ^= 1
		var got []string
		for e, err := range Read(bytes.NewReader(bad)) {
			if err == nil {
				got = append(got, e.Action)
			} else if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
		}
		want := []string{"a0"}
		switch {
		case i < first:
			want[0] = "a1"
		case i == first:
			want = nil // both lines are one now
		}
		if !slices.Equal(got, want) {
			t.Fatalf("byte %d: read %q, want %q", i, got, want)
		}
	}
}

// TestLogRefuses leaves alone what is no audit log.
func TestLogRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letter.txt")
	for _, text := range []string{"Dear Ann,", "Dear Ann,\nall is well.\n", "{\"format\":1}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenLog(path, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q was opened: %v", text, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%q is now %q, %v", text, now, err)
		}
	}
	if _, _, err := OpenLog(filepath.Join(t.TempDir(), "no", "such", "folder"), nil); err == nil {
		t.Error("opened in a folder that is not there")
	}
}

// TestLogLongLines looks for the last line beyond what is read at once.
func TestLogLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	l, _ := open(t, path)
	e := entry(0)
	e.Result = json.RawMessage(`"` + strings.Repeat("x", 300_000) + `"`)
	if err := l.Append(e); err != nil {
		t.Fatal(err)
	}
	e = entry(1)
	e.Result = json.RawMessage(`"` + strings.Repeat("x", MaxEntryBytes) + `"`)
	if err := l.Append(e); err == nil {
		t.Error("an entry over the limit was taken")
	}
	if err := l.Append(entry(2)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, dropped := open(t, path)
	if dropped != 0 {
		t.Errorf("%d bytes dropped", dropped)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if actions, faults := read(t, path); !slices.Equal(actions, []string{"a0", "a2"}) || faults != nil {
		t.Errorf("read %q %v", actions, faults)
	}
}

// TestLogConcurrent appends from many goroutines that share fsyncs.
func TestLogConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	l, _ := open(t, path)
	const workers, each = 16, 25
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for n := range each {
				if err := l.Append(entry(w*each + n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	actions, faults := read(t, path)
	slices.Sort(actions)
	if len(slices.Compact(actions)) != workers*each || faults != nil {
		t.Errorf("%d entries, %v", len(actions), faults)
	}
}

// TestLogWriteFails breaks the file below the log.
func TestLogWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	l, _ := open(t, path)
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(entry(0)); err == nil {
		t.Error("an entry that was not written was acknowledged")
	}
	if err := l.Append(entry(0)); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v", err)
	}
}
