# SPDX-License-Identifier: BSD-2-Clause
"""A congestion module is one file and one word: cc/meson.build lists each file of the three tables once, no code but the file itself names its
table, and it includes headers of cc and what stack/base and stack/text have for it, which is what is installed for modules outside."""
import os
import re

from source import CODE, files, lines

TABLES = ('sender', 'recovery', 'receiver')
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
MAY = re.compile(r'cc/(cc|module|round)\.h$|cc/(shared|tcp_real)/\w+\.h$|stack/base/(random|seq|time)\.h$|stack/text/(params|trace)\.h$')


def listed(root):
    """Paths of the files that cc/meson.build's list stands for."""
    text = '\n'.join(lines(root, 'cc/meson.build')).split('cc_files')[0]
    for table in TABLES:
        words = re.search(r"'%s': \[(.*?)\]" % table, text, re.S)
        for word in re.findall(r"'([\w/]+)'", words.group(1)) if words else ():
            yield 'cc/%s/%s.c' % (table, word)


def check(root, build):
    modules = list(listed(root))
    for path in sorted({path for path in modules if modules.count(path) > 1}):
        yield 'cc/meson.build: %s is listed twice' % path
    here = [path for path in files(root, ('.c',), ('cc',)) if path.split(os.sep)[1] in TABLES]
    for path in sorted(set(here) - set(modules)):
        yield '%s: its word is missing from cc/meson.build' % path
    for path in here:
        for number, line in enumerate(lines(root, path), 1):
            match = INCLUDE.match(line)
            if match and not MAY.match(match.group(1)):
                yield '%s:%d: a module includes "%s"' % (path, number, match.group(1))
    own = {'wt_%s_%s' % (path.split('/')[1], os.path.basename(path)[:-2]): path for path in here}
    name = re.compile(r'\b(wt_(?:%s)_\w+)\b' % '|'.join(TABLES))
    for path in files(root, CODE, ('stack', 'cc', 'emu', 'tools')):
        for number, line in enumerate(lines(root, path), 1):
            for word in name.findall(line):
                if word in own and own[word] != path:
                    yield '%s:%d: names the module %s' % (path, number, word)
