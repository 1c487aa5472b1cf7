package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/pagestate/pagestate/records"
)

// Errors of declarations.
var (
	// ErrDeclaration reports what is incomplete or contradicts itself.
	ErrDeclaration = errors.New("bad declaration")
	// ErrDuplicate reports an id that is taken: of an action, in the one name
	// space that all have, of a scope, or of a record in its scope.
	ErrDuplicate = errors.New("duplicate id")
	// ErrReleased reports a declaration in a scope that was released.
	ErrReleased = errors.New("scope was released")
)

// A Tool is a function-level action: an app's function that no control stands
// for. Its primitive is "call".
type Tool struct {
	ID          string // stable; shares one name space with all actions
	Description string // one sentence for whoever decides to call it; required
	Kind        string // "read", "write", or the app's word; never authorisation

	// Params is the JSON Schema of the parameters: JSON text as a string, []byte
	// or json.RawMessage, or a value that marshals to it. nil means that there
	// are none. Typed sets it from a Go type.
	Params any

	// Available reports whether the tool can be attempted now, and if not, why,
	// in words that tell the caller what to do. nil means always. It is called
	// with the scope's locks held and must neither lock them nor block.
	Available func() (ok bool, reason string)

	// Run does the work, once. params is one JSON object that Params accepts,
	// with defaults filled in. No lock is held: it locks the app's data itself,
	// and the less long the better. It should return soon after ctx ends.
	//
	// The result is written as bounded JSON; it must not change afterwards. A nil
	// result means that there is nothing to say, which is stated as such.
	Run func(ctx context.Context, params json.RawMessage) (any, error)

	// Expect, if set, is what the app should come to look like after Run.
	Expect *Expect

	check func(json.RawMessage) error // set by Typed
	err   error                       // of Typed, reported by the declaration
}

// Defaults of Expect.
const (
	DefaultExpectTimeout = 5 * time.Second
	DefaultPoll          = 20 * time.Millisecond
)

// An Expect is a condition that is awaited after a tool has run.
type Expect struct {
	Description string // states the condition, "No task remains open"; required
	// Check reports whether it holds. It is called with the scope's locks held
	// and must neither lock them nor block.
	Check   func() bool
	Timeout time.Duration // 0 means DefaultExpectTimeout
	// Poll is the time between checks, 0 means DefaultPoll. A negative one means
	// that it is checked only when Registry.Notify is called.
	Poll time.Duration
}

// ErrParams reports parameters that a tool's Go type cannot hold although its
// schema accepts them.
var ErrParams = errors.New("invalid parameters")

// Typed returns t with Params and Run set from run: In's JSON Schema (see
// [SchemaOf]) and a Run that decodes the validated and defaulted parameters into
// an In. In struct{} means that there are no parameters. Whatever is wrong with
// In is reported when the tool is declared.
func Typed[In, Out any](t Tool, run func(ctx context.Context, in In) (Out, error)) Tool {
	if reflect.TypeFor[In]() != reflect.TypeFor[struct{}]() {
		t.Params, t.err = SchemaOf[In]()
	}
	decode := func(params json.RawMessage) (in In, err error) {
		if err = json.Unmarshal(params, &in); err != nil {
			err = fmt.Errorf("%w: %v", ErrParams, err)
		}
		return in, err
	}
	t.check = func(params json.RawMessage) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%w: %s cannot be read: panic: %v", ErrParams, reflect.TypeFor[In](), r)
			}
		}()
		_, err = decode(params)
		return err
	}
	if run == nil {
		t.Run = nil
		return t
	}
	t.Run = func(ctx context.Context, params json.RawMessage) (any, error) {
		in, err := decode(params)
		if err != nil {
			return nil, err
		}
		out, err := run(ctx, in)
		if _, nothing := any(out).(Nothing); nothing {
			return nil, err
		}
		if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, err
		}
		return out, err
	}
	return t
}

// Nothing is the result of a typed tool that has nothing to return.
type Nothing struct{}

// params returns the declared schema and its compiled form, nil if there is none.
func (t *Tool) params() (records.Value, *Schema, error) {
	if t.err != nil {
		return records.Value{}, nil, t.err
	}
	return declaredSchema(t.Params)
}

// declaredSchema reads and compiles what a declaration gives as a schema.
func declaredSchema(params any) (v records.Value, s *Schema, err error) {
	var enc []byte
	switch p := params.(type) {
	case nil:
		return records.Value{}, nil, nil
	case records.Value:
		if p.Kind() == records.Absent {
			return records.Value{}, nil, nil
		}
		enc = p.Raw()
	case string:
		enc, err = records.ParseValue(nil, []byte(p))
	case []byte:
		enc, err = records.ParseValue(nil, p)
	default:
		enc, err = records.AppendAny(nil, p)
	}
	if err != nil {
		return records.Value{}, nil, fmt.Errorf("%w: %v", ErrSchema, err)
	}
	v = records.RawValue(enc)
	if s, err = CompileSchema(v); err != nil {
		return records.Value{}, nil, err
	}
	if err := s.checkDefaults(); err != nil {
		return records.Value{}, nil, err
	}
	return v, s, nil
}

// checkTool refuses a tool that is incomplete.
func checkTool(t *Tool) error {
	switch {
	case t.ID == "":
		return fmt.Errorf("%w: a tool has no id", ErrDeclaration)
	case strings.TrimSpace(t.Description) == "":
		return fmt.Errorf("%w: tool %q has no description", ErrDeclaration, t.ID)
	case t.Run == nil:
		return fmt.Errorf("%w: tool %q has no run function", ErrDeclaration, t.ID)
	}
	return checkExpect(t.ID, t.Expect)
}

func checkExpect(id string, e *Expect) error {
	switch {
	case e == nil:
		return nil
	case e.Description == "":
		return fmt.Errorf("%w: the expectation of %q has no description", ErrDeclaration, id)
	case e.Check == nil:
		return fmt.Errorf("%w: the expectation of %q has no check", ErrDeclaration, id)
	}
	return nil
}

// Wait waits for d and returns nil, or ctx's error as soon as ctx ends.
func Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
