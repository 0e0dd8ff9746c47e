# SPDX-License-Identifier: BSD-2-Clause
"""The first page: one sentence of headline, then who leads where, by how much, and how sure that is."""
import claims
import markup
from markup import anchor, e, number, pill, sentence, short, strip

MOST_ROWS = 24 # more rows than this are told table by table
SURE = {'decided': 'decided', 'within chance': 'within chance', 'level': 'level', 'alone': 'no other'}
WORDS = {'more': ('highest', 'leads'), 'less': ('lowest', 'leads'), 'unknown': ('highest', 'has most')}


def many(count, word):
    return '%d %s%s' % (count, word, '' if count == 1 else 's')


def listed(words):
    return words[0] if len(words) == 1 else ', '.join(words[:-1]) + ' and ' + words[-1]


def judged(table):
    """Rows in which there is somebody to be compared with."""
    return [row for row in table.leaders if row['second'] is not None]


def wins(rows):
    """{protocol: (rows it leads, of these decided)}, most rows first. A level row is nobody's."""
    count = {}
    for row in rows:
        if row['leads'] != 'level':
            led, sure = count.get(row['best'], (0, 0))
            count[row['best']] = (led + 1, sure + (row['leads'] == 'decided'))
    return dict(sorted(count.items(), key=lambda item: (-item[1][1], -item[1][0], item[0])))


def margin(ratio, less):
    """How far the leader is from the next, of the next one's mean."""
    return '–' if ratio is None else '%+.1f %%' % (100 * (ratio - 1)) if abs(ratio - 1) < 1 else '× %.2f' % ratio


def span(row):
    if row['ratio_low'] is None:
        return ''
    if abs(row['ratio'] - 1) < 1:
        return '%+.1f to %+.1f' % (100 * (row['ratio_low'] - 1), 100 * (row['ratio_high'] - 1))
    return '%.2f to %.2f' % (row['ratio_low'], row['ratio_high'])


def widest(rows):
    sure = [row for row in rows if row['leads'] == 'decided' and row['ratio']]
    return max(sure, key=lambda row: max(row['ratio'], 1 / row['ratio']), default=None)


def said(table):
    """One sentence on a table: who leads how many rows, and how many of these leads are beyond chance."""
    rows, extreme = judged(table), WORDS[table.better][0]
    count = wins(rows)
    level = sum(row['leads'] == 'level' for row in rows)
    if not count:
        return '%s is level in %s.' % (sentence(table.metric['name']), many(len(rows), 'row'))
    alone = len(count) == 1 and not level
    who = table.label(next(iter(count))) if alone else listed(['%s in %d' % (table.label(name), led) for name, (led, _) in count.items()])
    sure = sum(n for _, n in count.values())
    return '%s is %s with %s %s %s; %s%s.' % (
        sentence(table.metric['name']), extreme, who, 'in all' if alone and len(rows) > 1 else 'in' if alone else 'of', many(len(rows), 'row'),
        'all of these leads are beyond chance' if sure == sum(led for led, _ in count.values()) else
        'none of these leads is beyond chance' if not sure else '%d of these leads %s beyond chance' % (sure, 'is' if sure == 1 else 'are'),
        ', and %s %s level' % (many(level, 'row'), 'is' if level == 1 else 'are') if level else '')


def far(table):
    row = widest(judged(table))
    if not row:
        return ''
    return ' The widest decided lead: %s at %s, %s against %s.' % (
        table.label(row['best']), row['point'] or table.id, margin(row['ratio'], table.better == 'less'), table.label(row['second']))


def beside(table):
    """Of a published table: how its cells compare."""
    if not table.printed():
        return ''
    count = table.verdicts()
    judged_cells = sum(n for v, n in count.items() if v != 'n/a')
    return ' Verdicts on the %s beside the paper: %s.' % (many(judged_cells, 'cell'), ', '.join(['%d %s' % (count[v], v) for v in markup.STRIP if v in count and v != 'n/a']))


def row_cells(table, row):
    who = '<td class="lead">%s</td><td class="n">%s</td>' % (e(table.label(row['best'])), number(row['best_mean'], 1 if row['best_mean'] >= 10 else 2))
    if row['second'] is None:
        return who + '<td class="n">–</td><td></td><td>%s</td>' % sure('alone')
    return who + '<td class="n">%s <span class="half">%s</span></td><td>%s</td><td>%s</td>' % (
        e(margin(row['ratio'], table.better == 'less')), e(span(row)), e(table.label(row['second'])), sure(row['leads']))


def sure(leads):
    return '<span class="v s-%s">%s</span>' % (leads.replace(' ', '-'), e(SURE[leads]))


def by_row(table):
    metric = '%s, %s' % (table.metric['name'], table.metric['unit'])
    body = ''.join('<tr><th scope="row">%s</th>%s</tr>' % (e(row['point'] or table.id), row_cells(table, row)) for row in table.leaders)
    return ('<table class="leaders"><caption><b>Who leads where%s.</b> Margin: leader over the next one on the same seeds, with the 95 %% bootstrap '
            'interval in the same unit.</caption><thead><tr><th scope="col">%s</th><th scope="col">%s</th><th scope="col" class="n">%s</th>'
            '<th scope="col" class="n">margin</th><th scope="col">over</th><th scope="col">confidence</th></tr></thead><tbody>%s</tbody></table>' % (
                e('' if table.better != 'less' else ' (less is better)'), e(table.axis), e(WORDS[table.better][1]), e(metric), body))


def by_table(tables, every):
    rows = []
    for table in tables:
        judged_rows, far_row = judged(table), widest(judged(table))
        count = wins(judged_rows)
        who = ', '.join('%s %d (%d)' % (e(table.label(name)), led, sure_) for name, (led, sure_) in count.items()) or 'level'
        wide = '–' if not far_row else '%s at %s, %s' % (e(table.label(far_row['best'])), e(far_row['point']), e(margin(far_row['ratio'], False)))
        rows.append('<tr><th scope="row"><a href="#%s">%s</a></th><td>%s</td><td>%s</td><td>%s</td></tr>' % (
            anchor(table, every.index(table)), e(short(table)), e(table.metric['name']), who, wide))
    return ('<table class="leaders"><caption><b>Who leads where.</b> Of each protocol the rows in which its mean is best, in brackets those beyond '
            'chance.</caption><thead><tr><th scope="col">table</th><th scope="col">metric</th><th scope="col">rows led (decided)</th>'
            '<th scope="col">widest decided lead</th></tr></thead><tbody>%s</tbody></table>' % ''.join(rows))


def verdict_card(table, at):
    """One table beside its paper: how many cells have which verdict."""
    count = table.verdicts()
    pills = ''.join('<span class="v %s">%d %s</span>' % (v.replace('/', ''), count[v], v.replace('n/a', 'not printed')) for v in markup.STRIP if v in count)
    where = '' if table.backend == 'sim' else '<br>on ' + e(table.backend)
    return '<li><a href="#%s">%s</a><p>%s%s</p>%s%s</li>' % (
        anchor(table, at), e(short(table)), e(table.title), where, strip([(markup.STRIP[v], count[v]) for v in markup.STRIP if v in count]), pills)


NOTE = ('Decided: the leader’s paired differences from every other protocol of its row are beyond chance, at 5 % for all pairs of all '
        'rows of the table together (Holm). Within chance: other seeds may turn the order round; more repeats decide it. Level: the '
        'difference is shown to lie within 2 %.')


def add(page, every, cards):
    """every: the tables of the page; cards: claims of the papers that they judge."""
    led = [table for table in every if judged(table)]
    if not every:
        return
    lines = [claims.headline(card) for card in cards]
    if len(every) == 1 and led:
        lines.append('<p class="headline"><b>%s</b>%s%s</p>' % tuple(e(part) for part in (said(every[0]), far(every[0]), beside(every[0]))))
    elif not cards and led:
        lines += ['<p class="headline"><b>%s: %s</b>%s</p>' % (e(short(table)), e(said(table)), e(beside(table))) for table in led[:4]]
    page.add('<section class="front">' + ''.join(lines))
    if led and (len(every) > 1 and sum(len(table.leaders) for table in led) > MOST_ROWS):
        page.add(by_table(led, every))
    else:
        for table in led:
            page.add(('<h3>%s</h3>' % e(short(table)) if len(led) > 1 else '') + by_row(table))
    if led:
        page.add('<p class="sub">%s</p>' % e(NOTE))
    if any(table.printed() for table in every):
        page.add('<ul class="cards">%s</ul>' % ''.join(verdict_card(t, i) for i, t in enumerate(every) if t.printed()))
    page.add('</section>')
