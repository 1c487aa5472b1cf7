package records_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/pagestate/pagestate/records"
)

// mutate changes rows in one of the ways that pages do.
func mutate(rng *rand.Rand, rows []row, fresh *int) []row {
	rows = slices.Clone(rows)
	at := func() int { return rng.IntN(len(rows) + 1) }
	make := func() row {
		*fresh++
		r := row{"s", fmt.Sprintf("n%d", *fresh), []string{"v", fmt.Sprint(rng.IntN(9))}}
		switch rng.IntN(12) {
		case 0:
			r.id = ""
		case 1:
			r.id = "again"
		case 2:
			r.scope = "t"
		case 3:
			r.fields = append(r.fields, "w", `"x"`)
		}
		return r
	}
	switch kind := rng.IntN(8); {
	case kind == 0: // nothing
	case kind == 1:
		for range 1 + rng.IntN(100) {
			rows = slices.Insert(rows, at(), make())
		}
	case kind == 2:
		head := at()
		for range 1 + rng.IntN(100) {
			rows = slices.Insert(rows, head, make())
		}
	case len(rows) == 0:
	case kind == 3:
		from := rng.IntN(len(rows))
		rows = slices.Delete(rows, from, min(len(rows), from+1+rng.IntN(120)))
	case kind == 4:
		slices.Reverse(rows[rng.IntN(len(rows)):])
	case kind == 5:
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	case kind == 6:
		cut := rng.IntN(len(rows)) // what is below goes up
		rows = slices.Concat(rows[cut:], rows[:cut])
	default:
		for range 1 + rng.IntN(4) {
			i := rng.IntN(len(rows))
			rows[i].fields = append(slices.Clone(rows[i].fields[:1]), fmt.Sprint(rng.IntN(1000)))
		}
	}
	return rows
}

// TestFollow: tables that share rows are like those that do not, whatever changed
// between them, however long that goes on, and whatever is recycled meanwhile.
func TestFollow(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b, alone records.Builder
		fresh := 0
		var rows []row
		for range 50 + rng.IntN(600) {
			fresh++
			rows = append(rows, row{"s", fmt.Sprintf("r%d", fresh), []string{"v", fmt.Sprint(fresh)}})
		}
		last := build(t, &b, 0, rows)
		type kept struct {
			table *records.Table
			rows  []row
		}
		keep := []kept{{last, rows}}
		for range 30 {
			rows = mutate(rng, rows, &fresh)
			if !b.Follow(last) && last.Len() > 0 {
				t.Fatalf("seed %d: a table of the builder's own is not followed", seed)
			}
			if taken := rng.IntN(last.Len() + 1); rng.IntN(4) == 0 && taken > 0 {
				// As a reader does that knows these rows without reading them.
				old := keep[len(keep)-1].rows
				from := rng.IntN(taken)
				rows = slices.Concat(old[from:taken], rows)
				if !b.Take(from, taken-from) {
					t.Fatalf("seed %d: rows of the followed table are not taken", seed)
				}
				if b.Len() != taken-from || b.LastKey() != last.Key(taken-1) {
					t.Fatalf("seed %d: %d rows, the last one with key %x", seed, b.Len(), b.LastKey())
				}
				for _, r := range rows[taken-from:] {
					r.add(t, &b, 0)
				}
				var err error
				if last, err = b.Finish(); err != nil {
					t.Fatal(err)
				}
			} else {
				last = build(t, &b, rng.IntN(4), rows)
			}
			keep = append(keep, kept{last, rows})
			if rng.IntN(3) == 0 && len(keep) > 2 {
				i := rng.IntN(len(keep) - 1)
				b.Recycle(keep[i].table)
				keep = slices.Delete(keep, i, i+1)
			}
		}
		for _, k := range keep {
			check(t, k.table, k.rows)
			want := build(t, &alone, 0, k.rows)
			for i := range k.rows {
				if want.Sum(i) != k.table.Sum(i) {
					t.Fatalf("seed %d: row %d has another sum", seed, i)
				}
			}
		}
		for i := range keep {
			for j := range keep {
				checkCommon(t, keep[i].table, keep[j].table)
			}
		}
	}
}

// checkCommon checks what two tables say that they share.
func checkCommon(t *testing.T, a, b *records.Table) {
	t.Helper()
	i, j := 0, 0
	for _, c := range a.AppendCommon(nil, b) {
		if c.Row < i || c.Other < j || c.N < 1 || c.Row+c.N > a.Len() || c.Other+c.N > b.Len() {
			t.Fatalf("%+v after rows %d and %d of %d and %d", c, i, j, a.Len(), b.Len())
		}
		for n := range c.N {
			if &a.Row(c.Row + n)[0] != &b.Row(c.Other + n)[0] {
				t.Fatalf("%+v: row %d is not shared", c, n)
			}
		}
		i, j = c.Row+c.N, c.Other+c.N
	}
}

// TestFollowOthers: what another builder made, or this one before it forgot its
// layouts, is not shared.
func TestFollowOthers(t *testing.T) {
	rows := []row{{"s", "a", []string{"v", "1"}}, {"s", "b", []string{"v", "2"}}}
	var b, other records.Builder
	foreign := build(t, &other, 0, rows)
	if b.Follow(foreign) || b.Take(0, 1) {
		t.Error("a table of another builder is followed")
	}
	check(t, build(t, &b, 0, rows), rows)
	own := build(t, &b, 0, rows)
	rows[0].add(t, &b, 0)
	if b.Follow(own) {
		t.Error("followed when there are rows already")
	}
	b.Discard()
	if !b.Follow(own) {
		t.Error("not followed after Discard")
	}
	b.Recycle(own)
	if b.Take(0, 1) {
		t.Error("rows are taken from a table that was recycled")
	}
	check(t, build(t, &b, 0, rows), rows)
}

// TestSessionMemory: tables that are kept take memory for what changes from one to the
// next, not for their length.
func TestSessionMemory(t *testing.T) {
	const n, steps = 10_000, 300
	tests := map[string]struct {
		change func(step int, ids, values []string) (i, j []string)
		most   int // bytes a table
	}{
		"nothing": {func(_ int, ids, values []string) ([]string, []string) { return ids, values }, 1_000},
		"one row": {func(step int, ids, values []string) ([]string, []string) {
			values[step*7919%n] = fmt.Sprintf("%0100d", step)
			return ids, values
		}, 25_000},
		"a row in front and one less at the end": {func(step int, ids, values []string) ([]string, []string) {
			ids = append([]string{fmt.Sprintf("new-%d", step)}, ids[:n-1]...)
			return ids, append([]string{fmt.Sprintf("%0100d", step)}, values[:n-1]...)
		}, 25_000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var b records.Builder
			ids, values := make([]string, n), make([]string, n)
			for i := range ids {
				ids[i], values[i] = fmt.Sprintf("row-%06d", i), fmt.Sprintf("%0100d", i)
			}
			table := func() *records.Table {
				for i, id := range ids {
					b.Begin("s", id)
					b.Field("v")
					b.Buf = records.AppendString(b.Buf, values[i])
					b.End()
				}
				made, err := b.Finish()
				if err != nil {
					t.Fatal(err)
				}
				return made
			}
			kept := []*records.Table{table()}
			b.Follow(kept[0])
			table()
			var m0, m1 runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m0)
			for step := range steps {
				ids, values = test.change(step, ids, values)
				b.Follow(kept[step])
				kept = append(kept, table())
			}
			runtime.GC()
			runtime.ReadMemStats(&m1)
			each := int(m1.HeapAlloc-m0.HeapAlloc) / steps
			t.Logf("%d bytes for each of %d tables of %d bytes", each, steps, kept[0].Size()+24*n)
			if each > test.most {
				t.Errorf("each table takes %d bytes", each)
			}
			runtime.KeepAlive(kept)
			runtime.KeepAlive(&b)
			runtime.KeepAlive(values)
			runtime.KeepAlive(ids)
		})
	}
}
