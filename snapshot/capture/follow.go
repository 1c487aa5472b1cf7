package capture

import (
	"sort"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A source is an input that was read and where its records are in it, so that
// the next one can be read against it.
type source struct {
	text  []byte
	spans []span
	made  *snapshot.Snapshot // of it
	snap  *snapshot.Snapshot // the same; nil when the input cannot be read against
	clean bool               // all records read so far were
	depth int                // the limit it was read with
}

// A span is where a record is in its text.
type span struct{ start, end uint32 } // inputs are at most maxInput long

func (s *source) reset() {
	s.text, s.spans, s.clean = nil, s.spans[:0], true
	s.made, s.snap = nil, nil
}

func (s *source) add(start, end int, clean bool) {
	s.spans = append(s.spans, span{uint32(start), uint32(end)})
	s.clean = s.clean && clean
}

// keep makes the input one to read against, if each of its records is a row of
// snap as its text says and nothing else.
func (s *source) keep(text []byte, snap *snapshot.Snapshot) {
	if !s.clean || len(s.spans) != snap.Len() {
		return
	}
	for i := range snap.Scopes() {
		if len(snap.Scopes()[i].Sensitive) > 0 {
			return // rows are masked
		}
	}
	s.text, s.snap = text, snap
}

// A follower walks the records of the previous input beside those being read.
type follower struct{ at int }

// reach is how far ahead in the previous input a record is looked for.
const reach = 32

// followKey moves on in the previous input past the record that was just read,
// if it is there.
func (d *Decoder) followKey() {
	if d.previous.snap == nil {
		return
	}
	table := d.previous.snap.Table()
	key := d.out.LastKey()
	for at := d.follow.at; at < min(table.Len(), d.follow.at+reach); at++ {
		if table.Key(at) == key {
			d.follow.at = at + 1
			return
		}
	}
}

// recordsSame takes over the records that come next if their text, with what
// stands between them, is that of records of the previous input. It returns how
// many.
func (d *Decoder) recordsSame() int {
	p, at := &d.previous, d.follow.at
	if p.snap == nil || at >= len(p.spans) {
		return 0
	}
	s := &d.scan
	s.Peek()
	here, there := s.Offset(), int(p.spans[at].start)
	same := records.CommonPrefix(d.source.text[here:], p.text[there:])
	n := sort.Search(len(p.spans)-at, func(n int) bool { return int(p.spans[at+n].end)-there > same })
	if n == 0 || !d.out.TakeRecords(at, n) {
		return 0
	}
	shift := uint32(here - there) // modulo 2^32
	for _, sp := range p.spans[at : at+n] {
		d.source.spans = append(d.source.spans, span{sp.start + shift, sp.end + shift})
	}
	d.follow.at += n
	s.Seek(int(d.source.spans[len(d.source.spans)-1].end), s.Depth())
	return n
}
