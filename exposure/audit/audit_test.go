package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	if err := Tee(panicking{}, b).Append(entry(1)); err == nil || b.Total() != 2 {
		t.Errorf("after a panic: %v, %d entries", err, b.Total())
	}
}

type panicking struct{}

func (panicking) Append(*Entry) error { panic("full") }

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
		whole := max(bytes.Count(full[:cut], []byte("\n"))-1, 0)
		if actions, faults := read(t, path); len(actions) != whole || faults != nil {
			t.Fatalf("cut at %d: read %q %v before it was opened", cut, actions, faults)
		}
		l, dropped, err := OpenLog(path, &LogOptions{Sync: SyncNever})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		want := int64(cut - bytes.LastIndexByte(full[:cut], '\n') - 1)
		if cut < len(header) {
			want = 0 // what there is of the header stays
		}
		if dropped != want {
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

// TestLogDamage turns each byte of a log: no changed line is read as an entry, and
// a log whose header or last line is damaged is left as it is.
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
	first := len(header) + bytes.IndexByte(full[len(header):], '\n')
	for i := range full {
		bad := bytes.Clone(full)
		bad[i] ^= 1
		if i < len(header) || i >= first && i != len(full)-1 {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := OpenLog(path, &LogOptions{Sync: SyncNever}); !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d: got %v, want %v", i, err, ErrCorrupt)
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, bad) {
				t.Fatalf("byte %d: a damaged log was changed", i)
			}
		}
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
		case i < len(header)-1:
			want = []string{"a0", "a1"}
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
	slogLine := `{"time":"2031-05-01T10:00:01.123456789Z","level":"INFO","msg":"hello"}` + "\n"
	for _, text := range []string{"Dear Ann,", "Dear Ann,\nall is well.\n", "{\"format\":1}\n", slogLine, slogLine[:30], slogLine + slogLine[:30], "\n",
		strings.TrimSpace(header) + " \n", header + slogLine} {
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

// TestLogReadsBack appends what is awkward: it is read back, or not acknowledged.
func TestLogReadsBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(e *Entry)
		want   error
	}{
		{"params on several lines", func(e *Entry) { e.Params = json.RawMessage("{\n \"a\": 1\n}\n") }, nil},
		{"result on several lines", func(e *Entry) { e.Result = json.RawMessage("{\r\n}") }, nil},
		{"empty params", func(e *Entry) { e.Params = json.RawMessage{} }, nil},
		{"no time", func(e *Entry) { e.Time = time.Time{} }, nil},
		{"text that is not valid", func(e *Entry) { e.Who = "\xff\n" }, nil},
		{"params that are no JSON", func(e *Entry) { e.Params = json.RawMessage(`{"a":`) }, ErrEntry},
		{"two results", func(e *Entry) { e.Result = json.RawMessage(`{} {}`) }, ErrEntry},
		{"a member more", func(e *Entry) { e.Result = json.RawMessage(`{},"crc":"00000000"`) }, ErrEntry},
		{"year 20000", func(e *Entry) { e.Time = e.Time.AddDate(18000, 0, 0) }, ErrEntry},
		{"blanks only", func(e *Entry) { e.Params = json.RawMessage(" ") }, ErrEntry},
		{"too long", func(e *Entry) { e.Action = strings.Repeat("a", MaxEntryBytes) }, ErrEntry},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.ndjson")
			l, _ := open(t, path)
			e := entry(1)
			tt.change(e)
			if err := l.Append(e); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if err := errors.Join(l.Append(entry(2)), l.Close()); err != nil {
				t.Fatal(err)
			}
			want := []string{"a1", "a2"}
			if tt.want != nil {
				want = want[1:]
			}
			if actions, faults := read(t, path); !slices.Equal(actions, want) || faults != nil {
				t.Errorf("read %q %v, want %q", actions, faults, want)
			}
			l, dropped := open(t, path)
			if err := l.Close(); err != nil || dropped != 0 {
				t.Errorf("%d bytes dropped, %v", dropped, err)
			}
		})
	}
}

// TestLogSyncFails fails an fsync that several appends wait for: none of them is
// acknowledged, though the system would call the next one a success.
func TestLogSyncFails(t *testing.T) {
	l, _ := open(t, filepath.Join(t.TempDir(), "audit.ndjson"))
	const waiters = 8
	bad, calls := errors.New("input/output error"), 0
	l.fsync = func() error { // called with syncMu held
		if calls++; calls > 1 {
			return nil
		}
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			l.mu.Lock()
			written := l.end
			l.mu.Unlock()
			if written >= int64(len(header))+waiters*int64(len(first(t))) {
				return bad
			}
		}
		return errors.New("the waiters never wrote")
	}
	var wg sync.WaitGroup
	for range waiters {
		wg.Go(func() {
			if err := l.Append(entry(1)); !errors.Is(err, bad) {
				t.Errorf("got %v, want %v", err, bad)
			}
		})
	}
	wg.Wait()
	if err := l.Append(entry(1)); !errors.Is(err, bad) {
		t.Errorf("later: got %v, want %v", err, bad)
	}
	if err := l.Close(); !errors.Is(err, bad) {
		t.Errorf("closed with %v, want %v", err, bad)
	}
}

// first returns the line of entry 1.
func first(t *testing.T) []byte {
	line, err := appendLine(nil, entry(1))
	if err != nil {
		t.Error(err)
	}
	return line
}

// TestReadBounded reads an endless line.
func TestReadBounded(t *testing.T) {
	good, err := appendLine(nil, entry(1))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.NewReader(strings.Repeat("x", 3*MaxEntryBytes) + "\n" + string(good))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var actions []string
	faults := 0
	for e, err := range Read(long) {
		if err == nil {
			actions = append(actions, e.Action)
		} else if faults++; !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	}
	runtime.ReadMemStats(&after)
	if !slices.Equal(actions, []string{"a1"}) || faults != 1 {
		t.Errorf("read %q and %d faults", actions, faults)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 6*MaxEntryBytes {
		t.Errorf("%d bytes allocated", n)
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

// TestLogChanged changes the file of an open log: what is acknowledged can be read,
// and what could not be is not acknowledged.
func TestLogChanged(t *testing.T) {
	tests := []struct {
		name, why string
		change    func(path string) error
		refused   bool
		read      int // entries that can be read afterwards
	}{
		{"renamed", "the entries go with the file", func(path string) error { return os.Rename(path, path+".1") }, false, 2},
		{"cut", "as log rotation by copying does; the next line would follow zeros", func(path string) error { return os.Truncate(path, 0) }, true, 0},
		{"cut in a line", "", func(path string) error { return os.Truncate(path, int64(len(header))+9) }, true, 0},
		{"written to", "the line would follow a piece of another", func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("note")
			return errors.Join(err, f.Close())
		}, true, 1},
		{"removed", "nobody will find it", os.Remove, runtime.GOOS != "windows", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit")
			l, _, err := OpenLog(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Append(entry(1)); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := l.Append(entry(2))
				if tt.refused != errors.Is(err, ErrChanged) || !tt.refused && err != nil {
					t.Fatalf("%s: got %v", tt.why, err)
				}
				if !tt.refused {
					break
				}
			}
			if err := l.Close(); tt.refused != (err != nil) {
				t.Errorf("close: %v", err)
			}
			text, err := os.ReadFile(path)
			if tt.name == "renamed" {
				text, err = os.ReadFile(path + ".1")
			}
			if err != nil && tt.name != "removed" {
				t.Fatal(err)
			}
			n := 0
			for e, err := range Read(bytes.NewReader(text)) {
				if err != nil {
					t.Errorf("read: %v", err)
				} else if e != nil {
					n++
				}
			}
			if n != tt.read {
				t.Errorf("%s: %d entries, want %d\n%s", tt.why, n, tt.read, text)
			}
		})
	}
}
