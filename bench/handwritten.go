package bench

import "reflect"

// MapDiff is what a competent developer writes for records decoded from JSON: an
// index of the ids of one side, then a comparison of maps field by field. It
// keeps nothing from one call to the next.
func MapDiff(before, after []map[string]any) (a Answer) {
	index := make(map[string]int, len(before))
	for i, r := range before {
		index[r["id"].(string)] = i
	}
	found, last := make([]bool, len(before)), -1
	for _, r := range after {
		id := r["id"].(string)
		i, ok := index[id]
		if !ok {
			a.Added = append(a.Added, id)
			continue
		}
		found[i] = true
		if i < last {
			a.Reordered = true
		}
		last = i
		n := len(a.Fields)
		if a.Fields = appendChanged(a.Fields, before[i], r); len(a.Fields) > n {
			a.Updated = append(a.Updated, id)
		}
	}
	for i, r := range before {
		if !found[i] {
			a.Removed = append(a.Removed, r["id"].(string))
		}
	}
	return a
}

// appendChanged appends the names of the fields that differ.
func appendChanged(dst []string, before, after map[string]any) []string {
	same := 0
	for name, v := range after {
		old, ok := before[name]
		if !ok || !sameValue(old, v) {
			dst = append(dst, name)
		}
		if ok {
			same++
		}
	}
	if same < len(before) {
		for name := range before {
			if _, ok := after[name]; !ok {
				dst = append(dst, name)
			}
		}
	}
	return dst
}

func sameValue(old, v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return reflect.DeepEqual(old, v)
	}
	return old == v
}

// TypedDiff is the same on Go structs: no snapshot, no names, no decoding.
func TypedDiff(before, after []Order) (a Answer) {
	index := make(map[string]int, len(before))
	for i := range before {
		index[before[i].ID] = i
	}
	found, last := make([]bool, len(before)), -1
	for j := range after {
		r := &after[j]
		i, ok := index[r.ID]
		if !ok {
			a.Added = append(a.Added, r.ID)
			continue
		}
		found[i] = true
		if i < last {
			a.Reordered = true
		}
		last = i
		if before[i] != *r {
			a.Updated = append(a.Updated, r.ID)
			a.Fields = appendChangedFields(a.Fields, &before[i], r)
		}
	}
	for i := range before {
		if !found[i] {
			a.Removed = append(a.Removed, before[i].ID)
		}
	}
	return a
}

// appendChangedFields appends the names of the fields that differ.
func appendChangedFields(dst []string, before, after *Order) []string {
	if before.Title != after.Title {
		dst = append(dst, "title")
	}
	if before.Status != after.Status {
		dst = append(dst, "status")
	}
	if before.Amount != after.Amount {
		dst = append(dst, "amount")
	}
	if before.Customer != after.Customer {
		dst = append(dst, "customer")
	}
	if before.UpdatedAt != after.UpdatedAt {
		dst = append(dst, "updatedAt")
	}
	if before.Done != after.Done {
		dst = append(dst, "done")
	}
	if before.Note != after.Note {
		dst = append(dst, "note")
	}
	return dst
}
