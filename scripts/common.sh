# Sourced by the other scripts: where things are kept, how a script speaks, how it becomes root.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll
script=$(basename "$0" .sh)

# Words for a person go to standard error where a script's output is read by another program.
say() { printf '%s: %s\n' "$script" "$*" >&2; }
fail() { say "$*"; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "needs root to run: $* (no sudo here; run it as root, then start again)"
  fi
}
