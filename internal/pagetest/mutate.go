package pagetest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Mutate returns the page that an edit script of the given length makes of p,
// which it leaves alone.
func Mutate(rng *rand.Rand, p Page, edits int) Page {
	p = p.Clone()
	for range edits {
		pick(rng, scripts)(rng, &p)
	}
	p.tidy()
	return p
}

// Pair returns two captures, the second made from the first by a script that is
// mostly short and sometimes empty, both in random spellings.
func Pair(rng *rand.Rand) (before, after []byte) {
	b, a := Pages(rng)
	before, after = b.JSON(), a.JSON()
	if one(rng, 2) {
		before = Respell(before, rng)
	}
	if one(rng, 2) {
		after = Respell(after, rng)
	}
	return before, after
}

// Pages is Pair before it is written out.
func Pages(rng *rand.Rand) (before, after Page) {
	size := rng.IntN(9)
	if one(rng, 8) {
		size = rng.IntN(60)
	}
	edits := rng.IntN(6)
	if one(rng, 8) {
		edits = rng.IntN(30)
	}
	before = Generate(rng, size)
	return before, Mutate(rng, before, edits)
}

// scripts are the edits, those of records repeated to make them likelier. One
// that finds nothing to edit does nothing.
var scripts = []func(*rand.Rand, *Page){
	editField, editField, editField, editField, editField, editField,
	shuffleFields,
	addRecord, addRecord, addRecord,
	removeRecord, removeRecord, removeRecord,
	duplicateRecord,
	moveScope, moveScope, moveScope, moveScope,
	swapRecords, shiftRecord,
	replaceID, replaceID,
	scroll,
	addScope, removeScope, describeScope, declare, declare, resize, shuffleScopes,
	addAction, removeAction, duplicateAction, editAction, editAction, rebindAction, shuffleActions,
	navigate, changeView,
}

// record returns a record to edit, or nil.
func record(rng *rand.Rand, p *Page) *Record {
	if len(p.Records) == 0 {
		return nil
	}
	return &p.Records[rng.IntN(len(p.Records))]
}

func editField(rng *rand.Rand, p *Page) {
	r := record(rng, p)
	if r == nil {
		return
	}
	r.Fields = []Member(editMembers(rng, Object(r.Fields)))
	// Its actions often say what they would do to it.
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Record == r.ID && r.ID != "" && one(rng, 2) {
			a.Description = pick(rng, texts)
		}
	}
}

// editMembers changes, adds or removes one member.
func editMembers(rng *rand.Rand, o Object) Object {
	name := pick(rng, fieldNames)
	i := slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
	if i < 0 && len(o) > 0 && !one(rng, 4) {
		i = rng.IntN(len(o))
	}
	switch {
	case i < 0:
		return slices.Insert(o, rng.IntN(len(o)+1), Member{name, newValue(rng, 2)})
	case one(rng, 5):
		return slices.Delete(o, i, i+1)
	default:
		o[i].Value = editValue(rng, o[i].Value)
		return o
	}
}

// editValue returns a value that is near v: often another one, sometimes the
// same in other words, always one that a careless comparison confuses.
func editValue(rng *rand.Rand, v any) any {
	if one(rng, 4) {
		return pick(rng, []any{nil, "", Number("0"), false, []any{}, Object{}})
	}
	switch v := v.(type) {
	case bool:
		return pick(rng, []any{!v, strconv.FormatBool(v)})
	case Number:
		switch rng.IntN(5) {
		case 0:
			return string(v)
		case 1:
			return respellNumber(v, rng)
		case 2:
			return nudge(v)
		}
		return pick(rng, numbers)
	case string:
		switch rng.IntN(4) {
		case 0:
			return v + pick(rng, []string{" ", "a", "\u0301", "\u200b", "\n"})
		case 1:
			if isInteger(v) {
				return Number(v)
			}
			return []any{v}
		}
		return pick(rng, texts)
	case []any:
		if len(v) == 0 {
			return []any{newValue(rng, 1)}
		}
		i := rng.IntN(len(v))
		switch rng.IntN(4) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return slices.Insert(v, i, newValue(rng, 1))
		case 2:
			j := rng.IntN(len(v))
			v[i], v[j] = v[j], v[i]
			return v
		}
		v[i] = editValue(rng, v[i])
		return v
	case Object:
		if one(rng, 4) {
			rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
			return v
		}
		return editMembers(rng, v)
	}
	return newValue(rng, 2)
}

// nudge changes the last digit before any exponent.
func nudge(n Number) Number {
	digits, exponent := string(n), ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		digits, exponent = digits[:i], digits[i:]
	}
	last := len(digits) - 1
	return Number(digits[:last] + string('1'+(digits[last]-'0')%9) + exponent)
}

func shuffleFields(rng *rand.Rand, p *Page) {
	if r := record(rng, p); r != nil {
		rng.Shuffle(len(r.Fields), func(i, j int) { r.Fields[i], r.Fields[j] = r.Fields[j], r.Fields[i] })
	}
}

func addRecord(rng *rand.Rand, p *Page) {
	r := newRecord(rng, p, pick(rng, homesOf(*p)))
	p.Records = slices.Insert(p.Records, rng.IntN(len(p.Records)+1), r)
	if one(rng, 2) {
		bindAction(rng, p, r)
	}
	grow(rng, p, r.Scope, 1)
}

// grow changes the declared total of a scope, as its producer would most of the
// time.
func grow(rng *rand.Rand, p *Page, scope string, n int) {
	if s := p.scope(scope); s != nil && s.Total != nil && !one(rng, 4) {
		*s.Total = max(0, *s.Total+n)
	}
}

func removeRecord(rng *rand.Rand, p *Page) {
	if len(p.Records) == 0 {
		return
	}
	i := rng.IntN(len(p.Records))
	r := p.Records[i]
	p.Records = slices.Delete(p.Records, i, i+1)
	if !one(rng, 4) {
		p.Actions = slices.DeleteFunc(p.Actions, func(a Action) bool { return r.ID != "" && a.Record == r.ID })
	}
	grow(rng, p, r.Scope, -1)
}

func duplicateRecord(rng *rand.Rand, p *Page) {
	r := record(rng, p)
	if r == nil {
		return
	}
	c := r.clone()
	if one(rng, 2) {
		c.Fields = []Member(editMembers(rng, Object(c.Fields)))
	}
	if one(rng, 4) {
		c.Scope = pick(rng, homesOf(*p))
	}
	p.Records = slices.Insert(p.Records, rng.IntN(len(p.Records)+1), c)
	grow(rng, p, c.Scope, 1)
}

func moveScope(rng *rand.Rand, p *Page) {
	r := record(rng, p)
	if r == nil {
		return
	}
	from, to := r.Scope, pick(rng, homesOf(*p))
	if s := p.scope(from); s != nil && s.IDs != "" && !one(rng, 4) {
		// To another column of its board, if there is one.
		for _, i := range rng.Perm(len(p.Scopes)) {
			if other := p.Scopes[i]; other.ID != from && other.IDs == s.IDs {
				to = other.ID
			}
		}
	}
	r.Scope = to
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Record == r.ID && a.Scope != nil && *a.Scope == from && !one(rng, 4) {
			a.Scope = &to
		}
	}
	grow(rng, p, from, -1)
	grow(rng, p, to, 1)
	if one(rng, 3) {
		editField(rng, p)
	}
}

func swapRecords(rng *rand.Rand, p *Page) {
	if n := len(p.Records); n > 1 {
		i, j := rng.IntN(n), rng.IntN(n)
		p.Records[i], p.Records[j] = p.Records[j], p.Records[i]
	}
}

func shiftRecord(rng *rand.Rand, p *Page) {
	if n := len(p.Records); n > 1 {
		i := rng.IntN(n)
		r := p.Records[i]
		p.Records = slices.Insert(slices.Delete(p.Records, i, i+1), rng.IntN(n), r)
	}
}

// replaceID gives a record another id, and mostly says whose place it takes.
func replaceID(rng *rand.Rand, p *Page) {
	r := record(rng, p)
	if r == nil || r.ID == "" {
		return
	}
	old := r.ID
	r.ID = freshID(rng)
	switch rng.IntN(6) {
	case 0:
	case 1:
		if other := record(rng, p); other.ID != "" {
			r.Replaces = other.ID
		}
	default:
		r.Replaces = old
	}
	if one(rng, 6) {
		if other := record(rng, p); other.ID != "" {
			other.Replaces = old
		}
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Record == old && !one(rng, 4) {
			a.Record = r.ID
			if one(rng, 2) {
				a.ID = pick(rng, verbs) + "@" + r.ID
			}
		}
	}
}

// scroll moves the window of a scope down by a few rows.
func scroll(rng *rand.Rand, p *Page) {
	if len(p.Scopes) == 0 {
		return
	}
	s := &p.Scopes[rng.IntN(len(p.Scopes))]
	if s.Total == nil {
		return
	}
	gone := 0
	for range 1 + rng.IntN(2) {
		i := slices.IndexFunc(p.Records, func(r Record) bool { return r.Scope == s.ID })
		if i < 0 {
			break
		}
		p.Records = slices.Delete(p.Records, i, i+1)
		gone++
	}
	for range gone {
		p.Records = append(p.Records, newRecord(rng, p, s.ID))
	}
	if s.Offset != nil {
		*s.Offset += gone
	}
}

func addScope(rng *rand.Rand, p *Page) {
	id := pick(rng, append(slices.Clone(scopeIDs), "undeclared"))
	if id == "" || p.scope(id) != nil && !one(rng, 3) {
		return
	}
	p.Scopes = slices.Insert(p.Scopes, rng.IntN(len(p.Scopes)+1), newScope(rng, id))
	for range rng.IntN(3) {
		p.Records = append(p.Records, newRecord(rng, p, id))
	}
}

// removeScope takes a declaration away, mostly with the records of the scope.
func removeScope(rng *rand.Rand, p *Page) {
	if len(p.Scopes) == 0 {
		return
	}
	i := rng.IntN(len(p.Scopes))
	id := p.Scopes[i].ID
	p.Scopes = slices.Delete(p.Scopes, i, i+1)
	if one(rng, 4) {
		return
	}
	p.Records = slices.DeleteFunc(p.Records, func(r Record) bool { return r.Scope == id })
	if one(rng, 2) {
		p.Actions = slices.DeleteFunc(p.Actions, func(a Action) bool { return a.Scope != nil && *a.Scope == id })
	}
}

func describeScope(rng *rand.Rand, p *Page) {
	if len(p.Scopes) == 0 {
		return
	}
	s := &p.Scopes[rng.IntN(len(p.Scopes))]
	switch rng.IntN(5) {
	case 0:
		s.Label = pick(rng, append(labels, ""))
	case 1:
		s.Description = pick(rng, append(labels, ""))
	case 2:
		s.Role = pick(rng, append(roles, ""))
	case 3:
		s.Parent = pick(rng, scopeIDs)
	case 4:
		s.State = pick(rng, append(states, ""))
	}
}

// declare changes what a scope declares about its records.
func declare(rng *rand.Rand, p *Page) {
	if len(p.Scopes) == 0 {
		return
	}
	s := &p.Scopes[rng.IntN(len(p.Scopes))]
	switch rng.IntN(5) {
	case 0:
		s.Volatile = subset(rng, fieldNames)
	case 1:
		s.Sensitive = subset(rng, fieldNames)
	case 2:
		s.Unordered = !s.Unordered
	case 3:
		s.Inferred = !s.Inferred
	case 4:
		s.IDs = pick(rng, []string{"tasks", "rows", ""})
	}
}

// resize changes the window that a scope declares.
func resize(rng *rand.Rand, p *Page) {
	if len(p.Scopes) == 0 {
		return
	}
	s := &p.Scopes[rng.IntN(len(p.Scopes))]
	n := p.count(s.ID)
	switch rng.IntN(6) {
	case 0:
		s.Total, s.Offset, s.Partial = nil, nil, n%2 == 1
	case 1:
		s.Total = &n
	case 2:
		s.Offset = nil
	case 3:
		offset := rng.IntN(4)
		s.Offset = &offset
	default:
		total := n + rng.IntN(4)
		s.Total = &total
	}
}

func shuffleScopes(rng *rand.Rand, p *Page) {
	rng.Shuffle(len(p.Scopes), func(i, j int) { p.Scopes[i], p.Scopes[j] = p.Scopes[j], p.Scopes[i] })
}

func addAction(rng *rand.Rand, p *Page) {
	if r := record(rng, p); r != nil && one(rng, 2) {
		bindAction(rng, p, *r)
		return
	}
	p.Actions = slices.Insert(p.Actions, rng.IntN(len(p.Actions)+1), newAction(rng, p))
}

func removeAction(rng *rand.Rand, p *Page) {
	if len(p.Actions) > 0 {
		i := rng.IntN(len(p.Actions))
		p.Actions = slices.Delete(p.Actions, i, i+1)
	}
}

// duplicateAction adds an action whose id, or a number of it, is taken.
func duplicateAction(rng *rand.Rand, p *Page) {
	if len(p.Actions) == 0 {
		return
	}
	a := p.Actions[rng.IntN(len(p.Actions))]
	if one(rng, 3) {
		a.ID += pick(rng, []string{"#2", "#2", "#3"})
	}
	if one(rng, 2) {
		a.Description = pick(rng, labels)
	}
	p.Actions = slices.Insert(p.Actions, rng.IntN(len(p.Actions)+1), a)
}

func editAction(rng *rand.Rand, p *Page) {
	if len(p.Actions) == 0 {
		return
	}
	a := &p.Actions[rng.IntN(len(p.Actions))]
	switch rng.IntN(8) {
	case 0, 1, 2:
		a.Available = newAvailability(rng)
	case 3:
		a.Description = pick(rng, labels)
	case 4:
		a.Kind = pick(rng, append(kinds, ""))
	case 5:
		a.Primitive = pick(rng, append(primitive, ""))
	case 6:
		a.Params = []any{editValue(rng, append(a.Params, nil)[0])}
	case 7:
		a.Params = nil
	}
}

// rebindAction changes what an action is about, or only what it is called.
func rebindAction(rng *rand.Rand, p *Page) {
	if len(p.Actions) == 0 {
		return
	}
	a := &p.Actions[rng.IntN(len(p.Actions))]
	switch r := record(rng, p); {
	case one(rng, 4) || r == nil:
		a.Scope = nil
	case one(rng, 4):
		a.Record = r.ID
	case one(rng, 4):
		scope := r.Scope
		a.Scope = &scope
	case one(rng, 3):
		// Another id, the same origin.
		if a.Name == "" {
			a.Name = strings.TrimSuffix(a.ID, "@"+a.Record)
		}
		a.ID += "~"
	default:
		a.Group = pick(rng, []string{"shop", "debug", ""})
	}
}

func shuffleActions(rng *rand.Rand, p *Page) {
	rng.Shuffle(len(p.Actions), func(i, j int) { p.Actions[i], p.Actions[j] = p.Actions[j], p.Actions[i] })
}

func navigate(rng *rand.Rand, p *Page) {
	if one(rng, 2) {
		p.URL = pick(rng, urls)
	}
	p.Document = strconv.Itoa(rng.IntN(3))
	p.Title = pick(rng, texts)
}

// changeView changes the filter or the limit; one change in two takes them
// away.
func changeView(rng *rand.Rand, p *Page) {
	switch rng.IntN(4) {
	case 0:
		p.View = &View{Limit: max(1, len(p.Records)-1+rng.IntN(4))}
	case 1:
		p.View = &View{Scopes: append(subset(rng, scopeIDs), "s")}
		slices.Sort(p.View.Scopes)
		p.View.Scopes = slices.Compact(p.View.Scopes)
	default:
		p.View = nil
	}
}
