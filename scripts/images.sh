#!/usr/bin/env bash
# Builds the sandbox images where they are not built, and loads them into the engine of DOCKER_HOST, or else into the private one.
# usage: scripts/images.sh [arguments of images/build.py]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${DOCKER_HOST:-}" ]; then
  line=$(scripts/docker-up.sh)
  export "${line?}"
fi
exec python3 -B images/build.py "$@"
