package exposure

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/records"
)

// maxWalk bounds how deep schema and arguments are followed together.
const maxWalk = 200

// A reach says which keywords are followed from a schema to others that apply to
// the same value.
type reach int

const (
	certain  reach = iota // those that always apply: $ref, allOf
	possible              // also those that may apply: anyOf, oneOf, if, then, else, dependentSchemas
)

// applied returns the schemas that apply to the same value as the given ones,
// those included.
func (s *Schema) applied(docs []any, how reach) []map[string]any {
	var out []map[string]any
	seen := map[string]bool{} // references followed
	var add func(doc any, depth int)
	add = func(doc any, depth int) {
		m, ok := doc.(map[string]any)
		if !ok || depth > maxWalk {
			return
		}
		out = append(out, m)
		if ref, ok := m["$ref"].(string); ok && !seen[ref] && len(ref) > 0 && ref[0] == '#' {
			seen[ref] = true
			add(resolve(s.doc, ref), depth+1)
		}
		lists := []string{"allOf"}
		if how == possible {
			lists = append(lists, "anyOf", "oneOf")
			for _, name := range []string{"if", "then", "else"} {
				add(m[name], depth+1)
			}
			if deps, ok := m["dependentSchemas"].(map[string]any); ok {
				for _, name := range slices.Sorted(maps.Keys(deps)) {
					add(deps[name], depth+1)
				}
			}
		}
		for _, name := range lists {
			list, _ := m[name].([]any)
			for _, sub := range list {
				add(sub, depth+1)
			}
		}
	}
	for _, doc := range docs {
		add(doc, 0)
	}
	return out
}

// ofMember returns the schemas in docs that apply to a member.
func ofMember(docs []map[string]any, name string) (out []any) {
	for _, m := range docs {
		matched := false
		if props, ok := m["properties"].(map[string]any); ok && props[name] != nil {
			out, matched = append(out, props[name]), true
		}
		if patterns, ok := m["patternProperties"].(map[string]any); ok {
			for _, p := range slices.Sorted(maps.Keys(patterns)) {
				if re, err := regexp.Compile(p); err != nil || re.MatchString(name) {
					out, matched = append(out, patterns[p]), true
				}
			}
		}
		if !matched && m["additionalProperties"] != nil {
			out = append(out, m["additionalProperties"])
		}
		if m["unevaluatedProperties"] != nil {
			out = append(out, m["unevaluatedProperties"])
		}
	}
	return out
}

// ofElement returns the schemas in docs that apply, or may apply, to element i.
func ofElement(docs []map[string]any, i int) (out []any) {
	for _, m := range docs {
		for _, name := range []string{"prefixItems", "items"} {
			if list, ok := m[name].([]any); ok && i < len(list) {
				out = append(out, list[i])
			}
		}
		for _, name := range []string{"items", "additionalItems", "unevaluatedItems", "contains"} {
			if m[name] != nil {
				out = append(out, m[name])
			}
		}
	}
	return out
}

// complete returns args with the declared defaults of missing members. It
// changes args. A value that came from a default is not completed further.
func (s *Schema) complete(args any) any {
	s.completeIn(args, []any{s.doc}, 0)
	return args
}

func (s *Schema) completeIn(v any, schemas []any, depth int) {
	if depth > maxWalk {
		return
	}
	docs := s.applied(schemas, certain)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.completeIn(v[name], ofMember(docs, name), depth+1)
		}
		for _, m := range docs {
			props, _ := m["properties"].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(props)) {
				if _, ok := v[name]; ok {
					continue
				}
				for _, sub := range s.applied([]any{props[name]}, certain) {
					if d, ok := sub["default"]; ok {
						v[name] = cloned(d)
						break
					}
				}
			}
		}
	case []any:
		for i, e := range v {
			s.completeIn(e, ofElement(docs, i), depth+1)
		}
	}
}

// cloned returns a deep copy of a JSON value.
func cloned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = cloned(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cloned(e)
		}
		return out
	}
	return v
}

// redact returns args with secrets masked. It changes args.
func (s *Schema) redact(args any) any { return s.redactIn(args, []any{s.doc}, 0) }

func (s *Schema) redactIn(v any, schemas []any, depth int) any {
	if depth > maxWalk {
		return records.MaskedText // better too much than a secret
	}
	docs := s.applied(schemas, possible)
	if slices.ContainsFunc(docs, secret) {
		if v == "" || v == nil {
			return v
		}
		return records.MaskedText
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = s.redactIn(v[name], ofMember(docs, name), depth+1)
		}
	case []any:
		for i, e := range v {
			v[i] = s.redactIn(e, ofElement(docs, i), depth+1)
		}
	}
	return v
}

// secret reports whether a schema marks its value as one.
func secret(m map[string]any) bool {
	return m["writeOnly"] == true || m["format"] == "password" || m["x-sensitive"] == true
}

// anySecret reports whether any schema in doc does.
func anySecret(doc any) bool {
	switch doc := doc.(type) {
	case map[string]any:
		if secret(doc) {
			return true
		}
		for _, sub := range doc {
			if anySecret(sub) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(doc, anySecret)
	}
	return false
}

// checkDefaults returns an error for a default that breaks its own schema.
func (s *Schema) checkDefaults() error {
	seen := map[*jsonschema.Schema]bool{}
	var walk func(c *jsonschema.Schema) error
	walk = func(c *jsonschema.Schema) error {
		if c == nil || seen[c] {
			return nil
		}
		seen[c] = true
		for _, name := range slices.Sorted(maps.Keys(c.Properties)) {
			sub := c.Properties[name]
			if sub.Default != nil {
				if list := (&Schema{compiled: sub}).Validate(*sub.Default); list != nil {
					return fmt.Errorf("%w: the default of %q: %s", ErrSchema, name, list[0].Message)
				}
			}
			if err := walk(sub); err != nil {
				return err
			}
		}
		for _, sub := range c.AllOf {
			if err := walk(sub); err != nil {
				return err
			}
		}
		if err := walk(c.Ref); err != nil {
			return err
		}
		return walk(c.Items2020)
	}
	return walk(s.compiled)
}
