#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""send and recv as users of iperf3 expect them: streams side by side and back, datagrams, requests, latency under load."""
import json
import shutil

from e2e import Home, Skip, check, end, equal, finish, iperf3, lab, need_labs, test, until, wait_for

HOME = Home()
LINK = "rate 10Mbit burst 20KB limit 64KB delay 5ms"


def records(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def run(*words, code=0):
    """One run of send against recv -1: the records of both."""
    peer = HOME.start("lab", "exec", "many:b", HOME.program, "recv", "-1", "--json", "-i", "0")
    wait_for(peer, "listening")
    out, err = HOME.run("lab", "exec", "many:a", HOME.program, "send", "-c", "b", "-i", "0", "--json", *words, code=code)
    got, theirs, _ = end(peer)
    equal(got, 0, "exit code of recv")
    return records(out), records(theirs)


@test("three streams side by side: three records, a sum, Jain's index, and a server that takes them as one run")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--link", LINK):
        ours, theirs = run("-P", "3", "-n", "300KB")
    equal([r["schema"] for r in ours], ["wavetank.transfer.1"] * 3 + ["wavetank.sum.1"], "records")
    equal([r["stream"] for r in ours[:3]], [1, 2, 3], "streams")
    check(all(r["outcome"] == "complete" and r["receiver"]["verified"] for r in ours[:3]), ours)
    equal(ours[3]["sum"]["payload_bytes"], 900000, "the sum")
    together = 900000 * 8 / max(r["connection_time_s"] for r in ours[:3])  # they begin within the same millisecond
    check(abs(ours[3]["sum"]["goodput_bps"] / together - 1) < 0.02, (ours[3]["sum"], together))
    check(ours[3]["sum"]["goodput_bps"] < 10e6, "flows that end at different times carry no more than the link")
    share = [r["goodput_bps"] for r in ours[:3]]
    check(abs(ours[3]["jain"] - sum(share) ** 2 / 3 / sum(x * x for x in share)) < 1e-9, "Jain's index")
    equal(sorted(r["payload_bytes"] for r in theirs), [300000] * 3, "what recv has")


@test("three hundred streams: each has its record at both ends")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--link", "rate 20Mbit burst 20KB limit 1MB delay 5ms"):
        theirs = HOME.path("theirs")  # more than a pipe holds
        peer = HOME.start("lab", "exec", "many:b", "sh", "-c", f"{HOME.program} recv -1 --json -i 0 > {theirs}")
        wait_for(peer, "listening")
        out, _ = HOME.run("lab", "exec", "many:a", HOME.program, "send", "-c", "b", "-i", "0", "--json", "-P", "300", "-n", "5KB")
        equal(end(peer)[0], 0, "exit code of recv")
    ours = records(out)
    equal([r["outcome"] for r in ours[:300]], ["complete"] * 300, "outcomes")
    with open(theirs, encoding="ascii") as file:
        equal([r["payload_bytes"] for r in records(file.read())], [5000] * 300, "what recv has")


@test("-R: the peer sends, we compare every byte, and both ends agree")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--fwd", LINK, "--rev", LINK + " loss list 50,90"):
        ours, theirs = run("-R", "-n", "400KB")
        paced, _ = run("-R", "-t", "2s", "-O", "500ms", "-b", "1Mbit")
    equal((ours[0]["role"], ours[0]["outcome"], ours[0]["payload_bytes"]), ("receiver", "complete", 400000), "our end")
    check(ours[0]["receiver"]["verified"], ours[0])
    equal((theirs[0]["role"], theirs[0]["outcome"], theirs[0]["payload_bytes"]), ("sender", "complete", 400000), "their end")
    said, counted = ours[0]["sender"], theirs[0]["sender"] # the sender's counts stand in the record of the end that asked, too
    equal({name: said[name] for name in said if name != "payload_bytes"}, {name: counted[name] for name in said if name != "payload_bytes"}, "sender")
    check(said["retransmits_segs"] >= 2, said)
    check(0 < ours[0]["goodput_bps"] <= 10e6, ours[0]["goodput_bps"])
    check(0.8e6 < paced[0]["goodput_bps"] < 1.2e6, paced[0]["goodput_bps"])


@test("--bidir: as many streams each way, all of them whole")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--link", LINK):
        ours, theirs = run("--bidir", "-P", "2", "-n", "200KB", "-b", "0")
    equal([r["role"] for r in ours[:4]], ["sender", "sender", "receiver", "receiver"], "roles")
    equal([r["outcome"] for r in ours[:4] + theirs], ["complete"] * 8, "outcomes")
    equal(ours[4]["sum"]["payload_bytes"], 800000, "the sum")


@test("-u: what the path loses is lost, at both ends, and iperf3 loses the same share on the same path")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--fwd", "loss list 50,60,70 delay 5ms", "--rev", "delay 5ms"):
        ours, theirs = run("-u", "-b", "400Kbit", "-l", "500B", "-n", "50000B")
    for one in (ours[0]["datagrams"], theirs[0]["datagrams"]):
        equal((one["received"], one["lost"], one["duplicate"], one["late"]), (97, 3, 0, 0), "datagrams")
        check(0.005 <= one["delay_min_s"] < 0.05, one)
    equal(ours[0]["datagrams"]["sent"], 100, "sent")
    if not shutil.which("iperf3"):
        raise Skip("no iperf3")
    narrow = "rate 500Kbit burst 0B limit 4KB delay 5ms"
    with lab(HOME, "many", "--fwd", narrow, "--rev", "delay 5ms"):
        ours, _ = run("-u", "-b", "1Mbit", "-l", "500B", "-t", "4s")
    with lab(HOME, "many", "--fwd", narrow, "--rev", "delay 5ms"):
        server = HOME.start("lab", "exec", "many:b", "iperf3", "-s", "-1")
        until(lambda: ":5201 " in HOME.run("lab", "exec", "many:b", "ss", "-Hltn", code=None)[0] + " ", "iperf3 listens")
        out, _ = HOME.run("lab", "exec", "many:a", "iperf3", "-c", "b", "-u", "-b", "1M", "-l", "500", "-t", "4", "-J")
        end(server)
    theirs, mine = json.loads(out)["end"]["sum"]["lost_percent"], ours[0]["datagrams"]["loss_percent"]
    print(f"# lost at twice the rate of the path: send {mine:.1f} %, iperf3 {theirs:.1f} %", flush=True)
    check(abs(mine - theirs) < 6, (mine, theirs))


@test("--app rr and --latency: a round trip is the path's, and longer under load")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--link", "rate 2Mbit burst 0B limit 50KB delay 10ms"):
        asked, _ = run("--app", "rr:requests=30")
        loaded, _ = run("-n", "600KB", "--latency", "50ms")
    rr = asked[0]["rr"]
    equal(rr["transactions"], 30, "transactions")
    check(0.02 <= rr["latency_min_s"] <= rr["latency_p50_s"] <= rr["latency_p99_s"] <= rr["latency_max_s"], rr)
    idle, load = loaded[-1]["latency_idle"], loaded[-1]["latency_loaded"]
    check(idle["round_trips"] >= 1 and load["round_trips"] >= 5, (idle, load))
    check(idle["p50_s"] >= 0.02 and load["p50_s"] > 1.5 * idle["p50_s"], (idle, load))


@test("what does not go together is refused with one line and exit code 2")
def _():
    for words in (["-P", "0"], ["-P", "129"], ["-P", "x"], ["-b", "1"], ["-l", "20KB"], ["-l", "0B"], ["-O", "-1s"], ["--latency", "0s"],
                  ["-R", "--bidir"], ["-u", "-R"], ["-u", "-l", "8B"], ["-u", "--app", "rr"], ["--raw", "-P", "2"], ["--app", "rr", "-n", "5MB"],
                  ["--app", "rr:size=3B"], ["--app", "playback", "-R"], ["-n", "5MB", "-t", "3s"]):
        _, err = HOME.run("send", "-c", "10.0.0.1", *words, code=2)
        equal(err.count("\n"), 1, f"{words}: lines: {err}")


@test("--logfile takes what would go to standard output")
def _():
    need_labs(HOME)
    with lab(HOME, "many", "--link", LINK):
        peer = HOME.start("lab", "exec", "many:b", HOME.program, "recv", "-1")
        wait_for(peer, "listening")
        out, _ = HOME.run("lab", "exec", "many:a", HOME.program, "send", "-c", "b", "-n", "50KB", "--logfile", HOME.path("log"))
        end(peer)
    with open(HOME.path("log"), encoding="utf-8") as file:
        text = file.read()
    check(not out and "complete" in text, (out, text))


finish()
