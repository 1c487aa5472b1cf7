package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// An Order is one record of the workloads, with fields of the kinds that tables
// on pages have.
type Order struct {
	ID        string `json:"id"`
	Title     string `json:"title"`    // about 30 bytes
	Status    string `json:"status"`   // never Cancelled unless it was changed
	Amount    int64  `json:"amount"`   // up to 6 digits
	Customer  string `json:"customer"` // about 20 bytes
	UpdatedAt string `json:"updatedAt"`
	Done      bool   `json:"done"`
	Note      string `json:"note"` // 0 to 60 bytes; 2,000 in page "long"
}

// Cancelled is the status of every record that a change updates.
const Cancelled = "cancelled"

// Pages are the kinds of page: orders of eight fields; short and long fields;
// orders in up to a thousand scopes that take turns; and orders with most of
// their fields nested in one value.
var Pages = []string{"orders", "short", "long", "scopes", "nested"}

// Changes are the kinds of change: nothing; one field; one field of every
// hundredth record; 10 records inserted at the head, 10 removed in the middle,
// and one field of every hundredth; reversed; shuffled; one field of all.
var Changes = []string{"none", "one", "1pct", "mixed", "reverse", "shuffle", "all"}

// A Workload is a page before and after a change. It must not be changed.
//
// The two sides share no memory, as two readings of a page do not.
type Workload struct {
	Page, Change  string
	N             int
	Before, After []Order
}

// Make returns the workload of these names. Its cost is linear in n.
func Make(page string, n int, change string) (*Workload, error) {
	switch {
	case !slices.Contains(Pages, page):
		return nil, fmt.Errorf("unknown page %q", page)
	case !slices.Contains(Changes, change):
		return nil, fmt.Errorf("unknown change %q", change)
	case n < 1 || n > 1_000_000:
		return nil, fmt.Errorf("%d records, want 1 to 1,000,000", n)
	}
	return &Workload{page, change, n, makeOrders(page, 0, n), changeOrders(makeOrders(page, 0, n), page, change)}, nil
}

// Name returns the workload's name, "page=orders/n=1000/change=1pct".
func (w *Workload) Name() string {
	return fmt.Sprintf("page=%s/n=%d/change=%s", w.Page, w.N, w.Change)
}

// remark is what notes are cut from.
const remark = "leave the parcel at the back door, please, and ring the bell"

// makeOrders returns the orders of numbers first to first+n-1.
func makeOrders(page string, first, n int) []Order {
	list := make([]Order, n)
	for k := range list {
		i := first + k
		note := strings.Clone(remark[:i*7%(len(remark)+1)])
		if page == "long" {
			note = fmt.Sprintf("%06d ", i) + strings.Repeat(remark, 34)[:1993]
		}
		list[k] = Order{
			ID: fmt.Sprintf("ord-%06d", i), Title: fmt.Sprintf("Order %d for the usual goods", i),
			Status: strings.Clone([]string{"open", "paid", "shipped"}[i%3]), Amount: int64(i*137%100_000) + 1,
			Customer:  fmt.Sprintf("Customer number %d", i*7919%1000),
			UpdatedAt: fmt.Sprintf("2031-05-%02dT10:%02d:00Z", i%28+1, i%60), Done: i%2 == 0, Note: note,
		}
	}
	return list
}

// changeOrders changes list, which it owns.
func changeOrders(list []Order, page, change string) []Order {
	n := len(list)
	switch change {
	case "one":
		list[n/2].Status = Cancelled
	case "1pct":
		cancel(list, 100)
	case "mixed":
		cancel(list, 100)
		k := min(10, n/10)
		list = slices.Delete(list, n/2, n/2+k)
		list = append(makeOrders(page, n, k), list...)
	case "reverse":
		slices.Reverse(list)
	case "shuffle":
		r := rand.New(rand.NewPCG(uint64(n), 1))
		r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	case "all":
		cancel(list, 1)
	}
	return list
}

// cancel updates one record of every so many.
func cancel(list []Order, every int) {
	for i := 0; i < len(list); i += every {
		list[i].Status = Cancelled
	}
}
