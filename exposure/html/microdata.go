package html

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/records"
)

// property adds a microdata property of the item that is row r.
func (f *inferrer) property(n *node, r *row) {
	names := strings.Fields(n.attr("itemprop"))
	if n.has("itemscope") {
		v := f.item(n)
		for _, name := range names {
			r.add(name, v)
		}
		r.mute++
		f.visitKids(n, r, false)
		r.mute--
		return
	}
	v, shown := f.propertyValue(n)
	for _, name := range names {
		r.add(name, v)
		if shown {
			r.addText(name+".text", f.read(writer{root: n, skip: f.skipProps}))
		}
	}
	if isControl(n) {
		return
	}
	if isButton(n) {
		f.button(n, r)
		return
	}
	if isLink(n) {
		f.link(n, r)
	}
	f.visitKids(n, r, true)
}

func (f *inferrer) skipProps(c *node) bool {
	return !c.is(isText) && (c.has("itemprop") || f.rowOf[c] != nil)
}

// propertyValue returns the value of a property as microdata has it, and whether
// the element may show something else. Text is what a reader sees.
func (f *inferrer) propertyValue(n *node) (v []byte, shown bool) {
	attr := ""
	switch n.tag {
	case atom.Meta:
		attr = "content"
	case atom.A, atom.Area, atom.Link:
		attr = "href"
	case atom.Audio, atom.Embed, atom.Iframe, atom.Img, atom.Source, atom.Track, atom.Video:
		attr = "src"
	case atom.Object:
		attr = "data"
	case atom.Data:
		attr = "value"
	case atom.Time:
		attr = "datetime"
	}
	if n.tag == atom.Img && n.attr("alt") != "" {
		attr = "alt"
	}
	if s, ok := n.lookup(attr); ok && attr != "" {
		v = records.AppendString(nil, flat(s))
		if masked(n) {
			v = records.AppendMaskOf(nil, records.RawValue(v), false)
		}
		return v, !masked(n) && n.tag != atom.Img
	}
	return f.appendValue(nil, n), false
}

// item returns a nested item as an object.
func (f *inferrer) item(n *node) []byte {
	var fields []field
	var walk func(*node)
	walk = func(m *node) {
		for _, c := range m.kids {
			if c.is(isText) || c.is(isIgnored) || f.rowOf[c] != nil || f.err != nil {
				continue
			}
			hidden := !c.shown() && c.tag != atom.Meta && c.tag != atom.Link
			if names := strings.Fields(c.attr("itemprop")); len(names) > 0 && !hidden {
				var v []byte
				shown := false
				if c.has("itemscope") {
					v = f.item(c)
				} else {
					v, shown = f.propertyValue(c)
				}
				for _, name := range names {
					fields = append(fields, field{name: name, value: v})
					if text := ""; shown {
						if text = f.read(writer{root: c, skip: f.skipProps}); text != "" {
							fields = append(fields, field{name: name + ".text", value: records.AppendString(nil, text)})
						}
					}
				}
				if c.has("itemscope") {
					continue
				}
			}
			if !hidden {
				walk(c)
			}
		}
	}
	walk(n)
	text := f.read(writer{root: n, skip: func(c *node) bool { return f.skipProps(c) || !c.is(isText) && isButton(c) }})
	if text != "" {
		fields = append(fields, field{name: "text", value: records.AppendString(nil, text)})
	}
	v := records.BeginObject(nil)
	for _, fl := range merge(fields) {
		v = append(records.AppendName(v, fl.name), fl.value...)
	}
	v, _ = records.EndObject(v, 0)
	f.spend(len(v))
	return v
}
