#!/usr/bin/env bash
# Makes the cluster's certificate authority, keys and kubeconfigs; what exists is kept.
# usage: pki.sh [NODE-NUMBER]     with a number, that node's kubelet only
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

mkdir -p "$STATE/pki" "$STATE/kubeconfigs"
cd "$STATE/pki"
umask 077

key() { [[ -s $1.key ]] || openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

certificate() { # NAME SUBJECT USAGE [ALTERNATIVE-NAMES]
    [[ -s $1.crt ]] && return
    key "$1"
    local extensions="keyUsage=digitalSignature
extendedKeyUsage=$3
${4:+subjectAltName=$4}"
    openssl req -new -key "$1.key" -subj "$2" |
        openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile <(echo "$extensions") -out "$1.crt.part" 2>/dev/null
    mv "$1.crt.part" "$1.crt"
}

kubeconfig() { # FILE CERTIFICATE: complete in itself, so it can be copied anywhere
    cat >"$1.part" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: asyncai, cluster: {server: "$API", certificate-authority-data: $(base64 -w0 ca.crt)}}]
users: [{name: $2, user: {client-certificate-data: $(base64 -w0 "$2.crt"), client-key-data: $(base64 -w0 "$2.key")}}]
contexts: [{name: asyncai, context: {cluster: asyncai, user: $2}}]
current-context: asyncai
YAML
    mv "$1.part" "$1"
}

kubelet() { # NUMBER
    certificate "node$1" "/O=system:nodes/CN=system:node:node$1" serverAuth,clientAuth "DNS:node$1,IP:$NET.$1,IP:127.0.0.1"
    kubeconfig "$STATE/kubeconfigs/node$1" "node$1"
}

control_plane() {
    local name names=DNS:localhost,IP:127.0.0.1,IP:$NET.1,IP:$API_SERVICE
    for name in kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local; do
        names+=,DNS:$name
    done
    key ca
    [[ -s ca.crt ]] || openssl req -x509 -new -key ca.key -subj /CN=asyncai-test-ca -days 3650 -out ca.crt
    key service-account
    [[ -s service-account.pub ]] || openssl ec -in service-account.key -pubout -out service-account.pub 2>/dev/null
    certificate apiserver /CN=kube-apiserver serverAuth "$names"
    certificate kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
    certificate front-proxy /CN=front-proxy-client clientAuth
    certificate admin /O=system:masters/CN=admin clientAuth
    for name in kube-controller-manager kube-scheduler kube-proxy; do
        certificate "$name" "/CN=system:$name" clientAuth
        kubeconfig "$STATE/kubeconfigs/$name" "$name"
    done
    kubeconfig "$ADMIN" admin
}

if [[ ${1:-} ]]; then kubelet "$1"; else control_plane; fi
