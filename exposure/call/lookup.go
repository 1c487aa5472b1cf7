package call

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

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
// record without what tells it from its namesakes.
func lookUp(actions []snapshot.Action, id string) (found *snapshot.Action, candidates []string, total int) {
	for i := range actions {
		if actions[i].ID == id {
			return &actions[i], nil, 1
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
		found = a
	}
	if total != 1 {
		return nil, candidates, total
	}
	return found, nil, 1
}

// same reports whether two actions have one origin, apart from which of several that
// have it they are.
func same(a, b *snapshot.Action) bool {
	return a.Group == b.Group && a.Scope == b.Scope && a.Record == b.Record && a.BareName() == b.BareName()
}

// setFound fills in what look-up found, or fails the attempt.
func (k *attempt) setFound(actions []snapshot.Action) bool {
	found, candidates, total := lookUp(actions, k.req.Action)
	switch {
	case total == 0:
		k.fail(ActionNotFound, "there is no action "+strconv.Quote(shown(k.req.Action, maxText/2)))
		return false
	case found == nil:
		reason := fmt.Sprintf("%d actions have this name", total)
		if total > len(candidates) {
			reason += fmt.Sprintf("; %d are listed", len(candidates))
		}
		k.fail(ActionAmbiguous, reason)
		k.result.Err.Candidates = candidates
		return false
	}
	k.found(found)
	k.nth = 0
	for i := 0; &actions[i] != found; i++ {
		if same(&actions[i], found) {
			k.nth++
		}
	}
	if k.req.If != "" && k.req.If != Pin(found) {
		k.fail(ActionChanged, "its description or parameters are not those that the caller saw")
		return false
	}
	return true
}

func (k *attempt) found(a *snapshot.Action) {
	k.action = *a
	k.result.Action = &k.action
}
