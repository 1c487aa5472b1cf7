package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is a flag that takes one of several words.
type choice struct {
	value *string
	words []string
}

func addChoice(cmd *cobra.Command, value *string, name, deflt, usage string, words ...string) {
	*value = deflt
	cmd.Flags().Var(&choice{value, words}, name, usage+": "+strings.Join(words, ", "))
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// String returns the word.
func (c *choice) String() string { return *c.value }

// Set takes one of the words.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return errors.New("want " + strings.Join(c.words[:len(c.words)-1], ", ") + " or " + c.words[len(c.words)-1])
	}
	*c.value = word
	return nil
}

// Type names the value in help.
func (c *choice) Type() string { return "word" }

// refuse reports the flags among names that were given although they would
// change nothing.
func refuse(cmd *cobra.Command, because string, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return usagef(cmd, "--%s changes nothing with %s", name, because)
		}
	}
	return nil
}
