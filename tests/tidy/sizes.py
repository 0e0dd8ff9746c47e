# SPDX-License-Identifier: BSD-2-Clause
"""Functions of at most 70 lines, files of at most 600, rooms of at most twenty files. sizes.txt lists the functions still above, each with the most
it may have: a list that can only shrink, because an entry that is no longer needed is a fault too."""
import os

from source import CODE, files, lines

FUNCTION = 70
FILE = 600
ROOM = 20 # a source and its header are one


def functions(text):
    """(name, lines from the opening to the closing brace) of functions in kernel style: braces in the first column."""
    start = None
    for number, line in enumerate(text):
        if line.rstrip() == '{' and number and text[number - 1].rstrip().endswith(')'):
            head = number - 1
            while head > 0 and text[head][:1].isspace():
                head -= 1
            start = number
            name = text[head].split('(')[0].split()[-1].lstrip('*')
        elif line.rstrip() == '}' and start is not None:
            yield name, number - start + 1
            start = None


def exceptions(root):
    path = os.path.join(root, 'tests/tidy/sizes.txt')
    if not os.path.exists(path):
        return {}
    entries = [line.split() for line in open(path, encoding='utf-8') if line.strip() and not line.startswith('#')]
    return {entry[0]: int(entry[1]) for entry in entries}


def rooms(root):
    """(folder, number of files that are code)."""
    found = {}
    for path in files(root, CODE + ('.py', '.sh')):
        found.setdefault(os.path.dirname(path), set()).add(os.path.splitext(os.path.basename(path))[0])
    return sorted((folder, len(names)) for folder, names in found.items())


def check(root, build):
    for folder, count in rooms(root):
        if count > ROOM:
            yield '%s: %d files, at most %d: a folder for some of them' % (folder, count, ROOM)
    allowed = exceptions(root)
    for path in files(root, CODE + ('.py', '.sh')):
        text = lines(root, path)
        if len(text) > FILE:
            yield '%s: %d lines, at most %d' % (path, len(text), FILE)
        if not path.endswith(CODE):
            continue
        for name, length in functions(text):
            key = '%s:%s' % (path, name)
            limit = allowed.pop(key, FUNCTION)
            if length > limit:
                yield '%s: %s() has %d lines, at most %d' % (path, name, length, limit)
            elif limit > FUNCTION >= length:
                yield 'tests/tidy/sizes.txt: %s has only %d lines now: remove the entry' % (key, length)
    for key in allowed:
        yield 'tests/tidy/sizes.txt: %s: there is no such function' % key
