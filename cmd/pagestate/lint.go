package main

import (
	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/internal/input"
	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

func (c *cli) lintCommand() *cobra.Command {
	var (
		f             inputFlags
		format, color string
	)
	cmd := &cobra.Command{
		Use:   "lint INPUT",
		Short: "Say what is wrong with an exposure",
		Long: `Say what is wrong with what INPUT exposes: what could not be read as it was meant,
and what a model or a comparison will stumble over. Exit status: 0 nothing, 1
findings, 2 trouble.`,
		Example: `  pagestate lint page.html
  pagestate lint --format json capture.json`,
		Args: exactly("INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			snap, err := c.reader(&f).some(cmd.Context(), cmd, args[0])
			if err != nil {
				return err
			}
			list := lint(snap)
			if len(list) > 0 {
				c.status = exitDifferent
			}
			if format == "json" {
				c.print(appendFindingsJSON(nil, list))
				return nil
			}
			out := appendFindings(nil, list)
			if c.colored(color) {
				out = paint(out, func([]byte) string { return yellow })
			}
			c.print(out)
			return nil
		},
	}
	addChoice(cmd, &format, "format", "text", "form of the findings", "text", "json")
	addColor(cmd, &color)
	f.add(cmd)
	f.addLive(cmd)
	return cmd
}

// appendFindings appends a line for each finding: its code, where, and what.
func appendFindings(dst []byte, list []snapshot.Diagnostic) []byte {
	const mostAt, mostMessage = 256, 1024
	for _, f := range list {
		dst = append(dst, f.Code...)
		if f.At != "" {
			dst = safetext.AppendClipped(append(dst, ' '), f.At, mostAt)
		}
		message := f.Message[:safetext.Head(f.Message, mostMessage)]
		dst = append(append(dst, ": "...), input.Printable(message)...)
		if len(message) < len(f.Message) {
			dst = safetext.AppendCutMark(dst, len(f.Message))
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendFindingsJSON appends all findings as one line of JSON.
func appendFindingsJSON(dst []byte, list []snapshot.Diagnostic) []byte {
	dst = append(dst, `{"findings":[`...)
	for i, f := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = records.AppendQuoted(append(dst, `{"code":`...), f.Code)
		dst = records.AppendQuoted(append(dst, `,"at":`...), f.At)
		dst = append(records.AppendQuoted(append(dst, `,"message":`...), f.Message), '}')
	}
	return append(dst, "]}\n"...)
}
