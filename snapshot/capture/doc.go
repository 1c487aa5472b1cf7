// Package capture reads and writes snapshots as JSON.
//
//	{"format":"pagestate/1",
//	 "page":{"url":"https://shop.example/todo","title":"Tasks"},
//	 "view":{"scopes":["todo"],"limit":500},
//	 "scopes":[{"id":"todo","label":"Tasks","volatile":["age"],"ids":"tasks"}],
//	 "records":[{"id":"t1","scope":"todo","fields":{"text":"Buy milk"}}],
//	 "actions":[{"id":"add","description":"Add a task","available":true}]}
//
// # What is read
//
// A [Decoder] reads one JSON document, strictly: member names match exactly,
// unknown members are ignored but must be well-formed, a member repeated in one
// object is refused wherever it is, and nothing may follow the document. All
// members of the top level are optional, but one of format, scopes, records and
// actions must be there. Members of any object may come in any order.
//
// An id is text that is not empty or an integer literal, which stands for its
// decimal text: 1 and "1" are one id. The id of a scope may also be "", the
// scope of records that name none. Only records of a scope that is declared with
// "inferred":true may lack an id.
//
// Beyond the members shown above, a scope has description, role, parent, state,
// unordered, sensitive, total, offset, partial (more records may exist than are
// here, and nobody can tell how many) and inferred; a record has replaces; an
// action has kind, primitive, params, scope, record, group and name (see
// [snapshot.Action]); the top level has untracked, the number of records by scope
// that exist but were not kept.
//
// Instead of a capture the document may be rows: an array of objects, or one
// object a line (NDJSON). Each is a record of scope "", with its members as
// fields but for the one that is its id.
//
// Input is UTF-8, with or without a byte order mark, or UTF-16 with one. Text
// that is not Unicode (a lone surrogate, an ill-formed byte) is accepted,
// diagnosed as repaired-text, and compared as it was.
//
// Time is linear in the input, but for sorting names. Whatever the input says,
// decoding allocates at most 192 bytes for each of its bytes, what is garbage at
// once included; usual captures take about three.
//
// # What is written
//
// [Append] writes the members format, page, view, scopes, records, actions and
// untracked, in this order; page, view and untracked only if there is something
// to say. What has its default value is left out, but available is always
// written. The same snapshot gives the same bytes, and reading them gives a
// snapshot with the same digest, except where text was repaired: what is written
// is valid UTF-8, and of names that would then be alike all but the first get
// "#2", "#3" and so on. Members of objects in fields and params are sorted by the
// names that are written, so that reading what is written and writing that changes
// no byte. Masked values are written as "[masked]". Neither page.document, which
// means nothing outside its session, nor diagnostics are written; pagestate capture
// counts those on stderr.
package capture
