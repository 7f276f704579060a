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
  if [ -n "$pid" ] && tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$engine/"; then echo "$pid"; fi
}

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
