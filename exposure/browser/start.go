package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// ErrNoBrowser reports that there is no Chromium or Chrome to start.
var ErrNoBrowser = errors.New("no Chromium or Chrome found; install one or name it")

// StartOptions says how a browser is started. The zero value and nil mean the
// documented defaults.
type StartOptions struct {
	Path     string   // of the program; "" looks for Chromium, then Chrome
	Profile  string   // directory that is kept; "" makes one that is removed on Close
	Visible  bool     // shows a window
	Features []string // besides WebMCP, which is on
	// Flags are further command line flags by name, without dashes: a string is
	// the flag's value, true its presence, false removes one of ours.
	Flags map[string]any
}

// quiet are the flags of a browser that talks to nobody but the pages it is told
// to open.
var quiet = map[string]any{
	"headless": "new", "no-first-run": true, "no-default-browser-check": true, "disable-background-networking": true,
	"disable-component-update": true, "disable-domain-reliability": true, "disable-sync": true, "disable-quic": true,
	"disable-default-apps": true, "disable-extensions": true, "disable-breakpad": true, "no-pings": true,
	"disable-client-side-phishing-detection": true, "safebrowsing-disable-auto-update": true, "metrics-recording-only": true,
	"disable-features":                    "Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater",
	"disable-background-timer-throttling": true, "disable-backgrounding-occluded-windows": true,
	"disable-renderer-backgrounding": true, "disable-ipc-flooding-protection": true, "disable-hang-monitor": true,
	"disable-popup-blocking": true, "disable-prompt-on-repost": true, "disable-dev-shm-usage": true, "disable-gpu": true,
	"password-store": "basic", "use-mock-keychain": true, "hide-scrollbars": true, "mute-audio": true,
}

// Start starts a browser with a profile of its own and returns its driver. ctx
// bounds the start only; the browser lives until Close.
func Start(ctx context.Context, opts *StartOptions) (*Chrome, error) {
	if opts == nil {
		opts = &StartOptions{}
	}
	path, err := findBrowser(opts.Path)
	if err != nil {
		return nil, err
	}
	flags := map[string]any{"enable-features": "WebMCP"}
	for name, v := range quiet {
		flags[name] = v
	}
	if opts.Visible {
		delete(flags, "headless")
		delete(flags, "hide-scrollbars")
	}
	for _, f := range opts.Features {
		flags["enable-features"] = flags["enable-features"].(string) + "," + f
	}
	for name, v := range opts.Flags {
		flags[name] = v
	}
	alloc := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path)}
	names := make([]string, 0, len(flags))
	for name := range flags {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		alloc = append(alloc, chromedp.Flag(name, flags[name]))
	}
	if opts.Profile != "" {
		profile, err := filepath.Abs(opts.Profile)
		if err == nil {
			err = os.MkdirAll(profile, 0o700) // the browser itself would take another one
		}
		if err != nil {
			var path *fs.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return nil, fmt.Errorf("profile %s: %w", opts.Profile, err)
		}
		alloc = append(alloc, chromedp.UserDataDir(profile))
	} // else chromedp makes one, and removes it with whatever process still uses it
	// What the browser leaves in other files is below one directory, which goes too.
	dir, err := os.MkdirTemp("", "pagestate-")
	if err != nil {
		return nil, err
	}
	alloc = append(alloc, chromedp.Env("TMPDIR="+dir))
	base, cancel := chromedp.NewExecAllocator(context.Background(), alloc...)
	c, err := newChrome(ctx, base, cancel, true)
	if err != nil {
		removeAll(dir)
		return nil, err
	}
	c.dir, c.graceful = dir, opts.Profile != ""
	return c, nil
}

// removeAll removes a directory that processes may still be writing to while they
// end.
func removeAll(dir string) error {
	for tries := 0; ; tries++ {
		err := os.RemoveAll(dir)
		if err == nil || tries == 50 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func findBrowser(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("%w: %v", ErrNoBrowser, err)
		}
		return found, nil
	}
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}
	switch runtime.GOOS {
	case "darwin":
		names = []string{"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}
	case "windows":
		names = []string{"chrome.exe", `C:\Program Files\Google\Chrome\Application\chrome.exe`,
			`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", ErrNoBrowser
}

// Attach connects to a browser that is running with its remote debugging port
// open: a websocket URL, or http://host:port. Close leaves the browser running and
// closes what was opened.
func Attach(ctx context.Context, url string) (*Chrome, error) {
	base, cancel := remote.NewAllocator(context.Background(), url)
	return newChrome(ctx, base, cancel, false)
}

// FromContext returns the tab of a chromedp context that a runtime has already;
// the browser and the tab are started if they are not yet. Closing the tab through
// the page leaves it open: it is the runtime's.
func FromContext(ctx context.Context) (Tab, error) {
	if err := chromedp.Do(ctx); err != nil {
		return nil, err
	}
	return newChromeTab(ctx, nil)
}

// A Chrome is a driver over chromedp.
type Chrome struct {
	ctx    context.Context // of chromedp, lives until Close
	cancel context.CancelFunc

	dir      string // of its files, "" if it was not started here
	graceful bool   // it has a profile to write
	once     sync.Once
	err      error // of Close
}

// newChrome starts or connects what the allocator in base stands for.
func newChrome(ctx, base context.Context, cancelBase context.CancelFunc, own bool) (*Chrome, error) {
	silent := func(string, ...any) {}
	root, cancel := chromedp.NewContext(base, chromedp.WithErrorf(silent), chromedp.WithLogf(silent))
	c := &Chrome{ctx: root, cancel: func() { cancel(); cancelBase() }}
	// The browser lives as long as the context of this call does.
	err := await(ctx, func() error {
		if own {
			return chromedp.Do(root)
		}
		_, err := chromedp.Targets(root) // connects without opening a tab
		return err
	})
	if err != nil {
		c.cancel()
		what := "attach to the browser"
		if own {
			what = "start the browser"
		}
		return nil, &startError{what, err}
	}
	return c, nil
}

// A startError says on one line why there is no browser.
type startError struct {
	what string
	err  error
}

func (e *startError) Error() string {
	return e.what + ": " + strings.TrimRight(strings.TrimPrefix(e.err.Error(), "modifying the websocket address: "), ": \n")
}

func (e *startError) Unwrap() error { return e.err }

// await returns what f returns, or ctx's error as soon as ctx ends.
func await(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes the browser if it was started, and removes its profile.
//
// A browser that is not to leave anything is not asked, so that it takes no time.
func (c *Chrome) Close() error {
	c.once.Do(func() {
		if c.graceful {
			ctx, cancel := context.WithTimeout(c.ctx, 5*time.Second)
			c.err = chromedp.Cancel(ctx)
			cancel()
		}
		c.cancel()
		if c.dir != "" {
			if err := removeAll(c.dir); c.err == nil {
				c.err = err
			}
		}
	})
	return c.err
}

// Kill ends the browser at once, as a crash would; what is left of it Close removes.
func (c *Chrome) Kill() {
	if p := chromedp.FromContext(c.ctx).Browser.Process(); p != nil {
		_ = p.Kill() // it may have ended
	}
}

// Gone returns a channel that is closed when the browser is gone or closed.
func (c *Chrome) Gone() <-chan struct{} { return c.ctx.Done() }

// NewTab opens an empty tab in a window of its own, so that it is never hidden.
func (c *Chrome) NewTab(ctx context.Context) (Tab, error) { return c.tab(ctx) }

// FindTab attaches to an open tab for which match holds, nil if there is none.
// Closing it leaves it open.
func (c *Chrome) FindTab(ctx context.Context, match func(url, title string) bool) (Tab, error) {
	var infos []*target.Info
	err := await(ctx, func() (err error) {
		infos, err = chromedp.Targets(c.ctx)
		return err
	})
	if err != nil {
		return nil, c.lost(err)
	}
	for _, info := range infos {
		if info.Type == "page" && match(info.URL, info.Title) {
			return c.tab(ctx, chromedp.WithTargetID(info.TargetID), chromedp.WithDetachOnCancel())
		}
	}
	return nil, nil
}

func (c *Chrome) tab(ctx context.Context, opts ...chromedp.ContextOption) (Tab, error) {
	tctx, cancel := chromedp.NewContext(c.ctx, opts...)
	if err := await(ctx, func() error { return chromedp.Do(tctx) }); err != nil {
		go cancel()
		return nil, c.lost(err)
	}
	t, err := newChromeTab(tctx, cancel)
	if err != nil {
		go cancel()
		return nil, c.lost(err)
	}
	return t, nil
}

// lost says that the browser is gone where that is what an error comes from.
func (c *Chrome) lost(err error) error {
	if c.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrBrowserGone, err)
	}
	return err
}
