package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/term"

	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/browser/tools"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

// liveFlags say how pages in a browser are opened.
type liveFlags struct {
	ws, chrome, profile, wait, dialogs string
	cookies, headers, probes           []string
	quiet, settle, timeout             time.Duration
	infer                              bool
}

func (f *liveFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.ws, "ws", "", "attach to the running browser at `URL` (ws://… or http://host:port)")
	flags.StringVar(&f.chrome, "chrome", "", "the browser to start (default: Chromium, else Chrome)")
	flags.StringVar(&f.profile, "profile", "", "keep the browser's profile in `DIR` (default: none is left)")
	flags.StringVar(&f.wait, "wait", "quiet", "read the page when it is: load, quiet, or a CSS `SELECTOR` matches")
	flags.DurationVar(&f.quiet, "quiet", browser.DefaultQuiet, "how long nothing changes on a quiet page")
	flags.DurationVar(&f.settle, "settle", browser.DefaultSettle, "how long to wait for quiet at most")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "how long opening a page, and an action, may take")
	flags.StringArrayVar(&f.cookies, "cookie", nil, "send the cookie `NAME=VALUE` (repeatable)")
	flags.StringArrayVar(&f.headers, "header", nil, "send the header `NAME: VALUE` to the page's origin (repeatable)")
	flags.StringArrayVar(&f.probes, "probe", nil, "read the result of the page's tool `TOOL` as records: TOOL[{params}][#path][@key][=scope] (repeatable)")
	flags.StringVar(&f.dialogs, "dialogs", "dismiss", "answer dialogs with `ANSWER`: accept, dismiss, or answer=TEXT")
}

// names are those of the flags, to refuse them where they change nothing.
var liveNames = []string{"ws", "chrome", "profile", "wait", "quiet", "settle", "timeout", "cookie", "header", "probe", "dialogs"}

// isLive reports whether an input is a page to be opened in a browser.
func isLive(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "file":
		return true
	}
	return false
}

// check reports flags that no page could be opened with.
func (f *liveFlags) check(cmd *cobra.Command) error {
	switch {
	case f.quiet <= 0 || f.settle <= 0 || f.timeout <= 0:
		return usagef(cmd, "--quiet, --settle and --timeout are longer than nothing")
	case f.wait == "":
		return usagef(cmd, "--wait needs a word or a selector")
	case cmd.Flags().Changed("ws") && !wsAddress(f.ws):
		return usagef(cmd, "--ws wants ws://… or http://host:port")
	case f.ws != "" && (f.chrome != "" || f.profile != ""):
		return usagef(cmd, "--chrome and --profile change nothing with --ws")
	}
	if _, err := f.policy(); err != nil {
		return usagef(cmd, "%v", err)
	}
	if _, err := f.login(); err != nil {
		return usagef(cmd, "%v", err)
	}
	return nil
}

// wsAddress reports whether text can be the address of a running browser.
func wsAddress(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	switch u.Scheme {
	case "ws", "wss", "http", "https":
		return true
	}
	return false
}

func (f *liveFlags) policy() (browser.DialogPolicy, error) {
	switch text, answer := strings.CutPrefix(f.dialogs, "answer="); {
	case answer:
		return browser.Answer(text), nil
	case f.dialogs == "accept":
		return browser.Accept, nil
	case f.dialogs == "dismiss":
		return browser.Dismiss, nil
	}
	return nil, errors.New("--dialogs is accept, dismiss, or answer=TEXT")
}

func (f *liveFlags) login() (*browser.Login, error) {
	l := &browser.Login{Header: http.Header{}}
	for _, c := range f.cookies {
		name, value, ok := strings.Cut(c, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--cookie wants NAME=VALUE")
		}
		l.Cookies = append(l.Cookies, &http.Cookie{Name: name, Value: value})
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if name = strings.TrimSpace(name); !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("--header wants NAME: VALUE")
		}
		l.Header.Add(name, strings.TrimSpace(value))
	}
	return l, nil
}

// A livePage is a page in a browser, with what has to be closed.
type livePage struct {
	*browser.Page
	close func()
}

// openLive opens url in a browser and waits for it as --wait says. whole hands
// over values of any size.
func (c *cli) openLive(ctx context.Context, f *liveFlags, url string, whole bool) (*livePage, error) {
	limited, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	c.browsers.Add(1)
	p, err := c.openPage(limited, f, url, whole)
	if err != nil {
		c.browsers.Add(-1)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() != nil {
			why := strings.TrimSuffix(err.Error(), context.DeadlineExceeded.Error())
			if why = strings.TrimSuffix(why, ": "); why != "" {
				why = ": " + why
			}
			err = fmt.Errorf("not open after %v%s", f.timeout, why)
		}
		return nil, &fileError{url, err}
	}
	shut := p.close
	p.close = func() { shut(); c.browsers.Add(-1) }
	return p, nil
}

func (c *cli) openPage(ctx context.Context, f *liveFlags, url string, whole bool) (_ *livePage, err error) {
	progress := c.progress()
	defer progress("")
	var chrome *browser.Chrome
	if f.ws != "" {
		progress("attaching to the browser")
		chrome, err = browser.Attach(ctx, f.ws)
	} else {
		progress("starting the browser")
		chrome, err = browser.Start(ctx, &browser.StartOptions{Path: f.chrome, Profile: f.profile})
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			chrome.Close()
		}
	}()
	var tab browser.Tab
	found := false
	if f.ws != "" {
		tab, err = chrome.FindTab(ctx, func(at, _ string) bool { return at == url || at == url+"/" })
		found = tab != nil
	}
	if tab == nil && err == nil {
		tab, err = chrome.NewTab(ctx)
	}
	if err != nil {
		return nil, err
	}
	page, err := f.page(ctx, tab, url, whole)
	if err != nil {
		return nil, err
	}
	if !found {
		progress("opening " + url)
		if err = page.Navigate(ctx, url); err != nil {
			return nil, err
		}
	}
	progress("waiting for the page")
	switch f.wait {
	case "load":
		err = page.WaitLoaded(ctx)
	case "quiet":
		page.Settle(ctx, false)
	default:
		err = page.WaitFor(ctx, f.wait)
	}
	if err != nil {
		return nil, err
	}
	return &livePage{page, func() {
		page.Close()
		bounded, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = tab.Close(bounded) // with the browser it goes anyway
		chrome.Close()
	}}, nil
}

func (f *liveFlags) page(ctx context.Context, tab browser.Tab, url string, whole bool) (*browser.Page, error) {
	var probes []tools.Probe
	for _, text := range f.probes {
		probe, err := tools.ParseProbe(text)
		if err != nil {
			return nil, err
		}
		probes = append(probes, probe)
	}
	provider, err := tools.New(&tools.Options{Probes: probes})
	if err != nil {
		return nil, err
	}
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	login, err := f.login()
	if err != nil {
		return nil, err
	}
	if err := browser.LogIn(ctx, tab, url, login); err != nil {
		return nil, err
	}
	return browser.NewPage(ctx, tab, &browser.PageOptions{Quiet: f.quiet, Settle: f.settle, Dialogs: policy,
		Providers: []browser.Provider{provider}, Infer: f.infer, Whole: whole})
}

// progress returns a function that says on a terminal what is waited for; "" takes
// it away again.
func (c *cli) progress() func(string) {
	f, ok := c.stderr.(interface{ Fd() uintptr })
	if !ok || c.getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return func(string) {}
	}
	return func(what string) {
		if what == "" {
			io.WriteString(c.stderr, "\r\x1b[K")
			return
		}
		fmt.Fprintf(c.stderr, "\r\x1b[Kpagestate: %.200s…", quotedProgress(what))
	}
}

// quotedProgress keeps an address from writing to the terminal what it likes.
func quotedProgress(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7F {
			return '?'
		}
		return r
	}, s)
}

// live reads one snapshot of a page in a browser.
func (c *cli) live(ctx context.Context, f *liveFlags, url string) (*snapshot.Snapshot, error) {
	p, err := c.openLive(ctx, f, url, true)
	if err != nil {
		return nil, err
	}
	defer p.close()
	limited, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	s, err := p.Snapshot(limited)
	var u *call.UnobservedError
	if errors.As(err, &u) || err != nil && ctx.Err() == nil {
		return nil, &fileError{url, err}
	}
	return s, err
}
