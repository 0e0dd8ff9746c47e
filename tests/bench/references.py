#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our engine, lwIP and smoltcp on a plain TAP with frames of 1500 bytes, in turn, with the kernel's TCP at the other end.

    references.py WAVETANK FOLDER [--rounds N] [--size BYTES]

FOLDER is where tests/bench/references/build.sh has built the two. A table of processor seconds of each stack's process per GB and of Gbit/s, medians with the
least and the most, and the ratios of ours to theirs, round by round."""
import argparse
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bench"))
import wire  # noqa: E402


class Reference(wire.Engine):
    def __init__(self, program):
        self.start([program, "wt0"])


def run(program, make, load, size):
    """(processor seconds of the stack per GB, those of it that are its own code's, Gbit/s) of one transfer."""
    wire.make_tap()
    try:
        with make() as stack:
            done = subprocess.run([program, "kernel", "load", load, "-c", wire.OURS, "-n", str(size)], capture_output=True, text=True, timeout=600,
                                  check=True)
            stack.end()
        user, system = stack.usage.ru_utime, stack.usage.ru_stime
        return (user + system) * 1e9 / size, user * 1e9 / size, size * 8e-9 / json.loads(done.stdout)["seconds"]
    finally:
        wire.remove()


def spread(values, form):
    return form % (statistics.median(values), min(values), max(values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wavetank")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=300000000)
    args = parser.parse_args()
    program, folder = os.path.abspath(args.wavetank), os.path.abspath(args.folder)
    try:
        wire.enter_namespace()
    except wire.NotHere as why:
        print(f"skipped: {why}")
        return 77
    stacks = {"wavetank": lambda: wire.Engine(program), "lwIP": lambda: Reference(os.path.join(folder, "serve_lwip")),
              "smoltcp": lambda: Reference(os.path.join(folder, "serve_smoltcp"))}
    found = {(way, name): [] for way in ("sends", "receives") for name in stacks}
    for _ in range(args.rounds):
        for way, load in (("sends", "pull"), ("receives", "push")):
            for name, make in stacks.items():
                found[way, name].append(run(program, make, load, args.size))
    print("| | CPU s per GB | of these its own code's | Gbit/s | ours of theirs, CPU |\n|---|---|---|---|---|")
    for (way, name), rows in found.items():
        cells = [spread([row[i] for row in rows], "%.2f (%.2f to %.2f)") for i in range(3)]
        ratios = [ours[0] / theirs[0] for ours, theirs in zip(found[way, "wavetank"], rows)]
        print(f"| {way}, {name} | " + " | ".join(cells) + " | " + ("" if name == "wavetank" else spread(ratios, "%.2f (%.2f to %.2f)")) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
