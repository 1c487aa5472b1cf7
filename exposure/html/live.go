package html

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/internal/slab"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// LiveSpace is the namespace of attributes that say what only a running page
// knows. No markup can have it.
//
//	style    what is computed: see liveStyle
//	masked   the control has been one for secrets; its value is a stand-in
//	modal    the dialog is above everything else
//	frame    the children of this frame are its document, or as much as has come (Coming)
//	foreign  the document in this frame could not be read, for this reason
//	covered  something lies over this scope, or over this frame and all in it
//	closed   the element's shadow root is closed
//	cut      value or text is the head of a larger one: "bytes digest", see records.AppendCut
//	ref      what the page's reader calls this element
const LiveSpace = "pagestate"

// Coming is what the attribute frame says of a document that is still loading.
const Coming = "coming"

// LiveTools is the value of data-agent-exposure on a block in which a provider of
// tools has said what it found. It does not make a page an annotated one: tools that a
// page offers say nothing about its elements.
const LiveTools = "tools"

// LiveOptions says how [DecodeLive] reads a tree.
type LiveOptions struct {
	Options
	// Page is where the tree was found.
	Page snapshot.Page
	// Size is the number of bytes of text and attributes in the tree, which
	// MaxRepeat multiplies.
	Size int
	// Session remembers digests of masked values, so that their changes are seen
	// in this process. Nothing may be stored then but what is written.
	Session bool
	// Builder, if set, builds the snapshot; it keeps what it learned. If it made
	// Options.Before, too, memory of what is as before is shared.
	Builder *snapshot.Builder
	// Scratch, if set, is memory that is used again.
	Scratch *Scratch
	// Element, if set, is called for each action that stands for an element, with
	// the id under which it is shown and the element.
	Element func(a *snapshot.Action, n *html.Node)
	// Diagnostics are added to those of the snapshot.
	Diagnostics []snapshot.Diagnostic
}

// A Scratch is memory that decoding uses again, until a garbage collection takes it. The
// zero value is ready. It is safe for concurrent use.
type Scratch struct {
	nodes   slab.Pool[node]
	kids    slab.Pool[*node]
	records slab.Pool[record]
	fields  slab.Pool[field]
	actions slab.Pool[action]
	schemas schemas
}

// DecodeLive reads what a live page exposes from its tree as package
// exposure/browser hands it over: as Decode reads a saved page's, with attributes
// of LiveSpace for what is computed. It keeps neither the tree nor its strings
// unless they are part of the snapshot.
func DecodeLive(root *html.Node, opts *LiveOptions) (*snapshot.Snapshot, error) {
	d := &decoder{opts: opts.Options, live: opts, budget: MaxRepeat*opts.Size + 1<<20}
	d.records.Size, d.fields.Size, d.actions.Size = small, small, small
	d.schemas = &schemas{}
	if d.b = opts.Builder; d.b == nil {
		d.b = &snapshot.Builder{}
	}
	d.b.Limits = opts.Limits
	d.b.ForgetMasked = !opts.Session
	if opts.Before != nil {
		d.b.Follow(opts.Before)
	}
	for _, g := range opts.Diagnostics {
		d.b.Diagnose(g.Code, g.At, g.Message)
	}
	if s := opts.Scratch; s != nil {
		d.nodes.Pool, d.kids.Pool, d.records.Pool, d.fields.Pool, d.actions.Pool = &s.nodes, &s.kids, &s.records, &s.fields, &s.actions
		d.schemas = &s.schemas
		defer d.release()
	}
	return d.decode(root)
}

// release gives back the memory of what was read.
func (d *decoder) release() {
	d.nodes.Release()
	d.kids.Release()
	d.records.Release()
	d.fields.Release()
	d.actions.Release()
}

// liveAttr sets what an attribute of LiveSpace says of n.
func (n *node) liveAttr(a *html.Attribute, s *style) {
	switch a.Key {
	case "style":
		liveStyle(a.Val, s)
	case "masked":
		n.flag |= isSecret
	case "modal":
		n.flag |= isOnTop
	case "frame", "foreign":
		n.flag |= isFrame
	case "covered": // it comes last
		n.flag |= isCovered
		if n.is(isFrame) {
			n.flag |= inCovered
		}
	case "closed":
		n.flag |= hasClosedRoot
	}
}

// liveAttrOf returns an attribute of LiveSpace.
func (n *node) liveAttrOf(name string) (string, bool) {
	for i := range n.raw.Attr {
		if a := &n.raw.Attr[i]; a.Namespace == LiveSpace && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// liveStyle reads a computed style: one letter for display (b block, i inline,
// c cell, x contents, n none, B and I with children that are blocks), then any of
// v visible, h hidden by visibility, k skipped with the content around it, s content
// skipped, d shown as dots, and one for white-space
// (w collapses, p kept, l line ends kept).
func liveStyle(text string, s *style) {
	for i := range len(text) {
		switch text[i] {
		case 'b':
			s.display = block
		case 'B':
			s.display, s.items = block, true
		case 'i':
			s.display = inline
		case 'I':
			s.display, s.items = inline, true
		case 'c':
			s.display = cell
		case 'x':
			s.display = contents
		case 'n':
			s.display = none
		case 'v':
			s.visibility = "visible"
		case 'h':
			s.visibility = "hidden"
		case 's':
			s.skip = true
		case 'k':
			s.gone = true
		case 'd':
			s.dots = true
		case 'w':
			s.space = "normal"
		case 'p':
			s.space = "pre"
		case 'l':
			s.space = "pre-line"
		}
	}
	s.hasDisplay = text != ""
}

// noteCut notes that of the value or text of n, which is being read, only the
// head is here.
func (d *decoder) noteCut(n *node) {
	v, ok := n.liveAttrOf("cut")
	if !ok {
		return
	}
	size, _, _ := strings.Cut(v, " ")
	bytes, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return
	}
	d.cutBytes += bytes
	d.cut = append(append(d.cut, v...), '\n')
}

// cutString appends the string at dst[start:], which was read with parts cut.
func (d *decoder) cutString(dst []byte, start int) []byte {
	s := records.RawValue(dst[start:])
	if s.Kind() != records.String {
		return dst
	}
	text := string(s.Text())
	sum := sha256.Sum256(append(d.cut, text...))
	head := safetext.Head(text, maxHead)
	return records.AppendCut(dst[:start], text[:head], d.cutBytes+int64(len(text)), [16]byte(sum[:16]))
}

// maxHead is as much as is kept of a text that was cut, in bytes.
const maxHead = 4096
