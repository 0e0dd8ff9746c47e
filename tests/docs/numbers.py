#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Numbers in documents are those that a command prints today.

A paragraph with such numbers is followed by a comment that names the command and quotes what it prints:

    Of the 21 cells 13 match and 3 differ.
    <!-- prints: wavetank paper run tcp-real-2001/table1: cells: 13 match 2 near 2 rank 3 differs -->

The command is run in a temporary folder, the quoted text must be in its output, and each number of the text must stand in the paragraph.

usage: numbers.py WAVETANK DOCUMENT...
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

CLAIM = re.compile(r'<!-- prints: (wavetank [^:]*(?::[^ :][^:]*)*): (.*?) -->', re.S)
NUMBER = re.compile(r'\d+(?:\.\d+)?')


def claims(text):
    """(paragraph before, command, quoted text) of each comment."""
    for match in CLAIM.finditer(text):
        yield text[:match.start()].rstrip().split('\n\n')[-1], match.group(1), ' '.join(match.group(2).split())


def faults(text, run):
    for paragraph, command, quoted in claims(text):
        if quoted not in ' '.join(run(command).split()):
            yield '"%s" does not print "%s" any more' % (command, quoted)
        for number in set(NUMBER.findall(quoted)) - set(NUMBER.findall(paragraph)):
            yield '%s of "%s" does not stand in the paragraph before it' % (number, quoted)


class Runner:
    def __init__(self, wavetank):
        self.wavetank, self.printed = os.path.realpath(wavetank), {}

    def __call__(self, command):
        if command not in self.printed:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([self.wavetank, *shlex.split(command)[1:]], cwd=folder, text=True, timeout=100, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.printed[command] = done.stdout
        return self.printed[command]


def itself():
    """A number that is wrong in the text, or that the command does not print, is found."""
    good = 'Of 21 cells\n13 match.\n<!-- prints: wavetank x: cells: 13 match -->'
    assert not list(faults(good, lambda command: 'cells: 13  match'))
    assert len(list(faults(good, lambda command: 'cells: 12 match'))) == 1
    assert len(list(faults(good.replace('13 match.', 'five match.'), lambda command: 'cells: 13 match'))) == 1


def main():
    itself()
    run, found, count = Runner(sys.argv[1]), 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        count += len(list(claims(text)))
        for fault in faults(text, run):
            print('%s: %s' % (path, fault))
            found += 1
    print('%d claims in %d documents, %d faults' % (count, len(sys.argv) - 2, found))
    return 1 if found or not count else 0


sys.exit(main())
