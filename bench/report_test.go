package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite golden files and the baseline")

// fixed returns a report as a machine that is not busy would give it, scaled.
func fixed(scale float64) *Report {
	r := reportOf(Machine{"go1.26.8", "linux", "amd64", "Some <CPU> | 1", 2})
	for i, name := range []string{
		"page=orders/n=1000/change=none/op=compare", "page=orders/n=1000/change=1pct/op=compare",
		"page=orders/n=10000/change=none/op=compare", "page=orders/n=10000/change=1pct/op=compare",
		"page=orders/n=1000/change=1pct/op=file", "page=orders/n=10000/change=1pct/op=file",
	} {
		res := Result{Name: name, Figures: Figures{Records: 1000, Bytes: 5000, Evidence: int64(200 + i), Updated: int64(i)}}
		if strings.Contains(name, "n=10000") {
			res.Figures.Records = 10_000
		}
		for k := range 10 {
			res.Ours = append(res.Ours, scale*float64(res.Figures.Records)*float64(i+1)*(1+float64(k)/1000))
			res.Reference = append(res.Reference, 20*float64(res.Figures.Records))
		}
		r.Results = append(r.Results, res)
	}
	return r
}

// TestForms pins the forms of a report.
func TestForms(t *testing.T) {
	before, after := fixed(1), fixed(1)
	after.Results[1] = noisyCopy(after.Results[1], 1.3)
	after.Results[2].Figures.Allocs, after.Results[2].Figures.AllocBytes = 1, 16
	after.Results[3].Figures.Evidence--
	after.Results[5].Name = "page=orders/n=10000/change=all/op=file"
	archive := &txtar.Archive{Comment: []byte("A report against a baseline: slower, an allocation more, less evidence, a case that is new.\n")}
	add := func(name string, data []byte) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	add("alone.txt", AppendText(nil, nil, after, nil))
	add("text.txt", AppendText(nil, before, after, nil))
	add("exact.txt", AppendText(nil, before, after, &Rules{Exact: true}))
	add("markdown.md", AppendMarkdown(nil, before, after, nil))
	add("json.json", AppendJSON(nil, before, after, nil))
	add("plot.svg", AppendPlot(nil, []*Report{before}, []string{"<monday>", "now"}, after))
	const file = "testdata/report.txtar"
	got := txtar.Format(archive)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and read what changed", file)
	}
}

func noisyCopy(r Result, factor float64) Result {
	ours := make([]float64, len(r.Ours))
	for i := range ours {
		ours[i] = r.Ours[i] * factor
	}
	r.Ours = ours
	return r
}

// TestPlotIsXML reads plots as XML, also of names with signs of markup, of one
// point, and of nothing.
func TestPlotIsXML(t *testing.T) {
	hostile := fixed(2)
	for i := range hostile.Results {
		hostile.Results[i].Name = `pair=<script>"&..` + strings.Repeat("é", i) + "/op=<b>"
	}
	one := fixed(1)
	one.Results = one.Results[:1]
	for name, data := range map[string][]byte{
		"hostile": AppendPlot(nil, []*Report{hostile}, []string{"<a>&", "now"}, hostile),
		"one":     AppendPlot(nil, nil, []string{"now"}, one),
		"history": AppendPlot(nil, []*Report{one, one}, []string{"a", "b", "now"}, one),
		"empty":   AppendPlot(nil, nil, nil, reportOf(Machine{})),
	} {
		d := xml.NewDecoder(bytes.NewReader(data))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, data)
			}
		}
		if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) || bytes.Contains(data, []byte("<script")) {
			t.Errorf("%s: %s", name, data)
		}
	}
}

// TestReadReport checks that what is saved is read, and nothing else.
func TestReadReport(t *testing.T) {
	want := AppendReport(nil, fixed(1))
	r, err := ReadReport(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := AppendReport(nil, r); !bytes.Equal(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	for _, tt := range []struct{ name, text string }{
		{"empty", ""}, {"no JSON", "x"}, {"capture", `{"format":"pagestate/1","records":[]}`},
		{"version", `{"format":"pagestate-bench/2"}`}, {"no format", `{}`},
		{"unequal samples", `{"format":"pagestate-bench/1","results":[{"name":"x","ours":[1]}]}`},
		{"no time", `{"format":"pagestate-bench/1","results":[{"name":"x","ours":[0],"reference":[1]}]}`},
		{"negative time", `{"format":"pagestate-bench/1","results":[{"name":"x","ours":[1],"reference":[-1]}]}`},
	} {
		if _, err := ReadReport([]byte(tt.text)); err == nil {
			t.Errorf("%s: read", tt.name)
		}
	}
}
