package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// AppendPatch appends a JSON Patch (RFC 6902) that turns the capture document of
// the before side, as [capture.Append] writes it, into that of the after side:
// everything, also what is not compared, such as volatile fields and the title,
// but that fields are masked which either side declares sensitive.
// Options do not narrow it. It is unbounded.
//
// Its cost is linear in both documents, and in the records for each record that
// is added, removed or moved; a list in which more than a thousand are is
// replaced as a whole.
func (c *Changes) AppendPatch(dst []byte) []byte {
	p := patcher{buf: append(dst, '[')}
	before, after := readDocument(c.d.maskedAlike(c.before)), readDocument(c.d.maskedAlike(c.after))
	for _, m := range mergeMembers(before.rest, after.rest) {
		p.whole(string(records.AppendPointer(nil, m.name)), m.from, m.to)
	}
	for n, name := range documentLists {
		p.list("/"+name, before.lists[n], after.lists[n])
	}
	return append(p.buf, ']')
}

// documentLists are the lists of a capture document that are patched element by
// element.
var documentLists = [...]string{"scopes", "records", "actions"}

// A captureDocument is a capture as its writer writes it.
type captureDocument struct {
	lists [len(documentLists)][]element
	rest  records.Value // an object with the other members
}

// An element of a list, and its text, which keeps the order of fields.
type element struct {
	value records.Value
	text  []byte
}

func readDocument(s *snapshot.Snapshot) (d captureDocument) {
	text := capture.Append(nil, s)
	check := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("diff: capture.Append wrote what is not JSON: %v", err))
		}
	}
	var scan records.Scanner
	scan.Reset(text, math.MaxInt) // fields are as deep as their reader allowed
	check(scan.Begin('{'))
	rest := records.BeginObject(nil)
	for first := true; ; first = false {
		name, more, err := scan.NextName(first)
		check(err)
		if !more {
			break
		}
		if n := slices.Index(documentLists[:], string(name)); n >= 0 {
			check(scan.Begin('['))
			for first := true; ; first = false {
				more, err := scan.Next(first)
				check(err)
				if !more {
					break
				}
				from := scan.Offset()
				enc, err := scan.AppendValue(nil)
				check(err)
				d.lists[n] = append(d.lists[n], element{records.RawValue(enc), text[from:scan.Offset()]})
			}
			continue
		}
		rest = records.AppendName(rest, name)
		rest, err = scan.AppendValue(rest)
		check(err)
	}
	rest, err := records.EndObject(rest, 0)
	check(err)
	d.rest = records.RawValue(rest)
	return d
}

// maxListEdits is up to how many elements of a list are added, removed or moved
// one by one.
const maxListEdits = 1000

type patcher struct {
	buf []byte
	any bool
}

// op starts an operation, which the caller may extend before end.
func (p *patcher) op(op, path string) {
	if p.any {
		p.buf = append(p.buf, ',')
	}
	p.any = true
	p.buf = append(append(append(p.buf, `{"op":"`...), op...), `","path":`...)
	p.buf = records.AppendQuoted(p.buf, path)
}

func (p *patcher) end() { p.buf = append(p.buf, '}') }

func (p *patcher) withValue(op, path string, v records.Value) {
	p.withText(op, path, records.AppendJSON(nil, v))
}

func (p *patcher) withText(op, path string, text []byte) {
	p.op(op, path)
	p.buf = append(append(p.buf, `,"value":`...), text...)
	p.end()
}

// whole adds, removes or replaces the value at path if the two differ.
func (p *patcher) whole(path string, from, to records.Value) {
	switch {
	case records.Equal(from, to):
	case from.Kind() == records.Absent:
		p.withValue("add", path, to)
	case to.Kind() == records.Absent:
		p.op("remove", path)
		p.end()
	default:
		p.withValue("replace", path, to)
	}
}

// object patches the value at path member by member where both are objects.
func (p *patcher) object(path string, from, to records.Value) {
	if from.Kind() != records.Object || to.Kind() != records.Object {
		p.whole(path, from, to)
		return
	}
	if records.Equal(from, to) {
		return
	}
	for _, m := range mergeMembers(from, to) {
		p.object(string(records.AppendPointer([]byte(path), m.name)), m.from, m.to)
	}
}

// list patches a list of scopes, records or actions.
func (p *patcher) list(path string, before, after []element) {
	mate, kept := matchElements(before, after)
	gone, stays := make([]bool, len(before)), make([]bool, len(before))
	for i := range gone {
		gone[i] = true
	}
	var order []int32
	for _, i := range mate {
		if i >= 0 {
			order = append(order, i)
			gone[i] = false
		}
	}
	moves := 0
	for k, out := range outOfPlace(order) {
		if stays[order[k]] = !out; out {
			moves++
		}
	}
	if edits := len(before) - kept + len(after) - kept + moves; edits > maxListEdits {
		text := []byte{'['}
		for j := range after {
			if j > 0 {
				text = append(text, ',')
			}
			text = append(text, after[j].text...)
		}
		p.withText("replace", path, append(text, ']'))
		return
	}
	for i := len(before) - 1; i >= 0; i-- {
		if gone[i] {
			p.op("remove", path+"/"+strconv.Itoa(i))
			p.end()
		}
	}
	current := slices.Sorted(slices.Values(order)) // before rows; -1-j for an added one
	place := 0                                     // where the next element of after belongs
	for j, i := range mate {
		switch {
		case i < 0:
			p.withText("add", path+"/"+strconv.Itoa(place), after[j].text)
			current = slices.Insert(current, place, int32(-1-j))
		case stays[i]:
			place += slices.Index(current[place:], i) // past those that move later
		default:
			at := slices.Index(current, i)
			current = slices.Delete(current, at, at+1)
			if at < place {
				place--
			}
			if at != place {
				p.op("move", path+"/"+strconv.Itoa(place))
				p.buf = records.AppendQuoted(append(p.buf, `,"from":`...), path+"/"+strconv.Itoa(at))
				p.end()
			}
			current = slices.Insert(current, place, i)
		}
		place++
	}
	for j, i := range mate {
		if i >= 0 {
			p.object(path+"/"+strconv.Itoa(j), before[i].value, after[j].value)
		}
	}
}

// outOfPlace marks the elements that are not on a longest increasing
// subsequence.
func outOfPlace(order []int32) []bool {
	rows := make([]int32, len(order))
	for k := range rows {
		rows[k] = int32(k)
	}
	marks := make([]bool, len(order))
	for _, k := range outOfOrder(rows, order) {
		marks[k] = true
	}
	return marks
}

// matchElements pairs elements of one scope and id, by occurrence. mate is the
// before element of each after element, or -1.
func matchElements(before, after []element) (mate []int32, kept int) {
	type key struct {
		rowKey
		occurrence int
	}
	count := map[rowKey]int{}
	keyOf := func(v records.Value) key {
		var k key
		for name, m := range v.Members() {
			switch string(name) {
			case "id":
				k.id = string(m.Text())
			case "scope":
				k.scope = string(m.Text())
			}
		}
		count[k.rowKey]++
		k.occurrence = count[k.rowKey]
		return k
	}
	at := make(map[key]int32, len(before))
	for i, v := range before {
		at[keyOf(v.value)] = int32(i)
	}
	clear(count)
	for _, v := range after {
		i, ok := at[keyOf(v.value)]
		if !ok {
			mate = append(mate, -1)
			continue
		}
		mate = append(mate, i)
		kept++
	}
	return mate, kept
}
