#!/bin/sh
# Tests the prelude and the corpus under Node (20 or newer) with the engine module given.
#   tests/engine/run_prelude_tests.sh path/to/quickjs.wasm
# NODE names another node. Exit status 0: all passed; 77: no module or no Node, nothing tested.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=${NODE:-node}
QUICKJS_WASM=${1:-${QUICKJS_WASM:-}}
export QUICKJS_WASM

if [ -z "$QUICKJS_WASM" ] || [ ! -f "$QUICKJS_WASM" ]; then
  echo "no engine module: give the path of quickjs.wasm" >&2
  exit 77
fi
if ! command -v "$node" >/dev/null 2>&1; then
  echo "no node: set NODE" >&2
  exit 77
fi

# The engine raises RangeError at its own stack limit; Node's native stack must be deeper than that.
ulimit -s unlimited 2>/dev/null || ulimit -s 60000 2>/dev/null || true

cd "$here"
for file in prelude_test.mjs corpus_test.mjs inspect/inspect_test.mjs; do
  # Each file is a program of its own: node:test reports and sets the exit status.
  "$node" --stack-size=50000 --test-reporter=dot "$file"
done
python3 compare_test.py "$node" "$QUICKJS_WASM"
