package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
)

// compareFlags say what of two inputs is compared.
type compareFlags struct {
	inputFlags
	ignore []string
	scopes []string
}

func (f *compareFlags) add(cmd *cobra.Command) {
	f.inputFlags.add(cmd)
	f.addLive(cmd)
	cmd.Flags().StringArrayVar(&f.ignore, "ignore", nil, "do not compare the field `NAME`, in any scope (repeatable)")
	cmd.Flags().StringArrayVar(&f.scopes, "scope", nil, "compare only the scope `ID` (repeatable)")
}

// compare reads both inputs and compares them. The changes belong to d.
func (c *cli) compare(ctx context.Context, cmd *cobra.Command, d *diff.Differ, f *compareFlags, before, after string) (*diff.Changes, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	r := c.reader(&f.inputFlags)
	b, a, err := r.pair(ctx, cmd, before, after)
	if err != nil {
		return nil, err
	}
	for _, id := range f.scopes {
		if b.Scope(id) < 0 && a.Scope(id) < 0 {
			return nil, usagef(cmd, "no input has a scope %s", quoted(id))
		}
	}
	return d.Compare(b, a, &diff.Options{Ignore: f.ignore, Scopes: f.scopes}), nil
}
