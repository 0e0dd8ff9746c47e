#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""From a sweep to a table and a figure with pandas, in four steps. Run it where `wavetank` and `import wavetank` work.

  wavetank sweep run /usr/share/wavetank/sweeps/loss.ini -o loss
  python3 loss.py loss [FIGURE.svg]
"""
import sys

import wavetank

# 1. One row per run: the axes of the sweep, the seed, the outcome and the metrics with their units.
runs = wavetank.load(sys.argv[1])
runs = runs[runs["outcome"] == "ok"]

# 2. Median and spread of every point.
table = runs.groupby(["loss", "variant"])["goodput_kBps"].agg(["count", "median", "std"]).round(1)
print(table.to_string())

# 3. Runs with equal seeds met the same losses: compare pairs, not averages.
pairs = runs.pivot_table(index=["loss", "repeat"], columns="variant", values="goodput_kBps").dropna()
gain = (pairs["real"] / pairs["newreno"] - 1).groupby("loss").median()
print("\nreal against newreno, median of pairs:\n" + gain.map("{:+.1%}".format).to_string())

# 4. A figure.
if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("svg")
    table["median"].unstack().plot(marker="o", ylabel="goodput, KB/s", ylim=(0, None)).figure.savefig(sys.argv[2])
