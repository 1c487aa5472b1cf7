package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestManyAttributes reads an element with very many attributes, which must not take the
// square of the time that one takes.
func TestManyAttributes(t *testing.T) {
	for _, name := range []string{"data-agent-x", "aria-x"} {
		var attrs strings.Builder
		for i := range 40_000 {
			fmt.Fprintf(&attrs, " %s%d=%d", name, i, i)
		}
		p := openPage(t, serve(t, map[string]string{"/": `<ul data-agent-scope="s"><li data-agent-record="r"><b` + attrs.String() + ` data-agent-field="n">x</b></li></ul>`}), nil)
		began := time.Now()
		s := read(t, p)
		if took := time.Since(began); s.Len() != 1 || s.Record(0).Field("n").String() != `"x"` || took > 4*time.Second {
			t.Errorf("%s: %d records after %v", name, s.Len(), took)
		}
	}
}
