# SPDX-License-Identifier: BSD-2-Clause
"""Our tahoe, reno, newreno and sack beside those of ns-2, with the same losses by packet number.

Both send data for the same simulated time through one link of the same rate, delay and queue; frames have the same sizes
(1000 bytes of payload, 54 of headers). Compared are data packets acknowledged, cuts of the window, timeouts, and the mean of
the window over time (min of cwnd and the peer's window). All must agree within TOLERANCE, or stand in EXPLAINED.
"""
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOLERANCE = 0.01
MSS = 1000
HERE = os.path.dirname(os.path.abspath(__file__))

# ours as ns-2 has it: equation 3 per ACK, half of the window (not of the flight), no limited transmit, full ACK to ssthresh
MODULES = {
    "tahoe": ("Tahoe", "TCPSink", ["-C", "tahoe:growth=acks,halve=window,ssthresh_unit=segments", "--recovery", "tahoe"]),
    "reno": ("Reno", "TCPSink", ["-C", "reno:growth=acks,halve=window", "--recovery", "reno:once=on"]),
    "newreno": ("Newreno", "TCPSink", ["-C", "newreno:growth=acks,halve=window,exit=ssthresh",
                                       "--recovery", "newreno:limited_transmit=off"]),
    "sack": ("Sack1", "TCPSink/Sack1", ["-C", "reno:growth=acks,halve=window", "--recovery", "sack:lost_retransmission=timer,prr=off"]),
}


class Scenario:
    """drops: numbers of data packets, from 1, in the order in which they pass the link."""

    def __init__(self, name, seconds, window=1000, rate="10Mbit", drops=(), again=False):
        self.name, self.seconds, self.window, self.rate, self.drops, self.again = name, seconds, window, rate, list(drops), again


SCENARIOS = [
    Scenario("window limited, no loss", 20, window=30),
    Scenario("not limited: the queue overflows", 58),
    Scenario("one drop", 20, window=60, drops=[200]),
    Scenario("three apart", 20, window=60, drops=[200, 1000, 3000]),
    Scenario("three in a row", 20, window=60, drops=[200, 201, 202]),
    Scenario("eight in a window", 20, window=60, drops=range(200, 216, 2)),
    Scenario("a lost retransmission", 20, window=60, drops=[200], again=True),
    Scenario("every 200th, 100 Mbit/s", 180, rate="100Mbit", drops=range(200, 150000, 200)),
    Scenario("every 2000th, 100 Mbit/s", 120, rate="100Mbit", drops=range(2000, 400000, 2000)),
]

# How far counts of cuts and timeouts may be apart, and why; elsewhere they are equal.
EXPLAINED = {
    "every 200th, 100 Mbit/s": (4, "a copy may itself be the 200th packet, here or there"),
    "every 2000th, 100 Mbit/s": (2, "a copy may itself be the 2000th packet, here or there"),
}


class Run:
    def __init__(self):
        self.window = []  # (second, packets)
        self.acked = self.cuts = self.timeouts = 0
        self.sent = []  # numbers of data packets in the order they left

    def mean_window(self, scenario):
        area, (last, value) = 0.0, self.window[0]
        begin = last
        for time, now in self.window[1:]:
            area += (time - last) * min(value, scenario.window)
            last, value = time, now
        area += (scenario.seconds - last) * min(value, scenario.window)
        return area / (scenario.seconds - begin)


def ns2(scenario, module, drops, folder):
    agent, sink, _ = MODULES[module]
    trace = os.path.join(folder, "ns2")
    words = [agent, sink, scenario.window, scenario.rate.replace("bit", "b"), "15ms", 50,
             ",".join(map(str, drops)) or "-", scenario.seconds, trace]
    out = subprocess.run(["ns", os.path.join(HERE, "link.tcl"), *map(str, words)], check=True, capture_output=True, text=True).stdout
    facts = out.split()
    run = Run()
    run.acked, run.cuts, run.timeouts = int(facts[1]), int(facts[3]), int(facts[5])
    with open(trace, encoding="ascii") as file:
        for line in file:
            word = line.split()
            if word[0] == "-" and word[2] == "0":
                run.sent.append(int(word[10]))
            elif word[5:6] == ["cwnd_"]:
                run.window.append((float(word[0]), float(word[6])))
    run.window = [point for point in run.window if point[0] > 0]
    return run


def ours(wavetank, scenario, module, drops, folder):
    trace, listed = os.path.join(folder, "trace"), os.path.join(folder, "list")
    fwd = f"rate {scenario.rate} burst 0B limit {50 * 1054}B delay 15ms"
    if drops:  # one line a packet; the first is the SYN, and the ACK of the handshake rides on data
        lost = set(drops)
        with open(listed, "w", encoding="ascii") as file:
            file.write("0\n" + "".join("01"[n in lost] + "\n" for n in range(1, max(drops) + 1)) + "0\n" * 50000)
        fwd += f" | loss trace {listed}"
    settings = {"mss": "1000B", "timestamps": "off", "sack": "on" if module == "sack" else "off", "initial_window": 2,
                "slow_start_limit": 1, "ack_every": 1, "rto_var_min": "0s", "rcv_buffer": f"{scenario.window * MSS}B", "snd_buffer": "1MiB",
                "window_scaling": "on" if scenario.window * MSS > 65535 else "off"}
    words = [wavetank, "sim", "--fwd", fwd, "--rev", f"rate {scenario.rate} burst 0B limit 1MB delay 15ms",
             "-t", f"{scenario.seconds}s", "--trace", trace, "--quiet", *MODULES[module][2]]
    for name, value in settings.items():
        words += ["-S", f"{name}={value}"]
    subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True)
    return read_trace(trace, scenario.seconds)


def read_trace(path, seconds):
    run, iss = Run(), None
    with open(path, encoding="ascii") as file:
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
                if data["len_bytes"]:
                    run.sent.append(((data["seq"] - iss - 1) % 2**32) // MSS + 1)
            elif name == "metrics_updated":
                run.acked = max(run.acked, ((data["snd_una"] - iss - 1) % 2**32) // MSS)
            elif name == "loss_detected":
                run.cuts += 1
            elif name == "timer_expired":
                run.cuts += 1
                run.timeouts += 1
            if "cwnd_bytes" in data:
                run.window.append((time, data["cwnd_bytes"] / MSS))
    return run


def with_losses(run_once, scenario, folder):
    """The copy of a lost packet has another number in each simulator: a first run tells it."""
    run = run_once(scenario.drops, folder)
    if not scenario.again:
        return run
    first = scenario.drops[0]
    copy = [i for i, number in enumerate(run.sent) if number == first][1]
    offset = run.sent.index(first) - first  # data packets are counted from 1, the SYN of ns-2 is 0
    return run_once([first, copy - offset], folder)


def compare(wavetank, scenario, module):
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        a = with_losses(lambda drops, place: ours(wavetank, scenario, module, drops, place), scenario, folder)
        b = with_losses(lambda drops, place: ns2(scenario, module, drops, place), scenario, folder)
    row = [("packets", a.acked, b.acked), ("cuts", a.cuts, b.cuts), ("timeouts", a.timeouts, b.timeouts),
           ("window", a.mean_window(scenario), b.mean_window(scenario))]
    return scenario, module, row


def off(ours_, theirs):
    return abs(ours_ - theirs) / theirs if theirs else float(ours_ != theirs)


def verdict(scenario, row):
    """What the row says, and whether it is beyond its tolerance."""
    slack, why = EXPLAINED.get(scenario.name, (0, None))
    apart = {name: abs(x - y) for name, x, y in row}
    for name, x, y in row:
        if name in ("packets", "window") and off(x, y) > TOLERANCE:
            return f"DIFFERS: {name} by {off(x, y):.2%}", True
        if name in ("cuts", "timeouts") and apart[name] > max(slack, TOLERANCE * y):
            return f"DIFFERS: {name} by {apart[name]}", True
    return why if apart["cuts"] or apart["timeouts"] else "", False


def table(wavetank, scenarios=None, modules=None):
    """Prints the table; the number of rows beyond their tolerance."""
    work = [(s, m) for s in SCENARIOS if not scenarios or s.name in scenarios for m in MODULES if not modules or m in modules]
    bad = 0
    print(f"{'':34}{'':8}{'packets acknowledged':>27}{'cuts':>12}{'timeouts':>12}{'mean window, packets':>25}")
    print(f"{'scenario':34}{'module':8}{'ours':>9}{'ns-2':>9}{'':9}{'ours':>6}{'ns-2':>6}{'ours':>6}{'ns-2':>6}{'ours':>8}{'ns-2':>8}")
    with ThreadPoolExecutor(2) as pool:
        for scenario, module, row in pool.map(lambda pair: compare(wavetank, *pair), work):
            text, wrong = verdict(scenario, row)
            (_, p, q), (_, c, d), (_, t, u), (_, w, v) = row
            bad += wrong
            print(f"{scenario.name:34}{module:8}{p:9}{q:9}{(p - q) / q:+9.2%}{c:6}{d:6}{t:6}{u:6}{w:8.2f}{v:8.2f}"
                  f"{(w - v) / v:+9.2%}  {text}".rstrip(), flush=True)
    return bad
