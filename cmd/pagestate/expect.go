package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/safetext"
)

func (c *cli) expectCommand() *cobra.Command {
	var (
		f     compareFlags
		color string
	)
	cmd := &cobra.Command{
		Use:   "expect BEFORE AFTER RULE...",
		Short: "Check that what changed is what was to change",
		Long: `Check what changed from BEFORE to AFTER against rules. Exit status: 0 all hold, 1
one does not, 2 trouble. A line on stdout says of each rule that fails what was
expected and what is.

  added=1 removed=0 updated=2     how many records
  entered=0 left=0 total=13       in and out of a window, and how many are there
  reordered=false                 whether a scope was reordered
  navigated=false                 whether the address changed
  actions.added=1 scopes.updated=0   the same of actions and scopes
  added:[SCOPE/]ID removed:[SCOPE/]ID
  updated:[SCOPE/]ID[.FIELD]      that this record was among them
  reordered:SCOPE actions.updated:ID[.FIELD] scopes.removed:ID
  nothing-else                    nothing changed that no other rule names

Records of a scope that came or went as a whole count, too. A name that contains
/ . : or " is written as a JSON string: updated:"a/b"."x.y".`,
		Example: `  pagestate expect before.json after.json updated:todo/t1.status nothing-else
  pagestate expect before.json after.json added=1 removed=0 reordered=false`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 {
				return usagef(cmd, "want BEFORE, AFTER and a rule, got %s", arguments(len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var rules []rule
			for _, text := range args[2:] {
				r, err := parseRule(text)
				if err != nil {
					return usagef(cmd, "rule %s: %v", quoted(text), err)
				}
				rules = append(rules, r)
			}
			var d diff.Differ
			changes, err := c.compare(cmd.Context(), cmd, &d, &f, args[0], args[1])
			if err != nil {
				return err
			}
			out := checkRules(rules, changes)
			if len(out) > 0 {
				c.status = exitDifferent
			}
			if c.colored(color) {
				out = paint(out, func([]byte) string { return red })
			}
			c.print(out)
			return nil
		},
	}
	addColor(cmd, &color)
	f.add(cmd)
	return cmd
}

// checkRules returns a line for each rule that does not hold.
func checkRules(rules []rule, c *diff.Changes) (out []byte) {
	list := allChanges(c)
	for i := range rules {
		r := &rules[i]
		var is string
		switch r.what {
		case countRule:
			if n, more := countOf(r.kind, c); n != r.want {
				is = fmt.Sprintf("expected %d, is %d%s", r.want, n, more)
			}
		case flagRule:
			if yes := flagOf(r.kind, c); yes != r.flag {
				is = fmt.Sprintf("expected %t, is %t", r.flag, yes)
			}
		case placeRule:
			is = r.checkPlace(list)
		case nothingElse:
			is = checkNothingElse(rules, list, c)
		}
		if is != "" {
			out = append(appendRule(append(out, "failed "...), r), ": "...)
			out = append(append(out, is...), '\n')
		}
	}
	return out
}

// appendRule appends the rule as it was given, safe to print: names in it may
// come from a page.
func appendRule(dst []byte, r *rule) []byte {
	if strings.Trim(r.text, plainRule) == "" {
		return append(dst, r.text...)
	}
	return safetext.AppendQuoted(dst, r.text, maxRuleBytes)
}

const (
	plainRule    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@+"
	maxRuleBytes = 256
)

func countOf(k kind, c *diff.Changes) (n int64, more string) {
	counts := c.Counts()
	whole := 0
	switch k {
	case kindAdded:
		n, whole = int64(counts.Added), counts.AddedWhole
	case kindRemoved:
		n, whole = int64(counts.Removed), counts.RemovedWhole
	case kindUpdated:
		n = int64(counts.Updated)
	case kindEntered:
		n = counts.Entered
	case kindLeft:
		n = counts.Left
	case kindTotal:
		n = counts.To
	case kindActionsAdded:
		n = int64(counts.ActionsAdded)
	case kindActionsRemoved:
		n = int64(counts.ActionsRemoved)
	case kindActionsUpdated:
		n = int64(counts.ActionsUpdated)
	case kindScopesAdded:
		n = int64(counts.ScopesAdded)
	case kindScopesRemoved:
		n = int64(counts.ScopesRemoved)
	case kindScopesUpdated:
		n = int64(counts.ScopesUpdated)
	}
	if whole > 0 {
		more = fmt.Sprintf(", %d of them with their scope", whole)
	}
	return n, more
}

func flagOf(k kind, c *diff.Changes) bool {
	if k == kindNavigated {
		return c.URLChanged()
	}
	return c.Counts().Reordered > 0
}

// checkPlace returns what is wrong if nothing that changed is what r names.
func (r *rule) checkPlace(list []change) string {
	var other []string
	for i := range list {
		ch := &list[i]
		if !r.names(ch) {
			continue
		}
		if !r.hasField || slices.Contains(ch.fields, r.field) {
			return ""
		}
		other = append(other, ch.fieldList(ch.fields))
	}
	if other != nil {
		return "expected that field, changed are " + strings.Join(other, " and ")
	}
	// Something else may have happened to it.
	var happened []string
	for i := range list {
		as := *r
		if as.kind = list[i].kind; as.kind.things() == r.kind.things() && as.names(&list[i]) {
			happened = append(happened, describe(&list[i]))
		}
	}
	if happened != nil {
		return "expected, but it is " + strings.Join(happened, " and ")
	}
	return "expected, but it is not"
}

// fieldList lists names of fields. Those of actions and scopes are words of ours.
func (ch *change) fieldList(fields []string) string {
	var dst []byte
	ours := ch.kind.things() != "records"
	const most = 8
	for i, name := range fields[:min(len(fields), most)] {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if ours {
			dst = append(dst, name...)
		} else {
			dst = appendName(dst, name)
		}
	}
	if more := len(fields) - most; more > 0 {
		dst = fmt.Appendf(dst, " and %d more", more)
	}
	return "[" + string(dst) + "]"
}

const maxNameBytes = 128

// describe says a change in a few words: what happened and the fields, without
// naming it.
func describe(ch *change) string {
	_, verb, ok := strings.Cut(string(ch.kind), ".")
	if !ok {
		verb = string(ch.kind)
	}
	if len(ch.fields) == 0 {
		return verb
	}
	return verb + " " + ch.fieldList(ch.fields)
}

// checkNothingElse returns what changed that no rule accounts for. A count
// accounts for all changes of its kind, a name for the one it names and, if it
// names a field, for that field.
func checkNothingElse(rules []rule, list []change, c *diff.Changes) string {
	counted := map[kind]bool{}
	for _, r := range rules {
		if r.what == countRule || r.what == flagRule {
			counted[r.kind] = true
		}
	}
	scopes := map[string]bool{} // whose coming or going is accounted for
	var other []string
	for i := range list {
		ch := &list[i]
		if ch.kind == kindScopesAdded || ch.kind == kindScopesRemoved {
			scopes[ch.id] = counted[ch.kind] || slices.ContainsFunc(rules, func(r rule) bool { return r.names(ch) })
		}
	}
	for i := range list {
		ch := &list[i]
		if counted[ch.kind] || ch.whole && scopes[ch.scope] {
			continue
		}
		rest := slices.Clone(ch.fields)
		named := false
		for _, r := range rules {
			if !r.names(ch) {
				continue
			}
			if named = true; !r.hasField {
				rest = nil
			}
			rest = slices.DeleteFunc(rest, func(f string) bool { return f == r.field })
		}
		if !named || len(rest) > 0 {
			other = append(other, nameChange(ch, rest))
		}
	}
	counts := c.Counts()
	for _, w := range []struct {
		kind kind
		n    int64
	}{{kindEntered, counts.Entered}, {kindLeft, counts.Left}} {
		if w.n > 0 && !counted[w.kind] {
			other = append(other, fmt.Sprintf("%d %s", w.n, w.kind))
		}
	}
	if c.URLChanged() && !counted[kindNavigated] {
		other = append(other, "navigated")
	}
	if counts.Net != 0 && !counted[kindTotal] {
		other = append(other, fmt.Sprintf("a total of %d, was %d", counts.To, counts.From))
	}
	if len(other) == 0 {
		return ""
	}
	const most = 5
	text := "expected, but there is " + strings.Join(other[:min(len(other), most)], ", ")
	if more := len(other) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// nameChange names a change as a rule would, and the fields after it.
func nameChange(ch *change, fields []string) string {
	dst := append([]byte(ch.kind), ':')
	if ch.scope != "" {
		dst = append(appendName(dst, ch.scope), '/')
	}
	dst = appendName(dst, ch.id)
	if len(fields) > 0 {
		dst = append(append(dst, ' '), ch.fieldList(fields)...)
	}
	return string(dst)
}

// appendName appends a name as rules write it.
func appendName(dst []byte, name string) []byte {
	if strings.ContainsAny(name, "/.:") {
		return safetext.AppendQuoted(dst, name, maxNameBytes)
	}
	return safetext.AppendClipped(dst, name, maxNameBytes)
}
