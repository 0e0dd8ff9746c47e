# SPDX-License-Identifier: BSD-2-Clause
"""
Our reno (recovery sack) beside the kernel's reno, each pair with the same losses by packet number: both in labs of their own, and ours in
virtual time, which no other load of the machine slows down. Judged is the lab.
"""
import json
import math
import os
import random
import statistics
import subprocess
import tempfile
import time

SEEDS = 8
BYTES = {1: "12MiB", 3: "6MiB"}
BOUNDS = {1: 0.99, 3: 0.97}  # the least mean ratio of goodput, ours by the kernel's
PATH = "rate 100Mbit burst 20KB limit 1MB delay 15ms | loss trace "


def losses(percent, seed, path):
    """The first packets pass, so that both handshakes do; then independent losses."""
    draw = random.Random(seed * 1000 + percent)
    with open(path, "w", encoding="ascii") as file:
        file.write("0\n" * 10 + "".join("01"[draw.random() < percent / 100] + "\n" for _ in range(100000)))


def transfer(wavetank, percent, seed, kernel, folder):
    """Goodput in bit/s and timeouts of one transfer in a fresh lab."""
    listed, lab = os.path.join(folder, "losses"), f"wtval{os.getpid()}"
    losses(percent, seed, listed)
    subprocess.run([wavetank, "lab", "up", lab, "--fwd", PATH + listed, "--rev", "delay 15ms", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    try:
        receiver = [wavetank, "kernel", "recv"] if kernel else [wavetank, "recv", "-1"]
        sender = [wavetank, "kernel", "send", "-c", "b", "-C", "reno"] if kernel else [wavetank, "send", "-c", "b", "-C", "reno",
                                                                                      "--recovery", "sack"]
        with subprocess.Popen([wavetank, "lab", "exec", f"{lab}:b", *receiver], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as waiting:
            time.sleep(0.5)
            try:
                out = subprocess.run([wavetank, "lab", "exec", f"{lab}:a", *sender, "-n", BYTES[percent], "--json"], check=True,
                                     capture_output=True, text=True, timeout=120).stdout
            finally:
                waiting.terminate()
    finally:
        subprocess.run([wavetank, "lab", "down", lab, "--quiet"], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    record = json.loads(out.strip().splitlines()[-1])
    return record["goodput_bps"], record["sender"].get("timeouts", 0)


def virtual(wavetank, percent, folder):
    out = subprocess.run([wavetank, "sim", "--fwd", PATH + os.path.join(folder, "losses"), "--rev", "delay 15ms", "-C", "reno",
                          "--recovery", "sack", "-n", BYTES[percent], "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["flows"][0]["goodput_bps"]


def table(wavetank):
    bad = 0
    print(f"{'loss':>6}{'ours, Mbit/s':>14}{'virtual':>9}{'kernel':>9}{'ratio':>9}{'90 % interval':>18}{'timeouts: ours':>16}{'kernel':>8}")
    for percent, bound in BOUNDS.items():
        ratios, ours, inside, theirs, late = [], [], [], [], [0, 0]
        for seed in range(1, SEEDS + 1):
            with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
                a, x = transfer(wavetank, percent, seed, False, folder)
                b, y = transfer(wavetank, percent, seed, True, folder)
                inside.append(virtual(wavetank, percent, folder) / 1e6)
            ratios.append(a / b)
            ours.append(a / 1e6)
            theirs.append(b / 1e6)
            late[0] += x
            late[1] += y
        mean = statistics.mean(ratios)
        half = 1.895 * statistics.stdev(ratios) / math.sqrt(len(ratios))  # Student, 7 degrees of freedom
        wrong = mean < bound
        bad += wrong
        print(f"{percent:5}%{statistics.mean(ours):14.2f}{statistics.mean(inside):9.2f}{statistics.mean(theirs):9.2f}{mean:9.3f}"
              f"{mean - half:10.3f} .. {mean + half:.3f}{late[0]:13}{late[1]:8}{'  BELOW ' + str(bound) if wrong else ''}", flush=True)
    return bad
