package browser

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	xhtml "golang.org/x/net/html"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/internal/slab"
	"github.com/pagestate/pagestate/records"
)

// errColumns reports columns that the collector did not write, errBase ones that follow
// others than those that are known.
var (
	errColumns = errors.New("the page was not handed over whole")
	errBase    = errors.New("the page was read by somebody else meanwhile")
)

// columns are what the collector hands over; collector.js describes them.
type columns struct {
	header
	shapes          []shape
	ops, lens, text string
	ascii           bool
	unchanged       bool // all of it is as it was the last time
	told            int  // bytes of texts that shapes hold, as often as they are there
	kept            *kept
}

// The parts that columns are handed over in.
const (
	opsPart = iota
	lensPart
	shapesPart
	textPart
	partCount
)

// kept are the columns of a document as they were read last.
type kept struct {
	header
	parts  [partCount]string
	shapes []shape
}

// readColumns reads the JSON string that the collector gave. before is what it gave
// for the document the last time, nil if nothing. It fails with errBase if what was
// given is a difference from something else.
func readColumns(raw []byte, before *kept) (*columns, error) {
	unquoted, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	c := &columns{}
	head, err := c.read(unquoted)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	var parts [partCount]string
	rest := string(unquoted[head:])
	for i, n := range c.sizes {
		if i == shapesPart { // the others are ASCII
			n = unitsLen(rest, n)
		}
		if n < 0 || n > len(rest) {
			return nil, errColumns
		}
		parts[i], rest = rest[:n], rest[n:]
	}
	parts[textPart] = rest
	if c.isDelta {
		if err := c.complete(&parts, before); err != nil {
			return nil, err
		}
	}
	if before != nil && parts[shapesPart] == before.parts[shapesPart] {
		c.shapes = before.shapes
	} else if c.shapes, err = parseShapes(parts[shapesPart]); err != nil {
		return nil, err
	}
	c.kept = &kept{c.header, parts, c.shapes}
	c.ops, c.lens, c.text = parts[opsPart], parts[lensPart], parts[textPart]
	c.ascii = records.ASCII(unquoted[len(unquoted)-len(rest):]) && (!c.isDelta || records.ASCII([]byte(c.text)))
	return c, nil
}

// complete puts what is the same as before around parts.
func (c *columns) complete(parts *[partCount]string, before *kept) error {
	if before == nil || c.base != before.number || c.Document != before.Document {
		return errBase
	}
	c.unchanged = c.URL == before.URL && c.Title == before.Title && slices.Equal(c.covered, before.covered)
	for i := range parts {
		old := before.parts[i]
		front := unitsLen(old, c.delta[i][0])
		back := len(old) - unitsBack(old, c.delta[i][1])
		switch {
		case front < 0 || front > back:
			return errColumns
		case parts[i] == "" && front == back:
			parts[i] = old
		default:
			c.unchanged = false
			parts[i] = old[:front] + parts[i] + old[back:]
		}
	}
	return nil
}

// unitsLen returns the length in bytes of the first n UTF-16 units of s, -1 if
// there are fewer.
func unitsLen(s string, n int) int {
	i := 0
	for n > 0 {
		if i >= len(s) {
			return -1
		}
		if s[i] < utf8.RuneSelf {
			i++
			n--
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if n--; r > 0xFFFF {
			n--
		}
	}
	if n < 0 {
		return -1
	}
	return i
}

// unitsBack returns the length in bytes of the last n UTF-16 units of s, more than
// len(s) if there are fewer.
func unitsBack(s string, n int) int {
	i := len(s)
	for n > 0 {
		if i == 0 {
			return len(s) + 1
		}
		r, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
		if n--; r > 0xFFFF {
			n--
		}
	}
	return len(s) - i
}

// digitOf is the value of each digit, 0xFF for what is none.
var digitOf = func() (d [256]byte) {
	for i := range d {
		d[i] = 0xFF
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		d[c] = byte(i)
	}
	return d
}()

// number cuts a number from the start of s.
func number(s *string) (int, error) {
	n, shift := 0, 0
	for i := 0; i < len(*s) && shift < 40; i++ {
		d := digitOf[(*s)[i]]
		if d == 0xFF {
			break
		}
		n |= int(d&31) << shift
		if shift += 5; d < 32 {
			*s = (*s)[i+1:]
			return n, nil
		}
	}
	return 0, errColumns
}

// value cuts the next value.
func (c *columns) value() (string, error) {
	n, err := number(&c.lens)
	if err != nil {
		return "", err
	}
	size := n >> 1
	if !c.ascii {
		size = unitsLen(c.text, size)
	}
	if size < 0 || size > len(c.text) {
		return "", errColumns
	}
	v := c.text[:size]
	c.text = c.text[size:]
	if n&1 == 0 {
		return v, nil
	}
	var s records.Scanner // halves of surrogate pairs are held as package records holds them
	s.Reset([]byte(v), 0)
	text, err := s.Text()
	return string(text), err
}

// A slabs hands out nodes and attributes, whose memory is used again.
type slabs struct {
	nodes slab.Slab[xhtml.Node]
	attrs slab.Slab[xhtml.Attribute]
}

// pools hold that memory for the readings of a page.
type pools struct {
	nodes slab.Pool[xhtml.Node]
	attrs slab.Pool[xhtml.Attribute]
}

// release gives the tree's memory back.
func (s *slabs) release() {
	s.nodes.Release()
	s.attrs.Release()
}

// refNames makes the names of elements: the frame, a blank, and their number. They lie
// together in blocks.
type refNames struct {
	frame string
	n     int
	block strings.Builder
}

func (r *refNames) next() string {
	const size = 4 << 10
	if r.block.Cap()-r.block.Len() < len(r.frame)+21 {
		r.block = strings.Builder{}
		r.block.Grow(size + len(r.frame))
	}
	at := r.block.Len()
	r.block.WriteString(r.frame)
	r.block.WriteByte(' ')
	var digits [20]byte
	r.block.Write(strconv.AppendInt(digits[:0], int64(r.n), 10))
	r.n++
	return r.block.String()[at:]
}

// tree builds the tree that the columns hold, below parent. What the collector of
// a frame calls an element gets the frame in front. Blocks of what code of the page has
// answered are added to code.
func (c *columns) tree(parent *xhtml.Node, s *slabs, frame string, code *[]*xhtml.Node) error {
	shapes := c.shapes
	regions, covered, names := 0, c.covered, refNames{frame: frame}
	add := func(n *xhtml.Node) {
		n.Parent, n.PrevSibling = parent, parent.LastChild
		if parent.LastChild != nil {
			parent.LastChild.NextSibling = n
		} else {
			parent.FirstChild = n
		}
		parent.LastChild = n
	}
	top := parent
	addText := func(v string) {
		n := s.nodes.One()
		n.Type, n.Data = xhtml.TextNode, v
		add(n)
	}
	text := func() error {
		v, err := c.value()
		if err == nil {
			addText(v)
		}
		return err
	}
	for c.ops != "" {
		op, err := number(&c.ops)
		if err != nil {
			return err
		}
		switch op {
		case 0:
			if parent == top {
				return errColumns
			}
			parent = parent.Parent
			continue
		case 1:
			if err := text(); err != nil {
				return err
			}
			continue
		}
		at, kind := (op-2)/3, (op-2)%3
		if at >= len(shapes) {
			return errColumns
		}
		sh := &shapes[at]
		n := s.nodes.One()
		n.Attr = s.attrs.Take(len(sh.attrs))
		for i := range n.Attr {
			n.Attr[i] = sh.attrs[i].Attribute
			switch {
			case sh.attrs[i].value:
				if n.Attr[i].Val, err = c.value(); err != nil {
					return err
				}
			case sh.attrs[i].counted:
				n.Attr[i].Val = names.next()
			}
		}
		if sh.region {
			if len(covered) > 0 && covered[0] == regions {
				n.Attr, covered = append(n.Attr, xhtml.Attribute{Namespace: html.LiveSpace, Key: "covered"}), covered[1:]
			}
			regions++
		}
		if sh.cut {
			n.Type, n.Data = xhtml.TextNode, n.Attr[0].Val
			n.Attr[1].Namespace, n.Attr = html.LiveSpace, n.Attr[1:]
			add(n)
			continue
		}
		n.Type, n.Data, n.DataAtom, n.Namespace = xhtml.ElementNode, sh.tag, sh.atom, sh.space
		add(n)
		if sh.code {
			*code = append(*code, n)
		}
		if sh.text != nil {
			parent = n
			addText(*sh.text)
			parent = n.Parent
			c.told += len(*sh.text)
		}
		switch kind {
		case 1:
			parent = n
		case 2:
			parent = n
			if err := text(); err != nil {
				return err
			}
			parent = n.Parent
		}
	}
	if c.Incomplete != "" {
		return nil // cut where it was
	}
	if parent != top || c.text != "" || c.lens != "" {
		return errColumns
	}
	return nil
}
