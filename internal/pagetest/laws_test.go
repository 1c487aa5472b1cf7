package pagetest

import (
	"bytes"
	"testing"
)

// Each law must catch an engine that breaks it.
func TestLawsCatch(t *testing.T) {
	replace := func(old, new string) Compare {
		return func(before, after []byte) ([]byte, error) {
			text, err := naive(before, after)
			return bytes.ReplaceAll(text, []byte(old), []byte(new)), err
		}
	}
	before := []byte(`{"records":[{"id":"a","fields":{"v":1}},{"id":"b"}]}`)
	after := []byte(`{"records":[{"id":"a","fields":{"v":2}},{"id":"c"},{"id":"d"}]}`)
	for _, test := range []struct {
		name, why string
		broken    Compare
		law       func(Compare) error
	}{
		{"self", "an engine that always sees an order", replace(`"reordered":false`, `"reordered":true`),
			func(c Compare) error { return c.CheckSelf(before, seeded(1)) }},
		{"self in other bytes", "an engine that compares text",
			func(before, after []byte) ([]byte, error) {
				if bytes.Equal(before, after) {
					return naive(before, after)
				}
				return naive(before, []byte(`{"records":[]}`))
			},
			func(c Compare) error { return c.CheckSelf(before, seeded(1)) }},
		{"totals", "an engine that loses a removed row", replace(`"removed":[{"id":"b"}]`, `"removed":[]`),
			func(c Compare) error { return c.CheckTotals(before, after) }},
		{"totals omitted", "an engine that miscounts what it omits", replace(`"omitted":{"added":0`, `"omitted":{"added":1`),
			func(c Compare) error { return c.CheckTotals(before, after) }},
		{"swap", "an engine that sees updates one way only", replace(`"total":{"from":2,"to":3}`, `"total":{"from":2,"to":2}`),
			func(c Compare) error { return c.CheckSwap(before, after) }},
		{"spelling", "an engine that depends on layout",
			func(before, after []byte) ([]byte, error) {
				if bytes.ContainsAny(before, " \n\t\r") {
					return naive(before, before)
				}
				return naive(before, after)
			},
			func(c Compare) error { return c.CheckSpelling(before, after, seeded(1)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.law(naive); err != nil {
				t.Fatalf("the sound engine: %v", err)
			}
			if err := test.law(test.broken); err == nil {
				t.Errorf("not caught: %s", test.why)
			}
		})
	}
}
