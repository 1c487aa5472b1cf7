package exposure

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pagestate/pagestate/records"
)

// SchemaOf returns the JSON Schema of In, a struct whose JSON form is the
// parameters of an action. Names and types are those of encoding/json; the tag
// `jsonschema` is the description. Keywords have tags of their own name:
//
//	default minimum maximum minLength maxLength minItems maxItems pattern format
//	enum (values separated by commas) writeOnly ("true": never shown in audits)
//
// A member is optional if it has a default or its json tag says omitempty or
// omitzero. Others, unknown members included, are refused. It fails with an
// error that wraps [ErrSchema], also for the option string of json tags.
func SchemaOf[In any]() (records.Value, error) {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct && (t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct) {
		return records.Value{}, fmt.Errorf("%w: %s is not a struct", ErrSchema, t)
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return records.Value{}, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	if err := constrain(s, t); err != nil {
		return records.Value{}, fmt.Errorf("%w: %s: %v", ErrSchema, t, err)
	}
	enc, err := records.AppendAny(nil, s)
	if err != nil {
		return records.Value{}, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	return records.RawValue(enc), nil
}

// constrain adds to s, the schema of t, what the tags of t say.
func constrain(s *jsonschema.Schema, t reflect.Type) error {
	if s == nil {
		return nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem() == reflect.TypeFor[byte]() && s.Items != nil {
			s.Type, s.Types, s.Items, s.ContentEncoding = "", []string{"null", "string"}, nil, "base64"
			return nil
		}
		return constrain(s.Items, t.Elem())
	case reflect.Map:
		return constrain(s.AdditionalProperties, t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			prop := s.Properties[name]
			if f.Anonymous || !f.IsExported() || prop == nil {
				continue
			}
			if slices.Contains(strings.Split(opts, ","), "string") {
				return fmt.Errorf("field %s: values as strings cannot be described", f.Name)
			}
			if err := applyTags(prop, f.Tag, f.Type); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
			if prop.Default != nil {
				s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			}
			if err := constrain(prop, f.Type); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// applyTags adds the keywords of one field's tags to its schema.
func applyTags(s *jsonschema.Schema, tag reflect.StructTag, t reflect.Type) (err error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	number := func(name string, at **float64) {
		if text, ok := tag.Lookup(name); ok && err == nil {
			n, e := strconv.ParseFloat(text, 64)
			if e != nil {
				err = fmt.Errorf("%s %q is not a number", name, text)
			}
			*at = &n
		}
	}
	count := func(name string, at **int) {
		if text, ok := tag.Lookup(name); ok && err == nil {
			n, e := strconv.Atoi(text)
			if e != nil || n < 0 {
				err = fmt.Errorf("%s %q is not a count", name, text)
			}
			*at = &n
		}
	}
	number("minimum", &s.Minimum)
	number("maximum", &s.Maximum)
	count("minLength", &s.MinLength)
	count("maxLength", &s.MaxLength)
	count("minItems", &s.MinItems)
	count("maxItems", &s.MaxItems)
	if text, ok := tag.Lookup("pattern"); ok {
		s.Pattern = text
	}
	if text, ok := tag.Lookup("format"); ok {
		s.Format = text
	}
	if text, ok := tag.Lookup("writeOnly"); ok && err == nil {
		if s.WriteOnly, err = strconv.ParseBool(text); err != nil {
			err = fmt.Errorf("writeOnly %q is not a boolean", text)
		}
	}
	if text, ok := tag.Lookup("default"); ok && err == nil {
		if s.Default, err = literal(text, t); err != nil {
			err = fmt.Errorf("default %q: %w", text, err)
		}
	}
	if text, ok := tag.Lookup("enum"); ok && err == nil {
		for item := range strings.SplitSeq(text, ",") {
			lit, e := literal(item, t)
			if e != nil {
				return fmt.Errorf("enum %q: %w", item, e)
			}
			s.Enum = append(s.Enum, lit)
		}
	}
	return err
}

// literal returns a tag's text as JSON: quoted if t is a string, else as it is.
func literal(text string, t reflect.Type) (json.RawMessage, error) {
	if t.Kind() == reflect.String {
		return json.Marshal(text)
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("not JSON")
	}
	return json.RawMessage(text), nil
}
