//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package audit

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes from opening f as a log until it is closed.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// removed reports whether the file has no name any more.
func removed(f os.FileInfo) bool {
	s, ok := f.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}
