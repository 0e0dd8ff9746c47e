#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Twelve scenarios three ways: virtual time, our engine over TAP, and the kernel's reno over TAP, through the same emulator.

  tests/twin/run.py --wavetank build/tools/wavetank            the table, and each bound that is broken (some five minutes)
  tests/twin/run.py --quick --wavetank build/tools/wavetank    four scenarios, as tools/check does
  tests/twin/run.py --only bursty --json twins.json ...        some of them; all that was measured, as JSON

What virtual time says must be what the same engine does in real time: goodput within 3 % (10 % where only the round trip limits it),
ACKs per segment within 5 %. Where losses are placed by packet number, retransmissions and timeouts are among those that virtual time
gives when the path is up to 1 ms longer, which is what a host's own work adds: equal, unless a queue overflows and the count depends on
the moment. The kernel stands beside it as another opinion, with a wider bound.

Where the kernel has a rule that ours has as a setting, two further lines, "told", have it in both: the kernel by a route or a sysctl in the
receiver's namespace, ours in virtual time by -S. They agree within 3 %, so that rule is all that made the difference; the kernel as it is lies
between ours with the rule and ours without.

A run in real time counts only if the emulator's own verdict says so (frames late, processors stolen). An invalid run is done again, at most
three times (--attempts, --patience), and the first valid one counts, whatever it says. Needs labs (wavetank-lab(1)); as root it runs with real-time priority.
Exit code: 0 all bounds hold, 1 one is broken, 2 usage, 5 a scenario had no valid run (and no bound is broken), 77 no labs here.
"""
import argparse
import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

SHAPED = "rate 10Mbit burst 0B limit {limit} "
# Losses by number, of TCP packets of the direction: one, two close, a run of four, one that is sent again soon after.
PLACED = "loss list 60,200,203,500-503,900,1300,1301,1700"


class Scenario:
    """exact: nothing is lost, or by packet number, so retransmissions and timeouts are those of virtual time. by_latency: nothing but the round trip limits it,
    so what the machine adds to the least round trip is allowed beside the bound, which is 10 %: a flight of megabytes takes no time in
    virtual time, and over TAP as long as the machine needs to write it (20 ms of the 300 of `delay only`). kernel: bound of its goodput, None: not judged."""

    def __init__(self, name, fwd, rev, size, about, exact=False, flows=1, runs=1, kernel=0.15, by_latency=False, quick=False, told=None):
        self.told, self.settings = told, []
        self.name, self.fwd, self.rev, self.size, self.about = name, fwd, rev, size, about
        self.exact, self.flows, self.runs, self.kernel, self.by_latency, self.quick = exact, flows, runs, kernel, by_latency, quick


class Told:
    """One rule in both. command: makes the kernel's receiver follow it; settings: ours. alone: the kernel is also run as it is."""

    def __init__(self, command, settings, alone):
        self.command, self.settings, self.alone = command, settings, alone


# The kernel acknowledges each segment while its receive window grows (docs/validation.md); on this route always.
EACH = Told(["ip", "route", "replace", "10.77.0.0/24", "dev", "wt0", "src", "10.77.0.2", "quickack", "1"], "ack_every=1", alone=True)
# A kernel sends 1300 segments in one go, faster than the emulator can hand them to the other one, so all such runs are late. 91 pass.
SMALL = Told(["sysctl", "-qw", "net.ipv4.tcp_rmem=4096 131072 200000"], "rcv_buffer=131768B", alone=False)

SCENARIOS = [
    Scenario("delay only", "delay 15ms", "delay 15ms", "5MiB", "whole flights at one instant", exact=True, by_latency=True, quick=True,
             kernel=None, told=SMALL),
    Scenario("spaced", SHAPED.format(limit="1MB") + "delay 15ms", "delay 15ms", "5MiB", "a serial line"),
    Scenario("bursty", "rate 100Mbit burst 20KB limit 1MB delay 15ms", "delay 15ms", "5MiB", "a bucket of 20 KB", quick=True),
    Scenario("tokens", "rate 20KB every 30ms burst 20KB limit 64KB delay 15ms", "delay 15ms", "2MiB", "20 KB at a time, each 30 ms"),
    Scenario("jittered", SHAPED.format(limit="1MB") + "delay 15ms jitter normal 2ms", "delay 15ms", "5MiB", "in order, so in clumps"),
    Scenario("lossy", SHAPED.format(limit="1MB") + PLACED + " delay 15ms", "delay 15ms", "3MiB", "lost by packet number", exact=True, quick=True),
    Scenario("asymmetric", "rate 20Mbit burst 0B limit 1MB delay 10ms", "rate 192kbit burst 0B limit 32KB delay 10ms", "3MiB",
             "ACKs at 192 kbit/s", exact=True, kernel=None, told=EACH),
    Scenario("ACK loss", SHAPED.format(limit="1MB") + "delay 15ms", "loss list 20-25,60-79,200,202,204,206,208,400-440 delay 15ms", "3MiB",
             "runs of ACKs lost by number", exact=True, quick=True),
    # The kernel takes reordering for what it is (TCPSACKReorder 31, two recoveries); we do not: docs/deviations.md. So there is no bound.
    Scenario("reordering", SHAPED.format(limit="1MB") + "reorder 2% delay 4ms delay 15ms", "delay 15ms", "3MiB", "2 % held for 4 ms", kernel=None),
    Scenario("short flows", SHAPED.format(limit="1MB") + "delay 15ms", "delay 15ms", "50KB", "twenty of 50 KB, one after another", exact=True,
             runs=20, by_latency=True),
    # wavetank kernel has one flow at a time.
    Scenario("two flows", SHAPED.format(limit="64KB") + "delay 15ms", "delay 15ms", "3MiB", "share one queue of 64 KB", flows=2, kernel=None),
    Scenario("tiny queue", "rate 10Mbit burst 0B limit 8packets delay 15ms", "delay 15ms", "3MiB", "eight packets"),
]

# Of the kernel, beside its timeouts: how it took reordering.
COUNTERS = ("TCPSACKReorder", "TCPDSACKUndo", "TCPFullUndo", "TCPPartialUndo", "TCPSackRecovery")
BOUNDS = {"goodput": 0.03, "acks": 0.05, "retransmissions": 0.15}

# How much longer a path may be over TAP: two hosts wake up, read and write. Lateness of the emulator's own is in its verdict.
LONGER_MS = (0.1, 0.3, 0.6, 1)


# ---- one run ---------------------------------------------------------------------------------------------------


class Failed(Exception):
    """A run that did not come to its end."""


class NoLabs(Exception):
    """Labs cannot be made here."""


def bytes_of(size):
    number, unit = re.fullmatch(r"(\d+)(KB|MiB)", size).groups()
    return int(number) * {"KB": 1000, "MiB": 1 << 20}[unit]


def sums(flows, frames):
    """Of flow records, and of (segments, ACKs) as frames."""
    seconds = max(flow["connection_time_s"] for flow in flows)
    return {"goodput_Mbit": sum(flow["payload_bytes"] for flow in flows) * 8e-6 / seconds,
            "retransmissions": sum(flow["sender"]["retransmits_segs"] for flow in flows),
            "timeouts": sum(flow["sender"].get("timeouts") or 0 for flow in flows),
            "segments": frames[0], "acks": frames[1],
            "min_rtt_ms": min(flow["sender"].get("min_rtt_s", 0) for flow in flows) * 1e3} # 0: the kernel's is not told


def add(total, run):
    """Of several runs of short flows: all adds up; mean() divides what is no count."""
    return {key: total.get(key, 0) + value for key, value in run.items()}


def mean(total, runs):
    return total | {key: total[key] / runs for key in ("goodput_Mbit", "min_rtt_ms")}


class Twins:
    def __init__(self, args):
        self.args = args
        self.labs = 0
        self.priority = ["chrt", "-f", "10"] if os.geteuid() == 0 and shutil.which("chrt") and not args.no_priority else []

    def wavetank(self, *words, **how):
        return subprocess.run([*self.priority, self.args.wavetank, *words], capture_output=True, text=True, timeout=300, check=False, **how)

    def virtual(self, scenario, seed, longer=""):
        done = self.wavetank("sim", "--fwd", scenario.fwd + longer, "--rev", scenario.rev, "-C", "newreno", "--recovery", "sack", "--rcc", "standard",
                             "-n", scenario.size, "--parallel", str(scenario.flows), "--seed", str(seed), "--json", "--quiet", *scenario.settings)
        if done.returncode:
            raise Failed(done.stderr.strip())
        record = json.loads(done.stdout)
        return sums(record["flows"], (record["frames_a"], record["frames_b"]))

    def exec(self, name, host, *words):
        return subprocess.Popen([*self.priority, self.args.wavetank, "lab", "exec", f"{name}:{host}", *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def listen(self, name, words):
        """recv, when it listens."""
        process = self.exec(name, "b", *words)
        line = process.stderr.readline()
        while line and "listening" not in line:
            line = process.stderr.readline()
        if not line:
            raise Failed("recv does not listen")
        return process

    def counters_of_kernel(self, name):
        process = self.exec(name, "a", "cat", "/proc/net/netstat")
        names, values = [text.split() for text in process.communicate(timeout=30)[0].splitlines() if text.startswith("TcpExt:")]
        counts = dict(zip(names, values))
        return {"timeouts": int(counts["TCPTimeouts"])} | {key: int(counts[key]) for key in COUNTERS}

    def transfers(self, name, scenario, kernel):
        """The flow records, in a lab that is up."""
        me = self.args.wavetank
        size = ["-n", scenario.size, "--timeout", "120s", "--json"]
        serve = [me, "kernel", "recv", "-C", "reno"] if kernel else [me, "recv", "-i", "0", "--rcc", "standard"]
        send = [me, "kernel", "send", "-c", "b", "-C", "reno"] if kernel else [me, "send", "-i", "0", "-c", "b", "-C", "newreno", "--recovery", "sack"]
        flows, servers = [], []
        try:
            for _ in range(scenario.runs):
                if kernel or not servers: # the kernel's takes one transfer
                    servers.append(self.listen(name, serve))
                senders = [self.exec(name, "a", *send, *size, "--seed", "1") for _ in range(scenario.flows)]
                for sender in senders:
                    out, err = sender.communicate(timeout=180)
                    if sender.returncode:
                        raise Failed(err.strip().splitlines()[-1] if err.strip() else f"exit code {sender.returncode}")
                    flows.append(json.loads(out.strip().splitlines()[-1]))
        finally:
            for process in servers:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                process.communicate()
        return flows

    def tell(self, name, told):
        process = self.exec(name, "b", *told.command)
        err = process.communicate(timeout=30)[1]
        if process.returncode:
            raise Failed(f"{' '.join(told.command)}: {err.strip()}")

    def real(self, scenario, seed, kernel, told=None):
        """One run over TAP: what was measured, and the emulator's faults (none: it is valid)."""
        self.labs += 1
        name = f"tw{os.getpid() % 100000}-{self.labs}"
        up = self.wavetank("lab", "up", name, "--backend", "tap", "--fwd", scenario.fwd, "--rev", scenario.rev, "--seed", str(seed), "--owner",
                           str(os.getpid()))
        if up.returncode:
            self.wavetank("lab", "down", name)
            raise NoLabs(up.stderr.strip()) if self.labs == 1 else Failed(up.stderr.strip())
        try:
            if told:
                self.tell(name, told)
            before = self.counters_of_kernel(name) if kernel else {}
            flows = self.transfers(name, scenario, kernel)
            after = self.counters_of_kernel(name) if kernel else {}
        finally:
            down = self.wavetank("lab", "down", "--json", name)
        emulator = json.loads(down.stdout)
        frames = tuple(emulator[way]["offered"] for way in ("fwd", "rev"))
        result = self.measured(scenario, flows, frames)
        result.update({key: after[key] - before[key] for key in after})
        return result, [fault["fault"] for fault in emulator["verdict"]["faults"]]

    @staticmethod
    def measured(scenario, flows, frames):
        if scenario.flows > 1 or scenario.runs == 1:
            result = sums(flows, frames)
        else:
            result = {}
            for flow in flows:
                result = add(result, sums([flow], (0, 0)))
            result = mean(result, len(flows))
            result["segments"], result["acks"] = frames
        return result

    def valid(self, scenario, kernel, told=None):
        """The first valid run; None if there is none."""
        faults, end = [], time.monotonic() + self.args.patience
        while len(faults) < self.args.attempts or time.monotonic() < end:
            result, found = self.real(scenario, self.args.seed, kernel, told)
            result["attempts"] = len(faults) + 1
            if not found:
                return result, faults
            faults.append(", ".join(found))
        return None, faults

    def sim(self, scenario, longer=""):
        result = {}
        for run in range(scenario.runs):
            result = add(result, self.virtual(scenario, self.args.seed + run, longer))
        return mean(result, scenario.runs)

    def counts_of_longer_paths(self, scenario, sim):
        """Per count, all that virtual time gives when the path is a little longer."""
        runs = [sim] + [self.sim(scenario, f" | delay {ms}ms") for ms in LONGER_MS]
        return {what: sorted({run[what] for run in runs}) for what in ("retransmissions", "timeouts")}


# ---- judging ---------------------------------------------------------------------------------------------------


def apart(a, b):
    return abs(a - b) / max(abs(b), 1e-9)


def ratio(result):
    return result["acks"] / max(1, result["segments"])


def between(counts, count):
    return counts[0] <= count <= counts[-1]


def spelt(counts):
    return " to ".join(str(count) for count in sorted({counts[0], counts[-1]}))


def judge(scenario, sim, tap, kernel, counts):
    """The bounds that are broken, as sentences. counts: of virtual time where they are judged exactly."""
    broken = []
    bound = (0.10 if scenario.by_latency else BOUNDS["goodput"]) + (max(0, tap["min_rtt_ms"] / sim["min_rtt_ms"] - 1) if scenario.by_latency else 0)
    if apart(sim["goodput_Mbit"], tap["goodput_Mbit"]) > bound:
        broken.append(f"goodput {sim['goodput_Mbit']:.2f} in virtual time, {tap['goodput_Mbit']:.2f} Mbit/s over TAP: more than {bound:.1%} apart")
    if apart(ratio(sim), ratio(tap)) > BOUNDS["acks"]:
        broken.append(f"ACKs per segment {ratio(sim):.3f} in virtual time, {ratio(tap):.3f} over TAP: more than 5 % apart")
    for what in ("retransmissions", "timeouts"):
        if scenario.exact:
            if not between(counts[what], tap[what]):
                broken.append(f"{what} {spelt(counts[what])} in virtual time, {tap[what]} over TAP")
            continue
        slack = max(2, BOUNDS["retransmissions"] * tap[what]) if what == "retransmissions" else 1
        if abs(sim[what] - tap[what]) > slack:
            broken.append(f"{what} {sim[what]} in virtual time, {tap[what]} over TAP: at most {slack:.0f} apart is allowed")
    if kernel and scenario.kernel and apart(tap["goodput_Mbit"], kernel["goodput_Mbit"]) > scenario.kernel:
        broken.append(f"goodput {tap['goodput_Mbit']:.2f} over TAP, {kernel['goodput_Mbit']:.2f} Mbit/s of the kernel: "
                      f"more than {scenario.kernel:.0%} apart")
    return broken


def judge_told(record):
    """With one rule in both the goodput is one; as the kernel is, it lies between ours with the rule and ours without."""
    sim, told = (record[way]["goodput_Mbit"] for way in ("sim", "virtual told"))
    least, most, bound = min(sim, told), max(sim, told), BOUNDS["goodput"]
    kernel, alone = record["kernel told"], record["kernel"]
    if kernel and apart(told, kernel["goodput_Mbit"]) > bound:
        yield f"goodput {told:.2f} in virtual time, {kernel['goodput_Mbit']:.2f} Mbit/s of the kernel, told the same: more than {bound:.0%} apart"
    if alone and not least * (1 - bound) <= alone["goodput_Mbit"] <= most * (1 + bound):
        yield f"goodput {alone['goodput_Mbit']:.2f} Mbit/s of the kernel, not between {least:.2f} and {most:.2f} of ours"


HEAD = f"{'scenario':12} {'':12} {'Mbit/s':>8} {'apart':>7} {'ACK/seg':>8} {'resent':>7} {'timeouts':>9}  verdict"


def line(name, way, result, sim):
    difference = "" if result is sim else f"{result['goodput_Mbit'] / sim['goodput_Mbit'] - 1:+.1%}"
    return (f"{name:12} {way:12} {result['goodput_Mbit']:8.2f} {difference:>7} {ratio(result):8.3f} {result['retransmissions']:7} "
            f"{result['timeouts']:9}")


def run_scenario(twins, scenario):
    """Its record for --json; prints its lines."""
    sim = twins.sim(scenario)
    record = {"scenario": scenario.name, "about": scenario.about, "fwd": scenario.fwd, "rev": scenario.rev, "exact": scenario.exact, "sim": sim}
    print(line(scenario.name, "virtual", sim, sim), flush=True)
    for way, kernel in (("TAP", False), ("kernel", True)):
        if kernel and (twins.args.no_kernel or scenario.flows > 1 or scenario.told and not scenario.told.alone):
            record[way] = None
            continue
        record[way], record[way + " invalid"] = twins.valid(scenario, kernel)
        again = f"after {len(record[way + ' invalid'])} invalid" if record[way + " invalid"] else ""
        print(line("", way, record[way], sim) + f"  {again or 'valid'}" if record[way] else f"{'':12} {way:12} no valid run: {record[way + ' invalid']}",
              flush=True)
    counts = record["counts"] = twins.counts_of_longer_paths(scenario, sim) if scenario.exact else None
    record["broken"] = judge(scenario, sim, record["TAP"], record["kernel"], counts) if record["TAP"] else []
    for sentence in record["broken"]:
        print(f"{'':12} BROKEN: {sentence}", flush=True)
    return record


def run_told(twins, scenario, record):
    """Ours and the kernel with one rule: adds to the record, prints the lines."""
    ours = copy.copy(scenario)
    ours.settings = ["-S", scenario.told.settings]
    sim = record["virtual told"] = twins.sim(ours)
    print(line("", "virtual told", sim, record["sim"]) + f"  {scenario.told.settings}", flush=True)
    kernel, faults = record["kernel told"], record["kernel told invalid"] = twins.valid(scenario, True, scenario.told)
    print(line("", "kernel told", kernel, sim) + f"  {'valid' if not faults else f'after {len(faults)} invalid'}" if kernel else
          f"{'':12} kernel told  no valid run: {faults}", flush=True)
    broken = list(judge_told(record))
    record["broken"] += broken
    for sentence in broken:
        print(f"{'':12} BROKEN: {sentence}", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0], epilog=__doc__.split("\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wavetank", default="build/tools/wavetank", help="the program (default build/tools/wavetank)")
    parser.add_argument("--quick", action="store_true", help="four scenarios")
    parser.add_argument("--only", action="append", metavar="NAME", help="this scenario; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="all that was measured")
    parser.add_argument("--seed", type=int, default=1, help="of the emulator's draws (default 1)")
    parser.add_argument("--attempts", type=int, default=3, help="runs at most until one is valid (default 3)")
    parser.add_argument("--patience", type=float, default=0, metavar="S", help="and more until one is valid or S seconds are over (default 0)")
    parser.add_argument("--busy-is-skip", action="store_true", help="exit code 77 for 5: for test suites on machines that others use")
    parser.add_argument("--no-kernel", action="store_true", help="virtual time and TAP alone")
    parser.add_argument("--no-priority", action="store_true", help="no real-time priority, also as root")
    args = parser.parse_args()
    args.wavetank = os.path.realpath(args.wavetank)
    names = [scenario.name for scenario in SCENARIOS]
    for name in args.only or []:
        if name not in names:
            parser.error(f"'{name}' is none of {', '.join(names)}")
    if not os.access(args.wavetank, os.X_OK):
        parser.error(f"--wavetank {args.wavetank}: no program")
    return args


def main():
    args = options()
    twins = Twins(args)
    chosen = [s for s in SCENARIOS if (s.name in args.only if args.only else s.quick or not args.quick)]
    start = time.monotonic()
    records = []
    print(HEAD)
    try:
        for scenario in chosen:
            records.append(run_scenario(twins, scenario))
            if scenario.told and not args.no_kernel:
                run_told(twins, scenario, records[-1])
    except NoLabs as error:
        print(f"no labs here: {error}", file=sys.stderr)
        return 77
    except (Failed, subprocess.TimeoutExpired) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "wavetank.twins.1", "bounds": BOUNDS, "seed": args.seed, "scenarios": records}, file, indent=1)
    broken = sum(len(record["broken"]) for record in records)
    empty = sum(record["TAP"] is None for record in records)
    print(f"{len(records)} scenarios in {time.monotonic() - start:.0f} s: {broken} bounds broken, {empty} without a valid run")
    return 1 if broken else (77 if args.busy_is_skip else 5) if empty else 0


sys.exit(main())
