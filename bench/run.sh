#!/usr/bin/env bash
# Measures the release build and writes the table into docs/reference/performance.md; raw data goes to build/bench/.
# BENCH_SECONDS (2) is the length of one row in one round. Other arguments go to bench.py.
# usage: bench/run.sh [--rounds N] [--starts N]
set -euo pipefail
cd "$(dirname "$0")/.."
export BENCH_COMMAND=${BENCH_COMMAND:-make bench}
exec python3 bench/bench.py build/release/bin --json build/bench/results.json --page docs/reference/performance.md "$@"
