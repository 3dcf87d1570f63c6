#!/usr/bin/env bash
# Boots a node in its own network, pid and mount namespaces, or ends it without a trace.
# usage: node.sh up|stop|down NODE-NUMBER     1 is the control plane (use up.sh); `stop` keeps the node's state, `down` forgets the node
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
require_linux_root

command=${1:-} number=${2:-}
[[ $number =~ ^[1-9]$ ]] || die "usage: node.sh up|stop|down NODE-NUMBER, with a number from 1 to 9"
node=$(node_dir "$number")

configure() {
    local file nameservers=/etc/resolv.conf
    # A resolver on the host's loopback is out of reach from here; systemd keeps the real list beside it.
    [[ ! -e /run/systemd/resolve/resolv.conf ]] || nameservers=/run/systemd/resolve/resolv.conf
    mkdir -p "$node"/{cni,lib,log}
    cat "$nameservers" >"$node/resolv.conf"
    for file in containerd.toml kubelet.yaml kube-proxy.yaml cni.conflist; do
        sed -e "s|@STATE@|$STATE|g; s|@NODE@|$node|g; s|@NUMBER@|$number|g; s|@DNS@|$DNS_SERVICE|g; s|@PODS@|$POD_CIDR|g" \
            -e "s|@CGROUP@|$PREFIX-node$number|g" "$HERE/config/$file" >"$node/$file"
    done
    mv "$node/cni.conflist" "$node/cni/pods.conflist"
}

launch() {
    setsid nsenter --net="/run/netns/$PREFIX-node$number" \
        unshare --pid --mount --fork --kill-child --mount-proc --propagation private \
        bash "$HERE/init.sh" "$number" >"$node/log/init.log" 2>&1 </dev/null 8>&- &
    local outer=$! inner
    wait_for 10 "the start of node $number" "$node/log/init.log" pgrep -P "$outer"
    inner=$(pgrep -P "$outer")
    echo "$inner $(started_at "$inner")" >"$node/init.pid"
}

usable() { # Ready by a lease of this run: after a restart the last run's word still stands in the API
    local renewed
    renewed=$(kubectl get lease -n kube-node-lease "node$number" -o 'jsonpath={.spec.renewTime}') && [[ $renewed > $began ]] &&
        kubectl wait --for=condition=Ready "node/node$number" --timeout=1s
}

usable_or_ended() { ! init_pid "$number" || usable; }

up() {
    ! init_pid "$number" >/dev/null || { say "node $number is up"; return; }
    ((number == 1)) || init_pid 1 >/dev/null || die "the cluster is down; start it with up.sh"
    stop
    "$HERE/pki.sh" "$number"
    configure
    "$HERE/network.sh" up "$number"
    "$HERE/cgroup.sh" up "$number"
    began=$(date -u +%FT%T)
    launch
    wait_for 300 "node $number's readiness" "$node/log" usable_or_ended
    init_pid "$number" >/dev/null || die "node $number ended; see $node/log/init.log"
    say "node $number is Ready"
}

stop() {
    local pid
    # The init ends all the others; where its file was lost, the network namespace tells who belongs to the node.
    for pid in $(init_pid "$number" || ip netns pids "$PREFIX-node$number" 2>/dev/null); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    wait_for 20 "the end of node $number" "$node/log/init.log" gone
    rm -f "$node/init.pid"
    "$HERE/network.sh" down "$number"
    "$HERE/cgroup.sh" down "$number"
}
gone() { ! init_pid "$number" && [[ -z $(ip netns pids "$PREFIX-node$number" 2>/dev/null) ]]; }

forget() {
    rm -rf "$node"
    ((number == 1)) || ! init_pid 1 >/dev/null || kubectl delete node "node$number" --ignore-not-found >&2
}

case $command in
    up) up ;;
    stop) stop ;;
    down) stop && forget ;;
    *) die "usage: node.sh up|stop|down NODE-NUMBER" ;;
esac
