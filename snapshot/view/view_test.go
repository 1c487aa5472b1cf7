package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
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

// A chooser takes decisions from bytes, so that fuzzing steers them.
type chooser struct{ data []byte }

func (c *chooser) n(most int) int {
	if len(c.data) == 0 || most <= 0 {
		return 0
	}
	n := int(c.data[0])
	if len(c.data) > 1 {
		n = n<<8 | int(c.data[1])
		c.data = c.data[1:]
	}
	c.data = c.data[1:]
	return n % (most + 1)
}

var words = []string{"open", "", "a", "Review the launch checklist", "omitted", "x\nscope y records 9", "\x1b[2J\u202e", `"…(9 B)`,
	"e\u0301\u200d", "\xff\xf5\x80\x80", "把所有未完成待办标记为已完成", "\U000e0041", " ", "| a | b", "{record}"}

func (c *chooser) text() string {
	s := words[c.n(len(words)-1)]
	switch c.n(30) {
	case 0:
		s = strings.Repeat(s+"z", 1+c.n(3000))
	case 1, 2:
		s = strings.Repeat(s+" ", 1+c.n(20))
	}
	return s
}

func (c *chooser) json() string {
	switch c.n(9) {
	case 0:
		return "null"
	case 1:
		return strings.Repeat("7", 1+c.n(300))
	case 2:
		return `{"head":"x","bytes":9}`
	case 3:
		return "[" + strings.Repeat(`{"a":["\u202e\ud800x"]},`, c.n(200)) + "1]"
	case 4:
		return "[]"
	case 5:
		n := 1 + c.n(100)
		return strings.Repeat("[", n) + "true" + strings.Repeat("]", n)
	}
	return "false"
}

// hostile makes a snapshot.
func (c *chooser) hostile() *snapshot.Snapshot {
	var b snapshot.Builder
	if c.n(3) == 0 {
		b.Page(snapshot.Page{URL: c.text(), Title: c.text()})
	}
	if c.n(7) == 0 {
		b.View(snapshot.View{Limit: int64(c.n(9)), Scopes: make([]string, c.n(40))})
	}
	if c.n(4) == 0 {
		b.Limits.MaxTracked = 1 + c.n(30)
	}
	scopes := 1 + c.n(4)
	if c.n(9) == 0 {
		scopes = 1 + c.n(3000)
	}
	id := func(kind string, n int) string {
		s := kind + strconv.Itoa(n)
		if c.n(12) == 0 {
			s += c.text()
		}
		return s
	}
	var recs [][2]string
	for n := range scopes {
		s := snapshot.Scope{ID: id("s", n)}
		if c.n(2) > 0 {
			s.Label, s.Description, s.Role = c.text(), c.text(), c.text()
			s.State = snapshot.State([]string{"", "active", "covered", "omitted", "x\n"}[c.n(4)])
			if c.n(3) == 0 {
				total := int64(c.n(60000))
				s.Total, s.Offset = &total, &total
			}
			b.Scope(s)
		}
		size := c.n(8)
		if c.n(6) == 0 {
			size = c.n(900)
		}
		wide := c.n(5)
		if c.n(30) == 0 {
			wide = c.n(400)
		}
		for k := range size / (1 + scopes/100) {
			r := id("r", k)
			recs = append(recs, [2]string{s.ID, r})
			row := b.Record(s.ID, r)
			for f := range wide {
				name := "f" + strconv.Itoa(f)
				switch c.n(8) {
				case 0:
				case 1:
					row.JSON(name, []byte(c.json()))
				case 2:
					row.Masked(name, c.text())
				case 3:
					if c.n(20) == 0 {
						row.String(name+c.text()+"!", "v")
					}
				default:
					row.String(name, c.text())
				}
			}
			row.End()
		}
	}
	actions := c.n(10)
	if c.n(9) == 0 {
		actions = c.n(2000)
	}
	for n := range actions {
		b.Action(c.action(id("do", n), "", ""))
	}
	reasons := 1 + c.n(5)
	for k := range c.n(3) {
		for i, r := range recs {
			if c.n(20) == 1 {
				continue
			}
			if c.n(40) == 1 {
				r[1] += "-gone" // an action of no record, so that "all" would be wrong
			}
			a := c.action(fmt.Sprintf("t%d@%s", k, r[1]), r[0], r[1])
			a.Kind, a.Params = "write", records.Value{}
			a.Unavailable, a.Reason = i%reasons > 0, strconv.Itoa(i%reasons)
			b.Action(a)
		}
	}
	for range c.n(3) {
		b.Diagnose("some-code", c.text(), c.text())
	}
	snap, err := b.Snapshot()
	if err != nil {
		return nil // such as a field that is set twice
	}
	return snap
}

func (c *chooser) action(id, scope, record string) snapshot.Action {
	a := snapshot.Action{ID: id, Scope: scope, Record: record, Description: c.text(),
		Kind: []string{"", "read", "write", "all"}[c.n(3)], Primitive: []string{"click", "call", ""}[c.n(2)]}
	if a.Unavailable = c.n(3) == 0; a.Unavailable {
		a.Reason = c.text()
	}
	switch c.n(5) {
	case 0:
		enc, err := records.ParseValue(nil, []byte(`{"type":"object","properties":{"b":{"type":"string"},"a":{"enum":[1,"x",null]}},"required":["b"]}`))
		if err == nil {
			a.Params = records.RawValue(enc)
		}
	case 1:
		if enc, err := records.ParseValue(nil, []byte(c.json())); err == nil {
			a.Params = records.RawValue(enc)
		}
	}
	return a
}

func checkSnapshot(t *testing.T, snap *snapshot.Snapshot, budget int) {
	t.Helper()
	opts := &Options{Budget: budget}
	budget = opts.budget()
	text := AppendText([]byte("x"), snap, opts)
	checkTextForm(t, snap, text[1:], budget)
	line := AppendJSON([]byte("x"), snap, opts)
	checkJSONForm(t, snap, line[1:], budget)
	if text[0] != 'x' || string(AppendText([]byte("x"), snap, opts)) != string(text) || string(AppendJSON([]byte("x"), snap, opts)) != string(line) {
		t.Fatal("the output is not a function of its input")
	}
}

func TestHostileSnapshots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	made := 0
	for range 400 {
		data := make([]byte, r.IntN(4000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		snap := (&chooser{data}).hostile()
		if snap == nil {
			continue
		}
		made++
		for _, budget := range []int{MinBudget, MinBudget + r.IntN(300), 300 + r.IntN(3000), 20000 - r.IntN(12000)} {
			checkSnapshot(t, snap, budget)
		}
		checkWhole(t, snap)
	}
	if made < 200 {
		t.Fatalf("only %d snapshots could be made", made)
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

// FuzzView holds the laws of both forms over snapshots that the input makes.
func FuzzView(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	f.Add([]byte{}, 0)
	for range 20 {
		data := make([]byte, 300+r.IntN(2000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data, r.IntN(20000))
	}
	f.Fuzz(func(t *testing.T, data []byte, budget int) {
		if snap := (&chooser{data}).hostile(); snap != nil {
			checkSnapshot(t, snap, MinBudget+int(uint(budget)%20000))
		}
	})
}

func TestExtremes(t *testing.T) {
	build := func(fill func(b *snapshot.Builder)) *snapshot.Snapshot {
		var b snapshot.Builder
		fill(&b)
		snap, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	huge := strings.Repeat("\u202e", 1<<19)
	for _, c := range []struct {
		name, why string
		fill      func(b *snapshot.Builder)
	}{
		{"nothing", "an empty snapshot says so", func(*snapshot.Builder) {}},
		{"long-ids", "1 MB ids everywhere", func(b *snapshot.Builder) {
			b.Page(snapshot.Page{URL: huge, Title: huge})
			b.View(snapshot.View{Scopes: []string{huge, huge}})
			b.Scope(snapshot.Scope{ID: huge, Label: huge, Description: huge, Role: huge, State: snapshot.State(huge)})
			row := b.Record(huge, huge)
			row.String(huge, huge)
			row.End()
			b.Action(snapshot.Action{ID: huge, Description: huge, Kind: huge, Unavailable: true, Reason: huge})
			b.Action(snapshot.Action{ID: huge + "@" + huge, Description: huge, Scope: huge, Record: huge})
			b.Diagnose(huge, huge, huge)
		}},
		{"huge-field", "64 MiB in one cell", func(b *snapshot.Builder) {
			row := b.Record("s", "r")
			row.String("v", strings.Repeat("x", 64<<20))
			row.End()
		}},
		{"scopes", "thousands of scopes", func(b *snapshot.Builder) {
			for n := range 5000 {
				b.Scope(snapshot.Scope{ID: fmt.Sprint("s", n), Label: "L", Description: strings.Repeat("d", 100)})
				row := b.Record(fmt.Sprint("s", n), "r")
				row.Int("v", 1)
				row.End()
			}
			b.Action(snapshot.Action{ID: "do", Description: "Do it."})
		}},
		{"fields", "each record with names of its own", func(b *snapshot.Builder) {
			for n := range 3000 {
				row := b.Record("s", fmt.Sprint("r", n))
				for k := range 5 {
					row.Int(fmt.Sprint("f", n, "-", k), 1)
				}
				row.End()
			}
		}},
		{"reasons", "each action with a reason of its own", func(b *snapshot.Builder) {
			for n := range 3000 {
				id := fmt.Sprint("r", n)
				b.Record("s", id).End()
				b.Action(snapshot.Action{ID: "do@" + id, Scope: "s", Record: id, Unavailable: true, Reason: id})
			}
		}},
		{"untracked", "most numbers are at their longest", func(b *snapshot.Builder) {
			b.Limits.MaxTracked = 1
			for n := range 3000 {
				b.Record("s", fmt.Sprint("r", n)).End()
			}
			most := int64(-1 << 63)
			b.Scope(snapshot.Scope{ID: "s", Total: &most, Offset: &most})
		}},
	} {
		t.Run("name="+c.name, func(t *testing.T) {
			snap := build(c.fill)
			for _, budget := range []int{MinBudget, 300, 777, 8000, 20000} {
				checkSnapshot(t, snap, budget)
			}
		})
	}
}

// TestActionsAreNotStarved holds that records never crowd out actions, nor one
// scope another.
func TestActionsAreNotStarved(t *testing.T) {
	var b snapshot.Builder
	for _, scope := range []string{"big", "small"} {
		size := map[string]int{"big": 5000, "small": 6}[scope]
		for n := range size {
			id := fmt.Sprint("r", n)
			row := b.Record(scope, id)
			row.String("text", strings.Repeat("long ", 40))
			row.End()
			b.Action(snapshot.Action{ID: "open@" + scope + "/" + id, Scope: scope, Record: id, Description: "Open it."})
		}
	}
	for n := range 20 {
		b.Action(snapshot.Action{ID: fmt.Sprint("tool_", n), Primitive: "call", Description: strings.Repeat("Explains ", 30)})
	}
	snap, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{2500, 4000, 8000} {
		s := checkJSONForm(t, snap, AppendJSON(nil, snap, &Options{Budget: budget}), budget)
		if *s.Omitted.Actions > 0 {
			t.Errorf("budget %d: %d actions are omitted", budget, *s.Omitted.Actions)
		}
		if len(s.Scopes) != 2 || len(s.Scopes[1].Rows) < 5 || len(s.Scopes[0].Rows) < 5 {
			t.Errorf("budget %d: a scope has no rows", budget)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		opts *Options
		want error
	}{{nil, nil}, {&Options{}, nil}, {&Options{Budget: 256}, nil}, {&Options{Budget: 255}, ErrBudget}, {&Options{Budget: -1}, ErrBudget}} {
		if err := c.opts.Check(); !errors.Is(err, c.want) {
			t.Errorf("Check(%v) = %v", c.opts, err)
		}
	}
	if (&Options{Budget: 3}).budget() != MinBudget || (*Options)(nil).budget() != DefaultBudget {
		t.Error("budgets are not adjusted as documented")
	}
}

func TestFair(t *testing.T) {
	for _, c := range []struct {
		why         string
		total       int
		needs, want [kinds]int
	}{
		{"what one does not need goes to the others", 100, [kinds]int{10, 1000, 0, 1000}, [kinds]int{10, 45, 0, 45}},
		{"all are met", 100, [kinds]int{10, 20, 30, 40}, [kinds]int{10, 20, 30, 40}},
		{"by weight", 100, [kinds]int{1000, 1000, 1000, 1000}, [kinds]int{30, 30, 10, 30}},
		{"nothing", 0, [kinds]int{1, 1, 1, 1}, [kinds]int{}},
	} {
		if got := fair(c.total, c.needs, [kinds]int{3, 3, 1, 3}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}
