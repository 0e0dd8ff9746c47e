# SPDX-License-Identifier: BSD-2-Clause
from lab import *


def the_kernels_tcp_crosses_loss_reordering_and_duplication_unharmed(a, b):
    emulator = Emulator(a, b, "--link", "rate 50Mbit burst 20KB limit 128KB delay 5ms loss 0.5% duplicate 1% reorder 1% delay 2ms")
    seconds = tcp(a, b, 5 << 20)
    record = emulator.end()
    check(stage(record, "fwd.duplicate")["made"] > 0, record)
    check(stage(record, "fwd.loss")["dropped"]["loss"] > 0, record)
    print(f"    5 MiB in {seconds:.2f} s")


def a_rate_is_the_rate(a, b):
    # datagrams of 1042 bytes on the wire, offered at twice 10 Mbit/s for 3 s; the queue keeps the link busy
    # even where the sender is held up for some 300 ms
    emulator = Emulator(a, b, "--fwd", "rate 10Mbit burst 10KB limit 400KB")
    got, seconds = udp(a, b, 7200, 1 / 2400, 1000)
    record = emulator.end()
    rate = stage(record, "fwd.rate")
    arp = rate["in"] - 7200  # a rate delays everything
    check(0 <= arp <= 6 and rate["out"] + rate["dropped"]["queue"] == rate["in"], rate)
    check(0 <= rate["out"] - len(got) <= arp, rate, len(got))
    # the rate, a full bucket and a full queue; less only where a busy machine let the queue run empty
    most = (10e6 / 8 * seconds + 10e3 + 400e3) / 1042
    check(0.8 * most < len(got) < most + 2, len(got), "for", most)
    check(got == sorted(got), "out of order")


def an_ideal_wire_carries_the_kernels_tcp(a, b):
    emulator = Emulator(a, b)
    seconds = tcp(a, b, 200 << 20)
    record = emulator.end()
    check(record["fwd"]["dropped"] == 0 or record["ports"][1]["dropped"], record)
    print(f"    {200 * 8 * 1.048576 / seconds:.0f} Mbit/s")


def veth_pairs_and_packet_sockets_do_as_well_as_tap(a, b):
    middle = Side()
    ports = [veth(middle, "ea", a), veth(middle, "eb", b)]
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
        off = side.do("ethtool", "-K", "wt0", "tx", "off", "tso", "off", "gso", "off", "gro", "off")
        if off.returncode:
            print("    no ethtool: skipped")
            return
    emulator = Emulator(a, b, "--link", "delay 2ms", ports=ports)
    tcp(a, b, 5 << 20)
    emulator.end()


main(the_kernels_tcp_crosses_loss_reordering_and_duplication_unharmed, a_rate_is_the_rate, an_ideal_wire_carries_the_kernels_tcp,
     veth_pairs_and_packet_sockets_do_as_well_as_tap)
