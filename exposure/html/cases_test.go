package html_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte, opts *html.Options) *snapshot.Snapshot {
	t.Helper()
	snap, err := html.Decode(data, opts)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// evidence compares at names, without diagnostics.
func evidence(before, after *snapshot.Snapshot) string {
	var d diff.Differ
	text := string(d.Compare(before, after, nil).AppendJSON(nil, &diff.Format{Detail: diff.Names, Compact: true}))
	if cut, _, ok := strings.Cut(text, `,"diagnostics":`); ok {
		return cut + "}"
	}
	return text
}

// fields returns a record's fields as name=json, in order.
func fields(t testing.TB, snap *snapshot.Snapshot, scope, id string) []string {
	t.Helper()
	i := snap.Find(scope, id)
	if i < 0 {
		t.Fatalf("no record %q in scope %q: %s", id, scope, capture.Append(nil, snap))
	}
	var list []string
	for name, v := range snap.Record(i).Fields() {
		list = append(list, name+"="+v.String())
	}
	return list
}

func ids(snap *snapshot.Snapshot) []string {
	var list []string
	for _, r := range snap.All() {
		list = append(list, r.Scope()+"/"+r.ID())
	}
	return list
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func codes(snap *snapshot.Snapshot) []string {
	var list []string
	for _, d := range snap.Diagnostics() {
		list = append(list, d.Code+" "+d.At)
	}
	return list
}

func TestC00(t *testing.T) {
	for _, side := range []string{"before", "after"} {
		page := decode(t, load(t, "C00/"+side+".html"), nil)
		var dec capture.Decoder
		json, err := dec.Decode(load(t, "C00/"+side+".json"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if page.Digest() != json.Digest() {
			t.Errorf("%s: the page exposes\n%s\nthe capture\n%s", side, capture.Append(nil, page), capture.Append(nil, json))
		}
		if len(page.Diagnostics()) > 0 {
			t.Errorf("%s: %v", side, page.Diagnostics())
		}
	}
	got := evidence(decode(t, load(t, "C00/before.html"), nil), decode(t, load(t, "C00/after.html"), nil))
	want := `{"observed":true,"records":{"updated":[{"id":"t1","fields":["status"]},{"id":"t2","fields":["status"]}]},"actions":{"updated":[{"id":"complete_open_tasks","fields":["available"]}]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestC26(t *testing.T) {
	page := decode(t, load(t, "C26/page.html"), nil)
	equal(t, "fields", fields(t, page, "notes", "n1"), []string{
		`br="Line one\nLine two"`, `paras="First\n\nSecond"`, `inline="foobar"`, `wrapped="several words here"`,
		`pre="a\n  b   c"`, "nbsp=\"10\u00A0km\"", `list="red\ngreen"`, `empty=""`,
	})
	again := decode(t, load(t, "C26/page-reindented.html"), nil)
	if page.Digest() != again.Digest() {
		t.Errorf("another indentation is another content: %s", evidence(page, again))
	}
}

func TestC28(t *testing.T) {
	page := decode(t, load(t, "C28/page.html"), nil)
	equal(t, "records", ids(page), []string{"items/visible", "items/class-none", "items/aria-hidden", "items/price"})
	equal(t, "price", fields(t, page, "items", "price"), []string{`t="$9"`})
	equal(t, "diagnostics", codes(page), nil)
	if page.Scope("more") >= 0 || page.Scope("dlg") >= 0 {
		t.Error("a scope that is hidden is exposed")
	}
}

func TestC29(t *testing.T) {
	page := decode(t, load(t, "C29/page.html"), nil)
	equal(t, "fields", fields(t, page, "form", "me"), []string{
		`name="old name"`, `news=false`, `tos=true`, `half=false`, `plan="free"`, `city=""`, `langs=["no","da"]`,
		`bio="old bio"`, `memo="old memo"`, `qty=2`, `sum="4"`, `bar=3`,
	})
}

func TestC30(t *testing.T) {
	page := decode(t, load(t, "C30/page.html"), nil)
	equal(t, "fields", fields(t, page, "login", "f"), []string{
		`user="kari"`, `pass="[masked]"`, `otp="[masked]"`, `card="[masked]"`, `newpass="[masked]"`, `hint="shown"`,
	})
	for _, opts := range []*html.Options{nil, {Infer: true}} {
		page := decode(t, load(t, "C30/page.html"), opts)
		out := capture.Append(nil, page)
		for _, d := range page.Diagnostics() {
			out = append(out, d.At+d.Message...)
		}
		if bytes.Contains(out, []byte("SECRET")) {
			t.Errorf("a secret is exposed: %s", out)
		}
		if bytes.Contains(page.Table().Row(0), []byte("SECRET")) {
			t.Error("a secret is held")
		}
	}
	emptied := decode(t, bytes.ReplaceAll(load(t, "C30/page.html"), []byte("SECRET-ALPHA-1"), nil), nil)
	if got := evidence(page, emptied); !strings.Contains(got, `"fields":["pass"]`) {
		t.Errorf("emptied password: %s", got)
	}
	other := decode(t, bytes.ReplaceAll(load(t, "C30/page.html"), []byte("SECRET-ALPHA-1"), []byte("X")), nil)
	if page.Digest() != other.Digest() {
		t.Error("between files masked values are equal")
	}
}

// TestC30Inferred reads the same page without its annotations.
func TestC30Inferred(t *testing.T) {
	text := strings.NewReplacer("data-agent-field", "name", "data-agent-scope", "id", "data-agent-record", "class", "data-agent-action", "id").
		Replace(string(load(t, "C30/page.html")))
	page := decode(t, []byte(text), nil)
	out := string(capture.Append(nil, page))
	if strings.Contains(out, "SECRET") || !strings.Contains(out, `"[masked]"`) {
		t.Errorf("got %s", out)
	}
}

func TestC32(t *testing.T) {
	before := decode(t, load(t, "C32/page.html"), nil)
	equal(t, "records", ids(before), []string{"threads/t1", "replies/r1", "replies/r2", "reactions/t1"})
	equal(t, "thread", fields(t, before, "threads", "t1"), []string{`name="Broken kiln"`, `count="2"`})
	equal(t, "r1", fields(t, before, "replies", "r1"), []string{`name="Ida"`, `text="Check the fuse"`})
	equal(t, "r2", fields(t, before, "replies", "r2"), []string{`name="Lars"`, `text="Did that"`})
	equal(t, "reaction", fields(t, before, "reactions", "t1"), []string{`name="heart"`})
	got := evidence(before, decode(t, load(t, "C32/after.html"), nil))
	want := `{"observed":true,"records":{"updated":[{"id":"r1","scope":"replies","fields":["name"]}]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func availability(snap *snapshot.Snapshot) map[string]string {
	m := map[string]string{}
	for i := range snap.Actions() {
		a := snap.Action(i)
		m[a.ID] = a.Reason
		if a.Unavailable && a.Reason == "" {
			m[a.ID] = "unavailable without a reason"
		}
	}
	return m
}

func TestC34(t *testing.T) {
	text := load(t, "C34/page.html")
	page := decode(t, text, nil)
	want := map[string]string{
		"help": "", "plain": "", "link": "", "pick-date": "", "aria-false": "",
		"save": exposure.ReasonFieldset, "deep": exposure.ReasonFieldset, "off": "Choose a size first",
		"aria": exposure.ReasonAriaDisabled, "aria-parent": exposure.ReasonAriaDisabled, "inert": exposure.ReasonInert,
		"opt-off": exposure.ReasonDisabled, "opt-group": exposure.ReasonGroup,
	}
	got := availability(page)
	for id, reason := range want {
		if r, ok := got[id]; !ok || r != reason {
			t.Errorf("%s: got %q (%v), want %q", id, r, ok, reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d actions, want %d", len(got), len(want))
	}
	for _, flip := range []struct{ from, to, id string }{
		{`>Plain<`, ` disabled>Plain<`, "plain"},
		{`aria-disabled="false"`, `aria-disabled="true"`, "aria-false"},
		{`<div inert>`, `<div>`, "inert"},
		{`<div aria-disabled="true">`, `<div>`, "aria-parent"},
		{`"off" disabled`, `"off"`, "off"},
		{`"opt-off" disabled`, `"opt-off"`, "opt-off"},
	} {
		if !bytes.Contains(text, []byte(flip.from)) {
			t.Fatalf("nothing to flip: %s", flip.from)
		}
		after := decode(t, bytes.Replace(text, []byte(flip.from), []byte(flip.to), 1), nil)
		want := `{"observed":true,"actions":{"updated":[{"id":"` + flip.id + `","fields":["available"]}]}}`
		if got := evidence(page, after); got != want {
			t.Errorf("%s: got %s, want %s", flip.id, got, want)
		}
	}
}

func TestC36(t *testing.T) {
	clean, hostile := decode(t, load(t, "C36/clean.html"), nil), decode(t, load(t, "C36/hostile.html"), nil)
	if clean.Digest() != hostile.Digest() {
		t.Error(evidence(clean, hostile))
	}
	equal(t, "records", ids(clean), []string{"todo/t1", "todo/t2"})
	equal(t, "t1", fields(t, clean, "todo", "t1"), []string{`title="Wash jars"`})
}
