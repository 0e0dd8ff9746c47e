# SPDX-License-Identifier: BSD-2-Clause
"""The picture of `wavetank cc compare`: each module alone over time, and delay against throughput. The numbers come with the request."""
import style
from style import DASHES, MARKS, SERIES, colour

NAN = float('nan')


def numbers(values, scale):
    return [NAN if value is None else value * scale for value in values]


def legs(value):
    """Mean and half of the interval; no interval of one run."""
    return value['mean'], value['half'] or 0


def draw(comparison, width):
    modules = comparison['modules']
    count = len(comparison['modules'][0]['cwnd_bytes'])
    times = [(i + 1) * comparison['slice_s'] for i in range(count)]
    fig, axes = style.figure(width, 9.2, 4, 1, gridspec_kw={'height_ratios': [1, 1, 1, 1.5]})
    rows = [('cwnd_bytes', 1e-3, 'cwnd, kB'), ('rtt_s', 1e3, 'round trip, ms'), ('delivered_bps', 1e-6, 'acknowledged, Mbit/s')]
    for axis, (key, scale, label) in zip(axes, rows):
        for i, module in enumerate(modules):
            axis.plot(times, numbers(module[key], scale), color=colour(SERIES[i % 6]), linestyle=DASHES[i % 6], linewidth=1.1,
                      label=module['module'])
        axis.set_ylabel(label)
        axis.set_xlim(0, comparison['time_s'])
        axis.set_ylim(0, None)
    axes[2].set_xlabel('time, s (alone, first seed)')
    style.legend(fig, axes[0], min(len(modules), 6))
    for i, module in enumerate(modules):
        (rate, rate_half), (delay, delay_half) = legs(module['goodput_bps']), legs(module['rtt_mean_s'])
        if rate is None or delay is None:
            continue
        axes[3].errorbar(delay * 1e3, rate * 1e-6, xerr=delay_half * 1e3, yerr=rate_half * 1e-6, color=colour(SERIES[i % 6]),
                         marker=MARKS[i % 6], linestyle='', capsize=2.5)
        axes[3].annotate(module['module'], (delay * 1e3, rate * 1e-6), xytext=(5, 4), textcoords='offset points', color=colour('ink'))
    axes[3].set_xlabel('mean round trip, ms (alone; 95 %% intervals of %d runs)' % comparison['repeats'])
    axes[3].set_ylabel('goodput, Mbit/s')
    axes[3].margins(0.12)
    return fig
