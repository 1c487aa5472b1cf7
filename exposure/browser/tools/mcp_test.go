package tools

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/exposure/browser"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/internal/livetest"
)

// A client talks to chrome-devtools-mcp from npm over its standard input and output.
type client struct {
	testing.TB
	in    io.Writer
	lines chan string
	id    int
}

func startClient(t testing.TB, args ...string) *client {
	t.Helper()
	program := livetest.Installed(t, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js")
	cmd := exec.Command("node", append([]string{program, "--usageStatistics=false", "--performanceCrux=false"}, args...)...)
	cmd.Env = append(os.Environ(), "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1", "CI=1")
	in, out := livetest.Talk(t, cmd)
	c := &client{TB: t, in: in, lines: make(chan string, 64)}
	go func() {
		defer close(c.lines)
		s := bufio.NewScanner(out)
		s.Buffer(nil, 16<<20)
		for s.Scan() {
			c.lines <- s.Text()
		}
	}()
	c.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *client) send(m map[string]any) {
	c.Helper()
	text, err := json.Marshal(m)
	if err == nil {
		_, err = c.in.Write(append(text, '\n'))
	}
	if err != nil {
		c.Fatal(err)
	}
}

// request makes a request and returns its result.
func (c *client) request(method string, params any) json.RawMessage {
	c.Helper()
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.Fatal("chrome-devtools-mcp ended")
			}
			var m struct {
				ID     int
				Result json.RawMessage
				Error  json.RawMessage
			}
			if json.Unmarshal([]byte(line), &m) != nil || m.ID != c.id {
				continue
			}
			if m.Error != nil {
				c.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		case <-deadline:
			c.Fatalf("%s: no answer", method)
		}
	}
}

// tool calls a tool of the server and returns its text.
func (c *client) tool(name string, arguments map[string]any) string {
	c.Helper()
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(c.request("tools/call", map[string]any{"name": name, "arguments": arguments}), &r); err != nil {
		c.Fatal(err)
	}
	var text []string
	for _, part := range r.Content {
		text = append(text, part.Text)
	}
	if r.IsError {
		c.Fatalf("%s: %s", name, text)
	}
	return strings.Join(text, "\n")
}

var (
	listedTool = regexp.MustCompile(`(?m)^name="(.*)", description="(.*)", inputSchema=(\{.*\})$`)
	pageLine   = regexp.MustCompile(`(?m)^(\d+): .*?(https?:[^\s)]+)`)
)

// TestRealClient asks the same page through chrome-devtools-mcp: both list the same
// tools with the same words, and get the same answers.
func TestRealClient(t *testing.T) {
	site := newSite(t, nil)
	port := livetest.OpenBrowser(t)
	c, err := browser.Attach(t.Context(), fmt.Sprintf("http://127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	url := site.URL + "/shop.html"
	l := openLive(t, c, url, nil)
	s := l.look()
	var ours []string
	for i := range s.Actions() {
		if a := s.Action(i); a.Primitive == "call" {
			ours = append(ours, a.Name+"\n"+a.Description+"\n"+a.Params.String())
		}
	}

	mcp := startClient(t, fmt.Sprintf("--browserUrl=http://127.0.0.1:%d", port), "--categoryExperimentalThirdParty=true")
	id := 0
	for _, m := range pageLine.FindAllStringSubmatch(mcp.tool("list_pages", map[string]any{}), -1) {
		if m[2] == url {
			fmt.Sscan(m[1], &id)
		}
	}
	if id == 0 {
		t.Fatalf("the page is not among %s", mcp.tool("list_pages", map[string]any{}))
	}
	var theirs []string
	for _, m := range listedTool.FindAllStringSubmatch(mcp.tool("list_3p_developer_tools", map[string]any{"pageId": id}), -1) {
		theirs = append(theirs, m[1]+"\n"+m[2]+"\n"+canonical(t, m[3]))
	}
	if len(ours) != 4 || !slices.Equal(ours, theirs) {
		t.Errorf("ours\n%s\ntheirs\n%s", strings.Join(ours, "\n\n"), strings.Join(theirs, "\n\n"))
	}

	for _, tt := range []struct{ tool, params string }{
		{"getCacheStatistics", `{}`}, {"getFeatureFlags", `{}`}, {"getGlobalState", `{"path":"cart.items"}`}, {"queryDatabaseTable", `{"tableName":"orders","limit":2}`},
	} {
		res := l.call(call.Request{Action: tt.tool, Params: json.RawMessage(tt.params)})
		text := mcp.tool("execute_3p_developer_tool", map[string]any{"pageId": id, "toolName": tt.tool, "params": tt.params})
		if !res.OK || !strings.Contains(text, "{") && !strings.Contains(text, "[") {
			t.Errorf("%s: %s; theirs %s", tt.tool, res.AppendJSON(nil), text)
			continue
		}
		text = text[strings.IndexAny(text, "{["):]
		if got := canonical(t, string(res.Data)); got != canonical(t, firstValue(t, text)) {
			t.Errorf("%s: ours %s, theirs %s", tt.tool, got, text)
		}
	}
}

// firstValue returns the JSON value that text begins with.
func firstValue(t testing.TB, text string) string {
	t.Helper()
	var v json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(v)
}

// canonical returns JSON with sorted members.
func canonical(t testing.TB, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
