#!/usr/bin/env bash
# Runs every test of one built preset. Quiet when all is well; a failing test is shown whole. Ends with ctest's own lines.
# Tests with the label `docker` get an engine in PLIMSOLL_TEST_DOCKER_HOST: the one that the variable names, or else the private
# one, which is stopped afterwards if it was not up before. Without an engine, a runtime or an image they fail.
# usage: scripts/test.sh PRESET [ctest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/engine.sh
preset=${1:?usage: scripts/test.sh PRESET [ctest arguments]}
shift
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:handle_abort=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
log=build/$preset/test.log

ctest=
finish() {
  if [ -n "$ctest" ]; then kill -TERM -- -$ctest 2>/dev/null && wait $ctest || true; fi
  return_engine
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
[ "$(ctest --test-dir "build/$preset" -N -L '^docker$' "$@" | sed -n 's/^Total Tests: //p')" = 0 ] || borrow_engine

# A process group of its own, so that an interrupt ends all of it before the engine goes.
setsid ctest --test-dir "build/$preset" --output-on-failure --timeout 300 -j "$(nproc)" "$@" >"$log" 2>&1 &
ctest=$!
while kill -0 $ctest 2>/dev/null; do
  for _ in $(seq 1 15); do kill -0 $ctest 2>/dev/null && sleep 1; done
  kill -0 $ctest 2>/dev/null && printf 'test %s: %s\n' "$preset" "$(grep -oE '^ *[0-9]+/[0-9]+' "$log" | tail -n 1 | tr -d ' ')"
done
status=0
wait $ctest || status=$?
ctest=
if [ $status -ne 0 ]; then
  grep -vE '^ *Start +[0-9]+:| +Passed +[0-9.]+ sec$' "$log"
  echo "test $preset: failed, the whole output is in $log" >&2
  exit $status
fi
grep -E '^[0-9]+% tests passed|^Total Test time|\*\*\*Skipped|\*\*\*Not Run' "$log" | cut -c1-160
