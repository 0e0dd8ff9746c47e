# SPDX-License-Identifier: BSD-2-Clause
"""Results as a page needs them: runs.jsonl of one folder, and of a published table its table.jsonl (docs/files.md). Means, intervals and
verdicts are those of the files."""
import csv
import json
import os


class Bad(Exception):
    pass


def tables_of(folder, statistics=None):
    """The tables of a folder: one, or one for each metric with printed numbers."""
    path = os.path.join(folder, 'table.jsonl')
    if not os.path.exists(path):
        return [Table(folder, statistics)]
    with open(path, encoding='utf-8') as file:
        records = [json.loads(line) for line in file]
    begins = [at for at, record in enumerate(records) if record['record'] == 'table'] + [len(records)]
    return [Table(folder, statistics, records[a:b]) for a, b in zip(begins, begins[1:])]


def metric_of(run, path):
    """A number of a result by name, as tools/results/metric.c has it. None: there is none."""
    if '/' in path:
        above, below = (metric_of(run, part) for part in path.split('/'))
        return above / below if above is not None and below else None
    at = run if '.' in path else run.get('metrics')
    words, counts = path.split('.'), False
    while words and isinstance(at, dict):
        name = next(('.'.join(words[:n]) for n in range(1, len(words) + 1) if '.'.join(words[:n]) in at), None)
        if name is None:
            return 0 if counts and len(words) == 1 else None
        at, words, counts = at[name], words[name.count('.') + 1:], name in ('dropped', 'dropped_frames')
    return at if not words and isinstance(at, (int, float)) and not isinstance(at, bool) else None


class Table:
    def __init__(self, folder, statistics=None, printed=None):
        """printed: of a published table its record and its cells."""
        self.folder, self.published = folder, bool(printed)
        self.path = os.path.join(folder, 'runs.jsonl')
        self.plan, self.end, self.cells, self.runs, self.failures, self.facts = None, {}, {}, {}, [], {}
        self.grid = None # of a sweep over two parameters: ((name, words), (name, words))
        with open(self.path, encoding='utf-8', errors='replace') as file:
            for line in file:
                try:
                    self._take(json.loads(line))
                except ValueError:
                    continue # cut off
        self._take_facts(os.path.join(folder, 'facts.jsonl'))
        statistics = statistics or {'cells': []}
        if printed and self.plan:
            if printed[0]['experiment']['metric']['path'] != self.plan['metric']:
                statistics = {'cells': []} # they are of the sweep's metric
            self._as_printed(printed)
        elif statistics.get('sweep') and self.plan and {'metric', 'axes'} <= set(self.plan):
            self._as_table(statistics)
        if not self.plan or 'experiment' not in self.plan:
            raise Bad('%s: not a table or a sweep of this wavetank: run it again' % self.path)
        if not self.cells:
            raise Bad('%s: no cells: the sweep did not come to its end' % self.path)
        experiment = self.plan['experiment']
        self.id, self.backend = self.plan['table'], self.plan['backend']
        self.title, self.source, self.axis = experiment['title'], experiment['source'], experiment['axis'] or 'point'
        self.metric, self.parameters, self.variants = experiment['metric'], experiment['parameters'], experiment['variants']
        ran = {point for point, _ in self.cells}
        self.points = [point for point in experiment['points'] if point['label'] in ran]
        self.statistics = {(cell['point'], cell['variant']): cell for cell in statistics['cells']}
        self.leaders, self.better = statistics.get('leaders', []), statistics.get('better', 'unknown')
        self.baseline, self.draws = statistics.get('baseline') or self.variants[-1]['name'], statistics.get('draws', 0)

    def _as_printed(self, records):
        table, kept = records[0], {}
        metric = table['experiment']['metric']
        for record in records[1:]:
            self.cells[record['point'], record['variant']] = record
        for run in [run for runs in self.runs.values() for run in runs]:
            ok = run['outcome'] == 'ok'
            value = metric_of(run, metric['path'])
            kept.setdefault((run['row'], run['variant']), []).append(
                {**run, 'point': run['row'], 'ok': ok, '%s_%s' % (metric['name'], metric['key']): value})
        self.runs = kept
        self.failures = [run for runs in kept.values() for run in runs if not run['ok']]
        self.plan.update({key: table[key] for key in ('table', 'preset', 'settings', 'experiment')}, commit=None,
                         fwd=table['fwd'] or table['link'] or table['world'], rev=table['rev'] or table['link'] or table['world'])

    def _as_table(self, sweep):
        """A sweep in the form of a table: rows are the words of its axes, protocols its variants; nothing is published."""
        plan, kept, cells, series = self.plan, {}, sweep['cells'], sweep['series']
        name, _, unit = plan['metric'].rpartition('_')
        key = unit if name else 'count'
        name = name or unit
        rows = [axis['name'] for axis in plan['axes'] if axis['name'] != series]
        if len(rows) == 2:
            self.grid = tuple((axis['name'], axis['words']) for axis in plan['axes'] if axis['name'] != series)
        labels = list(dict.fromkeys(cell['point'] for cell in cells))
        variants = list(dict.fromkeys(cell['variant'] for cell in cells))
        for run in [run for runs in self.runs.values() for run in runs]:
            point = ' '.join(word for axis, word in run['axes'].items() if axis != series)
            value = metric_of(run, plan['metric'])
            ok = run['outcome'] == 'ok'
            kept.setdefault((point, run['axes'].get(series, '')), []).append({**run, 'ok': ok, '%s_%s' % (name, key): value})
        self.runs = kept
        self.failures = [{**run, 'point': p, 'variant': v} for (p, v), runs in kept.items() for run in runs if not run['ok']]
        for cell in cells:
            invalid = sum(run['outcome'] == 'invalid' for run in kept.get((cell['point'], cell['variant']), []))
            self.cells[cell['point'], cell['variant']] = {
                '%s_mean_%s' % (name, key): cell['mean'], '%s_half95_%s' % (name, key): cell['half'], 'ratio': None, 'verdict': 'n/a',
                'runs': cell['runs'], 'failed': cell['failed'] - invalid, 'invalid': invalid, 'row_order': 'none', 'row_kendall_tau': None}
        plan.update(table=plan['name'], commit=None, fwd=plan['run'].get('link', plan['run'].get('fwd', '')),
                    rev=plan['run'].get('link', plan['run'].get('rev', '')), preset=plan['run'].get('preset', ''),
                    settings=plan['run'].get('set', ''), experiment={
            'title': 'Sweep %s: %s over %s' % (plan['name'], name, ', '.join(rows) or 'variants'), 'source': '', 'axis': ', '.join(rows),
            'metric': {'name': name, 'unit': {'kBps': 'KB/s'}.get(key, key), 'key': key},
            'parameters': [{'name': k, 'text': str(v)} for k, v in plan['run'].items()],
            'variants': [{'name': v, 'label': v or plan['name'], 'sender': '', 'recovery': '', 'receiver': ''} for v in variants],
            'points': [{'label': label, 'p': '', 'note': '', 'suspect': {}} for label in labels]})

    def _take(self, record):
        kind = record.get('record')
        if kind == 'plan':
            self.plan = record
        elif kind == 'run':
            self.runs.setdefault((record['point'], record.get('variant')), []).append(record)
        elif kind == 'end':
            self.end = record

    def _take_facts(self, path):
        """Of the machine: the last session."""
        if not os.path.exists(path):
            return
        with open(path, encoding='utf-8', errors='replace') as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if record.get('record') == 'start':
                    self.facts = record

    def cell(self, point, variant):
        """mean, half, paper, ratio, verdict, suspect (the reason, or ''), runs, failed, invalid; None: not run."""
        record = self.cells.get((point, variant))
        if not record:
            return None
        name, key = self.metric['name'], self.metric['key']
        why = next((p['suspect'].get(variant, '') for p in self.points if p['label'] == point), '')
        return {'mean': record.get('%s_mean_%s' % (name, key)), 'half': record.get('%s_half95_%s' % (name, key)),
                'paper': record.get('paper_%s_%s' % (name, key)), 'ratio': record.get('ratio'), 'verdict': record['verdict'],
                'suspect': why, 'runs': record['runs'], 'failed': record['failed'], 'invalid': record.get('invalid', 0), 'order': record['row_order'],
                'tau': record['row_kendall_tau']}

    def measured(self):
        """Whether there is anything to draw: some cell has a value."""
        return any(record.get('%s_mean_%s' % (self.metric['name'], self.metric['key'])) is not None for record in self.cells.values())

    def samples(self, point, variant):
        """By repeat; None: failed."""
        value = '%s_%s' % (self.metric['name'], self.metric['key'])
        return [run.get(value) if run['ok'] else None for run in
                sorted(self.runs.get((point, variant), []), key=lambda run: run['repeat'])]

    def over_baseline(self, point, variant):
        """(ratio of the means, low, high) on the same seeds; None: there is no such pair."""
        cell = self.statistics.get((point, variant), {})
        ratio = cell.get('ratio')
        return None if ratio is None else (ratio, *(ratio if cell[key] is None else cell[key] for key in ('ratio_low', 'ratio_high')))

    def label(self, variant):
        return next(v['label'] for v in self.variants if v['name'] == variant)

    def token_traces(self):
        """[(point, {variant: [KB per round trip]})] of the rows whose tokens were written down."""
        out = []
        for point in self.points:
            traces = {}
            for variant in self.variants:
                path = os.path.join(self.folder, 'tokens-%s-%s.csv' % (point['label'].replace(' ', '-'), variant['name']))
                if os.path.exists(path):
                    with open(path, encoding='utf-8', newline='') as file:
                        traces[variant['name']] = [float(row['tokens_kB']) for row in csv.DictReader(file)]
            if traces:
                out.append((point['label'], traces))
        return out

    def printed(self):
        """Does the paper give a number for any cell?"""
        name = 'paper_%s_%s' % (self.metric['name'], self.metric['key'])
        return any(cell.get(name) is not None for cell in self.cells.values())

    def verdicts(self):
        count = {}
        for record in self.cells.values():
            count[record['verdict']] = count.get(record['verdict'], 0) + 1
        return count

    def orders(self):
        count = {}
        for point in self.points:
            order = self.cells[point['label'], self.variants[0]['name']]['row_order']
            count[order] = count.get(order, 0) + 1
        return count


def records(paths):
    """The records of `sim --json`, in the order of the files."""
    out = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if str(record.get('schema', '')).startswith('wavetank.sim.'):
                    out.append(record)
    return out


def words(module):
    """A module as one writes it: real:profile=paper,opt=paper4."""
    if not isinstance(module, dict):
        return str(module or '')
    more = ','.join('%s=%s' % (k, v) for k, v in module.items() if k != 'name')
    return module['name'] + (':' + more if more else '')


def fairness(every):
    """Records of runs with several flows."""
    out = []
    for record in every:
        goodputs = [flow['goodput_kBps'] for flow in record.get('flows', []) if flow.get('goodput_kBps')]
        if len(goodputs) > 1 and record.get('jain') is not None:
            out.append({'label': '%s, seed %d' % (words(record['a']['sender']).split(':')[0], record['seed']),
                        'goodputs': goodputs, 'jain': record['jain']})
    return out
