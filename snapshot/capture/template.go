package capture

import "github.com/pagestate/pagestate/snapshot"

// A template is what the text of one record shares with that of others that have
// the same scope and fields and are laid out alike: everything but the id and
// the values. Reading by it compares bytes instead of taking names apart.
type template struct {
	layout snapshot.Layout
	text   []byte
	ends   []int // where each part of text ends: before the id, before each value, and at the end
	next   int   // the template of the record that followed last time
}

// templates remembers how the last records were laid out and guesses the next.
type templates struct {
	list [8]template
	n    int // how many are known
	last int // that of the record before
	lead int // guesses that may still be made; below 0 some records are not guessed
}

const (
	maxLead  = 16
	missCost = 4 // so that where guesses fail, one record in five pays for one
)

func (t *templates) reset() { t.n, t.last, t.lead = 0, 0, maxLead }

// guess returns the template that the next record probably has, nil if there is
// no reason to guess.
func (t *templates) guess() *template {
	if t.n == 0 {
		return nil
	}
	if t.lead < 0 {
		t.lead++
		return nil
	}
	return &t.list[t.list[t.last].next]
}

// place returns the template of the layout, a new one or the oldest if there is
// none, and notes that it follows the one before.
func (t *templates) place(l snapshot.Layout) *template {
	at := 0
	for at < t.n && t.list[at].layout != l {
		at++
	}
	if at == t.n {
		if t.n == len(t.list) {
			at = (t.last + 1) % len(t.list)
		} else {
			t.n++
		}
		t.list[at].layout, t.list[at].next = l, at
	}
	t.list[t.last].next = at
	t.last = at
	return &t.list[at]
}

// learn makes the template of the record that was just read, which starts at
// offset start: an id, then fields, with the scope anywhere and nothing else.
func (d *Decoder) learn(row *snapshot.Row, start int) {
	t := d.like.place(row.Layout())
	t.text, t.ends = t.text[:0], t.ends[:0]
	at := start
	for i := 0; i < len(d.marks); i += 2 {
		t.text = append(t.text, d.scan.Between(at, d.marks[i])...)
		t.ends = append(t.ends, len(t.text))
		at = d.marks[i+1]
	}
	t.text = append(t.text, d.scan.Between(at, d.scan.Offset())...)
	t.ends = append(t.ends, len(t.text))
}

// recordLike reads the next record by the template that it guesses and reports
// whether it did; if not, nothing is read. It leaves every fault to record.
func (d *Decoder) recordLike() bool {
	t := d.like.guess()
	if t == nil {
		return false
	}
	s := &d.scan
	s.Peek()
	start, depth := s.Offset(), s.Depth()
	if d.readLike(t) {
		d.like.last = d.like.list[d.like.last].next
		d.like.lead = min(d.like.lead+1, maxLead)
		s.Seek(s.Offset(), depth)
		return true
	}
	d.like.lead -= missCost
	s.Seek(start, depth)
	s.Repaired()
	return false
}

func (d *Decoder) readLike(t *template) bool {
	s := &d.scan
	at := t.ends[0]
	if !s.Take(t.text[:at]) {
		return false
	}
	var err error
	if d.id, err = d.appendID(d.id); err != nil {
		return false
	}
	s.Seek(s.Offset(), s.Depth()+2) // in the record, in its fields
	row := d.out.RecordLike(&t.layout, d.id)
	for _, end := range t.ends[1 : len(t.ends)-1] {
		if !s.Take(t.text[at:end]) || row.ScanNext(s) != nil {
			row.Cancel()
			return false
		}
		at = end
	}
	if !s.Take(t.text[at:]) || s.Repaired() {
		row.Cancel()
		return false
	}
	row.End()
	return true
}
