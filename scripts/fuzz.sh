#!/usr/bin/env bash
# Runs every fuzz target of build/fuzz from its seed corpus, FUZZ_SECONDS each, or FUZZ_RUNS inputs where that is set; as many
# at a time as there are cores.
# usage: scripts/fuzz.sh [TARGET]    one target: what the script does for each
set -euo pipefail
cd "$(dirname "$0")/.."

run() {
  local target=$1 name=${1##*/fuzz_} work limit=(-max_total_time="${FUZZ_SECONDS:-10}")
  [ -z "${FUZZ_RUNS:-}" ] || limit=(-runs="$FUZZ_RUNS")
  work=$(mktemp -d)
  if ! "$target" "${limit[@]}" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/$name-" "$work" "fuzz/$name" >"build/fuzz/$name.log" 2>&1; then
    tail -n 40 "build/fuzz/$name.log" >&2
    echo "fuzz: $name failed; the input is build/fuzz/$name-*, the output build/fuzz/$name.log" >&2
    return 255  # the others are not begun
  fi
  printf 'fuzz: %-22s %s\n' "$name" "$(grep -o 'Done [0-9]* runs in [0-9]* second' "build/fuzz/$name.log" | tail -n 1)"
  rm -rf "$work"
}

if [ $# -gt 0 ]; then
  run "$1"
  exit
fi
shopt -s nullglob
targets=(build/fuzz/bin/fuzz_*)
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: no target found in build/fuzz/bin; run: make fuzz" >&2; exit 1; }
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -n 1 scripts/fuzz.sh
