package main

import (
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func decodeText(t *testing.T, text string) *snapshot.Snapshot {
	t.Helper()
	s, err := capture.Decode([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseRule(t *testing.T) {
	for _, tt := range []struct {
		name, rule string
		want       string // scope|id|field, or what is wrong
	}{
		{"id", "added:t1", "-|t1|-"},
		{"scope", "removed:todo/t1", "todo|t1|-"},
		{"field", "updated:t1.status", "-|t1|status"},
		{"all", "updated:todo/t1.status", "todo|t1|status"},
		{"quoted", `updated:"a/b"/"t.1"."x:y"`, "a/b|t.1|x:y"},
		{"escapes", `updated:"\u0074\"1"`, `-|t"1|-`},
		{"backslash", `updated:"a\\"."b"`, `-|a\|b`},
		{"half", `updated:"\ud83c"`, "-|\xf5\x80\xbc|-"},
		{"no scope", `added:""/t1`, "|t1|-"},
		{"no id", `updated:""`, "-||-"},
		{"at", "actions.updated:toggle@t1.available", "-|toggle@t1|available"},
		{"spaces", "added: t 1", "-| t 1|-"},
		{"scope id", "scopes.added:s", "-|s|-"},
		{"reordered", "reordered:todo", "-|todo|-"},

		{"empty", "", "want KIND=NUMBER"},
		{"word", "added", "want KIND=NUMBER"},
		{"kind", "adds=1", "no such kind"},
		{"kind of place", "adds:x", "no such kind"},
		{"case", "Added=1", "no such kind"},
		{"negative", "added=-1", "takes a number"},
		{"plus", "added=+1", "takes a number"},
		{"no number", "added=", "takes a number"},
		{"huge", "added=9223372036854775808", "takes a number"},
		{"not a flag", "reordered=1", "want reordered=true"},
		{"count as place", "total:3", "total takes ="},
		{"flag as place", "navigated:x", "navigated takes ="},
		{"nothing named", "added:", "a name is missing"},
		{"half named", "added:s/", "a name is missing"},
		{"no field", "updated:t1.", "a name is missing"},
		{"open quote", `added:"x`, "not closed"},
		{"open escape", `added:"x\"`, "not closed"},
		{"bad escape", `added:"\x"`, "invalid JSON"},
		{"three parts", "updated:a/b/c", "in quotes"},
		{"two fields", "updated:a.b.c", "in quotes"},
		{"colon", "added:a:b", "in quotes"},
		{"after quote", `added:"a"b`, "in quotes"},
		{"field of added", "added:a.b", "only updates have fields"},
		{"scope of action", "actions.added:g/a", "only records are in a scope"},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			r, err := parseRule(tt.rule)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %q, want %q", err, tt.want)
				}
				return
			}
			or := func(has bool, s string) string {
				if has {
					return s
				}
				return "-"
			}
			if got := or(r.hasScope, r.scope) + "|" + r.id + "|" + or(r.hasField, r.field); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCheckRules(t *testing.T) {
	const before = `{"page":{"url":"https://a.example/"},
		"scopes":[{"id":"s","label":"S","ids":"x"},{"id":"u","ids":"x"},{"id":"gone"},{"id":"w","total":10}],
		"records":[
		 {"id":"a","scope":"s","fields":{"v":1,"w":1,"x.y":1}},
		 {"id":"b","scope":"s","fields":{"v":1}},
		 {"id":"c","scope":"s","fields":{"v":1}},
		 {"id":"m","scope":"s","fields":{"v":1}},
		 {"id":"g","scope":"gone","fields":{}},
		 {"id":"w1","scope":"w","fields":{}}],
		"actions":[{"id":"x","description":"X"},{"id":"y","description":"Y"}]}`
	const after = `{"page":{"url":"https://b.example/"},
		"scopes":[{"id":"s","label":"T","ids":"x"},{"id":"u","ids":"x"},{"id":"new"},{"id":"w","total":10}],
		"records":[
		 {"id":"b","scope":"s","fields":{"v":1}},
		 {"id":"a","scope":"s","fields":{"v":2,"x.y":2}},
		 {"id":"tail","scope":"s","fields":{"v":1}},
		 {"id":"m","scope":"u","fields":{"v":1}},
		 {"id":"n","scope":"new","fields":{}},
		 {"id":"w2","scope":"w","fields":{}}],
		"actions":[{"id":"x","description":"X","available":"no"},{"id":"z","description":"Z"}]}`
	all := strings.Fields("added=2 removed=2 updated=2 entered=1 left=1 reordered=true navigated=true actions.added=1 actions.removed=1 " +
		"actions.updated=1 scopes.added=1 scopes.removed=1 scopes.updated=1 nothing-else")
	without := func(rule string, more ...string) []string {
		var list []string
		for _, r := range all {
			if r != rule {
				list = append(list, r)
			}
		}
		return append(list, more...)
	}
	for _, tt := range []struct {
		name  string
		rules []string
		want  string // lines, "" when all hold
	}{
		{"all counts", all, ""},
		{"total", []string{"total=14"}, "failed total=14: expected 14, is 15\n"},
		{"two fail", []string{"added=1", "updated=2", "reordered=false"},
			"failed added=1: expected 1, is 2, 1 of them with their scope\nfailed reordered=false: expected false, is true\n"},
		{"names", []string{"added:tail", "added:s/tail", "removed:c", "updated:s/a.v", `updated:a."x.y"`, "reordered:s", "updated:u/m",
			"actions.updated:x.available", "actions.added:z", "scopes.removed:gone", "removed:gone/g"}, ""},
		{"absent", []string{"added:nope"}, "failed added:nope: expected, but it is not\n"},
		{"other scope", []string{"added:u/tail"}, "failed added:u/tail: expected, but it is not\n"},
		{"other kind", []string{"added:a"}, "failed added:a: expected, but it is updated [v, \"x.y\", w]\n"},
		{"other field", []string{"updated:a.z"}, "failed updated:a.z: expected that field, changed are [v, \"x.y\", w]\n"},
		{"moved from", []string{"updated:s/m"}, "failed updated:s/m: expected, but it is not\n"},
		{"action", []string{"actions.removed:x"}, "failed actions.removed:x: expected, but it is updated [available]\n"},
		{"reordered label", []string{"reordered:u"}, "failed reordered:u: expected, but it is not\n"},
		{"nothing else, added", without("added=2"), "failed nothing-else: expected, but there is added:s/tail\n"},
		{"nothing else, its scope", without("scopes.added=1"), "failed nothing-else: expected, but there is scopes.added:new\n"},
		{"nothing else, by name", without("added=2", "added:tail"), ""},
		{"nothing else, scope by name", without("scopes.removed=1", "scopes.removed:gone"), ""},
		{"nothing else, field", without("updated=2", "updated:m", "updated:a.v"),
			"failed nothing-else: expected, but there is updated:s/a [\"x.y\", w]\n"},
		{"nothing else, fields", without("updated=2", "updated:m", "updated:a.v", "updated:a.w", `updated:a."x.y"`), ""},
		{"nothing else, record", without("updated=2", "updated:m", "updated:a"), ""},
		{"nothing else, moved", without("updated=2", "updated:a"), "failed nothing-else: expected, but there is updated:u/m\n"},
		{"nothing else, order", without("reordered=true"), "failed nothing-else: expected, but there is reordered:s\n"},
		{"nothing else, window", without("entered=1"), "failed nothing-else: expected, but there is 1 entered\n"},
		{"nothing else, page", without("navigated=true"), "failed nothing-else: expected, but there is navigated\n"},
		{"nothing else, much", []string{"nothing-else"}, "failed nothing-else: expected, but there is added:s/tail, added:new/n, removed:s/c, " +
			"removed:gone/g, updated:s/a [v, \"x.y\", w] and 11 more\n"},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			var rules []rule
			for _, text := range tt.rules {
				r, err := parseRule(text)
				if err != nil {
					t.Fatal(err)
				}
				rules = append(rules, r)
			}
			var d diff.Differ
			got := string(checkRules(rules, d.Compare(decodeText(t, before), decodeText(t, after), nil)))
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestNothingElseTotal sees a declared total that alone has changed.
func TestNothingElseTotal(t *testing.T) {
	const form = `{"scopes":[{"id":"w","total":%}],"records":[{"id":"a","scope":"w","fields":{"v":1}}]}`
	before, after := decodeText(t, strings.ReplaceAll(form, "%", "10")), decodeText(t, strings.ReplaceAll(form, "%", "12"))
	var d diff.Differ
	got := string(checkRules([]rule{{text: "nothing-else", what: nothingElse}}, d.Compare(before, after, nil)))
	if want := "failed nothing-else: expected, but there is a total of 12, was 10\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
