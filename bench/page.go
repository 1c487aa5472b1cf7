package bench

import (
	"fmt"

	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// mostScopes is how many scopes page "scopes" has at most.
const mostScopes = 1000

// scopes returns the scopes of the page.
func (w *Workload) scopes() []string {
	if w.Page != "scopes" {
		return []string{"orders"}
	}
	list := make([]string, max(1, min(mostScopes, w.N/10)))
	for i := range list {
		list[i] = fmt.Sprintf("region-%03d", i)
	}
	return list
}

// scopeOf returns the number of the scope of an order.
func scopeOf(o *Order, scopes int) int {
	n := 0
	for _, c := range []byte(o.ID[len("ord-"):]) {
		n = n*10 + int(c-'0')
	}
	return n % scopes
}

// A Source makes snapshots of a workload's pages from Go values, in memory that
// it reuses. It must not be used by two goroutines at once.
type Source struct {
	w      *Workload
	scopes []string
	b      snapshot.Builder
	fields []*snapshot.Fields // of page "orders" and the like, by scope
	nested map[*Order][]byte  // JSON of page "nested"
}

// NewSource returns a source for w.
func (w *Workload) NewSource() *Source {
	s := &Source{w: w, scopes: w.scopes()}
	for _, scope := range s.scopes {
		f, err := s.b.Fields(scope, "title", "status", "amount", "customer", "updatedAt", "done", "note")
		if err != nil {
			panic(err) // the names are ours
		}
		s.fields = append(s.fields, f)
	}
	if w.Page == "nested" {
		s.nested = map[*Order][]byte{}
		for _, list := range [][]Order{w.Before, w.After} {
			for i := range list {
				s.nested[&list[i]] = appendNested(nil, &list[i])
			}
		}
	}
	return s
}

// Build returns the snapshot of a page, which is one of w's.
func (s *Source) Build(list []Order) *snapshot.Snapshot {
	b := &s.b
	for _, id := range s.scopes {
		b.Scope(snapshot.Scope{ID: id})
	}
	switch s.w.Page {
	case "short":
		for i := range list {
			o := &list[i]
			r := b.Record("orders", o.ID)
			r.String("status", o.Status)
			r.Bool("done", o.Done)
			r.End()
		}
	case "nested":
		for i := range list {
			o := &list[i]
			r := b.Record("orders", o.ID)
			r.String("title", o.Title)
			r.JSON("detail", s.nested[o])
			r.End()
		}
	default:
		for i := range list {
			o := &list[i]
			f := s.fields[0]
			if len(s.scopes) > 1 {
				f = s.fields[scopeOf(o, len(s.scopes))]
			}
			r := b.RecordOf(f, o.ID)
			r.String(o.Title)
			r.String(o.Status)
			r.Int(o.Amount)
			r.String(o.Customer)
			r.String(o.UpdatedAt)
			r.Bool(o.Done)
			r.String(o.Note)
			r.End()
		}
	}
	snap, err := b.Snapshot()
	if err != nil {
		panic(err) // the values are ours
	}
	return snap
}

// Follow makes the next snapshot share the memory of what it has in common with
// earlier, which Build returned.
func (s *Source) Follow(earlier *snapshot.Snapshot) { s.b.Follow(earlier) }

// Recycle takes back the memory of a snapshot that Build returned and that nobody
// uses any more.
func (s *Source) Recycle(snap *snapshot.Snapshot) { s.b.Recycle(snap) }

// appendNested appends the nested value of page "nested" as JSON.
func appendNested(dst []byte, o *Order) []byte {
	return fmt.Appendf(dst, `{"status":%q,"sum":{"amount":%d,"currency":"EUR"},"lines":[{"sku":"a-%d","tags":["new",null]},{"sku":"b-%d","tags":[]}],`+
		`"customer":{"name":%q,"done":%t},"updatedAt":%q,"note":%q}`,
		o.Status, o.Amount, o.Amount%97, o.Amount%89, o.Customer, o.Done, o.UpdatedAt, o.Note)
}

// ChangedField returns the name of the field that a change updates.
func (w *Workload) ChangedField() string {
	if w.Page == "nested" {
		return "detail"
	}
	return "status"
}

// Captures returns both pages as JSON captures.
func (w *Workload) Captures() (before, after []byte) {
	s := w.NewSource()
	return capture.Append(nil, s.Build(w.Before)), capture.Append(nil, s.Build(w.After))
}

// Maps returns both pages as decoded JSON has them, one map a record.
func (w *Workload) Maps() (before, after []map[string]any) {
	return w.maps(w.Before), w.maps(w.After)
}

func (w *Workload) maps(list []Order) []map[string]any {
	scopes := w.scopes()
	out := make([]map[string]any, len(list))
	for i := range list {
		o := &list[i]
		switch w.Page {
		case "short":
			out[i] = map[string]any{"id": o.ID, "status": o.Status, "done": o.Done}
		case "nested":
			out[i] = map[string]any{"id": o.ID, "title": o.Title, "detail": map[string]any{
				"status": o.Status, "sum": map[string]any{"amount": o.Amount, "currency": "EUR"},
				"lines": []any{
					map[string]any{"sku": fmt.Sprintf("a-%d", o.Amount%97), "tags": []any{"new", nil}},
					map[string]any{"sku": fmt.Sprintf("b-%d", o.Amount%89), "tags": []any{}},
				},
				"customer":  map[string]any{"name": o.Customer, "done": o.Done},
				"updatedAt": o.UpdatedAt, "note": o.Note,
			}}
		default:
			out[i] = map[string]any{"id": o.ID, "title": o.Title, "status": o.Status, "amount": o.Amount,
				"customer": o.Customer, "updatedAt": o.UpdatedAt, "done": o.Done, "note": o.Note}
			if len(scopes) > 1 {
				out[i]["scope"] = scopes[scopeOf(o, len(scopes))]
			}
		}
	}
	return out
}
