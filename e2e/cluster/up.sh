#!/usr/bin/env bash
# Boots the embedded cluster, or takes the one that KUBECONFIG names; prints the path of its kubeconfig on stdout.
# usage: up.sh      AUDIT=1 logs every request; EGRESS=1 lets pods out; idempotent; state is kept from the last time
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

use_existing() {
    local kubectl server
    kubectl=$(command -v kubectl || echo "$BIN/kubectl")
    server=$("$kubectl" --kubeconfig "$KUBECONFIG" config view --minify -o 'jsonpath={.clusters[0].cluster.server}' 2>&1) ||
        die "KUBECONFIG=$KUBECONFIG cannot be used: $server"
    "$kubectl" --kubeconfig "$KUBECONFIG" --request-timeout=10s get --raw /readyz >/dev/null 2>&1 ||
        die "KUBECONFIG=$KUBECONFIG names $server, which does not answer; unset KUBECONFIG to boot the embedded cluster"
    say "using the cluster that KUBECONFIG names: $server"
    echo "$KUBECONFIG"
}

audit() { # turns the log on, also in a cluster that runs; it stays on until the cluster goes down
    [[ ${AUDIT:-} ]] || return 0
    if [[ ! -e $STATE/audit ]]; then
        touch "$STATE/audit"
        ! init_pid 1 >/dev/null || "$HERE/restart-apiserver.sh"
    fi
    say "audit log: $STATE/audit.log"
}

dns() {
    local forward=""
    [[ ! ${EGRESS:-} ]] || forward="forward . /etc/resolv.conf"
    sed -e "s|@DNS@|$DNS_SERVICE|g; s|@FORWARD@|$forward|g" "$HERE/config/dns.yaml" |
        kubectl apply --server-side --force-conflicts -f - >/dev/null
    # Through the Service, from the node: kube-proxy, pod network and CoreDNS work, or this does not answer.
    wait_for 120 "cluster DNS" "$(node_dir 1)/log and kubectl -n kube-system describe pod" \
        nsenter --net="/run/netns/$PREFIX-node1" curl -fsS -m 2 --noproxy '*' "http://$DNS_SERVICE:8181/ready"
}

boot() {
    stop_nodes # what a crash or a reboot may have left
    mkdir -p "$STATE/images"
    rm -f "$STATE/audit" "$STATE/audit.log"
    "$HERE/pki.sh"
    audit
    "$HERE/node.sh" up 1
    dns
    local number
    for number in $(node_numbers); do # those that were there the last time
        ((number == 1)) || "$HERE/node.sh" up "$number"
    done
    wait_for 60 "the default ServiceAccount" "$(node_dir 1)/log/kube-controller-manager.log" \
        api /api/v1/namespaces/default/serviceaccounts/default
}

embedded || { use_existing; exit; }
require_linux_root
"$HERE/build.sh"
lock
if init_pid 1 >/dev/null && api /readyz >/dev/null 2>&1; then
    [[ ! ${EGRESS:-} || -e $STATE/ip_forward ]] || die "the cluster is up without a way out; run down.sh first"
    audit
    say "the cluster is up"
else
    say "booting the cluster: about half a minute"
    boot
    say "the cluster is up: kubectl and helm are in $BIN"
fi
echo "$ADMIN"
