package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

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
