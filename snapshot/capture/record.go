package capture

import (
	"bytes"
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// records reads the records of a capture.
func (d *Decoder) records() error {
	s := &d.scan
	if s.Peek() != '[' {
		return d.wrongType("an array")
	}
	if err := s.Begin('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := s.Next(i == 0)
		if err != nil || !more {
			return err
		}
		if n := d.recordsSame(); n > 0 {
			i += n - 1
			continue
		}
		s.Peek()
		start := s.Offset()
		clean := d.recordLike()
		if !clean {
			if clean, err = d.record(i); err != nil {
				return within(err, strconv.Itoa(i))
			}
		}
		d.source.add(start, s.Offset(), clean)
		d.followKey()
		if i == enoughToGuess {
			d.makeRoom(i + 1)
		}
	}
}

// enoughToGuess is after how many records room for the others is made.
const enoughToGuess = 15

// makeRoom makes room for the records to come if they are like the n before.
func (d *Decoder) makeRoom(n int) {
	kept, size := d.out.Records()
	first, last := int(d.source.spans[0].start), int(d.source.spans[n-1].end)
	if kept == 0 {
		return
	}
	rest := (len(d.source.text) - last) / max((last-first)/n, 1)
	// Rows that come later are often a little longer: a larger number in each id.
	// Room that is not used costs no memory until it is touched.
	bytes := int64(rest) * int64(size+size/16) / int64(kept)
	d.out.Grow(rest+rest/32, int(min(bytes, 2*int64(len(d.source.text)))))
}

// Members of a record, as bits of a set.
const (
	recordID = 1 << iota
	recordScope
	recordFields
	recordReplaces
)

var recordMembers = []string{"id", "scope", "fields", "replaces"}

// record reads record i.
//
// The row is opened when the fields begin, if the id is known by then; its scope
// may follow. Fields that come before the id are checked and passed over, and
// read once the id is known.
//
// clean says that the record is nothing but its row: the same text read again,
// anywhere, adds the same row and no more.
func (d *Decoder) record(i int) (clean bool, _ error) {
	s := &d.scan
	if s.Peek() != '{' {
		return false, d.wrongType("an object")
	}
	start := s.Offset()
	if err := s.Begin('{'); err != nil {
		return false, err
	}
	frame := d.openMembers()
	var (
		seen   uint
		row    *snapshot.Row
		later  = -1 // offset of fields passed over
		broken bool
		// strange says that the record has members of no meaning.
		strange bool
	)
	scope := ""
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil {
			return false, err
		}
		if !ok {
			break
		}
		bit := 0
		switch string(name) {
		case "id":
			bit = recordID
		case "scope":
			bit = recordScope
		case "fields":
			bit = recordFields
		case "replaces":
			bit = recordReplaces
		default:
			strange = true
			if err := d.skip(name); err != nil {
				return false, err
			}
			continue
		}
		if seen&uint(bit) != 0 {
			return false, s.Fail(records.ErrRepeated, "").Within(string(name))
		}
		seen |= uint(bit)
		switch bit {
		case recordID:
			s.Peek()
			d.marks = append(d.marks[:0], s.Offset())
			d.id, err = d.appendID(d.id)
			d.marks = append(d.marks, s.Offset())
			broken = s.Repaired() || broken
		case recordScope:
			scope, err = d.scopeID()
			broken = s.Repaired() || broken
		case recordReplaces:
			d.replaces, err = d.appendID(d.replaces)
			broken = s.Repaired() || broken
		case recordFields:
			if s.Peek() != '{' {
				err = d.wrongType("an object")
			} else if seen&recordID == 0 {
				later = s.Offset()
				err = s.Skip()
				s.Repaired()
			} else {
				row = d.out.RecordBytes(scope, d.id)
				err = d.fields(row)
			}
		}
		if err != nil {
			return false, d.belowRecord(err, uint(bit))
		}
	}
	if err := d.closeMembers(frame); err != nil {
		return false, err
	}
	if seen&recordID == 0 {
		d.id = d.id[:0]
		d.lacks(scope, i, start)
	}
	if row == nil {
		row = d.out.RecordBytes(scope, d.id)
		if later >= 0 {
			end := s.Offset()
			s.Seek(later, s.Depth()+1)
			if err := d.fields(row); err != nil {
				return false, d.belowRecord(err, recordFields)
			}
			s.Seek(end, s.Depth()-1)
		}
	} else if seen&recordScope != 0 {
		row.Scope(scope)
	}
	if seen&recordReplaces != 0 {
		row.Replaces(string(d.replaces))
	}
	if broken {
		row.Repaired()
	}
	if plain := uint(recordID | recordFields); seen&^recordScope == plain && later < 0 && !strange {
		d.learn(row, start)
	}
	row.End()
	return seen&(recordID|recordReplaces) == recordID && !broken && !row.Broken(), nil
}

func (d *Decoder) belowRecord(err error, bit uint) error {
	for i, name := range recordMembers {
		if bit == 1<<i {
			return within(err, name)
		}
	}
	return err
}

// fields reads the fields of row.
func (d *Decoder) fields(row *snapshot.Row) error {
	s := &d.scan
	if err := s.Begin('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil || !ok {
			return err
		}
		s.Peek()
		d.marks = append(d.marks, s.Offset())
		if err := row.Scan(name, s); err != nil {
			return err
		}
		d.marks = append(d.marks, s.Offset())
	}
}

// scopeID reads the id of a record's scope. It makes a string only of one that
// it has not seen before.
func (d *Decoder) scopeID() (string, error) {
	var err error
	if d.scope, err = d.appendReference(d.scope); err != nil {
		return "", err
	}
	if string(d.scope) == d.lastScope {
		return d.lastScope, nil
	}
	id, ok := d.scopeIDs[string(d.scope)]
	if !ok {
		if d.scopeIDs == nil {
			d.scopeIDs = map[string]string{}
		}
		id = string(d.scope)
		d.scopeIDs[id] = id
	}
	d.lastScope = id
	return id, nil
}

// lacks notes that record i of scope, at offset start, has no id.
func (d *Decoder) lacks(scope string, i, start int) {
	if d.lacking == nil {
		d.lacking = map[string]lack{}
	}
	if _, ok := d.lacking[scope]; !ok {
		d.lacking[scope] = lack{i, start}
	}
}

// checkLacking refuses records without an id outside inferred scopes.
func (d *Decoder) checkLacking() error {
	worst := lack{record: -1}
	for scope, l := range d.lacking {
		if !d.inferred[scope] && (worst.record < 0 || l.record < worst.record) {
			worst = l
		}
	}
	if worst.record < 0 {
		return nil
	}
	return within(within(missingID(worst.start), strconv.Itoa(worst.record)), "records")
}

// array reads rows in an array.
func (d *Decoder) array(opts *Options) error {
	s := &d.scan
	start := s.Offset()
	n := 0
	err := d.list("", func() error {
		n++
		return d.row(opts.Key)
	})
	if err == nil && n == 0 && !opts.Rows {
		return &records.PosError{Offset: start, Err: ErrEmptyRows}
	}
	return err
}

// lines reads rows in text from the scanner's offset on, one a line.
func (d *Decoder) lines(text []byte, opts *Options) error {
	at := d.scan.Offset()
	// Peek may have passed over blank lines, which count all the same.
	line := 1 + bytes.Count(text[:at], []byte{'\n'})
	for ; at < len(text); line++ {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		s := &d.scan
		s.Reset(text[:end], opts.MaxDepth)
		s.Seek(at, 0)
		if s.Peek(); s.Offset() < end {
			err := d.row(opts.Key)
			if err == nil {
				err = s.End()
			}
			if err != nil {
				return &LineError{line, err}
			}
		}
		at = end + 1
	}
	return nil
}

// row reads a row: an object with its id among its members.
func (d *Decoder) row(key string) error {
	s := &d.scan
	if s.Peek() != '{' {
		return d.wrongType("an object")
	}
	start, depth := s.Offset(), s.Depth()
	idAt, key, err := d.findID(key)
	if err != nil {
		return err
	}
	if idAt < 0 {
		detail := "missing"
		if key == "" {
			key, detail = "id", "no member id, _id or key"
		}
		return (&records.PosError{Offset: start, Err: ErrBadID, Detail: detail}).Within(key)
	}
	s.Seek(idAt, depth+1)
	if d.id, err = d.appendID(d.id); err != nil {
		return within(err, key)
	}
	row := d.out.RecordBytes("", d.id)
	if s.Repaired() {
		row.Repaired()
	}
	s.Seek(start, depth)
	s.Repaired()
	if err := s.Begin('{'); err != nil {
		return err
	}
	isID := false
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if string(name) != key {
			if err := row.Scan(name, s); err != nil {
				return err
			}
			continue
		}
		if isID {
			return s.Fail(records.ErrRepeated, "").Within(key)
		}
		isID = true
		if err := s.Skip(); err != nil {
			return within(err, key)
		}
		s.Repaired()
	}
	row.End()
	return nil
}

// defaultKeys are the members that are the id of a row, by preference.
var defaultKeys = [...]string{"id", "_id", "key"}

// findID reads on in a row until it knows which member is the row's id. It
// returns where the value of that starts, -1 if there is none, and its name.
func (d *Decoder) findID(key string) (at int, _ string, err error) {
	s := &d.scan
	if err := s.Begin('{'); err != nil {
		return 0, "", err
	}
	keys := defaultKeys[:]
	if key != "" {
		keys = []string{key}
	}
	at = -1
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil {
			return 0, "", err
		}
		if !ok {
			return at, key, nil
		}
		d.names = append(d.names[:0], name...)
		s.Peek()
		for i, k := range keys {
			if string(name) == k {
				at, key, keys = s.Offset(), k, keys[:i]
				break
			}
		}
		if len(keys) == 0 {
			return at, key, nil
		}
		if err := s.Skip(); err != nil {
			return 0, "", within(err, string(d.names))
		}
	}
}
