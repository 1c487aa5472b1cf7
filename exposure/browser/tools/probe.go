package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Probe names a tool of the page that only reads, and whose result is captured
// before each snapshot as records of a scope: an array of objects is rows, an object
// one record, anything else one record with a field "value".
//
// When a probe fails, its records stay as they were last seen, and the snapshot has
// the diagnostic probe-failed. A result of more than 20,000 rows or 8 Mi characters is
// such a failure. If the tool has not answered in this document before, nobody can tell
// what there is: the snapshot has unread-exposure, and evidence is not observed.
type Probe struct {
	// Tool is the tool's name, with its group and "/" in front where several tools
	// have that name.
	Tool   string
	Params json.RawMessage // one JSON object; nil means {}
	// Path leads to a part of the result: names and indexes with dots between them
	// ("cart.items"), or a JSON pointer ("/cart/items").
	Path string
	// Scope is the id of the scope of the records; "" means Tool.
	Scope string
	// Key is the member that holds a row's id; "" means id, then _id, then key.
	Key string
}

// ErrProbe reports a probe that cannot be used.
var ErrProbe = errors.New("bad state probe")

// ParseProbe reads a probe as it is written on a command line:
//
//	TOOL[{"param":1}][#path][@key][=scope]
//
// in this order, as in `queryDatabaseTable{"tableName":"orders"}@order_id=orders`.
func ParseProbe(s string) (Probe, error) {
	var p Probe
	rest := s
	if i := strings.IndexByte(s, '{'); i >= 0 {
		d := json.NewDecoder(strings.NewReader(s[i:]))
		if err := d.Decode(&p.Params); err != nil {
			return p, fmt.Errorf("%w %q: the parameters are no JSON: %v", ErrProbe, s, err)
		}
		p.Tool, rest = s[:i], s[i+int(d.InputOffset()):]
	} else {
		end := len(s)
		if i := strings.IndexAny(s, "#@="); i >= 0 {
			end = i
		}
		p.Tool, rest = s[:end], s[end:]
	}
	for _, part := range []struct {
		mark byte
		at   *string
	}{{'=', &p.Scope}, {'@', &p.Key}, {'#', &p.Path}} {
		if i := strings.LastIndexByte(rest, part.mark); i >= 0 {
			if *part.at, rest = rest[i+1:], rest[:i]; *part.at == "" {
				return p, fmt.Errorf("%w %q: nothing follows %q", ErrProbe, s, part.mark)
			}
		}
	}
	if rest != "" {
		return p, fmt.Errorf("%w %q: what does %q mean?", ErrProbe, s, rest)
	}
	return p, p.check()
}

// check refuses a probe that is incomplete.
func (p *Probe) check() error {
	if p.Tool == "" {
		return fmt.Errorf("%w: it names no tool", ErrProbe)
	}
	var object map[string]json.RawMessage
	if p.Params != nil && (json.Unmarshal(p.Params, &object) != nil || object == nil) {
		return fmt.Errorf("%w: the parameters of %q are no JSON object", ErrProbe, p.Tool)
	}
	return nil
}

// A probe is what the script gets of a Probe.
type probe struct {
	Tool   string `json:"tool"`
	Params string `json:"params"`
	Path   string `json:"path"`
	Scope  string `json:"scope"`
	Record string `json:"record"` // id where the result is one record
	Key    string `json:"key"`
}

func (p *Probe) script() probe {
	q := probe{Tool: p.Tool, Params: "{}", Path: p.Path, Scope: p.Scope, Record: p.Tool, Key: p.Key}
	if p.Params != nil {
		q.Params = string(p.Params)
	}
	if q.Scope == "" {
		q.Scope = p.Tool
	}
	return q
}
