# SPDX-License-Identifier: BSD-2-Clause
"""One HTML file: tables, figures, parameters, provenance. No script, nothing fetched, readable from disk, printable."""
import concurrent.futures
import errno
import multiprocessing
import os
import re
import shlex
import sys

import air
import claims
import delay
import figures
import front
import journal
import place
import style
import tables
import values
from markup import STRIP, anchor, e, facts, number, pill, sentence, short, strip

VERDICTS = [('match', 'the published run lies where 95 % of our single runs lie'), ('near', 'within 10 % of it'),
            ('rank', 'neither, but the order of the row is the published one'), ('differs', 'none of these'),
            ('undecided', 'the repeats do not show which of these it is'),
            ('not printed', 'the paper gives no number here'),
            ('suspect', 'the published value contradicts itself; the note says how'), ('failed', 'no run of ours finished'),
            ('invalid', 'the host was too busy for a run in real time')]
ORDERS = {'agrees': 'as published', 'level': 'level where an order is printed', 'undecided': 'too close to call', 'differs': 'not as published', 'none': 'nothing to compare'}


MANY = 4 # more tables than this: without figures of delay, which would make the page too large
MOST_DISTRIBUTIONS = 16 # rows of a figure of distributions: more would be too small to read


class Page:
    def __init__(self, request):
        self.request = request
        self.folder = os.path.splitext(request['output'])[0] + '-figures' if request['files'] else None
        if self.folder:
            place.folder(self.folder)
        self.count, self.names, self.folders, self.many = 0, set(), set(), False
        self.body = []

    def add(self, text):
        self.body.append(text)

    def figure(self, name, draw, title, caption, numbers, panels=False):
        """Drawn twice: for wide pages and for narrow ones, where text must not shrink with the drawing. numbers: (head, rows) of its CSV.
        panels: side by side, for the whole width of a printed page."""
        self.count += 1
        stem, again = name, 1
        while name in self.names: # two sweeps over one table
            again += 1
            name = '%s-%d' % (stem, again)
        self.names.add(name)
        path = os.path.join(self.folder, name) if self.folder else None
        jobs = len(JOBS)
        JOBS.append((draw, style.WIDE, 'f%dw' % self.count, title, path))
        JOBS.append((draw, style.NARROW, 'f%dn' % self.count, title, None))
        files = ''
        if self.folder:
            base = os.path.basename(self.folder) + '/' + name
            values.write(path + '.csv', numbers)
            files = ' <span class="files">%s</span>' % ' '.join('<a href="%s.%s">%s</a>' % (e(base), ending, ending.upper()) for ending in ('csv', 'svg', 'pdf'))
        self.add('<figure%s id="figure-%d"><div class="wide">\0%d\0</div><div class="narrow">\0%d\0</div><figcaption><b>Figure %d.</b> %s%s'
                 '</figcaption></figure>' % (' class="panels"' if panels else '', self.count, jobs, jobs + 1, self.count, caption, files))

    def drawings(self):
        try:
            with place.held():
                pool = concurrent.futures.ProcessPoolExecutor(min(len(os.sched_getaffinity(0)), len(JOBS)), multiprocessing.get_context('fork'),
                                                              place.worker, (os.getpid(),))
                asked = [pool.submit(drawing, at) for at in range(len(JOBS))]
        except OSError: # no semaphores, because /dev/shm is missing or read-only: draw in this process
            yield from map(drawing, range(len(JOBS)))
            return
        for future in asked:
            try:
                yield future.result()
            except concurrent.futures.BrokenExecutor:
                raise OSError(errno.ENOMEM, 'a process that draws was ended, perhaps for want of memory', self.request['output']) from None
        pool.shutdown()

    def draw(self):
        """All figures, on all cores; each depends on nothing but its numbers, so the page is the same however many there are."""
        if not JOBS:
            return
        told = sys.stderr.isatty() and '--quiet' not in sys.argv
        drawn = []
        for one in self.drawings():
            drawn.append(one)
            if told:
                print('\rfigures: %d of %d' % (len(drawn) // 2, self.count), end='', file=sys.stderr, flush=True)
        if told:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
        self.body = [re.sub('\0(\\d+)\0', lambda m: drawn[int(m.group(1))], text) for text in self.body]


JOBS = [] # for the processes that draw, which are copies of this one


def drawing(at):
    draw, width, name, title, path = JOBS[at]
    return style.render(draw(width), name, title, path)


def result_rows(table, notes):
    digits = 1 if max((c['mean'] or 0) for c in map(lambda k: table.cell(*k), table.cells)) >= 10 else 2
    for point in table.points:
        rows, first = [], None
        for i, variant in enumerate(table.variants):
            cell = table.cell(point['label'], variant['name'])
            if not cell:
                continue
            first = first or cell
            mark = ''
            if cell['suspect']:
                notes.append('%s, %s: %s' % (point['label'], variant['label'], cell['suspect']))
                mark = '<sup><a href="#note-%d">%d</a></sup>' % (notes.start + len(notes), notes.start + len(notes))
            failed = ''.join('<br><small>%d of %d %s</small>' % (cell[what], cell['runs'] + cell['failed'] + cell['invalid'], what)
                             for what in ('failed', 'invalid') if cell[what])
            half = ' <span class="half">± %s</span>' % number(cell['half'], digits) if cell['half'] is not None else ''
            beside = '<td class="n">%s%s</td><td class="n">%s</td><td>%s</td>' % (
                number(cell['paper'], 2 if digits == 1 else 3), mark, number(cell['ratio'], 2), pill(cell['verdict']))
            rows.append('<td class="key m%d" style="--c:var(--%s)">%s</td><td class="n">%s%s%s</td>%s' % (
                i % 6, style.SERIES[i % 6], e(variant['label']), number(cell['mean'], digits), half, failed,
                beside if table.printed() else '<td class="n">%d</td>' % cell['runs']))
        if not rows:
            continue
        note = ''
        if point['note']:
            notes.append('%s: %s' % (point['label'], point['note']))
            note = '<sup><a href="#note-%d">%d</a></sup>' % (notes.start + len(notes), notes.start + len(notes))
        yield '<tbody><tr><th scope="rowgroup" rowspan="%d">%s%s</th>%s</tr>%s</tbody>' % (
            len(rows), e(point['label']), note, rows[0], ''.join('<tr>%s</tr>' % row for row in rows[1:]))


class Notes(list):
    start = 0


def results(page, table, notes):
    runs = '%d runs' % table.plan['repeats'] if table.printed() else 'the runs'
    page.add('<table class="results"><caption><b>%s, %s.</b> Ours: mean of %s with paired seeds and its 95 %% interval (Student). '
             'First column: %s.</caption>' % (e(table.metric['name'].capitalize()), e(table.metric['unit']), runs, e(table.axis)))
    page.add('<thead><tr><th scope="col">%s</th><th scope="col">protocol</th><th scope="col" class="n">ours</th>'
             '%s</tr></thead>' % (e('rate' if 'rate' in table.axis else 'row'), '<th scope="col" class="n">paper</th><th scope="col" class="n">'
                                 'ratio</th><th scope="col">verdict</th>' if table.printed() else '<th scope="col" class="n">runs</th>'))
    page.add(''.join(result_rows(table, notes)) + '</table>')


def in_order(values):
    """Names by falling value, those of one value joined by =."""
    values = sorted(values, key=lambda pair: -pair[0])
    return ''.join((' = ' if i and value == values[i - 1][0] else ' &gt; ' if i else '') + name for i, (value, name) in enumerate(values))


def orders(page, table):
    rows = []
    for point in table.points:
        cells = [(table.cell(point['label'], v['name']), v) for v in table.variants]
        cells = [(c, v) for c, v in cells if c and c['mean'] is not None]
        if len(cells) < 2:
            continue
        ours = in_order([(c['mean'], e(v['label'])) for c, v in cells])
        printed = in_order([(c['paper'], e(v['label']) + ('?' if c['suspect'] else '')) for c, v in cells if c['paper'] is not None])
        tau = cells[0][0]['tau']
        rows.append('<tr><th scope="row">%s</th><td>%s</td><td>%s</td><td class="n">%s</td><td>%s</td></tr>' % (
            e(point['label']), ours, printed or '–', number(tau, 2), ORDERS[cells[0][0]['order']]))
    if rows:
        page.add('<details open><summary>Order of the protocols in each row</summary><table><caption>Judged pair by pair on paired '
                 'differences: a row is “as published” if each of its pairs is decided for the paper at 95 %%, “not as published” if one is '
                 'decided against it, at 5 %% for all pairs of the row together (Holm), and too close to call between. Rows are not corrected '
                 'for each other: of twenty at the border one may be chance. Kendall’s tau is of the means, suspect cells left out.</caption><thead><tr><th scope="col">row</th>'
                 '<th scope="col">ours</th><th scope="col">paper</th><th scope="col" class="n">tau</th><th scope="col">order</th></tr></thead>'
                 '<tbody>%s</tbody></table></details>' % ''.join(rows))


def parameters(page, table):
    rows = []
    for parameter in table.parameters:
        kind, _, text = parameter['text'].partition(':')
        known = kind in ('stated', 'chosen')
        rows.append('<tr><th scope="row">%s</th><td>%s</td><td>%s</td></tr>' % (
            e(parameter['name']), '<span class="%s">%s</span>' % (kind, kind) if known else '', e(text.strip() if known else parameter['text'])))
    stated = sum(p['text'].startswith('stated') for p in table.parameters)
    page.add('<details><summary>%s</summary><table><caption>%s</caption><thead>'
             '<tr><th scope="col">what</th><th scope="col">from</th><th scope="col">value and reason</th></tr></thead><tbody>%s</tbody>'
             '</table></details>' % ('Parameters: %d the paper states, %d we chose, and why' % (stated, len(table.parameters) - stated) if stated else 'Parameters',
                                     e(table.source), ''.join(rows)))


def machine(host):
    if not host:
        return ''
    parts = [host.get('cpu'), '%d cores' % host['cores'] if host.get('cores') else None, host.get('machine'), host.get('kernel'),
             'governor ' + host['governor'] if host.get('governor') else None]
    return e(' · '.join(part for part in parts if part))


def program(plan):
    """The program by name: the digest of its sources, since a commit may stand for changed files."""
    return 'wavetank %s, sources %s' % (plan['version'], plan['source'][:12])


def provenance(page, table):
    plan, end = table.plan, table.end
    words = ['wavetank', 'paper', 'run', plan['table'], '--repeats', str(plan['repeats']), '--seed', str(plan['seed'])]
    if not table.published:
        words = ['wavetank', 'sweep', 'run', plan['name'] + '.ini']
    elif plan['backend'] != 'sim':
        words += ['--backend', plan['backend']]
    modules = '<br>'.join('%s: <code>%s</code>' % (e(v['label']), e(', '.join(
        '%s %s' % (k, v[k]) for k in ('sender', 'recovery', 'receiver') if v[k]))) for v in table.variants)
    page.add('<details><summary>Where these numbers come from: seeds %d to %d, %s</summary>%s<pre>%s</pre></details>' % (
        plan['seed'], plan['seed'] + plan['repeats'] - 1, e(program(plan)), facts([
        ('program', e('wavetank ' + plan['version'])), ('commit', e(table.facts['commit']) if table.facts.get('commit') else None),
        ('digest of its sources', '<code>%s</code> (SHA-256)' % e(plan['source']) if plan.get('source') else None),
        ('backend', e(plan['backend']) + (': virtual time, exactly repeatable' if plan['backend'] == 'sim' else ': real time')),
        ('seeds', '%d to %d, the same losses for every protocol and row' % (plan['seed'], plan['seed'] + plan['repeats'] - 1)),
        ('path there', '<code>%s</code>' % e(plan['fwd'])), ('path back', '<code>%s</code>' % e(plan['rev'] or 'an ideal wire')),
        ('hosts', '<code>%s</code>' % e(' '.join(filter(None, [plan['preset'], plan['settings']])))), ('modules', modules),
        ('runs', e('%s, %s failed%s%s' % (end.get('runs'), end.get('failed'), ', %d invalid' % end['invalid'] if end.get('invalid') else '',
                                          '' if end.get('complete') else ', incomplete'))),
        ('one cell', '<code>%s</code> prints the command for one, whose journal (<code>--trace</code>) shows it event by event' % e(
            'wavetank paper show ' + plan['table']) if table.printed() else None),
        ('machine', machine(table.facts)), ('compiler', e(table.facts.get('compiler', ''))), ('file', '<code>%s</code>' % e(table.path)),
    ]), e(shlex.join(words))))


def table_figures(page, table, name):
    """The metric over the rows, and what it is beside the published values and beside the baseline."""
    metric = e(table.metric['name'].capitalize())
    over = 'ach protocol over %s on the same losses, %s with a 95 %% bootstrap interval of paired seeds (%d draws)' % (
        e(table.label(table.baseline)), 'ours' if table.printed() else 'each', table.draws)
    interval = 'Marks: mean and 95 % interval.' if not table.printed() else (
        'Filled marks: our mean and its 95 % interval. Hollow marks: published. A question mark: the published value is suspect.')
    if table.grid:
        page.figure(name + '-map', lambda width: figures.heat(table, width), 'map of ' + table.title,
                    '%s in %s over %s and %s, the stronger the colour, the more.%s' % (
                        metric, e(table.metric['unit']), e(table.grid[0][0]), e(table.grid[1][0]), ' The ratio to %s on the same losses: green '
                        'above 1, orange below, strongest from a factor of two on.' % e(table.label(table.baseline)) if len(table.variants) > 1 else ''), values.cells(table))
    elif air.has_hops(table):
        air.hops_figure(page, table, name, metric, interval)
    elif table.metric['name'] != 'goodput' or len(table.points) < 3:
        page.figure(name + '-bars', lambda width: figures.bars(table, width), table.title, '%s per protocol. Bars: mean and 95 %% '
                    'interval.%s' % (metric, ' Hollow diamonds: published.' if table.printed() else ''), values.cells(table))
    else:
        page.figure(name + '-' + table.metric['name'], lambda width: figures.over_loss(table, width), table.title,
                    '%s over %s. %s' % (metric, e(table.axis), interval), values.cells(table))
        if table.printed() or len(table.variants) > 1:
            page.figure(name + '-ratio', lambda width: figures.ratios(table, width), 'ratios of ' + table.title,
                        'Above: ours over the published value; the band is ± 10 %. Below: e' + over + ', published hollow.' if table.printed()
                        else 'E' + over + '.', values.ratios(table))


def table_section(page, table, at, notes):
    head = '' if short(table) == table.id.split('/')[-1] else short(table) + '. '
    page.add('<section><h2 id="%s">%s%s</h2><p class="sub"><code>%s</code> on %s. %s</p>' % (
        anchor(table, at), head, e(sentence(table.title)), e(table.id), e(table.backend), e(table.source)))
    notes.start += len(notes)
    notes.clear()
    name = '%s-%s' % (table.id.replace('/', '-'), table.backend)
    if not page.many and table.folder not in page.folders: # several metrics of the same runs
        page.folders.add(table.folder)
        delay.section(page, table, name)
    results(page, table, notes)
    if notes:
        page.add('<ol class="notes" start="%d">%s</ol>' % (notes.start + 1, ''.join(
            '<li id="note-%d">%s</li>' % (notes.start + i + 1, e(note)) for i, note in enumerate(notes))))
    if table.failures:
        more = len(table.failures) - 5
        page.add('<p>Failed and invalid runs: %s%s</p>' % (e('; '.join('%s %s seed %s: %s' % (
            f['point'], f['variant'], f['seed'], f.get('why', '')) for f in table.failures[:5])), '; and %d more' % more if more > 0 else ''))
    if table.measured():
        table_figures(page, table, name)
    for point, traces in table.token_traces():
        page.figure('%s-trace-%s' % (name, ''.join(c if c.isalnum() else '-' for c in point)),
                    lambda width, traces=traces: figures.tokens(table, traces, width), 'tokens used in each round trip',
                    'Tokens used per round trip over the first run, row %s.' % e(point), values.tokens(traces))
    if table.measured() and table.plan['repeats'] >= 3 and len(table.points) <= MOST_DISTRIBUTIONS:
        page.figure(name + '-cdf', lambda width: figures.distributions(table, width), 'distributions of ' + table.title,
                    'Distribution of %s over the runs of each row. Hollow marks at the bottom: the published value, which is a single '
                    'run.' % e(table.metric['name']) if table.printed() else 'Distribution over the runs of each row.', values.runs(table), panels=True)
    if table.printed():
        orders(page, table)
    parameters(page, table)
    provenance(page, table)
    page.add('</section>')


def comparison_section(page, comparison, known, at):
    a, b = known[comparison['a']], known[comparison['b']]
    cells = comparison['cells']
    first, second = (a.backend, b.backend) if a.backend != b.backend else (a.folder, b.folder)
    agree = sum(c['verdict'].startswith('agree') for c in cells)
    page.add('<section><h2 id="compare-%d">%s: %s beside %s</h2><p>%d of %d cells agree: one distribution can explain both (two-sample t '
             'with the pooled variance, 5 %% over all cells together), or the means are within 1 %%.</p>' % (
                 at, e(short(a)), e(first), e(second), agree, len(cells)))
    rows = []
    for cell in cells:
        sides = ''.join('<td class="n">%s <span class="half">%s(%d)</span></td>' % (
            number(cell[s]['mean'], 1), '' if cell[s]['half95'] is None else '± %s ' % number(cell[s]['half95'], 1), cell[s]['runs'])
                        for s in 'ab')
        rows.append('<tr><th scope="row">%s</th><td>%s</td>%s<td class="n">%s</td><td>%s</td></tr>' % (
            e(cell['point']), e(a.label(cell['variant'])), sides, number(cell['ratio'], 3), pill(cell['verdict'])))
    page.add('<table><caption><b>%s, %s.</b> Mean, half of the 95 %% interval, number of runs.</caption><thead><tr><th scope="col">row</th>'
             '<th scope="col">protocol</th><th scope="col" class="n">%s</th><th scope="col" class="n">%s</th><th scope="col" class="n">ratio'
             '</th><th scope="col">verdict</th></tr></thead><tbody>%s</tbody></table>' % (
                 e(a.metric['name'].capitalize()), e(a.metric['unit']), e(first), e(second), ''.join(rows)))
    base = 'a' if a.backend == 'sim' != b.backend else 'b' # virtual time has the narrower intervals
    page.figure('compare-%d' % at, lambda width: figures.comparison(cells, a.label, (first, second), base, width),
                '%s beside %s' % (first, second), 'Each cell over the mean of %s, with 95 %% intervals (cut off at 0 and 2).' % e(
                    first if base == 'a' else second), values.comparison(cells, (first, second)))
    page.add('</section>')


NO_DROPS = ('This journal holds no events of the path: how many segments were dropped is not known. To see them, let the path keep a log, '
            '<code>wavetank lab up NAME --log path.jsonl</code>, and name it beside the journal, <code>wavetank report build %s path.jsonl</code>.')


def journal_section(page, entry, at, logs):
    c = journal.Connection(entry['path'], entry['host'], entry['conn'], entry['iss'], entry['sees_path'], logs)
    base = os.path.basename(entry['path'])
    stem = 'journal-%d-%s' % (at, os.path.splitext(base)[0])
    begin, end = c.detail()
    page.add('<section><h2 id="journal-%d">One transfer, event by event: %s</h2><p class="sub">Host %s, connection %d: %s segments with payload sent, '
             '%s of them again, %s timeouts, %s%.2f s.%s</p>' % (
                 at, e(base), e(entry['host']), entry['conn'], format(len(c.sent) + len(c.again), ','), format(len(c.again), ','),
                 len(c.timeouts), '%d dropped on the way, ' % len(c.drops) if c.drops_known else '', c.last - c.first,
                 '' if c.drops_known else ' ' + NO_DROPS % e(base)))
    page.figure(stem + '-sequence', lambda width: journal.sequence(c, width), 'time-sequence graph',
                'Time-sequence graph. Strokes are segments as the sender sent them%s. The window edge is the last byte that the receiver allows.' % (
                    '' if not c.drops else ', crosses drops, at the time and with the cause of the drop' if entry['sees_path'] else
                    ', crosses drops by the log of the path, with their cause, where the copy that was lost was sent'), values.sequence(c))
    page.figure(stem + '-detail', lambda width: journal.sequence(c, width, begin, end), 'time-sequence graph, detail',
                'The busiest stretch, %.2f to %.2f s. A vertical stroke is one segment, from its first to its last byte.' % (begin, end),
                values.sequence(c, begin, end))
    page.figure(stem + '-state', lambda width: journal.state(c, width), 'state of the sender over time',
                'The sender over time. ssthresh is not drawn before it is first set.',
                values.state(journal.panels_of(c)))
    air.journal_figures(page, entry, c, stem)
    page.add('</section>')


def flow_rows(every):
    for at, record in enumerate(every):
        for number_of, flow in enumerate(record['flows']):
            sender = flow.get('sender') or {}
            yield '<tr><th scope="row">%d</th><td>%s</td><td class="n">%d</td><td class="n">%d</td><td>%s</td>%s</tr>' % (
                at + 1, e(sender.get('module', '')), record['seed'], number_of + 1, e(flow['outcome']), ''.join(
                    '<td class="n">%s</td>' % value for value in (
                        number(flow['payload_bytes'] / 1e3, 0), number(flow.get('connection_time_s'), 2), number(flow.get('goodput_kBps'), 1),
                        number(sender.get('sent_segs'), 0), number(sender.get('retransmits_segs'), 0), number(sender.get('timeouts'), 0),
                        number(None if sender.get('srtt_s') is None else 1e3 * sender['srtt_s'], 1))))


def records_section(page, every):
    """Runs of `sim --json` as they were recorded, with everything they were run with."""
    heads = ''.join('<th scope="col"%s>%s</th>' % (c, h) for h, c in [
        ('run', ''), ('sender', ''), ('seed', ' class="n"'), ('flow', ' class="n"'), ('outcome', '')] + [
            (h, ' class="n"') for h in ('KB', 's', 'KB/s', 'segments', 'sent again', 'timeouts', 'RTT, ms')])
    page.add('<section><h2 id="runs">Runs</h2><table class="flows"><caption><b>Runs of wavetank sim: %d.</b> Goodput is payload over the time from the '
             'first SYN to the last acknowledgement; RTT is the smoothed one at the end. Segments are all of the sender up to '
             'then, with SYN, FIN and bare ACKs.</caption><thead><tr>%s</tr></thead><tbody>%s</tbody>'
             '</table>' % (len(every), heads, ''.join(flow_rows(every))))
    for at, record in enumerate(every):
        sides = [(side, '<code>%s</code>' % e(', '.join('%s %s' % (role, tables.words(record[side][role])) for role in (
            'sender', 'recovery', 'receiver') if record[side].get(role)))) for side in 'ab']
        page.add('<details><summary>Run %d: seed %d, wavetank %s</summary>%s</details>' % (at + 1, record['seed'], e(record['version']), facts([
            ('path there', '<code>%s</code>' % e(record.get('fwd') or 'an ideal wire')),
            ('path back', '<code>%s</code>' % e(record.get('rev') or 'an ideal wire')), *[('host ' + side, text) for side, text in sides],
            ('settings', '<code>%s</code>' % e(' '.join('%s=%s' % pair for pair in record['a'].get('settings', {}).items()))),
            ('dropped', e(', '.join('%d by %s' % (n, cause) for cause, n in (record.get('dropped_frames') or {}).items()) or 'nothing')),
            ('time', '%s simulated s, %s frames' % (number(record.get('simulated_s'), 2), number(record.get('frames'), 0)))])))
    air.record_figures(page, every)
    page.add('</section>')


def fairness_section(page, runs):
    page.add('<section><h2 id="fairness">Fairness</h2>')
    page.figure('fairness', lambda width: figures.fairness(runs, width), 'goodput of flows that share a path',
                'Goodput of each flow of a run, and Jain’s index of the run: 1 when all are equal, 1/n when one has everything.', values.fairness(runs))
    page.add('</section>')


def legend():
    return ('<section><h2 id="legend">How to read the verdicts</h2><table><thead><tr><th scope="col">verdict</th><th scope="col">meaning</th></tr>'
            '</thead><tbody>%s</tbody></table><p>Published cells are single runs; at high loss one run spreads by half of its mean, so a '
            'cell that differs by a third says little there.</p></section>' % ''.join(
                '<tr><td>%s</td><td>%s</td></tr>' % (pill(v), e(text)) for v, text in VERDICTS))


def build(request):
    every = [table for folder in request['folders'] for table in tables.tables_of(folder, request['statistics'].get(folder))]
    every.sort(key=lambda table: 'figure' in table.id) # tables first
    page = Page(request)
    page.many = len(every) > MANY
    known = {table.folder: table for table in every}
    recorded = tables.records(request['records'])
    runs = tables.fairness(recorded)
    title = request['title'] or (every[0].title if len(every) == 1 else 'Measurements beside the papers' if every else
                                 'Transfers, event by event' if request['journals'] else 'Transfers')
    backends = len({t.backend for t in every})
    links = [('claims-%d' % i, 'Claims') for i, c in enumerate(request['cards'])]
    links += [('calibration-%d' % i, 'Calibration') for i, c in enumerate(request['cards']) if 'calibration' in c]
    links += [(anchor(t, i), short(t) + (' on ' + t.backend if backends > 1 else '')) for i, t in enumerate(every)]
    links += [('compare-%d' % i, 'Comparison of ' + short(known[c['a']])) for i, c in enumerate(request['comparisons'])]
    links += [('journal-%d' % i, os.path.basename(j['path'])) for i, j in enumerate(request['journals'])]
    links += [('runs', 'Runs')] if recorded else []
    links += [('fairness', 'Fairness')] if runs else []
    printed = any(table.printed() for table in every)
    links += [('legend', 'Verdicts')] if printed else []
    page.add('<header><h1>%s</h1><p class="sub">Written by wavetank %s (commit %s) from result files; with their paths, settings and seeds '
             'each result of virtual time can be made again.</p><nav aria-label="Contents"><ul>%s</ul></nav></header><main>' % (
                 e(title), e(request['version']), e(request['commit']), ''.join('<li><a href="#%s">%s</a></li>' % (e(a), e(t)) for a, t in links)))
    front.add(page, every, request['cards'])
    for i, card in enumerate(request['cards']):
        claims.scorecard(page, card, i)
        if 'calibration' in card:
            claims.calibration_section(page, card['calibration'], card['folder'], i)
        page.add(claims.explained(card.get('explanation', {'ways': []})))
    notes = Notes()
    for i, table in enumerate(every):
        table_section(page, table, i, notes)
    for i, comparison in enumerate(request['comparisons']):
        comparison_section(page, comparison, known, i)
    for i, entry in enumerate(request['journals']):
        journal_section(page, entry, i, request['logs'])
    if recorded:
        records_section(page, recorded)
    if runs:
        fairness_section(page, runs)
    if printed:
        page.add(legend())
    page.add('</main><footer>Figures: matplotlib %s. Built on %s.</footer>' % (e(style.matplotlib.__version__), machine(request['machine'])))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'page.css'), encoding='utf-8') as file:
        sheet = file.read()
    sheet = ':root{%s}@media(prefers-color-scheme:dark){:root{%s}}@media print{:root{%s}}\n' % (
        style.variables(0), style.variables(1), style.variables(0)) + sheet
    page.draw()
    page.body, shared = style.compact(page.body)
    sheet += shared
    place.deaf()
    with place.create(request['output']) as file:
        file.write('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s</title>'
                   '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="generator" content="wavetank %s">'
                   '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">'
                   '<style>%s</style></head><body%s>%s</body></html>\n' % (e(title), e(request['version']), sheet, ' class="many"' if page.many else '', '\n'.join(page.body)))
    return '%s: %d KB, %d figures%s' % (request['output'], (os.path.getsize(request['output']) + 500) // 1000, page.count,
                                        ', also in %s/' % page.folder if page.folder else '')
