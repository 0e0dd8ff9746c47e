#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps and published tables in real time: labs for each run, our stack and the kernel's, a host that is too busy, labs and owners."""
import json
import os
import re
import signal
import subprocess

from e2e import Home, Skip, check, equal, finish, need_labs, running, test, until

HOME = Home()
SWEEP = """[sweep]
name = {name}
backend = {backend}
repeats = 2
late = {late}
steal = {steal}
attempts = 2
[run]
link = rate 5Mbit burst 0B limit 64KB delay 15ms loss 1%
size = 200KB
limit = 60s
[axes]
stack = {stacks}
"""


# Bounds that every host keeps: what these runs prove hangs on no time.
ANY = {"late": "10s", "steal": "100%"}


def sweep(name, backend, stacks, code, late=ANY["late"]):
    """The runs of a sweep by the word of their stack."""
    with open(HOME.path(name + ".ini"), "w", encoding="utf-8") as file:
        file.write(SWEEP.format(name=name, backend=backend, stacks=stacks, late=late, steal=ANY["steal"]))
    HOME.run("sweep", "run", name + ".ini", code=code, limit=150)
    with open(HOME.path(f"results/{name}/runs.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    out, _ = HOME.run("lab", "status")
    check("sweep-" not in out, f"labs are left: {out}")
    runs = {}
    for record in records:
        if record["record"] == "run":
            runs.setdefault(record["axes"]["stack"], []).append(record)
    return runs


@test("our stack and the kernel's run through the same emulator, every byte verified, and what the emulator dropped is in the result")
def kernel_and_user():
    runs = sweep("peers", need_labs(HOME)[-1], "user:real, user:newreno, kernel:reno", 0)
    equal(sorted(runs), ["kernel:reno", "user:newreno", "user:real"], "stacks")
    for stack, records in runs.items():
        equal(len(records), 2, f"repeats of {stack}")
        for record in records:
            equal(record["outcome"], "ok", f"outcome of {stack}")
            equal(record["flow"]["tcp1"]["payload_bytes"], 200000, f"payload of {stack}")
            check(record["flow"]["tcp1"]["receiver"]["verified"], f"{stack}: bytes not verified")
            check(20 < record["metrics"]["goodput_kBps"] < 625, f"goodput of {stack}: {record['metrics']}")
            equal(record["metrics"]["dropped_frames"], sum(record["dropped_frames"].values()), f"drops of {stack}")
    equal(runs["kernel:reno"][0]["flow"]["tcp1"]["sender"]["module"], "reno", "the kernel's congestion control in force")


@test("a run while the host is too busy is repeated, then recorded as invalid with the reason, and done again by resume")
def too_busy():
    runs = sweep("busy", need_labs(HOME)[-1], "user:reno", 5, late="1ns") # no host is that exact
    for record in runs["user:reno"]:
        equal(record["outcome"], "invalid", "outcome")
        check("too busy" in record["why"], record["why"])
    with open(HOME.path("results/busy/facts.jsonl"), encoding="utf-8") as file:
        facts = [json.loads(line) for line in file]
    check(all(fact["attempts"] == 2 and fact["again"] for fact in facts if fact["record"] == "run"), f"attempts: {facts}")
    _, err = HOME.run("sweep", "resume", "busy.ini", code=5, limit=150)
    check("0 done already" in err, f"invalid runs count as done: {err}")


TABLE = """[sweep]
name = x/y
title = T
repeats = 2
[axes]
p = 1%
[run]
size = 200KB
limit = 1min
fwd = rate 5Mbit burst 0B limit 64KB delay 15ms loss {p}
rev = delay 15ms
[variant reno]
sender = reno
[variant real]
sender = real
receiver = real
[printed]
0.01 = 300 KB/s 0.667 s, 300 KB/s 0.667 s
"""


def table(name, code, *words):
    """Records of a small table over labs, and what was printed."""
    with open(HOME.path("table.ini"), "w", encoding="utf-8") as file:
        file.write(TABLE)
    out, err = HOME.run("paper", "run", "./table.ini", "--backend", need_labs(HOME)[0], "--repeats", "2", "-o", name, *words, code=code, limit=150)
    records = []
    for part in "table.jsonl", "runs.jsonl":
        with open(HOME.path(f"{name}/{part}"), encoding="utf-8") as file:
            records += [json.loads(line) for line in file]
    return records, out, err


@test("a published table's run while the host is too busy is repeated, then marked invalid and left out, and table and records say so")
def table_too_busy():
    records, out, err = table("late", 5, "--late", "1ns", "--attempts", "2") # no host is that exact
    runs = [run for run in records if run["record"] == "run"]
    equal(len(runs), 4, "runs")
    for run in runs:
        equal((run["outcome"], run["attempts"]), ("invalid", 2), "run")
        check("too busy" in run["why"], run["why"])
    check(all(cell["runs"] == 0 and cell["invalid"] == 2 and cell["verdict"] == "invalid" for cell in records if cell["record"] == "cell"),
          f"cells: {records}")
    equal((records[-1]["invalid"], records[-1]["complete"]), (4, True), "end")
    check("host too busy: 4 runs repeated (4 times), 4 invalid at last" in out and "(2 of 2 invalid)" in out, out)
    check("invalid: real at 0.01, seed 1: the host was too busy" in err, err)


@test("a published table's runs while the host was not too busy are valid, and compared with virtual time")
def table_in_time():
    records, out, _ = table("early", None, "--late", ANY["late"], "--steal", ANY["steal"])
    for run in (run for run in records if run["record"] == "run"):
        equal(run["outcome"], "ok", "run")
        check(20 < run["metrics"]["goodput_kBps"] < 625, f"goodput {run['metrics']}")
    check("0 invalid at last" in out and "\nagree: " in out, out)


WORLD = """[run]
limit = 60s
[host a]
[host b]
[host c]
[router r]
[link la]
between = a r
[link lb]
between = r b
fwd = rate 5Mbit burst 0B limit 64KB loss list 50 delay {delay}
rev = delay {delay}
[link lc]
between = c r
[flow one]
between = a b
bytes = 200KB
settings = rcv_buffer=30000B
[flow many]
between = c b
app = rr:requests=20
count = 2
"""


@test("a world of many hosts is swept in real time as in virtual time: axes in its file, flows and hops by name, requests and responses")
def world():
    with open(HOME.path("three.conf"), "w", encoding="utf-8") as file:
        file.write(WORLD)
    runs = {}
    for backend in "sim", need_labs(HOME)[0]:
        with open(HOME.path("three.ini"), "w", encoding="utf-8") as file:
            file.write(f"[sweep]\nname = three\nbackend = {backend}\nlate = 10s\nsteal = 100%\nmetric = flow.one.goodput_kBps\n"
                       "[run]\nworld = three.conf\n[axes]\ndelay = 5ms 20ms\n")
        HOME.run("sweep", "run", "three.ini", "-o", f"three-{backend}", limit=150)
        with open(HOME.path(f"three-{backend}/runs.jsonl"), encoding="utf-8") as file:
            runs[backend] = [entry for entry in map(json.loads, file) if entry["record"] == "run"]
    for virtual, real in zip(*runs.values()):
        equal((real["axes"], real["outcome"]), (virtual["axes"], "ok"), "run")
        equal([sorted(run["flow"]) for run in (virtual, real)], [["many.1", "many.2", "one"]] * 2, "flows")
        equal([run["flow"]["many.2"]["rr"]["transactions"] for run in (virtual, real)], [20, 20], "transactions")
        equal(real["hop"]["lb"]["fwd"]["dropped"], virtual["hop"]["lb"]["fwd"]["dropped"], "what the narrow link dropped")
        equal(real["flow"]["one"]["payload_bytes"], 200000, "payload")
        check(real["flow"]["one"]["receiver"]["verified"] and real["metrics"]["jain"] > 0, real)


def children(pid):
    """All processes below one."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        own = [int(word) for word in file.read().split()]
    return own + [child for parent in own for child in children(parent)]


def is_emulator(pid):
    with open(f"/proc/{pid}/cmdline", encoding="ascii") as file:
        return file.read().split("\0")[1:3] == ["emu", "run"]


@test("lab down --all leaves what a sweep runs alone; kill -9 of the sweep ends its hosts, its emulators and all they held")
def owned():
    with open(HOME.path("long.ini"), "w", encoding="utf-8") as file:
        file.write(SWEEP.format(name="long", backend=need_labs(HOME)[0], stacks="user:reno", **ANY).replace("200KB", "500MB"))
    HOME.run("lab", "up", "mine", "--link", "delay 1ms")
    process = HOME.start("sweep", "run", "long.ini", "--jobs", "1")
    until(lambda: len(children(process.pid)) >= 5, "the sweep's hosts and emulator run", limit=30) # worker, lab run, emulator, two hosts
    _, err = HOME.run("lab", "down", "--all", code=None)
    check("lab mine is down" in err, err)
    theirs = children(process.pid)
    check(len(theirs) >= 5 and all(map(running, theirs)), "what the sweep runs lives")
    with open(f"/proc/{next(pid for pid in theirs if is_emulator(pid))}/cmdline", encoding="ascii") as file:
        words = file.read().split("\0")
    equal((words[words.index("--late") + 1], words[words.index("--steal") + 1]), ("10s", "100%"), "bounds of the sweep")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not any(map(running, theirs)), "all of it ended with the sweep", limit=30)
    equal(HOME.run("lab", "status", "--json")[0], "", "labs that are up")


@test("a lab ends with its owner, in order, lab down --all leaves it alone and names it, and a lab cannot belong to nobody")
def owner():
    sleeper = subprocess.Popen(["sleep", "1000"])
    need_labs(HOME)
    HOME.run("lab", "up", "owned", "--link", "delay 1ms", "--owner", str(sleeper.pid), "--capture", "owned.pcapng")
    keeper = HOME.lab_state("owned")["keeper"][0]
    _, err = HOME.run("lab", "down", "--all", code=None)
    check("lab owned" in err and "left alone" in err and running(keeper), err)
    sleeper.kill()
    sleeper.wait()
    until(lambda: not running(keeper), "the lab ended")
    check(os.path.getsize(HOME.path("owned.pcapng")) >= 48, "the capture was flushed") # a section header and one interface
    _, err = HOME.run("lab", "up", "orphan", "--owner", str(sleeper.pid), code=2)
    check("no process" in err, err)


FULL = """set -e
mount -t tmpfs -o size=$2 none "$4"
code=0
$1 $3 || code=$?
echo "code $code"
ls "$4"/*
mount -o remount,size=20m "$4"
$1 ${5:-$3}
cp -r "$4"/r "$6"
"""


def on_full_disk(size, words, again, name):
    """Runs the words with results on a tiny file system, then with room again; (what was printed, folder of the results)."""
    if os.geteuid() != 0:
        raise Skip("mounting a small file system needs root")
    place, kept = HOME.path(name), HOME.path(name + "-kept")
    os.mkdir(place)
    done = subprocess.run(["unshare", "-m", "sh", "-c", FULL, "sh", HOME.program, size, words.format(place), place, again.format(place), kept],
                          cwd=HOME.folder, env=HOME.environment, capture_output=True, text=True, timeout=150, check=False)
    equal(done.returncode, 0, f"exit code with room again\n{done.stdout}{done.stderr}")
    check("code 3\n" in done.stdout, done.stdout + done.stderr)
    check("No space left on device" in done.stderr, done.stderr)
    return done.stdout + done.stderr, kept


def same(path, other):
    with open(path, "rb") as one, open(other, "rb") as two:
        check(one.read() == two.read(), f"{path} and {other} differ")


VIRTUAL = """[sweep]
name = virtual
repeats = 60
[run]
link = rate 5Mbit burst 0B limit 64KB delay 15ms loss {loss}
size = 50KB
[axes]
loss = 1% 5%
"""


@test("a full disk loses only the runs in flight of a sweep; with room again resume ends with the bytes of an undisturbed one")
def full_sweep():
    with open(HOME.path("virtual.ini"), "w", encoding="utf-8") as file:
        file.write(VIRTUAL)
    HOME.run("sweep", "run", "virtual.ini", "-o", "undisturbed")
    seen = set()
    for size in range(40, 400, 20): # it is full during the runs, and, with more, when the result file is written
        said, kept = on_full_disk(f"{size}k", "sweep run virtual.ini -o {}/r", "sweep resume virtual.ini -o {}/r", f"sweep{size}")
        kept_runs = [int(count) for count in re.findall(r"(\d+) done already", said)]
        check(kept_runs[0] == 0 and 10 < kept_runs[1] <= 120, said)
        same(HOME.path("undisturbed/runs.jsonl"), kept + "/runs.jsonl")
        seen.add(kept_runs[1] == 120)
        if kept_runs[1] == 120:
            break
    equal(seen, {False, True}, "whether all runs were kept, over the sizes")


@test("a full disk loses only the runs in flight of a published table, and the same words end with the bytes of an undisturbed one")
def full_table():
    words = "paper run tcp-real-2001/table1 --points 0.05 --repeats 40 -o"
    HOME.run(*words.split(), "table-undisturbed")
    said, kept = on_full_disk("60k", words + " {}/r", words + " {}/r", "table60k")
    check(5 < int(re.search(r"(\d+) done already", said)[1]) < 120, said)
    for name in "runs.jsonl", "table.csv", "table.txt":
        same(HOME.path("table-undisturbed/" + name), f"{kept}/{name}")


@test("in real time, too, a run that fails is recorded with its reason and the others go on")
def failing():
    with open(HOME.path("failing.ini"), "w", encoding="utf-8") as file:
        file.write(SWEEP.format(name="failing", backend=need_labs(HOME)[0], stacks="user:reno, kernel:reno", **ANY).replace(
            "limit = 60s", "limit = {limit}").replace("200KB", "1MB") + "limit = 900ms 60s\n")
    HOME.run("sweep", "run", "failing.ini", code=5, limit=150)
    with open(HOME.path("results/failing/runs.jsonl"), encoding="utf-8") as file:
        runs = [entry for entry in map(json.loads, file) if entry["record"] == "run"]
    equal([run["outcome"] for run in runs], ["failed", "failed", "ok", "ok"] * 2, f"outcomes of {[run.get('why') for run in runs]}")
    reasons = [run["why"] for run in runs if run["outcome"] == "failed"]
    check(all(why.startswith("tcp1: ") and len(why) > 10 for why in reasons), f"reasons: {reasons}")


@test("in a sticky folder that everybody may write, a results folder or its file that is a link of another user is refused, and nothing is written")
def planted():
    if os.geteuid():
        raise Skip("a link of another user needs root")
    shared, target, victim = HOME.path("shared"), HOME.path("target"), HOME.path("victim")
    for folder in shared, target:
        os.mkdir(folder)
    os.chmod(shared, 0o1777)
    with open(victim, "w", encoding="ascii") as file:
        file.write("three years of work\n")
    for name, to in (("folder", target), ("done.jsonl", victim)):
        os.symlink(to, f"{shared}/{name}")
        os.chown(f"{shared}/{name}", 65534, 65534, follow_symlinks=False)
    for words in (["shared/folder"], ["shared/folder/"], ["shared"]):
        _, err = HOME.run("paper", "run", "tcp-real-2001/table3", "--repeats", "1", "-o", *words, code=3)
        check("Permission denied" in err and len(err.splitlines()) == 1, err)
    equal(os.listdir(target), [], "what was written through the link")
    with open(victim, encoding="ascii") as file:
        equal(file.read(), "three years of work\n", "the file behind the link")


finish()
