# SPDX-License-Identifier: BSD-2-Clause
"""The Python part of `wavetank report` and `wavetank trace plot`. Reads one request, a JSON object, from standard input:
{"command": "plot", "compare" or "build", ...}; tools/report/report.c, tools/trace/trace.c and tools/cc/compare.c write it. Exit codes are those of wavetank(1)."""
import json
import os
import signal
import sys

import place

ENVIRONMENT, USAGE = 3, 2


def fail(code, text):
    print('wavetank report: ' + text, file=sys.stderr)
    sys.exit(code)


try:
    import matplotlib  # noqa: F401
except ImportError:
    fail(ENVIRONMENT, 'no matplotlib for /usr/bin/python3, which draws the figures: apt-get install python3-matplotlib')


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


def main():
    signal.signal(signal.SIGINT, place.interrupt)
    signal.signal(signal.SIGTERM, place.interrupt)
    request = json.load(sys.stdin)
    try:
        if request['command'] == 'plot':
            print(plot(request))
        elif request['command'] == 'compare':
            print(compare(request))
        else:
            import page
            print(page.build(request))
    except KeyboardInterrupt as why:
        place.caught()
        place.clean()
        sys.exit(128 + (why.args or (signal.SIGINT,))[0])
    except OSError as why:
        place.clean()
        fail(ENVIRONMENT, '%s: %s' % (why.filename or 'file', why.strerror))


main()
