package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"
)

// ErrNoProtocol reports a tab of a driver that cannot do what was asked.
var ErrNoProtocol = errors.New("this browser cannot do that")

// A Login is what a page needs to let somebody in.
type Login struct {
	Cookies []*http.Cookie // name and value; they are set for the page's origin
	Header  http.Header    // sent with requests to the page's origin, and to no other
}

// LogIn prepares tab for a page at address. It holds until the tab is closed.
func LogIn(ctx context.Context, tab Tab, address string, l *Login) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if l == nil || len(l.Cookies) == 0 && len(l.Header) == 0 {
		return nil
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("cookies and headers are for pages with an http or https address")
	}
	for name, values := range l.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("header %q: this is no name of a header", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return fmt.Errorf("header %s: this is no value of a header", name)
			}
		}
	}
	p, ok := tab.(Protocol)
	if !ok {
		return ErrNoProtocol
	}
	for _, c := range l.Cookies {
		params := map[string]any{"name": c.Name, "value": c.Value, "url": u.Scheme + "://" + u.Host + "/"}
		if err := p.Command(ctx, "Network.setCookie", params, nil); err != nil {
			return fmt.Errorf("cookie %q: the browser does not take it: %w", c.Name, err)
		}
	}
	if len(l.Header) == 0 {
		return nil
	}
	events, stop := p.Subscribe("Fetch.requestPaused")
	pattern := map[string]any{"urlPattern": u.Scheme + "://" + u.Host + "/*"}
	if err := p.Command(ctx, "Fetch.enable", map[string]any{"patterns": []any{pattern}}, nil); err != nil {
		stop()
		return err
	}
	go func() {
		defer stop()
		for e := range events {
			_ = sendWith(p, l.Header, e) // a request that has gone needs no header
		}
	}()
	return nil
}

// sendWith lets a request that was paused go on, with more headers.
func sendWith(p Protocol, more http.Header, event json.RawMessage) error {
	var e struct {
		ID      string `json:"requestId"`
		Request struct {
			Headers map[string]string `json:"headers"`
		} `json:"request"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return err
	}
	type entry struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	var list []entry
	for name, value := range e.Request.Headers {
		if _, ours := more[http.CanonicalHeaderKey(name)]; !ours {
			list = append(list, entry{name, value})
		}
	}
	for name, values := range more {
		for _, v := range values {
			list = append(list, entry{name, v})
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := p.Command(ctx, "Fetch.continueRequest", map[string]any{"requestId": e.ID, "headers": list}, nil)
	if err != nil { // one that the browser does not let anybody set
		_ = p.Command(ctx, "Fetch.failRequest", map[string]any{"requestId": e.ID, "errorReason": "BlockedByClient"}, nil)
	}
	return err
}
