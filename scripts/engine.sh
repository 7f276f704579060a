# Sourced by docker-up.sh, docker-down.sh and test.sh: the private docker engine. Everything it owns lies below $engine.
. scripts/common.sh
engine=${PLIMSOLL_ENGINE_DIR:-$cache/engine}
socket=$engine/sock
engine_host=unix://$socket

ask() { curl --silent --fail --max-time 5 --noproxy '*' --unix-socket "$socket" "http://engine/$1"; }

# The process id of our engine, or of the containerd that it manages ($1: dockerd or containerd); nothing where it does not
# run. A pid file that is left over may name a stranger, so the command line has to name our folder.
engine_pid() {
  local file=$engine/pid pid
  [ "$1" = dockerd ] || file=$engine/exec/containerd/containerd.pid
  pid=$(as_root cat "$file" 2>/dev/null) || return 0
  if names_us "$pid"; then echo "$pid"; fi
}

# Whether a path below our folder stands on the command line of process $1.
names_us() { [ -n "$1" ] && { tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qF "$engine/"; }

engine_is_healthy() { [ -n "$(engine_pid dockerd)" ] && [ "$(ask _ping 2>/dev/null)" = OK ]; }

# What the engine says, with the end of its log and what a person can do. $1: what went wrong.
engine_failed() {
  tail -n 25 "$engine/log" >&2 2>/dev/null || true
  fail "$1
  The end of $engine/log is above. An engine needs root, cgroups (ls /sys/fs/cgroup) and a file system that overlayfs can
  stand on; inside a container it needs a privileged one. To begin afresh: scripts/docker-down.sh --purge"
}

# Waits up to $1 seconds until the command that follows succeeds.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

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
# Removes what an engine that was killed leaves: containerd, shims and what they run, mounts, sockets. Images and containers stay.
clear_engine() {
  local process child mount root
  stop containerd
  for process in /proc/[0-9]*; do
    case $(cat "$process/comm" 2>/dev/null) in containerd-shim*) ;; *) continue ;; esac
    names_us "${process#/proc/}" || continue
    for child in $(cat "$process/task/"*/children 2>/dev/null); do as_root kill -KILL "$child" 2>/dev/null || true; done
    as_root kill -KILL "${process#/proc/}" 2>/dev/null || true
  done
  root=$(realpath "$engine")
  # The innermost mount first; printf undoes the escapes of the kernel's list.
  awk -v root="$root/" 'index($5, root) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r mount; do
    mount=$(printf '%b' "$mount")
    as_root umount "$mount" 2>/dev/null || as_root umount --lazy "$mount" || say "$mount stays mounted"
  done
  as_root rm -f "$engine/pid" "$socket"
  grep -qF " $root/exec/" /proc/self/mountinfo || as_root rm -rf "$engine/exec"
}

# Sets PLIMSOLL_TEST_DOCKER_HOST to an engine that has both runtimes and the images of this tree: the one that the variable names
# already, or the private one, which return_engine stops again if it was not up before.
engine_was_up=yes
borrow_engine() {
  if [ -z "${PLIMSOLL_TEST_DOCKER_HOST:-}" ]; then
    [ -n "$(engine_pid dockerd)" ] || engine_was_up=no
    scripts/docker-up.sh >/dev/null || fail "the tests of the docker provider need an engine, and it did not start"
    export PLIMSOLL_TEST_DOCKER_HOST=$engine_host
  fi
  python3 -B images/build.py --host "$PLIMSOLL_TEST_DOCKER_HOST" >/dev/null ||
    fail "the tests of the docker provider need the images, and they could not be built or loaded"
}

return_engine() { [ $engine_was_up = yes ] || scripts/docker-down.sh || say "the private engine could not be stopped"; }
