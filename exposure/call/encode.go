package call

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/records"
)

// Bounds of encoding. What is beyond maxEncoded is left out, and the length that
// a result gives is then that of what was encoded.
const (
	maxEncoded = 64 << 20
	maxDepth   = 200
)

// encode returns v as JSON without white space, as encoding/json has it except
// that nothing fails: what has no JSON form is a tagged object.
//
//	{"$js":"number","value":"NaN"}        also Infinity, -Infinity, -0
//	{"$js":"map","entries":[[key,value]]} keys that are no text, or are one text
//	{"$js":"error","message":"…"}         an error, or why a value's own MarshalJSON failed
//	{"$js":"function","type":"func()"}    also for channels and pointers without a value
//	{"$js":"complex","value":"(1+2i)"}
//	{"$js":"cycle"}                       a value that contains itself
//	{"$js":"depth"}                       what is nested deeper than 200 levels
//
// Members that fail spoil nothing but themselves. Members of structs keep their
// order, those of maps are sorted.
func encode(v any) []byte {
	e := encoder{path: map[visit]bool{}, types: map[reflect.Type][]member{}}
	e.value(reflect.ValueOf(v), 0)
	return e.buf
}

type encoder struct {
	buf   []byte
	path  map[visit]bool // what is being encoded
	types map[reflect.Type][]member
}

// A visit is a reference that is being followed.
type visit struct {
	ptr uintptr
	len int // of a slice
	typ reflect.Type
}

func (e *encoder) full() bool { return len(e.buf) > maxEncoded }

func (e *encoder) word(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) text(s string) { e.buf = records.AppendQuoted(e.buf, s) }

// tag writes a tagged object with one member more.
func (e *encoder) tag(kind, name, value string) {
	e.text2(`{"$js":`, kind)
	if name != "" {
		e.text2(`,"`+name+`":`, value)
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) text2(before, s string) {
	e.word(before)
	e.text(s)
}

func (e *encoder) value(v reflect.Value, depth int) {
	switch {
	case !v.IsValid():
		e.word("null")
		return
	case depth > maxDepth:
		e.tag("depth", "", "")
		return
	}
	if e.own(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		e.buf = strconv.AppendBool(e.buf, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.buf = strconv.AppendUint(e.buf, v.Uint(), 10)
	case reflect.Float32:
		e.float(v.Float(), 32)
	case reflect.Float64:
		e.float(v.Float(), 64)
	case reflect.Complex64, reflect.Complex128:
		e.tag("complex", "value", fmt.Sprint(v.Complex()))
	case reflect.String:
		e.text(v.String())
	case reflect.Slice, reflect.Map, reflect.Pointer:
		e.reference(v, depth)
	case reflect.Array:
		e.list(v, depth)
	case reflect.Struct:
		e.structure(v, depth)
	case reflect.Interface:
		e.value(v.Elem(), depth)
	default: // functions, channels, unsafe pointers
		if v.Kind() == reflect.Func && v.IsNil() || v.Kind() == reflect.Chan && v.IsNil() {
			e.word("null")
			return
		}
		e.tag("function", "type", v.Type().String())
	}
}

// own writes v as its type wants it and reports whether it did.
func (e *encoder) own(v reflect.Value) bool {
	if !v.CanInterface() {
		return false
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Map || k == reflect.Slice || k == reflect.Interface) && v.IsNil() {
		return false
	}
	x := v.Interface()
	if !marshals(x) && v.CanAddr() {
		if p := v.Addr().Interface(); marshals(p) {
			x = p
		}
	}
	switch x := x.(type) {
	case records.Value:
		e.buf = records.AppendJSON(e.buf, x)
	case json.Number:
		if enc, err := records.AppendNumber(nil, []byte(x)); err == nil {
			e.buf = records.AppendJSON(e.buf, records.RawValue(enc))
		} else {
			e.text(string(x))
		}
	case json.Marshaler:
		e.marshaler(x)
	case error:
		e.tag("error", "message", text(x))
	case encoding.TextMarshaler:
		b, err := attemptMarshal(x.MarshalText)
		if err != nil {
			e.tag("error", "message", text(err))
		} else {
			e.text(string(b))
		}
	default:
		return false
	}
	return true
}

// marshals reports whether x has a JSON form of its own.
func marshals(x any) bool {
	switch x.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}

// marshaler writes what x makes of itself, or why it could not.
func (e *encoder) marshaler(x json.Marshaler) {
	start := len(e.buf)
	b, err := attemptMarshal(x.MarshalJSON)
	if err == nil {
		e.buf, err = respell(e.buf, b, nil)
	}
	if err != nil {
		e.buf = e.buf[:start]
		e.tag("error", "message", text(err))
	}
}

func attemptMarshal(f func() ([]byte, error)) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %s", text(r))
		}
	}()
	return f()
}

func (e *encoder) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		e.tag("number", "value", "NaN")
	case math.IsInf(f, 1):
		e.tag("number", "value", "Infinity")
	case math.IsInf(f, -1):
		e.tag("number", "value", "-Infinity")
	case f == 0 && math.Signbit(f):
		e.tag("number", "value", "-0")
	default:
		format := byte('f')
		if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			format = 'e'
		}
		e.buf = strconv.AppendFloat(e.buf, f, format, -1, bits)
		if n := len(e.buf); format == 'e' && n >= 4 && e.buf[n-4] == 'e' && e.buf[n-3] == '-' && e.buf[n-2] == '0' {
			e.buf = append(e.buf[:n-2], e.buf[n-1])
		}
	}
}

// reference writes a slice, map or pointer unless it is being written already.
func (e *encoder) reference(v reflect.Value, depth int) {
	if v.IsNil() {
		e.word("null")
		return
	}
	at := visit{ptr: v.Pointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if e.path[at] && (v.Kind() != reflect.Slice || at.len > 0) {
		e.tag("cycle", "", "")
		return
	}
	e.path[at] = true
	defer delete(e.path, at)
	switch v.Kind() {
	case reflect.Pointer:
		e.value(v.Elem(), depth+1)
	case reflect.Map:
		e.mapping(v, depth)
	default:
		if elem := v.Type().Elem(); elem.Kind() == reflect.Uint8 && !marshals(reflect.New(elem).Interface()) {
			e.text(base64.StdEncoding.EncodeToString(v.Bytes()))
			return
		}
		e.list(v, depth)
	}
}

func (e *encoder) list(v reflect.Value, depth int) {
	e.buf = append(e.buf, '[')
	for i := range v.Len() {
		if e.full() {
			break
		}
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.value(v.Index(i), depth+1)
	}
	e.buf = append(e.buf, ']')
}

// mapping writes a map as an object if all its keys are texts that differ, else
// as tagged entries.
func (e *encoder) mapping(v reflect.Value, depth int) {
	type entry struct {
		name       string // for the order; JSON if the map is tagged
		key, value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	named := true
	for it := v.MapRange(); it.Next(); {
		name, ok := keyText(it.Key())
		named = named && ok
		entries = append(entries, entry{name, it.Key(), it.Value()})
	}
	sort := func() {
		slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	}
	if sort(); named {
		for i := range entries {
			named = named && (i == 0 || entries[i].name != entries[i-1].name)
		}
	}
	begin, end := `{`, `}`
	if !named {
		begin, end = `{"$js":"map","entries":[`, `]}`
		for i := range entries {
			sub := encoder{path: e.path, types: e.types}
			sub.value(entries[i].key, depth+1)
			entries[i].name = string(sub.buf)
		}
		sort()
	}
	e.word(begin)
	for i, en := range entries {
		if e.full() {
			break
		}
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		if named {
			e.text(en.name)
			e.buf = append(e.buf, ':')
			e.value(en.value, depth+1)
			continue
		}
		e.buf = append(e.buf, '[')
		e.word(en.name)
		e.buf = append(e.buf, ',')
		e.value(en.value, depth+1)
		e.buf = append(e.buf, ']')
	}
	e.word(end)
}

// keyText returns the name that encoding/json gives a map key, if it gives one.
func keyText(k reflect.Value) (string, bool) {
	if k.Kind() == reflect.String {
		return k.String(), true
	}
	if k.CanInterface() && (k.Kind() != reflect.Interface && k.Kind() != reflect.Pointer || !k.IsNil()) {
		if m, ok := k.Interface().(encoding.TextMarshaler); ok {
			b, err := attemptMarshal(m.MarshalText)
			return string(b), err == nil
		}
	}
	switch {
	case k.CanInt():
		return strconv.FormatInt(k.Int(), 10), true
	case k.CanUint():
		return strconv.FormatUint(k.Uint(), 10), true
	}
	return "", false
}

// A member is a field of a struct as encoding/json writes it.
type member struct {
	name      string
	index     []int
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

// members returns the members of a struct. Of several fields of one name the
// least nested one counts, then the tagged one; if there are several still, none.
func members(t reflect.Type) []member {
	byName := map[string][]member{}
	var order []string
	var opaque [][]int // embedded structs whose fields are not promoted
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		elem := f.Type
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		embedded := f.Anonymous && elem.Kind() == reflect.Struct
		if slices.ContainsFunc(opaque, func(at []int) bool { return len(f.Index) > len(at) && slices.Equal(f.Index[:len(at)], at) }) {
			continue
		}
		if embedded && name != "" {
			opaque = append(opaque, f.Index)
		}
		if tag == "-" || embedded && name == "" || !embedded && !f.IsExported() {
			continue
		}
		m := member{name: name, index: f.Index, tagged: name != ""}
		if name == "" {
			m.name = f.Name
		}
		for opt := range strings.SplitSeq(opts, ",") {
			switch opt {
			case "omitempty":
				m.omitEmpty = true
			case "omitzero":
				m.omitZero = true
			case "string":
				m.quoted = true
			}
		}
		if len(byName[m.name]) == 0 {
			order = append(order, m.name)
		}
		byName[m.name] = append(byName[m.name], m)
	}
	var out []member
	for _, name := range order {
		list := byName[name]
		slices.SortStableFunc(list, func(a, b member) int {
			return cmp.Or(cmp.Compare(len(a.index), len(b.index)), -cmp.Compare(btoi(a.tagged), btoi(b.tagged)))
		})
		if len(list) > 1 && len(list[0].index) == len(list[1].index) && list[0].tagged == list[1].tagged {
			continue
		}
		out = append(out, list[0])
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *encoder) structure(v reflect.Value, depth int) {
	list, known := e.types[v.Type()]
	if !known {
		list = members(v.Type())
		e.types[v.Type()] = list
	}
	e.buf = append(e.buf, '{')
	first := true
	for i := range list {
		m := &list[i]
		f, err := v.FieldByIndexErr(m.index)
		if err != nil || m.omitEmpty && empty(f) || m.omitZero && zero(f) {
			continue
		}
		if e.full() {
			break
		}
		if !first {
			e.buf = append(e.buf, ',')
		}
		first = false
		e.text(m.name)
		e.buf = append(e.buf, ':')
		start := len(e.buf)
		e.value(f, depth+1)
		if m.quoted && (f.CanInt() || f.CanUint() || f.CanFloat() || f.Kind() == reflect.Bool || f.Kind() == reflect.String) && e.buf[start] != '{' {
			word := string(e.buf[start:])
			e.buf = e.buf[:start]
			e.text(word)
		}
	}
	e.buf = append(e.buf, '}')
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// zero is what omitzero leaves out.
func zero(v reflect.Value) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	if v.CanInterface() {
		if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
			return z.IsZero()
		}
	}
	return v.IsZero()
}
