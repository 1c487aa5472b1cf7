package records

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Kind is the type of a value.
type Kind uint8

// The kinds. Absent is the kind of the zero Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	Masked
)

var kindNames = [...]string{"absent", "null", "bool", "number", "string", "array", "object", "masked"}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

const (
	tagNull byte = 1 + iota
	tagFalse
	tagTrue
	tagNumber
	tagSpelled
	tagString
	tagArray
	tagObject
	tagMasked
	tagMaskedDigest
	tagCut
)

var tagKinds = [...]Kind{Absent, Null, Bool, Bool, Number, Number, String, Array, Object, Masked, Masked, String}

// MaskedText is what a masked value shows.
const MaskedText = "[masked]"

const digestSize = 16

// A Value is a read-only view of one encoded value. The zero Value is absent:
// no value at all, which differs from null.
//
// A Value aliases the table or buffer that it came from and is valid as long as
// that is; for those of a snapshot that is forever. It is safe for concurrent
// use.
type Value struct{ enc []byte }

// RawValue returns a view of the encoding at the start of enc, which must have
// been written by this package's Append functions. It does not copy.
func RawValue(enc []byte) Value {
	if len(enc) == 0 {
		return Value{}
	}
	return Value{enc[:valueLen(enc)]}
}

// Raw returns the encoding that v is a view of. It must not be changed.
func (v Value) Raw() []byte { return v.enc }

// Kind returns the type of v.
func (v Value) Kind() Kind {
	if len(v.enc) == 0 {
		return Absent
	}
	return tagKinds[v.enc[0]]
}

// valueLen returns the length of the encoding at the start of enc.
func valueLen(enc []byte) int {
	switch enc[0] {
	case tagNumber, tagSpelled, tagString:
		if l := enc[1]; l < 0x80 {
			return 2 + int(l)
		}
		l, n := binary.Uvarint(enc[1:])
		return 1 + n + int(l)
	case tagArray, tagObject:
		return 5 + int(binary.LittleEndian.Uint32(enc[1:]))
	case tagMaskedDigest:
		return 1 + digestSize
	case tagCut:
		l, n := binary.Uvarint(enc[1:])
		return 1 + n + int(l) + cutTail
	}
	return 1
}

// payload returns what follows the tag and the length of a number or string.
func payload(enc []byte) []byte {
	if l := enc[1]; l < 0x80 {
		return enc[2 : 2+int(l)]
	}
	l, n := binary.Uvarint(enc[1:])
	return enc[1+n : 1+n+int(l)]
}

// Bool returns the boolean; false for any other kind.
func (v Value) Bool() bool { return len(v.enc) > 0 && v.enc[0] == tagTrue }

// Text returns the text of a string as it is held, which may not be UTF-8 (see
// [AppendText]), [MaskedText] for a masked value, and "" for any other kind.
// The result aliases v.
func (v Value) Text() []byte {
	switch v.Kind() {
	case String:
		return payload(v.enc)
	case Masked:
		return []byte(MaskedText)
	}
	return nil
}

// Literal returns the number as it was spelled, and nil for any other kind.
// The result aliases v.
func (v Value) Literal() []byte {
	if v.Kind() != Number {
		return nil
	}
	p := payload(v.enc)
	if v.enc[0] == tagSpelled {
		c, n := binary.Uvarint(p)
		return p[n+int(c):]
	}
	return p
}

// canonical returns the canonical spelling of a number.
func (v Value) canonical() []byte {
	p := payload(v.enc)
	if v.enc[0] == tagSpelled {
		c, n := binary.Uvarint(p)
		return p[n : n+int(c)]
	}
	return p
}

// Elements returns the elements of an array; none for any other kind.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		for rest := v.enc[5:]; len(rest) > 0; {
			n := valueLen(rest)
			if !yield(Value{rest[:n]}) {
				return
			}
			rest = rest[n:]
		}
	}
}

// Members returns the members of an object in the order of their names, byte by
// byte; none for any other kind. The names alias v.
func (v Value) Members() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for rest := v.enc[5:]; len(rest) > 0; {
			name, val, next := cutMember(rest)
			if !yield(name, val) {
				return
			}
			rest = next
		}
	}
}

// cutMember cuts the member at the start of enc from what follows it.
func cutMember(enc []byte) (name []byte, val Value, rest []byte) {
	l, n := binary.Uvarint(enc)
	name, enc = enc[n:n+int(l)], enc[n+int(l):]
	vl := valueLen(enc)
	return name, Value{enc[:vl]}, enc[vl:]
}

// Len returns the number of elements or members; 0 for any other kind. Its cost
// is linear in that number.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case Array:
		for range v.Elements() {
			n++
		}
	case Object:
		for range v.Members() {
			n++
		}
	}
	return n
}

// Equal reports whether a and b are equal: of one kind, and
//
//   - numbers of the same mathematical value, however spelled;
//   - strings of the same bytes;
//   - arrays of equal elements in the same order;
//   - objects with equal values under the same names;
//   - masked values unless both know what they hide and it differs. A masked
//     value also equals the string [MaskedText], which is what it becomes in a
//     file.
//
// Absent equals only absent. The cost is linear in the encodings, which is one
// comparison of bytes where neither numbers nor masks are spelled differently.
func Equal(a, b Value) bool {
	return bytes.Equal(a.enc, b.enc) || equal(a, b)
}

// equal is Equal without the short cut: taken at every level, that would compare
// what is nested deeply once for each.
func equal(a, b Value) bool {
	ka, kb := a.Kind(), b.Kind()
	if ka != kb {
		return ka == Masked && kb == String && string(b.Text()) == MaskedText ||
			kb == Masked && ka == String && string(a.Text()) == MaskedText
	}
	switch ka {
	case Number:
		return bytes.Equal(a.canonical(), b.canonical())
	case Masked:
		return bytes.Equal(a.enc, b.enc) || a.enc[0] == tagMasked || b.enc[0] == tagMasked
	case Array:
		x, y := a.enc[5:], b.enc[5:]
		for len(x) > 0 && len(y) > 0 {
			n, m := valueLen(x), valueLen(y)
			if !equal(Value{x[:n]}, Value{y[:m]}) {
				return false
			}
			x, y = x[n:], y[m:]
		}
		return len(x) == 0 && len(y) == 0
	case Object:
		x, y := a.enc[5:], b.enc[5:]
		for len(x) > 0 && len(y) > 0 {
			nx, vx, rx := cutMember(x)
			ny, vy, ry := cutMember(y)
			if !bytes.Equal(nx, ny) || !equal(vx, vy) {
				return false
			}
			x, y = rx, ry
		}
		return len(x) == 0 && len(y) == 0
	}
	return bytes.Equal(a.enc, b.enc)
}

// AppendNull appends null to dst.
func AppendNull(dst []byte) []byte { return append(dst, tagNull) }

// AppendBool appends b to dst.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, tagTrue)
	}
	return append(dst, tagFalse)
}

// AppendString appends the string s to dst. s may hold any bytes.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	if len(s) < 0x80 {
		dst = append(dst, tagString, byte(len(s)))
	} else {
		dst = append(dst, tagString)
		dst = binary.AppendUvarint(dst, uint64(len(s)))
	}
	return append(dst, s...)
}

// AppendInt appends i to dst.
func AppendInt(dst []byte, i int64) []byte {
	start := len(dst)
	dst = append(dst, tagNumber, 0)
	dst = strconv.AppendInt(dst, i, 10)
	dst[start+1] = byte(len(dst) - start - 2)
	return dst
}

// AppendUint appends u to dst.
func AppendUint(dst []byte, u uint64) []byte {
	start := len(dst)
	dst = append(dst, tagNumber, 0)
	dst = strconv.AppendUint(dst, u, 10)
	dst[start+1] = byte(len(dst) - start - 2)
	return dst
}

// AppendFloat appends the shortest decimal that reads back as f. It fails with
// [ErrNumber] if f is not finite.
func AppendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, ErrNumber
	}
	if f == 0 {
		return AppendInt(dst, 0), nil // -0 equals 0, and Go code rarely means the sign
	}
	format := byte('f')
	if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	var buf [40]byte
	return appendNumber(dst, strconv.AppendFloat(buf[:0], f, format, -1, 64)), nil
}

// maskKey is drawn once per process, so that digests of masked values mean
// nothing outside it.
var maskKey = func() (key [32]byte) {
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the process instead
	return key
}()

// AppendMasked appends a value that shows as [MaskedText] and knows only
// whether it equals another masked value of this process. The empty string
// stays an empty string.
func AppendMasked[T string | []byte](dst []byte, secret T) []byte {
	if len(secret) == 0 {
		return AppendString(dst, "")
	}
	h := sha256.New()
	h.Write(maskKey[:])
	h.Write([]byte(secret))
	var sum [sha256.Size]byte
	dst = append(dst, tagMaskedDigest)
	return append(dst, h.Sum(sum[:0])[:digestSize]...)
}

// AppendMaskedUnknown appends a masked value that equals every other one.
func AppendMaskedUnknown(dst []byte) []byte { return append(dst, tagMasked) }

// AppendMaskOf appends the masked form of v: v itself if it is absent, masked
// already, or empty (null, "", [] or {}). Unless known is set, the result
// forgets what it hides and equals every masked value.
func AppendMaskOf(dst []byte, v Value, known bool) []byte {
	switch {
	case v.Kind() == Absent, v.Kind() == Null, v.Kind() == String && len(v.Text()) == 0,
		(v.Kind() == Array || v.Kind() == Object) && len(v.enc) == 5:
		return append(dst, v.enc...)
	case !known, v.Kind() == String && string(v.Text()) == MaskedText:
		return AppendMaskedUnknown(dst)
	case v.Kind() == Masked:
		return append(dst, v.enc...)
	case v.Kind() == String && v.enc[0] == tagString:
		return AppendMasked(dst, v.Text())
	case v.Kind() == String:
		return AppendMasked(dst, v.enc)
	}
	return AppendMasked(dst, AppendJSON(nil, v))
}

// BeginArray appends the start of an array; the elements follow, and
// [EndArray] takes the length of dst before the call.
func BeginArray(dst []byte) []byte { return append(dst, tagArray, 0, 0, 0, 0) }

// EndArray ends the array that began at dst[start].
func EndArray(dst []byte, start int) []byte {
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-5))
	return dst
}

// BeginObject appends the start of an object; members follow, each an
// [AppendName] and a value, in any order, and [EndObject] takes the length of
// dst before the call.
func BeginObject(dst []byte) []byte { return append(dst, tagObject, 0, 0, 0, 0) }

// AppendName appends the name of an object's next member.
func AppendName[T string | []byte](dst []byte, name T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(name)))
	return append(dst, name...)
}

// ErrRepeated reports an object with two members of one name.
var ErrRepeated = errors.New("repeated member")

// EndObject ends the object that began at dst[start], sorting its members if
// they are not in order. It fails with [ErrRepeated] if two have one name.
func EndObject(dst []byte, start int) ([]byte, error) {
	dst, name := endObject(dst, start)
	if name != nil {
		return dst, ErrRepeated
	}
	return dst, nil
}

// memberOrder reports whether the members in body are in order of their names, or
// returns a name that two neighbours have.
func memberOrder(body []byte) (repeated []byte, sorted bool) {
	sorted = true
	var prev []byte
	for rest, first := body, true; len(rest) > 0; first = false {
		name, _, next := cutMember(rest)
		if !first {
			switch c := bytes.Compare(prev, name); {
			case c == 0:
				return name, false
			case c > 0:
				sorted = false
			}
		}
		prev, rest = name, next
	}
	return nil, sorted
}

// endObject is EndObject with the repeated name, which aliases dst, or nil.
func endObject(dst []byte, start int) (_, repeated []byte) {
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-5))
	body := dst[start+5:]
	repeated, sorted := memberOrder(body)
	if repeated != nil || sorted {
		return dst, repeated
	}
	var members []member
	for rest := bytes.Clone(body); len(rest) > 0; {
		name, _, next := cutMember(rest)
		members = append(members, member{name, rest[:len(rest)-len(next)]})
		rest = next
	}
	slices.SortFunc(members, compareMembers)
	at := body[:0]
	for i, m := range members {
		if i > 0 && bytes.Equal(members[i-1].name, m.name) {
			return dst, m.name
		}
		at = append(at, m.all...)
	}
	return dst, nil
}

// CommonPrefix returns how many leading bytes of a and b are equal.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// Intact reports whether all text in v is valid UTF-8, that of members' names
// included.
func (v Value) Intact() bool {
	if ASCII(v.enc) {
		return true
	}
	switch v.Kind() {
	case String:
		return Intact(payload(v.enc))
	case Array:
		for e := range v.Elements() {
			if !e.Intact() {
				return false
			}
		}
	case Object:
		for name, e := range v.Members() {
			if !Intact(name) || !e.Intact() {
				return false
			}
		}
	}
	return true
}

// Compare orders two values by kind and then by encoding. It is a total order
// that is consistent within one process and means nothing else.
func Compare(a, b Value) int {
	return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), bytes.Compare(a.enc, b.enc))
}
