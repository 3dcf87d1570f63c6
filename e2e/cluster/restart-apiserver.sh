#!/usr/bin/env bash
# Ends the API server, as an upgrade (TERM) or a crash (KILL) does, and waits for the one that follows.
# usage: restart-apiserver.sh [TERM|KILL]
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
require_linux_root

current() { "$HERE/enter.sh" 1 cat /run/pids/kube-apiserver; }
followed() { [[ $(current) != "$old" ]] && api /readyz; }

old=$(current)
"$HERE/enter.sh" 1 kill "-${1:-TERM}" "$old"
wait_for 120 "the next API server" "$(node_dir 1)/log/kube-apiserver.log" followed
say "the API server was restarted"
