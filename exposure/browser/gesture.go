package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// gestureParams returns the parameters of an element's action that declares none,
// by its primitive.
func gestureParams(primitive string) records.Value {
	text := ""
	switch primitive {
	case "fill":
		text = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`
	case "select":
		text = `{"type":"object","properties":{"value":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}},"additionalProperties":false}`
	default:
		return records.Value{}
	}
	enc, err := records.ParseValue(nil, []byte(text))
	if err != nil {
		panic(err) // the texts above are valid
	}
	return records.RawValue(enc)
}

// gesture does to an element what its action's primitive says. If anything has changed
// since the last reading the page is read anew: a page that has made its elements again
// still has the action, as another element of the same origin, and no neighbour can be
// taken for it.
func (p *Page) gesture(ctx context.Context, a *snapshot.Action, params json.RawMessage) error {
	how := holdStill
	if a.Primitive != "submit" {
		how |= holdPoint
	}
	e, err := p.hold(ctx, how, ofAction(a))
	if err != nil {
		return notRun(ctx, p.gone(err))
	}
	var in map[string]any
	if len(params) > 0 {
		if err := json.Unmarshal(params, &in); err != nil {
			return notRun(ctx, err)
		}
	}
	switch a.Primitive {
	case "fill":
		return p.fill(ctx, e, textOf(in))
	case "select":
		return p.choose(ctx, e, listOf(in["value"]))
	case "submit":
		return undone(ctx, p.do(ctx, e, "submit"))
	case "upload":
		return notRun(ctx, &call.UnavailableError{Reason: reasonFiles})
	}
	return p.click(ctx, e)
}

// textOf returns the text among the parameters of a fill: "text", "value", or the
// only one.
func textOf(in map[string]any) string {
	for _, name := range []string{"text", "value"} {
		if v, ok := in[name]; ok {
			return fmt.Sprint(v)
		}
	}
	if len(in) == 1 {
		for _, v := range in {
			return fmt.Sprint(v)
		}
	}
	return ""
}

func listOf(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			list = append(list, fmt.Sprint(item))
		}
	}
	return list
}

// by finds the element of an action by id and does f with it.
func (p *Page) by(ctx context.Context, id string, f func(context.Context, element) error) error {
	if _, err := p.Snapshot(ctx); err != nil {
		return err
	}
	e, err := p.hold(ctx, holdPoint, func(s *snapshot.Snapshot, targets *referents) (element, error) {
		for i := range s.Actions() {
			a := s.Action(i)
			switch {
			case a.ID != id:
			case a.Unavailable:
				return element{}, &call.UnavailableError{Reason: a.Reason}
			default:
				e, err := ofAction(&a)(s, targets)
				if err != nil {
					err = fmt.Errorf("%w: no element stands for it", err)
				}
				return e, err
			}
		}
		return element{}, exposure.ErrGone
	})
	if err != nil {
		return err
	}
	_, err = p.guard(ctx, func(ctx context.Context) (any, error) { return nil, f(ctx, e) })
	return err
}

// Click clicks the element of an action, by its id, with the mouse. It and the
// following fail with a *call.UnavailableError that says why the element cannot be
// used, and with exposure.ErrGone if there is none.
func (p *Page) Click(ctx context.Context, id string) error { return p.by(ctx, id, p.click) }

// Fill puts text into the element of an action in place of what is there.
func (p *Page) Fill(ctx context.Context, id, text string) error {
	return p.by(ctx, id, func(ctx context.Context, e element) error { return p.fill(ctx, e, text) })
}

// Select selects options by value, else by text. A list of options is no part of
// the page's own input: the choice is made by script, with the events of one.
func (p *Page) Select(ctx context.Context, id string, values ...string) error {
	return p.by(ctx, id, func(ctx context.Context, e element) error { return p.choose(ctx, e, values) })
}

// Check makes a checkbox, switch or radio button checked or not, by a click if it
// is not so yet.
func (p *Page) Check(ctx context.Context, id string, on bool) error {
	return p.by(ctx, id, func(ctx context.Context, e element) error {
		s, err := p.stateOf(ctx, e)
		if err != nil || s.Checked == on {
			return err
		}
		if err := p.click(ctx, e); err != nil {
			return err
		}
		if s, err = p.stateOf(ctx, e); err == nil && s.Checked != on {
			err = &call.UnavailableError{Reason: "it did not change when it was clicked"}
		}
		return err
	})
}

// Press focuses the element of an action and presses a key: a character or a name
// such as Enter or ArrowDown.
func (p *Page) Press(ctx context.Context, id, key string) error {
	return p.by(ctx, id, func(ctx context.Context, e element) error {
		if _, err := p.point(ctx, e); err != nil {
			return err
		}
		if err := p.take(ctx, e); err != nil {
			return err
		}
		return p.tab.Key(ctx, key)
	})
}

// ScrollIntoView brings the element of an action to where it can be hit.
func (p *Page) ScrollIntoView(ctx context.Context, id string) error {
	return p.by(ctx, id, func(ctx context.Context, e element) error {
		_, err := p.point(ctx, e)
		return err
	})
}

// A verdict is what our scripts say of an element.
type verdict struct {
	Gone   bool    `json:"gone"`
	Reason string  `json:"reason"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Moved  bool    `json:"moved"`
}

func (v *verdict) err() error {
	switch {
	case v.Gone:
		return exposure.ErrGone
	case v.Reason != "":
		return &call.UnavailableError{Reason: v.Reason}
	}
	return nil
}

// ask evaluates a call of ours about an element.
func (p *Page) ask(ctx context.Context, e element, expression string) (v verdict, err error) {
	raw, err := p.inWorld(ctx, e.frame, expression, false)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, err
	}
	return v, v.err()
}

// do does what a function of ours with one parameter does.
func (p *Page) do(ctx context.Context, e element, name string, more ...string) error {
	_, err := p.ask(ctx, e, fmt.Sprintf("%s(%s)", name, strings.Join(append([]string{e.key()}, more...), ",")))
	return err
}

// point returns where the element can be hit, in the viewport of the tab.
func (p *Page) point(ctx context.Context, e element) (v verdict, err error) {
	if v, err = p.pointIn(ctx, e); err != nil {
		return v, err
	}
	frame, err := p.place(ctx, e.frame)
	if err != nil {
		return v, err
	}
	if err := frame.check(ctx, v.X, v.Y); err != nil {
		return v, err
	}
	v.X, v.Y = frame.matrix.apply(v.X, v.Y)
	return v, nil
}

// pointIn returns where the element can be hit, in the viewport of its frame.
func (p *Page) pointIn(ctx context.Context, e element) (verdict, error) {
	if e.at != nil {
		return *e.at, e.at.err()
	}
	return p.ask(ctx, e, "point("+e.key()+")")
}

// maxChase is how often an element that moves is followed.
const maxChase = 5

// click moves the mouse to an element and clicks. What the element does meanwhile
// does not make the click another one's: one that lands elsewhere is kept from the page.
func (p *Page) click(ctx context.Context, e element) error {
	at, err := p.pointIn(ctx, e)
	if err != nil {
		return notRun(ctx, err)
	}
	frame, err := p.place(ctx, e.frame)
	if err != nil {
		return notRun(ctx, err)
	}
	var x, y float64
	for tries := 0; ; tries++ {
		if err := frame.check(ctx, at.X, at.Y); err != nil {
			if tries == 0 {
				err = notRun(ctx, err)
			}
			return err
		}
		x, y = frame.matrix.apply(at.X, at.Y)
		if err := p.tab.Mouse(ctx, MouseEvent{"move", x, y}); err != nil {
			return err
		}
		now, err := p.ask(ctx, e, fmt.Sprintf("aim(%s,%v,%v)", e.key(), at.X, at.Y))
		if err != nil {
			return err
		}
		if !now.Moved {
			break
		}
		if at = now; tries == maxChase {
			return &call.UnavailableError{Reason: "it moves away"}
		}
	}
	worlds := p.look().worlds
	for _, typ := range []string{"press", "release"} {
		// Once pressed the mouse is let go, whatever becomes of the page.
		if err := p.tab.Mouse(ctx, MouseEvent{typ, x, y}); err != nil {
			return err
		}
	}
	// A document that has been left, or is about to be, or in which a dialog is open cannot
	// be asked, which is no failure of the click.
	limited, cancel := context.WithTimeout(ctx, landTime)
	defer cancel()
	go func() {
		_ = p.await(limited, func(s *pageState) bool { return s.leaving || s.open != nil || s.worlds != worlds })
		cancel()
	}()
	if _, err := p.ask(limited, e, "landed()"); errors.As(err, new(*call.UnavailableError)) {
		return err
	}
	return nil
}

// landTime is how long a page may take to say whether it was clicked. One that is busy
// for longer has been.
const landTime = time.Second

func (p *Page) take(ctx context.Context, e element) error {
	raw, err := p.inWorld(ctx, e.frame, "take("+e.key()+")", false)
	if err == nil && string(raw) != "true" {
		err = exposure.ErrGone
	}
	return err
}

// elementState is what an element is.
type elementState struct {
	Tag      string `json:"tag"`
	Type     string `json:"type"`
	Checked  bool   `json:"checked"`
	Editable bool   `json:"editable"`
	ReadOnly bool   `json:"readonly"`
	Gone     bool   `json:"gone"`
}

func (p *Page) stateOf(ctx context.Context, e element) (s elementState, err error) {
	raw, err := p.inWorld(ctx, e.frame, "state("+e.key()+")", false)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err == nil && s.Gone {
		err = exposure.ErrGone
	}
	return s, err
}

// errReadOnly reports an element that takes no text.
var errReadOnly = errors.New("it takes no text")

// fill focuses an element by clicking it, and types in place of what is there.
func (p *Page) fill(ctx context.Context, e element, text string) error {
	s, err := p.stateOf(ctx, e)
	if err != nil {
		return notRun(ctx, err)
	}
	switch {
	case s.ReadOnly:
		return notRun(ctx, &call.UnavailableError{Reason: "it is read-only"})
	case s.Tag == "input":
		switch s.Type {
		case "date", "time", "datetime-local", "month", "week", "color", "range":
			if _, err := p.point(ctx, e); err != nil {
				return notRun(ctx, err)
			}
			return undone(ctx, p.do(ctx, e, "set", Quote(text)))
		case "checkbox", "radio", "button", "submit", "reset", "image", "file", "hidden":
			return notRun(ctx, errReadOnly)
		}
	case s.Tag == "textarea", s.Editable:
	default:
		return notRun(ctx, errReadOnly)
	}
	if err := p.click(ctx, e); err != nil {
		return err
	}
	if err := p.take(ctx, e); err != nil {
		return err
	}
	if text == "" {
		return p.tab.Key(ctx, "Delete")
	}
	return p.tab.InsertText(ctx, text)
}

// choose selects options.
func (p *Page) choose(ctx context.Context, e element, values []string) error {
	if _, err := p.point(ctx, e); err != nil {
		return notRun(ctx, err)
	}
	list, err := json.Marshal(values)
	if err != nil {
		return err
	}
	if values == nil {
		list = []byte("[]")
	}
	return undone(ctx, p.do(ctx, e, "choose", string(list)))
}
