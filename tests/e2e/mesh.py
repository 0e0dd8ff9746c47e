#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stations on the air in real time: kernels and engines in namespaces, each behind a TAP and a mesh node, six in a string, five hops."""
import json
import os
import re
import shutil
import time

from e2e import Home, Skip, backends, check, end, equal, finish, lab, test, until

HOME = Home()
STATIONS = 6
LAST = "10.128.0.%d" % STATIONS
# routing, with periods that suit a test, and how long ways may take to be there
ROUTINGS = ("aodv", "dsr", "olsr:hello=500ms,tc=1s,jitter=100ms,neighbour-hold=4s", "dsdv:period=2s")


def world(routing):
    name = "mesh.conf"
    with open(os.path.join(HOME.folder, name), "w", encoding="ascii") as file:
        file.write(f"[air]\nrate = 11Mbit\nrouting = {routing}\n[stations n]\ncount = {STATIONS}\nplace = string 250m\n")
    return name


def ping(host, to, seconds=40):
    """Pings until one comes back; its TTL. Who is told at once that there is no way waits a moment."""
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        process = HOME.start("lab", "exec", "mesh:" + host, "ping", "-n", "-c", "1", "-W", "2", to)
        out, _ = process.communicate(timeout=30)
        if process.returncode == 0:
            return int(re.search(r"ttl=(\d+)", out)[1])
        time.sleep(0.3)
    raise AssertionError(f"{to} never answered {host}")


for words in ROUTINGS:
    @test(f"{words.split(':')[0]}: the kernels of a string of six ping each other over five hops, and traceroute sees each station")
    def _(words=words):
        if "tap" not in backends(HOME):
            raise Skip("backend tap does not work here")
        with lab(HOME, "mesh", "--file", world(words)):
            equal(ping("n0", LAST), 64 - (STATIONS - 2), "TTL over four stations between")
            if words.startswith("olsr"): # it keeps nothing that has no way: the kernel believes its own station's answer
                out, _ = HOME.run("lab", "exec", "mesh:n0", "ping", "-n", "-c", "1", "-W", "2", "10.128.0.77", code=None)
                check("From 10.255.255.254" in out and "Unreachable" in out, out)
            seen = []
            for _ in range(10): # a probe may be lost, or its way be searched for
                out, _ = HOME.run("lab", "exec", "mesh:n0", "traceroute", "-n", "-q", "1", "-w", "4", "-N", "1", "-m", "8", LAST)
                seen = re.findall(r"^ *\d+  (\S+)", out, re.M)
                if seen == ["10.128.0.%d" % i for i in range(2, STATIONS + 1)]:
                    return
            raise AssertionError(f"traceroute saw {seen}")


@test("the kernel's TCP and the engine's cross five hops of the air, and every frame is accounted for")
def _():
    if "tap" not in backends(HOME):
        raise Skip("backend tap does not work here")
    with lab(HOME, "mesh", "--file", world("aodv")):
        ping("n0", LAST)
        server = HOME.start("lab", "exec", "mesh:n5", "iperf3", "-s", "-1")
        until(lambda: ":1451 " in HOME.run("lab", "exec", "mesh:n5", "cat", "/proc/net/tcp6", "/proc/net/tcp", code=None)[0], "iperf3 listens")
        out, _ = HOME.run("lab", "exec", "mesh:n0", "iperf3", "-c", LAST, "-t", "3", "-J")
        check(json.loads(out)["end"]["sum_received"]["bytes"] >= 20000, out)
        end(server)
        receiver = HOME.start("lab", "exec", "mesh:n5", "wavetank", "recv", "-1", "--json")
        out, _ = HOME.run("lab", "exec", "mesh:n0", "wavetank", "send", "-c", "n5", "-n", "100KiB", "--json")
        check('"outcome":"complete"' in out and '"verified":true' in out, out)
        end(receiver)
        out, _ = HOME.run("emu", "show", "mesh")
        check("BROKEN" not in out, out)


@test("babeld in the namespaces: six kernels on the bare air find their ways, and ping and traceroute cross five hops")
def _():
    if "tap" not in backends(HOME):
        raise Skip("backend tap does not work here")
    if not shutil.which("babeld"):
        raise Skip("no babeld (package babeld)")
    with lab(HOME, "mesh", "--file", world("none")):
        daemons = []
        for i in range(STATIONS):
            HOME.run("lab", "exec", f"mesh:n{i}", "sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=0", "net.ipv4.ip_forward=1",
                     "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.wt0.rp_filter=0", "net.ipv4.conf.all.send_redirects=0",
                     "net.ipv4.conf.wt0.send_redirects=0")
            daemons.append(HOME.start("lab", "exec", f"mesh:n{i}", "babeld", "-I", HOME.path(f"babel-{i}.pid"), "-S", HOME.path(f"babel-{i}.state"),
                                      "-h", "1", "-H", "1", "-C", "redistribute local if wt0", "-C", "redistribute local deny",
                                      "-C", "redistribute deny", "wt0"))
        try:
            equal(ping("n0", LAST, 60), 64 - (STATIONS - 2), "TTL over four stations between")
            out, _ = HOME.run("lab", "exec", "mesh:n0", "ip", "route", "show", "proto", "babel")
            check(f"{LAST} via 10.128.0.2" in out, out)
            for _ in range(10):
                out, _ = HOME.run("lab", "exec", "mesh:n0", "traceroute", "-n", "-q", "1", "-w", "4", "-N", "1", "-m", "8", LAST)
                seen = re.findall(r"^ *\d+  (\S+)", out, re.M)
                if seen == ["10.128.0.%d" % i for i in range(2, STATIONS + 1)]:
                    return
            raise AssertionError(f"traceroute saw {seen}")
        finally:
            for daemon in daemons:
                daemon.terminate()
            for daemon in daemons:
                end(daemon)


@test("a lab of a hundred stations is refused before anything starts")
def _():
    with open(os.path.join(HOME.folder, "many.conf"), "w", encoding="ascii") as file:
        file.write("[air]\n[stations n]\ncount = 100\nplace = string 250m\n")
    _, err = HOME.run("lab", "up", "mesh", "--file", "many.conf", code=2)
    check("a lab has fewer than 100" in err, err)


finish()
