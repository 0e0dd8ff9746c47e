# SPDX-License-Identifier: BSD-2-Clause
"""The emulator measured from outside: how exact its delays and rates are; how much it forwards: emu_wire.py. The verdict of each run says
whether the machine let it be. emu_bench.py WAVETANK EMU_TRAFFIC [delay|rate]... [--realtime]"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "emu"))
from lab import *

TRAFFIC = os.path.abspath(sys.argv[2])
EXTRA = [word for word in sys.argv[3:] if word.startswith("--")]
WANTED = [word for word in sys.argv[3:] if not word.startswith("--")] or ["delay", "rate"]
QUANTILES = ("min", "p1", "p50", "p90", "p99", "p999", "max")


def measure(a, b, how, count, gap, size, *words, first=0):
    """Runs datagrams from a to b through an emulator: what the receiver saw, what the sender took, the record."""
    extra = [word for word in EXTRA if how != "spin" or word != "--awake"]
    emulator = Emulator(a, b, "--release", how, *words, *extra)
    a.must("ip", "link", "set", "wt0", "txqueuelen", "10000")  # as in a lab
    answer(a.python(PING, B, 1, 0))
    receiver = start(b.inside(TRAFFIC, "recv", str(count)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(receiver.stderr.readline() == "listening\n", "the receiver does not listen")
    sender = start(a.inside(TRAFFIC, "send", B, str(count), str(gap), str(size), str(first)), stdout=subprocess.PIPE, text=True)
    sent = answer(sender, 60)
    got = answer(receiver, 60)
    record = emulator.end()
    for name in ("delay_ns", "gap_ns"):
        got[name] = dict(zip(QUANTILES, got[name]))
    return got, sent, record


def verdict(record):
    faults = ",".join(fault["fault"] for fault in record["verdict"]["faults"])
    return f"{'valid' if not faults else 'NOT VALID: ' + faults}, processor {record['lateness']['cpu_s'] / record['ran_ns'] * 1e9:.1%}"


# A thousand a second, but out of step with the delays: else each release meets an arrival, which a loop that is awake reads sooner.
GAP = 1003000


def delay(a, b):
    """The path's own cost is what a frame takes through an emulator that never sleeps and delays nothing: no wake-up is in it."""
    own, _, _ = measure(a, b, "spin", 3000, GAP, 100)
    print(f"an ideal wire, spin: p50 {own['delay_ns']['p50'] / 1e3:.1f} us, p99 {own['delay_ns']['p99'] / 1e3:.1f} us", flush=True)
    for how in ("sleep", "guard", "spin"):
        for ms in (15, 50):
            got, _, record = measure(a, b, how, 5000, GAP, 100, "--fwd", f"delay {ms}ms")
            more = {q: (got["delay_ns"][q] - ms * 1000000) / 1e3 for q in QUANTILES}
            late = record["ports"][1]["late"]
            print(f"delay {ms} ms, {how}: over the delay p50 {more['p50']:+.1f} p99 {more['p99']:+.1f} us, and over the path's own cost "
                  f"p50 {more['p50'] - own['delay_ns']['p50'] / 1e3:+.1f} p99 {more['p99'] - own['delay_ns']['p50'] / 1e3:+.1f} us, worst "
                  f"{more['max']:+.0f}; left late p50 {late['p50_ns'] / 1e3:.1f} p99 {late['p99_ns'] / 1e3:.1f} us; {verdict(record)}",
                  flush=True)


# What stands in the queue from the beginning, so that the sender may be stopped for some ms (it shares its processor with the receiver) and
# the link is busy all the same: it is the link's rate that is measured.
STANDING = 1300


def rate(a, b):
    for how in ("guard", "spin"):
        for mbit in (12, 100, 1000):
            ideal = 1514 * 8 * 1000 / mbit  # ns between frames
            count = int(3e9 / ideal * 1.02)
            got, _, record = measure(a, b, how, count, int(ideal / 1.04), 1472, "--fwd", f"rate {mbit}Mbit burst 0B limit 4MB", first=STANDING)
            first = got["bytes"] / got["count"]
            bps = (got["bytes"] - first) * 8 / got["seconds"] if got["seconds"] else 0
            off = max(abs(got["gap_ns"]["p99"] - ideal), abs(got["gap_ns"]["p1"] - ideal)) / 1e3
            print(f"rate {mbit} Mbit/s, {how}: {bps / 1e6:.3f} Mbit/s ({(bps / mbit / 1e6 - 1) * 100:+.3f} %), gap p1 "
                  f"{got['gap_ns']['p1'] / 1e3:.1f} p50 {got['gap_ns']['p50'] / 1e3:.1f} p99 {got['gap_ns']['p99'] / 1e3:.1f} us, ideal "
                  f"{ideal / 1e3:.1f}, within {off:.1f} us; {got['count']} of {count}; {verdict(record)}", flush=True)


TESTS = {"delay": delay, "rate": rate}
main(*(TESTS[name] for name in WANTED))
