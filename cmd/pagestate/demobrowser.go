package main

import (
	"context"
	_ "embed"
	"net"
	"net/http"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/browser/runtime"
	"github.com/pagestate/pagestate/exposure/call"
)

//go:embed demo/todo.html
var demoPage string

// browserDemo opens the example as a page of the page runtime in a browser.
func (c *cli) browserDemo(ctx context.Context, format *diff.Format) (_ *call.Caller, closeAll func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	serve := func(path, typ, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", typ)
			_, _ = w.Write([]byte(text)) // the browser tells of what it did not get
		})
	}
	serve("/{$}", "text/html; charset=utf-8", demoPage)
	serve("/pagestate.js", "text/javascript; charset=utf-8", runtime.Source)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	flags := &liveFlags{wait: "load", dialogs: "dismiss", quiet: browser.DefaultQuiet, settle: browser.DefaultSettle, timeout: 30 * time.Second}
	page, err := c.openLive(ctx, flags, "http://"+listener.Addr().String()+"/", false)
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	return call.New(page, &call.Options{Format: format}), func() { page.close(); server.Close() }, nil
}
