package html

import (
	"sync"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

// schemas remembers what was found out about parameters that actions declare: rows
// declare the same ones, and so does a page that is read again. The zero value is ready.
// It is safe for concurrent use.
type schemas struct {
	mu    sync.Mutex
	known map[string]checked // by encoded value
}

// checked is what is told of parameters.
type checked struct {
	unchecked []string
	err       error
}

// What is remembered at most: values, and bytes of each.
const maxSchemas, maxSchemaBytes = 256, 4 << 10

// check compiles parameters and returns the patterns that are accepted unchecked.
func (s *schemas) check(v records.Value) (unchecked []string, err error) {
	raw := v.Raw()
	s.mu.Lock()
	c, ok := s.known[string(raw)]
	s.mu.Unlock()
	if ok {
		return c.unchecked, c.err
	}
	compiled, err := exposure.CompileSchema(v)
	if c.err = err; err == nil {
		c.unchecked = compiled.Unchecked()
	}
	if len(raw) <= maxSchemaBytes {
		s.mu.Lock()
		if s.known == nil || len(s.known) >= maxSchemas {
			s.known = map[string]checked{}
		}
		s.known[string(raw)] = c
		s.mu.Unlock()
	}
	return c.unchecked, c.err
}
