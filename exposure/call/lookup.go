package call

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// maxCandidates bounds the candidates of an ambiguous name.
const maxCandidates = 20

// Pin returns a digest of what a means: its description and parameters. A
// request with it runs only if the action still means the same. It is the same in
// every process.
func Pin(a *snapshot.Action) string {
	buf := strconv.AppendInt(nil, int64(len(a.Description)), 10)
	buf = append(append(buf, ':'), a.Description...)
	buf = records.AppendCanonical(buf, a.Params)
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:16])
}

// lookUp finds an action by its exact id, then by its bare name or by name and
// record without what tells it from its namesakes. It returns its index, or how
// many have the name and some of their ids.
func lookUp(actions []snapshot.Action, id string) (found int, candidates []string, total int) {
	for i := range actions {
		if actions[i].ID == id {
			return i, nil, 1
		}
	}
	for i := range actions {
		a := &actions[i]
		if name := a.BareName(); name != id && (a.Record == "" || name+"@"+a.Record != id) {
			continue
		}
		if total++; total <= maxCandidates {
			candidates = append(candidates, a.ID)
		}
		found = i
	}
	return found, candidates, total
}

// same reports whether two actions have one origin.
func same(a, b *snapshot.Action) bool {
	return a.Group == b.Group && a.Scope == b.Scope && a.Record == b.Record && a.BareName() == b.BareName()
}

// A finding is what became of looking an action up.
type finding struct {
	action     snapshot.Action
	bound      exposure.Bound
	nth        int // how many actions of its origin stand before it
	candidates []string
	total      int // 1 if it was found
}

// find looks for an action with look, which returns its index if it returns 1 as
// the total.
func (k *attempt) find(ctx context.Context, look func([]snapshot.Action) (int, []string, int)) (finding, bool) {
	return ask(ctx, k, func(ctx context.Context) (f finding, err error) {
		actions, at, err := k.caller.actions(ctx)
		if err != nil {
			return f, err
		}
		var i int
		if i, f.candidates, f.total = look(actions); f.total != 1 {
			return f, nil
		}
		f.action, f.bound = actions[i], at(i)
		for j := range actions[:i] {
			if same(&actions[j], &f.action) {
				f.nth++
			}
		}
		return f, nil
	})
}

// lookUp finds the action that is asked for, or fails the attempt.
func (k *attempt) lookUp(ctx context.Context) bool {
	f, ok := k.find(ctx, func(actions []snapshot.Action) (int, []string, int) { return lookUp(actions, k.req.Action) })
	switch {
	case !ok:
		return false
	case f.total == 0:
		k.fail(ActionNotFound, "there is no action "+strconv.Quote(shown(k.req.Action, maxText/2)))
		return false
	case f.total > 1:
		reason := fmt.Sprintf("%d actions have this name", f.total)
		if f.total > len(f.candidates) {
			reason += fmt.Sprintf("; %d are listed", len(f.candidates))
		}
		k.fail(ActionAmbiguous, reason)
		k.result.Err.Candidates = f.candidates
		return false
	}
	k.found(&f)
	if k.req.If != "" && k.req.If != Pin(&k.action) {
		k.fail(ActionChanged, "its description or parameters are not those that the caller saw")
		return false
	}
	return true
}

// lookUpAgain finds the action after others may have changed the page. What was
// agreed to must still be meant.
func (k *attempt) lookUpAgain(ctx context.Context) bool {
	f, ok := k.find(ctx, func(actions []snapshot.Action) (int, []string, int) {
		nth := k.nth
		for i := range actions {
			if !same(&actions[i], &k.action) {
				continue
			}
			if nth--; nth < 0 {
				return i, nil, 1
			}
		}
		return 0, nil, 0
	})
	switch {
	case !ok:
		return false
	case f.total == 0:
		k.fail(ActionNotFound, gone)
		return false
	case Pin(&f.action) != Pin(&k.action) || f.action.Kind != k.action.Kind:
		k.fail(ActionChanged, "its description, parameters or kind changed before it ran")
		return false
	}
	k.found(&f)
	return true
}

const (
	gone     = "the action is not there any more"
	replaced = "another action was declared in its place"
)

func (k *attempt) found(f *finding) {
	k.action, k.bound, k.nth = f.action, f.bound, f.nth
	k.result.Action = &k.action
}
