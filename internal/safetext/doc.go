// Package safetext makes text from strangers safe to print inside the
// line-oriented text forms that people and models read.
//
// # Words and quoted text
//
// A text is written bare only if it is a plain ASCII word: letters, digits and
// a few marks that ids and addresses need ("toggle@t1", "https://shop.example/"),
// and none of the words that our own forms use ([Append]). Everything else is
// quoted. Letters beyond ASCII are quoted too, because many of them look like
// the ASCII letters of our words.
//
// So whatever is outside quotes and is not a plain word is ours, and a form
// that begins each line with a word or sign of its own cannot be imitated.
//
// # Escapes
//
// Inside quotes these are escaped as JSON escapes them (\" \\ \b \f \n \r \t,
// otherwise \uXXXX in lower case, a surrogate pair above U+FFFF), so that what
// is quoted can be pasted into JSON:
//
//   - all that [records.Hidden] names: control characters, bidi and zero-width
//     controls, separators of lines and paragraphs, tag characters;
//   - everything else that unicode.IsPrint refuses: other format characters
//     such as U+00AD and U+FFF9, private use, unassigned code points, and every
//     space other than U+0020;
//   - what is printable by category but shows nothing: fillers, U+2800, variation
//     selectors (U+FE0F directly after a symbol stays);
//   - a combining mark that would attach to a quote or an escape, and those after
//     the eighth on one base.
//
// Text that is not valid Unicode shows as it is held (see package records)
// instead of repaired, so that different texts never look the same: a lone
// surrogate as \udXXX, any other ill-formed byte as \xNN, the one escape that
// JSON does not have.
//
// Letters written from right to left are not escaped; a terminal that reorders
// them may show the words around them on the other side.
//
// # Cuts
//
// A cut text ends outside its quotes with … and the full length, as in
// "Buy mi"…(10001 B), which no text can imitate.
//
// Which code points are printable follows the Unicode tables of the Go release.
// All functions are safe for concurrent use.
package safetext
