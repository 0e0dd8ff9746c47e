# SPDX-License-Identifier: BSD-2-Clause
"""The cells of the string tables of studies 001 and 002 that lie outside their bound (10 % of AODV, 20 % of DSR and DSDV), beside ns-2.

--results DIR is a folder of `wavetank paper run`, with multihop/table1 and so on in it. For each cell outside, ns-2 runs the same set-up with the
same number of seeds: its own agents in 001 (Vegas beside the printed number times 1.5), its Linux agents with a SACK sink in 002. What follows for
each is in docs/wireless-model.md; nothing is judged here. A run of ns-2's DSDV may hang, and is left out. --ns: another build of it, such as an
edited one.
"""
import csv
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
START, END, PATIENCE = 100, 300, 300
BOUND = {"AODV": 0.10, "DSDV": 0.20, "DSR": 0.20}
OWN = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "Newreno", "sack": "Sack1", "vegas-1500": "Vegas"}
LINUX = {"hstcp": "Linux:highspeed", "stcp": "Linux:scalable", "cubic": "Linux:cubic", "ctcp": "Linux:compound"}
# table, routing, data rate, agents
TABLES = [("multihop/table1", "DSDV", "1Mb", OWN), ("multihop/table3", "AODV", "1Mb", OWN), ("multihop/table4", "DSR", "1Mb", OWN),
          ("multihop-highspeed/table1", "DSDV", "11Mb", LINUX), ("multihop-highspeed/table2", "AODV", "11Mb", LINUX),
          ("multihop-highspeed/table3", "DSR", "11Mb", LINUX)]


def theirs(ns, routing, agent, rate, hops, seed):
    """kB/s, or None: it hung."""
    command = [ns, os.path.join(HERE, "string.tcl"), agent, rate, routing, hops, str(seed), str(END), str(START)]
    try:
        out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return float(out.split("kbps")[1].split()[0]) / 8


def outside(results, table, routing, agents):
    """Cells of a table: how many, and those outside as (hops, variant, ours, printed), kB/s."""
    with open(os.path.join(results, table, "table.csv"), encoding="utf-8") as file:
        rows = [(row["point"], row["variant"], float(row["goodput_mean_kBps"]), float(row["paper_goodput_kBps"]))
                for row in csv.DictReader(file) if row["variant"] in agents]
    return len(rows), [row for row in rows if abs(row[2] / row[3] - 1) > BOUND[routing]]


def table(results, seeds, ns):
    print("routing  variant     hops   printed    ours  ours/printed   ns-2 (least, most)  ns-2/printed  ours/ns-2   (kB/s)")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, routing, rate, agents in TABLES:
            count, cells = outside(results, name, routing, agents)
            for hops, variant, ours, printed in cells:
                runs = list(pool.map(lambda seed, a=agents[variant], h=hops, r=routing, m=rate: theirs(ns, r, a, m, h, seed), range(1, seeds + 1)))
                runs = [run for run in runs if run is not None]
                mean = sum(runs) / len(runs)
                where = "printed within ns-2's spread" if min(runs) <= printed <= max(runs) else ""
                print("%-8s %-11s %4s %9.1f %7.1f %13.2f %8.1f (%.1f, %.1f) %12.2f %10.2f   %s" % (
                    routing, variant, hops, printed, ours, ours / printed, mean, min(runs), max(runs), mean / printed, ours / mean, where), flush=True)
            print(f"{name}: {count - len(cells)} of {count} cells within {BOUND[routing]:.0%}")
    return 0
