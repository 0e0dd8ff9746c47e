#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a data segment costs in virtual time, as counts, which no other work on the machine changes: instructions (callgrind), allocations
and system calls (strace), each as the difference of a long and a short run of one scenario. And what a flow of thousands keeps resident, both ends
and what is in flight, as the difference of many and of fewer on one link. A count above its limit fails.

    counts.py WAVETANK

The limits are those of gcc 12 and the default build. Lower a limit when a change has earned it; raise it only with a reason in docs/performance.md."""
import json
import os
import re
import subprocess
import sys
import tempfile

LINKS = " | ".join(["rate 100Mbit burst 0B limit 100MB delay 1ms", "rate 10Mbit burst 0B limit 50packets delay 13ms",
                    "rate 100Mbit burst 0B limit 100MB delay 1ms"])
SETTINGS = ["-C", "newreno", "--recovery", "sack", "-S", "mss=1000B", "-S", "ack_every=1", "-S", "timestamps=no"]
SHORT, LONG = 1, 3  # MB
FEWER, MANY = 1000, 3000  # flows
CROWD = ["--link", "rate 1Gbit burst 0B limit 100MB delay 10ms", "-t", "1s", "--json"]
LIMITS = {"instructions_per_segment": 3620, "allocations_per_segment": 0.01, "system_calls_per_MB": 4, "resident_B_per_flow": 25000}
ALLOCATORS = ("malloc", "calloc", "realloc", "aligned_alloc")


def scenario(program, megabytes):
    return [program, "sim", "--link", LINKS, *SETTINGS, "-n", "%dMB" % megabytes, "--json"]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def segments(text):
    """The numbers of segments that the JSON line of a run says were sent."""
    return int(re.search(r'"sent_segs": ?(\d+)', text).group(1))


def calls(path):
    """Calls of the allocators in a profile: names are written out once, and then as numbers."""
    names, total, callee = {}, 0, ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(("fn=", "cfn=")):
                number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line.strip()).groups()
                names.setdefault(number, name or "")
                callee = names[number] if line.startswith("cfn=") else callee
            elif line.startswith("calls=") and callee.split("'")[0] in ALLOCATORS:
                total += int(line[6:].split()[0])
    return total


def profile(program, megabytes, folder):
    path = os.path.join(folder, "profile-%d" % megabytes)
    text = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + path, *scenario(program, megabytes)])
    with open(path, encoding="utf-8", errors="replace") as file:
        instructions = int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))
    return instructions, calls(path), segments(text)


def system_calls(program, megabytes, folder):
    path = os.path.join(folder, "calls-%d" % megabytes)
    run(["strace", "-f", "-c", "-o", path, *scenario(program, megabytes)])
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"^\S+\s+\S+\s+(?:\d+\s+)?(\d+)\s+(?:\d+\s+)?total$", file.read(), re.M).group(1))


def resident(program, flows):
    """The most bytes that a run of so many flows had in memory."""
    with subprocess.Popen([program, "sim", *CROWD, "-P", str(flows)], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("failed: sim of %d flows" % flows)
    return usage.ru_maxrss * 1024


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        short, long = profile(program, SHORT, folder), profile(program, LONG, folder)
        more = long[2] - short[2]
        counts = {
            "instructions_per_segment": (long[0] - short[0]) / more,
            "allocations_per_segment": (long[1] - short[1]) / more,
            "system_calls_per_MB": (system_calls(program, LONG, folder) - system_calls(program, SHORT, folder)) / (LONG - SHORT),
            "resident_B_per_flow": (resident(program, MANY) - resident(program, FEWER)) / (MANY - FEWER),
        }
    broken = [name for name, limit in LIMITS.items() if counts[name] > limit]
    for name, limit in LIMITS.items():
        print("%-26s %10.2f   at most %s%s" % (name, counts[name], limit, "   FAILED" if name in broken else ""))
    print(json.dumps({"segments": more, **counts}))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
