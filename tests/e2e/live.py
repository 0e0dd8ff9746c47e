#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""--live: graphs on a terminal that is as it was afterwards, however the command ends; without a terminal one line."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

from e2e import LIMIT, Home, check, end, equal, finish, lab, need_labs, running, test, until, wait_for

HOME = Home()
ENTER, LEAVE, PICTURE = "\033[?1049h", "\033[?1049l", "\033[H"
LINK = ["--link", "rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%"]


class Terminal:
    """A command on a terminal of its own; all that it prints."""

    def __init__(self, *words, size=(24, 80)):
        ours, theirs = pty.openpty()
        self.fd, self.text, self.decoder = ours, "", codecs.getincrementaldecoder("utf-8")("replace")
        self.resize(*size)
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.process = subprocess.Popen([HOME.program, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=HOME.folder,
                                        env={**HOME.environment, "TERM": "xterm"}, start_new_session=True,
                                        preexec_fn=self.settle)

    @staticmethod
    def settle():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)  # nohup and a shell's & hand ignored ones down to all tests

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        while select.select([self.fd], [], [], seconds)[0]:
            self.text += self.decoder.decode(os.read(self.fd, 65536))  # a read may end within a character
            seconds = 0
        return self.text

    def wait(self, *others):
        """Others are read meanwhile: who prints a result waits for the terminal."""
        until(lambda: [one.read() for one in (self, *others)] and self.process.poll() is not None, "the command ended", LIMIT)
        self.read()
        equal(termios.tcgetattr(self.theirs), self.before, "settings of the terminal")
        os.close(self.fd)
        os.close(self.theirs)
        equal(self.text.count(ENTER), self.text.count(LEAVE), "the second screen was left as often as it was entered")
        check(self.text.rfind("\033[?25h") >= self.text.rfind("\033[?25l"), "the cursor is back")
        return self.process.returncode

    def pictures(self):
        return [part.split("\033[J")[0].replace("\033[K", "").replace("\r", "") for part in self.text.split(PICTURE)[1:]]

    def last(self):
        """What stays on the terminal."""
        return self.text.rpartition(LEAVE)[2]


def column(text, name):
    """(most, now) of a row in the last picture."""
    found = re.search(rf"^{name} +max +(\S+) .*\n(?:.*\n)*? +now +(\S+) ", text.replace("\r", ""), re.M)
    check(found, f"no row {name} in\n{text}")
    return found[1], found[2]


@test("sim draws its first flow and all drops by cause; the picture that stays has the numbers of the result")
def _():
    terminal = Terminal("sim", "--live", "-t", "20s", "-C", "reno", *LINK, size=(40, 100))
    equal(terminal.wait(), 0, "exit code")
    plain = terminal.last()
    for name in ("cwnd", "RTT", "goodput", "sent again", "drop loss"):
        column(plain, name)
    check(80 <= float(column(plain, "RTT")[0]) <= 96 or 30 <= float(column(plain, "RTT")[0]) <= 96, plain) # an empty queue is 30 ms, a full one 82
    check("0 to 20.0 s" in plain and "drop loss" in plain, plain)


@test("without a terminal --live is refused with one line, before anything is sent")
def _():
    for words in (["sim", "--live", *LINK], ["send", "--live", "-c", "10.0.0.9", "--port", "tap:none0", "--address", "10.0.0.1/24", "-u"]):
        out, err = HOME.run(*words, code=2)
        check("--live" in err and err.count("\n") == 1 and not out, out + err)


@test("pictures fit the window, also after it was resized, and one that is too small says so")
def _():
    terminal = Terminal("sim", "--live", "-t", "100000s", *LINK)
    for rows, columns in ((24, 80), (50, 120), (8, 50), (3, 20)):
        terminal.resize(rows, columns)
        seen = len(terminal.pictures())
        until(lambda: terminal.read() and len(terminal.pictures()) > seen + 2, "pictures of the new size")
        lines = terminal.pictures()[-2].rstrip("\n").split("\n")
        check(len(lines) <= rows and max(map(len, lines)) <= columns, f"{len(lines)} lines of {max(map(len, lines))} in {rows} x {columns}: {max(lines, key=len)}")
        check(("too small" in lines[0]) == (columns < 40), lines[0])
        check(columns < 40 or len(max(lines, key=len)) > columns - 4, "the width is used")
    os.write(terminal.fd, b"\x03")
    equal(terminal.wait(), 130, "exit code after ^C")


for number in (signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT):
    @test(f"{number.name} leaves the terminal as it was")
    def _(number=number):
        terminal = Terminal("sim", "--live", "-t", "100000s", *LINK)
        until(lambda: ENTER in terminal.read(), "the view is there")
        terminal.process.send_signal(number)
        check(terminal.wait() in (-number, 128 + number), f"exit code {terminal.process.returncode}")


@test("^Z shows the first screen; when it goes on the view is back")
def _():
    terminal = Terminal("sim", "--live", "-t", "100000s", *LINK)
    until(lambda: ENTER in terminal.read(), "the view is there")
    terminal.process.send_signal(signal.SIGTSTP)
    until(lambda: LEAVE in terminal.read() and open(f"/proc/{terminal.process.pid}/stat", encoding="utf-8").read().split()[2] == "T", "stopped")
    terminal.process.send_signal(signal.SIGCONT)
    until(lambda: terminal.read().count(ENTER) == 2, "the view is back")
    terminal.process.terminate()
    equal(terminal.wait(), 143, "exit code")


@test("in a lab send and recv draw, send with the drops of the emulator; a result stands on the first screen, and so does an error")
def _():
    need_labs(HOME)
    with lab(HOME, "live", "--link", "rate 20Mbit burst 0B limit 64KB delay 5ms loss 2%"):
        peer = Terminal("lab", "exec", "live:b", HOME.program, "recv", "-1", "--live")
        until(lambda: "listening" in peer.read(), "recv listens")
        terminal = Terminal("lab", "exec", "live:a", HOME.program, "send", "-c", "b", "-t", "2s", "-P", "2", "--live", size=(50, 100))
        equal((terminal.wait(peer), peer.wait()), (0, 0), "exit codes")
        check(len(terminal.pictures()) > 3, terminal.text)
        check("2 streams" in terminal.last() and "[SUM]" in terminal.last() and "Interval" not in terminal.text, terminal.last())
        column(terminal.last(), "drop loss")
        check("Mbit/s" in peer.last() and "verified" in peer.text, peer.text)
        lost = HOME.start("lab", "exec", "live:b", HOME.program, "recv", "-1")
        wait_for(lost, "listening")
        terminal = Terminal("lab", "exec", "live:a", HOME.program, "send", "-c", "b", "-t", "60s", "--live", "--timeout", "2s")
        equal(terminal.wait(), 124, "exit code of a time-out")
        end(lost)
        terminal = Terminal("lab", "exec", "live:a", HOME.program, "send", "-c", "b.kernel", "--raw", "--live")
        equal(terminal.wait(), 4, "exit code where nobody listens")
        check("wavetank send:" in terminal.last() and not terminal.pictures(), terminal.text)
    check(not running(terminal.process.pid), "nothing runs")


finish()
