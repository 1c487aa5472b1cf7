package records

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A PosError says where in its input a failure was found.
type PosError struct {
	Offset  int    // bytes from the start of the input
	Pointer string // JSON pointer to the value, "/records/12/id"; "" for the whole
	Detail  string // what was found, without the place; may be ""
	Err     error  // one Err value of the package that read the input
}

// maxShownPointer bounds the pointer in an error's text, in bytes.
const maxShownPointer = 200

// Error returns the error's text with pointer and offset, on one line: what is
// not printable in the pointer is escaped as in Go, and its end is cut off if it
// is long.
func (e *PosError) Error() string {
	s := e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Pointer != "" {
		s += " at " + shownPointer(e.Pointer)
	}
	return fmt.Sprintf("%s, offset %d", s, e.Offset)
}

func shownPointer(p string) string {
	var b strings.Builder
	for i, r := range p {
		if b.Len() > maxShownPointer {
			return b.String() + "..."
		}
		if n := utf8.RuneLen(r); r == utf8.RuneError && !strings.HasPrefix(p[i:], "\uFFFD") {
			fmt.Fprintf(&b, `\x%02x`, p[i])
		} else if strconv.IsPrint(r) {
			b.WriteString(p[i : i+n])
		} else {
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *PosError) Unwrap() error { return e.Err }

// Within returns e with its pointer put below token. It changes e.
func (e *PosError) Within(token string) *PosError {
	e.Pointer = string(AppendPointer(nil, token)) + e.Pointer
	return e
}
