package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Errors of reading JSON text. A [PosError] wraps one of them, ErrNumber or
// ErrRepeated.
var (
	ErrSyntax = errors.New("invalid JSON")
	ErrDepth  = errors.New("nested too deeply")
)

// DefaultMaxDepth is the nesting that a [Scanner] accepts unless told otherwise.
const DefaultMaxDepth = 1000

// A Scanner reads strict JSON (RFC 8259) from a byte slice in one pass and
// writes values in this package's encoding. Call Reset first. Beyond syntax it
// refuses members repeated in one object, raw control characters in strings,
// and nesting beyond its limit. Text that is not Unicode is accepted and kept
// apart as doc.go says; Repaired tells of it.
//
// It must not be used by two goroutines at once. It allocates only for scratch
// memory that it keeps.
type Scanner struct {
	data     []byte
	pos      int
	depth    int
	maxDepth int
	repaired bool
	scratch  []byte
	sink     []byte
	unsorted bool     // the value being read has objects out of order
	members  []member // of objects being sorted
	path     []string // tokens of the pointer to a failure, the last one first
}

// Reset makes s read data, which it aliases and never changes. maxDepth 0 means
// [DefaultMaxDepth].
func (s *Scanner) Reset(data []byte, maxDepth int) {
	if maxDepth == 0 {
		maxDepth = DefaultMaxDepth
	}
	s.data, s.pos, s.depth, s.maxDepth, s.repaired = data, 0, 0, maxDepth, false
}

// Offset returns how many bytes were read.
func (s *Scanner) Offset() int { return s.pos }

// Between returns the input from offset from to offset to.
func (s *Scanner) Between(from, to int) []byte { return s.data[from:to] }

// Depth returns how many objects and arrays have begun and not ended.
func (s *Scanner) Depth() int { return s.depth }

// Seek moves to an offset at which a value starts or has ended, inside depth
// objects and arrays: those that Offset and Depth returned there.
func (s *Scanner) Seek(offset, depth int) { s.pos, s.depth = offset, depth }

// Take reads text if it comes next, byte by byte and without skipping white
// space, and reports whether it did.
func (s *Scanner) Take(text []byte) bool {
	end := s.pos + len(text)
	if end > len(s.data) || string(s.data[s.pos:end]) != string(text) {
		return false
	}
	s.pos = end
	return true
}

// Repaired reports whether text read since the last call was not Unicode.
func (s *Scanner) Repaired() bool {
	r := s.repaired
	s.repaired = false
	return r
}

// Fail returns an error at the current offset.
func (s *Scanner) Fail(err error, detail string) *PosError {
	return &PosError{Offset: s.pos, Err: err, Detail: detail}
}

func (s *Scanner) failAt(offset int, err error, detail string) *PosError {
	return &PosError{Offset: offset, Err: err, Detail: detail}
}

func (s *Scanner) unexpected(want string) *PosError {
	if s.pos >= len(s.data) {
		return s.Fail(ErrSyntax, "unexpected end of input, want "+want)
	}
	return s.Fail(ErrSyntax, fmt.Sprintf("unexpected %s, want %s", quoteByte(s.data[s.pos:]), want))
}

// quoteByte describes the first character of b without showing it raw.
func quoteByte(b []byte) string {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("byte 0x%02x", b[0])
	}
	return fmt.Sprintf("%+q", r)
}

// Peek skips white space and returns the next byte without reading it, 0 at the
// end of the input.
func (s *Scanner) Peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// End checks that nothing but white space follows.
func (s *Scanner) End() error {
	if s.Peek(); s.pos < len(s.data) {
		return s.Fail(ErrSyntax, "data after the end of the document: "+quoteByte(s.data[s.pos:]))
	}
	return nil
}

// Begin reads open, '{' or '['.
func (s *Scanner) Begin(open byte) error {
	if s.Peek() != open || s.pos >= len(s.data) {
		if open == '{' {
			return s.unexpected("an object")
		}
		return s.unexpected("an array")
	}
	if s.depth++; s.depth > s.maxDepth {
		return s.Fail(ErrDepth, fmt.Sprintf("the limit is %d levels", s.maxDepth))
	}
	s.pos++
	return nil
}

// Next moves to the next element of an array, or past its end, in which case it
// returns false. first must be true on the first call after Begin.
func (s *Scanner) Next(first bool) (bool, error) {
	switch c := s.Peek(); {
	case c == ']':
		s.pos++
		s.depth--
		return false, nil
	case first:
		return true, nil
	case c == ',':
		s.pos++
		if s.Peek() == ']' {
			return false, s.unexpected("a value")
		}
		return true, nil
	}
	return false, s.unexpected("',' or ']'")
}

// NextName reads the name of an object's next member, or past the object's end,
// in which case ok is false. first must be true on the first call after Begin.
// The name is valid until the next call of a method.
func (s *Scanner) NextName(first bool) (name []byte, ok bool, err error) {
	c := s.Peek()
	if c == '}' {
		s.pos++
		s.depth--
		return nil, false, nil
	}
	if !first {
		if c != ',' {
			return nil, false, s.unexpected("',' or '}'")
		}
		s.pos++
		c = s.Peek()
	}
	if c != '"' {
		return nil, false, s.unexpected("a member name")
	}
	name, err = s.Text()
	if err != nil {
		return nil, false, err
	}
	if s.pos < len(s.data) && s.data[s.pos] == ':' {
		s.pos++
		return name, true, nil
	}
	if s.Peek() != ':' {
		return nil, false, s.unexpected("':'")
	}
	s.pos++
	return name, true, nil
}

// Literal reads a number and returns it as spelled, aliasing the input.
func (s *Scanner) Literal() ([]byte, error) {
	s.Peek()
	n := numberLen(s.data[s.pos:])
	if n == 0 {
		return nil, s.Fail(ErrSyntax, "invalid number")
	}
	if end := s.pos + n; end < len(s.data) {
		switch c := s.data[end]; {
		case isDigit(c), c == '.', c == 'e', c == 'E', c == '+', c == '-':
			return nil, s.Fail(ErrSyntax, "invalid number")
		}
	}
	lit := s.data[s.pos : s.pos+n]
	s.pos += n
	return lit, nil
}

func (s *Scanner) word(dst []byte, w string, tag byte) ([]byte, error) {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return dst, s.unexpected("a value")
	}
	s.pos += len(w)
	return append(dst, tag), nil
}

// AppendValue reads one value of any kind and appends its encoding to dst. Its
// errors are *PosError with a pointer relative to the value. Cost is linear in
// the text of the value, times log n in objects of n members out of order.
func (s *Scanner) AppendValue(dst []byte) ([]byte, error) {
	switch c := s.Peek(); c {
	case '"':
		text, err := s.Text()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, text), nil
	case '{', '[':
		start := len(dst)
		s.unsorted = false
		dst, err := s.appendValue(dst)
		if err != nil {
			return dst, s.placed(err)
		}
		if s.unsorted {
			s.sink = s.appendSorted(s.sink[:0], dst[start:])
			copy(dst[start:], s.sink)
		}
		return dst, nil
	}
	return s.appendScalar(dst)
}

// appendValue is AppendValue but for the order of members in objects.
func (s *Scanner) appendValue(dst []byte) ([]byte, error) {
	switch s.Peek() {
	case '"':
		text, err := s.Text()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, text), nil
	case '{':
		return s.appendObject(dst)
	case '[':
		return s.appendArray(dst)
	}
	return s.appendScalar(dst)
}

// appendScalar is AppendValue for what is neither text nor a container.
func (s *Scanner) appendScalar(dst []byte) ([]byte, error) {
	switch c := s.Peek(); c {
	case 't':
		return s.word(dst, "true", tagTrue)
	case 'f':
		return s.word(dst, "false", tagFalse)
	case 'n':
		return s.word(dst, "null", tagNull)
	default:
		if c != '-' && !isDigit(c) {
			return dst, s.unexpected("a value")
		}
		lit, err := s.Literal()
		if err != nil {
			return dst, err
		}
		return appendNumber(dst, lit), nil
	}
}

func (s *Scanner) appendArray(dst []byte) ([]byte, error) {
	if err := s.Begin('['); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = BeginArray(dst)
	for i := 0; ; i++ {
		more, err := s.Next(i == 0)
		if err != nil {
			return dst, err
		}
		if !more {
			return EndArray(dst, start), nil
		}
		if dst, err = s.appendValue(dst); err != nil {
			s.path = append(s.path, strconv.Itoa(i))
			return dst, err
		}
	}
}

func (s *Scanner) appendObject(dst []byte) ([]byte, error) {
	if err := s.Begin('{'); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = BeginObject(dst)
	for first := true; ; first = false {
		name, ok, err := s.NextName(first)
		if err != nil {
			return dst, err
		}
		if !ok {
			break
		}
		at := len(dst)
		dst = AppendName(dst, name)
		if dst, err = s.appendValue(dst); err != nil {
			name, _ := uvarintText(dst[at:])
			s.path = append(s.path, string(name))
			return dst, err
		}
	}
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-5))
	if repeated, ok := s.checkMembers(dst[start+5:]); !ok {
		return dst, s.Fail(ErrRepeated, "").Within(string(repeated))
	}
	return dst, nil
}

// A member is one of an object's: its name, and all of its encoding.
type member struct{ name, all []byte }

func compareMembers(a, b member) int { return bytes.Compare(a.name, b.name) }

// checkMembers returns a name that two of the members in body have, and false,
// if there is one. It notes whether they are out of order, but leaves them so:
// sorting every object of a deep nest as it ends would move the innermost as
// often as there are levels.
func (s *Scanner) checkMembers(body []byte) (repeated []byte, ok bool) {
	repeated, sorted := memberOrder(body)
	if repeated != nil || sorted {
		return repeated, repeated == nil
	}
	s.unsorted = true
	from := len(s.members)
	s.listMembers(body)
	list := s.members[from:]
	s.members = s.members[:from]
	for i := 1; i < len(list); i++ {
		if bytes.Equal(list[i-1].name, list[i].name) {
			return list[i].name, false
		}
	}
	return nil, true
}

// listMembers puts the members in body on top of s.members, sorted by name.
func (s *Scanner) listMembers(body []byte) {
	from := len(s.members)
	for len(body) > 0 {
		name, _, next := cutMember(body)
		s.members = append(s.members, member{name, body[:len(body)-len(next)]})
		body = next
	}
	slices.SortFunc(s.members[from:], compareMembers)
}

// appendSorted appends the value enc with the members of all objects in order.
func (s *Scanner) appendSorted(dst, enc []byte) []byte {
	switch enc[0] {
	case tagArray:
		dst = append(dst, enc[:5]...)
		for rest := enc[5:]; len(rest) > 0; {
			n := valueLen(rest)
			dst = s.appendSorted(dst, rest[:n])
			rest = rest[n:]
		}
		return dst
	case tagObject:
		dst = append(dst, enc[:5]...)
		from := len(s.members)
		s.listMembers(enc[5:])
		for i := from; i < len(s.members); i++ {
			_, v, _ := cutMember(s.members[i].all)
			all := s.members[i].all
			dst = append(dst, all[:len(all)-len(v.enc)]...)
			dst = s.appendSorted(dst, v.enc)
		}
		s.members = s.members[:from]
		return dst
	}
	return append(dst, enc...)
}

// uvarintText cuts a text with its length in front from what follows.
func uvarintText(enc []byte) (text, rest []byte) {
	l, n := binary.Uvarint(enc)
	return enc[n : n+int(l)], enc[n+int(l):]
}

// placed puts err below the tokens that were noted on the way out of the value.
// Joining them once keeps the cost linear where names are long and nests deep.
func (s *Scanner) placed(err error) error {
	if pos, ok := err.(*PosError); ok {
		var p []byte
		for _, token := range slices.Backward(s.path) {
			p = AppendPointer(p, token)
		}
		pos.Pointer = string(p) + pos.Pointer
	}
	clear(s.path)
	s.path = s.path[:0]
	return err
}

// Skip reads one value and drops it, as strictly as AppendValue.
func (s *Scanner) Skip() error {
	var err error
	if s.sink, err = s.appendValue(s.sink[:0]); err != nil {
		return s.placed(err)
	}
	return nil
}

// ParseValue reads exactly one JSON value from text and appends its encoding to
// dst. Its errors are *PosError.
func ParseValue(dst, text []byte) ([]byte, error) {
	var s Scanner
	s.Reset(text, 0)
	dst, err := s.AppendValue(dst)
	if err != nil {
		return dst, err
	}
	return dst, s.End()
}
