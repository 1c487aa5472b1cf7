package diff

import "errors"

// A Detail is how much evidence says about each change.
type Detail uint8

// The levels of detail. The zero Detail is Names.
const (
	Names  Detail = iota // names of changed fields, and extension members
	Basic                // the closed shape: nothing but lists, counts and totals
	Values               // names, plus what values changed from and to
)

// ParseDetail returns the level of that name.
func ParseDetail(name string) (Detail, error) {
	for d, n := range detailNames {
		if n == name {
			return Detail(d), nil
		}
	}
	return 0, errors.New("detail is basic, names or values")
}

var detailNames = [...]string{"names", "basic", "values"}

// String returns the level's name in lower case.
func (d Detail) String() string { return detailNames[d] }

// A Format says how evidence is written. Zero fields mean the defaults; every
// bound that cut something says how much.
type Format struct {
	Detail  Detail
	Compact bool // leave out empty lists, zero counts, false flags and equal totals

	MaxListed        int // entries per list, 20
	MaxFields        int // field names per entry, 16
	MaxIDBytes       int // bytes of an id or name, 128
	MaxValueBytes    int // bytes of a value, 256
	MaxEvidenceBytes int // bytes of the line or lines, 16 KiB, at least MinEvidenceBytes
}

// Defaults of Format.
const (
	DefaultMaxListed        = 20
	DefaultMaxFields        = 16
	DefaultMaxIDBytes       = 128
	DefaultMaxValueBytes    = 256
	DefaultMaxEvidenceBytes = 16 << 10
	MinEvidenceBytes        = 511 // so that a line of JSON and its end take 512
)

// maxBound is the largest bound, so that a multiple of one never overflows.
const maxBound = 1 << 28

// Most entries of members that have a fixed bound.
const (
	maxGroups      = 8  // updatedBy
	maxDiagnostics = 20 // diagnostics
	maxDialogs     = 20 // dialogs
	maxURLBytes    = 2048
	maxMessage     = 1024 // bytes of a message or reason
)

// withDefaults returns f with its defaults filled in; f may be nil.
func (f *Format) withDefaults() Format {
	var out Format
	if f != nil {
		out = *f
	}
	for _, v := range []struct {
		at    *int
		value int
	}{
		{&out.MaxListed, DefaultMaxListed}, {&out.MaxFields, DefaultMaxFields}, {&out.MaxIDBytes, DefaultMaxIDBytes},
		{&out.MaxValueBytes, DefaultMaxValueBytes}, {&out.MaxEvidenceBytes, DefaultMaxEvidenceBytes},
	} {
		if *v.at <= 0 {
			*v.at = v.value
		}
		*v.at = min(*v.at, maxBound)
	}
	out.MaxEvidenceBytes = max(out.MaxEvidenceBytes, MinEvidenceBytes)
	return out
}

// A Reason says why a page could not be observed.
type Reason string

// The reasons of evidence with observed:false.
const (
	NoBaseline   Reason = "no-baseline"
	NoSnapshot   Reason = "no-snapshot"
	Timeout      Reason = "timeout"
	PageClosed   Reason = "page-closed"
	PageCrashed  Reason = "page-crashed"
	Unresponsive Reason = "unresponsive"
	Incomplete   Reason = "incomplete"
	Cancelled    Reason = "cancelled"
)

// AppendUnobserved appends the evidence of an observation that could not be
// made. It has neither records nor actions, so that it reads neither as
// "unchanged" nor as "all removed".
func AppendUnobserved(dst []byte, reason Reason) []byte {
	dst = append(dst, `{"observed":false,"reason":"`...)
	dst = append(dst, reason...)
	return append(dst, `"}`...)
}
