#!/usr/bin/env bash
# Format and lints of everything that is written here: Rust, scripts, charts.
. "$(dirname "${BASH_SOURCE[0]}")/cluster/env.sh"
cd "$HERE/../.."

cargo fmt --all --check
cargo clippy --workspace --all-targets ${CI:+--locked} -- -D warnings

mapfile -t scripts < <(find .ci e2e -name '*.sh' -o -path .ci/run)
for script in "${scripts[@]}"; do
    bash -n "$script"
done
! command -v shellcheck >/dev/null || shellcheck "${scripts[@]}"

command -v helm >/dev/null || "$HERE/build.sh" helm
export PATH=$PATH:$BIN
for chart in charts/*/; do
    helm lint --strict --quiet "$chart"
    helm template asyncai "$chart" --namespace asyncai-system >/dev/null
done
