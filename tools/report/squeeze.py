# SPDX-License-Identifier: BSD-2-Clause
"""Matplotlib's SVG in fewer bytes, looking the same: a page of fifteen tables has seventy drawings.

Coordinates get one digit after the point (a tenth of 1/72 inch) and become relative; lines of one kind (the grid, the ticks)
become one path, equal marks one path or one group; what cannot be seen is left out."""
import re

# Only where places are: text has numbers too, and they are to stay as they are.
_PLACE = re.compile(r'(\b(?:d|x|y|width|height|points|transform)=")([^"]*)"')
_FLOAT = re.compile(r'-?\d+\.\d{2,}')
_TAG = re.compile(r'<(/?)(\w+)([^>]*)>')
_STEP = re.compile(r'([MLHVCQZz])|(-?[\d.]+(?:e-?\d+)?)')
_USE = re.compile(r'<use href="#([^"]+)" x="([-\d.]+)" y="([-\d.]+)" (style="[^"]*")/>')


def _shorter(match):
    text = '%.1f' % float(match.group(0))
    return '0' if text in ('0.0', '-0.0') else text[:-2] if text.endswith('.0') else text


def rounded(text):
    return _PLACE.sub(lambda m: m.group(1) + _FLOAT.sub(_shorter, m.group(2)) + '"', text)


def _tenths(value):
    """12.5, .5, -.5, 3"""
    sign, value = '-' if value < 0 else '', abs(value)
    whole, part = divmod(value, 10)
    return sign + (str(whole) if whole or not part else '') + ('.%d' % part if part else '')


def _pair(x, y):
    second = _tenths(y)
    return _tenths(x) + ('' if second.startswith('-') else ' ') + second


def _lines(data):
    """The subpaths of straight lines, each ([(x, y) in tenths], closed). None: there are curves."""
    out, numbers = [], []
    for letter, number in _STEP.findall(data):
        if number:
            numbers.append(round(float(number) * 10))
            if len(numbers) == 2:
                out[-1][0].append(tuple(numbers))
                numbers = []
        elif letter == 'M':
            out.append([[], False])
        elif letter in 'zZ':
            out[-1][1] = True
        elif letter != 'L':
            return None
    return [(points, closed) for points, closed in out]


def _drawn(points, closed):
    """One subpath in relative steps: level and upright ones have letters of their own, steps of no length are left out."""
    out, letter, (x, y) = ['M' + _pair(*points[0])], 'm', points[0]
    run = 0 # what is open of a level or upright line that goes on
    for to_x, to_y in points[1:]:
        dx, dy = to_x - x, to_y - y
        x, y = to_x, to_y
        if not dx and not dy:
            continue
        kind = 'h' if not dy else 'v' if not dx else 'l'
        step = dx or dy
        if kind == letter and kind != 'l' and (run > 0) == (step > 0):
            run += step
            out[-1] = kind + _tenths(run)
        elif kind == 'l':
            text = _pair(dx, dy)
            out.append(text if letter == 'l' and text.startswith('-') else (' ' if letter == 'l' else 'l') + text)
        else:
            run = step
            out.append(kind + _tenths(step))
        letter = kind
    if len(out) == 1 and not closed:
        out.append('h0') # a point with round or square ends
    return ''.join(out) + ('z' if closed else '')


def _path(match):
    lines = _lines(match.group(1))
    if lines is None:
        return 'd="%s"' % re.sub(r'\s*([A-Za-z])\s*', r'\1', match.group(1)).replace('\n', ' ').strip()
    return 'd="%s"' % ''.join(_drawn(points, closed) for points, closed in lines if points)


def _unwrapped(text):
    """Groups that group nothing (no attribute but a name nobody uses) are left out."""
    used = set(re.findall(r'(?:#)([\w.-]+)', text))
    out, at, kept = [], 0, []
    for tag in _TAG.finditer(text):
        if tag.group(2) != 'g' or tag.group(3).endswith('/'):
            continue
        if tag.group(1):
            drop = not kept.pop()
        else:
            name = re.fullmatch(r' id="([^"]*)"', tag.group(3))
            drop = not tag.group(3) or bool(name and name.group(1) not in used)
            kept.append(not drop)
        if drop:
            out.append(text[at:tag.start()])
            at = tag.end()
    return ''.join(out) + text[at:]


def _grid(text):
    """All lines of the grid as one path, where the first of them was. They end at the axes, so nothing has to be cut off."""
    line = re.compile(r'<path d="([^"]*)" clip-path="[^"]*" (style="fill: none; stroke: var\(--rule\)[^"]*")/>')
    every = line.findall(text)
    if not every or len({style for _, style in every}) > 1:
        return text
    whole = '<path d="%s" %s/>' % (' '.join(data for data, _ in every), every[0][1])
    first = line.search(text).start()
    return text[:first] + whole + line.sub('', text[first:])


def _marks(text):
    """Marks of straight lines (ticks, squares, triangles) are drawn in place, all of a series as one path; round ones are grouped."""
    shapes = {name: (data, style) for name, data, style in re.findall(r'<path id="([^"]+)" d="([^"]*)" (style="[^"]*")/>', text)}

    def placed(name, x, y):
        dx, dy = round(float(x) * 10), round(float(y) * 10)
        return ''.join('M' + 'L'.join('%s %s' % (_tenths(a + dx), _tenths(b + dy)) for a, b in points) + ('z' if closed else '')
                       for points, closed in _lines(shapes[name][0]))

    def run(match):
        uses = _USE.findall(match.group(0))
        out = []
        while uses:
            name, style = uses[0][0], uses[0][3]
            count = next((i for i, use in enumerate(uses) if (use[0], use[3]) != (name, style)), len(uses))
            if name in shapes and _lines(shapes[name][0]) is not None:
                out.append('<path d="%s" %s/>' % (''.join(placed(*use[:3]) for use in uses[:count]), style))
            elif count > 1:
                out.append('<g %s>%s</g>' % (style, ''.join('<use href="#%s" x="%s" y="%s"/>' % use[:3] for use in uses[:count])))
            else:
                out.append('<use href="#%s" x="%s" y="%s" %s/>' % uses[0])
            uses = uses[count:]
        return ''.join(out)

    # ticks stand between their labels: gathered first, all of one kind
    for name in [n for n, (data, _) in shapes.items() if re.fullmatch(r'M0 0(L| )(0 3.5|-3.5 0)', data)]:
        tick = re.compile(r'<use href="#%s" x="[^"]*" y="[^"]*" style="[^"]*"/>' % re.escape(name))
        every = tick.findall(text)
        if every:
            first = tick.search(text).start()
            text = text[:first] + ''.join(every) + tick.sub('', text[first:])
    text = re.sub(_USE.pattern + r'(?:\s*' + re.sub(r'\((?!\?)', '(?:', _USE.pattern) + ')*', run, text)
    used = set(re.findall(r'#([\w.-]+)', text))
    return re.sub(r'<path id="([^"]+)" d="[^"]*" style="[^"]*"/>', lambda m: m.group(0) if m.group(1) in used else '', text)


def _joined(text):
    """Neighbours that are drawn alike and not filled (bars of errors, say) become one path."""
    alike = re.compile(r'<path d="([^"]*)"((?: clip-path="[^"]*")? style="fill: none;[^"]*")/>\s*<path d="([^"]*)"\2/>')
    while True:
        text, count = alike.subn(r'<path d="\1 \3"\2/>', text)
        if not count:
            return text


def squeezed(text):
    text = re.sub(r'>\s+<', '><', _unwrapped(text))
    text = re.sub(r'<path d="[^"]*"(?: clip-path="[^"]*")? style="fill: none"/>', '', text)
    text = _joined(_marks(_grid(text)))
    text = re.sub(r'\bd="([^"]*)"', _path, text)
    return re.sub(r'<defs></defs>', '', text)
