# SPDX-License-Identifier: BSD-2-Clause
"""Runs of one flow in virtual time beside what arithmetic says of them."""
import json
import os
import subprocess
import tempfile

MSS = 1000
FRAME = MSS + 54
TOLERANCE = 0.02
RENO = ["-C", "reno:growth=acks", "--recovery", "sack"]


def sim(wavetank, fwd, rev, seconds, words, **settings):
    values = {"mss": f"{MSS}B", "timestamps": "off", "ack_every": 1, "slow_start_limit": 1, "initial_window": 1,
              "rcv_buffer": "64MiB", "snd_buffer": "4MiB", **settings}
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        trace = os.path.join(folder, "trace")
        command = [wavetank, "sim", "--fwd", fwd, "--rev", rev, "-t", f"{seconds}s", "--quiet", "--trace", trace, *words]
        for name, value in values.items():
            command += ["-S", f"{name}={value}"]
        subprocess.run(command, check=True, capture_output=True)
        return acked(trace, seconds)


def acked(trace, seconds):
    """(second, bytes acknowledged, segments sent so far, the loss events) at each ACK of the sender."""
    points, losses, iss, sent = [], [], None, 0
    with open(trace, encoding="ascii") as file:
        for line in file:
            event = json.loads(line)
            time = event["time_ns"] / 1e9
            if time > seconds:
                break
            if event.get("host") != "a":
                continue
            name, data = event["event"].partition(":")[2], event["data"]
            if name == "packet_sent":
                iss = data["seq"] if iss is None else iss
                sent += data["len_bytes"] > 0
            elif name == "metrics_updated":
                points.append((time, (data["snd_una"] - iss - 1) % 2**32, sent))
            elif name in ("loss_detected", "timer_expired"):
                losses.append(time)
    return points, losses


def rate(points, begin, end):
    """Bytes acknowledged per second between two times."""
    inside = [point for point in points if begin <= point[0] <= end]
    return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def window_limited(wavetank):
    """A window of 30 segments, larger than nothing else: W per round trip."""
    points, _ = sim(wavetank, "delay 15ms", "delay 15ms", 10, RENO, rcv_buffer="30000B", window_scaling="off")
    return rate(points, 5, 10) * 0.03 / MSS, 30.0


def slow_start(wavetank):
    """From one segment, one more per ACK: 2^k - 1 sent when the k-th round trip of data begins, 1023 after ten."""
    points, _ = sim(wavetank, "rate 10Gbit burst 0B limit 100MB delay 50ms", "delay 50ms", 2, RENO)
    return float([sent for time, _, sent in points if time < 1.05][-1]), 1023.0


def full_link(wavetank):
    """Once the buffer is never empty, payload at the rate of the link less headers: 10 Mbit/s * 1000/1054."""
    points, losses = sim(wavetank, "rate 10Mbit burst 0B limit 150KB delay 15ms", "delay 15ms", 40, RENO)
    return rate(points, losses[0] + 5, 40) * 8 / 1e6, 10 * MSS / FRAME


def table(wavetank):
    """Prints the table; the number of rows beyond 2 %."""
    rows = [("window limited: segments per round trip", window_limited), ("slow start: segments sent in ten round trips", slow_start),
            ("full link: payload, Mbit/s", full_link)]
    bad = 0
    print(f"{'':48}{'measured':>10}{'expected':>10}")
    for name, call in rows:
        measured, expected = call(wavetank)
        wrong = abs(measured / expected - 1) > TOLERANCE
        bad += wrong
        print(f"{name:48}{measured:10.2f}{expected:10.2f}{measured / expected - 1:+9.2%}{'  DIFFERS' if wrong else ''}", flush=True)
    return bad
