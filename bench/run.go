package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"
)

// Options say how to run. nil and zero fields mean the documented default.
type Options struct {
	// Samples is how many samples are taken of each case; 30 by default, none if
	// it is negative.
	Samples int
	// Each is about how long a sample takes, of ours and of the reference; 2 ms by
	// default.
	Each time.Duration
	// Against is a baseline: what looks slower than it is measured again.
	Against *Report
	// Rules say what is slower.
	Rules *Rules
	// Progress, if not nil, is told what is about to be measured.
	Progress func(name string)
}

const (
	// DefaultSamples is how many samples are taken of each case unless Options says
	// otherwise.
	DefaultSamples = 30
	defaultEach    = 2 * time.Millisecond

	// rounds is how often each case is set up anew, with samples taken between
	// one time and the next: where its memory happens to lie, and what the
	// machine does for some seconds, then tell on a part of the samples only.
	rounds = 5
	// repeats is how often a case that looks slower is measured again.
	repeats = 2
)

func (o *Options) samples() int {
	if o.Samples == 0 {
		return DefaultSamples
	}
	return max(0, o.Samples)
}

func (o *Options) each() time.Duration {
	if o.Each <= 0 {
		return defaultEach
	}
	return o.Each
}

// Run measures the cases, which must give the right answer, and returns what it
// measured in their order. It ends early, with the context's error, between two
// cases.
func Run(ctx context.Context, cases []Case, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	report := &Report{Format: ReportFormat, Machine: ThisMachine(), Results: make([]Result, len(cases))}
	all := make([]int, len(cases))
	for i := range all {
		all[i] = i
		report.Results[i].Name = cases[i].Name
	}
	if err := measure(ctx, cases, all, report.Results, opts); err != nil {
		return nil, err
	}
	for range repeats {
		slower := opts.slower(report)
		if len(slower) == 0 {
			break
		}
		again := make([]Result, len(cases))
		if err := measure(ctx, cases, slower, again, opts); err != nil {
			return nil, err
		}
		for _, i := range slower {
			before, _ := report.Results[i].Ratio()
			if now, _ := again[i].Ratio(); now < before {
				report.Results[i].Ours, report.Results[i].Reference = again[i].Ours, again[i].Reference
			}
		}
	}
	return report, nil
}

// slower returns the results that look slower than the baseline.
func (o *Options) slower(report *Report) (list []int) {
	if o.Against == nil || o.Rules.exactOnly() {
		return nil
	}
	for i, c := range Compare(o.Against, report, o.Rules) {
		if c.Time != nil && c.Time.Verdict == Worse {
			list = append(list, i)
		}
	}
	return list
}

// measure measures the cases of these numbers.
func measure(ctx context.Context, cases []Case, numbers []int, results []Result, opts *Options) error {
	left := opts.samples()
	for round := range rounds {
		samples := (left + rounds - round - 1) / (rounds - round)
		left -= samples
		if round > 0 && samples == 0 {
			break
		}
		for _, i := range numbers {
			if err := ctx.Err(); err != nil {
				return err
			}
			if opts.Progress != nil {
				opts.Progress(cases[i].Name)
			}
			if err := measureOne(&cases[i], &results[i], round == 0, samples, opts.each()); err != nil {
				return fmt.Errorf("%s: %w", cases[i].Name, err)
			}
		}
	}
	return nil
}

func measureOne(c *Case, r *Result, exact bool, samples int, each time.Duration) error {
	s, err := c.setup()
	if err != nil {
		return err
	}
	runtime.GC()
	op := plantAllocation(s.op)
	if exact {
		r.Figures = figures(s, op)
	}
	if samples > 0 {
		collect, start := stopCollector()
		times := interleave(samples, each, collect, plantDelay(repeat(op)), repeat(s.reference))
		start()
		r.Ours = appendRounded(r.Ours, times[0])
		r.Reference = appendRounded(r.Reference, times[1])
	}
	return nil
}

// appendRounded appends times with five digits, which is more than they are worth.
func appendRounded(dst, times []float64) []float64 {
	for _, t := range times {
		t = max(t, 1e-3)
		unit := math.Pow(10, math.Floor(math.Log10(t))-4)
		if t = math.Round(t/unit) * unit; unit < 1 {
			inverse := math.Round(1 / unit)
			t = math.Round(t*inverse) / inverse
		}
		dst = append(dst, t)
	}
	return dst
}

func figures(s *subject, op func()) Figures {
	op()
	n := s.changes.Counts()
	f := Figures{Records: int64(s.records), Bytes: s.bytes, Evidence: int64(len(s.evidence)),
		Added: int64(n.Added), Removed: int64(n.Removed), Updated: int64(n.Updated), Reordered: int64(n.Reordered)}
	f.Allocs, f.AllocBytes = Allocations(op)
	return f
}
