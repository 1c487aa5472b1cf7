package diff

import (
	"bytes"
	"slices"

	"github.com/pagestate/pagestate/records"
)

// A plan tells how to compare rows of two classes field by field.
type plan struct {
	aligned bool        // both classes have the same fields in the same order
	fields  []planField // of the after class, in its order
	gone    []planField // of the before class only, in its order
}

type planField struct {
	name   string
	before int32 // position in the before class, -1 if it has none
	after  int32 // position in the after class, -1 if it has none
	skip   bool  // volatile or ignored
	mask   bool  // sensitive
}

// A fieldComparer compares rows and remembers plans by class numbers. Its
// memory is reused.
type fieldComparer struct {
	before, after *records.Table
	// rules returns which fields of rows of these scopes are skipped or masked.
	rules func(scopeBefore, scopeAfter string) rules

	plans    []plan
	byPair   map[[2]uint32]int32
	lastPair [2]uint32
	last     *plan
	vb, va   []records.Value
}

func (c *fieldComparer) reset(before, after *records.Table, rules func(string, string) rules) {
	c.before, c.after, c.rules = before, after, rules
	c.plans, c.last = c.plans[:0], nil
	clear(c.byPair)
}

// plan returns how rows of two classes are compared.
func (c *fieldComparer) plan(before, after uint32) *plan {
	key := [2]uint32{before, after}
	if c.last != nil && key == c.lastPair {
		return c.last
	}
	at, ok := c.byPair[key]
	if !ok {
		if c.byPair == nil {
			c.byPair = map[[2]uint32]int32{}
		}
		at = int32(len(c.plans))
		c.byPair[key] = at
		if len(c.plans) < cap(c.plans) {
			c.plans = c.plans[:at+1]
		} else {
			c.plans = append(c.plans, plan{})
		}
		c.fill(&c.plans[at], c.before.Classes()[before], c.after.Classes()[after])
	}
	c.lastPair, c.last = key, &c.plans[at]
	return c.last
}

// smallClass is up to how many fields names are looked up one by one.
const smallClass = 24

func (c *fieldComparer) fill(p *plan, cb, ca *records.Class) {
	r := c.rules(cb.Scope(), ca.Scope())
	p.aligned = cb == ca || slices.Equal(cb.Fields(), ca.Fields())
	p.fields, p.gone = p.fields[:0], p.gone[:0]
	field := func(name string, before, after int) planField {
		return planField{name, int32(before), int32(after), r.skips(name), r.masks(name)}
	}
	if p.aligned {
		for at, name := range ca.Fields() {
			p.fields = append(p.fields, field(name, at, at))
		}
		return
	}
	inBefore, inAfter := cb.Field, ca.Field
	if len(cb.Fields()) > smallClass {
		inBefore = indexed(cb)
	}
	if len(ca.Fields()) > smallClass {
		inAfter = indexed(ca)
	}
	for at, name := range ca.Fields() {
		p.fields = append(p.fields, field(name, inBefore(name), at))
	}
	for at, name := range cb.Fields() {
		if inAfter(name) < 0 {
			p.gone = append(p.gone, field(name, at, -1))
		}
	}
}

// indexed is Class.Field in constant time.
func indexed(class *records.Class) func(string) int {
	at := make(map[string]int, len(class.Fields()))
	for i, name := range class.Fields() {
		at[name] = i
	}
	return func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		return -1
	}
}

// diff appends to dst the names of the fields that differ between before row i
// and after row j: in after order, then those that are gone in before order.
// Skipped fields are left out unless all is set.
func (c *fieldComparer) diff(dst []string, i, j int, all bool) []string {
	b, a := c.before.Ref(i), c.after.Ref(j)
	p := c.plan(b.ClassNumber(), a.ClassNumber())
	if p.aligned {
		return p.diffAligned(dst, b.Values(), a.Values(), all)
	}
	c.vb, c.va = values(c.vb[:0], b.Values()), values(c.va[:0], a.Values())
	for k := range p.fields {
		f := &p.fields[k]
		if f.skip && !all {
			continue
		}
		if f.before < 0 || !f.equal(c.vb[f.before], c.va[f.after]) {
			dst = append(dst, f.name)
		}
	}
	for k := range p.gone {
		if f := &p.gone[k]; !f.skip || all {
			dst = append(dst, f.name)
		}
	}
	return dst
}

// diffAligned is diff for values vb and va of the same fields. Most rows differ
// in one field: what is equal before it is skipped by bytes, and what is equal
// after it ends the walk.
func (p *plan) diffAligned(dst []string, vb, va []byte, all bool) []string {
	same := records.CommonPrefix(vb, va)
	for k := range p.fields {
		var b, a records.Value
		b, vb = records.Cut(vb)
		if n := len(b.Raw()); n <= same {
			va, same = va[n:], same-n
			continue
		}
		a, va = records.Cut(va)
		if f := &p.fields[k]; (!f.skip || all) && !f.equal(b, a) {
			dst = append(dst, f.name)
		}
		if bytes.Equal(vb, va) {
			break
		}
		same = records.CommonPrefix(vb, va)
	}
	return dst
}

// value returns the value of the named field of a row, masked if a scope of
// either side says so.
func (c *fieldComparer) values(i, j int, name string) (before, after records.Value) {
	before, after = c.before.Field(i, name), c.after.Field(j, name)
	if r := c.rules(c.before.Class(i).Scope(), c.after.Class(j).Scope()); r.masks(name) {
		before, after = masked(before, true), masked(after, true)
	}
	return before, after
}

// equal compares two values of the field.
func (f *planField) equal(b, a records.Value) bool {
	if f.mask {
		// A side that did not know the field to be sensitive holds it in the
		// clear. It can be told apart from one that knows what it masks.
		b, a = masked(b, digests(a)), masked(a, digests(b))
	}
	return records.Equal(b, a)
}

// digests reports whether v is masked and knows what it masks.
func digests(v records.Value) bool {
	return v.Kind() == records.Masked && len(v.Raw()) > 1
}

func masked(v records.Value, known bool) records.Value {
	if v.Kind() == records.Masked {
		return v
	}
	return records.RawValue(records.AppendMaskOf(nil, v, known))
}

// values cuts all values of a row.
func values(dst []records.Value, enc []byte) []records.Value {
	for len(enc) > 0 {
		var v records.Value
		v, enc = records.Cut(enc)
		dst = append(dst, v)
	}
	return dst
}
