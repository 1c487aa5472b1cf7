package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/internal/input"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// benchFlags are those of the command bench.
type benchFlags struct {
	inputFlags
	sizes     []int
	only      string
	samples   int
	exact     bool
	threshold part
	save      string
	against   []string
	plot      string
	format    string
}

func (c *cli) benchCommand() *cobra.Command {
	f := benchFlags{threshold: bench.DefaultThreshold}
	cmd := &cobra.Command{
		Use:   "bench [INPUT...]",
		Short: "Measure what comparing costs, and notice when it grows",
		Long: `Measure what comparing costs: on built-in workloads, or on the inputs given, each
with the next one. A directory stands for the files in it, by name.

Time is told as a ratio to a plain reference that is measured in turn with it, so
that a busy machine slows both. With --against, what is exact (allocations, bytes,
the size of evidence, the changes found) must not have grown or differ, and times
must not have grown beyond the threshold. What looks slower is measured again.

Exit status: 0 nothing regressed, 1 something did, 2 trouble.`,
		Example: `  pagestate bench --save baseline.json
  pagestate bench --against baseline.json --plot cost.svg
  pagestate bench --save mine.json monday.json tuesday.json
  pagestate bench --only 'page=orders/.*/op=file' --sizes 100,10000,1000000`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.bench(cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.sizes, "sizes", []int{1000, 10_000}, "records of the built-in workloads")
	flags.StringVar(&f.only, "only", "", "measure the cases whose name matches `REGEXP`")
	flags.IntVar(&f.samples, "samples", bench.DefaultSamples, "samples of each time; 0 measures no times")
	flags.BoolVar(&f.exact, "exact", false, "judge only what is exact")
	flags.Var(&f.threshold, "threshold", "how much a time may grow")
	flags.StringVar(&f.save, "save", "", "write a baseline to `FILE`")
	flags.StringArrayVar(&f.against, "against", nil, "compare with the baseline in `FILE`; of several, with the last")
	flags.StringVar(&f.plot, "plot", "", "draw cost against size, and history over the baselines, to `FILE`.svg")
	addChoice(cmd, &f.format, "format", "text", "form of the report", "text", "json", "markdown")
	f.add(cmd)
	return cmd
}

// A part is a part of a whole, as a flag: 10% or 0.1.
type part float64

// String returns the part in percent.
func (p *part) String() string { return strconv.FormatFloat(100*float64(*p), 'g', 6, 64) + "%" }

// Set reads a part above 0 and up to 1000%.
func (p *part) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 10) {
		return errors.New("want a part such as 10% or 0.1")
	}
	*p = part(v)
	return nil
}

// Type names the value in help.
func (p *part) Type() string { return "percent" }

func (f *benchFlags) checkBench(cmd *cobra.Command, args []string) error {
	const enough = 6 // samples below which there is no confidence interval of 95%
	flags := cmd.Flags()
	switch {
	case f.samples != 0 && f.samples < enough:
		return usagef(cmd, "--samples is 0 or at least %d", enough)
	case len(args) > 0 && flags.Changed("sizes"):
		return usagef(cmd, "--sizes is for the built-in workloads")
	case len(f.against) == 0 && flags.Changed("threshold"), len(f.against) == 0 && flags.Changed("exact"):
		return usagef(cmd, "--threshold and --exact are for --against")
	case f.exact && flags.Changed("threshold"):
		return usagef(cmd, "--threshold changes nothing with --exact")
	case f.plot != "" && !strings.HasSuffix(strings.ToLower(f.plot), ".svg"):
		return usagef(cmd, "the name of a plot ends in .svg")
	case f.plot != "" && f.samples == 0:
		return usagef(cmd, "--plot needs times")
	}
	if len(args) == 0 {
		return refuse(cmd, "the built-in workloads", "rows", "key", "infer", "max-size", "max-unpacked", "max-depth")
	}
	return f.check(cmd)
}

func (c *cli) bench(cmd *cobra.Command, f *benchFlags, args []string) error {
	if err := f.checkBench(cmd, args); err != nil {
		return err
	}
	ctx := cmd.Context()
	cases, err := c.benchCases(ctx, cmd, f, args)
	if err != nil {
		return err
	}
	var enc encoding
	if f.save != "" {
		if enc, err = encodingOf(f.save); err != nil {
			return &fileError{f.save, err}
		}
	}
	history, err := c.readReports(ctx, f)
	if err != nil {
		return err
	}
	var before *bench.Report
	if len(history) > 0 {
		before = history[len(history)-1]
		if !overlap(before, cases) {
			return &fileError{f.against[len(f.against)-1], errors.New("the baseline has none of these cases")}
		}
	}
	rules := &bench.Rules{Threshold: float64(f.threshold), Exact: f.exact}
	opts := &bench.Options{Samples: f.samples, Against: before, Rules: rules}
	if f.samples == 0 {
		opts.Samples = -1
	}
	done := c.showProgress(opts, len(cases))
	report, err := bench.Run(ctx, cases, opts)
	done()
	if err != nil {
		return err
	}
	switch f.format {
	case "json":
		c.print(bench.AppendJSON(nil, before, report, rules))
	case "markdown":
		c.print(bench.AppendMarkdown(nil, before, report, rules))
	default:
		c.print(bench.AppendText(nil, before, report, rules))
	}
	if f.save != "" {
		if err := writeFile(ctx, f.save, enc, bench.AppendReport(nil, report)); err != nil {
			return &fileError{f.save, err}
		}
	}
	if f.plot != "" {
		if err := writeFile(ctx, f.plot, plain, bench.AppendPlot(nil, history, plotNames(f.against), report)); err != nil {
			return &fileError{f.plot, err}
		}
	}
	if before != nil {
		for _, x := range bench.Compare(before, report, rules) {
			if x.Regressed(rules) {
				c.status = exitDifferent
			}
		}
	}
	return nil
}

// readReports reads the baselines.
func (c *cli) readReports(ctx context.Context, f *benchFlags) (list []*bench.Report, err error) {
	source := c.reader(&f.inputFlags).source
	for _, name := range f.against {
		file, err := source.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		r, err := bench.ReadReport(file.Data)
		if err != nil {
			return nil, &fileError{name, err}
		}
		list = append(list, r)
	}
	return list, nil
}

// overlap reports whether some of the cases are in the baseline.
func overlap(before *bench.Report, cases []bench.Case) bool {
	for i := range cases {
		if before.Find(cases[i].Name) != nil {
			return true
		}
	}
	return false
}

// plotNames labels the baselines and this run.
func plotNames(files []string) (names []string) {
	for _, f := range files {
		base, _, _ := strings.Cut(filepath.Base(f), ".")
		names = append(names, input.Shown(base))
	}
	return append(names, "now")
}

// showProgress tells a person at a terminal what is being measured; done wipes
// that away.
func (c *cli) showProgress(opts *bench.Options, cases int) (done func()) {
	f, ok := c.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	n := 0
	opts.Progress = func(name string) {
		fmt.Fprintf(f, "\r\x1b[K%d of %d, %s", n%cases+1, cases, name)
		n++
	}
	return func() { fmt.Fprint(f, "\r\x1b[K") }
}

// benchCases returns what is to be measured.
func (c *cli) benchCases(ctx context.Context, cmd *cobra.Command, f *benchFlags, args []string) ([]bench.Case, error) {
	var cases []bench.Case
	if len(args) == 0 {
		for _, n := range f.sizes {
			if _, err := bench.Make("orders", n, "none"); err != nil {
				return nil, usagef(cmd, "--sizes: %v", err)
			}
		}
		cases = bench.Builtin(f.sizes)
	} else {
		var err error
		if cases, err = c.inputCases(ctx, cmd, f, args); err != nil {
			return nil, err
		}
	}
	if f.only == "" {
		return cases, nil
	}
	match, err := regexp.Compile(f.only)
	if err != nil {
		return nil, usagef(cmd, "--only: %v", err)
	}
	var chosen []bench.Case
	for _, x := range cases {
		if match.MatchString(x.Name) {
			chosen = append(chosen, x)
		}
	}
	if len(chosen) == 0 {
		return nil, usagef(cmd, "--only %s matches none of %d cases", quoted(f.only), len(cases))
	}
	return chosen, nil
}

// inputCases reads the inputs and makes cases of each and the next one.
func (c *cli) inputCases(ctx context.Context, cmd *cobra.Command, f *benchFlags, args []string) ([]bench.Case, error) {
	names, err := filesOf(args)
	if err != nil {
		return nil, err
	}
	if len(names) < 2 {
		return nil, usagef(cmd, "want two inputs at least, to compare each with the next")
	}
	r := c.reader(&f.inputFlags)
	files := make([]*input.File, len(names))
	for i, name := range names {
		if files[i], err = r.open(ctx, name); err != nil {
			return nil, err
		}
	}
	var cases []bench.Case
	for i := range len(files) - 1 {
		b, a := files[i], files[i+1]
		before, err := r.decode(b, r.rows, nil)
		if err != nil {
			return nil, err
		}
		if _, err := r.decode(a, r.rows, before); err != nil {
			return nil, err
		}
		p := bench.Pair{Name: "pair=" + pairName(b.Name) + ".." + pairName(a.Name), Before: b.Data, After: a.Data, Read: f.readPair(b.Kind, a.Kind)}
		cases = append(cases, p.Cases()...)
	}
	return cases, r.checkUsed(cmd)
}

// pairName is what a case calls an input: the last part of its name, without
// what a name of a case means something by.
func pairName(file string) string {
	return strings.NewReplacer("/", "_", "=", "_").Replace(input.Shown(filepath.Base(file)))
}

// filesOf replaces directories by the files in them, in order of their names.
func filesOf(args []string) (names []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			names = append(names, arg) // what is wrong with it shows when it is read
			continue
		}
		list, err := os.ReadDir(arg)
		if err != nil {
			return nil, &fileError{arg, err}
		}
		for _, e := range list {
			if e.Type() == fs.ModeDir || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			names = append(names, filepath.Join(arg, e.Name()))
		}
	}
	return names, nil
}

// readPair returns a function that reads pairs of these kinds as diff does, but
// with one decoder that stays warm.
func (f *benchFlags) readPair(before, after input.Kind) func(before, after []byte) (b, a *snapshot.Snapshot, err error) {
	var d capture.Decoder
	page := func(data []byte, before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
		return html.Decode(data, &html.Options{MaxBytes: math.MaxInt64, Infer: f.infer, Before: before})
	}
	options := func(kind input.Kind) *capture.Options {
		return &capture.Options{Rows: f.rows, NDJSON: kind == input.NDJSON, Key: f.key, MaxDepth: f.maxDepth}
	}
	return func(dataBefore, dataAfter []byte) (b, a *snapshot.Snapshot, err error) {
		if before == input.HTML {
			b, err = page(dataBefore, nil)
		} else {
			b, err = d.Decode(dataBefore, options(before))
		}
		switch {
		case err != nil:
		case after == input.HTML:
			a, err = page(dataAfter, b)
		case before == input.HTML:
			a, err = d.Decode(dataAfter, options(after))
		default:
			a, err = d.DecodeNext(dataAfter, options(after))
		}
		return b, a, err
	}
}
