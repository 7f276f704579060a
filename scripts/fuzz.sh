#!/usr/bin/env bash
# Runs every fuzz target of build/fuzz from its seed corpus, FUZZ_SECONDS each, or FUZZ_RUNS inputs where that is set.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-10}
limit=(-max_total_time="$seconds")
[ -z "${FUZZ_RUNS:-}" ] || limit=(-runs="$FUZZ_RUNS")
found=0
for target in build/fuzz/bin/fuzz_*; do
  [ -x "$target" ] || continue
  found=1
  name=${target##*/fuzz_}
  work=$(mktemp -d)
  if ! "$target" "${limit[@]}" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/$name-" "$work" "fuzz/$name" >"build/fuzz/$name.log" 2>&1; then
    tail -n 40 "build/fuzz/$name.log" >&2
    echo "fuzz: $name failed; the input is build/fuzz/$name-*, the output build/fuzz/$name.log" >&2
    exit 1
  fi
  printf 'fuzz: %-16s %s\n' "$name" "$(grep -o 'Done [0-9]* runs in [0-9]* second' "build/fuzz/$name.log" | tail -n 1)"
  rm -rf "$work"
done
[ $found = 1 ] || { echo "fuzz: no target found in build/fuzz/bin; run: make fuzz" >&2; exit 1; }
