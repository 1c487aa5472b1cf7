package bench

import (
	"bytes"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// The references that times are compared with. They are plain, allocate nothing
// when warm, and use nothing of this module while they are measured. A change to
// one of them makes all baselines void.

// A plainRecord is a record as one text.
type plainRecord struct{ key, text string }

// plain is a differ of plain records: an index of one side's keys, then a
// comparison of texts.
type plain struct {
	before, after []plainRecord
	index         map[string]int32
}

func newPlain(before, after *snapshot.Snapshot) *plain {
	return &plain{plainRecords(before), plainRecords(after), map[string]int32{}}
}

// plainRecords copies the records out of a snapshot, each into memory of its own.
func plainRecords(s *snapshot.Snapshot) []plainRecord {
	list := make([]plainRecord, s.Len())
	var text []byte
	for i, r := range s.All() {
		text = text[:0]
		for name, v := range r.Fields() {
			text = records.AppendQuoted(text, name)
			text = records.AppendJSON(append(text, ':'), v)
		}
		list[i] = plainRecord{r.Scope() + "/" + r.ID(), string(text)}
	}
	return list
}

// diff returns how many records were added, removed, updated and out of order.
func (p *plain) diff() (added, removed, updated, moved int) {
	clear(p.index)
	for i := range p.before {
		p.index[p.before[i].key] = int32(i)
	}
	last := int32(-1)
	for j := range p.after {
		r := &p.after[j]
		i, ok := p.index[r.key]
		if !ok {
			added++
			continue
		}
		if i < last {
			moved++
		}
		last = i
		if p.before[i].text != r.text {
			updated++
		}
	}
	return added, len(p.before) - (len(p.after) - added), updated, moved
}

// scan reads text the way a decoder must: each byte once, strings told from the
// rest. It returns how many strings and how many other signs there are.
func scan(text []byte) (quoted, signs int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted++
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '}', '[', ']', ':', ',', '<', '>':
			signs++
		}
	}
	return quoted, signs
}

// A Limit is something that no comparison of the same rows can beat, or hardly.
type Limit struct {
	Name string
	Run  func()
}

// Limits returns the limits of a machine on the rows of two snapshots: comparing
// their bytes, copying them, and reading them. If the sides have different sizes
// the larger is cut.
func Limits(before, after *snapshot.Snapshot) []Limit {
	b, a := arena(before), arena(after)
	n := min(len(b), len(a))
	b, a = b[:n], a[:n]
	same, text := bytes.Clone(b), bytes.ReplaceAll(b, []byte{0xff}, []byte{0xfe})
	var sink bool
	return []Limit{
		{"equal", func() { sink = bytes.Equal(b, same) != sink }},
		{"copy", func() { copy(a, b) }},
		{"read", func() { sink = bytes.IndexByte(text, 0xff) >= 0 != sink }},
	}
}

// arena returns a copy of the rows of a snapshot.
func arena(s *snapshot.Snapshot) []byte {
	t := s.Table()
	out := make([]byte, 0, t.Size())
	for i := range t.Len() {
		out = append(out, t.Row(i)...)
	}
	return out
}
