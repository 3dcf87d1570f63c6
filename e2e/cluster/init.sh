#!/usr/bin/env bash
# Pid 1 of a node, in namespaces of its own: mounts what the node's programs expect, starts them, keeps them running.
# Started by node.sh with the node's number. When it is killed, the kernel ends everything in the node.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set +e # a program that fails is started again; pid 1 goes on

number=$1
node=$(node_dir "$number")
pki=$STATE/pki
kubeconfigs=$STATE/kubeconfigs
export PATH=$BIN:$PATH # containerd must meet the shim of its own version first
unset KUBECONFIG

mounts() {
    mount --make-rshared / # kubelet passes mounts on to containers; nothing reaches the host
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir -p /run/netns /run/lock /run/pids
    mount --bind "$node/lib" /var/lib
    mount --bind "$node/log" /var/log
    # The kubelet sets these for the whole machine. Give it files to write to instead.
    local setting path
    for setting in vm/overcommit_memory=1 kernel/panic=10 kernel/panic_on_oops=1; do
        path=${setting%=*}
        echo "${setting#*=}" >"/run/${path##*/}"
        mount --bind "/run/${path##*/}" "/proc/sys/$path"
    done
}

# No fsync: the state outlives every process here, though not a power cut; a test cluster wants the speed.
etcd() {
    exec "$BIN/etcd" --name=node1 --data-dir=/var/lib/etcd --unsafe-no-fsync \
        --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
        --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 \
        --initial-cluster=node1=http://127.0.0.1:2380
}

# Without a grace period for watches, TERM would wait a whole minute for them to end by themselves.
kube-apiserver() {
    local audit=()
    [[ -e $STATE/audit ]] && audit=(--audit-policy-file="$HERE/config/audit.yaml" --audit-log-path="$STATE/audit.log")
    exec "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
        --advertise-address="$NET.1" --secure-port=6443 --service-cluster-ip-range="$SERVICE_CIDR" --allow-privileged \
        --shutdown-watch-termination-grace-period=1s \
        --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --client-ca-file="$pki/ca.crt" \
        --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
        --service-account-issuer=https://kubernetes.default.svc.cluster.local \
        --service-account-key-file="$pki/service-account.pub" --service-account-signing-key-file="$pki/service-account.key" \
        --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
        --kubelet-client-certificate="$pki/kubelet-client.crt" --kubelet-client-key="$pki/kubelet-client.key" \
        --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=front-proxy-client \
        --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
        --requestheader-extra-headers-prefix=X-Remote-Extra- \
        --proxy-client-cert-file="$pki/front-proxy.crt" --proxy-client-key-file="$pki/front-proxy.key" "${audit[@]}"
}

kube-scheduler() {
    local config=$kubeconfigs/kube-scheduler
    exec "$BIN/kube-scheduler" --leader-elect=false \
        --kubeconfig="$config" --authentication-kubeconfig="$config" --authorization-kubeconfig="$config"
}

# At its default 20 requests a second it would take five seconds until a namespace has its ServiceAccount.
kube-controller-manager() {
    local config=$kubeconfigs/kube-controller-manager
    exec "$BIN/kube-controller-manager" --leader-elect=false --kube-api-qps=300 --kube-api-burst=600 --flex-volume-plugin-dir=/var/lib/kubelet/volume-plugins \
        --kubeconfig="$config" --authentication-kubeconfig="$config" --authorization-kubeconfig="$config" \
        --use-service-account-credentials --service-account-private-key-file="$pki/service-account.key" \
        --root-ca-file="$pki/ca.crt" --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key"
}

containerd() { exec "$BIN/containerd" --config "$node/containerd.toml"; }

kubelet() {
    exec "$BIN/kubelet" --config="$node/kubelet.yaml" --kubeconfig="$kubeconfigs/node$number" \
        --hostname-override="node$number" --node-ip="$NET.$number"
}

kube-proxy() { exec "$BIN/kube-proxy" --config="$node/kube-proxy.yaml"; }

keep_running() { # FUNCTION: its pid is in /run/pids, its output in /var/log
    : >"/var/log/$1.log"
    while :; do
        "$1" >>"/var/log/$1.log" 2>&1 </dev/null &
        echo $! >"/run/pids/$1"
        wait $!
        echo "=== $1 ended with $?; it is started again" >>"/var/log/$1.log"
        sleep 0.5
    done &
}

load_images() {
    wait_for 60 containerd "$node/log/containerd.log" "$BIN/ctr" version
    local archive
    for archive in "$BIN/pause.tar" "$BIN/coredns.tar" "$STATE"/images/*.tar; do
        [[ ! -e $archive ]] || "$BIN/ctr" -n k8s.io images import "$archive"
    done
}

mounts
keep_running containerd
if ((number == 1)); then
    for program in etcd kube-apiserver kube-scheduler kube-controller-manager; do
        keep_running "$program"
    done
fi
(load_images)
wait_for 300 "the API server" "$(node_dir 1)/log/kube-apiserver.log" api /readyz
keep_running kubelet
keep_running kube-proxy
while :; do wait; done
