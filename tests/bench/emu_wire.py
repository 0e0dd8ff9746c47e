# SPDX-License-Identifier: BSD-2-Clause
"""How much the emulator forwards: packets a second without a loss, the kernel's TCP in packets and in whole frames. Each figure is the
median of several runs, with the least and the most, beside a reference of the same run: what is measured is a machine, too.

emu_wire.py WAVETANK EMU_TRAFFIC EMU_FLOOD [packets|tcp]... [--runs N] [--quick] and options of emu run, such as --realtime

packets: a generator (packet socket, on processor 0) offers frames to the TAP of one namespace, the emulator (on processor 1) passes
them through rate, loss and delay, the kernel of the other namespace counts them. A rate counts as carried if each frame offered
was read, and all but those of the loss stage arrived; where frames are missing, the table of places says where they went."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "emu"))
from lab import *

TRAFFIC, FLOOD = map(os.path.abspath, sys.argv[2:4])
WORDS = sys.argv[4:]
QUICK = "--quick" in WORDS
RUNS = int(WORDS[WORDS.index("--runs") + 1]) if "--runs" in WORDS else 1 if QUICK else 5
SECONDS = 0.5 if QUICK else 2
OWN = ["--quick", "--runs", str(RUNS), "packets", "tcp"]
EXTRA = [word for word in WORDS if word not in OWN]
WANTED = [word for word in WORDS if word in ("packets", "tcp")] or ["packets", "tcp"]
CHAIN = "rate 10Gbit burst 100KB limit 10MB loss 0.1% delay 15ms"
PROCESSORS = len(os.sched_getaffinity(0)) > 1


def spread(values, digits=2):
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def on(processor, command):
    return ["taskset", "-c", str(processor), *command] if PROCESSORS else command


def received(side):
    """Frames the kernel of a side took from its TAP."""
    counted = json.loads(side.must("ip", "-j", "-s", "link", "show", "wt0"))[0]["stats64"]["rx"]
    return counted["packets"], counted["dropped"]


def offer(a, b, rate, size, seconds):
    """Offers so many frames a second: where each went, and what it cost the daemon in processor time."""
    emulator = Emulator(a, b, "--fwd", CHAIN, *(["--cpu", "1"] if PROCESSORS else []), *EXTRA)
    a.must("ip", "link", "set", "wt0", "txqueuelen", "10000")  # as in a lab
    sent = answer(start(on(0, a.inside(FLOOD, "wt0", str(int(rate * seconds)), str(rate), str(size))), stdout=subprocess.PIPE, text=True))
    time.sleep(0.2)
    arrived, refused = received(b)
    record = emulator.end()
    to, away = record["ports"]
    lost = stage(record, "fwd.loss")["dropped"].get("loss", 0)
    places = {
        "offered": sent["sent"] + sent["refused"], "queue of the TAP full": to["kernel_drops"],
        "read": to["read"], "no memory": to["dropped"].get("pool", 0), "by the loss stage": lost,
        "by other stages": record["fwd"]["dropped"] - lost, "written": away["written"],
        "refused by the far kernel": away["dropped"].get("wire", 0) + refused, "arrived": arrived}
    whole = places["read"] >= places["offered"] and places["arrived"] >= places["offered"] - lost
    return {"places": places, "whole": whole, "rate": sent["sent"] / sent["seconds"], "per_cpu": to["read"] / record["lateness"]["cpu_s"],
            "verdict": ",".join(fault["fault"] for fault in record["verdict"]["faults"]) or "valid"}


def again(test, *arguments):
    """On two fresh namespaces."""
    sides = Side(), Side()
    try:
        return test(*sides, *arguments)
    finally:
        for side in sides:
            side.close()


def highest(size):
    """The highest rate carried without a loss, to 3 %; not above what the generator reaches."""
    good, bad = 20e3, 800e3
    while bad > good * (1.3 if QUICK else 1.03):
        rate = (good * bad) ** 0.5
        run = again(offer, rate, size, SECONDS / 2)
        if not run["whole"]:
            bad = rate
        elif run["rate"] > 0.97 * rate:
            good = rate
        else:
            return max(good, run["rate"])
    return good


def packets():
    for size, goal in ((1514, 250000), (64, 180000)):
        runs = [again(offer, goal, size, SECONDS) for _ in range(RUNS)]
        carried = sum(run["whole"] for run in runs)
        print(f"\n{size} bytes, {goal:,} a second offered through '{CHAIN}': {carried} of {RUNS} runs without a loss")
        for name in runs[0]["places"]:
            print(f"  {name:26}" + "".join(f" {run['places'][name]:>10,}" for run in runs))
        print(f"  {'verdict':26}" + "".join(f" {run['verdict']:>10}" for run in runs))
        print(f"  per second of the daemon's processor time {spread([run['per_cpu'] for run in runs], 0)}")
        print(f"  highest rate without a loss {spread([highest(size) for _ in range(RUNS)], 0)} a second (goal {goal:,})", flush=True)


# ---- the kernel's TCP ---------------------------------------------------------------------------------------


def transfer(a, b, to):
    receiver = start(b.inside(TRAFFIC, "tcp-recv"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(receiver.stderr.readline() == "listening\n", "the receiver does not listen")
    check(start(a.inside(TRAFFIC, "tcp-send", to, str(SECONDS))).wait(60) == 0, "sender")
    return answer(receiver, 60)["bits_per_second"] / 1e9


def pair(a, b, offloads):
    """Over a veth pair, no emulator at all."""
    a.must("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns", str(b.holder.pid))
    for side, address in ((a, "10.8.0.1"), (b, "10.8.0.2")):
        if not offloads:
            side.must("ethtool", "-K", "v0", "tx", "off", "tso", "off", "gso", "off", "gro", "off")
        side.must("ip", "address", "add", address + "/24", "dev", "v0")
        side.must("ip", "link", "set", "v0", "up")
    return transfer(a, b, "10.8.0.2"), None, ""


def through(a, b, *words):
    emulator = Emulator(a, b, "--frames", "65536", *words, *EXTRA)
    for side in (a, b):
        side.must("ip", "link", "set", "wt0", "txqueuelen", "10000")
    rate = transfer(a, b, B)
    record = emulator.end()
    check(record["ports"][0].get("big", 0) > 0 or "--offload" not in words, "no big frame:", record["ports"][0])
    return rate, rate * SECONDS / record["lateness"]["cpu_s"], ",".join(fault["fault"] for fault in record["verdict"]["faults"]) or "valid"


STEERED = ["--cpu", "1", "--steer"]
DELAYED = ["--link", "rate 100Gbit burst 1MB limit 10MB delay 1ms"]
CASES = (  # what, its reference, the goal in Gbit/s, how
    ("veth pair, packets", None, None, lambda a, b: pair(a, b, False)),
    ("veth pair, whole frames", None, None, lambda a, b: pair(a, b, True)),
    ("an ideal wire, packets", 0, 2.3, lambda a, b: through(a, b)),
    ("rate and delay, packets", 0, 2.3, lambda a, b: through(a, b, *DELAYED)),
    ("rate and delay, --arrival ring", 0, 2.3, lambda a, b: through(a, b, "--arrival", "ring", *DELAYED)),
    ("rate and delay, --arrival read", 0, 2.3, lambda a, b: through(a, b, "--arrival", "read", *DELAYED)),
    *([("an ideal wire, reception steered", 0, 2.3, lambda a, b: through(a, b, *STEERED)),
       ("rate and delay, reception steered", 0, 2.3, lambda a, b: through(a, b, *STEERED, *DELAYED))] if PROCESSORS else []),
    ("--offload, rate and delay: cut", 0, 2.3, lambda a, b: through(a, b, "--offload", *DELAYED)),
    ("--offload, an ideal wire: whole", 1, 10, lambda a, b: through(a, b, "--offload")),
    ("--offload, delay 1ms: whole", 1, 10, lambda a, b: through(a, b, "--offload", "--link", "delay 1ms")),
)


def kernel_tcp():
    runs = [[again(how) for _, _, _, how in CASES] for _ in range(RUNS)]  # one of each in turn: what disturbs one disturbs all
    print(f"\nthe kernel's TCP, Gbit/s: median (least to most) of {RUNS} runs of {SECONDS} s; of the reference; per second of the daemon's "
          "processor time")
    for i, (what, reference, goal, _) in enumerate(CASES):
        line = f"  {what:34} {spread([run[i][0] for run in runs]):26}"
        if reference is not None:
            line += f" {statistics.median(run[i][0] / run[reference][0] for run in runs):5.2f}"
            line += f"  {spread([run[i][1] for run in runs], 1):22} (goal {goal})  {' '.join(run[i][2] for run in runs)}"
        print(line, flush=True)


if os.geteuid() != 0:
    skip("needs root: it makes network namespaces and TAP devices")
if "packets" in WANTED:
    packets()
if "tcp" in WANTED:
    kernel_tcp()
