package call

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// A Code says why a call is not ok.
type Code string

// The codes.
const (
	ActionNotFound    Code = "ACTION_NOT_FOUND"
	ActionAmbiguous   Code = "ACTION_AMBIGUOUS"
	ActionChanged     Code = "ACTION_CHANGED"
	ActionUnavailable Code = "ACTION_UNAVAILABLE"
	InvalidParams     Code = "INVALID_PARAMS"
	PolicyDenied      Code = "POLICY_DENIED"
	ActionFailed      Code = "ACTION_FAILED"
	Timeout           Code = "TIMEOUT"
	Aborted           Code = "ABORTED"
	ExpectationFailed Code = "EXPECTATION_FAILED"
	Navigated         Code = "NAVIGATED"
	PageGone          Code = "PAGE_GONE"
)

// An Error says why a call is not ok.
type Error struct {
	Code       Code
	Reason     string               // one sentence, at most 1 KiB
	Candidates []string             // ids, of an ambiguous name
	Details    []exposure.Violation // of invalid parameters
}

// Error returns code and reason.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Reason }

// A Result is what became of one call. It belongs to who called.
type Result struct {
	OK     bool
	Action *snapshot.Action // as it was found; nil if it was not
	Err    *Error           // nil if OK
	Expect string           // the expectation that was seen to hold, or ""

	// Data is what the action returned, JSON of at most MaxDataBytes; nil if it
	// returned nothing. DataBytes is the length of the whole if that was cut, else 0.
	Data      json.RawMessage
	DataBytes int

	Changed json.RawMessage // evidence; nil if nothing ran
	Between json.RawMessage // what had changed before, since the last look; nil if nothing
	// Unfinished are the actions whose earlier calls were left behind and had not
	// returned when this one began: what changed may be their effects.
	Unfinished []string
	// Same says that Changed is an observation and holds no difference.
	Same bool

	// AuditErr is why the attempt could not be audited, nil if it was.
	AuditErr error
}

// maxText bounds reasons and descriptions, in bytes.
const maxText = 1 << 10

// shown returns s, or if it is longer than limit a beginning of it and its
// length.
func shown(s string, limit int) string {
	whole := len(s)
	if !utf8.ValidString(s) {
		// As it will be written: each broken part takes three bytes.
		s = string(records.AppendText(nil, s[:min(len(s), 4*limit)]))
	}
	if len(s) <= limit {
		return s
	}
	const mark = 32 // longer than any mark
	head := safetext.Head(s, limit-mark)
	return string(safetext.AppendCutMark([]byte(s[:head]), whole))
}

// AppendJSON appends the result as one line of JSON without its line break:
//
//	{"ok","action":{"id","description"},"error":{"code","reason","candidates","details":[{"pointer","message"}]},
//	 "expect","data","dataTruncated":{"bytes"},"changed","between","unfinished":[ids]}
//
// Members are absent when there is nothing to say: data when the action returned
// nothing, changed when nothing ran, unfinished when nothing was left behind.
func (r *Result) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendBool(append(dst, `{"ok":`...), r.OK)
	if r.Action != nil {
		dst = append(dst, `,"action":{"id":`...)
		dst = records.AppendQuoted(dst, shown(r.Action.ID, maxText))
		dst = append(dst, `,"description":`...)
		dst = records.AppendQuoted(dst, shown(r.Action.Description, maxText))
		dst = append(dst, '}')
	}
	if r.Err != nil {
		dst = r.Err.appendJSON(append(dst, `,"error":`...))
	}
	if r.Expect != "" {
		dst = records.AppendQuoted(append(dst, `,"expect":`...), shown(r.Expect, maxText))
	}
	if r.Data != nil {
		dst = append(append(dst, `,"data":`...), r.Data...)
	}
	if r.DataBytes > 0 {
		dst = strconv.AppendInt(append(dst, `,"dataTruncated":{"bytes":`...), int64(r.DataBytes), 10)
		dst = append(dst, '}')
	}
	if r.Changed != nil {
		dst = append(append(dst, `,"changed":`...), r.Changed...)
	}
	if r.Between != nil {
		dst = append(append(dst, `,"between":`...), r.Between...)
	}
	if r.Unfinished != nil {
		dst = appendIDs(append(dst, `,"unfinished":`...), r.Unfinished)
	}
	return append(dst, '}')
}

func (e *Error) appendJSON(dst []byte) []byte {
	dst = records.AppendQuoted(append(dst, `{"code":`...), string(e.Code))
	dst = records.AppendQuoted(append(dst, `,"reason":`...), shown(e.Reason, maxText))
	if e.Candidates != nil {
		dst = appendIDs(append(dst, `,"candidates":`...), e.Candidates)
	}
	if e.Details != nil {
		dst = append(dst, `,"details":[`...)
		for i, v := range e.Details {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = records.AppendQuoted(append(dst, `{"pointer":`...), shown(v.Pointer, maxText))
			dst = records.AppendQuoted(append(dst, `,"message":`...), shown(v.Message, maxText))
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendIDs(dst []byte, ids []string) []byte {
	dst = append(dst, '[')
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = records.AppendQuoted(dst, shown(id, maxText))
	}
	return append(dst, ']')
}

// MarshalJSON returns what AppendJSON appends.
func (r *Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// AppendText appends the result as lines for an agent's history, each begun by a
// word of ours: status, error, expectation, data and evidence, all data as JSON.
// That an action returned nothing is stated.
func (r *Result) AppendText(dst []byte) []byte {
	switch {
	case r.OK:
		dst = append(dst, "ok"...)
	default:
		dst = append(dst, r.Err.Code...)
	}
	if r.Action != nil {
		dst = records.AppendQuoted(append(dst, ' '), shown(r.Action.ID, maxText))
	}
	dst = append(dst, '\n')
	if r.Err != nil {
		dst = records.AppendQuoted(append(dst, "reason "...), shown(r.Err.Reason, maxText))
		dst = append(dst, '\n')
		for _, id := range r.Err.Candidates {
			dst = append(records.AppendQuoted(append(dst, "candidate "...), shown(id, maxText)), '\n')
		}
		for _, v := range r.Err.Details {
			dst = records.AppendQuoted(append(dst, "parameter "...), shown(v.Pointer, maxText))
			dst = append(records.AppendQuoted(append(dst, ' '), shown(v.Message, maxText)), '\n')
		}
	}
	if r.Expect != "" {
		dst = append(records.AppendQuoted(append(dst, "expected and seen "...), shown(r.Expect, maxText)), '\n')
	}
	switch {
	case r.DataBytes > 0:
		dst = strconv.AppendInt(append(dst, "data, cut from "...), int64(r.DataBytes), 10)
		dst = append(append(append(dst, " bytes "...), r.Data...), '\n')
	case r.Data != nil:
		dst = append(append(append(dst, "data "...), r.Data...), '\n')
	case r.OK:
		dst = append(dst, "returned nothing\n"...)
	}
	if r.Changed != nil {
		dst = append(append(append(dst, "changed "...), r.Changed...), '\n')
	}
	if r.Between != nil {
		dst = append(append(append(dst, "changed before "...), r.Between...), '\n')
	}
	for _, id := range r.Unfinished {
		dst = append(records.AppendQuoted(append(dst, "unfinished "...), shown(id, maxText)), '\n')
	}
	return dst
}
