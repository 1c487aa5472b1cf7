package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/records"
)

// A rule is one expectation of a change: a count, a place that changed, or that
// nothing else did.
//
//	added=1  removed=0  updated=2  entered=0  left=0  total=13
//	reordered=false  navigated=false
//	actions.added=1  scopes.updated=0
//	added:[scope/]id  removed:[scope/]id  updated:[scope/]id[.field]
//	reordered:scope  actions.updated:id[.field]  scopes.added:id
//	nothing-else
//
// A name is written as it is or, where it contains one of / . : or ", as a JSON
// string.
type rule struct {
	text string // as given
	kind kind
	what ruleForm

	want int64 // of a count
	flag bool  // of a yes or no

	scope, id, field   string
	hasScope, hasField bool
}

type ruleForm int

const (
	countRule ruleForm = iota
	flagRule
	placeRule
	nothingElse
)

// A kind is a kind of change.
type kind string

const (
	kindAdded          kind = "added"
	kindRemoved        kind = "removed"
	kindUpdated        kind = "updated"
	kindEntered        kind = "entered"
	kindLeft           kind = "left"
	kindTotal          kind = "total"
	kindReordered      kind = "reordered"
	kindNavigated      kind = "navigated"
	kindActionsAdded   kind = "actions.added"
	kindActionsRemoved kind = "actions.removed"
	kindActionsUpdated kind = "actions.updated"
	kindScopesAdded    kind = "scopes.added"
	kindScopesRemoved  kind = "scopes.removed"
	kindScopesUpdated  kind = "scopes.updated"
)

var (
	countKinds = []kind{kindAdded, kindRemoved, kindUpdated, kindEntered, kindLeft, kindTotal,
		kindActionsAdded, kindActionsRemoved, kindActionsUpdated, kindScopesAdded, kindScopesRemoved, kindScopesUpdated}
	flagKinds  = []kind{kindReordered, kindNavigated}
	placeKinds = []kind{kindAdded, kindRemoved, kindUpdated, kindReordered,
		kindActionsAdded, kindActionsRemoved, kindActionsUpdated, kindScopesAdded, kindScopesRemoved, kindScopesUpdated}
)

// things returns what changes of this kind happen to: records, actions or
// scopes.
func (k kind) things() string {
	if things, _, ok := strings.Cut(string(k), "."); ok {
		return things
	}
	if k == kindReordered {
		return "scopes"
	}
	return "records"
}

// parseRule reads a rule.
func parseRule(text string) (rule, error) {
	r := rule{text: text}
	if text == "nothing-else" {
		r.what = nothingElse
		return r, nil
	}
	at := strings.IndexAny(text, "=:")
	if at < 0 {
		return r, errors.New("want KIND=NUMBER, KIND:NAME or nothing-else")
	}
	r.kind = kind(text[:at])
	rest := text[at+1:]
	switch isPlace := text[at] == ':'; {
	case isPlace && slices.Contains(placeKinds, r.kind):
		r.what = placeRule
		return r, r.parsePlace(rest)
	case isPlace && slices.Contains(countKinds, r.kind), isPlace && slices.Contains(flagKinds, r.kind):
		return r, fmt.Errorf("%s takes =, not a name", r.kind)
	case slices.Contains(flagKinds, r.kind):
		r.what = flagRule
		if rest != "true" && rest != "false" {
			return r, fmt.Errorf("want %s=true or %s=false", r.kind, r.kind)
		}
		r.flag = rest == "true"
		return r, nil
	case slices.Contains(countKinds, r.kind):
		r.what = countRule
		n, err := strconv.ParseUint(rest, 10, 63)
		if err != nil {
			return r, fmt.Errorf("%s= takes a number, 0 or more", r.kind)
		}
		r.want = int64(n)
		return r, nil
	}
	return r, errors.New("no such kind of change")
}

// parsePlace reads [scope/]id[.field], or less where the kind has less.
func (r *rule) parsePlace(text string) error {
	name, rest, err := cutName(text)
	if err != nil {
		return err
	}
	r.id = name
	records := r.kind == kindAdded || r.kind == kindRemoved || r.kind == kindUpdated
	if inner, ok := strings.CutPrefix(rest, "/"); ok {
		if !records {
			return errors.New("only records are in a scope; a name with / is written in quotes")
		}
		r.scope, r.hasScope = name, true
		if r.id, rest, err = cutName(inner); err != nil {
			return err
		}
	}
	if inner, ok := strings.CutPrefix(rest, "."); ok {
		if r.kind != kindUpdated && r.kind != kindActionsUpdated && r.kind != kindScopesUpdated {
			return errors.New("only updates have fields; a name with . is written in quotes")
		}
		r.hasField = true
		if r.field, rest, err = cutName(inner); err != nil {
			return err
		}
	}
	if rest != "" {
		return errors.New("a name with / . or : is written in quotes, as in updated:\"a/b\"")
	}
	return nil
}

// cutName takes a name from the beginning of text: a JSON string, or everything
// up to the next / . or :.
func cutName(text string) (name, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		at := strings.IndexAny(text, `/.:"`)
		if at < 0 {
			at = len(text)
		}
		if at == 0 {
			return "", "", errors.New(`a name is missing; an empty one is written ""`)
		}
		return text[:at], text[at:], nil
	}
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return "", "", errors.New("a quote is not closed")
	}
	enc, err := records.ParseValue(nil, []byte(text[:end+1]))
	if err != nil {
		return "", "", err
	}
	return string(records.RawValue(enc).Text()), text[end+1:], nil
}

// A change is one thing that a rule can name.
type change struct {
	kind      kind
	scope, id string
	fields    []string // of an update
	whole     bool     // a record that came or went with its scope
}

// allChanges lists everything that changed, in the order of evidence.
func allChanges(c *diff.Changes) []change {
	var list []change
	for p := range c.Added() {
		list = append(list, change{kind: kindAdded, scope: p.Scope(), id: p.ID(), whole: p.Whole})
	}
	for p := range c.Removed() {
		list = append(list, change{kind: kindRemoved, scope: p.Scope(), id: p.ID(), whole: p.Whole})
	}
	for u := range c.Updated() {
		list = append(list, change{kind: kindUpdated, scope: u.After.Scope(), id: u.After.ID(), fields: u.Fields})
	}
	for id := range c.Reordered() {
		list = append(list, change{kind: kindReordered, id: id})
	}
	for a := range c.ActionsAdded() {
		list = append(list, change{kind: kindActionsAdded, id: a.ID})
	}
	for a := range c.ActionsRemoved() {
		list = append(list, change{kind: kindActionsRemoved, id: a.ID})
	}
	for u := range c.ActionsUpdated() {
		list = append(list, change{kind: kindActionsUpdated, id: u.After.ID, fields: u.Fields})
	}
	for s := range c.ScopesAdded() {
		list = append(list, change{kind: kindScopesAdded, id: s.ID})
	}
	for s := range c.ScopesRemoved() {
		list = append(list, change{kind: kindScopesRemoved, id: s.ID})
	}
	for u := range c.ScopesUpdated() {
		list = append(list, change{kind: kindScopesUpdated, id: u.After.ID, fields: u.Fields})
	}
	return list
}

// names reports whether the rule names ch, whatever its field.
func (r *rule) names(ch *change) bool {
	return r.what == placeRule && r.kind == ch.kind && r.id == ch.id && (!r.hasScope || r.scope == ch.scope)
}
