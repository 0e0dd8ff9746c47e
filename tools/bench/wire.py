# SPDX-License-Identifier: BSD-2-Clause
"""A kernel and our engine at the two ends of a device, in a network namespace of their own, and loads between them.

    kernel, 10.0.0.1 ── wt0 (TAP, or a veth pair with a packet socket at its end wt1) ── wavetank serve, 10.0.0.2
"""
import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

ECHO, DISCARD, BYTE, SOURCE = 7, 9, 17, 19
OURS, KERNELS = "10.0.0.2", "10.0.0.1"
TUNSETIFF, TUNSETPERSIST, IFF_TAP, IFF_VNET_HDR = 0x400454ca, 0x400454cb, 0x1002, 0x4000


class NotHere(Exception):
    """This machine has no namespaces or no TAP."""


# ---- the end by a signal ----

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CALLED = [] # the signal that came


def children(pid):
    """Those of all its threads."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    return found


def descendants(pid):
    found = children(pid)
    return found + [one for child in found for one in descendants(child)]


def called(number, _):
    """All processes below us end, and what waits for them then goes on to its end. A second signal ends us at once, and the kernel them."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL)
    CALLED.append(number)
    for pid in descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    sys.exit(128 + number)


def listen():
    """wavetank starts us with these signals blocked, so that none comes before we know what to do. SIGHUP stays ignored below nohup."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, called)
    tied(signal.SIGTERM) # once more: a new user namespace may forget it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def tied(number=signal.SIGKILL):
    """In a child: it gets the signal when its parent ends."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, number)


# ---- the namespace and its devices ----

def enter_namespace():
    """Starts this program again in a network namespace of its own."""
    if os.environ.get("WAVETANK_WIRE") == "inside":
        return
    if not shutil.which("unshare"):
        raise NotHere("no unshare")
    flags = ["-n"] if os.geteuid() == 0 else ["-rn"]
    if subprocess.run(["unshare", *flags, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise NotHere("no network namespace")
    os.environ["WAVETANK_WIRE"] = "inside"
    os.execlp("unshare", "unshare", *flags, sys.executable, "-B", *sys.argv)


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL)


def make_tap(name="wt0", headers=False):
    """A persistent TAP with the kernel's address, its descriptor closed again for the engine to attach."""
    try:
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | (IFF_VNET_HDR if headers else 0)))
        fcntl.ioctl(tun, TUNSETPERSIST, 1)
    except OSError as why:
        raise NotHere(f"no TAP here: {why}") from why
    os.close(tun)
    give_address(name)


def make_pair(kernel="wt0", other="wt1"):
    ip("link", "add", kernel, "type", "veth", "peer", "name", other)
    ip("link", "set", other, "up")
    give_address(kernel)


def give_address(name):
    ip("address", "add", KERNELS + "/24", "dev", name)
    ip("link", "set", name, "up")


def remove(name="wt0"):
    """A pair whose other end stood in a namespace that has ended may be gone already."""
    subprocess.run(["ip", "link", "delete", name], stderr=subprocess.DEVNULL, check=False)


class Engine:
    """`wavetank serve` on a port, until the end of the block. prefix: words in front, such as strace's."""

    def __init__(self, program, *words, port="tap:wt0", prefix=()):
        self.start([*prefix, program, "serve", "--port", port, "--address", OURS + "/24", *words], bool(prefix))

    def start(self, words, wrapped=False):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=tied)
        line = self.process.stderr.readline()
        if "serving" not in line:
            self.process.wait()
            raise RuntimeError(line.strip() or "serve ended")
        self.pid = self.process.pid
        if wrapped: # the engine is its child
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
                self.pid = int(file.read().split()[0])
        self.usage = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        """Bytes."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def most_resident(self):
        """Bytes."""
        with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))

    def end(self):
        if self.usage is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
            self.process.stdout.read()
            self.process.stderr.read()
            _, status, self.usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            for pipe in (self.process.stdout, self.process.stderr):
                pipe.close()


class Kernel(Engine):
    """`wavetank kernel serve` in a namespace of its own, at the other end of a veth pair."""

    def __init__(self, program, offload=True):
        make_pair()
        self.space = subprocess.Popen(["unshare", "-n", "cat"], stdin=subprocess.PIPE, preexec_fn=tied)
        inside = ["nsenter", "-t", str(self.space.pid), "-n"]
        while os.readlink(f"/proc/{self.space.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        ip("link", "set", "wt1", "netns", str(self.space.pid))
        subprocess.run([*inside, "ip", "address", "add", OURS + "/24", "dev", "wt1"], check=True)
        subprocess.run([*inside, "ip", "link", "set", "wt1", "up"], check=True)
        if not offload:
            offloads_off("wt0")
            subprocess.run([*inside, sys.executable, "-B", os.path.abspath(__file__), "wt1"], check=True)
        self.start([*inside, program, "kernel", "serve"])

    def end(self):
        super().end()
        self.space.stdin.close()
        self.space.wait()


def offloads_off(name):
    """SIOCETHTOOL: checksums, scatter-gather, segmentation and the merging of what is received."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for command in (0x2c, 0x24, 0x1f, 0x19, 0x17): # SGRO, SGSO, STSO, SSG, STXCSUM
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP16x", name.encode(), ctypes.addressof(value))
            with contextlib.suppress(OSError):
                fcntl.ioctl(sock, 0x8946, request)


@contextlib.contextmanager
def connection(service, host=OURS, limit=20):
    with socket.create_connection((host, service), limit) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield sock


def pull(size, host=OURS):
    """Reads `size` bytes of the source. Seconds."""
    buffer, got = bytearray(1 << 20), 0
    with connection(SOURCE, host) as sock:
        start = time.monotonic()
        while got < size:
            count = sock.recv_into(buffer)
            if not count:
                raise RuntimeError("the source ended")
            got += count
        return time.monotonic() - start


def push(size, host=OURS):
    """Writes `size` bytes to be discarded, and waits until they were read. Seconds."""
    block, sent = bytes(1 << 20), 0
    with connection(DISCARD, host) as sock:
        start = time.monotonic()
        while sent < size:
            count = min(len(block), size - sent)
            sock.sendall(memoryview(block)[:count])
            sent += count
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(4096):
            pass
        return time.monotonic() - start


def ask(count, size=64, host=OURS):
    """Requests of `size` bytes, each echoed, one after the other. Microseconds of each, sorted."""
    request, times = bytes(size), []
    with connection(ECHO, host) as sock:
        for _ in range(count):
            start, got = time.perf_counter_ns(), 0
            sock.sendall(request)
            while got < size:
                piece = sock.recv(size - got)
                if not piece:
                    raise RuntimeError("the echo ended")
                got += len(piece)
            times.append((time.perf_counter_ns() - start) / 1e3)
    return sorted(times)


def open_and_close(count, host=OURS):
    """Connections one after the other, each until its byte and the end have come."""
    for _ in range(count):
        with connection(BYTE, host) as sock:
            while sock.recv(16):
                pass


if __name__ == "__main__":
    offloads_off(sys.argv[1])
