# SPDX-License-Identifier: BSD-2-Clause
"""The claims of the papers, judged by the results of a report; and what was fitted to a table, what is prediction."""
import shlex

from markup import e, named, sentence, strip

JUDGED = [('holds', 'every comparison is decided for it: the 95 % interval of the paired differences lies on its side of 0'),
          ('fails', 'at least one comparison is decided against it, at 5 % for all comparisons of the claim together (Holm)'),
          ('holds in part', 'some comparisons are for it, others are level, or are not judged here; none is against it'),
          ('cannot be decided', 'none is decided against it, but some lie within chance'),
          ('not judgeable', 'nothing that could be measured would contradict it'),
          ('not yet', 'no results here to judge it by')]
CARD = {'holds': 'c2', 'holds in part': 'near', 'cannot be decided': 'c4', 'fails': 'c1', 'not judgeable': 'c3', 'not yet': 'rule'}


def claim_rows(claims):
    rows = []
    for claim in claims:
        more = ''
        if claim['rests']:
            more = '<p class="faults">%s.</p>' % e(sentence(claim['rests']))
        if claim['verdict'] != 'not yet' and claim['known_faults'] != '-':
            more += '<p class="faults">In print: %s.</p>' % e(claim['known_faults'])
        rows.append('<tr><th scope="row">%s</th><td><b>%s.</b> %s</td><td>%s</td><td>%s%s</td></tr>' % (
            e(claim['id']), e(claim['object']), e(claim['claim']), judged(claim['verdict']), e(sentence(claim['reason'])),
            more))
    return ''.join(rows)


def judged(verdict, count=None):
    return '<span class="v j-%s">%s%s</span>' % (verdict.replace(' ', '-'), '' if count is None else '%d ' % count, e(verdict))


def tally(claims):
    """Of distinct claims: a figure that plots a table's numbers is not counted beside it."""
    claims = [c for c in claims if not c['repeats']]
    return [(v, sum(c['verdict'] == v for c in claims)) for v in CARD if any(c['verdict'] == v for c in claims)]


def claims_table(claims, caption):
    return ('<table class="claims"><caption>%s</caption><thead><tr><th scope="col">claim</th><th scope="col">what is claimed</th>'
            '<th scope="col">verdict</th><th scope="col">because</th></tr></thead><tbody>%s</tbody></table>' % (caption, claim_rows(claims)))


def headline(card):
    """One sentence: the distinct claims that these results judge, and which stack explains more."""
    counts = [(v, n) for v, n in tally(card['claims']) if v != 'not yet']
    said = 'Of %d distinct claims judged, %s.' % (sum(n for _, n in counts), ', '.join('%d %s' % (n, v) for v, n in counts))
    more = card.get('explanation', {}).get('headline')
    return '<p class="headline"><b>%s</b>%s</p>' % (e(said), ' ' + e(sentence(more)) + '.' if more else '')


def explained(explanation):
    """Ours over printed, table by table: one column for each stack, and for each rule left out the sum."""
    ways = explanation['ways']
    stacks = [w for w in ways if not w['change'].startswith('without-')]
    if len(stacks) < 2:
        return ''
    def text(way, name):
        cell = next((t for t in way['tables'] if t['table'] == name), None)
        return '<td class="n">%s</td>' % ('–' if cell is None else '%.2f (%.2f to %.2f)' % (cell['rms'], cell['low'], cell['high']))
    names = [t['table'] for t in ways[0]['tables']]
    return ('<table class="results calibration"><caption><b>How far ours are from the printed numbers under each stack</b>: root mean square '
            'of the natural logarithm of the ratio, with its 95 %% interval.</caption><thead><tr><th scope="col">table</th>%s</tr></thead>'
            '<tbody>%s</tbody></table>' % (
                ''.join('<th scope="col" class="n">%s</th>' % e(w['change'].replace('under-', '') or 'bsd90') for w in stacks),
                ''.join('<tr%s><th scope="row">%s</th>%s</tr>' % (' class="sum"' if n == 'together' else '', e(n if n == 'together' else named(n)),
                                                               ''.join(text(w, n) for w in stacks)) for n in names)))


def scorecard(page, card, at):
    claims = card['claims']
    counts = tally(claims)
    page.add('<section><h2 id="claims-%d">%s claims of the papers, judged by these results</h2>%s<p class="pills">%s</p>' % (
        at, {100: 'A hundred'}.get(len(claims), len(claims)), strip([(CARD[v], n) for v, n in counts]),
        ' '.join(judged(v, n) for v, n in counts)))
    papers = list(dict.fromkeys(claim['paper'] for claim in claims))
    papers.sort(key=lambda number: all(c['verdict'] == 'not yet' for c in claims if c['paper'] == number)) # those with verdicts first
    for number in papers:
        mine = [claim for claim in claims if claim['paper'] == number]
        caption = '<b>Paper %s: %s.</b> ' % (e(number), e(mine[0]['title']))
        if all(claim['verdict'] == 'not yet' for claim in mine):
            page.add('<details><summary>Paper %s: %d claims not yet judged</summary>%s</details>' % (e(number), len(mine), claims_table(mine, caption)))
        else:
            page.add(claims_table(mine, caption + ', '.join('%d %s' % (n, v) for v, n in tally(mine)) + '.'))
    page.add('<dl class="key">%s</dl><pre>%s</pre></section>' % (
        ''.join('<dt>%s</dt><dd>%s</dd>' % (judged(v), e(text)) for v, text in JUDGED if v in dict(counts)),
        e(shlex.join(['wavetank', 'paper', 'score', '--results', card['folder']]))))


def misfit(side):
    if not side['cells']:
        return '<td class="n">–</td><td class="n"></td>'
    return '<td class="n">%d of %d</td><td class="n">× %.2f</td>' % (side['near'], side['cells'], side['factor'])


def calibration_section(page, measured, folder, at):
    """What each family of tables was fitted to, and how far off it is there and elsewhere."""
    rows = []
    for family in measured['families']:
        tables_here = [t for t in family['tables'] if t['fitted']['cells'] or t['predicted']['cells']]
        if not tables_here:
            continue
        rows.append('<tbody><tr><th scope="rowgroup" colspan="5">%s<p class="faults">%s. Fitted to %s: %s.</p></th></tr>%s'
                    '<tr class="sum"><th scope="row">together</th>%s%s</tr></tbody>' % (
                        e(sentence(family['family'])), e(sentence(family['settings'])), e(family['fitted_to']), e(family['because']), ''.join(
                            '<tr><th scope="row">%s</th>%s%s</tr>' % (e(named(t['table'])), misfit(t['fitted']), misfit(t['predicted']))
                            for t in tables_here), misfit(family['fitted']), misfit(family['predicted'])))
    page.add('<section><h2 id="calibration-%d">What was fitted, and what is prediction</h2><p>For all tables: %s; %s.</p>'
             '<table class="results calibration"><caption><b>Cells near the printed ones</b> (the printed run lies in the 95 %% interval of one run of ours, or '
             'it is within 10 %%), and how far ours are off as a factor (geometric mean).</caption><thead><tr><th scope="col">table</th>'
             '<th scope="col" class="n" colspan="2">fitted to</th><th scope="col" class="n" colspan="2">predicted</th></tr></thead>%s</table>'
             '<pre>%s</pre></section>' % (at, e(measured['settings']), e(measured['because']), ''.join(rows),
                                          e(shlex.join(['wavetank', 'paper', 'calibration', '--results', folder]))))
