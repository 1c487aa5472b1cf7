package pagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Vocabularies are small, so that ids and names meet again, and hold the texts
// that comparing and printing stumble over.
var (
	scopeIDs   = []string{"s", "t", "board", "done list", "a/b", "日", ""}
	fieldNames = []string{"text", "status", "v", "w", "age", "a/b~c", "名", "Status"}
	texts      = []string{
		"", "0", "1", "true", "null", "open", "Open", "done", "a b", " a", "[masked]", `"`, `\`, "/<>&",
		"é", "e\u0301", "日本", "😀", "👩\u200d🚀", "line\nbreak", "tab\t", "\x00", "\x1b[2J", "\u0085", "\u202eabc", "\u2028", "\ufeff", "\U000E0041",
		strings.Repeat("long ", 80),
	}
	numbers = []Number{
		"0", "1", "2", "-1", "10", "100", "0.1", "0.10000000000000001", "1.5", "-0.25", "1e2", "12e-1", "9007199254740992", "9007199254740993",
		"14629384756102938475", "-9223372036854775809", "1e400", "1e401", "1e-400", "1e1000000000", "123456789012345678901234567890.5",
	}
	urls      = []string{"http://127.0.0.1:5218/", "https://shop.example/cart", "https://shop.example/cart#2", "https://shop.example/a?b=c&d=\"e\""}
	labels    = []string{"Tasks", "Done", "Aufgaben", "日", "<b>\n"}
	roles     = []string{"main", "list", "table"}
	states    = []string{"active", "inactive", "covered"}
	reasons   = []string{"The task is locked.", "There are no open tasks.", "disabled", "yes"}
	kinds     = []string{"read", "write", "app"}
	verbs     = []string{"toggle", "remove", "open", "x@y"}
	primitive = []string{"call", "click", "fill"}
)

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// one reports true once in n times.
func one(rng *rand.Rand, n int) bool { return rng.IntN(n) == 0 }

// subset returns the elements of list that a coin chose, in random order; nil
// when there are none.
func subset(rng *rand.Rand, list []string) (out []string) {
	for _, i := range rng.Perm(len(list)) {
		if one(rng, 3) {
			out = append(out, list[i])
		}
	}
	return out
}

// Generate returns a page of about n records.
func Generate(rng *rand.Rand, n int) Page {
	p := Page{URL: pick(rng, urls), Title: pick(rng, texts), Document: fmt.Sprint("d", rng.IntN(3))}
	if one(rng, 8) {
		p.URL = ""
	}
	if one(rng, 12) {
		p.View = &View{}
		changeView(rng, &p)
	}
	for _, i := range rng.Perm(len(scopeIDs))[:1+rng.IntN(4)] {
		if id := scopeIDs[i]; id != "" {
			p.Scopes = append(p.Scopes, newScope(rng, id))
		}
	}
	homes := homesOf(p)
	for range n {
		p.Records = append(p.Records, newRecord(rng, &p, pick(rng, homes)))
	}
	if !one(rng, 3) {
		// As apps do it: scope after scope.
		slices.SortStableFunc(p.Records, func(a, b Record) int { return strings.Compare(a.Scope, b.Scope) })
	}
	for range rng.IntN(5) {
		p.Actions = append(p.Actions, newAction(rng, &p))
	}
	for _, r := range p.Records {
		if one(rng, 3) {
			bindAction(rng, &p, r)
		}
	}
	p.tidy()
	return p
}

// homesOf returns the scopes that a new record may go to: mostly declared ones.
func homesOf(p Page) (homes []string) {
	for _, s := range p.Scopes {
		homes = append(homes, s.ID, s.ID)
	}
	return append(homes, "", "undeclared")
}

func newScope(rng *rand.Rand, id string) Scope {
	s := Scope{ID: id, Label: pick(rng, labels)}
	if one(rng, 2) {
		s.Role = pick(rng, roles)
	}
	if one(rng, 4) {
		s.Description = pick(rng, labels)
	}
	if one(rng, 4) {
		s.Parent = pick(rng, scopeIDs)
	}
	if one(rng, 4) {
		s.State = pick(rng, states)
	}
	if one(rng, 4) {
		s.Volatile = subset(rng, fieldNames)
	}
	if one(rng, 6) {
		s.Sensitive = subset(rng, fieldNames)
	}
	s.Unordered = one(rng, 6)
	s.Inferred = one(rng, 6)
	if !one(rng, 3) {
		s.IDs = pick(rng, []string{"tasks", "tasks", "tasks", "rows"})
	}
	if one(rng, 4) {
		total := rng.IntN(8) // tidy adds what is shown
		s.Total = &total
		if one(rng, 2) {
			offset := rng.IntN(4)
			s.Offset = &offset
		}
	}
	if s.Total != nil && *s.Total == 7 { // one that could not be read
		s.Total, s.Partial = nil, true
	}
	return s
}

// freshID returns an id that is rarely in use, and now and then of another
// kind: digits alone, hostile, or one that may well be taken.
func freshID(rng *rand.Rand) string {
	switch rng.IntN(12) {
	case 0:
		return strconv.Itoa(rng.IntN(20) - 2)
	case 1:
		return "14629384756102938475" + strconv.Itoa(rng.IntN(3))
	case 2:
		return pick(rng, []string{"a/b", "@", "x@y", "#2", "日", " ", "true", "é", "\u202e1", "01", "-0", "1.0"})
	case 3:
		return "r" + strconv.Itoa(rng.IntN(6))
	}
	return "r" + strconv.Itoa(rng.IntN(1_000_000))
}

func newRecord(rng *rand.Rand, p *Page, scope string) Record {
	r := Record{ID: freshID(rng), Scope: scope}
	if s := p.scope(scope); s != nil && s.Inferred && one(rng, 2) {
		r.ID = ""
	}
	for _, i := range rng.Perm(len(fieldNames))[:rng.IntN(5)] {
		r.Fields = append(r.Fields, Member{fieldNames[i], newValue(rng, 2)})
	}
	return r
}

// newValue returns a value with at most depth levels of lists and objects.
func newValue(rng *rand.Rand, depth int) any {
	kinds := 9
	if depth == 0 {
		kinds = 7
	}
	switch rng.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return one(rng, 2)
	case 2, 3:
		return pick(rng, numbers)
	case 7:
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, newValue(rng, depth-1))
		}
		return list
	case 8:
		o := Object{}
		for _, i := range rng.Perm(len(fieldNames))[:rng.IntN(4)] {
			o = append(o, Member{fieldNames[i], newValue(rng, depth-1)})
		}
		return o
	}
	return pick(rng, texts)
}

// newAction returns an action of no record.
func newAction(rng *rand.Rand, p *Page) Action {
	name := pick(rng, verbs) + "_" + strconv.Itoa(rng.IntN(8))
	a := Action{ID: name, Description: pick(rng, labels)}
	decorate(rng, &a)
	if len(p.Scopes) > 0 && one(rng, 3) {
		scope := pick(rng, p.Scopes).ID
		a.Scope = &scope
	}
	if one(rng, 4) {
		a.Group = pick(rng, []string{"shop", "debug"})
		a.Name = name
		if one(rng, 2) {
			a.ID = a.Group + "/" + name
		}
	}
	return a
}

// decorate fills in what every action may have.
func decorate(rng *rand.Rand, a *Action) {
	if one(rng, 2) {
		a.Kind = pick(rng, kinds)
	}
	if one(rng, 2) {
		a.Primitive = pick(rng, primitive)
	}
	a.Available = newAvailability(rng)
	if one(rng, 4) {
		a.Params = []any{Object{{"type", "object"}, {"properties", newValue(rng, 2)}}}
	}
}

func newAvailability(rng *rand.Rand) any {
	return pick(rng, []any{nil, true, true, false, "", pick(rng, reasons)})
}

// bindAction adds an action of a record.
func bindAction(rng *rand.Rand, p *Page, r Record) {
	if r.ID == "" {
		return
	}
	verb := pick(rng, verbs)
	a := Action{ID: verb + "@" + r.ID, Description: verb + " " + pick(rng, texts), Record: r.ID}
	decorate(rng, &a)
	if !one(rng, 3) {
		scope := r.Scope
		a.Scope = &scope
		if scope != "" && one(rng, 3) {
			a.ID = verb + "@" + scope + "/" + r.ID
		}
	}
	switch rng.IntN(6) {
	case 0:
		a.Name = verb
	case 1:
		a.Name, a.Group = verb, "shop"
	}
	p.Actions = append(p.Actions, a)
}

// scope returns the declared scope of that id, or nil.
func (p *Page) scope(id string) *Scope {
	for i := range p.Scopes {
		if p.Scopes[i].ID == id {
			return &p.Scopes[i]
		}
	}
	return nil
}

// count returns the number of records in a scope.
func (p *Page) count(scope string) (n int) {
	for _, r := range p.Records {
		if r.Scope == scope {
			n++
		}
	}
	return n
}

// tidy makes the page one that a capture may hold: totals that cover what is
// shown, ids where no inferred scope excuses their absence, and no parent or
// declared scope without a name.
func (p *Page) tidy() {
	for i := range p.Scopes {
		s := &p.Scopes[i]
		n := p.count(s.ID)
		if s.Total == nil {
			continue
		}
		if *s.Total < n {
			*s.Total += n
		}
		if s.Offset != nil && *s.Offset > *s.Total-n {
			*s.Offset = *s.Total - n
		}
	}
	for i := range p.Records {
		r := &p.Records[i]
		if s := p.scope(r.Scope); r.ID == "" && (s == nil || !s.Inferred) {
			r.ID = "named" + strconv.Itoa(i)
		}
		if r.ID == "" {
			r.Replaces = ""
		}
	}
}
