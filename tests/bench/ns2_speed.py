#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Virtual time beside ns-2 (package ns2): the same dumbbell of three links, in turn, by processor time. Prints for each rate and number of
flows the data packets per processor second of both, their ratio with its spread, and the memory resident; then a JSON line.

    ns2_speed.py WAVETANK [--rounds 3] [--rates 10,100,1000,10000] [--flows 1,100]

Equal work: 1000-byte segments, an ACK for each, NewReno with SACK, 30 ms there and back, a queue of a bandwidth-delay product and a third.
What is measured is the difference of a long and a short run, of packets and of time: ns-2 takes 30 ms to start and a few seconds of 10 Mbit/s
take no longer, so that its start would count for us. At 10 Gbit/s there is one run, of a second, and its start counts."""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = {10: (20, 140), 100: (3, 15), 1000: (1, 4), 10000: (0, 1)}  # of the short and the long run; 0: there is none


def measured(command):
    """(what it printed, processor seconds, megabytes resident)"""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("failed: " + " ".join(command))
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ns2_run(rate, flows, length):
    text, seconds, memory = measured(["ns", os.path.join(HERE, "ns2_speed.tcl"), str(rate), str(flows), str(length), str(5 * rate)])
    return int(text), seconds, memory


def wavetank_run(program, rate, flows, length):
    fast = "rate %dMbit burst 0B limit 1000000packets delay 1ms" % (10 * rate)
    link = "%s | rate %dMbit burst 0B limit %dpackets delay 13ms | %s" % (fast, rate, 5 * rate, fast)
    text, seconds, memory = measured(
        [program, "sim", "--link", link, "-P", str(flows), "-t", "%ds" % length, "-C", "newreno", "--recovery", "sack",
         "-S", "mss=1000B", "-S", "ack_every=1", "-S", "timestamps=no", "-S", "rcv_buffer=256MB", "-S", "snd_buffer=256MB", "--json"])
    return sum(flow["sender"]["sent_segs"] for flow in json.loads(text)["flows"]), seconds, memory


def without_start(run, rate):
    """(segments, processor seconds, megabytes) of what the long run has more than the short one; the memory is the long one's"""
    short, long = SECONDS[rate]
    fewer = run(short)[:2] if short else (0, 0)
    segments, seconds, memory = run(long)
    return segments - fewer[0], seconds - fewer[1], memory


def ns2(rate, flows):
    return without_start(lambda length: ns2_run(rate, flows, length), rate)


def wavetank(program, rate, flows):
    return without_start(lambda length: wavetank_run(program, rate, flows, length), rate)


def row(program, rate, flows, rounds):
    ours, theirs, ratios, memory = [], [], [], (0, 0)
    for _ in range(rounds):
        a, b = wavetank(program, rate, flows), ns2(rate, flows)
        ours.append(a[0] / a[1])
        theirs.append(b[0] / b[1])
        ratios.append(ours[-1] / theirs[-1])
        memory = (max(memory[0], a[2]), max(memory[1], b[2]))
    return {"rate_Mbps": rate, "flows": flows, "rounds": rounds, "segments": a[0], "ns2_segments": b[0],
            "segments_per_s": statistics.median(ours), "ns2_segments_per_s": statistics.median(theirs),
            "ratio": statistics.median(ratios), "ratio_least": min(ratios), "ratio_most": max(ratios),
            "resident_MB": round(memory[0], 1), "ns2_resident_MB": round(memory[1], 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rates", default="10,100,1000,10000")
    parser.add_argument("--flows", default="1,100")
    options = parser.parse_args()
    lines = []
    print("%10s %6s %14s %14s %22s %16s" % ("rate", "flows", "wavetank /s", "ns-2 /s", "ratio", "resident MB"))
    for rate in map(int, options.rates.split(",")):
        for flows in map(int, options.flows.split(",")):
            r = row(os.path.abspath(options.program), rate, flows, options.rounds)
            print("%5d Mbit %6d %14d %14d %8.2f (%.2f to %.2f) %7.0f, %6.0f" % (
                rate, flows, r["segments_per_s"], r["ns2_segments_per_s"], r["ratio"], r["ratio_least"], r["ratio_most"],
                r["resident_MB"], r["ns2_resident_MB"]), flush=True)
            lines.append(r)
    for line in lines:
        print(json.dumps(line))


if __name__ == "__main__":
    main()
