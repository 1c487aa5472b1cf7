package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

// A grid is a table with its spans laid out.
type grid struct {
	names    []string          // of the columns, from their headers
	rows     map[*node][]*node // cells by column, repeated where they span
	order    []*node           // the rows that hold data
	heads    [][]*node         // header cells by column
	headRows int
	pairs    bool // every row is one header and one value
	told     bool // that text has no header
}

// Bounds of spans, which are HTML's own.
const (
	maxColspan = 1000
	maxRowspan = 65534
	maxColumns = 10_000
)

func isTable(n *node) bool {
	if n.tag == atom.Table {
		return true
	}
	switch n.role() {
	case "table", "grid", "treegrid":
		return true
	}
	return false
}

func isRow(n *node) bool { return n.tag == atom.Tr || n.role() == "row" }

func isCell(n *node) bool {
	switch n.role() {
	case "cell", "gridcell", "columnheader", "rowheader":
		return true
	}
	return n.tag == atom.Td || n.tag == atom.Th
}

// isHeadCell reports whether n heads its column or its row.
func isHeadCell(n *node) bool {
	switch n.role() {
	case "columnheader", "rowheader":
		return true
	}
	return n.tag == atom.Th
}

func isRowHead(n *node) bool {
	s := strings.ToLower(n.attr("scope"))
	return n.role() == "rowheader" || n.tag == atom.Th && (s == "row" || s == "rowgroup")
}

// tableOf returns the table around a row or cell, nil if there is none.
func tableOf(n *node) *node {
	for p := n.parent; p != nil; p = p.parent {
		if isTable(p) {
			return p
		}
	}
	return nil
}

// grid returns the layout of a table.
func (d *decoder) grid(t *node) *grid {
	if g := d.grids[t]; g != nil {
		return g
	}
	g := &grid{rows: map[*node][]*node{}}
	if d.grids == nil {
		d.grids = map[*node]*grid{}
	}
	d.grids[t] = g
	var rows []*node
	collect(t, isRow, &rows)
	var (
		down  []spanning // by column
		group *node
		body  bool // a row with data was seen
	)
	ends := groupEnds(rows)
	for i, row := range rows {
		if row.parent != group {
			group, down = row.parent, down[:0]
		}
		var cells []*node
		collect(row, isCell, &cells)
		slots := d.layOut(cells, &down, ends[i])
		if d.err != nil {
			return g
		}
		if isHeadRow(row, cells, body) {
			g.headRows++
			if len(cells) > 1 || len(slots) == 1 {
				for c, cl := range slots {
					for len(g.heads) <= c {
						g.heads = append(g.heads, nil)
					}
					if cl != nil {
						g.heads[c] = append(g.heads[c], cl)
					}
				}
			}
			continue
		}
		body = true
		g.rows[row] = slots
		g.order = append(g.order, row)
	}
	for _, cells := range g.heads {
		g.names = append(g.names, d.headName(cells))
	}
	g.pairs = true
	for _, row := range g.order {
		s := g.rows[row]
		g.pairs = g.pairs && len(s) == 2 && s[0] != nil && s[1] != nil && isHeadCell(s[0]) && !isHeadCell(s[1])
	}
	return g
}

// collect adds the nodes below n that is holds for and that can be seen, without
// looking into them or into other tables.
func collect(n *node, is func(*node) bool, list *[]*node) {
	for _, c := range n.kids {
		switch {
		case c.flag&(isText|isHidden|isIgnored) != 0:
		case is(c):
			*list = append(*list, c)
		case !isTable(c):
			collect(c, is, list)
		}
	}
}

// groupEnds returns for each row how many rows of its group follow, itself
// included.
func groupEnds(rows []*node) []int {
	ends := make([]int, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		ends[i] = 1
		if i+1 < len(rows) && rows[i+1].parent == rows[i].parent {
			ends[i] = ends[i+1] + 1
		}
	}
	return ends
}

// A spanning is a cell that reaches into the rows below.
type spanning struct {
	cell *node
	rows int // left
}

// layOut puts the cells of one row into its columns. left is the number of rows
// until the end of its group.
func (d *decoder) layOut(cells []*node, down *[]spanning, left int) (slots []*node) {
	put := func(c *node) {
		if d.spend(1); len(slots) < maxColumns {
			slots = append(slots, c)
		}
	}
	above := func() {
		for at := len(slots); at < len(*down) && (*down)[at].rows > 0; at = len(slots) {
			(*down)[at].rows--
			put((*down)[at].cell)
		}
	}
	for _, c := range cells {
		above()
		if v := c.attr("aria-colindex"); v != "" {
			for i, _ := strconv.Atoi(v); len(slots) < min(i-1, maxColumns); {
				put(nil)
			}
		}
		cols := span(c, "colspan", maxColspan)
		rows := span(c, "rowspan", maxRowspan)
		if rows == 0 || rows > left {
			rows = left
		}
		for range max(cols, 1) {
			at := len(slots)
			put(c)
			if at >= maxColumns || d.err != nil {
				return slots
			}
			for len(*down) <= at {
				*down = append(*down, spanning{})
			}
			(*down)[at] = spanning{c, rows - 1}
		}
	}
	above()
	// A gap, where nothing is, before cells that still reach down.
	for at := len(slots); at < len(*down); at++ {
		if (*down)[at].rows > 0 {
			for len(slots) < at {
				put(nil)
			}
			(*down)[at].rows--
			put((*down)[at].cell)
		}
	}
	return slots
}

func span(n *node, name string, limit int) int {
	v, ok := n.lookup(name)
	if !ok && n.role() != "" {
		v, ok = n.lookup("aria-" + name)
	}
	if !ok {
		return 1
	}
	i, err := strconv.Atoi(strings.Trim(v, blanks))
	if err != nil || i < 0 {
		return 1
	}
	return min(i, limit)
}

// isHeadRow reports whether a row names the columns: it is in a thead and has
// header cells, or has nothing else and no data above.
func isHeadRow(row *node, cells []*node, body bool) bool {
	if len(cells) == 0 || row.has("data-agent-record") {
		return false
	}
	heads, all := false, true
	for _, c := range cells {
		if isHeadCell(c) && !isRowHead(c) {
			heads = true
		} else {
			all = false
		}
	}
	return heads && (row.parent.tag == atom.Thead || all && !body)
}

// headName joins what the headers of one column say, from top to bottom.
func (d *decoder) headName(cells []*node) string {
	var parts []string
	for i, c := range cells {
		if i > 0 && c == cells[i-1] {
			continue // it spans rows
		}
		s := d.label(c)
		if s == "" && c.is(isSensitive) {
			s = records.MaskedText // the column stays
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// columns returns the fields of an annotated row that declares none: one for
// each column that has a header.
func (d *decoder) columns(row *node) (fields []field) {
	if !isRow(row) {
		return nil
	}
	t := tableOf(row)
	if t == nil {
		return nil
	}
	g := d.grid(t)
	for c, cl := range g.rows[row] {
		if cl == nil || !cl.shown() || len(g.names) == 0 {
			continue
		}
		name := ""
		if c < len(g.names) {
			name = g.names[c]
		}
		if name == "" && isHeadCell(cl) {
			name = rowHeading
		}
		if name != "" {
			fields = append(fields, field{name: name, value: d.heldValue(nil, cl)})
		} else if !g.told && !cl.is(isAnnotated|holdsAnnotated) && !holdsButton(cl) && d.text(cl) != "" {
			g.told = true
			d.b.Diagnose(exposure.CodeStrayField, t.name(), "a cell of an annotated row has text but no header, and is left out")
		}
	}
	return fields
}

// rowHeading names the field of a row header whose column has no header.
const rowHeading = "heading"

// columnName returns the header of the column that a cell, or what is in one, is
// in.
func (d *decoder) columnName(n *node) string {
	for n != nil && !isCell(n) {
		n = n.parent
	}
	if n == nil {
		return ""
	}
	t := tableOf(n)
	if t == nil {
		return ""
	}
	g := d.grid(t)
	row := n
	for row != nil && row != t && !isRow(row) {
		row = row.parent
	}
	for c, cl := range g.rows[row] {
		if cl == n && c < len(g.names) {
			return g.names[c]
		}
	}
	return ""
}

// heldValue appends the value of a field or a table cell: that of the only control
// in it if it has no text.
func (d *decoder) heldValue(dst []byte, n *node) []byte {
	if len(n.kids) > 0 && !isControl(n) && !n.has("data-agent-value") && d.radiosIn(n) == nil {
		if c := d.onlyControl(n); c != nil && d.text(n) == "" {
			return d.appendValue(dst, c)
		}
	}
	return d.appendValue(dst, n)
}

// onlyControl returns the control in n if there is exactly one, those of fields,
// records and scopes inside left out.
func (d *decoder) onlyControl(n *node) *node {
	var found *node
	count := 0
	var walk func(*node)
	walk = func(m *node) {
		for _, c := range m.kids {
			d.spend(1)
			if c.is(isText) || !c.shown() || count > 1 || c.has("data-agent-field") || c.has("data-agent-record") || c.has("data-agent-scope") {
				continue
			}
			if isControl(c) {
				found = c
				count++
			} else {
				walk(c)
			}
		}
	}
	walk(n)
	if count != 1 {
		return nil
	}
	return found
}

func isEmptyText(v records.Value) bool { return v.Kind() == records.String && len(v.Text()) == 0 }
