#!/bin/sh
# Makes the virtual environments of the interop peers, once for each set of requirements, and
# prints their directory: the value for ASYNCAI_PEERS.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache="${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/peers"
mkdir -p "$cache"

# venv NAME REQUIREMENTS
venv() {
    made="$cache/$1/.requirements"
    cmp -s "$2" "$made" && return
    rm -rf "${cache:?}/$1"
    python3 -m venv "$cache/$1"
    "$cache/$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" >&2
    cp "$2" "$made"
}

venv python "$here/python/requirements.txt"
venv python-old "$here/python/requirements-old.txt"
echo "$cache"
