package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
)

// diffFlags are those of the command diff.
type diffFlags struct {
	compareFlags
	format   string
	detail   string
	color    string
	compact  bool
	pretty   bool
	exitZero bool
	listed   int
	bytes    byteSize
}

func (c *cli) diffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Say what changed between two captures",
		Long: `Say what changed from BEFORE to AFTER. Each is a capture or rows in JSON, or a
saved page, compressed or not, or - for stdin.

It prints at most --max-bytes bytes, ends of lines, indentation and colours
included; what does not fit is counted. A patch is always whole.

Exit status: 0 nothing differs, 1 something does, 2 trouble. That does not depend
on the format or the detail.`,
		Example: `  pagestate diff before.json after.json
  pagestate diff --format json --detail values before.json.gz page.html
  sqlite3 -json shop.db "$QUERY" | pagestate diff --key order_id yesterday.json -`,
		Args: twoSides,
		RunE: func(cmd *cobra.Command, args []string) error { return c.diff(cmd, &f, args[0], args[1]) },
	}
	addChoice(cmd, &f.format, "format", "text", "form of the evidence", "text", "json", "patch", "markdown")
	addChoice(cmd, &f.detail, "detail", "names", "how much to say of each change", "basic", "names", "values")
	addColor(cmd, &f.color)
	flags := cmd.Flags()
	flags.BoolVar(&f.compact, "compact", false, "leave out of JSON what is empty, zero or false")
	flags.BoolVar(&f.pretty, "pretty", false, "indent JSON")
	flags.BoolVar(&f.exitZero, "exit-zero", false, "exit with 0 where it would be 1")
	flags.IntVar(&f.listed, "max-listed", diff.DefaultMaxListed, "most changes listed of each kind")
	f.bytes = diff.DefaultMaxEvidenceBytes
	flags.Var(&f.bytes, "max-bytes", "most bytes to print")
	f.add(cmd)
	return cmd
}

// twoSides checks the arguments. A single one has nothing to be compared with, and
// is never compared with nothing.
func twoSides(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return usagef(cmd, "no baseline: want BEFORE and AFTER, got 1 argument")
	}
	return exactly("BEFORE", "AFTER")(cmd, args)
}

// check reports flags that cannot be carried out or would change nothing.
func (f *diffFlags) checkDiff(cmd *cobra.Command) error {
	switch {
	case f.listed < 1:
		return usagef(cmd, "--max-listed is at least 1")
	case f.bytes < minPrinted:
		return usagef(cmd, "--max-bytes is at least %d", minPrinted)
	}
	switch f.format {
	case "json":
	case "patch":
		return refuse(cmd, "--format patch", "detail", "compact", "max-listed", "max-bytes")
	default:
		return refuse(cmd, "--format "+f.format, "compact", "pretty")
	}
	return nil
}

func (c *cli) diff(cmd *cobra.Command, f *diffFlags, before, after string) error {
	if err := f.checkDiff(cmd); err != nil {
		return err
	}
	var d diff.Differ
	changes, err := c.compare(cmd.Context(), cmd, &d, &f.compareFlags, before, after)
	if err != nil {
		return err
	}
	detail, err := diff.ParseDetail(f.detail)
	if err != nil {
		return usagef(cmd, "%v", err)
	}
	format := diff.Format{Detail: detail, Compact: f.compact, MaxListed: f.listed}
	if f.format == "patch" {
		if err := c.printPatch(changes, f.pretty); err != nil {
			return err
		}
	} else if err := c.printEvidence(changes, &format, f); err != nil {
		return err
	}
	if !changes.Same() && !f.exitZero {
		c.status = exitDifferent
	}
	return nil
}

// printPatch prints a patch, which is whole or worth nothing.
func (c *cli) printPatch(changes *diff.Changes, pretty bool) (err error) {
	out := append(changes.AppendPatch(nil), '\n')
	if pretty {
		if out, err = indent(out); err != nil {
			return err
		}
	}
	c.print(out)
	return nil
}

// minPrinted is the least --max-bytes: the least line of evidence and its end.
const minPrinted = diff.MinEvidenceBytes + 1

// printEvidence prints evidence in at most f.bytes bytes, ends of lines,
// indentation and colours included.
func (c *cli) printEvidence(changes *diff.Changes, format *diff.Format, f *diffFlags) error {
	write := func(most int) []byte {
		format.MaxEvidenceBytes = most
		switch f.format {
		case "json":
			format.MaxEvidenceBytes--
			return append(changes.AppendJSON(nil, format), '\n')
		case "markdown":
			return changes.AppendMarkdown(nil, format)
		}
		return changes.AppendText(nil, format)
	}
	dress := func(out []byte) ([]byte, error) { return out, nil }
	switch {
	case f.pretty:
		dress = indent
	case f.format == "text" && c.colored(f.color):
		dress = func(out []byte) ([]byte, error) { return paint(out, evidenceColor), nil }
	}
	out, err := fit(f.bytes.int(), minPrinted, write, dress)
	c.print(out)
	return err
}

// indent lays out one JSON text for people.
func indent(text []byte) ([]byte, error) {
	var buf bytes.Buffer
	if err := json.Indent(&buf, text, "", "  "); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// evidenceColor is the colour of a line of the text form of evidence.
func evidenceColor(line []byte) string {
	switch line[0] {
	case '+':
		return green
	case '-':
		return red
	case '~':
		return yellow
	}
	return ""
}
