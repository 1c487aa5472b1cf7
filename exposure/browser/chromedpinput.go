package browser

import (
	"context"

	"github.com/chromedp/chromedp/kb"
)

// Mouse dispatches a mouse event as if it came from the device. A tab that is behind
// another one, which it may have opened itself, takes no input: it is brought to the
// front before the mouse is moved.
func (t *chromeTab) Mouse(ctx context.Context, e MouseEvent) error {
	if e.Type == "move" {
		shown, err := t.Evaluate(ctx, Script{Expression: "document.visibilityState"})
		if err == nil && string(shown) == `"hidden"` {
			err = t.Command(ctx, "Page.bringToFront", nil, nil)
		}
		if err != nil {
			return err
		}
	}
	params := map[string]any{"x": e.X, "y": e.Y, "pointerType": "mouse"}
	switch e.Type {
	case "press":
		params["type"], params["button"], params["buttons"], params["clickCount"] = "mousePressed", "left", 1, 1
	case "release":
		params["type"], params["button"], params["buttons"], params["clickCount"] = "mouseReleased", "left", 0, 1
	default:
		params["type"], params["button"] = "mouseMoved", "none"
	}
	return t.Command(ctx, "Input.dispatchMouseEvent", params, nil)
}

// named are the keys that have names, as chromedp's table has them.
var named = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown, "Space": " ",
}

// Key presses and releases a key.
func (t *chromeTab) Key(ctx context.Context, key string) error {
	text := key
	if k, ok := named[key]; ok {
		text = k
	}
	for _, r := range text {
		for _, e := range kb.Encode(r) {
			if err := t.Command(ctx, "Input.dispatchKeyEvent", e, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// InsertText types text at the caret.
func (t *chromeTab) InsertText(ctx context.Context, text string) error {
	return t.Command(ctx, "Input.insertText", map[string]any{"text": text}, nil)
}
