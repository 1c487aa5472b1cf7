package browser

import (
	"strconv"

	"github.com/pagestate/pagestate/records"
)

// A header is what comes with the columns of a document.
type header struct {
	URL        string
	Title      string
	Document   string
	Incomplete string // why the reading ended early
	Ready      string
	Unread     string // why there is nothing in the document that can be read
	signal     string // the event by which what is run next says that it has answered
	Foreign    int    // frames that could not be read from inside
	Unknown    int    // elements that may have a closed shadow root
	Coming     int    // documents in frames that are not parsed yet
	Status     int    // that the server answered with, 0 if not known
	// number counts the readings of a document. What isDelta is handed over as the
	// difference from reading base: delta is how much of each part is the same in front
	// and behind.
	number  int
	isDelta bool
	base    int
	delta   [partCount][2]int
	sizes   [textPart]int // of the parts in front of the last one, in UTF-16 units
	covered []int         // the scopes and frames, by number, that something lies over
}

// read reads a header from the start of text, and returns how long it is. It is a JSON
// array of numbers and texts, in the order in which the collector writes them.
func (h *header) read(text []byte) (size int, err error) {
	r := headerReader{first: true}
	r.Reset(text, 0)
	if err := r.Begin('['); err != nil {
		return 0, err
	}
	for _, to := range []*string{&h.URL, &h.Title, &h.Document, &h.Incomplete, &h.Ready, &h.Unread, &h.signal} {
		*to = r.text()
	}
	for _, to := range []*int{&h.Foreign, &h.Unknown, &h.Coming, &h.Status, &h.number, &h.sizes[opsPart], &h.sizes[lensPart], &h.sizes[shapesPart]} {
		*to = r.number()
	}
	for n := r.number(); n > 0 && r.err == nil; n-- {
		h.covered = append(h.covered, r.number())
	}
	if r.next() {
		h.isDelta, h.base = true, r.int()
		for i := range h.delta {
			h.delta[i] = [2]int{r.number(), r.number()}
		}
		r.end()
	}
	return r.Offset(), r.err
}

// A headerReader reads the elements of an array. After an error it reads nothing.
type headerReader struct {
	records.Scanner
	first bool
	err   error
}

// next reports whether another element follows.
func (r *headerReader) next() (more bool) {
	if r.err == nil {
		more, r.err = r.Next(r.first)
		r.first = false
	}
	return more && r.err == nil
}

func (r *headerReader) end() {
	if r.next() {
		r.err = errColumns
	}
}

func (r *headerReader) text() string {
	if !r.next() {
		r.fail()
		return ""
	}
	var text []byte
	text, r.err = r.Text()
	return string(text)
}

func (r *headerReader) number() int {
	if !r.next() {
		r.fail()
		return 0
	}
	return r.int()
}

// int reads the number that comes next.
func (r *headerReader) int() (n int) {
	var digits []byte
	if digits, r.err = r.Literal(); r.err == nil {
		if n, r.err = strconv.Atoi(string(digits)); n < 0 {
			r.err = errColumns
		}
	}
	return n
}

func (r *headerReader) fail() {
	if r.err == nil {
		r.err = errColumns
	}
}
