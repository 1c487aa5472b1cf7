package reference

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// read returns a file of testdata.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCases(t *testing.T) {
	const same = `{"observed":true}`
	updated := func(list string) string { return `{"observed":true,"records":{"updated":[` + list + `]}}` }
	for _, test := range []struct{ name, why, before, after, want string }{
		{"move", "a permutation is no removal and no insertion", "C01/before", "C01/after",
			`{"observed":true,"records":{"reordered":true,"reorderedScopes":["queue"]}}`},
		{"twins", "identity is the id, never the content", "C01/twins-before", "C01/twins-after",
			`{"observed":true,"records":{"reordered":true,"reorderedScopes":["queue"]}}`},
		{"removal", "equal rows do not spread one removal", "C02/before", "C02/after",
			`{"observed":true,"records":{"removed":[{"id":"r23"}],"total":{"from":60,"to":59}}}`},
		{"insertion", "a shift of positions is no move", "C02/before", "C02/after-top-insert",
			`{"observed":true,"records":{"added":[{"id":"r61"}],"total":{"from":60,"to":61}}}`},
		{"duplicates", "equal contents of one key pair first", "C04/before", "C04/after",
			`{"observed":true,"records":{"removed":[{"id":"7"},{"id":"7"}],"total":{"from":3,"to":1}},` +
				`"diagnostics":[{"code":"duplicate-id","at":"seats/7","message":"duplicate id"}]}`},
		{"two scopes", "an id is one per scope", "C04/two-scopes-before", "C04/two-scopes-after",
			updated(`{"id":"7","scope":"cart","fields":["qty"]}`)},
		{"past 2^53", "exact values", "C07/before-1", "C07/after-1", updated(`{"id":"t1","fields":["ref"]}`)},
		{"twenty digits", "exact values", "C07/before-2", "C07/after-2", updated(`{"id":"t1","fields":["ref"]}`)},
		{"past int64", "exact values", "C07/before-3", "C07/after-3", updated(`{"id":"t1","fields":["ref"]}`)},
		{"binary expansion", "exact decimals", "C07/before-4", "C07/after-4", updated(`{"id":"t1","fields":["ref"]}`)},
		{"1 1.0", "one value", "C08/same-1-before", "C08/same-1-after", same},
		{"1 1e0", "one value", "C08/same-2-before", "C08/same-2-after", same},
		{"1 10e-1", "one value", "C08/same-3-before", "C08/same-3-after", same},
		{"0 -0", "one value", "C08/same-4-before", "C08/same-4-after", same},
		{"100 1E+2", "one value", "C08/same-5-before", "C08/same-5-after", same},
		{"0.0 0", "one value", "C08/same-6-before", "C08/same-6-after", same},
		{"1.10 1.1", "one value", "C08/same-7-before", "C08/same-7-after", same},
		{"1e400 1e401", "no overflow", "C08/diff-1-before", "C08/diff-1-after", updated(`{"id":"t1","fields":["ref"]}`)},
		{"1e-400 0", "no underflow", "C08/diff-2-before", "C08/diff-2-after", updated(`{"id":"t1","fields":["ref"]}`)},
		{"0.1 and a bit", "no rounding", "C08/diff-3-before", "C08/diff-3-after", updated(`{"id":"t1","fields":["ref"]}`)},
		{"2 and a bit", "no rounding", "C08/diff-4-before", "C08/diff-4-after", updated(`{"id":"t1","fields":["ref"]}`)},
		{"hostile exponent", "digits stay text", "C08/hostile-exponent", "C08/hostile-exponent", same},
		{"many exponents", "digits stay text", "C08/many-exponents", "C08/many-exponents", same},
		{"seven states", "null, absent and empty are told apart", "C09/before", "C09/after",
			updated(`{"id":"n1","fields":["v"]},{"id":"n2","fields":["v"]},{"id":"n3","fields":["v"]},{"id":"n4","fields":["v"]},` +
				`{"id":"n5","fields":["v"]},{"id":"n6","fields":["v"]},{"id":"n7","fields":["v"]},{"id":"n8","fields":["v"]},{"id":"n9","fields":["v"]}`)},
		{"letter case", "member names match exactly", "C11/before", "C11/after", updated(`{"id":"a","fields":["Status"]}`)},
		{"other bytes", "layout, order and escapes mean nothing", "C12/pretty", "C12/minified", same},
		{"top insert", "nothing is pushed out", "C17/before", "C17/after-top",
			`{"observed":true,"records":{"added":[{"id":"m13"}],"total":{"from":12,"to":13}}}`},
		{"tail removed", "nothing is beyond a bound", "C17/before", "C17/after-tail-removed",
			`{"observed":true,"records":{"removed":[{"id":"m10"}],"total":{"from":12,"to":11}}}`},
		{"tail edited", "nothing is beyond a bound", "C17/before", "C17/after-tail-edited", updated(`{"id":"m10","fields":["status"]}`)},
		{"window", "a row that leaves a window while the total grows is not removed", "C17/window-before", "C17/window-after",
			`{"observed":true,"records":{"added":[{"id":"m13"}],"total":{"from":12,"to":13},"window":{"left":1,"assumed":true}}}`},
		{"volatile", "declared noise only", "C18/before", "C18/after", updated(`{"id":"b","fields":["status"]}`)},
		{"confirmed", "the baseline never had the temporary row", "C19/0-empty", "C19/2-confirmed",
			`{"observed":true,"records":{"added":[{"id":"501"}],"total":{"from":1,"to":2}}}`},
		{"no hint", "never guessed from equal content", "C19/1-optimistic", "C19/2-confirmed",
			`{"observed":true,"records":{"added":[{"id":"501"}],"removed":[{"id":"tmp-1"}]}}`},
		{"hint", "one record whose id changed", "C19/1-optimistic", "C19/2-confirmed-with-hint", updated(`{"id":"501","replaces":"tmp-1"}`)},
		{"rolled back", "nothing changed", "C19/0-empty", "C19/3-rolled-back", same},
		{"scope gone", "one scope removal", "C57/full", "C57/only-s",
			`{"observed":true,"records":{"total":{"from":2,"to":1}},"scopes":{"removed":[{"id":"t","records":1,"ids":["b"]}]}}`},
		{"other page", "records are compared by key over a navigation", "C57/url-cart", "C57/url-orders",
			`{"observed":true,"page":{"url":{"from":"https://shop.example.test/cart","to":"https://shop.example.test/orders"},"navigated":true}}`},
		{"smaller limit", "what the limit cut off is not gone", "C57/full", "C57/limit1",
			`{"observed":true,"records":{"total":{"from":1,"to":500},"window":{"net":499}},` +
				`"diagnostics":[{"code":"view-differs","at":"view","message":"view differs"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := Diff(read(t, test.before+".json"), read(t, test.after+".json"), "names")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(e.JSON("names", true)); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.why, got, test.want)
			}
		})
	}
}

// The seed chapter's own example, byte for byte.
func TestSeedExample(t *testing.T) {
	for _, detail := range []string{"basic", "names"} {
		e, err := Diff(read(t, "C00/before.json"), read(t, "C00/after.json"), detail)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSpace(string(read(t, "C00/expect-"+detail+".json")))
		if got := string(e.JSON(detail, false)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", detail, got, want)
		}
	}
}

func TestUndeclaredIsNotNoise(t *testing.T) {
	quiet := func(name string) []byte {
		return []byte(strings.Replace(string(read(t, name)), `"volatile"`, `"not-volatile"`, 1))
	}
	e, err := Diff(quiet("C18/before.json"), quiet("C18/after.json"), "names")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"observed":true,"records":{"updated":[{"id":"a","fields":["posted","views"]},{"id":"b","fields":["posted","views","status"]}]}}`
	if got := string(e.JSON("names", true)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	good := []byte(`{"records":[]}`)
	for _, test := range []struct{ name, why, text string }{
		{"nan", "no JSON", string(read(t, "C08/nan.json"))},
		{"infinity", "no JSON", string(read(t, "C08/infinity.json"))},
		{"leading zero", "no JSON", string(read(t, "C08/leading-zero.json"))},
		{"plus", "no JSON", string(read(t, "C08/plus.json"))},
		{"empty", "no document", ``},
		{"cut", "half a document", `{"records":[`},
		{"trailing", "two documents", `{"records":[]}{}`},
		{"no capture", "nothing that a capture has", `{"page":{}}`},
		{"array", "rows are another form", `[]`},
		{"major", "another format", `{"format":"pagestate/2"}`},
		{"null id", "no identity", `{"records":[{"id":null}]}`},
		{"missing id", "no identity", `{"records":[{}]}`},
		{"empty id", "no identity", `{"records":[{"id":""}]}`},
		{"fraction id", "an integer literal has none", `{"records":[{"id":1.0}]}`},
		{"exponent id", "an integer literal has none", `{"records":[{"id":1e0}]}`},
		{"repeated member", "also through escapes", `{"records":[{"id":"a","\u0069d":"b"}]}`},
		{"wrong type", "a label is text", `{"scopes":[{"id":"s","label":1}]}`},
		{"negative total", "a count", `{"scopes":[{"id":"s","total":-1}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Diff([]byte(test.text), good, "names"); err == nil {
				t.Errorf("accepted before, %s: %s", test.why, test.text)
			}
			if _, err := Diff(good, []byte(test.text), "names"); err == nil {
				t.Errorf("accepted after, %s: %s", test.why, test.text)
			}
		})
	}
	if _, err := Diff(good, good, "more"); err == nil {
		t.Error("accepted an unknown detail level")
	}
}
