# SPDX-License-Identifier: BSD-2-Clause
"""
How windows grow after a loss, beside laws written here from the RFCs and papers: one flow in virtual time over 10 Gbit/s and 100 ms, on which
nothing queues; slow start ends with one lost segment. A law is driven by the same ACKs, so that neither bursts nor rounding pile up. HyStart++
and PRR stand beside a simulation of what their RFCs say, which knows nothing of our runs.
"""
import collections
import json
import math
import os
import subprocess
import tempfile

import followed
import modelled

MSS = 1000
FRAME = MSS + 54
TOLERANCE = 0.01
RTT = 0.1
PATH, BACK = "rate 10Gbit burst 0B limit 100MB delay 50ms", "delay 50ms"


class Trace:
    """Of the sender: samples (s; window, ssthresh, acknowledged in segments), what it sent (s), where losses were told and recoveries ended."""

    def __init__(self, wavetank, module, fwd, rev, seconds, *words, **settings):
        values = {"mss": f"{MSS}B", "timestamps": "off", "ack_every": 1, "initial_window": 10, "rcv_buffer": "64MiB", "snd_buffer": "16MiB", **settings}
        self.samples, self.sent, self.losses, self.exits, self.iss = [], [], [], [], None
        with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
            path = os.path.join(folder, "trace")
            subprocess.run([wavetank, "sim", "--fwd", fwd, "--rev", rev, "-t", f"{seconds}s", "-C", module, "--quiet", "--trace", path, *words, "-S",
                            ",".join(f"{name}={value}" for name, value in values.items())], check=True, capture_output=True)
            with open(path, encoding="ascii") as file:
                for line in file:
                    if '"host":"a"' in line and ('"recovery:' in line or "packet_sent" in line):
                        self.take(json.loads(line))

    def take(self, event):
        name, data, now = event["event"].partition(":")[2], event["data"], event["time_ns"] / 1e9
        if name == "metrics_updated":
            self.iss = data["snd_una"] if self.iss is None else self.iss
            self.samples.append((now, data["cwnd_bytes"] / MSS, data["ssthresh_bytes"] / MSS, (data["snd_una"] - self.iss) % 2**32 / MSS))
        elif name == "packet_sent" and data["len_bytes"]:
            self.sent.append(now)
        elif name == "loss_detected":
            self.losses.append(now)
        elif name == "recovery_exited":
            self.exits.append(now)


def after(trace, seconds, step):
    """
    Pairs of the window and what a law makes of the same ACKs, from the first ACK after recovery on, for so many seconds.
    The law is a function of the window, the seconds since that ACK, the window before the loss and the one after it: segments per window acknowledged.
    """
    assert len(trace.losses) == 1, "one loss was to be there"
    before = [sample for sample in trace.samples if sample[0] < trace.losses[0]][-1][1]
    samples = [sample for sample in trace.samples if sample[0] > trace.exits[0]]
    start, law, _, acked = samples[0]
    kept, pairs = law, []
    for now, window, _, total in samples[1:]:
        if now > start + seconds:
            break
        law += step(law, now - start, before, kept) * (total - acked) / law
        acked = total
        pairs.append((window, law))
    return pairs


def cubic(window, time, before, kept):
    """RFC 9438 4.2, 4.4 and 4.5: per segment acknowledged (W_cubic(t + RTT) - cwnd) / cwnd, the target within cwnd and 1.5 cwnd."""
    k = ((before - kept) / 0.4) ** (1 / 3)
    return min(max(0.4 * (time + RTT - k) ** 3 + before, window), 1.5 * window) - window


def friendly(window, _, before, kept):
    """RFC 9438 4.3: 3 (1 - beta) / (1 + beta) of a segment until the old window is reached, then a whole one."""
    return 3 * 0.3 / 1.7 if window < before else 1


def htcp(_window, time, *_):
    """Leith and Shorten 2004: 2 (1 - beta) f(D), beta 1/2 at the first loss. D counts from the loss, a round trip before recovery ended."""
    since = time + RTT - 1
    return 1 + 10 * since + (since / 2) ** 2 if since > 0 else 1


def high_speed(window, *_):
    """RFC 3649 5: b by the logarithm of the window, a by the response function."""
    if window <= 38:
        return 1
    part = math.log(window / 38) / math.log(83000 / 38)
    b = 0.5 - 0.4 * part
    p = 0.078 / window ** 1.2
    return window ** 2 * p * 2 * b / (2 - b)


# module: share of the flight that is kept (None: not a constant), law of growth, number of the lost segment, seconds
GROWTH = {
    "reno": (0.5, lambda *_: 1, 301, 20),
    "newreno": (0.5, lambda *_: 1, 301, 20),
    "cubic:hystart=off": (0.7, cubic, 301, 12),
    "cubic:hystart=off,c=0.001": (0.7, friendly, 61, 12),  # so flat a cubic that the Reno-friendly part rules, before and above the old window
    "highspeed": (None, high_speed, 301, 15),
    "scalable": (7 / 8, lambda window, *_: 0.01 * window, 301, 12),
    "htcp": (0.5, htcp, 301, 8),
    "veno": (4 / 5, lambda *_: 1, 301, 20),
    "hybla": (0.5, lambda *_: 16, 301, 10),  # rho = 100 ms / 25 ms
    "yeah": (7 / 8, lambda window, *_: 0.01 * window, 301, 12),
    "compound": (0.5, lambda window, *_: max(window ** 0.75 / 8, 1), 301, 12),
}
STAIRS = {"compound"}  # moves at the end of a round trip: within it the window is a step of some 3 % behind, so the last value is compared
QUICK = ["cubic:hystart=off", "cubic:hystart=off,c=0.001", "htcp", "compound"]


def growth(wavetank, module):
    keep, law, lost, seconds = GROWTH[module]
    trace = Trace(wavetank, module, f"{PATH} | loss list {lost + 1}", BACK, seconds + 2, "--recovery", "rack")
    pairs = after(trace, seconds, law)
    pair = pairs[-1] if module in STAIRS else max(pairs, key=lambda pair: abs(pair[0] / pair[1] - 1))
    rows = [(f"{module}: window, {'' if module in STAIRS else 'furthest in '}{seconds} s after a loss", *pair)]
    before = [sample for sample in trace.samples if sample[0] < trace.losses[0]][-1][1]
    kept = [ssthresh for now, _, ssthresh, _ in trace.samples if now > trace.losses[0]][0]
    if keep:
        rows.append((f"{module}: share kept after a loss", kept / before, keep))
    return rows


# ---- HyStart++ ------------------------------------------------------------------------------------------------------------


def hystart_reference(frame_s, rtt):
    """RFC 9406 4.2 over a link whose queue never ends, an ACK per segment: (window, s) at which slow start is over; time 0: the first segment."""
    infinite = float("inf")
    window, una, nxt, free, on_way = 10, 0, 0, 0.0, collections.deque()
    last = current = baseline = infinite
    end, samples, conservative, rounds = 0, 0, False, 0
    now = 0.0
    while True:
        while nxt - una < int(window):
            free = max(now, free) + frame_s
            on_way.append((now, free + rtt))
            nxt += 1
        sent, now = on_way.popleft()
        una += 1
        if una > end:
            last, current, samples, end = current, infinite, 0, nxt
            rounds += conservative
            if rounds >= 5:
                return window, now
        window += 0.25 if conservative else 1
        samples, current = samples + 1, min(current, now - sent)
        if samples < 8 or infinite in (last, current):
            continue
        if not conservative and current >= last + max(0.004, min(last / 8, 0.016)):
            conservative, baseline, rounds = True, current, 0
        elif conservative and current < baseline:
            conservative, baseline = False, infinite


def hystart(wavetank):
    rows = []
    for rate, delay in (100, 25), (20, 50), (50, 5):
        trace = Trace(wavetank, "cubic", f"rate {rate}Mbit burst 0B limit 100MB delay {delay}ms", f"delay {delay}ms", 4)
        now, window = next((now, window) for now, window, ssthresh, _ in trace.samples if ssthresh < 1e6)
        expected, moment = hystart_reference(FRAME * 8 / rate / 1e6, 2 * delay / 1e3)
        rows += [(f"HyStart++, {rate} Mbit/s, {2 * delay} ms: window where slow start ends", window, expected),
                 (f"HyStart++, {rate} Mbit/s, {2 * delay} ms: seconds until then", now - trace.sent[0], moment)]
    return rows


# ---- PRR ------------------------------------------------------------------------------------------------------------------


def prr_reference(flight, lost, ssthresh):
    """
    RFC 9937 6, an ACK per segment, packets and ACKs in order: segments sent in recovery, until all that was out at its beginning is acknowledged.
    `lost` are places in the flight; a segment is held lost when three later ones were reported (RFC 6675), in recovery when one was.
    """
    way = collections.deque((place, place in lost) for place in range(flight))
    nxt, una, got, gone, resent = flight, 0, set(), set(), set()
    recover = delivered = out = sent = base = 0
    while una < recover or not recover:
        number, dropped = way.popleft()
        if dropped:
            continue
        first, before = number not in got, una
        got.add(number)
        while una in got:
            una += 1
        news = int(first)
        held = {place for place in range(una, max(got) + 1) if place not in got and place not in gone}
        if not recover and len([place for place in got if place > una]) >= 3:
            recover, base = nxt, nxt - una - len([place for place in got if place > una]) + news
        new_lost = held if recover else set()
        gone |= new_lost
        pipe = sum(place not in got and (place not in gone or place in resent) for place in range(una, nxt))
        if not recover:
            count = flight - pipe
        elif una >= recover:
            break
        else:
            delivered += news
            if pipe > ssthresh:
                count = math.ceil(delivered * ssthresh / base) - out
            else:
                count = max(delivered - out, news) + (una > before and not new_lost)
                count = min(ssthresh - pipe, count)
            if not out and count <= 0:
                count = 1
        for _ in range(max(count, 0)):
            again = sorted(gone - resent - got)
            number = again[0] if again and recover else nxt
            if number == nxt:
                nxt += 1
            else:
                resent.add(number)
            way.append((number, False))
            out += bool(recover)
    return out


def prr(wavetank):
    rows = []
    for name, lost in ("one of 100 lost", {0}), ("40 of 100 lost, every second", set(range(0, 80, 2))), ("60 of 100 lost, in a row", set(range(60))):
        numbers = ",".join(str(2002 + place) for place in sorted(lost))
        trace = Trace(wavetank, "newreno:cwnd_max=100000B", f"{PATH} | loss list {numbers}", BACK, 6, "--recovery", "rack")
        begin, end = trace.losses[0], trace.exits[0]
        ssthresh = next(ssthresh for now, _, ssthresh, _ in trace.samples if now >= begin)
        sent = sum(begin <= now < end for now in trace.sent)
        rows += [(f"PRR, {name}: ssthresh", ssthresh, 50), (f"PRR, {name}: segments sent in recovery", sent, prr_reference(100, lost, 50))]
    return rows


def table(wavetank, quick=False):
    """Prints the table; the number of rows beyond 1 %."""
    calls = [lambda module=module: growth(wavetank, module) for module in (QUICK if quick else GROWTH)]
    calls += [lambda run=run: followed.follow(wavetank, *run) for run in followed.RUNS if not quick or (run[0], run[3]) in followed.QUICK]
    calls += [lambda run=run: modelled.follow(wavetank, *run) for run in modelled.RUNS if not quick or any(losses in run[2] for losses in modelled.QUICK)]
    bad = 0
    print(f"{'':66}{'measured':>10}{'expected':>10}")
    for call in [*calls, lambda: hystart(wavetank), lambda: prr(wavetank)]:
        for name, measured, expected in call():
            wrong = abs(measured / expected - 1) > TOLERANCE
            bad += wrong
            print(f"{name:66}{measured:10.3f}{expected:10.3f}{measured / expected - 1:+9.2%}{'  DIFFERS' if wrong else ''}", flush=True)
    return bad
