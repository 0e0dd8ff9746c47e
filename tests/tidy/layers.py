# SPDX-License-Identifier: BSD-2-Clause
"""A file includes its own folder and lower layers, by names that start at the root (docs/architecture.md);
and none goes into a frame past its accessors."""
import os
import re

from source import CODE, files, lines

# Whom each room may include. The longest matching folder counts; tests may include everything.
BASE = ['stack/base', 'stack/text']
PATH = ['emu', 'emu/words', 'emu/loss', 'emu/queue', 'emu/stages']
TCP = BASE + ['stack/wire', 'stack/net', 'cc', 'stack/tcp']
HOST = TCP + ['stack/host']
EDGE = ['stack/record', 'stack/port', 'stack/drive']
WORLD = ['emu/router', 'emu/mobility', 'emu/air', 'stack/mesh', 'emu/world']
EMULATOR = ['emu/daemon', 'emu/machine']
SHARED = ['tools', 'tools/common', 'tools/words', 'tools/results', 'tools/app']
MAY = {
    'stack/base': ['stack/base'],
    'stack/text': BASE,
    'stack/wire': BASE + ['stack/wire'],
    'stack/net': BASE + ['stack/wire', 'stack/net'],
    'stack/mesh': BASE + ['stack/wire', 'stack/net', 'stack/mesh'],
    'cc': BASE + ['cc'],
    'stack/tcp': TCP,
    'stack/host': HOST,
    'emu': BASE + ['stack/wire', 'stack/net'] + PATH,
    'stack/record': BASE + ['stack/wire', 'stack/record'],
    'stack/port': BASE + ['stack/wire', 'stack/record', 'stack/port'],
    'stack/drive': BASE + ['stack/wire', 'stack/record', 'stack/port', 'stack/drive'],
    'emu/mobility': BASE + ['emu/mobility'],
    'emu/air': BASE + ['emu/mobility', 'emu/air'],
    'emu/router': BASE + ['stack/wire', 'stack/net', 'emu/router'],
    'emu/world': HOST + PATH + EDGE + WORLD,
    'stack/include': ['stack/include'],
    'stack/library': HOST + PATH + EDGE + WORLD + ['stack/library'],
    'emu/daemon': HOST + PATH + EDGE + WORLD + EMULATOR + ['tools/common'],
    'emu/machine': BASE + ['stack/wire'] + PATH + EDGE + WORLD + EMULATOR,
    'tools': HOST + PATH + EDGE + WORLD + EMULATOR + SHARED,
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
INSIDE = re.compile(r'(->|\.)inside\.')
FRAME = ('stack/base/frame.c', 'stack/base/frame.h')
GENERATED = {'tools/version.h', 'tools/source.h'}


def room(path):
    matches = [folder for folder in MAY if path.startswith(folder + '/')]
    return max(matches, key=len) if matches else None


def check(root, build):
    for path in files(root, CODE + ('.in', '.def')):
        mine = room(path)
        for number, line in enumerate(lines(root, path), 1):
            if INSIDE.search(line) and path not in FRAME and not path.startswith('tests/'):
                yield '%s:%d: goes into a frame past look(), own_bytes() and their like' % (path, number)
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
