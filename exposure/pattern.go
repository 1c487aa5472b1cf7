package exposure

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A pattern is a regular expression of a schema. A few bytes can stand for a
// thousand instructions, so it is compiled when a text is first matched, and what
// that costs is known before.
type pattern struct {
	text  string
	size  int  // instructions, about
	whole int  // with the memory of character classes, counted as instructions
	off   bool // it matches everything
	once  sync.Once
	re    *regexp.Regexp
}

func (p *pattern) MatchString(s string) bool {
	if p.off {
		return true
	}
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) }) // it was parsed before
	return p.re.MatchString(s)
}

func (p *pattern) String() string { return p.text }

// maxPatterns bounds the instructions of all patterns of a schema. Compiling takes
// about a microsecond for each.
const maxPatterns = 1 << 17

// perStep is how many instructions a step of affordable stands for when they are
// tried on a byte of text. Each takes some ten nanoseconds.
const perStep = 32

// costOf returns the steps that matching text takes at most, or more than there are.
func costOf(re jsonschema.Regexp, text string) int {
	p, ok := re.(*pattern)
	if !ok || p.off {
		return 1
	}
	return 1 + int(min(int64(len(text))*int64(p.size)/perStep, maxSteps))
}

// patterns are those of a schema, each once, whatever order the compiler meets them in.
type patterns map[string]*pattern

// parse parses a pattern of JSON Schema, which is ECMA-262. What RE2 has no notion of
// matches everything.
func (ps patterns) parse(text string) (jsonschema.Regexp, error) {
	if p := ps[text]; p != nil {
		return p, nil
	}
	p := &pattern{text: text}
	parsed, err := syntax.Parse(text, syntax.Perl)
	switch {
	case err == nil:
		p.size = instructions(parsed)
		p.whole = p.size + ranges(parsed)/10 // of which ten take as much memory as one of size
	case foreign(err):
		p.off = true
	default:
		return nil, fmt.Errorf("the pattern %q is invalid", text)
	}
	ps[text] = p
	return p, nil
}

// settle makes all patterns match everything that would take more instructions than
// there may be, the largest first, and returns in order those that now do.
func (ps patterns) settle() (off []string) {
	list := slices.SortedFunc(maps.Values(ps), func(a, b *pattern) int {
		return cmp.Or(cmp.Compare(a.whole, b.whole), cmp.Compare(a.text, b.text))
	})
	left := maxPatterns
	for _, p := range list {
		left -= p.whole
		if p.off = p.off || left < 0; p.off {
			off = append(off, p.text)
		}
	}
	slices.Sort(off)
	return off
}

// foreign reports whether a pattern that was not parsed is of a kind that ECMA-262 has
// and RE2 has not.
func foreign(err error) bool {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return false
	}
	switch se.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidNamedCapture,
		syntax.ErrLarge, syntax.ErrNestingDepth, syntax.ErrInvalidRepeatOp, syntax.ErrInvalidEscape:
		return true
	case syntax.ErrInvalidCharRange:
		return strings.HasPrefix(se.Expr, `\p`) || strings.HasPrefix(se.Expr, `\P`)
	}
	return false
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
