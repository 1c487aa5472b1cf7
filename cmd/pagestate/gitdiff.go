package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/snapshot"
)

func (c *cli) gitDiffCommand() *cobra.Command {
	var (
		f        inputFlags
		color    string
		exitCode bool
	)
	cmd := &cobra.Command{
		Use:   "git-diff PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH INFO]",
		Short: "Say what changed, as git's external diff driver",
		Long: `Say what changed in a capture under version control. Git calls this with what its
protocol for external diff drivers says:

  git config diff.pagestate.command "pagestate git-diff"
  echo "*.capture.json diff=pagestate" >> .gitattributes

Git takes every exit status but 0 for a failure. So it is 0 also when something
differs, unless --exit-code says otherwise, for diff.pagestate.trustExitCode.

For git log -p and git blame there is show:

  git config diff.pagestate.textconv "pagestate show"`,
		Example: `  git config diff.pagestate.command "pagestate git-diff"`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 1, 7, 8, 9:
				return nil
			}
			return usagef(cmd, "want the 7 arguments that git passes, got %s", arguments(len(args)))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			out, same, err := c.gitDiff(cmd.Context(), c.reader(&f), args)
			if err != nil {
				return err
			}
			if c.colored(color) {
				out = paint(out, evidenceColor)
			}
			if exitCode && !same {
				c.status = exitDifferent
			}
			c.print(out)
			return nil
		},
	}
	addColor(cmd, &color)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 when something differs")
	f.add(cmd)
	return cmd
}

// noFile is what git names on the side where a path does not exist.
const noFile = "/dev/null"

// gitDiff returns what to print of one path.
func (c *cli) gitDiff(ctx context.Context, r *reader, args []string) (out []byte, same bool, err error) {
	path, newPath := args[0], args[0]
	if len(args) == 1 {
		return fmt.Appendf(nil, "capture %s is unmerged\n", safetext.Append(nil, path)), false, nil
	}
	if len(args) > 7 {
		newPath = args[7]
	}
	out = append(safetext.Append(append(out, "capture "...), path), '\n')
	if newPath != path {
		out = append(safetext.Append(append(out, "renamed to "...), newPath), '\n')
	}
	if old, now := args[3], args[6]; old != now && args[1] != noFile && args[4] != noFile {
		out = fmt.Appendf(out, "mode %s, was %s\n", safetext.Append(nil, now), safetext.Append(nil, old))
	}
	before, err := r.side(ctx, path, args[1], nil)
	if err != nil {
		return nil, false, err
	}
	after, err := r.side(ctx, newPath, args[4], before)
	if err != nil {
		return nil, false, err
	}
	switch {
	case before == nil && after == nil:
		return append(out, "unchanged\n"...), true, nil
	case before == nil:
		return append(append(out, "new: "...), size(after)...), false, nil
	case after == nil:
		return append(append(out, "deleted: "...), size(before)...), false, nil
	}
	var d diff.Differ
	changes := d.Compare(before, after, nil)
	return changes.AppendText(out, nil), changes.Same(), nil
}

// side reads one side of a path from the file that git left it in. It returns
// nil if the path does not exist there.
func (r *reader) side(ctx context.Context, path, file string, before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	if file == noFile {
		return nil, nil
	}
	f, err := r.open(ctx, file)
	if err != nil {
		return nil, err
	}
	f.Name = path // messages name what the user knows
	return r.decode(f, r.rows, before)
}

// size says in one line how much a capture holds.
func size(s *snapshot.Snapshot) string {
	var records int64
	for i := range s.Scopes() {
		records += s.Scopes()[i].Extent()
	}
	return plural(int64(len(s.Scopes())), "scope") + ", " + plural(records, "record") + ", " + plural(int64(s.Actions()), "action") + "\n"
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
