# SPDX-License-Identifier: BSD-2-Clause
"""
One Reno flow over a path that loses a packet now and then and has no queue: its goodput in segments per round trip beside a closed form,
beside the same rules counted packet by packet, beside ns-2, and (with root) beside the kernel's Reno. docs/validation.md derives the form.

The losses are about N packets apart: N times 0.9 to 1.1, spread evenly by the golden section. With equal distances the window of a loss is
always the same whole number, and the mean depends on which one it is, by up to 5 %.
"""
import collections
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import closed
import flow
import linux
import ns2

RTT = 0.05
SKIP = 8  # losses before the saw-tooth has its shape; the first one ends slow start
CYCLES = {333: 80, 1000: 60, 3000: 40, 10000: 30}  # N: how many losses
FORM, COUNTED, REAL = 0.01, 0.004, 0.02  # bounds of the comparisons
GOLDEN = (math.sqrt(5) - 1) / 2

OURS = ["-C", "reno:growth=acks", "--recovery", "sack:prr=off"]
AS_NS2 = ["-C", "reno:growth=acks,halve=window", "--recovery", "sack:lost_retransmission=timer,prr=off"]


def distances(period, cycles):
    return [round(period * (0.9 + 0.2 * (i * GOLDEN % 1))) for i in range(1, cycles + 1)]


def form(period):
    """
    (window at the loss, round trips of a cycle) of a Reno that halves its flight and grows by 1/W per ACK (RFC 5681 equation 3).
    W: the window when the loss is seen; the flight is the whole segments of it, on average W - 1/2, and h is half of that.
    From h to W each ACK adds 1 to W^2/2, so (W^2 - h^2)/2 ACKs; the ACKs of the recovery are those of the flight and of two packets of
    limited transmit. All packets but the lost one are acknowledged: (W^2 - h^2)/2 + W - 1/2 + 2 = N - 1.
    A round trip has a whole number of ACKs, those of the packets sent in the one before: it adds (W - 1)/W, so W - h + ln(W/h) round
    trips of growth. Recovery takes one; after it nothing comes for the half that let nothing go, and as the next loss is seen anywhere
    in the other half, a quarter more on average.
    """
    low, high = 2.0, 2.0 * period
    while high - low > 1e-9:
        window = (low + high) / 2
        half = (window - 0.5) / 2
        low, high = (window, high) if (window**2 - half**2) / 2 + window + 1.5 < period - 1 else (low, window)
    return window, window - half + math.log(window / half) + 1.25


def expected(gaps):
    return sum(gap - 1 for gap in gaps) / sum(form(gap)[1] for gap in gaps)


class Counted:
    """The rules packet by packet; a packet or its ACK takes a round trip and no other time. growth: acks or bytes (whole windows)."""

    def __init__(self, gaps, growth="acks", halve="flight", limited=2):
        self.growth, self.halve, self.limited = growth, halve, limited
        self.lost = set()
        number = 1  # the SYN
        for gap in gaps:
            number += gap
            self.lost.add(number)
        self.cwnd, self.ssthresh, self.count = 2.0, math.sqrt(2 * gaps[0] / 3), 0.0
        self.sent, self.next, self.una, self.above, self.recover, self.dupacks = 1, 0, 0, set(), None, 0
        self.fly, self.now, self.losses = collections.deque(), 0.0, []
        self.fill(self.cwnd)
        while len(self.losses) < len(gaps):
            self.now, packet = self.fly.popleft()
            self.take(packet)

    def send(self, packet):
        self.sent += 1
        if self.sent in self.lost:
            self.losses.append((self.now, self.una + len(self.above)))
        else:
            self.fly.append((self.now + 1, packet))

    def fill(self, window):
        while self.next - self.una - len(self.above) + 1 <= window + 1e-9:
            self.send(self.next)
            self.next += 1

    def grow(self):
        if self.cwnd < self.ssthresh:
            self.cwnd += 1
        elif self.growth == "acks":
            self.cwnd += 1 / self.cwnd
        else:
            self.count += 1
            if self.count >= self.cwnd:
                self.count, self.cwnd = self.count - self.cwnd, self.cwnd + 1

    def take(self, packet):
        before = self.una
        self.above.add(packet)
        while self.una in self.above:
            self.above.discard(self.una)
            self.una += 1
        if self.una == before:
            self.dupacks += 1
            if self.dupacks == 3 and self.recover is None:
                self.reduce()
        elif self.recover is None:
            self.dupacks = 0
            self.grow()
        elif self.una >= self.recover:
            self.recover, self.dupacks = None, 0
        # SACK takes what arrived above the hole off the flight: of that, limited transmit lets two packets go
        self.fill(self.cwnd if self.recover is not None else self.cwnd + min(self.dupacks, self.limited) - len(self.above))

    def reduce(self):
        flight = self.next - self.una - self.limited
        self.ssthresh = self.cwnd = {"flight": flight / 2, "window": self.cwnd / 2, "segments": int(self.cwnd) // 2}[self.halve]
        self.recover, self.count = self.next, 0
        self.send(self.una)

    def rate(self):
        return per_round_trip(self.losses, 1)


def per_round_trip(losses, rtt):
    """losses: (second, packets delivered)."""
    (begin, first), (end, last) = losses[SKIP], losses[-1]
    return (last - first) / (end - begin) * rtt


def listed(path, gaps):
    """One line a packet; the first is the SYN."""
    with open(path, "w", encoding="ascii") as file:
        file.write("0\n" + "".join("0\n" * (gap - 1) + "1\n" for gap in gaps))


def seconds(gaps):
    return round(sum(form(gap)[1] for gap in gaps) * RTT * 1.15 + 2)


def ours(wavetank, words, gaps):
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        path = os.path.join(folder, "losses")
        listed(path, gaps)
        points, found = closed.sim(wavetank, f"rate 10Gbit burst 0B limit 10MB delay 25ms | loss trace {path}", "delay 25ms", seconds(gaps), words)
    return closed.rate(points, found[SKIP], found[len(gaps) - 1]) / closed.MSS * RTT


def numbers(gaps):
    number = 0
    for gap in gaps:
        number += gap
        yield number


def theirs(gaps):
    """ns-2's Sack1. (second, different packets sent so far) at each loss."""
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        trace = os.path.join(folder, "ns2")
        words = ["Sack1", "TCPSink/Sack1", 100000, "10Gb", "25ms", 100000, ",".join(map(str, numbers(gaps))), seconds(gaps), trace]
        subprocess.run(["ns", os.path.join(ns2.HERE, "link.tcl"), *map(str, words)], check=True, capture_output=True)
        sent, losses = set(), []
        with open(trace, encoding="ascii") as file:
            for line in file:
                word = line.split()
                if word[0] == "-" and word[2] == "0":
                    sent.add(word[10])
                elif word[0] == "d":
                    losses.append((float(word[1]), len(sent)))
    return per_round_trip(losses, RTT)


def row(text, measured, wanted, bound):
    """Prints a line; whether it is beyond the bound."""
    wrong = abs(measured / wanted - 1) > bound
    print(f"{text:56}{measured:9.2f}{wanted:9.2f}{measured / wanted - 1:+9.2%}{'  DIFFERS' if wrong else ''}", flush=True)
    return wrong


def table(wavetank, quick=False):
    """Virtual time, arithmetic and ns-2; how many rows are beyond their bound."""
    bad = 0
    print(f"{'a loss every N packets, segments per round trip':56}{'measured':>9}{'wanted':>9}")
    for period in [333] if quick else CYCLES:
        gaps = distances(period, CYCLES[period])
        used = gaps[SKIP + 1:]
        measured = ours(wavetank, OURS, gaps)
        bad += row(f"N {period}: ours, by the closed form", measured, expected(used), FORM)
        bad += row(f"N {period}: ours, by the packets counted", measured, Counted(gaps).rate(), COUNTED)
        bad += row(f"N {period}: ours as ns-2, by the packets counted", ours(wavetank, AS_NS2, gaps), Counted(gaps, halve="window").rate(), COUNTED)
        bad += row(f"N {period}: ns-2's Sack1, by the packets counted", theirs(gaps), Counted(gaps, halve="window", limited=0).rate(), COUNTED)
        plain = math.sqrt(1.5 * sum(used) / len(used))
        print(f"{f'N {period}: ours, by sqrt(3/2)/sqrt(p)':56}{measured:9.2f}{plain:9.2f}{measured / plain - 1:+9.2%}  not judged", flush=True)
    return bad


# ---- over TAP, and the kernel ------------------------------------------------------------------------------------

RATE = 50e6 # spaces the packets of a burst for the kernel; far above what the flow takes
KERNEL = "reno"


def captured(path):
    """(second, different segments sent so far) at each loss."""
    source, sent, losses = None, set(), []
    for frame in flow.frames(path):
        source = source or frame.source
        if frame.source == source and frame.length and frame.point == "a":
            sent.add(frame.seq)
        elif frame.source == source and frame.length and frame.point == "drops":
            losses.append((frame.time / 1e9, len(sent)))
    return losses


def real(wavetank, words, gaps):
    """In a lab, to our receiver, which acknowledges each segment. words: our sender; KERNEL: the kernel's. None: no valid run."""
    first, size = ["chrt", "-f", "10"], (sum(gaps) - 40) * 1448
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        path, capture = os.path.join(folder, "losses"), os.path.join(folder, "capture.pcapng")
        listed(path, gaps)
        for attempt in range(linux.ATTEMPTS):
            lab = f"wtsaw{os.getpid() % 100000}-{attempt}"
            subprocess.run([wavetank, "lab", "up", lab, "--backend", "tap", "--fwd", f"rate {RATE / 1e6:.0f}Mbit burst 0B limit 1MB delay 25ms | "
                            f"loss trace {path}", "--rev", "delay 25ms", "--capture", capture, "--realtime", "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            try:
                with subprocess.Popen([*first, wavetank, "lab", "exec", f"{lab}:b", wavetank, "recv", "-1", "--raw", "-i", "0", "--rcc", "standard",
                                       "-S", "ack_every=1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waiting:
                    time.sleep(0.5)
                    send = [sys.executable, "-c", linux.SEND, "10.77.0.102", str(size), KERNEL] if words == KERNEL else \
                        [wavetank, "send", "--raw", "-i", "0", "-n", f"{size}B", "-c", "10.77.0.102", *words]
                    subprocess.run([*first, wavetank, "lab", "exec", f"{lab}:a", *send], check=True, stdout=subprocess.DEVNULL, timeout=300)
                    waiting.terminate()
            finally:
                down = subprocess.run([wavetank, "lab", "down", lab, "--json"], check=False, capture_output=True, text=True).stdout
            if not json.loads(down)["verdict"]["faults"]:
                return per_round_trip(captured(capture), RTT + 1514 * 8 / RATE)
    return None


def table_real(wavetank):
    """Over TAP and by the kernel, three minutes; how many rows are beyond their bound."""
    bad, wavetank, gaps = 0, os.path.realpath(wavetank), distances(333, 40)
    rules = {"growth": "bytes", "halve": "segments"}
    for text, words, wanted in (("ours over TAP", OURS, Counted(gaps).rate()), ("ours over TAP, as it comes", ["-C", "reno"], Counted(gaps, **rules).rate()),
                                ("the kernel's reno", KERNEL, Counted(gaps, **rules).rate())):
        measured = real(wavetank, words, gaps)
        if measured is None:
            print(f"N 333: {text}: no valid run")
        bad += measured is None or row(f"N 333: {text}, by the packets counted", measured, wanted, REAL)
    return bad
