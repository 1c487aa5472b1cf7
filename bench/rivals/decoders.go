package rivals

import (
	"encoding/json"
	"fmt"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"

	"github.com/pagestate/pagestate/bench"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// A Document is a capture of page "orders" as a Go struct.
type Document struct {
	Format  string `json:"format"`
	Records []struct {
		ID     string      `json:"id"`
		Scope  string      `json:"scope"`
		Fields bench.Order `json:"fields"`
	} `json:"records"`
}

// check reports whether d holds list.
func (d *Document) check(list []bench.Order) error {
	if len(d.Records) != len(list) {
		return fmt.Errorf("%d records, want %d", len(d.Records), len(list))
	}
	for i := range list {
		r := d.Records[i]
		if r.Fields.ID = r.ID; r.Scope != "orders" || r.Fields != list[i] {
			return fmt.Errorf("record %d: %+v, want %+v", i, r, list[i])
		}
	}
	return nil
}

// A Decoder is something that reads a capture of page "orders".
type Decoder struct {
	Name string
	// Strict says that it refuses what is no JSON and members repeated in one
	// object.
	Strict bool
	// Setup returns a function that reads a capture and one, not to be measured,
	// that says whether it got list.
	Setup func() (read func(data []byte) error, check func(list []bench.Order) error)
}

// Decoders are ours and the rivals, the latter into structs and into any.
var Decoders = []Decoder{
	{"ours", true, func() (func([]byte) error, func([]bench.Order) error) {
		var d capture.Decoder
		n := 0
		return func(data []byte) error {
				s, err := d.Decode(data, nil)
				if err == nil {
					n = s.Len()
				}
				return err
			}, func(list []bench.Order) error {
				if n != len(list) { // its content is what TestWorkloads of package bench checks
					return fmt.Errorf("%d records, want %d", n, len(list))
				}
				return nil
			}
	}},
	{"encoding/json to structs", false, toStructs(json.Unmarshal)},
	{"goccy/go-json v0.12.0 to structs", false, toStructs(gojson.Unmarshal)},
	{"bytedance/sonic v1.15.5 to structs", false, toStructs(sonic.Unmarshal)},
	{"encoding/json to any", false, toAny(json.Unmarshal)},
	{"goccy/go-json v0.12.0 to any", false, toAny(gojson.Unmarshal)},
	{"bytedance/sonic v1.15.5 to any", false, toAny(sonic.Unmarshal)},
}

func toStructs(unmarshal func([]byte, any) error) func() (func([]byte) error, func([]bench.Order) error) {
	return func() (func([]byte) error, func([]bench.Order) error) {
		var d Document
		return func(data []byte) error {
			d = Document{}
			return unmarshal(data, &d)
		}, func(list []bench.Order) error { return d.check(list) }
	}
}

func toAny(unmarshal func([]byte, any) error) func() (func([]byte) error, func([]bench.Order) error) {
	return func() (func([]byte) error, func([]bench.Order) error) {
		var v any
		return func(data []byte) error {
				v = nil
				return unmarshal(data, &v)
			}, func(list []bench.Order) error {
				text, err := json.Marshal(v)
				if err != nil {
					return err
				}
				var d Document
				if err := json.Unmarshal(text, &d); err != nil {
					return err
				}
				return d.check(list)
			}
	}
}
