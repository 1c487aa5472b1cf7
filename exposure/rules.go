package exposure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pagestate/pagestate/snapshot"
)

// Reasons why an action cannot be attempted, unless its author gives one.
const (
	ReasonUnavailable  = "unavailable"
	ReasonDisabled     = "disabled"
	ReasonFieldset     = "in a disabled fieldset"
	ReasonGroup        = "in a disabled option group"
	ReasonAriaDisabled = "marked as disabled"
	ReasonInert        = "in an inert part of the page"
	ReasonHidden       = "hidden"
	ReasonModal        = "behind a modal dialog"
	ReasonInactive     = "its scope is inactive"
	ReasonCovered      = "its scope is covered"
	ReasonSchema       = "its parameters are not described correctly"
	ReasonRepeated     = "several records have the id of its record"
	ReasonUnknown      = "whether it is available could not be told"
)

// Codes of diagnostics that readers of exposures make.
const (
	CodeBadID           = "bad-id"
	CodeBadAttribute    = "bad-attribute"
	CodeBadAvailable    = "bad-available"
	CodeBadExposure     = "bad-exposure"
	CodeBadParams       = "bad-params"
	CodeBadState        = "bad-state"
	CodeBadValue        = "bad-value"
	CodeUncheckedParams = "unchecked-params"
	CodeDuplicateID     = "duplicate-id"
	CodeNoDescription   = "no-description"
	CodeStrayField      = "stray-field"
	CodeUnreadExposure  = "unread-exposure"
	CodeUnreadableFrame = "unreadable-frame"
	CodeUnreadableRoot  = "unreadable-root"
)

// ErrUnread reports a snapshot of less than is exposed: a block of declarations,
// records that code lists, a frame that was read before, or the end of a document that
// was cut could not be read, so what is in it is not known.
var ErrUnread = errors.New("not all that is exposed could be read")

// Unread returns an error that wraps ErrUnread if s lacks what could not be read
// (CodeUnreadExposure), and nil if not. What s has can be shown; compared with
// another snapshot, what it lacks would seem to have been removed.
func Unread(s *snapshot.Snapshot) error {
	for _, d := range s.Diagnostics() {
		if d.Code == CodeUnreadExposure {
			return fmt.Errorf("%w: %s: %s", ErrUnread, d.At, d.Message)
		}
	}
	return nil
}

// Masked reports whether what a control holds is never exposed: passwords,
// one-time codes and payment cards, told by the control's type and its
// autocomplete attribute.
func Masked(typ, autocomplete string) bool {
	if strings.EqualFold(strings.TrimSpace(typ), "password") {
		return true
	}
	for token := range strings.FieldsSeq(strings.ToLower(autocomplete)) {
		if token == "one-time-code" || strings.HasSuffix(token, "-password") || strings.HasPrefix(token, "cc-") {
			return true
		}
	}
	return false
}
