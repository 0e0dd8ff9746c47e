#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""System calls of the engine on a wire, with the kernel as its peer, as counts: per MB sent and received, per request and response. Each is
the difference of a long and a short run, by strace. A count above its limit fails.

    wire_counts.py WAVETANK

Work beside it on the machine makes batches longer, not shorter: counts are at their worst on a quiet one."""
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
    ("packet: calls per MB sent", "packet:wt1", (), lambda n: wire.pull(n * MB), (10, 60), 450),
    ("packet: calls per request and response", "packet:wt1", (), wire.ask, (200, 1200), 3.3),
    ("tap, offloads: calls per MB sent", "tap:wt0", ("--offload",), lambda n: wire.pull(n * MB), (10, 60), 90),
    ("tap, offloads: calls per MB received", "tap:wt0", ("--offload",), lambda n: wire.push(n * MB), (10, 60), 120),
]


def calls(program, port, words, load, amount, folder):
    """Of one run, from start to end."""
    path = os.path.join(folder, "calls")
    with wire.Engine(program, *words, port=port, prefix=("strace", "-f", "-c", "-o", path)):
        load(amount)
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"^\S+\s+\S+\s+(?:\d+\s+)?(\d+)\s+(?:\d+\s+)?total$", file.read(), re.M).group(1))


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
        for name, port, words, load, (few, many), limit in LOADS:
            (wire.make_tap if port.startswith("tap") else wire.make_pair)()
            count = (calls(program, port, words, load, many, folder) - calls(program, port, words, load, few, folder)) / (many - few)
            wire.remove()
            broken += count > limit
            print("%-40s %8.2f   at most %s%s" % (name, count, limit, "   FAILED" if count > limit else ""))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
