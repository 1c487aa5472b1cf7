package html

import "testing"

func TestParseStyleComments(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       display
	}{
		{"in a value", "display:/* no, really */none", none},
		{"before a name", "/* x */display: none", none},
		{"around a semicolon", "color:red/* ; */;display:none", none},
		{"around a declaration", "/* display:none; */ color: red", inline},
		{"parts a word", "display:no/**/ne", inline},
		{"never ended", "display:block;/* display:none", block},
		{"protected by quotes", `content:"/*"; display:none; quotes:"*/"`, none},
	} {
		if got := parseStyle(style{}, c.text); got.display != c.want {
			t.Errorf("%s: %q gives display %d, want %d", c.name, c.text, got.display, c.want)
		}
	}
}
