package html_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func TestLimits(t *testing.T) {
	nest := func(n int, tag string) string { return strings.Repeat("<"+tag+">", n) + "x" }
	var fonts strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<font id=%d>", i)
	}
	frames := "<p>x"
	for range 4 {
		frames = `<div data-agent-scope=s>` + strings.Repeat("<div>", 450) + `<iframe srcdoc="` +
			strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(frames) + `">`
	}
	fields := strings.Repeat("<div data-agent-field=f>", 400) + strings.Repeat("text ", 40_000)
	var refs strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&refs, "<a data-agent-action=a%d aria-labelledby=big></a>", i)
	}
	tests := []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", html.ErrEmpty, "empty"},
		{"blank", "\uFEFF \n", html.ErrEmpty, "empty"},
		{"mark only", "\uFEFF", html.ErrEmpty, "empty"},
		{"nested", nest(100_000, "div"), html.ErrLimit, "512"},
		{"nested, allowed", nest(500, "div"), nil, ""},
		{"nested over frames", frames, nil, ""},
		{"formatting", fonts.String() + strings.Repeat("<p>x", 250_000), html.ErrLimit, "formatting"},
		{"formatting, sloppy", "<font color=red><b><i>" + strings.Repeat("<p>x", 20_000), nil, ""},
		{"anchors never closed", strings.Repeat("<a name=x>y", 50_000), nil, ""},
		{"fields in fields", one(fields), html.ErrLimit, "16 times"},
		{"one label for all", `<b id=big>` + strings.Repeat("text ", 20_000) + `</b>` + refs.String(), nil, ""},
		{"spans", `<table data-agent-scope=s><tr>` + strings.Repeat("<th colspan=1000 rowspan=60000>x", 10) + strings.Repeat("<tr data-agent-record=1>", 20_000), html.ErrLimit, "16 times"},
		{"spans, inferred", `<table><tr>` + strings.Repeat("<th>x", 1000) + `<tr>` + strings.Repeat("<td rowspan=60000>x", 1000) + strings.Repeat("<tr><td>y", 20_000), html.ErrLimit, "16 times"},
	}
	for _, tt := range tests {
		t.Run("case="+strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			_, err := html.Decode([]byte(tt.text), nil)
			if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %v saying %q", err, tt.want, tt.says)
			}
		})
	}
	if _, err := html.Decode([]byte("<p>abc"), &html.Options{MaxBytes: 5}); !errors.Is(err, html.ErrLimit) || !strings.Contains(err.Error(), "6 bytes") {
		t.Errorf("over MaxBytes: %v", err)
	}
}

// TestLinear reads documents of many parts, each of a kind that is compared with
// others of its kind somewhere, alone and against themselves, and then ones four
// times as large. A square law would take sixteen times as long.
func TestLinear(t *testing.T) {
	kinds := []struct {
		name string
		part func(i int) string
	}{
		{"rows", func(i int) string { return "<tr id=r" + strconv.Itoa(i) + "><td>a<td>b<td><button>c</button>" }},
		{"lists", func(i int) string { return "<ul></ul>" }},
		{"lists with ids", func(i int) string { return "<ul><li data-id=1>x<li data-id=" + strconv.Itoa(i+2) + ">y</ul>" }},
		{"headed lists", func(i int) string { return "<h2>h</h2><ul><li>x</ul>" }},
		{"legends", func(i int) string { return "<fieldset disabled><b></b><legend>x</legend></fieldset>" }},
		{"buttons", func(i int) string { return "<button>x</button>" }},
		{"keys", func(i int) string { return "<div data-id=" + strconv.Itoa(i) + ">x</div>" }},
		{"items", func(i int) string { return "<div itemscope itemtype=a><b itemprop=n>x</b></div>" }},
		{"terms", func(i int) string { return "<dt>x<dd>y" }},
		{"fields", func(i int) string { return "<input name=n" + strconv.Itoa(i/2) + ">" }},
		{"annotated fields", func(i int) string { return "<i data-agent-field=f" + strconv.Itoa(i/2) + ">x</i>" }},
		{"annotated radio buttons of one name", func(i int) string {
			return "<input type=radio data-agent-field=f name=r value=" + strconv.Itoa(i) + ">"
		}},
		{"annotated radio buttons of many names", func(i int) string {
			n := strconv.Itoa(i)
			return "<input type=radio data-agent-field=f" + n + " name=r" + n + ">"
		}},
		{"controls in fields", func(i int) string { return "<p data-agent-field=f" + strconv.Itoa(i) + "><input>" }},
		{"options", func(i int) string { return "<option>x" }},
		{"labels", func(i int) string { return "<label>x<input></label>" }},
		{"sections", func(i int) string { return "<section aria-label=x>y</section>" }},
		{"shadow roots", func(i int) string {
			return "<x-a><template shadowrootmode=open><slot></slot></template>x</x-a>"
		}},
	}
	starts := map[string]string{"rows": "<table><tr><th>A<th>B<th>C", "terms": "<dl>", "fields": "<form>", "options": "<select>",
		"legends": "<fieldset disabled>", "annotated fields": "<div data-agent-record=r>",
		"annotated radio buttons of one name": "<div data-agent-record=r>", "annotated radio buttons of many names": "<div data-agent-record=r>",
		"controls in fields": "<div data-agent-record=r>"}
	for _, k := range kinds {
		t.Run("kind="+strings.ReplaceAll(k.name, " ", "-"), func(t *testing.T) {
			took := func(n int) time.Duration {
				var b strings.Builder
				b.WriteString(starts[k.name])
				for i := range n {
					b.WriteString(k.part(i))
				}
				best := time.Duration(1 << 62)
				for range 3 {
					start := time.Now()
					snap := decode(t, []byte(b.String()), nil)
					decode(t, []byte(b.String()), &html.Options{Before: snap})
					best = min(best, time.Since(start))
				}
				return best
			}
			const n = 1500
			small, large := took(n), took(4*n)
			if large > 12*small && large > time.Second {
				t.Errorf("%d parts take %v, four times as many %v", n, small, large)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	seeds := 0
	for _, pattern := range []string{"testdata/*/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, false)
			seeds++
		}
	}
	if seeds < 10 {
		f.Fatalf("%d seeds", seeds)
	}
	for _, s := range []string{
		`<table data-agent-scope=s><tr><th>A<tr data-agent-record=1><td rowspan=0 colspan=9>x`,
		`<x-a><template shadowrootmode=open><slot name=a></slot></template><b slot=a data-agent-record=r>`,
		`<iframe srcdoc="<p data-agent-record=r>"></iframe>`, `<script type=application/json data-agent-exposure>{"records":[{"id":1,"fields":{"a":[1]}}]}</script>`,
		"\xFF\xFEh\x00", "<p style=\"display:none;;:(\" data-agent-field=f>", `<dl><dt>a<dd>b</dl><ul><li itemscope itemprop=x><li>`,
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, infer bool) {
		opts := &html.Options{Infer: infer}
		snap, err := html.Decode(data, opts)
		if err != nil {
			if !errors.Is(err, html.ErrLimit) && !errors.Is(err, html.ErrEmpty) && !errors.Is(err, html.ErrEncoding) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		ids := map[string]bool{}
		for i := range snap.Actions() {
			if id := snap.Action(i).ID; ids[id] {
				t.Fatalf("two actions %q", id)
			} else {
				ids[id] = true
			}
		}
		opts.Before = snap
		again, err := html.Decode(data, opts)
		if err != nil {
			t.Fatal(err)
		}
		if again.Digest() != snap.Digest() {
			t.Fatalf("against itself: %s", evidence(snap, again))
		}
		var dec capture.Decoder
		if _, err := dec.Decode(capture.Append(nil, snap), nil); err != nil {
			t.Fatalf("its capture cannot be read: %v", err)
		}
	})
}
