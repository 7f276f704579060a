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

# $1: dockerd or containerd. Asks it to end, waits, and at last ends it.
stop() {
  local pid
  pid=$(engine_pid "$1")
  [ -n "$pid" ] || return 0
  gone() { [ ! -e "/proc/$pid" ]; }
  as_root kill -TERM "$pid" 2>/dev/null || true
  wait_for 40 gone && return
  say "$1 (process $pid) does not end: killing it"
  as_root kill -KILL "$pid" 2>/dev/null || true
  wait_for 10 gone || fail "process $pid of $engine cannot be ended"
}
stop dockerd
stop containerd

# What an engine that was killed leaves: shims, each with our folder on its command line, and what they run.
for process in /proc/[0-9]*; do
  name=$(cat "$process/comm" 2>/dev/null) || continue
  case $name in containerd-shim*) ;; *) continue ;; esac
  tr '\0' '\n' <"$process/cmdline" 2>/dev/null | grep -qF "$engine/" || continue
  for child in $(cat "$process/task/"*/children 2>/dev/null); do as_root kill -KILL "$child" 2>/dev/null || true; done
  as_root kill -KILL "${process#/proc/}" 2>/dev/null || true
done

# The innermost mount first. Octal escapes of the kernel's list are undone by printf.
awk -v root="$(realpath "$engine")/" 'index($5, root) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r mount; do
  mount=$(printf '%b' "$mount")
  as_root umount "$mount" 2>/dev/null || as_root umount --lazy "$mount" || say "$mount stays mounted"
done
as_root rm -f "$engine/pid" "$socket"
if [ "${1:-}" = --purge ]; then
  grep -qF " $(realpath "$engine")/" /proc/self/mountinfo && fail "something is still mounted below $engine: nothing removed"
  as_root rm -rf "$engine/data" "$engine/exec" "$engine/log" "$engine/daemon.json"
fi
