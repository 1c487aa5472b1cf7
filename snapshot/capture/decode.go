package capture

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Errors of decoding, each wrapped in a *[records.PosError]. Faults of the JSON
// text itself are [records.ErrSyntax], [records.ErrDepth] and
// [records.ErrRepeated].
var (
	ErrEmpty      = errors.New("empty input")
	ErrEncoding   = errors.New("unsupported text encoding")
	ErrNotCapture = errors.New("no capture")
	ErrVersion    = errors.New("unsupported format")
	ErrType       = errors.New("wrong type")
	ErrBadID      = errors.New("bad id")
	ErrTooMany    = errors.New("too many") // scopes or actions
	ErrTooLarge   = errors.New("input too large")

	// ErrEmptyRows is an [ErrNotCapture]: an empty array, which is rows only if
	// Options.Rows says so.
	ErrEmptyRows = fmt.Errorf("%w: an empty array may be rows or nothing", ErrNotCapture)
)

// Codes of the diagnostics that a Decoder makes, besides those of the builder.
const (
	CodeNoDescription = "no-description" // at the action's id
	CodeBadParams     = "bad-params"     // at the action's id
	CodeBadState      = "bad-state"      // at the scope's id
)

// Format is the format that is written; read are also its minor versions,
// "pagestate/1.x".
const Format = "pagestate/1"

// Options says how to read. nil and zero fields mean the documented default.
type Options struct {
	// Rows says that the input is rows: an empty array is then no records, and
	// a document that starts with an object is NDJSON. Arrays that are not empty
	// are read as rows anyway.
	Rows bool
	// NDJSON says that the input is rows with one object a line.
	NDJSON bool
	// Key names the member that is the id of a row. By default that is "id" or,
	// in rows that lack it, "_id" or "key". It means nothing for a capture; see
	// [Decoder.Rows].
	Key string

	MaxDepth   int // levels of nesting; [records.DefaultMaxDepth] by default
	MaxTracked int // records kept, and scopes and actions accepted; [snapshot.DefaultMaxTracked] by default
}

func (o *Options) maxTracked() int {
	if o.MaxTracked > 0 {
		return o.MaxTracked
	}
	return snapshot.DefaultMaxTracked
}

// maxInput bounds the input in bytes: its encoding, at most three times as long,
// must fit lengths of 32 bits.
const maxInput = 1 << 30

// A LineError is a failure in NDJSON. Err is a *[records.PosError] whose offset
// counts from the start of the input and whose pointer is relative to the row.
type LineError struct {
	Line int // 1-based
	Err  error
}

// Error returns the error's text with the line.
func (e *LineError) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *LineError) Unwrap() error { return e.Err }

// A Decoder holds scratch memory and the layouts of the records it has seen. The
// zero value is ready. It must not be used by two goroutines at once; keep one
// per worker. The snapshots that it returns are independent of it.
type Decoder struct {
	scan records.Scanner
	out  snapshot.Builder
	rows bool

	id, replaces, scope []byte
	like                templates
	marks               []int // where id and values of the last record start and end
	source, previous    source
	follow              follower
	names               []byte   // of unknown members of open objects
	unknown             []member // those, in names
	params              []byte
	scopeIDs            map[string]string // every scope id seen, by itself
	lastScope           string
	inferred            map[string]bool // by id of a declared scope
	lacking             map[string]lack // by scope
	most                int             // scopes or actions
	broken              bool            // the object being read has repaired text
	wide                []byte          // UTF-16 input as UTF-8
}

// A lack is the first record of a scope that has no id: its number and offset.
type lack struct{ record, start int }

// maxScopeIDs bounds the scope ids kept from one input to the next.
const maxScopeIDs = 1 << 12

// Decode reads one capture with a new [Decoder].
func Decode(data []byte, opts *Options) (*snapshot.Snapshot, error) {
	var d Decoder
	return d.Decode(data, opts)
}

// Rows reports whether the last input was rows rather than a capture.
func (d *Decoder) Rows() bool { return d.rows }

// Decode reads one document. data is neither changed nor kept. Its errors are
// *[records.PosError], or *[LineError] around one.
//
// It reads the input in one pass, except fields that come before the id of their
// record, which are read twice. Its cost is linear in the input.
func (d *Decoder) Decode(data []byte, opts *Options) (*snapshot.Snapshot, error) {
	d.previous.reset()
	return d.decode(data, opts)
}

// DecodeNext is Decode for the next capture of a session. Records whose text
// stands in the input of the last Decode or DecodeNext too, in about the same
// order, are taken over from its snapshot without being read again: that input
// must not have been changed since. The result is the same as that of Decode, but
// that it shares the memory of records that are as they were; see
// [snapshot.Builder.Follow].
func (d *Decoder) DecodeNext(data []byte, opts *Options) (*snapshot.Snapshot, error) {
	d.previous, d.source = d.source, d.previous
	return d.decode(data, opts)
}

func (d *Decoder) decode(data []byte, opts *Options) (*snapshot.Snapshot, error) {
	d.source.reset()
	if opts == nil {
		opts = &Options{}
	}
	d.rows = false
	d.like.reset()
	clear(d.lacking)
	clear(d.inferred)
	d.lastScope = ""
	d.names, d.unknown = d.names[:0], d.unknown[:0]
	if len(d.scopeIDs) > maxScopeIDs {
		d.scopeIDs = nil
	}
	d.out.Limits.MaxTracked = opts.MaxTracked
	d.out.ForgetMasked = true

	d.most = opts.maxTracked()
	if len(data) > maxInput {
		return nil, &records.PosError{Offset: maxInput, Err: ErrTooLarge, Detail: fmt.Sprintf("the limit is %d bytes", maxInput)}
	}

	text, start, wide, err := d.utf8Text(data)
	if err == nil {
		d.scan.Reset(text, opts.MaxDepth)
		d.scan.Seek(start, 0)
		d.source.text, d.source.depth = text, opts.MaxDepth
		if d.previous.depth != opts.MaxDepth {
			d.previous.reset()
		}
		d.follow = follower{}
		if d.previous.made != nil {
			d.out.Follow(d.previous.made)
		}
		err = d.document(text, opts)
		if err != nil && wide {
			unwiden(err, data)
		}
	}
	if err != nil {
		d.out.Discard()
		return nil, err
	}
	snap, err := d.out.Snapshot()
	if err != nil {
		return nil, &records.PosError{Err: err}
	}
	d.source.made = snap
	if !wide && !d.rows {
		d.source.keep(text, snap)
	}
	return snap, nil
}

// document reads all of text from the scanner's offset on.
func (d *Decoder) document(text []byte, opts *Options) error {
	s := &d.scan
	c := s.Peek()
	if s.Offset() == len(text) {
		return s.Fail(ErrEmpty, "")
	}
	var err error
	switch {
	case opts.NDJSON, opts.Rows && c == '{':
		d.rows = true
		return d.lines(text, opts)
	case c == '[':
		d.rows = true
		err = d.array(opts)
	case c == '{':
		err = d.capture()
	default:
		at := s.Offset()
		if err := s.Skip(); err != nil {
			return err
		}
		return &records.PosError{Offset: at, Err: ErrNotCapture, Detail: kindAt(c) + " is none"}
	}
	if err != nil {
		return err
	}
	return s.End()
}

// topMembers are the members of a capture; one of the first four must be there.
var topMembers = []string{"format", "scopes", "records", "actions", "page", "view", "untracked"}

const topRequired = 1<<4 - 1

// capture reads a capture.
func (d *Decoder) capture() error {
	start := d.scan.Offset()
	seen, err := d.object(topMembers, func(name string) error {
		switch name {
		case "format":
			return d.format()
		case "page":
			return d.page()
		case "view":
			return d.view()
		case "scopes":
			return d.list("scopes", d.declareScope)
		case "records":
			return d.records()
		case "actions":
			return d.list("actions", d.action)
		}
		return d.untracked()
	})
	if err != nil {
		return err
	}
	if seen&topRequired == 0 {
		return &records.PosError{Offset: start, Err: ErrNotCapture, Detail: "an object without format, scopes, records and actions"}
	}
	return d.checkLacking()
}

func (d *Decoder) format() error {
	at := d.scan.Offset()
	text, err := d.text()
	if err != nil {
		return err
	}
	if text != Format && !strings.HasPrefix(text, Format+".") {
		return &records.PosError{Offset: at, Err: ErrVersion, Detail: shown(text) + ", want \"" + Format + "\""}
	}
	return nil
}

// shown quotes text from the input for a message.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// object reads an object. It calls read with each member that is among known,
// which must read the value, and skips the others. It returns the set of those
// seen, as bits by their place in known.
func (d *Decoder) object(known []string, read func(name string) error) (seen uint, err error) {
	s := &d.scan
	if s.Peek() != '{' {
		return 0, d.wrongType("an object")
	}
	if err := s.Begin('{'); err != nil {
		return 0, err
	}
	frame := d.openMembers()
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil {
			return 0, err
		}
		if !ok {
			return seen, d.closeMembers(frame)
		}
		at := slices.IndexFunc(known, func(k string) bool { return k == string(name) })
		if at < 0 {
			if err := d.skip(name); err != nil {
				return 0, err
			}
			continue
		}
		if seen&(1<<at) != 0 {
			return 0, s.Fail(records.ErrRepeated, "").Within(known[at])
		}
		seen |= 1 << at
		if err := read(known[at]); err != nil {
			return 0, within(err, known[at])
		}
		d.broken = s.Repaired() || d.broken
	}
}

// list reads an array and calls read for each element, which must read it. If
// what is not empty, it names the elements, of which there may be d.most.
func (d *Decoder) list(what string, read func() error) error {
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
		if what != "" && i >= d.most {
			err = d.tooMany(what)
		} else {
			err = read()
		}
		if err != nil {
			return within(err, strconv.Itoa(i))
		}
	}
}

func (d *Decoder) tooMany(what string) error {
	d.scan.Peek()
	return d.scan.Fail(ErrTooMany, fmt.Sprintf("more than %d %s", d.most, what))
}

// within puts err, a *records.PosError, below token.
func within(err error, token string) error {
	if pos, ok := err.(*records.PosError); ok {
		return pos.Within(token)
	}
	return err
}

// wrongType reads a value that should have been something else and returns the
// error that says so, unless it is no JSON at all.
func (d *Decoder) wrongType(want string) error {
	s := &d.scan
	c := s.Peek()
	at := s.Offset()
	if err := s.Skip(); err != nil {
		return err
	}
	return &records.PosError{Offset: at, Err: ErrType, Detail: kindAt(c) + ", want " + want}
}

// kindAt names the kind of a value by its first byte.
func kindAt(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// A member is an unknown member of an object that is being read. Its name is
// names[start:end].
type member struct{ start, end, offset int }

// openMembers starts an object's set of unknown members; closeMembers takes what
// it returns.
func (d *Decoder) openMembers() (frame int) { return len(d.unknown) }

// skip reads the value of an unknown member and drops it.
func (d *Decoder) skip(name []byte) error {
	d.note(name)
	if err := d.scan.Skip(); err != nil {
		m := d.unknown[len(d.unknown)-1]
		return within(err, string(d.names[m.start:m.end]))
	}
	d.scan.Repaired()
	return nil
}

// note adds the name of a member to the set of the object being read.
func (d *Decoder) note(name []byte) {
	start := len(d.names)
	d.names = append(d.names, name...)
	d.unknown = append(d.unknown, member{start, len(d.names), d.scan.Offset()})
}

// closeMembers ends the set and refuses names that are in it twice.
func (d *Decoder) closeMembers(frame int) error {
	set := d.unknown[frame:]
	if len(set) == 0 {
		return nil
	}
	d.unknown = d.unknown[:frame]
	from := set[0].start
	if len(set) > 1 {
		slices.SortFunc(set, func(a, b member) int {
			return cmp.Or(bytes.Compare(d.names[a.start:a.end], d.names[b.start:b.end]), a.offset-b.offset)
		})
		for i := 1; i < len(set); i++ {
			name := d.names[set[i].start:set[i].end]
			if bytes.Equal(name, d.names[set[i-1].start:set[i-1].end]) {
				return (&records.PosError{Offset: set[i].offset, Err: records.ErrRepeated}).Within(string(name))
			}
		}
	}
	d.names = d.names[:from]
	return nil
}
