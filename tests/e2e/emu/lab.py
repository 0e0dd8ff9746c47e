# SPDX-License-Identifier: BSD-2-Clause
"""What the end-to-end tests of the emulator share: two network namespaces, the daemon between them, plain kernel sockets.

A test is a script of functions whose names are sentences; `main()` runs them in order. Exit 77: skipped, with the reason.

The host may take processor and time from any process at any moment, a second at a time: what must have happened is waited for
(`until`, `shown`), limits of time are there against hanging only, and of round trips the best counts.
"""
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

WAVETANK = sys.argv[1] if len(sys.argv) > 1 else "wavetank"
A, B = "10.9.0.1", "10.9.0.2"
started = []


def skip(reason):
    print("SKIP:", reason)
    sys.exit(77)


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(w) for w in what))


def until(truth, what, seconds=30):
    """What the truth gives as soon as it is one."""
    end = time.monotonic() + seconds
    while not (found := truth()):
        check(time.monotonic() < end, what() if callable(what) else what)
        time.sleep(0.02)
    return found


def start(command, **options):
    process = subprocess.Popen(command, **options)
    started.append(process)
    return process


def stop(process, number=signal.SIGTERM, timeout=30):
    if process.poll() is None:
        process.send_signal(number)
    return process.wait(timeout)


def clean_up():
    for process in reversed(started):
        if process.poll() is None:
            process.kill()
            process.wait()


atexit.register(clean_up)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def run(command, timeout=60, **options):
    return subprocess.run(command, timeout=timeout, capture_output=True, text=True, **options)


class Side:
    """One end: a network namespace held by a sleeping process."""

    def __init__(self):
        self.holder = start(["unshare", "-n", "sleep", "1000"])
        mine = os.readlink("/proc/self/ns/net")
        limit = time.monotonic() + 30
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == mine:
            if self.holder.poll() is not None or time.monotonic() > limit:
                skip("no new network namespace here: run as root")
            time.sleep(0.01)

    def inside(self, *command):
        return ["nsenter", "-n", "-t", str(self.holder.pid), *command]

    def do(self, *command, **options):
        return run(self.inside(*command), **options)

    def must(self, *command):
        done = self.do(*command)
        check(done.returncode == 0, " ".join(command), done.stdout, done.stderr)
        return done.stdout

    def python(self, code, *arguments, **options):
        """Starts a Python program inside; it prints one line of JSON, which answer() reads."""
        return start(self.inside(sys.executable, "-c", code, *map(str, arguments)), stdout=subprocess.PIPE, text=True, **options)

    def interfaces(self):
        return {line["ifname"] for line in json.loads(self.must("ip", "-j", "link"))}

    def is_empty(self):
        """Nothing of an emulator is left here."""
        until(lambda: self.interfaces() == {"lo"}, lambda: f"left behind: {self.interfaces()}")

    def close(self):
        stop(self.holder, signal.SIGKILL)


def veth(middle, name, side):
    """A pair from a namespace for the emulator, not this one, where another test may have that name, to wt0 of a side; its port."""
    middle.must("ip", "link", "add", name, "type", "veth", "peer", "name", "wt0", "netns", str(side.holder.pid))
    return f"packet:{name}@{middle.holder.pid}"


def answer(process, timeout=60):
    out, _ = process.communicate(timeout=timeout)
    check(process.returncode == 0, "helper exited", process.returncode, out)
    return json.loads(out)


class Emulator:
    """The daemon between two sides, by TAP; addresses and neighbours are set when it is ready. Under: a command that runs it."""

    def __init__(self, a, b, *words, ports=None, addresses=True, under=()):
        if ports is None:
            ports = [f"tap:wt0@{a.holder.pid}", f"tap:wt0@/proc/{b.holder.pid}/ns/net"]
        self.control = words[words.index("--control") + 1] if "--control" in words else None
        read, write = os.pipe()
        command = [*under, WAVETANK, "emu", "run", "--json", "--die-with-parent", "--ready-fd", str(write)]
        for port in ports:
            command += ["--port", port]
        self.process = start(command + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as ready:
            word = ready.readline()
        if word != "ready\n":
            out, err = self.process.communicate(timeout=30)
            raise AssertionError(f"not ready: exit {self.process.returncode} {out} {err}")
        if addresses:
            for side, address in ((a, A), (b, B)):
                side.must("sysctl", "-qw", "net.ipv6.conf.wt0.disable_ipv6=1")
                side.must("ip", "address", "add", address + "/24", "dev", "wt0")
            for side, other, address in ((a, b, B), (b, a, A)):  # while an emulator without a processor holds ARP up, datagrams are lost
                mac = json.loads(other.must("ip", "-j", "link", "show", "wt0"))[0]["address"]
                side.do("ip", "neigh", "replace", address, "lladdr", mac, "dev", "wt0", "nud", "reachable")

    def shown(self):
        """Its record so far; it was given a control socket."""
        done = run([WAVETANK, "emu", "show", "--json", "--control", self.control])
        check(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)

    def read_again(self):
        """Makes it read its file again; what it says of that."""
        self.process.send_signal(signal.SIGHUP)
        while "read again: " not in (line := self.process.stderr.readline()):
            check(line, "it says nothing of a reload")
        return line.strip()

    def end(self, number=signal.SIGTERM, code=0):
        """Ends it and returns its last record."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        check(self.process.returncode == code, "exit", self.process.returncode, out, err)
        record = json.loads(out.splitlines()[-1])
        check(record["record"] == "end", record)
        check(record["audit_holds"], "the audit is broken:", record)
        return record


def stage(record, name):
    for direction in ("fwd", "rev"):
        for entry in record[direction]["stages"]:
            if entry["stage"] == name:
                return entry
    raise AssertionError(f"no stage {name} in {record}")


def scratch():
    """A folder that goes with the test."""
    folder = tempfile.mkdtemp(prefix="wavetank-e2e-")
    os.chmod(folder, 0o755)  # an emulator that is root no longer reads files in it again
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# Until its standard input ends, which says that all was sent, and then until nothing has come for so long.
# Frames sent to the TAP "left", as the kernel would send them, and those that come out of "right": their numbers.
PASS = """
import json, socket, sys
out, into = (socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5)) for _ in range(2))
out.bind(("left", 0x88b5))
into.bind(("right", 0x88b5))
into.settimeout(30)
for i in range(10):
    out.send(bytes(12) + b"\\x88\\xb5" + bytes(45) + bytes([i]))
print(json.dumps([into.recv(2000)[59] for i in range(10)]))
"""

UDP_RECEIVE = """
import json, select, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
s.bind(("", 7777))
print("listening", file=sys.stderr, flush=True)
got, ends = [], [sys.stdin]
while ready := select.select([s, *ends], [], [], None if ends else float(sys.argv[1]))[0]:
    if s in ready:
        got.append(int.from_bytes(s.recv(2000)[:4], "big"))
    else:
        ends = []
print(json.dumps(got))
"""

UDP_SEND = """
import json, socket, sys, time
to, count, gap, size = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
s.bind(("", int(sys.argv[5]) if len(sys.argv) > 5 else 0))
next = began = time.perf_counter()
for i in range(count):
    s.sendto(i.to_bytes(4, "big") + bytes(size - 4), (to, 7777))
    next += gap
    wait = next - time.perf_counter()
    if wait > 0:
        time.sleep(wait)
print(json.dumps(time.perf_counter() - began))
"""

# Answers are waited for as long as told, 10 s: those that must come, come, and who expects none says how long to wait in vain.
PING = """
import json, os, select, socket, struct, sys, time
to, count, gap = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
patience = float(sys.argv[4]) if len(sys.argv) > 4 else 10
def sum16(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
rtts, who = [], os.getpid() & 0xffff
for i in range(count):
    body = bytes(56)
    head = struct.pack("!BBHHH", 8, 0, 0, who, i)
    head = struct.pack("!BBHHH", 8, 0, sum16(head + body), who, i)
    sent = time.perf_counter()
    s.sendto(head + body, (to, 0))
    until = sent + patience
    while select.select([s], [], [], max(0, until - time.perf_counter()))[0]:
        data, now = s.recv(2000), time.perf_counter()
        if struct.unpack("!BxxxHH", data[20:28]) == (0, who, i):
            rtts.append(now - sent)
            break
    time.sleep(gap)
print(json.dumps(rtts))
"""

TCP_RECEIVE = """
import hashlib, json, socket, sys
l = socket.socket()
l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
l.bind(("", 7778))
l.listen(1)
print("listening", file=sys.stderr, flush=True)
c, _ = l.accept()
c.settimeout(60)
h, n = hashlib.sha256(), 0
while True:
    d = c.recv(1 << 16)
    if not d:
        break
    h.update(d)
    n += len(d)
print(json.dumps([n, h.hexdigest()]))
"""

TCP_SEND = """
import hashlib, json, random, socket, sys, time
to, size = sys.argv[1], int(sys.argv[2])
data = random.Random(1).randbytes(size).translate(bytes(0x70 | b & 15 for b in range(256))) # tshark guesses at no protocol in these
s = socket.create_connection((to, 7778), 60)
s.settimeout(60)
started = time.monotonic()
s.sendall(data)
s.shutdown(socket.SHUT_WR)
s.recv(1)
print(json.dumps([size, hashlib.sha256(data).hexdigest(), started, time.monotonic()]))
"""


def listener(side, code, *arguments):
    process = side.python(code, *arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    check(process.stderr.readline() == "listening\n", "helper does not listen")
    return process


def udp(a, b, count, gap, size=100, patience=1.0, port=0):
    """Sends numbered datagrams from a to b; the numbers that arrived, as they came, and how long the sending took."""
    receiver = listener(b, UDP_RECEIVE, patience)
    seconds = answer(a.python(UDP_SEND, B, count, gap, size, port))
    return answer(receiver), seconds


def wait_for_answer(a):
    """A fresh interface takes its time until it carries frames."""
    def answered():
        process = a.python(PING, B, 1, 0, 1, stderr=subprocess.DEVNULL)
        out, _ = process.communicate(timeout=60)
        return process.returncode == 0 and json.loads(out)

    until(answered, "no answer")


def best_rtt(side, to=B, count=21):
    """The best of some, in ms: what a busy machine adds comes off."""
    rtts = answer(side.python(PING, to, count, 0.005))
    check(len(rtts) == count, len(rtts), "of", count, "answers from", to)
    return min(rtts) * 1000


def tcp(a, b, size, to=B):
    """A transfer from a to b, whose address is `to`, by the kernel's TCP: (seconds), its bytes having been compared."""
    receiver = listener(b, TCP_RECEIVE.replace("socket.socket()", "socket.socket(socket.AF_INET6)") if ":" in to else TCP_RECEIVE)
    sent = answer(a.python(TCP_SEND, to, size), 120)
    got = answer(receiver, 120)
    check(got == sent[:2], "received", got, "sent", sent)
    return sent[3] - sent[2]


def main(*tests):
    if os.geteuid() != 0:
        skip("needs root: it makes network namespaces and TAP devices")
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        skip(f"/dev/net/tun: {error.strerror}")
    failed = 0
    for test in tests:
        sides = Side(), Side()
        began = time.monotonic()
        word = "not ok"
        try:
            test(*sides)
            word = "ok"
        except Exception:  # the others have something to say, too
            failed += 1
            traceback.print_exc(file=sys.stdout)
        finally:
            clean_up()
        print(f"{word}  {test.__name__.replace('_', ' ')}  ({time.monotonic() - began:.1f} s)", flush=True)
        started.clear()
    sys.exit(1 if failed else 0)
