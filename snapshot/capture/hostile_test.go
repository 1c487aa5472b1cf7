package capture_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// deep writes a capture with a value of n levels.
func deep(open, close string, n int) []byte {
	return []byte(`{"scopes":[{"id":"s","label":"S"}],"records":[{"id":"d","scope":"s","fields":{"v":` +
		strings.Repeat(open, n) + "1" + strings.Repeat(close, n) + `}}],"actions":[]}` + "\n")
}

// TestDeep is report C21: nesting beyond the limit is an error that names it,
// soon and without a stack overflow.
func TestDeep(t *testing.T) {
	var d capture.Decoder
	for _, c := range []struct {
		levels, limit int
		ok            bool
	}{
		// Four levels are around the value: document, records, record, fields.
		{996, 0, true}, {997, 0, false}, {9000, 0, false}, {20_000, 0, false}, {1_000_000, 0, false},
		{9000, 10_000, true}, {20_000, 10_000, false},
	} {
		for _, kind := range [][2]string{{"[", "]"}, {`{"k":`, "}"}} {
			in := deep(kind[0], kind[1], c.levels)
			start := time.Now()
			snap, err := d.Decode(in, &capture.Options{MaxDepth: c.limit})
			if took := time.Since(start); took > time.Second {
				t.Errorf("%d levels of %s took %v", c.levels, kind[0], took)
			}
			if c.ok {
				if err != nil {
					t.Errorf("%d levels of %s: %v", c.levels, kind[0], err)
				} else if text := capture.Append(nil, snap); len(text) < c.levels {
					t.Errorf("wrote %d bytes", len(text))
				}
				continue
			}
			limit := max(c.limit, 1000*btoi(c.limit == 0))
			if !errors.Is(err, records.ErrDepth) || !strings.Contains(err.Error(), fmt.Sprintf("limit is %d levels at /records/0/fields/v/", limit)) || len(err.Error()) > 400 {
				t.Errorf("%d levels of %s: error %v", c.levels, kind[0], err)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hostile are inputs made to cost more than their size.
var hostile = []struct {
	name, why string
	make      func(n int) []byte // about n bytes
}{
	{"exponents", "1e999999 as digits is a megabyte", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{`, n, func(i int) string { return fmt.Sprintf(`"f%d":1e999999%d`, i, i) }, `}}]}`)
	}},
	{"fields", "each new name is compared with those before it", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{`, n, func(i int) string { return fmt.Sprintf(`"%x":1`, i) }, `}}]}`)
	}},
	{"layouts", "no two records alike", func(n int) []byte {
		return repeat(`{"records":[`, n, func(i int) string { return fmt.Sprintf(`{"id":1,"fields":{"%x":1}}`, i) }, `]}`)
	}},
	{"scopes of records", "each record in a scope of its own", func(n int) []byte {
		return repeat(`{"records":[`, n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":%d}`, i) }, `]}`)
	}},
	{"scopes", "", func(n int) []byte {
		return repeat(`{"scopes":[`, n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }, `]}`)
	}},
	{"scopes alike", "each is diagnosed", func(n int) []byte {
		return repeat(`{"scopes":[`, n, func(i int) string { return `{"id":1}` }, `]}`)
	}},
	{"records alike", "each is diagnosed", func(n int) []byte {
		return repeat(`{"records":[`, n, func(i int) string { return `{"id":1}` }, `]}`)
	}},
	{"records without id", "", func(n int) []byte {
		return repeat(`{"scopes":[{"id":"","inferred":true}],"records":[`, n, func(i int) string { return `{}` }, `]}`)
	}},
	{"lacking in many scopes", "", func(n int) []byte {
		return repeat(`{"records":[`, n, func(i int) string { return fmt.Sprintf(`{"scope":%d}`, i) }, `]}`)
	}},
	{"actions", "each lacks a description", func(n int) []byte {
		return repeat(`{"actions":[`, n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }, `]}`)
	}},
	{"actions alike", "each needs an id of its own", func(n int) []byte {
		return repeat(`{"actions":[`, n, func(i int) string { return `{"id":1}` }, `]}`)
	}},
	{"unknown members", "each new name is compared with those before it", func(n int) []byte {
		return repeat(`{"records":[],`, n, func(i int) string { return fmt.Sprintf(`"%x":1`, i) }, `}`)
	}},
	{"empty values", "five bytes for two", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{"a":[`, n, func(i int) string { return `[]` }, `]}}]}`)
	}},
	{"members out of order", "", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{"a":{`, n, func(i int) string { return fmt.Sprintf(`"%x":0`, i*7919%1_000_003) }, `}}}]}`)
	}},
	{"nest out of order", "sorting each level as it ends moves the core at each", func(n int) []byte {
		const levels = 900
		core := `"` + strings.Repeat("x", n-levels*13) + `"`
		return []byte(`{"records":[{"id":1,"fields":{"v":` + strings.Repeat(`{"b":1,"a":`, levels) + core + strings.Repeat(`}`, levels) + `}}]}`)
	}},
	{"broken text", "each is diagnosed", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{`, n, func(i int) string { return fmt.Sprintf(`"%x":"\ud800"`, i) }, `}}]}`)
	}},
	{"names alike after repair", "", func(n int) []byte {
		return repeat(`{"records":[{"id":1,"fields":{`, n, func(i int) string {
			return fmt.Sprintf(`"\ud8%02x\ud8%02x\ud8%02x":1`, i>>16&255, i>>8&255, i&255)
		}, `}}]}`)
	}},
	{"fields first", "read twice", func(n int) []byte {
		return repeat(`{"records":[`, n, func(i int) string { return fmt.Sprintf(`{"fields":{"a":[1,2,{"b":3}]},"id":%d}`, i) }, `]}`)
	}},
	{"untracked", "", func(n int) []byte {
		return repeat(`{"records":[],"untracked":{`, n, func(i int) string { return fmt.Sprintf(`"%x":1`, i) }, `}}`)
	}},
}

// repeat writes parts between head and tail until they are n bytes.
func repeat(head string, n int, part func(int) string, tail string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(part(i))
	}
	b.WriteString(tail)
	return b.Bytes()
}

// mostPerByte bounds the memory that decoding allocates, garbage included, per byte
// of input; it is the multiple that the package comment states.
const mostPerByte = 192

// TestHostile checks that time grows with the input and no faster, and memory
// within the bound.
func TestHostile(t *testing.T) {
	const size = 1 << 19
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			cost := func(n int) (bytesPer float64, took time.Duration) {
				in := c.make(n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				snap, err := capture.Decode(in, nil)
				took = time.Since(start)
				runtime.ReadMemStats(&after)
				if err == nil {
					start = time.Now()
					out := capture.Append(nil, snap)
					took += time.Since(start)
					if _, err := capture.Decode(out, nil); err != nil {
						t.Fatalf("written capture is refused: %v", err)
					}
				} else if c.name != "lacking in many scopes" {
					t.Fatal(err)
				}
				return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(in)), took
			}
			// Eight times the input may take eight times as long, and as long again
			// for what the machine does besides; when that is much, it is tried anew.
			linear := func(small, large time.Duration) bool {
				return large <= 40*small+100*time.Millisecond && large <= 2*time.Second
			}
			_, small := cost(size / 8)
			perByte, large := cost(size)
			for again := 0; again < 4 && !linear(small, large); again++ {
				_, took := cost(size)
				large = min(large, took)
			}
			t.Logf("%s: %.1f bytes a byte, %v and %v", strconv.Quote(c.name), perByte, small, large)
			if perByte > mostPerByte {
				t.Errorf("%.1f bytes allocated per byte", perByte)
			}
			if !linear(small, large) {
				t.Errorf("%v for %d bytes, %v for %d", small, size/8, large, size)
			}
		})
	}
}

// TestTooMany checks the bound on what is kept besides records.
func TestTooMany(t *testing.T) {
	opts := &capture.Options{MaxTracked: 3}
	for in, text := range map[string]string{
		`{"scopes":[{"id":1},{"id":2},{"id":3},¦{"id":4}]}`:     "more than 3 scopes",
		`{"actions":[{"id":1},{"id":2},{"id":3},¦{"id":4}]}`:    "more than 3 actions",
		`{"records":[],"untracked":{"a":1,"b":1,"c":1,"d":¦1}}`: "more than 3 scopes",
	} {
		at := strings.Index(in, mark)
		_, err := capture.Decode([]byte(strings.Replace(in, mark, "", 1)), opts)
		var pos *records.PosError
		if !errors.Is(err, capture.ErrTooMany) || !errors.As(err, &pos) || pos.Offset != at || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want %q at %d", in, err, text, at)
		}
	}
	snap, err := capture.Decode([]byte(`{"records":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5,"scope":"s"}]}`), opts)
	if err != nil || snap.Len() != 3 || snap.Untracked() != 2 {
		t.Fatalf("%v", err)
	}
	checkRoundTrip(t, snap)
}

// TestExponents is report C08: exponents cost neither time nor memory.
func TestExponents(t *testing.T) {
	for _, c := range []struct {
		file string
		took time.Duration
		mib  uint64
	}{
		{"testdata/C08/hostile-exponent.json", 200 * time.Millisecond, 8},
		{"testdata/C08/many-exponents.json", time.Second, 32},
	} {
		data := readFile(t, c.file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		a, err := capture.Decode(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := capture.Decode(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Digest() != b.Digest() {
			t.Errorf("%s differs from itself", c.file)
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; took > c.took || mib > c.mib {
			t.Errorf("%s took %v and %d MiB", c.file, took, mib)
		}
	}
}
