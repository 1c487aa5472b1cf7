package html

import (
	"iter"
	"net/url"
	"strings"

	"github.com/pagestate/pagestate/records"
)

// nameSets gives each set its id: that of the scope before that it is (pair.go),
// else the first of its names that no other set has too. Sets all of whose names
// are shared are numbered in order of appearance, so that one that comes last
// changes no other. A name that a scope before had, and another set has or none,
// is not given again: it would be taken for that scope.
func (f *inferrer) nameSets() {
	names := make([]setNames, len(f.sets))
	for i, s := range f.sets {
		names[i] = f.namesOf(s)
	}
	f.pairSets(names)
	taken := map[string]bool{"page": true}
	for _, k := range f.known {
		taken[k.info.ID] = true
	}
	for level := range levels {
		count := map[string]int{}
		for i, s := range f.sets {
			if s.id == "" || level == 0 {
				count[names[i][level]]++
			}
		}
		for i, s := range f.sets {
			if name := names[i][level]; name != "" && count[name] == 1 && !taken[name] && s.id == "" {
				s.id = name
				taken[name] = true
			}
		}
	}
	next := map[string]int{}
	for i, s := range f.sets {
		if s.id != "" {
			continue
		}
		base := s.kind
		for _, name := range names[i] {
			if name != "" {
				base = name
				break
			}
		}
		s.id = base
		for n := max(next[base], 2); taken[s.id]; n++ {
			s.id = base + "-" + itoa(n)
			next[base] = n + 1
		}
		taken[s.id] = true
	}
}

// setNames are what a set may be called, the best first: what the author calls it
// (id or microdata type, name of a form, class) or the part of the page it is in,
// its label, the kind of that part, what its records are (the columns of a table,
// the attribute that names them, where their links lead), its kind.
type setNames [levels]string

const (
	byID = iota
	byFormName
	byClass
	byHome
	byLabel
	byPlace
	byContent
	byKind
	levels
)

func (f *inferrer) namesOf(s *set) (names setNames) {
	if s.kind == "microdata" {
		names[byID] = s.id
		s.id = ""
		return names
	}
	n := s.node
	if n == f.root {
		return names
	}
	if id := n.attr("id"); steady(id) {
		names[byID] = id
	}
	if s.kind == "form" {
		names[byFormName] = n.attr("name")
	}
	names[byClass] = classWord(n)
	for p := n; p != nil && p != f.root; p = p.parent {
		tag := landmarkTag(p)
		if tag == "" {
			continue
		}
		names[byPlace] = tag + "-" + s.kind
		home := p.attr("id")
		if !steady(home) && p != n {
			home = slug(f.ariaLabel(p))
		}
		if steady(home) {
			names[byHome] = home + "-" + s.kind
		}
		break
	}
	names[byLabel] = slug(s.label)
	names[byContent] = f.contentName(s)
	names[byKind] = s.kind
	return names
}

// contentName names a set by what all its records are.
func (f *inferrer) contentName(s *set) string {
	if s.grid != nil {
		return slug(strings.Join(s.grid.names[:min(len(s.grid.names), 4)], " "))
	}
	if len(s.rows) == 0 || s.kind == "form" {
		return ""
	}
	key, _ := keyAttr(s.rows[0].node)
	for token := range strings.SplitSeq(strings.TrimPrefix(key, "data-"), "-") {
		if !isKeyName("data-"+token) && token != "" && token != "item" && token != "row" {
			return token + "-" + s.kind // data-order-id
		}
	}
	where := ""
	for i, r := range s.rows {
		dir := linkDir(f.firstLink(r.node))
		if dir == "" || i > 0 && dir != where {
			return ""
		}
		where = dir
	}
	return where + "-" + s.kind
}

// linkDir returns the name of the folder that a link leads to.
func linkDir(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	parts := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	if len(parts) < 2 {
		return ""
	}
	return slug(parts[len(parts)-2])
}

// content returns fields as one text.
func content(fields iter.Seq2[string, records.Value]) string {
	var c []byte
	for name, v := range fields {
		c = append(append(append(c, name...), 0), v.Raw()...)
	}
	return string(c)
}

func each(fields []field) iter.Seq2[string, records.Value] {
	return func(yield func(string, records.Value) bool) {
		for _, fl := range fields {
			if !yield(fl.name, records.RawValue(fl.value)) {
				return
			}
		}
	}
}
