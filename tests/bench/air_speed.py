# SPDX-License-Identifier: BSD-2-Clause
"""The air beside ns-2 (package ns2) by processor time: the string of seven hops for 200 s, and 225 stations that walk with 25 flows. Both
get the same movement and the same flows. Called by `wavetank bench air` and by tests/validation/air.py.

    air_speed.py WAVETANK [--rounds 3]"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = HERE if os.path.exists(os.path.join(HERE, "string.tcl")) else os.path.join(os.path.dirname(HERE), "validation")
STRING_SECONDS, FIELD_SECONDS, STATIONS, FLOWS = 200, 20, 225, 25

STRING = """[air]
rate = %(rate)s
routing = aodv:again-threshold=on
mtu = 1540B
[stations n]
count = 8
place = string 250m
[run]
time = %(end)ds
seed = %(seed)d
settings = mss=1500B,rcv_buffer=48000B,snd_buffer=200KB,initial_window=1,sack=off,timestamps=off,window_scaling=off,ack_every=1,rto_min=200ms,rto_var_min=0,slow_start_limit=1,undo=off
[flow f]
between = n0 n%(hops)d
start = %(start)ds
sender = newreno
recovery = newreno
"""
START = 10


def string(folder, hops, seed, rate="1Mbit", seconds=STRING_SECONDS + START):
    """The world of ours; string.tcl is that of ns-2."""
    path = os.path.join(folder, "%d-%d.conf" % (hops, seed))
    with open(path, "w", encoding="utf-8") as file:
        file.write(STRING % {"rate": rate, "end": seconds, "seed": seed, "hops": hops, "start": START})
    return path


def ns2_string(hops, seed, seconds=STRING_SECONDS + START):
    return ["ns", os.path.join(SCRIPTS, "string.tcl"), "Newreno", "1Mb", "AODV", str(hops), str(seed), str(seconds)]


def field(folder, wavetank):
    """(the command of ns-2, ours): one pattern, written once, and datagrams of 1024 bytes, four a second for each flow."""
    walk, tcl, conf = (os.path.join(folder, name) for name in ("walk.tcl", "field.tcl", "field.conf"))
    subprocess.run([wavetank, "mobility", "make", "--stations", str(STATIONS), "--field", "2400m 1800m", "--speed", "5m/s 15m/s", "--pause", "30s",
                    "-t", "%ds" % FIELD_SECONDS, "-o", walk], check=True)
    with open(conf, "w", encoding="utf-8") as file:
        file.write("[air]\nrate = 2Mbit\nrouting = aodv\nqueue = 100\nmovement = %s\n[stations n]\ncount = %d\n"
                   "[run]\ntime = %ds\napp = cbr:rate=32768bit,size=1024B\n" % (walk, STATIONS, FIELD_SECONDS))
        for f in range(FLOWS):
            file.write("[flow f%d]\nbetween = n%d n%d\nstart = %dms\n" % (f, 2 * f, 2 * f + 1, 5000 + 100 * f))
    with open(os.path.join(SCRIPTS, "field.tcl"), encoding="utf-8") as source, open(tcl, "w", encoding="utf-8") as file:
        text = source.read()
        for word, value in (("STATIONS", STATIONS), ("FLOWS", FLOWS), ("WALK", walk), ("END", FIELD_SECONDS)):
            text = text.replace("@%s@" % word, str(value))
        file.write(text)
    return ["ns", tcl], [wavetank, "sim", "-f", conf]


def cases(folder, wavetank):
    """[(name, the command of ns-2, ours)]."""
    return [("7 hops, %d s" % STRING_SECONDS, ns2_string(7, 1, STRING_SECONDS), [wavetank, "sim", "-f", string(folder, 7, 1, "1Mbit", STRING_SECONDS)]),
            ("%d stations" % STATIONS, *field(folder, wavetank))]


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, other, ours in cases(folder, os.path.abspath(options.program)):
            times = [(cpu(ours), cpu(other)) for _ in range(options.rounds)]
            line = {"what": name, "cpu_s": min(t[0] for t in times), "ns2_cpu_s": min(t[1] for t in times),
                    "ratio": sorted(a / b for a, b in times)[len(times) // 2]}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
