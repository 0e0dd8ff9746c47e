#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`bench` on little work: each kind of run is there, with its references, and the table and the picture follow."""
import contextlib
import json
import os
import signal
import sys
import xml.etree.ElementTree

from e2e import Home, Skip, check, end, equal, finish, running, test, until, users_of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/bench"))
import wire  # noqa: E402

HOME = Home()
ALL = {("wavetank", "tap"), ("wavetank", "packet"), ("kernel", "veth")}


@test("bench measures bulk both ways, requests, connections opened, idle and active, each with the kernel in turn, and draws them")
def _():
    folder = HOME.path("bench")
    out, err = HOME.run("bench", "bulk", "ask", "open", "idle", "active", "chain", "--rounds", "1", "--size", "2MB", "-n", "60", "-o", folder, "--quiet", code=None)
    if "need neither" in err:
        raise Skip(err.strip())
    equal(err, "", "standard error")
    with open(os.path.join(folder, "bench.jsonl"), encoding="utf-8") as file:
        head, *rows = map(json.loads, file)
    equal(head["schema"], "wavetank.bench.1", "schema")
    equal({(row["stack"], row["port"], row["offload"], row["way"]) for row in rows if row["what"] == "bulk"},
          {(*stack, offload, way) for stack in ALL for offload in (False, True) for way in ("sends", "receives")}, "bulk")
    for what in ("ask", "open"):
        equal({(row["stack"], row["port"]) for row in rows if row["what"] == what}, ALL, what)
    check(all(row["resident_B_per_connection"] >= 0 for row in rows if row["what"] == "idle"), "idle")
    check(all(row["requests_per_s"] > 60 for row in rows if row["what"] == "active"), "active")
    equal([row["way"] for row in rows if row["what"] == "chain"], ["1 group", "2 groups", "5 groups"], "chain")
    check(all(isinstance(value, (str, bool)) or value >= 0 for row in rows for value in row.values()), "numbers")
    with open(os.path.join(folder, "bench.txt"), encoding="utf-8") as file:
        check(out.startswith(file.read()), "the table is what is printed")
    check("times (" in out and "kernel veth offloads" in out, out)
    bars = xml.etree.ElementTree.parse(os.path.join(folder, "bench.svg")).iter("{http://www.w3.org/2000/svg}rect")
    equal(len(list(bars)), 1 + 2 * 2 * 6 + 2 * 3 + 2 * 3 + 1 + 2 + 3, "bars, and the paper they are on")


def below(pid):
    """Processes and the network namespaces they are in."""
    found = wire.descendants(pid)
    spaces = set()
    for one in found:
        with contextlib.suppress(OSError):
            spaces.add(os.stat(f"/proc/{one}/ns/net").st_ino)
    return found, spaces - {os.stat("/proc/self/ns/net").st_ino}


def serves(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return b"serve" in file.read().split(b"\0")
    return False


@test("bench that is ended by a signal, or killed, leaves no server and no namespace")
def _():
    for kind, number in (("ask", signal.SIGTERM), ("bulk", signal.SIGINT), ("ask", signal.SIGHUP), ("bulk", signal.SIGKILL)):
        process = HOME.start("bench", kind, "--rounds", "1000", "-n", "100", "--size", "2MB", "-o", HOME.path("ended"))
        until(lambda: process.poll() is not None or any(map(serves, below(process.pid)[0])), "a server begins")
        if process.poll() is not None:
            raise Skip(end(process)[2].strip())
        found, spaces = below(process.pid)
        process.send_signal(number)
        code, _, err = end(process)
        equal(code, -number if number == signal.SIGKILL else 128 + number, f"exit code\n{err}")
        check("Traceback" not in err, err)
        until(lambda: not any(map(running, found)), "its processes ended")
        until(lambda: not users_of(spaces), "its namespaces ended")


finish()
