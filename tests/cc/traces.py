#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Golden traces: the window of every module in the scenarios of `wavetank cc trace`, beside the snapshots in tests/cc/traces.

  traces.py WAVETANK [--write]

A snapshot is the summary of the nine scenarios, each in its whole length (lines with #), and the window at 24 even times of each. A difference is
a change of behaviour: explain it in the commit, and write the snapshots again with --write. A new module gets its file the same way: look at it
before it is committed. The scenarios are those that tests/validation lays beside ns-2.
"""
import difflib
import glob
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traces")
POINTS = ["--csv", "--points", "24"]


def modules(wavetank):
    """{name of the file: words of the command}"""
    lines = subprocess.run([wavetank, "cc", "list", "--json"], check=True, capture_output=True, text=True).stdout.splitlines()
    known = {(module["table"], module["name"]) for module in map(json.loads, lines)}
    senders = {name for table, name in known if table == "sender"}
    words = {f"sender-{name}": [name] for name in senders}
    words |= {f"recovery-{name}": ["newreno", "--recovery", name] for table, name in known if table == "recovery"}
    words |= {f"receiver-{name}": [name if name in senders else "newreno", "--rcc", name] for table, name in known if table == "receiver"}
    return words


def trace(wavetank, words):
    summary, points = (subprocess.run([wavetank, "cc", "trace", *words, *more], check=True, capture_output=True, text=True).stdout
                       for more in ([], POINTS))
    return "".join(f"# {line}\n" for line in summary.splitlines()) + points


def main():
    wavetank, write = sys.argv[1], sys.argv[2:] == ["--write"]
    wanted = modules(wavetank)
    bad = 0
    os.makedirs(FOLDER, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        texts = dict(zip(wanted, pool.map(lambda words: trace(wavetank, words), wanted.values())))
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.csv"))):
        if os.path.basename(path)[:-4] not in wanted:
            print(f"{path}: there is no such module")
            bad += 1
            if write:
                os.remove(path)
    for name, text in sorted(texts.items()):
        path = os.path.join(FOLDER, name + ".csv")
        old = open(path, encoding="ascii").read() if os.path.exists(path) else ""
        if text == old:
            continue
        bad += 1
        lines = list(difflib.unified_diff(old.splitlines(), text.splitlines(), path, "now", n=0, lineterm=""))
        print("\n".join(lines[:12] if old else [f"{path}: missing; write it with: tests/cc/traces.py {wavetank} --write"]))
        if write:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
    print(f"{bad} of {len(wanted)} differ" + (", written again" if write and bad else "") if bad else f"{len(wanted)} as they were")
    return 1 if bad and not write else 0


if __name__ == "__main__":
    sys.exit(main())
