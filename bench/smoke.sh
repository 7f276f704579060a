#!/usr/bin/env bash
# A short run of the whole harness: fails unless every row was measured and every answer was right. The figures mean nothing.
# npm packages that are not installed already are left out by name; exit 77 (skipped) names a tool that is missing.
# usage: bench/smoke.sh BIN_DIR
set -euo pipefail
bin_dir=$(realpath "${1:?usage: bench/smoke.sh BIN_DIR}")
cd "$(dirname "$0")/.."

for tool in h2load curl node python3; do
  command -v "$tool" >/dev/null || { echo "smoke: $tool is missing, nothing was measured"; exit 77; }
done
for program in plimsolld wasm_provider_bench; do
  [ -x "$bin_dir/$program" ] || { echo "smoke: $bin_dir/$program is missing"; exit 1; }
done

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
BENCH_SECONDS=${BENCH_SECONDS:-0.3} python3 bench/bench.py "$bin_dir" --json "$out/results.json" --rounds 1 --starts 2 \
  --leave-out-uninstalled >"$out/table.md"
python3 bench/check_table.py "$out/results.json" "$out/table.md"
