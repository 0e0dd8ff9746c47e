# SPDX-License-Identifier: BSD-2-Clause
"""When a frame came: by the kernel's stamp, whatever the emulator was doing at that moment. Here it is stopped until some dozens have come,
and 30 ms more, which a busy scheduler or a hypervisor does, too. Only frames sent meanwhile are looked at, and all delays are longer
than a stop: dated when they are read, all would leave 30 ms late."""
from lab import *

# One datagram a millisecond and never two at once, each with the time it was sent, until its standard input ends.
SEND = """
import select, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while not select.select([sys.stdin], [], [], 0)[0]:
    s.sendto(time.time_ns().to_bytes(8, "big") + bytes(992), (sys.argv[1], 7777))
    time.sleep(0.001)
print("true")
"""

# Prints when each was sent and when it came, by the kernel's stamp; until its standard input ends, and then until nothing comes.
RECEIVE = """
import json, select, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 35, 1) # SO_TIMESTAMPNS
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
s.bind(("", 7777))
print("listening", file=sys.stderr, flush=True)
got, ends = [], [sys.stdin]
while ready := select.select([s, *ends], [], [], None if ends else 0.8)[0]:
    if s in ready:
        data, beside, _, _ = s.recvmsg(2000, 200)
        at = [struct.unpack("qq", what) for level, kind, what in beside if (level, kind) == (socket.SOL_SOCKET, 35)][0]
        got.append((int.from_bytes(data[:8], "big"), at[0] * 1000000000 + at[1]))
    else:
        ends = []
print(json.dumps(got))
"""

STOPS, BEFORE_ITS_END = 3, 0.03


def sent_by(side):
    """Datagrams that left the sockets of its namespace."""
    with open(f"/proc/{side.holder.pid}/net/snmp", encoding="ascii") as file:
        names, values = (line.split() for line in file if line.startswith("Udp:"))
    return int(values[names.index("OutDatagrams")])


def stop_and_go(a, b, *words, stopped=0, **options):
    """Traffic through an emulator that is stopped now and then: (delays in ms of what was sent in each stop but for its last 30 ms, record)."""
    emulator = Emulator(a, b, *words, **options)
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "up")
    receiver = listener(b, RECEIVE)
    sender = a.python(SEND, B, stdin=subprocess.PIPE)
    stops = []
    for _ in range(STOPS):
        time.sleep(0.35)
        emulator.process.send_signal(signal.SIGSTOP)
        began, before = time.time_ns(), sent_by(a)
        time.sleep(stopped)
        until(lambda: sent_by(a) >= before + 40, "nothing is sent")
        stops.append((began, time.time_ns()))
        time.sleep(BEFORE_ITS_END)
        emulator.process.send_signal(signal.SIGCONT)
    time.sleep(0.1)
    answer(sender)
    got = answer(receiver)
    within = [(at - sent) / 1e6 for sent, at in got if any(began < sent < end for began, end in stops)]
    return sorted(within), emulator.end()


def in_time(a, b, *words, **options):
    """The same with a delay of 300 ms until a fifth of the delays show no more than that: the host may delay what leaves, all of a stop at once."""
    for _ in range(6):
        delays, record = stop_and_go(a, b, "--fwd", "delay 300ms", *words, **options)
        check(len(delays) >= 100 and delays[0] >= 300, delays)
        if delays[len(delays) // 5] < 310:
            return delays, record
        for side in (a, b):
            side.do("ip", "address", "flush", "dev", "wt0")  # a veth stays
    raise AssertionError(f"dated late: {delays}")


def middle(values):
    return values[len(values) // 2]


def a_frame_that_came_while_the_emulator_stood_still_is_released_a_delay_after_it_was_sent(a, b):
    delays, record = in_time(a, b)
    arrival = record["ports"][0]["arrival"]
    check(arrival["by"] == "kernel" and arrival["unstamped"] < 20 < arrival["stamped"], arrival)
    print(f"    delays of 300 ms: half below {middle(delays):.3f}, all below {delays[-1]:.3f} ms")


def the_same_by_packet_sockets(a, b):
    m = Side()
    _, record = in_time(a, b, ports=[veth(m, "wta", a), veth(m, "wtb", b)])
    m.close()
    arrival = record["ports"][0]["arrival"]
    check(arrival["by"] == "kernel" and arrival["source"] == "socket", arrival)


def asked_for_the_time_of_the_reading_it_is_that(a, b):
    delays, record = stop_and_go(a, b, "--fwd", "delay 300ms", "--arrival", "read")
    check(len(delays) >= 100 and middle(delays) > 325, "not dated late:", delays)
    arrival = record["ports"][0]["arrival"]
    check(arrival["by"] == "read" and arrival["stamped"] == 0 and not {"refused", "source"} & set(arrival), arrival)


def a_queue_that_would_not_have_been_full_does_not_overflow_when_the_emulator_comes_back(a, b):
    # 1042 bytes a millisecond; a stop makes more than 40 KB of them
    words = ["--fwd", "rate 20Mbit burst 0B limit 20KB"]
    _, record = stop_and_go(a, b, *words)
    check(stage(record, "fwd.rate")["dropped"] == {}, record["fwd"])
    _, record = stop_and_go(a, b, *words, "--arrival", "read")
    check(stage(record, "fwd.rate")["dropped"].get("queue", 0) > 0, "dated when read there was room, too:", record["fwd"])


def frames_that_waited_unseen_make_a_run_invalid_though_nobody_knows_how_long(a, b):
    # a pulse is due every 50 ms, and of three stops of 300 ms most are missed by more than 100
    _, record = stop_and_go(a, b, "--fwd", "", "--late", "10ms", stopped=0.3)
    check(("late", "loop") in [(fault["fault"], fault["where"]) for fault in record["verdict"]["faults"]], record["verdict"], record["lateness"])
    check(record["ports"][0]["arrival"]["by"] == "read" and record["lateness"]["judged_ns"] > 10000000, record["lateness"])
    _, record = stop_and_go(a, b, "--fwd", "", "--late", "10s")
    check("late" not in [fault["fault"] for fault in record["verdict"]["faults"]], record["verdict"])


def where_nothing_hangs_on_it_stamps_are_not_asked_for_until_a_change(a, b):
    control = scratch() + "/control"
    emulator = Emulator(a, b, "--control", control, "--rev", "delay 1ms")
    answer(a.python(PING, B, 5, 0.01))
    before = [port["arrival"]["by"] for port in json.loads(run([WAVETANK, "emu", "show", "--json", "--control", control]).stdout)["ports"]]
    check(before == ["read", "kernel"], before)
    done = run([WAVETANK, "emu", "set", "--control", control, "fwd", "delay 1ms"])
    check(done.returncode == 0, done.stderr)
    answer(a.python(PING, B, 5, 0.01))
    arrival = emulator.end()["ports"][0]["arrival"]
    check(arrival["by"] == "kernel" and arrival["stamped"] >= 5 and arrival["unstamped"] >= 5, arrival)


def by_a_ring_if_that_is_asked_for_it_is_the_same(a, b):
    _, record = in_time(a, b, "--arrival", "ring")
    arrival = record["ports"][0]["arrival"]
    check(arrival["source"] == "ring" and arrival["unstamped"] < 20 < arrival["stamped"], arrival)
    _, record = stop_and_go(a, b, "--fwd", "rate 20Mbit burst 0B limit 20KB", "--arrival", "ring")
    check(stage(record, "fwd.rate")["dropped"] == {}, record["fwd"])


def passed(a, *words):
    """How ten frames were dated by an emulator in one namespace, run under this command."""
    emulator = Emulator(a, a, "--fwd", "delay 5ms", ports=["tap:left", "tap:right"], addresses=False, under=a.inside(*words))
    check(answer(a.python(PASS)) == list(range(10)), "frames are missing")
    return emulator.end()["ports"][0]["arrival"]


def without(*capabilities):
    return ["setpriv", "--bounding-set=" + ",".join("-" + capability for capability in capabilities)]


def who_may_not_load_programs_has_stamps_by_a_ring_and_who_may_nothing_has_none(a, b):
    best = passed(a)
    check(best["by"] == "kernel" and best["stamped"] >= 10, best)
    open_to_all = run(["sysctl", "-n", "kernel.unprivileged_bpf_disabled"]).stdout.strip() == "0"
    arrival = passed(a, *without("sys_admin", "cap_39"))  # CAP_BPF
    check(arrival["by"] == "kernel" and arrival["stamped"] >= 10 and (open_to_all or arrival["source"] == "ring"), arrival)
    if best["source"] == "filter":  # which takes no privilege to listen
        arrival = passed(a, *without("net_raw"))
        check(arrival["source"] == "filter" and arrival["stamped"] >= 10, arrival)
    arrival = passed(a, *without("sys_admin", "cap_39", "net_raw"))
    check(open_to_all or arrival["by"] == "read" and arrival["stamped"] == 0 and arrival["unstamped"] >= 10, arrival)
    check(open_to_all or arrival["refused"] == "Operation not permitted", arrival)


def a_clock_that_is_not_the_machines_is_not_mixed_with_it(a, b):
    namespace = ["unshare", "--time", "--monotonic", "30"]
    if run([*namespace, "true"]).returncode:
        return print("    skipped: no time namespaces here")
    arrival = passed(a, *namespace)
    check(arrival["source"] == "ring" and arrival["stamped"] >= 10, arrival)


def a_tap_that_comes_back_when_privileges_have_gone_has_its_stamps_again(a, b):
    for how in ("kernel", "ring"):
        emulator = Emulator(a, b, "--link", "delay 5ms", "--wait-ports", "--seccomp", "--arrival", how)
        answer(a.python(PING, B, 5, 0.01))
        a.must("ip", "link", "delete", "wt0")
        until(lambda: any(link["ifname"] == "wt0" and "UP" in link["flags"] for link in json.loads(a.must("ip", "-j", "link"))),
              "the TAP is not made anew")
        a.must("ip", "address", "add", A + "/24", "dev", "wt0")
        check(len(answer(a.python(PING, B, 20, 0.01))) == 20, "no answers")
        arrival = emulator.end()["ports"][0]["arrival"]
        check("refused" not in arrival and arrival["stamped"] >= 20, how, arrival)


main(a_frame_that_came_while_the_emulator_stood_still_is_released_a_delay_after_it_was_sent, the_same_by_packet_sockets,
     asked_for_the_time_of_the_reading_it_is_that,
     a_queue_that_would_not_have_been_full_does_not_overflow_when_the_emulator_comes_back,
     frames_that_waited_unseen_make_a_run_invalid_though_nobody_knows_how_long,
     where_nothing_hangs_on_it_stamps_are_not_asked_for_until_a_change,
     by_a_ring_if_that_is_asked_for_it_is_the_same, who_may_not_load_programs_has_stamps_by_a_ring_and_who_may_nothing_has_none,
     a_clock_that_is_not_the_machines_is_not_mixed_with_it, a_tap_that_comes_back_when_privileges_have_gone_has_its_stamps_again)
