package main

import (
	"fmt"
	"strings"

	"github.com/pagestate/pagestate/bench"
)

// text returns the document.
func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Performance

Everything here is from one run of one command, on a machine that others used too
(%s). Compare times within a table, not with other machines.

    go run -C bench/rivals ./report -o ../../docs/performance.md

All functions of a table are measured in turn, each sample about %v long and begun
without garbage; the median of %d samples counts. Rivals are in a module of their
own, bench/rivals, where `+"`go test`"+` checks first that they give the right answer, as
far as they can say it. The workload is that of page=orders in package bench: id,
title, status, amount, customer, updatedAt, done and note, about 133 bytes a row and
241 in a capture. Changes: none; one field of one record; one field of each hundredth
(1pct); 10 records inserted at the head, 10 removed in the middle and 1pct (mixed);
reversed; shuffled; one field of every record (all).

Regressions are caught with `+"`pagestate bench`"+`; see its help and package bench.

## What is to hold

`, bench.ThisMachine(), r.each, r.samples)
	b.WriteString("| | wanted | measured | |\n| --- | ---: | ---: | --- |\n")
	var lost []string
	for _, c := range r.claims {
		word, holds := "at least ", "holds"
		if c.most {
			word = "at most "
		}
		if !c.holds() {
			holds = "**fails**"
			lost = append(lost, fmt.Sprintf("- %s: %s%s, wanted %s%s%s.\n", c.what, number(c.got), c.unit, word, number(c.want), c.unit))
		}
		fmt.Fprintf(&b, "| %s | %s%s%s | %s%s | %s |\n", c.what, word, number(c.want), c.unit, number(c.got), c.unit, holds)
	}
	b.WriteString("\n" + r.body.String())
	b.WriteString(`## Where we lose

- A hand-written differ on Go structs needs no snapshot. Somebody who has the structs
  of both sides, compares them once and wants no evidence is served better by it:
  building a snapshot costs more than that differ costs as a whole.
- Records that all change cost more than in a differ that stops at the first field:
  every name that differs is found.
- reflect.DeepEqual stops at the first difference and says no more than that there is one.
`)
	for _, line := range lost {
		b.WriteString(line)
	}
	return b.String()
}

func number(x float64) string {
	if x == float64(int(x)) && x < 1000 {
		return fmt.Sprint(int(x))
	}
	return digits(x)
}
