# SPDX-License-Identifier: BSD-2-Clause
"""
The bandwidth that BBR believes in over that of the link, under heavy random loss: the kernel's bbr (TCP_CC_INFO, every 50 ms, in a lab) beside
ours (a gauge, at each ACK, in virtual time), and the draft's algorithm alone (probing.py). Judged is ours: within a twentieth of the link up to 15 %
of loss, and never more; at 20 % no more than 2 % below the draft's algorithm.

Version 3 beside the draft's pseudo-code alone (probing3.py): nowhere lower by more than 0.02 of the link, and never above the link by a twentieth.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import linux
import probing
import probing3

RATE = 10e6 / 8 * 1448 / 1514  # payload that fits through the link, bytes per second
LINE = "rate 10Mbit burst 0B limit 100KB delay 20ms"
PATHS = {"no loss": LINE, "2 % behind the link": LINE + " loss 2%", "15 % before the link": "loss 15% | " + LINE,
         "20 % before the link": "loss 20% | " + LINE, "20 % behind the link": LINE + " loss 20%"}
BACK = "delay 20ms"
SECONDS, FROM = 40, 8
OURS = ["bbr", "bbr:margin=0.01", "bbr:probe_gain=1.3"]

SEND = """
import socket, struct, sys, threading, time
s = socket.socket()
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbr")
s.connect((sys.argv[1], 5754))
begin = time.monotonic()
seconds = float(sys.argv[2])
def sample():
    while time.monotonic() - begin < seconds:
        low, high, _, gain = struct.unpack("4I", s.getsockopt(socket.IPPROTO_TCP, 26, 64)[:16])
        print(time.monotonic() - begin, low | high << 32, gain / 256, flush=True)
        time.sleep(0.05)
watch = threading.Thread(target=sample)
watch.start()
s.settimeout(1)
while time.monotonic() - begin < seconds:
    try: s.send(bytes(65536))
    except TimeoutError: pass
watch.join()
"""


def kernel(wavetank, path, seed):
    """Mean over the link's, and the share of samples with the probing gain."""
    lab = f"wtbbr{os.getpid() % 100000}"
    subprocess.run([wavetank, "lab", "up", lab, "--backend", "tap", "--fwd", path, "--rev", BACK, "--seed", str(seed), "--realtime", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    inside = ["chrt", "-f", "10", wavetank, "lab", "exec"]
    try:
        with subprocess.Popen([*inside, lab + ":b", sys.executable, "-c", linux.RECEIVE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waiting:
            time.sleep(0.7)
            out = subprocess.run([*inside, lab + ":a", sys.executable, "-c", SEND, "10.77.0.2", str(SECONDS)], check=True, capture_output=True,
                                 text=True).stdout
            waiting.terminate()
    finally:
        subprocess.run([wavetank, "lab", "down", lab, "--quiet"], check=False, capture_output=True)
    samples = [[float(word) for word in line.split()] for line in out.splitlines()]
    late = [sample for sample in samples if sample[0] > FROM]
    return sum(sample[1] for sample in late) / len(late) / RATE, sum(sample[2] > 1 for sample in late) / len(late)


def ours(wavetank, module, path, seed):
    """Mean over time and greatest value, over the link's."""
    area = most = 0
    first = last = None
    with tempfile.NamedTemporaryFile(prefix="wt-validation-") as trace:
        subprocess.run([wavetank, "sim", "--fwd", path, "--rev", BACK, "-C", module, "-S", "snd_buffer=8MB", "-S", "rcv_buffer=8MB", "--seed", str(seed), "-t",
                        f"{SECONDS}s", "--trace", trace.name, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        for line in trace:
            event = json.loads(line) if b'"bandwidth_Bps"' in line else None
            if not event or event["time_ns"] < FROM * 1e9:
                continue
            now, value = event["time_ns"] / 1e9, event["data"]["bandwidth_Bps"] / RATE
            area += (now - last[0]) * last[1] if last else 0
            first, last, most = first or now, (now, value), max(most, value)
    return area / (last[0] - first), most


def table(wavetank, seeds):
    wavetank, bad = os.path.realpath(wavetank), 0
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
        there = "bbr" in file.read().split()
    print(f"{'':22}{'module':22} bandwidth over the link's, one number per seed")
    for name, path in PATHS.items():
        if there:
            got = [kernel(wavetank, path, seed) for seed in range(1, seeds + 1)]
            print(f"{name:22}{'kernel bbr':22} {' '.join(f'{mean:.3f}' for mean, _ in got)}; "
                  f"{100 * sum(share for _, share in got) / seeds:.0f} % of the samples probe", flush=True)
        share = float(name.split(" ")[0]) / 100 if name[0].isdigit() else 0
        draft = [probing.mean(RATE, share, "before" in name, seed) for seed in range(1, seeds + 1)]
        print(f"{name:22}{'the draft alone':22} {' '.join(f'{mean:.3f}' for mean in draft)}", flush=True)
        for module in OURS:
            got = [ours(wavetank, module, path, seed) for seed in range(1, seeds + 1)]
            wrong = any(most > 1.05 for _, most in got) or (not name.startswith("20 %") and any(abs(mean - 1) > 0.05 for mean, _ in got))
            wrong |= module == "bbr" and sum(mean for mean, _ in got) < sum(draft) - 0.02 * seeds
            bad += wrong
            print(f"{name:22}{module:22} {' '.join(f'{mean:.3f}' for mean, _ in got)}{'  APART' if wrong else ''}", flush=True)
    return bad


def third(wavetank):
    wavetank, bad = os.path.realpath(wavetank), 0
    print(f"{'':26}{'the draft alone':18}{'judged by ACK':18}{'bbr3':10} means of bandwidth over the link's")
    for wide in (1, 5):
        for percent in (0, 0.5, 1, 2, 5, 20):
            path = (f"loss {percent}% | " if percent else "") + (LINE if wide == 1 else "rate 50Mbit burst 0B limit 500KB delay 20ms")
            alone, by_ack = ([probing3.mean(wide * RATE, percent / 100, True, seed, how, queue=66 * wide) for seed in range(1, 7)] for how in (False, True))
            got = [ours(wavetank, "bbr3", path, seed) for seed in range(1, 5)]
            means = [sum(values) / len(values) for values in (alone, by_ack, [mean / wide for mean, _ in got])]
            wrong = means[2] < means[0] - 0.02 or any(most > 1.05 * wide for _, most in got)
            bad += wrong
            print(f"{10 * wide} Mbit/s, {percent:4} % lost   {means[0]:<18.3f}{means[1]:<18.3f}{means[2]:<10.3f}{'  APART' if wrong else ''}", flush=True)
    return bad
