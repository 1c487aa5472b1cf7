//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package audit

import "os"

// lock does nothing where there is no flock.
func lock(*os.File) error { return nil }

// removed cannot tell.
func removed(os.FileInfo) bool { return false }
