#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The engine on a plain TAP (1500-byte frames, no offload) with the kernel as peer, both ways: at least 1.5 Gbit/s, best of three."""
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

SIZE = 500 << 20
TARGET = 1.5e9
ENGINE = ("--port", "tap:wt0", "--address", "10.0.0.2/24", "-p", "9000", "--raw", "-i", "0", "--quiet")
PROGRAM = os.path.abspath(sys.argv[1])


def enter_namespace():
    """Starts this script again in a network namespace of its own."""
    if os.environ.get("WAVETANK_BENCH") == "inside":
        return
    os.environ["WAVETANK_BENCH"] = "inside"
    if not shutil.which("unshare"):
        skip("no unshare")
    flags = "-n" if os.geteuid() == 0 else "-rn"
    os.execlp("unshare", "unshare", flags, sys.executable, *sys.argv)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def make_tap():
    """A persistent TAP with the kernel's address; the descriptor is closed again, so that the engine can attach."""
    try:
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", b"wt0", 0x1002))  # TUNSETIFF, IFF_TAP | IFF_NO_PI
        fcntl.ioctl(tun, 0x400454cb, 1)  # TUNSETPERSIST
    except OSError as why:
        skip(f"no TAP here: {why}")
    os.close(tun)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for request, text in ((0x8916, "10.0.0.1"), (0x891c, "255.255.255.0")):  # SIOCSIFADDR, SIOCSIFNETMASK
            fcntl.ioctl(s, request, struct.pack("16sHH4s16x", b"wt0", socket.AF_INET, 0, socket.inet_aton(text)))
        fcntl.ioctl(s, 0x8914, struct.pack("16sH22x", b"wt0", 0x1 | 0x40))  # SIOCSIFFLAGS, up


def cpu_seconds(process):
    """Waits for the engine; its CPU time, which says more than the clock on a busy machine."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return usage.ru_utime + usage.ru_stime


def engine_sends():
    with socket.create_server(("10.0.0.1", 9000)) as server:
        sender = subprocess.Popen([PROGRAM, "send", "-c", "10.0.0.1", "-n", f"{SIZE}B", *ENGINE], stdout=subprocess.DEVNULL)
        server.settimeout(20)
        connection, _ = server.accept()
        connection.settimeout(20)
        buffer, got, start = bytearray(1 << 20), 0, time.monotonic()
        while count := connection.recv_into(buffer):
            got += count
        seconds = time.monotonic() - start
        connection.close()
    assert got == SIZE, f"{got} bytes"
    return SIZE * 8 / seconds, cpu_seconds(sender)


def engine_receives():
    receiver = subprocess.Popen([PROGRAM, "recv", "-1", *ENGINE], stdout=subprocess.PIPE, text=True)
    for _ in range(100):
        try:
            connection = socket.create_connection(("10.0.0.2", 9000), 20)
            break
        except OSError:
            time.sleep(0.1)
    block, sent, start = bytes(1 << 20), 0, time.monotonic()
    with connection:
        while sent < SIZE:
            connection.sendall(block)
            sent += len(block)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
        seconds = time.monotonic() - start
    out = receiver.stdout.read()
    assert out.startswith("complete: 524 MB"), out
    return SIZE * 8 / seconds, cpu_seconds(receiver)


enter_namespace()
make_tap()
failed = False
for name, run in (("engine sends", engine_sends), ("engine receives", engine_receives)):
    results = [run() for _ in range(3)]
    failed |= max(rate for rate, _ in results) < TARGET
    print(f"{name}: {', '.join(f'{rate / 1e9:.2f}' for rate, _ in results)} Gbit/s (target {TARGET / 1e9:.1f}, best of three); "
          f"{', '.join(f'{SIZE * 8 / 1e9 / cpu:.2f}' for _, cpu in results)} Gbit per second of its CPU")
if failed and os.getloadavg()[0] > os.cpu_count():
    skip(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors: the machine was too busy to judge")
sys.exit(1 if failed else 0)
