package html

import (
	"fmt"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
)

// A writer collects what a reader sees of a subtree; doc.go has the rules.
type writer struct {
	d    *decoder
	root *node
	alt  bool // names: images and input buttons count with their text
	deep bool // records and scopes below root are part of it
	skip func(*node) bool
	held bool // the caller masks what is sensitive if root is
	max  int  // bytes after which no more is read, 0 for no bound

	hidden bool // root is hidden, and named all the same
	buf    []byte
	space  bool // a blank is due before more text on this line
	breaks int  // line breaks due before more text
	brs    int  // of br elements and kept line ends, which are due besides
	tabs   int  // cell boundaries due
	row    *node
}

// text returns what a reader sees of n without nested records and scopes, be it
// sensitive or not.
func (d *decoder) text(n *node) string {
	if len(n.kids) == 1 && d.budget > len(n.kids[0].raw.Data)*2 {
		// Mostly it is one text that shows as it is.
		if t := n.kids[0]; t.flag == isText && t.space == "" && t.raw.Attr == nil && isFlat(t.raw.Data) {
			d.spend(1 + len(t.raw.Data)/8 + len(t.raw.Data))
			return t.raw.Data
		}
	}
	return d.read(writer{root: n, held: true})
}

func (d *decoder) read(w writer) string {
	w.d = d
	if w.root.is(isSensitive) && !w.held {
		w.held = true
		if d.read(w) != "" {
			return records.MaskedText
		}
		return ""
	}
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
		d.err = fmt.Errorf("%w: nested fields and spans repeat the document's text more than %d times (MaxRepeat)", ErrLimit, MaxRepeat)
	}
}

func (w *writer) visit(n *node) {
	if w.d.budget--; w.d.budget < 0 {
		return
	}
	if n.is(isIgnored) || n.is(isHidden) && (!w.hidden || n.display == none) || w.full() {
		return
	}
	if n.is(isText) {
		if w.skip == nil || !w.skip(n) {
			w.write(n)
		}
		return
	}
	switch {
	case n.tag == atom.Br:
		if w.skip == nil || !w.skip(n) {
			w.brs++
			w.space = false
		}
	case n.tag == atom.P:
		w.line(2)
		w.content(n)
		w.line(2)
	case n.display == block:
		w.line(1)
		w.content(n)
		w.line(1)
	case n.display == cell:
		if w.row == n.parent {
			w.tabs++
		}
		w.space = false
		w.content(n)
		w.row, w.space = n.parent, false
	default:
		w.content(n)
	}
}

// content adds what n shows. What is not part of the text takes its place all the
// same: a block keeps apart what is before and behind it.
func (w *writer) content(n *node) {
	switch {
	case w.skip != nil && w.skip(n), n.is(isAnnotated) && !w.deep && w.d.isUnit(n):
		return
	case n.is(isSensitive) && !w.root.is(isSensitive):
		if w.d.read(writer{root: n, alt: w.alt, deep: w.deep, max: w.max}) != "" {
			w.put(records.MaskedText)
		}
		return
	}
	switch n.tag {
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
	case atom.Select, atom.Textarea, atom.Progress, atom.Meter:
		return
	}
	if n.is(isFrame) {
		return
	}
	w.kids(n)
}

// full reports whether no more is to be read.
func (w *writer) full() bool { return w.max > 0 && len(w.buf) > w.max }

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
	size := len(s)
	for s != "" && !w.full() {
		i := strings.IndexAny(s, blanks)
		if i < 0 {
			w.put(s)
			s = ""
			break
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
	w.d.budget -= (size - len(s)) / 8
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
	if n.is(isSensitive) {
		return ""
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
	if s := d.labelText(writer{root: n, skip: aria}); s != "" {
		return s
	}
	return d.labelText(writer{root: n})
}

func (d *decoder) ariaLabel(n *node) string {
	if refs := n.attr("aria-labelledby"); refs != "" {
		var parts []string
		for id := range strings.FieldsSeq(refs) {
			if to := n.tree.ids[id]; to != nil && !to.is(isIgnored) && len(parts) < maxLabelParts {
				if s := d.sharedLabel(to, true); s != "" {
					parts = append(parts, s)
				}
			}
		}
		switch len(parts) {
		case 0:
		case 1:
			return parts[0]
		default:
			s := cutLabel(strings.Join(parts, " "))
			d.spend(len(s))
			return s
		}
	}
	return labelAttr(n, "aria-label")
}

const maxLabelParts = 8

// labelAttr returns an attribute that names n. In what is sensitive it may repeat
// the text; that of a control names what it holds, and does not.
func labelAttr(n *node, name string) string {
	if n.is(isSensitive) && !isControl(n) {
		return ""
	}
	return flat(n.attr(name))
}

// MaxLabel bounds labels and descriptions that are read from text, in bytes. One
// that is longer is cut there and ends with an ellipsis.
const MaxLabel = 1024

// labelText returns what a label says, on one line, "" if it is sensitive.
func (d *decoder) labelText(w writer) string {
	if w.root.is(isSensitive) {
		return ""
	}
	w.alt, w.max = true, 2*MaxLabel
	return cutLabel(flat(d.read(w)))
}

func cutLabel(s string) string {
	if len(s) <= MaxLabel {
		return s
	}
	return s[:safetext.Head(s, MaxLabel)] + "…"
}

// A shared is a label that many elements may refer to; it is read once.
type shared struct {
	n    *node
	deep bool
}

func (d *decoder) sharedLabel(n *node, deep bool) string {
	s, ok := d.labels[shared{n, deep}]
	if !ok {
		if d.labels == nil {
			d.labels = map[shared]string{}
		}
		s = d.labelText(writer{root: n, deep: deep})
		d.labels[shared{n, deep}] = s
	}
	return s
}

// controlLabel returns the text of the label element of a control.
func (d *decoder) controlLabel(n *node) string {
	if l := d.labelOf(n); l != nil {
		return d.sharedLabel(l, false)
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
func flat(s string) string {
	if isFlat(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, isBlank), " ")
}

// isFlat reports whether flat changes nothing of s.
func isFlat(s string) bool {
	blank := true // what was last
	for i := range len(s) {
		switch s[i] {
		case ' ':
			if blank {
				return false
			}
			blank = true
		case '\t', '\n', '\r', '\f':
			return false
		default:
			blank = false
		}
	}
	return !blank || s == ""
}

func isBlank(r rune) bool { return r < 0x80 && strings.IndexByte(blanks, byte(r)) >= 0 }
