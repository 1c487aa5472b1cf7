package browser

import (
	"fmt"
	"strings"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/records"
)

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

// parseShapes reads the list of shapes, a JSON array.
func parseShapes(text string) ([]shape, error) {
	var r records.Scanner
	r.Reset([]byte(text), 0)
	if err := r.Begin('['); err != nil {
		return nil, fmt.Errorf("%w: %w", errColumns, err)
	}
	var shapes []shape
	for first := true; ; first = false {
		more, err := r.Next(first)
		if err == nil && !more {
			err = r.End()
			return shapes, err
		}
		var sh shape
		if err == nil {
			sh, err = parseShape(&r)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errColumns, err)
		}
		shapes = append(shapes, sh)
	}
}

// parseShape reads a shape, an array: its tag, then names of attributes and pairs of a
// name and its value. What is ours begins with "*".
func parseShape(r *records.Scanner) (sh shape, err error) {
	if err := r.Begin('['); err != nil {
		return sh, err
	}
	if more, err := r.Next(true); err != nil || !more {
		return sh, errColumns
	}
	tag, err := r.Text()
	if err != nil {
		return sh, err
	}
	sh.tag = string(tag)
	if tag, foreign := strings.CutPrefix(sh.tag, "svg:"); foreign {
		sh.tag, sh.space = tag, "svg"
	} else {
		sh.atom = atom.Lookup([]byte(sh.tag))
	}
	sh.cut = sh.tag == "#cut"
	for i := 0; ; i++ {
		if more, err := r.Next(false); err != nil || !more {
			return sh, err
		}
		if r.Peek() == '"' {
			name, err := r.Text()
			if err != nil {
				return sh, err
			}
			sh.name(string(name), i)
			continue
		}
		var pair [2]string
		if err := readPair(r, &pair); err != nil {
			return sh, err
		}
		if pair[0] == "#" {
			sh.text = &pair[1]
			continue
		}
		sh.add(attribute{Attribute: xhtml.Attribute{Key: pair[0], Val: pair[1]}})
	}
}

// name adds the attribute that part i of a shape names.
func (sh *shape) name(name string, i int) {
	ours, is := strings.CutPrefix(name, "*")
	switch {
	case is && i == 0 && !liveNames[ours]:
		sh.add(attribute{Attribute: xhtml.Attribute{Namespace: html.LiveSpace, Key: "style", Val: ours}})
	case is:
		counted := ours == "ref"
		sh.code = sh.code || ours == "code"
		sh.region = sh.region || ours == "frame" || ours == "foreign"
		sh.add(attribute{Attribute: xhtml.Attribute{Namespace: html.LiveSpace, Key: ours}, counted: counted, value: !counted})
	default:
		sh.add(attribute{Attribute: xhtml.Attribute{Key: name}, value: true})
	}
}

func (sh *shape) add(a attribute) {
	sh.region = sh.region || a.Key == "data-agent-scope"
	sh.attrs = append(sh.attrs, a)
}

// readPair reads an array of two texts.
func readPair(r *records.Scanner, pair *[2]string) error {
	if err := r.Begin('['); err != nil {
		return err
	}
	for i := range pair {
		if more, err := r.Next(i == 0); err != nil || !more {
			return errColumns
		}
		text, err := r.Text()
		if err != nil {
			return err
		}
		pair[i] = string(text)
	}
	if more, err := r.Next(false); err != nil || more {
		return errColumns
	}
	return nil
}

// liveNames are the collector's own attributes that have values.
var liveNames = map[string]bool{"masked": true, "modal": true, "frame": true, "foreign": true, "cut": true, "ref": true, "closed": true, "code": true}
