package browser

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// An outFrame is a frame with a session of its own.
type outFrame struct {
	t      *chromedp.Target
	cancel context.CancelFunc
}

// frame returns our name of a frame.
func (t *chromeTab) frame(id cdp.FrameID) FrameID {
	if FrameID(id) == t.top {
		return ""
	}
	return FrameID(id)
}

// session returns where commands for a frame go.
func (t *chromeTab) session(ctx context.Context, id FrameID) (*chromedp.Target, error) {
	t.mu.Lock()
	out, isForeign := t.outside[id], false
	if out == nil {
		_, isForeign = t.foreign[id]
	}
	t.mu.Unlock()
	switch {
	case out != nil:
		return out.t, nil
	case !isForeign:
		return t.t, nil
	}
	fctx, cancel := chromedp.NewContext(t.ctx, chromedp.WithTargetID(target.ID(id)), chromedp.WithDetachOnCancel())
	if err := await(ctx, func() error { return chromedp.Do(fctx) }); err != nil {
		go cancel()
		return nil, err
	}
	out = &outFrame{chromedp.FromContext(fctx).Target, cancel}
	t.mu.Lock()
	sources := slices.Clone(t.sources)
	t.mu.Unlock()
	for _, source := range sources {
		// Its document is there already.
		if t.addSource(ctx, out.t, source) == nil {
			_ = t.call(ctx, out.t, "Runtime.evaluate", map[string]any{"expression": source + "\n;undefined", "silent": true}, nil)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.outside[id]; other != nil {
		go cancel()
		return other.t, nil
	}
	t.outside[id] = out
	return out.t, nil
}

// document returns an object of the main world: the document of a frame that has no
// session of its own. It fails with ErrDocumentGone if the frame is about to get one.
func (t *chromeTab) document(ctx context.Context, session *chromedp.Target, frame FrameID) (object string, err error) {
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, session, "DOM.getFrameOwner", map[string]any{"frameId": frame}, &owner); err != nil {
		return "", err
	}
	var d struct {
		Node struct {
			Document struct {
				ID int64 `json:"backendNodeId"`
			} `json:"contentDocument"`
		} `json:"node"`
	}
	if err := t.call(ctx, session, "DOM.describeNode", map[string]any{"backendNodeId": owner.Node, "depth": 0, "pierce": true}, &d); err != nil {
		return "", err
	}
	if d.Node.Document.ID == 0 {
		return "", ErrDocumentGone
	}
	var node struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	if err := t.call(ctx, session, "DOM.resolveNode", map[string]any{"backendNodeId": d.Node.Document.ID}, &node); err != nil {
		return "", err
	}
	return node.Object.ID, nil
}

// Frames lists the frames of the tab's own session, then those that have one of
// their own, with what is in them.
func (t *chromeTab) Frames(ctx context.Context) ([]Frame, error) {
	list, err := t.framesOf(ctx, t.t, "")
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	foreign := make(map[FrameID]FrameID, len(t.foreign))
	for id, parent := range t.foreign {
		foreign[id] = parent
	}
	t.mu.Unlock()
	for id, parent := range foreign {
		session, err := t.session(ctx, id)
		if err != nil {
			continue // it may be gone
		}
		if inner, err := t.framesOf(ctx, session, parent); err == nil {
			list = append(list, inner...)
		}
	}
	return list, nil
}

func (t *chromeTab) framesOf(ctx context.Context, session *chromedp.Target, parent FrameID) ([]Frame, error) {
	var r page.GetFrameTreeResult
	if err := t.call(ctx, session, "Page.getFrameTree", nil, &r); err != nil {
		return nil, err
	}
	var list []Frame
	var walk func(tree *page.FrameTree, parent FrameID)
	walk = func(tree *page.FrameTree, parent FrameID) {
		id := t.frame(tree.Frame.ID)
		list = append(list, Frame{ID: id, Parent: parent, URL: tree.Frame.URL, Document: string(tree.Frame.LoaderID)})
		for _, c := range tree.ChildFrames {
			walk(c, id)
		}
	}
	walk(r.FrameTree, parent)
	return list, nil
}

// FrameElement calls a function with the element that embeds a frame.
func (t *chromeTab) FrameElement(ctx context.Context, f Frame, function string) (json.RawMessage, error) {
	session, err := t.session(ctx, f.Parent)
	if err != nil {
		return nil, t.failure(err)
	}
	world, err := t.world(ctx, session, f.Parent)
	if err != nil {
		return nil, err
	}
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, session, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
		return nil, err
	}
	var node struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	if err := t.call(ctx, session, "DOM.resolveNode", map[string]any{"backendNodeId": owner.Node, "executionContextId": world}, &node); err != nil {
		return nil, err
	}
	var r evaluated
	err = t.call(ctx, session, "Runtime.callFunctionOn", map[string]any{"functionDeclaration": function, "executionContextId": world,
		"arguments": []any{map[string]any{"objectId": node.Object.ID}}, "returnByValue": true, "silent": true}, &r)
	if err != nil {
		return nil, err
	}
	return r.value()
}

// ClosedRoot looks for a closed shadow root.
func (t *chromeTab) ClosedRoot(ctx context.Context, frame FrameID, element string) (bool, error) {
	session, err := t.session(ctx, frame)
	if err != nil {
		return false, t.failure(err)
	}
	world, err := t.world(ctx, session, frame)
	if err != nil {
		return false, err
	}
	var r struct {
		Result struct {
			ID string `json:"objectId"`
		} `json:"result"`
	}
	if err := t.call(ctx, session, "Runtime.evaluate", map[string]any{"expression": element, "contextId": world, "silent": true}, &r); err != nil {
		return false, err
	}
	var node struct {
		Node struct {
			Roots []struct {
				Type string `json:"shadowRootType"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	err = t.call(ctx, session, "DOM.describeNode", map[string]any{"objectId": r.Result.ID, "depth": 0, "pierce": true}, &node)
	if err != nil {
		return false, err
	}
	_ = t.call(ctx, session, "Runtime.releaseObject", map[string]any{"objectId": r.Result.ID}, nil) // or it goes with the document
	for _, root := range node.Node.Roots {
		if root.Type == "closed" {
			return true, nil
		}
	}
	return false, nil
}
