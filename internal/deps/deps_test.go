package deps

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/pagestate/pagestate"

// schemas are the modules that check and make JSON Schemas.
var schemas = []string{"github.com/santhosh-tekuri/jsonschema/v6", "github.com/google/jsonschema-go", "golang.org/x/text"}

// rules say what packages may link, tests apart. The first rule whose packages
// hold a path decides.
var rules = []struct {
	packages string   // relative to the module; "/..." at the end means those below too
	own      []string // packages of ours, likewise
	others   []string // modules, "..." meaning any
	why      string
}{
	{"records", nil, nil, "values and rows are the base of everything"},
	{"snapshot", []string{"records"}, nil, "what an agent runtime links is the standard library and us"},
	{"snapshot/capture", []string{"records", "snapshot"}, nil, "likewise"},
	{"snapshot/view", []string{"records", "snapshot", "internal/safetext"}, nil, "likewise"},
	{"diff", []string{"records", "snapshot", "snapshot/capture", "internal/safetext"}, nil, "likewise"},
	{"internal/safetext", []string{"records"}, nil, "likewise"},
	{"internal/deps", nil, nil, ""},
	{"internal/reference", nil, []string{"github.com/google/go-cmp"}, "the oracle shares no code with what it judges"},
	{"internal/pagetest", nil, nil, "tests of any package may use it"},
	{"internal/laws", []string{"records", "snapshot", "snapshot/capture", "diff", "internal/safetext", "internal/reference"}, []string{"github.com/google/go-cmp"}, "only tests use it"},
	{"internal/...", []string{"records", "snapshot", "snapshot/...", "diff", "exposure", "exposure/html", "internal/..."}, []string{"..."}, "helpers stay below the command"},
	{"fuzz", nil, nil, "it has tests only"},
	{"bench/...", []string{"..."}, []string{"..."}, ""},
	{"exposure", []string{"records", "snapshot", "snapshot/capture", "internal/safetext"}, schemas, "no page is needed to expose an app"},
	{"exposure/audit", []string{"records", "snapshot", "snapshot/...", "diff", "exposure", "internal/safetext"}, schemas, "likewise"},
	{"exposure/call/...", []string{"records", "snapshot", "snapshot/...", "diff", "exposure", "exposure/audit", "internal/safetext"}, schemas, "calls go through what is exposed, wherever that is"},
	{"exposure/...", []string{"records", "snapshot", "snapshot/...", "diff", "exposure", "exposure/...", "internal/..."}, []string{"..."}, "pages come before the command"},
	{"cmd/...", []string{"..."}, []string{"..."}, "nothing is above the command"},
	{"examples/...", []string{"..."}, []string{"..."}, ""},
}

// A pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Standard   bool
	Module     *struct{ Path string }
	Deps       []string
}

func TestDependencies(t *testing.T) {
	all := list(t, "-deps", "./...")
	byPath := make(map[string]pkg, len(all))
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	checked := 0
	for _, p := range all {
		name, ok := strings.CutPrefix(p.ImportPath, module+"/")
		if !ok {
			continue
		}
		at := slices.IndexFunc(rules, func(r struct {
			packages    string
			own, others []string
			why         string
		}) bool {
			return within(name, r.packages)
		})
		if at < 0 {
			t.Errorf("no rule says what %s may link", name)
			continue
		}
		checked++
		rule := rules[at]
		for _, path := range p.Deps {
			dep := byPath[path]
			switch own, ok := strings.CutPrefix(path, module+"/"); {
			case dep.Standard:
			case ok:
				if !slices.ContainsFunc(rule.own, func(pattern string) bool { return within(own, pattern) }) {
					t.Errorf("%s links %s: %s", name, own, rule.why)
				}
			case dep.Module == nil:
				t.Errorf("%s links %s, which is of no module", name, path)
			case !slices.Contains(rule.others, "...") && !slices.Contains(rule.others, dep.Module.Path):
				t.Errorf("%s links %s: %s", name, path, rule.why)
			}
			if strings.HasPrefix(path, module+"/cmd/") {
				t.Errorf("%s links a command", name)
			}
		}
	}
	if checked < 8 {
		t.Errorf("only %d packages were checked", checked)
	}
}

// within reports whether a package path matches a pattern of the rules.
func within(path, pattern string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(path+"/", prefix)
	}
	return path == pattern
}

// list returns what go list says.
func list(t *testing.T, args ...string) (out []pkg) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Module,Deps"}, args...)...)
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
}
