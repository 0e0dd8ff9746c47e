# SPDX-License-Identifier: BSD-2-Clause
"""Our modules with the preset ns2 beside ns-2's agents: its own Vegas and Fack, and its Linux agents (TCP/Linux with select_ca), in the nine
scenarios of ns2.py, which has tahoe, reno, newreno and sack.

Compared are the mean window, cuts, the time between cuts, timeouts and drops. A mean window that differs by more than 2 % needs a row in WHY with the
reason and a bound; one beyond its bound, or without a row, is a failure. Where a parameter of ours makes the agent's rule, a second line ("so") shows
what is left of the difference with it. The parameters are those that the Linux agents have. Reasons are from their source in ns-2 2.35.
"""
import copy
import json
import math
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import ns2

TOLERANCE = 0.02
SACK = "TCPSink/Sack1"
# name: agent, sink, ours
AGENTS = {
    "vegas": ("Vegas", "TCPSink", ["vegas:alpha=1,beta=3,keep=75%", "-S", "sack=off"]),
    "fack": ("Fack", SACK, ["reno:profile=ns2", "--recovery", "fack"]),
    "highspeed": ("Linux:highspeed", SACK, ["highspeed"]),
    "bic": ("Linux:bic", SACK, ["bic:keep=80%,s_max=16"]),
    "cubic": ("Linux:cubic", SACK, ["cubic:base=window,hystart=off,beta=80%"]),
    "htcp": ("Linux:htcp", SACK, ["htcp:rtt_scaling=on"]),
    "scalable": ("Linux:scalable", SACK, ["scalable:a=0.02"]),
    "hybla": ("Linux:hybla", SACK, ["hybla"]),
    "westwood": ("Linux:westwood", SACK, ["westwood"]),
    "illinois": ("Linux:illinois", SACK, ["illinois"]),
    "yeah": ("Linux:yeah", SACK, ["yeah"]),
    "veno": ("Linux:veno", SACK, ["veno"]),
    "compound": ("Linux:compound", SACK, ["compound"]),
    "reno": ("Linux:reno", SACK, ["reno:profile=rfc5681", "--recovery", "sack"]),
}
# The periodic losses are a list; a run that outlasts it would compare two lossless paths. So both stop while it lasts.
SECONDS = {("illinois", "every-200th"): 15, ("*", "every-200th"): 60, ("*", "every-2000th"): 40}


class Why:
    """Why a mean window differs, and by how much it may. The cause is proved by `words`: ours with them differs by `left` at most; or by `shown`,
    a sentence that says which other run or sum shows it. With neither it is what we read from source and traces: not proved."""

    def __init__(self, bound, text, words=None, left=TOLERANCE, shown=""):
        self.bound, self.text, self.words, self.left, self.shown = bound, text, words, left, shown


UNBOUND = Why(0.05, "ns-2's module lets its window grow beyond the peer's, and the queue drops what it adds",
              shown="its source (Hybla sets its clamp to 65535 packets, YeAH's Reno part grows past the clamp) and its eight drops")
PIPE = "in recovery the Linux agent sends beyond the peer's window, and the SACKs of that show that the copy was lost"
TABLE_STEPS = "the agent takes a and b from a table in steps, ours from RFC 3649's formulas"
QUARTER = "the agent goes a quarter of the way to the middle per round trip, the paper and ours half"
RATIO = "its count of packets per ACK stays at 31/16 where it is 1, so it grows faster than told"
FILTERS = "Westwood+ has one filter of weight 1/10 per round trip, the agent two in a row of 1/8 per 51 ms; it never goes below half"
SLOWER = ["westwood:gain=4%"]  # its lag, 24 round trips of 30 ms, is that of the two filters, 14 times 51 ms: 0.72 s
NOT_THE_TEST = "not the throughput test: without it in both (use_bandwidth_switch 0, change=100%) 12.1 and 3.3 % remain"
NOT_THE_RATIO = "not the agent's count of packets per ACK: by arithmetic that is a tenth of a segment at such windows"
KEEPS = "ns-2's code (Linux 2.6.22) keeps beta of the window after a loss; the paper gives up beta of it"
AS_KEPT = ["illinois:alpha_min=0.3,beta_min=87.5%,beta_max=50%"]
FINE = "ns-2's Vegas resends by its fine clock at the first duplicate ACK, and takes a quarter at most once per window"
IN_RECOVERY = "ns-2's Fack grows in recovery, too (opencwnd() there): one segment more after each"
ONE_MORE = ["reno:profile=ns2,at_ssthresh=slow_start,ssthresh_unit=segments", "--recovery", "fack"]
WHOLE = "the agent's windows, halves and counts are whole segments"
# (module or *, scenario or *)
WHY = {
    ("hybla", "overflow"): Why(0.04, "2^rho - 1 per ACK overflows the queue twice a cycle; in ns-2 the window stands still at the threshold"),
    ("hybla", "one-drop"): UNBOUND, ("hybla", "three-apart"): UNBOUND, ("hybla", "three-in-a-row"): UNBOUND, ("hybla", "eight-in-a-window"): UNBOUND,
    ("yeah", "one-drop"): UNBOUND, ("yeah", "three-apart"): UNBOUND, ("yeah", "three-in-a-row"): UNBOUND, ("yeah", "eight-in-a-window"): UNBOUND,
    ("hybla", "every-2000th"): Why(0.13, "the agent's rho is in eighths, 9/8; ours is 30.2/25", ["hybla:rtt0=27ms"], 0.06),
    ("yeah", "every-200th"): Why(0.11, WHOLE), ("yeah", "every-2000th"): Why(0.06, WHOLE),
    ("highspeed", "overflow"): Why(0.04, TABLE_STEPS),
    ("highspeed", "every-2000th"): Why(0.21, TABLE_STEPS, shown="arithmetic, below this table"),
    ("bic", "overflow"): Why(0.04, QUARTER), ("bic", "every-200th"): Why(0.06, RATIO), ("bic", "every-2000th"): Why(0.32, QUARTER + "; " + RATIO, shown="arithmetic, below this table"),
    ("cubic", "every-200th"): Why(0.06, NOT_THE_RATIO),
    ("scalable", "overflow"): Why(0.06, "ours counts octets, the agent ACKs, with a step of 1/51"),
    ("scalable", "every-200th"): Why(0.10, "below 51 segments the agent adds one per round trip, ours a fiftieth of the window"),
    ("scalable", "every-2000th"): Why(0.10, "the agent's step is 1/51"),
    ("westwood", "overflow"): Why(0.07, FILTERS), ("westwood", "every-200th"): Why(0.31, FILTERS, SLOWER, 0.17),
    ("westwood", "every-2000th"): Why(0.38, FILTERS, SLOWER, 0.03),
    ("htcp", "every-200th"): Why(0.13, NOT_THE_TEST), ("htcp", "every-2000th"): Why(0.05, NOT_THE_TEST),
    ("illinois", "every-200th"): Why(4.5, KEEPS, AS_KEPT, 0.12), ("illinois", "every-2000th"): Why(2.1, KEEPS, AS_KEPT, 0.18),
    ("vegas", "eight-in-a-window"): Why(0.05, FINE), ("vegas", "every-200th"): Why(0.07, FINE), ("vegas", "every-2000th"): Why(0.04, FINE),
    ("fack", "every-200th"): Why(0.07, IN_RECOVERY, ONE_MORE), ("fack", "every-2000th"): Why(0.04, IN_RECOVERY, ONE_MORE),
    ("compound", "every-200th"): Why(0.06, "the agent's slow start looks at its own part of the window alone: two segments more after a recovery"),
    ("compound", "every-2000th"): Why(0.06, WHOLE),
    ("veno", "every-200th"): Why(0.07, WHOLE), ("veno", "every-2000th"): Why(0.03, WHOLE),
    ("reno", "lost-retransmission"): Why(0.03, PIPE, ["reno:profile=rfc5681,cwnd_max=60000B", "--recovery", "sack:lost_retransmission=resend",
                                                      "-S", "rcv_buffer=1000000B"]),
    ("*", "lost-retransmission"): Why(0.03, PIPE, shown="the row of reno"),
}


def reason(module, scenario):
    return WHY.get((module, scenario)) or WHY.get((module, "*")) or WHY.get(("*", scenario)) or Why(TOLERANCE, "")


def seconds(scenario, module):
    """Of the run: the scenario's own, or less, that a list of losses lasts."""
    return SECONDS.get((module, scenario.word)) or SECONDS.get(("*", scenario.word)) or scenario.seconds


# ---- HighSpeed by arithmetic -----------------------------------------------------------------------------------

# RFC 3649, appendix B: up to this window, a segments per round trip, and this share given up
TABLE = [(38, 1, 0.50), (118, 2, 0.44), (221, 3, 0.41), (347, 4, 0.38), (495, 5, 0.37)]


def decrease(window):
    """RFC 3649 5, with its constants."""
    return 0.5 if window <= 38 else 0.5 - 0.4 * math.log(window / 38) / math.log(83000 / 38)


def increase(window):
    if window <= 38:
        return 1
    loss = 1e-3 * (window / 38) ** (math.log(1e-7 / 1e-3) / math.log(83000 / 38))
    return window ** 2 * loss * 2 * decrease(window) / (2 - decrease(window))


def sawtooth(every, grow, give_up, cycles=400):
    """The mean window of a sender that loses one packet of `every`, where nothing queues and a round trip passes without growth at each loss."""
    window, packets, trips = 40.0, 0, 0.0
    for cycle in range(cycles):
        window *= 1 - give_up(window)
        sent, took = window, 1.0
        while sent < every:
            sent, took, window = sent + 1, took + 1 / window, window + grow(window) / window
        if cycle >= cycles // 2:
            packets, trips = packets + sent, trips + took
    return packets / trips


def highspeed():
    step = lambda window, column: next(row[column] for row in TABLE if window <= row[0])
    print(f"HighSpeed at one loss in 2000, by arithmetic: {sawtooth(2000, increase, decrease):.1f} by the formulas of RFC 3649, "
          f"{sawtooth(2000, lambda w: step(w, 1), lambda w: step(w, 2)):.1f} by its table in steps")


# ---- BIC by arithmetic -----------------------------------------------------------------------------------------


class Bic:
    """ACK by ACK. Ours: a part of the way to the last maximum per round trip, then one, two, four segments."""

    def __init__(self, part=2):
        self.window, self.most, self.part, self.probe, self.goal = 40.0, 0.0, part, 0, 0.0

    def loss(self):
        keep = 0.8 if self.window >= 14 else 0.5
        self.most = self.window * (1 + keep) / 2 if self.window < self.most else self.window
        self.window, self.probe = max(2.0, self.window * keep), 0

    def pace(self):
        if self.window < 14:
            return 1
        if self.window < self.most:
            self.probe = 0
            return min(16, max(0.01, (self.most - self.window) / self.part))
        if not self.probe:
            self.probe, self.goal = 1, self.window + 1
        elif self.window >= self.goal and self.probe < 16:
            self.probe *= 2
            self.goal = self.window + self.probe
        return min(16, self.probe)

    def ack(self):
        self.window += min(1, self.pace() / self.window)


class BicAgent(Bic):
    """The agent: whole segments, a quarter of the way, a fifth of a segment within four of the maximum; and all of it `ratio` / 16 times as fast."""

    def __init__(self, ratio=31):
        super().__init__(part=4)
        self.ratio, self.acks, self.threshold = ratio, 0, 0

    def loss(self):
        super().loss()
        self.window, self.most = float(int(self.window)), int(self.most)
        self.threshold, self.acks = self.window, 0

    def needed(self):
        """ACKs for one segment."""
        window, beyond = int(self.window), int(self.window) - self.most
        if window <= 14:
            return window  # the count below is not of this case
        if beyond < 0:
            way = -beyond // 4
            acks = window // 16 if way > 16 else window // way if way > 1 else window * 5
        else:
            acks = window * 5 if beyond < 4 else window * 3 // beyond if beyond < 48 else window // 16
        return max(1, acks * 16 // self.ratio)

    def ack(self):
        if self.window <= self.threshold or self.acks >= self.needed():
            self.window, self.acks = self.window + 1, 0
        else:
            self.acks += 1


def mean_of(rule, every, cycles=300):
    """As sawtooth(), for a rule with a state."""
    packets, trips = 0, 0.0
    for cycle in range(cycles):
        rule.loss()
        sent, took = rule.window, 1.0
        while sent < every:
            sent, took = sent + 1, took + 1 / rule.window
            rule.ack()
        if cycle >= cycles // 2:
            packets, trips = packets + sent, trips + took
    return packets / trips


def bic():
    print(f"BIC at one loss in 2000, by arithmetic: {mean_of(Bic(), 2000):.1f} by our rules, {mean_of(BicAgent(), 2000):.1f} by the agent's; "
          f"{mean_of(Bic(4), 2000):.1f} by ours with a quarter, {mean_of(BicAgent(16), 2000):.1f} by the agent's with its count of 1")


class Row:
    def __init__(self, scenario, module, time, theirs):
        self.scenario, self.module, self.time = scenario, module, time
        self.theirs = (theirs.mean_window(scenario), theirs.cuts, theirs.timeouts, theirs.dropped)
        self.why = reason(module, scenario.word)

    def off(self, ours):
        return ours["mean_window_segs"] / self.theirs[0] - 1

    def line(self, name, ours, bound, explained):
        def apart(cuts):
            return f"{self.time / cuts:.2f}" if cuts else "-"
        w, c, t, d = (ours[key] for key in ("mean_window_segs", "cuts", "timeouts", "dropped_frames"))
        (v, k, u, e), off = self.theirs, self.off(ours)
        wrong = abs(off) > bound
        return (f"{self.scenario.word:21}{name:10}{w:8.2f}{v:8.2f}{off:+8.1%}{c:6}{k:6}{apart(c):>8}{apart(k):>8}{t:4}{u:4}{d:6}{e:6}  "
                f"{'BEYOND ' + format(bound, '.0%') + ' ' if wrong else ''}{explained}").rstrip(), wrong

    def lines(self, wavetank, ours):
        """Its lines, and how many are beyond their bound."""
        far = abs(self.off(ours)) > TOLERANCE
        proof = f"; proved by {self.why.shown}" if self.why.shown else "" if self.why.words else "; cause not proved"
        text, wrong = self.line(self.module, ours, self.why.bound, self.why.text + proof if far else "")
        if not far or not self.why.words:
            return [text], wrong
        again, still = self.line("  so", run_ours(wavetank, self.scenario, self.time, self.why.words), self.why.left, " ".join(self.why.words))
        return [text, again], wrong + still


def run_ours(wavetank, scenario, time, words):
    settings = "rto_initial=1s" # as link.tcl has it
    if "-S" in words:
        settings += "," + words[words.index("-S") + 1]
        words = words[:words.index("-S")]
    done = subprocess.run([wavetank, "cc", "trace", "--json", "--preset", "ns2", "--scenario", scenario.word, "-t", f"{time}s", "-S", settings, *words],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(wavetank, scenario, module):
    agent, sink, words = AGENTS[module]
    time = seconds(scenario, module)
    scenario = copy.copy(scenario)
    scenario.seconds = time
    with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
        theirs = ns2.with_losses(lambda drops, place: ns2.run_agent(scenario, agent, sink, drops, place), scenario, folder)
    return Row(scenario, module, time, theirs).lines(wavetank, run_ours(wavetank, scenario, time, words))


def table(wavetank, names=None, modules=None):
    """Prints the table; the number of rows beyond their bound."""
    work = [(s, m) for s in ns2.scenarios(wavetank) if not names or s.name in names for m in AGENTS if not modules or m in modules]
    print(f"{'':31}{'mean window, packets':>24}{'cuts':>12}{'s between':>16}{'RTOs':>8}{'dropped':>12}")
    print(f"{'scenario':21}{'module':10}{'ours':>8}{'ns-2':>8}{'':8}{'ours':>6}{'ns-2':>6}{'ours':>8}{'ns-2':>8}{'':8}{'ours':>6}{'ns-2':>6}")
    bad = 0
    with ThreadPoolExecutor(2) as pool:
        for lines, wrong in pool.map(lambda pair: compare(wavetank, *pair), work):
            bad += wrong
            print("\n".join(lines), flush=True)
    highspeed()
    bic()
    return bad
