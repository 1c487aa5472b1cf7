package snapshot

import "github.com/pagestate/pagestate/records"

// A State says whether a scope can be used now.
type State string

// The states of a scope. The empty State means Active.
const (
	Active   State = "active"
	Inactive State = "inactive"
	Covered  State = "covered"
)

// A Scope declares a region and how its records are to be read. Only ID is
// required.
type Scope struct {
	ID          string
	Label       string
	Description string
	Role        string
	Parent      string // id of the scope around it
	State       State

	Volatile  []string // fields that change by themselves and are not compared
	Sensitive []string // fields whose values are masked
	Unordered bool     // the order of records means nothing
	IDs       string   // identity space: scopes that share it share their record ids

	Total  *int64 // records that exist, of which those exposed are a window; 0 to MaxTotal
	Offset *int64 // index of the first exposed record among them; likewise
	// Partial says, where there is no Total, that more records may exist than are
	// exposed, and nobody can tell how many: a total was declared that is none. A
	// record that is not exposed then need not be gone.
	Partial bool

	Inferred bool // found without annotations; its records may lack ids
}

// An Action is something that can be done. ID and Description are required.
type Action struct {
	ID          string // as shown and called
	Group       string // provider or frame, part of its origin
	Name        string // its name there; "" means ID, less "@" and its record
	Description string
	Kind        string // "read", "write", or an app's word
	Primitive   string // "call", "click", "fill", ...

	Unavailable bool   // it cannot be attempted now
	Reason      string // why not; may be ""

	Params records.Value // JSON Schema; absent when there are no parameters
	Scope  string        // "" when it belongs to none
	Record string        // id of the record it acts on, "" when none
}

// A Page says where the exposure was found.
type Page struct {
	URL      string
	Title    string
	Document string // changes whenever the document is replaced; live sessions only
}

// A View tells how a capture was narrowed. The zero View means not at all.
type View struct {
	Scopes []string // the only scopes looked at; nil means all
	Limit  int64    // most records taken; 0 means all
}

// IsZero reports whether the view narrows nothing.
func (v View) IsZero() bool { return v.Scopes == nil && v.Limit == 0 }

// A Diagnostic is a fault of the exposure that did not stop it from being read.
type Diagnostic struct {
	Code    string // "duplicate-id", "bad-id", "repaired-text", ...
	At      string // "scope/id", "scope/id/field", an action id, or a place in the input
	Message string // one sentence; data in it is not escaped
}

// Limits bounds what a Builder keeps. Zero fields mean the documented default.
type Limits struct {
	MaxTracked int // records kept for comparison, 1,000,000 by default
}

// DefaultMaxTracked is the tracking bound unless Limits says otherwise.
const DefaultMaxTracked = 1_000_000

// MaxTotal is the largest total or offset that a scope may declare, so that sums
// of them never overflow.
const MaxTotal = 1_000_000_000_000

// maxDiagnostics bounds the diagnostics kept with a snapshot, by code.
const maxDiagnostics = 100
