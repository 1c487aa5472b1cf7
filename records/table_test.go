package records_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pagestate/pagestate/records"
)

// A row is what a table is built from; its values are JSON.
type row struct {
	scope, id string
	fields    []string // name, value, name, value, ...
}

// add adds r to b in one of the ways there are.
func (r row) add(t testing.TB, b *records.Builder, way int) {
	t.Helper()
	switch way {
	case 0:
		b.Begin(r.scope, r.id)
	case 1:
		b.BeginBytes([]byte(r.scope), []byte(r.id))
	case 2:
		b.BeginIn(r.scope, []byte(r.id))
	default:
		b.Begin("elsewhere", r.id)
		b.Rescope(r.scope)
	}
	for i := 0; i < len(r.fields); i += 2 {
		ok := false
		if way == 0 {
			ok = b.Field(r.fields[i])
		} else {
			ok = b.FieldBytes([]byte(r.fields[i]))
		}
		if !ok || b.FieldName() != r.fields[i] {
			t.Fatalf("field %q is refused, the last one is %q", r.fields[i], b.FieldName())
		}
		b.Buf = append(b.Buf, parse(t, r.fields[i+1]).Raw()...)
	}
	if string(b.ID()) != r.id {
		t.Fatalf("ID is %q, not %q", b.ID(), r.id)
	}
	b.End()
}

func build(t testing.TB, b *records.Builder, way int, rows []row) *records.Table {
	t.Helper()
	for _, r := range rows {
		r.add(t, b, way)
	}
	if b.Len() != len(rows) || b.Err() != nil {
		t.Fatalf("%d rows of %d, %v", b.Len(), len(rows), b.Err())
	}
	table, err := b.Finish()
	if err != nil || b.Len() != 0 {
		t.Fatalf("%v, %d rows left", err, b.Len())
	}
	return table
}

// check checks every accessor of a table of these rows.
func check(t *testing.T, table *records.Table, rows []row) {
	t.Helper()
	if table.Len() != len(rows) {
		t.Fatalf("%d rows, want %d", table.Len(), len(rows))
	}
	size, anonymous := 0, 0
	var repeats []uint32
	seen := map[[2]string]bool{}
	for i, r := range rows {
		c := table.Class(i)
		if c.Scope() != r.scope || string(table.ID(i)) != r.id || table.Classes()[table.ClassNumber(i)] != c {
			t.Fatalf("row %d is %q of %q, want %q of %q", i, table.ID(i), c.Scope(), r.id, r.scope)
		}
		var got []string
		for name, v := range table.All(i) {
			got = append(got, name, v.String())
		}
		if !slices.Equal(got, r.fields) {
			t.Fatalf("row %d has %q, want %q", i, got, r.fields)
		}
		rest := table.Values(i)
		for f := 0; f < len(r.fields); f += 2 {
			name := r.fields[f]
			if c.Fields()[f/2] != name || c.Field(name) != f/2 || table.Field(i, name).String() != r.fields[f+1] {
				t.Fatalf("row %d, field %q is %v at %d", i, name, table.Field(i, name), c.Field(name))
			}
			var v records.Value
			if v, rest = records.Cut(rest); v.String() != r.fields[f+1] {
				t.Fatalf("row %d, value %d is %v", i, f/2, v)
			}
		}
		if len(rest) != 0 || c.Field("none of them") != -1 || table.Field(i, "none of them").Kind() != records.Absent {
			t.Fatalf("row %d: %d bytes left", i, len(rest))
		}
		if table.Key(i) != records.KeyDigest(r.scope, r.id) || !table.SameKey(i, table, i) {
			t.Fatalf("row %d has key %x", i, table.Key(i))
		}
		if run := table.Run(i); run.Keys[0] != table.Key(i) || run.Sums[0] != table.Sum(i) || run.Class[0] != table.ClassNumber(i) ||
			len(run.Keys) > len(rows)-i || len(run.Sums) != len(run.Keys) || len(run.Class) != len(run.Keys) {
			t.Fatalf("row %d begins the run %v", i, run)
		}
		size += len(table.Row(i))
		key := [2]string{r.scope, r.id}
		switch {
		case r.id == "":
			anonymous++
		case seen[key]:
			repeats = append(repeats, uint32(i))
		}
		seen[key] = true
	}
	if table.Size() != size || table.Anonymous() != anonymous || !slices.Equal(table.Repeats(), repeats) {
		t.Fatalf("%d bytes, %d anonymous, repeats %v, want %d, %d, %v", table.Size(), table.Anonymous(), table.Repeats(), size, anonymous, repeats)
	}
}

// tables are the rows of tables.
var tables = []struct {
	name, why string
	rows      []row
}{
	{"empty", "", nil},
	{"one", "", []row{{"s", "a", []string{"v", "1"}}}},
	{"no fields", "", []row{{"", "a", nil}, {"s", "a", nil}}},
	{"alike", "the layout is guessed", []row{{"s", "a", []string{"v", "1", "w", `"x"`}}, {"s", "b", []string{"v", "2", "w", `"y"`}}, {"s", "c", []string{"v", "3", "w", `"z"`}}}},
	{"prefix", "a layout that ends before another", []row{{"s", "a", []string{"v", "1", "w", "2"}}, {"s", "b", []string{"v", "1"}}, {"s", "c", []string{"v", "1", "w", "2", "x", "3"}}}},
	{"order of fields", "two layouts", []row{{"s", "a", []string{"v", "1", "w", "2"}}, {"s", "b", []string{"w", "2", "v", "1"}}, {"s", "c", []string{"v", "1", "w", "2"}}}},
	{"scopes in turn", "one layout in several scopes", []row{{"s", "a", []string{"v", "1"}}, {"t", "a", []string{"v", "1"}}, {"s", "b", []string{"v", "1"}}, {"", "b", []string{"v", "1"}}}},
	{"empty field name", "", []row{{"s", "a", []string{"", "null"}}}},
	{"ids of 127 and 128 bytes", "lengths of one and two", []row{{"s", strings.Repeat("x", 127), []string{"v", "1"}}, {"s", strings.Repeat("x", 128), []string{"v", "1"}}, {"s", strings.Repeat("x", 70_000), nil}}},
	{"repeats", "each but the first, in order", []row{{"s", "a", nil}, {"s", "b", nil}, {"s", "a", []string{"v", "1"}}, {"t", "a", nil}, {"s", "b", nil}, {"s", "a", nil}}},
	{"anonymous", "never repeats", []row{{"s", "", nil}, {"s", "a", nil}, {"s", "", nil}, {"t", "", nil}}},
	{"scope and id run together", "", []row{{"ab", "c", nil}, {"a", "bc", nil}, {"", "abc", nil}}},
	{"ill-formed", "held as it is", []row{{"\xff", "\xf5\x80\x80", []string{"\xfe", `1`}}, {"\xfe", "\xf5\x80\x80", []string{"\xff", `1`}}}},
	{"values", "", []row{{"s", "a", []string{"v", `{"a":[1,1e2,null],"b":"` + strings.Repeat("x", 300) + `"}`, "w", `""`, "x", `[]`}}}},
}

func TestTables(t *testing.T) {
	var shared records.Builder
	for way := range 4 {
		for _, test := range tables {
			t.Run(fmt.Sprintf("%s/way=%d", test.name, way), func(t *testing.T) {
				var fresh records.Builder
				a, b := build(t, &fresh, way, test.rows), build(t, &shared, way, test.rows)
				check(t, a, test.rows)
				check(t, b, test.rows)
				for i := range test.rows {
					if a.Sum(i) != b.Sum(i) || a.Key(i) != b.Key(i) {
						t.Error("digests depend on the builder")
					}
				}
			})
		}
	}
}

// TestSums: a row's sum follows from its bytes, scope and field names.
func TestSums(t *testing.T) {
	rows := []row{
		{"s", "a", []string{"v", "1"}}, {"t", "a", []string{"v", "1"}}, {"s", "b", []string{"v", "1"}}, {"s", "a", []string{"w", "1"}}, {"s", "a", []string{"v", "2"}},
		{"s", "a", nil}, {"s", "a", []string{"v", "1", "w", "1"}}, {"s", "a", []string{"w", "1", "v", "1"}}, {"s", "a", []string{"vw", "1"}}, {"sv", "a", []string{"", "1"}},
	}
	var b, c records.Builder
	table := build(t, &b, 0, rows)
	slices.Reverse(rows)
	reversed := build(t, &c, 1, rows)
	for i := range rows {
		for j := range rows {
			x, y := table.Sum(i), reversed.Sum(j)
			if (x == y) != (i == len(rows)-1-j) {
				t.Errorf("rows %d and %d: one sum is %v", i, len(rows)-1-j, x == y)
			}
			same := rows[len(rows)-1-i].scope == rows[j].scope && rows[len(rows)-1-i].id == rows[j].id
			if table.SameKey(i, reversed, j) != same {
				t.Errorf("rows %d and %d: SameKey is %v", i, len(rows)-1-j, !same)
			}
		}
	}
}

func TestIterationStops(t *testing.T) {
	var b records.Builder
	table := build(t, &b, 0, []row{{"s", "a", []string{"v", "1", "w", "2"}}})
	n := 0
	for range table.All(0) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d fields", n)
	}
}

func TestRepeatedField(t *testing.T) {
	var b records.Builder
	add := func(names ...string) (ok bool) {
		b.Begin("s", "a")
		for _, n := range names {
			if ok = b.Field(n); !ok {
				break
			}
			b.Buf = records.AppendNull(b.Buf)
		}
		b.End()
		return ok
	}
	for _, names := range [][]string{{"a", "a"}, {"a", "b", "a"}, {"a", "b", "b"}, {"", ""}} {
		for range 2 {
			if add(names...) {
				t.Errorf("%q is accepted", names)
			}
			if !errors.Is(b.Err(), records.ErrRepeated) {
				t.Errorf("%q: %v", names, b.Err())
			}
			if table, err := b.Finish(); table != nil || !errors.Is(err, records.ErrRepeated) || b.Err() != nil || b.Len() != 0 {
				t.Errorf("%q: %v, then %v and %d rows", names, err, b.Err(), b.Len())
			}
		}
	}
	add("a", "b")
	if table, err := b.Finish(); err != nil || table.Len() != 1 {
		t.Errorf("after failures: %v", err)
	}
}

func TestCancelAndDiscard(t *testing.T) {
	var b records.Builder
	kept := []row{{"s", "a", []string{"v", "1"}}, {"t", "b", []string{"w", `"x"`}}}
	kept[0].add(t, &b, 0)
	b.Begin("u", "gone")
	b.Field("v")
	b.Buf = records.AppendString(b.Buf, "long text that is gone")
	b.Cancel()
	kept[1].add(t, &b, 0)
	table, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	check(t, table, kept)

	kept[0].add(t, &b, 0)
	b.Begin("s", "a")
	b.Field("v")
	b.Buf = records.AppendNull(b.Buf)
	b.Field("v")
	b.Discard()
	if b.Len() != 0 || b.Err() != nil {
		t.Errorf("%d rows and %v after Discard", b.Len(), b.Err())
	}
	check(t, build(t, &b, 0, kept), kept)
}

// TestTablesStand: a table stays as it is while its builder goes on, and only
// Recycle ends that.
func TestTablesStand(t *testing.T) {
	var b records.Builder
	var made []*records.Table
	for _, test := range tables {
		made = append(made, build(t, &b, 0, test.rows))
	}
	for i, test := range tables {
		check(t, made[i], test.rows)
	}
	b.Recycle(made[3])
	if made[3].Len() != 0 {
		t.Error("a recycled table has rows")
	}
	check(t, build(t, &b, 0, tables[6].rows), tables[6].rows)
}

// TestManyLayouts: a page that never repeats a layout is held, and then
// forgotten.
func TestManyLayouts(t *testing.T) {
	var b records.Builder
	const n = 70_000
	var m0, m1 runtime.MemStats
	for round := range 3 {
		for i := range n {
			b.Begin("s", "a")
			b.FieldBytes(fmt.Appendf(nil, "f%d-%d", round, i))
			b.Buf = records.AppendNull(b.Buf)
			b.End()
		}
		table, err := b.Finish()
		if err != nil || table.Len() != n || len(table.Repeats()) != n-1 || len(table.Classes()) != n {
			t.Fatalf("%v", err)
		}
		runtime.GC()
		if round == 0 {
			runtime.ReadMemStats(&m0)
		}
	}
	runtime.ReadMemStats(&m1)
	if grown := int64(m1.HeapAlloc) - int64(m0.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	runtime.KeepAlive(&b)
}

// TestTableMemory: 24 bytes a row beyond its bytes, and no allocation for a row
// once the builder knows the layout.
func TestTableMemory(t *testing.T) {
	const n = 100_000
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("row-%06d", i)
	}
	var b records.Builder
	fill := func() *records.Table {
		for _, id := range ids {
			b.Begin("s", id)
			b.Field("v")
			b.Buf = records.AppendInt(b.Buf, 1)
			b.End()
		}
		table, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	fill()
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	table := fill()
	runtime.GC()
	runtime.ReadMemStats(&m1)
	// A builder makes a sixteenth more room than the last table took, and the
	// allocator rounds up.
	want := int64(table.Size()+24*n) * 9 / 8
	if got := int64(m1.HeapAlloc) - int64(m0.HeapAlloc); got > want {
		t.Errorf("a table of %d bytes in %d rows takes %d, want at most %d", table.Size(), n, got, want)
	}
	if allocs := m1.Mallocs - m0.Mallocs; allocs > 100 {
		t.Errorf("%d allocations for %d rows", allocs, n)
	}
	b.Recycle(table)
	table = fill()
	again := testing.AllocsPerRun(3, func() {
		b.Recycle(table)
		table = fill()
	})
	if again > 8 {
		t.Errorf("%v allocations to build a table in recycled memory", again)
	}
}

func TestIndex(t *testing.T) {
	var x records.Index
	find := func(k uint64) (rows []int) {
		for row, at := x.First(k); row >= 0; row, at = x.Next(k, at) {
			rows = append(rows, row)
		}
		return rows
	}
	if found := find(7); found != nil {
		t.Errorf("the zero Index finds %v", found)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 1000, 3} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(rng.IntN(n/2+1)) << 16 // many meet
			if i%3 == 0 {
				keys[i] = rng.Uint64()
			}
		}
		for _, include := range []func(int) bool{nil, func(row int) bool { return row%2 == 1 }} {
			x.Reset(n)
			for row, k := range keys {
				if include == nil || include(row) {
					x.Add(k, row)
				}
			}
			for k := range keys {
				var want, got []int
				for row := range keys {
					if keys[row] == keys[k] && (include == nil || include(row)) {
						want = append(want, row)
					}
				}
				for _, row := range find(keys[k]) {
					if keys[row] == keys[k] {
						got = append(got, row)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d keys: key %d is found in %v, want %v", n, k, got, want)
				}
			}
		}
	}
	var b records.Builder
	for i := range 900 {
		b.Begin("s", fmt.Sprint(i))
		b.End()
	}
	table, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(5, func() { x.Build(table) }); allocs > 1 {
		t.Errorf("%v allocations to build again", allocs)
	}
}

// TestValuesAlias: views do not copy.
func TestValuesAlias(t *testing.T) {
	var b records.Builder
	table := build(t, &b, 0, []row{{"s", "a", []string{"v", `["x",{"y":"z"}]`, "w", "12.50"}}})
	v := table.Field(0, "v")
	if allocs := testing.AllocsPerRun(10, func() {
		for e := range v.Elements() {
			for _, m := range e.Members() {
				_ = m.Text()
			}
		}
		_ = table.Field(0, "w").Literal()
	}); allocs != 0 {
		t.Errorf("%v allocations to walk a value", allocs)
	}
	if !bytes.Contains(table.Row(0), v.Raw()) {
		t.Error("the value is not the row's")
	}
}
