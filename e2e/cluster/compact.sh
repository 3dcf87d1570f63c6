#!/usr/bin/env bash
# Compacts the embedded cluster's history: what came before that version cannot be listed or watched any more.
# usage: compact.sh RESOURCE-VERSION
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
require_linux_root

[[ ${1:-} =~ ^[0-9]+$ ]] || die "usage: compact.sh RESOURCE-VERSION"
answer=$("$HERE/enter.sh" 1 curl -fsS -m 10 --noproxy '*' http://127.0.0.1:2379/v3/kv/compaction \
    -d "{\"revision\": \"$1\", \"physical\": true}") || die "etcd did not compact: $answer"
say "compacted at $1"
