#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps in real time: labs for each run, our stack and the kernel's through the same emulator, a host that is too busy."""
import json

from e2e import Home, check, equal, finish, need_labs, test

HOME = Home()
SWEEP = """[sweep]
name = {name}
backend = {backend}
repeats = 2
late = {late}
attempts = 2
[run]
link = rate 5Mbit burst 0B limit 64KB delay 15ms loss 1%
size = 200KB
limit = 60s
[axes]
stack = {stacks}
"""


def sweep(name, backend, stacks, code, late="1s"):
    """The runs of a sweep by the word of their stack."""
    with open(HOME.path(name + ".ini"), "w", encoding="utf-8") as file:
        file.write(SWEEP.format(name=name, backend=backend, stacks=stacks, late=late))
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
            equal(record["flows"][0]["payload_bytes"], 200000, f"payload of {stack}")
            check(record["flows"][0]["receiver"]["verified"], f"{stack}: bytes not verified")
            check(20 < record["metrics"]["goodput_kBps"] < 625, f"goodput of {stack}: {record['metrics']}")
            equal(record["metrics"]["dropped_frames"], sum(record["dropped_frames"].values()), f"drops of {stack}")
    equal(runs["kernel:reno"][0]["flows"][0]["sender"]["module"], "reno", "the kernel's congestion control in force")


@test("a congestion control that this kernel has not is a failed run with a reason, and the others go on")
def no_such_kernel_module():
    runs = sweep("nosuch", need_labs(HOME)[-1], "kernel:nosuch, kernel:reno", 5)
    check(all("has none of that name" in record["why"] for record in runs["kernel:nosuch"]), f"{runs['kernel:nosuch']}")
    check(all(record["outcome"] == "ok" for record in runs["kernel:reno"]), f"{runs['kernel:reno']}")


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


finish()
