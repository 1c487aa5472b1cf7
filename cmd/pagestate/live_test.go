package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// livePageText is a page behind a login, which adds a row when its action runs.
const livePageText = `<!doctype html><meta charset="utf-8"><title>Jars</title>
<ul data-agent-scope="jars"><li data-agent-record="j1"><b data-agent-field="n">one</b></li></ul>
<button data-agent-action="add" data-agent-description="Add a jar" data-agent-kind="write" onclick="add()">Add</button>
<button data-agent-action="off" data-agent-description="Nothing" disabled>Off</button>
<script>
function add(){ const li=document.createElement('li'); li.setAttribute('data-agent-record','j'+(document.querySelectorAll('li').length+1));
 const b=document.createElement('b'); b.setAttribute('data-agent-field','n'); b.textContent='more'; li.append(b); document.querySelector('ul').append(li); }
if (location.search === '?grow') setInterval(add, 300);
addEventListener('devtoolstooldiscovery', (e) => e.respondWith({ name: 'jars', description: 'Jars', tools: [
 { name: 'stock', description: 'The stock', inputSchema: { type: 'object', properties: {} }, execute: () => [{ id: 's1', n: 4 }] }] }));
</script>`

func liveServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if c, err := r.Cookie("session"); r.URL.Path == "/private" && (err != nil || c.Value != "s3" || r.Header.Get("X-Key") != "k") {
			w.Write([]byte(`<!doctype html><title>Log in</title><p data-agent-scope="login"></p>`))
			return
		}
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/download":
			w.Header().Set("Content-Disposition", "attachment")
		}
		w.Write([]byte(livePageText))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestLiveCommands(t *testing.T) {
	base, ws := liveServer(t), runningBrowser(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	kept := filepath.Join(t.TempDir(), "kept")
	saved := filepath.Join(t.TempDir(), "jars.json")
	page := filepath.Join(t.TempDir(), "jars.html")
	if err := os.WriteFile(page, []byte(livePageText), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		stdout string // is in it
		stderr string
	}{
		{[]string{"capture", base + "/", "-o", saved}, 0, "", ""},
		{[]string{"diff", base + "/", saved}, 0, "unchanged", ""},
		{[]string{"show", "--wait=load", "--profile=" + kept, base + "/"}, 0, "scope jars", ""},
		{[]string{"diff", "--format=json", "--compact", saved, base + "/?other"}, 1, `"page":{"url":{"from":"` + base + `/","to":"` + base + `/?other"}`, ""},
		{[]string{"show", "--wait=li", "file://" + page}, 0, `| j1 | "one"`, ""},
		{[]string{"show", "--wait=load", base + "/private"}, 0, "scope login", ""},
		{[]string{"show", "--wait=load", "--cookie=session=s3", "--header=X-Key: k", base + "/private"}, 0, "scope jars", ""},
		{[]string{"show", "--probe=stock@id=stock", base + "/"}, 0, `| s1 | 4`, ""},
		{[]string{"call", base + "/", "add", "--compact", "--quiet=50ms"}, 0,
			`{"ok":true,"action":{"id":"add","description":"Add a jar"},"changed":{"observed":true,"records":{"added":[{"id":"j2"}],"total":{"from":1,"to":2}}}}`, ""},
		{[]string{"call", base + "/", "stock", "--quiet=50ms"}, 0, `"data":[{"id":"s1","n":4}]`, ""},
		{[]string{"call", base + "/", "off", "--quiet=50ms"}, 1, `"code":"ACTION_UNAVAILABLE","reason":"disabled"`, ""},
		{[]string{"watch", base + "/?grow", "--lines=2", "--compact", "--wait=load"}, 0, `"records":{"added":[{"id":"j`, ""},
		{[]string{"lint", "--wait=load", base + "/"}, 1, "no-label jars", ""},
		{[]string{"diff", base + "/"}, 2, "", "diff: no baseline: want BEFORE and AFTER"}, // C57
		{[]string{"call", page, "add"}, 2, "", "call: want a page's address"},
		{[]string{"show", "--wait=load", page}, 2, "", "--wait changes nothing with inputs that are no pages in a browser"},
		{[]string{"show", closed.URL}, 2, "", "ERR_CONNECTION_REFUSED"},
		{[]string{"show", "--wait=#never", "--timeout=3s", base + "/"}, 2, "", "nothing matches"},
		{[]string{"show", "--wait=load", base + "/missing"}, 0, "diagnostic http-status at " + base + `/missing about "the server answered 404"`, ""},
		{[]string{"show", base + "/download"}, 2, "", "there is no document: it is a download"},
		{[]string{"show", "--wait=#never", "--timeout=2s", base + "/"}, 2, "", `not open after 2s: nothing matches "#never"` + "\n"},
		{[]string{"show", "--wait=li[", base + "/"}, 2, "", `"li[" is no selector`},
		{[]string{"show", "--header=No name: x", base + "/"}, 2, "", "--header wants NAME: VALUE"},
		{[]string{"show", "--cookie=a=b;c", base + "/"}, 2, "", `cookie "a": the browser does not take it`},
		{[]string{"show", "--profile=" + page, base + "/"}, 2, "", "profile " + page + ": not a directory"},
		{[]string{"show", "--chrome=/no/such/browser", base + "/"}, 2, "", "no Chromium or Chrome found"},
		{[]string{"show", "--cookie=x", base + "/"}, 2, "", "--cookie wants NAME=VALUE"},
	} {
		args := tt.args
		if i := slices.IndexFunc(args, isLive); i >= 0 && !slices.Contains(args, "--profile="+kept) && !strings.HasPrefix(args[1], "--chrome") && !strings.HasPrefix(args[1], "--profile") {
			args = append(args, "--ws="+ws) // which takes less time than starting one
		}
		r := runHere(t, "", args...)
		if r.status != tt.status || !strings.Contains(r.stdout, tt.stdout) || !strings.Contains(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" {
			t.Errorf("%v: exit status %d, stdout %q, stderr %q", tt.args, r.status, r.stdout, r.stderr)
		}
		if tt.status == exitTrouble {
			checkTrouble(t, r)
		}
	}
	for _, ws := range []struct{ address, stderr string }{
		{"nowhere", "--ws wants ws://… or http://host:port"},
		{closed.URL, "attach to the browser: "},
		{base, "attach to the browser: "}, // a server that is no browser
	} {
		if r := runHere(t, "", "show", "--ws="+ws.address, base+"/"); r.status != exitTrouble || !strings.Contains(r.stderr, ws.stderr) {
			t.Errorf("--ws=%s: exit status %d, stderr %q", ws.address, r.status, r.stderr)
		}
	}
}

// runningBrowser starts a browser to attach to and returns its address.
func runningBrowser(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if path, err = exec.LookPath("google-chrome"); err != nil {
			t.Fatal("a browser is needed:", err)
		}
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--user-data-dir="+t.TempDir(), "about:blank")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, ws, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
			go io.Copy(io.Discard, stderr)
			return ws
		}
	}
	t.Fatal("the browser did not say where it listens")
	return ""
}

// TestBrowserDemo prints what the demo in this process prints, byte for byte.
func TestBrowserDemo(t *testing.T) {
	for _, args := range [][]string{{"demo", "--json", "--detail", "basic"}, {"demo", "--json"}} {
		here, there := runHere(t, "", args...), runHere(t, "", append(args, "--browser")...)
		if here.status != 0 || here != there {
			t.Errorf("%v\nhere    %d %s\nbrowser %d %s %s", args, here.status, here.stdout, there.status, there.stdout, there.stderr)
		}
	}
}

// TestInterruptLive presses Ctrl-C or closes the terminal while a page is open: neither a
// browser nor its profile stays.
func TestInterruptLive(t *testing.T) {
	base := liveServer(t)
	for when, signal := range map[string]os.Signal{"while it starts": os.Interrupt, "while it watches": os.Interrupt, "when the terminal is closed": syscall.SIGHUP} {
		dir := t.TempDir()
		cmd := command(t, "watch", base+"/?grow")
		cmd.Env = append(cmd.Env, "TMPDIR="+dir)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			<-ctx.Done()
			cmd.Process.Kill()
		}()
		if when == "while it starts" {
			time.Sleep(300 * time.Millisecond)
		} else if line, err := bufio.NewReader(stdout).ReadString('\n'); !strings.Contains(line, `"added"`) {
			t.Errorf("it printed %q, %v", line, err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = cmd.Wait()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: it took %v to end", when, took)
		}
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v %v", when, left, err)
		}
		if n := browsersUsing(dir); n > 0 {
			t.Errorf("%s: %d processes of a browser are left", when, n)
		}
	}
}

// browsersUsing counts the processes that were started with a profile in dir.
func browsersUsing(dir string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), "--user-data-dir="+dir) {
			n++
		}
	}
	return n
}
