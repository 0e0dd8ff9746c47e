#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The engine with and without offloads, its peer the kernel's TCP, which makes and takes the big frames: equal bytes, sound captures."""
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bench"))
import wire  # noqa: E402

try:
    wire.enter_namespace()
except wire.NotHere as why:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)

from e2e import Home, Skip, check, end, equal, finish, record, test, wait_for  # noqa: E402

HOME = Home()
PROGRAM = HOME.program
MB = 1000000
BAD = "_ws.malformed || _ws.expert.severity == error || ip.checksum.status == 0 || tcp.checksum.status == 0"
COUNTERS = ("TcpInErrs", "TcpRetransSegs", "IpInHdrErrors", "TcpInCsumErrors")


def counters():
    """The kernel's, of this namespace."""
    with open("/proc/net/snmp", encoding="ascii") as file:
        lines = [line.split() for line in file]
    return {head[0][:-1] + name: int(value) for head, row in zip(lines[::2], lines[1::2]) for name, value in zip(head[1:], row[1:])}


def echo(size):
    """Random bytes there and back at once, in writes of odd lengths. Are they the same?"""
    text, got = os.urandom(size), hashlib.sha256()
    with wire.connection(wire.ECHO) as sock:
        def write():
            at, step = 0, 1
            while at < size:
                sock.sendall(text[at:at + step])
                at, step = at + step, step * 7 % 200003
            sock.shutdown(socket.SHUT_WR)

        writer = threading.Thread(target=write)
        writer.start()
        while piece := sock.recv(1 << 18):
            got.update(piece)
        writer.join()
    return got.digest() == hashlib.sha256(text).digest()


def tshark(path, condition):
    if not shutil.which("tshark"):
        raise Skip("no tshark")
    done = subprocess.run(["tshark", "-r", path, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-Y", condition, "-T",
                           "fields", "-e", "frame.number", "-e", "tcp.len"], capture_output=True, text=True, timeout=120, check=True)
    return [int((line.split("\t") + ["0"])[1] or 0) for line in done.stdout.splitlines()]


for port in ("tap:wt0", "packet:wt1"):
    for words in ((), ("--offload",), ("--offload", "-S", "ack_drain=no"), ("--offload", "-S", "timestamps=no", "-M", "777B")):
        @test(f"{port.split(':')[0]} {' '.join(words) or 'without offloads'}: bytes come back as they went, tshark and the kernel find no fault")
        def _(port=port, words=words):
            path = HOME.path("engine.pcapng")
            try:
                (wire.make_tap if port.startswith("tap") else wire.make_pair)()
            except wire.NotHere as why:
                raise Skip(str(why)) from why
            try:
                before = counters()
                with wire.Engine(PROGRAM, *words, port=port): # where nobody looks the engine takes big frames whole
                    check(all(echo(size) for size in (1, 1448, 1449, 65000, 5 * MB)), "the bytes are other bytes, nobody looking")
                    wire.push(5 * MB)
                with wire.Engine(PROGRAM, *words, "--capture", path, port=port):
                    check(all(echo(size) for size in (1, 1448, 1449, 65000, 3 * MB)), "the bytes are other bytes")
                    wire.pull(MB)
                    wire.push(MB)
                after = counters()
                equal([after.get(name, 0) - before.get(name, 0) for name in COUNTERS if name != "TcpRetransSegs"], [0, 0, 0], "errors the kernel counts")
                equal(tshark(path, BAD), [], "faults tshark finds")
                lengths = tshark(path, "tcp.len > 0")
                check(max(lengths) <= 1460 and sum(lengths) >= 2 * (3 * MB + 65000) + 2 * MB, "the capture has each segment, and all bytes")
            finally:
                wire.remove()


@test("engine to engine with offloads, over a pair: every byte verified, each segment counted")
def _():
    wire.make_pair()
    try:
        wire.ip("address", "del", wire.KERNELS + "/24", "dev", "wt0")
        peer = HOME.start("recv", "-1", "--offload", "--port", "packet:wt0", "--address", "10.0.0.1/24")
        wait_for(peer, "listening")
        out, _ = HOME.run("send", "-c", "10.0.0.1", "-n", "8MB", "--json", "--offload", "--port", "packet:wt1", "--address", "10.0.0.2/24")
        got = record(out)
        equal(end(peer)[0], 0, "exit code of recv")
        check(got["receiver"]["verified"] and got["receiver"]["payload_bytes"] == 8 * MB, "verified at the other end")
        check(got["receiver"]["received_segs"] >= 8 * MB // 1448, "segments, not frames, are counted")
    finally:
        wire.remove()


@test("a lab refuses offloads")
def _():
    lab = {"WAVETANK_LAB": "x", "WAVETANK_HOST": "a", "WAVETANK_ADDRESS": "10.9.9.1/24"}
    done = subprocess.run([PROGRAM, "recv", "--offload", "--port", "tap:wtnone"], env={**HOME.environment, **lab}, capture_output=True, text=True,
                          timeout=20, check=False)
    equal((done.returncode, done.stderr.count("\n")), (2, 1), "exit code and lines")
    check("--offload" in done.stderr, done.stderr)


finish()
