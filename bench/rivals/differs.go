package rivals

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
	"github.com/josephburnett/jd/v2"
	r3labs "github.com/r3labs/diff/v3"
	"github.com/wI2L/jsondiff"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/diff"
)

// A Says is what a differ can say of a change.
type Says uint8

// The parts of an answer. A differ that says Order alone tells that something
// differs, not what.
const (
	Presence Says = 1 << iota // which records were added and removed
	Updates                   // which records were updated
	Fields                    // in which fields
	Order                     // that records changed their order
	Equality                  // only whether anything differs
)

// A Differ is something that compares two pages of page "orders".
type Differ struct {
	Name, How string
	Says      Says
	// Blind are the changes that it cannot answer, or takes hours for.
	Blind []string
	// Setup returns a function that compares and one that says what it found.
	Setup func(w *bench.Workload) (run func(), answer func() bench.Answer)
}

// A tagged is an order as r3labs wants it: conversion from bench.Order is free.
type tagged struct {
	ID        string `diff:"id,identifier"`
	Title     string `diff:"title"`
	Status    string `diff:"status"`
	Amount    int64  `diff:"amount"`
	Customer  string `diff:"customer"`
	UpdatedAt string `diff:"updatedAt"`
	Done      bool   `diff:"done"`
	Note      string `diff:"note"`
}

// Differs are ours, those written by hand, and the rivals.
var Differs = []Differ{
	{"ours", "two snapshots", Presence | Updates | Fields | Order, nil, ours},
	{"ours+evidence", "two snapshots, evidence as JSON", Presence | Updates | Fields | Order, nil, oursEvidence},
	{"ours+build", "Go structs, a snapshot built of them, and an earlier one", Presence | Updates | Fields | Order, nil, oursBuilt},
	{"typed", "hand-written, on Go structs", Presence | Updates | Fields | Order, nil, func(w *bench.Workload) (func(), func() bench.Answer) {
		var a bench.Answer
		return func() { a = bench.TypedDiff(w.Before, w.After) }, func() bench.Answer { return a }
	}},
	{"map", "hand-written, on map[string]any", Presence | Updates | Fields | Order, nil, func(w *bench.Workload) (func(), func() bench.Answer) {
		before, after := w.Maps()
		var a bench.Answer
		return func() { a = bench.MapDiff(before, after) }, func() bench.Answer { return a }
	}},
	{"reflect", "reflect.DeepEqual, on slices of Go structs", Equality, nil, func(w *bench.Workload) (func(), func() bench.Answer) {
		same := false
		return func() { same = reflect.DeepEqual(w.Before, w.After) }, func() bench.Answer { return bench.Answer{Reordered: !same} }
	}},
	{"go-cmp Equal", "google/go-cmp v0.7.0, on map[string]any by id, indexed on the way", Equality, []string{"reverse", "shuffle"}, goCmpEqual},
	{"go-cmp Diff", "google/go-cmp v0.7.0, on map[string]any by id, indexed on the way", Presence | Updates | Fields, []string{"reverse", "shuffle"}, goCmpDiff},
	{"r3labs", "r3labs/diff v3.0.2, structs with an identifier", Presence | Updates | Fields, []string{"reverse", "shuffle"}, r3labsDiff},
	{"jsondiff", "wI2L/jsondiff v0.7.1, decoded values, by position", Updates | Fields, []string{"mixed", "reverse", "shuffle"}, jsonDiff},
	{"jd", "josephburnett/jd v2.5.0, decoded values, set keys", Presence | Updates | Fields, []string{"reverse", "shuffle"}, jdDiff},
	{"udiff", "aymanbagabas/go-udiff v0.4.1, a line a record, rendered before", Presence | Updates, []string{"reverse", "shuffle"}, lineDiff},
}

func ours(w *bench.Workload) (func(), func() bench.Answer) {
	source := w.NewSource()
	before, after := source.Build(w.Before), source.Build(w.After)
	var d diff.Differ
	var changes *diff.Changes
	return func() { changes = d.Compare(before, after, nil) }, func() bench.Answer { return bench.AnswerOf(changes) }
}

func oursEvidence(w *bench.Workload) (func(), func() bench.Answer) {
	source := w.NewSource()
	before, after := source.Build(w.Before), source.Build(w.After)
	var d diff.Differ
	var changes *diff.Changes
	var line []byte
	return func() {
		changes = d.Compare(before, after, nil)
		line = changes.AppendJSON(line[:0], nil)
	}, func() bench.Answer { return bench.AnswerOf(changes) }
}

func oursBuilt(w *bench.Workload) (func(), func() bench.Answer) {
	source := w.NewSource()
	before, after := source.Build(w.Before), source.Build(w.After)
	var d diff.Differ
	var changes *diff.Changes
	return func() {
		source.Recycle(after)
		after = source.Build(w.After)
		changes = d.Compare(before, after, nil)
	}, func() bench.Answer { return bench.AnswerOf(changes) }
}

func byID(list []map[string]any) map[string]map[string]any {
	m := make(map[string]map[string]any, len(list))
	for _, r := range list {
		m[r["id"].(string)] = r
	}
	return m
}

func goCmpEqual(w *bench.Workload) (func(), func() bench.Answer) {
	before, after := w.Maps()
	same := false
	return func() { same = cmp.Equal(byID(before), byID(after)) }, func() bench.Answer { return bench.Answer{Reordered: !same} }
}

func goCmpDiff(w *bench.Workload) (func(), func() bench.Answer) {
	before, after := w.Maps()
	var text string
	return func() { text = cmp.Diff(byID(before), byID(after)) }, func() bench.Answer {
		// Its text is for people and not stable; its reporter says the same.
		r := &reporter{found: map[string]*changeOf{}}
		cmp.Equal(byID(before), byID(after), cmp.Reporter(r))
		if (text == "") != (len(r.found) == 0) {
			panic("go-cmp: text and reporter disagree")
		}
		return answerOf(w, r.found)
	}
}

// A changeOf is what a rival said of one record.
type changeOf struct {
	added, removed bool
	fields         []string
}

// answerOf puts what was said of records, by id, into the order of the page.
func answerOf(w *bench.Workload, found map[string]*changeOf) (a bench.Answer) {
	seen := 0
	for i := range w.Before {
		if c := found[w.Before[i].ID]; c != nil && c.removed && !c.added {
			a.Removed = append(a.Removed, w.Before[i].ID)
			seen++
		}
	}
	for i := range w.After {
		c := found[w.After[i].ID]
		switch {
		case c == nil || c.removed && !c.added:
			continue
		case c.added && !c.removed:
			a.Added = append(a.Added, w.After[i].ID)
		default:
			a.Updated = append(a.Updated, w.After[i].ID)
			slices.Sort(c.fields)
			a.Fields = append(a.Fields, slices.Compact(c.fields)...)
		}
		seen++
	}
	if seen != len(found) {
		panic(fmt.Sprintf("%d of %d records are on no page", len(found)-seen, len(found)))
	}
	return a
}

func note(found map[string]*changeOf, id string) *changeOf {
	if found[id] == nil {
		found[id] = &changeOf{}
	}
	return found[id]
}

// A reporter collects what go-cmp finds.
type reporter struct {
	path  cmp.Path
	found map[string]*changeOf
}

func (r *reporter) PushStep(s cmp.PathStep) { r.path = append(r.path, s) }
func (r *reporter) PopStep()                { r.path = r.path[:len(r.path)-1] }
func (r *reporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	c := note(r.found, r.path.Index(1).(cmp.MapIndex).Key().String())
	if len(r.path) > 2 {
		c.fields = append(c.fields, r.path.Index(2).(cmp.MapIndex).Key().String())
		return
	}
	before, after := r.path.Last().Values()
	c.removed, c.added = before.IsValid(), after.IsValid()
}

func r3labsDiff(w *bench.Workload) (func(), func() bench.Answer) {
	convert := func(list []bench.Order) []tagged {
		out := make([]tagged, len(list))
		for i := range list {
			out[i] = tagged(list[i])
		}
		return out
	}
	before, after := convert(w.Before), convert(w.After)
	var log r3labs.Changelog
	return func() {
			var err error
			if log, err = r3labs.Diff(before, after); err != nil {
				panic(err)
			}
		}, func() bench.Answer {
			found := map[string]*changeOf{}
			for _, c := range log {
				r := note(found, c.Path[0])
				switch c.Type {
				case r3labs.CREATE:
					r.added = true
				case r3labs.DELETE:
					r.removed = true
				default:
					r.fields = append(r.fields, c.Path[1])
				}
			}
			return answerOf(w, found)
		}
}

// decoded returns both pages as encoding/json decodes them.
func decoded(w *bench.Workload) (before, after []any) {
	b, a := w.Maps()
	convert := func(list []map[string]any) []any {
		out := make([]any, len(list))
		for i, m := range list {
			if n, ok := m["amount"].(int64); ok {
				m["amount"] = float64(n)
			}
			out[i] = m
		}
		return out
	}
	return convert(b), convert(a)
}

func jsonDiff(w *bench.Workload) (func(), func() bench.Answer) {
	before, after := decoded(w)
	var patch jsondiff.Patch
	return func() {
			var err error
			if patch, err = jsondiff.CompareWithoutMarshal(before, after); err != nil {
				panic(err)
			}
		}, func() bench.Answer {
			found := map[string]*changeOf{}
			for _, o := range patch {
				parts := strings.Split(o.Path, "/") // "", position, field
				i, err := strconv.Atoi(parts[1])
				if err != nil || o.Type != "replace" {
					panic(fmt.Sprint("unexpected ", o))
				}
				c := note(found, w.After[i].ID)
				c.fields = append(c.fields, parts[2])
			}
			return answerOf(w, found)
		}
}

func jdDiff(w *bench.Workload) (func(), func() bench.Answer) {
	b, a := decoded(w)
	before, err := jd.NewJsonNode(b)
	if err != nil {
		panic(err)
	}
	after, err := jd.NewJsonNode(a)
	if err != nil {
		panic(err)
	}
	keys := jd.SetKeys("id")
	var found jd.Diff
	return func() { found = before.Diff(after, keys) }, func() bench.Answer {
		records := map[string]*changeOf{}
		for _, e := range found {
			if len(e.Path) == 2 {
				id := unquote(e.Path[0].(jd.PathSetKeys)["id"].Json())
				c := note(records, id)
				c.fields = append(c.fields, string(e.Path[1].(jd.PathKey)))
				continue
			}
			for _, n := range e.Add {
				note(records, idOf(n)).added = true
			}
			for _, n := range e.Remove {
				note(records, idOf(n)).removed = true
			}
		}
		return answerOf(w, records)
	}
}

func unquote(s string) string {
	out, err := strconv.Unquote(s)
	if err != nil {
		panic(err)
	}
	return out
}

// idOf returns the id of a record of jd, whose members it writes in order.
func idOf(n jd.JsonNode) string {
	_, rest, _ := strings.Cut(n.Json(), `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// render writes a page as snapshot tools do, a record a line.
func render(list []bench.Order) string {
	var b strings.Builder
	for i := range list {
		o := &list[i]
		fmt.Fprintf(&b, "%s | %s | %s | %d | %s | %s | %t | %s\n", o.ID, o.Title, o.Status, o.Amount, o.Customer, o.UpdatedAt, o.Done, o.Note)
	}
	return b.String()
}

func lineDiff(w *bench.Workload) (func(), func() bench.Answer) {
	before, after := render(w.Before), render(w.After)
	var edits []udiff.Edit
	return func() { edits = udiff.Lines(before, after) }, func() bench.Answer {
		found := map[string]*changeOf{}
		for _, e := range edits {
			for line := range strings.Lines(before[e.Start:e.End]) {
				note(found, strings.Fields(line)[0]).removed = true
			}
			for line := range strings.Lines(e.New) {
				note(found, strings.Fields(line)[0]).added = true
			}
		}
		return answerOf(w, found)
	}
}
