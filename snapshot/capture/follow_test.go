package capture_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pagestate/pagestate/internal/pagetest"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// TestDecodeNext checks that reading a capture against the one before gives what
// reading it alone gives, over sessions in which one page is edited again and
// again and written in the same way or in others.
func TestDecodeNext(t *testing.T) {
	for seed := range 300 {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		page := pagetest.Generate(rng, rng.IntN(60))
		var d capture.Decoder
		for step := range 6 {
			text := page.JSON()
			if rng.IntN(4) == 0 {
				text = pagetest.Respell(text, rng)
			}
			got, err := d.DecodeNext(text, nil)
			if err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			want, err := capture.Decode(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := sameSnapshot(got, want); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			page = pagetest.Mutate(rng, page, 1+rng.IntN(3))
		}
	}
}

func sameSnapshot(got, want *snapshot.Snapshot) error {
	if g, w := capture.Append(nil, got), capture.Append(nil, want); !bytes.Equal(g, w) {
		return fmt.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if got.Digest() != want.Digest() {
		return fmt.Errorf("digests differ")
	}
	if g, w := fmt.Sprint(got.Diagnostics()), fmt.Sprint(want.Diagnostics()); g != w {
		return fmt.Errorf("diagnostics %s, want %s", g, w)
	}
	for i := range want.Len() {
		if got.Table().Sum(i) != want.Table().Sum(i) || got.Table().Key(i) != want.Table().Key(i) {
			return fmt.Errorf("record %d has another digest", i)
		}
	}
	return nil
}

// TestDecodeNextFaults: what stands before and after text that is taken over is
// read as strictly as ever.
func TestDecodeNextFaults(t *testing.T) {
	const records = `{"id":"a","fields":{"v":1}},{"id":"b","fields":{"v":2}}`
	for _, c := range []struct{ name, before, after, want string }{
		{"cut in a record", `{"records":[` + records + `]}`, `{"records":[{"id":"a","fields":{"v":1}},{"id":"b","fields":{"v":2`, "offset 65"},
		{"no comma", `{"records":[` + records + `]}`, `{"records":[{"id":"a","fields":{"v":1}}{"id":"b","fields":{"v":2}}]}`, "offset 39"},
		{"trailing comma", `{"records":[` + records + `]}`, `{"records":[` + records + `,]}`, "offset 68"},
		{"a fault past it", `{"records":[` + records + `]}`, `{"records":[` + records + `,{"id":null}]}`, "/records/2/id"},
		{"nested too deeply", `{"records":[` + records + `,{"id":"c","fields":{"v":[[1]]}}]}`, `{"x":0,"records":[` + records + `,{"id":"c","fields":{"v":[[1]]},"fields":{}}]}`, "/records/2/fields"},
	} {
		var d capture.Decoder
		if _, err := d.DecodeNext([]byte(c.before), nil); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err := d.DecodeNext([]byte(c.after), nil)
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		_, alone := capture.Decode([]byte(c.after), nil)
		if alone == nil || err.Error() != alone.Error() {
			t.Errorf("%s: %v, alone %v", c.name, err, alone)
		}
	}
	var d capture.Decoder
	deep := []byte(`{"records":[{"id":"a","fields":{"v":[[[1]]]}}]}`)
	if _, err := d.DecodeNext(deep, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.DecodeNext(deep, &capture.Options{MaxDepth: 5}); err == nil {
		t.Error("text read with another limit is taken over")
	}
}
