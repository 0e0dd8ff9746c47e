# SPDX-License-Identifier: BSD-2-Clause
"""What a capture of an emulated path says of its one TCP flow (pcapng of `sim --capture` and `lab up --capture`), whoever sent it."""
import collections
import glob
import statistics
import struct

Frame = collections.namedtuple("Frame", "point time source flags seq length ack")
SYN = 2


def options(data, at):
    """The options of a block: code and value."""
    while True:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3 & ~3)


def of_file(path):
    """The TCP segments over IPv4, in the order of the file; times in nanoseconds."""
    with open(path, "rb") as file:
        data = file.read()
    points, at = [], 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            points.append(dict(options(data, at + 16))[2].decode().removeprefix("host-"))
        elif kind == 6:
            point, high, low, size = struct.unpack_from("<IIII", data, at + 8)
            packet = data[at + 28:at + 28 + size]
            if packet[12:14] == b"\x08\x00" and packet[23] == 6:
                begin = 14 + (packet[14] & 15) * 4
                seq, ack, offset, flags = struct.unpack_from(">IIBB", packet, begin + 4)
                payload = 14 + struct.unpack_from(">H", packet, 16)[0] - begin - (offset >> 4) * 4
                yield Frame(points[point], high << 32 | low, packet[26:30], flags, seq, payload, ack)
        at += length


def frames(path):
    """Of NAME.pcapng, NAME-b.pcapng and NAME-drops.pcapng, in order of time (nanoseconds)."""
    files = [path, *glob.glob(path.removesuffix(".pcapng") + "-*.pcapng")]
    return sorted((frame for file in files for frame in of_file(file)), key=lambda frame: frame.time)


class Flow:
    """From a to b. Counts are of segments with payload; `sent` is at a, `received` and `acks` at b.

    cuts: recoveries begun, each from a first retransmission until all that was outstanding is acknowledged. timeouts: retransmissions after
    at least 0.19 s in which a sent nothing. lost: numbers of the dropped frames among all that a sent (from 1). over: the last number that the
    path has delivered or dropped; what a sent after it was on the way when the capture ended, and has no fate."""

    def __init__(self, path):
        self.sent = self.received = self.acks = self.retransmissions = self.needless = self.cuts = self.timeouts = 0
        self.lost, self.flights = [], []
        self.source = self.start = self.end = self.first = self.recover = None
        self.frames = self.over = self.una = self.next = 0
        self.area = self.changed = self.last_sent = 0
        self.seen, self.on_the_way = set(), {}
        for frame in frames(path):
            if self.source is None:
                self.source, self.start, self.first = frame.source, frame.time, frame.seq
            {"a": self.at_a, "b": self.at_b, "drops": self.dropped}[frame.point](frame)

    def offset(self, number):
        return (number - self.first - 1) % 2**32

    def at_a(self, frame):
        self.area += (frame.time - self.changed) / 1e9 * (self.next - self.una)
        self.changed = frame.time
        if frame.source != self.source:
            self.take_ack(self.offset(frame.ack), frame)
            return
        self.frames += 1
        self.on_the_way.setdefault((frame.seq, frame.length), []).append(self.frames)
        if not frame.length:
            return
        self.sent += 1
        begin = self.offset(frame.seq)
        if begin < self.next:
            self.resent(frame)
        self.next = max(self.next, begin + frame.length)
        self.last_sent = frame.time

    def resent(self, frame):
        silent = frame.time - self.last_sent >= 190e6
        self.retransmissions += 1
        self.timeouts += silent
        if self.recover is None or silent:
            self.cuts += 1
            self.flights.append(self.next - self.una)
            self.recover = self.next

    def take_ack(self, number, frame):
        if number < 2**31 and number > self.una and not frame.flags & SYN:
            self.una = min(number, self.next) # the FIN has a number too
            self.end = frame.time
        if self.recover is not None and self.una >= self.recover:
            self.recover = None

    def left(self, frame):
        """Its number; the path keeps the order, so of equal frames it is the one sent first."""
        self.over = self.on_the_way[frame.seq, frame.length].pop(0)
        return self.over

    def at_b(self, frame):
        if frame.source != self.source:
            self.acks += not frame.length
            return
        self.left(frame)
        if frame.length:
            self.received += 1
            self.needless += frame.seq in self.seen
            self.seen.add(frame.seq)

    def dropped(self, frame):
        self.lost.append(self.left(frame))

    def numbers(self):
        seconds = (self.end - self.start) / 1e9
        return {"goodput_Mbit": self.una * 8e-6 / seconds, "sent": self.sent, "acks_per_segment": self.acks / max(1, self.received),
                "retransmissions": self.retransmissions, "needless": self.needless, "timeouts": self.timeouts, "cuts": self.cuts,
                "mean_flight": self.area / seconds / 1448, "flight_at_cut": statistics.mean(self.flights) / 1448 if self.flights else 0}
