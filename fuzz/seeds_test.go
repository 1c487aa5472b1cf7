package fuzz

import (
	"bytes"
	"fmt"
	"testing"
)

// pairs are captures, each pair standing for a kind of change.
var pairs = []struct{ name, why, before, after string }{
	{"same", "", `{"records":[{"id":"a","fields":{"v":1}}]}`, `{"records":[{"fields":{"v":1.0},"id":"a"}]}`},
	{"added, removed, updated", "", `{"records":[{"id":"a","fields":{"v":1}},{"id":"b"}]}`, `{"records":[{"id":"c"},{"id":"a","fields":{"v":2}}]}`},
	{"reordered", "", `{"records":[{"id":"a"},{"id":"b"},{"id":"c"}]}`, `{"records":[{"id":"c"},{"id":"a"},{"id":"b"}]}`},
	{"duplicates", "equal contents pair first", `{"records":[{"id":7,"fields":{"s":"A"}},{"id":7,"fields":{"s":"B"}},{"id":7,"fields":{"s":"C"}}]}`, `{"records":[{"id":7,"fields":{"s":"B"}}]}`},
	{"move", "", `{"scopes":[{"id":"x","ids":"t"},{"id":"y","ids":"t"}],"records":[{"id":"a","scope":"x"}]}`, `{"scopes":[{"id":"x","ids":"t"},{"id":"y","ids":"t"}],"records":[{"id":"a","scope":"y"}]}`},
	{"replaces", "", `{"records":[{"id":"tmp","fields":{"v":1}}]}`, `{"records":[{"id":"real","replaces":"tmp","fields":{"v":1}}]}`},
	{"inferred", "", `{"scopes":[{"id":"s","inferred":true}],"records":[{"id":"a","scope":"s"},{"scope":"s","fields":{"v":1}},{"id":"b","scope":"s"}]}`, `{"scopes":[{"id":"s","inferred":true}],"records":[{"id":"a","scope":"s"},{"scope":"s","fields":{"v":2}},{"id":"b","scope":"s"}]}`},
	{"window", "", `{"scopes":[{"id":"s","total":9}],"records":[{"id":1,"scope":"s"},{"id":2,"scope":"s"}]}`, `{"scopes":[{"id":"s","total":9}],"records":[{"id":2,"scope":"s"},{"id":3,"scope":"s"}]}`},
	{"window with offsets", "", `{"scopes":[{"id":"s","total":9,"offset":0}],"records":[{"id":1,"scope":"s"},{"id":2,"scope":"s"}]}`, `{"scopes":[{"id":"s","total":10,"offset":1}],"records":[{"id":2,"scope":"s"},{"id":3,"scope":"s"}]}`},
	{"whole scopes", "", `{"scopes":[{"id":"s"}],"records":[{"id":1,"scope":"s"}]}`, `{"scopes":[{"id":"t"}],"records":[{"id":1,"scope":"t"},{"id":2,"scope":"t"}]}`},
	{"scope texts", "", `{"scopes":[{"id":"s","label":"A","state":"active"}]}`, `{"scopes":[{"id":"s","label":"B","state":"covered","role":"main"}]}`},
	{"volatile, sensitive, unordered", "", `{"scopes":[{"id":"s","volatile":["a"],"sensitive":["b"],"unordered":true}],"records":[{"id":1,"scope":"s","fields":{"a":1,"b":2}},{"id":2,"scope":"s"}]}`, `{"scopes":[{"id":"s"}],"records":[{"id":2,"scope":"s"},{"id":1,"scope":"s","fields":{"a":2,"b":3}}]}`},
	{"actions", "", `{"actions":[{"id":"a","description":"A"},{"id":"b","description":"B","available":"no"},{"id":"go@1","description":"G","record":1}]}`, `{"actions":[{"id":"b","description":"B","available":true,"params":{"x":1}},{"id":"c","description":"C"}]}`},
	{"implied actions", "", `{"records":[{"id":1}],"actions":[{"id":"go@1","description":"G","record":1}]}`, `{"records":[{"id":2}],"actions":[{"id":"go@2","description":"G","record":2}]}`},
	{"ids of actions", "a number that is a name", `{"actions":[{"id":"s","description":"A"},{"id":"s","description":"B"},{"id":"s#2","description":"C"}]}`, `{"actions":[{"id":"s","description":"A"},{"id":"s#2","description":"C"},{"id":"s","description":"B"},{"id":"s","description":"D"}]}`},
	{"views", "", `{"view":{"limit":1},"records":[{"id":1}]}`, `{"view":{"scopes":["","s"]},"records":[{"id":1},{"id":2},{"id":1,"scope":"s"}]}`},
	{"url", "", `{"page":{"url":"http://a/"},"records":[]}`, `{"page":{"url":"http://b/\u202e"},"records":[]}`},
	{"hostile text", "", `{"records":[{"id":"\u0000\u202e\ud800","scope":"\"\\","fields":{"\u2028":"\n","a/b~c":"\u001b[2J"}}]}`, `{"records":[{"id":"\u0000\u202e\ud801","scope":"\"\\","fields":{"\u2028":"\r","a/b~c":null}}]}`},
	{"long text", "", `{"records":[{"id":"` + long + `","fields":{"` + long + `":"` + long + `x"}}]}`, `{"records":[{"id":"` + long + `","fields":{"` + long + `":"` + long + `y","w":[` + long[:0] + `1,2]}}]}`},
	{"wide text", "cuts fall between characters", `{"records":[{"id":"日本語日本語"},{"id":"é😀é😀é😀","fields":{"é😀é😀":1}}]}`, `{"records":[{"id":"é😀é😀é😀","fields":{"é😀é😀":2}},{"id":"👩‍🚀👩‍🚀"}]}`},
	{"v apart", "rows that no key tells apart pair by what is compared, also where v is ignored",
		`{"scopes":[{"id":"s","inferred":true}],"records":[{"scope":"s","fields":{"n":1,"v":1}},{"scope":"s","fields":{"n":1,"v":2}},{"scope":"s","fields":{"n":2,"v":3}},{"id":7,"fields":{"n":1,"v":1}},{"id":7,"fields":{"n":2,"v":1}}]}`,
		`{"scopes":[{"id":"s","inferred":true}],"records":[{"scope":"s","fields":{"n":1,"v":5}},{"scope":"s","fields":{"n":1,"v":6}},{"scope":"s","fields":{"n":2,"v":7}},{"id":7,"fields":{"n":2,"v":9}}]}`},
	{"deep", "", `{"records":[{"id":1,"fields":{"v":[[[{"a":[1,{"b":"x"}]}]]]}}]}`, `{"records":[{"id":1,"fields":{"v":[[[{"a":[1,{"b":"y","c":0}]}]]]}}]}`},
	{"numbers", "", `{"records":[{"id":1,"fields":{"a":1e400,"b":-0,"c":1e1000000000,"d":9007199254740993}}]}`, `{"records":[{"id":1,"fields":{"a":1e401,"b":0.0,"c":10e999999999,"d":9007199254740992}}]}`},
	{"many", "", manyRecords("a", 40, 0), manyRecords("b", 60, 20)},
}

var long = string(bytes.Repeat([]byte("long "), 60))

// manyRecords is a capture of n records from number from on, and as many actions.
func manyRecords(value string, n, from int) string {
	var recs, acts []byte
	for i := range n {
		if i > 0 {
			recs, acts = append(recs, ','), append(acts, ',')
		}
		recs = fmt.Appendf(recs, `{"id":%d,"scope":"s%d","fields":{"v":%q,"w":%d}}`, from+i, i%3, value, i)
		acts = fmt.Appendf(acts, `{"id":"act%d","description":%q}`, from+i, value)
	}
	return `{"records":[` + string(recs) + `],"actions":[` + string(acts) + `]}`
}

// addPairs adds each pair, both ways round, with some choices.
func addPairs(f *testing.F) {
	if len(pairs) == 0 {
		f.Fatal("no seeds")
	}
	for i, p := range pairs {
		f.Add([]byte(p.before), []byte(p.after), choices(i))
		f.Add([]byte(p.after), []byte(p.before), choices(i+100))
	}
}

// addChoices adds what pages are made from.
func addChoices(f *testing.F) {
	for i := range 200 {
		f.Add(choices(i))
	}
}

// choices is data for pagetest.NewRand: the first draws are those of i, and
// more follow from it than a page takes.
func choices(i int) []byte {
	data := make([]byte, 0, 256)
	for x := uint32(i)*2654435761 + 1; len(data) < 256; {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		data = append(data, byte(x>>16))
	}
	return data
}
