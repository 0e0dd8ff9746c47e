# SPDX-License-Identifier: BSD-2-Clause
"""tools/lib/packages.sh on a machine that has nothing installed, half of it, or all: stubs for dpkg-query and apt-get
stand in the PATH, nothing is installed. And what meson.build asks for is what the list would bring."""
import os
import re
import stat
import subprocess
import tempfile

from source import lines

DPKG = '''#!/bin/sh
for word; do :; done
grep -qx -- "$word" "%s/present" && echo installed || exit 1
'''
APT = '''#!/bin/sh
echo "$DEBIAN_FRONTEND" "$@" >> "%s/calls"
'''
# what a build or a test names -> the Debian 12 package it comes from
FROM = {
    "find_library('ev'": 'libev-dev', "dependency('libpcap'": 'libpcap-dev', "dependency('jansson'": 'libjansson-dev',
    "dependency('inih'": 'libinih-dev', "dependency('cmocka'": 'libcmocka-dev', 'tshark': 'tshark', 'iperf3': 'iperf3',
    'curl': 'curl', "'nc'": 'netcat-openbsd', 'scdoc': 'scdoc', 'ethtool': 'ethtool', 'tcpdump': 'tcpdump',
    'systemd-analyze': 'systemd', "'report'": 'chromium', "'report':": 'python3-matplotlib',
}


def script(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def packages(root, what):
    command = '. "%s/tools/lib/packages.sh"; wt_packages %s' % (root, what)
    return subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, check=True, text=True).stdout.split()


def install(root, what, present):
    """(exit code, calls of apt-get) with the packages `present` already there."""
    with tempfile.TemporaryDirectory() as place:
        script(place + '/dpkg-query', DPKG % place)
        script(place + '/apt-get', APT % place)
        script(place + '/id', '#!/bin/sh\necho 0\n')
        with open(place + '/present', 'w', encoding='utf-8') as file:
            file.write('\n'.join(present) + '\n')
        command = '. "%s/tools/lib/packages.sh"; wt_install %s' % (root, what)
        result = subprocess.run(['bash', '-ec', command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL, env={'PATH': place + ':/usr/bin:/bin'})
        calls = [line.strip() for line in open(place + '/calls')] if os.path.exists(place + '/calls') else []
        return result.returncode, calls


def wanted_by_tree(root):
    text = '\n'.join(lines(root, 'meson.build'))
    for path in ('tests/e2e/meson.build', 'docs/man/meson.build'):
        if os.path.exists(os.path.join(root, path)):
            text += '\n'.join(lines(root, path))
    return {package for word, package in FROM.items() if word in text}


def check(root, build):
    for what in ('build', 'try', 'check'):
        names = packages(root, what)
        code, calls = install(root, what, [])
        wanted = ['noninteractive update', 'noninteractive install']
        if code or len(calls) != 2 or [' '.join(re.sub(r' -\S+', '', c).split()[:2]) for c in calls] != wanted:
            yield 'with nothing installed, wt_install %s ends with %d and calls %s' % (what, code, calls)
            continue
        given = [word for word in calls[1].split()[1:] if not word.startswith('-') and word != 'install']
        if given != names:
            yield 'wt_install %s would install %s, the list is %s' % (what, given, names)
        if '--no-install-recommends' not in calls[1] or '-y' not in calls[1]:
            yield 'wt_install %s calls apt-get without -y --no-install-recommends' % what
        if install(root, what, names) != (0, []):
            yield 'wt_install %s calls apt-get although all is there' % what
        half = install(root, what, names[1:])[1]
        if not half or not half[-1].endswith(' ' + names[0]) or names[-1] in half[-1].split():
            yield 'with only %s missing, wt_install %s calls %s' % (names[0], what, half)
    if 'apt-get install ' + ' '.join(packages(root, 'build')) not in '\n'.join(lines(root, 'README.md')):
        yield 'README.md: its apt-get line is not the list of tools/lib/packages.sh'
    missing = wanted_by_tree(root) - set(packages(root, 'check'))
    if missing:
        yield 'tools/lib/packages.sh: meson.build needs %s' % ' '.join(sorted(missing))
