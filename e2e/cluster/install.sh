#!/usr/bin/env bash
# Installs what a static build, and what the embedded cluster, take from Debian: only what is missing; starts no service.
# usage: install.sh build|cluster
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

CONTAINERD=$CACHE/containerd

# for     command or file                     package
needed="
build   zstd                                zstd
build   musl-gcc                            musl-tools
build   strip                               binutils
build   openssl                             openssl
build   /etc/ssl/certs/ca-certificates.crt  ca-certificates
cluster curl                                curl
cluster ip                                  iproute2
cluster musl-gcc                            musl-tools
cluster nft                                 nftables
cluster nsenter                             util-linux
cluster openssl                             openssl
cluster pgrep                               procps
cluster /usr/sbin/runc                      runc
cluster /usr/lib/cni/bridge                 containernetworking-plugins
"

missing() {
    local use file package
    while read -r use file package; do
        [[ $use != "$purpose" ]] || command -v "$file" >/dev/null || [[ -e $file ]] || echo "$package"
    done <<<"$needed"
}

apt() { # ARGUMENTS...: apt-get whose package lists are refreshed when the first try fails
    local log=$CACHE/install.log
    apt-get "$@" >"$log" 2>&1 && return
    { apt-get update && apt-get "$@"; } >>"$log" 2>&1 || die "apt-get $* failed: $(grep '^E:' "$log" | head -n 1); all of it in $log"
}

install_packages() {
    local packages
    mapfile -t packages < <(missing)
    ((${#packages[@]})) || return 0
    say "installing ${packages[*]}"
    command -v apt-get >/dev/null || die "this is no Debian or Ubuntu: install ${packages[*]} yourself"
    ((EUID == 0)) || die "only root can install; run: sudo apt-get install ${packages[*]}"
    DEBIAN_FRONTEND=noninteractive apt install -y --no-install-recommends "${packages[@]}"
}

# containerd is unpacked, not installed: its package would start a service.
unpack_containerd() {
    [[ -x $CONTAINERD/usr/bin/containerd ]] && return
    say "unpacking containerd"
    command -v apt-get >/dev/null || die "this is no Debian or Ubuntu: put containerd, containerd-shim-runc-v2 and ctr into $CONTAINERD/usr/bin"
    rm -rf "$CONTAINERD.part" && mkdir -p "$CONTAINERD.part"
    (cd "$CONTAINERD.part" && apt download containerd && dpkg-deb -x containerd_*.deb . && rm containerd_*.deb)
    rm -rf "$CONTAINERD" && mv "$CONTAINERD.part" "$CONTAINERD"
}

purpose=${1:-}
[[ $purpose == build || $purpose == cluster ]] || die "usage: install.sh build|cluster"
mkdir -p "$BIN"
install_packages
[[ $purpose == cluster ]] || exit 0
unpack_containerd
ln -sfn -t "$BIN" "$CONTAINERD"/usr/bin/{containerd,containerd-shim-runc-v2,ctr}
