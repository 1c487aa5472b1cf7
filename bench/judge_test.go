package bench

import (
	"math/rand/v2"
	"testing"
)

// noisy returns a result whose ratios are about that, give or take two percent.
func noisy(name string, ratio float64, seed uint64) Result {
	r := rand.New(rand.NewPCG(seed, 1))
	res := Result{Name: name}
	for range DefaultSamples {
		busy := 1 + 3*r.Float64() // slows both
		res.Ours = append(res.Ours, 1000*ratio*busy*(0.98+0.04*r.Float64()))
		res.Reference = append(res.Reference, 1000*busy)
	}
	return res
}

func reportOf(m Machine, results ...Result) *Report {
	return &Report{Format: ReportFormat, Machine: m, Results: results}
}

// TestCompareTimes checks what is a regression of time.
func TestCompareTimes(t *testing.T) {
	tests := []struct {
		name, why string
		after     float64 // before is 1
		threshold float64
		want      Verdict
	}{
		{"same", "", 1, 0, Same},
		{"little slower", "below the threshold", 1.05, 0, Same},
		{"slower", "", 1.15, 0, Worse},
		{"faster", "", 0.8, 0, Better},
		{"threshold", "it is the user's", 1.15, 0.2, Same},
		{"small threshold", "", 1.05, 0.03, Worse},
		{"no threshold would help", "chance", 1.001, 0.0001, Same},
	}
	for _, tt := range tests {
		t.Run("name="+tt.name, func(t *testing.T) {
			before, after := noisy("x", 1, 1), noisy("x", tt.after, 2)
			got := Compare(reportOf(Machine{}, before), reportOf(Machine{}, after), &Rules{Threshold: tt.threshold})[0]
			if got.Time == nil || got.Time.Verdict != tt.want {
				t.Errorf("%+v, want %s", got.Time, tt.want)
			}
			if regressed := tt.want == Worse; got.Regressed(nil) != regressed || got.Regressed(&Rules{Exact: true}) {
				t.Errorf("regressed %t, want %t", got.Regressed(nil), regressed)
			}
		})
	}
}

// TestCompareFigures checks what is a regression of exact figures.
func TestCompareFigures(t *testing.T) {
	base := Figures{Records: 10, Bytes: 100, Allocs: 1, AllocBytes: 16, Evidence: 200, Updated: 2}
	change := func(f func(*Figures)) Figures {
		g := base
		f(&g)
		return g
	}
	here := Machine{Go: "go1.26.8", Arch: "amd64"}
	tests := []struct {
		name, why string
		after     Figures
		machine   Machine
		want      Verdict // "" if nothing is told
		regressed bool
	}{
		{"same", "", base, here, "", false},
		{"one allocation", "", change(func(f *Figures) { f.Allocs++ }), here, Worse, true},
		{"one byte allocated", "", change(func(f *Figures) { f.AllocBytes++ }), here, Worse, true},
		{"fewer allocations", "", change(func(f *Figures) { f.Allocs = 0 }), here, Better, false},
		{"other Go", "the compiler may place values elsewhere", change(func(f *Figures) { f.Allocs++ }), Machine{Go: "go1.27", Arch: "amd64"}, Unjudged, false},
		{"other processor", "", change(func(f *Figures) { f.AllocBytes *= 2 }), Machine{Go: "go1.26.8", Arch: "386"}, Unjudged, false},
		{"one byte of evidence", "it is the same everywhere", change(func(f *Figures) { f.Evidence++ }), Machine{Go: "go1.27", Arch: "386"}, Worse, true},
		{"another answer", "", change(func(f *Figures) { f.Updated-- }), here, Different, true},
		{"another input", "", change(func(f *Figures) { f.Records++ }), here, Different, true},
	}
	for _, tt := range tests {
		t.Run("name="+tt.name, func(t *testing.T) {
			got := Compare(reportOf(here, Result{Name: "x", Figures: base}), reportOf(tt.machine, Result{Name: "x", Figures: tt.after}), nil)[0]
			if got.Regressed(nil) != tt.regressed || got.Regressed(&Rules{Exact: true}) != tt.regressed {
				t.Errorf("regressed %t, want %t", got.Regressed(nil), tt.regressed)
			}
			switch {
			case tt.want == "" && len(got.Exact) > 0, tt.want != "" && (len(got.Exact) != 1 || got.Exact[0].Verdict != tt.want):
				t.Errorf("%+v, want %q", got.Exact, tt.want)
			}
		})
	}
}

// TestCompareNames checks that results are compared by name.
func TestCompareNames(t *testing.T) {
	before := reportOf(Machine{}, Result{Name: "a"}, Result{Name: "b", Figures: Figures{Evidence: 1}})
	after := reportOf(Machine{}, Result{Name: "c"}, Result{Name: "b", Figures: Figures{Evidence: 1}})
	got := Compare(before, after, nil)
	if len(got) != 2 || !got[0].New || got[1].New || got[0].Regressed(nil) || got[1].Regressed(nil) || got[1].Time != nil {
		t.Errorf("%+v", got)
	}
}
