package livetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLockFile shows that what npm ci installs is pinned, and from nowhere in
// particular: no registry is named.
func TestLockFile(t *testing.T) {
	dir := filepath.Join(Root(t), "exposure", "browser", "testdata", "npm")
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil || len(manifest.Dependencies) == 0 {
		t.Fatalf("%d packages, %v", len(manifest.Dependencies), err)
	}
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	for name, version := range manifest.Dependencies {
		if !exact.MatchString(version) {
			t.Errorf("%s %s is no exact version", name, version)
		}
	}
	text, err = os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Version, Resolved, Integrity string
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	for name, p := range lock.Packages {
		if p.Resolved != "" {
			t.Errorf("%s is resolved to %s", name, p.Resolved)
		}
		if name != "" && p.Integrity == "" {
			t.Errorf("%s has no digest", name)
		}
	}
	for name, version := range manifest.Dependencies {
		if got := lock.Packages["node_modules/"+name].Version; got != version {
			t.Errorf("%s is locked to %q, want %s", name, got, version)
		}
	}
	if settings, err := os.ReadFile(filepath.Join(dir, ".npmrc")); err != nil || !strings.Contains(string(settings), "omit-lockfile-registry-resolved=true") {
		t.Errorf("npm would name registries in the lock file: %v", err)
	}
}
