package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
)

func (c *cli) callCommand() *cobra.Command {
	var (
		f              liveFlags
		params, detail string
		pin            string
		compact        bool
	)
	cmd := &cobra.Command{
		Use:   "call URL ACTION",
		Short: "Call one action of a page, and say what it changed",
		Long: `Open URL in a browser, call ACTION once, and print the result as one line of JSON:
whether it went well, what it returned, and what changed on the page. ACTION is an
id as show lists it, or a name if that is unique.

Exit status: 0 the call is ok, 1 it is not, 2 trouble, or the page could not be
observed afterwards.`,
		Example: `  pagestate call http://127.0.0.1:5173/ complete_open_tasks
  pagestate call https://shop.example/ add_to_cart --params '{"sku":"A-17"}' --timeout 5s`,
		Args: exactly("URL", "ACTION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			level, err := diff.ParseDetail(detail)
			if err != nil {
				return usagef(cmd, "%v", err)
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if !isLive(args[0]) {
				return usagef(cmd, "want a page's address, got %s", quoted(args[0]))
			}
			if params != "" && !json.Valid([]byte(params)) {
				return usagef(cmd, "--params is not JSON")
			}
			page, err := c.openLive(cmd.Context(), &f, args[0], false)
			if err != nil {
				return err
			}
			defer page.close()
			caller := call.New(page, &call.Options{Timeout: f.timeout, Format: &diff.Format{Detail: level, Compact: compact}})
			res := caller.Call(cmd.Context(), call.Request{Action: args[1], Params: json.RawMessage(params), If: pin, Who: "command line"})
			if err := cmd.Context().Err(); err != nil && res.Changed == nil {
				return err
			}
			c.status = callStatus(res)
			c.print(append(res.AppendJSON(nil), '\n'))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&params, "params", "", "the action's parameters, one `JSON` object")
	flags.StringVar(&pin, "if", "", "call only if the action still means what `PIN` was made of")
	flags.BoolVar(&compact, "compact", false, "leave out of JSON what is empty, zero or false")
	addChoice(cmd, &detail, "detail", "names", "how much to say of each change", "basic", "names", "values")
	f.add(cmd)
	return cmd
}

// callStatus returns the exit status for a result.
func callStatus(res *call.Result) int {
	var seen struct {
		Observed *bool `json:"observed"`
	}
	if res.Changed != nil && json.Unmarshal(res.Changed, &seen) == nil && seen.Observed != nil && !*seen.Observed {
		return exitTrouble
	}
	if !res.OK {
		return exitDifferent
	}
	return exitOK
}
