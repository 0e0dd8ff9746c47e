# SPDX-License-Identifier: BSD-2-Clause
"""The Python part of `wavetank report` and `wavetank trace plot`. Reads one request, a JSON object, from standard input:
{"command": "plot", "compare" or "build", ...}; tools/report/report.c, tools/trace/trace.c and tools/cc/compare.c write it. Exit codes are those of wavetank(1)."""
import json
import os
import sys

import place
from tables import Bad

ENVIRONMENT, USAGE = 3, 2


def fail(code, text):
    print('wavetank %s: %s' % (sys.argv[1] if len(sys.argv) > 1 else 'report', text), file=sys.stderr)
    sys.exit(code)


def plot(request):
    import journal
    import style
    connection = journal.Connection(request['trace'], request['host'], request['conn'], request['iss'],
                                    request['sees_path'], request['logs'])
    draw = journal.sequence if request['kind'] == 'sequence' else journal.state
    figure = draw(connection, style.WIDE, request.get('from_s') or None, request.get('to_s'))
    style.save(figure, '%s, host %s, connection %d' % (os.path.basename(request['trace']), request['host'], request['conn']),
               request['output'])
    return request['output']


def compare(request):
    import contest
    import style
    comparison = request['comparison']
    title = ', '.join(module['module'] for module in comparison['modules'])
    style.save(contest.draw(comparison, style.WIDE), title, request['output'])
    return request['output']


def answer(request):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        fail(ENVIRONMENT, 'no matplotlib for /usr/bin/python3, which draws the figures: apt-get install python3-matplotlib')
    if request['command'] == 'plot':
        return plot(request)
    if request['command'] == 'compare':
        return compare(request)
    import page
    return page.build(request)


def main():
    place.listen()
    try:
        said = answer(json.load(sys.stdin))
    except Bad as why:
        place.abandon()
        fail(USAGE, str(why))
    except OSError as why:
        place.abandon()
        fail(ENVIRONMENT, '%s: %s' % (why.filename or 'file', why.strerror))
    except BaseException:
        place.abandon()
        raise
    place.keep()
    print(said)


main()
