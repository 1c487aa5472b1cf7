// Package input turns an argument of the command line into bytes: a path or "-"
// for standard input, unpacked if it is a gzip or zstd archive, and told apart as
// JSON or HTML.
//
// All of an input is read, and of an archive also what checks it, before any of
// it is returned. Memory is bounded by [Limits], whatever the input claims of
// itself: a plain input takes at most twice its size, an archive at most twice
// what it holds and a quarter of the limit of what it may hold.
package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pagestate/pagestate/internal/safetext"
)

// Errors of reading, each wrapped in an *[Error].
var (
	ErrEmpty     = errors.New("empty input")
	ErrTruncated = errors.New("truncated")
	ErrCorrupt   = errors.New("corrupt")
	ErrLimit     = errors.New("exceeds the limit")
	ErrWindow    = errors.New("window that the zstd archive asks for exceeds the limit")
	ErrForeign   = errors.New("only gzip and zstd are unpacked")
	ErrNested    = errors.New("compressed twice; the inner layer is not unpacked")
	ErrDirectory = errors.New("is a directory")
	ErrStdin     = errors.New("standard input can be read only once")
)

// An Error is a failure to read one input. Its text is one line of printable
// characters.
type Error struct {
	File string // as given; "-" is standard input
	Err  error
}

// Error returns the error's text with the name in front.
func (e *Error) Error() string { return Shown(e.File) + ": " + Printable(e.Err.Error()) }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// maxShownName bounds a quoted name, in bytes.
const maxShownName = 256

// Shown returns the name of a file as messages show it: as it is if that is
// printable, quoted and escaped if not. Standard input is "stdin".
func Shown(name string) string {
	switch {
	case name == "-":
		return "stdin"
	case name == "" || Printable(name) != name:
		return string(safetext.AppendQuoted(nil, name, maxShownName))
	}
	return name
}

// Printable returns text with what is not printable escaped as in Go.
func Printable(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	return b.String()
}

// Limits bounds what is read. Zero fields mean the documented default.
type Limits struct {
	Plain    int64 // bytes of an input as it is; 256 MiB by default
	Unpacked int64 // bytes of what an archive holds; 128 MiB by default

	// A zstd archive says how far back it refers, which takes as much memory before
	// anything is unpacked. That may be a quarter of Unpacked, and 8 MiB in any
	// case; 32 MiB by default, which is a window of zstd --long=25.
}

// The limits unless Limits says otherwise.
const (
	DefaultPlain    = 256 << 20
	DefaultUnpacked = 128 << 20
)

func (l Limits) plain() int64 {
	if l.Plain > 0 {
		return l.Plain
	}
	return DefaultPlain
}

func (l Limits) unpacked() int64 {
	if l.Unpacked > 0 {
		return l.Unpacked
	}
	return DefaultUnpacked
}

// A File is one input that was read.
type File struct {
	Name   string // as given
	Data   []byte // unpacked
	Kind   Kind
	Packed bool // it was an archive
}

// Wrap returns err, met in the data of f, as an *[Error]. That of an archive is
// called corrupt: what it holds is not what its writer meant.
func (f *File) Wrap(err error) error {
	if f.Packed {
		err = fmt.Errorf("%w content: %w", ErrCorrupt, err)
	}
	return &Error{f.Name, err}
}

// A Source reads the inputs of one run. Its zero value reads standard input from
// os.Stdin, with default limits. It must not be used by two goroutines at once.
type Source struct {
	Stdin  io.Reader
	Limits Limits

	stdinRead bool
}

// Read reads the input that arg names: "-" is standard input, which can be read
// once; everything else is a path, even if it looks like something else. Each is
// opened and read once, from its start to its end, so that pipes work.
//
// Its errors are *[Error]. It returns when ctx ends, at the cost of a goroutine
// that stays until the system call that blocks it returns.
func (s *Source) Read(ctx context.Context, arg string) (*File, error) {
	if arg == "-" {
		if s.stdinRead {
			return nil, &Error{arg, ErrStdin}
		}
		s.stdinRead = true
	}
	type result struct {
		f   *File
		err error
	}
	done := make(chan result, 1)
	stdin := s.Stdin
	if stdin == nil {
		stdin = os.Stdin
	}
	limits := s.Limits
	go func() {
		f, err := read(ctx, arg, stdin, limits)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, &Error{arg, r.err}
		}
		return r.f, nil
	case <-ctx.Done():
		return nil, &Error{arg, context.Cause(ctx)}
	}
}

func read(ctx context.Context, arg string, stdin io.Reader, limits Limits) (*File, error) {
	r, size := stdin, int64(-1)
	if arg != "-" {
		file, err := os.Open(arg)
		if err != nil {
			return nil, plainPathError(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return nil, plainPathError(err)
		}
		if info.IsDir() {
			return nil, ErrDirectory
		}
		if info.Mode().IsRegular() {
			size = info.Size()
		}
		r = file
	}
	data, packed, err := readAll(ctx, r, size, limits)
	switch {
	case err != nil:
		return nil, err
	case len(data) == 0 && !packed && archiveName(arg):
		return nil, fmt.Errorf("%w: %w archive", ErrEmpty, ErrTruncated)
	case len(bytes.TrimLeft(data, " \t\r\n")) == 0:
		return nil, ErrEmpty
	case packed && archiveAt(data) != plain:
		return nil, ErrNested
	}
	return &File{Name: arg, Data: data, Kind: kindOf(arg, data), Packed: packed}, nil
}

// plainPathError returns the cause of a *fs.PathError without the path, which
// may not be printable.
func plainPathError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
