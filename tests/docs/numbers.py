#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Numbers in documents are those that a command prints today.

A paragraph with such numbers is followed by a comment that names the command and quotes what it prints:

    Of the 21 cells 13 match and 3 differ.
    <!-- prints: wavetank paper run tcp-real-2001/table1: cells: 13 match 2 near 2 rank 3 differs -->

The quoted text must be in the output of the command, and each number of the text must stand in the paragraph. "prints slowly:" in place of
"prints:" marks a command that takes longer than a few seconds: only --all runs it.

A command that begins with a path of the tree (tests/..., tools/..., build/...) runs at its root; any other, which may join several by &&, runs
in a temporary folder in which tools/ is that of the tree. WAVETANK is the wavetank of both, and build/ is the folder that it was built in.

    tests/docs/numbers.py build/tools/wavetank README.md docs/*.md          the quick ones, as tools/check does
    tests/docs/numbers.py --all build/tools/wavetank README.md docs/*.md    all; half an hour

Exit code 0: every number is what its command prints; 1: one is not, and the line says which.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMENT = re.compile(r'<!-- prints.*?-->', re.S)
CLAIM = re.compile(r'<!-- prints( slowly)?: ([a-z][^:]*(?::[^ :][^:]*)*): (.*?) -->', re.S)
NUMBER = re.compile(r'\d+(?:\.\d+)?')
QUICK_S, SLOW_S = 100, 3600


def claims(text, slow=True):
    """(paragraph before, command, quoted text) of each comment; without `slow` of the quick ones."""
    for match in CLAIM.finditer(text):
        if slow or not match.group(1):
            paragraph = COMMENT.sub('', text[:match.start()]).rstrip().split('\n\n')[-1]
            yield paragraph, ' '.join(match.group(2).split()), ' '.join(match.group(3).split())


def faults(text, run, slow=True):
    for comment in COMMENT.findall(text):
        if not CLAIM.match(comment):
            yield 'a comment that is not "prints: COMMAND: TEXT": %s' % comment
    for paragraph, command, quoted in claims(text, slow):
        if quoted not in ' '.join(run(command).split()):
            yield '"%s" does not print "%s" any more' % (command, quoted)
        for number in set(NUMBER.findall(quoted)) - set(NUMBER.findall(paragraph)):
            yield '%s of "%s" does not stand in the paragraph before it' % (number, quoted)


class Runner:
    def __init__(self, wavetank, limit):
        self.build = os.path.dirname(os.path.dirname(os.path.realpath(wavetank)))
        self.path = os.path.dirname(os.path.realpath(wavetank)) + os.pathsep + os.environ.get('PATH', os.defpath)
        self.limit, self.printed = limit, {}

    def __call__(self, command):
        if command not in self.printed:
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(os.path.join(ROOT, 'tools'), os.path.join(folder, 'tools'))
                where = ROOT if command.startswith(('tests/', 'tools/', 'build/')) else folder
                here = re.sub(r'(?<!\S)build/', shlex.quote(self.build + os.sep), command)
                done = subprocess.run(['sh', '-c', here], cwd=where, text=True, timeout=self.limit, check=False, env=dict(os.environ, PATH=self.path),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.printed[command] = done.stdout
        return self.printed[command]


def itself():
    """A number that is wrong in the text, or that the command does not print, is found."""
    good = 'Of 21 cells\n13 match.\n<!-- prints: wavetank x: cells: 13 match -->'
    assert not list(faults(good, lambda command: 'cells: 13  match'))
    assert len(list(faults(good, lambda command: 'cells: 12 match'))) == 1
    assert len(list(faults(good.replace('13 match.', 'five match.'), lambda command: 'cells: 13 match'))) == 1
    two = good + '\n<!-- prints slowly: tests/y && z: 21 cells -->'
    assert not list(faults(two, lambda command: 'cells: 13 match' if command == 'wavetank x' else '21 cells'))
    assert len(list(faults(two, lambda command: 'cells: 13 match'))) == 1
    assert not list(faults(two, lambda command: 'cells: 13 match', slow=False))
    assert len(list(faults('13\n<!-- prints 13 -->', lambda command: ''))) == 1


def main():
    words = sys.argv[1:]
    slow = '--all' in words
    words = [word for word in words if word != '--all']
    itself()
    run, found, count = Runner(words[0], SLOW_S if slow else QUICK_S), 0, 0
    for path in words[1:]:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        count += len(list(claims(text, slow)))
        for fault in faults(text, run, slow):
            print('%s: %s' % (path, fault))
            found += 1
    print('%d claims in %d documents, %d faults' % (count, len(words) - 1, found))
    return 1 if found or not count else 0


sys.exit(main())
