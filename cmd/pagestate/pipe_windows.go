package main

import (
	"errors"
	"io"
	"syscall"
)

// What Windows says of a pipe whose reader is gone.
const (
	errorBrokenPipe = syscall.Errno(109)
	errorNoData     = syscall.Errno(232)
)

// closedPipe reports whether a write failed because nobody reads any more.
func closedPipe(err error) bool {
	return errors.Is(err, errorBrokenPipe) || errors.Is(err, errorNoData) || errors.Is(err, io.ErrClosedPipe)
}
