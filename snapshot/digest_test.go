package snapshot_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/internal/reference"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func decode(t testing.TB, doc []byte) *snapshot.Snapshot {
	t.Helper()
	s, err := capture.Decode(doc, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return s
}

// digests are pairs of captures and whether they have one digest.
var digests = []struct {
	name, why string
	a, b      string
	same      bool
}{
	{"layout", "", `{"records":[{"id":"a","fields":{"v":1}}]}`, ` { "records" : [ { "fields" : { "\u0076" : 1.0 } , "id" : "a" } ] } `, true},
	{"integer id", "", `{"records":[{"id":1}]}`, `{"records":[{"id":"1"}]}`, true},
	{"defaults", "", `{"records":[{"id":"a"}]}`, `{"format":"pagestate/1","scopes":[],"records":[{"id":"a","scope":"","fields":{}}],"actions":[]}`, true},
	{"order of fields", "", `{"records":[{"id":"a","fields":{"v":1,"w":2}}]}`, `{"records":[{"id":"a","fields":{"w":2,"v":1}}]}`, true},
	{"order of scopes", "", `{"scopes":[{"id":"a"},{"id":"b"}]}`, `{"scopes":[{"id":"b"},{"id":"a"}]}`, true},
	{"order of actions", "", `{"actions":[{"id":"a","description":"A"},{"id":"b","description":"B"}]}`, `{"actions":[{"id":"b","description":"B"},{"id":"a","description":"A"}]}`, true},
	{"order of records", "", `{"records":[{"id":"a"},{"id":"b"}]}`, `{"records":[{"id":"b"},{"id":"a"}]}`, false},
	{"order of unordered records", "", `{"scopes":[{"id":"s","unordered":true}],"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"}]}`, `{"scopes":[{"id":"s","unordered":true}],"records":[{"id":"b","scope":"s"},{"id":"a","scope":"s"}]}`, true},
	{"scopes in turn", "records of one scope between those of another", `{"records":[{"id":"a","scope":"s"},{"id":"a","scope":"t"},{"id":"b","scope":"s"}]}`, `{"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"},{"id":"a","scope":"t"}]}`, true},
	{"title", "", `{"page":{"title":"A"},"records":[]}`, `{"page":{"title":"B"},"records":[]}`, true},
	{"url", "", `{"page":{"url":"A"},"records":[]}`, `{"page":{"url":"B"},"records":[]}`, false},
	{"declared with records", "a declaration that says nothing", `{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s"}]}`, `{"records":[{"id":"a","scope":"s"}]}`, true},
	{"declared without records", "", `{"scopes":[{"id":"s"}]}`, `{"scopes":[]}`, false},
	{"state", "active is the default", `{"scopes":[{"id":"s","state":"active"}]}`, `{"scopes":[{"id":"s"}]}`, true},
	{"other state", "", `{"scopes":[{"id":"s","state":"inactive"}]}`, `{"scopes":[{"id":"s"}]}`, false},
	{"order of declared names", "", `{"scopes":[{"id":"s","volatile":["a","b","a"]}]}`, `{"scopes":[{"id":"s","volatile":["b","a"]}]}`, true},
	{"volatile and sensitive", "", `{"scopes":[{"id":"s","volatile":["a"]}]}`, `{"scopes":[{"id":"s","sensitive":["a"]}]}`, false},
	{"total", "", `{"scopes":[{"id":"s","total":5}]}`, `{"scopes":[{"id":"s","total":6}]}`, false},
	{"total and offset", "", `{"scopes":[{"id":"s","total":5}]}`, `{"scopes":[{"id":"s","offset":5}]}`, false},
	{"value and type", "", `{"records":[{"id":"a","fields":{"v":1}}]}`, `{"records":[{"id":"a","fields":{"v":"1"}}]}`, false},
	{"null and absent", "", `{"records":[{"id":"a","fields":{"v":null}}]}`, `{"records":[{"id":"a"}]}`, false},
	{"names run together", "", `{"records":[{"id":"a","fields":{"ab":"c"}}]}`, `{"records":[{"id":"a","fields":{"a":"bc"}}]}`, false},
	{"scope and id run together", "", `{"records":[{"id":"b","scope":"a"}]}`, `{"records":[{"id":"ab"}]}`, false},
	{"record and action", "", `{"records":[{"id":"a"}]}`, `{"actions":[{"id":"a","description":"a"}]}`, false},
	{"masked", "between files masked values are equal", `{"scopes":[{"id":"s","sensitive":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`, `{"scopes":[{"id":"s","sensitive":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":"[masked]"}}]}`, true},
	{"masked and empty", "", `{"scopes":[{"id":"s","sensitive":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":""}}]}`, `{"scopes":[{"id":"s","sensitive":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":"x"}}]}`, false},
	{"unavailable without a reason", "", `{"actions":[{"id":"a","description":"A","available":false}]}`, `{"actions":[{"id":"a","description":"A","available":""}]}`, true},
	{"unavailable", "", `{"actions":[{"id":"a","description":"A","available":false}]}`, `{"actions":[{"id":"a","description":"A","available":true}]}`, false},
	{"params", "compare as JSON", `{"actions":[{"id":"a","description":"A","params":{"x":1,"y":2}}]}`, `{"actions":[{"id":"a","description":"A","params":{"y":2.0,"x":1}}]}`, true},
	{"group", "", `{"actions":[{"id":"a","description":"A","group":"g"}]}`, `{"actions":[{"id":"a","description":"A"}]}`, false},
	{"view", "is how one looked", `{"view":{"limit":5},"records":[]}`, `{"records":[]}`, true},
	{"replaces", "is about another snapshot", `{"records":[{"id":"a","replaces":"b"}]}`, `{"records":[{"id":"a"}]}`, true},
	{"lone surrogates", "both show as U+FFFD", `{"records":[{"id":"a","fields":{"v":"\ud800"}}]}`, `{"records":[{"id":"a","fields":{"v":"\ud801"}}]}`, false},
}

func TestDigests(t *testing.T) {
	for _, test := range digests {
		t.Run(test.name, func(t *testing.T) {
			a, b := decode(t, []byte(test.a)).Digest(), decode(t, []byte(test.b)).Digest()
			if (a == b) != test.same || (a.String() == b.String()) != test.same {
				t.Errorf("one digest is %v (%s)", !test.same, test.why)
			}
		})
	}
}

// TestDigestIsStable pins the digest, which is the same in every process and
// may be stored.
func TestDigestIsStable(t *testing.T) {
	doc := `{"page":{"url":"https://shop.example/"},"scopes":[{"id":"s","label":"S","unordered":true,"total":9,"volatile":["age"]}],
		"records":[{"id":"b","scope":"s","fields":{"v":[1e2,null,{"z":"é"}],"a":true}},{"id":"a","scope":"s"}],
		"actions":[{"id":"go@a","description":"Go","record":"a","scope":"s","available":"Wait.","params":{"type":"object"}}]}`
	const want = "44322aba2c0bfee16a48581a0b4ee1bf"
	if got := decode(t, []byte(doc)).Digest().String(); got != want {
		t.Errorf("digest %s, want %s: stored revisions no longer compare", got, want)
	}
}

// TestDigestLaws checks, over pages and one edit of each, that respelling and
// shuffling what has no order keep the digest, and that whatever the reference
// sees changes it.
func TestDigestLaws(t *testing.T) {
	changed := 0
	for seed := range 1500 {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		page := pagetest.Generate(rng, rng.IntN(12))
		doc := page.JSON()
		digest := decode(t, doc).Digest()
		if other := pagetest.Respell(doc, rng); decode(t, other).Digest() != digest {
			t.Fatalf("seed %d: other digest in other bytes\n%s\n%s", seed, doc, other)
		}
		shuffled := page.Clone()
		rng.Shuffle(len(shuffled.Scopes), func(i, j int) {
			shuffled.Scopes[i], shuffled.Scopes[j] = shuffled.Scopes[j], shuffled.Scopes[i]
		})
		if distinctScopes(shuffled) && decode(t, shuffled.JSON()).Digest() != digest {
			t.Fatalf("seed %d: other digest with scopes in another order\n%s\n%s", seed, doc, shuffled.JSON())
		}
		// Records of different scopes may pass each other.
		slices.SortStableFunc(shuffled.Records, func(a, b pagetest.Record) int { return strings.Compare(b.Scope, a.Scope) })
		if distinctScopes(shuffled) && decode(t, shuffled.JSON()).Digest() != digest {
			t.Fatalf("seed %d: other digest with records grouped by scope\n%s\n%s", seed, doc, shuffled.JSON())
		}

		edited := pagetest.Mutate(rng, page, 1).JSON()
		e, err := reference.Diff(doc, edited, "values")
		if err != nil {
			t.Fatal(err)
		}
		same := decode(t, edited).Digest() == digest
		if !e.Same() {
			changed++
			if same {
				t.Fatalf("seed %d: one digest, but\n%s\n%s\ndiffer: %s", seed, doc, edited, e.JSON("names", true))
			}
		}
		if !same && bytes.Equal(sortedJSON(t, doc), sortedJSON(t, edited)) {
			t.Fatalf("seed %d: two digests of one content\n%s\n%s", seed, doc, edited)
		}
	}
	if changed < 750 {
		t.Errorf("only %d edits of 1500 changed anything", changed)
	}
}

func distinctScopes(p pagetest.Page) bool {
	seen := map[string]bool{}
	for _, s := range p.Scopes {
		if seen[s.ID] {
			return false
		}
		seen[s.ID] = true
	}
	return true
}

// sortedJSON returns the document with members sorted and without what is no
// content.
func sortedJSON(t *testing.T, doc []byte) []byte {
	var top map[string]any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&top); err != nil {
		t.Fatal(err)
	}
	if page, ok := top["page"].(map[string]any); ok {
		delete(page, "title")
		delete(page, "document")
	}
	delete(top, "view")
	out, err := json.Marshal(top)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
