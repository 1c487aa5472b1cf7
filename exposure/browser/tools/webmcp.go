package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/pagestate/pagestate/exposure/browser"
)

// errNotInvoked says that the browser has not run a tool, for it does not know it.
var errNotInvoked = errors.New("the browser does not know the tool")

// invoke runs a tool that is registered with the browser in the top document. The
// protocol tells why a tool failed, which the document's own executeTool does not.
// It fails with errNotInvoked if nothing was run: the browser has no WebMCP, or the
// tool is a polyfill's.
func invoke(ctx context.Context, tab browser.Tab, p browser.Protocol, name string, input json.RawMessage) (any, error) {
	var tree struct {
		FrameTree struct {
			Frame struct {
				ID string `json:"id"`
			} `json:"frame"`
		} `json:"frameTree"`
	}
	if p.Command(ctx, "Page.getFrameTree", nil, &tree) != nil || p.Command(ctx, "WebMCP.enable", nil, nil) != nil {
		return nil, errNotInvoked
	}
	answers, stop := p.Subscribe("WebMCP.toolResponded")
	defer stop()
	// When the document is replaced there is no answer any more.
	replaced := make(chan struct{}, 1)
	stopEvents := tab.Events(func(e browser.Event) {
		if e.Type == browser.Navigated && e.Frame == "" && !e.SameDocument {
			select {
			case replaced <- struct{}{}:
			default:
			}
		}
	})
	defer stopEvents()

	var begun struct {
		ID string `json:"invocationId"`
	}
	unbounded := context.WithoutCancel(ctx)
	err := p.Command(unbounded, "WebMCP.invokeTool", map[string]any{"frameId": tree.FrameTree.Frame.ID, "toolName": name, "input": input}, &begun)
	if err != nil {
		return nil, errNotInvoked
	}
	cancelled := ctx.Done()
	for {
		select {
		case text, ok := <-answers:
			if !ok {
				return nil, browser.ErrClosed
			}
			var a response
			if err := json.Unmarshal(text, &a); err != nil {
				return nil, errAnswer
			}
			if a.ID == begun.ID {
				return a.result()
			}
		case <-replaced:
			return nil, browser.ErrDocumentGone
		case <-cancelled:
			cancelled = nil // once
			limited, cancel := context.WithTimeout(unbounded, time.Second)
			_ = p.Command(limited, "WebMCP.cancelInvocation", map[string]any{"invocationId": begun.ID}, nil)
			cancel()
		}
	}
}

// A response is what the protocol says of an invocation that has ended.
type response struct {
	ID        string          `json:"invocationId"`
	Status    string          `json:"status"`
	Output    json.RawMessage `json:"output"`
	ErrorText string          `json:"errorText"`
	Exception *struct {
		Class       string          `json:"className"`
		Description string          `json:"description"`
		Value       json.RawMessage `json:"value"`
	} `json:"exception"`
}

func (r *response) result() (any, error) {
	switch {
	case r.Status == "Completed" && (len(r.Output) == 0 || string(r.Output) == `"undefined"`):
		return nil, nil
	case r.Status == "Completed":
		return r.Output, nil
	case r.Status == "Canceled":
		return nil, &ToolError{"the tool was stopped"}
	}
	message := r.ErrorText
	if e := r.Exception; e != nil {
		var text string
		if e.Description != "" {
			text, _, _ = strings.Cut(e.Description, "\n    at ")
			text = strings.TrimPrefix(text, e.Class+": ")
		} else if json.Unmarshal(e.Value, &text) != nil {
			text = string(e.Value)
		}
		if text != "" {
			message = text
		}
	}
	if message == "" {
		message = "it failed without saying why"
	}
	return nil, &ToolError{message}
}
