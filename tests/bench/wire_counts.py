#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""System calls of the engine on a wire, with the kernel as its peer, as counts. Each is the difference of a long and a short run, by strace.
A count beyond its limit fails.

    wire_counts.py WAVETANK

With segmentation offload the kernel decides how many ACKs it sends, between one per segment of 64 KB and one per two of 1448 bytes, and other
work on the machine changes its choice. So the engine's calls are counted per frame that passes the device in either direction, which the
engine does decide, and the size of the data frames has a limit of its own."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bench"))
import wire  # noqa: E402

MB = 1000000
# name, port, words, load, its amounts, limit
LOADS = [
    ("tap: calls per MB sent", "tap:wt0", (), lambda n: wire.pull(n * MB), (10, 60), 450),
    ("tap: calls per MB received", "tap:wt0", (), lambda n: wire.push(n * MB), (10, 60), 900),
    ("tap: calls per request and response", "tap:wt0", (), wire.ask, (200, 1200), 3.3),
    ("tap: calls per connection of one byte", "tap:wt0", (), wire.open_and_close, (200, 1200), 7.8),
    ("packet: calls per MB sent", "packet:wt1", (), lambda n: wire.pull(n * MB), (10, 60), 450),
    ("packet: calls per request and response", "packet:wt1", (), wire.ask, (200, 1200), 3.3),
    ("tap, offloads: calls per MB received", "tap:wt0", ("--offload",), lambda n: wire.push(n * MB), (10, 60), 120),
]
OFFLOADED = (10, 60) # MB sent
CALLS_PER_FRAME, BYTES_PER_FRAME = 1.15, 8000


def device():
    """Frames in both directions, and frames and bytes that the engine has written, as the kernel's end of the device counts them."""
    with open("/proc/self/net/dev", encoding="ascii") as file:
        fields = [int(word) for word in next(line for line in file if "wt0:" in line).partition(":")[2].split()]
    return {"frames": fields[1] + fields[9], "written": fields[1], "bytes": fields[0]}


def run(program, port, words, load, amount, folder):
    """Of one run, from start to end: its calls, and what passed the device."""
    path = os.path.join(folder, "calls")
    before = device()
    with wire.Engine(program, *words, port=port, prefix=("strace", "-f", "-c", "-o", path)):
        load(amount)
        after = device()
    with open(path, encoding="utf-8") as file:
        calls = int(re.search(r"^\S+\s+\S+\s+(?:\d+\s+)?(\d+)\s+(?:\d+\s+)?total$", file.read(), re.M).group(1))
    return {"calls": calls, **{key: after[key] - before[key] for key in after}}


def longer(program, port, words, load, amounts, folder):
    """A long run without a short one, per amount."""
    (wire.make_tap if port.startswith("tap") else wire.make_pair)()
    few, many = (run(program, port, words, load, amount, folder) for amount in amounts)
    wire.remove()
    return {key: (many[key] - few[key]) / (amounts[1] - amounts[0]) for key in few}


def told(name, count, bound, limit):
    """Prints the line of one count; whether it is beyond its limit."""
    broken = count > limit if bound == "most" else count < limit
    print("%-45s %8.2f   at %s %s%s" % (name, count, bound, limit, "   FAILED" if broken else ""), flush=True)
    return broken


def main():
    program, broken = os.path.abspath(sys.argv[1]), 0
    try:
        wire.enter_namespace()
        wire.make_tap()
        wire.remove()
    except wire.NotHere as why:
        print(f"skipped: {why}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, port, words, load, amounts, limit in LOADS:
            broken += told(name, longer(program, port, words, load, amounts, folder)["calls"], "most", limit)
        per_MB = longer(program, "tap:wt0", ("--offload",), lambda n: wire.pull(n * MB), OFFLOADED, folder)
        broken += told("tap, offloads: calls per frame, sending", per_MB["calls"] / per_MB["frames"], "most", CALLS_PER_FRAME)
        broken += told("tap, offloads: bytes per frame sent", per_MB["bytes"] / per_MB["written"], "least", BYTES_PER_FRAME)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
