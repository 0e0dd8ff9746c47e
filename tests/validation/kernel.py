# SPDX-License-Identifier: BSD-2-Clause
"""
The kernel's TCP as the sender, played packet scripts of ours: the same segments come in at the same times, and what it sends, and what it
says of its window, stands beside what the script demands of our engine. Each script has a network namespace and a TUN device of its own.

Timestamps are echoed as the script means them: an echo of X is the timestamp of the segment that left nearest to X by the times in the
script. What the machine adds to these times therefore changes no echo.
"""
import fcntl
import glob
import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import time

KERNEL, PEER, PORT = "10.93.0.1", "10.93.0.2", 8000
PEER_ISS = 1000000
LATE = 1.2  # seconds for what the kernel should send; more than two timeouts of its least
GRACE = 0.004  # what follows at once has left the kernel after this

ATTEMPTS = 3  # a busy machine is late; a rule is not

# All scripts of a folder, and two more: what was mended by scripts of ours alone.
SCRIPTS = ["undo/*", "sack-recovery/the-rest-of-a-segment-that-was-acknowledged-in-part-is-found-by-time",
           "closing/a-fin-waits-behind-data-that-fills-the-window"]
# Where the kernel does something else: the claim of the script that fails first there, and why.
APART = {
    "a-d-sack-that-arrives-twice-is-one-copy": ("ssthresh == 5000", "it counts an equal D-SACK twice"),
    "a-timeout-that-was-too-early-is-undone-by-the-echoed-timestamp": ("cwnd == 10000", "the ACK that undoes also grows the window"),
    "after-an-undone-fast-retransmit-the-next-loss-is-found-by-time": ("not in_recovery", "it does not undo while a copy is out"),
    "an-echo-from-before-that-acknowledges-everything-undoes-nothing": ("ssthresh == 5000", "it has no step 5 of RFC 3522"),
    "an-echo-from-before-that-comes-with-a-d-sack-undoes-nothing": ("ssthresh == 5000", "it has no step 5 of RFC 3522"),
    "an-undo-of-a-timeout-brings-back-what-sack-had-reported": ("timeouts == 1", "RACK finds this loss; the script is of RFC 6675"),
    "f-rto-does-not-judge-a-timeout-in-recovery": ("10001:11001 came", "it keeps SACK marks at a timeout"),
    "the-echo-of-the-copy-undoes-nothing": ("10001:11001 came", "each ACK after a timeout may undo it, not the first alone"),
    "without-undo-a-reduction-stays": ("in_recovery", "it undoes always; the script has undo=off"),
}


# ---- segments ----------------------------------------------------------------------------------------------------

def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def packet(flags, seq, ack, window, options, length):
    options += b"\1" * (-len(options) % 4)
    tcp = struct.pack("!HHIIBBHHH", 40000, PORT, seq & 0xffffffff, ack & 0xffffffff, (5 + len(options) // 4) << 4, flags, window, 0, 0) + options
    tcp += b"x" * length
    src, dst = socket.inet_aton(PEER), socket.inet_aton(KERNEL)
    tcp = tcp[:16] + struct.pack("!H", checksum(src + dst + struct.pack("!HH", 6, len(tcp)) + tcp)) + tcp[18:]
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, src, dst)
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + tcp


class Sent:
    """A segment of the kernel: numbers as in scripts, the SYN is 0."""

    def __init__(self, data, at, iss):
        head = (data[0] & 15) * 4
        tcp = data[head:struct.unpack("!H", data[2:4])[0]]
        self.at, self.flags, self.raw = at, tcp[13] & 63, struct.unpack("!I", tcp[4:8])[0]
        self.seq = (self.raw - (self.raw if iss is None else iss)) & 0xffffffff
        offset = (tcp[12] >> 4) * 4
        self.len, self.tsval, self.nominal = len(tcp) - offset, None, 0.0
        options = tcp[20:offset]
        while options:
            kind, size = options[0], 1 if options[0] < 2 else options[1]
            if kind == 0:
                break
            if kind == 8:
                self.tsval = struct.unpack("!I", options[2:6])[0]
            options = options[size:]

    def __str__(self):
        return f"{self.seq}:{self.seq + self.len}"


# ---- playing -----------------------------------------------------------------------------------------------------

class Unplayable(Exception):
    """The script has a line that this player does not know."""


class Player:
    def __init__(self, path):
        self.lines = [line.strip() for line in open(path, encoding="utf-8")]
        self.settings, self.module, self.recovery = {}, "reno", "rack"
        for line in self.lines:
            if line.startswith("--stack="):
                self.settings.update(word.split("=", 1) for word in line[8:].split(","))
            elif line.startswith("-C="):
                self.module = "cubic" if line[3:].startswith("cubic") else "reno"
            elif line.startswith("--recovery="):
                self.recovery = line[11:]
        self.sent, self.read, self.iss, self.base, self.start = [], 0, None, 0, 0
        self.now, self.nominal, self.listener, self.connection, self.apart = 0.0, 0.0, None, None, []

    def prepare(self):
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.tun, 0x400454ca, struct.pack("16sH22x", b"t0", 0x1001))
        on = lambda name: int(self.settings.get(name, "on") != "off")
        probes, forward = (3, 2) if self.recovery == "rack" else (0, 2 if self.recovery.startswith("rack") else 0)
        for command in [f"ip addr add {KERNEL}/24 dev t0", "ip link set t0 mtu 1500 up", "ip link set lo up",
                        f"sysctl -qw net.ipv4.tcp_sack={on('sack')} net.ipv4.tcp_timestamps={on('timestamps')} "
                        f"net.ipv4.tcp_window_scaling={on('window_scaling')} net.ipv4.tcp_early_retrans={probes} net.ipv4.tcp_frto={forward} net.ipv4.tcp_ecn=0"]:
            subprocess.run(command.split(), check=True)

    def collect(self, until):
        """What the kernel sends until then."""
        while True:
            left = until - time.monotonic()
            ready, _, _ = select.select([self.tun], [], [], max(0, left))
            if not ready:
                return
            try:
                data = os.read(self.tun, 65536)
            except BlockingIOError:
                continue
            if data[0] >> 4 != 4 or data[9] != 6:
                continue
            segment = Sent(data, time.monotonic() - self.start, self.iss)
            if self.iss is None and segment.flags & 2:
                self.iss, self.base, segment.seq = segment.raw, segment.tsval, 0
            self.sent.append(segment)

    def echo(self, value):
        stamps = [segment for segment in self.sent if segment.tsval is not None]
        return min(stamps, key=lambda segment: abs(1000 * segment.nominal - int(value))).tsval if stamps else 0

    def options(self, text):
        packed = b""
        for word in filter(None, re.split(r",\s*", text or "")):
            part = word.split()
            if part[0] == "mss":
                packed += struct.pack("!BBH", 2, 4, int(part[1]))
            elif part[0] == "sackOK":
                packed += b"\4\2"
            elif part[0] == "wscale":
                packed += struct.pack("!BBB", 3, 3, int(part[1]))
            elif part[0] == "TS":
                packed += struct.pack("!BBII", 8, 10, int(part[2]), self.echo(part[4]) if self.iss is not None else 0)
            elif part[0] == "sack":
                blocks = [(int(a) + self.iss, int(b) + self.iss) for a, b in (block.split(":") for block in part[1:])]
                packed += struct.pack("!BB", 5, 2 + 8 * len(blocks)) + b"".join(struct.pack("!II", a & 0xffffffff, b & 0xffffffff) for a, b in blocks)
            elif part[0] not in ("nop", "eol"):
                raise Unplayable(word)
        return packed

    def inject(self, words, number):
        found = re.match(r"([SFPR.]+) (\d+):(\d+)\((\d+)\)(?: ack (\d+))?(?: win (\d+))?(?: <(.*)>)?$", words)
        if not found:
            raise Unplayable(f"line {number}")
        flags = sum({"F": 1, "S": 2, "R": 4, "P": 8, ".": 16}[letter] for letter in found[1])
        ack = int(found[5]) + self.iss if found[5] and self.iss is not None else 0
        os.write(self.tun, packet(flags, PEER_ISS + int(found[2]), ack, int(found[6] or 65535), self.options(found[7]), int(found[4])))

    def expect(self, words, number, any_time):
        found = re.match(r"[SFPRW.E]+ (\d+):(\d+)\((\d+)\)", words)
        if not found:
            raise Unplayable(f"line {number}")
        at, end = int(found[1]), int(found[2])
        deadline = time.monotonic() + LATE
        while True:
            while self.read < len(self.sent):
                segment = self.sent[self.read]
                if segment.seq != at or segment.seq + segment.len > end:
                    if not segment.len and end > int(found[1]): # an ACK between
                        self.read += 1
                        continue
                    raise self.Differs(number, f"{segment} came, not {at}:{end}")
                self.read += 1
                if any_time:
                    self.nominal += segment.at - self.now
                segment.nominal, self.now = self.nominal, segment.at
                at += segment.len
                if at >= end:
                    return
            if time.monotonic() > deadline:
                raise self.Differs(number, f"{at}:{end} did not come in {LATE} s")
            self.collect(min(deadline, time.monotonic() + 0.05) if self.read == len(self.sent) else time.monotonic())

    class Differs(Exception):
        pass

    def facts(self):
        data = self.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)
        word = lambda i: struct.unpack("=I", data[8 + 4 * i:12 + 4 * i])[0]
        mss, unacked, sacked, lost, retrans = word(2), word(4), word(5), word(6), word(7)
        names, values = [line.split() for line in open("/proc/net/netstat", encoding="ascii") if line.startswith("TcpExt")]
        counts = dict(zip(names, values))
        threshold = word(17)
        return {"cwnd": word(18) * mss, "ssthresh": threshold if threshold >= 0x7fffffff else threshold * mss, "retransmits_segs": word(23),
                "in_flight": (unacked - sacked - lost + retrans) * mss, "timeouts": int(counts["TCPTimeouts"]), "in_recovery": data[1] == 3}

    def judge(self, text, number):
        facts = self.facts()
        for claim in text.split(","):
            claim = claim.strip()
            names = set(re.findall(r"[a-z_]+", claim)) - {"not", "and", "or"}
            if "cwnd" in names and facts["in_recovery"]: # there it is the flight of PRR
                continue
            if names <= set(facts) and not eval(claim, {}, facts): # pylint: disable=eval-used  # our own scripts
                raise self.Differs(number, f"{claim}: {', '.join(f'{name} is {facts[name]}' for name in sorted(names))}")

    def call(self, words):
        if words.startswith(("socket(", "bind(")):
            return
        found = re.match(r"(\w+)\((\d)(?:, \.\.\., (\d+))?", words)
        if words.startswith("listen("):
            self.listener = socket.socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.module.encode())
            self.listener.bind((KERNEL, PORT))
            self.listener.listen(8)
        elif words.startswith("accept("):
            self.listener.settimeout(1)
            self.connection, _ = self.listener.accept()
            if self.settings.get("nagle") == "off":
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        elif found and found[1] == "write":
            self.connection.send(b"w" * int(found[3]))
        elif found and found[1] == "close":
            self.connection.close()
        else:
            raise Unplayable(words)

    def line(self, text, number):
        found = re.match(r"(\*|[+~.\d]+)\s+(.*)$", text)
        if not found:
            raise Unplayable(f"line {number}: {text}")
        when, words = found[1], found[2]
        if words.startswith("> "):
            self.collect(time.monotonic() + GRACE)
            free = when == "*" or "~" in when
            self.nominal += 0 if free else float(when.lstrip("+"))
            self.expect(words[2:], number, free)
            return
        if "~" not in when and when != "*":
            self.nominal += float(when.lstrip("+"))
            target = self.now + float(when.lstrip("+"))
            self.collect(max(self.start + target, time.monotonic() + GRACE if float(when.lstrip("+")) == 0 else 0))
            self.now = max(target, self.now)
        if words.startswith("< "):
            self.nothing_more(number)
            self.inject(words[2:], number)
        elif words.startswith("%{"):
            self.judge(words[2:-2], number)
        else:
            self.call(words)

    def nothing_more(self, number):
        """Before the next segment comes in, the kernel has sent no data that the script does not have."""
        for segment in self.sent[self.read:]:
            if segment.len:
                raise self.Differs(number - 1, f"{segment} came, and nothing was expected")
        self.read = len(self.sent)

    def play(self):
        self.prepare()
        self.start = time.monotonic()
        for number, text in enumerate(self.lines, 1):
            if not text or text.startswith(("//", "-")):
                continue
            try:
                self.line(text, number)
            except self.Differs as apart:
                return {"line": apart.args[0], "kernel": apart.args[1]}
            except Unplayable as why:
                return {"unplayable": str(why)}
        return {}


def play(path):
    done = subprocess.run(["unshare", "-n", sys.executable, "-B", os.path.abspath(__file__), path], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"unplayable": done.stderr.strip().splitlines()[-1] if done.stderr else f"exit code {done.returncode}"}
    return json.loads(done.stdout)


def once(path):
    """Empty, or the first difference. A difference counts if it comes as often as the machine is asked."""
    wanted = APART.get(os.path.basename(path)[:-len(".pkt")], (None, None))[0]
    for _ in range(ATTEMPTS):
        found = play(path)
        if found.get("kernel", "").startswith(wanted) if wanted else not found:
            break
    return found


def table(root):
    """Prints what the kernel says to each script; returns how many differ where none was stated, or agree where one was."""
    paths = [path for words in SCRIPTS for path in sorted(glob.glob(os.path.join(root, "tests", "script", words + ".pkt")))]
    bad = agreed = 0
    for path in paths:
        name = os.path.basename(path)[:-len(".pkt")]
        claim, cause = APART.get(name, (None, None))
        found = once(path)
        if not found:
            agreed += 1
            said = "agrees" if not claim else f"agrees, and {claim} was to fail"
            wrong = bool(claim)
        else:
            said = found.get("unplayable") or f"line {found['line']}: {found['kernel']}"
            wrong = not claim or not found.get("kernel", "").startswith(claim)
            said += "" if wrong else f" ({cause})"
        bad += wrong
        print(f"{'!' if wrong else ' '} {name}: {said}")
    print(f"{agreed} of {len(paths)} as our engine, line by line")
    return bad


if __name__ == "__main__":
    print(json.dumps(Player(sys.argv[1]).play()))
