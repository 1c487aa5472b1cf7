package exposure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/records"
)

// This file follows a compiled schema beside the values that it applies to. The
// compiler has resolved all references, by pointer, anchor and id, so what is
// followed here is what is validated; keywords that it does not know are read from
// the text that it compiled.

// Bounds of following a schema.
const (
	maxWalk    = 200     // levels of schema and arguments together, for defaults and secrets
	maxApplied = 100_000 // schemas that one schema applies to one value
	maxDepth   = 20_000  // schemas within schemas there
)

// A reach says which keywords are followed from a schema to others that apply to
// the same value.
type reach int

const (
	certain  reach = iota // those that always apply: references, allOf
	possible              // also those that may apply: anyOf, oneOf, not, if, then, else, dependent ones
)

// inPlace calls yield with the schemas that c applies to the value it is applied
// to, until that returns false, and reports whether it never did.
func inPlace(c *jsonschema.Schema, how reach, yield func(*jsonschema.Schema) bool) bool {
	visit := func(list ...*jsonschema.Schema) bool {
		for _, sub := range list {
			if sub != nil && !yield(sub) {
				return false
			}
		}
		return true
	}
	if !visit(c.Ref, c.RecursiveRef) || c.DynamicRef != nil && !visit(c.DynamicRef.Ref) || !visit(c.AllOf...) {
		return false
	}
	if how == certain {
		return true
	}
	if !visit(c.AnyOf...) || !visit(c.OneOf...) || !visit(c.Not, c.If, c.Then, c.Else) {
		return false
	}
	for _, sub := range c.DependentSchemas {
		if !visit(sub) {
			return false
		}
	}
	for _, dep := range c.Dependencies {
		if sub, ok := dep.(*jsonschema.Schema); ok && !visit(sub) {
			return false
		}
	}
	return true
}

// ofMember calls yield with the schemas that c applies to a member.
func ofMember(c *jsonschema.Schema, name string, yield func(*jsonschema.Schema) bool) bool {
	matched := false
	if sub := c.Properties[name]; sub != nil {
		if matched = true; !yield(sub) {
			return false
		}
	}
	for re, sub := range c.PatternProperties {
		if re.MatchString(name) {
			if matched = true; !yield(sub) {
				return false
			}
		}
	}
	if sub, ok := c.AdditionalProperties.(*jsonschema.Schema); ok && !matched && !yield(sub) {
		return false
	}
	return c.UnevaluatedProperties == nil || yield(c.UnevaluatedProperties)
}

// ofElement calls yield with the schemas that c applies, or may apply, to element i.
func ofElement(c *jsonschema.Schema, i int, yield func(*jsonschema.Schema) bool) bool {
	list, one := c.PrefixItems, c.Items2020
	switch items := c.Items.(type) {
	case []*jsonschema.Schema:
		list = items
	case *jsonschema.Schema:
		one = items
	}
	if i < len(list) {
		if !yield(list[i]) {
			return false
		}
	} else {
		if one != nil && !yield(one) {
			return false
		}
		if sub, ok := c.AdditionalItems.(*jsonschema.Schema); ok && !yield(sub) {
			return false
		}
	}
	for _, sub := range []*jsonschema.Schema{c.UnevaluatedItems, c.Contains} {
		if sub != nil && !yield(sub) {
			return false
		}
	}
	return true
}

// index finds all schemas that can be reached from the compiled one, with their
// texts.
func (s *Schema) index() {
	s.texts = map[*jsonschema.Schema]map[string]any{}
	todo := []*jsonschema.Schema{s.compiled}
	add := func(sub *jsonschema.Schema) bool {
		todo = append(todo, sub)
		return true
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := s.texts[c]; seen {
			continue
		}
		s.texts[c] = nil
		if at, ok := strings.CutPrefix(c.Location, schemaURL+"#"); ok {
			s.texts[c], _ = resolve(s.doc, at).(map[string]any)
		}
		inPlace(c, possible, add)
		for _, sub := range c.Properties {
			add(sub)
		}
		for _, sub := range c.PatternProperties {
			add(sub)
		}
		if sub, ok := c.AdditionalProperties.(*jsonschema.Schema); ok {
			add(sub)
		}
		if c.UnevaluatedProperties != nil {
			add(c.UnevaluatedProperties)
		}
		for i := range c.PrefixItems {
			add(c.PrefixItems[i])
		}
		if list, ok := c.Items.([]*jsonschema.Schema); ok {
			for _, sub := range list {
				add(sub)
			}
		}
		ofElement(c, math.MaxInt, add)
	}
	if s.secret = anySecret(s.doc); !s.secret {
		return
	}
	s.hidden = make(map[*jsonschema.Schema]bool, len(s.texts))
	dynamic := dynamicSecret(s.doc)
	for c, text := range s.texts {
		s.hidden[c] = hides(c, text) || dynamic && (c.DynamicRef != nil || c.RecursiveRef != nil)
	}
}

// checkInPlace refuses schemas that apply to a value and then to the same value
// again, which would never end, and those that apply too many to one value.
func (s *Schema) checkInPlace() error {
	const open = -1
	applied := map[*jsonschema.Schema]int{}
	var count func(c *jsonschema.Schema) (int, error)
	count = func(c *jsonschema.Schema) (n int, err error) {
		if n, seen := applied[c]; n == open {
			return 0, fmt.Errorf("%w: the schema at %q leads back to itself", ErrSchema, strings.TrimPrefix(c.Location, schemaURL))
		} else if seen {
			return n, nil
		}
		applied[c] = open
		n = 1
		inPlace(c, possible, func(sub *jsonschema.Schema) bool {
			var more int
			if more, err = count(sub); err == nil {
				n += more
				if n > maxApplied {
					err = fmt.Errorf("%w: it applies more than %d schemas to one value", ErrSchema, maxApplied)
				}
			}
			return err == nil
		})
		applied[c] = n
		return n, err
	}
	for _, c := range slices.SortedFunc(maps.Keys(s.texts), func(a, b *jsonschema.Schema) int { return cmp.Compare(a.Location, b.Location) }) {
		if _, err := count(c); err != nil {
			return err
		}
	}
	return nil
}

// applied returns the schemas that apply to the same value as the given ones,
// those included.
func (s *Schema) applied(schemas []*jsonschema.Schema, how reach) (out []*jsonschema.Schema) {
	seen := map[*jsonschema.Schema]bool{}
	var add func(c *jsonschema.Schema) bool
	add = func(c *jsonschema.Schema) bool {
		if seen[c] {
			return true
		}
		seen[c] = true
		out = append(out, c)
		inPlace(c, how, add)
		return true
	}
	for _, c := range schemas {
		add(c)
	}
	return out
}

// membersOf returns what schemas apply to a member, elementsOf to an element.
func membersOf(schemas []*jsonschema.Schema, name string) (out []*jsonschema.Schema) {
	for _, c := range schemas {
		ofMember(c, name, func(sub *jsonschema.Schema) bool { out = append(out, sub); return true })
	}
	return out
}

func elementsOf(schemas []*jsonschema.Schema, i int) (out []*jsonschema.Schema) {
	for _, c := range schemas {
		ofElement(c, i, func(sub *jsonschema.Schema) bool { out = append(out, sub); return true })
	}
	return out
}

// complete returns args with the declared defaults of missing members. It
// changes args. A value that came from a default is not completed further.
func (s *Schema) complete(args any) any {
	s.completeIn(args, []*jsonschema.Schema{s.compiled}, 0)
	return args
}

func (s *Schema) completeIn(v any, schemas []*jsonschema.Schema, depth int) {
	if depth > maxWalk {
		return
	}
	schemas = s.applied(schemas, certain)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.completeIn(v[name], membersOf(schemas, name), depth+1)
		}
		for _, c := range schemas {
			for _, name := range slices.Sorted(maps.Keys(c.Properties)) {
				if _, ok := v[name]; ok {
					continue
				}
				for _, sub := range s.applied([]*jsonschema.Schema{c.Properties[name]}, certain) {
					if d, ok := s.texts[sub]["default"]; ok {
						v[name] = cloned(d)
						break
					}
				}
			}
		}
	case []any:
		for i, e := range v {
			s.completeIn(e, elementsOf(schemas, i), depth+1)
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

// redact returns args with secrets masked, and calls found with each. It changes
// args.
func (s *Schema) redact(args any, found func(secret any)) any {
	if !s.secret {
		return args
	}
	return s.redactIn(args, []*jsonschema.Schema{s.compiled}, found, 0)
}

func (s *Schema) redactIn(v any, schemas []*jsonschema.Schema, found func(any), depth int) any {
	// Better too much than a secret.
	hide := depth > maxWalk
	if !hide {
		schemas = s.applied(schemas, possible)
		hide = slices.ContainsFunc(schemas, func(c *jsonschema.Schema) bool { return s.hidden[c] })
	}
	if hide {
		if v == "" || v == nil {
			return v
		}
		found(v)
		return records.MaskedText
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = s.redactIn(v[name], membersOf(schemas, name), found, depth+1)
		}
	case []any:
		for i, e := range v {
			v[i] = s.redactIn(e, elementsOf(schemas, i), found, depth+1)
		}
	}
	return v
}

// hides reports whether c marks its value as secret, or something of it that
// cannot be masked alone: the names of members, what a text holds in encoded form,
// and keywords that its dialect ignores beside a reference.
func hides(c *jsonschema.Schema, text map[string]any) bool {
	return secret(text) || anySecret(text["propertyNames"]) || anySecret(text["contentSchema"]) ||
		c.Ref != nil && c.DraftVersion < 2019 && anySecret(text)
}

// dynamicSecret reports whether any schema in doc that a dynamic reference can
// lead to marks something as secret. Which one it is depends on the way to it.
func dynamicSecret(doc any) bool {
	switch doc := doc.(type) {
	case map[string]any:
		if (doc["$dynamicAnchor"] != nil || doc["$recursiveAnchor"] != nil) && anySecret(doc) {
			return true
		}
		for _, sub := range doc {
			if dynamicSecret(sub) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(doc, dynamicSecret)
	}
	return false
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

// scalars calls yield with the texts and numbers in v.
func scalars(v any, yield func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			scalars(e, yield)
		}
	case []any:
		for _, e := range v {
			scalars(e, yield)
		}
	case string:
		yield(v)
	case json.Number:
		yield(string(v))
	}
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
