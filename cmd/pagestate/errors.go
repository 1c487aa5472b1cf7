package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/internal/input"
	"github.com/pagestate/pagestate/internal/safetext"
)

// A usageError is a command line that cannot be carried out.
type usageError struct {
	command string // "diff"; "" for the program itself
	what    string
}

func usagef(cmd *cobra.Command, format string, args ...any) error {
	name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
	return &usageError{name, fmt.Sprintf(format, args...)}
}

// Error returns what is wrong and where to read what would be right.
func (e *usageError) Error() string {
	if e.command == "" {
		return e.what + "; see pagestate --help"
	}
	return e.command + ": " + e.what + "; see pagestate " + e.command + " --help"
}

// A fileError is a failure with a file, or with what an argument names.
type fileError struct {
	name string
	err  error
}

// Error returns the name and what is wrong with it, without naming it twice as
// errors of package os do.
func (e *fileError) Error() string {
	err := e.err
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return input.Shown(e.name) + ": " + err.Error()
}

// Unwrap returns what is wrong.
func (e *fileError) Unwrap() error { return e.err }

// maxErrorBytes bounds an error's line.
const maxErrorBytes = 2000

// report writes err as one line of printable text.
func report(w io.Writer, err error) {
	line := []byte("pagestate: " + input.Printable(err.Error()))
	if n := safetext.Head(line, maxErrorBytes); n < len(line) {
		line = append(line[:n], "..."...)
	}
	w.Write(append(line, '\n')) // there is nowhere to tell of a failure
}

// quoted returns text from outside in quotes, cut if it is long.
func quoted(s string) string {
	const most = 256
	return string(safetext.AppendQuoted(nil, s, most))
}
