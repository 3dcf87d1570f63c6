#!/usr/bin/env bash
# Builds the cluster's programs once, from their Go modules, and links the current versions into one folder.
# usage: build.sh [helm]     with `helm`, Helm alone (for a cluster that exists already)
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off

version() { awk -v module="$2" '$1 == module || $2 == module { print $NF; exit }' "$HERE/$1/go.mod"; } # FOLDER MODULE

# keyed NAME VERSION FOLDER FUNCTION: where what this compiler makes of these sources in this way is kept.
keyed() {
    local key
    key=$( (go version && declare -f compile "$4" && find "$HERE/$3" -type f | LC_ALL=C sort | xargs cat) | sha256sum)
    echo "$CACHE/$1-$2-${key:0:12}"
}

# compile FOLDER OUT LDFLAGS PACKAGE...: go build that tells how far it is.
compile() {
    local folder=$1 out=$2 ldflags=$3 log=$CACHE/build-$1.log
    shift 3
    (cd "$HERE/$folder" && go build -v -trimpath -ldflags "-s -w $ldflags" -o "$out/" "$@") 2>&1 |
        tee "$log" | awk -v name="$folder" 'NR % 300 == 0 { print "         " name ": " NR " packages"; fflush() }' >&2 ||
        die "building $folder failed: $(grep -v '^[a-z0-9./_-]*$' "$log" | tail -n 3); all of it in $log"
}

# once NAME VERSION FOLDER MINUTES FUNCTION: runs FUNCTION OUT unless its result is there, and links what it made.
once() {
    local dir
    dir=$(keyed "$1" "$2" "$3" "$5")
    exec 9>"$CACHE/build-$1.lock"
    flock -n 9 || { say "waiting for another build of $1"; flock 9; }
    if [[ ! -d $dir ]]; then
        say "building $1 $2: about $4 minutes on two idle cores, once"
        rm -rf "$dir.part" && mkdir -p "$dir.part"
        "$5" "$dir.part"
        mv "$dir.part" "$dir"
        say "built $1 $2"
    fi
    ln -sfn -t "$BIN" "$dir"/*
}

etcd() { compile etcd "$1" "" .; }

coredns() {
    compile coredns "$1" "" .
    "$HERE/oci.sh" "$1/coredns.tar" localhost/coredns:1 0 /coredns "$1/coredns:/coredns"
}

helm() { compile kubernetes "$1" "-X helm.sh/helm/v4/internal/version.version=$(version kubernetes helm.sh/helm/v4)" helm.sh/helm/v4/cmd/helm; }

kubernetes() {
    local version package flags=""
    version=$(version kubernetes k8s.io/kubernetes)
    for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$(cut -d. -f2 <<<"$version")"
        flags+=" -X $package.gitCommit=unknown -X $package.gitTreeState=clean -X $package.buildDate=1970-01-01T00:00:00Z"
    done
    compile kubernetes "$1" "$flags" ./hyper
    for program in kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubelet kubectl; do
        ln -s hyper "$1/$program"
    done
    # The process that holds a pod's namespaces: the Kubernetes module brings its source.
    local source
    source=$(cd "$HERE/kubernetes" && go list -m -f '{{.Dir}}' k8s.io/kubernetes)/build/pause/linux/pause.c
    musl-gcc -Os -s -static -DVERSION="$version" -o "$1/pause" "$source" || die "building $source failed"
    "$HERE/oci.sh" "$1/pause.tar" localhost/pause:1 65535 /pause "$1/pause:/pause"
}

command -v go >/dev/null || die "Go is needed to build the cluster's programs: 1.26 or later, from https://go.dev/dl"
mkdir -p "$BIN"
once helm "$(version kubernetes helm.sh/helm/v4)" kubernetes 4 helm
[[ ${1:-} != helm ]] || exit 0
"$HERE/install.sh" cluster
once etcd "$(version etcd go.etcd.io/etcd/server/v3)" etcd 1 etcd
once coredns "$(version coredns github.com/coredns/coredns)" coredns 3 coredns
once kubernetes "$(version kubernetes k8s.io/kubernetes)" kubernetes 11 kubernetes
