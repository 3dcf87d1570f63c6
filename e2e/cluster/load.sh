#!/usr/bin/env bash
# Loads image archives into the cluster that KUBECONFIG names (kind, k3d, minikube), else into the embedded one.
# usage: load.sh ARCHIVE.tar...
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

into_embedded() { # ARCHIVE: kept, so that a node added later has it too
    local number
    mkdir -p "$STATE/images"
    cp "$1" "$STATE/images/"
    for number in $(node_numbers); do
        ! init_pid "$number" >/dev/null || "$HERE/enter.sh" "$number" ctr -n k8s.io images import "$STATE/images/$(basename "$1")" >/dev/null
    done
}

into_other() { # ARCHIVE
    local context
    context=$(command kubectl config current-context)
    case $context in
        kind-*) kind load image-archive "$1" --name "${context#kind-}" ;;
        k3d-*) k3d image import "$1" --cluster "${context#k3d-}" ;;
        minikube) minikube image load "$1" ;;
        *) die "cannot load images into $context: push $1 to a registry with skopeo, and set the chart's image" ;;
    esac
}

for archive in "$@"; do
    [[ -r $archive ]] || die "$archive cannot be read"
    if embedded; then into_embedded "$archive"; else into_other "$archive"; fi
done
