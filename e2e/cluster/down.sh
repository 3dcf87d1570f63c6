#!/usr/bin/env bash
# Ends the embedded cluster: no process, namespace, link, mount or control group is left.
# usage: down.sh [--wipe]     its state (objects, images, keys) is kept for the next up.sh unless wiped
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
require_linux_root

[[ ${1:-} == "" || $1 == --wipe ]] || die "usage: down.sh [--wipe]"
lock
stop_nodes
[[ ${1:-} != --wipe ]] || rm -rf "$STATE"
