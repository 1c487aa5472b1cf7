// Package livetest gives tests of live pages what they need besides this module: real
// packages from npm and a browser that several clients can talk to. What is missing
// fails the test.
package livetest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Root returns the directory of this module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// Packages returns the directory in which npm ci has put packages.
func Packages(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(Root(t), "exposure", "browser", "testdata", "npm")
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Fatalf("packages from npm are needed: run npm ci in %s", dir)
	}
	return dir
}

// Installed returns the path of a file of a package from npm.
func Installed(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join(Packages(t), "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("a package from npm is needed: %v", err)
	}
	return file
}

// Read returns a file of a package from npm.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(Installed(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Bundle returns the script of a page, bundled with the packages that it imports.
// aliases are packages of other names, NAME=FILE.
func Bundle(t testing.TB, entry string, aliases ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bundle.js")
	args := append([]string{filepath.Join(Packages(t), "build.mjs"), entry, out}, aliases...)
	if text, err := exec.Command("node", args...).CombinedOutput(); err != nil {
		t.Fatalf("bundle %s: %v\n%s", entry, err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// OpenBrowser starts a browser whose debugging port is open, and returns the port. It
// ends with the test.
func OpenBrowser(t testing.TB) int {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Fatal("a browser is needed: Chromium or Chrome")
	}
	profile := t.TempDir()
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		End(cmd)
		for range 50 { // its children may still be writing
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		var port int
		if text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort")); err == nil {
			if _, err := fmt.Sscan(string(text), &port); err == nil {
				return port
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the browser opens no port")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Talk starts a program that is talked to over its standard input and output. It ends
// with the test.
func Talk(t testing.TB, cmd *exec.Cmd) (in io.Writer, out io.Reader) {
	t.Helper()
	w, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close()
		End(cmd)
	})
	return w, r
}

// End waits for a program that was asked to end, and kills it if it does not.
func End(cmd *exec.Cmd) {
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		<-done
	}
}
