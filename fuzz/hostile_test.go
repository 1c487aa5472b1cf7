package fuzz

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/internal/laws"
)

// join writes n parts with commas.
func join(n int, part func(i int) string) string {
	var b bytes.Buffer
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(part(i))
	}
	return b.String()
}

func recordsOf(n int, part func(i int) string) string {
	return `{"records":[` + join(n, part) + `]}`
}

// hostile are pairs made to cost more than their size: about n of something.
var hostile = []struct {
	name, why string
	pair      func(n int) (before, after string)
}{
	{"reversed", "every record moved", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }), recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, n-i) })
	}},
	{"nothing in common", "", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }), recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, n+i) })
	}},
	{"every second gone", "", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }), recordsOf(n/2, func(i int) string { return fmt.Sprintf(`{"id":%d}`, 2*i) })
	}},
	{"one id", "each content could be any other's", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"fields":{"v":%d}}`, i) }), recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"fields":{"v":%d}}`, 2*n-i) })
	}},
	{"one id and content", "", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return `{"id":1}` }), recordsOf(n/2, func(i int) string { return `{"id":1}` })
	}},
	{"replaced in a chain", "", func(n int) (string, string) {
		return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }), recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":"r%d","replaces":%d}`, i, n-i) })
	}},
	{"all replace one", "", func(n int) (string, string) {
		return `{"records":[{"id":1}]}`, recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":"r%d","replaces":1}`, i) })
	}},
	{"moved", "", func(n int) (string, string) {
		scopes := `{"scopes":[{"id":"a","ids":"x"},{"id":"b","ids":"x"}],`
		list := func(scope string) string {
			return scopes + recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"scope":%q}`, i, scope) })[1:]
		}
		return list("a"), list("b")
	}},
	{"moved between many", "each scope of the space could hold each id", func(n int) (string, string) {
		list := func(shift int) string {
			return `{"scopes":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":"s%d","ids":"x"}`, i) }) + `],` +
				recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"scope":"s%d"}`, i%100, (i+shift)%n) })[1:]
		}
		return list(0), list(7)
	}},
	{"without ids", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"scopes":[{"id":"","inferred":true}],` + recordsOf(n, func(i int) string { return fmt.Sprintf(`{"fields":{"v":%d}}`, i*v) })[1:]
		}
		return list(1), list(2)
	}},
	{"without ids in turn", "a matched neighbour on each side of each", func(n int) (string, string) {
		list := func(v int) string {
			return `{"scopes":[{"id":"","inferred":true}],` + recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d},{"fields":{"v":%d}}`, i, i*v) })[1:]
		}
		return list(1), list(2)
	}},
	{"a scope each", "", func(n int) (string, string) {
		list := func(v int) string {
			return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":%d,"fields":{"v":%d}}`, i, i*v) })
		}
		return list(1), list(2)
	}},
	{"scopes come and go", "", func(n int) (string, string) {
		list := func(s string) string {
			return `{"scopes":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":"%s%d"}`, s, i) }) + `],` +
				recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":"%s%d"}`, s, i) })[1:]
		}
		return list("a"), list("b")
	}},
	{"reordered scopes", "", func(n int) (string, string) {
		list := func(v int) string {
			return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"scope":%d}`, (i*v+v)%3, i/3) })
		}
		return list(1), list(2)
	}},
	{"windows", "", func(n int) (string, string) {
		list := func(from int) string {
			return `{"scopes":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"total":9,"offset":%d}`, i, from) }) + `],` +
				recordsOf(n, func(i int) string {
					return fmt.Sprintf(`{"id":%d,"scope":%d},{"id":%d,"scope":%d}`, from, i, from+1, i)
				})[1:]
		}
		return list(0), list(1)
	}},
	{"views of many scopes", "", func(n int) (string, string) {
		list := func(from int) string {
			return `{"view":{"scopes":[` + join(n, func(i int) string { return fmt.Sprintf(`"%d"`, i+from) }) + `]},` +
				recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":%d}`, i+from) })[1:]
		}
		return list(0), list(1)
	}},
	{"fields", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"records":[{"id":1,"fields":{` + join(n, func(i int) string { return fmt.Sprintf(`"f%d":%d`, i, i*v) }) + `}}]}`
		}
		return list(1), list(2)
	}},
	{"fields in another order", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"records":[{"id":1,"fields":{` + join(n, func(i int) string { return fmt.Sprintf(`"f%d":1`, (i*v)%1_000_003) }) + `}}]}`
		}
		return list(1), list(7919)
	}},
	{"volatile fields", "each field is looked for among all names", func(n int) (string, string) {
		list := func(v int) string {
			return `{"scopes":[{"id":"s","volatile":[` + join(n, func(i int) string { return fmt.Sprintf(`"f%d"`, n-i) }) + `],"sensitive":[` + join(n, func(i int) string { return fmt.Sprintf(`"g%d"`, i) }) + `]}],` +
				`"records":[{"id":1,"scope":"s","fields":{` + join(n, func(i int) string { return fmt.Sprintf(`"f%d":%d`, i, i*v) }) + `}}]}`
		}
		return list(1), list(2)
	}},
	{"layouts and volatile fields", "each layout has rules of its own", func(n int) (string, string) {
		list := func(v int) string {
			return `{"scopes":[{"id":"s","volatile":[` + join(n, func(i int) string { return fmt.Sprintf(`"f%d"`, n-i) }) + `]}],` +
				recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"scope":"s","fields":{"f%d":%d}}`, i, i, v) })[1:]
		}
		return list(1), list(2)
	}},
	{"layouts", "each pair of records has two of its own", func(n int) (string, string) {
		list := func(v int) string {
			return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"fields":{"%d-%d":1}}`, i, v, i) })
		}
		return list(1), list(2)
	}},
	{"sensitive fields", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"scopes":[{"id":"s","sensitive":[` + join(n, func(i int) string { return fmt.Sprintf(`"g%d"`, i) }) + `]}],` +
				recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"scope":"s","fields":{"v":%d}}`, i, i*v) })[1:]
		}
		return list(1), list(2)
	}},
	{"one deep value", "", func(n int) (string, string) {
		list := func(v int) string {
			return fmt.Sprintf(`{"records":[{"id":1,"fields":{"v":[%s]}}]}`, join(n/100, func(i int) string {
				return strings.Repeat(`{"a":[`, 50) + fmt.Sprint(i*v) + strings.Repeat(`]}`, 50)
			}))
		}
		return list(1), list(2)
	}},
	{"wide object", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"records":[{"id":1,"fields":{"v":{` + join(n, func(i int) string { return fmt.Sprintf(`"f%d":%d`, i, i*v) }) + `}}}]}`
		}
		return list(1), list(2)
	}},
	{"long ids", "", func(n int) (string, string) {
		list := func(v string) string {
			return recordsOf(10, func(i int) string { return fmt.Sprintf(`{"id":"%s%d%s"}`, strings.Repeat(`\u202e`, n/10), i, v) })
		}
		return list("a"), list("b")
	}},
	{"actions", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"actions":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":"a%d","description":"%d"}`, i*v, v) }) + `]}`
		}
		return list(1), list(2)
	}},
	{"actions of one id", "each needs an id of its own", func(n int) (string, string) {
		list := func(v int) string {
			return `{"actions":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":"a","description":"%d"}`, i*v) }) + `]}`
		}
		return list(1), list(2)
	}},
	{"actions of one origin", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"actions":[` + join(n, func(i int) string {
				return fmt.Sprintf(`{"id":"a%d","name":"a","description":"%d"}`, i*v, i)
			}) + `]}`
		}
		return list(1), list(2)
	}},
	{"actions of an id in many scopes", "which record is meant must be found out", func(n int) (string, string) {
		list := func(v int) string {
			return recordsOf(n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":%d}`, i) })[:0] +
				`{"records":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":1,"scope":%d}`, i) }) + `],"actions":[` +
				join(n, func(i int) string { return fmt.Sprintf(`{"id":"a%d","description":"%d","record":1}`, i, v) }) + `]}`
		}
		return list(1), list(2)
	}},
	{"actions of one record", "", func(n int) (string, string) {
		list := func(v int) string {
			return fmt.Sprintf(`{"records":[{"id":1,"fields":{"v":%d}}],"actions":[`, v) +
				join(n, func(i int) string { return fmt.Sprintf(`{"id":"a%d","description":"%d","record":1}`, i, v) }) + `]}`
		}
		return list(1), list(2)
	}},
	{"actions of repeated records", "", func(n int) (string, string) {
		list := func(v int) string {
			return `{"records":[` + join(n, func(i int) string { return fmt.Sprintf(`{"id":1,"fields":{"v":%d}}`, i*v) }) + `],"actions":[` +
				join(n, func(i int) string { return fmt.Sprintf(`{"id":"a%d","description":"%d","record":1}`, i, v) }) + `]}`
		}
		return list(1), list(2)
	}},
}

// Bounds of what is allocated, garbage included, for each byte of the two
// captures: by comparing and all forms of evidence (which are bounded apart), and
// by deltas there and back, one applied and both composed.
const (
	mostComparing = 192
	mostDeltas    = 256
	overhead      = 1 << 20 // of the forms of any pair
)

// TestHostile checks that comparing, writing in every form, and deltas take time
// that grows with the captures and no faster, and memory within the bounds.
func TestHostile(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			const n = 20_000
			checkCost(t, test.pair, 100)
			// Eight times the input may take eight times as long, and three times
			// that for what the machine does besides, which three tries must not all
			// meet with.
			for try := 1; ; try++ {
				small, _, _ := checkCost(t, test.pair, n/8)
				large, comparing, deltas := checkCost(t, test.pair, n)
				t.Logf("%.0f bytes a byte comparing, %.0f for deltas, %v and %v", comparing, deltas, small, large)
				if comparing > mostComparing || deltas > mostDeltas {
					t.Errorf("%.0f bytes allocated per byte comparing, %.0f for deltas (%s)", comparing, deltas, test.why)
				}
				if large <= 24*small+100*time.Millisecond {
					return
				}
				if try == 3 {
					t.Fatalf("%v for n=%d, %v for n=%d (%s)", small, n/8, large, n, test.why)
				}
			}
		})
	}
}

// checkCost returns the time for all, and the bytes allocated per byte.
func checkCost(t *testing.T, pair func(int) (string, string), n int) (took time.Duration, comparing, deltas float64) {
	t.Helper()
	before, after := pair(n)
	b, a := decode(t, []byte(before)), decode(t, []byte(after))
	size := float64(len(before) + len(after))
	var m0, m1, m2 runtime.MemStats
	runtime.ReadMemStats(&m0)
	start := time.Now()

	var d diff.Differ
	laws.Forms(d.Compare(b, a, nil), nil)
	runtime.ReadMemStats(&m1)

	delta := diff.NewDelta(b, a)
	to, err := delta.Apply(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := diff.Compose(delta, diff.NewDelta(to, b)); err != nil {
		t.Fatal(err)
	}
	took = time.Since(start)
	runtime.ReadMemStats(&m2)
	return took, (float64(m1.TotalAlloc-m0.TotalAlloc) - overhead) / size, (float64(m2.TotalAlloc-m1.TotalAlloc) - overhead) / size
}
