package html

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// unavailable returns whether an action's element cannot be used now, and why.
func (d *decoder) unavailable(n *node) (no bool, reason string) {
	if v, ok := n.lookup("data-agent-unavailable"); ok && !strings.EqualFold(v, "false") {
		if v = flat(v); v == "" {
			v = exposure.ReasonUnavailable
		}
		return true, v
	}
	own := func(fixed string) (bool, string) {
		if title := labelAttr(n, "title"); title != "" {
			return true, title
		}
		return true, fixed
	}
	if canDisable(n) && n.has("disabled") {
		return own(exposure.ReasonDisabled)
	}
	switch {
	case n.tag == atom.Option && n.parent.tag == atom.Optgroup && n.parent.has("disabled"):
		return true, exposure.ReasonGroup
	case n.tag == atom.Option && selectOf(n).has("disabled"):
		return true, exposure.ReasonDisabled
	case canDisable(n) && n.is(inFieldset):
		return true, exposure.ReasonFieldset
	case strings.EqualFold(n.attr("aria-disabled"), "true"):
		return own(exposure.ReasonAriaDisabled)
	case n.is(ariaDisabled):
		return true, exposure.ReasonAriaDisabled
	case n.is(isInert):
		return true, exposure.ReasonInert
	case n.is(isHidden | isInvisible):
		return true, exposure.ReasonHidden
	case d.modal != nil && !n.within(d.modal):
		return true, exposure.ReasonModal
	}
	return false, ""
}

// canDisable reports whether the disabled attribute means something on n.
func canDisable(n *node) bool {
	switch n.tag {
	case atom.Button, atom.Fieldset, atom.Input, atom.Optgroup, atom.Option, atom.Select, atom.Textarea:
		return true
	}
	return n.raw.Namespace == "" && strings.Contains(n.raw.Data, "-") // form-associated custom elements
}

// selectOf returns the select around an option, else the option.
func selectOf(n *node) *node {
	for p := n.parent; p != nil; p = p.parent {
		if p.tag == atom.Select {
			return p
		}
	}
	return n
}

// stateOf returns whether a region can be used, as far as the markup tells, or live the
// page.
func (d *decoder) stateOf(n *node) snapshot.State {
	switch {
	case n.is(isInert):
		return snapshot.Inactive
	case d.modal != nil && !n.within(d.modal) && !d.modal.within(n):
		return snapshot.Covered
	case n.is(isCovered | inCovered):
		return snapshot.Covered
	}
	return ""
}

// primitive returns what is done to an element to run its action.
func primitive(n *node) string {
	switch n.tag {
	case atom.Textarea:
		return "fill"
	case atom.Select, atom.Option:
		return "select"
	case atom.Form:
		return "submit"
	case atom.Input:
		switch inputType(n) {
		case "button", "submit", "reset", "image", "checkbox", "radio":
			return "click"
		case "file":
			return "upload"
		}
		return "fill"
	}
	switch n.role() {
	case "textbox", "searchbox", "spinbutton":
		return "fill"
	}
	if v, ok := n.lookup("contenteditable"); ok && !strings.EqualFold(v, "false") {
		return "fill"
	}
	return "click"
}
