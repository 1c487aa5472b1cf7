package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		in        string
		want      []string // code and place
	}{
		{"clean", "", `{"scopes":[{"id":"s","label":"S","volatile":["v"],"total":9,"offset":3}],
			"records":[{"id":"a","scope":"s","fields":{"v":1}}],
			"actions":[{"id":"x@a","description":"X","scope":"s","record":"a","available":"not now","params":{"type":"object"}}]}`, nil},
		{"rows", "the scope of rows has no name to declare", `[{"id":1,"v":1}]`, nil},
		{"empty", "", `{"records":[]}`, nil},
		{"label", "", `{"scopes":[{"id":"s"}]}`, []string{"no-label s"}},
		{"inferred label", "nobody declared it", `{"scopes":[{"id":"s","inferred":true}]}`, nil},
		{"undeclared", "", `{"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`, []string{"undeclared-scope s"}},
		{"parent", "", `{"scopes":[{"id":"s","label":"S","parent":"t"}]}`, []string{"unknown-parent s"}},
		{"own parent", "", `{"scopes":[{"id":"s","label":"S","parent":"s"}]}`, []string{"unknown-parent s"}},
		{"circle", "", `{"scopes":[{"id":"s","label":"S","parent":"t"},{"id":"t","label":"T","parent":"s"}]}`, []string{"unknown-parent s", "unknown-parent t"}},
		{"grandparent", "told where it is declared", `{"scopes":[{"id":"s","label":"S","parent":"t"},{"id":"t","label":"T","parent":"u"}]}`, []string{"unknown-parent t"}},
		{"few", "", `{"scopes":[{"id":"s","label":"S","total":0}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`, []string{"bad-window s"}},
		{"offset", "", `{"scopes":[{"id":"s","label":"S","offset":0}]}`, []string{"bad-window s"}},
		{"past the end", "", `{"scopes":[{"id":"s","label":"S","total":9,"offset":9}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`, []string{"bad-window s"}},
		{"volatile", "", `{"scopes":[{"id":"s","label":"S","volatile":["age"],"sensitive":["pin"]}],"records":[{"id":"a","scope":"s","fields":{"v":1}}]}`,
			[]string{"unknown-field s/age", "unknown-field s/pin"}},
		{"volatile of nothing", "there is no record to tell by", `{"scopes":[{"id":"s","label":"S","volatile":["age"]}]}`, nil},
		{"no fields", "", `{"records":[{"id":"a"}]}`, []string{"no-fields a"}},
		{"huge", "", `[{"id":"a","v":"` + strings.Repeat("x", 70_000) + `"}]`, []string{"huge-value a/v"}},
		{"large", "", `[{"id":"a","v":"` + strings.Repeat("x", 60_000) + `"}]`, nil},
		{"stale", "", `{"records":[{"id":"tmp","fields":{"v":1}},{"id":"a","replaces":"tmp","fields":{"v":1}}]}`, []string{"stale-replaces a"}},
		{"replaced", "", `{"records":[{"id":"a","replaces":"tmp","fields":{"v":1}}]}`, nil},
		{"reason", "", `{"actions":[{"id":"x","description":"X","available":""}]}`, []string{"no-reason x"}},
		{"description", "told once", `{"actions":[{"id":"x"}]}`, []string{"no-description x"}},
		{"duplicates", "told once", `{"actions":[{"id":"x","description":"X"},{"id":"x","description":"Y"}]}`, []string{"duplicate-id x"}},
		{"scope", "", `{"actions":[{"id":"x","description":"X","scope":"s"}]}`, []string{"unknown-scope x"}},
		{"record", "", `{"actions":[{"id":"x","description":"X","record":"a"}]}`, []string{"unknown-record x"}},
		{"record elsewhere", "", `{"scopes":[{"id":"s","label":"S"}],"records":[{"id":"a","fields":{"v":1}}],
			"actions":[{"id":"x","description":"X","scope":"s","record":"a"}]}`, []string{"unknown-record x"}},
		{"record of one scope", "an action without a scope is bound to the only record of that id", `{"scopes":[{"id":"s","label":"S"}],
			"records":[{"id":"a","scope":"s","fields":{"v":1}}],"actions":[{"id":"x","description":"X","record":"a"}]}`, nil},
		{"not a schema", "told once", `{"actions":[{"id":"x","description":"X","params":[]}]}`, []string{"bad-params x"}},
		{"bad schema", "", `{"actions":[{"id":"x","description":"X","params":{"type":"string"}}]}`, []string{"bad-params x"}},
		{"look-ahead", "", `{"actions":[{"id":"x","description":"X","params":{"properties":{"a":{"pattern":"^(?=a)a"}}}}]}`, []string{"unchecked-params x"}},
	} {
		t.Run("case="+tt.name, func(t *testing.T) {
			list := lint(decodeText(t, tt.in))
			var got []string
			for _, f := range list {
				got = append(got, f.Code+" "+f.At)
				if f.Message == "" {
					t.Errorf("%s %s says nothing", f.Code, f.At)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%s: got %q, want %q", tt.why, got, tt.want)
			}
		})
	}
}

// TestLintBounded keeps the findings of one code few.
func TestLintBounded(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"records":[`)
	for i := range 1000 {
		if i > 0 {
			in.WriteByte(',')
		}
		fmt.Fprintf(&in, `{"id":"r%d"}`, i)
	}
	in.WriteString(`]}`)
	list := lint(decodeText(t, in.String()))
	if last := list[len(list)-1]; len(list) != maxFindings+1 || last.Message != "and 900 more" || last.Code != codeNoFields {
		t.Errorf("%d findings, the last %+v", len(list), last)
	}
}
