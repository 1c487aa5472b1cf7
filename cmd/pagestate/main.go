// Command pagestate says what changed in what a page or an app exposes.
//
//	pagestate diff before.json after.json
//	pagestate show page.html
//
// Run pagestate --help for its commands. Exit status: 0 same or ok, 1 different
// (or findings), 2 trouble.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Ignored, a write into a closed pipe fails with EPIPE, which ends the
	// program quietly and with a status of its own, instead of killing it.
	signal.Ignore(syscall.SIGPIPE)
	// A terminal that is closed ends it like Ctrl-C, unless it is to go on (nohup).
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
