#!/usr/bin/env bash
# Makes or removes the control groups under which a node's pods run (cgroup v1 and v2).
# usage: cgroup.sh up|down NODE-NUMBER
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

root=/sys/fs/cgroup
name=$PREFIX-node$2

up() {
    if [[ -e $root/cgroup.controllers ]]; then
        mkdir -p "$root/$name"
        local controller
        for controller in $(<"$root/cgroup.controllers"); do # one that cannot be had is the kubelet's to complain about
            echo "+$controller" | tee "$root/cgroup.subtree_control" >"$root/$name/cgroup.subtree_control" || true
        done
        return
    fi
    local controller file
    for controller in "$root"/*/; do
        mkdir -p "$controller$name"
    done
    for file in cpuset.cpus cpuset.mems; do # a new group starts with none of either
        cat "$root/cpuset/$file" >"$root/cpuset/$name/$file"
    done
}

groups() { find "$root" -maxdepth 2 -type d -name "$name"; }

# The processes are dead; the kernel may need a moment to notice that their groups are empty.
removed() {
    local group
    for group in $(groups); do
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    [[ -z $(groups) ]]
}

case $1 in
    up) up ;;
    down) wait_for 20 "the end of the control groups named $name" "$root" removed ;;
    *) die "usage: cgroup.sh up|down NODE-NUMBER" ;;
esac
