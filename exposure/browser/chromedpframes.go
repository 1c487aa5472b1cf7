package browser

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// An outFrame is a frame with a session of its own.
type outFrame struct {
	ready  chan struct{} // closed when there is a session, or none can be had
	t      *chromedp.Target
	err    error
	cancel context.CancelFunc
}

// frame returns our name of a frame.
func (t *chromeTab) frame(id cdp.FrameID) FrameID {
	if FrameID(id) == t.top {
		return ""
	}
	return FrameID(id)
}

// frameEvent notes what an event tells of frames: one of the tab's own session, or
// of that of the frame root.
func (t *chromeTab) frameEvent(root FrameID, ev any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := ev.(type) {
	case *page.EventFrameNavigated:
		id := t.frame(ev.Frame.ID)
		delete(t.worlds, id)
		delete(t.silent, id)
		if id == "" {
			clear(t.worlds)
			clear(t.inner)
			clear(t.arriving)
			if t.crashed {
				t.crashed, t.crash = false, make(chan struct{})
			}
		}
	case *runtime.EventExecutionContextsCleared:
		for id := range t.worlds {
			if _, foreign := t.foreign[id]; id == root || !foreign && t.inner[id] == root {
				delete(t.worlds, id)
			}
		}
	case *inspector.EventTargetCrashed:
		if root != "" {
			t.silent[root] = true
		}
	case *page.EventFrameDetached:
		id := FrameID(ev.FrameID)
		delete(t.worlds, id)
		if ev.Reason != page.FrameDetachedReasonSwap {
			t.forget(id)
			delete(t.inner, id)
		}
	case *target.EventAttachedToTarget:
		if ev.TargetInfo.Type == "iframe" {
			t.addForeign(ev.TargetInfo)
			t.sessions[ev.SessionID] = FrameID(ev.TargetInfo.TargetID)
		}
	case *target.EventDetachedFromTarget:
		if id, ok := t.sessions[ev.SessionID]; ok {
			delete(t.sessions, ev.SessionID)
			t.forget(id)
		}
	}
}

// addForeign notes a frame with a session of its own. t.mu is held.
func (t *chromeTab) addForeign(info *target.Info) {
	id := FrameID(info.TargetID)
	t.foreign[id] = t.frame(info.ParentFrameID)
	delete(t.worlds, id)
	delete(t.inner, id)
}

// forget notes that a frame has no session of its own any more. t.mu is held.
func (t *chromeTab) forget(id FrameID) {
	delete(t.foreign, id)
	delete(t.silent, id)
	delete(t.worlds, id)
	if out := t.outside[id]; out != nil {
		delete(t.outside, id)
		go out.cancel()
	}
}

// findForeign notes the frames with sessions of their own that were there before
// events were listened to.
func (t *chromeTab) findForeign() {
	infos, err := chromedp.Targets(t.ctx)
	if err != nil || !slices.ContainsFunc(infos, func(i *target.Info) bool { return i.Type == "iframe" }) {
		return
	}
	if _, err = t.framesOf(t.ctx, t.t, "", ""); err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for found := true; found; {
		found = false
		for _, info := range infos {
			_, known := t.foreign[FrameID(info.TargetID)]
			parent := t.frame(info.ParentFrameID)
			_, ours := t.foreign[parent]
			_, inside := t.inner[parent]
			if info.Type == "iframe" && !known && (ours || inside || parent == "" && info.ParentFrameID != "") {
				t.addForeign(info)
				found = true
			}
		}
	}
}

// session returns where commands for a frame go. A session that is not there yet is
// waited for; it comes to be whether or not ctx ends.
func (t *chromeTab) session(ctx context.Context, id FrameID) (*chromedp.Target, error) {
	t.mu.Lock()
	root := id
	if _, own := t.foreign[id]; !own {
		root = t.inner[id]
	}
	if root == "" {
		t.mu.Unlock()
		return t.t, nil
	}
	out := t.outside[root]
	if out == nil {
		fctx, cancel := chromedp.NewContext(t.ctx, chromedp.WithTargetID(target.ID(root)), chromedp.WithDetachOnCancel(),
			chromedp.WithListener(func(ev any) { t.frameEvent(root, ev); t.requestEvent(root, ev) }))
		out = &outFrame{ready: make(chan struct{}), cancel: cancel}
		t.outside[root] = out
		go t.attach(fctx, root, out)
	}
	t.mu.Unlock()
	select {
	case <-out.ready:
		return out.t, out.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// attach makes the session of a frame.
func (t *chromeTab) attach(ctx context.Context, id FrameID, out *outFrame) {
	defer close(out.ready)
	if out.err = chromedp.Do(ctx); out.err != nil {
		t.mu.Lock()
		if t.outside[id] == out {
			delete(t.outside, id) // who asks again tries again
		}
		t.mu.Unlock()
		out.cancel()
		return
	}
	session := chromedp.FromContext(ctx).Target
	t.mu.Lock()
	sources := slices.Clone(t.sources)
	out.t = session // which also gets what is added from now on
	t.mu.Unlock()
	for _, source := range sources {
		// Its document is there already.
		world, err := int64(0), t.addSource(ctx, session, source)
		if err == nil && source.world == Isolated {
			world, err = t.world(ctx, session, id)
		}
		if err == nil {
			_, _ = t.evaluate(ctx, session, Script{Expression: source.text + "\n;undefined"}, world) // or it goes with the document
		}
	}
}

// own reports whether a frame is the root of a session.
func (t *chromeTab) own(id FrameID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, foreign := t.foreign[id]
	return id == "" || foreign
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

// frameTime is how long a frame with a process of its own may take to answer, at
// most a quarter of what is left; one that did not answer the last time gets
// silentTime.
const (
	frameTime  = 2 * time.Second
	silentTime = 50 * time.Millisecond
)

// patience bounds ctx for a frame.
func (t *chromeTab) patience(ctx context.Context, id FrameID) (context.Context, context.CancelFunc) {
	most := frameTime
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/4)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.silent[id] {
		most = min(most, silentTime)
	}
	return context.WithTimeout(ctx, most)
}

// Frames lists the frames of the tab's own session, then those that have one of
// their own, with what is in them, each behind its parent.
func (t *chromeTab) Frames(ctx context.Context) ([]Frame, error) {
	list, err := t.framesOf(ctx, t.t, "", "")
	if err != nil {
		return nil, err
	}
	listed := map[FrameID]bool{}
	for asked := 0; ; {
		for _, f := range list[asked:] {
			listed[f.ID] = true
		}
		asked = len(list)
		var next []Frame
		t.mu.Lock()
		for id, parent := range t.foreign {
			if listed[parent] && !listed[id] {
				next = append(next, Frame{ID: id, Parent: parent})
			}
		}
		t.mu.Unlock()
		if len(next) == 0 {
			return list, nil
		}
		slices.SortFunc(next, func(a, b Frame) int { return strings.Compare(string(a.ID), string(b.ID)) })
		inner := make([][]Frame, len(next))
		var wg sync.WaitGroup
		for i, f := range next {
			wg.Go(func() { inner[i] = t.framesIn(ctx, f) })
		}
		wg.Wait()
		for i, frames := range inner {
			if frames == nil {
				listed[next[i].ID] = true // it is gone
			}
			list = append(list, frames...)
		}
	}
}

// framesIn lists a frame with a session of its own and those in it; nil if it is
// gone.
func (t *chromeTab) framesIn(ctx context.Context, f Frame) []Frame {
	limited, cancel := t.patience(ctx, f.ID)
	defer cancel()
	session, err := t.session(limited, f.ID)
	var list []Frame
	if err == nil {
		list, err = t.framesOf(limited, session, f.ID, f.Parent)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.silent, f.ID)
	if err != nil && limited.Err() != nil {
		t.silent[f.ID] = true
		f.Silent = true
		return []Frame{f}
	}
	return list
}

// framesOf lists the frames of the session of the frame root, which is in parent.
func (t *chromeTab) framesOf(ctx context.Context, session *chromedp.Target, root, parent FrameID) ([]Frame, error) {
	var r page.GetFrameTreeResult
	if err := t.call(ctx, session, "Page.getFrameTree", nil, &r); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Frame
	var walk func(tree *page.FrameTree, parent FrameID)
	walk = func(tree *page.FrameTree, parent FrameID) {
		id := t.frame(tree.Frame.ID)
		list = append(list, Frame{ID: id, Parent: parent, URL: tree.Frame.URL, Document: string(tree.Frame.LoaderID)})
		if id != root {
			t.inner[id] = root
		}
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
	out, world, err := t.frameElement(ctx, session, f, function)
	if errors.Is(err, ErrDocumentGone) && t.left(f.Parent, world) {
		out, _, err = t.frameElement(ctx, session, f, function)
	}
	return out, err
}

// left notes that a world is not the one of a frame's document, and reports whether it
// was taken for it.
func (t *chromeTab) left(id FrameID, world int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if world == 0 || t.worlds[id] != world {
		return false
	}
	delete(t.worlds, id)
	return true
}

func (t *chromeTab) frameElement(ctx context.Context, session *chromedp.Target, f Frame, function string) (out json.RawMessage, world int64, err error) {
	if world, err = t.world(ctx, session, f.Parent); err != nil {
		return nil, 0, err
	}
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := t.call(ctx, session, "DOM.getFrameOwner", map[string]any{"frameId": f.ID}, &owner); err != nil {
		return nil, world, err
	}
	var node struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	if err := t.call(ctx, session, "DOM.resolveNode", map[string]any{"backendNodeId": owner.Node, "executionContextId": world}, &node); err != nil {
		return nil, world, err
	}
	var r evaluated
	err = t.call(ctx, session, "Runtime.callFunctionOn", map[string]any{"functionDeclaration": function, "executionContextId": world,
		"arguments": []any{map[string]any{"objectId": node.Object.ID}}, "returnByValue": true, "silent": true}, &r)
	if err != nil {
		return nil, world, err
	}
	out, err = r.value()
	return out, world, err
}

// ClosedRoots looks for closed shadow roots.
func (t *chromeTab) ClosedRoots(ctx context.Context, frame FrameID, elements string) ([]bool, error) {
	session, err := t.session(ctx, frame)
	if err != nil {
		return nil, t.failure(err)
	}
	world, err := t.world(ctx, session, frame)
	if err != nil {
		return nil, err
	}
	const group = "pagestate roots"
	var list struct {
		Result struct {
			ID string `json:"objectId"`
		} `json:"result"`
	}
	if err := t.call(ctx, session, "Runtime.evaluate", map[string]any{"expression": elements, "contextId": world, "objectGroup": group, "silent": true}, &list); err != nil {
		return nil, err
	}
	defer func() { // or they go with the document
		_ = t.call(context.WithoutCancel(ctx), session, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": group}, nil)
	}()
	var r struct {
		Properties []struct {
			Name  string `json:"name"`
			Value struct {
				ID string `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	if err := t.call(ctx, session, "Runtime.getProperties", map[string]any{"objectId": list.Result.ID, "ownProperties": true}, &r); err != nil {
		return nil, err
	}
	var ids []string
	for _, p := range r.Properties {
		if p.Name == strconv.Itoa(len(ids)) { // indices come first, in order
			ids = append(ids, p.Value.ID)
		}
	}
	closed, errs := make([]bool, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { closed[i], errs[i] = t.closedRoot(ctx, session, id) })
	}
	wg.Wait()
	return closed, errors.Join(errs...)
}

// closedRoot reports whether an element has a closed shadow root.
func (t *chromeTab) closedRoot(ctx context.Context, session *chromedp.Target, object string) (bool, error) {
	var r struct {
		Node struct {
			Roots []struct {
				Type string `json:"shadowRootType"`
			} `json:"shadowRoots"`
		} `json:"node"`
	}
	if err := t.call(ctx, session, "DOM.describeNode", map[string]any{"objectId": object, "depth": 0}, &r); err != nil {
		return false, err
	}
	for _, root := range r.Node.Roots {
		if root.Type == "closed" {
			return true, nil
		}
	}
	return false, nil
}
