#!/usr/bin/env bash
# Runs one snippet and one project behind gVisor, in this process and without a daemon. with-engine.sh names the engine.
set -euo pipefail
cd "$(dirname "$0")/.."
export SANDBOX_PROVIDER=docker SANDBOX_DOCKER_RUNTIME=runsc DOCKER_HOST=$PLIMSOLL_TEST_DOCKER_HOST
export SANDBOX_DOCKER_IMAGE=plimsoll/sandbox-snippet:latest SANDBOX_DOCKER_PROJECT_IMAGE=plimsoll/sandbox:latest
show() { printf '\n$ %s\n' "$1"; }
show "echo 'console.log(6 * 7, process.version)' | plimsoll run --floor kernel -"
echo 'console.log(6 * 7, process.version)' | build/release/bin/plimsoll run --floor kernel -
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
echo 'print(sum(range(10)))' >"$project/sum.py"
show "plimsoll run --floor kernel DIR --steps 'python3 sum.py'"
build/release/bin/plimsoll run --floor kernel "$project" --steps 'python3 sum.py'
