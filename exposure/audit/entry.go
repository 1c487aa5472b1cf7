// Package audit keeps one entry for each attempt to call an action.
//
// A [Sink] takes entries; there are two: [Ring] keeps the latest in memory, and
// [Log] appends them to a file of which nothing acknowledged is lost.
package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/pagestate/pagestate/records"
)

// An Entry is one attempt. An entry given to a sink must not be changed any more.
type Entry struct {
	Time   time.Time // when it began
	Who    string
	Page   string
	Action string // as it was asked for
	// Params are what it was asked for with, secrets masked; nil if nothing is
	// known of them, so that they cannot be told from secrets.
	Params json.RawMessage
	// Decision is "allow", "deny", "confirm" (a person agreed), "refuse" (a
	// person did not), "unanswered", or "" if none was reached.
	Decision string
	Timings  Timings
	Code     string          // "" if it was ok
	Result   json.RawMessage // as it was returned: status, data, evidence
}

// Timings say where the time of an attempt went.
type Timings struct {
	Wait    time.Duration // for its turn
	Policy  time.Duration // until the policy and the person had decided
	Run     time.Duration
	Expect  time.Duration
	Observe time.Duration // snapshots, settling, evidence
	Total   time.Duration
}

// A Sink takes entries. It must be safe for concurrent use.
type Sink interface {
	// Append returns once e is kept as safely as the sink keeps entries.
	Append(e *Entry) error
}

// Tee returns a sink that gives each entry to all of sinks. It fails with the
// first failure, a panic included, after all were tried.
func Tee(sinks ...Sink) Sink { return tee(sinks) }

type tee []Sink

func (t tee) Append(e *Entry) (first error) {
	for _, s := range t {
		if err := tried(s, e); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func tried(s Sink, e *Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the sink panicked: %v", r)
		}
	}()
	return s.Append(e)
}

// AppendJSON appends e as one line of JSON without its line break; times are in
// milliseconds. Params and Result must be JSON.
//
//	{"time","who","page","action","params","decision","ms":{"wait","policy","run","expect","observe","total"},"code","result"}
//
// Members are absent when they are empty, except time, action and ms.
func (e *Entry) AppendJSON(dst []byte) []byte {
	dst = records.AppendQuoted(append(dst, `{"time":`...), e.Time.UTC().Format(time.RFC3339Nano))
	text := func(name, s string) {
		if s != "" {
			dst = append(append(append(dst, `,"`...), name...), `":`...)
			dst = records.AppendQuoted(dst, s)
		}
	}
	text("who", e.Who)
	text("page", e.Page)
	dst = records.AppendQuoted(append(dst, `,"action":`...), e.Action)
	if e.Params != nil {
		dst = append(append(dst, `,"params":`...), e.Params...)
	}
	text("decision", e.Decision)
	dst = append(dst, `,"ms":{`...)
	for i, m := range e.Timings.list() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), m.name...), `":`...)
		dst = strconv.AppendFloat(dst, float64((*m.at).Microseconds())/1000, 'f', -1, 64)
	}
	dst = append(dst, '}')
	text("code", e.Code)
	if e.Result != nil {
		dst = append(append(dst, `,"result":`...), e.Result...)
	}
	return append(dst, '}')
}

type timing struct {
	name string
	at   *time.Duration
}

func (t *Timings) list() []timing {
	return []timing{{"wait", &t.Wait}, {"policy", &t.Policy}, {"run", &t.Run}, {"expect", &t.Expect}, {"observe", &t.Observe}, {"total", &t.Total}}
}

// UnmarshalJSON reads what AppendJSON wrote.
func (e *Entry) UnmarshalJSON(text []byte) error {
	var in struct {
		Time                              time.Time
		Who, Page, Action, Decision, Code string
		Params, Result                    json.RawMessage
		Ms                                map[string]float64
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*e = Entry{Time: in.Time, Who: in.Who, Page: in.Page, Action: in.Action, Decision: in.Decision, Code: in.Code,
		Params: in.Params, Result: in.Result}
	for _, m := range e.Timings.list() {
		*m.at = time.Duration(in.Ms[m.name] * float64(time.Millisecond)).Round(time.Microsecond)
	}
	return nil
}
