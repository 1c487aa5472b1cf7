package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// ReportFormat is the version of saved reports.
const ReportFormat = "pagestate-bench/1"

// A Report is what a run measured. The zero Report is of nothing.
type Report struct {
	Format  string   `json:"format"`
	Machine Machine  `json:"machine"`
	Results []Result `json:"results"`
}

// A Machine is where a report was made.
type Machine struct {
	Go    string `json:"go"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu,omitempty"` // model, where the system tells it
	Cores int    `json:"cores"`
}

// A Result is one case as measured.
type Result struct {
	Name    string  `json:"name"`
	Figures Figures `json:"figures"`
	// Ours and Reference are nanoseconds an operation, sample by sample, those of
	// one index measured one after the other. Empty if times were not measured.
	Ours      []float64 `json:"ours,omitempty"`
	Reference []float64 `json:"reference,omitempty"`
}

// Figures are what is exact of a case, for one operation.
type Figures struct {
	Records    int64 `json:"records"`    // after
	Bytes      int64 `json:"bytes"`      // read: of both sides' rows or files
	Allocs     int64 `json:"allocs"`     // objects
	AllocBytes int64 `json:"allocBytes"` // of them
	Evidence   int64 `json:"evidence"`   // bytes
	Added      int64 `json:"added"`
	Removed    int64 `json:"removed"`
	Updated    int64 `json:"updated"`
	Reordered  int64 `json:"reordered"` // scopes
}

// ThisMachine describes the machine that the program runs on.
func ThisMachine() Machine {
	return Machine{runtime.Version(), runtime.GOOS, runtime.GOARCH, cpuModel(), runtime.NumCPU()}
}

// String returns the machine in words.
func (m Machine) String() string {
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown processor"
	}
	return fmt.Sprintf("%s %s/%s, %s, %d cores", m.Go, m.OS, m.Arch, cpu, m.Cores)
}

// cpuModel returns the model of the processor, "" where it is not known.
func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

// ratios returns the times as multiples of the reference.
func (r *Result) ratios() []float64 {
	list := make([]float64, len(r.Ours))
	for i := range list {
		list[i] = r.Ours[i] / r.Reference[i]
	}
	return list
}

// Timed reports whether times were measured.
func (r *Result) Timed() bool { return len(r.Ours) > 0 }

// Ratio returns the median of the times as multiples of the reference, and by
// which part of it the confidence interval of 95% reaches to either side at most:
// infinitely far if there are fewer than six.
func (r *Result) Ratio() (median, spread float64) {
	s := benchmath.AssumeNothing.Summary(sampleOf(r.ratios()), 0.95)
	return s.Center, max(s.Hi-s.Center, s.Center-s.Lo) / s.Center
}

// PerRecord returns the median of the times, in nanoseconds a record.
func (r *Result) PerRecord() float64 {
	return benchmath.AssumeNothing.Summary(sampleOf(r.Ours), 0.95).Center / float64(max(1, r.Figures.Records))
}

func sampleOf(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// Find returns the result of that name, or nil.
func (r *Report) Find(name string) *Result {
	for i := range r.Results {
		if r.Results[i].Name == name {
			return &r.Results[i]
		}
	}
	return nil
}

// ReadReport reads a report that was saved.
func ReadReport(data []byte) (*Report, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	r := &Report{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("no report of the bench: %w", err)
	}
	if r.Format != ReportFormat {
		return nil, fmt.Errorf("no report of the bench: format %q, want %q", r.Format, ReportFormat)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if len(res.Ours) != len(res.Reference) {
			return nil, fmt.Errorf("result %q: %d times and %d of the reference", res.Name, len(res.Ours), len(res.Reference))
		}
		for k := range res.Ours {
			if res.Ours[k] <= 0 || res.Reference[k] <= 0 {
				return nil, fmt.Errorf("result %q: sample %d is not positive", res.Name, k)
			}
		}
	}
	return r, nil
}

// AppendReport appends a report as JSON to be saved, one result a line.
func AppendReport(dst []byte, r *Report) []byte {
	machine, err := json.Marshal(r.Machine)
	if err != nil {
		panic(err) // strings and numbers
	}
	dst = fmt.Appendf(dst, "{\"format\":%q,\n \"machine\":%s,\n \"results\":[", r.Format, machine)
	for i := range r.Results {
		line, err := json.Marshal(&r.Results[i])
		if err != nil {
			panic(err)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, "\n  "...), line...)
	}
	return append(dst, "]}\n"...)
}
