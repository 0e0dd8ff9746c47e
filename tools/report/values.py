# SPDX-License-Identifier: BSD-2-Clause
"""The numbers behind each figure of a report, as rows for a CSV file beside it. Units are in the names."""
import csv
import math

import place


def write(path, values):
    head, rows = values
    with place.create(path) as file:
        out = csv.writer(file, lineterminator='\n')
        out.writerow(head)
        out.writerows([('' if value is None or isinstance(value, float) and math.isnan(value) else '%.9g' % value if isinstance(value, float) else value)
                       for value in row] for row in rows)


def unit(table):
    return '%s_%s' % (table.metric['name'].replace(' ', '_'), table.metric['key'])


def cells(table):
    """Mean, half of the interval, runs and the published value of every cell: of figures of means and of bars, and of maps."""
    name, rows = unit(table), []
    for point in table.points:
        for variant in table.variants:
            cell = table.cell(point['label'], variant['name'])
            if cell:
                rows.append((point['label'], variant['name'], cell['runs'], cell['mean'], cell['half'], cell['paper']))
    return ('row', 'protocol', 'runs', name + '_mean', name + '_half95', name + '_published'), rows


def ratios(table):
    """Ours over the published value, and each protocol over the baseline."""
    rows = []
    for point in table.points:
        base = table.cell(point['label'], table.baseline)
        for variant in table.variants:
            cell = table.cell(point['label'], variant['name'])
            if not cell:
                continue
            over = None if variant['name'] == table.baseline else table.over_baseline(point['label'], variant['name'])
            printed = cell['paper'] / base['paper'] if base and cell['paper'] and base['paper'] else None
            rows.append((point['label'], variant['name'], cell['mean'] / cell['paper'] if cell['mean'] is not None and cell['paper'] else None,
                         *(over or (None, None, None)), printed))
    return ('row', 'protocol', 'ours_over_published', 'over_%s' % table.baseline, 'over_%s_low95' % table.baseline,
            'over_%s_high95' % table.baseline, 'published_over_%s' % table.baseline), rows


def runs(table):
    return ('row', 'protocol', 'run', unit(table)), [
        (point['label'], variant['name'], at, value) for point in table.points for variant in table.variants
        for at, value in enumerate(table.samples(point['label'], variant['name']))]


def tokens(traces):
    return ('protocol', 'round_trip', 'tokens_kB'), [(name, at, value) for name, kept in traces.items() for at, value in enumerate(kept)]


def comparison(cells_, names):
    rows = [(cell['point'], cell['variant'], name, cell[side]['runs'], cell[side]['mean'], cell[side]['half95'])
            for cell in cells_ for side, name in zip('ab', names)]
    return ('row', 'protocol', 'result', 'runs', 'mean', 'half95'), rows


def fairness(runs_):
    return ('run', 'flow', 'goodput_kBps', 'jain'), [
        (run['label'], at + 1, value, run['jain']) for run in runs_ for at, value in enumerate(run['goodputs'])]


def sequence(c, begin=None, end=None):
    """Of a journal: segments, ACKs with the window's edge, drops, timeouts."""
    rows = [(t, 'segment', low, high) for t, low, high in c.sent] + [(t, 'sent again', low, high) for t, low, high in c.again]
    rows += [(t, 'ack', ack, edge) for t, ack, edge in c.back] + [(t, 'dropped: ' + cause, offset, None) for t, offset, cause in c.drops]
    rows += [(t, 'timeout', offset, None) for t, offset in c.timeouts]
    return ('time_s', 'what', 'offset_bytes', 'end_bytes'), sorted(
        (row for row in rows if (begin is None or row[0] >= begin) and (end is None or row[0] <= end)), key=lambda row: row[0])


def state(panels):
    """Of the panels of a journal: every value over time."""
    return ('time_s', 'series', 'value', 'unit'), [
        (time, label, value, name) for _, name, series in panels for label, _, rows, _ in series for time, value in rows if value == value]
