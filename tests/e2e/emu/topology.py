# SPDX-License-Identifier: BSD-2-Clause
"""Routers, several links, and filters."""
from lab import *

TRACE = """
import json, socket, struct, sys
to, most = sys.argv[1], int(sys.argv[2])
heard = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
heard.settimeout(20)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
hops = []
for ttl in range(1, most + 1):
    out.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    out.sendto(b"x" * 20, (to, 33434 + ttl))
    data, who = heard.recvfrom(2000)
    quoted = data[28:]
    check = struct.unpack("!H", quoted[22:24])[0] == 33434 + ttl
    hops.append([who[0], data[20], data[21], check])
print(json.dumps(hops))
"""


def write(text):
    path = scratch() + "/net.conf"
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return path


def port(name, side, network):
    return f"[port {name}]\ninterface = tap:wt0@{side.holder.pid}\ngateway = 10.0.{network}.1/24\n"


def settle(sides):
    """Addresses 10.0.N.2 and a way to all the others."""
    for network, side in enumerate(sides, 1):
        side.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
        side.must("ip", "address", "add", f"10.0.{network}.2/24", "dev", "wt0")
        side.must("ip", "route", "add", "default", "via", f"10.0.{network}.1")


def topology(sides, rest, *words):
    text = "".join(port(f"p{i}", side, i) for i, side in enumerate(sides, 1)) + rest
    emulator = Emulator(None, None, "-f", write(text), *words, ports=(), addresses=False)
    settle(sides)
    return emulator


def a_dumbbell_joins_four_networks_by_one_narrow_link(a, b):
    sides = [a, b, Side(), Side()]
    emulator = topology(sides, "[router left]\naddress = 10.255.0.1\n[router right]\naddress = 10.255.0.2\n"
                        "[link l1]\nbetween = p1 left\n[link l2]\nbetween = p2 left\nboth = delay 5ms\n[link r3]\nbetween = right p3\n"
                        "[link r4]\nbetween = right p4\n[link narrow]\nbetween = left right\nboth = rate 8Mbit burst 0B limit 64KB delay 10ms\n")
    check(20 <= best_rtt(a, "10.0.3.2") < 30, "p1 to p3")
    check(30 <= best_rtt(b, "10.0.4.2") < 40, "p2 to p4")
    check(10 <= best_rtt(a, "10.0.2.2") < 20, "p1 to p2")
    check(best_rtt(a, "10.0.1.1") < 8, "the gateway itself")
    hops = answer(a.python(TRACE, "10.0.4.2", 3))
    check(hops == [["10.0.1.1", 11, 0, True], ["10.255.0.2", 11, 0, True], ["10.0.4.2", 3, 3, True]], hops)
    hops = answer(a.python(TRACE, "10.0.9.9", 2))
    check(hops[1] == ["10.0.1.1", 3, 0, True], hops)
    check(answer(a.python(TRACE, "10.0.1.1", 1)) == [["10.0.1.1", 3, 3, True]], "the way to the gateway")
    hops = answer(a.python(TRACE, "10.0.4.1", 2))
    check(hops == [["10.0.1.1", 11, 0, True], ["10.0.4.1", 3, 3, True]], "the way to the far end of another router:", hops)
    record = emulator.end()
    left = record["routers"][0]
    check(left["stage"] == "left" and left["dropped"]["ttl"] == 3 and left["dropped"]["unrouted"] == 1, left)
    check(record["routers"][1]["dropped"]["ttl"] == 1, record["routers"][1])
    names = [stage["stage"] for link in record["links"] for stage in link["fwd"]["stages"]]
    check(names == ["l2.fwd.delay", "narrow.fwd.rate", "narrow.fwd.delay"], names)


def two_kernels_share_the_narrow_link(a, b):
    sides = [a, b, Side(), Side()]
    emulator = topology(sides, "[router left]\n[router right]\n[link l1]\nbetween = p1 left\n[link l2]\nbetween = p2 left\n[link r3]\n"
                        "between = right p3\n[link r4]\nbetween = right p4\n[link narrow]\nbetween = left right\n"
                        "both = rate 20Mbit burst 0B limit 64KB delay 2ms\n")
    receivers = [listener(side, TCP_RECEIVE) for side in sides[2:]]
    senders = [side.python(TCP_SEND, f"10.0.{n}.2", 2 << 20) for n, side in ((3, a), (4, b))]
    sent = [answer(sender) for sender in senders]
    got = [answer(receiver) for receiver in receivers]
    check(sorted(got) == sorted(one[:2] for one in sent), got, sent)
    seconds = max(one[3] for one in sent) - min(one[2] for one in sent)
    check(4 * 8 * 1.048576 / 20 < seconds + 0.1, "faster than the link:", seconds)
    record = emulator.end()
    check(record["audit_holds"] and record["total"]["offered"] > 0, record["total"])


def a_parking_lot_and_a_string_of_hops_count_ttl(a, b):
    sides = [a, b, Side()]
    routers = "".join(f"[router h{i}]\naddress = 10.255.0.{i}\n" for i in range(1, 6))
    between = "".join(f"[link s{i}]\nbetween = h{i} h{i + 1}\nboth = delay 1ms\n" for i in range(1, 5))
    emulator = topology(sides, routers + "[link a]\nbetween = p1 h1\n[link b]\nbetween = h5 p2\n[link c]\nbetween = h3 p3\n" + between)
    hops = answer(a.python(TRACE, "10.0.2.2", 6))
    check([hop[0] for hop in hops] == ["10.0.1.1", "10.255.0.2", "10.255.0.3", "10.255.0.4", "10.255.0.5", "10.0.2.2"], hops)
    check(4 <= best_rtt(a, "10.0.3.2") < 10 and 8 <= best_rtt(a, "10.0.2.2") < 16, "the distances differ from the hops'")
    emulator.end()


def a_star_has_one_router(a, b):
    sides = [a, b, Side()]
    emulator = topology(sides, "[router hub]\n" + "".join(f"[link l{i}]\nbetween = p{i} hub\nboth = delay {i}ms\n" for i in (1, 2, 3)))
    for one, side in enumerate(sides, 1):
        for other in range(1, 4):
            if one != other:
                check(2 * (one + other) <= best_rtt(side, f"10.0.{other}.2") < 2 * (one + other) + 8, one, other)
    emulator.end()


def what_a_filter_does_not_choose_goes_around(a, b):
    emulator = Emulator(a, b, "--fwd", "only (udp dst port 7777) { loss 100% } | only (icmp) { delay 20ms } | delay 5ms")
    check(25 <= best_rtt(a, B, 15) < 33, "the filtered delay")
    got, _ = udp(a, b, 50, 0.001)
    check(got == [], "datagrams passed a loss of all", got)
    tcp(a, b, 100000)
    record = emulator.end()
    stages = {stage["stage"]: stage for stage in record["fwd"]["stages"]}
    check(stages["fwd.loss"]["in"] == 50 == stages["fwd.loss"]["dropped"]["loss"], stages)
    check(stages["fwd.delay"]["in"] == 15 and stages["fwd.delay.2"]["in"] == stages["fwd.merge.2"]["in"] > 60, stages)
    check(stages["fwd.filter"]["in"] == stages["fwd.filter"]["out"] == stages["fwd.merge"]["in"] + 50, stages)


def a_host_that_is_not_there_costs_its_packets_alone(a, b):
    emulator = topology([a, b], "[router r]\n[link x]\nbetween = p1 r\n[link y]\nbetween = r p2\n", "--control", scratch() + "/control")
    answer(a.python(UDP_SEND, "10.0.2.77", 20, 0.001, 100))
    check(best_rtt(a, "10.0.2.2") < 8)
    until(lambda: emulator.shown()["routers"][0]["dropped"].get("neighbour") == 20, lambda: emulator.shown()["routers"])
    emulator.end()


main(a_dumbbell_joins_four_networks_by_one_narrow_link, two_kernels_share_the_narrow_link, a_parking_lot_and_a_string_of_hops_count_ttl,
     a_star_has_one_router, what_a_filter_does_not_choose_goes_around, a_host_that_is_not_there_costs_its_packets_alone)
