package html

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

// inputType returns the type of an input element, in lower case.
func inputType(n *node) string {
	t := strings.ToLower(strings.Trim(n.attr("type"), blanks))
	if t == "" {
		return "text"
	}
	return t
}

// isControl reports whether n is a form control that holds a value.
func isControl(n *node) bool {
	switch n.tag {
	case atom.Input:
		switch inputType(n) {
		case "button", "submit", "reset", "image", "hidden":
			return false
		}
		return true
	case atom.Select, atom.Textarea, atom.Progress, atom.Meter:
		return true
	}
	return ariaState(n) != ""
}

// ariaState returns the attribute that holds the state of a control made of
// other elements, "" if n is none.
func ariaState(n *node) string {
	if n.raw.Attr == nil || n.tag == atom.Input {
		return ""
	}
	name := ""
	switch n.role() {
	case "checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio":
		name = "aria-checked"
	case "slider", "spinbutton", "progressbar", "meter":
		name = "aria-valuenow"
	}
	if name == "" || !n.has(name) {
		return ""
	}
	return name
}

// buttonLabel returns what an input element that is a button shows.
func buttonLabel(n *node) string {
	if n.tag != atom.Input {
		return ""
	}
	typ := inputType(n)
	switch typ {
	case "button", "submit", "reset":
		if v, ok := n.lookup("value"); ok {
			return v
		}
		if typ == "submit" {
			return "Submit"
		} else if typ == "reset" {
			return "Reset"
		}
	case "image":
		return n.attr("alt")
	}
	return ""
}

// masked reports whether n's value is never exposed.
func masked(n *node) bool {
	if n.is(isSensitive | isSecret) {
		return true
	}
	switch n.tag {
	case atom.Input:
		return exposure.Masked(inputType(n), n.attr("autocomplete"))
	case atom.Select, atom.Textarea:
		return exposure.Masked("", n.attr("autocomplete"))
	}
	return false
}

// appendValue appends what n holds as a field: data-agent-value, the state of a
// control, or text.
func (d *decoder) appendValue(dst []byte, n *node) []byte {
	start := len(dst)
	d.cut, d.cutBytes = d.cut[:0], 0
	if d.live != nil {
		d.noteCut(n)
	}
	if v, ok := n.lookup("data-agent-value"); ok {
		d.spend(len(v))
		dst = records.AppendString(dst, v)
	} else if group := d.radiosIn(n); group != nil {
		dst = appendRadios(dst, group)
	} else if isControl(n) {
		dst = d.appendState(dst, n)
	} else {
		s := d.text(n)
		if n.tag == atom.Img {
			s = n.attr("alt")
		} else if label := buttonLabel(n); label != "" {
			s = label
		}
		dst = records.AppendString(dst, s)
	}
	if len(d.cut) > 0 {
		dst = d.cutString(dst, start)
	}
	if masked(n) {
		held := append([]byte(nil), dst[start:]...)
		dst = records.AppendMaskOf(dst[:start], records.RawValue(held), d.live != nil && d.live.Session)
	}
	return dst
}

// radiosIn returns the radio buttons of an element that is a group of them.
func (d *decoder) radiosIn(n *node) []*node {
	if n.tag != atom.Fieldset && n.role() != "radiogroup" {
		return nil
	}
	var list []*node
	other := false
	var walk func(*node)
	walk = func(m *node) {
		for _, c := range m.kids {
			d.spend(1)
			switch {
			case !c.shown() || c.is(isText):
			case isRadio(c):
				list = append(list, c)
			default:
				other = other || isControl(c)
				walk(c)
			}
		}
	}
	walk(n)
	if other {
		return nil
	}
	return list
}

func isRadio(n *node) bool {
	return n.tag == atom.Input && inputType(n) == "radio" || n.tag != atom.Input && n.role() == "radio"
}

// appendRadios appends the value of the chosen one of a group, "" if none is.
func appendRadios(dst []byte, group []*node) []byte {
	v := ""
	for _, n := range group {
		if n.tag == atom.Input && n.has("checked") || n.attr("aria-checked") == "true" {
			v = radioValue(n) // the last one checked wins
		}
	}
	return records.AppendString(dst, v)
}

func radioValue(n *node) string {
	if v, ok := n.lookup("value"); ok {
		return v
	}
	if v, ok := n.lookup("data-value"); ok {
		return v
	}
	if n.tag == atom.Input {
		return "on"
	}
	return flat(n.attr("aria-label"))
}

// appendState appends the state that the markup gives a control.
func (d *decoder) appendState(dst []byte, n *node) []byte {
	switch n.tag {
	case atom.Input:
		return appendInput(dst, n)
	case atom.Textarea:
		return records.AppendString(dst, rawText(n))
	case atom.Select:
		return d.appendSelect(dst, n)
	case atom.Progress:
		return appendNumber(dst, clampAttr(n, "value", 0, attrNumber(n, "max", 1)))
	case atom.Meter:
		low := attrNumber(n, "min", 0)
		return appendNumber(dst, clampAttr(n, "value", low, attrNumber(n, "max", 1)))
	}
	switch v := strings.ToLower(n.attr(ariaState(n))); {
	case ariaState(n) == "aria-valuenow":
		return appendNumber(dst, v)
	case v == "mixed":
		return records.AppendString(dst, v)
	default:
		return records.AppendBool(dst, v == "true")
	}
}

func appendInput(dst []byte, n *node) []byte {
	v := n.attr("value")
	switch inputType(n) {
	case "checkbox":
		if n.attr("aria-checked") == "mixed" {
			return records.AppendString(dst, "mixed")
		}
		return records.AppendBool(dst, n.has("checked"))
	case "radio":
		return appendRadios(dst, []*node{n})
	case "number":
		return appendNumber(dst, validNumber(v))
	case "range":
		return appendNumber(dst, rangeValue(n))
	case "file":
		return records.AppendString(dst, "")
	case "color":
		v = validColor(v)
	case "date", "month", "week", "time", "datetime-local":
		v = validTime(inputType(n), v)
	case "email":
		v = strings.Trim(stripLines(v), blanks)
		if n.has("multiple") {
			list := strings.Split(v, ",")
			for i := range list {
				list[i] = strings.Trim(list[i], blanks)
			}
			v = strings.Join(list, ",")
		}
	case "url":
		v = strings.Trim(stripLines(v), blanks)
	default:
		v = stripLines(v)
	}
	return records.AppendString(dst, v)
}

func stripLines(v string) string { return strings.NewReplacer("\n", "", "\r", "").Replace(v) }

// appendNumber appends a number as it is spelled, or "" if v is none.
func appendNumber(dst []byte, v string) []byte {
	lit := v
	if digits := strings.TrimPrefix(lit, "-"); strings.HasPrefix(digits, ".") {
		lit = strings.TrimSuffix(lit, digits) + "0" + digits
	}
	if out, err := records.AppendNumber(dst, []byte(lit)); err == nil {
		return out
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil && v != "" && strings.Trim(v, "0123456789.eE+-") == "" && v[0] != '+' {
		if out, err := records.AppendFloat(dst, f); err == nil {
			return out
		}
	}
	return records.AppendString(dst, "")
}

func attrNumber(n *node, name string, def float64) float64 {
	if f, err := strconv.ParseFloat(n.attr(name), 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f
	}
	return def
}

// clampAttr returns an attribute that holds a number, brought between low and
// high, and "" if it holds none.
func clampAttr(n *node, name string, low, high float64) string {
	v := n.attr(name)
	f, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || math.IsNaN(f):
		return ""
	case f > high && high >= low:
		return spell(high)
	case f < low:
		return spell(low)
	}
	return v
}

func spell(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// rangeValue returns the value of a slider as browsers make it valid: between
// min and max, on a step, in the middle by default.
func rangeValue(n *node) string {
	low, high := attrNumber(n, "min", 0), attrNumber(n, "max", 100)
	v := clampAttr(n, "value", low, max(low, high))
	if v == "" {
		v = spell(low + (max(low, high)-low)/2)
	}
	step := attrNumber(n, "step", 1)
	if step <= 0 {
		step = 1
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || strings.EqualFold(n.attr("step"), "any") {
		return v
	}
	base := low
	if !n.has("min") {
		base = attrNumber(n, "value", 0)
	}
	steps := math.Round((f - base) / step)
	at := base + steps*step
	if at > high {
		at -= step
	}
	if math.Abs(at-f) <= 1e-9*math.Max(1, math.Abs(f)) {
		return v
	}
	return spell(math.Round(at*1e9) / 1e9)
}

// rawText returns the text of a textarea or a script.
func rawText(n *node) string {
	var b strings.Builder
	for c := n.raw.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// options returns the option elements of a select.
func options(n *node) (list []*node) {
	for _, c := range n.kids {
		switch c.tag {
		case atom.Option:
			list = append(list, c)
		case atom.Optgroup:
			for _, o := range c.kids {
				if o.tag == atom.Option {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// optionValue returns the value of an option: its attribute, else its text. It is
// masked if the option is, and its select, which is masked as a whole, is not.
func (d *decoder) optionValue(o *node) string {
	v, ok := o.lookup("value")
	if !ok {
		v = flat(d.text(o))
	}
	if v != "" && o.is(isSensitive) && !masked(selectOf(o)) {
		return records.MaskedText
	}
	return v
}

func (d *decoder) appendSelect(dst []byte, n *node) []byte {
	list := options(n)
	if n.has("multiple") {
		start := len(dst)
		dst = records.BeginArray(dst)
		for _, o := range list {
			if o.has("selected") {
				dst = records.AppendString(dst, d.optionValue(o))
			}
		}
		return records.EndArray(dst, start)
	}
	if o := chosen(n, list); o != nil {
		return records.AppendString(dst, d.optionValue(o))
	}
	return records.AppendString(dst, "")
}

// chosen returns the option that a select shows: the last one selected, else the
// first one that is not disabled, unless the select is a list box.
func chosen(n *node, list []*node) (o *node) {
	for _, c := range list {
		if c.has("selected") {
			o = c
		}
	}
	if size, _ := strconv.Atoi(n.attr("size")); o != nil || size > 1 {
		return o
	}
	for _, c := range list {
		if !c.has("disabled") && !(c.parent.tag == atom.Optgroup && c.parent.has("disabled")) {
			return c
		}
	}
	return nil
}
