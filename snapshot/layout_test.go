package snapshot_test

import (
	"errors"
	"testing"

	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// TestFields: records of declared fields are those made field by field.
func TestFields(t *testing.T) {
	var b snapshot.Builder
	f, err := b.Fields("s", "text", "n", "done", "x", "none", "v")
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Fields("t")
	if err != nil {
		t.Fatal(err)
	}
	value := records.RawValue(records.AppendString(nil, "v"))
	declared := func() *snapshot.Snapshot {
		r := b.RecordOf(f, "a")
		r.String("ä")
		r.Int(-7)
		r.Bool(true)
		r.Float(0.5)
		r.Null()
		r.Value(value)
		r.Replaces("old")
		r.End()
		r = b.RecordOf(other, "b")
		r.End()
		r = b.RecordOf(f, "c")
		r.String("dropped")
		r.Cancel()
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	named := func() *snapshot.Snapshot {
		r := b.Record("s", "a")
		r.String("text", "ä")
		r.Int("n", -7)
		r.Bool("done", true)
		r.Float("x", 0.5)
		r.Null("none")
		r.Value("v", value)
		r.Replaces("old")
		r.End()
		b.Record("t", "b").End()
		s, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := named()
	for range 2 {
		got := declared()
		if got.Digest() != want.Digest() || got.Replaced(0) != "old" || got.Len() != want.Len() {
			t.Fatalf("got %v records, digest %v", got.Len(), got.Digest())
		}
		for i := range want.Len() {
			if got.Table().Sum(i) != want.Table().Sum(i) || got.Table().Key(i) != want.Table().Key(i) {
				t.Errorf("record %d has another digest", i)
			}
		}
	}
}

// TestFieldsOutlive: declared fields survive the builder forgetting what it has
// learned of layouts.
func TestFieldsOutlive(t *testing.T) {
	var b snapshot.Builder
	f, err := b.Fields("s", "n")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1 << 17 {
		r := b.Record("s", "x")
		r.Null(string(rune('a'+i%26)) + string(rune(0x4E00+i/26)))
		r.Cancel()
	}
	if _, err := b.Snapshot(); err != nil {
		t.Fatal(err)
	}
	r := b.RecordOf(f, "a")
	r.Int(1)
	r.End()
	s, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Record(0).Field("n").String(); got != "1" {
		t.Errorf("n is %s", got)
	}
}

func TestFieldsFaults(t *testing.T) {
	var b snapshot.Builder
	if _, err := b.Fields("s", "a", "b", "a"); !errors.Is(err, records.ErrRepeated) {
		t.Errorf("a field declared twice: %v", err)
	}
	f, err := b.Fields("s", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	for name, fill := range map[string]func(*snapshot.Values){
		"too few":  func(v *snapshot.Values) { v.Int(1) },
		"too many": func(v *snapshot.Values) { v.Int(1); v.Int(2); v.Int(3) },
		"absent":   func(v *snapshot.Values) { v.Int(1); v.Value(records.Value{}) },
	} {
		r := b.RecordOf(f, "x")
		fill(r)
		r.End()
		if _, err := b.Snapshot(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
