#!/usr/bin/env bash
# Checks the form of every C++ file: clang-format, then clang-tidy over what changed since it was last found clean.
# usage: scripts/tidy.sh [FILE.cc ...]
set -euo pipefail
cd "$(dirname "$0")/.."

CI=1 scripts/format.sh --check
# clang-tidy reads the flags of the clang preset, and of what that builds only the headers protoc makes.
scripts/build.sh clang tests plimsoll_api
exec scripts/tidy.py build/clang "$@"
