package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

func (c *cli) captureCommand() *cobra.Command {
	var (
		f      inputFlags
		name   string
		pretty bool
	)
	cmd := &cobra.Command{
		Use:   "capture INPUT",
		Short: "Write what an input exposes as a JSON capture",
		Long: `Write what INPUT exposes as a JSON capture, to stdout or a file. The same exposure
gives the same bytes. A file appears whole or not at all. What could not be read, or
was repaired, is no part of a capture: a note on stderr counts it, and "pagestate lint"
says where it is.`,
		Example: `  pagestate capture page.html -o page.json.zst
  pagestate capture --rows --key sku stock.ndjson > stock.json`,
		Args: exactly("INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			var enc encoding
			toFile := cmd.Flags().Changed("output") && name != "-"
			if toFile {
				var err error
				if enc, err = encodingOf(name); err != nil {
					return &fileError{name, err}
				}
			}
			snap, err := c.reader(&f).one(cmd.Context(), cmd, args[0])
			if err != nil {
				return err
			}
			var out []byte
			if pretty {
				out = capture.AppendPretty(nil, snap)
			} else {
				out = append(capture.Append(nil, snap), '\n')
			}
			if !toFile {
				c.print(out)
			} else if err := writeFile(cmd.Context(), name, enc, out); err != nil {
				return &fileError{name, err}
			}
			if note := leftOut(snap); note != "" {
				fmt.Fprintln(c.stderr, "pagestate: note: "+note)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&name, "output", "o", "", "write to `FILE`: .json, .json.gz or .json.zst (default stdout)")
	cmd.Flags().BoolVar(&pretty, "pretty", false, "write one scope, record or action a line")
	f.add(cmd)
	f.addLive(cmd)
	return cmd
}

// leftOut counts the diagnostics of a snapshot by their codes, which are ours, in the
// order in which they came; "" if there are none. A comparison of captures cannot tell
// of them any more.
func leftOut(snap *snapshot.Snapshot) string {
	counts, codes := map[string]int{}, []string(nil)
	for _, d := range snap.Diagnostics() {
		if counts[d.Code]++; counts[d.Code] == 1 {
			codes = append(codes, d.Code)
		}
	}
	if codes == nil {
		return ""
	}
	parts := make([]string, len(codes))
	for i, code := range codes {
		parts[i] = fmt.Sprintf("%d %s", counts[code], code)
	}
	return "the capture does not say: " + strings.Join(parts, ", ") + "; pagestate lint tells where"
}
