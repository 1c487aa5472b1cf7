//go:build unix

// Program peak runs a command and prints the most memory it had resident, in
// bytes. It is a program of its own, and small, because on Linux a process starts
// with the peak of the one that started it.
//
//	peak COMMAND ARGUMENT...
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "peak:", err)
		os.Exit(1)
	}
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		most <<= 10 // KiB
	}
	fmt.Println(most)
}
