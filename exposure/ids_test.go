package exposure

import (
	"slices"
	"strconv"
	"testing"
)

func TestIDs(t *testing.T) {
	tests := []struct {
		name, why string
		in        []Origin
		want      []string
		tied      []int
	}{
		{"plain", "a name that is unique is the id",
			[]Origin{{Name: "save"}, {Name: "cancel", Scope: "form"}}, []string{"save", "cancel"}, nil},
		{"record", "inside a record the record's id follows",
			[]Origin{{Name: "toggle", Scope: "todo", Record: "t1"}, {Name: "toggle", Scope: "todo", Record: "t2"}},
			[]string{"toggle@t1", "toggle@t2"}, nil},
		{"two scopes", "all namesakes name the scope, not only the later one; others stay short",
			[]Origin{{Name: "open", Scope: "a", Record: "1"}, {Name: "open", Scope: "b", Record: "1"},
				{Name: "open", Scope: "a", Record: "2"}, {Name: "close", Scope: "a", Record: "1"}},
			[]string{"open@a/1", "open@b/1", "open@2", "close@1"}, nil},
		{"no scope", "the default scope has the empty id",
			[]Origin{{Name: "open", Record: "1"}, {Name: "open", Scope: "b", Record: "1"}},
			[]string{"open@/1", "open@b/1"}, nil},
		{"groups", "a group is named only where two share an id, and the document's own action keeps it",
			[]Origin{{Group: "shop", Name: "add"}, {Group: "cart", Name: "add"}, {Name: "add"}, {Group: "cart", Name: "empty"}},
			[]string{"shop/add", "cart/add", "add", "empty"}, nil},
		{"tie", "one origin twice",
			[]Origin{{Name: "add"}, {Name: "add"}, {Name: "add"}}, []string{"add", "add#2", "add#3"}, []int{1, 2}},
		{"tie across scopes", "scopes do not qualify actions without a record",
			[]Origin{{Name: "add", Scope: "a"}, {Name: "add", Scope: "b"}}, []string{"add", "add#2"}, []int{1}},
		{"literal", "a number never takes an id that an action has by name",
			[]Origin{{Name: "add"}, {Name: "add"}, {Name: "add#2"}}, []string{"add", "add#3", "add#2"}, []int{1}},
		{"literal group", "nor does a group's name",
			[]Origin{{Group: "g", Name: "a"}, {Name: "a"}, {Name: "g/a"}}, []string{"g/a", "a", "g/a#2"}, []int{2}},
		{"none", "", nil, []string{}, nil},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			ids, tied := IDs(tt.in)
			if !slices.Equal(ids, tt.want) || !slices.Equal(tied, tt.tied) {
				t.Errorf("%s: got %q %v, want %q %v", tt.why, ids, tied, tt.want, tt.tied)
			}
		})
	}
}

// TestIDsLinear makes ties that a search from 2 for each would take a square of
// steps to number.
func TestIDsLinear(t *testing.T) {
	const n = 200_000
	in := make([]Origin, n)
	for i := range in {
		in[i].Name = "x"
		if i%2 == 0 {
			in[i].Name = "x#" + strconv.Itoa(i)
		}
	}
	ids, _ := IDs(in)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != n {
		t.Error("ids are not all different")
	}
}
