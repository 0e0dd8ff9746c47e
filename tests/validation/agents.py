# SPDX-License-Identifier: BSD-2-Clause
"""Our modules with the preset ns2 beside ns-2's agents: its own Vegas and Fack, and its Linux agents (TCP/Linux with select_ca), in the nine
scenarios of ns2.py, which has tahoe, reno, newreno and sack.

Compared are the mean window, cuts, the time between cuts, timeouts and drops. A mean window that differs by more than 2 % needs a row in WHY with the
reason and a bound; one beyond its bound, or without a row, is a failure. Where a parameter of ours makes the agent's rule, a second line ("so") shows
what is left of the difference with it. The parameters are those that the Linux agents have. Reasons are from their source in ns-2 2.35.
"""
import copy
import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import ns2
from sums import acks, rules_ns2, rules_ours

TOLERANCE = 0.02
SUM = 0.03 # how far the sum of acks.py may be from what was measured, of either side
SACK = "TCPSink/Sack1"
# name: agent, sink, ours
AGENTS = {
    "vegas": ("Vegas", "TCPSink", ["vegas", "-S", "sack=off,initial_window=3"]),
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
    a sentence that says which other run shows it; or by `sums`: both rules counted ACK by ACK (acks.py) give both values. With `words` and `sums` the
    rule with Kept in its name gives what `words` do, and with the agent's recovery the agent's. With none of them it is what we read from source and
    traces: not proved. `since`: seconds that the sums leave out, for the first overshoot."""

    def __init__(self, bound, text, words=None, left=TOLERANCE, shown="", sums=False, since=0):
        self.bound, self.text, self.words, self.left, self.shown, self.sums, self.since = bound, text, words, left, shown, sums, since


def summed(bound, text, since=0):
    return Why(bound, text, sums=True, since=since)


UNBOUND = Why(0.05, "ns-2's module lets its window grow beyond the peer's, and the queue drops what it adds",
              shown="its source (Hybla sets its clamp to 65535 packets, YeAH's Reno part grows past the clamp) and its eight drops")
PIPE = "in recovery the Linux agent sends beyond the peer's window, and the SACKs of that show that the copy was lost"
TABLE_STEPS = "the agent takes a and b from a table in steps, ours from RFC 3649's formulas"
QUARTER = "the agent goes a quarter of the way to the middle per round trip, the paper and ours half; its count of packets per ACK stays at 31/16"
RATIO = "its count of packets per ACK stays at 31/16 where it is 1, so it grows faster than told, below 14 packets too"
FILTERS = "Westwood+ has one filter of weight 1/10 per round trip, the agent two in a row of 1/8 per 51 ms, of whole bytes per ms"
HTCP = "the agent's alpha and beta are in parts of 128 (51/64, not 4/5), of whole milliseconds, and its time since a loss begins with the recovery's end"
CUBIC = "the agent's window is whole packets, and Reno's beside it grows by one of 2.875 windows of ACKs from the first on"
STEP = "below 50 packets the agent adds one per window, and gives up an eighth of whole packets"
VENO = "the agent counts the ACK that adds a packet for none, and its backlog is of the last ACK alone"
OWN = "the agent's slow start looks at its own part of the window alone, and all its counts are whole"
PARTS = "an ACK's growth is in parts of 128, of which division leaves whole ones: 162 / 56 is 2"
KEEPS = "ns-2's code (Linux 2.6.22) keeps beta of the window after a loss; the paper gives up beta of it"
AS_KEPT = ["illinois:alpha_min=0.3,beta_min=87.5%,beta_max=50%"]
CLOCK = "ns-2's Vegas resends by its fine clock, too"
RESTS = "what recovery and the timeout leave: ns-2's Vegas ends recovery at the first new ACK and has a fine clock"
IN_RECOVERY = "ns-2's Fack grows in recovery, too (opencwnd() there): one segment more after each"
ONE_MORE = ["reno:profile=ns2,at_ssthresh=slow_start,ssthresh_unit=segments", "--recovery", "fack"]
# (module or *, scenario or *)
WHY = {
    ("hybla", "overflow"): summed(0.05, "2^rho - 1 per ACK overflows the queue twice a cycle; in ns-2 the window stands still at the threshold"),
    ("hybla", "one-drop"): UNBOUND, ("hybla", "three-apart"): UNBOUND, ("hybla", "three-in-a-row"): UNBOUND, ("hybla", "eight-in-a-window"): UNBOUND,
    ("yeah", "one-drop"): UNBOUND, ("yeah", "three-apart"): UNBOUND, ("yeah", "three-in-a-row"): UNBOUND, ("yeah", "eight-in-a-window"): UNBOUND,
    ("hybla", "every-2000th"): summed(0.13, PARTS),
    ("yeah", "every-200th"): summed(0.10, STEP), ("yeah", "every-2000th"): summed(0.04, STEP),
    ("highspeed", "overflow"): summed(0.05, TABLE_STEPS), ("highspeed", "every-2000th"): summed(0.21, TABLE_STEPS),
    ("bic", "overflow"): summed(0.04, QUARTER), ("bic", "every-200th"): summed(0.12, RATIO), ("bic", "every-2000th"): summed(0.32, QUARTER),
    ("cubic", "every-200th"): summed(0.06, CUBIC),
    ("scalable", "overflow"): summed(0.06, STEP, since=5),
    ("scalable", "every-200th"): summed(0.14, STEP), ("scalable", "every-2000th"): summed(0.09, STEP),
    ("westwood", "overflow"): summed(0.07, FILTERS), ("westwood", "every-200th"): summed(0.31, FILTERS),
    ("westwood", "every-2000th"): summed(0.38, FILTERS),
    ("htcp", "every-200th"): summed(0.05, HTCP), ("htcp", "overflow"): summed(0.03, HTCP),
    ("illinois", "every-200th"): Why(4.5, KEEPS, AS_KEPT, 0.18, sums=True), ("illinois", "every-2000th"): Why(2.1, KEEPS, AS_KEPT, 0.18, sums=True),
    ("vegas", "three-in-a-row"): Why(0.03, CLOCK, shown="a build of ns-2 without it: 35.87 packets and a timeout"),
    ("vegas", "eight-in-a-window"): Why(0.06, RESTS),
    ("fack", "every-200th"): Why(0.07, IN_RECOVERY, ONE_MORE), ("fack", "every-2000th"): Why(0.04, IN_RECOVERY, ONE_MORE),
    ("compound", "every-200th"): summed(0.08, OWN), ("compound", "every-2000th"): summed(0.06, OWN),
    ("veno", "every-2000th"): summed(0.04, VENO),
    ("reno", "lost-retransmission"): Why(0.03, PIPE, ["reno:profile=rfc5681,cwnd_max=60000B", "--recovery", "sack:lost_retransmission=resend",
                                                      "-S", "rcv_buffer=1000000B"]),
    ("*", "lost-retransmission"): Why(0.03, PIPE, shown="the row of reno"),
}


def reason(module, scenario):
    return WHY.get((module, scenario)) or WHY.get((module, "*")) or WHY.get(("*", scenario)) or Why(TOLERANCE, "")


def seconds(scenario, module):
    """Of the run: the scenario's own, or less, that a list of losses lasts."""
    return SECONDS.get((module, scenario.word)) or SECONDS.get(("*", scenario.word)) or scenario.seconds


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
        proof = f"; proved by {self.why.shown}" if self.why.shown else "" if self.why.words or self.why.sums else "; cause not proved"
        found = [self.line(self.module, ours, self.why.bound, self.why.text + proof if far else "")]
        if far and self.why.sums:
            found.append(self.sums(ours, ""))
        if far and self.why.words:
            so = run_ours(wavetank, self.scenario, self.time, self.why.words)
            found.append(self.line("  so", so, self.why.left, " ".join(self.why.words)))
            if self.why.sums:
                found += [self.sums(so, "Kept"), self.halved()]
        return [text for text, _ in found], sum(wrong for _, wrong in found)

    def halved(self):
        """Our rule with Kept in its name, counted with what the agent does beside its rule: it recovers by halves and records the flight meanwhile."""
        rule = getattr(rules_ours, self.module.capitalize() + "Kept")()
        rule.halves = rule.traced_in_recovery = True
        flow = acks.Flow(rule, self.scenario, self.why.since)
        off = flow.mean / self.theirs[0] - 1
        wrong = abs(off) > SUM
        return (f"{self.scenario.word:21}{'  halves':10}{flow.mean:8.2f}{self.theirs[0]:8.2f}{off:+8.1%}{flow.cuts:6}{self.theirs[1]:6}{'':24}"
                f"{flow.drops:6}{self.theirs[3]:6}  {'BEYOND 3% ' if wrong else ''}our rule, counted with the agent's recovery and record"), wrong

    def sums(self, ours, kept):
        """The line of the third instrument: what both rules give, counted ACK by ACK."""
        name = self.module.capitalize()
        flows = [acks.Flow(rule(), self.scenario, self.why.since) for rule in (getattr(rules_ours, name + kept), getattr(rules_ns2, name + "Agent"))]
        off = [flow.mean / measured - 1 for flow, measured in zip(flows, (ours["mean_window_segs"], self.theirs[0]))]
        wrong = max(map(abs, off)) > SUM
        return (f"{self.scenario.word:21}{'  sums':10}{flows[0].mean:8.2f}{flows[1].mean:8.2f}{flows[0].mean / flows[1].mean - 1:+8.1%}"
                f"{flows[0].cuts:6}{flows[1].cuts:6}{'':24}{flows[0].drops:6}{flows[1].drops:6}  "
                f"{'BEYOND 3% ' if wrong else ''}{off[0]:+.1%} and {off[1]:+.1%} of what was measured"), wrong


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
    if agent == "Vegas":
        theirs.deflate()
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
    return bad
