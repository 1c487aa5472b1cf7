package main

import (
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// withBadParams adds a diagnostic for each action of a capture whose parameters
// no call could be checked against. Pages are read with theirs; captures may
// come from anywhere, and a broken schema must not pass for one without limits.
func withBadParams(snap *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	known := map[string]bool{}
	for _, d := range snap.Diagnostics() {
		if d.Code == capture.CodeBadParams {
			known[d.At] = true
		}
	}
	var bad []snapshot.Diagnostic
	for i := range snap.Actions() {
		a := snap.Action(i)
		if a.Params.Kind() == records.Absent || known[a.ID] {
			continue
		}
		if _, err := exposure.CompileSchema(a.Params); err != nil {
			bad = append(bad, snapshot.Diagnostic{Code: exposure.CodeBadParams, At: a.ID, Message: fmt.Sprint(err)})
		}
	}
	if bad == nil {
		return snap, nil
	}
	p := snap.Parts()
	p.Diagnostics = append(slices.Clone(p.Diagnostics), bad...)
	return snapshot.FromParts(p)
}
