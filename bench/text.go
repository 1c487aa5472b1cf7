package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A row is one case as it is printed.
type row []string

// heads are the columns; the last three are there with a baseline only.
var heads = row{"case", "ns/record", "x reference", "spread", "allocs", "alloc bytes", "evidence", "baseline", "change", "p"}

func (r *Result) row(c *Comparison) row {
	f := &r.Figures
	cells := row{r.Name, "-", "-", "-", strconv.FormatInt(f.Allocs, 10), strconv.FormatInt(f.AllocBytes, 10), strconv.FormatInt(f.Evidence, 10)}
	if r.Timed() {
		ratio, spread := r.Ratio()
		cells[1], cells[2], cells[3] = digits(r.PerRecord()), digits(ratio), "±∞"
		if !math.IsInf(spread, 0) {
			cells[3] = fmt.Sprintf("±%.0f%%", 100*spread)
		}
	}
	switch {
	case c == nil:
	case c.New:
		cells = append(cells, "none", "", "")
	case c.Time == nil:
		cells = append(cells, "-", "-", "-")
	default:
		cells = append(cells, digits(c.Time.Before), percent(c.Time.Part()), fmt.Sprintf("%.3f", c.Time.P))
	}
	return cells
}

// digits returns x with three significant digits, without an exponent.
func digits(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

func percent(part float64) string { return fmt.Sprintf("%+.1f%%", 100*part) }

// table returns the rows, heads first. comparisons is nil or as long as the
// results.
func (r *Report) table(comparisons []Comparison) []row {
	rows := []row{heads}
	if comparisons == nil {
		rows[0] = heads[:7]
	}
	for i := range r.Results {
		var c *Comparison
		if comparisons != nil {
			c = &comparisons[i]
		}
		rows = append(rows, r.Results[i].row(c))
	}
	return rows
}

// explanation says what the columns mean.
const explanation = `Time is the median, as a multiple of a plain reference measured in turn with it: for
compare and build a differ of texts with an index, for file a scan of both files.`

// findings returns a line for each thing that is not as in the baseline, the
// regressions first, and one that sums up.
func findings(before *Report, comparisons []Comparison, rules *Rules) []string {
	var worse, other []string
	regressed, found := 0, 0
	for i := range comparisons {
		c := &comparisons[i]
		if !c.New {
			found++
		}
		if c.Regressed(rules) {
			regressed++
		}
		changes := c.Exact
		if c.Time != nil {
			changes = append([]Change{*c.Time}, changes...)
		}
		for _, x := range changes {
			line := fmt.Sprintf("%s: %s %s: %.0f -> %.0f", c.Name, x.Figure, x.Verdict, x.Before, x.After)
			timed := x.Figure == "time"
			if timed {
				line = fmt.Sprintf("%s: time %s by %s (p %.4f)", c.Name, x.Verdict, percent(x.Part()), x.P)
				if rules.exactOnly() {
					line += ", not judged"
				}
			}
			switch {
			case x.Verdict == Same:
			case x.Verdict == Better || x.Verdict == Unjudged || timed && rules.exactOnly():
				other = append(other, line)
			default:
				worse = append(worse, line)
			}
		}
	}
	sum := fmt.Sprintf("%d of %d cases regressed", regressed, found)
	if missing := len(before.Results) - found; missing > 0 {
		sum += fmt.Sprintf("; not measured: %d of the baseline", missing)
	}
	if added := len(comparisons) - found; added > 0 {
		sum += fmt.Sprintf("; not in it: %d", added)
	}
	return append(append(worse, other...), sum)
}

// AppendText appends the report as a table for a terminal, and what it says of
// the baseline before, which may be nil.
func AppendText(dst []byte, before, r *Report, rules *Rules) []byte {
	comparisons := comparisonsOf(before, r, rules)
	dst = append(append(dst, r.Machine.String()...), '\n')
	dst = append(append(dst, explanation...), "\n\n"...)
	rows := r.table(comparisons)
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range rows {
		var line strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		dst = append(append(dst, strings.TrimRight(line.String(), " ")...), '\n')
	}
	if before != nil {
		dst = append(dst, '\n')
		for _, line := range findings(before, comparisons, rules) {
			dst = append(append(dst, line...), '\n')
		}
	}
	return dst
}

// AppendMarkdown is AppendText as Markdown.
func AppendMarkdown(dst []byte, before, r *Report, rules *Rules) []byte {
	comparisons := comparisonsOf(before, r, rules)
	dst = append(append(dst, markdownText(r.Machine.String())...), ".\n"...)
	dst = append(append(dst, explanation...), "\n\n"...)
	for n, cells := range r.table(comparisons) {
		for _, cell := range cells {
			dst = append(append(append(dst, "| "...), markdownText(cell)...), ' ')
		}
		dst = append(dst, "|\n"...)
		if n == 0 {
			dst = append(append(dst, "| --- |"...), strings.Repeat(" ---: |", len(cells)-1)+"\n"...)
		}
	}
	if before != nil {
		dst = append(dst, '\n')
		for _, line := range findings(before, comparisons, rules) {
			dst = append(append(append(dst, "- "...), markdownText(line)...), '\n')
		}
	}
	return dst
}

// markdownText escapes what means something in a cell.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(s)
}

func comparisonsOf(before, after *Report, rules *Rules) []Comparison {
	if before == nil {
		return nil
	}
	return Compare(before, after, rules)
}
