package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/records"
)

// errColumns reports columns that the collector did not write.
var errColumns = errors.New("the page was not handed over whole")

// A header is what comes with the columns of a document.
type header struct {
	URL        string   `json:"url"`
	Title      string   `json:"title"`
	Document   string   `json:"document"`
	Incomplete string   `json:"incomplete"` // why the reading ended early
	Shapes     []string `json:"shapes"`
	Refs       int      `json:"refs"`
	Foreign    int      `json:"foreign"` // frames that could not be read from inside
	Ready      string   `json:"ready"`
}

// columns are what the collector hands over; collector.js describes them.
type columns struct {
	header
	ops, lens, text string
	ascii           bool
}

// readColumns reads the JSON string that the collector gave.
func readColumns(raw []byte) (*columns, error) {
	unquoted, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	s := string(unquoted)
	first, rest, ok := strings.Cut(s, "\n")
	parts := strings.Fields(first)
	if !ok || len(parts) != 3 {
		return nil, errColumns
	}
	var n [3]int
	for i, p := range parts {
		if n[i], err = strconv.Atoi(p); err != nil || n[i] < 0 {
			return nil, errColumns
		}
	}
	c := &columns{}
	// The header may hold text that is not ASCII; its length counts UTF-16 units.
	head := unitsLen(rest, n[0])
	if head < 0 || len(rest) < head+n[1]+n[2] {
		return nil, errColumns
	}
	if err := json.Unmarshal([]byte(rest[:head]), &c.header); err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	rest = rest[head:]
	c.ops, c.lens, c.text = rest[:n[1]], rest[n[1]:n[1]+n[2]], rest[n[1]+n[2]:]
	c.ascii = records.ASCII([]byte(c.text))
	return c, nil
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

// A shape is what elements alike share.
type shape struct {
	tag   string
	atom  atom.Atom
	space string
	attrs []xhtml.Attribute // without values, but for the style
	style bool              // the first attribute is the style, which has its value
	cut   bool              // it is a text of which only the head is here
	code  bool              // it is a block of what code has answered
}

// codeShape is the shape by which the collector hands over what code has answered. No
// element of the page has an attribute of ours.
const codeShape = "script type data-agent-exposure *code"

func parseShape(key string) shape {
	names := strings.Split(key, " ")
	sh := shape{tag: names[0]}
	if tag, foreign := strings.CutPrefix(sh.tag, "svg:"); foreign {
		sh.tag, sh.space = tag, "svg"
	} else {
		sh.atom = atom.Lookup([]byte(sh.tag))
	}
	sh.cut, sh.code = sh.tag == "#cut", key == codeShape
	for i, name := range names[1:] {
		ours, is := strings.CutPrefix(name, "*")
		switch {
		case is && i == 0 && !liveNames[ours]:
			sh.style = true
			sh.attrs = append(sh.attrs, xhtml.Attribute{Namespace: html.LiveSpace, Key: "style", Val: ours})
		case is:
			sh.attrs = append(sh.attrs, xhtml.Attribute{Namespace: html.LiveSpace, Key: ours})
		default:
			sh.attrs = append(sh.attrs, xhtml.Attribute{Key: name})
		}
	}
	return sh
}

// liveNames are the collector's own attributes that have values.
var liveNames = map[string]bool{"masked": true, "modal": true, "frame": true, "foreign": true, "cut": true, "ref": true, "closed": true, "code": true}

// A slab hands out nodes and attributes in blocks, which the tree keeps alive
// together.
type slab struct {
	nodes []xhtml.Node
	attrs []xhtml.Attribute
}

func (s *slab) node() *xhtml.Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]xhtml.Node, 512)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

func (s *slab) attributes(n int) []xhtml.Attribute {
	if len(s.attrs) < n {
		s.attrs = make([]xhtml.Attribute, max(n, 1024))
	}
	list := s.attrs[:n:n]
	s.attrs = s.attrs[n:]
	return list
}

// tree builds the tree that the columns hold, below parent. What the collector of
// a frame calls an element gets the frame in front. Blocks of what code of the page has
// answered are added to code.
func (c *columns) tree(parent *xhtml.Node, s *slab, frame string, code *[]*xhtml.Node) error {
	shapes := make([]shape, len(c.Shapes))
	for i, key := range c.Shapes {
		shapes[i] = parseShape(key)
	}
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
	text := func() error {
		v, err := c.value()
		if err != nil {
			return err
		}
		n := s.node()
		n.Type, n.Data = xhtml.TextNode, v
		add(n)
		return nil
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
		n := s.node()
		n.Attr = s.attributes(len(sh.attrs))
		copy(n.Attr, sh.attrs)
		for i := range n.Attr {
			if i == 0 && sh.style {
				continue
			}
			if n.Attr[i].Val, err = c.value(); err != nil {
				return err
			}
			if a := &n.Attr[i]; a.Key == "ref" && a.Namespace != "" {
				a.Val = frame + " " + a.Val
			}
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
