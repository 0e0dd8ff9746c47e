#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Transfers over real ports: engine and engine, engine and kernel, both ways, and every way they can fail."""
import hashlib
import json
import os
import signal
import time

from e2e import LIMIT, MIB, Home, Skip, check, end, equal, finish, lab, need_labs, record, running, test, until, wait_for, members

HOME = Home()
PROGRAM = HOME.program
ROUGH = "delay 2ms loss 0.5% duplicate 0.5% reorder 1% delay 3ms"

SINK = """
import hashlib, socket, sys
s = socket.create_server(("", 9000))
print("listening", file=sys.stderr, flush=True)
c, _ = s.accept()
h = hashlib.sha256(); n = 0
while d := c.recv(1 << 16):
    h.update(d); n += len(d)
c.close()
print(n, h.hexdigest())
"""

SOURCE = """
import socket, sys
with open(sys.argv[1], "rb") as f: data = f.read()
with socket.create_connection(("b.engine", 9000)) as c:
    c.sendall(data); c.shutdown(socket.SHUT_WR)
    while c.recv(4096): pass
"""


def inside(where, *words):
    return HOME.start("lab", "exec", f"demo:{where}", *words)


def receiver(*options):
    process = inside("b", PROGRAM, "recv", *options)
    wait_for(process, "listening")
    return process


def sends(*options, code=0):
    return HOME.run("lab", "exec", "demo:a", PROGRAM, "send", *options, code=code, limit=LIMIT + 40)


def file_of(size):
    path = HOME.path("payload")
    block = hashlib.sha256(b"wavetank").digest() * 2048
    with open(path, "wb") as file:
        for i in range(0, size, len(block)):
            file.write((i.to_bytes(8, "big") + block)[:min(len(block), size - i)])
    with open(path, "rb") as file:
        return path, hashlib.sha256(file.read()).hexdigest()


for backend in ("tap", "packet"):
    def need(backend=backend):
        if backend not in need_labs(HOME):
            raise Skip(f"backend {backend} does not work here")

    @test(f"engine to engine over {backend}, {MIB} MiB through loss, duplication and reordering arrive byte for byte")
    def _(backend=backend, need=need):
        need()
        with lab(HOME, "demo", "--backend", backend, "--link", ROUGH, "--seed", "5"):
            peer = receiver("-1")
            out, _ = sends("-c", "b", "-n", f"{MIB}MiB", "--json", "--seed", "3")
            got = record(out)
            equal(end(peer)[0], 0, "exit code of recv")
            equal(got["schema"], "wavetank.transfer.1", "schema")
            equal((got["outcome"], got["partial"], got["payload_bytes"]), ("complete", False, MIB << 20), "outcome")
            check(got["receiver"]["verified"] and got["receiver"]["payload_bytes"] == MIB << 20, "verified at the other end")
            check(got["sender"]["retransmits_segs"] > 0 and got["receiver"]["out_of_order_segs"] > 0, "the path was rough")
            equal(got["seed"], 3, "seed")
            check(got["stack"]["settings"]["rto_min"] and got["stack"]["sender"]["name"] == got["sender"]["module"], "settings")

    @test(f"engine to kernel over {backend}, {MIB} MiB arrive byte for byte")
    def _(backend=backend, need=need):
        need()
        path, digest = file_of(MIB << 20)
        with lab(HOME, "demo", "--backend", backend, "--link", ROUGH):
            sink = inside("b", "/usr/bin/python3", "-c", SINK)
            wait_for(sink, "listening")
            sends("-c", "b.kernel", "-p", "9000", "--raw", "-F", path)
            equal(end(sink)[1], f"{MIB << 20} {digest}\n", "what the kernel's socket got")

    @test(f"kernel to engine over {backend}, {MIB} MiB arrive byte for byte")
    def _(backend=backend, need=need):
        need()
        path, digest = file_of(MIB << 20)
        with lab(HOME, "demo", "--backend", backend, "--link", ROUGH):
            peer = receiver("-1", "--raw", "-p", "9000", "-o", HOME.path("got"))
            HOME.run("lab", "exec", "demo:a", "/usr/bin/python3", "-c", SOURCE, path)
            equal(end(peer)[0], 0, "exit code of recv")
            with open(HOME.path("got"), "rb") as file:
                equal(hashlib.sha256(file.read()).hexdigest(), digest, "digest")


@test("standard input goes to a kernel socket as it comes")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "delay 1ms"):
        sink = inside("b", "/usr/bin/python3", "-c", SINK)
        wait_for(sink, "listening")
        HOME.run("lab", "exec", "demo:a", "sh", "-c",
                 f"(echo one; sleep 0.5; echo two) | {PROGRAM} send -c b.kernel -p 9000 --raw -F -")
        equal(end(sink)[1], f"8 {hashlib.sha256(b'one' + bytes([10]) + b'two' + bytes([10])).hexdigest()}\n", "bytes")


@test("a live stream is played over TAP, and both ends know how many reads were there in time")
def _():
    need_labs(HOME)
    words = "playback:read=5KB,interval=40ms,attempts=50,preroll=1500ms" # what the host takes away is made up for before it is missed
    with lab(HOME, "demo", "--link", "rate 2Mbit burst 0B limit 64KB delay 15ms"):
        peer = receiver("-1", "--app", words, "--json")
        got = record(sends("-c", "b", "--app", words, "--json")[0]) # 50 reads of 5 KB, unless told otherwise
        equal(got["receiver"]["payload_bytes"], 250000, "payload")
        theirs = record(end(peer)[1])
        played = got["receiver"]["playback"]
        equal(theirs["receiver"]["playback"], played, "what the two ends say")
        equal(played["attempts"], 50, "attempts")
        check(played["successes"] >= 48, f"{played['successes']} of 50 reads in time")
        check(got["connection_time_s"] > 1.9, "a live source takes its time")
        check(got["receiver"]["verified"], "verified")


@test("TCP-Real runs over a real wire when both ends take part, and falls back when the receiver does not")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 20Mbit burst 20KB limit 64KB delay 5ms"):
        peer = receiver("-1")
        got = record(sends("-c", "b", "-n", "2MiB", "-C", "real", "--json")[0])
        end(peer)
        equal((got["sender"]["module"], got["sender"]["fallback"], got["receiver"]["module"]), ("real", False, "real"), "modules")
        peer = receiver("-1", "--rcc", "standard")
        got = record(sends("-c", "b", "-n", "2MiB", "-C", "real", "--json")[0])
        end(peer)
        equal((got["sender"]["fallback"], got["receiver"]["module"]), (True, "standard"), "modules")
        sink = inside("b", "/usr/bin/python3", "-c", SINK)
        wait_for(sink, "listening")
        got = record(sends("-c", "b.kernel", "-p", "9000", "-n", "2MiB", "-C", "real", "--raw", "--json")[0])
        check(end(sink)[1].startswith(f"{2 << 20} "), "a Linux peer gets everything")
        equal(got["sender"]["fallback"], True, "fallback")


@test("one server takes several senders of one host at a time")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 50Mbit burst 20KB limit 200KB delay 2ms"):
        peer = receiver("--json")
        senders = [inside("a", PROGRAM, "send", "-c", "b", "-n", "1MiB", "--quiet") for _ in range(3)]
        for sender in senders:
            equal(end(sender)[0], 0, "exit code of send")
        os.killpg(peer.pid, signal.SIGINT)
        code, out, _ = end(peer)
        equal(code, 130, "exit code of recv")
        records = [line for line in map(json.loads, out.splitlines()) if line["schema"] == "wavetank.transfer.1"]
        equal([r["receiver"]["verified"] for r in records], [True] * 3, "records")


@test("interrupted, send ends with 130 and a valid record marked partial")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 5Mbit burst 20KB limit 64KB delay 5ms"):
        peer = receiver("-1")
        sender = inside("a", PROGRAM, "send", "-c", "b", "-t", "100s", "--json", "-i", "200ms", "-S", "snd_buffer=64KiB")
        check('"wavetank.interval.1"' in sender.stdout.readline(), "an interval line")
        os.killpg(sender.pid, signal.SIGINT)
        code, out, _ = end(sender)
        equal(code, 130, "exit code")
        got = record(out)
        equal((got["schema"], got["partial"]), ("wavetank.transfer.1", True), "record")
        check(got["receiver"] and got["receiver"]["verified"], "what was sent was verified")
        equal(end(peer)[0], 0, "exit code of recv")


@test("interrupted with seconds of data still buffered, send gives up after a moment and says how much was acknowledged")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 1Mbit burst 20KB limit 64KB delay 5ms"):
        peer = receiver("-1")
        sender = inside("a", PROGRAM, "send", "-c", "b", "-t", "100s", "--json", "-i", "200ms")
        sender.stdout.readline()
        start = time.monotonic()
        os.killpg(sender.pid, signal.SIGINT)
        code, out, _ = end(sender)
        equal(code, 130, "exit code")
        check(time.monotonic() - start < 10, "in time") # what is buffered takes longer
        got = record(out)
        equal((got["partial"], got["outcome"], got["receiver"]), (True, "cancelled", None), "record")
        check(0 < got["acked_bytes"] < got["payload_bytes"], "acknowledged bytes")
        equal(end(peer)[0], 4, "exit code of recv")


@test("interrupted, recv ends with 130, a partial record, and the sender learns it at once")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 5Mbit burst 20KB limit 64KB delay 5ms"):
        peer = receiver("--json")
        sender = inside("a", PROGRAM, "send", "-c", "b", "-t", "100s", "--json", "-i", "200ms")
        sender.stdout.readline()
        os.killpg(peer.pid, signal.SIGTERM)
        code, out, _ = end(peer)
        equal(code, 128 + signal.SIGTERM, "exit code of recv")
        equal(record(out)["partial"], True, "partial")
        code, out, err = end(sender)
        equal(code, 4, "exit code of send")
        equal(record(out)["error"], "ECONNRESET", "error")
        equal(len(err.splitlines()), 1, f"lines\n{err}")


@test("send -t ends at its time: what is buffered and was not sent is dropped, and all that was sent is verified")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 1Mbit burst 0B limit 64KB delay 5ms"):
        peer = receiver("-1")
        got = record(sends("-c", "b", "-t", "2s", "--json")[0])
        equal(end(peer)[0], 0, "exit code of recv")
        equal((got["outcome"], got["receiver"]["verified"]), ("complete", True), "outcome")
        # two seconds of the rate and a full queue; with the 4 MiB of the buffer it would be sixteen times as much
        check(0 < got["payload_bytes"] <= 250000 + 64000, got["payload_bytes"])
        equal(got["receiver"]["payload_bytes"], got["payload_bytes"], "bytes")


@test("recv -1 is for the first peer that sends something: one that is silent, or leaves without a byte, does not end it")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "delay 1ms"):
        peer = receiver("-1")
        silent = inside("a", "/usr/bin/python3", "-c", "import socket, time\nfor i in range(2):\n  c = socket.create_connection(('b.engine', 5754))\n"
                        "  if not i: c.close()\nprint('connected', flush=True)\nprint(c.recv(1))")
        equal(silent.stdout.readline(), "connected\n", "a silent peer")
        sends("-c", "b", "-n", "100KB", "--quiet")
        equal(end(peer)[0], 0, "exit code of recv")
        check("ConnectionResetError" in end(silent)[2], "the silent one is told")


@test("a refused connection is exit code 4 and one line")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "delay 1ms"):
        _, err = sends("-c", "b.kernel", "-p", "9", code=4)
        check("Connection refused" in err and len(err.splitlines()) == 1, err)


@test("a peer that is gone is exit code 4, and --timeout is exit code 124")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "rate 5Mbit burst 20KB limit 64KB delay 5ms") as state:
        empty = members(state["keeper"][0])
        peer = receiver()
        sender = inside("a", PROGRAM, "send", "-c", "b", "-t", "100s", "-S", "data_retries=2", "-i", "200ms")
        sender.stdout.readline()
        sender.stdout.readline()
        both = members(state["keeper"][0]) - empty
        check(len(both) >= 2, both)
        os.killpg(peer.pid, signal.SIGKILL)
        code, _, err = end(sender)
        equal(code, 4, f"exit code\n{err}")
        check("Connection timed out" in err, err)
        until(lambda: not any(map(running, both)), "recv and send are gone")
        start = time.monotonic()
        sends("-c", "b", "--timeout", "500ms", code=124)
        check(time.monotonic() - start < 15, "in time")


@test("a second server on the same host is refused with exit code 3")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "delay 1ms"):
        peer = receiver()
        _, err = HOME.run("lab", "exec", "demo:b", PROGRAM, "recv", code=3)
        check("another wavetank uses address 10.77.0.102" in err, err)
        os.killpg(peer.pid, signal.SIGINT)
        equal(end(peer)[0], 130, "exit code")


@test("a full disk under the capture is exit code 3, and the result is kept")
def _():
    need_labs(HOME)
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    with lab(HOME, "demo", "--link", "delay 1ms"):
        peer = receiver("-1")
        out, err = sends("-c", "b", "-n", "1MiB", "--capture", "/dev/full", "--json", code=3)
        equal(record(out)["outcome"], "complete", "outcome")
        check("No space left on device" in err, err)
        equal(end(peer)[0], 0, "exit code of recv")
        peer = receiver("-1", "--raw", "-p", "9000", "-o", "/dev/full")
        sends("-c", "b", "-p", "9000", "-n", "1MiB", "--raw")
        code, out, err = end(peer)
        equal(code, 3, "exit code of recv")
        check("No space left on device" in err, err)


@test("capture and trace of one end are readable and agree on the number of segments")
def _():
    need_labs(HOME)
    with lab(HOME, "demo", "--link", "delay 1ms loss 1%"):
        peer = receiver("-1")
        out, _ = sends("-c", "b", "-n", "500KB", "--capture", "end.pcapng", "--trace", "end.jsonl", "--json")
        end(peer)
        with open(HOME.path("end.jsonl"), encoding="utf-8") as file:
            sent = sum("packet_sent" in line for line in file if json.loads(line))
        # The record is taken as the result arrives; the ACK of the peer's FIN leaves after it.
        check(0 <= sent - record(out)["sender"]["sent_segs"] <= 2, "segments sent")
        check(os.path.getsize(HOME.path("end.pcapng")) > 500000, "capture holds the payload")


finish()
