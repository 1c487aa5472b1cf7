package diff_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// everythingChanged returns a pair of captures that differ in n entries of every
// list that evidence has, with ids and addresses of size bytes and totals and
// counts as large as they may be; with records past a tracking bound, where no
// record can be said to be added or removed, or without.
func everythingChanged(t *testing.T, n, size int, untracked bool) (before, after *snapshot.Snapshot) {
	const most = snapshot.MaxTotal
	side := func(own string, total int64) *snapshot.Snapshot {
		long := strings.Repeat("x", size)
		var scopes, rows, actions []string
		add := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
		add(&scopes, `{"id":"w"},{"id":"v","total":%d,"offset":0}`, total-1<<20)
		for i := range n {
			add(&scopes, `{"id":"%s%s%d"}`, own, long, i)
			add(&scopes, `{"id":"s%s%d","label":"%s"}`, long, i, own)
			add(&rows, `{"id":"%s%s%d","scope":"w"}`, own, long, i)
			add(&rows, `{"id":"u%s%d","scope":"w","fields":{"%s":1}}`, long, i, own+long)
			add(&actions, `{"id":"%s%s%d","description":"d"}`, own, long, i)
			add(&actions, `{"id":"u%s%d","description":"%s"}`, long, i, own)
			// Two records a scope in one order before, in the other after.
			a, b := "a", "b"
			if own == "after" {
				a, b = b, a
			}
			for _, id := range []string{a, b} {
				add(&rows, `{"id":"%s","scope":"s%s%d"}`, id, long, i)
			}
		}
		rest := "{}"
		if untracked {
			rest = fmt.Sprintf(`{"v":%d}`, total)
		}
		snap, err := capture.Decode(fmt.Appendf(nil, `{"page":{"url":"%s%s"},"scopes":[%s],"records":[%s],"actions":[%s],"untracked":%s}`,
			own, long, strings.Join(scopes, ","), strings.Join(rows, ","), strings.Join(actions, ","), rest), nil)
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	return side("before", most-1), side("after", most)
}

// TestLeastEvidence: whatever there is to say, MinEvidenceBytes are enough.
func TestLeastEvidence(t *testing.T) {
	for _, tt := range []struct {
		name, why string
		n, size   int
		untracked bool
	}{
		{"few", "lists are cut before anything else", 3, 1, false},
		{"long", "an id takes a quarter of the bytes", 3, 3000, false},
		{"many", "counts of four digits", 2000, 1, false},
		{"untracked", "two more numbers", 2000, 1, true},
	} {
		before, after := everythingChanged(t, tt.n, tt.size, tt.untracked)
		var d diff.Differ
		c := d.Compare(before, after, &diff.Options{Unsettled: true, Dialogs: make([]diff.Dialog, tt.n)})
		for detail := range diff.Values + 1 {
			for _, compact := range []bool{false, true} {
				for most := diff.MinEvidenceBytes; most < diff.MinEvidenceBytes+64; most++ {
					f := &diff.Format{Detail: detail, Compact: compact, MaxEvidenceBytes: most}
					line, text, markdown := c.AppendJSON(nil, f), c.AppendText(nil, f), c.AppendMarkdown(nil, f)
					if len(line) > most || !json.Valid(line) {
						t.Fatalf("%s (%s), detail %v, compact %v: %d bytes, at most %d are allowed: %s", tt.name, tt.why, detail, compact, len(line), most, line)
					}
					for _, text := range [][]byte{text, markdown} {
						if len(text) > most {
							t.Fatalf("%s (%s), detail %v: %d bytes of text, at most %d are allowed:\n%s", tt.name, tt.why, detail, len(text), most, text)
						}
					}
				}
			}
		}
	}
}
