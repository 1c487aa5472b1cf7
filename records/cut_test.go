package records_test

import (
	"bytes"
	"testing"

	"github.com/pagestate/pagestate/records"
)

func TestCutStringsCompareByLengthAndDigest(t *testing.T) {
	cut := func(head string, size int64, digest byte) records.Value {
		return records.RawValue(records.AppendCut(nil, head, size, [16]byte{15: digest}))
	}
	whole := records.RawValue(records.AppendString(nil, "head"))
	tests := []struct {
		name string
		a, b records.Value
		want bool
	}{
		{"same", cut("head", 70000, 1), cut("head", 70000, 1), true},
		{"another tail", cut("head", 70000, 1), cut("head", 70000, 2), false},
		{"another length", cut("head", 70000, 1), cut("head", 70001, 1), false},
		{"a whole string of the same head", cut("head", 70000, 1), whole, false},
	}
	for _, tt := range tests {
		if got := records.Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: equal %v, want %v", tt.name, got, tt.want)
		}
		if got := bytes.Equal(records.AppendCanonical(nil, tt.a), records.AppendCanonical(nil, tt.b)); got != tt.want {
			t.Errorf("%s: canonical forms equal %v, want %v", tt.name, got, tt.want)
		}
	}
	v := cut("head", 70000, 1)
	if size, is := v.Cut(); !is || size != 70000 || v.Kind() != records.String || string(v.Text()) != "head" {
		t.Errorf("got %v %v %s %s", size, is, v.Kind(), v.Text())
	}
	if _, is := whole.Cut(); is {
		t.Error("a whole string is cut")
	}
	// In an array, where lengths are found by skipping.
	list := records.BeginArray(nil)
	list = append(append(list, v.Raw()...), whole.Raw()...)
	list = records.EndArray(list, 0)
	if got := records.RawValue(list).String(); got != `["head","head"]` {
		t.Errorf("got %s", got)
	}
}
