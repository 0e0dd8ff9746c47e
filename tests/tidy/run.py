# SPDX-License-Identifier: BSD-2-Clause
"""Runs one check: run.py CHECK SOURCE-ROOT BUILD-ROOT. Prints the faults; exit code 1 if there are any."""
import importlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main(name, root, build):
    faults = list(importlib.import_module(name).check(root, build))
    for fault in faults:
        print(fault)
    print('%s: %d faults' % (name, len(faults)))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:4]))
