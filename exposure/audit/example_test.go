package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pagestate/pagestate/exposure/audit"
)

// A log keeps every entry that it has acknowledged.
func ExampleOpenLog() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.ndjson")

	log, _, err := audit.OpenLog(path, nil)
	if err != nil {
		panic(err)
	}
	if err := log.Append(&audit.Entry{Time: time.Unix(0, 0), Who: "ann", Action: "order"}); err != nil {
		panic(err)
	}
	if err := log.Close(); err != nil {
		panic(err)
	}

	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for e, err := range audit.Read(f) {
		fmt.Println(e.Who, e.Action, err)
	}
	// Output:
	// ann order <nil>
}

// A ring answers what was done lately.
func ExampleRing() {
	ring := audit.NewRing(2)
	for _, action := range []string{"open", "edit", "save"} {
		if err := ring.Append(&audit.Entry{Action: action}); err != nil {
			panic(err)
		}
	}
	for e := range ring.Recent() {
		fmt.Println(e.Action)
	}
	// Output:
	// save
	// edit
}
