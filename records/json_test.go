package records_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
)

// TestAppendJSONTwice: what is written reads back as what is written again.
func TestAppendJSONTwice(t *testing.T) {
	for _, tt := range []struct{ name, why, in, want string }{
		{"intact", "sorted by name", `{"b":1,"a":{"d":2,"c":3}}`, `{"a":{"c":3,"d":2},"b":1}`},
		{"repaired", "U+FFFD sorts before U+10000, which the byte F5 does not", `{"\ud800":1,"\ud800\udc00":2}`,
			"{\"\uFFFD\":1,\"\U00010000\":2}"},
		{"raw bytes", "an ill-formed byte sorts before U+FFFD as it is held", "{\"\xe2\":1,\"\uac00\":2}",
			"{\"\uac00\":2,\"\uFFFD\":1}"},
		{"alike", "numbers follow the order in which names are held, members that of the numbered names",
			`{"\ud801":1,"\ud800!":3,"\ud800":2}`, "{\"\uFFFD\":2,\"\uFFFD!\":3,\"\uFFFD#2\":1}"},
		{"many alike", "#10 sorts before #2", "{\"\x80\":1,\"\x81\":2,\"\x82\":3,\"\x83\":4,\"\x84\":5,\"\x85\":6,\"\x86\":7,\"\x87\":8,\"\x88\":9,\"\x89\":10}",
			`{"?":1,"?#10":10,"?#2":2,"?#3":3,"?#4":4,"?#5":5,"?#6":6,"?#7":7,"?#8":8,"?#9":9}`},
		{"nested", "at every depth", `[{"o":{"\ud800":1,"\ud800\udc00":{"\udfff":2,"\ud800\udc00":3}}}]`,
			"[{\"o\":{\"\uFFFD\":1,\"\U00010000\":{\"\uFFFD\":2,\"\U00010000\":3}}}]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := parse(t, tt.in)
			once := v.String()
			if want := strings.ReplaceAll(tt.want, "?", "\uFFFD"); once != want {
				t.Errorf("%+q, want %+q (%s)", once, want, tt.why)
			}
			if twice := parse(t, once).String(); twice != once {
				t.Errorf("read back and written again: %+q, not %+q (%s)", twice, once, tt.why)
			}
			if n := safetext.JSONLen(v); n != len(once) {
				t.Errorf("length %d, want %d", n, len(once))
			}
			if head, whole := safetext.AppendJSONHead(nil, v, 0); !whole || string(head) != once {
				t.Errorf("the beginning, all of it: %+q, want %+q", head, once)
			}
		})
	}
}

// TestAppendJSONDeep: a name to repair, met behind what is nested, must not have
// that written twice at every depth.
func TestAppendJSONDeep(t *testing.T) {
	const depth = 300
	v := parse(t, strings.Repeat(`{"a":`, depth)+"0"+strings.Repeat(`,"\ud800":1}`, depth))
	done := make(chan []byte, 1)
	go func() { done <- records.AppendJSON(nil, v) }()
	select {
	case got := <-done:
		if want := strings.Repeat(`{"a":`, depth) + "0" + strings.Repeat(",\"\uFFFD\":1}", depth); string(got) != want {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
	case <-time.After(10 * time.Second):
		t.Fatal("more than 10 s for a value of 5 KB")
	}
}

// TestAppendJSONAllocs: writing intact values makes no garbage.
func TestAppendJSONAllocs(t *testing.T) {
	v := parse(t, `{"a":[1,{"b":"c","d":{}}],"e":{"f":null}}`)
	dst := bytes.Clone(records.AppendJSON(nil, v))
	if n := testing.AllocsPerRun(100, func() { dst = records.AppendJSON(dst[:0], v) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
