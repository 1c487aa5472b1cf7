package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/snapshot/view"
)

func (c *cli) showCommand() *cobra.Command {
	var (
		f      inputFlags
		format string
		color  string
		budget byteSize = view.DefaultBudget
	)
	cmd := &cobra.Command{
		Use:   "show INPUT",
		Short: "Show what an input exposes, as a model gets it",
		Long: `Show what INPUT exposes, as a model gets to see it: scopes, records as tables,
actions with their reasons. It takes at most --budget bytes, colours included; what
does not fit is counted.`,
		Example: `  pagestate show page.html
  pagestate show --budget 2000 --format json capture.json`,
		Args: exactly("INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if budget < view.MinBudget {
				return usagef(cmd, "--budget is at least %d", view.MinBudget)
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			snap, err := c.reader(&f).some(cmd.Context(), cmd, args[0])
			if err != nil {
				return err
			}
			if snap, err = withBadParams(snap); err != nil {
				return err
			}
			opts := view.Options{Budget: budget.int()}
			if format == "json" {
				c.print(append(view.AppendJSON(nil, snap, &opts), '\n'))
				return nil
			}
			write := func(most int) []byte { return view.AppendText(nil, snap, &view.Options{Budget: most}) }
			if !c.colored(color) {
				c.print(write(opts.Budget))
				return nil
			}
			out, err := fit(opts.Budget, view.MinBudget, write, func(out []byte) ([]byte, error) { return paint(out, viewColor), nil })
			c.print(out)
			return err
		},
	}
	addChoice(cmd, &format, "format", "text", "form of the snapshot", "text", "json")
	addColor(cmd, &color)
	cmd.Flags().Var(&budget, "budget", "most bytes to show")
	f.add(cmd)
	f.addLive(cmd)
	return cmd
}

// viewColor is the colour of a line of the text form of a snapshot.
func viewColor(line []byte) string {
	word, _, _ := bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
	switch string(word) {
	case "page", "scope":
		return bold
	case "action":
		return green
	case "omitted", "about":
		return faint
	}
	return ""
}
