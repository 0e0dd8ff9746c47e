# SPDX-License-Identifier: BSD-2-Clause
"""No leftovers (marks of unfinished work, paths of somebody's machine); a licence line on top of each file of code; a document that is
mentioned is there; no phrase that was retired because readers stumbled over it; and no sentence of a document beyond column 120."""
import os
import re

from source import CODE, files, lines

# Put together from pieces, so that this file does not find itself.
MARKS = re.compile(r'\b(' + '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'X' * 3, 'HA' + 'CK', 'T' + 'BD']) + r')\b')
MACHINE = re.compile(r'(?<![\w.])/(' + '|'.join(['work', 'home/\\w', 'root', 'tmp/wt', 'Us' + 'ers/\\w']) + r')/')
SHARED = re.compile(r'\.\./' + 'shared' + r'\b')
LICENCE = 'SPDX-License-Identifier: BSD-2-Clause'
DOCUMENT = re.compile(r'\bdocs/[\w/-]+\.md\b')
LINK = re.compile(r'\]\(([\w./-]+\.md|LICENSE)\)')

WIDTH = 120 # columns of a document
RETIRED = re.compile('|'.join(['the words ' + 'are others', 'whom root ' + 'becomes', 'go to ' + 'and fro', 'was never ' + 'begun',
                               'milliseconds that ' + 'stand in', 'for those ' + 'that have gone', 'nobody ' + 'knows', '[Ss]o many streams ' + 'side', 'for iperf3 ' + 'habits',
                               'everything ' + 'random [(]', 'every so ' + 'often', 'is none ' + 'of sleep', 'what goes to ' + 'standard']))


def check(root, build):
    for path in files(root) + [name for name in ('README.md', 'meson.build') if os.path.exists(os.path.join(root, name))]:
        if path.endswith(('.png', '.svg', '.pcap', '.pcapng', '.bin')) or '/corpus/' in path:
            continue
        text = lines(root, path)
        for number, line in enumerate(text, 1):
            if MARKS.search(line):
                yield '%s:%d: a mark of unfinished work: %s' % (path, number, line.strip())
            if MACHINE.search(line) or SHARED.search(line):
                yield '%s:%d: names a path of somebody\'s machine: %s' % (path, number, line.strip())
            if RETIRED.search(line) and path.startswith(('tools/', 'emu/', 'stack/', 'cc/', 'docs/')):
                yield '%s:%d: a retired phrase; say it plainly: %s' % (path, number, line.strip())
            for target in DOCUMENT.findall(line):
                if not os.path.exists(os.path.join(root, target)):
                    yield '%s:%d: there is no %s' % (path, number, target)
            for target in LINK.findall(line) if path.endswith('.md') else []:
                if not os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                    yield '%s:%d: there is no %s' % (path, number, target)
        if path.endswith('.md'):
            yield from too_wide(path, text)
        head = text[:3]
        if path.endswith(CODE + ('.py', '.sh')) and not any(LICENCE in line for line in head):
            yield '%s: no line "%s" on top' % (path, LICENCE)


def too_wide(path, text):
    """Sentences: tables, code and the commands in comments are as wide as they are."""
    code = False
    for number, line in enumerate(text, 1):
        code ^= line.lstrip().startswith('```')
        if len(line) > WIDTH and not code and not line.lstrip().startswith(('|', '<!--')):
            yield '%s:%d: %d columns, at most %d' % (path, number, len(line), WIDTH)
