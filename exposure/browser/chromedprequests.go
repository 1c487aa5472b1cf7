package browser

import (
	"strings"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// requestEvent tells of requests: of the tab's own session, or of that of the frame root.
func (t *chromeTab) requestEvent(root FrameID, ev any) {
	name := func(id network.RequestID) string {
		if root == "" {
			return string(id)
		}
		return string(root) + " " + string(id)
	}
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if ev.Type != network.ResourceTypeEventSource && ev.Type != network.ResourceTypeWebSocket && !strings.HasPrefix(ev.Request.URL, "data:") {
			t.request(root, name(ev.RequestID), true)
			if id := t.frame(ev.FrameID); ev.Type == network.ResourceTypeDocument && id != root {
				t.mu.Lock()
				t.arriving[id] = arrival{root, name(ev.RequestID)}
				t.mu.Unlock()
			}
			t.emit(Event{Type: RequestStarted, Frame: root, Request: name(ev.RequestID), URL: ev.Request.URL})
		}
	case *network.EventLoadingFinished:
		t.request(root, name(ev.RequestID), false)
		t.emit(Event{Type: RequestEnded, Frame: root, Request: name(ev.RequestID)})
	case *network.EventLoadingFailed:
		t.request(root, name(ev.RequestID), false)
		t.emit(Event{Type: RequestEnded, Frame: root, Request: name(ev.RequestID)})
	case *page.EventFrameNavigated:
		if t.frame(ev.Frame.ID) == root {
			t.endRequests(root)
		}
	case *page.EventFrameDetached:
		t.arrived(FrameID(ev.FrameID))
	case *target.EventAttachedToTarget:
		t.arrived(FrameID(ev.TargetInfo.TargetID))
	}
	t.sweepRequests()
}

// An arrival is a request for the document of a frame in that of root.
type arrival struct {
	root    FrameID
	request string
}

// arrived ends the request for the document of a frame that has gone to a process of its
// own, with its document: that the request has ended is told there, if at all.
func (t *chromeTab) arrived(frame FrameID) {
	t.mu.Lock()
	a, ok := t.arriving[frame]
	delete(t.arriving, frame)
	t.mu.Unlock()
	if ok {
		t.request(a.root, a.request, false)
		t.emit(Event{Type: RequestEnded, Frame: a.root, Request: a.request})
	}
}

// request notes that a request of a frame with a session of its own is under way or not.
func (t *chromeTab) request(root FrameID, id string, underWay bool) {
	if root == "" {
		return // of the top document the page takes care
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !underWay:
		delete(t.requests[root], id)
	case t.requests[root] == nil:
		t.requests[root] = map[string]bool{id: true}
	default:
		t.requests[root][id] = true
	}
}

// endRequests ends the requests of a frame, whose document is not there any more.
func (t *chromeTab) endRequests(root FrameID) {
	t.mu.Lock()
	list := t.requests[root]
	delete(t.requests, root)
	t.mu.Unlock()
	for id := range list {
		t.emit(Event{Type: RequestEnded, Frame: root, Request: id})
	}
}

// sweepRequests ends the requests of frames that are gone, have crashed or do not answer.
func (t *chromeTab) sweepRequests() {
	t.mu.Lock()
	var gone []FrameID
	for root := range t.requests {
		if _, there := t.foreign[root]; !there || t.silent[root] {
			gone = append(gone, root)
		}
	}
	t.mu.Unlock()
	for _, root := range gone {
		t.endRequests(root)
	}
}
