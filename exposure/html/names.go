package html

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
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
