# SPDX-License-Identifier: BSD-2-Clause
"""The table of a bench as bars, in SVG: a panel for each kind, way and figure, a bar for each stack, its spread as a line."""
from xml.sax.saxutils import escape

WIDTH, LEFT, BAR, GAP, HEAD, RIGHT = 760, 230, 16, 6, 30, 150
COLOURS = {"wavetank": "#1f6f8b", "kernel": "#8a8f94", "ns-2": "#b08d57"}


def panels(table, figures):
    """[(title, [(stack, median, least, most)])]"""
    found = {}
    for what, way, stack, values, _ in table:
        for figure, name, more in figures[what]:
            title = f"{what}, {way}: {name} ({'more' if more else 'less'} is better)"
            found.setdefault(title, []).append((stack, *values[figure]))
    return found.items()


def draw(table, figures):
    body, y = [], 10
    for title, bars in panels(table, figures):
        most = max(bar[3] for bar in bars) or 1
        scale = (WIDTH - LEFT - RIGHT) / most
        y += HEAD
        body.append(f'<text x="10" y="{y - 8}" font-weight="bold">{escape(title)}</text>')
        for stack, median, least, top in bars:
            middle = y + BAR / 2
            colour = COLOURS.get(stack.split()[0], "#555")
            body.append(f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{escape(stack)}</text>'
                        f'<rect x="{LEFT}" y="{y}" width="{median * scale:.1f}" height="{BAR}" fill="{colour}"/>'
                        f'<line x1="{LEFT + least * scale:.1f}" x2="{LEFT + top * scale:.1f}" y1="{middle}" y2="{middle}" stroke="#000"/>'
                        f'<text x="{LEFT + top * scale + 6:.1f}" y="{middle + 4}">{median:.4g}</text>')
            y += BAR + GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 10}" viewBox="0 0 {WIDTH} {y + 10}" '
            f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n")
