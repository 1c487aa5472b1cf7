package exposure

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagestate/pagestate/records"
)

// ErrSchema reports parameters whose JSON Schema cannot be used.
var ErrSchema = errors.New("unusable parameter schema")

// MaxSchemaBytes bounds a schema's JSON text.
const MaxSchemaBytes = 256 << 10

// A Schema is the JSON Schema of an action's parameters. It is immutable and
// safe for concurrent use.
type Schema struct {
	compiled  *jsonschema.Schema
	doc       any                                   // as jsonschema.UnmarshalJSON reads it; must not be changed
	texts     map[*jsonschema.Schema]map[string]any // of all that compiled leads to; nil for other than objects
	secret    bool                                  // something in doc is marked as secret
	hidden    map[*jsonschema.Schema]bool           // those whose values are masked; nil without secrets
	unchecked []string
}

// schemaURL names the schema itself in references; it leads nowhere (RFC 6761).
const schemaURL = "https://params.invalid/schema"

// CompileSchema reads the JSON Schema in params. It fails with an error that
// wraps [ErrSchema] and says why: params is no object or boolean, not a valid
// schema, a schema that no object can satisfy by type, one whose references lead
// outside (nothing is ever fetched, from no file either), to nothing or in a
// circle, one that applies very many schemas to one value, one with an invalid
// pattern, or one larger than [MaxSchemaBytes].
func CompileSchema(params records.Value) (s *Schema, err error) {
	if k := params.Kind(); k != records.Object && k != records.Bool {
		return nil, fmt.Errorf("%w: it is %s, not an object", ErrSchema, k)
	}
	if ptr, found := findHugeNumber(params, nil); found {
		return nil, fmt.Errorf("%w: the number at %q is out of range", ErrSchema, ptr)
	}
	text := records.AppendJSON(nil, params)
	if len(text) > MaxSchemaBytes {
		return nil, fmt.Errorf("%w: %d bytes, over the limit of %d", ErrSchema, len(text), MaxSchemaBytes)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	if err := checkType(doc); err != nil {
		return nil, err
	}
	// The compiler is not ours and schemas come from strangers.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("%w: it cannot be compiled", ErrSchema)
		}
	}()
	s = &Schema{doc: doc}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	ps := patterns{}
	c.UseRegexpEngine(ps.parse)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, schemaError(err)
	}
	if s.compiled, err = c.Compile(schemaURL); err != nil {
		return nil, schemaError(err)
	}
	s.unchecked = ps.settle()
	s.index()
	if err := s.checkInPlace(); err != nil {
		return nil, err
	}
	return s, nil
}

// Unchecked returns the patterns that are accepted without being checked: those
// with look-around or back-references, which the regular expressions here do not
// know, and those that are too large together.
func (s *Schema) Unchecked() []string { return slices.Clone(s.unchecked) }

// A Violation is one way in which arguments break a schema.
type Violation struct {
	Pointer string // into the arguments, "" for the whole
	Message string
}

// Validate returns how args, decoded with numbers as json.Number or float64,
// break the schema, by pointer, and nil if they do not. Arguments to which it
// would take too long to apply the schema break it.
func (s *Schema) Validate(args any) (list []Violation) {
	defer func() {
		if recover() != nil {
			list = []Violation{{Message: "the schema cannot be applied"}}
		}
	}()
	if !s.affords(args) {
		return []Violation{{Message: tooLong}}
	}
	err := s.compiled.Validate(args)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return []Violation{{Message: err.Error()}}
	}
	return violations(ve)
}

// violations lists the leaves of e by pointer and message: the compiler's own
// order follows that of maps.
func violations(e *jsonschema.ValidationError) (list []Violation) {
	walkViolations(e, func(v Violation) { list = append(list, v) })
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return list
}

func walkViolations(e *jsonschema.ValidationError, yield func(Violation)) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			walkViolations(c, yield)
		}
		return
	}
	var ptr []byte
	for _, token := range e.InstanceLocation {
		ptr = records.AppendPointer(ptr, token)
	}
	unit := e.BasicOutput()
	msg := "does not match the schema"
	if unit.Error != nil {
		msg = unit.Error.String()
	}
	yield(Violation{string(ptr), msg})
}

// noLoader refuses everything; the dialects of JSON Schema are built in.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%w: %s is not part of it, and nothing is fetched", ErrSchema, url)
}

// schemaError makes one line of a compiler's error.
func schemaError(err error) error {
	if errors.Is(err, ErrSchema) {
		var load *jsonschema.LoadURLError
		if errors.As(err, &load) {
			return load.Err
		}
		return err
	}
	var invalid *jsonschema.SchemaValidationError
	var ve *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &ve) {
		list := violations(ve)
		first := list[0]
		return fmt.Errorf("%w: %s at %q", ErrSchema, first.Message, first.Pointer)
	}
	msg := strings.Join(strings.Fields(err.Error()), " ")
	return fmt.Errorf("%w: %s", ErrSchema, strings.ReplaceAll(msg, schemaURL, ""))
}

// checkType refuses schemas that no object satisfies: arguments are an object.
func checkType(doc any) error {
	m, ok := doc.(map[string]any)
	if !ok {
		if doc == false {
			return fmt.Errorf("%w: it allows nothing", ErrSchema)
		}
		return nil
	}
	switch t := m["type"].(type) {
	case string:
		if t != "object" {
			return fmt.Errorf("%w: its type is %q, not \"object\"", ErrSchema, t)
		}
	case []any:
		if !slices.Contains(t, any("object")) {
			return fmt.Errorf("%w: its type is not \"object\"", ErrSchema)
		}
	}
	return nil
}

// resolve returns what a fragment of the form /a/b leads to, nil if to nothing.
func resolve(root any, fragment string) any {
	at := root
	path, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if path == "" {
		return root
	}
	if path[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(path[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			var i int
			if json.Unmarshal([]byte(token), &i) != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}
