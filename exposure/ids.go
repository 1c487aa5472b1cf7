package exposure

import (
	"strconv"
)

// An Origin is where an action comes from; it identifies the action, however
// its shown id is qualified.
type Origin struct {
	Group  string // provider or frame, "" for the document itself
	Scope  string
	Record string // id of the record it is bound to, "" when none
	Name   string
}

// IDs returns the shown ids of actions in order of appearance: the name,
// name@record inside a record; name@scope/record for all namesakes when records of
// two scopes have that id; <group>/ in front for those of a group where two groups
// share an id; and #2, #3, ... for what is still tied. tied lists the actions that
// were given such a number.
//
// All ids differ. The cost is linear.
func IDs(origins []Origin) (ids []string, tied []int) {
	if ids = plainIDs(origins); ids != nil {
		return ids, nil
	}
	ids = make([]string, len(origins))
	type bound struct{ group, name, record string }
	scopes := make(map[bound]string, len(origins)) // the one scope
	several := map[bound]bool{}                    // more than one
	for _, o := range origins {
		if o.Record == "" {
			continue
		}
		k := bound{"", o.Name, o.Record}
		if s, seen := scopes[k]; !seen {
			scopes[k] = o.Scope
		} else if s != o.Scope {
			several[k] = true
		}
	}
	for i, o := range origins {
		switch {
		case o.Record == "":
			ids[i] = o.Name
		case several[bound{"", o.Name, o.Record}]:
			ids[i] = o.Name + "@" + o.Scope + "/" + o.Record
		default:
			ids[i] = o.Name + "@" + o.Record
		}
	}
	qualifyGroups(origins, ids)
	return ids, number(ids)
}

// plainIDs returns the ids that actions have when no two share one, nil if two do.
func plainIDs(origins []Origin) []string {
	ids := make([]string, len(origins))
	seen := make(map[string]struct{}, len(origins))
	for i := range origins {
		o := &origins[i]
		if ids[i] = o.Name; o.Record != "" {
			ids[i] += "@" + o.Record
		}
		seen[ids[i]] = struct{}{}
	}
	if len(seen) < len(ids) {
		return nil
	}
	return ids
}

// qualifyGroups puts the group in front of ids that two groups share.
func qualifyGroups(origins []Origin, ids []string) {
	groups := make(map[string]string, len(ids))
	shared := map[string]bool{}
	for i, id := range ids {
		if g, seen := groups[id]; !seen {
			groups[id] = origins[i].Group
		} else if g != origins[i].Group {
			shared[id] = true
		}
	}
	for i, id := range ids {
		if shared[id] && origins[i].Group != "" {
			ids[i] = origins[i].Group + "/" + id
		}
	}
}

// number tells equal ids apart and returns which were given a number.
func number(ids []string) (tied []int) {
	taken := make(map[string]bool, len(ids))
	for _, id := range ids {
		taken[id] = true
	}
	first := make(map[string]bool, len(ids))
	next := map[string]int{}
	for i, id := range ids {
		if !first[id] {
			first[id] = true
			continue
		}
		n := max(next[id], 2)
		for taken[id+"#"+strconv.Itoa(n)] {
			n++
		}
		next[id] = n + 1
		ids[i] = id + "#" + strconv.Itoa(n)
		taken[ids[i]] = true
		tied = append(tied, i)
	}
	return tied
}
