package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK        = 0 // same, ok
	exitDifferent = 1 // different, findings
	exitTrouble   = 2 // bad input, usage, write error
)

// interruptGrace is how long a command may take to clean up once interrupted.
// One that is blocked in a read is not waited for any longer.
const interruptGrace = 500 * time.Millisecond

// run executes one command line and returns its exit status. It writes data to
// stdout and, when something is wrong, one line to stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &cli{stdin: stdin, out: &output{w: stdout}, stderr: stderr, getenv: os.Getenv}
	done := make(chan int, 1)
	go func() { done <- c.execute(ctx, args) }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	grace := interruptGrace
	if c.browsers.Load() > 0 {
		grace = browserGrace
	}
	select {
	case status := <-done:
		return status
	case <-time.After(grace):
		report(stderr, errInterrupted)
		return exitTrouble
	}
}

// browserGrace is how long a browser may take to close.
const browserGrace = 10 * time.Second

var errInterrupted = errors.New("interrupted")

// A cli is one execution of the program.
type cli struct {
	stdin  io.Reader
	out    *output
	stderr io.Writer
	getenv func(string) string
	status int // what the command found, unless it fails

	browsers atomic.Int32 // browsers that are open
}

// execute runs the command and turns whatever happens into an exit status.
func (c *cli) execute(ctx context.Context, args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			report(c.stderr, fmt.Errorf("internal error: %v", r))
			status = exitTrouble
		}
	}()
	err := c.root(args).ExecuteContext(ctx)
	if failed := c.out.err; failed != nil && (err == nil || errors.Is(err, failed)) {
		if err = nil; !closedPipe(failed) {
			err = &fileError{"stdout", failed}
		}
	}
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	if err != nil {
		report(c.stderr, err)
		return exitTrouble
	}
	return c.status
}

// root returns the command tree.
func (c *cli) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "pagestate",
		Short: "Say what changed in what a page or an app exposes",
		Long: `pagestate compares what a page or an app exposes (scopes, records, actions) at
two moments and says what changed: exactly, bounded, and alike in every format.

Exit status: 0 same or ok, 1 different or findings, 2 trouble. Output that cannot
be written is trouble; a pipe whose reader has gone is not. Nor is a standard
output that was closed from the start (>&-): it cannot be told from /dev/null,
which callers that only want the exit status give.`,
		Example: `  pagestate demo
  pagestate diff before.json after.json
  pagestate show page.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "no command given")
			}
			return usagef(cmd, "unknown command %s", quoted(args[0]))
		},
	}
	root.SetArgs(args)
	root.SetIn(c.stdin)
	root.SetOut(c.out)
	root.SetErr(c.stderr)
	root.AddCommand(c.diffCommand(), c.showCommand(), c.captureCommand(), c.lintCommand(), c.expectCommand(),
		c.callCommand(), c.watchCommand(), c.demoCommand(), c.gitDiffCommand(), c.benchCommand())
	root.SetHelpCommand(helpCommand(root))
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	root.InitDefaultCompletionCmd(args...)
	amendCompletion(root)
	root.SilenceErrors, root.SilenceUsage, root.DisableSuggestions = true, true, true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usagef(cmd, "%v", err) })
	root.SetVersionTemplate("pagestate {{.Version}}\n")
	setVersion(root, version())
	return root
}

// setVersion gives every command a --version flag.
func setVersion(cmd *cobra.Command, v string) {
	cmd.Version = v
	cmd.InitDefaultVersionFlag()
	if f := cmd.Flags().Lookup("version"); f != nil {
		f.Usage = "print the version of pagestate"
	}
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "print this help"
	for _, sub := range cmd.Commands() {
		setVersion(sub, v)
	}
}

// amendCompletion makes cobra's completion command fail without a shell and gives
// its help examples.
func amendCompletion(root *cobra.Command) {
	var shells []string
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		for _, shell := range cmd.Commands() {
			shells = append(shells, shell.Name())
			shell.Args = exactly()
			shell.Example = "  pagestate completion " + shell.Name()
		}
		cmd.Example = "  source <(pagestate completion bash)"
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			return usagef(cmd, "want a shell: %s", strings.Join(shells, ", "))
		}
	}
}

// helpCommand is cobra's, but for one that does not exist it fails.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Print the help of a command",
		Example: "  pagestate help diff",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for _, sub := range root.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == root && len(args) > 0 {
				return usagef(cmd, "unknown command %s", quoted(strings.Join(args, " ")))
			}
			return found.Help()
		},
	}
}

// version returns the module's version as it was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// exactly returns a check that the arguments are those named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == len(names):
			return nil
		case len(names) == 0:
			return usagef(cmd, "takes no argument, got %s", arguments(len(args)))
		default:
			return usagef(cmd, "want %s, got %s", strings.Join(names, " and "), arguments(len(args)))
		}
	}
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
