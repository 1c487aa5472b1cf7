package browser

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/snapshot"
)

// foreign grafts the documents of frames of other origins below their elements.
// Those that cannot be read stay named as unreadable.
func (r *reading) foreign(ctx context.Context, frame FrameID, document string, parent *xhtml.Node, level, count int) {
	elements := make([]*xhtml.Node, count)
	for n := range parent.Descendants() {
		a := liveAttr(n, "foreign")
		if a == nil {
			continue
		}
		if at, err := strconv.Atoi(a.Val); err == nil && at < count && elements[at] == nil {
			elements[at], a.Val = n, unfound
		}
	}
	if r.frames == nil {
		var err error
		if r.frames, err = r.page.tab.Frames(ctx); err != nil {
			r.lost = true
			return
		}
	}
	// Elements of frames inside that share the origin are the collector's too.
	find := `(e) => {
		for (let w = window; ; w = w.parent) {
			try {
				const ours = w.__pagestate;
				if (ours && ours.id === ` + Quote(document) + `) for (let i = 0, f; f = ours.foreign(i); i++) if (f === e) return i;
			} catch { /* another origin */ }
			if (w === w.parent) return -1;
		}
	}`
	all := true // frames have told which elements they are in
	for _, f := range r.frames {
		if f.ID == "" || r.read[f.ID] {
			continue
		}
		limited, cancel := half(ctx)
		out, err := r.page.tab.FrameElement(limited, f, find)
		cancel()
		var at int
		all = all && (err == nil || errors.Is(err, ErrDocumentGone))
		if err != nil || json.Unmarshal(out, &at) != nil || at < 0 || at >= count || elements[at] == nil {
			continue
		}
		a := liveAttr(elements[at], "foreign")
		var whole bool
		a.Val, whole = r.graft(ctx, f, elements[at], level+1)
		if a.Val == "" {
			a.Key = "frame"
			if !whole {
				a.Val = html.Coming
			}
		}
	}
	for _, n := range elements {
		if n == nil || !all || n.Data != "embed" {
			continue
		}
		// An embed that is no frame shows no document.
		n.Attr = slices.DeleteFunc(n.Attr, func(a xhtml.Attribute) bool {
			return a.Namespace == html.LiveSpace && a.Key == "foreign" && a.Val == unfound
		})
	}
	for _, n := range elements {
		if n == nil {
			continue
		}
		if a := liveAttr(n, "foreign"); a != nil && a.Val == unfound {
			r.lost = true
		}
	}
}

// miss notes the frames that were read before and for all that is known are still there,
// but whose elements could not be found.
func (r *reading) miss() {
	if !r.lost {
		return
	}
	var ids []FrameID
	for id, k := range r.page.kept {
		there := r.frames == nil || slices.ContainsFunc(r.frames, func(f Frame) bool { return f.ID == id })
		if id != "" && there && !r.read[id] && k.exposes() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		r.unread(id, unfound)
	}
}

// unread notes that a frame could not be read that exposed something before: that is
// not gone, nobody can tell.
func (r *reading) unread(frame FrameID, why string) {
	if k := r.page.kept[frame]; k != nil && k.exposes() {
		r.notes = append(r.notes, snapshot.Diagnostic{Code: exposure.CodeUnreadExposure, At: "frame " + k.URL, Message: why})
	}
}

// graft reads the document of a frame below its element n, and returns why it could
// not, or whether it is whole.
func (r *reading) graft(ctx context.Context, f Frame, n *xhtml.Node, level int) (why string, whole bool) {
	if r.read == nil {
		r.read = map[FrameID]bool{}
	}
	r.read[f.ID] = true
	defer func() {
		if why != "" {
			r.unread(f.ID, why)
		}
	}()
	if f.Silent {
		return silent, false
	}
	limited, cancel := half(ctx)
	defer cancel()
	h, err := r.document(limited, f.ID, n, level)
	if err == nil {
		r.apart = append(r.apart, f.ID)
		return "", h.Ready != "loading"
	}
	n.FirstChild, n.LastChild = nil, nil
	var u *call.UnobservedError
	switch {
	case limited.Err() != nil:
		return silent, false
	case errors.As(err, &u) && u.Err != nil:
		return u.Err.Error(), false
	}
	r.coming++
	return changing, false
}

// Why frames are not read.
const (
	unfound  = "the browser does not tell of it"
	silent   = "it does not answer"
	failed   = "its document could not be loaded"
	changing = "it changed while it was read"
)

// liveAttr returns an attribute of ours, nil if there is none.
func liveAttr(n *xhtml.Node, name string) *xhtml.Attribute {
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Namespace == html.LiveSpace && a.Key == name {
			return a
		}
	}
	return nil
}

// exposes reports whether what was read of a document may have exposed something.
func (k *kept) exposes() bool {
	for _, sign := range []string{`"data-agent-`, `"*code"`, `"*ref"`, `["li"`, `["tr"`, `["article"`, `"itemprop"`, `"role"`} {
		if strings.Contains(k.parts[shapesPart], sign) {
			return true
		}
	}
	return false
}

// half bounds ctx to half of the time that is left, where there is a deadline.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Until(deadline)/2)
	}
	return context.WithCancel(ctx)
}
