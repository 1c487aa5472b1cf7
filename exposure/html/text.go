package html

import (
	"fmt"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/records"
)

// A writer collects what a reader sees of a subtree; doc.go has the rules.
type writer struct {
	d    *decoder
	root *node
	alt  bool // names: images and input buttons count with their text
	deep bool // records and scopes below root are part of it
	skip func(*node) bool

	hidden bool // root is hidden, and named all the same
	buf    []byte
	space  bool // a blank is due before more text on this line
	breaks int  // line breaks due before more text
	brs    int  // of br elements and kept line ends, which are due besides
	tabs   int  // cell boundaries due
	row    *node
}

// text returns what a reader sees of n without nested records and scopes.
func (d *decoder) text(n *node) string { return d.read(writer{root: n}) }

func (d *decoder) read(w writer) string {
	w.d = d
	w.hidden = w.root.is(isHidden)
	if w.root.is(isText) {
		w.write(w.root)
	} else {
		for _, c := range w.root.kids {
			w.visit(c)
		}
	}
	d.spend(len(w.buf))
	return string(w.buf)
}

// spend counts text that was read out.
func (d *decoder) spend(n int) {
	if d.budget -= n; d.budget < 0 && d.err == nil {
		d.err = fmt.Errorf("%w: nested fields, spans and labels repeat the document's text more than %d times", ErrLimit, MaxRepeat)
	}
}

func (w *writer) visit(n *node) {
	if w.d.budget--; w.d.budget < 0 {
		return
	}
	if n.is(isIgnored) || n.is(isHidden) && (!w.hidden || n.display == none) || w.skip != nil && w.skip(n) {
		return
	}
	if n.is(isText) {
		w.write(n)
		return
	}
	if n.is(isSensitive) && !w.root.is(isSensitive) {
		if w.d.read(writer{root: n, alt: w.alt, deep: w.deep}) != "" {
			w.put(records.MaskedText)
		}
		return
	}
	if n.is(isAnnotated) && !w.deep && w.d.isUnit(n) {
		return
	}
	switch n.tag {
	case atom.Br:
		w.brs++
		w.space = false
		return
	case atom.Input:
		if w.alt {
			if label := buttonLabel(n); label != "" {
				w.put(label)
			}
		}
		return
	case atom.Img:
		if w.alt {
			w.put(n.attr("alt"))
		}
		return
	case atom.Select, atom.Textarea, atom.Iframe, atom.Frame, atom.Progress, atom.Meter:
		return
	}
	switch {
	case n.tag == atom.P:
		w.line(2)
		w.kids(n)
		w.line(2)
	case n.display == block:
		w.line(1)
		w.kids(n)
		w.line(1)
	case n.display == cell:
		if w.row == n.parent {
			w.tabs++
		}
		w.space = false
		w.kids(n)
		w.row, w.space = n.parent, false
	default:
		w.kids(n)
	}
}

func (w *writer) kids(n *node) {
	for _, c := range n.kids {
		w.visit(c)
	}
}

// line ends the line, with n-1 blank lines after it.
func (w *writer) line(n int) {
	if w.brs > 0 {
		w.brs-- // the last br only ended the line
	}
	w.breaks = max(w.breaks, n)
	w.space, w.tabs = false, 0
}

// put adds text that is taken as it is.
func (w *writer) put(s string) {
	if s == "" {
		return
	}
	w.flush()
	w.buf = append(w.buf, s...)
}

// flush adds what is due before more text.
func (w *writer) flush() {
	if len(w.buf) > 0 {
		for range w.breaks + w.brs {
			w.buf = append(w.buf, '\n')
		}
		if w.space && w.breaks+w.brs == 0 && w.tabs == 0 {
			w.buf = append(w.buf, ' ')
		}
	}
	for range w.tabs {
		w.buf = append(w.buf, '\t')
	}
	w.space, w.breaks, w.brs, w.tabs = false, 0, 0, 0
}

func (w *writer) write(n *node) {
	if n.is(isInvisible) {
		return
	}
	s := n.raw.Data
	if w.d.live != nil && n.raw.Attr != nil {
		w.d.noteCut(n)
	}
	w.d.budget -= len(s) / 8
	for s != "" {
		i := strings.IndexAny(s, blanks)
		if i < 0 {
			w.put(s)
			return
		}
		w.put(s[:i])
		switch c := s[i]; {
		case n.space != "" && c == '\n':
			w.brs++
			w.space = false
		case n.space == "pre":
			w.put(s[i : i+1])
		default:
			w.space = w.breaks+w.brs+w.tabs == 0
		}
		s = s[i+1:]
	}
}

// label returns the name that a reader or a screen reader has for n: what
// aria-labelledby refers to, aria-label, a control's label, or its text.
func (d *decoder) label(n *node) string {
	if s := d.ariaLabel(n); s != "" {
		return s
	}
	if isControl(n) {
		if s := d.controlLabel(n); s != "" {
			return s
		}
	}
	if n.tag == atom.Img {
		return flat(n.attr("alt"))
	}
	if s := buttonLabel(n); s != "" {
		return flat(s)
	}
	if isControl(n) {
		return ""
	}
	aria := func(c *node) bool { return !c.is(isText) && c.attr("aria-hidden") == "true" }
	if s := flat(d.read(writer{root: n, alt: true, skip: aria})); s != "" {
		return s
	}
	return flat(d.read(writer{root: n, alt: true}))
}

func (d *decoder) ariaLabel(n *node) string {
	if refs := n.attr("aria-labelledby"); refs != "" {
		var parts []string
		for id := range strings.FieldsSeq(refs) {
			if to := n.tree.ids[id]; to != nil && !to.is(isIgnored) && len(parts) < maxLabelParts {
				if s := flat(d.read(writer{root: to, alt: true, deep: true})); s != "" {
					parts = append(parts, s)
				}
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, " ")
		}
	}
	return flat(n.attr("aria-label"))
}

const maxLabelParts = 8

// controlLabel returns the text of the label element of a control.
func (d *decoder) controlLabel(n *node) string {
	if l := d.labelOf(n); l != nil {
		return flat(d.read(writer{root: l, alt: true}))
	}
	return ""
}

// labelOf returns the label element of a control, nil if it has none.
func (d *decoder) labelOf(n *node) *node {
	if id := n.attr("id"); id != "" && n.tree.ids[id] == n {
		if l := n.tree.labels[id]; l != nil && !l.is(isIgnored) {
			return l
		}
	}
	for p := n.parent; p != nil; p = p.parent {
		if p.tag == atom.Label && !p.has("for") {
			return p
		}
	}
	return nil
}

// flat makes one line of s, with single blanks and none at the ends.
func flat(s string) string { return strings.Join(strings.FieldsFunc(s, isBlank), " ") }

func isBlank(r rune) bool { return r < 0x80 && strings.IndexByte(blanks, byte(r)) >= 0 }
