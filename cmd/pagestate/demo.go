package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/examples/todo/app"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot/view"
)

func (c *cli) demoCommand() *cobra.Command {
	var (
		detail, color    string
		asJSON, inChrome bool
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run an example: a todo app, one action, what it changed",
		Long: `Run a small todo app in this process, show what it exposes, call its action
complete_open_tasks, and say what that changed. Nothing else is needed. With
--browser the app is a page, and runs in Chromium or Chrome.

With --json it prints the results of two calls, one line of JSON each. The second
call is refused: no task is open any more.`,
		Example: `  pagestate demo
  pagestate demo --json --detail basic`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, args []string) error {
			level, err := diff.ParseDetail(detail)
			if err != nil {
				return usagef(cmd, "%v", err)
			}
			format := &diff.Format{Detail: level}
			var caller *call.Caller
			if inChrome {
				var done func()
				caller, done, err = c.browserDemo(cmd.Context(), format)
				if err == nil {
					defer done()
				}
			} else {
				caller, err = newDemo(cmd.Context(), format)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return c.demoJSON(cmd.Context(), caller)
			}
			return c.demoText(cmd.Context(), caller, c.colored(color))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results of two calls as JSON")
	cmd.Flags().BoolVar(&inChrome, "browser", false, "run it as a page in a browser")
	addChoice(cmd, &detail, "detail", "names", "how much JSON says of each change", "basic", "names", "values")
	addColor(cmd, &color)
	return cmd
}

// demoAction is the action that the demo calls.
const demoAction = "complete_open_tasks"

// newDemo returns the example application as a caller of its actions.
func newDemo(ctx context.Context, format *diff.Format) (*call.Caller, error) {
	todo := app.New()
	reg := todo.Registry()
	if err := todo.Declare(ctx, reg); err != nil {
		return nil, err
	}
	return call.New(reg, &call.Options{Format: format}), nil
}

// demoJSON prints the results of two calls.
func (c *cli) demoJSON(ctx context.Context, caller *call.Caller) error {
	for range 2 {
		res := caller.Call(ctx, call.Request{Action: demoAction, Who: "demo"})
		c.print(append(res.AppendJSON(nil), '\n'))
	}
	return ctx.Err()
}

// demoText prints the same for a reader who sees it for the first time.
func (c *cli) demoText(ctx context.Context, caller *call.Caller, colored bool) error {
	before, err := caller.Look(ctx)
	if err != nil {
		return err
	}
	res := caller.Call(ctx, call.Request{Action: demoAction, Who: "demo"})
	if res.Err != nil {
		return res.Err
	}
	after, err := caller.Look(ctx)
	if err != nil {
		return err
	}
	var d diff.Differ
	text := d.Compare(before, after, &diff.Options{Session: true}).AppendText(nil, nil)
	line := res.Changed
	shown := view.AppendText(nil, before, nil)
	if colored {
		shown, text = paint(shown, viewColor), paint(text, evidenceColor)
	}
	out := []byte("A todo app exposes this; a model sees it so:\n\n")
	out = append(out, shown...)
	out = append(out, "\nAfter a call of "+demoAction+", this is what changed:\n\n"...)
	out = append(out, text...)
	out = append(out, "\nThe same for a program, as one line of JSON:\n\n"...)
	out = append(out, line...)
	c.print(append(out, `

Try it on files of your own:

  pagestate diff BEFORE AFTER
  pagestate show PAGE.html
`...))
	return nil
}
