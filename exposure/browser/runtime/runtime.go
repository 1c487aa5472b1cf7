// Package runtime holds the scripts by which the code of a page says what the page
// exposes. They are plain JavaScript: a page includes them as they are, and needs
// neither a build step nor this package.
//
// pagestate.js sets pagestate.scope, pagestate.record, pagestate.tool and
// pagestate.settled. vue.js adapts it to Vue 3 as v-scope, v-record, v-tool and
// useAgentTool; vue.d.ts has its types. The example directory holds an app.
//
// # The registry
//
// What a page has declared is read through two events on window, both dispatched
// synchronously: whoever wants to know dispatches an Event "pagestate:read", and
// the runtime answers with a CustomEvent "pagestate:exposure", whose detail is the
// JSON text of a capture. Nothing is answered where nothing is declared. Where what
// is declared cannot be read, such as a list of records that throws, the answer says
// so in a diagnostic "unread-exposure", and no evidence is given of it. Actions
// have two members more than captures do: "element" says that the action belongs
// to the element annotated with its name in the same scope and record, and "run"
// that the page has a function for it.
//
// globalThis[Symbol.for("pagestate.registry")] has the functions by which actions
// are run: available, expectation, run, holds, stop. They find an action by scope,
// record and name, and answer {gone: true} where there is none.
package runtime

import _ "embed"

// Source is pagestate.js.
//
//go:embed pagestate.js
var Source string

// Vue is vue.js, an ES module that imports "./pagestate.js" and "vue".
//
//go:embed vue.js
var Vue string
