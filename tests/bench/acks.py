#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Instructions per ACK of every sender module, as `cc bench` counts them: at most 150, and 600 for those with a model of the path.

    acks.py WAVETANK

The limits are those of a build with -O2."""
import json
import subprocess
import sys

MODEL = ("bbr", "bbr3", "leo")


def main():
    done = subprocess.run([sys.argv[1], "cc", "bench", "--json", "--acks", "25"], stdout=subprocess.PIPE, text=True, check=True)
    broken = 0
    for line in done.stdout.splitlines():
        module = json.loads(line)
        limit = 600 if module["module"] in MODEL else 150
        bad = module["instructions_per_ack"] > limit
        broken += bad
        print("%-12s %7.1f   at most %d%s" % (module["module"], module["instructions_per_ack"], limit, "   FAILED" if bad else ""))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
