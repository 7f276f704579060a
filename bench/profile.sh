#!/usr/bin/env bash
# Says where the daemon's time goes under load: CPU by thread, perf and strace where they are installed.
# The report is printed and kept in build/bench/profile/.
# usage: bench/profile.sh [--callers N] [--seconds S]
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 bench/profile.py "${BIN_DIR:-build/release/bin}" "$@"
