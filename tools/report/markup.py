# SPDX-License-Identifier: BSD-2-Clause
"""Small pieces of HTML that all sections of a page share."""
import html
import re

STRIP = {'match': 'c2', 'near': 'near', 'rank': 'c0', 'differs': 'c1', 'undecided': 'muted', 'suspect': 'c4', 'failed': 'c5', 'invalid': 'c5', 'n/a': 'muted'}


def e(text):
    return html.escape(str(text))


def number(value, digits):
    return '–' if value is None else '%.*f' % (digits, value)


def pill(verdict):
    verdict = 'not printed' if verdict == 'n/a' else verdict
    return '<span class="v %s">%s</span>' % (e(verdict.split(' ')[0].replace('/', '')), e(verdict))


def named(name):
    """table1: Table 1. Other names stay."""
    found = re.fullmatch(r'(table|figure)(\d+)', name)
    return '%s %s' % (found.group(1).capitalize(), found.group(2)) if found else name


def short(table):
    return named(table.id.split('/')[-1])


def sentence(text):
    return text[:1].upper() + text[1:]


def anchor(table, at):
    return 't%d-%s' % (at, ''.join(c if c.isalnum() else '-' for c in table.id.split('/')[-1]))


def facts(pairs):
    return '<dl>%s</dl>' % ''.join('<dt>%s</dt><dd>%s</dd>' % (e(k), v) for k, v in pairs if v not in (None, ''))


def strip(parts):
    """A bar of shares: (colour, count) each."""
    whole = sum(count for _, count in parts)
    return '<div class="strip" aria-hidden="true">%s</div>' % ''.join(
        '<i style="width:%.2f%%;background:var(--%s)"></i>' % (100 * count / whole, colour) for colour, count in parts)
