# SPDX-License-Identifier: BSD-2-Clause
"""Colours and types of all figures, and matplotlib's SVG made fit for a page that is light or dark.

A figure is drawn in the light colours. In its SVG each of them then becomes a CSS variable, which the page (or, in a file of
its own, a style element) sets for light and for dark. So there is one drawing, and no script. The colours are told apart with
the common colour blindnesses, and every series also has a mark and a dash of its own.
"""
import re
import warnings

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import rcParams  # noqa: E402

import place  # noqa: E402
import squeeze  # noqa: E402

# role: light, dark
COLOURS = {
    'ink': ('#1b2026', '#e7eaee'),
    'muted': ('#56606c', '#a9b3be'),
    'rule': ('#d9dee3', '#343b44'),
    'ground': ('#fefefe', '#15191e'),
    'c0': ('#0064ad', '#62b6f2'),
    'c1': ('#bf4e08', '#f2924f'),
    'c2': ('#007d5b', '#3cc79d'),
    'c3': ('#8a469e', '#cd9be0'),
    'c4': ('#7d6400', '#d9ba45'),
    'c5': ('#a32846', '#f28aa0'),
    'band': ('#eef2f6', '#20262d'),
    'near': ('#7dbdab', '#2b7a63'), # a paler c2
}
SERIES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']
MARKS = ['o', 's', '^', 'D', 'v', 'P']
DASHES = ['-', (0, (5, 1.6)), (0, (1.6, 1.4)), (0, (6, 1.6, 1.4, 1.6)), (0, (3, 1)), (0, (1, 1))]

WIDE = 7.6   # inches of 72 points: the width of the page's column
NARROW = 3.7

rcParams.update({
    'svg.fonttype': 'none', 'svg.hashsalt': 'wavetank', 'pdf.fonttype': 42, 'font.family': 'sans-serif',
    'font.sans-serif': ['DejaVu Sans'], 'font.size': 8.5, 'axes.titlesize': 8.5, 'axes.titleweight': 'bold',
    'axes.titlelocation': 'left', 'axes.labelsize': 8.5, 'xtick.labelsize': 8, 'ytick.labelsize': 8, 'legend.fontsize': 8.5,
    'legend.frameon': False, 'legend.handlelength': 2.2, 'legend.columnspacing': 1.4, 'legend.borderpad': 0,
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.linewidth': 0.8, 'axes.grid': True, 'grid.linewidth': 0.6,
    'axes.axisbelow': True, 'lines.linewidth': 1.5, 'lines.markersize': 4.5, 'path.simplify': True,
    'path.simplify_threshold': 0.4, 'figure.dpi': 72, 'savefig.dpi': 72, 'figure.constrained_layout.use': True,
})


def colour(role):
    return COLOURS[role][0]


rcParams.update({
    'text.color': colour('ink'), 'axes.labelcolor': colour('muted'), 'axes.edgecolor': colour('muted'),
    'xtick.color': colour('muted'), 'ytick.color': colour('muted'), 'axes.titlecolor': colour('ink'),
    'grid.color': colour('rule'), 'figure.facecolor': 'none', 'axes.facecolor': 'none', 'savefig.facecolor': 'none',
    'legend.labelcolor': colour('ink'), 'hatch.color': colour('ink'),
})


def figure(width, height, rows=1, columns=1, **options):
    """A figure of its own size in inches and its axes."""
    fig, axes = plt.subplots(rows, columns, figsize=(width, height), **options)
    return fig, axes


def legend(fig, axes, columns, handles=None, labels=None):
    """Above the axes, in one or more rows, over nothing that is drawn."""
    if handles is None:
        handles, labels = axes.get_legend_handles_labels()
    # constrained layout makes room for a legend "outside" only from matplotlib 3.7 on; 3.6 is Debian 12's
    axes.legend(handles, labels, loc='lower left', bbox_to_anchor=(-0.02, 1.01), ncol=columns, borderaxespad=0.3)


def variables(dark):
    return ''.join('--%s:%s;' % (role, pair[dark]) for role, pair in COLOURS.items())


_ROLE = {pair[0]: role for role, pair in COLOURS.items()}
_HEX = re.compile('|'.join(re.escape(light) for light in _ROLE), re.I)


def compact(pages):
    """Styles that many elements of a page share become classes: (pages, sheet)."""
    count = {}
    for svg in pages:
        for text in re.findall(r'<svg.*?</svg>', svg, re.S):
            for sheet in re.findall(r' style="([^"]*)"', text):
                count[sheet] = count.get(sheet, 0) + 1
    names = {sheet: 's%d' % at for at, sheet in enumerate(sorted(s for s in count if count[s] > 2))}
    short = lambda m: ' class="%s"' % names[m.group(1)] if m.group(1) in names else m.group(0) # noqa: E731
    pages = [re.sub(r'<svg.*?</svg>', lambda m: re.sub(r' style="([^"]*)"', short, m.group(0)), page, flags=re.S) for page in pages]
    return pages, ''.join('.%s{%s}' % (name, sheet.replace('; ', ';').replace(': ', ':')) for sheet, name in names.items())


def _page_svg(text, name, title):
    """Inline SVG: colours as variables, one digit after the point, ids of its own, a title for those who do not see it."""
    text = text[text.index('<svg'):]
    text = re.sub(r'<metadata>.*?</metadata>\s*', '', text, flags=re.S)
    text = re.sub(r' (width|height)="[\d.]+pt"', '', text, count=2)
    text = _HEX.sub(lambda m: 'var(--%s)' % _ROLE[m.group(0).lower()], text)
    text = squeeze.rounded(text)
    text = re.sub(r"font: ([^;\"]*?)'DejaVu Sans'[^;\"]*", r'font: \1var(--sans)', text)
    ids = {}
    text = re.sub(r'(\bid="|url\(#|href="#)([\w.-]+)', lambda m: '%s%s-%d' % (m.group(1), name, ids.setdefault(m.group(2), len(ids))),
                  text)
    text = re.sub(r' xmlns:xlink="[^"]*"| version="1.1"| xmlns="[^"]*"', '', text)
    text = text.replace('xlink:href', 'href')
    text = re.sub(r'<!--.*?-->\s*', '', text, flags=re.S)
    text = re.sub(r' transform="rotate\(-0 [^"]*"', '', text)
    text = squeeze.squeezed(text)
    return text.replace('<svg', '<svg role="img" aria-label="%s"' % title.replace('"', "'").replace('&', 'and').replace('<', 'under '), 1)


def _file_svg(inline):
    sheet = ('<style>svg{--sans:sans-serif;background:var(--ground);%s}'
             '@media(prefers-color-scheme:dark){svg{%s}}</style>' % (variables(0), variables(1)))
    head, rest = inline.split('>', 1)
    return ('<?xml version="1.0" encoding="utf-8"?>\n' + head.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"', 1) +
            '>' + sheet + rest)


def render(fig, name, title, path=None):
    """The figure as inline SVG; with `path` (no ending) also as PATH.svg and PATH.pdf. The figure is closed."""
    import io
    out = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        fig.savefig(out, format='svg', metadata={'Date': None})
        inline = _page_svg(out.getvalue(), name, title)
        if path:
            with place.create(path + '.svg') as file:
                file.write(_file_svg(inline))
            with place.create(path + '.pdf', 'wb') as file:
                fig.savefig(file, format='pdf', metadata={'CreationDate': None, 'Title': title})
    plt.close(fig)
    return inline


def save(fig, title, path):
    """One file, by its ending."""
    import io
    import os
    stem, ending = os.path.splitext(path)
    if ending == '.pdf':
        out = io.BytesIO()
        fig.savefig(out, format='pdf', metadata={'CreationDate': None, 'Title': title})
        text = out.getvalue()
    else:
        out = io.StringIO()
        fig.savefig(out, format='svg', metadata={'Date': None})
        text = _file_svg(_page_svg(out.getvalue(), 'wt', title)).encode()
    plt.close(fig)
    place.deaf()
    with place.create(path, 'wb') as file:
        file.write(text)
