package html

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/records"
)

// slug makes a name of a label: letters and digits in lower case, parted by "-".
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if b.Len() > maxSlug {
			break
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

const maxSlug = 64 // bytes, about

// steady reports whether an id looks as if a person had chosen it: ids made by
// frameworks have colons or long numbers.
func steady(id string) bool {
	digits := 0
	for _, r := range id {
		switch {
		case r == ':' || r == ' ':
			return false
		case r >= '0' && r <= '9':
			if digits++; digits > 2 {
				return false
			}
		}
	}
	return id != "" && len(id) <= maxSlug
}

// plainWords are classes and parts of classes that say how something looks or
// behaves, not what it is.
var plainWords = words(`active align alert animate aspect bg block blur body border bottom box break btn button card
	center checked clearfix closed col collapse column columns completed container content cursor d dark disabled display
	done dropdown duration ease even fa fade first fixed flex float focus font form gap grid group h hidden hover icon
	icons inline inner invisible is items justify js justify-content label large last leading left light line link list
	m main max mb md media min ml mr mt mx my nav object odd on opacity open order outer outline overflow p pb pl
	placeholder pointer position pr primary pt pull px py relative right ring rotate rounded row scale secondary section
	select selected self shadow show sm small sr sticky success table text top tracking transform transition truncate u ui
	v view visible w whitespace wrap wrapper xl xs z`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// classWord returns the first class of n that says what it is, "" if none does.
// Of block__part only the part counts.
func classWord(n *node) string {
	if n.raw.Attr == nil {
		return ""
	}
	for _, a := range []string{"data-testid", "data-test", "data-field", "data-col"} {
		if v := n.attr(a); v != "" && steady(v) {
			return v
		}
	}
	for token := range strings.FieldsSeq(n.attr("class")) {
		if i := strings.LastIndex(token, "__"); i >= 0 {
			token = token[i+2:]
		}
		token, _, _ = strings.Cut(token, "--")
		first, _, more := strings.Cut(token, "-")
		if len(token) < 3 || len(token) > 40 || plainWords[strings.ToLower(token)] || more && plainWords[strings.ToLower(first)] {
			continue
		}
		word := true
		for i := range len(token) {
			c := token[i] | 0x20
			word = word && (c >= 'a' && c <= 'z' || i > 0 && (token[i] == '-' || token[i] == '_'))
		}
		if word {
			return token
		}
	}
	return ""
}

// unitName names the field of text in n, which is in row r.
func (f *inferrer) unitName(n *node, r *row) string {
	weak := ""
	for p, level := n, 0; p != nil && p != r.node && p.tag != atom.Body && level < 4; p, level = p.parent, level+1 {
		if c := classWord(p); c != "" {
			return c
		}
		name, strong := tagWord(p)
		if strong {
			return name
		}
		if weak == "" {
			weak = name
		}
	}
	if weak == "" {
		if name, strong := tagWord(n); strong && n != r.node {
			return name
		}
		return "text"
	}
	return weak
}

// tagWord returns what a tag says its text is, and whether that is all one needs
// to know.
func tagWord(n *node) (name string, strong bool) {
	if isHeading(n) && n.tag != atom.Caption && n.tag != atom.Legend {
		return "heading", true
	}
	switch n.tag {
	case atom.Time, atom.Address, atom.Legend, atom.Output, atom.Caption:
		return n.raw.Data, true
	case atom.Figcaption:
		return "caption", true
	case atom.Blockquote:
		return "quote", true
	case atom.Pre, atom.Code:
		return "code", true
	case atom.Label:
		return "label", false
	case atom.A:
		return "link", false
	case atom.Ul, atom.Ol, atom.Dl:
		return "list", false
	}
	return "", false
}

// nameSets gives each set the first of its names that no other set has too.
func (f *inferrer) nameSets() {
	const levels = 6
	taken := map[string]bool{"page": true}
	names := make([][levels]string, len(f.sets))
	for i, s := range f.sets {
		names[i] = f.setNames(s)
	}
	for level := range levels {
		count := map[string]int{}
		for i, s := range f.sets {
			if s.id == "" || level == 0 {
				count[names[i][level]]++
			}
		}
		for i, s := range f.sets {
			if name := names[i][level]; name != "" && count[name] == 1 && !taken[name] && (s.id == "" || level == 0) {
				s.id = name
				taken[name] = true
			}
		}
	}
	next := map[string]int{}
	for i, s := range f.sets {
		if s.id != "" && taken[s.id] {
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

// setNames returns names of a set, the best first.
func (f *inferrer) setNames(s *set) (names [6]string) {
	if s.kind == "microdata" {
		names[0] = s.id
		s.id = ""
		return names
	}
	n := s.node
	if n == f.root {
		return names
	}
	if id := n.attr("id"); steady(id) {
		names[0] = id
	}
	if s.kind == "form" {
		names[1] = n.attr("name")
	}
	names[2] = classWord(n)
	for p := n; p != nil && names[3] == ""; p = p.parent {
		if p != f.root {
			if tag := landmarkTag(p); tag != "" {
				names[3] = tag + "-" + s.kind
				if id := p.attr("id"); steady(id) {
					names[3] = id + "-" + s.kind
				}
			}
		}
	}
	names[4] = slug(s.label)
	names[5] = s.kind
	return names
}

// keepNames gives a set that the side before does not know the name of one that
// is gone, of the same role and with at least half of its records as they were:
// its label, which named it, was edited. It gives up after maxKept records.
func (f *inferrer) keepNames() {
	b := f.opts.Before
	if b == nil {
		return
	}
	now := map[string]bool{}
	for _, s := range f.sets {
		now[s.id] = true
	}
	gone := map[string]map[string]int{} // how often each content is in the scopes that are gone
	for i, r := range b.All() {
		sc := &b.Scopes()[b.ScopeNumber(i)]
		if !sc.Inferred || now[sc.ID] {
			continue
		}
		if gone[sc.ID] == nil {
			gone[sc.ID] = map[string]int{}
		}
		gone[sc.ID][content(r.Fields())]++
	}
	work := 0
	for _, s := range f.sets {
		if len(gone) == 0 || b.Scope(s.id) >= 0 || len(s.rows) == 0 {
			continue
		}
		rows := make([]string, len(s.rows))
		for i, r := range s.rows {
			rows[i] = content(each(merge(r.fields)))
		}
		for _, sc := range b.Scopes() {
			if gone[sc.ID] == nil || sc.Role != roleOf(s) || sc.Records > 2*len(rows) || len(rows) > 2*sc.Records {
				continue
			}
			if work += len(rows); work > maxKept {
				return
			}
			if shared(gone[sc.ID], rows)*2 >= max(len(rows), sc.Records) {
				s.id = sc.ID
				delete(gone, sc.ID)
				break
			}
		}
	}
}

const maxKept = 1_000_000

// shared returns how many of rows there are in counts.
func shared(counts map[string]int, rows []string) (n int) {
	used := make(map[string]int, len(rows))
	for _, c := range rows {
		if used[c]++; used[c] <= counts[c] {
			n++
		}
	}
	return n
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
