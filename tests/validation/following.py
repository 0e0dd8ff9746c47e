# SPDX-License-Identifier: BSD-2-Clause
"""The ACKs of one flow in virtual time as a trace tells them, and what the rules of followed.py have in common."""
import collections
import json
import os
import subprocess
import tempfile

MSS = 1000
FOREVER = float("inf")


class Ack:
    """
    now, rtt (None: no sample) in s; una, next (highest sent, before this ACK sent anything), acked, delivered in segments; ece: it tells of a mark;
    recovery: it came in one; leaves: that is over with it; loss: it tells of one; expired: the time of the last timeout since the ACK
    before, or 0; flight: what was out before it. Then what the sender made of
    it: window, ssthresh, all that is shown.
    """

    def __init__(self, now, una, acked, ece):
        self.now, self.una, self.acked, self.ece = now, una, acked, ece
        self.rtt = None
        self.delivered = self.expired = 0
        self.recovery = self.leaves = self.loss = False
        self.next = 0
        self.window = self.ssthresh = self.shown = None


def acks(wavetank, module, fwd, delay, seconds, take=None):
    """The ACKs of one flow in virtual time, `delay` ms each way, with the window after each; `take` makes them of the events."""
    settings = f"mss={MSS}B,timestamps=off,ack_every=1,initial_window=10,rcv_buffer=64MiB,snd_buffer=16MiB"
    if "ecn" in fwd:
        settings += ",ecn=on"
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        path = os.path.join(folder, "trace")
        subprocess.run([wavetank, "sim", "--fwd", f"{fwd} delay {delay}ms", "--rev", f"delay {delay}ms", "-t", f"{seconds}s", "-C", module, "--quiet", "--trace", path, "-S",
                        settings], check=True, capture_output=True)
        with open(path, encoding="ascii") as file:
            yield from (take or taken)(json.loads(line) for line in file if '"host":"a"' in line or "packet_received" in line)


def taken(events):
    """Nothing is lost on the way back, and each segment is acknowledged: the n-th ACK is of the n-th segment that arrived."""
    sent, again = {}, set()   # number: when; numbers sent twice
    arrived = collections.deque()
    iss = ack = None
    una = highest = delivered = expired = 0
    recovery = False
    for event in events:
        name, data, now = event["event"].partition(":")[2], event["data"], event["time_ns"] / 1e9
        if event["host"] == "b":
            if data["len_bytes"]:
                arrived.append((data["seq"] - iss) % 2**32 // MSS)
        elif name == "packet_sent":
            iss = data["seq"] + 1 if iss is None else iss
            if data["len_bytes"]:
                number = (data["seq"] - iss) % 2**32 // MSS
                again |= {number} & sent.keys()
                sent[number] = now
                highest = max(highest, number + 1)
        elif name == "packet_received" and sent:
            number = (data["ack"] - iss) % 2**32 // MSS
            ack = Ack(now, number, number - una, bool(data["flags"] & 64))
            ack.flight = highest - una
            una = number
            delivered += 1 # an ACK for each segment
            ack.next, ack.recovery, ack.delivered, ack.expired, expired = highest, recovery, delivered, expired and expired_at, 0
            number = arrived.popleft()
            if number not in again:
                ack.rtt = now - sent[number]
        elif name == "timer_expired":
            expired, recovery, expired_at = expired + 1, False, now
        elif name == "loss_detected":
            recovery = ack.loss = True
        elif name == "recovery_exited":
            recovery, ack.leaves = False, True
        elif name == "metrics_updated" and ack:
            ack.window, ack.ssthresh, ack.shown = data["cwnd_bytes"] / MSS, data["ssthresh_bytes"] / MSS, data
            yield ack


class Rounds:
    """A round trip is over with the ACK of what was sent after the last one was."""

    def __init__(self):
        self.end = None

    def over(self, ack):
        if self.end is not None and ack.una <= self.end:
            return False
        first, self.end = self.end is None, ack.next
        return not first


class Rule:
    """What most have in common; windows in segments. shown: a number that the module shows, and ours."""
    window = 10.0
    shown = None

    def __init__(self):
        self.ssthresh = FOREVER
        self.rounds, self.base, self.samples = Rounds(), None, []

    def ack(self, ack):
        if ack.expired:
            self.timeout(ack)
        if ack.rtt:
            self.base = min(self.base or FOREVER, ack.rtt)
            self.samples.append(ack.rtt)
        if self.rounds.over(ack):
            samples, self.samples = self.samples, []
            if samples:
                self.round(samples, ack)
        if ack.acked and not ack.ece and not ack.recovery:
            self.grow(ack)
        if ack.loss:
            self.window = self.ssthresh = max(2, self.keep() * self.window)
            self.cut()

    def timeout(self, ack):
        """RFC 5681 3.1: half of the flight (a tail probe may have added to it), once for all timeouts of the same data; one segment."""
        self.ssthresh, self.window = max(2, self.left() * min(ack.flight, self.window + 1)), 1.0
        self.cut()

    def left(self):
        return 0.5

    def grow(self, ack):
        if self.window < self.ssthresh:
            self.window += min(ack.acked, self.ssthresh - self.window)
        else:
            self.window += self.pace(ack) * ack.acked / self.window

    def round(self, samples, ack):
        pass

    def pace(self, ack):
        """Segments per window acknowledged."""
        return 1

    def keep(self):
        return 0.5

    def cut(self):
        pass

    def queued(self, rtt):
        return self.window * (rtt - self.base) / rtt


class Bytes(Rule):
    """RFC 3465: a segment when a window of whole segments was acknowledged; the ACK that ends a recovery counts what nothing reported before."""
    counted = 0

    def ack(self, ack):
        self.counted += ack.leaves
        super().ack(ack)

    def grow(self, ack):
        if self.window < self.ssthresh:
            super().grow(ack)
            return
        self.counted = min(self.counted, int(self.window)) + ack.acked
        if self.counted >= int(self.window):
            self.counted, self.window = self.counted - int(self.window), self.window + 1

    def cut(self):
        self.counted = 0
