# SPDX-License-Identifier: BSD-2-Clause
"""A file includes its own folder and lower layers, by names that start at the root (docs/architecture.md)."""
import os
import re

from source import CODE, files, lines

# Whom each room may include. The longest matching folder counts; tests may include everything.
MAY = {
    'stack/base': ['stack/base'],
    'stack/wire': ['stack/base', 'stack/wire'],
    'cc': ['stack/base', 'cc'],
    'emu': ['stack/base', 'emu'],
    'stack/host': ['stack/base', 'stack/wire', 'cc', 'stack/host'],
    'stack/drive': ['stack/base', 'stack/wire', 'cc', 'emu', 'stack/host', 'stack/drive'],
    'emu/daemon': ['stack/base', 'stack/wire', 'emu', 'stack/drive', 'emu/daemon', 'tools'],
    'tools': ['stack/base', 'stack/wire', 'cc', 'emu', 'stack/host', 'stack/drive', 'emu/daemon', 'tools'],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
GENERATED = {'tools/version.h', 'tools/source.h'}


def room(path):
    matches = [folder for folder in MAY if path.startswith(folder + '/')]
    return max(matches, key=len) if matches else None


def check(root, build):
    for path in files(root, CODE + ('.in', '.def')):
        mine = room(path)
        for number, line in enumerate(lines(root, path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            here = '%s:%d: includes "%s"' % (path, number, target)
            if path.startswith('tests/') and os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                continue # a test's own helper
            if target not in GENERATED and not os.path.exists(os.path.join(root, target)):
                yield here + ', which is no path from the root'
            elif mine and room(target) not in MAY[mine]:
                yield here + ', which is not its own folder or a lower layer'
