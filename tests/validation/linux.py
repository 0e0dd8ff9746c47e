# SPDX-License-Identifier: BSD-2-Clause
"""
Our congestion control beside the kernel's of the same name, with the same losses by packet number: each sender with each receiver, in labs of
their own, and ours in virtual time too. Everything is counted in the emulator's captures (flow.py), of both stacks alike; no word of a
program about itself is used. Judged is ours to ours by the kernel's to the kernel's: the median of the seeds.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import flow

BYTES = {1: 4 << 20, 3: 2 << 20}
BOUNDS = {1: 0.99, 3: 0.97}  # least median ratio of goodput
# A line that spaces packets: bursts would reach the kernel faster than it takes them, and its receiver then answers a whole burst by one ACK.
PATH = "rate 10Mbit burst 0B limit 1MB delay 15ms | loss trace "
BACK = "delay 15ms"
KERNEL = {"reno": "reno", "newreno": "reno", "cubic": "cubic", "bbr": "bbr"}  # sender module of ours, the kernel's algorithm beside it
ATTEMPTS = 3
FIRST = 10  # packets that always pass: the handshake is no part of this

SEND = """
import socket, sys
s = socket.socket()
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[3].encode())
s.connect((sys.argv[1], 5754))
left = int(sys.argv[2])
while left: left -= s.send(bytes(min(left, 65536)))
s.shutdown(socket.SHUT_WR)
s.recv(1)
"""
RECEIVE = """
import socket
l = socket.socket()
l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
l.bind(("", 5754))
l.listen()
print("listening", flush=True)
s, _ = l.accept()
while s.recv(65536): pass
"""


def losses(percent, seed, path):
    """Independent losses by packet number; returns the numbers."""
    draw = random.Random(seed * 1000 + percent)
    fates = [draw.random() < percent / 100 for _ in range(100000)]
    with open(path, "w", encoding="ascii") as file:
        file.write("0\n" * FIRST + "".join(f"{fate:d}\n" for fate in fates))
    return [FIRST + 1 + i for i, fate in enumerate(fates) if fate]


def measured(capture, expected, size):
    """The numbers of a run. The emulator must have dropped the packets that were listed, and no other."""
    run = flow.Flow(capture)
    if not size <= run.una <= size + 64: # sim has a header of its own
        raise RuntimeError(f"{run.una} bytes of {size} were acknowledged")
    listed = [number for number in expected if number <= run.over]
    if run.lost != listed:
        raise RuntimeError(f"of {run.frames} packets the emulator lost {sorted(set(run.lost) - set(listed))} unlisted "
                           f"and let {sorted(set(listed) - set(run.lost))} pass")
    return run.numbers()


def virtual(wavetank, sender, percent, seed, folder):
    listed, capture = os.path.join(folder, "losses"), os.path.join(folder, "capture.pcapng")
    expected = losses(percent, seed, listed)
    subprocess.run([wavetank, "sim", "--fwd", PATH + listed, "--rev", BACK, *sender, "-n", f"{BYTES[percent]}B", "--capture", capture, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    return measured(capture, expected, BYTES[percent])


def transfer(wavetank, lab, words, receiver, size):
    """words: a list, our sender; else the name of the kernel's algorithm."""
    first = ["chrt", "-f", "10"]
    serve = [sys.executable, "-c", RECEIVE] if receiver == "kernel" else [wavetank, "recv", "-1", "--raw", "-i", "0", "--rcc", "standard"]
    if isinstance(words, list):
        send = [wavetank, "send", "--raw", "-i", "0", "-n", f"{size}B", "-c", "10.77.0.2" if receiver == "kernel" else "10.77.0.102", *words]
    else:
        send = [sys.executable, "-c", SEND, "10.77.0.2" if receiver == "kernel" else "10.77.0.102", str(size), words]
    with subprocess.Popen([*first, wavetank, "lab", "exec", f"{lab}:b", *serve], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waiting:
        time.sleep(0.5)
        try:
            subprocess.run([*first, wavetank, "lab", "exec", f"{lab}:a", *send], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           timeout=120)
        finally:
            waiting.terminate()


def real(wavetank, words, receiver, percent, seed, folder):
    """The first run that the emulator's verdict calls valid; None if there is none."""
    listed, capture = os.path.join(folder, "losses"), os.path.join(folder, "capture.pcapng")
    expected = losses(percent, seed, listed)
    for attempt in range(ATTEMPTS):
        lab = f"wtval{os.getpid() % 100000}-{attempt}"
        subprocess.run([wavetank, "lab", "up", lab, "--backend", "tap", "--fwd", PATH + listed, "--rev", BACK, "--capture", capture, "--realtime",
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        try:
            transfer(wavetank, lab, words, receiver, BYTES[percent])
        finally:
            down = subprocess.run([wavetank, "lab", "down", lab, "--json"], check=False, capture_output=True, text=True).stdout
        if not json.loads(down)["verdict"]["faults"]:
            return measured(capture, expected, BYTES[percent])
    return None


def runs(wavetank, modules):
    """(percent, sender, receiver, name of the module beside it) and how to run it."""
    for percent in BOUNDS:
        for kernel in sorted({KERNEL[module.split(",")[0]] for module in modules}):
            for receiver in ("kernel", "ours"):
                yield (percent, f"kernel {kernel}", receiver), lambda seed, folder, k=kernel, r=receiver, p=percent: real(wavetank, k, r, p, seed, folder)
        for module in modules:
            sender, _, recovery = module.partition(",")
            words = ["-C", sender] + (["--recovery", recovery] if recovery else [])
            yield (percent, module, "virtual"), lambda seed, folder, w=words, p=percent: virtual(wavetank, w, p, seed, folder)
            for receiver in ("kernel", "ours"):
                yield (percent, module, receiver), lambda seed, folder, w=words, r=receiver, p=percent: real(wavetank, w, r, p, seed, folder)


def line(key, got):
    valid = [run for run in got if run]
    text = f"{key[0]:3}%  {key[1]:14} {key[2]:8}"
    if not valid:
        return text + "  no valid run"
    best = [run["goodput_Mbit"] for run in valid]
    middle = {name: statistics.median(run[name] for run in valid) for name in valid[0]}
    return (f"{text}{middle['goodput_Mbit']:8.3f} ({min(best):.2f} .. {max(best):.2f}){middle['acks_per_segment']:8.3f}{middle['retransmissions']:8.0f}"
            f"{sum(run['needless'] for run in valid):6}{sum(run['timeouts'] for run in valid):6}{middle['cuts']:7.0f}{middle['mean_flight']:8.2f}"
            f"{len(valid):5}/{len(got)}")


def ratios(table, percent, module, receiver, beside):
    """Of each seed for which both are there."""
    theirs = table[percent, f"kernel {KERNEL[module.split(',')[0]]}", beside]
    return [a["goodput_Mbit"] / b["goodput_Mbit"] for a, b in zip(table[percent, module, receiver], theirs) if a and b]


def judge(table, modules):
    bad = 0
    for percent, bound in BOUNDS.items():
        for module in modules:
            for receiver, beside, judged in (("ours", "kernel", True), ("virtual", "kernel", False), ("kernel", "kernel", False), ("ours", "ours", False)):
                got = ratios(table, percent, module, receiver, beside)
                if not got:
                    print(f"{percent:3}%  {module} to {receiver}: nothing to compare")
                    bad += judged
                    continue
                middle = statistics.median(got)
                wrong = judged and middle < bound
                bad += wrong
                print(f"{percent:3}%  {module} to {receiver}, by the kernel's {KERNEL[module.split(',')[0]]} to {beside}: {middle:.3f} "
                      f"({min(got):.3f} .. {max(got):.3f}){'  BELOW ' + str(bound) if wrong else ''}")
    return bad


def table(wavetank, modules, seeds, file):
    got = {}
    wavetank = os.path.realpath(wavetank)
    print(f"{'loss':4}  {'sender':14} {'receiver':8}{'Mbit/s':>8}{'(all seeds)':>15}{'ACK/seg':>8}{'resent':>8}{'again':>6}{'RTOs':>6}{'cuts':>7}{'flight':>8}"
          f"{'valid':>7}")
    for key, run in runs(wavetank, modules):
        with tempfile.TemporaryDirectory(prefix="wt-validation-") as folder:
            got[key] = [run(seed, folder) for seed in range(1, seeds + 1)]
        print(line(key, got[key]), flush=True)
    if file:
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"schema": "wavetank.linux.1", "path": PATH, "back": BACK, "bytes": BYTES, "kernel": os.uname().release,
                       "runs": [{"loss_percent": key[0], "sender": key[1], "receiver": key[2], "seeds": value} for key, value in got.items()]},
                      out, indent=1)
    return judge(got, modules)
