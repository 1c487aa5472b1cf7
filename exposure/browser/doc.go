// Package browser reads and runs what live pages expose: pages that are open in a
// browser.
//
//	chrome, err := browser.Start(ctx, nil) // or Attach, or FromContext
//	tab, err := chrome.NewTab(ctx)
//	page, err := browser.NewPage(ctx, tab, nil)
//	err = page.Navigate(ctx, "http://127.0.0.1:5173/")
//	caller := call.New(page, nil) // calls with evidence; call.Observe for any step
//
// A [Driver] is a browser and a [Tab] one page of it; what this package does it
// does through these two interfaces. A [Provider] adds what has no element: tools of
// the page (package tools); the page runtime (package runtime) is always asked.
//
// # Reading
//
// One script, evaluated in an isolated world, hands a document over in columns; the
// decoder of package exposure/html reads them as it reads saved pages, with the styles
// that are computed and the states that controls have now. So a live page and the same
// page saved give the same snapshot where markup decides. No element is added, no
// script of the page can see or change what is read with, and policies of the page do
// not matter. Open shadow roots and frames are part of it, and so are documents that
// objects and embeds show; those of other origins through sessions of their own. Closed
// roots and frames that cannot be read are diagnosed. What code of the page exposes is
// asked for in the same synchronous task. A page that is a PDF is not read at all.
//
// The browser is asked about closed roots of at most 128 elements of a document:
// custom ones without an open root, and of those of HTML ones that are empty and take
// room, or are a div in the body. One beside or around other content is not found.
//
// A document that is on its way is waited for, and one that is half there is never
// taken for the page. Frames of other origins are read right after the rest; of them
// alone a snapshot is not of one moment. One that does not answer soon (2 seconds, or a
// quarter of the time that a reading has) is left out and diagnosed, and so is a provider
// that takes more than half of it; the rest is read. The document in a frame that is
// still loading is read as far as it has come, and diagnosed.
//
// Values over 64 KiB stay in the page but for their head, length and a keyed digest,
// unless PageOptions.Whole is set. What secret controls hold never leaves it; one that has been a
// password field since the page was opened, or whose text shows as dots, is secret.
//
// A page that is read again hands over what differs, and reads only rows (li, tr,
// article, records) in which something has changed. A mutation observer tells of
// those; states of controls, shadow roots and styles are looked at each time. A reading is
// one evaluation unless a provider has to wait for something, frames of other origins
// are read, or elements are asked for closed shadow roots. Where it is one, the reading
// after an action is made in the evaluation that waits for the page to be quiet, at the
// very moment when it is.
//
// A scope is covered when a modal dialog is open elsewhere, or when something lies over
// all of it that can be hit and from under which it cannot be scrolled: one hit test for
// each scope in view. Whether a single element is covered is found out when it is used.
//
// # Running
//
// Elements are operated with real input, after they were scrolled into view and hit:
// what is covered is an error, and an element that the page has made again is found by
// the origin of its action, never by its place. Frames may be scaled, rotated, skewed and
// zoomed; in one that is turned in space, or moves along a path, elements are unavailable.
// A checkbox or radio button that cannot be hit, as one that only its label draws, is
// operated at its label. Options of a select, dates and the like are set by script, with
// the events of a choice.
//
// Dialogs are answered by a [DialogPolicy] and told of in evidence. A call during which
// the document is replaced, by a script's address also, is NAVIGATED unless the action had answered; after a crash,
// or when the tab or the browser is gone, calls are PAGE_GONE and evidence says that
// nothing was observed.
package browser
