# SPDX-License-Identifier: BSD-2-Clause
"""Every C file is built, every command is in commands.def, every test is run by `meson test`, every script that a page runs can be run."""
import os
import re

from source import definitions, files, introspect, lines


def built(build):
    sources = set()
    for target in introspect(build, 'targets'):
        for group in target.get('target_sources', []):
            sources.update(os.path.realpath(source) for source in group.get('sources', []))
    return sources


def by_script(root, path):
    """On demand, by a script beside it that names it."""
    script = os.path.join(root, os.path.dirname(path), 'build.sh')
    return os.path.exists(script) and os.path.basename(path) in open(script, encoding='utf-8').read()


def commands(root):
    """Identifiers of the command tables in the code."""
    found = {}
    for path in files(root, ('.c',), ('tools', 'emu/daemon')):
        for line in lines(root, path):
            match = re.match(r'const struct wt_command wt_command_(\w+) = \{', line)
            if match:
                found[match.group(1)] = path
    return found


def not_executable(root):
    """Scripts that begin a line, or words in backquotes with arguments, in a page."""
    for page in ['README.md', *files(root, ('.md',), ('docs',))]:
        for line in lines(root, page):
            for script in re.findall(r'(?:^|`)(?:sudo )?(tests/[\w./-]+\.(?:py|sh)) ', line):
                path = os.path.join(root, script)
                if os.path.exists(path) and not os.access(path, os.X_OK):
                    yield '%s: %s cannot be run: chmod +x' % (page, script)


def check(root, build):
    yield from not_executable(root)
    sources = built(build)
    for path in files(root, ('.c',)):
        if os.path.realpath(os.path.join(root, path)) not in sources and not by_script(root, path):
            yield '%s: in no meson.build' % path
    listed = {name for name, _ in definitions(root, 'tools/commands.def', 'WT_COMMAND')}
    for name, path in commands(root).items():
        if name not in listed:
            yield '%s: WT_COMMAND(%s) is missing from tools/commands.def' % (path, name)
    words = ' '.join(' '.join(test['cmd']) for kind in ('tests', 'benchmarks') for test in introspect(build, kind))
    for path in files(root, ('.py', '.sh'), ('tests',)):
        if os.path.basename(path).startswith('test_') and os.path.basename(path) not in words:
            yield '%s: no test() runs it' % path
    for target in introspect(build, 'targets'):
        where = os.path.relpath(target['defined_in'], os.path.realpath(root))
        if target['type'] == 'executable' and where.startswith('tests/') and target['name'].startswith('test_'):
            if target['name'] not in words:
                yield '%s: no test() runs %s' % (where, target['name'])
