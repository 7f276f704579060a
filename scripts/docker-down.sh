#!/usr/bin/env bash
# Stops the engine of scripts/docker-up.sh and no other: its containers, its containerd, its mounts. Its images stay for the next
# start; with --purge they go too. Safe to run when nothing runs.
# usage: scripts/docker-down.sh [--purge]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/engine.sh
case ${1:-} in '' | --purge) ;; *) echo "usage: scripts/docker-down.sh [--purge]" >&2; exit 2 ;; esac
[ -d "$engine" ] || exit 0
exec 9>"$engine/lock"
flock --wait 300 9 || fail "another docker-up or docker-down holds $engine/lock"

stop dockerd
clear_engine
if [ "${1:-}" = --purge ]; then
  grep -qF " $(realpath "$engine")/" /proc/self/mountinfo && fail "something is still mounted below $engine: nothing removed"
  as_root rm -rf "$engine/data" "$engine/exec" "$engine/log" "$engine/daemon.json"
fi
