// Package view writes a snapshot as a model or a person gets to see it: tables of
// records, actions with their reasons, and what had to be left out, in a bounded
// number of bytes.
//
// # The budget
//
// [Options].Budget is a promise: whatever the snapshot holds, no more bytes are
// appended. What does not fit is counted, exactly:
//
//	rows shown + each scope's omitted + omitted.records = all records
//	actions shown + each template's omitted + omitted.actions = all actions
//
// Records past the tracking bound count as omitted ones of their scope.
//
// While everything fits, nothing is cut. Otherwise values are cut first, from a
// quarter of the budget over 80 down to 20 bytes, and descriptions with them; long
// lists of record ids in templates and the last columns of wide tables go too. If
// rows must be dropped all the same, scopes, actions and rows each get a fair share
// of the budget, and what one does not need goes to the others. Scopes are shown from the first, rows and actions one from
// each scope in turn, always from the first of a scope: what is shown is a
// beginning, never a selection. The result depends on nothing but the snapshot
// and the options.
//
// # Templates
//
// Actions of one name on the records of a scope are folded into a template whose
// id ends in {record}: put a record's id there, and it is the action's id. A
// template stands for records of one availability; those that differ follow apart
// with their reason. Function-level tools (primitive "call") are never folded, nor
// are actions whose id does not end in "@" (or another sign of the kind) and their
// record's id.
//
// # JSON
//
// One line without a line end:
//
//	{"page":{"url","title"},"view":{"limit","scopes"},
//	 "scopes":[{"id","label","description","role","state","total","offset","partial","untracked",
//	   "fields":[names],"rows":[[id,value,…]],"omitted":n,"cut","absent",
//	   "actions":[{"id":"toggle@{record}","description","varies":true,"kind","available","params","records":[ids]|"all","omitted":n}]}],
//	 "actions":[{"id","description","kind","available","params","scope","record"}],
//	 "omitted":{"scopes":n,"records":n,"actions":n},"diagnostics":[{"code","at","message"}],"diagnosticsOmitted":n}
//
// Always there: scopes, actions and omitted; in a scope id, total, fields, rows and
// omitted; in an action id, description and available; in a template id, description,
// records and, beside a list of records, omitted. Everything else is left out when
// there is nothing to say: empty texts, state "active", available true in a
// template, absent params. Where the descriptions of a template's actions vary,
// each of its entries has that of its first record. Params are the same for all
// and said by the first entry. page.document is never shown. A record without an
// id has null in its place. total is the declared total of a windowed scope, and
// otherwise the number of records.
//
// A cut text is its beginning, and a member named like it with Bytes behind
// ("descriptionBytes":812) gives the full length; params are shown whole or as
// paramsBytes alone. Where data has its own place nothing of ours is written
// into it: "cut":[[row,column,bytes]] lists the cells that hold only the beginning
// of a text, [row,column,bytes,"array"] those that hold the beginning of the JSON
// text of something else; "absent":[[row,column]] the cells that are null because
// the record lacks the field. Rows and columns count from 0, column 0 is the id.
// "fieldsCut":[[field,bytes]] and "fieldsOmitted":n say the same of names, and
// "brief":true that a description, and a scope's label and role or an action's kind
// and params, are missing.
//
// # Text
//
// Line-oriented; every line begins with a word or sign of ours, everything from
// the page is written by package safetext, and cut text ends in …(812 B).
//
//	page http://127.0.0.1:5218/ title "Todo"
//	scope todo label "Tasks" role main records 3
//	  about "The task list."
//	  | id | text | status
//	  | t1 | "Review the launch checklist" | "open"
//	  omitted 2 records
//	  action toggle@{record} kind write on all about "Mark it as completed." varies
//	action complete_open_tasks kind write unavailable "There are no open tasks."
//	omitted 2 scopes, 40 records, 3 actions
//
// A cell of "-" is an absent field, an id of "-" a missing one. Parameters are
// summed up: text* string means a required one.
package view
