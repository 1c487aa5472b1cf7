package diff_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestPatch applies patches with another implementation of RFC 6902.
func TestPatch(t *testing.T) {
	var d diff.Differ
	for seed := range 2000 {
		b, a := decodePair(t, uint64(seed))
		patch, err := jsonpatch.DecodePatch(d.Compare(b, a, nil).AppendPatch(nil))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		doc, err := patch.Apply(capture.Append(nil, b))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := capture.Decode(doc, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := maskedAs(t, a, b)
		if got.Digest() != want.Digest() || got.Page().Title != a.Page().Title {
			t.Fatalf("seed %d: patch %s\ngives %s\nwant  %s", seed, d.Compare(b, a, nil).AppendPatch(nil), doc, capture.Append(nil, a))
		}
		if !d.Compare(got, want, nil).Same() {
			t.Fatalf("seed %d: the patched document differs: %s", seed, d.Compare(got, want, nil).AppendJSON(nil, nil))
		}
	}
}

// maskedAs returns s with fields masked as well that its scopes do not declare sensitive
// and those of other do.
func maskedAs(t testing.TB, s, other *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	sensitive := map[string][]string{}
	for _, scope := range other.Scopes() {
		sensitive[scope.ID] = scope.Sensitive
	}
	var page map[string]any
	r := json.NewDecoder(bytes.NewReader(capture.Append(nil, s)))
	r.UseNumber()
	if err := r.Decode(&page); err != nil {
		t.Fatal(err)
	}
	records, _ := page["records"].([]any)
	for _, rec := range records {
		rec := rec.(map[string]any)
		scope, _ := rec["scope"].(string)
		fields, _ := rec["fields"].(map[string]any)
		for _, name := range sensitive[scope] {
			switch text, _ := json.Marshal(fields[name]); string(text) {
			case `null`, `""`, `[]`, `{}`: // these stay as they are
			default:
				fields[name] = "[masked]"
			}
		}
	}
	text, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	masked, err := capture.Decode(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return masked
}

// decodePair returns the snapshots of a mutated pair.
func decodePair(t testing.TB, seed uint64) (before, after *snapshot.Snapshot) {
	t.Helper()
	b, a := pagetest.Pair(rand.New(rand.NewPCG(seed, 2)))
	before, err := capture.Decode(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err = capture.Decode(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}
