package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// childEnv makes the test binary read one input and print the memory it took
// from the system, so that a peak is measured in a process of its own.
const childEnv = "PAGESTATE_INPUT_CHILD"

func TestMain(m *testing.M) {
	if arg := os.Getenv(childEnv); arg != "" {
		limit, _ := strconv.ParseInt(os.Getenv(childEnv+"_LIMIT"), 10, 64)
		src := Source{Limits: Limits{Unpacked: limit}}
		f, err := src.Read(context.Background(), arg)
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		fmt.Println(stats.Sys)
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("read", len(f.Data))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readInChild reads a file in another process and returns the memory that it
// took, in MiB, and what came of it.
func readInChild(t *testing.T, file string, limit int64) (mib int64, outcome string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+file, fmt.Sprintf("%s_LIMIT=%d", childEnv, limit))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	size, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		t.Fatalf("child printed %q", out)
	}
	return size >> 20, strings.TrimSpace(rest)
}

// archives says for every file of reports C61 and C62 what becomes of it.
var archives = []struct {
	file, why string
	err       error  // nil: equal to ok.json
	text      string // in the error
}{
	{"C61/ok.json", "", nil, ""},
	{"C61/ok.json.gz", "", nil, ""},
	{"C61/ok.json.zst", "", nil, ""},
	{"C61/two-frames.zst", "frames follow each other", nil, ""},
	{"C61/skippable-frame.zst", "starts with a frame that holds nothing", nil, ""},
	{"C61/plain-json-named.zst", "content counts, not the name", nil, ""},
	{"C61/zstd-named.json", "content counts, not the name", nil, ""},
	{"C61/bad-checksum.zst", "all bytes come before the error", ErrCorrupt, "corrupt zstd"},
	{"C61/bitflip.zst", "", ErrCorrupt, "corrupt zstd"},
	{"C61/cut-4.zst", "only the checksum is missing", ErrTruncated, "truncated zstd"},
	{"C61/cut-5.zst", "", ErrTruncated, "truncated zstd"},
	{"C61/cut-half.zst", "", ErrTruncated, "truncated zstd"},
	{"C61/cut.json.gz", "", ErrTruncated, "truncated gzip"},
	{"C61/empty.zst", "a decoder makes nothing of it, without an error", ErrEmpty, "empty input: truncated"},
	{"C61/header-only.zst", "", ErrTruncated, "truncated zstd"},
	{"C61/magic-only.zst", "", ErrTruncated, "truncated zstd"},
	{"C61/trailing-garbage.zst", "", ErrCorrupt, "corrupt zstd archive: other data follows it"},
	{"C61/trailing-zeros.zst", "", ErrCorrupt, "corrupt zstd"},
	{"C61/trailing.json.gz", "whole, but not all", ErrCorrupt, "corrupt gzip archive: other data follows it"},
	{"C61/two-documents.zst", "a whole archive, of two documents", capture.ErrNotCapture, ""},

	{"C62/bomb-512m.zst", "512 MiB of blanks", ErrLimit, "limit of 128 MiB"},
	{"C62/bomb-long-window.zst", "a window of 128 MiB", ErrWindow, "limit of 32 MiB"},
	{"C62/bomb-no-size.zst", "", ErrLimit, "limit of 128 MiB"},
	{"C62/many-frames.zst", "", ErrLimit, "limit of 128 MiB"},
	{"C62/gz-bomb.json.gz", "", ErrLimit, "limit of 128 MiB"},
	{"C62/claims-8EiB.zst", "", ErrWindow, "limit of 32 MiB"},
	{"C62/window-2GiB.zst", "", ErrWindow, "limit of 32 MiB"},
	{"C62/zst-in-zst.zst", "the inner layer is not unpacked", ErrNested, "compressed twice"},
}

const atFullLimit = "limit of 128 MiB"

func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/C6[12]/*")
	if err != nil || len(files) != len(archives) {
		t.Errorf("%d files, want %d: %v", len(files), len(archives), err)
	}
	want, err := os.ReadFile("testdata/C61/ok.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range archives {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Join("testdata", filepath.FromSlash(c.file))
			// What is refused for its length is read to the full limit in
			// TestBombMemory; here a lower one will do.
			src := Source{}
			if strings.HasSuffix(c.text, atFullLimit) {
				src.Limits.Unpacked = 1 << 20
				c.text = "unpacked content exceeds the limit of 1 MiB"
			}
			f, err := src.Read(t.Context(), path)
			if f != nil {
				if f.Kind != JSON {
					t.Errorf("kind %v", f.Kind)
				}
				if _, fail := capture.Decode(f.Data, nil); fail != nil {
					// The damage shows when what was in it is read.
					if err = f.Wrap(fail); !strings.Contains(err.Error(), "corrupt") {
						t.Errorf("error %q does not say that the archive is corrupt", err)
					}
				} else if !bytes.Equal(f.Data, want) {
					t.Fatalf("read %d bytes that are not ok.json", len(f.Data))
				}
			}
			if c.file == "C61/two-documents.zst" {
				if err == nil {
					t.Error("accepted")
				}
				return
			}
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.File != path || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("error %q, want it to start with the file and to say %q", err, c.text)
			}
		})
	}
}

// TestBombMemory reads the archives of report C62 in processes of their own.
func TestBombMemory(t *testing.T) {
	for _, c := range archives {
		if strings.HasPrefix(c.file, "C62/") {
			start := time.Now()
			mib, outcome := readInChild(t, filepath.Join("testdata", c.file), 0)
			bound := int64(200)
			if !strings.Contains(c.text, atFullLimit) {
				bound = 60 // only claims
			}
			if !strings.Contains(outcome, c.text) {
				t.Errorf("%s: %s, want %q", c.file, outcome, c.text)
			}
			if mib > bound || time.Since(start) > 5*time.Second {
				t.Errorf("%s took %d MiB, want at most %d, in %v: %s", c.file, mib, bound, time.Since(start), outcome)
			}
			t.Logf("%s: %d MiB, %v, %s", c.file, mib, time.Since(start).Round(time.Millisecond), outcome)
		}
	}
}

// TestRaisedLimit reads a bomb of 256 MiB with a limit that allows it.
func TestRaisedLimit(t *testing.T) {
	mib, outcome := readInChild(t, "testdata/C62/bomb-no-size.zst", 300<<20)
	if !strings.HasPrefix(outcome, "read 268") || mib > 700 {
		t.Errorf("took %d MiB: %s", mib, outcome)
	}
}

func pack(t *testing.T, kind archive, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&buf)
	if kind == zstandard {
		z, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestDamage cuts archives at every byte, pads them with everything short, and
// flips every bit: none of it may come out as something else than what was
// packed.
func TestDamage(t *testing.T) {
	want := []byte(`{"records":[{"id":1,"fields":{"text":"` + strings.Repeat("abcdefgh ", 40) + `"}}]}`)
	for _, kind := range []archive{gzipped, zstandard} {
		packed := pack(t, kind, want)
		read := func(data []byte) ([]byte, error) {
			src := Source{Stdin: bytes.NewReader(data)}
			f, err := src.Read(t.Context(), "-")
			if err != nil {
				return nil, err
			}
			return f.Data, nil
		}
		if got, err := read(packed); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v: %q, %v", kind, got, err)
		}
		if got, err := read(append(bytes.Clone(packed), packed...)); err != nil || !bytes.Equal(got, append(bytes.Clone(want), want...)) {
			t.Errorf("%v: two members: %d bytes, %v", kind, len(got), err)
		}
		for n := 4; n < len(packed); n++ {
			if got, err := read(packed[:n]); !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v cut at %d: %.20q, %v", kind, n, got, err)
			}
		}
		for _, tail := range []string{"\x00", "x", "\x00\x00", "\x28\xB5\x2F", "\x1F", "\x1F\x8B", "\x00\x00\x00\x00", "garbage", "\x50\x2A\x4D\x18\x04\x00\x00\x00abc"} {
			if got, err := read(append(bytes.Clone(packed), tail...)); !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v with %q behind: %.20q, %v", kind, tail, got, err)
			}
		}
		for bit := 8 * 4; bit < 8*len(packed); bit++ {
			flipped := bytes.Clone(packed)
			flipped[bit/8] ^= 1 << (bit % 8)
			// Some bits of a header mean nothing for the content.
			if got, err := read(flipped); err == nil && !bytes.Equal(got, want) {
				t.Errorf("%v with bit %d flipped: %.20q", kind, bit, got)
			}
		}
	}
}

func TestKind(t *testing.T) {
	const json, html = `{"records":[]}`, `<!doctype html><p>x`
	utf16 := func(mark, s string) string {
		out := mark
		for i := range len(s) {
			if mark == "\xFE\xFF" {
				out += "\x00" + s[i:i+1]
			} else {
				out += s[i:i+1] + "\x00"
			}
		}
		return out
	}
	for _, c := range []struct {
		name, why, data string
		want            Kind
	}{
		{"a.json", "the name decides", html, JSON},
		{"a.JSON", "in any case", html, JSON},
		{"a.json.gz", "and without the archive's", html, JSON},
		{"a.ndjson", "", json, NDJSON},
		{"a.jsonl.zst", "", json, NDJSON},
		{"a.html", "other names do not", json, JSON},
		{"a.html", "unless nothing else does", "hello", HTML},
		{"a", "", html, HTML},
		{"a", "", json, JSON},
		{"-", "", "\n\t " + html, HTML},
		{"-", "", "\xEF\xBB\xBF [", JSON},
		{"-", "UTF-16 with a mark", utf16("\xFF\xFE", html), HTML},
		{"-", "UTF-16 with a mark", utf16("\xFE\xFF", " "+json), JSON},
		{"-", "UTF-16 without one", utf16("", html), HTML},
		{"-", "neither", "hello", JSON},
		{"json", "no extension", html, HTML},
		{".json", "nothing but one", html, JSON},
	} {
		if got := kindOf(c.name, []byte(c.data)); got != c.want {
			t.Errorf("%s (%s) %q: %v, want %v", c.name, c.why, c.data, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	junk := strings.Repeat("x", 100)
	long := write("long.json", strings.Repeat(" ", 2000)+"{}")
	for _, c := range []struct {
		name, why, arg, stdin string
		err                   error
		text                  string
	}{
		{"missing", "", filepath.Join(dir, "none.json"), "", fs.ErrNotExist, "none.json: "},
		{"directory", "", dir, "", ErrDirectory, ": is a directory"},
		{"empty", "", write("empty.json", ""), "", ErrEmpty, "empty.json: empty input"},
		{"blank", "", write("blank.html", " \n"), "", ErrEmpty, "blank.html: empty input"},
		{"empty stdin", "never all removed", "-", "", ErrEmpty, "stdin: empty input"},
		{"too long", "known before it is read", long, "", ErrLimit, "input exceeds the limit of 1000 bytes"},
		{"too long stdin", "known while it is read", "-", strings.Repeat("x", 1001), ErrLimit, "input exceeds the limit of 1000 bytes"},
		{"xz", "it is not called bad JSON", write("a.json.xz", "\xFD7zXZ\x00"+junk), "", ErrForeign, "a.json.xz: xz archive: only gzip and zstd are unpacked"},
		{"zip", "whatever its name", write("zip.json", "PK\x03\x04"+junk), "", ErrForeign, "zip archive"},
		{"bzip2", "", "-", "BZh91AY&SY" + junk, ErrForeign, "bzip2 archive"},
		{"7-zip", "", "-", "7z\xBC\xAF\x27\x1C" + junk, ErrForeign, "7-zip archive"},
		{"lz4", "", "-", "\x04\x22\x4D\x18" + junk, ErrForeign, "lz4 archive"},
		{"xz in gzip", "", "-", string(pack(t, gzipped, []byte("\xFD7zXZ\x00"))), ErrNested, "compressed twice"},
		{"zeros behind gzip", "the archive is whole", "-", string(pack(t, gzipped, []byte("{}"))) + "\x00\x00\x00\x00", ErrCorrupt, "corrupt gzip archive: other data follows it"},
		{"text behind gzip", "", "-", string(pack(t, gzipped, []byte("{}"))) + junk, ErrCorrupt, "corrupt gzip archive: other data follows it"},
		{"half a gzip behind", "this is truncated", "-", string(pack(t, gzipped, []byte("{}"))) + "\x1F\x8B\x08", ErrTruncated, "truncated gzip"},
		{"unprintable name", "no escape code reaches a terminal", filepath.Join(dir, "a\x1b[31m\u202e.json"), "", fs.ErrNotExist, `a\u001b[31m\u202e.json": `},
		{"drive", "a path, not an address", `C:\none\a.json`, "", fs.ErrNotExist, `C:\none\a.json: `},
		{"address", "also a path here", `http://shop.example/`, "", fs.ErrNotExist, ""},
		{"no name", "", "", "", fs.ErrNotExist, `"": `},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := Source{Stdin: strings.NewReader(c.stdin), Limits: Limits{Plain: 1000}}
			f, err := src.Read(t.Context(), c.arg)
			if f != nil || !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v and %q", err, c.err, c.text)
			}
			if err.Error() != Printable(err.Error()) {
				t.Errorf("unprintable error %q", err)
			}
		})
	}
}

func TestStdinOnce(t *testing.T) {
	src := Source{Stdin: strings.NewReader("{}")}
	if f, err := src.Read(t.Context(), "-"); err != nil || string(f.Data) != "{}" {
		t.Fatalf("%v, %v", f, err)
	}
	if _, err := src.Read(t.Context(), "-"); !errors.Is(err, ErrStdin) {
		t.Errorf("error %v, want %v", err, ErrStdin)
	}
}

// TestFileNamedDash reads a file whose name is that of standard input.
func TestFileNamedDash(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("-", []byte("[1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := Source{Stdin: strings.NewReader("{}")}
	if f, err := src.Read(t.Context(), "./-"); err != nil || string(f.Data) != "[1]" {
		t.Errorf("%v, %v", f, err)
	}
}

// TestPipe reads a pipe by its name, as <(...) of a shell makes them: it cannot
// be read twice and its size is not known.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() {
		for part := range slices.Chunk(pack(t, gzipped, want), 1000) {
			if _, err := w.Write(part); err != nil {
				t.Error(err)
			}
		}
		w.Close()
	}()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Logf("no %s here: the pipe is read as standard input", name)
		name = "-"
	}
	src := Source{Stdin: r}
	f, err := src.Read(t.Context(), name)
	if err != nil || !bytes.Equal(f.Data, want) {
		t.Errorf("%v", err)
	}
}

func TestCancel(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	src := Source{Stdin: r}
	if _, err := src.Read(ctx, "-"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":             "plain",
		"naïve \u65e5 name": "naïve \u65e5 name",
		`C:\a`:              `C:\a`,
		"\x1b[2J":           `\x1b[2J`,
		"a\nb":              `a\nb`,
		"\u202e\u200b":      `\u202e\u200b`,
		"\xff\xfe":          `\xff\xfe`,
		"\ufffd":            "\ufffd",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
