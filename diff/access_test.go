package diff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestAccess walks every kind of change and compares with what evidence says.
func TestAccess(t *testing.T) {
	const before = `{"page":{"url":"https://a.example/"},
		"scopes":[{"id":"s","label":"S","ids":"x"},{"id":"u","ids":"x"},{"id":"gone"},{"id":"w","total":10}],
		"records":[
		 {"id":"a","scope":"s","fields":{"v":1,"w":1}},
		 {"id":"b","scope":"s","fields":{"v":1}},
		 {"id":"c","scope":"s","fields":{"v":1}},
		 {"id":"m","scope":"s","fields":{"v":1}},
		 {"id":"old","scope":"s","fields":{"v":1}},
		 {"id":"g","scope":"gone","fields":{}},
		 {"id":"w1","scope":"w","fields":{}}],
		"actions":[{"id":"x","description":"X"},{"id":"y","description":"Y"}]}`
	const after = `{"page":{"url":"https://b.example/"},
		"scopes":[{"id":"s","label":"T","ids":"x"},{"id":"u","ids":"x"},{"id":"new"},{"id":"w","total":10}],
		"records":[
		 {"id":"b","scope":"s","fields":{"v":1}},
		 {"id":"a","scope":"s","fields":{"v":2}},
		 {"id":"tail","scope":"s","fields":{"v":1}},
		 {"id":"now","scope":"s","fields":{"v":1},"replaces":"old"},
		 {"id":"m","scope":"u","fields":{"v":1}},
		 {"id":"n","scope":"new","fields":{}},
		 {"id":"w2","scope":"w","fields":{}}],
		"actions":[{"id":"x","description":"X","available":"no"},{"id":"z","description":"Z"}]}`
	decode := func(text string) *snapshot.Snapshot {
		s, err := capture.Decode([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var d diff.Differ
	c := d.Compare(decode(before), decode(after), nil)
	var got []string
	add := func(words ...string) { got = append(got, strings.Join(words, " ")) }
	presence := func(p diff.Presence) string {
		if p.Whole {
			return p.Scope() + "/" + p.ID() + " whole"
		}
		return p.Scope() + "/" + p.ID()
	}
	for p := range c.Added() {
		add("added", presence(p))
	}
	for p := range c.Removed() {
		add("removed", presence(p))
	}
	for u := range c.Updated() {
		add("updated", u.Before.Scope()+"/"+u.Before.ID(), u.After.Scope()+"/"+u.After.ID(), strings.Join(u.Fields, ","))
	}
	for id := range c.Reordered() {
		add("reordered", id)
	}
	for a := range c.ActionsAdded() {
		add("action added", a.ID)
	}
	for a := range c.ActionsRemoved() {
		add("action removed", a.ID)
	}
	for u := range c.ActionsUpdated() {
		add("action updated", u.After.ID, u.Before.Reason, u.After.Reason, strings.Join(u.Fields, ","))
	}
	for s := range c.ScopesAdded() {
		add("scope added", s.ID)
	}
	for s := range c.ScopesRemoved() {
		add("scope removed", s.ID)
	}
	for u := range c.ScopesUpdated() {
		add("scope updated", u.After.ID, u.Before.Label, u.After.Label, strings.Join(u.Fields, ","))
	}
	want := []string{
		"added s/tail", "added new/n whole",
		"removed s/c", "removed gone/g whole",
		"updated s/a s/a v,w", "updated s/old s/now ", "updated s/m u/m ",
		"reordered s",
		"action added z", "action removed y", "action updated x  no available",
		"scope added new", "scope removed gone", "scope updated s S T label",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	counts := diff.Counts{Added: 2, Removed: 2, Updated: 3, AddedWhole: 1, RemovedWhole: 1, Entered: 1, Left: 1, From: 16, To: 16,
		Reordered: 1, ActionsAdded: 1, ActionsRemoved: 1, ActionsUpdated: 1, ScopesAdded: 1, ScopesRemoved: 1, ScopesUpdated: 1}
	if c.Counts() != counts {
		t.Errorf("counts\n%+v, want\n%+v", c.Counts(), counts)
	}
	if !c.URLChanged() {
		t.Error("the changed url is not reported")
	}
	for range c.Updated() { // a consumer may stop
		break
	}
}
