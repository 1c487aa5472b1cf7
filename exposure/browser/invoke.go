package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// EncodeScript returns a JavaScript expression: the factory of the function by which
// Invoke encodes results. Scripts that run before those of a page make one of their
// own with it, which nothing that the page replaces can break.
func EncodeScript() string { return encodeJS }

// Invoke evaluates call, a JavaScript expression, in the main world of a frame,
// awaits what it gives, and returns it as json.RawMessage, nil for undefined.
// What JSON has no form for is a tagged object:
//
//	{"$js":"number","value":"NaN"}        also Infinity, -Infinity, -0
//	{"$js":"bigint","value":"123"}        also symbol
//	{"$js":"date","value":"2031-05-01T00:00:00.000Z"}  or "invalid"
//	{"$js":"map","entries":[[key,value]]} and {"$js":"set","entries":[value]}
//	{"$js":"Uint8Array","values":[1,2]}   and {"$js":"arraybuffer","bytes":4}
//	{"$js":"regexp","value":"/a/g"}
//	{"$js":"node","value":"<li id=\"a\">"}
//	{"$js":"error","message":"…"}         an error, or why a member could not be read
//	{"$js":"object","class":"Blob"}       an object with nothing to show
//	{"$js":"function","name":"f"}
//	{"$js":"undefined"}                   in arrays, maps and sets; as a member it is absent
//	{"$js":"cycle"}                       a value that contains itself
//	{"$js":"depth"}                       what is nested deeper than 200 levels
//	{"$js":"large","head":"…"}            more than 16 Mi characters in all
//
// Objects with a toJSON method are what it returns, as JSON.stringify has it; not so
// dates, nor methods that a page gave to all objects or arrays. What call throws, or
// its promise is rejected with, is a *ScriptError with its message. Each of call's own
// constants is best written by [Quote].
func Invoke(ctx context.Context, tab Tab, frame FrameID, call string) (any, error) {
	out, err := tab.Evaluate(ctx, Script{Frame: frame, World: Main, Await: true, Gesture: true, Expression: Answering(ctx, `(async () => {
let v;
try { v = await (`+call+`); } catch (e) {
	let m;
	try { m = e instanceof Error || e instanceof DOMException ? e.message || e.name : typeof e === 'string' ? e :
		e && typeof e === 'object' && typeof e.message === 'string' ? e.message : 'threw ' + (e === undefined ? 'undefined' : Object.prototype.toString.call(e)); }
	catch { m = 'threw what cannot be read'; }
	return '!' + m;
}
return '=' + (`+encodeJS+`)()(v);
})()`)})
	if err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(out, &text); err != nil || text == "" {
		return nil, fmt.Errorf("the page answered with what is no result: %w", errors.Join(err, errResult))
	}
	switch {
	case text[0] == '!':
		return nil, &ScriptError{Text: text[1:]}
	case text == "=":
		return nil, nil
	case !json.Valid([]byte(text[1:])):
		return nil, errResult
	}
	return json.RawMessage(text[1:]), nil
}

var errResult = errors.New("the result is not well-formed")

// Quote returns text as a JavaScript string literal.
func Quote(text string) string {
	b, _ := json.Marshal(text) // of a string it does not fail; it escapes U+2028 and U+2029
	return string(b)
}
