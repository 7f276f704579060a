#!/usr/bin/env bash
# Installs what a build or the tests need on Debian 12, and nothing that is there already. Safe to run again.
# usage: scripts/setup.sh build|docker|test|ci|bench
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

what=${1:?usage: scripts/setup.sh build|docker|test|ci|bench}

build_packages=(g++ gcc make cmake ninja-build pkg-config ccache git ca-certificates wabt
  libboost1.81-dev libnghttp2-dev libssl-dev zlib1g-dev libseccomp-dev libprotobuf-dev protobuf-compiler
  libsodium-dev nlohmann-json3-dev libcli11-dev)
# The engine, a registry for the tests of pinned images, and what the scripts around them call.
docker_packages=(docker-registry ca-certificates curl python3 python3-venv util-linux xz-utils zstd)
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev python3 python3-venv curl openssl procps nghttp2-client)
ci_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19)

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

install_packages() {
  local missing=() package
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "this script knows Debian's apt-get only; install these by hand: ${missing[*]}"
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install: ${missing[*]} (the whole output is in $log)"
  fi
  rm -f "$log"
}

# An engine of another source stays: docker.io would ask apt to remove it.
# Debian starts a service once its package is installed, and again at every boot. Nobody who builds or tests this project
# asked for a second engine as root, so the services that come now are kept from both; one that was there is left alone.
install_docker() {
  local service unit fresh=() policy=/usr/sbin/policy-rc.d text
  if ! command -v dockerd >/dev/null && [ ! -x /usr/sbin/dockerd ]; then
    docker_packages+=(docker.io)
    fresh+=(docker)
    installed containerd || fresh+=(containerd)
  fi
  installed docker-registry || fresh+=(docker-registry)
  if [ ${#fresh[@]} -gt 0 ] && [ ! -e $policy ]; then  # a policy of the machine's owner stays
    text=$(mktemp)
    printf '#!/bin/sh\ncase $1 in docker*|containerd*) exit 101 ;; esac\nexit 0\n' >"$text"
    trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
    as_root install -m 755 "$text" $policy
    rm -f "$text"
  fi
  install_packages "${docker_packages[@]}"
  for service in "${fresh[@]}"; do
    for unit in "$service.service" "$service.socket"; do
      [ -e "/lib/systemd/system/$unit" ] || continue
      if command -v systemctl >/dev/null; then as_root systemctl --quiet disable "$unit"
      else as_root env DPKG_MAINTSCRIPT_PACKAGE=plimsoll deb-systemd-helper disable "$unit" >/dev/null
      fi
    done
    [ ! -e "/etc/init.d/$service" ] || as_root update-rc.d "$service" disable
  done
  [ ${#fresh[@]} -eq 0 ] || say "installed but neither started nor enabled at boot: ${fresh[*]}"
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
[ "$what" = docker ] || install_packages "${build_packages[@]}"
install_npm
case $what in
  build) ;;
  docker) install_docker ;;
  test) install_packages "${test_packages[@]}"; install_docker; install_client ;;
  ci) install_packages "${test_packages[@]}" "${ci_packages[@]}"; install_docker; install_client ;;
  bench) install_packages "${test_packages[@]}" ;;
  *) fail "unknown set '$what': build, docker, test, ci or bench" ;;
esac
