package reference

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// members is a JSON object in the making: "name":value, in order. The compact
// form leaves empty lists, zero counts, false flags and empty objects out.
type members []string

func (m *members) add(name, value string) {
	*m = append(*m, quote(name)+":"+value)
}

func (m *members) text(name, value string) {
	m.add(name, quote(value))
}

func (m *members) count(name string, compact bool, n int) {
	if !compact || n != 0 {
		m.add(name, fmt.Sprint(n))
	}
}

func (m *members) flag(name string, compact bool, b bool) {
	if !compact || b {
		m.add(name, fmt.Sprint(b))
	}
}

func (m *members) list(name string, compact bool, values []string) {
	if !compact || len(values) > 0 {
		m.add(name, "["+strings.Join(values, ",")+"]")
	}
}

func (m *members) child(name string, compact bool, c members) {
	if !compact || len(c) > 0 {
		m.add(name, c.object())
	}
}

func (m members) object() string {
	return "{" + strings.Join(m, ",") + "}"
}

func zeros(compact bool, names ...string) members {
	var m members
	for _, name := range names {
		m.count(name, compact, 0)
	}
	return m
}

// ids returns one {"id":...} for each id.
func ids(list []string) (out []string) {
	for _, id := range list {
		var m members
		m.text("id", id)
		out = append(out, m.object())
	}
	return out
}

func quoteAll(list []string) (out []string) {
	for _, s := range list {
		out = append(out, quote(s))
	}
	return out
}

// quote returns s as a JSON string: short escapes where there is one, \uXXXX
// for what a terminal or a reader could be fooled by, everything else raw.
func quote(s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch e, ok := short[r]; {
		case ok:
			b.WriteString(e)
		case hidden(r) && r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// hidden reports the controls that are never written raw.
func hidden(r rune) bool {
	for _, span := range [][2]rune{
		{0x00, 0x1F}, {0x7F, 0x9F}, // C0, delete, C1
		{0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}, // bidi
		{0x200B, 0x200D}, {0x2060, 0x2060}, {0xFEFF, 0xFEFF}, // zero width
		{0x2028, 0x2029},   // line and paragraph separator
		{0xE0000, 0xE007F}, // tags
	} {
		if span[0] <= r && r <= span[1] {
			return true
		}
	}
	return false
}
