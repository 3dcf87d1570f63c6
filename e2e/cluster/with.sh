#!/usr/bin/env bash
# Runs a command with a cluster: boots the embedded one unless KUBECONFIG names another, and sets KUBECONFIG and PATH.
# usage: with.sh COMMAND...
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

KUBECONFIG=$("$HERE/up.sh")
export KUBECONFIG
if embedded; then
    export ASYNCAI_STATE=$STATE # where the benchmarks find the audit log
    export PATH=$BIN:$PATH      # the kubectl of the cluster's own version first
else
    export PATH=$PATH:$BIN
    command -v helm >/dev/null || "$HERE/build.sh" helm
fi
exec "$@"
