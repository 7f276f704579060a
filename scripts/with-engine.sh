#!/usr/bin/env bash
# Runs a command with PLIMSOLL_TEST_DOCKER_HOST set to an engine that has runc, runsc and our images, and stops the engine
# afterwards if it was not up before, also when the command fails or is interrupted.
# usage: scripts/with-engine.sh COMMAND [ARGUMENT ...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: scripts/with-engine.sh COMMAND [ARGUMENT ...]" >&2; exit 2; }
. scripts/engine.sh
trap return_engine EXIT
borrow_engine
# The command leads a process group of its own, so that an interrupt ends all of it before the engine goes.
setsid "$@" <&0 &
command=$!
trap 'kill -TERM -- -$command 2>/dev/null; wait $command; exit 130' INT TERM HUP
status=0
wait $command || status=$?
exit $status
