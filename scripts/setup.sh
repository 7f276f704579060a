#!/usr/bin/env bash
# Installs what a build or the tests need on Debian 12, and nothing that is there already. Safe to run again.
# usage: scripts/setup.sh build|test|ci|bench
set -euo pipefail

what=${1:?usage: scripts/setup.sh build|test|ci|bench}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll

build_packages=(g++ gcc make cmake ninja-build pkg-config ccache git ca-certificates wabt
  libboost1.81-dev libnghttp2-dev libssl-dev zlib1g-dev libseccomp-dev libprotobuf-dev protobuf-compiler
  nlohmann-json3-dev libcli11-dev libsodium-dev)
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev python3 python3-venv curl openssl procps nghttp2-client)
ci_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "needs root to run: $* (no sudo here; run it as root, then start again)"
  fi
}

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "this script knows Debian's apt-get only; install these by hand: ${missing[*]}"
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install: ${missing[*]} (the whole output is in $log)"
  fi
  rm -f "$log"
}

# npm brings the JavaScript engine's module; any npm that is on the machine will do.
install_npm() {
  command -v npm >/dev/null || install_packages npm
  command -v npm >/dev/null || fail "npm is missing: install Node.js 20 or newer with npm, then start again"
}

# The published client, unchanged, in a virtual environment of its own outside the checkout.
install_client() {
  local venv=$cache/venv wanted=plimsoll-client==0.23.0
  if [ "$(cat "$venv/.installed" 2>/dev/null)" != "$wanted" ]; then
    say "installing $wanted for the tests"
    rm -rf "$venv"
    python3 -m venv "$venv" || fail "python3 cannot make a virtual environment (package python3-venv)"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$wanted" || fail "pip could not install $wanted"
    printf '%s' "$wanted" >"$venv/.installed"
  fi
}

mkdir -p "$cache"
install_packages "${build_packages[@]}"
install_npm
case $what in
  build) ;;
  test) install_packages "${test_packages[@]}"; install_client ;;
  ci) install_packages "${test_packages[@]}" "${ci_packages[@]}"; install_client ;;
  bench) install_packages "${test_packages[@]}" ;;
  *) fail "unknown set '$what': build, test, ci or bench" ;;
esac
