#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""ECN against the kernel's TCP, through a queue that marks, and what tshark says was on the wire (RFC 3168 6.1)."""
import shutil
import subprocess
import sys

from e2e import Home, Skip, check, end, equal, finish, lab, merged, need_labs, record, test, until, wait_for

HOME = Home()
# Slow enough that most hosts keep it busy: a queue stands, and its marks come.
LINK = "rate 5Mbit burst 5KB limit 512KB queue codel target 5ms interval 50ms ecn delay 5ms"
SIZE = 1 << 20
FIN, SYN, ACK, ECE, CWR = 1, 2, 16, 64, 128
ECT0, CE = 2, 3

# The kernel's TCP with a named congestion control: as many bytes as told to a host, or whatever comes.
KERNEL = """
import socket, sys
role, congestion, host, size = sys.argv[1], sys.argv[2].encode(), sys.argv[3], int(sys.argv[4])
s = socket.socket()
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion)
s.settimeout(50)
if role == "send":
    s.connect((host, 9000))
    s.sendall(bytes(size))
    s.shutdown(socket.SHUT_WR)
    sys.exit(s.recv(1) != b"")
s.bind(("", 9000))
s.listen()
s, _ = s.accept()
got = 0
while piece := s.recv(1 << 20):
    got += len(piece)
sys.exit(got != size)
"""


def inside(where, *words):
    return HOME.start("lab", "exec", f"ecn:{where}", *words)


def kernel(where, role, congestion, host="b.engine"):
    return inside(where, sys.executable, "-c", KERNEL, role, congestion, host, str(SIZE))


def ask(where):
    """The kernel of that namespace asks for ECN."""
    out, _ = HOME.run("lab", "exec", f"ecn:{where}", "sysctl", "-w", "net.ipv4.tcp_ecn=1", code=None)
    if "= 1" not in out:
        raise Skip("a namespace may not set net.ipv4.tcp_ecn here")


class Packet:
    def __init__(self, line):
        self.point, self.source, *numbers = line.split("|")
        self.flags, self.seq, self.length, self.ecn = (int(number, 0) for number in numbers)


def packets(path):
    fields = ["frame.interface_name", "ip.src", "tcp.flags", "tcp.seq", "tcp.len", "ip.dsfield.ecn"]
    command = ["tshark", "-r", path, "-Y", "tcp.port == 9000", "-T", "fields", "-E", "separator=|"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    equal(done.returncode, 0, f"exit code of tshark\n{done.stderr}")
    return [Packet(line) for line in done.stdout.splitlines()]


def apart(data):
    """Payload that is sent for the first time, and what is sent again: a busy machine can make a timer run out."""
    edge, new, again = 0, [], []
    for packet in data:
        (new if packet.seq >= edge else again).append(packet)
        edge = max(edge, packet.seq + packet.length)
    return new, again


def judge(path):
    """What ECN asks of both ends and of the queue between them; a sends, b receives."""
    all_packets = packets(path)
    opener = all_packets[0].source
    check(not [p for p in all_packets if p.point == "drops"], "something was dropped")
    left = [p for p in all_packets if p.point == "a" and p.source == opener]
    came = [p for p in all_packets if p.point == "b" and p.source == opener]
    back = [p for p in all_packets if p.point == "a" and p.source != opener]
    equal((left[0].flags & (SYN | ACK | ECE | CWR), left[0].ecn), (SYN | ECE | CWR, 0), "the SYN")
    equal((back[0].flags & (SYN | ACK | ECE | CWR), back[0].ecn), (SYN | ACK | ECE, 0), "the SYN-ACK")
    new, again = apart(p for p in left if p.length)
    check(all(p.ecn == ECT0 for p in new), "payload that is not ECT(0)")
    check(not any(p.ecn for p in again), "the ECN field of what is sent again")
    check(not [p for p in left + back if not p.length and p.ecn], "an ACK that is ECN-capable")
    marks = [p for p in came if p.ecn == CE]
    echoes = [p for p in back[1:] if p.flags & ECE]
    answers = [p for p in left[1:] if p.flags & CWR]
    check(all(p.length for p in marks), "marks on payload alone")
    check(len(echoes) >= len(marks), f"{len(marks)} marks, {len(echoes)} echoes")
    # one answer per window of data, however many marks and echoes; a timeout reduces the window, too, and is answered the same (6.1.2)
    check(bool(marks) <= len(answers) <= len(marks) + len(again), f"{len(answers)} answers to {len(marks)} marks, {len(again)} sent again")
    check(all(p.length for p in answers), "CWR without payload")
    return len(marks), len(echoes), len(answers)


def on_a_lab(function):
    need_labs(HOME)
    if not shutil.which("tshark"):
        raise Skip("no tshark")
    path = HOME.path("ecn.pcapng")
    for _ in range(4): # a host that holds the sender up again and again can keep the queue empty once
        with lab(HOME, "ecn", "--link", LINK, "--capture", path):
            for where in "ab":
                ask(where)
            function()
            books = record(HOME.run("lab", "down", "ecn", "--json", code=None)[0])["fwd"]
        seen = judge(merged(path, "b"))
        equal(sum(stage.get("marked", 0) for stage in books["stages"]), seen[0], "marks in the emulator's record")
        if seen[0]:
            return seen
    raise AssertionError("nothing was ever marked")


@test("the engine asks the kernel: payload is marked, echoed and answered once per window, nothing is lost")
def _():
    sent = {}

    def go():
        peer = kernel("b", "recv", "reno")
        until(lambda: ":9000 " in HOME.run("lab", "exec", "ecn:b", "ss", "-Hltn", code=None)[0] + " ", "the kernel listens")
        out, _ = HOME.run("lab", "exec", "ecn:a", HOME.program, "send", "--raw", "-S", "ecn=on", "-c", "b.kernel", "-p", "9000",
                          "-n", str(SIZE) + "B", "--json")
        sent.update(record(out)["sender"])
        equal(end(peer)[0], 0, "the kernel got every byte")

    marks, echoes, answers = on_a_lab(go)
    equal(sent["ecn"], True, "ECN in force")
    equal((sent["ece_received_segs"], sent["cwr_sent_segs"]), (echoes, answers), f"echoes and answers to {marks} marks")


for congestion in ("reno", "cubic"):
    @test(f"the kernel ({congestion}) asks the engine: payload is marked, echoed until it answers, nothing is lost")
    def _(congestion=congestion):
        got = {}

        def go():
            peer = inside("b", HOME.program, "recv", "-1", "--raw", "-p", "9000", "--json")
            wait_for(peer, "listening")
            equal(end(kernel("a", "send", congestion))[0], 0, "exit code of the kernel's sender")
            code, out, err = end(peer)
            equal(code, 0, f"exit code of recv\n{err}")
            got.update(record(out))

        marks, _, _ = on_a_lab(go)
        equal((got["payload_bytes"], got["receiver"]["ce_segs"]), (SIZE, marks), "bytes and marks that the engine saw")


@test("the engine at both ends, TCP-Real between them: the same rules hold")
def _():
    def go():
        peer = inside("b", HOME.program, "recv", "-1", "-p", "9000", "--rcc", "real")
        wait_for(peer, "listening")
        HOME.run("lab", "exec", "ecn:a", HOME.program, "send", "-S", "ecn=on", "-c", "b", "-p", "9000", "-n", str(SIZE) + "B",
                 "-C", "real", "--rcc", "real")
        equal(end(peer)[0], 0, "exit code of recv")

    on_a_lab(go)


finish()
