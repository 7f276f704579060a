#!/usr/bin/env bash
# Runs every test of one built preset. Failures are shown whole; the last lines are the test runner's own.
# usage: scripts/test.sh PRESET [ctest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/test.sh PRESET [ctest arguments]}
shift
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:handle_abort=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
exec ctest --test-dir "build/$preset" --output-on-failure --progress --timeout 300 -j "$(nproc)" "$@"
