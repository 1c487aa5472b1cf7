package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/call"
)

// TestTransformedFrames clicks in frames that are scaled, rotated and zoomed: the click is
// the element's own. Where a frame is turned in space it is nobody's.
func TestTransformedFrames(t *testing.T) {
	const inner = `<!doctype html><title>Inner</title><style>body{margin:0} button{position:absolute;width:24px;height:14px;padding:0}</style>
<div data-agent-scope="s"><p data-agent-record="r"><b data-agent-field="clicked"></b></p></div><script>
for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) document.write('<button data-agent-action="b' + y + x + '" data-agent-description="b" style="left:' + x * 26 + 'px;top:' + (40 + y * 16) +
	'px" onclick="document.querySelector(\'b\').textContent += \'' + y + x + ';\'"></button>');
</script>%s`
	const nested = `<!doctype html><title>Nested</title><body style="margin:3px"><iframe src="%s" style="width:230px;height:190px;scale:.8;border:2px solid"></iframe>`
	var ip, name string
	ip, name = serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch r.URL.Path {
		case "/inner":
			fmt.Fprintf(w, inner, "")
		case "/nested":
			fmt.Fprintf(w, nested, q.Get("src"))
		default:
			fmt.Fprintf(w, `<!doctype html><title>Outer</title><style>%s</style><body><div id="o"><div><iframe src="%s" style="width:240px;height:200px;border:5px solid;padding:7px 9px"></iframe></div></div>`, q.Get("css"), q.Get("src"))
		}
	})
	for _, tt := range []struct{ name, css, want string }{
		{"plain", ``, ""},
		{"scaled", `iframe{transform:scale(.6)}`, ""},
		{"stretched", `iframe{scale:1.5 .7;transform-origin:0 0}`, ""},
		{"rotated", `iframe{transform:rotate(30deg);margin:60px}`, ""},
		{"turned round", `iframe{rotate:180deg}`, ""},
		{"mirrored", `iframe{transform:scaleX(-1)}`, ""},
		{"skewed", `iframe{transform:skewX(20deg) translate(30px,10px);margin:0 90px}`, ""},
		{"around it", `#o{transform:rotate(-20deg) scale(.9);margin:50px} iframe{scale:1.2 .8;rotate:10deg}`, ""},
		{"zoomed", `iframe{zoom:1.4}`, ""},
		{"zoomed around it", `#o{zoom:.7} iframe{transform:rotate(15deg);margin:40px}`, ""},
		{"zoomed page", `html{zoom:1.3} iframe{scale:.8}`, ""},
		{"moved", `iframe{translate:20px 10px;transform:translateX(5px)}`, ""},
		{"along a path", `iframe{offset-path:path("M 200 200 L 400 300")}`, "?"},
		{"in space", `#o{perspective:300px} iframe{transform:rotateY(40deg);margin:30px}`, "its frame is transformed in a way that cannot be followed"},
	} {
		sources := []string{"/inner", name + "/inner"}
		if tt.name == "rotated" || strings.HasSuffix(tt.name, "around it") {
			sources = append(sources, "/nested?src=/inner", "/nested?src="+name+"/inner", name+"/nested?src=/inner")
		}
		for _, src := range sources {
			p := openPage(t, ip+"/?css="+strings.NewReplacer("%", "%25", "#", "%23", " ", "%20", ";", "%3B", "\"", "%22").Replace(tt.css)+"&src="+strings.ReplaceAll(src, "?", "%3F"), &PageOptions{Quiet: 20 * time.Millisecond})
			if err := p.WaitLoaded(t.Context()); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(5 * time.Second); read(t, p).Find("s", "r") < 0 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			}
			for _, action := range []string{"b00", "b52", "b77"} {
				res := call.New(p, &call.Options{}).Call(t.Context(), call.Request{Action: action})
				if res.Err != nil && res.Err.Reason == "the click did not reach it" {
					// The browser had not drawn the frame where it is; it takes it from there.
					res = call.New(p, &call.Options{}).Call(t.Context(), call.Request{Action: action})
				}
				clicked := fields(t, read(t, p), "s", "r")[0]
				switch ok := strings.HasSuffix(clicked, action[1:]+`;"`); {
				case tt.want == "?":
					if ok != res.OK {
						t.Errorf("%s %s %s: %s %s", tt.name, src, action, clicked, res.AppendJSON(nil))
					}
				case tt.want == "" && !ok, tt.want != "" && !strings.Contains(string(res.AppendJSON(nil)), tt.want), tt.want != "" && clicked != `clicked=""`:
					t.Errorf("%s %s %s: %s %s", tt.name, src, action, clicked, res.AppendJSON(nil))
				}
			}
		}
	}
}
