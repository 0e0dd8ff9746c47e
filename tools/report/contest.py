# SPDX-License-Identifier: BSD-2-Clause
"""The picture of `wavetank cc compare`: each module alone over time, and delay against throughput. The numbers come with the request."""
import style
from style import DASHES, MARKS, SERIES, colour

NAN = float('nan')


def numbers(values, scale):
    return [NAN if value is None else value * scale for value in values]


def look(i):
    """Colour, dashes and mark of module number i; the pair of colour and dashes comes again after 36 modules, not after six."""
    return colour(SERIES[i % 6]), DASHES[(i + i // 6) % 6], MARKS[(i + i // 6) % 6]


def place_labels(axis, points):
    """Names in their colours beside their points, lower where one would cover another. points: (name, ink, x, y)."""
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    taken = []
    for name, ink, x, y in sorted(points, key=lambda point: -point[3]):
        across, up, wide = (x - left) / (right - left) + 0.012, (y - low) / (high - low) + 0.012, 0.012 * len(name) + 0.01
        while any(across < other + span and other < across + wide and abs(up - above) < 0.07 for other, span, above in taken):
            up -= 0.01
        taken.append((across, wide, up))
        axis.annotate(name, (x, y), xytext=(across, up), textcoords='axes fraction', color=ink, va='bottom', ha='left')


def legs(value):
    """Mean and half of the interval; no interval of one run."""
    return value['mean'], value['half'] or 0


def draw(comparison, width):
    modules = comparison['modules']
    count = len(comparison['modules'][0]['cwnd_bytes'])
    times = [(i + 1) * comparison['slice_s'] for i in range(count)]
    fig, axes = style.figure(width, 9.2, 4, 1, gridspec_kw={'height_ratios': [1, 1, 1, 1.5]})
    rows = [('cwnd_bytes', 1e-3, 'cwnd, KB'), ('rtt_s', 1e3, 'round trip, ms'), ('delivered_bps', 1e-6, 'acknowledged, Mbit/s')]
    for axis, (key, scale, label) in zip(axes, rows):
        for i, module in enumerate(modules):
            ink, dashes, _ = look(i)
            axis.plot(times, numbers(module[key], scale), color=ink, linestyle=dashes, linewidth=1.1, label=module['module'])
        axis.set_ylabel(label)
        axis.set_xlim(0, comparison['time_s'])
        axis.set_ylim(0, None)
    axes[2].set_xlabel('time, s (alone, first seed)')
    style.legend(fig, axes[0], min(len(modules), 6))
    points = []
    for i, module in enumerate(modules):
        (rate, rate_half), (delay, delay_half) = legs(module['goodput_bps']), legs(module['rtt_mean_s'])
        if rate is None or delay is None:
            continue
        ink, _, mark = look(i)
        axes[3].errorbar(delay * 1e3, rate * 1e-6, xerr=delay_half * 1e3, yerr=rate_half * 1e-6, color=ink, marker=mark, linestyle='', capsize=2.5)
        points.append((module['module'], ink, delay * 1e3, rate * 1e-6))
    axes[3].set_xlabel('mean round trip, ms (alone; 95 %% intervals of %d runs)' % comparison['repeats'])
    axes[3].set_ylabel('goodput, Mbit/s')
    axes[3].margins(0.12)
    axes[3].set_ylim(0, 1.08 * axes[3].get_ylim()[1])
    place_labels(axes[3], points)
    return fig
