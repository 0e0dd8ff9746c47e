# SPDX-License-Identifier: BSD-2-Clause
"""Delay: round trips against throughput, and how round trips are distributed. One panel per row, at most eight."""
import math

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

import style
from figures import wrap
from style import DASHES, MARKS, SERIES, colour

MOST_PANELS = 8


def chosen(table):
    """The rows that are drawn: all of a few; of many the first, the last, and some between at equal steps."""
    points = table.points
    if len(points) <= MOST_PANELS:
        return points
    return [points[round(i * (len(points) - 1) / (MOST_PANELS - 1))] for i in range(MOST_PANELS)]


def senders(run):
    """What the senders of TCP flows of a run reported."""
    return [flow['sender'] for flow in (run.get('flow') or {}).values() if isinstance(flow, dict) and isinstance(flow.get('sender'), dict)]


def mean_rtt(run):
    """Seconds, the mean over flows of the mean of all their round trips. None: not known."""
    value = (run.get('metrics') or {}).get('rtt_s')
    if value is not None:
        return value
    means = [sender['mean_rtt_s'] for sender in senders(run) if sender.get('mean_rtt_s')]
    return sum(means) / len(means) if means else None


def pairs(table, point, variant):
    """[(repeat, mean round trip in ms, goodput in KB/s)] of the runs of a cell that finished."""
    out = []
    for run in sorted(table.runs.get((point, variant), []), key=lambda run: run['repeat']):
        rtt, goodput = mean_rtt(run), (run.get('metrics') or {}).get('goodput_kBps')
        if run['ok'] and rtt is not None and goodput is not None:
            out.append((run['repeat'], rtt * 1e3, goodput))
    return out


def quantiles(table, point, variant):
    """([percent], [ms], runs): quantiles of the round trips of each flow, their mean over flows and runs. None: not recorded."""
    kept = [sender['rtt_percentiles_s'] for run in table.runs.get((point, variant), []) if run['ok'] for sender in senders(run)
            if sender.get('rtt_percentiles_s')]
    if not kept:
        return None
    percents = sorted(int(name[1:]) for name in kept[0])
    return percents, [1e3 * sum(one['p%d' % p] for one in kept) / len(kept) for p in percents], len(kept)


def has_pairs(table):
    return any(pairs(table, point['label'], v['name']) for point in table.points for v in table.variants)


def has_quantiles(table):
    return any(quantiles(table, point['label'], v['name']) for point in table.points for v in table.variants)


def panels_of(table, width, sharey):
    points, narrow = chosen(table), width < 5
    columns = min(2 if narrow else 4, len(points))
    rows = math.ceil(len(points) / columns)
    height = (1.75 if columns > 1 else 2.6)
    fig, panels = style.figure(width, 0.62 + height * rows, rows, columns, sharey=sharey, squeeze=False)
    flat = panels.flatten()
    for panel, point in zip(flat, points):
        panel.set_title(point['label'], pad=3)
    for panel in flat[len(points):]:
        panel.set_visible(False)
    return fig, list(zip(flat, points)), columns


def finish(fig, table, drawn, columns, width, handles, across, up):
    """Labels at the edges alone, the key above."""
    lowest = [panel for panel, _ in drawn][-columns:]
    for at, (panel, _) in enumerate(drawn):
        if at % columns == 0:
            panel.set_ylabel(up)
        if panel in lowest:
            panel.set_xlabel(across)
        panel.xaxis.set_major_locator(MaxNLocator(4 if columns > 1 else 8, min_n_ticks=2))
        panel.yaxis.set_major_locator(MaxNLocator(5))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: '%g' % x))
    labels = [variant['label'] for variant in table.variants]
    lines = math.ceil(len(labels) / (2 if width < 5 else 4))
    fig.legend(handles, labels, loc='upper left', ncol=2 if width < 5 else 4, borderaxespad=0)
    fig.set_constrained_layout_pads(h_pad=0.06)
    tall = fig.get_size_inches()[1]
    fig.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.06 + 0.17 * lines) / tall))


def against_throughput(table, width):
    """Every run a small mark, the mean of a cell a large one: up and to the left is better."""
    fig, drawn, columns = panels_of(table, width, False)
    for panel, point in drawn:
        for i, variant in enumerate(table.variants):
            cell = pairs(table, point['label'], variant['name'])
            if not cell:
                continue
            _, x, y = zip(*cell)
            panel.plot(x, y, linestyle='', marker=MARKS[i % 6], markersize=2.6, color=colour(SERIES[i % 6]), alpha=0.4, markeredgewidth=0)
            panel.plot([sum(x) / len(x)], [sum(y) / len(y)], linestyle='', marker=MARKS[i % 6], markersize=7, color=colour(SERIES[i % 6]),
                       markeredgecolor=colour('ink'), markeredgewidth=0.8, zorder=4)
        panel.margins(0.12)
        low, high = panel.get_xlim()
        if high - low < 1: # milliseconds: runs that hardly differ do not fill the panel
            panel.set_xlim((low + high) / 2 - 0.5, (low + high) / 2 + 0.5)
        low, high = panel.get_ylim()
        if high - low < 0.02 * high:
            panel.set_ylim(low - 0.01 * high, high + 0.01 * high)
    handles = [Line2D([], [], color=colour(SERIES[i % 6]), marker=MARKS[i % 6], linestyle='') for i in range(len(table.variants))]
    finish(fig, table, drawn, columns, width, handles, 'mean round trip (ms)', wrap('goodput (KB/s)', 20))
    return fig


def distribution(table, width):
    """The share of round trips at or below a value."""
    fig, drawn, columns = panels_of(table, width, True)
    for panel, point in drawn:
        for i, variant in enumerate(table.variants):
            found = quantiles(table, point['label'], variant['name'])
            if found:
                percents, values, _ = found
                panel.plot(values, [p / 100 for p in percents], color=colour(SERIES[i % 6]), linestyle=DASHES[i % 6], linewidth=1.4)
        panel.set_ylim(0, 1.02)
        panel.margins(x=0.08)
        low, high = panel.get_xlim()
        if high - low < 1:
            panel.set_xlim((low + high) / 2 - 0.5, (low + high) / 2 + 0.5)
    handles = [Line2D([], [], color=colour(SERIES[i % 6]), linestyle=DASHES[i % 6]) for i in range(len(table.variants))]
    finish(fig, table, drawn, columns, width, handles, 'round trip (ms)', 'share of samples')
    return fig


def section(page, table, name):
    """Both figures with their numbers, where the runs have them."""
    part = '' if len(table.points) <= MOST_PANELS else ' %d of the %d rows, at equal steps.' % (MOST_PANELS, len(table.points))
    if has_pairs(table):
        rows = [(p['label'], v['name'], *pair) for p in table.points for v in table.variants for pair in pairs(table, p['label'], v['name'])]
        page.figure(name + '-delay', lambda width: against_throughput(table, width), 'delay against throughput',
                    'Delay against throughput: goodput over the mean round trip as the sender’s own clock measured it. A small mark is a run, a large one the mean of a '
                    'protocol; up and to the left is better.' + part,
                    (('row', 'protocol', 'repeat', 'rtt_mean_ms', 'goodput_kBps'), rows), panels=True)
    if has_quantiles(table):
        rows = []
        for point in table.points:
            for variant in table.variants:
                found = quantiles(table, point['label'], variant['name'])
                rows += [(point['label'], variant['name'], p, value, found[2]) for p, value in zip(*found[:2])] if found else []
        page.figure(name + '-rtt', lambda width: distribution(table, width), 'distribution of round trips',
                    'Distribution of round trips, from the 1 % to the 99 % quantile: those of each flow, averaged over the runs of a '
                    'cell (to one part in sixteen).' + part, (('row', 'protocol', 'percent', 'rtt_ms', 'flows'), rows), panels=True)
