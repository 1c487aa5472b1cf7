package exposure

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A pattern is a regular expression of a schema. A few bytes can stand for a
// thousand instructions, so it is compiled when a text is first matched, and what
// that costs is known before.
type pattern struct {
	text string
	size int // instructions, about
	once sync.Once
	re   *regexp.Regexp
}

func (p *pattern) MatchString(s string) bool {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) }) // it was parsed before
	return p.re.MatchString(s)
}

func (p *pattern) String() string { return p.text }

// maxPatterns bounds the instructions of all patterns of a schema, with the memory
// of character classes counted as instructions. Compiling takes about a microsecond
// for each.
const maxPatterns = 1 << 17

// perStep is how many instructions a step of affordable stands for when they are
// tried on a byte of text. Each takes some ten nanoseconds.
const perStep = 32

// costOf returns the steps that matching text takes at most, or more than there are.
func costOf(re jsonschema.Regexp, text string) int {
	p, ok := re.(*pattern)
	if !ok {
		return 1
	}
	return 1 + int(min(int64(len(text))*int64(p.size)/perStep, maxSteps))
}

// anyText stands for a pattern that is not checked.
type anyText struct{ pattern string }

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return a.pattern }

// parsePattern parses a pattern of JSON Schema, which is ECMA-262. What RE2 has no
// notion of, and what would take more than *left instructions, which it counts
// down, matches everything and is not known.
func parsePattern(text string, left *int) (re jsonschema.Regexp, known bool, err error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		size := instructions(parsed)
		whole := size + ranges(parsed)/10 // of which ten take as much memory as one of size
		if whole > *left {
			return anyText{text}, false, nil
		}
		*left -= whole
		return &pattern{text: text, size: size}, true, nil
	}
	var se *syntax.Error
	if errors.As(err, &se) {
		switch se.Code {
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidNamedCapture,
			syntax.ErrLarge, syntax.ErrNestingDepth, syntax.ErrInvalidRepeatOp:
			return anyText{text}, false, nil
		case syntax.ErrInvalidEscape:
			return anyText{text}, false, nil
		case syntax.ErrInvalidCharRange:
			if strings.HasPrefix(se.Expr, `\p`) || strings.HasPrefix(se.Expr, `\P`) {
				return anyText{text}, false, nil
			}
		}
	}
	return nil, true, fmt.Errorf("the pattern %q is invalid", text)
}

// instructions returns about how many instructions re is compiled to. The parser
// bounds its depth, and repetitions within each other to a thousand.
func instructions(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// ranges returns how many numbers the character classes of re are written with.
func ranges(re *syntax.Regexp) int {
	n := 0
	if re.Op == syntax.OpCharClass {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += ranges(sub)
	}
	return n
}
