#!/bin/sh
# Installs the interop peers, once for each set of requirements, and prints their directory: the value for
# ASYNCAI_PEERS. Needs python3, npm and go.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache="${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/peers"
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9

# venv NAME REQUIREMENTS
venv() {
    made="$cache/$1/.requirements"
    cmp -s "$2" "$made" && return
    rm -rf "${cache:?}/$1"
    python3 -m venv "$cache/$1"
    "$cache/$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" >&2
    cp "$2" "$made"
}

# modules NAME: packages of npm, a Node that is new enough for them among these, and our scripts beside them, where
# Node looks for packages
modules() {
    made="$cache/$1/.package-lock.json"
    if ! cmp -s "$here/$1/package-lock.json" "$made"; then
        rm -rf "${cache:?}/$1"
        mkdir "$cache/$1"
        cp "$here/$1/package.json" "$here/$1/package-lock.json" "$cache/$1"
        # The npm that is there may be run by an older Node, which it then warns of.
        (cd "$cache/$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
        ln -s "$(cd "$cache/$1" && echo node_modules/node-linux-*/bin/node)" "$cache/$1/node"
        cp "$here/$1/package-lock.json" "$made"
    fi
    cp "$here/$1"/*.mjs "$cache/$1"
}

venv python "$here/python/requirements.txt"
venv python-old "$here/python/requirements-old.txt"
modules typescript
(cd "$here/go" && CGO_ENABLED=0 GOWORK=off GOFLAGS=-buildvcs=false go build -o "$cache/go/peer" . >&2)
echo "$cache"
