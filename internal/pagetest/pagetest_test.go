package pagetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pagestate/pagestate/internal/reference"
	"pgregory.net/rapid"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func naive(before, after []byte) ([]byte, error) {
	e, err := reference.Diff(before, after, "names")
	if err != nil {
		return nil, err
	}
	return e.WithoutDiagnostics().JSON("names", false), nil
}

func TestLawsHoldForTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := seeded(rapid.Uint64().Draw(t, "seed"))
		before, after := Pair(rng)
		if err := Compare(naive).CheckAll(before, after, rng); err != nil {
			t.Fatalf("%v\nbefore %s\nafter  %s", err, before, after)
		}
	})
}

func TestDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		b1, a1 := Pair(seeded(seed))
		b2, a2 := Pair(seeded(seed))
		if !bytes.Equal(b1, b2) || !bytes.Equal(a1, a2) {
			t.Fatalf("seed %d gives two pairs", seed)
		}
	}
}

func TestMutateLeavesItsInputAlone(t *testing.T) {
	for seed := range uint64(200) {
		rng := seeded(seed)
		p := Generate(rng, 8)
		before := p.JSON()
		Mutate(rng, p, 10)
		if !bytes.Equal(before, p.JSON()) {
			t.Fatalf("seed %d: changed", seed)
		}
	}
}

// Every kind of evidence must turn up often enough to be tested, and so must
// pairs without any.
func TestEveryKindOfEvidenceTurnsUp(t *testing.T) {
	const pairs = 3000
	seen := map[string]int{}
	count := func(kind string, yes bool) {
		if yes {
			seen[kind]++
		} else {
			seen[kind] += 0
		}
	}
	for seed := range uint64(pairs) {
		before, after := Pair(seeded(seed))
		e, err := reference.Diff(before, after, "values")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, before, after)
		}
		added, removed := e.Listed("names")
		count("same", e.Same())
		count("added", len(added) > 0)
		count("removed", len(removed) > 0)
		count("updated", len(e.Updated) > 0)
		count("one updated only", len(e.Updated) == 1 && len(e.Added)+len(e.Removed) == 0)
		var moved, replaced, inferred, pure bool
		for _, u := range e.Updated {
			moved = moved || u.ScopeFrom != ""
			replaced = replaced || u.Replaces != ""
			inferred = inferred || u.Inferred
			pure = pure || len(u.Fields) == 0
		}
		count("moved", moved)
		count("replaced", replaced)
		count("inferred", inferred)
		count("no fields", pure)
		count("reordered", e.Reordered)
		count("entered", e.Window.Entered > 0)
		count("left", e.Window.Left > 0)
		count("net", e.Window.Net != 0)
		count("assumed", e.Window.Assumed)
		count("window without assuming", e.Window.Entered+e.Window.Left > 0 && !e.Window.Assumed)
		count("scopes added", len(e.ScopesAdded) > 0)
		count("scopes removed", len(e.ScopesRemoved) > 0)
		count("scopes updated", len(e.ScopesUpdated) > 0)
		count("actions added", len(e.ActionsAdded) > 0)
		count("actions removed", len(e.ActionsRemoved) > 0)
		for _, a := range e.ActionsUpdated {
			for _, f := range a.Fields {
				count("action "+f, true)
			}
		}
		count("navigated", e.Navigated)
		for _, d := range e.Diagnostics {
			count(d.Code, true)
		}
	}
	for _, kind := range []string{"id", "description", "kind", "primitive", "available", "params", "scope", "record"} {
		count("action "+kind, false)
	}
	for _, code := range []string{"duplicate-id", "duplicate-scope", "view-differs"} {
		count(code, false)
	}
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		n := seen[kind]
		t.Logf("%-24s %5.1f %%", kind, 100*float64(n)/pairs)
		if n < pairs/200 {
			t.Errorf("%s: in %d of %d pairs", kind, n, pairs)
		}
	}
}

// Every edit must be able to change the capture, or it tests nothing.
func TestEveryScriptMatters(t *testing.T) {
	for i, script := range scripts {
		changed := 0
		for seed := range uint64(100) {
			rng := seeded(seed)
			p := Generate(rng, 6)
			c := p.Clone()
			script(rng, &c)
			if !reflect.DeepEqual(p, c) {
				changed++
			}
		}
		if changed < 5 {
			t.Errorf("script %d changes %d pages of 100", i, changed)
		}
	}
}

func TestRespell(t *testing.T) {
	doc := Generate(seeded(7), 10).JSON()
	rng := seeded(8)
	spellings := map[string]bool{}
	for range 50 {
		other := Respell(doc, rng)
		if !json.Valid(other) {
			t.Fatalf("no JSON: %s", other)
		}
		spellings[string(other)] = true
	}
	if len(spellings) < 50 {
		t.Errorf("%d spellings of 50", len(spellings))
	}
}

func TestRespellNumber(t *testing.T) {
	rng := seeded(9)
	for _, n := range numbers {
		spellings := map[Number]bool{}
		for range 200 {
			other := respellNumber(n, rng)
			if !json.Valid([]byte(other)) || !reference.Number(n).Equal(reference.Number(other)) {
				t.Fatalf("%s became %s", n, other)
			}
			spellings[other] = true
		}
		if len(spellings) < 5 {
			t.Errorf("%s: only %d spellings", n, len(spellings))
		}
	}
}

func TestNudge(t *testing.T) {
	for _, n := range numbers {
		if other := nudge(n); !json.Valid([]byte(other)) || reference.Number(n).Equal(reference.Number(other)) {
			t.Errorf("%s became %s", n, other)
		}
	}
}

// A byte of the data is a choice, and any choice can be had.
func TestNewRand(t *testing.T) {
	for _, n := range []int{2, 3, 4, 9, 16, 33} {
		got := map[int]bool{}
		for b := range 256 {
			got[NewRand([]byte{byte(b)}).IntN(n)] = true
		}
		if len(got) != n {
			t.Errorf("%d of %d choices", len(got), n)
		}
	}
	pages := map[string]bool{}
	for b := range 64 {
		data := bytes.Repeat([]byte{17, 200, 3, 90}, 20)
		data[b] ^= 0x55
		page := Generate(NewRand(data), 3).JSON()
		if !bytes.Equal(page, Generate(NewRand(data), 3).JSON()) {
			t.Fatal("two pages of one data")
		}
		pages[string(page)] = true
	}
	if len(pages) < 30 {
		t.Errorf("%d pages of 64 data", len(pages))
	}
	Generate(NewRand(nil), 50)
	Generate(NewRand(make([]byte, 1000)), 50)
}
