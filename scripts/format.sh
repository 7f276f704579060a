#!/usr/bin/env bash
# Formats every C++ file known to git, or with --check names the ones that are not formatted and changes nothing.
# Where clang-format-19 is missing a check ends with 77, which ctest shows as skipped; with CI set it fails.
# usage: scripts/format.sh [--check]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-format-19 >/dev/null; then
  echo "format: clang-format-19 is missing (scripts/setup.sh ci installs it)" >&2
  [ "${1:-}" = --check ] && [ -z "${CI:-}" ] && exit 77
  exit 1
fi
case ${1:-} in
  '') git ls-files -z '*.h' '*.cc' | xargs -0 clang-format-19 -i ;;
  --check) git ls-files -z '*.h' '*.cc' | xargs -0 clang-format-19 --dry-run -Werror ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
