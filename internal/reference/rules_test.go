package reference

import (
	"fmt"
	"testing"
)

// A rule is one table row: two captures and the whole compact evidence at
// names.
type rule struct{ name, why, before, after, want string }

func check(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			e, err := Diff([]byte(r.before), []byte(r.after), "names")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(e.WithoutDiagnostics().JSON("names", true)); got != r.want {
				t.Errorf("%s\ngot  %s\nwant %s", r.why, got, r.want)
			}
		})
	}
}

const same = `{"observed":true}`

// rows is a capture of one undeclared scope s from "id" or "id:value" texts.
func rows(ids ...string) string { return window("", ids...) }

// window is rows whose scope declares more members.
func window(declared string, ids ...string) string {
	text := `{"records":[`
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":%q,"scope":"s"}`, id)
	}
	text += `]`
	if declared != "" {
		text += `,"scopes":[{"id":"s",` + declared + `}]`
	}
	return text + `}`
}

func TestRecords(t *testing.T) {
	one := func(id, fields string) string {
		return `{"records":[{"id":` + id + `,"scope":"s","fields":{` + fields + `}}]}`
	}
	check(t, []rule{
		{"nothing", "an empty capture is a capture", `{"records":[]}`, `{"actions":[]}`, same},
		{"integer id", "1 and \"1\" are one id", one(`1`, ``), one(`"1"`, ``), same},
		{"minus zero id", "-0 is 0", one(`-0`, ``), one(`"0"`, ``), same},
		{"long id", "every digit is kept", one(`90071992547409930001`, ``), one(`"90071992547409930001"`, ``), same},
		{"type", "a number is no text", one(`"a"`, `"v":1`), one(`"a"`, `"v":"1"`), `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"normalisation", "code points are compared", one(`"a"`, `"v":"\u00e9"`), one(`"a"`, `"v":"e\u0301"`), `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"nested order", "members have none", one(`"a"`, `"v":{"x":1,"y":[2]}`), one(`"a"`, `"v":{"y":[2.0],"x":1e0}`), same},
		{"array order", "elements have one", one(`"a"`, `"v":[1,2]`), one(`"a"`, `"v":[2,1]`), `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"nested null", "null is not absent", one(`"a"`, `"v":{"x":null}`), one(`"a"`, `"v":{}`), `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"field order", "after's order, then what is gone in before's", one(`"a"`, `"gone":1,"x":1,"y":1,"lost":1,"z":1`), one(`"a"`, `"new":1,"z":1,"y":2,"x":2`),
			`{"observed":true,"records":{"updated":[{"id":"a","fields":["new","y","x","gone","lost"]}]}}`},
		{"list order", "added and updated as in after, removed as in before",
			`{"records":[{"id":"a","fields":{"v":1}},{"id":"b"},{"id":"c"},{"id":"d","fields":{"v":1}}]}`,
			`{"records":[{"id":"z"},{"id":"d"},{"id":"y"},{"id":"a"}]}`,
			`{"observed":true,"records":{"added":[{"id":"z"},{"id":"y"}],"removed":[{"id":"b"},{"id":"c"}],` +
				`"updated":[{"id":"d","fields":["v"]},{"id":"a","fields":["v"]}],"reordered":true,"reorderedScopes":[""]}}`},
		{"qualified", "one side with two scopes is enough", `{"records":[{"id":"a"},{"id":"a","scope":"t"}]}`, `{"records":[{"id":"b"}]}`,
			`{"observed":true,"records":{"added":[{"id":"b","scope":""}],"removed":[{"id":"a","scope":""},{"id":"a","scope":"t"}],"total":{"from":2,"to":1}}}`},
		{"declared scopes do not qualify", "only records do", `{"scopes":[{"id":"s"},{"id":"t"}],"records":[{"id":"a","scope":"s"}]}`,
			`{"scopes":[{"id":"s"},{"id":"t"}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"scope is identity", "no move without an identity space", `{"records":[{"id":"a","scope":"s"}]}`, `{"records":[{"id":"a","scope":"t"}]}`,
			`{"observed":true,"records":{"added":[{"id":"a"}],"removed":[{"id":"a"}]}}`},
	})
}

func TestDuplicates(t *testing.T) {
	row := func(v int) string { return fmt.Sprintf(`{"id":"a","fields":{"v":%d}}`, v) }
	list := func(a ...int) string {
		text := ""
		for i, v := range a {
			if i > 0 {
				text += ","
			}
			text += row(v)
		}
		return `{"records":[` + text + `]}`
	}
	check(t, []rule{
		{"by occurrence", "after equal contents", list(1, 2), list(3, 4), `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]},{"id":"a","fields":["v"]}]}}`},
		{"equal first", "2 stays 2", list(1, 2), list(2), `{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":2,"to":1}}}`},
		{"equal first, then occurrence", "2 stays, 1 becomes 3", list(1, 2), list(2, 3),
			`{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}],"reordered":true,"reorderedScopes":[""]}}`},
		{"one more", "the third is new", list(1, 1), list(1, 1, 1), `{"observed":true,"records":{"added":[{"id":"a"}],"total":{"from":2,"to":3}}}`},
		{"volatile does not count", "contents are what is compared",
			`{"scopes":[{"id":"s","volatile":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":1,"n":1}},{"id":"a","scope":"s","fields":{"v":2,"n":2}}]}`,
			`{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s","fields":{"v":3,"n":2}}]}`,
			`{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":2,"to":1}}}`},
		{"volatile alone", "rows that differ in nothing else are alike",
			`{"scopes":[{"id":"s","volatile":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":1}},{"id":"a","scope":"s","fields":{"v":2}}]}`,
			`{"scopes":[{"id":"s"}],"records":[{"id":"a","scope":"s","fields":{"v":2}},{"id":"a","scope":"s","fields":{"v":1}}]}`, same},
	})
}

func TestReordered(t *testing.T) {
	check(t, []rule{
		{"swap", "order changed", rows("a", "b"), rows("b", "a"), `{"observed":true,"records":{"reordered":true,"reorderedScopes":["s"]}}`},
		{"insertion", "survivors keep their order", rows("a", "b"), rows("x", "a", "y", "b"),
			`{"observed":true,"records":{"added":[{"id":"x"},{"id":"y"}],"total":{"from":2,"to":4}}}`},
		{"unordered before", "a declaration on either side counts", window(`"unordered":true`, "a", "b"), window(`"unordered":false`, "b", "a"), same},
		{"unordered after", "a declaration on either side counts", rows("a", "b"), window(`"unordered":true`, "b", "a"), same},
		{"between scopes", "order is within a scope", `{"records":[{"id":"a","scope":"s"},{"id":"a","scope":"t"}]}`, `{"records":[{"id":"a","scope":"t"},{"id":"a","scope":"s"}]}`, same},
		{"replaced", "one record, so its place counts", rows("a", "b"), `{"records":[{"id":"b","scope":"s"},{"id":"c","scope":"s","replaces":"a"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"c","replaces":"a"}],"reordered":true,"reorderedScopes":["s"]}}`},
		{"two scopes", "named in after's order",
			`{"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"},{"id":"a","scope":"t"},{"id":"b","scope":"t"}]}`,
			`{"records":[{"id":"b","scope":"t"},{"id":"a","scope":"t"},{"id":"b","scope":"s"},{"id":"a","scope":"s"}]}`,
			`{"observed":true,"records":{"reordered":true,"reorderedScopes":["t","s"]}}`},
	})
}

func TestDeclarations(t *testing.T) {
	page := func(declared, fields string) string {
		return `{"scopes":[{"id":"s"` + declared + `}],"records":[{"id":"a","scope":"s","fields":{` + fields + `}}]}`
	}
	updated := `{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`
	check(t, []rule{
		{"undeclared", "a difference", page(``, `"v":1`), page(``, `"v":2`), updated},
		{"volatile before", "either side", page(`,"volatile":["v"]`, `"v":1`), page(``, `"v":2`), same},
		{"volatile after", "either side", page(``, `"v":1`), page(`,"volatile":["v"]`, `"v":2`), same},
		{"volatile appears", "not compared at all", page(`,"volatile":["v"]`, ``), page(``, `"v":2`), same},
		{"volatile other", "only that field", page(`,"volatile":["w"]`, `"v":1`), page(``, `"v":2`), updated},
		{"sensitive before", "masked values of files are equal", page(`,"sensitive":["v"]`, `"v":"x"`), page(``, `"v":"y"`), same},
		{"sensitive after", "masked values of files are equal", page(``, `"v":1`), page(`,"sensitive":["v"]`, `"v":"[masked]"`), same},
		{"sensitive filled", "empty stays empty", page(`,"sensitive":["v"]`, `"v":""`), page(`,"sensitive":["v"]`, `"v":"y"`), updated},
		{"sensitive appears", "absent is no value", page(`,"sensitive":["v"]`, ``), page(`,"sensitive":["v"]`, `"v":"y"`), updated},
		{"sensitive null", "null hides nothing", page(`,"sensitive":["v"]`, `"v":null`), page(`,"sensitive":["v"]`, `"v":""`), updated},
		{"declared twice", "the first stands",
			`{"scopes":[{"id":"s","label":"x"},{"id":"s","label":"y","volatile":["v"]}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`,
			`{"scopes":[{"id":"s","label":"x"}],"records":[{"id":"a","scope":"s","fields":{"v":2}}]}`, updated},
	})
}

func TestMoves(t *testing.T) {
	board := func(ids string, list ...string) string {
		text := `{"scopes":[{"id":"s","ids":"` + ids + `"},{"id":"t","ids":"x"},{"id":"u","ids":"x"}],"records":[`
		for i, place := range list {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`{"id":%q,"scope":%q}`, place[1:], place[:1])
		}
		return text + `]}`
	}
	check(t, []rule{
		{"move", "one record in another column", board("x", "sa", "sb", "tc"), board("x", "sb", "ta", "tc"),
			`{"observed":true,"records":{"updated":[{"id":"a","scope":"t","scopeFrom":"s"}]}}`},
		{"last of its scope", "scopes are named by records in them", board("x", "sa"), board("x", "ta"),
			`{"observed":true,"records":{"updated":[{"id":"a","scopeFrom":"s"}]}}`},
		{"other space", "both must declare the same", board("y", "sa", "sb"), board("y", "sb", "ta"),
			`{"observed":true,"records":{"added":[{"id":"a","scope":"t"}],"removed":[{"id":"a","scope":"s"}]}}`},
		{"key on both sides", "then it is no move", board("x", "sa", "tb"), board("x", "sa", "ta", "tb"),
			`{"observed":true,"records":{"added":[{"id":"a","scope":"t"}],"total":{"from":2,"to":3}}}`},
		{"by occurrence", "first with first", board("x", "sa", "ta", "tb"), board("x", "ua", "tb"),
			`{"observed":true,"records":{"removed":[{"id":"a","scope":"t"}],"updated":[{"id":"a","scope":"u","scopeFrom":"s"}],"total":{"from":3,"to":2}}}`},
		{"into a new scope", "the scope counts the rest",
			`{"scopes":[{"id":"s","ids":"x"}],"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"}]}`,
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"b","scope":"s"},{"id":"a","scope":"t"},{"id":"c","scope":"t"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","scope":"t","scopeFrom":"s"}],"total":{"from":2,"to":3}},` +
				`"scopes":{"added":[{"id":"t","records":1,"ids":["c"]}]}}`},
		{"declared in time", "each side speaks for its own scope",
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t"}],"records":[{"id":"a","scope":"s"},{"id":"b","scope":"t"}]}`,
			`{"scopes":[{"id":"s"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"t"},{"id":"b","scope":"t"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","scope":"t","scopeFrom":"s"}]}}`},
		{"with a change", "fields of a moved record are compared",
			`{"scopes":[{"id":"s","ids":"x","volatile":["w"]},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"s","fields":{"v":1,"w":1}}]}`,
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"t","fields":{"v":2,"w":2}}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","scopeFrom":"s","fields":["v"]}]}}`},
	})
}

func TestReplaces(t *testing.T) {
	row := func(id, replaces string) string { return `{"id":"` + id + `","replaces":"` + replaces + `"}` }
	page := func(list string) string { return `{"records":[` + list + `]}` }
	check(t, []rule{
		{"confirmed", "one record", page(`{"id":"tmp","fields":{"v":1}}`), page(`{"id":"5","replaces":"tmp","fields":{"v":2}}`),
			`{"observed":true,"records":{"updated":[{"id":"5","replaces":"tmp","fields":["v"]}]}}`},
		{"integer", "ids are text", page(`{"id":"7"}`), page(`{"id":5,"replaces":7}`),
			`{"observed":true,"records":{"updated":[{"id":"5","replaces":"7"}]}}`},
		{"old one still there", "then both are records", page(`{"id":"tmp"}`), page(`{"id":"tmp"},` + row("5", "tmp")),
			`{"observed":true,"records":{"added":[{"id":"5"}],"total":{"from":1,"to":2}}}`},
		{"new one was there", "then it is itself", page(`{"id":"tmp"},{"id":"5"}`), page(row("5", "tmp")),
			`{"observed":true,"records":{"removed":[{"id":"tmp"}],"total":{"from":2,"to":1}}}`},
		{"unknown old", "then it is new", page(``), page(row("5", "tmp")),
			`{"observed":true,"records":{"added":[{"id":"5"}],"total":{"from":0,"to":1}}}`},
		{"two claims", "the first wins", page(`{"id":"tmp"}`), page(row("5", "tmp") + "," + row("6", "tmp")),
			`{"observed":true,"records":{"added":[{"id":"6"}],"updated":[{"id":"5","replaces":"tmp"}],"total":{"from":1,"to":2}}}`},
		{"both sides", "an old claim means nothing", page(row("5", "tmp")), page(row("5", "tmp")), same},
		{"other scope", "a key is (scope, id)", `{"records":[{"id":"tmp","scope":"s"}]}`, `{"records":[{"id":"5","scope":"t","replaces":"tmp"}]}`,
			`{"observed":true,"records":{"added":[{"id":"5"}],"removed":[{"id":"tmp"}]}}`},
		{"before a move", "explicit wins over the identity space",
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"s"},{"id":"b","scope":"s"}]}`,
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"t"},{"id":"c","scope":"s","replaces":"a"},{"id":"b","scope":"s"}]}`,
			`{"observed":true,"records":{"added":[{"id":"a","scope":"t"}],"updated":[{"id":"c","scope":"s","replaces":"a"}],"total":{"from":2,"to":3}}}`},
	})
}

func TestInferred(t *testing.T) {
	page := func(list ...string) string {
		text := `{"scopes":[{"id":"s","inferred":true,"volatile":["w"]}],"records":[`
		for i, v := range list {
			if i > 0 {
				text += ","
			}
			if v[0] == '#' {
				text += fmt.Sprintf(`{"id":%q,"scope":"s"}`, v[1:])
			} else {
				text += fmt.Sprintf(`{"scope":"s","fields":{"v":%q,"w":%q}}`, v[:1], v[1:])
			}
		}
		return text + `]}`
	}
	check(t, []rule{
		{"same", "equal rows are one", page("a", "b", "b", "c"), page("a", "b", "b", "c"), same},
		{"edited", "between the same neighbours", page("a", "b", "c"), page("a", "x", "c"),
			`{"observed":true,"records":{"updated":[{"id":"","inferred":true,"fields":["v"]}]}}`},
		{"edited at the end", "the end is a neighbour", page("a", "b"), page("a", "x"),
			`{"observed":true,"records":{"updated":[{"id":"","inferred":true,"fields":["v"]}]}}`},
		{"between keyed rows", "any matched row is a neighbour", page("#1", "b", "#2"), page("#1", "x", "#2"),
			`{"observed":true,"records":{"updated":[{"id":"","inferred":true,"fields":["v"]}]}}`},
		{"two edited", "never by position", page("a", "b", "c", "d"), page("a", "x", "y", "d"),
			`{"observed":true,"records":{"added":[{"id":""},{"id":""}],"removed":[{"id":""},{"id":""}]}}`},
		{"two gaps", "each has its own neighbours", page("a", "b", "c", "d", "e"), page("a", "x", "c", "y", "e"),
			`{"observed":true,"records":{"updated":[{"id":"","inferred":true,"fields":["v"]},{"id":"","inferred":true,"fields":["v"]}]}}`},
		{"removed", "nothing on the other side", page("a", "b", "c"), page("a", "c"),
			`{"observed":true,"records":{"removed":[{"id":""}],"total":{"from":3,"to":2}}}`},
		{"volatile only", "one row, and nothing that is compared", page("a", "b1", "c"), page("a", "b2", "c"), same},
		{"keyed rows do not", "a row with an id is itself", page("a", "#1", "c"), page("a", "#2", "c"),
			`{"observed":true,"records":{"added":[{"id":"2"}],"removed":[{"id":"1"}]}}`},
	})
}

func TestWindows(t *testing.T) {
	declared := func(total, offset int) string { return fmt.Sprintf(`"total":%d,"offset":%d`, total, offset) }
	check(t, []rule{
		{"grown by what appeared", "D of them", window(`"total":10`, "a", "b"), window(`"total":11`, "x", "a"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":10,"to":11},"window":{"left":1,"assumed":true}}}`},
		{"grown by more", "then nobody knows", window(`"total":10`, "a", "b"), window(`"total":12`, "x", "a"),
			`{"observed":true,"records":{"total":{"from":10,"to":12},"window":{"entered":1,"left":1,"net":2,"assumed":true}}}`},
		{"shrunk by what disappeared", "-D of them", window(`"total":10`, "a", "b"), window(`"total":9`, "b", "c"),
			`{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":10,"to":9},"window":{"entered":1,"assumed":true}}}`},
		{"scrolled", "nothing came or went", window(`"total":10`, "a", "b"), window(`"total":10`, "b", "c"),
			`{"observed":true,"records":{"window":{"entered":1,"left":1,"assumed":true}}}`},
		{"silent growth", "no row was seen", window(`"total":10`, "a"), window(`"total":12`, "a"),
			`{"observed":true,"records":{"total":{"from":10,"to":12},"window":{"net":2}}}`},
		{"offsets, inside", "between two rows that were inside", window(declared(10, 4), "a", "b", "c"), window(declared(11, 4), "a", "x", "b"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":10,"to":11},"window":{"left":1}}}`},
		{"offsets, removed inside", "between two rows that are inside", window(declared(10, 4), "a", "b", "c"), window(declared(9, 4), "a", "c", "d"),
			`{"observed":true,"records":{"removed":[{"id":"b"}],"total":{"from":10,"to":9},"window":{"entered":1}}}`},
		{"offsets, at an edge", "it may have been outside", window(declared(10, 4), "a", "b", "c"), window(declared(11, 4), "x", "a", "b"),
			`{"observed":true,"records":{"total":{"from":10,"to":11},"window":{"entered":1,"left":1,"net":1}}}`},
		{"offsets, at the top", "the window began with the list", window(declared(10, 0), "a", "b", "c"), window(declared(11, 0), "x", "a", "b"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":10,"to":11},"window":{"left":1}}}`},
		{"offsets, at the bottom", "the window ended with the list", window(declared(10, 7), "a", "b", "c"), window(declared(11, 8), "b", "c", "x"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":10,"to":11},"window":{"left":1}}}`},
		{"offsets, paged", "nothing matched", window(declared(10, 0), "a", "b"), window(declared(10, 2), "c", "d"),
			`{"observed":true,"records":{"window":{"entered":2,"left":2}}}`},
		{"complete before", "it was nowhere", window(`"total":2`, "a", "b"), window(`"total":9`, "a", "x"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":2,"to":9},"window":{"left":1,"net":6,"assumed":true}}}`},
		{"complete after", "it is nowhere", window(`"total":9`, "a", "b"), window(`"total":2`, "b", "x"),
			`{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":9,"to":2},"window":{"entered":1,"net":-6,"assumed":true}}}`},
		{"partial after", "what is not shown may still be there", window(`"total":2`, "a", "b"), window(`"partial":true`, "b", "x"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"window":{"left":1,"net":-1}}}`},
		{"partial before", "what was not shown may have been there", window(`"partial":true`, "a", "b"), window(`"total":2`, "b", "x"),
			`{"observed":true,"records":{"removed":[{"id":"a"}],"window":{"entered":1,"net":1}}}`},
		{"partial", "nobody can tell", window(`"partial":true`, "a", "b"), window(`"partial":true,"offset":1`, "b", "x"),
			`{"observed":true,"records":{"window":{"entered":1,"left":1}}}`},
		{"partial beside a window", "nor is a total on one side enough", window(declared(9, 0), "a", "b"), window(`"partial":true`, "b", "x"),
			`{"observed":true,"records":{"total":{"from":9,"to":2},"window":{"entered":1,"left":1,"net":-7}}}`},
		{"partial with a total", "the total counts", window(`"total":2,"partial":true`, "a", "b"), window(`"total":1,"partial":true`, "b"),
			`{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":2,"to":1}}}`},
		{"total before only", "the other side is complete", window(`"total":9`, "a", "b"), window(`"label":""`, "a"),
			`{"observed":true,"records":{"removed":[{"id":"b"}],"total":{"from":9,"to":1},"window":{"net":-7}}}`},
		{"total after only", "the other side is complete", rows("a"), window(`"total":9`, "a", "b"),
			`{"observed":true,"records":{"added":[{"id":"b"}],"total":{"from":1,"to":9},"window":{"net":7}}}`},
		{"moved into a window", "an accounted row",
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x","total":5}],"records":[{"id":"a","scope":"s"},{"id":"c","scope":"t"}]}`,
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x","total":6}],"records":[{"id":"a","scope":"t"},{"id":"c","scope":"t"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","scope":"t","scopeFrom":"s"}]}}`},
		{"window of a new scope", "its total counts",
			`{"scopes":[],"records":[]}`, window(`"total":50`, "a", "b"),
			`{"observed":true,"records":{"total":{"from":0,"to":50}},"scopes":{"added":[{"id":"s","records":50,"ids":["a","b"]}]}}`},
	})
}

func TestScopes(t *testing.T) {
	check(t, []rule{
		{"texts", "in the stated order",
			`{"scopes":[{"id":"s","label":"l","description":"d","role":"r","parent":"p"}]}`, `{"scopes":[{"id":"s","state":"inactive"}]}`,
			`{"observed":true,"scopes":{"updated":[{"id":"s","fields":["label","description","role","parent","state"]}]}}`},
		{"active", "the default state", `{"scopes":[{"id":"s"}]}`, `{"scopes":[{"id":"s","state":"active"}]}`, same},
		{"order of scopes", "means nothing", `{"scopes":[{"id":"s"},{"id":"t"}]}`, `{"scopes":[{"id":"t"},{"id":"s"}]}`, same},
		{"declarations", "are no texts", `{"scopes":[{"id":"s"}]}`,
			`{"scopes":[{"id":"s","volatile":["v"],"unordered":true,"sensitive":["w"],"ids":"x","offset":0,"inferred":true}]}`, same},
		{"empty scope appears", "nothing in it", `{"scopes":[]}`, `{"scopes":[{"id":"s"}]}`, `{"observed":true,"scopes":{"added":[{"id":"s"}]}}`},
		{"gets declared", "it existed by its records", rows("a"), window(`"label":"L"`, "a"), `{"observed":true,"scopes":{"updated":[{"id":"s","fields":["label"]}]}}`},
		{"undeclared appears", "its records are listed one by one", `{"records":[]}`, rows("a"),
			`{"observed":true,"records":{"added":[{"id":"a"}],"total":{"from":0,"to":1}}}`},
		{"order of lists", "declared first, then by records; removed in before's",
			`{"scopes":[{"id":"y"},{"id":"x"},{"id":"k","label":"1"}],"records":[{"id":"a","scope":"m"}]}`,
			`{"scopes":[{"id":"b"},{"id":"a"},{"id":"m","label":"1"},{"id":"k","label":"2"}],"records":[{"id":"a","scope":"m"}]}`,
			`{"observed":true,"scopes":{"added":[{"id":"b"},{"id":"a"}],"removed":[{"id":"y"},{"id":"x"}],"updated":[{"id":"m","fields":["label"]},{"id":"k","fields":["label"]}]}}`},
	})
}

func TestViews(t *testing.T) {
	page := func(view string, list ...string) string {
		text := `{` + view + `"records":[`
		for i, place := range list {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`{"id":%q,"scope":%q}`, place[1:], place[:1])
		}
		return text + `]}`
	}
	check(t, []rule{
		{"one filter", "the common view is compared", page(``, "sa", "tb"), page(`"view":{"scopes":["s"]},`, "sa", "sc"),
			`{"observed":true,"records":{"added":[{"id":"c","scope":"s"}],"total":{"from":1,"to":2}}}`},
		{"two filters", "their intersection", page(`"view":{"scopes":["s","t"]},`, "sa", "tb"), page(`"view":{"scopes":["u","t"]},`, "ud"),
			`{"observed":true,"records":{"removed":[{"id":"b","scope":"t"}],"total":{"from":1,"to":0}}}`},
		{"cut after", "rows beyond the limit are not gone", page(``, "sa", "sb", "sc"), page(`"view":{"limit":2},`, "sa", "sx"),
			`{"observed":true,"records":{"added":[{"id":"x"}],"total":{"from":3,"to":2},"window":{"left":2,"net":-2}}}`},
		{"cut before", "rows beyond the limit are not new", page(`"view":{"limit":2},`, "sa", "sx"), page(``, "sa", "sb", "sc"),
			`{"observed":true,"records":{"removed":[{"id":"x"}],"total":{"from":2,"to":3},"window":{"entered":2,"net":2}}}`},
		{"not cut", "less than its limit is all", page(``, "sa", "sb"), page(`"view":{"limit":2},`, "sa"),
			`{"observed":true,"records":{"removed":[{"id":"b"}],"total":{"from":2,"to":1}}}`},
		{"equal limits", "the views do not differ", page(`"view":{"limit":2},`, "sa", "sb"), page(`"view":{"limit":2},`, "sa", "sc"),
			`{"observed":true,"records":{"added":[{"id":"c"}],"removed":[{"id":"b"}]}}`},
		{"actions outside", "they go with their scope",
			`{"records":[{"id":"a","scope":"t"}],"actions":[{"id":"x","scope":"t"},{"id":"y","record":"a"},{"id":"z"}]}`,
			`{"view":{"scopes":["s"]},"actions":[]}`,
			`{"observed":true,"actions":{"removed":[{"id":"z"}]}}`},
	})
}

func TestActions(t *testing.T) {
	page := func(fields, actions string) string {
		return `{"records":[{"id":"a","scope":"s","fields":{` + fields + `}}],"scopes":[{"id":"s","volatile":["w"]}],"actions":[` + actions + `]}`
	}
	check(t, []rule{
		{"lists", "added as in after, removed as in before", page(``, `{"id":"x"},{"id":"y"}`), page(``, `{"id":"z"},{"id":"w"}`),
			`{"observed":true,"actions":{"added":[{"id":"z"},{"id":"w"}],"removed":[{"id":"x"},{"id":"y"}]}}`},
		{"order", "of actions means nothing", page(``, `{"id":"x"},{"id":"y"}`), page(``, `{"id":"y"},{"id":"x"}`), same},
		{"every member", "in the stated order", page(``, `{"id":"x","name":"n"}`),
			page(``, `{"id":"y","name":"n","description":"d","kind":"k","primitive":"p","available":"r","params":{}}`),
			`{"observed":true,"actions":{"updated":[{"id":"y","fields":["id","description","kind","primitive","available","params"]}]}}`},
		{"scope and record", "paired by what is left of the ids", page(``, `{"id":"x"}`), page(``, `{"id":"x","scope":"s","record":"a"}`),
			`{"observed":true,"actions":{"updated":[{"id":"x","fields":["scope","record"]}]}}`},
		{"available", "true is the default", page(``, `{"id":"x","available":true}`), page(``, `{"id":"x"}`), same},
		{"no reason", "false and \"\" are one state", page(``, `{"id":"x","available":false}`), page(``, `{"id":"x","available":""}`), same},
		{"a reason", "is a state of its own", page(``, `{"id":"x","available":false}`), page(``, `{"id":"x","available":"no"}`),
			`{"observed":true,"actions":{"updated":[{"id":"x","fields":["available"]}]}}`},
		{"params", "are JSON values", page(``, `{"id":"x","params":{"a":1,"b":[1]}}`), page(``, `{"id":"x","params":{"b":[1.0],"a":10e-1}}`), same},
		{"no params", "is not null", page(``, `{"id":"x","params":null}`), page(``, `{"id":"x"}`),
			`{"observed":true,"actions":{"updated":[{"id":"x","fields":["params"]}]}}`},
		{"qualified", "one origin under another id", page(``, `{"id":"x@a","record":"a","scope":"s"}`), page(``, `{"id":"x@s/a","record":"a","scope":"s"}`),
			`{"observed":true,"actions":{"updated":[{"id":"x@s/a","fields":["id"]}]}}`},
		{"groups", "are part of the origin", page(``, `{"id":"p/x","name":"x","group":"p"},{"id":"q/x","name":"x","group":"q"}`), page(``, `{"id":"x","group":"q"}`),
			`{"observed":true,"actions":{"removed":[{"id":"p/x"}],"updated":[{"id":"x","fields":["id"]}]}}`},
		{"occurrence", "first with first", page(``, `{"id":"x","name":"n","kind":"1"},{"id":"y","name":"n","kind":"2"}`), page(``, `{"id":"z","name":"n","kind":"2"}`),
			`{"observed":true,"actions":{"removed":[{"id":"y"}],"updated":[{"id":"z","fields":["id","kind"]}]}}`},
		{"description with its record", "implied by the update", page(`"v":1`, `{"id":"x@a","record":"a","description":"1"}`), page(`"v":2`, `{"id":"x@a","record":"a","description":"2"}`),
			`{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]}}`},
		{"description with noise", "implied by volatile fields", page(`"w":1`, `{"id":"x@a","record":"a","description":"1"}`), page(`"w":2`, `{"id":"x@a","record":"a","description":"2"}`), same},
		{"description alone", "not implied", page(`"v":1`, `{"id":"x@a","record":"a","description":"1"}`), page(`"v":1`, `{"id":"x@a","record":"a","description":"2"}`),
			`{"observed":true,"actions":{"updated":[{"id":"x@a","fields":["description"]}]}}`},
		{"description and more", "not implied", page(`"v":1`, `{"id":"x@a","record":"a","description":"1"}`), page(`"v":2`, `{"id":"x@a","record":"a","description":"2","kind":"k"}`),
			`{"observed":true,"records":{"updated":[{"id":"a","fields":["v"]}]},"actions":{"updated":[{"id":"x@a","fields":["description","kind"]}]}}`},
		{"description, bound on one side", "the record that it was about was updated",
			`{"records":[{"id":"a","scope":"s","fields":{"v":1}}],"actions":[{"id":"x@a","record":"a","description":"1"}]}`,
			`{"records":[{"id":"a","scope":"s","fields":{"v":2}},{"id":"a","scope":"t"}],"actions":[{"id":"x@a","record":"a","description":"2"}]}`,
			`{"observed":true,"records":{"added":[{"id":"a","scope":"t"}],"updated":[{"id":"a","scope":"s","fields":["v"]}],"total":{"from":1,"to":2}}}`},
		{"new record", "its actions are implied", `{"actions":[{"id":"y"}]}`, `{"records":[{"id":"a"}],"actions":[{"id":"x@a","record":"a"},{"id":"y"}]}`,
			`{"observed":true,"records":{"added":[{"id":"a"}],"total":{"from":0,"to":1}}}`},
		{"gone with its scope", "its actions are implied, those of the scope alone are not",
			page(``, `{"id":"x@a","record":"a","scope":"s"},{"id":"y","scope":"s"}`), `{"records":[]}`,
			`{"observed":true,"records":{"total":{"from":1,"to":0}},"actions":{"removed":[{"id":"y"}]},"scopes":{"removed":[{"id":"s","records":1,"ids":["a"]}]}}`},
		{"replaced record", "both ends are implied", `{"records":[{"id":"t"}],"actions":[{"id":"x@t","record":"t"}]}`,
			`{"records":[{"id":"5","replaces":"t"}],"actions":[{"id":"x@5","record":"5"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"5","replaces":"t"}]}}`},
		{"moved record", "both ends are implied",
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"s"}],"actions":[{"id":"x@a","record":"a","scope":"s","kind":"1"}]}`,
			`{"scopes":[{"id":"s","ids":"x"},{"id":"t","ids":"x"}],"records":[{"id":"a","scope":"t"}],"actions":[{"id":"x@a","record":"a","scope":"t","kind":"2"}]}`,
			`{"observed":true,"records":{"updated":[{"id":"a","scopeFrom":"s"}]}}`},
		{"left record", "its actions are implied", `{"scopes":[{"id":"s","total":9}],"records":[{"id":"a","scope":"s"}],"actions":[{"id":"x@a","record":"a"}]}`,
			`{"scopes":[{"id":"s","total":9}],"records":[{"id":"b","scope":"s"}],"actions":[{"id":"x@b","record":"b"}]}`,
			`{"observed":true,"records":{"window":{"entered":1,"left":1,"assumed":true}}}`},
		{"ambiguous record", "without a scope it must be the only one", `{"records":[{"id":"a","scope":"s"}],"actions":[]}`,
			`{"records":[{"id":"a","scope":"s"},{"id":"a","scope":"t"}],"actions":[{"id":"x","record":"a"}]}`,
			`{"observed":true,"records":{"added":[{"id":"a","scope":"t"}],"total":{"from":1,"to":2}},"actions":{"added":[{"id":"x"}]}}`},
		{"dangling record", "nothing implies it", `{"actions":[]}`, `{"actions":[{"id":"x","record":"a","scope":"s"}]}`,
			`{"observed":true,"actions":{"added":[{"id":"x"}]}}`},
		{"one of two rows", "a key that stayed implies nothing", `{"records":[{"id":"a"},{"id":"a","fields":{"v":1}}],"actions":[{"id":"x@a","record":"a","scope":""}]}`,
			`{"records":[{"id":"a"}],"actions":[]}`,
			`{"observed":true,"records":{"removed":[{"id":"a"}],"total":{"from":2,"to":1}},"actions":{"removed":[{"id":"x@a"}]}}`},
	})
}

func TestPage(t *testing.T) {
	check(t, []rule{
		{"url", "a navigation", `{"page":{"url":"u"},"records":[]}`, `{"page":{"url":"v"},"records":[]}`,
			`{"observed":true,"page":{"url":{"from":"u","to":"v"},"navigated":true}}`},
		{"title and document", "are not compared between files", `{"page":{"title":"a","document":"1"},"records":[]}`, `{"page":{"title":"b","document":"2"},"records":[]}`, same},
	})
}
