#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Worlds of many hosts: the same file in virtual time and over TAPs gives the same goodputs and retransmissions.

Frames are spaced: every flow has a window of its own and the queues have room for all of them, so that no chance decides which frame a
queue drops, and what is lost is lost by its number. The machine may still hold frames back for some milliseconds: a run whose verdict
says so is tried again.
"""
import json
import os
import re
import signal
import time

from e2e import Home, Skip, check, equal, finish, running, test, until

HOME = Home()
ATTEMPTS, PATIENCE = 6, 150 # so many at least, and others until so many seconds are over
# The differences are judged here, not the machine; root's processes go before whatever else runs on it.
HOW = "[emulator]\nlate = 2ms\n" + ("realtime = yes\n" if os.geteuid() == 0 else "")
WINDOWS = "settings = rcv_buffer={}B,snd_buffer=1MB\n"


def link(name, ends, words="", back=None):
    text = f"[link {name}]\nbetween = {ends}\n"
    return text + (f"fwd = {words}\nrev = {back or words}\n" if words else "")


def flow(name, ends, window, rest=""):
    return f"[flow {name}]\nbetween = {ends}\n" + WINDOWS.format(window) + rest


NARROW = "rate 10Mbit burst 0B limit 400KB delay 10ms"
DUMBBELL = ("[run]\nbytes = 2MB\n" + "".join(f"[host {h}]\n" for h in ("a1", "a2", "a3", "b1", "b2", "b3")) + "[router left]\n[router right]\n" +
            link("la1", "a1 left", "loss list 300,600,900 delay 1ms", "delay 1ms") + link("la2", "a2 left", "delay 2ms") +
            link("la3", "a3 left", "loss list 700 delay 3ms", "delay 3ms") +
            link("lb1", "right b1") + link("lb2", "right b2", "delay 1ms") + link("lb3", "right b3") + link("narrow", "left right", NARROW) +
            flow("one", "a1 b1", 30000) + flow("two", "a2 b2", 40000, "start = 203ms\n") + flow("three", "a3 b3", 20000, "start = 407ms\ndelay = 6ms\n"))
PARKING = ("[run]\nbytes = 1500KB\n" + "".join(f"[host {h}]\n" for h in ("long", "end", "s1", "d1", "s2", "d2", "s3", "d3")) +
           "".join(f"[router r{i}]\n" for i in (1, 2, 3, 4)) + link("ll", "long r1", "loss list 400 delay 1ms", "delay 1ms") + link("le", "r4 end") +
           "".join(link(f"ls{i}", f"s{i} r{i}", f"delay {i}ms") + link(f"ld{i}", f"r{i + 1} d{i}") + link(f"n{i}", f"r{i} r{i + 1}", NARROW)
                   for i in (1, 2, 3)) +
           flow("through", "long end", 40000) + "".join(flow(f"f{i}", f"s{i} d{i}", 25000, f"start = {101 * i}ms\n") for i in (1, 2, 3)))
CHAIN = ("[run]\nbytes = 1MB\n" + "".join(f"[host h{i}]\n[router r{i}]\n" for i in range(1, 7)) +
         "".join(link(f"a{i}", f"h{i} r{i}", "loss copy 100:1-2,300:1 delay 1ms" if i == 1 else "delay 1ms", "delay 1ms") for i in range(1, 7)) +
         "".join(link(f"c{i}", f"r{i} r{i + 1}", "rate 5Mbit burst 0B limit 200KB delay 4ms", "rate 20Mbit burst 0B limit 200KB delay 4ms")
                 for i in range(1, 6)) +
         flow("all", "h1 h6", 25000) + flow("back", "h1 h6", 15000, "direction = rev\nstart = 111ms\n") + flow("mid", "h3 h4", 12000, "start = 223ms\n"))

# A hundred flows, two of a kind: what round trips there are is of the queue (0.12 s), the window of each is two segments, and each flow
# of the first kind loses three copies of its own. SACK's recovery: RACK's probes would be sent by chance while the queue builds up.
HUNDRED = ("[run]\nbytes = 150KB\nrecovery = sack\n" + "".join(f"[host {h}]\n" for h in ("a1", "a2", "b1", "b2")) +
           "[router left]\n[router right]\n" + link("la1", "a1 left", "loss copy 40:1,90:1-2 delay 1ms", "delay 1ms") +
           link("la2", "a2 left", "delay 2ms") + link("lb1", "right b1") + link("lb2", "right b2", "delay 1ms") +
           link("narrow", "left right", "rate 20Mbit burst 0B limit 1MB delay 10ms") +
           flow("near", "a1 b1", 3000, "count = 50\n") + flow("far", "a2 b2", 3000, "count = 50\nstart = 203ms\n"))


def run(name, text):
    with open(os.path.join(HOME.folder, name), "w", encoding="ascii") as file:
        file.write(HOW + text)
    virtual = json.loads(HOME.run("sim", "-f", name, "--json", "--check")[0])
    check(virtual["ok"], virtual)
    attempt, end = 0, time.monotonic() + PATIENCE
    while attempt < ATTEMPTS or time.monotonic() < end:
        attempt += 1
        process = HOME.start("lab", "run", name, "--json")
        out, err = process.communicate(timeout=120)
        if "no TAP device" in err or "no namespaces" in err:
            raise Skip(err.strip())
        check(process.returncode in (0, 1), err)
        real = json.loads(out)
        if real["ok"]:
            return virtual, real
        print(f"# attempt {attempt}: {json.dumps(real['verdict']['faults'])}", flush=True)
    raise Skip(f"the host was too busy {attempt} times")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            own = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return own + [child for parent in own for child in children(parent)]


@test("interrupted, lab run ends with 130 and one line, and none of its processes is left")
def _():
    with open(os.path.join(HOME.folder, "long.conf"), "w", encoding="ascii") as file:
        file.write("[run]\ntime = 100s\n" + DUMBBELL.replace("[run]\nbytes = 2MB\n", ""))
    process = HOME.start("lab", "run", "long.conf")
    until(lambda: len(children(process.pid)) >= 6 or process.poll() is not None, "its hosts run")
    theirs = children(process.pid)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if "no TAP device" in err or "no namespaces" in err:
        raise Skip(err.strip())
    check(process.returncode == 130 and re.fullmatch(r"wavetank lab run: interrupted.*\n", err), (process.returncode, err))
    check(theirs and not any(map(running, theirs)), "processes are left")


@test("interrupted while flows run, lab run prints what they did until then, ends with 130 and leaves none of its processes")
def _():
    for seconds in (3, 10, 30): # a machine that is busy takes its time until they do
        process = HOME.start("lab", "run", "long.conf", "--json")
        until(lambda: len(children(process.pid)) >= 7 or process.poll() is not None, "its hosts and its emulator run")
        theirs = children(process.pid)
        time.sleep(seconds)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if "no TAP device" in err or "no namespaces" in err:
            raise Skip(err.strip())
        if err != "wavetank lab run: interrupted\n":
            break
    check(process.returncode == 130 and re.fullmatch(r"wavetank lab run: interrupted: the result is of the first \d+\.\d{3} s\n", err),
          (process.returncode, err))
    result = json.loads(out)
    equal((result["ok"], len(result["flows"])), (False, 3), "the result")
    for flow in result["flows"]:
        check(flow["outcome"] == "unfinished" and flow["delivered_bytes"] > 0 and 0 < flow["connection_time_s"] < 30, flow)
    check(result["hops"] and "valid" in result["verdict"], result)
    check(theirs and not any(map(running, theirs)), "processes are left")


def compare(name, text, lossy):
    virtual, real = run(name, text)
    equal([f["name"] for f in virtual["flows"]], [f["name"] for f in real["flows"]], "flows")
    total = sum(f["goodput_kBps"] for f in real["flows"]) / sum(f["goodput_kBps"] for f in virtual["flows"]) - 1
    print(f"# {name}: {len(lossy)} flows, their sum differs by {total:+.3%}", flush=True)
    check(abs(total) < 0.01, f"the sum of the goodputs differs by {total:+.2%}")
    for a, b in zip(virtual["flows"], real["flows"]):
        equal(b["outcome"], "complete", a["name"])
        check(b["receiver"]["verified"], b)
        difference = b["goodput_kBps"] / a["goodput_kBps"] - 1
        print(f"# {name} {a['name']}: virtual {a['goodput_kBps']:.2f} KB/s, TAP {b['goodput_kBps']:.2f} ({difference:+.2%}), sent again "
              f"{a['sender']['retransmits_segs']} and {b['sender']['retransmits_segs']}", flush=True)
        check(abs(difference) < 0.01, f"{a['name']}: goodput differs by {difference:+.2%}")
        equal(b["sender"]["retransmits_segs"], a["sender"]["retransmits_segs"], f"{a['name']}: segments sent again")
    equal([bool(f["sender"]["retransmits_segs"]) for f in virtual["flows"]], lossy, "who meets losses")
    check(abs(real["jain"] - virtual["jain"]) < 0.01, (real["jain"], virtual["jain"]))
    equal([(h["link"], h["direction"]) for h in real["hops"]], [(h["link"], h["direction"]) for h in virtual["hops"]], "hops")
    for a, b in zip(virtual["hops"], real["hops"]):
        check(a["holds"] and b["holds"], (a, b))
        equal(b["dropped"], a["dropped"], f"{a['link']}.{a['direction']}: drops")


@test("a dumbbell of three flows is the same in virtual time and over TAPs, within 1 %")
def _():
    compare("dumbbell.conf", DUMBBELL, [True, False, True])


@test("a dumbbell of a hundred flows is the same in virtual time and over TAPs, within 1 %, and so is each of the flows")
def _():
    compare("hundred.conf", HUNDRED, [True] * 50 + [False] * 50)


@test("a parking lot of three narrow links is the same in virtual time and over TAPs, within 1 %")
def _():
    compare("parking.conf", PARKING, [True, False, False, False])


@test("a chain of six hosts with asymmetric links is the same in virtual time and over TAPs, within 1 %")
def _():
    compare("chain.conf", CHAIN, [True, False, False])


def kernels(name, world):
    with open(os.path.join(HOME.folder, name), "w", encoding="ascii") as file:
        file.write(world + "stack = kernel:reno\n")
    return name


@test("the copies of packets that words name are lost, of the kernel's TCP too, and what is sent again is what was lost")
def _():
    world = ("[run]\nbytes = 400KB\n[host a]\n[host b]\n[link l]\nbetween = a b\nfwd = " + NARROW + " loss copy 100:1-3,200-201:1\nrev = " +
             NARROW.replace("10Mbit", "20Mbit") + "\n[flow f]\nbetween = a b\n")
    virtual, real = run("copies.conf", world + "settings = rcv_buffer=30000B\n")
    kernel = json.loads(HOME.run("lab", "run", kernels("copies-kernel.conf", world), "--json", "--late", "10s", "--steal", "100%")[0])
    text = HOME.run("lab", "run", "copies.conf", "--late", "10s", "--steal", "100%")[0]
    check(f"\n  fwd  {NARROW} loss copy 100:1-3,200-201:1\n  rev  {NARROW.replace('10Mbit', '20Mbit')}\n" in text, text)
    for result in virtual, real, kernel:
        equal(result["hops"][0]["dropped"], {"list": 5}, result["flows"][0]["sender"]["module"])
    for result in virtual, real: # the kernel's retransmissions may be more: it probes
        equal(result["flows"][0]["sender"]["retransmits_segs"], 5, "sent again")
    check(kernel["flows"][0]["sender"]["retransmits_segs"] >= 5 and kernel["flows"][0]["receiver"]["verified"], kernel["flows"])



VOICES = ("[run]\ntime = 4s\n[host a]\n[host b]\n[link l]\nbetween = a b\nfwd = " + NARROW + " loss list 50\nrev = " + NARROW + "\n" +
          flow("ask", "a b", 30000, "app = rr:request=200B,response=1000B,requests=60\n") +
          "[flow voice]\nbetween = a b\napp = cbr:rate=64Kbit,size=200B\nstart = 3ms\nbytes = 20000B\n" +
          flow("bursts", "b a", 20000, "app = onoff:on=300ms,off=700ms\nstart = 5ms\nstop = 3s\n"))


@test("request and response, datagrams and on-off come to the same in virtual time and over TAPs")
def _():
    virtual, real = (dict((f["name"], f) for f in r["flows"]) for r in run("voices.conf", VOICES))
    for one in (virtual, real):
        equal(one["voice"]["datagrams"]["sent"], 100, "datagrams")
        equal(one["voice"]["datagrams"]["received"] + one["voice"]["datagrams"]["lost"], 100, "each arrived or was lost")
        equal(one["ask"]["rr"]["transactions"], 60, "transactions")
    for path in (("voice", "datagrams", "lost"), ("voice", "datagrams", "late"), ("ask", "sender", "timeouts")):
        a, b = virtual, real
        for key in path:
            a, b = a[key], b[key]
        equal(b, a, " ".join(path))
    for path in (("voice", "datagrams", "delay_mean_s"), ("ask", "rr", "latency_mean_s"), ("ask", "rr", "latency_p50_s")):
        a, b = virtual, real
        for key in path:
            a, b = a[key], b[key]
        print(f"# {' '.join(path)}: virtual {a:.6f}, TAP {b:.6f}", flush=True)
        check(a <= b * 1.02 and b < a * 1.2, f"{' '.join(path)}: {b} is not about {a}")
    difference = real["bursts"]["goodput_kBps"] / virtual["bursts"]["goodput_kBps"] - 1
    check(abs(difference) < 0.03, f"on-off goodput differs by {difference:+.2%}")


@test("lab run refuses a bad world with file, line and word, and starts nothing")
def _():
    with open(os.path.join(HOME.folder, "bad.conf"), "w", encoding="ascii") as file:
        file.write("[host a]\n[host b]\n[link]\n[flow f]\nbetween = a c\n")
    _, err = HOME.run("lab", "run", "bad.conf", code=2)
    equal(err, 'wavetank lab run: bad.conf:5: between: there is no host "c" above\n', "the sentence")


finish()
