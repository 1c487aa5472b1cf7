package exposure

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSteps bounds the work of applying a schema to one call's parameters. A step is
// a schema applied to a value, or about as much work.
const maxSteps = 4 << 20

const tooLong = "it takes too long to apply the schema"

// affords reports whether s can be applied to args in reasonable time. Nothing
// else is done with both before.
func (s *Schema) affords(args any) bool {
	left := maxSteps
	return affordable(s.compiled, args, &left, 0)
}

// affordable reports whether applying c to v takes at most *left steps, which it
// counts down.
func affordable(c *jsonschema.Schema, v any, left *int, depth int) bool {
	if *left -= 1 + own(c, v, *left); *left < 0 || depth > maxDepth {
		return false
	}
	if !inPlace(c, possible, func(sub *jsonschema.Schema) bool { return affordable(sub, v, left, depth+1) }) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			for re := range c.PatternProperties {
				*left -= costOf(re, name)
			}
			if *left < 0 {
				return false
			}
			if c.PropertyNames != nil && !affordable(c.PropertyNames, name, left, depth+1) {
				return false
			}
			if !ofMember(c, name, func(sub *jsonschema.Schema) bool { return affordable(sub, e, left, depth+1) }) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			if !ofElement(c, i, func(sub *jsonschema.Schema) bool { return affordable(sub, e, left, depth+1) }) {
				return false
			}
		}
	}
	return true
}

// own returns the steps of what c says of v itself, or more than most.
func own(c *jsonschema.Schema, v any, most int) int {
	n := 0
	switch v := v.(type) {
	case string:
		if c.Pattern != nil {
			n = costOf(c.Pattern, v)
		}
	case json.Number:
		n = weight(v, most) // its type, its bounds
	case map[string]any:
		n = len(c.Required)
		for _, names := range c.DependentRequired {
			n += 1 + len(names)
		}
		for _, d := range c.Dependencies {
			if names, ok := d.([]string); ok {
				n += 1 + len(names)
			}
		}
	}
	alike := 0 // values that v is compared with
	if c.Enum != nil {
		alike = len(c.Enum.Values)
	}
	if c.Const != nil {
		alike++
	}
	if alike > 0 && n <= most {
		n += alike * weight(v, most/alike+1)
	}
	return n
}

// weight returns the steps that comparing v takes at most, or more than most.
func weight(v any, most int) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/64
	case json.Number:
		digits := len(v)
		if i := strings.IndexAny(string(v), "eE"); i >= 0 {
			e, err := strconv.Atoi(string(v[i+1:]))
			if err != nil {
				e = most
			}
			digits += max(e, -e)
		}
		// Reading a number takes more than linear time.
		return 2 + digits/8 + int(min(int64(digits)*int64(digits)>>16, int64(most)+1))
	case map[string]any:
		n := 1
		for name, e := range v {
			if n += len(name)/64 + weight(e, most-n); n > most {
				break
			}
		}
		return n
	case []any:
		n := 1
		for _, e := range v {
			if n += weight(e, most-n); n > most {
				break
			}
		}
		return n
	}
	return 1
}
