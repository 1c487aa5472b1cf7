package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
)

func (c *cli) watchCommand() *cobra.Command {
	var (
		f        liveFlags
		detail   string
		compact  bool
		interval time.Duration
		lines    int
	)
	cmd := &cobra.Command{
		Use:   "watch URL",
		Short: "Say what changes on a page while it is open",
		Long: `Open URL in a browser and print evidence whenever what the page exposes has
changed, one line of JSON each. It ends with Ctrl-C, after --lines, or when the page
is gone, which is the last line.`,
		Example: `  pagestate watch http://127.0.0.1:5173/
  pagestate watch --ws http://127.0.0.1:9222 --compact https://shop.example/orders`,
		Args: exactly("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			level, err := diff.ParseDetail(detail)
			if err != nil {
				return usagef(cmd, "%v", err)
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			switch {
			case !isLive(args[0]):
				return usagef(cmd, "want a page's address, got %s", quoted(args[0]))
			case interval <= 0:
				return usagef(cmd, "--interval is longer than nothing")
			case lines < 0:
				return usagef(cmd, "--lines is at least 0")
			}
			page, err := c.openLive(cmd.Context(), &f, args[0], false)
			if err != nil {
				return err
			}
			defer page.close()
			return c.watch(cmd.Context(), page, &diff.Format{Detail: level, Compact: compact}, interval, lines)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&interval, "interval", 250*time.Millisecond, "how often to look")
	flags.IntVar(&lines, "lines", 0, "end after this many lines (0: never)")
	flags.BoolVar(&compact, "compact", false, "leave out of JSON what is empty, zero or false")
	addChoice(cmd, &detail, "detail", "names", "how much to say of each change", "basic", "names", "values")
	f.add(cmd)
	return cmd
}

// watch prints what changes on page.
func (c *cli) watch(ctx context.Context, page *livePage, format *diff.Format, interval time.Duration, lines int) error {
	look := func() (*snapshot.Snapshot, error) {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		s, err := page.Snapshot(limited)
		if err == nil {
			if err = exposure.Unread(s); err != nil {
				err = &call.UnobservedError{Reason: diff.Incomplete, Err: err}
			}
		}
		return s, err
	}
	last, err := look()
	if err != nil {
		return err
	}
	var d diff.Differ
	for n := 0; lines == 0 || n < lines; {
		if exposure.Wait(ctx, interval) != nil || c.out.err != nil {
			return nil // that is how it ends
		}
		now, err := look()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			var u *call.UnobservedError
			if !errors.As(err, &u) {
				return err
			}
			c.print(append(diff.AppendUnobserved(nil, u.Reason), '\n'))
			if errors.Is(err, call.ErrPageGone) {
				c.status = exitTrouble
				return nil
			}
			n++
			continue
		}
		ch := d.Compare(last, now, &diff.Options{Session: true})
		if ch.Same() {
			last = now // volatile fields and all
			continue
		}
		c.print(append(ch.AppendJSON(nil, format), '\n'))
		last = now
		n++
	}
	return nil
}
