package diff

import (
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A scopeMember is one member of a scope's declaration as a field of a row.
type scopeMember struct {
	name string
	get  func(*snapshot.Scope) []byte // encoded; nil when it is not declared
	set  func(*snapshot.Scope, records.Value)
}

// scopeMembers are all members but the id.
var scopeMembers = []scopeMember{
	textMember("label", func(s *snapshot.Scope) *string { return &s.Label }),
	textMember("description", func(s *snapshot.Scope) *string { return &s.Description }),
	textMember("role", func(s *snapshot.Scope) *string { return &s.Role }),
	textMember("parent", func(s *snapshot.Scope) *string { return &s.Parent }),
	textMember("state", func(s *snapshot.Scope) *string { return (*string)(&s.State) }),
	textMember("ids", func(s *snapshot.Scope) *string { return &s.IDs }),
	listMember("volatile", func(s *snapshot.Scope) *[]string { return &s.Volatile }),
	listMember("sensitive", func(s *snapshot.Scope) *[]string { return &s.Sensitive }),
	flagMember("unordered", func(s *snapshot.Scope) *bool { return &s.Unordered }),
	flagMember("inferred", func(s *snapshot.Scope) *bool { return &s.Inferred }),
	flagMember("partial", func(s *snapshot.Scope) *bool { return &s.Partial }),
	countMember("total", func(s *snapshot.Scope) **int64 { return &s.Total }),
	countMember("offset", func(s *snapshot.Scope) **int64 { return &s.Offset }),
}

func textMember(name string, at func(*snapshot.Scope) *string) scopeMember {
	return scopeMember{name, func(s *snapshot.Scope) []byte {
		if *at(s) == "" {
			return nil
		}
		return records.AppendString(nil, *at(s))
	}, func(s *snapshot.Scope, v records.Value) { *at(s) = string(v.Text()) }}
}

func listMember(name string, at func(*snapshot.Scope) *[]string) scopeMember {
	return scopeMember{name, func(s *snapshot.Scope) []byte {
		if *at(s) == nil {
			return nil
		}
		enc := records.BeginArray(nil)
		for _, e := range *at(s) {
			enc = records.AppendString(enc, e)
		}
		return records.EndArray(enc, 0)
	}, func(s *snapshot.Scope, v records.Value) {
		*at(s) = []string{}
		for e := range v.Elements() {
			*at(s) = append(*at(s), string(e.Text()))
		}
	}}
}

func flagMember(name string, at func(*snapshot.Scope) *bool) scopeMember {
	return scopeMember{name, func(s *snapshot.Scope) []byte {
		if !*at(s) {
			return nil
		}
		return records.AppendBool(nil, true)
	}, func(s *snapshot.Scope, v records.Value) { *at(s) = v.Bool() }}
}

func countMember(name string, at func(*snapshot.Scope) **int64) scopeMember {
	return scopeMember{name, func(s *snapshot.Scope) []byte {
		if *at(s) == nil {
			return nil
		}
		return records.AppendInt(nil, **at(s))
	}, func(s *snapshot.Scope, v records.Value) {
		if n, err := strconv.ParseInt(string(v.Literal()), 10, 64); err == nil {
			*at(s) = &n
		}
	}}
}

// scopeOf returns the scope that a row of scopeRows holds.
func scopeOf(row deltaRow) snapshot.Scope {
	s := snapshot.Scope{ID: row.key.id[1:]}
	values := row.byName()
	for _, m := range scopeMembers {
		if v, ok := values[m.name]; ok {
			m.set(&s, records.RawValue(v))
		}
	}
	return s
}
