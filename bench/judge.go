package bench

import "golang.org/x/perf/benchmath"

// DefaultThreshold is by which part of it a time must have grown to be a
// regression. It was chosen by TestRegression: twenty runs without a change stay
// below it, a slowdown by 15% does not.
const DefaultThreshold = 0.10

// alpha is how likely a difference of times may be chance to count.
const alpha = 0.001

// Rules say what is a regression. nil and zero fields mean the documented
// default.
type Rules struct {
	Threshold float64 // of times, DefaultThreshold; 0.1 means 10%
	Exact     bool    // judge only what is exact; times are compared all the same
}

func (r *Rules) threshold() float64 {
	if r == nil || r.Threshold == 0 {
		return DefaultThreshold
	}
	return r.Threshold
}

func (r *Rules) exactOnly() bool { return r != nil && r.Exact }

// A Verdict says what became of a figure.
type Verdict string

// The verdicts. Worse and Different are regressions.
const (
	Same      Verdict = "same"
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Different Verdict = "different" // another answer, or another input
	Unjudged  Verdict = "unjudged"  // made by another version of Go or for another processor
)

// A Change is a figure that was compared.
type Change struct {
	Figure  string  `json:"figure"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	P       float64 `json:"p,omitempty"` // of times: how likely the difference is chance
	Verdict Verdict `json:"verdict"`
}

// Part returns by which part of itself the figure grew.
func (c *Change) Part() float64 { return c.After/c.Before - 1 }

// A Comparison is one result beside that of the baseline.
type Comparison struct {
	Name  string   `json:"name"`
	New   bool     `json:"new,omitempty"`   // the baseline does not have it
	Time  *Change  `json:"time,omitempty"`  // as a multiple of the reference
	Exact []Change `json:"exact,omitempty"` // what is not the same
}

// Regressed reports whether something is worse or different.
func (c *Comparison) Regressed(rules *Rules) bool {
	for _, x := range c.Exact {
		if x.Verdict == Worse || x.Verdict == Different {
			return true
		}
	}
	return !rules.exactOnly() && c.Time != nil && c.Time.Verdict == Worse
}

// Compare compares each result of after with that of before of the same name. The
// comparisons are in the order of after's results.
func Compare(before, after *Report, rules *Rules) []Comparison {
	alike := before.Machine.Go == after.Machine.Go && before.Machine.Arch == after.Machine.Arch
	byName := make(map[string]*Result, len(before.Results))
	for i := range before.Results {
		byName[before.Results[i].Name] = &before.Results[i]
	}
	list := make([]Comparison, len(after.Results))
	for i := range list {
		a := &after.Results[i]
		b := byName[a.Name]
		list[i] = Comparison{Name: a.Name, New: b == nil}
		if b == nil {
			continue
		}
		list[i].Exact = compareFigures(&b.Figures, &a.Figures, alike)
		if a.Timed() && b.Timed() {
			list[i].Time = compareTimes(b, a, rules.threshold())
		}
	}
	return list
}

func compareTimes(before, after *Result, threshold float64) *Change {
	c := &Change{Figure: "time", Verdict: Same}
	c.Before, _ = before.Ratio()
	c.After, _ = after.Ratio()
	c.P = benchmath.AssumeNothing.Compare(sampleOf(before.ratios()), sampleOf(after.ratios())).P
	switch {
	case c.P >= alpha:
	case c.Part() > threshold:
		c.Verdict = Worse
	case c.Part() < -threshold:
		c.Verdict = Better
	}
	return c
}

// compareFigures returns the figures that are not the same. alike says that
// allocations are comparable.
func compareFigures(before, after *Figures, alike bool) (list []Change) {
	cost := func(name string, before, after int64, judged bool) {
		c := Change{Figure: name, Before: float64(before), After: float64(after), Verdict: Unjudged}
		switch {
		case before == after:
			return
		case !judged:
		case after > before:
			c.Verdict = Worse
		default:
			c.Verdict = Better
		}
		list = append(list, c)
	}
	answer := func(name string, before, after int64) {
		if before != after {
			list = append(list, Change{Figure: name, Before: float64(before), After: float64(after), Verdict: Different})
		}
	}
	answer("records", before.Records, after.Records)
	answer("added", before.Added, after.Added)
	answer("removed", before.Removed, after.Removed)
	answer("updated", before.Updated, after.Updated)
	answer("reordered", before.Reordered, after.Reordered)
	cost("bytes", before.Bytes, after.Bytes, true)
	cost("evidence", before.Evidence, after.Evidence, true)
	cost("allocs", before.Allocs, after.Allocs, alike)
	cost("allocBytes", before.AllocBytes, after.AllocBytes, alike)
	return list
}
