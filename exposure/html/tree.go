package html

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
)

// A node is an element or a text of the flat tree: shadow roots stand in place
// of their hosts' children, slots hold what is assigned to them, and documents
// in frames hang below their frames. Templates and comments are not part of it.
type node struct {
	raw    *html.Node
	tag    atom.Atom // 0 for text and for tags that are not HTML's
	parent *node
	kids   []*node
	at     int // among its parent's kids
	tree   *tree
	group  string // the frame it is in, "" for the document itself

	display display
	space   string // "", "pre", "pre-line"
	flag    flags
}

// flags say what an element is or inherits.
type flags uint32

const (
	isText         flags = 1 << iota
	isHidden             // not rendered, or in something that is not
	isInvisible          // visibility: hidden
	isIgnored            // data-agent-ignore on it or around it
	isSensitive          // data-agent-sensitive on it or around it
	isSecret             // live: it has been a control for secrets
	isOnTop              // live: a dialog above everything else
	hasClosedRoot        // live: its shadow root cannot be read
	isFrame              // its children are those of a document
	isCovered            // live: something lies over it
	inCovered            // live: it is a frame that something lies over, or in one
	isInert              // inert, or in something inert
	inFieldset           // in a disabled fieldset
	ariaDisabled         // aria-disabled on it or around it
	hasItems             // flex or grid: children are blocks
	skipsContent         // content-visibility: hidden: it stays, its content does not show
	hasFirst             // a fieldset with its first legend, details with the first summary
	isAnnotated          // has an annotation that is a reason not to infer
	holdsAnnotated       // there is one below it
	isClaimed            // infer: exposed by a scope, record, action or label
)

// inherited are the flags that elements hand down.
const inherited = isHidden | isInvisible | isIgnored | isSensitive | isInert | inFieldset | ariaDisabled | inCovered

// A tree is a document or a shadow tree: ids are local to it.
type tree struct {
	ids    map[string]*node
	labels map[string]*node // label elements by their for attribute
}

func newTree() *tree { return &tree{ids: map[string]*node{}, labels: map[string]*node{}} }

// attr returns an attribute of n, "" if there is none.
func (n *node) attr(name string) string {
	v, _ := n.lookup(name)
	return v
}

func (n *node) lookup(name string) (string, bool) {
	for i := range n.raw.Attr {
		if a := &n.raw.Attr[i]; a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

func (n *node) has(name string) bool {
	_, ok := n.lookup(name)
	return ok
}

func (n *node) is(f flags) bool { return n.flag&f != 0 }

// shown reports whether a reader can see n, apart from scrolling.
func (n *node) shown() bool { return n.flag&(isHidden|isInvisible|isIgnored) == 0 }

// role returns the first token of the role attribute, in lower case.
func (n *node) role() string {
	if v, ok := n.lookup("role"); ok {
		for token := range strings.FieldsSeq(strings.ToLower(v)) {
			return token
		}
	}
	return ""
}

// within reports whether n is outer or inside it.
func (n *node) within(outer *node) bool {
	for ; n != nil; n = n.parent {
		if n == outer {
			return true
		}
	}
	return false
}

// A place is where raw nodes are built into the flat tree.
type place struct {
	tree   *tree
	group  string
	frames int
	depth  int
	slots  map[string][]*html.Node // light children of the host by slot name
	light  *place                  // where those are built
}

// newKids returns room for as many children as raw has.
func (d *decoder) newKids(raw *html.Node) []*node {
	count := 0
	for c := raw.FirstChild; c != nil; c = c.NextSibling {
		count++
	}
	return d.kids.Take(count)[:0]
}

// build adds raw and what is below it to parent.
func (d *decoder) build(raw *html.Node, parent *node, at place) error {
	if at.depth++; at.depth > MaxDepth {
		return fmt.Errorf("%w: the flat tree is deeper than %d", ErrLimit, MaxDepth)
	}
	switch raw.Type {
	case html.TextNode:
		n := d.nodes.One()
		n.raw, n.parent, n.at, n.tree, n.group = raw, parent, len(parent.kids), at.tree, at.group
		n.space, n.flag = parent.space, isText|parent.flag&inherited|parent.conceals()
		parent.kids = append(parent.kids, n)
		return nil
	case html.ElementNode:
	default:
		return nil
	}
	n := d.nodes.One()
	n.raw, n.parent, n.tree, n.group, n.space = raw, parent, at.tree, at.group, parent.space
	n.kids = d.newKids(raw)
	if raw.Namespace == "" {
		n.tag = raw.DataAtom
	}
	if n.tag == atom.Template {
		return nil
	}
	n.at = len(parent.kids)
	parent.kids = append(parent.kids, n)
	n.setFlags()
	if d.live == nil && n.embeds() {
		n.flag |= isFrame
	}
	if n.is(hasClosedRoot) && !n.is(isIgnored) {
		d.b.Diagnose(exposure.CodeUnreadableRoot, n.name(), "a closed shadow root cannot be read")
	}
	if id := n.attr("id"); id != "" && at.tree.ids[id] == nil {
		at.tree.ids[id] = n
	}
	if n.tag == atom.Label {
		if id := n.attr("for"); id != "" && at.tree.labels[id] == nil {
			at.tree.labels[id] = n
		}
	}
	if n.is(isAnnotated) {
		for p := n.parent; p != nil && !p.is(holdsAnnotated); p = p.parent {
			p.flag |= holdsAnnotated
		}
		switch {
		case n.is(isIgnored):
		case d.live != nil && n.tag == atom.Script && n.attr("data-agent-exposure") == LiveTools:
			d.answered = true
		default:
			d.annotated = true
		}
	}
	if n.isModal() {
		d.modal = n
	}
	switch n.tag {
	case atom.Script:
		return nil
	case atom.Iframe, atom.Frame, atom.Object, atom.Embed:
		switch {
		case !n.is(isFrame):
		case d.live != nil:
			return d.buildLiveFrame(n, at)
		default:
			return d.buildFrame(n, at)
		}
	case atom.Slot:
		if list, ok := at.slots[n.attr("name")]; ok {
			delete(at.slots, n.attr("name")) // the first slot of a name gets them
			light := *at.light
			light.depth = at.depth
			for _, c := range list {
				if err := d.build(c, n, light); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if shadow := d.shadowRoot(n); shadow != nil {
		return d.buildShadow(n, shadow, at)
	}
	for c := raw.FirstChild; c != nil; c = c.NextSibling {
		if err := d.build(c, n, at); err != nil {
			return err
		}
	}
	return nil
}

// isModal reports whether nothing but n can be used.
func (n *node) isModal() bool {
	if n.attr("aria-modal") != "true" || n.tag != atom.Dialog && !strings.HasSuffix(n.role(), "dialog") {
		if !n.is(isOnTop) {
			return false
		}
	}
	return n.shown()
}

// buildShadow adds the shadow tree of host n in place of its children.
func (d *decoder) buildShadow(n *node, shadow *html.Node, at place) error {
	slots := map[string][]*html.Node{}
	for c := n.raw.FirstChild; c != nil; c = c.NextSibling {
		if c == shadow || c.Type != html.TextNode && c.Type != html.ElementNode {
			continue
		}
		name := ""
		for _, a := range c.Attr {
			if a.Key == "slot" {
				name = a.Val
			}
		}
		slots[name] = append(slots[name], c)
	}
	inner := place{tree: newTree(), group: at.group, frames: at.frames, depth: at.depth, slots: slots, light: &at}
	for c := shadow.FirstChild; c != nil; c = c.NextSibling {
		if err := d.build(c, n, inner); err != nil {
			return err
		}
	}
	return nil
}

// shadowRoot returns the template that declares n's shadow root, nil if there is
// none or it is closed, which is diagnosed.
func (d *decoder) shadowRoot(n *node) *html.Node {
	if !canHost(n) {
		return nil
	}
	for c := n.raw.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom != atom.Template {
			continue
		}
		for _, a := range c.Attr {
			if a.Key != "shadowrootmode" {
				continue
			}
			switch strings.ToLower(a.Val) {
			case "open":
				return c
			case "closed":
				if !n.is(isIgnored) {
					d.b.Diagnose(exposure.CodeUnreadableRoot, n.name(), "a closed shadow root cannot be read")
				}
				return nil
			}
		}
	}
	return nil
}

// canHost reports whether n can have a shadow root.
func canHost(n *node) bool {
	switch n.tag {
	case atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Div, atom.Footer, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Header, atom.Main, atom.Nav, atom.P, atom.Section, atom.Span:
		return true
	}
	return n.raw.Namespace == "" && strings.Contains(n.raw.Data, "-")
}

// name names an element to a person: its tag with its id, name or label.
func (n *node) name() string {
	for _, a := range []string{"id", "name", "title", "src", "data"} {
		if v := n.attr(a); v != "" {
			return n.raw.Data + " " + v
		}
	}
	return n.raw.Data
}

// setFlags sets what n is from its own markup and what is around it.
func (n *node) setFlags() {
	p := n.parent
	n.flag |= p.flag & inherited
	var s style
	if n.raw.Namespace == "svg" {
		// Presentation attributes, which a style attribute beats.
		for _, a := range []string{"display", "visibility"} {
			if v, ok := n.lookup(a); ok {
				s.set(a, strings.ToLower(strings.Trim(v, blanks)))
			}
		}
	}
	for i := range n.raw.Attr {
		a := &n.raw.Attr[i]
		if a.Namespace != "" {
			if a.Namespace == LiveSpace {
				n.liveAttr(a, &s)
			}
			continue
		}
		switch a.Key {
		case "style":
			s = parseStyle(s, a.Val)
		case "data-agent-ignore":
			n.flag |= isIgnored
		case "data-page-agent-ignore", "data-browser-use-ignore":
			// What agents put into pages: panels, masks.
			if strings.EqualFold(a.Val, "true") {
				n.flag |= isIgnored
			}
		case "id":
			if a.Val == "playwright-highlight-container" { // and marks over elements
				n.flag |= isIgnored
			}
		case "data-agent-sensitive":
			n.flag |= isSensitive
		case "inert":
			n.flag |= isInert
		case "aria-disabled":
			if strings.EqualFold(a.Val, "true") {
				n.flag |= ariaDisabled
			}
		case "data-agent-scope", "data-agent-record", "data-agent-field", "data-agent-action":
			n.flag |= isAnnotated
		case "data-agent-exposure":
			if n.tag == atom.Script {
				n.flag |= isAnnotated
			}
		}
	}
	n.setDisplay(&s)
	if p.tag != atom.Details || !p.first(n, atom.Summary) {
		n.flag |= p.conceals()
	}
	if p.tag == atom.Fieldset && !p.first(n, atom.Legend) && p.has("disabled") {
		n.flag |= inFieldset
	}
}

// conceals returns isHidden if the content of n does not show though n does: in
// closed details, and in what embeds something else.
func (n *node) conceals() flags {
	hidden := n.is(skipsContent)
	switch n.tag {
	case atom.Details:
		hidden = hidden || !n.has("open")
	case atom.Audio, atom.Canvas, atom.Video:
		hidden = true
	case atom.Embed, atom.Object:
		hidden = hidden || !n.is(isFrame)
	}
	if hidden {
		return isHidden
	}
	return 0
}

// first reports whether n, a child being added, is p's first of the tag.
func (p *node) first(n *node, tag atom.Atom) bool {
	if n.tag != tag || p.is(hasFirst) {
		return false
	}
	p.flag |= hasFirst
	return true
}

func (n *node) setDisplay(s *style) {
	n.display = displayOf(n.tag)
	if n.raw.Namespace == "svg" {
		switch n.raw.Data {
		case "title", "desc", "metadata", "defs", "style", "script", "symbol":
			n.display = none
		}
	}
	switch {
	case n.display == none:
		// No author style shows what these hold.
		n.flag |= isHidden
		return
	case n.tag == atom.Input && strings.EqualFold(strings.Trim(n.attr("type"), blanks), "hidden"):
		n.flag |= isHidden
		return
	case s.hasDisplay:
		n.display = s.display
	case n.has("hidden"), n.tag == atom.Dialog && !n.has("open"), n.has("popover"):
		n.display = none
	}
	if n.display == none || s.gone {
		n.flag |= isHidden
	}
	if n.display == inline && n.parent.is(hasItems) {
		n.display = block
	}
	if s.items || n.display == contents && n.parent.is(hasItems) {
		n.flag |= hasItems
	}
	switch s.visibility {
	case "hidden":
		n.flag |= isInvisible
	case "visible":
		n.flag &^= isInvisible
	}
	if s.skip {
		n.flag |= skipsContent
	}
	if s.dots {
		n.flag |= isSensitive // no reader sees what it says
	}
	switch n.tag {
	case atom.Pre, atom.Listing, atom.Plaintext, atom.Xmp, atom.Textarea:
		n.space = "pre"
	}
	switch s.space {
	case "normal":
		n.space = ""
	case "pre", "pre-line":
		n.space = s.space
	}
}
