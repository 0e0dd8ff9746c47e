# SPDX-License-Identifier: BSD-2-Clause
"""The manual says what --help says: each command has its page, each page each option with its argument, and no page
an option that is not there."""
import os
import re
import subprocess

from source import files, introspect, lines

OPTION = re.compile(r'^  (?:-(\w), |    )--([a-z0-9-]+)(?: ([A-Z]\S*))?(?: |$)')
WIDTH = 100
ALWAYS = {'help', 'version', 'quiet', 'json'}


def program(build):
    for target in introspect(build, 'targets'):
        if target['name'] == 'wavetank' and target['type'] == 'executable':
            return target['filename'][0]
    return os.path.join(build, 'tools', 'wavetank')


def help_text(wavetank, words):
    result = subprocess.run([wavetank] + words + ['--help'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def too_wide(name, text):
    """Lines that a terminal of 100 columns would break anywhere."""
    for line in text.split('\n'):
        if len(line) > WIDTH:
            yield 'wavetank %s --help: %d columns, more than %d: %s' % (name, len(line), WIDTH, line.strip()[:60])


def commands(wavetank):
    """All commands, by the program's own list."""
    result = subprocess.run([wavetank, 'help', '--commands'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.stdout.split('\n')[:-1] if result.returncode == 0 else []


def options(text):
    """{long name: (letter, argument)} of a --help text."""
    found = {}
    for line in text.split('\n'):
        match = OPTION.match(line)
        if match:
            found[match.group(2)] = (match.group(1), match.group(3))
    return found


def plain(page):
    """scdoc's marks removed: emphasis and escapes."""
    return re.sub(r'\\(.)', r'\1', re.sub(r'(?<!\\)[*_]', '', page))


def compare(name, page_path, page, known):
    text = plain(page)
    for option, (letter, argument) in known.items():
        if option in ('help', 'version'):
            continue
        wanted = ('-%s, ' % letter if letter else '') + '--' + option + (' ' + argument if argument else '')
        if not re.search(r'(?<![\w-])%s(?![\w-])' % re.escape(wanted), text):
            yield '%s: option "%s" of %s is missing' % (page_path, wanted, name)
    for option in set(re.findall(r'^(?:-\w, )?--([a-z][a-z0-9-]*)', text, re.M)) - set(known) - ALWAYS:
        yield '%s: --%s is no option of %s' % (page_path, option, name)


def check(root, build):
    wavetank = program(build)
    names = commands(wavetank)
    if not names:
        yield 'wavetank help --commands lists nothing'
    pages = {}
    for path in files(root, ('.1.scd',), ('docs',)):
        pages[os.path.basename(path).split('.')[0]] = (path, '\n'.join(lines(root, path)))
    overview = pages.get('wavetank', ('docs/man/wavetank.1.scd', ''))
    for name in names:
        code, text = help_text(wavetank, name.split())
        if code or not text.strip():
            yield 'wavetank %s --help: exit code %d' % (name, code)
        yield from too_wide(name, text)
        if not re.search(r'\b%s\b' % re.escape(name), plain(overview[1])):
            yield '%s: %s is missing' % (overview[0], name)
        page = pages.get('wavetank-' + name.replace(' ', '-')) or pages.get('wavetank-' + name.split()[0])
        if not page and name != 'help':
            yield 'docs: no page for wavetank %s' % name
        elif page:
            known = options(text)
            if page[0].count('-') == 1 and ' ' in name: # one page for all verbs of an object
                known = dict(pair for other in names if other.split()[0] == name.split()[0]
                             for pair in options(help_text(wavetank, other.split())[1]).items())
            yield from compare(name, page[0], page[1], known)
