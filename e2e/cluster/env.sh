#!/usr/bin/env bash
# The names, addresses and folders that the scripts of this folder share, and their few helpers; sourced, never run.
# shellcheck disable=SC2034  # most of these are used by the scripts that source this file
set -euo pipefail
[[ ${ASYNCAI_INSTANCE:-1} == [1-9] ]] || { echo "error: ASYNCAI_INSTANCE=$ASYNCAI_INSTANCE; allowed: 1 to 9" >&2; exit 1; }

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/cluster # what was built once, by version
BIN=$CACHE/bin # links to the current versions

# Of network namespaces, cgroups and links, so that nothing is mistaken for another's. A number from 1 to 9 gives a
# cluster beside the first one, with a state of its own.
INSTANCE=${ASYNCAI_INSTANCE:-}
PREFIX=asyncai$INSTANCE
STATE=${ASYNCAI_STATE:-$CACHE/state$INSTANCE} # one cluster: keys, etcd, nodes, logs
ADMIN=$STATE/kubeconfig                       # cluster-admin, usable from the host

BRIDGE=asyncai0          # in the first node's network namespace; joins nodes, pods' routes and the host
HOST_LINK=$PREFIX-host   # the host's end of the cable into that bridge
NET=10.90.${INSTANCE:-0} # node N is $NET.N, the host $NET.254
API=https://$NET.1:6443
POD_CIDR=10.244.0.0/16 # node N has 10.244.N.0/24
SERVICE_CIDR=10.96.0.0/16
API_SERVICE=10.96.0.1
DNS_SERVICE=10.96.0.10

say() { printf '%(%H:%M:%S)T %s\n' -1 "$*" >&2; }
die() { say "error: $*"; exit 1; }

# wait_for SECONDS WHAT LOG COMMAND...: polls a program that is not ours until it says yes.
wait_for() {
    local limit=$((SECONDS + $1)) what=$2 log=$3
    shift 3
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < limit)) || die "$what did not come about in time; see $log"
        sleep 0.2
    done
}

require_linux_root() {
    [[ $(uname -s) == Linux ]] || die "the embedded cluster needs Linux (this is $(uname -s)); set KUBECONFIG to a cluster instead"
    ((EUID == 0)) || die "the embedded cluster needs root (namespaces, cgroups); use sudo, or set KUBECONFIG to a cluster instead"
    local folder
    for folder in /run /var/lib /var/log; do # a node mounts its own over these
        [[ $STATE/ != $folder/* && $CACHE/ != $folder/* ]] || die "ASYNCAI_STATE and ASYNCAI_CACHE cannot lie under $folder"
    done
}

# A node's processes live in one pid namespace; node N's file holds the pid of its init and when that started,
# since a bare pid may be somebody else's after a reboot.
node_dir() { echo "$STATE/nodes/$1"; }
started_at() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# init_pid N: prints the pid of node N's init if it lives.
init_pid() {
    local pid start
    read -r pid start 2>/dev/null <"$(node_dir "$1")/init.pid" || return 1
    [[ $(started_at "$pid") == "$start" ]] && echo "$pid"
}

node_numbers() { # of the nodes that run or have a folder, highest first
    { ls "$STATE/nodes" 2>/dev/null; ip netns list | sed -n "s/^$PREFIX-node\([1-9]\).*/\1/p"; } | sort -rnu
}

stop_nodes() { # keeps their state
    local number
    for number in $(node_numbers); do
        "$HERE/node.sh" stop "$number"
    done
}

# lock: one up.sh or down.sh at a time, until the caller ends.
lock() {
    mkdir -p "$STATE"
    exec 8>"$STATE/lock"
    flock -w 600 8 || die "another up.sh or down.sh holds $STATE/lock"
}

# embedded: whether KUBECONFIG, if set, names the embedded cluster.
embedded() { [[ ${KUBECONFIG:-$ADMIN} == "$ADMIN" ]] || grep -qs "server: \"$API\"" "$KUBECONFIG"; }

api() { # PATH: asks the API server as admin, cheaper than kubectl in a loop
    curl -fsS -m 5 --noproxy '*' --cacert "$STATE/pki/ca.crt" --cert "$STATE/pki/admin.crt" --key "$STATE/pki/admin.key" "$API$1"
}

kubectl() { KUBECONFIG=$ADMIN "$BIN/kubectl" "$@"; }
