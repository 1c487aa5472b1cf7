package bench

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A series is one line of a plot. Points without a value are left out.
type series struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

// A panel is one plot.
type panel struct {
	title, xLabel, yLabel string
	series                []series
	logX, logY            bool
	ticks                 []string // of x = 0, 1, 2, ...; nil for numbers
}

// Sizes of a panel, in pixels.
const (
	panelWidth, panelHeight       = 620, 340
	marginLeft, marginRight       = 64, 200
	marginTop, marginBottom       = 34, 44
	legendLine                    = 15
	mostSeries, mostNameCharacter = 18, 30
)

// palette are colours that can be told apart, also by most who see fewer.
var palette = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#555555", "#999933"}

// AppendPlot appends an SVG image: for each operation the cost a record against
// the number of records, and the ratio to the reference over reports, earlier
// ones first, as a percentage of that of the first. names label the reports and
// the last one is r's.
func AppendPlot(dst []byte, history []*Report, names []string, r *Report) []byte {
	var panels []panel
	all := append(slices.Clone(history), r)
	for _, op := range operations(r) {
		if p := sizePanel(op, r); len(p.series) > 0 {
			panels = append(panels, p)
		}
		if p := historyPanel(op, all, names); len(history) > 0 && len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	columns := 1
	if len(history) > 0 {
		columns = 2
	}
	width, height := columns*panelWidth, (len(panels)+columns-1)/columns*panelHeight+30
	dst = fmt.Appendf(dst, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="11">`+"\n", width, height)
	dst = fmt.Appendf(dst, `<rect width="100%%" height="100%%" fill="white"/><text x="12" y="20" fill="#444">%s</text>`+"\n", html.EscapeString(r.Machine.String()))
	for i := range panels {
		dst = panels[i].append(dst, i%columns*panelWidth, 30+i/columns*panelHeight)
	}
	return append(dst, "</svg>\n"...)
}

// member returns the value of a name's member, and the name without it.
func member(name, key string) (value, rest string) {
	var others []string
	for _, m := range strings.Split(name, "/") {
		if v, ok := strings.CutPrefix(m, key+"="); ok && value == "" {
			value = v
		} else {
			others = append(others, m)
		}
	}
	return value, strings.Join(others, "/")
}

// label returns the values of a name's members.
func label(name string) string {
	var values []string
	for _, m := range strings.Split(name, "/") {
		_, v, _ := strings.Cut(m, "=")
		values = append(values, v)
	}
	return strings.Join(values, " ")
}

// operations returns the operations of a report in order.
func operations(r *Report) (list []string) {
	for i := range r.Results {
		if op, _ := member(r.Results[i].Name, "op"); !slices.Contains(list, op) {
			list = append(list, op)
		}
	}
	return list
}

// sizePanel shows cost against size.
func sizePanel(op string, r *Report) panel {
	p := panel{title: op + ": cost against size", xLabel: "records", yLabel: "ns/record", logX: true, logY: true}
	for i := range r.Results {
		res := &r.Results[i]
		own, rest := member(res.Name, "op")
		if own != op || !res.Timed() {
			continue
		}
		_, name := member(rest, "n")
		p.add(label(name), point{float64(max(1, res.Figures.Records)), res.PerRecord()})
	}
	return p
}

// historyPanel shows ratios over reports.
func historyPanel(op string, all []*Report, names []string) panel {
	p := panel{title: op + ": history", xLabel: "report", yLabel: "ratio, % of the first", ticks: names}
	first := map[string]float64{}
	for x, r := range all {
		for i := range r.Results {
			res := &r.Results[i]
			own, name := member(res.Name, "op")
			if own != op || !res.Timed() || all[len(all)-1].Find(res.Name) == nil {
				continue
			}
			ratio, _ := res.Ratio()
			if first[name] == 0 {
				first[name] = ratio
			}
			p.add(label(name), point{float64(x), 100 * ratio / first[name]})
		}
	}
	return p
}

func (p *panel) add(name string, at point) {
	for i := range p.series {
		if p.series[i].name == name {
			p.series[i].points = append(p.series[i].points, at)
			return
		}
	}
	p.series = append(p.series, series{name, []point{at}})
}

// bounds returns the least and largest value of one axis, apart from each other.
func (p *panel) bounds(of func(point) float64, log bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, at := range s.points {
			lo, hi = min(lo, of(at)), max(hi, of(at))
		}
	}
	if log {
		const room = 1.5
		return lo / room, hi * room
	}
	pad := max((hi-lo)*0.08, math.Abs(hi)*0.01, 0.5)
	return lo - pad, hi + pad
}

// append draws the panel with its upper left corner at left, top.
func (p *panel) append(dst []byte, left, top int) []byte {
	x0, x1 := float64(left+marginLeft), float64(left+panelWidth-marginRight)
	y0, y1 := float64(top+panelHeight-marginBottom), float64(top+marginTop)
	xLo, xHi := p.bounds(func(at point) float64 { return at.x }, p.logX)
	yLo, yHi := p.bounds(func(at point) float64 { return at.y }, p.logY)
	scale := func(v, lo, hi, from, to float64, log bool) float64 {
		if log {
			v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
		}
		return from + (v-lo)/(hi-lo)*(to-from)
	}
	x := func(v float64) float64 { return scale(v, xLo, xHi, x0, x1, p.logX) }
	y := func(v float64) float64 { return scale(v, yLo, yHi, y0, y1, p.logY) }
	text := func(at string, x, y float64, s string) {
		dst = fmt.Appendf(dst, `<text x="%.1f" y="%.1f" %s>%s</text>`+"\n", x, y, at, html.EscapeString(s))
	}
	text(`font-weight="bold"`, x0, y1-12, p.title)
	text(`text-anchor="middle"`, (x0+x1)/2, y0+34, p.xLabel)
	text(fmt.Sprintf(`text-anchor="middle" transform="rotate(-90 %.1f %.1f)"`, x0-48, (y0+y1)/2), x0-48, (y0+y1)/2, p.yLabel)
	for _, v := range ticksOf(yLo, yHi, p.logY) {
		dst = fmt.Appendf(dst, `<path d="M%.1f %.1fH%.1f" stroke="#ddd"/>`+"\n", x0, y(v), x1)
		text(`text-anchor="end" fill="#444"`, x0-6, y(v)+4, tick(v))
	}
	if p.ticks == nil {
		for _, v := range ticksOf(xLo, xHi, p.logX) {
			dst = fmt.Appendf(dst, `<path d="M%.1f %.1fV%.1f" stroke="#eee"/>`+"\n", x(v), y0, y1)
			text(`text-anchor="middle" fill="#444"`, x(v), y0+16, tick(v))
		}
	}
	for i, name := range p.ticks {
		text(`text-anchor="middle" fill="#444"`, x(float64(i)), y0+16, cut(name, 14))
	}
	dst = fmt.Appendf(dst, `<path d="M%.1f %.1fV%.1fH%.1f" fill="none" stroke="#444"/>`+"\n", x0, y1, y0, x1)
	for i, s := range p.series {
		color := palette[i%len(palette)]
		dash := []string{"", ` stroke-dasharray="5 3"`, ` stroke-dasharray="2 2"`}[i/len(palette)%3]
		slices.SortStableFunc(s.points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		dst = fmt.Appendf(dst, `<path fill="none" stroke="%s" stroke-width="1.6"%s d="`, color, dash)
		for k, at := range s.points {
			dst = fmt.Appendf(dst, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x(at.x), y(at.y))
		}
		dst = append(dst, `"/>`+"\n"...)
		for _, at := range s.points {
			dst = fmt.Appendf(dst, `<circle cx="%.1f" cy="%.1f" r="2.6" fill="%s"><title>%s: %s</title></circle>`+"\n",
				x(at.x), y(at.y), color, html.EscapeString(s.name), digits(at.y))
		}
		if ly := y1 + float64(i*legendLine); i < mostSeries {
			dst = fmt.Appendf(dst, `<path d="M%.1f %.1fh16" stroke="%s" stroke-width="2"%s/>`+"\n", x1+10, ly, color, dash)
			text("", x1+30, ly+4, cut(s.name, mostNameCharacter))
		} else if i == mostSeries {
			text(`fill="#444"`, x1+30, ly+4, fmt.Sprintf("and %d more", len(p.series)-mostSeries))
		}
	}
	return dst
}

// ticksOf returns round values in bounds: powers of ten, with twice and five
// times them if they are few, or about six steps.
func ticksOf(lo, hi float64, log bool) (list []float64) {
	if log {
		steps := []float64{1}
		if hi/lo < 1000 {
			steps = []float64{1, 2, 5}
		}
		for v := math.Pow(10, math.Floor(math.Log10(lo))); v <= hi; v *= 10 {
			for _, m := range steps {
				if v*m >= lo && v*m <= hi {
					list = append(list, v*m)
				}
			}
		}
		return list
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{5, 2} {
		if (hi-lo)/(step*m) >= 3 {
			step *= m
			break
		}
	}
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		list = append(list, v)
	}
	return list
}

func tick(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
