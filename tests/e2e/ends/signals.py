# SPDX-License-Identifier: BSD-2-Clause
"""SIGHUP, by which a terminal says that it is gone, ends a command as SIGTERM does: with what was measured so far."""
import json
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from e2e import Home, Skip, check, end, equal, finish, lab, line_of, need_labs, record, running, test, until  # noqa: E402

HOME = Home()
SIM = ("sim", "-t", "1000000s", "--link", "rate 10Mbit burst 0B limit 64KB delay 15ms", "--json", "-i", "1s")
SWEEP = """[sweep]
name = long
repeats = 100000
[run]
link = rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%
size = 100KB
"""
WORLD = """[run]
time = 1000s
[host a]
[host b]
[link]
between = a b
fwd = rate 10Mbit burst 20KB limit 64KB delay 5ms
[flow one]
between = a b
"""


def below(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            own = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return own + [one for child in own for one in below(child)]


def ended(process, number, theirs=()):
    code, out, err = end(process)
    equal(code, 128 + number, f"exit code\n{out[-300:]}{err}")
    until(lambda: not any(map(running, theirs)), "its processes ended")
    return out, err


@test("sim: the record of what was simulated, and exit code 129")
def _():
    process = HOME.start(*SIM)
    check("cwnd" in process.stderr.readline(), "an interval")
    process.send_signal(signal.SIGHUP)
    result = record(ended(process, signal.SIGHUP)[0])
    check(result["flows"][0]["payload_bytes"] > 0, result)


@test("below nohup sim goes on, until SIGTERM")
def _():
    process = HOME.start(*SIM, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    for _ in range(3):
        process.stderr.readline()
        process.send_signal(signal.SIGHUP)
    for _ in range(3000): # more than a pipe holds: these were written after the signals
        check("cwnd" in process.stderr.readline(), "an interval")
    process.send_signal(signal.SIGTERM)
    ended(process, signal.SIGTERM)


@test("sweep run and paper run keep the runs that are done, and their processes end")
def _():
    with open(HOME.path("long.ini"), "w", encoding="ascii") as file:
        file.write(SWEEP)
    for words in (("sweep", "run", "long.ini", "-o", "swept"), ("paper", "run", "tcp-real-2001/table1", "--repeats", "10000", "-o", "papered")):
        process = HOME.start(*words, "--quiet")
        done, runs = (HOME.path(f"{words[-1]}/{name}.jsonl") for name in ("done", "runs"))
        until(lambda: os.path.exists(done) and open(done).read().count("\n") > 3, "runs are done")
        theirs = below(process.pid)
        check(theirs, "no worker")
        os.killpg(process.pid, signal.SIGHUP)
        ended(process, signal.SIGHUP, theirs)
        check(sum(json.loads(line)["record"] == "run" for line in open(runs, encoding="utf-8")) > 3, "runs that were kept")


@test("lab run takes everything down")
def _():
    need_labs(HOME)
    with open(HOME.path("world.conf"), "w", encoding="ascii") as file:
        file.write(WORLD)
    process = HOME.start("lab", "run", "world.conf", "--json")
    until(lambda: len(below(process.pid)) >= 3 or process.poll() is not None, "its hosts run")
    theirs = below(process.pid)
    os.killpg(process.pid, signal.SIGHUP)
    _, err = ended(process, signal.SIGHUP, theirs)
    check("interrupted" in err, err)


@test("lab run that is ended while it starts: a signal, not a fault of this machine")
def _():
    need_labs(HOME)
    for number in (signal.SIGHUP, signal.SIGTERM):
        for children in (1, 2, 3):
            for later in (0, 0.002, 0.01, 0.03):
                process = HOME.start("lab", "run", "world.conf", "--json")
                until(lambda process=process, children=children: len(below(process.pid)) >= children or process.poll() is not None, "its hosts run")
                time.sleep(later)
                theirs = below(process.pid)
                os.killpg(process.pid, number)
                ended(process, number, theirs)


@test("send ends in order with a partial record; the receiver has verified what came")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 5Mbit burst 20KB limit 64KB delay 5ms"):
        peer = HOME.start("lab", "exec", "demo:b", HOME.program, "recv", "-1", "--json")
        until(lambda: b"listening" in os.read(peer.stderr.fileno(), 4096), "recv listens")
        sender = HOME.start("lab", "exec", "demo:a", HOME.program, "send", "-c", "b", "-t", "1000s", "--json", "-i", "200ms", "-S", "snd_buffer=64KiB")
        check("wavetank.interval.1" in sender.stdout.readline(), "an interval")
        sender.send_signal(signal.SIGHUP) # to lab exec, which passes it on
        out, _ = ended(sender, signal.SIGHUP)
        equal((record(out)["partial"], record(out)["receiver"]["verified"]), (True, True), "record")
        equal(end(peer)[0], 0, "exit code of recv")


@test("what an interrupted send says was delivered is no more than the link can carry")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 1Mbit burst 20KB limit 64KB delay 5ms"):
        peer = HOME.start("lab", "exec", "demo:b", HOME.program, "recv", "-1")
        until(lambda: b"listening" in os.read(peer.stderr.fileno(), 4096), "recv listens")
        sender = HOME.start("lab", "exec", "demo:a", HOME.program, "send", "-c", "b", "-t", "1000s", "-i", "500ms")
        for _ in range(3):
            line_of(sender.stdout, time.monotonic() + 30)
        os.killpg(sender.pid, signal.SIGINT)
        _, out, _ = end(sender)
        found = re.search(r"cancelled \(interrupted\): ([0-9.]+) ?([KM]?)B delivered in ([0-9.]+) s", out)
        check(found, out)
        delivered = float(found[1]) * {"": 1, "K": 1e3, "M": 1e6}[found[2]]
        check(0 < delivered <= 20e3 + 125e3 * float(found[3]), out) # what was written is more: a buffer full of it
        end(peer)


finish()
