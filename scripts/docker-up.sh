#!/usr/bin/env bash
# Starts a private docker engine with the runtimes runc and runsc, and prints the DOCKER_HOST= line that reaches it.
# It has its own socket, data, containerd and pid file below PLIMSOLL_ENGINE_DIR (~/.cache/plimsoll/engine), gives containers no
# network and touches no packet filter. Says so and changes nothing when it is up. scripts/docker-down.sh stops it.
# usage: scripts/docker-up.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/engine.sh

[ ${#socket} -le 100 ] || fail "the path of the socket is longer than a socket may have: set PLIMSOLL_ENGINE_DIR to a shorter folder than $engine"
PATH=$PATH:/usr/sbin:/sbin
dockerd=$(command -v dockerd) || fail "no docker engine is installed (scripts/setup.sh docker installs Debian's)"
runsc=$(scripts/runsc.sh)
mkdir -p "$engine"
chmod 711 "$engine"
exec 9>"$engine/lock"
flock --wait 300 9 || fail "another docker-up or docker-down holds $engine/lock"

wanted=$(printf '{"runtimes": {"runsc": {"path": "%s", "runtimeArgs": ["--network=none", "--host-uds=open"]}}}' "$runsc")
has_runsc() { ask info 2>/dev/null | grep -qF "\"path\":\"$runsc\""; }

ready() { engine_is_healthy && has_runsc; }

start() {
  clear_engine
  # An environment of its own: neither proxies nor docker's variables of the caller reach the engine. The names of the
  # namespaces keep us apart from the machine's own engine where dockerd shares a containerd that runs already.
  as_root env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    setsid "$dockerd" --config-file "$engine/daemon.json" --host "$engine_host" --group "$(id -g)" \
    --data-root "$engine/data" --exec-root "$engine/exec" --pidfile "$engine/pid" \
    --containerd-namespace plimsoll --containerd-plugins-namespace plimsoll-plugins \
    --iptables=false --ip6tables=false --bridge=none --shutdown-timeout 10 \
    </dev/null >"$engine/log" 2>&1 9>&- &
  launched=$!
}

written() { [ "$(cat "$engine/daemon.json" 2>/dev/null)" = "$wanted" ]; }
written || printf '%s\n' "$wanted" >"$engine/daemon.json"

if [ -z "$(engine_pid dockerd)" ]; then
  say "starting a docker engine in $engine"
  start
  up_or_gone() { ready || [ ! -e "/proc/$launched" ]; }
  wait_for 60 up_or_gone || engine_failed "the engine does not answer on $socket within 60 s"
  ready || engine_failed "the engine ended while it started"
  # Nothing runs on an engine that has just started: what is there was left when the last one was killed.
  curl --silent --fail --max-time 60 --noproxy '*' --unix-socket "$socket" -X POST http://engine/containers/prune >/dev/null ||
    say "containers of the last engine could not be removed"
elif ! ready; then
  # It runs but is still starting, hangs, or knows another runsc: it reads its runtimes again on SIGHUP.
  wait_for 30 engine_is_healthy || engine_failed "an engine runs (process $(engine_pid dockerd)) but does not answer on $socket"
  has_runsc || as_root kill -HUP "$(engine_pid dockerd)"
  wait_for 15 has_runsc || engine_failed "the engine does not take $runsc as a runtime"
else
  say "the engine in $engine is up"
fi
echo "DOCKER_HOST=$engine_host"
