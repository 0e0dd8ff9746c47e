# SPDX-License-Identifier: BSD-2-Clause
"""Counts the tests of several `meson test` runs: count.py [--broken N] [--strict true] FOLDER.

FOLDER holds one <build>-<label>.json per run, as meson writes it. <run>-again.json holds the second results of tests
that failed in <run>: both are told, the second counts. `count.py --failed FILE` prints the names of those that failed. Failed and skipped tests are told with the end of
their output; the last line is "N passed, N failed, N skipped". A program that passed but skipped one of its cases
counts as skipped, because something was not run. --broken adds builds that did not come to an end to the failures.
"""
import argparse
import glob
import json
import os
import re
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}
TAIL = 40
# a case of a CMocka program, or a sentence of a TAP script, that was not run
PARTLY = re.compile(r'\[  SKIPPED \] \d+ test|^ok \d+ .*# SKIP', re.M)


def kind(test):
    if test['result'] in SKIPPED:
        return 'skipped'
    if test['result'] not in PASSED:
        return 'failed'
    return 'skipped' if PARTLY.search(output(test)) else 'passed'


def output(test):
    return (test.get('stdout') or '') + (test.get('stderr') or '')


def tell(run, test, what):
    text = output(test).strip().split('\n')
    if what == 'skipped':
        why = [line for line in text if re.search(r'skip', line, re.I)] or text[-1:]
        print('skipped: %s: %s: %s' % (run, test['name'], why[0].strip() or 'no reason given'))
    else:
        print('\nfailed: %s: %s (%s, %.1f s)' % (run, test['name'], test['result'], test.get('duration') or 0))
        for line in text[-TAIL:]:
            print('    ' + line)


def read(path):
    """The tests of one run; of a file that is missing, none."""
    return list(map(json.loads, open(path, encoding='utf-8'))) if os.path.exists(path) else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--broken', type=int, default=0)
    parser.add_argument('--strict', default='false')
    parser.add_argument('--failed', action='store_true')
    parser.add_argument('folder')
    arguments = parser.parse_args()
    if arguments.failed:
        for test in read(arguments.folder):
            if kind(test) == 'failed':
                print(test['name'].split(' / ')[-1])
        return 0
    count = {'passed': 0, 'failed': arguments.broken, 'skipped': 0}
    for path in sorted(glob.glob(os.path.join(arguments.folder, '*.json'))):
        run = os.path.basename(path)[:-len('.json')]
        repeated = {test['name'] for test in read(path[:-len('.json')] + '-again.json')}
        for test in read(path):
            what = kind(test)
            if what != 'passed':
                tell(run, test, what)
            if test['name'] not in repeated:
                count[what] += 1
    strict = arguments.strict == 'true' and count['skipped'] > 0
    if strict:
        print('\nCI=true: a skipped test counts as a failure of this machine')
    print('\nlogs: %s' % arguments.folder)
    print('%d passed, %d failed, %d skipped' % (count['passed'], count['failed'], count['skipped']))
    return 1 if count['failed'] or strict or not count['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
