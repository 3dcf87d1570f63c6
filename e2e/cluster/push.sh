#!/usr/bin/env bash
# Pushes the image that image.sh made to a registry; log in before with `skopeo login`.
# usage: push.sh REGISTRY/NAME:TAG
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

archive=$(cd "$HERE/../.." && pwd)/out/asyncai.tar
[[ ${1:-} ]] || die "usage: push.sh REGISTRY/NAME:TAG"
[[ -r $archive ]] || die "there is no $archive; run: make image PROFILE=release"
command -v skopeo >/dev/null || die "skopeo is needed: apt-get install skopeo (or brew, dnf, ...)"
skopeo copy "oci-archive:$archive" "docker://$1"
