# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium over its debugging pipe: pages from disk at a width, light or dark, what went wrong on them, pictures."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WORDS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--disable-extensions', '--disable-dev-shm-usage', '--hide-scrollbars',
         '--remote-debugging-pipe']
LIMIT = 60

# Questions to a page: each answers with a list of what is wrong.

# Everything that sticks out of the viewport to the right; figures are their SVG.
WIDE = """(() => {
  const limit = document.documentElement.clientWidth + 0.5, out = [];
  for (const e of document.querySelectorAll('table, figure, svg, pre, h1, h2, h3, p, dl, li, text')) {
    const r = e.getBoundingClientRect();
    if (r.width && r.right > limit) out.push(e.tagName + ' ' + Math.round(r.right) + ': ' + e.textContent.trim().slice(0, 40));
  }
  if (document.documentElement.scrollWidth > limit) out.push('page: ' + document.documentElement.scrollWidth);
  return out;
})()"""

# Text whose contrast with the ground (or its own background) is below 4.5 to 1 (WCAG 2.1, 1.4.3).
PALE = """(() => {
  const number = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = number(c).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
                        if (number(c)[3] !== 0) return c; } return 'rgb(255,255,255)'; };
  const out = [];
  for (const e of document.querySelectorAll('p, td, th, a, caption, figcaption, dt, dd, li, h1, h2, summary, code, .v, svg text')) {
    if (!e.getClientRects().length || !e.textContent.trim()) continue;
    const style = getComputedStyle(e), a = light(e.tagName === 'text' ? style.fill : style.color), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) out.push(ratio.toFixed(2) + ' ' + e.tagName + ': ' + e.textContent.trim().slice(0, 40));
  }
  return out;
})()"""

# Texts of one figure that lie over each other.
CROWDED = """(() => {
  const out = [];
  for (const svg of document.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]).filter(t => t[1].width);
    for (let i = 0; i < texts.length; i++) for (let j = 0; j < i; j++) {
      const a = texts[i][1], b = texts[j][1];
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 2 && h > 4) out.push(texts[i][0].textContent + ' over ' + texts[j][0].textContent);
    }
  }
  return out;
})()"""


def program():
    return shutil.which('chromium')


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='wavetank-browser-')
        ours, theirs = os.pipe(), os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (ours[0], theirs[1])
        self.process = subprocess.Popen(['sh', '-c', command, 'sh', program(), *WORDS, '--user-data-dir=' + self.folder, 'about:blank'],
                                        pass_fds=(ours[0], theirs[1]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        env={'PATH': os.environ['PATH'], 'HOME': self.folder, 'LC_ALL': 'C.UTF-8'})
        os.close(ours[0])
        os.close(theirs[1])
        self.write, self.read = ours[1], theirs[0]
        self.buffer, self.number, self.events = b'', 0, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = None
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')

    def _message(self, until):
        while b'\0' not in self.buffer:
            if not select.select([self.read], [], [], max(0, until - time.monotonic()))[0]:
                raise OSError('chromium does not answer')
            got = os.read(self.read, 1 << 20)
            if not got:
                raise OSError('chromium ended')
            self.buffer += got
        text, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if getattr(self, 'session', None):
            message['sessionId'] = self.session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + LIMIT
        while True:
            answer = self._message(until)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise OSError('%s: %s' % (method, answer['error']['message']))
                return answer['result']
            self.events.append(answer)

    def open(self, path, width, dark=False):
        """Loads a file; returns what went wrong: exceptions, messages of the console, requests for anything but the file."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.events.clear()
        url = 'file://' + os.path.abspath(path)
        self.call('Page.navigate', url=url)
        until = time.monotonic() + LIMIT
        while not any(event.get('method') == 'Page.loadEventFired' for event in self.events):
            self.events.append(self._message(until))
        wrong = []
        for event in self.events:
            what, data = event.get('method'), event.get('params', {})
            if what == 'Runtime.exceptionThrown':
                wrong.append('exception: ' + data['exceptionDetails']['text'])
            elif what == 'Log.entryAdded':
                wrong.append('log: ' + data['entry']['text'])
            elif what == 'Runtime.consoleAPICalled':
                wrong.append('console: ' + data['type'])
            elif what == 'Network.requestWillBeSent' and data['request']['url'].split('#')[0] != url:
                wrong.append('asks for ' + data['request']['url'])
        return wrong

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        if 'exceptionDetails' in result:
            raise ValueError(result['exceptionDetails']['exception']['description'])
        return result['result'].get('value')

    def picture(self, path, width, height=None, top=0):
        height = height or self.evaluate('document.documentElement.scrollHeight')
        data = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                         clip={'x': 0, 'y': top, 'width': width, 'height': height, 'scale': 1})['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call('Page.printToPDF', printBackground=False, preferCSSPageSize=False)['data'])

    def close(self):
        try:
            self.session = None
            self.call('Browser.close')
        except OSError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.folder, True)
