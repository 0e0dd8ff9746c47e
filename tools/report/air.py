# SPDX-License-Identifier: BSD-2-Clause
"""Figures of stations on the air: throughput over hops, a map with ways and broken links over time, what stations do with their time, the
window with the changes of ways. From a table's results, from a journal (--trace), from records of `sim --json`."""
import bisect
import json
import math

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import figures
import style
import values
from style import DASHES, MARKS, SERIES, colour

PANELS = 6  # of a map: stretches of the run
SHARES = [('air_data', 'data', 'c0', ''), ('air_routing', 'routing', 'c3', '//'), ('air_control', 'RTS, CTS, ACK', 'c4', '..'),
          ('others', 'others heard', 'near', ''), ('air_collided', 'collisions', 'c5', 'xx'), ('idle', 'idle', 'rule', '')]


# ---- a table over hops ----

def over_hops(table, width):
    """The metric over 1, 2, ... hops, on a logarithmic axis, since each hop takes its share: means with 95 % bars, published points hollow."""
    narrow = width < 5
    fig, axes = style.figure(width, 3.9 if not narrow else 3.8)
    hops = [int(point['label']) for point in table.points]
    axes.set_yscale('log')
    shown = []
    for i, variant in enumerate(table.variants):
        move = figures.dodge(axes, i, len(table.variants))
        look = {'color': colour(SERIES[i % 6]), 'marker': MARKS[i % 6], 'transform': move}
        cells = [table.cell(point['label'], variant['name']) for point in table.points]
        ours = [(x, c['mean'], min(c['half'] or 0, 0.95 * c['mean'])) for x, c in zip(hops, cells) if c and c['mean']]
        told = [(x, c['paper'], c['suspect']) for x, c in zip(hops, cells) if c and c['paper']]
        if ours:
            x, y, half = zip(*ours)
            shown += [value - below for value, below in zip(y, half)] + [value + above for value, above in zip(y, half)]
            axes.errorbar(x, y, yerr=half, linestyle=DASHES[i % 6], capsize=2.5, elinewidth=1.1, zorder=3, **look)
        if told:
            x, y, _ = zip(*told)
            shown += y
            axes.plot(x, y, linestyle='', markersize=6, markerfacecolor=colour('ground'), markeredgewidth=1.1, zorder=2.5, **look)
            for at, value, why in told[-1:]:
                if why:
                    axes.annotate('?', (at, value), xytext=(6, 2), textcoords='offset points', color=colour(SERIES[i % 6]), fontweight='bold')
    axes.set_xlim(min(hops) - 0.4, max(hops) + 0.5)
    if shown:   # matplotlib judges marks that are moved aside by the limits it had before, and would cut the lowest
        axes.set_ylim(min(shown) / 1.15, max(shown) * 1.15)
    axes.xaxis.set_major_locator(FixedLocator(hops))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: '%g' % y))
    axes.set_xlabel('hops')
    axes.set_ylabel('%s (%s)' % (table.metric['name'], table.metric['unit'].replace('kBps', 'KB/s')))
    style.legend(fig, axes, 2 if narrow else 4, *figures.keys(table))
    return fig


# ---- a journal of stations ----

class Field:
    """Where stations are, which ways they have, which links broke; and from whom to whom one connection goes."""

    def __init__(self, path, host, conn, iss):
        self.corners, self.name, self.address = {}, {}, {}   # by address; address to name, and back
        self.routes, self.broken = {}, []                    # (host, destination): [(time, next or None)]; [(time, host, next)]
        self.source, self.sink, self.end = host, None, 0.0
        with open(path, encoding='utf-8', errors='replace') as file:
            for line in file:
                if '"mobility:' in line or '"routing:' in line or '"transport:packet_sent' in line:
                    try:
                        self._take(json.loads(line), conn, iss)
                    except (ValueError, KeyError):
                        continue # cut off
        for corners in self.corners.values():
            corners.sort()

    def _take(self, event, conn, iss):
        name, data, time = event['event'], event['data'], event['time_ns'] / 1e9
        host = event.get('host')
        self.end = max(self.end, time)
        if name == 'mobility:corner':
            self.name[data['station_ipv4']], self.address[host] = host, data['station_ipv4']
            self.corners.setdefault(host, []).append((data['at_ns'] / 1e9, data['x_mm'] / 1e3, data['y_mm'] / 1e3))
        elif name == 'routing:route_updated':
            self.routes.setdefault((host, data['dst_ipv4']), []).append((time, data['next_hop_ipv4'] if data['valid'] else None, data['hops']))
        elif name == 'routing:link_broken':
            self.broken.append((time, host, data['next_hop_ipv4']))
        elif name == 'transport:packet_sent' and self.sink is None and host != self.source and data['flags'] & 18 == 18 and \
                data['ack'] == (iss + 1) & 0xffffffff:
            self.sink = host

    def __bool__(self):
        return len(self.corners) > 1

    def at(self, host, time):
        """Straight on from the last corner to the next."""
        corners = self.corners[host]
        i = max(bisect.bisect_right(corners, (time, math.inf, math.inf)) - 1, 0)
        t, x, y = corners[i]
        if i + 1 == len(corners) or time <= t:
            return x, y
        later, to_x, to_y = corners[i + 1]
        share = (time - t) / (later - t)
        return x + share * (to_x - x), y + share * (to_y - y)

    def next(self, host, dst, time):
        rows = self.routes.get((host, dst), [])
        i = bisect.bisect_right([row[0] for row in rows], time)
        return self.name.get(rows[i - 1][1]) if i else None

    def way(self, time):
        """The stations that a packet passes now, as far as their tables say."""
        way, dst = [self.source], self.address.get(self.sink)
        while way[-1] != self.sink and (step := self.next(way[-1], dst, time)) and step not in way:
            way.append(step)
        return way

    def changes(self):
        """[(time, hops)] of the way that the sender has to its peer; None: no way."""
        rows = self.routes.get((self.source, self.address.get(self.sink)), [])
        return [(time, hops if step else None) for time, step, hops in rows]


def moments(field, begin, end):
    """(from, to, the moment that is drawn) of each panel: in the middle, or the nearest one at which the way is whole."""
    width = (end - begin) / PANELS
    for i in range(PANELS):
        a, b = begin + i * width, begin + (i + 1) * width
        tries = sorted((a + width * (k + 0.5) / 20 for k in range(20)), key=lambda t, middle=(a + b) / 2: abs(t - middle))
        yield a, b, next((t for t in tries if field.way(t)[-1] == field.sink), tries[0])


def stations_map(field, begin, end, width):
    """Where stations are at some moments, the way between the two ends, and the links that broke in the stretch around each."""
    narrow = width < 5
    xs = [x for corners in field.corners.values() for _, x, _ in corners]
    ys = [y for corners in field.corners.values() for _, _, y in corners]
    wide, tall = max(max(xs) - min(xs), 1), max(max(ys) - min(ys), 1)
    columns = 1 if wide > 4 * tall or narrow else 2 if wide > 1.5 * tall else 3
    rows = math.ceil(PANELS / columns)
    panel = min(max((width / columns - 0.5) * tall / wide, 0.34), 2.4)
    fig, panels = style.figure(width, 0.55 + (panel + 0.36) * rows, rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (a, b, now) in zip(panels.flatten(), moments(field, begin, end)):
        axes.set_title('%.0f to %.0f s' % (a, b), fontweight='normal', pad=3)
        places = {host: field.at(host, now) for host in field.corners}
        broken = {tuple(sorted((host, field.name[to]))) for time, host, to in field.broken if a <= time < b and field.name.get(to) in places}
        for one, other in sorted(broken):
            axes.plot(*zip(places[one], places[other]), color=colour('c5'), linewidth=1.1, linestyle=(0, (2, 1.6)), zorder=3.5)
        way = [places[host] for host in field.way(now)]
        axes.plot(*zip(*way), color=colour('c0'), linewidth=2.8, solid_capstyle='round', zorder=3)
        axes.plot(*zip(*places.values()), linestyle='', marker='o', color=colour('muted'), markersize=3.6, zorder=4)
        for host, mark in ((field.source, 's'), (field.sink, '^')):
            axes.plot(*places[host], marker=mark, color=colour('c1'), markersize=6.5, zorder=5)
        axes.margins(0.06, 0.12)
        axes.locator_params(nbins=5 if not narrow else 4)
        if wide > 8 * tall:
            axes.set_yticks([])
        axes.set_aspect('equal' if panel > 0.4 else 'auto')
    for axes in panels[-1]:
        axes.set_xlabel('m')
    line = lambda role, **more: Line2D([], [], color=colour(role), **more) # noqa: E731
    fig.legend([line('c1', marker='s', linestyle='', markersize=6), line('c1', marker='^', linestyle='', markersize=6),
                line('c0', linewidth=2.8), line('c5', linewidth=1.1, linestyle=(0, (2, 1.6)))],
               ['sender', 'receiver', 'way', 'link broken'], loc='upper left', ncol=2 if narrow else 4, borderaxespad=0.4)
    height = fig.get_size_inches()[1]
    fig.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.42 if narrow else 0.26) / height))
    return fig


def window(connection, field, width):
    """cwnd over time; below it the sender's ways: how many hops, where it has none, and the links that broke."""
    narrow = width < 5
    fig, (axes, low) = style.figure(width, 3.4, 2, 1, sharex=True, gridspec_kw={'height_ratios': [3, 1.3]})
    column = max(connection.last - connection.first, 1e-9) / (110 * width)
    import journal
    xs, ys = journal.staircase([(row[0], row[1] / 1e3) for row in connection.metrics], column)
    axes.step(xs, ys, where='post', color=colour('c0'), linewidth=1.2)
    changes = [c for c in field.changes() if c[0] <= connection.last]
    known = [(t, hops) for t, hops in changes if hops is not None]
    for time in sorted({round(t / column) * column for t, _ in known if t >= connection.first}):
        axes.axvline(time, color=colour('c2'), linewidth=0.6, linestyle=(0, (4, 2)), zorder=1)
    axes.set_ylabel('cwnd (KB)')
    axes.set_ylim(bottom=0)
    steps = [(t, float('nan') if hops is None else hops) for t, hops in changes] + [(connection.last, changes[-1][1] or float('nan'))] if changes else []
    if steps:
        low.step(*zip(*steps), where='post', color=colour('c2'), linewidth=1.6)
    lost = sorted({round(t / column) * column for t, _, _ in field.broken if connection.first <= t <= connection.last})
    low.plot(lost, [0] * len(lost), linestyle='', marker='x', markersize=4, markeredgewidth=0.9, color=colour('c5'), clip_on=False)
    low.set_ylabel('hops')
    low.set_ylim(0, max([hops for _, hops in known] + [1]) + 0.6)
    most = max([hops for _, hops in known] + [1])
    low.yaxis.set_major_locator(FixedLocator(range(0, 40, 1 if most < 4 else 2 if most < 12 else 5)))
    low.set_xlabel('time (s)')
    low.set_xlim(connection.first, connection.last)
    line = lambda role, **more: Line2D([], [], color=colour(role), **more) # noqa: E731
    style.legend(fig, axes, 2 if narrow else 4, [
        line('c0'), line('c2', linestyle=(0, (4, 2)), linewidth=0.8), line('c2', linewidth=1.6), line('c5', marker='x', linestyle='')],
                 ['cwnd', 'a new way', 'hops of the way', 'link broken'])
    return fig


# ---- a record with an air ----

def parts(station):
    """Shares of a station's time that add up to one: what it sends by kind, what it hears of others, collisions, the rest."""
    others = max(station['air_others'] - station.get('air_collided', 0), 0)
    sent = station['air_data'] + station['air_routing'] + station['air_control']
    known = {**station, 'air_collided': station.get('air_collided', 0), 'others': others}
    known['idle'] = max(1 - sent - others - known['air_collided'], 0)
    whole = sum(known[key] for key, _, _, _ in SHARES) # it may hear others while it sends
    return [known[key] / whole for key, _, _, _ in SHARES]


def shares(record, width):
    """A bar for each station: what its time on the air went into."""
    narrow = width < 5
    stations = record['air'][:60]
    fig, axes = style.figure(width, 0.9 + 0.2 * len(stations))
    left = [0.0] * len(stations)
    values = [parts(station) for station in stations]
    for k, (_, label, role, hatch) in enumerate(SHARES):
        row = [100 * value[k] for value in values]
        axes.barh(range(len(stations)), row, 0.78, left=left, color=colour(role), label=label, hatch=hatch, edgecolor=colour('ground'), linewidth=0.4)
        left = [a + b for a, b in zip(left, row)]
    axes.set_yticks(range(len(stations)), [station['station'] for station in stations])
    axes.set_ylim(len(stations) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.grid(False, axis='y')
    axes.set_xlabel('% of the time')
    style.legend(fig, axes, 2 if narrow else 6)
    return fig


# ---- the numbers behind them ----

def map_values(field):
    rows = [(time, 'corner', host, x, y, None) for host, corners in field.corners.items() for time, x, y in corners]
    rows += [(time, 'link broken', host, *field.at(host, time), field.name.get(to)) for time, host, to in field.broken if host in field.corners]
    return ('time_s', 'what', 'station', 'x_m', 'y_m', 'next_hop'), sorted(rows, key=lambda row: row[:3])


def window_values(connection, field):
    rows = [(row[0], 'cwnd_kB', row[1] / 1e3) for row in connection.metrics]
    rows += [(time, 'hops', hops) for time, hops in field.changes()] + [(time, 'link broken', None) for time, _, _ in field.broken]
    return ('time_s', 'series', 'value'), sorted(rows, key=lambda row: row[0])


def share_values(record):
    return ('station', 'kind', 'share_percent'), [(station['station'], label, 100 * value) for station in record['air']
                                                  for (_, label, _, _), value in zip(SHARES, parts(station))]


# ---- on the page ----

def has_hops(table):
    return table.axis == 'hops' and all(point['label'].isdigit() for point in table.points)


def hops_figure(page, table, name, metric, interval):
    page.figure(name + '-hops', lambda width: over_hops(table, width), table.title, '%s over hops. %s' % (metric, interval.replace(
        'the published value is suspect', 'the published values of this protocol are suspect')), values.cells(table))


def journal_figures(page, entry, c, stem):
    """Of a journal of stations."""
    field = Field(entry['path'], entry['host'], entry['conn'], entry['iss'])
    if not field or field.sink not in field.corners or field.source not in field.corners:
        return
    page.figure(stem + '-map', lambda width: stations_map(field, c.first, c.last, width), 'map of the stations over time',
                'Where the stations are in the middle of each stretch of time, or at the nearest moment with a whole way; the way is the one '
                'that the tables of its stations say then. Dashed: links that broke in the stretch, between the places of their stations.', map_values(field))
    page.figure(stem + '-ways', lambda width: window(c, field, width), 'window and ways over time',
                'The window of the sender. A dashed line: its way was written anew. Below: the hops of its way, a gap where it has none; '
                'crosses: broken links, anywhere.', window_values(c, field))


def record_figures(page, records):
    for at, record in enumerate(records):
        if record.get('air'):
            page.figure('air-%d' % (at + 1), lambda width, record=record: shares(record, width), 'what stations do with their time',
                        'What the time of each station goes into: sending of data, of routing messages, of RTS, CTS and ACK; others it hears; '
                        'frames that ran into each other where it is; nothing.%s' % (' The first sixty stations.' if len(record['air']) > 60 else ''), share_values(record))
