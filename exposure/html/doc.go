// Package html reads what saved pages expose: annotated ones by their annotations,
// which docs/annotations.md lists, others by what their markup implies.
//
// # The flat tree
//
// Everything is read from the flat tree: the content of a declarative shadow
// root (<template shadowrootmode=open>) stands in place of its host's children,
// slots hold what is assigned to them, and a srcdoc document hangs below its
// frame, whose name, id or title is the group of the actions in it. Closed roots
// and other frames are named by the diagnostics unreadable-root and
// unreadable-frame, and so are objects and embeds unless their type, or without one
// how their address ends, says that they show no document. Templates, comments,
// noscript and scripts expose nothing, nor does what data-agent-ignore is on.
//
// # What can be seen
//
// Records, fields and scopes are exposed if a reader can see them: no hidden
// attribute, closed details or dialog, popover, display:none or
// visibility:hidden inline on them or around them. What style sheets hide is not
// known here. aria-hidden does not hide.
//
// # Text
//
// Text is what a reader sees. It is innerText, but for text-transform, the values
// of controls, blank lines that nothing follows, and inline-block, which is taken
// as inline because style sheets are not known:
//
//   - blanks (space, tab, line ends) collapse into one, and vanish at the ends of
//     lines; in pre, and where white-space says so inline, they stay. U+00A0 stays.
//   - br ends a line. So do blocks, before and behind; a p also leaves a blank
//     line. Where several meet the most demanding counts; a br at the end of a
//     block adds nothing. Cells of a row are parted by a tab. Inline elements glue.
//     Children of an element that is flex or grid inline are blocks, also of one inside
//     it that is display: contents.
//   - what is hidden, data-agent-ignore, the values of controls, and records and
//     scopes inside are not part of it; a sensitive element inside shows as
//     [masked], and so does one whose text shows as dots (-webkit-text-security).
//     A record, scope or control that shows keeps its place: as a block it parts
//     the lines around it. No blank or line end is at either end, but in
//     preformatted text.
//
// # Values of fields
//
// The first of: data-agent-value; the state of a control; alt of an image; text;
// where there is no text, the state of the only control in the element. A checkbox
// is true, false or "mixed"; a select the value of the chosen option, else its
// text, or an array of them; number, range, progress and meter are numbers, "" if
// empty; other controls are text. A radio group, or a fieldset or radiogroup of
// nothing but radio buttons, is the chosen value, "" if none is chosen. Elements
// with role checkbox, switch or radio and aria-checked are true, false or
// "mixed", with role slider, spinbutton, progressbar or meter and aria-valuenow
// numbers.
//
// A row of a table with headers that declares no fields has one for each column
// that has a header, named by it, "heading" for a row header without one; of
// several header rows the names are joined by a blank. A cell that spans is in
// every column and row it spans. In a row that declares fields, one without a name
// takes the column's.
//
// # Scopes and actions
//
// The label of a scope is data-agent-label, else aria-labelledby, aria-label, the
// first caption, legend or heading in it outside records and other scopes. The
// description is only data-agent-description, the role only the role attribute.
// A scope in something inert is inactive; one that a visible aria-modal dialog
// is above is covered, live also one that something else lies over. Of two
// elements for one scope the first counts; a script block fills in what an
// element leaves open. aria-rowcount and aria-rowindex count header rows, which
// totals and offsets do not.
//
// Labels and descriptions that are read from text are one line, cut after
// [MaxLabel] bytes with an ellipsis. What is sensitive gives none: inside other
// text it shows as [masked], and of a sensitive element, or one in something
// sensitive, only what data-agent-label or data-agent-description declares counts,
// of a control also its attributes and its label element.
//
// An element with several annotations is a scope around itself: its record is in
// it, its field and action are of that record. A scope inside a record ends the
// record: fields and actions in the scope are not the record's.
//
// An action's primitive is fill for what takes text, select for select and
// option, upload for files, submit for forms, and click for all others.
// data-agent-unavailable makes it unavailable unless it says "false". Actions in
// hidden scopes, closed dialogs and closed details are listed as unavailable,
// those of hidden records are not.
//
// Of a block of declarations (data-agent-exposure) what is of the wrong shape is
// left out and diagnosed as bad-exposure. A block or a list that cannot be read at
// all is diagnosed as unread-exposure, and so is a document that ends within a tag,
// a comment, a script or a style sheet, as one does that was cut: see
// [exposure.Unread] before comparing.
//
// # Limits
//
// What hostile documents could make large is bounded. [Options] has MaxBytes and
// the [snapshot.Limits] of what is kept. The others are fixed: no document that
// people read was found near them. Over a limit a document is refused, with an
// error that wraps [ErrLimit] and names it, rather than read in part:
//
//   - 512 elements open at a time, the parser's own limit, and [MaxDepth] for the
//     flat tree with its frames and shadow roots;
//   - formatting elements left open, which the parser repeats in each block that
//     follows: one for each byte of the document, and a million more;
//   - [MaxRepeat] times the document's size, and a mebibyte, of text read out for
//     fields in fields and cells that span. Labels do not count: each is read once
//     and cut at MaxLabel.
//
// Frames deeper than [MaxFrames] are diagnosed, and the rest is read.
//
// # Without annotations
//
// See the comment of infer.go for what is inferred from markup.
package html
