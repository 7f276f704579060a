#!/usr/bin/env bash
# Runs the long soaks of the release build, and of the fuzz targets, and keeps each result in docs/reference/soak.md.
# usage: scripts/soak.sh [runs|kills|fuzz|images|docker|sessions|all]
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
page=docs/reference/soak.md
bin=build/release/bin

soak() {
  python3 -B tests/soak/soak.py $bin "$1" --page $page --command "scripts/soak.sh $part"
}

# The storm of the provider's test program: workers killed under six threads, without HTTP.
storm() {
  local runs=60000 log=build/release/storm.log started=$SECONDS line
  if ! PLIMSOLL_SOAK_RUNS=$runs $bin/wasm_pool_test --gtest_filter='Storm.*' >$log 2>&1; then
    cat $log >&2
    echo "soak: the storm failed; its output is $log" >&2
    exit 1
  fi
  line="$(sed -n 's/^storm: //p' $log) asked again; none lost, doubled or another's; in $((SECONDS - started)) s"
  echo "soak: storm: $line"
  python3 -B tests/soak/page.py $page "60,000 runs at the provider: workers killed at random" "scripts/soak.sh $part" <<<"$line"
}

fuzz() {
  local lines
  scripts/build.sh fuzz tests fuzzers
  export FUZZ_RUNS=${FUZZ_RUNS:-1000000}
  lines=$(scripts/fuzz.sh | tee /dev/stderr | sort)
  sed -E 's/^fuzz: (\S+) +Done /\1: /; s/second$/s/' <<<"$lines" |
    python3 -B tests/soak/page.py $page "Inputs through every fuzz target, no finding" "scripts/soak.sh $part (FUZZ_RUNS=$FUZZ_RUNS)"
}

# The sandbox images, twice from nothing.
images() {
  local lines
  lines=$(python3 -B images/build.py --prove | tee /dev/stderr)
  { sed 's/^images: //' <<<"$lines"; echo "equal"; } |
    python3 -B tests/soak/page.py $page "The sandbox images, built twice from nothing: their identities" "scripts/soak.sh $part"
}

# $1: a heading; the rest: a program of tests/docker and its arguments, whose last line is the result.
docker_row() {
  local heading=$1 lines
  shift
  lines=$(scripts/with-engine.sh python3 -B "tests/docker/$1" $bin "${@:2}" | tee /dev/stderr | tail -n 1)
  python3 -B tests/soak/page.py $page "$heading" "scripts/soak.sh $part" <<<"$lines"
}

# Against a real engine: kills of the daemon under load, echoes of every byte, and sessions. DOCKER_ROUNDS, DOCKER_ECHOES and
# DOCKER_CALLS make it shorter.
docker_walls() {
  local runtime
  for runtime in runc runsc; do
    docker_row "Docker, $runtime: the daemon killed under load" kills.py "${DOCKER_ROUNDS:-100}" --runtime $runtime
    docker_row "Docker, $runtime: echoes, one reader slow" echoes.py "${DOCKER_ECHOES:-10000}" --runtime $runtime
    kept_sessions $runtime
  done
}

kept_sessions() {
  docker_row "Docker, $1: calls of sessions, guests and containers killed" sessions.py "${DOCKER_CALLS:-10000}" --runtime "$1"
}

case $part in
  runs) soak runs; soak allocating ;;
  kills) soak kills; storm ;;
  fuzz) fuzz ;;
  images) images ;;
  docker) docker_walls ;;
  sessions) kept_sessions runc; kept_sessions runsc ;;
  all) soak runs; soak allocating; soak kills; storm; images; docker_walls; fuzz ;;
  *) echo "usage: scripts/soak.sh [runs|kills|fuzz|images|docker|sessions|all]" >&2; exit 2 ;;
esac
