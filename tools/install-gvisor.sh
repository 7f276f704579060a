#!/bin/bash -p
# Installs gVisor's runsc for the docker engine of this machine and registers it as the runtime `runsc` with the arguments that the
# tier `kernel` needs. What is installed is pinned in tools/gvisor.pin, the one file to review; no environment variable changes it.
#
# usage: tools/install-gvisor.sh [--archive FILE] [--replace] [--restart] [--root DIR]
#        tools/install-gvisor.sh --verify-only [--archive FILE] [--root DIR]
#
#   (no source)    build runsc from its Go module; needs Go's module proxy, and Go or PyPI; some minutes
#   --archive FILE a tar of a published release: its SHA-512, its list of files and the version it states must be the pinned ones
#   --verify-only  install nothing: check FILE, or else what is installed; exit 0 when all holds
#   --replace      replace another runtime that is registered as runsc
#   --restart      restart docker afterwards, which ends its containers (without it: says what to run)
#   --root DIR     work below DIR instead of /, without docker (for packaging and tests)
#
# Needs root, except with --verify-only or --root. x86_64 and aarch64; other architectures are refused.
#
# What was tried, and what was not: building from the module, registering and running containers were tried on x86_64 under
# Debian 12 with docker 20.10. The archive way was tried with archives made by its test only: no published release could be fetched
# where this was written, so none is pinned, and --archive refuses every file until somebody reviews a release and pins it.
# aarch64, docker newer than 20.10 and a machine with systemd were not tried.
set -euo pipefail
# Of the caller's environment only proxies are kept: what comes through them is checked.
for name in $(compgen -e); do
  case $name in http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY) ;; *) unset "$name" 2>/dev/null || true ;; esac
done
export PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C
umask 022
cd "$(dirname "$(readlink -f "$0")")/.."

say() { printf 'install-gvisor: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
usage() { sed -n 's/^# usage: /usage: /p; s/^#        tools/       tools/p' "$PWD/tools/install-gvisor.sh" >&2; exit 2; }
. scripts/gvisor.sh

archive='' root='' verify=no replace=no restart=no
while [ $# -gt 0 ]; do
  case $1 in
    --archive) archive=$(realpath -e "${2:?--archive needs a file}") || exit 1; shift 2 ;;
    --root) root=$(realpath -e "${2:?--root needs a folder}") || exit 1; shift 2 ;;
    --verify-only) verify=yes; shift ;;
    --replace) replace=yes; shift ;;
    --restart) restart=yes; shift ;;
    *) usage ;;
  esac
done
case $(uname -m) in
  x86_64 | aarch64) machine=$(uname -m) ;;
  *) fail "gVisor is installed on x86_64 and aarch64, and this machine is $(uname -m)" ;;
esac
[ "$verify" = yes ] || [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "installing needs root"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

states() { [ "$("$1" --version 2>/dev/null | head -n 1)" = "runsc version $2" ]; }

# Unpacks $archive into $work when it is the pinned release, file by file.
check_archive() {
  local release wanted found
  release=$(pin release) wanted=$(pin "sha512 $machine")
  [ "$release" != none ] && [ "$wanted" != none ] ||
    fail "no release is pinned for $machine: review one and pin its name and SHA-512 in tools/gvisor.pin (docs/howto/gvisor.md)"
  found=$(sha512sum "$archive" | cut -d' ' -f1)
  [ "$found" = "$wanted" ] || fail "$archive has SHA-512 $found, and $wanted is pinned for $machine"
  # The digest is that of a reviewed file; the list is checked all the same, so that a wrong pin does not scatter files.
  [ "$(tar -tf "$archive" | sort | tr '\n' ' ')" = "$(pin files | tr ' ' '\n' | sort | tr '\n' ' ')" ] ||
    fail "$archive does not hold exactly: $(pin files)"
  tar -xf "$archive" -C "$work" --no-same-owner
  local file
  for file in $(pin files); do
    [ -f "$work/$file" ] && [ ! -L "$work/$file" ] && [ -x "$work/$file" ] || fail "$file of $archive is no program"
  done
  states "$work/runsc" "$release" || fail "runsc of $archive does not state version $release"
}

version=$(pin version)
[ -z "$archive" ] || version=$(pin release)
installed=/opt/plimsoll/gvisor-$version/runsc  # as the engine sees it
settings=$root/etc/docker/daemon.json
register() { python3 -I tools/register_runtime.py "$@"; }

if [ "$verify" = yes ]; then
  if [ -n "$archive" ]; then
    check_archive
    say "$archive is gVisor $(pin release) for $machine"
  else
    [ -x "$root$installed" ] || fail "$root$installed is not there"
    (cd "$root${installed%/*}" && sha512sum --check --quiet SHA512) || fail "$root$installed was changed after it was installed"
    states "$root$installed" "$version" || fail "$root$installed does not state version $version"
    register --check "$settings" "$installed" || fail "$settings does not register $installed as it has to"
    say "gVisor $version is installed and registered"
  fi
  exit 0
fi

if [ -n "$archive" ]; then
  check_archive
else
  say "building runsc $version, some minutes"
  export HOME=$work/home  # of its own: no settings and caches of the caller take part
  mkdir "$HOME"
  go=$(find_go "$work/go")
  build_runsc "$go" "$work"
  chmod -R u+w "$HOME"  # Go's caches are read-only, and have to go
fi
# The registration is tried first: where it is refused nothing has changed.
[ "$replace" = no ] && force='' || force=--replace
register $force --try "$settings" "$installed" || fail "nothing was installed"
install -D -m 755 "$work/runsc" "$root$installed"
(cd "$root${installed%/*}" && sha512sum runsc >SHA512)
register $force "$settings" "$installed" || fail "$root$installed is installed, but not registered"
say "installed $root$installed and registered it in $settings"

[ -z "$root" ] || exit 0
if [ "$restart" = no ]; then
  say "docker takes it at its next start; this ends its containers: systemctl restart docker (or: service docker restart)"
elif [ -d /run/systemd/system ]; then
  systemctl restart docker
else
  service docker restart
fi
