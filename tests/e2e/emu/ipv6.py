# SPDX-License-Identifier: BSD-2-Clause
"""IPv6 between kernels: what the path and its routers tell them by ICMPv6, and that they believe it."""
import re

from lab import *

A6, B6 = "2001:db8::1", "2001:db8::2"

# What a connected datagram socket is told, and by whom: [errno, address of the one who told, ICMPv6 type, code] or None.
TOLD6 = """
import errno, json, socket, struct, sys, time
to, size, hops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, 25, 1)  # IPV6_RECVERR
s.setsockopt(socket.IPPROTO_IPV6, 23, 2)  # IPV6_MTU_DISCOVER
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, hops)
s.sendto(bytes(size), (to, 33434))
told, until = None, time.monotonic() + float(sys.argv[4])
while not told and time.monotonic() < until:
    try:
        _, extra, _, _ = s.recvmsg(2000, 512, socket.MSG_ERRQUEUE)
        for level, kind, data in extra:
            if level == socket.IPPROTO_IPV6 and kind == 25:
                number, origin, code_type, code = struct.unpack("=IBBB", data[:7])
                told = [errno.errorcode[number], socket.inet_ntop(socket.AF_INET6, data[24:40]) if origin == 3 else "self", code_type, code]
    except OSError:
        time.sleep(0.01)
print(json.dumps(told))
"""

FLOOD6 = """
import json, socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, int(sys.argv[3]))
for _ in range(int(sys.argv[2])):
    s.sendto(bytes(50), (sys.argv[1], 33434))
print(json.dumps(True))
"""


def told(side, to, size=100, hops=64, patience=10):
    return answer(side.python(TOLD6, to, size, hops, patience))


def address(side, *addresses, gateway=None):
    for one in addresses:
        side.must("ip", "address", "add", one, "dev", "wt0", *(["nodad"] if ":" in one else []))
    if gateway:
        side.must("ip", "-6", "route", "add", "default", "via", gateway)


def pair(a, b, *words):
    emulator = Emulator(a, b, *words, addresses=False)
    address(a, A + "/24", A6 + "/64")
    address(b, B + "/24", B6 + "/64")
    return emulator


def ping(side, to, *more, code=0):
    done = side.do("ping", "-n", "-c", "1", "-W", "20", *more, to)
    check(done.returncode == code, "ping", to, *more, done.stdout, done.stderr)
    return done.stdout


def path_mtu(side, to):
    found = re.search(r"mtu (\d+)", side.must("ip", "-6", "route", "get", to))
    return int(found.group(1)) if found else 1500


def the_kernel_learns_the_path_mtu_of_ipv6(a, b):
    emulator = pair(a, b, "--fwd", "mtu 1400B delay 1ms", "--rev", "delay 1ms")
    ping(a, B6, "-M", "do", "-s", str(1400 - 48))
    check("mtu=1400" in ping(a, B6, "-M", "do", "-s", str(1401 - 48), code=1), "not told")
    check(path_mtu(a, B6) == 1400, path_mtu(a, B6))
    check(stage(emulator.end(), "fwd.mtu")["dropped"] == {"mtu": 1}, "more than one packet was lost")


def a_smaller_link_is_1280_to_ipv6(a, b):
    emulator = pair(a, b, "--link", "mtu 600B delay 1ms")
    tcp(a, b, 1000000, B6)
    check(path_mtu(a, B6) == 1280, path_mtu(a, B6))
    emulator.end()


def traceroute_shows_every_router_of_hops(a, b):
    emulator = pair(a, b, "--fwd", "hops 4 from 10.9.0.21 2001:db8::21 delay 1ms", "--rev", "hops 4 from 10.9.0.31 2001:db8::31 delay 1ms")
    for side, to4, to6, first in ((a, B, B6, 21), (b, A, A6, 31)):
        for i in range(4):
            check(told(side, to6, hops=i + 1) == ["EHOSTUNREACH", f"2001:db8::{first + i}", 3, 0], "IPv6 router", i)
            check(f"From 10.9.0.{first + i} " in ping(side, to4, "-t", str(i + 1), code=1), "IPv4 router", i)
        check(told(side, to6, hops=5) == ["ECONNREFUSED", to6, 1, 4], "the end of the way")
        check("ttl=60 " in ping(side, to6, "-t", "5"), "the end of the way")
    check(stage(emulator.end(), "fwd.hops")["dropped"] == {"ttl": 8}, "more ended than were sent to end")


def an_outage_is_told_by_whom_it_says(a, b):
    emulator = pair(a, b, "--fwd", "outage at 0s for 1h unreachable from 2001:db8::77 delay 1ms", "--rev", "delay 1ms")
    mac = json.loads(b.must("ip", "-j", "link", "show", "wt0"))[0]["address"] # an outage stops solicitations too
    a.must("ip", "-6", "neigh", "add", B6, "lladdr", mac, "dev", "wt0")
    check(told(a, B6) == ["EHOSTUNREACH", "2001:db8::77", 1, 3], told(a, B6))
    emulator.end()


def too_many_answers_are_withheld(a, b):
    emulator = pair(a, b, "--fwd", "hops 5", "--rev", "delay 1ms")
    ping(a, B6)
    answer(a.python(FLOOD6, B6, 1000, 3))
    ping(a, B6)  # what came before is read
    hops = stage(emulator.end(), "fwd.hops")
    check(hops["made"] >= 100 and hops["withheld"] > 100 and hops["made"] + hops["withheld"] == hops["dropped"]["ttl"], hops)


def the_limit_of_answers_can_be_chosen(a, b):
    emulator = pair(a, b, "--fwd", "hops 5", "--rev", "delay 1ms", "--icmp-limit", "1/s burst 10")
    ping(a, B6)
    answer(a.python(FLOOD6, B6, 1000, 3))
    hops = stage(emulator.end(), "fwd.hops")
    check(10 <= hops["made"] <= 60 and hops["made"] + hops["withheld"] == hops["dropped"]["ttl"] > 100, hops)


def kernel_tcp_of_ipv6_passes_a_smaller_mtu_and_its_capture_is_sound(a, b):
    path = scratch() + "/mtu.pcapng"
    emulator = pair(a, b, "--link", "mtu 1400B rate 50Mbit burst 3KB limit 100KB delay 1ms", "--capture", path)
    tcp(a, b, 3000000, B6)
    check(path_mtu(a, B6) == 1400, path_mtu(a, B6))
    check(stage(emulator.end(), "fwd.mtu")["dropped"]["mtu"] >= 1, "nothing was too large")
    if shutil.which("tshark"):
        strict = ["tshark", "-r", path, "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-e", "icmpv6.mtu", "-e", "_ws.expert.message", "-Y"]
        # tshark sums up quoted segments too, which are cut off: of those only what tells of them can be right
        bad = run([*strict, "_ws.malformed || icmpv6.checksum.status == 0 || (icmpv6.type != 2 && "
                   "(_ws.expert.severity == error || tcp.checksum.status == 0)) || (tcp && !icmpv6 && tcp.checksum.status != 1)"])
        check(bad.returncode == 0 and not bad.stdout.strip(), bad.stdout[:500], bad.stderr)
        large = run([*strict, "icmpv6.type == 2 && icmpv6.checksum.status == 1 && ipv6.plen == 1240"]).stdout
        check(large.startswith("1400"), "no sound packet too big in the capture:", large[:300])


def topology(sides, rest, prefix=64):
    text = "".join(f"[port p{i}]\ninterface = tap:wt0@{side.holder.pid}\ngateway = 10.0.{i}.1/24, 2001:db8:{i}::1/{prefix}\n"
                   for i, side in enumerate(sides, 1))
    path = scratch() + "/net.conf"
    with open(path, "w", encoding="ascii") as out:
        out.write(text + rest)
    emulator = Emulator(None, None, "-f", path, ports=(), addresses=False)
    for i, side in enumerate(sides, 1):
        address(side, f"10.0.{i}.2/24", f"2001:db8:{i}::2/64", gateway=f"2001:db8:{i}::1")
        side.must("ip", "route", "add", "default", "via", f"10.0.{i}.1")
    return emulator


ROUTERS = """
[router left]
address = 10.255.0.1, 2001:db8:ff::1
[router right]
address = 10.255.0.2, 2001:db8:ff::2
[link l1]
between = p1 left
[link r2]
between = right p2
[link narrow]
between = left right
both = mtu 1400B rate 50Mbit burst 0B limit 128KB delay 2ms
"""


def routers_forward_ipv6_and_say_why_not(a, b):
    emulator = topology([a, b], ROUTERS)
    check("ttl=62 " in ping(a, "2001:db8:2::2"), "hops")
    check("ttl=64 " in ping(a, "2001:db8:1::1") and "ttl=63 " in ping(a, "2001:db8:2::1"), "the gateways")
    link_local = [line for line in json.loads(a.must("ip", "-6", "-j", "neigh")) if "router" in line][0]
    check(link_local["dst"] == "2001:db8:1::1" and link_local["lladdr"].startswith("02:77:74:10:"), link_local)
    ping(a, "fe80::77:74ff:fe10:0%wt0")
    check(told(a, "2001:db8:2::2", hops=1) == ["EHOSTUNREACH", "2001:db8:1::1", 3, 0], "the first router")
    check(told(a, "2001:db8:2::2", hops=2) == ["EHOSTUNREACH", "2001:db8:ff::2", 3, 0], "the second router")
    check(told(a, "2001:db8:2::2", hops=3) == ["ECONNREFUSED", "2001:db8:2::2", 1, 4], "the end")
    check(told(a, "2001:db8:1::1", hops=1) == ["ECONNREFUSED", "2001:db8:1::1", 1, 4], "no port of the first router")
    check(told(a, "2001:db8:2::1", hops=2) == ["ECONNREFUSED", "2001:db8:2::1", 1, 4], "no port of the second router")
    check(told(a, "2001:db8:9::9") == ["ENETUNREACH", "2001:db8:1::1", 1, 0], "no route")
    check(told(a, "2001:db8:2::77") == ["EHOSTUNREACH", "2001:db8:ff::2", 1, 3], "nobody there")
    check("mtu=1400" in ping(a, "2001:db8:2::2", "-M", "do", "-s", "1353", code=1), "too big")
    record = emulator.end()
    left, right = record["routers"]
    check(left["dropped"]["ttl"] == 1 and left["dropped"]["unrouted"] == 1, left)
    check(right["dropped"]["ttl"] == 1 and right["dropped"]["neighbour"] == 1, right)


def the_smallest_link_of_the_manual_pages_example_is_found_from_both_ends(a, b):
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "man", "wavetank-emu.conf.5.scd")
    with open(page, encoding="ascii") as text:
        example = text.read().split("```")[-2]
    check("@left" in example and "mtu 1400B from 10.255.0.2 2001:db8:ff::2" in example, "another example:", example)
    path = scratch() + "/three.conf"
    with open(path, "w", encoding="ascii") as out:
        out.write(example.replace("@left", f"@{a.holder.pid}").replace("@right", f"@{b.holder.pid}"))
    emulator = Emulator(None, None, "-f", path, ports=(), addresses=False)
    for i, side in enumerate((a, b), 1):
        address(side, f"10.0.{i}.2/24", f"2001:db8:{i}::2/64", gateway=f"2001:db8:{i}::1")
        side.must("ip", "route", "add", "default", "via", f"10.0.{i}.1")
    for i, side in enumerate((a, b), 1):
        check("From 10.255.0.2 " in (out := ping(side, f"10.0.{3 - i}.2", "-M", "do", "-s", "1450", code=1)) and "mtu = 1400" in out, i, out)
        out = ping(side, f"2001:db8:{3 - i}::2", "-M", "do", "-s", "1450", code=1)
        check("From 2001:db8:ff::2 " in out and "mtu=1400" in out, i, out)
    if shutil.which("tracepath"):
        check("pmtu 1400" in (out := a.must("tracepath", "-n", "10.0.2.2")) and "reached" in out, out)
        check("pmtu 1400" in (out := b.must("tracepath", "-n", "2001:db8:1::2")) and "reached" in out, out)
    for router in emulator.end()["routers"]:
        check("ip-source" not in router["dropped"], router)


def kernel_tcp_crosses_routers_both_ways_in_both_families(a, b):
    emulator = topology([a, b], ROUTERS)
    tcp(a, b, 2000000, "2001:db8:2::2")
    tcp(b, a, 2000000, "2001:db8:1::2")
    tcp(a, b, 1000000, "10.0.2.2")
    if shutil.which("iperf3"):
        for reverse in ([], ["-R"]):
            server = start(b.inside("iperf3", "-6", "-s", "-1", "--forceflush"), stdout=subprocess.PIPE, text=True)
            while "listening" not in server.stdout.readline():
                check(server.poll() is None, "iperf3 ended")
            began = time.monotonic()
            out = a.must("iperf3", "-6", "-c", "2001:db8:2::2", "-n", "3M", "-J", *reverse)
            seconds, got = time.monotonic() - began, json.loads(out)["end"]["sum_received"]["bytes"]
            check(got > 1 << 20 and got * 8 < 50e6 * seconds, f"{got} bytes in {seconds:.2f} s through a link of 50 Mbit/s", *reverse)
            server.communicate(timeout=30)
    record = emulator.end()
    check(record["audit_holds"] and not record["total"]["lost"], record["total"])


def big_frames_of_ipv6_are_cut_before_they_are_refused_or_forwarded(a, b):
    emulator = topology([a, b], ROUTERS + "[emulator]\noffload = yes\n")
    tcp(a, b, 2000000, "2001:db8:2::2")
    tcp(b, a, 2000000, "2001:db8:1::2")
    check(told(a, "2001:db8:2::2", hops=1) == ["EHOSTUNREACH", "2001:db8:1::1", 3, 0], "the first router")
    check(path_mtu(a, "2001:db8:2::2") == 1400, "too big was not told") # b is: a offers it segments that fit
    record = emulator.end()
    check(record["ports"][0]["big"] > 10 and record["audit_holds"], record["ports"])


def a_host_that_tries_the_routers_address_finds_it_taken(a, b):
    emulator = topology([a, b], "[router r]\n[link x]\nbetween = p1 r\n[link y]\nbetween = r p2\n")
    a.must("ip", "address", "add", "2001:db8:1::1/64", "dev", "wt0")

    def taken():
        state = [one for one in json.loads(a.must("ip", "-6", "-j", "address", "show", "dev", "wt0"))[0]["addr_info"]
                 if one["local"] == "2001:db8:1::1"]
        return state and state[0].get("dadfailed")

    until(taken, "the address was not found taken")
    emulator.end()


main(the_kernel_learns_the_path_mtu_of_ipv6, a_smaller_link_is_1280_to_ipv6, traceroute_shows_every_router_of_hops,
     an_outage_is_told_by_whom_it_says, too_many_answers_are_withheld, the_limit_of_answers_can_be_chosen, kernel_tcp_of_ipv6_passes_a_smaller_mtu_and_its_capture_is_sound,
     routers_forward_ipv6_and_say_why_not, the_smallest_link_of_the_manual_pages_example_is_found_from_both_ends, kernel_tcp_crosses_routers_both_ways_in_both_families,
     big_frames_of_ipv6_are_cut_before_they_are_refused_or_forwarded, a_host_that_tries_the_routers_address_finds_it_taken)
