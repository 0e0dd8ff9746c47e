# SPDX-License-Identifier: BSD-2-Clause
"""What files contain is documented: every drop cause and every trace event with its fields stands in docs/files.md,
every system call an emulator may make under --seccomp and every environment variable of ours in the manual."""
import re

from source import CODE, definitions, files, lines


def events(trace):
    """(name, field names) of each WT_TRACE(id, "name", "sentence", "field" ...)."""
    for entry in re.findall(r'^WT_TRACE\(\w+,(.*?)\)$', trace, re.S | re.M):
        name, _, *fields = re.findall(r'"([^"]*)"', entry)
        yield name, fields


def check(root, build):
    text = '\n'.join(lines(root, 'docs/files.md'))
    for identifier, name in definitions(root, 'stack/base/drop.def', 'WT_DROP'):
        if '`%s`' % name not in text:
            yield 'docs/files.md: drop cause `%s` (%s) is missing' % (name, identifier)
    manual = '\n'.join(lines(root, 'docs/man/wavetank-emu.1.scd')).replace('\\_', '_')
    for name in re.findall(r'^ALLOW\((\w+)\)', '\n'.join(lines(root, 'emu/machine/seccomp.def')), re.M):
        if '*%s*' % name not in manual:
            yield 'docs/man/wavetank-emu.1.scd: system call %s, allowed by seccomp.def, is missing' % name
    trace = '\n'.join(lines(root, 'stack/text/trace.def'))
    for name, fields in events(trace):
        for word in [name] + fields:
            if '`%s`' % word not in text:
                yield 'docs/files.md: trace event %s: `%s` is missing' % (name, word)
    manual = '\n'.join('\n'.join(lines(root, path)) for path in files(root, ('.scd', '.md'), ('docs',)))
    for path in files(root, CODE, ('tools', 'emu', 'stack')):
        for name in re.findall(r'(?:getenv|setenv)\("(WAVETANK_\w+)"', '\n'.join(lines(root, path))):
            if name not in manual:
                yield '%s: %s is in no manual page' % (path, name)
