package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/internal/slab"
	"github.com/pagestate/pagestate/records"
)

// errColumns reports columns that the collector did not write.
var errColumns = errors.New("the page was not handed over whole")

// A header is what comes with the columns of a document.
type header struct {
	URL        string          `json:"url"`
	Title      string          `json:"title"`
	Document   string          `json:"document"`
	Incomplete string          `json:"incomplete"` // why the reading ended early
	RawShapes  json.RawMessage `json:"shapes"`
	shapes     []shape
	Refs       int    `json:"refs"`
	Foreign    int    `json:"foreign"` // frames that could not be read from inside
	Coming     int    `json:"coming"`  // documents in frames that are not parsed yet
	Unknown    int    `json:"unknown"` // elements that may have a closed shadow root
	Ready      string `json:"ready"`
	Unread     string `json:"unread"`  // why there is nothing in the document that can be read
	Covered    []int  `json:"covered"` // the scopes and frames, by number, that something lies over
	Status     int    `json:"status"`  // that the server answered with, 0 if not known
	// Number counts the readings of a document. Delta is what of each column is the
	// same as in the last one, in front and behind; nil if the columns are whole.
	Number int      `json:"number"`
	Delta  [][2]int `json:"delta"`
}

// columns are what the collector hands over; collector.js describes them.
type columns struct {
	header
	ops, lens, text string
	ascii           bool
	unchanged       bool // all of it is as it was the last time
	told            int  // bytes of texts that shapes hold, as often as they are there
	kept            *kept
}

// kept are the columns of a document as they were read last.
type kept struct {
	header
	parts [3]string
}

// readColumns reads the JSON string that the collector gave. before is what it gave
// for the document the last time, nil if nothing.
func readColumns(raw []byte, before *kept) (*columns, error) {
	unquoted, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	s := string(unquoted)
	first, rest, ok := strings.Cut(s, "\n")
	counts := strings.Fields(first)
	if !ok || len(counts) != 3 {
		return nil, errColumns
	}
	var n [3]int
	for i, p := range counts {
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
	parts := [3]string{rest[:n[1]], rest[n[1] : n[1]+n[2]], rest[n[1]+n[2]:]}
	if c.Delta != nil {
		if err := c.complete(&parts, before); err != nil {
			return nil, err
		}
	}
	if before != nil && string(c.RawShapes) == string(before.RawShapes) {
		c.shapes = before.shapes
	} else if c.shapes, err = parseShapes(c.RawShapes); err != nil {
		return nil, err
	}
	c.kept = &kept{c.header, parts}
	c.ops, c.lens, c.text = parts[0], parts[1], parts[2]
	c.ascii = records.ASCII([]byte(c.text))
	return c, nil
}

// complete puts what is the same as before around parts.
func (c *columns) complete(parts *[3]string, before *kept) error {
	if before == nil || len(c.Delta) != len(parts) {
		return errColumns
	}
	c.unchanged = c.URL == before.URL && c.Title == before.Title && c.Document == before.Document && string(c.RawShapes) == string(before.RawShapes) &&
		slices.Equal(c.Covered, before.Covered)
	for i := range parts {
		old := before.parts[i]
		front := unitsLen(old, c.Delta[i][0])
		back := len(old) - unitsBack(old, c.Delta[i][1])
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

// A shape is what elements alike share.
type shape struct {
	tag   string
	atom  atom.Atom
	space string
	attrs []attribute
	cut   bool    // it is a text of which only the head is here
	code  bool    // it is a block of what code has answered
	text  *string // what is inside, if that is one text
	// region says that it is a scope or a frame that is shown; they are counted.
	region bool
}

// An attribute is one of a shape.
type attribute struct {
	xhtml.Attribute
	value   bool // its value comes with the element
	counted bool // its value is the number of those before it
}

// parseShapes reads the list of shapes.
func parseShapes(text []byte) ([]shape, error) {
	var keys [][]any
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	shapes := make([]shape, len(keys))
	for i, key := range keys {
		var err error
		if shapes[i], err = parseShape(key); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// parseShape reads a shape: its tag, then names of attributes and pairs of a name
// and its value. What is ours begins with "*".
func parseShape(key []any) (sh shape, err error) {
	if len(key) == 0 {
		return sh, errColumns
	}
	tag, ok := key[0].(string)
	if !ok {
		return sh, errColumns
	}
	sh.tag = tag
	if tag, foreign := strings.CutPrefix(sh.tag, "svg:"); foreign {
		sh.tag, sh.space = tag, "svg"
	} else {
		sh.atom = atom.Lookup([]byte(sh.tag))
	}
	sh.cut = sh.tag == "#cut"
	for i, part := range key[1:] {
		a := attribute{value: true}
		switch part := part.(type) {
		case string:
			ours, is := strings.CutPrefix(part, "*")
			switch {
			case is && i == 0 && !liveNames[ours]:
				a.Attribute, a.value = xhtml.Attribute{Namespace: html.LiveSpace, Key: "style", Val: ours}, false
			case is:
				a.Attribute = xhtml.Attribute{Namespace: html.LiveSpace, Key: ours}
				a.counted = ours == "ref"
				a.value = !a.counted
				sh.code = sh.code || ours == "code"
				sh.region = sh.region || ours == "frame" || ours == "foreign"
			default:
				a.Key = part
			}
		case []any:
			if len(part) != 2 {
				return sh, errColumns
			}
			a.Key, _ = part[0].(string)
			a.Val, _ = part[1].(string)
			if a.Key == "#" {
				sh.text = &a.Val
				continue
			}
			a.value = false
		default:
			return sh, errColumns
		}
		sh.region = sh.region || a.Key == "data-agent-scope"
		sh.attrs = append(sh.attrs, a)
	}
	return sh, nil
}

// liveNames are the collector's own attributes that have values.
var liveNames = map[string]bool{"masked": true, "modal": true, "frame": true, "foreign": true, "cut": true, "ref": true, "closed": true, "code": true}

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
	regions, covered, names := 0, c.Covered, refNames{frame: frame}
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
