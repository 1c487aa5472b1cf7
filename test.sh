#!/usr/bin/env bash
# Runs everything that must hold before a change is kept, and installs what that
# takes on a Debian machine that has Go and npm.
#
#   ./test.sh          short counts: minutes on two cores
#   ./test.sh --long   large counts
#
# The main test run comes last, so that the output ends with its summary.
set -euo pipefail
cd "$(dirname "$0")"

long=
case "${1-}" in
"") ;;
--long) long=1 ;;
*)
	echo "usage: ./test.sh [--long]" >&2
	exit 2
	;;
esac

# Counts. Those of fuzzing are executions of a target; cross-package ones decode
# and compare whole pages, the reference among them, and are a hundred times
# slower than those of one function.
pairs=10000 fuzz=20000 fuzz_laws=400 fuzz_heavy=3000
if [ -n "$long" ]; then
	pairs=200000 fuzz=2000000 fuzz_laws=20000 fuzz_heavy=200000
fi
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.1
govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=()
step() {
	echo
	echo "== $* [$((SECONDS / 60))m$((SECONDS % 60))s]"
}
fail() {
	echo "FAILED: $*"
	failed+=("$*")
}

# Directories of the modules: the main one, then nested ones.
modules=(.)
while IFS= read -r mod; do
	modules+=("$(dirname "$mod")")
done < <(find . -mindepth 2 -name go.mod -not -path '*/node_modules/*' -not -path '*/testdata/*' | sort)

# uses reports whether a Go test mentions $1.
uses() { grep -rqE --include='*_test.go' "$1" .; }

step "tools"
packages=()
need() { command -v "$1" >/dev/null || packages+=("$2"); }
need git git
need gcc gcc # the race detector is linked with it
need bash bash
if uses 'chromedp|startBrowser'; then
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || packages+=(chromium)
else
	echo "chromium: not needed, no test drives a browser"
fi
if uses '"zstd"'; then need zstd zstd; else echo "zstd: not needed, no test runs the command"; fi
if [ ${#packages[@]} -gt 0 ]; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" libc6-dev
fi
go version
for dir in "${modules[@]}"; do (cd "$dir" && go mod download); done
while IFS= read -r lock; do
	dir=$(dirname "$lock")
	[ "$dir/node_modules/.package-lock.json" -nt "$lock" ] || (cd "$dir" && npm ci --no-audit --no-fund --silent)
done < <(find . -name package-lock.json -not -path '*/node_modules/*')

step "gofmt -s"
unformatted=$(gofmt -s -l .)
[ -z "$unformatted" ] || fail "gofmt -s: $unformatted"

for dir in "${modules[@]}"; do
	step "vet, staticcheck, tidy in $dir"
	(cd "$dir" && go vet ./...) || fail "go vet in $dir"
	(cd "$dir" && go run "$staticcheck" ./...) || fail "staticcheck in $dir"
	(cd "$dir" && go mod tidy -diff) || fail "go mod tidy in $dir"
done

step "builds for other machines: linux/386, linux/arm64, darwin/arm64, windows/amd64"
for target in linux/386 linux/arm64 darwin/arm64 windows/amd64; do
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build ./... || fail "build for $target"
done

# Tests of time and memory mean nothing with the race detector or another machine's
# integers, and seeds and laws are run without.
skip='^Fuzz|Hostile|Alloc|Memory|Linear|Exponents|RaisedLimit|Laws|^TestTimes$|^TestRegression$'
core=(./records ./snapshot/... ./diff ./fuzz ./exposure ./internal/...)
step "tests of the core with 32-bit integers"
if (GOARCH=386 CGO_ENABLED=0 go test -c -o "$work/probe" ./internal/deps && "$work/probe" -test.list . >/dev/null) 2>/dev/null; then
	GOARCH=386 CGO_ENABLED=0 go test -short -skip "$skip" "${core[@]}" || fail "tests on 386"
else
	echo "left out: this machine does not run them"
fi

if git grep -q '^//go:build.*purego' -- '*.go'; then
	step "tests with tag purego"
	go test -short -tags purego "${core[@]}" || fail "tests with purego"
fi

step "checked builds: memory that was given back is scribbled over"
go test -short -tags pagestate_checked ./records ./snapshot/... ./diff || fail "tests of checked builds"

step "tests with the race detector, short"
# Browsers answer within deadlines: packages that drive one run alone.
live=$(go list ./exposure/browser/... ./cmd/...)
CGO_ENABLED=1 go test -race -short -skip "$skip" $(go list ./... | grep -v -F -e /internal/pagetest -e /internal/reference -e "$live") || fail "tests with -race"
# Those that read many pages, one after another, are about what scripts do in a page.
pages='^Test(TransformedFrames|Rules|StyleSheets|Embedded|Watched|Covered|Deltas|Agreement|NoCapture|PDF|ManyAttributes|Large|ClosedRoots)$'
CGO_ENABLED=1 go test -race -short -p 1 -skip "$skip|$pages" $live || fail "live tests with -race"

step "each benchmark once"
go test -run '^$' -bench . -benchtime 1x ./... >"$work/bench" 2>&1 || { cat "$work/bench"; fail "benchmarks"; }
echo "$(grep -c '^Benchmark' "$work/bench" || true) benchmarks"

step "exact figures against the committed baseline; times are printed, not judged"
go run ./cmd/pagestate bench --exact --samples 10 --sizes 100,1000 --only page=orders --against bench/testdata/baseline.json || fail "figures against the baseline"

# Fuzzing starts from the seeds alone: a target that loads none tests nothing.
step "fuzzing by count: $fuzz executions a target, $fuzz_heavy of whole pages, $fuzz_laws in ./fuzz"
while read -r pkg; do
	dir=$(go list -f '{{.Dir}}' "$pkg")
	grep -q '^func Fuzz' "$dir"/*_test.go 2>/dev/null || continue
	targets=$(cd "$dir" && go test -list '^Fuzz' . | grep '^Fuzz' || true)
	bin=$work/$(echo "$pkg" | tr / _).test
	(cd "$dir" && go test -c -fuzz . -o "$bin" .) || { fail "fuzz build of $pkg"; continue; }
	case $pkg in
	*/fuzz) n=$fuzz_laws ;;
	*/html | */capture | */view | */call | */exposure) n=$fuzz_heavy ;;
	*) n=$fuzz ;;
	esac
	for target in $targets; do
		seeds=$(cd "$dir" && "$bin" -test.run "^$target\$" -test.v | grep -c "^    --- PASS: $target/" || true)
		if [ "$seeds" = 0 ]; then
			fail "$target of $pkg loads no seed, or fails on one"
			continue
		fi
		began=$SECONDS
		if (cd "$dir" && "$bin" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${n}x" -test.fuzzminimizetime 1x \
			-test.fuzzcachedir "$work/corpus" -test.parallel 2) >"$work/log" 2>&1; then
			echo "$pkg $target: $seeds seeds, $n executions, $((SECONDS - began)) s"
		else
			cat "$work/log"
			fail "$target of $pkg"
		fi
	done
done < <(go list ./...)

step "known vulnerabilities"
if go run "$govulncheck" ./... >"$work/vuln" 2>&1; then
	tail -1 "$work/vuln"
elif grep -q 'fetching vulnerabilities' "$work/vuln"; then
	echo "left out: the vulnerability data cannot be had from here"
else
	cat "$work/vuln"
	fail "govulncheck"
fi

if [ -n "$long" ]; then
	step "large counts: $pairs pairs against the reference, long forms"
	go test ./diff -count 1 -timeout 60m -run Reference -args -pairs "$pairs" || fail "reference over $pairs pairs"
	go test ./exposure/audit -count 1 -run Crash -args -kills 200 || fail "200 kills of a writer"
	while read -r dir; do
		go test "$dir" -count 1 -timeout 60m -args -long || fail "long form of $dir"
	done < <(grep -rlE --include='*_test.go' 'flag\.Bool\("long"' . | xargs -r -n1 dirname | sort -u)
fi

for dir in "${modules[@]:1}"; do
	step "tests in $dir"
	(cd "$dir" && go test -short ./...) || fail "tests in $dir"
done

step "tests: $pairs pairs against the reference at most"
go test -count 1 -p 1 ./... || fail "tests"
if [ ${#failed[@]} -gt 0 ]; then
	printf 'FAILED: %s\n' "${failed[@]}"
	exit 1
fi
