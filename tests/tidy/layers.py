# SPDX-License-Identifier: BSD-2-Clause
"""A file includes its own folder and lower layers, by names that start at the root (docs/architecture.md);
none goes into a frame past its accessors, and TCP knows no version of IP."""
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
ENGINE = HOST + PATH + EDGE + WORLD + EMULATOR
# What commands share, each with those before it; no command's room sees another's, but for two chains: a published table is a sweep, and
# a report has the claims of a table; Wireshark's points of a lab are captures of the emulator.
SHARED = ['tools/common', 'tools/modules', 'tools/words', 'tools/results', 'tools/app']
COMMANDS = {'tools/' + name: ENGINE + SHARED + ['tools/' + name] for name in (
    'bench', 'cc', 'emu', 'host', 'lab', 'mobility', 'preload', 'script', 'simulate', 'sweep', 'trace', 'transfer')}
COMMANDS['tools/paper'] = ENGINE + SHARED + ['tools/paper', 'tools/sweep']
COMMANDS['tools/report'] = ENGINE + SHARED + ['tools/report', 'tools/paper']
COMMANDS['tools/wireshark'] = ENGINE + SHARED + ['tools/wireshark', 'tools/emu'] # a client of the emulator's captures
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
    'emu/daemon': ENGINE + ['tools/common'],
    'emu/machine': BASE + ['stack/wire'] + PATH + EDGE + WORLD + EMULATOR,
    **{room: ENGINE + SHARED[:number + 1] for number, room in enumerate(SHARED)},
    **COMMANDS,
    'tools': ENGINE + SHARED + sorted(COMMANDS) + ['tools'], # the program itself
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
INSIDE = re.compile(r'(->|\.)inside\.')
VERSION = re.compile(r'ipv[46]|WT_IP_PAYLOAD', re.I)
USUAL = 'stack/tcp/segment.c' # segments whose header stack/net/usual.h writes, in the form that only IPv4 has
FRAME = ('stack/base/frame.c', 'stack/base/frame.h')
GENERATED = {'tools/version.h', 'tools/source.h', 'tools/commands.def'} # of the program, for each of its rooms


def unknown_rooms(root):
    """A folder of tools with C in it that nobody gave a place."""
    seen = {os.path.dirname(path) for path in files(root, CODE) if path.startswith('tools/') and path.count('/') > 1}
    return sorted(folder for folder in seen if room(folder + '/') == 'tools')


def room(path):
    matches = [folder for folder in MAY if path.startswith(folder + '/')]
    return max(matches, key=len) if matches else None


def check(root, build):
    for folder in unknown_rooms(root):
        yield '%s: a room that tests/tidy/layers.py does not know' % folder
    for path in files(root, CODE + ('.in', '.def')):
        mine = room(path)
        for number, line in enumerate(lines(root, path), 1):
            if INSIDE.search(line) and path not in FRAME and not path.startswith('tests/'):
                yield '%s:%d: goes into a frame past look(), own_bytes() and their like' % (path, number)
            if path.startswith('stack/tcp/') and path != USUAL and VERSION.search(line):
                yield '%s:%d: TCP names a version of IP: sizes and places follow wt_net_headroom()' % (path, number)
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            here = '%s:%d: includes "%s"' % (path, number, target)
            if path.startswith('tests/') and os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                continue # a test's own helper
            if target not in GENERATED and not os.path.exists(os.path.join(root, target)):
                yield here + ', which is no path from the root'
            elif mine and room(target) not in MAY[mine] and not (target in GENERATED and mine.startswith('tools/')):
                yield here + ', which is not its own folder or a lower layer'
