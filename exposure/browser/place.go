package browser

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
)

// A matrix takes points of one viewport to another: x' = ax + cy + e, y' = bx + dy + f,
// with its elements in the order of letters.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// after returns the matrix that does n and then m.
func (m matrix) after(n matrix) matrix {
	e, f := m.apply(n[4], n[5])
	return matrix{m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3], e, f}
}

// back returns the point that m takes to a point.
func (m matrix) back(x, y float64) (float64, float64) {
	x, y = x-m[4], y-m[5]
	det := m[0]*m[3] - m[1]*m[2] // not 0 of what can be hit
	return (m[3]*x - m[2]*y) / det, (m[0]*y - m[1]*x) / det
}

// A place is where the viewport of a frame of another origin is in that of the tab.
type place struct {
	page   *Page
	matrix matrix
	around []level // innermost first
}

// A level is where a frame is in the document around it.
type level struct {
	frame  Frame
	matrix matrix
}

// place returns where a frame is, and brings it into view.
func (p *Page) place(ctx context.Context, frame FrameID) (place, error) {
	at := place{page: p, matrix: identity}
	if frame == "" {
		return at, nil
	}
	frames, err := p.tab.Frames(ctx)
	if err != nil {
		return at, err
	}
	for frame != "" {
		i := slices.IndexFunc(frames, func(f Frame) bool { return f.ID == frame })
		if i < 0 {
			return at, exposure.ErrGone
		}
		l := level{frame: frames[i]}
		if l.matrix, err = p.placeIn(ctx, l.frame); err != nil {
			return at, err
		}
		at.matrix, frame = l.matrix.after(at.matrix), l.frame.Parent
		at.around = append(at.around, l)
	}
	return at, nil
}

// placeIn returns where a frame is in the document around it.
func (p *Page) placeIn(ctx context.Context, f Frame) (m matrix, err error) {
	const find = `(e) => {
		const ours = globalThis.__pagestate;
		if (!ours || !ours.placeOf) return 'install';
		e.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
		return ours.placeOf(e);
	}`
	out, err := p.tab.FrameElement(ctx, f, find)
	if err == nil && string(out) == `"install"` {
		// It is in a frame that the document around that reads.
		if _, err = p.inWorld(ctx, f.Parent, "id", false); err == nil {
			out, err = p.tab.FrameElement(ctx, f, find)
		}
	}
	if err != nil {
		return m, err
	}
	if json.Unmarshal(out, &m) == nil {
		return m, nil
	}
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		return m, err
	}
	return m, v.err()
}

// check reports whether a point of the frame's viewport can be hit: nothing covers the
// frames around it there.
func (at *place) check(ctx context.Context, x, y float64) error {
	x, y = at.matrix.apply(x, y)
	for _, l := range slices.Backward(at.around) {
		point, _ := json.Marshal([]float64{x, y})
		out, err := at.page.tab.FrameElement(ctx, l.frame, `(e) => e.getRootNode().elementFromPoint(...`+string(point)+`) === e`)
		switch {
		case err != nil:
			return err
		case string(out) != "true":
			return &call.UnavailableError{Reason: "its frame is covered"}
		}
		x, y = l.matrix.back(x, y)
	}
	return nil
}
