#!/usr/bin/env bash
# A shell, or one command, inside a node: its processes, mounts and network (crictl's place; try `ctr -n k8s.io tasks ls`).
# usage: enter.sh [NODE-NUMBER [COMMAND...]]
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
require_linux_root

number=${1:-1}
shift || true
pid=$(init_pid "$number") || die "node $number is down"
(($#)) || set -- bash
exec nsenter --target "$pid" --mount --pid --net env PATH="$BIN:$PATH" KUBECONFIG="$ADMIN" "$@"
