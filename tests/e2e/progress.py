#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The progress bar of a sweep as a person sees it, in a pseudo-terminal."""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

from e2e import Home, check, equal, finish, test

HOME = Home()
SWEEP = """[sweep]
name = long
repeats = {repeats}
[axes]
loss = 1% 20%
[run]
link = rate 10Mbit burst 0B limit 64KB delay 15ms loss {{loss}}
size = 100KB
sender = reno
"""
TOTAL = 300000 # more than any machine does while we look
DRAW = "\r\x1b[K" # back to the first column, and clear the line


def watch(columns, until, environment=None, words=(), repeats=TOTAL // 2):
    """Runs a long sweep in a terminal until the text matches; (text until then, text after SIGTERM, exit code)."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with open(HOME.path("long.ini"), "w", encoding="utf-8") as file:
        file.write(SWEEP.format(repeats=repeats))
    process = subprocess.Popen([HOME.program, "sweep", "run", "long.ini", "-o", f"out{time.monotonic_ns()}", "--jobs", "1", *words], cwd=HOME.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                               env={**HOME.environment, "TERM": "xterm", **(environment or {})})
    os.close(slave)
    text, limit = b"", time.monotonic() + 40

    def read():
        nonlocal text
        if select.select([master], [], [], 0.1)[0]:
            try:
                data = os.read(master, 65536)
            except OSError: # the last process has closed it
                return False
            text += data
        return True

    while not re.search(until, text.decode(errors="replace")) and time.monotonic() < limit and process.poll() is None:
        read()
    before = text.decode()
    process.send_signal(signal.SIGTERM)
    while read():
        pass
    os.close(master)
    return before, text.decode()[len(before):], process.wait()


def drawn(text):
    return [part.split("\n")[0] for part in text.split(DRAW)[1:]]


@test("the bar shows how much is done, the time that is left and the worst interval with its point, and is gone when the sweep ends")
def whole():
    before, after, code = watch(200, "(?s)worst interval.*worst interval")
    equal(code, 128 + signal.SIGTERM, "exit code")
    lines = [line for line in drawn(before) if "worst interval" in line]
    check(lines, before)
    for line in lines[:-1]:
        found = re.fullmatch(r"long  ([█░]{24}) +(\d+)%%  (\d+)/%d  eta (\d+:)?(\d\d):(\d\d)  worst interval ±[\d.]+ %% at loss=(1|20)%%" % TOTAL, line)
        check(found, f"not a progress bar: {line!r}")
        equal(found[1].count("█"), int(found[3]) * 24 // TOTAL, "length of the bar")
        equal(int(found[2]), int(found[3]) * 100 // TOTAL, "percent")
    check(after.rpartition(DRAW)[2].startswith("out"), f"the line was not cleared before the last words: {after!r}")


@test("a bar that does not fit is cut at the edge of the terminal instead of going on in the next line")
def narrow():
    before, _, _ = watch(60, "eta .*…")
    for line in drawn(before):
        check(len(line) <= 59, f"{len(line)} columns of 60: {line!r}")
    check(any(line.endswith("…") and "eta" in line for line in drawn(before)), before)


@test("a terminal that cannot draw gets a line now and then, with the same facts")
def dumb():
    before, after, _ = watch(200, "eta", {"TERM": "dumb"})
    check("\x1b" not in before + after and "█" not in before, before)
    check(re.search(r"long: \d+ of \d+ \(\d+%\), eta \d+:\d\d", before), before)


@test("--quiet draws nothing")
def quiet():
    equal(watch(200, "no such words", words=["--quiet"], repeats=500), ("", "", 0), "messages and exit code")


finish()
