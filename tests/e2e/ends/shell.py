# SPDX-License-Identifier: BSD-2-Clause
"""wavetank shell takes back its rules and net.ipv4.ip_forward when it is ended, and the next shell or lab command does after a kill."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from e2e import Home, Skip, check, end, equal, finish, need_labs, test, until  # noqa: E402

HOME = Home()


class Machine:
    """A network namespace that stands for a machine."""

    def __init__(self):
        if os.geteuid() or not shutil.which("nft", path=HOME.environment["PATH"]):
            raise Skip("needs root and nft")
        need_labs(HOME)
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
        until(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a namespace")
        self.shells = []

    def start(self, *words):
        return subprocess.Popen(["nsenter", "-t", str(self.holder.pid), "-n", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=HOME.folder, env=HOME.environment, start_new_session=True)

    def run(self, *words, code=0):
        got, out, err = end(self.start(*words))
        equal(got, code, f"exit code of {' '.join(words)}\n{err}")
        return out

    def changed(self):
        """(tables of ours, forwarding)"""
        tables = [line.split()[-1] for line in self.run("nft", "list", "tables").splitlines() if "wavetank" in line]
        return tables, self.run("cat", "/proc/sys/net/ipv4/ip_forward").strip() == "1"

    def shell(self, *command):
        shell = self.start(HOME.program, "shell", "delay 1ms", "--", *(command or ("sh", "-c", "echo runs; exec sleep 1000")))
        equal(shell.stdout.readline(), "runs\n", "the command")
        self.shells.append(shell)
        return shell

    def close(self):
        for process in (*self.shells, self.holder):
            process.kill()
            process.wait()


@contextlib.contextmanager
def machine():
    one = Machine()
    try:
        yield one
    finally:
        one.close()


@test("SIGTERM, SIGHUP and SIGINT end a shell and its command; no rule is left, and forwarding is as it was")
def _():
    with machine() as m:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            shell = m.shell()
            equal(m.changed(), (["wavetank_wtsh0"], True), "while it runs")
            shell.send_signal(number)
            equal(end(shell)[0], 128 + number, "exit code")
            equal(m.changed(), ([], False), "after it")


@test("a command that ignores them is killed some seconds later")
def _():
    with machine() as m:
        shell = m.shell("sh", "-c", "trap '' TERM HUP; echo runs; while :; do sleep 1; done")
        shell.send_signal(signal.SIGTERM)
        equal(end(shell)[0], 143, "exit code")
        equal(m.changed(), ([], False), "after it")


@test("after SIGKILL the next shell, or lab command, takes back what is left")
def _():
    with machine() as m:
        for words in (("shell", "delay 1ms", "--", "true"), ("lab", "status")):
            shell = m.shell()
            shell.kill()
            end(shell)
            equal(m.changed(), (["wavetank_wtsh0"], True), "what a killed shell leaves")
            until(lambda: "wtsh" not in m.run("ip", "link"), "its emulator ended")
            m.run(HOME.program, *words)
            equal(m.changed(), ([], False), f"after {words[0]}")


@test("of shells side by side the last one switches forwarding off; one that was on before stays on")
def _():
    with machine() as m:
        first, second = m.shell(), m.shell()
        equal(m.changed(), (["wavetank_wtsh0", "wavetank_wtsh1"], True), "two")
        first.terminate()
        equal(end(first)[0], 143, "exit code")
        equal(m.changed(), (["wavetank_wtsh1"], True), "one")
        second.terminate()
        equal(end(second)[0], 143, "exit code")
        equal(m.changed(), ([], False), "none")
        m.run("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        shell = m.shell()
        shell.terminate()
        end(shell)
        equal(m.changed(), ([], True), "forwarding that was on")


finish()
