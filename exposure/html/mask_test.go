package html_test

import (
	"fmt"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// said returns all that a snapshot says to anybody.
func said(snap *snapshot.Snapshot) string {
	out := capture.Append(nil, snap)
	for _, d := range snap.Diagnostics() {
		out = append(out, "\n"+d.Code+" "+d.At+" "+d.Message...)
	}
	return string(out)
}

// TestSensitiveLabels takes labels from text next to and in what is sensitive.
func TestSensitiveLabels(t *testing.T) {
	tests := []struct{ name, why, markup, want string }{
		{"action in a field", "its name is left", `<div data-agent-field=f data-agent-sensitive>SECRET <button data-agent-action=y>SECRET</button></div>`, `"id":"y@r","description":"y"`},
		{"the action itself", "", `<button data-agent-action=y data-agent-sensitive title=SECRET aria-label=SECRET>SECRET</button>`, `"id":"y@r","description":"y"`},
		{"part of an action", "it shows as masked", `<button data-agent-action=y>Pay <b data-agent-sensitive>SECRET</b></button>`, `"description":"Pay [masked]"`},
		{"declared", "what the author says counts", `<button data-agent-action=y data-agent-sensitive data-agent-description="Show it">SECRET</button>`, `"description":"Show it"`},
		{"referred to", "", `<h4 id=h data-agent-sensitive>SECRET</h4><b id=g>Copy</b><button data-agent-action=y aria-labelledby="g h">x</button>`, `"description":"Copy"`},
		{"inside what is referred to", "", `<h4 id=h>Of <i data-agent-sensitive>SECRET</i></h4><button data-agent-action=y aria-labelledby=h>x</button>`, `"description":"Of [masked]"`},
		{"heading", "", `</div><section data-agent-scope=t><h2 data-agent-sensitive>SECRET</h2></section><div>`, `{"id":"t"`},
		{"label of a control", "", `<label data-agent-sensitive>SECRET <input data-agent-action=y></label>`, `"description":"y"`},
		{"attribute of a control", "it names what is masked", `<input data-agent-action=y data-agent-sensitive aria-label="Card" value=SECRET>`, `"description":"Card"`},
		{"reason", "", `<button data-agent-action=y data-agent-sensitive disabled title=SECRET>x</button>`, `"available":"`},
		{"image", "", `<img data-agent-field=f data-agent-sensitive alt=SECRET><a data-agent-action=y><img data-agent-sensitive alt=SECRET></a>`, `"f":"[masked]"`},
		{"dots", "no reader sees what it says", `<b data-agent-field=f style="-webkit-text-security: disc">SECRET</b><button data-agent-action=y style="-webkit-text-security:circle!important">SECRET</button>`, `"f":"[masked]"`},
		{"option", "", `<select data-agent-field=f><option data-agent-sensitive value=SECRET>SECRET</select>`, `"f":"[masked]"`},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			page := []byte(one(tt.markup))
			got := said(decode(t, page, nil))
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
			plain := strings.NewReplacer("data-agent-field", "class", "data-agent-scope", "id", "data-agent-record", "class", "data-agent-action", "id").Replace(string(page))
			for _, s := range []string{got, said(decode(t, page, &html.Options{Infer: true})), said(decode(t, []byte(plain), nil))} {
				if strings.Contains(strings.ToLower(s), "secret") {
					t.Errorf("a secret is told: %s", s)
				}
			}
		})
	}
	inferred := `<h2 data-agent-sensitive>SECRET</h2><ul><li><a data-agent-sensitive href=/SECRET>SECRET</a> <img data-agent-sensitive alt=SECRET> x<li>y</ul>
	 <dl><dt data-agent-sensitive>SECRET<dd>1<dt>b<dd>2</dl><table><tr><th data-agent-sensitive>SECRET<th>B<tr><td>1<td>2</table>
	 <section data-agent-sensitive aria-label=SECRET><ul><li>SECRET</ul></section><form><input type=radio name=p value=SECRET data-agent-sensitive></form>`
	if got := said(decode(t, []byte(inferred), nil)); strings.Contains(strings.ToLower(got), "secret") {
		t.Errorf("a secret is told: %s", got)
	}
}

// TestMaskedOptions sees in a session that another option of a masked select is
// chosen, and tells nothing of it.
func TestMaskedOptions(t *testing.T) {
	var b snapshot.Builder
	look := func(first string) *snapshot.Snapshot {
		page := one(`<select data-agent-field=f data-agent-sensitive><option` + first + `>SECRET<option>OTHER</select>`)
		root, err := nethtml.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		snap, err := html.DecodeLive(root, &html.LiveOptions{Size: len(page), Session: true, Builder: &b})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(snap); !strings.Contains(got, `"f":"[masked]"`) || strings.Contains(got, "SECRET") {
			t.Errorf("got %s", got)
		}
		return snap
	}
	before := look("")
	if got := evidence(before, look(" disabled")); !strings.Contains(got, `"fields":["f"]`) {
		t.Errorf("another choice: %s", got)
	}
	if got := evidence(before, look("")); got != `{"observed":true}` {
		t.Errorf("the same choice: %s", got)
	}
}

// TestLongLabels cuts labels that are read from text, and reads one that many
// elements refer to once.
func TestLongLabels(t *testing.T) {
	long := strings.Repeat("væld ", 40_000)
	var page strings.Builder
	page.WriteString(`<div data-agent-scope=s><h2 id=big>` + long + `</h2><label id=l>` + long + `</label>`)
	for i := range 5000 {
		fmt.Fprintf(&page, `<button data-agent-action=a%d aria-labelledby=big></button><input data-agent-action=b%d aria-labelledby="big l">`, i, i)
	}
	snap := decode(t, []byte(page.String()), nil)
	if snap.Actions() != 10_000 {
		t.Fatalf("%d actions", snap.Actions())
	}
	for _, s := range []string{snap.Scopes()[0].Label, snap.Action(0).Description, snap.Action(9_999).Description} {
		if len(s) > html.MaxLabel+len("…") || len(s) < html.MaxLabel-8 || !strings.HasSuffix(s, "…") || !strings.HasPrefix(long, strings.TrimSuffix(s, "…")) {
			t.Errorf("%d bytes: %.20q ... %q", len(s), s, s[len(s)-20:])
		}
	}
	short := strings.Repeat("a", html.MaxLabel)
	snap = decode(t, []byte(`<p data-agent-action=a>`+short+`</p>`), nil)
	if got := snap.Action(0).Description; got != short {
		t.Errorf("%d bytes of %d", len(got), len(short))
	}
}
