#!/usr/bin/env bash
# All tests: lints, everything that needs no cluster, then the stories on a real one, whose result is the last line.
# The first time takes about 25 minutes on two cores, since Kubernetes is built from source; later 5.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# In CI the embedded cluster starts empty and ends; elsewhere it stays, for a look and for the next run.
disposable() { [[ ${CI:-} && ! ${KUBECONFIG:-} ]]; }

cleanup() {
    kill -- "-$build" 2>/dev/null || true
    ! disposable || e2e/cluster/down.sh
}

e2e/cluster/install.sh build
! disposable || e2e/cluster/down.sh --wipe
set -m # the build in the background becomes a process group, which can be ended as one
if [[ ${KUBECONFIG:-} ]]; then true & else e2e/cluster/build.sh </dev/null & fi
build=$!
set +m
trap cleanup EXIT

e2e/lint.sh
ASYNCAI_PEERS=$(e2e/peers/setup.sh) # MCP by its Python SDK, in both directions
ASYNCAI_IRC=$(e2e/irc/setup.sh) # a real IRC server
export ASYNCAI_PEERS ASYNCAI_IRC
env -u KUBECONFIG cargo test --workspace ${CI:+--locked}
wait "$build"
e2e/cluster/with.sh e2e/cluster/image.sh
e2e/cluster/with.sh cargo test --workspace --test kcp
e2e/cluster/with.sh cargo test --workspace --test stories
