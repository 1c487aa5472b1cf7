// Package exposure is how an app in this process says what it exposes, and holds
// what every way of exposing shares, so that the same thing gets the same name
// however it is found: ids of actions, reasons why an action cannot be attempted,
// which values are masked, and which parameter schemas can be used.
//
//	reg := exposure.New(&exposure.Options{Lock: &app.mu})
//	todo, err := exposure.DeclareScope(ctx, reg, exposure.Scope{ID: "todo", Label: "Tasks"})
//	_, err = exposure.DeclareRecords(ctx, todo, exposure.RecordSet[*Task]{
//		All: app.all,
//		ID:  func(t *Task) string { return t.ID },
//		Fields: []exposure.Field[*Task]{
//			{Name: "text", Text: func(t *Task) string { return t.Text }},
//		},
//	})
//	_, err = exposure.DeclareTool(ctx, reg, exposure.Tool{
//		ID:          "complete_open_tasks",
//		Description: "Mark every open task as completed.",
//		Run:         app.completeOpenTasks,
//	})
//
// A [Registry] gives snapshots of it and serves package exposure/call, which runs
// one action and returns its result with evidence. Package exposure/html reads
// saved pages.
package exposure
