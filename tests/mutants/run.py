#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Breaks the code in small ways, one at a time, and says which suite sees it.

    tests/mutants/run.py                               every mutant against swarm, cc, unit, script, sim, in this order
    tests/mutants/run.py --suite swarm                 against the swarm alone
    tests/mutants/run.py --only NAME[,NAME...] --all   some; --all: every suite, though an earlier one has killed it
    tests/mutants/run.py --check                       only: does each mutant's text stand in the code once?

The tree is copied to a temporary folder (--keep FOLDER: there, and kept, so that a second run builds less), built there, and only what a
suite needs is linked again. A suite ends at its first failure. --budget SECONDS ends the run; what was not run is said.
Exit code 0: at least 95 % die (of those that ran, by any suite) and, with the swarm among the suites, half of them there; else 1; 2: usage,
or a table that does not fit the code.
"""
import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITES = ('swarm', 'cc', 'unit', 'script', 'sim')
UNIT = ('base', 'drive', 'emu', 'loss', 'net', 'queue', 'tcp')  # folders of tests/unit
SIM = ('scenarios', 'queues', 'window', 'ecn', 'emu_changes', 'digest', 'bulk', 'playback', 'shortcuts')
ENDLESS = 124  # what does not end
SCRIPT_EXTRA = (['--insist', '--with', 'timestamps,sack,window_scaling'], ['--insist', '--with', 'merge'])


class Work:
    """A copy of the tree that is built."""

    def __init__(self, folder, jobs, swarm):
        self.folder, self.jobs, self.swarm = folder, jobs, swarm
        self.build = os.path.join(folder, 'build')
        os.makedirs(folder, exist_ok=True)
        files = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT, check=True,
                               capture_output=True).stdout.decode().split('\0')
        for name in filter(None, files):
            self.copy(name)
        self.forget(set(files))
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            self.run(['meson', 'setup', 'build', '--buildtype=debugoptimized', '-Done_piece=false'], 600, check=True)
        else:
            self.run(['meson', 'setup', '--reconfigure', 'build'], 600, check=True)

    def copy(self, name):
        old, new = os.path.join(ROOT, name), os.path.join(self.folder, name)
        if not os.path.isfile(old):
            return
        if os.path.exists(new) and open(old, 'rb').read() == open(new, 'rb').read():
            return
        os.makedirs(os.path.dirname(new), exist_ok=True)
        shutil.copy(old, new)

    def forget(self, files):
        """What an earlier tree had is not built any more."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.folder)
                if not path.startswith('build' + os.sep) and path not in files:
                    os.remove(os.path.join(self.folder, path))

    def run(self, command, limit, check=False):
        """The exit code; limit is seconds of processor time, so that a busy machine kills no mutant. One that spins ends by it, with ENDLESS;
        one that sleeps for ever, after ten times as long."""
        environment = dict(os.environ, CCACHE_BASEDIR=self.folder)
        try:
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10 * limit,
                                  env=environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
        except subprocess.TimeoutExpired:
            return ENDLESS
        if check and done.returncode:
            sys.exit('run.py: %s failed:\n%s' % (' '.join(command), done.stdout.decode(errors='replace')[-2000:]))
        return ENDLESS if done.returncode == -signal.SIGXCPU else done.returncode

    def targets(self, suite):
        listed = self.tests()
        if suite == 'swarm':
            return ['tests/swarm/swarm']
        if suite == 'script':
            return ['tools/wavetank']
        if suite == 'cc':
            return [path for name, path in listed.items() if path.startswith('tests/cc/')]
        if suite == 'unit':
            return [path for path in listed.values() if path.split('/')[:2] == ['tests', 'unit'] and path.split('/')[2] in UNIT]
        return [listed[name] for name in SIM]

    def tests(self):
        if not hasattr(self, 'listed'):
            import json
            text = subprocess.run(['meson', 'introspect', '--tests', 'build'], cwd=self.folder, check=True, capture_output=True).stdout
            self.listed = {test['name']: os.path.relpath(test['cmd'][0], self.build) for test in json.loads(text)}
        return self.listed

    def make(self, suite, check=False):
        return self.run(['ninja', '-C', 'build', '-j', str(self.jobs)] + self.targets(suite), 900, check)

    def passes(self, suite):
        """'lives', 'dies', or 'dies without an end'."""
        for command, limit in self.commands(suite):
            code = self.run(command, limit)
            if code:
                return 'dies without an end' if code == ENDLESS else 'dies'
        return 'lives'

    def commands(self, suite):
        """What a suite runs: (command, seconds of processor time)."""
        if suite == 'swarm':
            return [(['build/tests/swarm/swarm', '--fail', '1', '--cut', '0'] + self.swarm, 240)]
        if suite == 'script':
            scripts = ['build/tools/wavetank', 'script', 'run']
            return [(scripts + extra + ['tests/script'], 120) for extra in ([],) + SCRIPT_EXTRA]
        digests = os.path.join(self.folder, 'tests/sim/digests.txt')
        return [([os.path.join('build', target)] + [digests] * target.endswith('test_digest'), 240) for target in self.targets(suite)]


def one(work, mutant, suites, every):
    """By suite what Work.passes() says; or 'does not build'."""
    path = os.path.join(work.folder, mutant.file)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    answers = {}
    try:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(mutant.applied(text))
        for suite in suites:
            if work.make(suite):
                answers[suite] = 'does not build'
                break
            answers[suite] = work.passes(suite)
            if answers[suite] != 'lives' and not every:
                break
    finally:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    return answers


def words():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument('--suite', action='append', choices=SUITES, help='this suite; may be given again')
    parser.add_argument('--only', default='', help='names, with commas between')
    parser.add_argument('--all', action='store_true', help='every suite, though an earlier one has killed it')
    parser.add_argument('--check', action='store_true', help='only look whether the table fits the code')
    parser.add_argument('--jobs', type=int, default=1, help='of the build (1)')
    parser.add_argument('--budget', type=float, default=0, help='seconds; then no further mutant is begun')
    parser.add_argument('--keep', help='a folder for the copy, kept')
    parser.add_argument('--swarm', default='', help='arguments of the swarm, as "--count 3000"')
    return parser.parse_args()


def survey(work, mutants, suites, options):
    start, killed, alive, odd, left = time.monotonic(), {}, [], [], []
    for suite in suites:
        work.make(suite, check=True)
        if work.passes(suite) != 'lives':
            sys.exit('run.py: suite %s fails without a mutant' % suite)
    for mutant in mutants:
        if options.budget and time.monotonic() - start > options.budget:
            left.append(mutant)
            continue
        answers = one(work, mutant, suites, options.all)
        print('%-22s %s' % (mutant.name, ', '.join('%s in %s' % (answer, suite) for suite, answer in answers.items())), flush=True)
        died = [suite for suite, answer in answers.items() if answer.startswith('dies')]
        if 'does not build' in answers.values():
            odd.append(mutant)
        elif died:
            for suite in died:
                killed.setdefault(suite, []).append(mutant)
        else:
            alive.append(mutant)
    return killed, alive, odd, left, time.monotonic() - start


def main():
    options = words()
    everything = table.read()
    wrong = list(table.faults(everything, ROOT))
    if wrong or options.check:
        print('\n'.join(wrong) or '%d mutants, each of whose texts stands in the code once' % len(everything))
        return 2 if wrong else 0
    only = [name for name in options.only.split(',') if name]
    if set(only) - {mutant.name for mutant in everything}:
        print('run.py: no mutant %s' % ', '.join(set(only) - {mutant.name for mutant in everything}))
        return 2
    equal = [mutant for mutant in everything if mutant.equal]
    mutants = [mutant for mutant in everything if not mutant.equal and (not only or mutant.name in only)]
    suites = options.suite or list(SUITES)
    folder = options.keep or tempfile.mkdtemp(prefix='wavetank-mutants-')
    try:
        work = Work(folder, options.jobs, options.swarm.split())
        killed, alive, odd, left, took = survey(work, mutants, suites, options)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    dead = {mutant.name for some in killed.values() for mutant in some}
    ran = len(mutants) - len(left)
    print('\n%d mutants in %.0f s: %d die, %d live, %d do not build; %d are proved equivalent, %d were not run' %
          (ran, took, len(dead), len(alive), len(odd), len(equal), len(left)))
    for suite in suites:
        print('  %-7s kills %d' % (suite, len(killed.get(suite, []))))
    for mutant in alive + odd:
        print('  %s: %s (%s)' % (mutant.name, mutant.fault, mutant.file))
    enough = len(dead) >= 0.95 * ran and ('swarm' not in suites or len(killed.get('swarm', [])) >= 0.5 * ran)
    return 0 if enough and not odd else 1


if __name__ == '__main__':
    sys.exit(main())
