package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot/capture"
)

const zzRows = `<ul data-agent-scope="rows"><li data-agent-record="a"><b data-agent-field="n">1</b></li></ul>`
const zzAdd = `<script>let zn=0;function add(){const l=document.createElement('li');l.setAttribute('data-agent-record','x'+ ++zn);document.querySelector('ul').append(l)}</script>`

func zzBtn(js string) string {
	return `<!doctype html><meta charset=utf-8><title>T</title>` + zzRows + zzAdd + `<button data-agent-action="go" data-agent-description="Go" onclick="` + js + `">Go</button>`
}

var zzCalls = map[string]string{
	"pushstate":     zzBtn(`history.pushState({},'','/pushed?x#y');add()`),
	"replacestate":  zzBtn(`history.replaceState({},'','/replaced');add()`),
	"hashspam":      zzBtn(`setInterval(()=>location.hash=Math.random(),5)`),
	"docopen":       zzBtn(`document.open();document.write('<ul data-agent-scope=rows><li data-agent-record=z></li></ul><button data-agent-action=go data-agent-description=Go>')`),
	"docopenclose":  zzBtn(`document.open();document.write('<ul data-agent-scope=rows><li data-agent-record=z></li></ul>');document.close()`),
	"formpost":      zzBtn(`const f=document.createElement('form');f.method='post';f.action='/done';document.body.append(f);f.submit()`),
	"redirect303":   zzBtn(`const f=document.createElement('form');f.method='post';f.action='/303';document.body.append(f);f.submit()`),
	"download":      zzBtn(`location='/download'`),
	"downloadattr":  zzBtn(`const a=document.createElement('a');a.href='/done';a.download='x';a.click();add()`),
	"204":           zzBtn(`location='/204'`),
	"print":         zzBtn(`print();add()`),
	"alertloop":     zzBtn(`for(let i=0;i<300;i++)alert(i);add()`),
	"alertforever":  zzBtn(`for(;;)alert(1)`),
	"alertasync":    zzBtn(`setInterval(()=>alert(1),1)`),
	"stop":          zzBtn(`window.stop();add()`),
	"close":         zzBtn(`window.close()`),
	"openself":      zzBtn(`window.open('/done','_self')`),
	"openblank":     zzBtn(`window.open('/done');add()`),
	"openclose":     zzBtn(`const w=window.open('/done');w.close();add()`),
	"selfclose":     zzBtn(`window.open('','_self').close()`),
	"back":          zzBtn(`history.back()`),
	"badurl":        zzBtn(`location='http://localhost:1/'`),
	"aboutblank":    zzBtn(`location='about:blank'`),
	"dataurl":       zzBtn(`location='data:text/html,x'`),
	"javascripturl": zzBtn(`location='javascript:document.body.innerHTML+=1'`),
	"jsurlreplace":  zzBtn(`location='javascript:&quot;<p data-agent-scope=rows><b data-agent-record=j>&quot;'`),
	"chrome":        zzBtn(`location='chrome://version'`),
	"loop":          zzBtn(`location.reload()`) + `<script>if(sessionStorage.n)setTimeout(()=>location.reload(),50);sessionStorage.n=1</script>`,
	"metarefresh":   zzBtn(`document.head.insertAdjacentHTML('beforeend','<meta http-equiv=refresh content=&quot;0;url=/done&quot;>')`),
	"neverload":     zzBtn(`location='/never'`),
	"stream":        zzBtn(`location='/stream'`),
	"mutate":        zzBtn(`setInterval(()=>document.querySelector('b').textContent=Math.random(),10)`),
	"removeself":    zzBtn(`this.remove();add()`),
	"rebuild":       zzBtn(`document.body.innerHTML=document.body.innerHTML`),
	"replaceroot":   zzBtn(`document.documentElement.replaceWith(document.createElement('html'))`),
	"removeroot":    zzBtn(`document.documentElement.remove()`),
	"xhrsync":       zzBtn(`const x=new XMLHttpRequest();x.open('GET','/slow500',false);x.send();add()`),
	"fetchlong":     zzBtn(`fetch('/slow500').then(add)`),
	"fetchchain":    zzBtn(`fetch('/slow100').then(()=>fetch('/slow100')).then(()=>new Promise(r=>setTimeout(r,150))).then(add)`),
	"frameadd":      zzBtn(`const i=document.createElement('iframe');i.src='/slowdone';document.body.append(i)`),
	"beforeunload":  zzBtn(`onbeforeunload=(e)=>{e.preventDefault();return 1};location='/done'`),
	"unloadhang":    zzBtn(`addEventListener('pagehide',()=>{for(const t=Date.now();Date.now()<t+1500;);});location='/done'`),
	"pointerlock":   zzBtn(`document.body.requestPointerLock();add()`),
	"fullscreen":    zzBtn(`document.body.requestFullscreen();add()`),
	"dragcancel":    `<!doctype html>` + zzRows + zzAdd + `<button draggable=true data-agent-action="go" data-agent-description="Go" onmousedown="event.preventDefault()" onclick="add()">Go</button>`,
	"mousedownmove": `<!doctype html>` + zzRows + zzAdd + `<button data-agent-action="go" data-agent-description="Go" onmousedown="this.style.marginLeft='500px'" onclick="add()">Go</button><button style="position:absolute;left:0;z-index:-1;width:300px;height:300px" onclick="zn=100;add()">N</button>`,
	"hovermove":     `<!doctype html>` + zzRows + zzAdd + `<button data-agent-action="go" data-agent-description="Go" onmouseenter="this.style.marginLeft='500px'" onclick="add()">Go</button><button data-agent-action="neighbour" data-agent-description="N" style="position:absolute;left:0;z-index:-1;width:400px;height:300px" onclick="zn=100;add()">N</button>`,
	"spamlayout":    `<!doctype html>` + zzRows + zzAdd + `<style>@keyframes m{from{margin-left:0}to{margin-left:400px}}</style><button style="animation:m .4s infinite alternate linear" data-agent-action="go" data-agent-description="Go" onclick="add()">Go</button>`,
	"disabledclick": `<!doctype html>` + zzRows + zzAdd + `<button data-agent-action="go" data-agent-description="Go" onmousedown="this.disabled=true" onclick="add()">Go</button>`,
}

func TestZZCalls(t *testing.T) {
	stop := make(chan struct{})
	base, _ := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		switch p := strings.Trim(r.URL.Path, "/"); p {
		case "done":
			fmt.Fprint(w, `<ul data-agent-scope="rows"><li data-agent-record="done"></li></ul>`)
		case "slowdone":
			time.Sleep(400 * time.Millisecond)
			fmt.Fprint(w, `<ul data-agent-scope="rows"><li data-agent-record="done"></li></ul>`)
		case "303":
			http.Redirect(w, r, "/done", 303)
		case "204":
			w.WriteHeader(204)
		case "download":
			w.Header().Set("Content-Disposition", "attachment; filename=x")
			fmt.Fprint(w, "x")
		case "slow500":
			time.Sleep(500 * time.Millisecond)
		case "slow100":
			time.Sleep(100 * time.Millisecond)
		case "never":
			<-stop
		case "stream":
			fmt.Fprint(w, `<ul data-agent-scope="rows"><li data-agent-record="part">`+strings.Repeat(" ", 9000))
			w.(http.Flusher).Flush()
			<-stop
		default:
			if text, ok := zzCalls[p]; ok {
				fmt.Fprint(w, text)
			} else {
				fmt.Fprint(w, zzBtn("add()"))
			}
		}
	})
	defer close(stop)
	only := ""
	for name := range zzCalls {
		if only != "" && name != only {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, base+"/first", nil)
			if err := p.Navigate(t.Context(), base+"/"+name); err != nil {
				t.Fatal(err)
			}
			c := call.New(p, &call.Options{Format: compact, Timeout: 3 * time.Second})
			out := ""
			for range 2 {
				began := time.Now()
				res := c.Call(t.Context(), call.Request{Action: "go"})
				out += fmt.Sprintf("\n  %v %s", time.Since(began).Round(10*time.Millisecond), strings.ReplaceAll(string(res.AppendJSON(nil)), base, "$"))
			}
			s, err := p.Snapshot(t.Context())
			if err != nil {
				out += "\n  " + err.Error()
			} else {
				out += "\n  " + strings.ReplaceAll(string(capture.Append(nil, s)), base, "$")
			}
			t.Log(name + out)
		})
	}
}
