# SPDX-License-Identifier: BSD-2-Clause
from emu_lab import *


LENGTH = 142  # of a datagram of ours as a frame; the kernel adds packets of its own when an interface comes up


def drops(log, node):
    with open(log, encoding="ascii") as lines:
        events = [json.loads(line) for line in lines]
    return [e for e in events if e["event"] == "emulation:packet_dropped" and e["data"]["node"] == node and e["data"]["len_bytes"] == LENGTH]


def lost(a, b, noise):
    log = scratch() + "/log.jsonl"
    emulator = Emulator(a, b, "--seed", "7", "--fwd", "loss 20%", "--log", log)
    ping = a.python(PING, B, 20, 0.02) if noise else None
    if noise:
        a.must("ip", "neighbour", "flush", "dev", "wt0")
    got, _ = udp(a, b, 1000, 0.001)
    if ping:
        answer(ping)
    record = emulator.end()
    missing = sorted(set(range(1000)) - set(got))
    check(len(missing) == len(drops(log, "fwd.loss")), len(missing), len(drops(log, "fwd.loss")))
    check(len(missing) <= stage(record, "fwd.loss")["dropped"]["loss"], record)
    return missing


def a_seed_loses_the_same_datagrams_whatever_else_passes(a, b):
    quiet, noisy = lost(a, b, False), lost(a, b, True)
    check(quiet == noisy, "differ:", set(quiet) ^ set(noisy))
    check(150 < len(quiet) < 250, len(quiet))


def gilbert_losses_agree_in_record_log_capture_and_at_the_receiver(a, b):
    where = scratch()
    emulator = Emulator(a, b, "--link", "loss gilbert on 200ms 50% off 200ms 0% shared", "--log", where + "/log.jsonl", "--capture",
                        where + "/path.pcapng")
    got, _ = udp(a, b, 3000, 0.001)
    record = emulator.end()
    of_fwd = drops(where + "/log.jsonl", "fwd.gilbert")
    dropped = len(of_fwd)
    check(3000 - len(got) == dropped and all(e["data"]["cause"] == "markov" for e in of_fwd), len(got), dropped)
    check(0 <= stage(record, "fwd.gilbert")["dropped"]["markov"] - dropped <= 10, record)
    # they come in bursts of the on state: no gap between two drops is longer than the run, and some exceed 100 ms
    gaps = [y["time_ns"] - x["time_ns"] for x, y in zip(of_fwd, of_fwd[1:])]
    check(max(gaps) > 50e6 and sorted(gaps)[len(gaps) // 2] < 10e6, "not bursty", max(gaps))
    if os.path.exists("/usr/bin/tshark"):
        shown = run(["tshark", "-r", where + "/path.pcapng", "-Y", 'frame.comment contains "fwd.gilbert" && udp'])
        check(len(shown.stdout.splitlines()) == dropped, len(shown.stdout.splitlines()), dropped, shown.stderr)
    print(f"    {dropped} of 3000 lost")


main(a_seed_loses_the_same_datagrams_whatever_else_passes, gilbert_losses_agree_in_record_log_capture_and_at_the_receiver)
