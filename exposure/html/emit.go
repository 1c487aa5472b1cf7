package html

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/internal/slab"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A decoder reads one document.
type decoder struct {
	opts Options
	live *LiveOptions // nil for a saved page
	b    *snapshot.Builder
	root *node

	annotated bool  // there are annotations
	answered  bool  // live: a provider of tools has said something
	modal     *node // the topmost modal dialog
	budget    int   // text still to be read out; see MaxRepeat
	err       error

	regions     map[string]*region
	order       []*region
	blockScopes map[string]*snapshot.Scope
	recs        []*record
	acts        []*action
	radios      map[radioField]int // the numbers of their fields
	grids       map[*node]*grid
	labels      map[shared]string

	nodes      slab.Slab[node]  // the tree,
	kids       slab.Slab[*node] // and its lists
	records    slab.Slab[record]
	fields     slab.Slab[field]
	actions    slab.Slab[action]
	schemas    *schemas
	values     []byte // and what fields hold
	fieldsHint int    // how many fields the last record had

	cut      []byte // live: what was cut from the value being read
	cutBytes int64
}

// small is how many records, fields and actions a block has.
const small = 64

func (d *decoder) decode(doc *html.Node) (*snapshot.Snapshot, error) {
	d.regions = map[string]*region{}
	d.root = &node{raw: doc, display: block}
	at := place{tree: newTree()}
	for c := doc.FirstChild; c != nil; c = c.NextSibling {
		if err := d.build(c, d.root, at); err != nil {
			return nil, err
		}
	}
	if d.live != nil {
		d.b.Page(d.live.Page)
	} else {
		d.b.Page(pageOf(doc))
	}
	if d.annotated || d.answered {
		d.annotations(d.root, context{})
		d.mergeBlocks()
	}
	if d.err != nil {
		return nil, d.err
	}
	if !d.annotated || d.opts.Infer {
		d.infer()
	}
	if d.err != nil {
		return nil, d.err
	}
	d.emit()
	return d.b.Snapshot()
}

// emit hands what was read to the builder.
func (d *decoder) emit() {
	for _, r := range d.order {
		d.window(r)
		block := d.blockScopes[r.ID]
		if block != nil {
			r.fill(block)
		}
		if r.node != nil || block != nil || r.Inferred {
			d.b.Scope(r.Scope)
		}
		if r.bad > 0 {
			at := r.ID
			d.b.Diagnose(exposure.CodeBadID, at, withoutID(r.bad))
		}
	}
	for _, r := range d.recs {
		d.emitRecord(r)
	}
	d.emitActions()
}

func (d *decoder) emitRecord(r *record) {
	row := d.b.Record(r.scope, r.id)
	if r.replaces != "" {
		row.Replaces(r.replaces)
	}
	for i := range r.fields {
		if f := &r.fields[i]; f.group != nil {
			f.value = maskRadios(f.group)
		}
	}
	for _, f := range merge(r.fields) {
		v := records.RawValue(f.value)
		if _, cut := v.Cut(); v.Kind() == records.String && !cut {
			row.String(f.name, string(v.Text())) // tells of text that is repaired
			continue
		}
		row.Value(f.name, v)
	}
	row.End()
}

// merge makes one field, an array, of those that have one name.
func merge(fields []field) []field {
	if distinct(fields) {
		return fields
	}
	at := make(map[string]int, len(fields))
	var out []field
	var more map[int][]byte // the elements of arrays, by number in out
	for _, f := range fields {
		i, seen := at[f.name]
		if !seen {
			at[f.name] = len(out)
			out = append(out, f)
			continue
		}
		if more == nil {
			more = map[int][]byte{}
		}
		if more[i] == nil {
			more[i] = append(records.BeginArray(nil), out[i].value...)
		}
		more[i] = append(more[i], f.value...)
	}
	for i, elements := range more {
		out[i].value = records.EndArray(elements, 0)
	}
	return out
}

// distinct reports whether few enough fields to look at each pair of have names of
// their own.
func distinct(fields []field) bool {
	if len(fields) > 16 {
		return false
	}
	for i := range fields {
		for j := range i {
			if fields[i].name == fields[j].name {
				return false
			}
		}
	}
	return true
}

func (d *decoder) emitActions() {
	origins := make([]exposure.Origin, len(d.acts))
	for i, a := range d.acts {
		origins[i] = a.origin
	}
	ids, tied := exposure.IDs(origins)
	undeclared, first := 0, ""
	for i, a := range d.acts {
		a.ID = ids[i]
		a.Group, a.Scope, a.Record, a.Name = a.origin.Group, a.origin.Scope, a.origin.Record, a.origin.Name
		if a.undeclared {
			if undeclared++; undeclared == 1 {
				first = a.ID
			}
		}
		if r := d.regions[a.Scope]; r != nil && !a.Unavailable {
			switch r.State {
			case snapshot.Inactive:
				a.Unavailable, a.Reason = true, exposure.ReasonInactive
			case snapshot.Covered:
				a.Unavailable, a.Reason = true, exposure.ReasonCovered
			}
		}
		d.b.Action(a.Action)
		if d.live != nil && d.live.Element != nil && a.node != nil {
			d.live.Element(&a.Action, a.node.raw)
		}
	}
	if undeclared > 0 {
		d.b.Diagnose(exposure.CodeNoDescription, first, fmt.Sprintf("%d actions, this one first, declare no description; their labels are used", undeclared))
	}
	if len(tied) == 0 {
		return
	}
	seen := make(map[exposure.Origin]bool, len(origins))
	repeats := make([]bool, len(origins)) // which the builder diagnoses
	for i, o := range origins {
		repeats[i], seen[o] = seen[o], true
	}
	for _, i := range tied {
		if repeats[i] {
			continue
		}
		d.b.Diagnose(exposure.CodeDuplicateID, ids[i], "another action has the same name; this one is numbered")
	}
}

// pageOf returns the title and the url that a document declares: where it was
// saved from, else its canonical address.
func pageOf(root *html.Node) (p snapshot.Page) {
	doc := goquery.NewDocumentFromNode(root)
	p.Title = flat(doc.Find("head > title").First().Text())
	if p.Title == "" {
		// Not the title of a drawing.
		p.Title = flat(doc.Find("title").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return s.Get(0).Namespace == ""
		}).First().Text())
	}
	if p.URL = savedFrom(root); p.URL != "" {
		return p
	}
	doc.Find("link[rel][href]").EachWithBreak(func(_ int, s *goquery.Selection) bool {
		for token := range strings.FieldsSeq(strings.ToLower(s.AttrOr("rel", ""))) {
			if token == "canonical" {
				base, _ := doc.Find("base[href]").First().Attr("href")
				p.URL = webAddress(base, s.AttrOr("href", ""))
			}
		}
		return p.URL == ""
	})
	return p
}

// savedFrom returns the address in the comment that browsers put in front of a
// page that they save.
func savedFrom(root *html.Node) string {
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.CommentNode {
			if u := savedComment(c.Data); u != "" {
				return u
			}
		}
		if c.Type == html.ElementNode {
			for k := c.FirstChild; k != nil && k.Type != html.ElementNode; k = k.NextSibling {
				if k.Type == html.CommentNode {
					if u := savedComment(k.Data); u != "" {
						return u
					}
				}
			}
		}
	}
	return ""
}

// savedComment reads "saved from url=(0023)https://example.org/", where the
// number is the address's length, and the list that SingleFile writes.
func savedComment(text string) string {
	if _, rest, ok := strings.Cut(text, "saved from url=("); ok {
		if _, u, ok := strings.Cut(rest, ")"); ok {
			u, _, _ = strings.Cut(strings.Trim(u, blanks), " ")
			return webAddress("", u)
		}
	}
	if strings.Contains(text, "Page saved with SingleFile") {
		for line := range strings.Lines(text) {
			if u, ok := strings.CutPrefix(strings.Trim(line, blanks), "url: "); ok {
				return webAddress("", strings.Trim(u, blanks))
			}
		}
	}
	return ""
}

// webAddress returns an absolute address without user info, "" if ref is none.
func webAddress(base, ref string) string {
	u, err := url.Parse(strings.Trim(ref, blanks))
	if err != nil {
		return ""
	}
	if b, err := url.Parse(base); err == nil && base != "" {
		u = b.ResolveReference(u)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	u.User = nil
	return u.String()
}

// withoutID is the message about n records that are left out.
func withoutID(n int) string {
	if n == 1 {
		return "1 record without an id is left out"
	}
	return fmt.Sprintf("%d records without an id are left out", n)
}
