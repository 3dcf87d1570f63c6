#!/usr/bin/env bash
# Makes or removes a node's network: a namespace on the bridge that joins nodes and host, with or without a way out.
# usage: network.sh up|down NODE-NUMBER     EGRESS=1 lets pods reach what the host reaches
#
# The host is joined by a cable (veth) rather than by a forwarding program: the API server, NodePorts and, from the
# pods, the host's own services ($NET.254) are then reached at their real addresses, with no process to look after.
# There is no way out by default, so that no test can come to depend on one.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

number=$2
space=$PREFIX-node$number
inside() { nsenter --net="/run/netns/$space" "$@"; }
bridge_space() { nsenter --net="/run/netns/$PREFIX-node1" "$@"; }
saved_forwarding=$STATE/ip_forward # the host's setting before EGRESS changed it

up_first() {
    local taken
    taken=$(ip -4 -o address show to "$NET.0/24"; ip -4 route show root "$NET.0/24")
    [[ -z $taken ]] || die "$NET.0/24 is in use on this machine ($taken); change NET in $HERE/env.sh"
    ip netns add "$space"
    inside ip link add "$BRIDGE" type bridge
    inside ip address add "$NET.1/24" dev "$BRIDGE"
    inside ip link set "$BRIDGE" up
    ip link add "$HOST_LINK" type veth peer name host netns "$space"
    inside ip link set host master "$BRIDGE" up
    ip address add "$NET.254/24" dev "$HOST_LINK"
    ip link set "$HOST_LINK" up
    # Processes of the node itself reach Services too: any route will do, kube-proxy rewrites the address.
    inside ip route add "$SERVICE_CIDR" dev "$BRIDGE"
}

up_other() {
    ip netns add "$space"
    ip link add "$space" type veth peer name eth0 netns "$space"
    ip link set "$space" netns "$PREFIX-node1"
    bridge_space ip link set "$space" master "$BRIDGE" up
    inside ip address add "$NET.$number/24" dev eth0
    inside ip link set eth0 up
    inside ip route add "$SERVICE_CIDR" dev eth0
    local other
    for other in $(node_numbers); do # each node routes to the pods of the others
        [[ -e /run/netns/$PREFIX-node$other && $other != "$number" ]] || continue
        inside ip route replace "10.244.$other.0/24" via "$NET.$other"
        nsenter --net="/run/netns/$PREFIX-node$other" ip route replace "10.244.$number.0/24" via "$NET.$number"
    done
}

common() {
    inside ip link set lo up
    inside sysctl -qw net.ipv4.ip_forward=1
    # Outside the cluster nobody knows pod addresses, so they leave under the node's.
    inside nft -f - <<NFT
table ip $PREFIX {
    chain out {
        type nat hook postrouting priority srcnat
        ip saddr $POD_CIDR ip daddr != { $POD_CIDR, $SERVICE_CIDR } masquerade
    }
}
NFT
    [[ ! ${EGRESS:-} ]] || inside ip route add default via "$NET.254"
}

egress() {
    [[ -e $saved_forwarding ]] || cat /proc/sys/net/ipv4/ip_forward >"$saved_forwarding"
    sysctl -qw net.ipv4.ip_forward=1
    nft -f - <<NFT
table ip $PREFIX {
    chain out {
        type nat hook postrouting priority srcnat
        ip saddr $NET.0/24 ip daddr != $NET.0/24 masquerade
    }
}
NFT
}

case $1 in
    up)
        [[ ! -e /run/netns/$space ]] || exit 0
        if ((number == 1)); then up_first; else up_other; fi
        common
        if ((number == 1)) && [[ ${EGRESS:-} ]]; then egress; fi
        ;;
    down)
        ip netns delete "$space" 2>/dev/null || true # its end of each cable goes with it, and so the other end
        ((number == 1)) || exit 0
        ip link delete "$HOST_LINK" 2>/dev/null || true
        if [[ -z $(ip netns list) ]]; then # it mounted this folder for the first namespace
            umount /run/netns 2>/dev/null || true
            rmdir /run/netns 2>/dev/null || true
        fi
        if [[ -e $saved_forwarding ]]; then
            sysctl -qw "net.ipv4.ip_forward=$(<"$saved_forwarding")"
            nft delete table ip "$PREFIX" 2>/dev/null || true
            rm "$saved_forwarding"
        fi
        ;;
    *) die "usage: network.sh up|down NODE-NUMBER" ;;
esac
