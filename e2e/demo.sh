#!/usr/bin/env bash
# From nothing to a reply: builds everything, takes or boots a cluster, installs the operator, and lets a ConfigMap
# wake an agent. May be run again.
# usage: demo.sh       KUBECONFIG=FILE     takes that cluster; else kind where Docker runs; else the embedded one
#                      IMAGE=REGISTRY/NAME:TAG  pushes the image there, for a cluster that it cannot be loaded into
#                      MODEL_BASE_URL=URL  asks that model (with MODEL_NAME, and MODEL_API_KEY if it wants one)
. "$(dirname "${BASH_SOURCE[0]}")/cluster/env.sh"
cd "$HERE/../.."

NAMESPACE=default # of which the example tells
POD=asyncai-agent-alice-0
image=${IMAGE:-localhost/asyncai:dev}
kubectl() { command kubectl --namespace "$NAMESPACE" "$@"; }

choose_cluster() {
    if [[ ${KUBECONFIG:-} ]]; then
        say "cluster: the one that KUBECONFIG names"
    elif command -v kind >/dev/null && docker info >/dev/null 2>&1; then
        say "cluster: kind, since Docker runs here"
        kind get clusters 2>/dev/null | grep -qx asyncai || kind create cluster --name asyncai --wait 120s
        mkdir -p "$STATE"
        kind get kubeconfig --name asyncai >"$STATE/kind.kubeconfig"
        export KUBECONFIG=$STATE/kind.kubeconfig
    else
        say "cluster: the embedded one"
        require_linux_root
        case ${MODEL_BASE_URL:-} in
            "" | *"//$NET.254"[:/]*) ;;
            *//localhost[:/]* | *//127.*) die "from a pod, this machine is $NET.254: set MODEL_BASE_URL to that, and let the model listen there" ;;
            *) export EGRESS=1 ;;
        esac
    fi
}

# The Go programs of the embedded cluster and our own, side by side.
build() {
    e2e/cluster/install.sh build
    local go=""
    if [[ ! ${KUBECONFIG:-} ]]; then
        set -m # a process group, which can be ended as one
        e2e/cluster/build.sh </dev/null &
        set +m
        go=$!
        trap 'kill -- "-$go" 2>/dev/null || true' EXIT
    fi
    say "building the Rust programs: about 10 minutes the first time, seconds later"
    e2e/cluster/image.sh
    [[ ! $go ]] || wait "$go"
    trap - EXIT
}

install() {
    say "installing the operator"
    helm upgrade --install asyncai charts/asyncai --namespace asyncai-system --create-namespace --wait --timeout 3m \
        --set "image.repository=${image%:*},image.tag=${image##*:}" >/dev/null
    say "applying e2e/examples/watch.yaml"
    kubectl apply -f e2e/examples/watch.yaml
    [[ ! ${MODEL_BASE_URL:-} ]] || use_model
    ready agent alice
    ready watch cm
}

ready() { # KIND NAME: waits until it is, as it is specified now
    local generation
    generation=$(kubectl get "$1" "$2" -o 'jsonpath={.metadata.generation}')
    kubectl wait "$1/$2" --for="jsonpath={.status.observedGeneration}=$generation" --timeout=180s >/dev/null &&
        kubectl wait "$1/$2" --for=condition=Ready --timeout=180s >/dev/null || {
        kubectl describe agents,watches,pods >&2
        die "$1 $2 did not get ready; see above"
    }
}

use_model() {
    [[ ${MODEL_NAME:-} ]] || die "set MODEL_NAME as well: the name by which $MODEL_BASE_URL knows the model"
    local model="\"provider\":\"OpenAI\",\"baseURL\":\"$MODEL_BASE_URL\",\"name\":\"$MODEL_NAME\""
    if [[ ${MODEL_API_KEY:-} ]]; then
        printf %s "$MODEL_API_KEY" |
            kubectl create secret generic model --from-file=token=/dev/stdin --dry-run=client -o yaml |
            kubectl apply -f - >/dev/null
        model+=',"apiKeySecretRef":{"name":"model","key":"token"}'
    fi
    say "asking $MODEL_NAME at $MODEL_BASE_URL"
    kubectl patch agent alice --type merge -p "{\"spec\":{\"model\":{$model}}}" >/dev/null
}

# Creates a ConfigMap and prints what the agent's log says of it, up to the reply.
wake() {
    local since line log
    since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    say "creating a ConfigMap; the agent hears of it 3 s after the last change"
    kubectl create configmap "hello-$(date +%H%M%S)" --from-literal=greeting=hello
    exec 7< <(timeout 300 kubectl --namespace "$NAMESPACE" logs "$POD" --follow --since-time "$since")
    log=$!
    while read -r line <&7; do
        case $line in
            *'"event":"watch.notice"'*) say "the notice: $line" ;;
            *'"event":"run.failed"'* | *'"event":"run.abandoned"'*) say "the model fails: $line" ;;
            *'"event":"reply.published"'* | *'"event":"reply.suppressed"'*)
                say "the reply:  $line"
                kill "$log" 2>/dev/null || true
                return
                ;;
        esac
    done
    die "no reply came; see kubectl logs $POD"
}

choose_cluster
build
KUBECONFIG=$(e2e/cluster/up.sh)
export KUBECONFIG PATH=$PATH:$BIN
command -v helm >/dev/null || e2e/cluster/build.sh helm
[[ ${IMAGE:-} ]] || e2e/cluster/load.sh out/asyncai.tar # the cluster may not have been there when it was built
install
wake
cat <<TEXT

Go on:
  make shell                                     # kubectl and helm for this cluster
  kubectl -n $NAMESPACE get agents,watches
  kubectl -n $NAMESPACE edit watch cm                          # another URI, instructions, a longer debounce: without a restart
  kubectl -n $NAMESPACE logs -f $POD
  kubectl -n $NAMESPACE delete -f e2e/examples/watch.yaml
TEXT
