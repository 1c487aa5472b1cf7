package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pagestate/pagestate/records"
)

type inner struct {
	A int `json:"a"`
	B int `json:"b,omitempty"`
}

type outer struct {
	inner
	Name   string `json:"name"`
	Skip   string `json:"-"`
	Any    any
	N      int64     `json:"n,string"`
	When   time.Time `json:"when,omitzero"`
	hidden int
}

type throws struct {
	Ok   int
	Boom bomb
}

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("getter") }

type wrong struct{}

func (wrong) MarshalJSON() ([]byte, error) { return []byte(`{"a":`), nil }

type deep struct{ Next *deep }

// A textKey is written in small letters.
type textKey struct{ s string }

func (k textKey) MarshalText() ([]byte, error) { return []byte(strings.ToLower(k.s)), nil }

func TestEncode(t *testing.T) {
	circle := map[string]any{"name": "c"}
	circle["self"] = circle
	ring := []any{nil}
	ring[0] = ring
	node := &deep{}
	node.Next = node
	shared := map[string]int{"n": 1}
	tests := []struct {
		name, why string
		in        any
		want      string
	}{
		{"struct", "members keep their order", struct{ B, A int }{1, 2}, `{"B":1,"A":2}`},
		{"tags", "as encoding/json has them", outer{inner: inner{A: 1}, Name: "x<y", Any: []int(nil), N: 7, hidden: 3}, `{"a":1,"name":"x<y","Any":null,"n":"7"}`},
		{"nan", "", []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1.5, 1e300}, `[{"$js":"number","value":"NaN"},{"$js":"number","value":"Infinity"},{"$js":"number","value":"-Infinity"},{"$js":"number","value":"-0"},0,1.5,1e+300]`},
		{"cycle in a map", "", circle, `{"name":"c","self":{"$js":"cycle"}}`},
		{"cycle in a slice", "", ring, `[{"$js":"cycle"}]`},
		{"cycle of pointers", "", node, `{"Next":{"$js":"cycle"}}`},
		{"shared", "full copies, no cycle", []any{shared, shared}, `[{"n":1},{"n":1}]`},
		{"func", "", map[string]any{"f": strings.ToUpper, "nil": (func())(nil)}, `{"f":{"$js":"function","type":"func(string) string"},"nil":null}`},
		{"chan", "", make(chan int), `{"$js":"function","type":"chan int"}`},
		{"complex", "", complex(1, 2), `{"$js":"complex","value":"(1+2i)"}`},
		{"error", "", errors.New("returned, not failed"), `{"$js":"error","message":"returned, not failed"}`},
		{"panics", "a member that panics spoils only itself", throws{Ok: 1}, `{"Ok":1,"Boom":{"$js":"error","message":"panic: getter"}}`},
		{"no JSON", "", []any{wrong{}, 1}, `[{"$js":"error","message":"invalid JSON: unexpected end of input, want a value, offset 5"},1]`},
		{"date", "", time.Date(2031, 5, 1, 0, 0, 0, 0, time.UTC), `"2031-05-01T00:00:00Z"`},
		{"big", "all digits", new(big.Int).Exp(big.NewInt(10), big.NewInt(29), nil), `100000000000000000000000000000`},
		{"bytes", "", []byte("abc"), `"YWJj"`},
		{"raw", "order and digits stay", json.RawMessage(` {"b": 1.0, "a": "\u003c" } `), `{"b":1.0,"a":"<"}`},
		{"value", "", records.Value{}, `null`},
		{"number", "", json.Number("12e1"), `12e1`},
		{"no number", "", json.Number("x"), `"x"`},
		{"keys", "", map[int]string{10: "b", 9: "a"}, `{"10":"b","9":"a"}`},
		{"text keys", "", map[netip.Addr]int{netip.MustParseAddr("::1"): 1}, `{"::1":1}`},
		{"other keys", "", map[any]any{"k": 1, 2.5: "two"}, `{"$js":"map","entries":[["k",1],[2.5,"two"]]}`},
		{"keys of several kinds", "texts of keys are no JSON", map[any]int{netip.MustParseAddr("10.0.0.1"): 1, 5: 2}, `{"$js":"map","entries":[["10.0.0.1",1],[5,2]]}`},
		{"keys with marks", "a key cannot add structure", map[any]int{textKey{`k"],[`}: 1, 5: 2}, `{"$js":"map","entries":[["k\"],[",1],[5,2]]}`},
		{"keys of one text", "no two members of one name", map[textKey]int{{"a"}: 1, {"A"}: 2}, `{"$js":"map","entries":[["a",1],["a",2]]}`},
		{"lone byte", "", "a\xffb", `"a` + "\uFFFD" + `b"`},
		{"nil pointer", "a nil of a type is null, not nothing", (*int)(nil), `null`},
		{"nil map", "", map[string]int(nil), `null`},
		{"nil error", "", struct{ E error }{}, `{"E":null}`},
		{"hidden", "nothing reads as a line of ours", "\u202e\n\x1b", `"\u202e\n\u001b"`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			got := string(encode(tt.in))
			if got != tt.want {
				if tt.name == "keys of one text" && got == `{"$js":"map","entries":[["a",2],["a",1]]}` {
					return
				}
				if tt.name == "other keys" && got == `{"$js":"map","entries":[[2.5,"two"],["k",1]]}` {
					return
				}
				t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

// TestEncodeAgrees compares with encoding/json where that has an answer.
func TestEncodeAgrees(t *testing.T) {
	type embedded struct {
		*inner
		inner2 `json:"named"`
		X      []map[string]*int
		Y      [2]bool
		Z      any
		F      float32 `json:",omitempty"`
		T      *time.Time
		U      uint8
	}
	now := time.Now()
	one := 1
	for _, v := range []any{
		embedded{}, &embedded{inner: &inner{1, 2}, inner2: inner2{3}, X: []map[string]*int{{"b": nil, "a": &one}}, Z: embedded{}, F: 0.1, T: &now, U: 200},
		map[string]any{"z": []any{}, "a": map[string]any{}, "m": "é\u00a0"}, []any{nil, true, 1.25, 1e21, 1e-7, "x"}, struct{}{}, [0]int{},
		[]pointed{{"a"}, {"b"}}, []letter{1, 2}, struct {
			S string `json:",string"`
			B bool   `json:",string"`
		}{"q", true},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(v); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

type inner2 struct{ C int }

// pointed has a text only where it has an address; a letter is a byte with a text.
type pointed struct{ s string }

func (p *pointed) MarshalText() ([]byte, error) { return []byte("to " + p.s), nil }

type letter byte

func (l letter) MarshalText() ([]byte, error) { return []byte{'a' + byte(l)}, nil }

func TestBound(t *testing.T) {
	long := &deep{}
	for range 100_000 {
		long = &deep{long}
	}
	wide := make([]int, 200_000)
	for i := range wide {
		wide[i] = i
	}
	tests := []struct {
		name, why string
		in        any
		whole     int
		begin     string
		end       string
	}{
		{"long", "cut inside, its length given", strings.Repeat("z", 5_000_000), 5_000_002, `"zzz`, `z"`},
		{"wide", "cut between elements", wide, 1_288_891, `[0,1,2,`, `]`},
		{"deep", "cut at the depth limit, which is no truncation of bytes", long, 0, `{"Next":{"Next":`, `{"$js":"depth"}` + strings.Repeat("}", 100)},
		{"object", "a name is never cut, nor left without a value", map[string]string{"a": strings.Repeat("é", 10_000), "b": "x"}, 20_000 + 16, `{"a":"éé`, `é"}`},
	}
	for _, tt := range tests {
		t.Run("case="+tt.name, func(t *testing.T) {
			data, whole := bound(tt.in)
			if whole != tt.whole || len(data) > MaxDataBytes || !json.Valid(data) || !utf8.Valid(data) {
				t.Errorf("%s: %d bytes of %d, want %d; valid %v", tt.why, len(data), whole, tt.whole, json.Valid(data))
			}
			if whole > 0 && len(data) < MaxDataBytes-8 {
				t.Errorf("only %d bytes are kept", len(data))
			}
			if tt.name != "deep" && !strings.HasSuffix(string(data), tt.end) || !strings.HasPrefix(string(data), tt.begin) {
				t.Errorf("got %.20s...%s", data, data[len(data)-20:])
			}
		})
	}
	if data, whole := bound(json.RawMessage(strings.Repeat("1", 20_000))); data != nil || whole != 20_000 {
		t.Errorf("a number was cut to %.20s", data)
	}
	if data, whole := bound(nil); data != nil || whole != 0 {
		t.Errorf("nothing is %s", data)
	}
}

// TestCutJSON cuts at every length: the result is always JSON, a beginning, and
// the longest one.
func TestCutJSON(t *testing.T) {
	full := encode(map[string]any{"a": []any{1, "tw\no", nil, map[string]any{"x": "é\u202e\U000E0041😀"}}, "b\"": true, "": []any{}, "z": map[string]any{}})
	last := 0
	for limit := 2; limit <= len(full); limit++ {
		got := cutJSON(full, limit)
		if len(got) > limit || !json.Valid(got) {
			t.Fatalf("limit %d: %d bytes, %s", limit, len(got), got)
		}
		if len(got) < last {
			t.Errorf("limit %d: %s is shorter than with less", limit, got)
		}
		last = len(got)
		if err := prefixOf(got, full); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if got := cutJSON(full, len(full)); string(got) != string(full) {
		t.Errorf("got %s of what fits", got)
	}
}

// prefixOf checks that part, decoded, is a beginning of full.
func prefixOf(part, full []byte) error {
	var p, f any
	if err := json.Unmarshal(part, &p); err != nil {
		return err
	}
	if err := json.Unmarshal(full, &f); err != nil {
		return err
	}
	return within2(p, f)
}

func within2(p, f any) error {
	switch p := p.(type) {
	case string:
		s, ok := f.(string)
		if !ok || !strings.HasPrefix(s, p) {
			return fmt.Errorf("%q is no beginning of %q", p, s)
		}
	case []any:
		list, ok := f.([]any)
		if !ok || len(p) > len(list) {
			return fmt.Errorf("%v is no beginning of %v", p, f)
		}
		for i := range p {
			if err := within2(p[i], list[i]); err != nil {
				return err
			}
		}
	case map[string]any:
		m, ok := f.(map[string]any)
		if !ok {
			return fmt.Errorf("%v is no part of %v", p, f)
		}
		for name, v := range p {
			if err := within2(v, m[name]); err != nil {
				return err
			}
		}
	default:
		if !reflect.DeepEqual(p, f) {
			return fmt.Errorf("%v is not %v", p, f)
		}
	}
	return nil
}

func FuzzData(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x",{}],"b":"\ud83d\ude00\u202e"}`, `[[[[]]]]`, `"\udb40\udc41"`, `-0`, `{"":{"":""}}`, `[1e400,"\u0000"]`} {
		f.Add([]byte(seed), 10)
	}
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		if len(text) > 1<<12 {
			return
		}
		full, err := respell(nil, text, nil)
		if err != nil {
			return
		}
		limit = 2 + int(uint(limit)%uint(len(full)+2))
		got := cutJSON(full, limit)
		// A number or word that alone is longer than the limit has no beginning.
		if len(got) > limit || len(got) > 0 && !json.Valid(got) {
			t.Fatalf("limit %d of %s: %s", limit, full, got)
		}
	})
}
