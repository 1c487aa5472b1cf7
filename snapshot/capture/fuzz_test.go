package capture_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// seeds returns the inputs of all tables and case files.
func seeds(t testing.TB) [][]byte {
	var out [][]byte
	for _, c := range refusals {
		out = append(out, []byte(strings.Replace(c.in, mark, "", 1)))
	}
	for _, c := range accepted {
		out = append(out, []byte(c.in))
	}
	files, err := filepath.Glob("testdata/C*/*")
	if err != nil || len(files) == 0 || len(refusals) == 0 || len(accepted) == 0 {
		t.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		if data := readFile(t, file); len(data) < 20_000 {
			out = append(out, data)
		}
	}
	return out
}

// FuzzDecode checks the laws of the codec on any input: see checkLaws.
func FuzzDecode(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	var d capture.Decoder
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opts := range []*capture.Options{nil, {Rows: true}, {NDJSON: true, Key: "id"}} {
			checkLaws(t, &d, data, opts)
		}
	})
}

// checkLaws checks that data
//   - is decoded or refused within bounds of memory, with an error that has a
//     place in the input and one printable line of text;
//   - is refused as no JSON only if encoding/json agrees, and accepted only if
//     it does;
//   - once decoded, is written as valid JSON that is read back with the same
//     digest, or, if text was repaired, is not changed by more of that.
func checkLaws(t *testing.T, d *capture.Decoder, data []byte, opts *capture.Options) {
	before := allocated()
	snap, err := capture.Decode(data, opts)
	if got := allocated() - before; got > 192*uint64(len(data))+1<<20 {
		t.Errorf("%d bytes allocated for %d", got, len(data))
	}
	plain := len(data) > 1 && data[0] != 0xEF && data[0] < 0xFE && data[0] != 0 && data[1] != 0 && (opts == nil || !opts.NDJSON && !opts.Rows)
	if err != nil {
		var pos *records.PosError
		if !errors.As(err, &pos) || pos.Offset < 0 || pos.Offset > len(data) {
			t.Errorf("error %v has no place in the input of %d bytes", err, len(data))
		}
		if text := err.Error(); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7F && records.Hidden(r) || r == 0x7F }) {
			t.Errorf("unprintable error %q", text)
		}
		if plain && (errors.Is(err, records.ErrSyntax) || errors.Is(err, capture.ErrEmpty)) && json.Valid(data) {
			t.Errorf("error %v, but it is JSON", err)
		}
		return
	}
	if plain && !json.Valid(data) {
		t.Error("accepted, but it is no JSON")
	}
	again, err := d.Decode(data, opts)
	if err != nil || again.Digest() != snap.Digest() {
		t.Fatalf("a used decoder finds something else: %v", err)
	}
	written := checkWritten(t, snap, !repaired(snap))
	checkWritten(t, written, true)
}

// checkWritten writes snap and returns what is read back.
func checkWritten(t *testing.T, snap *snapshot.Snapshot, same bool) *snapshot.Snapshot {
	text := capture.Append(nil, snap)
	if !json.Valid(text) || !records.Intact(text) {
		t.Fatalf("written as no JSON: %q", text)
	}
	again, err := capture.Decode(text, nil)
	if err != nil {
		t.Fatalf("written as %q, which is refused: %v", text, err)
	}
	if same && again.Digest() != snap.Digest() {
		t.Errorf("written as %q, which has another digest", text)
	}
	if same && dump(again) != dump(snap) {
		t.Errorf("written as %q, which is\n%s, not\n%s", text, dump(again), dump(snap))
	}
	if repaired(again) {
		t.Errorf("written as %q, which needs repair", text)
	}
	pretty, err := capture.Decode(capture.AppendPretty(nil, snap), nil)
	if err != nil || pretty.Digest() != again.Digest() {
		t.Errorf("pretty differs from plain: %v", err)
	}
	return again
}

// allocated returns the bytes allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
