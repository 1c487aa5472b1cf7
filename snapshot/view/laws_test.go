package view

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// shown is what the JSON form holds, read strictly.
type shown struct {
	Page, View json.RawMessage
	Scopes     []struct {
		ID                       string
		IDBytes                  int
		Label, Description, Role string
		LabelBytes, RoleBytes    int
		DescriptionBytes         int
		State                    string
		StateBytes               int
		Brief                    bool
		Total                    *int64
		Offset, Untracked        int64
		Partial                  bool
		Fields                   []string
		FieldsCut                [][2]int
		FieldsOmitted            int
		Rows                     [][]json.RawMessage
		Omitted                  *int64
		Cut                      [][]any
		Absent                   [][2]int
		Actions                  []shownAction
	}
	Actions []shownAction
	Omitted struct{ Scopes, Records, Actions *int64 }

	Diagnostics        []map[string]any
	DiagnosticsOmitted int
}

type shownAction struct {
	ID, Description, Kind     string
	IDBytes, DescriptionBytes int
	KindBytes, AvailableBytes int
	ParamsBytes               int
	Varies, Brief             bool
	Available                 any
	Params, Records           json.RawMessage
	Omitted                   *int64
	Scope, Record             string
	ScopeBytes, RecordBytes   int
}

// checkJSONForm holds the laws of the JSON form and returns what it says.
func checkJSONForm(t *testing.T, snap *snapshot.Snapshot, out []byte, budget int) *shown {
	t.Helper()
	if len(out) >= budget {
		t.Fatalf("%d bytes for a budget of %d and a line end:\n%s", len(out), budget, out)
	}
	checkPrintable(t, string(out))
	var s shown
	d := json.NewDecoder(strings.NewReader(string(out)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil || d.More() {
		t.Fatalf("%v:\n%s", err, out)
	}
	seen, acted := int64(0), int64(0)
	for n, sc := range s.Scopes {
		info := snap.Scopes()[n]
		if sc.Total == nil || *sc.Total != info.Extent() || sc.Omitted == nil || sc.Fields == nil || sc.Rows == nil {
			t.Fatalf("scope %d lacks something:\n%s", n, out)
		}
		if got := int64(len(sc.Rows)) + *sc.Omitted; got != info.Count() {
			t.Fatalf("scope %d: %d rows and %d omitted are not %d:\n%s", n, len(sc.Rows), *sc.Omitted, info.Count(), out)
		}
		seen += info.Count()
		for _, row := range sc.Rows {
			if len(row) != 1+len(sc.Fields) {
				t.Fatalf("scope %d: a row of %d for %d fields:\n%s", n, len(row), len(sc.Fields), out)
			}
		}
		for _, c := range sc.Cut {
			if cell := sc.Rows[int(c[0].(float64))][int(c[1].(float64))]; cell[0] != '"' || c[2].(float64) <= 0 {
				t.Fatalf("scope %d: cut %v is %s:\n%s", n, c, cell, out)
			}
		}
		for _, c := range sc.Absent {
			if cell := sc.Rows[c[0]][c[1]]; string(cell) != "null" {
				t.Fatalf("scope %d: absent %v is %s:\n%s", n, c, cell, out)
			}
		}
		for _, a := range sc.Actions {
			var ids []string
			switch err := json.Unmarshal(a.Records, &ids); {
			case string(a.Records) == `"all"` && a.Omitted == nil:
				acted += int64(info.Records)
			case err == nil && a.Omitted != nil:
				acted += int64(len(ids)) + *a.Omitted
			default:
				t.Fatalf("scope %d: action %s has records %s:\n%s", n, a.ID, a.Records, out)
			}
		}
	}
	if s.Scopes == nil || s.Actions == nil || s.Omitted.Scopes == nil || s.Omitted.Records == nil || s.Omitted.Actions == nil {
		t.Fatalf("something is missing:\n%s", out)
	}
	all := int64(snap.Len()) + snap.Untracked()
	if got := int64(len(s.Scopes)) + *s.Omitted.Scopes; got != int64(len(snap.Scopes())) {
		t.Fatalf("%d scopes are not %d:\n%s", got, len(snap.Scopes()), out)
	}
	if seen+*s.Omitted.Records != all {
		t.Fatalf("%d records are not %d:\n%s", seen+*s.Omitted.Records, all, out)
	}
	if got := acted + int64(len(s.Actions)) + *s.Omitted.Actions; got != int64(snap.Actions()) {
		t.Fatalf("%d actions are not %d:\n%s", got, snap.Actions(), out)
	}
	if got := len(s.Diagnostics) + s.DiagnosticsOmitted; got != len(snap.Diagnostics()) {
		t.Fatalf("%d diagnostics are not %d:\n%s", got, len(snap.Diagnostics()), out)
	}
	return &s
}

// checkTextForm holds the laws of the text form.
func checkTextForm(t *testing.T, snap *snapshot.Snapshot, out []byte, budget int) {
	t.Helper()
	if len(out) > budget {
		t.Fatalf("%d bytes for a budget of %d:\n%s", len(out), budget, out)
	}
	if len(out) == 0 || out[len(out)-1] != '\n' {
		t.Fatalf("the last line is not ended: %q", out)
	}
	var scopes, rows, omitted, hidden, actions, folded int64
	scope := -1
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		checkPrintable(t, line)
		head, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		indent := strings.HasPrefix(line, "  ")
		switch {
		case head == "scope" && !indent:
			scope++
			scopes++
		case head == "|" && indent:
			if rest != "id" && !strings.HasPrefix(rest, "id |") {
				rows++
			}
		case head == "about" && indent, head == "page", head == "view", head == "no", head == "diagnostic":
		case head == "action" && !indent:
			actions++
		case head == "action":
			_, on, ok := cutWord(rest, "on")
			if !ok {
				t.Fatalf("%q names no records", line)
			}
			folded += countOn(t, on, int64(snap.Scopes()[scope].Records))
		case head == "omitted" && indent:
			n, _, _ := strings.Cut(rest, " ")
			k, _ := strconv.ParseInt(n, 10, 64)
			omitted += k
		case head == "omitted":
			for item := range strings.SplitSeq(rest, ", ") {
				n, what, _ := strings.Cut(item, " ")
				k, _ := strconv.ParseInt(n, 10, 64)
				switch strings.TrimSuffix(what, "s") {
				case "scope":
					scopes += k
				case "record":
					hidden += k
				case "action":
					actions += k
				}
			}
		default:
			t.Fatalf("line %q does not begin with a word of ours:\n%s", line, out)
		}
	}
	if all := int64(snap.Len()) + snap.Untracked(); rows+omitted+hidden != all {
		t.Fatalf("%d rows, %d and %d omitted are not %d:\n%s", rows, omitted, hidden, all, out)
	}
	if scopes != int64(len(snap.Scopes())) || actions+folded != int64(snap.Actions()) {
		t.Fatalf("%d scopes, %d actions and %d folded are not %d, %d:\n%s",
			scopes, actions, folded, len(snap.Scopes()), snap.Actions(), out)
	}
}

// cutWord cuts line at a bare word.
func cutWord(line, word string) (before, after string, ok bool) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(line[i:], " "+word+" "):
			return line[:i], line[i+len(word)+2:], true
		}
	}
	return line, "", false
}

// countOn counts the records of "all", "7", or "a, b and 3 more".
func countOn(t *testing.T, on string, all int64) int64 {
	for _, word := range []string{"unavailable", "about", "params", "brief"} {
		on, _, _ = cutWord(on+" ", word)
	}
	on = strings.TrimSpace(on)
	if on == "all" {
		return all
	}
	n := int64(0)
	on, more, some := cutWord(on, "and")
	if some {
		n, _ = strconv.ParseInt(strings.TrimSuffix(more, " more"), 10, 64)
	} else if number, ok := strings.CutSuffix(on, " records"); ok {
		n, _ = strconv.ParseInt(number, 10, 64)
		return n
	}
	quoted := false
	n++
	for i := 0; i < len(on); i++ {
		switch {
		case on[i] == '\\' && quoted:
			i++
		case on[i] == '"':
			quoted = !quoted
		case !quoted && on[i] == ',':
			n++
		}
	}
	return n
}

func checkPrintable(t *testing.T, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q is not UTF-8", out)
	}
	for _, r := range out {
		if r < 0x20 || r == 0x7F || r >= 0x80 && records.Hidden(r) {
			t.Fatalf("%q has %U", out, r)
		}
	}
}

// checkWhole holds that with room enough nothing is left out or cut, and that
// cells and action ids are those of the snapshot.
func checkWhole(t *testing.T, snap *snapshot.Snapshot) {
	t.Helper()
	out := AppendJSON(nil, snap, &Options{Budget: 1 << 28})
	s := checkJSONForm(t, snap, out, 1<<28)
	if *s.Omitted.Scopes+*s.Omitted.Records+*s.Omitted.Actions > 0 {
		t.Fatalf("something is omitted:\n%s", out)
	}
	at := make([]int, len(s.Scopes))
	for i, rec := range snap.All() {
		n := snap.ScopeNumber(i)
		sc := &s.Scopes[n]
		row := sc.Rows[at[n]]
		at[n]++
		want := make([]string, len(row))
		for k := range want {
			want[k] = "null"
		}
		want[0] = string(records.AppendQuoted(nil, rec.ID()))
		for name, v := range rec.Fields() {
			want[1+slices.Index(sc.Fields, records.Text(name))] = v.String()
		}
		for k, cell := range row {
			if string(cell) != want[k] {
				t.Fatalf("record %d column %d is %s, want %s", i, k, cell, want[k])
			}
		}
	}
	var ids, want []string
	for n, sc := range s.Scopes {
		if sc.Cut != nil || sc.Brief || sc.FieldsOmitted > 0 || *sc.Omitted != snap.Scopes()[n].Untracked {
			t.Fatalf("scope %s is not whole:\n%s", sc.ID, out)
		}
		for _, a := range sc.Actions {
			var recs []string
			if string(a.Records) == `"all"` {
				for _, row := range sc.Rows {
					var id string
					_ = json.Unmarshal(row[0], &id)
					recs = append(recs, id)
				}
			} else if err := json.Unmarshal(a.Records, &recs); err != nil || *a.Omitted > 0 {
				t.Fatalf("action %s is not whole:\n%s", a.ID, out)
			}
			for _, r := range recs {
				ids = append(ids, strings.TrimSuffix(a.ID, placeholder)+r)
			}
		}
	}
	for _, a := range s.Actions {
		ids = append(ids, a.ID)
	}
	for i := range snap.Actions() {
		want = append(want, records.Text(snap.Action(i).ID))
	}
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Fatalf("action ids are\n%q, want\n%q", ids, want)
	}
}
