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
    "tahoe": ("Tahoe", "TCPSink", ["tahoe:growth=acks,halve=window,ssthresh_unit=segments", "--recovery", "tahoe"]),
    "reno": ("Reno", "TCPSink", ["reno:growth=acks,halve=window", "--recovery", "reno:once=on"]),
    "newreno": ("Newreno", "TCPSink", ["newreno:growth=acks,halve=window,exit=ssthresh",
                                       "--recovery", "newreno:limited_transmit=off"]),
    "sack": ("Sack1", "TCPSink/Sack1", ["reno:growth=acks,halve=window", "--recovery", "sack:lost_retransmission=timer,prr=off"]),
}


class Scenario:
    """As `wavetank cc trace --list --json` has it. drops: numbers of data packets, from 1, in the order in which they pass the link."""

    def __init__(self, facts):
        self.word, self.name, self.seconds, self.window = facts["name"], facts["text"], facts["time_s"], facts["window_segs"]
        self.rate, self.queue, self.drops, self.again = facts["rate_bps"], facts["queue_frames"], facts["lost_packets"], facts["and_first_copy"]


def scenarios(wavetank):
    lines = subprocess.run([wavetank, "cc", "trace", "--list", "--json"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [Scenario(json.loads(line)) for line in lines]


# How far counts of cuts and timeouts may be apart, and why; elsewhere they are equal.
EXPLAINED = {
    "every 200th, 100 Mbit/s": (4, "a copy may itself be the 200th packet, here or there"),
    "every 2000th, 100 Mbit/s": (2, "a copy may itself be the 2000th packet, here or there"),
}


class Run:
    def __init__(self):
        self.window = []  # (second, packets)
        self.acked = self.cuts = self.timeouts = self.dropped = 0
        self.sent = []  # numbers of data packets in the order they left

    def mean_window(self, scenario):
        area, (last, value) = 0.0, self.window[0]
        begin = last
        for time, now in self.window[1:]:
            area += (time - last) * min(value, scenario.window)
            last, value = time, now
        area += (scenario.seconds - last) * min(value, scenario.window)
        return area / (scenario.seconds - begin)

    def deflate(self):
        """ns-2's Vegas adds duplicate ACKs to cwnd_ itself: between the fall of a loss and that of the recovery's end its window is what it falls to."""
        values = [value for _, value in self.window]
        falls = [at for at in range(1, len(values)) if values[at] < values[at - 1] - 1.5]
        at = 0
        while at + 1 < len(falls):
            first, end = falls[at:at + 2]
            inflated = all(abs(later - value - 1) < 1e-6 for value, later in zip(values[first:end], values[first + 1:end]))
            if inflated:
                values[first:end] = [values[end]] * (end - first)
            at += 2 if inflated else 1
        self.window = [(time, value) for (time, _), value in zip(self.window, values)]


def ns2(scenario, module, drops, folder):
    return run_agent(scenario, *MODULES[module][:2], drops, folder)


def run_agent(scenario, agent, sink, drops, folder):
    trace = os.path.join(folder, "ns2")
    words = [agent, sink, scenario.window, scenario.rate, "15ms", scenario.queue,
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
            elif word[0] == "d":
                run.dropped += 1
            elif word[5:6] == ["cwnd_"]:
                run.window.append((float(word[0]), float(word[6])))
    run.window = [point for point in run.window if point[0] > 0]
    return run


class Ours:
    """The program's own summary of the same scenario."""

    def __init__(self, wavetank, scenario, module):
        sack = "on" if module == "sack" else "off"
        words = [wavetank, "cc", "trace", "--json", "--scenario", scenario.word, "-S", f"sack={sack},rto_var_min=0s", *MODULES[module][2]]
        facts = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.acked, self.cuts, self.timeouts, self.window = (facts[key] for key in ("acked_segs", "cuts", "timeouts", "mean_window_segs"))


def with_losses(run_once, scenario, folder):
    """The copy of a lost packet has another number in ns-2: a first run tells it."""
    run = run_once(scenario.drops, folder)
    if not scenario.again:
        return run
    first = scenario.drops[0]
    copy = [i for i, number in enumerate(run.sent) if number == first][1]
    offset = run.sent.index(first) - first  # data packets are counted from 1, the SYN of ns-2 is 0
    return run_once([first, copy - offset], folder)


def compare(wavetank, scenario, module):
    a = Ours(wavetank, scenario, module)
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        b = with_losses(lambda drops, place: ns2(scenario, module, drops, place), scenario, folder)
    row = [("packets", a.acked, b.acked), ("cuts", a.cuts, b.cuts), ("timeouts", a.timeouts, b.timeouts),
           ("window", a.window, b.mean_window(scenario))]
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


def table(wavetank, names=None, modules=None):
    """Prints the table; the number of rows beyond their tolerance."""
    work = [(s, m) for s in scenarios(wavetank) if not names or s.name in names for m in MODULES if not modules or m in modules]
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
