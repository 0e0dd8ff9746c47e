# SPDX-License-Identifier: BSD-2-Clause
"""What the tidy checks share: the files of the tree, and the way a check ends.

A check is a module with `check(root, build)` that yields one line per fault; tests/tidy/run.py runs it over the tree
and tests/tidy/test_tidy.py over samples that are wrong on purpose, so that each check is known to be able to fail.
"""
import json
import os
import re

FOLDERS = ('stack', 'cc', 'emu', 'tools', 'tests', 'docs', '.ci')
CODE = ('.c', '.h')


def files(root, endings=None, folders=FOLDERS):
    """Paths below root, relative, sorted; with folders=None those of the root folder too."""
    found = []
    for folder in folders:
        for where, inner, names in os.walk(os.path.join(root, folder)):
            inner[:] = [i for i in inner if i != '__pycache__' and not i.startswith('build')]
            for name in names:
                path = os.path.relpath(os.path.join(where, name), root)
                if endings is None or name.endswith(tuple(endings)):
                    found.append(path)
    return sorted(found)


def lines(root, path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as file:
        return file.read().split('\n')


def without_comments(text):
    """C text with comments and string contents blanked, line breaks kept."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)


def introspect(build, what):
    with open(os.path.join(build, 'meson-info', 'intro-%s.json' % what), encoding='utf-8') as file:
        return json.load(file)


def definitions(root, path, macro):
    """The first two arguments of each MACRO(id, "name", ...) line of a .def file."""
    text = '\n'.join(lines(root, path))
    return re.findall(r'^%s\((\w+)(?:,\s*"([^"]*)")?' % macro, text, re.M)
