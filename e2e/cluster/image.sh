#!/usr/bin/env bash
# Builds the image (both programs and the public certificate authorities, nothing else) and loads it into the cluster.
# usage: image.sh       PROFILE=dev (default) shares the tests' build; PROFILE=release is small and takes long
#                       IMAGE=registry/name:tag pushes it there instead of loading it
# To push it alone: make push IMAGE=registry.example.com/asyncai:0.1.0
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

profile=${PROFILE:-dev}
root=$(cd "$HERE/../.." && pwd)
out=$root/out
target=${CARGO_TARGET_DIR:-$root/target}/${CARGO_BUILD_TARGET:?run this by make}
case $profile in
    dev) built=$target/debug ;;
    release) built=$target/release && export COMPRESS=1 ;;
    *) die "PROFILE=$profile is unknown; allowed: dev, release" ;;
esac

stripped() { # PROGRAM: a copy without debug information, which the image has no use for
    mkdir -p "$out/bin"
    strip --strip-debug -o "$out/bin/$1" "$built/$1"
    echo "$out/bin/$1:/$1"
}

"$HERE/install.sh" build
# The whole workspace, so that features and with them the dependencies are those of the tests.
(cd "$root" && cargo build --workspace --bins --profile "$profile")

certificates=/etc/ssl/certs/ca-certificates.crt
"$HERE/oci.sh" "$out/asyncai.tar" localhost/asyncai:dev 65532 /asyncai \
    "$(stripped asyncai)" "$(stripped asyncai-operator)" "$certificates:$certificates"
"$HERE/oci.sh" "$out/asyncai-e2e.tar" localhost/asyncai-e2e:dev 65532 /scripted-model \
    "$(stripped scripted-model)" "$(stripped scripted-server)"
say "built $(du -h "$out/asyncai.tar" | cut -f1) $out/asyncai.tar"

if [[ ${IMAGE:-} ]]; then
    "$HERE/push.sh" "$IMAGE"
elif ! embedded || init_pid 1 >/dev/null; then
    "$HERE/load.sh" "$out/asyncai.tar" "$out/asyncai-e2e.tar"
    say "loaded localhost/asyncai:dev and localhost/asyncai-e2e:dev"
fi
