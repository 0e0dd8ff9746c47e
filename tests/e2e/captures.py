#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What tshark says of the captures: nothing malformed, no bad checksum, drops and options as the records have them."""
import collections
import json
import shutil
import subprocess

from e2e import Home, Skip, check, end, equal, finish, lab, merged, need_labs, point, record, test, wait_for

HOME = Home()
STRICT = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
BAD = "_ws.malformed || _ws.expert.severity == error || ip.checksum.status == 0 || tcp.checksum.status == 0 || " \
      "icmp.checksum.status == 0"
EXID = 0x5452 # the experiment identifier of TCP-Real's option

# name, arguments of sim
COMBINATIONS = {
    "newreno over a queue and random loss":
        ["--link", "rate 10Mbit burst 20KB limit 32KB delay 15ms loss 1%", "-C", "newreno"],
    "tahoe on the old BSD stack over a two-state link":
        ["--link", "rate 2Mbit burst 0B limit 128KB delay 15ms loss gilbert on 1s 20% off 1s 0% shared", "--preset", "bsd90",
         "-C", "tahoe"],
    "reno through duplication and reordering":
        ["--fwd", "rate 20Mbit burst 20KB limit 64KB delay 5ms duplicate 1% reorder 2% delay 4ms", "--rev", "delay 5ms loss 2%",
         "-C", "reno"],
    "TCP-Real hardened, with SACK and timestamps":
        ["--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms loss 1%", "-C", "real", "--rcc", "real"],
    "TCP-Real by the paper, through outages":
        ["--link", "rate 2Mbit burst 0B limit 128KB delay 15ms outage every 2s for 300ms at 1s", "--preset", "bsd90",
         "-C", "real:profile=paper", "--rcc", "real:profile=paper"],
    "four flows of odd segment size without window scaling":
        ["--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms", "-P", "4", "-S", "mss=777B", "-S", "window_scaling=off"],
}


def tshark(path, condition, *fields):
    """The packets that fulfil the condition: one tuple of fields each."""
    if not shutil.which("tshark"):
        raise Skip("no tshark")
    command = ["tshark", "-r", path, *STRICT, "-Y", condition, "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]
    for field in fields or ["frame.number"]:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    equal(done.returncode, 0, f"exit code of tshark\n{done.stderr}")
    return [tuple(line.split("|")) for line in done.stdout.splitlines()]


def guessed(path):
    """Segments in which tshark sees anything above TCP but data (of a segment it saw before it says no more than TCP)."""
    above = tshark(path, "tcp.len > 0", "frame.number", "frame.protocols")
    return [number for number, protocols in above if protocols.split(":tcp")[1] not in ("", ":data")]


def sound(path):
    """Not one malformed packet or bad checksum; and tshark did check them."""
    bad = tshark(path, BAD, "frame.number", "frame.interface_name", "_ws.expert.message")
    equal(bad[:3], [], f"packets that tshark complains about, of {len(bad)}")
    equal(guessed(path), [], "payload taken for another protocol")
    segments = len(tshark(path, "tcp"))
    equal(len(tshark(path, "tcp.checksum.status == 1 && ip.checksum.status == 1")), segments, "segments with a good checksum")
    return segments


def drops(path):
    """Dropped frames by cause, from the comments on the interface of drops."""
    count = collections.Counter()
    for (comment,) in tshark(path, 'frame.interface_name == "drops"', "frame.comment"):
        check(comment.startswith("dropped: ") and " at " in comment, f"comment {comment!r}")
        count[comment[len("dropped: "):].split(" at ")[0]] += 1
    return dict(count)


for title, words in COMBINATIONS.items():
    @test(f"a virtual capture of {title} is sound, and its drops are those of the record")
    def _(words=words):
        out, _ = HOME.run("sim", "-n", "512KiB", "--seed", "3", "--json", "--capture", "sim.pcapng", *words)
        got = record(out)
        path = merged(HOME.path("sim.pcapng"), "host-b")
        segments = sound(path)
        sent = sum(flow["sender"]["sent_segs"] for flow in got["flows"])
        check(segments > sent, f"{segments} segments captured, {sent} sent by a alone")
        equal(drops(path), got["dropped_frames"], "drops by cause")
        at_a = len(tshark(path, 'frame.interface_name == "host-a" && ip.src == 10.0.0.1'))
        at_b = len(tshark(path, 'frame.interface_name == "host-b" && ip.src == 10.0.0.1'))
        lost = len(tshark(path, 'frame.interface_name == "drops" && ip.src == 10.0.0.1'))
        if "duplicate" not in " ".join(words):
            equal(at_a, at_b + lost, "what left a arrived at b or was dropped on the way")
        else:
            check(at_b + lost >= at_a, "duplicates add frames")


@test("a payload byte changed in a capture is found by this very check")
def _():
    HOME.run("sim", "-n", "20KiB", "--quiet", "--capture", "bad.pcapng")
    path = HOME.path("bad.pcapng")
    sound(path)
    with open(path, "r+b") as file:
        file.seek(len(file.read()) // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    try:
        sound(path)
    except AssertionError:
        return
    raise AssertionError("nobody noticed")


@test("tshark takes no segment of 16 MiB of payload for another protocol")
def _():
    HOME.run("sim", "-n", "16MiB", "--quiet", "--seed", "11", "--link", "rate 1Gbit burst 20KB limit 1MB delay 1ms",
             "--capture", "payload.pcapng")
    path = HOME.path("payload.pcapng")
    equal(guessed(path), [], "guesses")
    check(len(tshark(path, "data")) > 10000, "segments with payload")


@test("equal virtual runs write equal captures, and another seed another one")
def _():
    words = ["sim", "-n", "256KiB", "--quiet", "--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms loss 2%"]
    content = []
    for seed in ("7", "7", "8"):
        HOME.run(*words, "--seed", seed, "--capture", "equal.pcapng")
        files = []
        for path in (HOME.path("equal.pcapng"), point(HOME.path("equal.pcapng"), "host-b"), point(HOME.path("equal.pcapng"), "drops")):
            with open(path, "rb") as file:
                files.append(file.read())
        content.append(files)
    check(content[0] == content[1], "seed 7 twice")
    check(content[0] != content[2], "seeds 7 and 8")


@test("every segment with ACK of a TCP-Real receiver carries its option, which tshark decodes by its ExID")
def _():
    HOME.run("sim", "-n", "512KiB", "--quiet", "--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms loss 1%",
             "-C", "real", "--rcc", "real", "--capture", "real.pcapng")
    path = point(HOME.path("real.pcapng"), "host-b")
    from_b = 'frame.interface_name == "host-b" && ip.src == 10.0.0.2 && tcp.flags.ack == 1 && tcp.flags.reset == 0'
    acks = tshark(path, from_b, "tcp.options.experimental.exid")
    check(len(acks) > 100, f"{len(acks)} ACKs")
    bare = [exid for (exid,) in acks if int(exid or "0", 0) != EXID]
    equal(bare, [], "options of ACKs")
    levels = tshark(path, from_b + " && tcp.flags.syn == 0", "tcp.options.experimental.data")
    check(all(level for (level,) in levels), "an option without data")


@test("with timestamps and TCP-Real's option two SACK blocks still fit, and no header is above 60 bytes")
def _():
    HOME.run("sim", "-n", "1MiB", "--quiet", "--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms loss 5%",
             "-C", "real", "--rcc", "real", "--capture", "sack.pcapng")
    path = point(HOME.path("sack.pcapng"), "host-b")
    blocks = tshark(path, 'frame.interface_name == "host-b" && ip.src == 10.0.0.2 && tcp.options.experimental.exid',
                    "tcp.options.sack.count", "tcp.hdr_len")
    most = max(int(count or 0) for count, _ in blocks)
    equal(most, 2, "SACK blocks beside the option")
    check(max(int(length) for _, length in blocks) <= 60, "header length")


@test("a capture of the emulator daemon and of both engines, over a real wire, is sound and agrees with the sender's count")
def _():
    need_labs(HOME)
    path = HOME.path("lab.pcapng")
    with lab(HOME, "wire", "--link", "rate 20Mbit burst 20KB limit 64KB delay 5ms loss 1%", "--seed", "4", "--capture", path):
        peer = HOME.start("lab", "exec", "wire:b", HOME.program, "recv", "-1", "--rcc", "real", "--capture", HOME.path("b.pcapng"))
        wait_for(peer, "listening")
        out, _ = HOME.run("lab", "exec", "wire:a", HOME.program, "send", "-c", "b", "-n", "1MiB", "-C", "real", "--rcc", "real",
                          "--json", "--capture", HOME.path("a.pcapng"))
        equal(end(peer)[0], 0, "exit code of recv")
    path = merged(path, "b")
    for file in (path, HOME.path("a.pcapng"), HOME.path("b.pcapng")):
        sound(file)
    check(drops(path).get("loss", 0) > 0, "drops in the emulator's capture")
    sent = len(tshark(HOME.path("a.pcapng"), "tcp && ip.src == 10.77.0.101"))
    # the record is taken as the result arrives; the ACK of the peer's FIN leaves after it
    check(0 <= sent - record(out)["sender"]["sent_segs"] <= 2, "segments sent")


@test("the file of a point shows as many retransmissions as were sent; one file of all points shows many that never were")
def _():
    out, _ = HOME.run("sim", "-n", "5MiB", "--seed", "3", "--json", "-C", "reno", "--capture", "expert.pcapng",
                      "--link", "rate 10Mbit burst 20KB limit 64KB delay 15ms loss 1%")
    again = record(out)["flows"][0]["sender"]["retransmits_segs"]
    check(again > 20, f"{again} sent again")
    path = HOME.path("expert.pcapng")
    ids = {number for (number,) in tshark(path, "tcp.analysis.retransmission", "frame.packet_id")}
    gone = {number for (number,) in tshark(point(path, "drops"), "tcp.len > 0", "frame.packet_id")}
    for file, wanted in ((path, again), (point(path, "host-b"), again - len(ids & gone))):
        equal({interface for (interface,) in tshark(file, "frame", "frame.interface_name")} - {"host-a", "host-b"}, set(), "other points")
        # where tshark did not see the first copy it takes a late second one for a segment out of order
        equal(len(tshark(file, "tcp.analysis.retransmission || tcp.analysis.out_of_order")), wanted, f"sent again, by tshark in {file}")
    equal(len(tshark(path, "tcp.analysis.out_of_order")), 0, "out of order where all was sent in order")
    both = merged(path, "host-b")
    seen = len(tshark(both, "tcp.analysis.retransmission || tcp.analysis.out_of_order"))
    check(seen > 50 * again, f"{seen} in one file: the counts above prove nothing any more")


@test("the round trips of a trace and of a record are those that tshark measures, ACK by ACK")
def _():
    out, _ = HOME.run("sim", "-n", "1MB", "--json", "--trace", "rtt.jsonl", "--capture", "rtt.pcapng", "--link", "rate 10Mbit burst 0B limit 2MB delay 15ms")
    with open(HOME.path("rtt.jsonl"), encoding="utf-8") as file:
        events = list(map(json.loads, file))
    ours = [event["data"]["rtt_ns"] for event in events if event["event"] == "recovery:rtt_sampled" and event["host"] == "a"]
    theirs = tshark(HOME.path("rtt.pcapng"), "ip.src == 10.0.0.2 && tcp.analysis.ack_rtt", "tcp.analysis.ack_rtt")
    theirs = [round(float(seconds) * 1e9) for (seconds,) in theirs]
    check(len(ours) > 300, f"{len(ours)} round trips")
    equal(ours[:len(theirs)], theirs[:len(ours)], "round trips")
    check(abs(len(ours) - len(theirs)) <= 1, f"{len(ours)} round trips, tshark has {len(theirs)}") # it measures that of the FIN too
    sender = record(out)["flows"][0]["sender"]
    equal((round(sender["min_rtt_s"] * 1e9), round(sender["mean_rtt_s"] * 1e6)), (min(ours), round(sum(ours) / len(ours) / 1e3)), "record")


@test("the journal of a run has the drops of its capture, frame by frame")
def _():
    HOME.run("sim", "-n", "512KiB", "--quiet", "--link", "rate 10Mbit burst 20KB limit 32KB delay 15ms loss 1%",
             "--capture", "join.pcapng", "--trace", "join.jsonl")
    with open(HOME.path("join.jsonl"), encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    journal = [(e["time_ns"], f"dropped: {e['data']['cause']} at {e['data']['node']}", e["data"]["len_bytes"])
               for e in events if e.get("event") == "emulation:packet_dropped"]
    epoch = 978307200 * 10**9 # 2001-01-01, scenario time 0
    capture = []
    for when, comment, length in tshark(point(HOME.path("join.pcapng"), "drops"), 'frame.interface_name == "drops"', "frame.time_epoch",
                                        "frame.comment", "frame.len"):
        whole, _, part = when.partition(".")
        capture.append((int(whole) * 10**9 + int(part.ljust(9, "0")) - epoch, comment, int(length)))
    check(len(journal) > 5, f"{len(journal)} drops")
    equal(capture, journal, "drops")


finish()
