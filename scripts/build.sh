#!/usr/bin/env bash
# Configures and builds one preset, with one line of progress; the whole output is shown when something fails.
# usage: scripts/build.sh PRESET tests|programs [TARGET ...]
#   tests     the tree has the tests: it needs the set `test` of scripts/setup.sh
#   programs  the set `build` is enough: a new tree gets no tests, one that has them keeps them
set -euo pipefail
cd "$(dirname "$0")/.."

usage='usage: scripts/build.sh PRESET tests|programs [TARGET ...]'
preset=${1:?$usage}
part=${2:?$usage}
shift 2
dir=build/$preset
mkdir -p "$dir"

case $part in
  tests) tests=(-DPLIMSOLL_TESTS=ON) ;;
  programs) if [ -e "$dir/build.ninja" ]; then tests=(); else tests=(-DPLIMSOLL_TESTS=OFF); fi ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
if ! cmake --preset "$preset" "${tests[@]}" >"$dir/configure.log" 2>&1; then
  cat "$dir/configure.log" >&2
  exit 1
fi
started=$SECONDS
set +e
if [ -t 1 ]; then
  NINJA_STATUS="build $preset: [%f/%t] " ninja -C "$dir" "$@" | tee "$dir/build.log" | stdbuf -oL grep '^build' | while read -r line; do printf '\r\033[K%.100s' "$line"; done
  status=${PIPESTATUS[0]}
  printf '\r\033[K'
else
  NINJA_STATUS="[%f/%t] " ninja -C "$dir" "$@" >"$dir/build.log" 2>&1 &
  ninja=$!
  while kill -0 $ninja 2>/dev/null; do
    for _ in $(seq 1 15); do kill -0 $ninja 2>/dev/null && sleep 1; done
    kill -0 $ninja 2>/dev/null && printf 'build %s: %s\n' "$preset" "$(grep -o '^\[[0-9]*/[0-9]*\]' "$dir/build.log" | tail -n 1)"
  done
  wait $ninja
  status=$?
fi
set -e
if [ "$status" -ne 0 ]; then
  grep -E -A 20 'FAILED|error:' "$dir/build.log" >&2 || tail -n 40 "$dir/build.log" >&2
  echo "build $preset: failed, the whole output is in $dir/build.log" >&2
  exit 1
fi
took=$((SECONDS - started))
[ $took -lt 3 ] || echo "build $preset: done in $took s"
