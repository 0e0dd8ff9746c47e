# SPDX-License-Identifier: BSD-2-Clause
"""Figures of one connection, from a journal (--trace): the time-sequence graph, and the sender's state over time.

A long transfer has tens of thousands of segments. What falls into the same column of the drawing is merged before it is drawn,
so that a figure stays below some hundred kilobytes however long the run was.
"""
import json

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.patches import PathPatch
from matplotlib.ticker import FuncFormatter

import style
from style import colour

RETRANSMIT = 2
UNSET = 1 << 30
# What the engine says of every connection; other numbers are gauges of the congestion module.
METRICS = {'cwnd_bytes', 'ssthresh_bytes', 'in_flight_bytes', 'srtt_ns', 'rttvar_ns', 'rto_ns', 'pacing_rate_Bps', 'snd_una'}


class Connection:
    """What one side of a connection did. Offsets count from its SYN; times are seconds."""

    def __init__(self, path, host, conn, iss, sees_path=True, logs=()):
        self.host, self.conn, self.iss = host, conn, iss
        self.sent, self.again, self.back, self.metrics, self.rtt, self.timeouts, self.losses = [], [], [], [], [], [], []
        self.reductions, self.gauges = [], {}
        drops = []
        self.drops_known = sees_path or bool(logs)
        with open(path, encoding='utf-8', errors='replace') as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue # cut off by the end of a disk or of a process
                name, data, time = event.get('event'), event.get('data'), event.get('time_ns')
                if name is None or time is None:
                    continue
                if name == 'emulation:packet_dropped':
                    drops.append((time / 1e9, data))
                elif event.get('host') == host and event.get('conn') == conn:
                    self._take(name, time / 1e9, data)
        self.end = max([to for _, _, to in self.sent + self.again] or [0])
        self.drops = [(time, offset, data['cause']) for time, data in drops
                      for offset in [self._offset(data.get('packet', {}).get('seq', 0))]
                      if data.get('packet', {}).get('payload_bytes') and 0 < offset <= self.end]
        if not sees_path:
            self.drops = [drop for log in logs for drop in self._joined(log)]
        times = [row[0] for row in self.sent + self.again + self.back + self.metrics]
        self.first, self.last = (min(times), max(times)) if times else (0, 1)

    def _joined(self, log):
        """
        Drops of this connection in the log of a path, which has a clock of its own: a drop is one of a copy that was sent, of the same
        sequence number and length, and stands where that copy was sent. Of several copies it is the one nearest in time, once the clocks
        are laid on each other by the median.
        """
        copies, lost = {}, []
        for time, begin, end in self.sent + self.again:
            copies.setdefault((begin, end - begin), []).append(time)
        with open(log, encoding='utf-8', errors='replace') as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue # cut off
                packet = event.get('data', {}).get('packet', {})
                if event.get('event') == 'emulation:packet_dropped' and packet.get('payload_bytes'):
                    key = (self._offset(packet.get('seq', 0)), packet['payload_bytes'])
                    if key in copies:
                        lost.append((event['time_ns'] / 1e9, key, event['data']['cause']))
        apart = float(np.median([time - min(copies[key]) for time, key, _ in lost])) if lost else 0
        return [(min(copies[key], key=lambda sent, at=time - apart: abs(sent - at)), key[0], cause) for time, key, cause in lost]

    def _offset(self, seq):
        return (seq - self.iss) & 0xffffffff

    def _take(self, name, time, data):
        if name == 'transport:packet_sent':
            if data['len_bytes']:
                offset = self._offset(data['seq'])
                (self.again if data['why'] == RETRANSMIT else self.sent).append((time, offset, offset + data['len_bytes']))
        elif name == 'transport:packet_received':
            if data['flags'] & 16:
                ack = self._offset(data['ack'])
                self.back.append((time, ack, ack + data['window_bytes']))
        elif name == 'recovery:metrics_updated':
            self.metrics.append((time, data['cwnd_bytes'], data['ssthresh_bytes'], data['in_flight_bytes'], data['srtt_ns'] / 1e6,
                                 data.get('pacing_rate_Bps', 0)))
            for key, value in data.items():
                if key not in METRICS:
                    self.gauges.setdefault(key, []).append((time, value))
        elif name == 'recovery:rtt_sampled':
            self.rtt.append((time, data['rtt_ns'] / 1e6))
        elif name == 'recovery:timer_expired':
            self.timeouts.append((time, self._offset(data['snd_una'])))
        elif name == 'recovery:loss_detected':
            self.losses.append(time)
        elif name == 'recovery:congestion_echoed':
            self.reductions.append(time)

    def detail(self):
        """The stretch worth a closer look: where most happens (segments sent again, drops, timeouts) at once."""
        marks = sorted([t for t, _, _ in self.again] + [t for t, _, _ in self.drops] + [t for t, _ in self.timeouts])
        width = min(2.0, (self.last - self.first) / 6)
        if not marks or width <= 0:
            return self.first, self.first + max(width, 1e-3)
        best, score = marks[0], -1
        sent = [t for t, _, _ in self.sent]
        for start in marks[::max(1, len(marks) // 200)]:
            events = np.searchsorted(marks, start + width) - np.searchsorted(marks, start)
            news = np.searchsorted(sent, start + width) - np.searchsorted(sent, start)
            if min(events, 40) * min(news, 150) > score: # losses among new data, not a silence of retransmissions
                best, score = start, min(events, 40) * min(news, 150)
        return best - width * 0.15, best + width * 0.85


def merged(rows, column):
    """(time, low, high) with those in one column of width `column` that touch made one."""
    out = []
    for time, low, high in rows:
        at = round(time / column) * column
        if out and out[-1][0] == at and low <= out[-1][2] and high >= out[-1][1]:
            out[-1][1], out[-1][2] = min(low, out[-1][1]), max(high, out[-1][2])
        else:
            out.append([at, low, high])
    return out


def strokes(axes, rows, role, width, scale):
    """Vertical strokes as one path: small in the file."""
    if not rows:
        return
    points = [(time, y / scale) for time, low, high in rows for y in (low, high)]
    axes.add_patch(PathPatch(Path(points, [Path.MOVETO, Path.LINETO] * len(rows)), facecolor='none', edgecolor=colour(role),
                             linewidth=width, capstyle='butt'))


def staircase(rows, column):
    """Steps through (time, value), at most two per column."""
    xs, ys, last = [], [], None
    for time, value in rows:
        at = round(time / column) * column
        if last == at:
            ys[-1] = value
        else:
            xs.append(at)
            ys.append(value)
            last = at
    return xs, ys


def unit(end):
    return (1e6, 'MB') if end >= 2e6 else (1e3, 'KB')


def sequence(c, width, begin=None, end=None):
    """Segments, those sent again, ACKs, window, drops with their cause."""
    narrow = width < 5
    begin = c.first if begin is None else begin
    end = c.last if end is None else end
    span = max(end - begin, 1e-9)
    column = span / (90 * width)
    inside = lambda rows: [row for row in rows if begin - span * 0.02 <= row[0] <= end + span * 0.02] # noqa: E731
    fig, axes = style.figure(width, 4.4 if not narrow else 4.2)
    back, sent, again, drops = inside(c.back), inside(c.sent), inside(c.again), inside(c.drops)
    before = [row for row in c.back if row[0] < begin - span * 0.02][-1:]
    back = [(begin - span * 0.02, *row[1:]) for row in before] + back # lines come in from the left
    shown = [v for _, low, high in sent + again for v in (low, high)] + [a for _, a, _ in back]
    low, high = (min(shown), max(shown)) if shown else (0, 1)
    room = max(high - low, 1)
    scale, name = unit(high)
    axes.set_xlim(begin, end)
    axes.set_ylim(max(0, low - 0.04 * room) / scale, (high + 0.12 * room) / scale)
    xs, ys = staircase([(t, e) for t, _, e in back], column)
    axes.step(xs, [y / scale for y in ys], where='post', color=colour('c4'), linewidth=0.9)
    xs, ys = staircase([(t, a) for t, a, _ in back], column)
    axes.step(xs, [y / scale for y in ys], where='post', color=colour('c2'), linewidth=1.1)
    thick = 1.1 if len(sent) > 400 else 1.8
    strokes(axes, merged(sent, column), 'c0', thick, scale)
    strokes(axes, merged(again, column), 'c1', thick + 0.5, scale)
    close = len(drops) < 60
    causes = sorted({cause for _, _, cause in drops})
    marks = ['x', '+', '1', '2', '3', '4']
    for i, cause in enumerate(causes):
        seen = {(round(t / column), round(o / room * 300)): (t, o) for t, o, k in drops if k == cause}
        axes.plot([t for t, _ in seen.values()], [o / scale for _, o in seen.values()], linestyle='', marker=marks[i % 6],
                  color=colour('c5'), markersize=5 if close else 3.2, markeredgewidth=1.3 if close else 0.9, zorder=5)
    timeouts = inside(c.timeouts)
    axes.plot([t for t, _ in timeouts], [o / scale - (high - low) / scale * 0.03 for _, o in timeouts], linestyle='', marker='^',
              color=colour('ink'), markersize=4.5, zorder=6)
    axes.set_xlabel('time (s)')
    axes.set_ylabel('sequence offset (%s)' % name)
    line = lambda role, **more: Line2D([], [], color=colour(role), **more) # noqa: E731
    handles = [line('c0', marker='|', linestyle='', markersize=9, markeredgewidth=1.8),
               line('c1', marker='|', linestyle='', markersize=9, markeredgewidth=2.2), line('c2'), line('c4')]
    labels = ['segment', 'sent again', 'ACK', 'window edge']
    for i, cause in enumerate(causes):
        handles.append(line('c5', marker=marks[i % 6], linestyle='', markeredgewidth=1.3))
        labels.append('dropped: ' + cause)
    if timeouts:
        handles.append(line('ink', marker='^', linestyle='', markersize=4.5))
        labels.append('timeout')
    style.legend(fig, axes, 2 if narrow else 6, handles, labels)
    return fig


def panels_of(c):
    """The stacked panels that this connection has data for: (title, unit, [(label, role, rows, step)])."""
    m = c.metrics
    kb = lambda k, cap=None: [(r[0], (r[k] if cap is None or r[k] < cap else float('nan')) / 1e3) for r in m] # noqa: E731
    panels = [('window', 'KB', [('cwnd', 'c0', kb(1), '-'), ('ssthresh', 'c1', kb(2, UNSET), (0, (5, 1.6)))]),
              ('in flight', 'KB', [('in flight', 'c2', kb(3), '-')])]
    if any(r[5] for r in m):
        panels.append(('pacing', 'Mbit/s', [('pacing rate', 'c1', [(r[0], r[5] * 8e-6) for r in m], '-')]))
    for name, rows in c.gauges.items():
        panels.append((name, name, [(name, 'c3', rows, '-')]))
    rtt = [('smoothed RTT', 'c4', [(r[0], r[4]) for r in m if r[4]], '-')]
    if c.rtt:
        rtt.insert(0, ('RTT sample', 'c5', c.rtt, '.'))
    panels.append(('RTT', 'ms', rtt))
    return panels


def state(c, width, begin=None, end=None):
    """cwnd, ssthresh, in flight, pacing, the module's own numbers and RTT on one time axis; timeouts, losses and reductions by ECN as marks."""
    narrow = width < 5
    begin = c.first if begin is None else begin
    end = c.last if end is None else end
    span = max(end - begin, 1e-9)
    column = span / (110 * width)
    panels = panels_of(c)
    fig, axes = style.figure(width, 1.3 * len(panels) + 0.5, len(panels), 1, sharex=True, squeeze=False)
    axes = axes[:, 0]
    for panel, (title, name, series) in zip(axes, panels):
        for label, role, rows, dash in series:
            rows = [row for row in rows if begin - column <= row[0] <= end]
            if not any(value == value for _, value in rows):
                continue # ssthresh before it is first set
            if dash == '.':
                seen = {(round(t / column), round(v, 1)): (t, v) for t, v in rows}
                panel.plot([t for t, _ in seen.values()], [v for _, v in seen.values()], linestyle='', marker='.', markersize=3,
                           color=colour(role), label=label)
            else:
                xs, ys = staircase(rows, column)
                panel.step(xs, ys, where='post', color=colour(role), linestyle=dash, linewidth=1.2, label=label)
        panel.set_ylabel(name)
        panel.set_ylim(bottom=0)
        panel.margins(y=0.12)
        for time, _ in c.timeouts:
            if begin <= time <= end:
                panel.axvline(time, color=colour('muted'), linewidth=0.6, linestyle=(0, (2, 2)))
        for time in c.reductions:
            if begin <= time <= end:
                panel.axvline(time, color=colour('c5'), linewidth=0.6, linestyle=(0, (6, 2, 1, 2)))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda y, _: '%g' % y))
        panel.locator_params(axis='y', nbins=4)
        panel.legend(loc='lower right', bbox_to_anchor=(1.0, 0.96), ncol=2, borderaxespad=0.2)
    marks = ', %d reductions by ECN (dash-dotted)' % len(c.reductions) if c.reductions else ''
    axes[0].set_title('%d timeouts (dotted), %d losses detected%s' % (len(c.timeouts), len(c.losses), marks) if not narrow else '',
                      fontweight='normal', color=colour('muted'))
    axes[-1].set_xlim(begin, end)
    axes[-1].set_xlabel('time (s)')
    return fig
