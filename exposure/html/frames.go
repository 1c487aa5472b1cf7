package html

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
)

// This file holds what frames are, objects and embeds that show a document included,
// and what becomes of the documents in them.

// embeds reports whether n's markup says that it holds a document: a frame does, an
// object or embed does if what is at its address may be one.
func (n *node) embeds() bool {
	switch n.tag {
	case atom.Iframe, atom.Frame:
		return true
	case atom.Object, atom.Embed:
		return n.address() != "" && mayBeDocument(n.attr("type"), n.address())
	}
	return false
}

// address returns where what n embeds comes from, "" from nowhere.
func (n *node) address() string {
	name := "src"
	if n.tag == atom.Object {
		name = "data"
	}
	if a := strings.Trim(n.attr(name), blanks); a != "about:blank" {
		return a
	}
	return ""
}

// mayBeDocument reports whether a browser may show what is of a media type and at an
// address as a document. The type is tried first, then that of a data address, then
// how the path ends.
func mayBeDocument(typ, address string) bool {
	typ = strings.ToLower(strings.Trim(typ, blanks))
	if scheme, rest, _ := strings.Cut(address, ":"); typ == "" && strings.EqualFold(scheme, "data") {
		end := strings.IndexAny(rest, ";,")
		typ = strings.ToLower(strings.Trim(rest[:max(end, 0)], blanks)) + ";" // none means text
	}
	if typ != "" {
		typ, _, _ = strings.Cut(typ, ";")
		kind, name, _ := strings.Cut(strings.Trim(typ, blanks), "/")
		switch kind {
		case "", "text":
			return true
		case "application":
			return name == "xml" || name == "pdf" || name == "json" || strings.HasSuffix(name, "+xml") || strings.HasSuffix(name, "+json")
		}
		return strings.HasSuffix(name, "+xml")
	}
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	switch strings.ToLower(path.Ext(address)) {
	case ".apng", ".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".webp",
		".aac", ".flac", ".m4a", ".mp3", ".oga", ".ogg", ".opus", ".wav",
		".avi", ".m4v", ".mov", ".mp4", ".mpeg", ".ogv", ".webm", ".class", ".jar", ".swf":
		return false
	}
	return true
}

// buildFrame adds the document in a frame. Only that of a srcdoc attribute is
// part of the page; others are named.
func (d *decoder) buildFrame(n *node, at place) error {
	if !n.shown() {
		return nil
	}
	doc, ok := n.lookup("srcdoc")
	ok = ok && n.tag == atom.Iframe
	if box, boxed := n.lookup("sandbox"); ok && boxed {
		ok = false // another origin
		for token := range strings.FieldsSeq(strings.ToLower(box)) {
			ok = ok || token == "allow-same-origin"
		}
	}
	if !ok {
		if n.address() != "" || n.has("srcdoc") {
			d.b.Diagnose(exposure.CodeUnreadableFrame, n.name(), "the document in this frame cannot be read")
		}
		return nil
	}
	if at.frames >= MaxFrames {
		d.b.Diagnose(exposure.CodeUnreadableFrame, n.name(), fmt.Sprintf("documents are read %d frames deep", MaxFrames))
		return nil
	}
	root, _, err := parse([]byte(doc))
	if err != nil {
		return err
	}
	n.flag &^= inFieldset | ariaDisabled // these end at the document
	inner := place{tree: newTree(), group: n.frameGroup(at.group), frames: at.frames + 1, depth: at.depth}
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		if err := d.build(c, n, inner); err != nil {
			return err
		}
	}
	return nil
}

// buildLiveFrame adds the document that was read in a frame, or names the frame.
func (d *decoder) buildLiveFrame(n *node, at place) error {
	if !n.shown() {
		return nil
	}
	if at.frames >= MaxFrames {
		d.b.Diagnose(exposure.CodeUnreadableFrame, n.name(), fmt.Sprintf("documents are read %d frames deep", MaxFrames))
		return nil
	}
	if why, foreign := n.liveAttrOf("foreign"); foreign {
		message := "the document in this frame cannot be read"
		if why != "" {
			message += ": " + why
		}
		d.b.Diagnose(exposure.CodeUnreadableFrame, n.name(), message)
		return nil
	}
	if v, _ := n.liveAttrOf("frame"); v == Coming {
		d.b.Diagnose(exposure.CodeUnreadableFrame, n.name(), "the document in this frame is still on its way; what has come is read")
	}
	n.flag &^= inFieldset | ariaDisabled // these end at the document
	inner := place{tree: newTree(), group: n.frameGroup(at.group), frames: at.frames + 1, depth: at.depth}
	for c := n.raw.FirstChild; c != nil; c = c.NextSibling {
		if err := d.build(c, n, inner); err != nil {
			return err
		}
	}
	return nil
}

// frameGroup returns the group of actions in a frame.
func (n *node) frameGroup(outer string) string {
	group := "frame"
	for _, a := range []string{"title", "id", "name"} {
		if v := n.attr(a); v != "" {
			group = v
		}
	}
	if outer != "" {
		group = outer + "." + group
	}
	return group
}
