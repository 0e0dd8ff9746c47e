# SPDX-License-Identifier: BSD-2-Clause
"""Figures of a re-created table: goodput over loss, ratios, distributions, bars. Numbers come from the result files and
from the program that asked for the page (bootstrap intervals of ratios); nothing is worked out here."""
import math
import textwrap

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import style
from style import DASHES, MARKS, SERIES, colour

def positions(table):
    """Where the points stand on the x axis; (values, numeric)."""
    try:
        values = [float(point['label'].rstrip('%')) for point in table.points]
    except ValueError:
        return list(range(len(table.points))), False
    return (values, True) if len(set(values)) == len(values) else (list(range(len(values))), False)


def x_axis(axes, table, values, numeric, narrow):
    if table.axis == 'hops':
        axes.set_xlim(min(values) - 0.5, max(values) + 0.5)
        label = table.axis
    elif numeric and min(values) >= 0:
        # odd, so that the margin left of 0 has a place too
        axes.set_xscale('function', functions=(lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x: np.sign(x) * np.square(x)))
        high = max(values)
        axes.set_xlim(0 if min(values) > 0 else -0.0006 * high, high * 1.06)
        label = wrap(table.axis, 42) + ('\n' if narrow else ' ') + '(square-root scale)'
    else:
        axes.set_xlim(-0.5, len(values) - 0.5)
        label = wrap(table.axis, 42)
    axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, at: table.points[at]['label'] if at is not None and at < len(values) else ''))
    axes.set_xlabel(label)


def wrap(text, width):
    return '\n'.join(textwrap.wrap(text, width))


def dodge(axes, index, count):
    """A shift of a few points, so that bars of several series do not hide each other."""
    from matplotlib.transforms import ScaledTranslation
    shift = (index - (count - 1) / 2) * 3.2 / 72
    return axes.transData + ScaledTranslation(shift, 0, axes.figure.dpi_scale_trans)


def keys(table, published=True):
    """Handles and labels of a legend: one per protocol, then what is hollow."""
    handles, labels = [], []
    for i, variant in enumerate(table.variants):
        handles.append(Line2D([], [], color=colour(SERIES[i % 6]), marker=MARKS[i % 6], linestyle=DASHES[i % 6]))
        labels.append(variant['label'])
    if published and table.printed():
        handles.append(Line2D([], [], color=colour('muted'), marker='o', markerfacecolor=colour('ground'), linestyle=''))
        labels.append('published')
    return handles, labels


def over_loss(table, width):
    """The metric over the swept parameter: means with 95 % bars, published points hollow."""
    narrow = width < 5
    fig, axes = style.figure(width, 3.9 if not narrow else 3.6)
    values, numeric = positions(table)
    for i, variant in enumerate(table.variants):
        move = dodge(axes, i, len(table.variants))
        cells = [table.cell(point['label'], variant['name']) for point in table.points]
        ours = [(x, cell['mean'], cell['half'] or 0) for x, cell in zip(values, cells) if cell and cell['mean'] is not None]
        shown = [(x, cell['paper'], cell['suspect']) for x, cell in zip(values, cells) if cell and cell['paper'] is not None]
        if ours:
            x, y, half = zip(*ours)
            axes.errorbar(x, y, yerr=half, color=colour(SERIES[i % 6]), marker=MARKS[i % 6], linestyle=DASHES[i % 6], capsize=2.5,
                          elinewidth=1.1, transform=move, zorder=3)
        if shown:
            x, y, _ = zip(*shown)
            axes.plot(x, y, color=colour(SERIES[i % 6]), linestyle=(0, (1, 2.4)), linewidth=0.7, transform=move, zorder=2)
            axes.plot(x, y, color=colour(SERIES[i % 6]), marker=MARKS[i % 6], linestyle='', markersize=6, transform=move,
                      markerfacecolor=colour('ground'), markeredgewidth=1.1, zorder=2.5)
            for at, value, why in shown:
                if why:
                    axes.annotate('?', (at, value), xytext=(5, 3), textcoords='offset points', color=colour(SERIES[i % 6]),
                                  fontweight='bold')
    x_axis(axes, table, values, numeric, narrow)
    axes.set_ylim(bottom=0)
    axes.set_ylabel('%s (%s)' % (table.metric['name'], table.metric['unit']))
    style.legend(fig, axes, 2 if narrow else 4, *keys(table))
    return fig


def ratios(table, width):
    """Above: ours over the published value. Below: each protocol over the baseline, ours and published."""
    narrow = width < 5
    others = [v for v in table.variants if v['name'] != table.baseline]
    rows = table.printed() + bool(others)
    fig, both = style.figure(width, 2.4 * rows + 0.5, rows, 1, sharex=True, squeeze=False)
    values, numeric = positions(table)
    top, low = both[0][0], both[-1][0] # one of them alone where nothing is published
    if table.printed():
        top.axhspan(0.9, 1.1, color=colour('band'), zorder=0)
    for axes in both[:, 0]:
        axes.axhline(1, color=colour('muted'), linewidth=0.8, zorder=1)
        axes.set_yscale('log', base=2)
        axes.yaxis.set_major_locator(FixedLocator([0.125, 0.25, 0.5, 0.7, 1, 1.4, 2, 4, 8]))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: '%g' % y))
    for i, variant in enumerate(table.variants):
        mark = dict(color=colour(SERIES[i % 6]), marker=MARKS[i % 6])
        points = []
        for x, point in zip(values, table.points):
            cell = table.cell(point['label'], variant['name'])
            if cell and cell['mean'] and cell['paper']:
                half = (cell['half'] or 0) / cell['paper']
                points.append((x, cell['mean'] / cell['paper'], min(half, 0.98 * cell['mean'] / cell['paper'])))
        if points:
            x, y, half = zip(*points)
            top.errorbar(x, y, yerr=half, linestyle=DASHES[i % 6], capsize=2.5, elinewidth=1.1,
                         transform=dodge(top, i, len(table.variants)), **mark)
        if not others or variant['name'] == table.baseline:
            continue
        move = dodge(low, i, len(table.variants))
        ours, printed = [], []
        for x, point in zip(values, table.points):
            got = table.over_baseline(point['label'], variant['name'])
            if got and got[0] > 0:
                ours.append((x, *got))
            a, b = table.cell(point['label'], variant['name']), table.cell(point['label'], table.baseline)
            if a and b and a['paper'] and b['paper']:
                printed.append((x, a['paper'] / b['paper']))
        if ours:
            x, y, down, up = zip(*ours)
            low.errorbar(x, y, yerr=[[max(b - a, 0) for a, b in zip(down, y)], [max(a - b, 0) for a, b in zip(up, y)]],
                         linestyle=DASHES[i % 6], capsize=2.5, elinewidth=1.1, transform=move, **mark)
        if printed:
            x, y = zip(*printed)
            low.plot(x, y, linestyle='', markersize=6, markerfacecolor=colour('ground'), transform=move, zorder=2.5, **mark)
    if table.printed():
        top.set_ylabel('ours ÷ published')
    if others:
        low.set_ylabel('÷ %s' % table.label(table.baseline))
    x_axis(both[-1][0], table, values, numeric, narrow)
    if len(both) > 1 and numeric:
        both[0][0].tick_params(labelbottom=False)
    style.legend(fig, top, 2 if narrow else 4, *keys(table, bool(others)))
    return fig


def distributions(table, width):
    """One small panel per row: the share of runs at or below a value."""
    narrow = width < 5
    columns = 2 if narrow else min(4, len(table.points))
    rows = math.ceil(len(table.points) / columns)
    fig, panels = style.figure(width, 0.55 + 1.55 * rows, rows, columns, sharey=True, squeeze=False)
    panels = panels.flatten()
    for panel, point in zip(panels, table.points):
        for i, variant in enumerate(table.variants):
            sample = sorted(s for s in table.samples(point['label'], variant['name']) if s is not None)
            if not sample:
                continue
            share = [k / len(sample) for k in range(1, len(sample) + 1)]
            panel.step([sample[0], *sample], [0, *share], where='post', color=colour(SERIES[i % 6]), linestyle=DASHES[i % 6],
                       linewidth=1.4)
            cell = table.cell(point['label'], variant['name'])
            if cell and cell['paper'] is not None:
                panel.plot([cell['paper']], [0.03], marker=MARKS[i % 6], color=colour(SERIES[i % 6]), markersize=5,
                           markerfacecolor=colour('ground'), clip_on=False, linestyle='', zorder=4)
        panel.set_title(point['label'], pad=3)
        panel.set_ylim(0, 1.02)
        panel.margins(x=0.08)
        low, high = panel.get_xlim()
        if high - low < 2:
            panel.set_xlim(low - 1, high + 1)
        panel.locator_params(axis='x', nbins=4)
    for panel in panels[len(table.points):]:
        panel.set_visible(False)
    for panel in panels[:len(table.points):columns]:
        panel.set_ylabel('share of runs')
    for panel in panels[max(0, len(table.points) - columns):len(table.points)]:
        panel.set_xlabel('%s' % table.metric['unit'])
    handles, labels = keys(table)
    for handle, _ in zip(handles, table.variants):
        handle.set_marker('')
    fig.legend(handles, labels, loc='upper left', ncol=2 if narrow else 4, borderaxespad=0)
    fig.set_constrained_layout_pads(h_pad=0.06)
    fig.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.36 if narrow else 0.2) / (0.55 + 1.55 * rows)))
    return fig


def bars(table, width):
    """Bars beside each other: for shares of success, tokens, and tables of one row."""
    narrow = width < 5
    fig, axes = style.figure(width, 3.4)
    count = len(table.variants)
    for i, variant in enumerate(table.variants):
        for at, point in enumerate(table.points):
            cell = table.cell(point['label'], variant['name'])
            if not cell or cell['mean'] is None:
                continue
            x = at + (i - (count - 1) / 2) * 0.8 / count
            axes.bar(x, cell['mean'], 0.72 / count, color=colour(SERIES[i % 6]), alpha=0.9, label=variant['label'] if not at else None)
            if cell['half']:
                axes.errorbar(x, cell['mean'], yerr=cell['half'], color=colour('ink'), capsize=2.5, elinewidth=1)
            if cell['paper'] is not None:
                axes.plot([x], [cell['paper']], marker='D', color=colour('ink'), markerfacecolor=colour('ground'), linestyle='',
                          markersize=5.5, zorder=4)
    axes.set_xticks(range(len(table.points)), [point['label'] for point in table.points])
    axes.grid(False, axis='x')
    axes.set_ylim(bottom=0)
    if table.metric['name'] == 'success':
        axes.set_ylim(0, max(102, axes.get_ylim()[1]))
    axes.set_ylabel('%s (%s)' % (table.metric['name'], table.metric['unit']))
    axes.set_xlabel(wrap(table.axis, 42) if narrow else table.axis)
    handles, labels = axes.get_legend_handles_labels()
    if table.printed():
        handles.append(Line2D([], [], color=colour('ink'), marker='D', markerfacecolor=colour('ground'), linestyle=''))
        labels.append('published')
    style.legend(fig, axes, 2 if narrow else 4, handles, labels)
    return fig


MOST_SHADE = 0.5 # text on a darker tile could not be read, in light or in dark


def shaded(axes, rows, columns, tiles):
    """Tiles of a heat map: {(row, column): (text, role, share of the darkest)}."""
    for (i, j), (text, role, share) in tiles.items():
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=colour(role), alpha=0.03 + (MOST_SHADE - 0.03) * share, linewidth=0))
        axes.text(j, i, text, ha='center', va='center', fontsize=8)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    axes.grid(False)
    axes.spines[['left', 'bottom']].set_visible(False)
    axes.tick_params(length=0)


def three(value):
    """Three digits that count: 1.23, 45.6, 789, 1,234."""
    return format(value, ',.0f') if value >= 99.95 else '%.1f' % value if value >= 9.995 else '%.2f' % value


def heat(table, width):
    """A sweep over two parameters: a map of means for each protocol, below it the ratio to the baseline, cell by cell."""
    (down, across), narrow = table.grid, width < 5
    if len(down[1]) > len(across[1]):
        down, across = across, down # the longer axis lies
    swapped = down is not table.grid[0]

    def cell(i, j, variant):
        pair = (down[1][i], across[1][j])
        return table.cell(' '.join(pair[::-1] if swapped else pair), variant)

    means = {(v['name'], i, j): cell(i, j, v['name']) for v in table.variants for i in range(len(down[1])) for j in range(len(across[1]))}
    means = {key: c['mean'] for key, c in means.items() if c and c['mean'] is not None}
    top = max(means.values(), default=0)
    panels = []
    for variant in table.variants:
        mine = {key[1:]: mean for key, mean in means.items() if key[0] == variant['name']}
        panels.append((variant['label'], {at: (three(mean), 'c0', mean / top if top else 0) for at, mean in mine.items()}))
    stacked = not narrow and len(table.variants) * len(across[1]) <= 18 # each ratio below its protocol
    for variant in table.variants:
        if variant['name'] == table.baseline:
            panels += [None] if stacked else []
            continue
        both = {key[1:]: mean / means[(table.baseline, *key[1:])] for key, mean in means.items()
                if key[0] == variant['name'] and means.get((table.baseline, *key[1:]))}
        panels.append(('%s ÷ %s' % (variant['label'], table.label(table.baseline)), {
            at: (three(ratio), 'c2' if ratio >= 1 else 'c1', min(1, abs(math.log2(ratio))) if ratio > 0 else 1) for at, ratio in both.items()}))
    columns = len(table.variants) if stacked else 1 if narrow or len(across[1]) > 8 else 2
    if len(table.variants) == 1:
        panels = panels[:1]
    rows = math.ceil(len(panels) / columns)
    fig, axes = style.figure(width, rows * (0.62 + 0.27 * len(down[1])) + 0.1, rows, columns, squeeze=False)
    axes = axes.flatten()
    for panel, shown in zip(axes, panels):
        if shown is None:
            panel.set_visible(False)
            continue
        title, tiles = shown
        shaded(panel, len(down[1]), len(across[1]), tiles)
        panel.set_title(title, pad=4)
        panel.set_xticks(range(len(across[1])), across[1])
        panel.set_yticks(range(len(down[1])), down[1])
        panel.set_xlabel(across[0])
        panel.set_ylabel(down[0])
    for panel in axes[len(panels):]:
        panel.set_visible(False)
    fig.set_constrained_layout_pads(h_pad=0.07)
    return fig


def comparison(cells, label, names, base_side, width):
    """Two results beside each other: every cell over the mean of one of them, with 95 % intervals."""
    cells = [cell for cell in cells if cell['a']['mean'] and cell['b']['mean']]
    fig, axes = style.figure(width, 0.8 + 0.3 * max(2, len(cells)))
    for at, cell in enumerate(cells):
        base = cell[base_side]['mean']
        for side, shift, role, face in (('a', -0.14, 'c0', 'c0'), ('b', 0.14, 'muted', 'ground')):
            axes.errorbar([cell[side]['mean'] / base], [at + shift], xerr=[(cell[side]['half95'] or 0) / base], color=colour(role), marker='o',
                          markerfacecolor=colour(face), linestyle='', capsize=2.5, elinewidth=1.1)
    axes.axvline(1, color=colour('muted'), linewidth=0.8, zorder=1)
    axes.set_yticks(range(len(cells)), ['%s %s' % (cell['point'], label(cell['variant'])) for cell in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    low, high = axes.get_xlim()
    axes.set_xlim(max(low, 0), min(high, 2)) # a mean of two runs may have any interval
    axes.set_xlabel('over the mean of %s' % names['ab'.index(base_side)])
    handles = [Line2D([], [], color=colour(role), marker='o', markerfacecolor=colour(face), linestyle='-', linewidth=1.1)
               for role, face in (('c0', 'c0'), ('muted', 'ground'))]
    style.legend(fig, axes, 2, handles, names)
    return fig


def tokens(table, traces, width):
    """Tokens of each round trip, one panel per protocol on one axis."""
    columns = 200 if width > 5 else 100
    group = -(-max(len(values) for values in traces.values()) // columns) # so many round trips become one step, their mean
    fig, panels = style.figure(width, 0.5 + 1.05 * len(traces), len(traces), 1, sharex=True, sharey=True, squeeze=False)
    for panel, (name, values) in zip(panels[:, 0], traces.items()):
        i = [variant['name'] for variant in table.variants].index(name)
        steps = [sum(values[at:at + group]) / len(values[at:at + group]) for at in range(0, len(values), group)]
        panel.fill_between([at * group for at in range(len(steps) + 1)], [*steps, steps[-1] if steps else 0], step='post',
                           color=colour(SERIES[i % 6]), linewidth=0)
        panel.set_title(table.label(name), pad=2)
        panel.set_ylabel('KB')
        panel.set_ylim(bottom=0)
        panel.grid(False, axis='x')
    panels[-1][0].set_xlabel('round trip' if group == 1 else 'round trip (steps: means of %d)' % group)
    panels[-1][0].set_xlim(left=0)
    return fig


def fairness(runs, width):
    """Goodput of each flow of runs that had several, and Jain's index of each run."""
    fig, axes = style.figure(width, 0.9 + 0.42 * len(runs))
    for at, run in enumerate(runs):
        axes.plot(run['goodputs'], [at] * len(run['goodputs']), marker='o', linestyle='', color=colour('c0'), alpha=0.8)
        axes.annotate('Jain %.3f' % run['jain'], (1, at), xycoords=('axes fraction', 'data'), xytext=(4, 0),
                      textcoords='offset points', va='center', annotation_clip=False)
    axes.set_yticks(range(len(runs)), [wrap(run['label'], 16) for run in runs])
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel('goodput of each flow (KB/s)')
    return fig
