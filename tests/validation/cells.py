# SPDX-License-Identifier: BSD-2-Clause
"""The cells of the string tables of study 001 that lie outside their bound, in ns-2: what it gives for ten seeds of the same set-up, beside the
printed one. A printed cell within ns-2's own spread is one run of many; one outside is not what ns-2 gives either. Nothing is judged here:
docs/wireless-model.md says what follows for each. A run of ns-2's DSDV may hang, and is left out.
"""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
START, END, PATIENCE = 100, 300, 300
# routing, agent of ns-2, hops, printed kbit/s (of Vegas times 1.5)
CELLS = [
    ("AODV", "Tahoe", 7, 51.0), ("AODV", "Sack1", 7, 32.4), ("AODV", "Vegas", 7, 77.0),
    ("DSDV", "Sack1", 3, 195.3), ("DSDV", "Reno", 4, 140.7), ("DSDV", "Newreno", 5, 124.7), ("DSDV", "Vegas", 6, 109.4), ("DSDV", "Sack1", 7, 76.2),
    ("DSR", "Reno", 4, 58.9), ("DSR", "Sack1", 5, 52.6),
]


def theirs(routing, agent, hops, seed):
    """kbit/s, or None: it hung."""
    command = ["ns", os.path.join(HERE, "string.tcl"), agent, "1Mb", routing, str(hops), str(seed), str(END), str(START)]
    try:
        out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return float(out.split("kbps")[1].split()[0])


def table(seeds):
    print("routing  agent    hops   printed      ns-2 (least, most)")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for routing, agent, hops, printed in CELLS:
            runs = [k for k in pool.map(lambda seed: theirs(routing, agent, hops, seed), range(1, seeds + 1)) if k is not None]
            where = "within ns-2's spread" if min(runs) <= printed <= max(runs) else "outside ns-2's spread"
            print("%-8s %-8s %4d %9.1f %9.1f (%.1f, %.1f)  %s" % (routing, agent, hops, printed, sum(runs) / len(runs), min(runs), max(runs), where))
    return 0
