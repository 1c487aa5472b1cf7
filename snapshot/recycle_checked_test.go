//go:build race || pagestate_checked

package snapshot_test

import (
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// TestKeeperIsCaught: in checked builds a value that was kept past Recycle cannot
// be taken for what it was.
func TestKeeperIsCaught(t *testing.T) {
	var b snapshot.Builder
	r := b.Record("s", "a")
	r.String("text", "kept too long")
	r.End()
	s, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	record, value := s.Record(0), s.Record(0).Field("text")
	b.Recycle(s)
	for name, read := range map[string]func() string{
		"value":  func() string { return string(value.Text()) },
		"kind":   func() string { return value.Kind().String() },
		"json":   func() string { return string(records.AppendJSON(nil, value)) },
		"record": func() string { return record.ID() },
		"field":  func() string { return record.Field("text").String() },
	} {
		if got, panicked := try(read); !panicked && (got == "kept too long" || got == "string" || got == `"kept too long"` || got == "a") {
			t.Errorf("%s reads as before: %q", name, got)
		}
	}
}

func try(f func() string) (got string, panicked bool) {
	defer func() { panicked = recover() != nil }()
	return f(), false
}
