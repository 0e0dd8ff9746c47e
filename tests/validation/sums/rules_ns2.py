# SPDX-License-Identifier: BSD-2-Clause
"""The rules of ns-2's Linux agents, as its source and its traces show them, in their own units.

An agent counts whole packets: a packet more when its count of ACKs has reached a limit, and a loss begins the count anew.
"""
from sums.rules import Rule


class Agent(Rule):
    """`keep`: of a window; least: the window in recovery."""
    traced_in_recovery, syn, threshold, halves = True, 1, 4, True

    def __init__(self, *off):
        super().__init__(*off)
        self.count, self.ssthresh, self.burst = 0, 1000, 3

    def keep(self):
        return self.cwnd >> 1

    def least(self):
        return self.ssthresh

    def limit(self):
        """ACKs for a packet more, less one: the ACK that adds it is not counted."""
        return self.cwnd

    def loss(self, now):
        self.ssthresh = max(2, self.keep())
        self.cwnd, self.count = max(1, self.least()), 0

    def recovered(self, now, flight):
        if self.cwnd < self.ssthresh:
            self.cwnd = min(self.ssthresh, flight + self.burst)

    def avoid(self, now, acked, flow):
        if self.count >= self.limit() - ("one more" in self.off):
            self.cwnd, self.count = self.cwnd + 1, 0
        else:
            self.count += 1


class RenoAgent(Agent):
    """Counts bytes (RFC 3465), so that the ACK that ends a recovery brings a packet at once."""

    def sample(self, now, rtt, acked, open_):
        self.count += acked

    def least(self):
        return self.ssthresh // 2

    def ack(self, now, acked, flow):
        if self.cwnd <= self.ssthresh:
            self.cwnd, self.count = self.cwnd + 1, 0
        elif self.count >= self.cwnd:
            self.cwnd, self.count = self.cwnd + 1, self.count - self.cwnd


class Halved(Agent):
    def least(self):
        return self.ssthresh // 2


class ScalableAgent(Halved):
    def keep(self):
        return self.cwnd - (self.cwnd >> 3)

    def limit(self):
        return min(self.cwnd, 50)


class HtcpAgent(Agent):
    def __init__(self, *off):
        super().__init__(*off)
        self.alpha, self.beta, self.begin, self.switch = 128, 64, 0, False
        self.least_ms = self.most_ms = None
        self.packets = self.last = self.rate = self.best = self.before = 0

    def sample(self, now, rtt, acked, open_):
        ms, self.now = round(rtt * 1000), now
        self.least_ms = min(self.least_ms or ms, ms)
        self.most_ms = max(self.most_ms or ms, ms)
        if not open_:
            self.packets, self.last = 0, now
            return
        self.packets += acked
        if self.packets >= self.cwnd - max(1, self.alpha >> 7) and now - self.last >= self.least_ms / 1000:
            rate, self.packets, self.last = self.packets / (now - self.last), 0, now
            self.rate = rate if now - self.begin <= 3 * self.least_ms / 1000 else (3 * self.rate + rate) / 4
            self.best = self.rate if now - self.begin <= 3 * self.least_ms / 1000 else max(self.best, self.rate)

    def keep(self):
        steady, self.before = 4 * self.before <= 5 * self.best <= 6 * self.before, self.best
        self.beta = min(102, max(64, 128 * self.least_ms // self.most_ms)) if steady and self.switch else 64
        self.switch = steady
        self.update(self.now)
        return self.cwnd * self.beta >> 7

    def update(self, now):
        since, factor = int((now - self.begin) * 1000), 1
        if since > 1000:
            since -= 1000
            factor = 1 + (10 * since + (since // 2) * (since // 2) // 1000) // 1000
        factor = max(1, 8 * factor // (8000 // (10 * self.least_ms)))
        self.alpha = 2 * factor * (128 - self.beta)

    def loss(self, now):
        super().loss(now)
        self.begin, self.most_ms = now, self.least_ms + (self.most_ms - self.least_ms) * 95 // 100

    def recovered(self, now, flight):
        super().recovered(now, flight)
        self.begin = now

    def avoid(self, now, acked, flow):
        if self.count * self.alpha >> 7 >= self.cwnd - ("one more" in self.off):
            self.cwnd, self.count = self.cwnd + 1, 0
            self.update(now)
        else:
            self.count += 1


class VenoAgent(RenoAgent):
    """What is queued is of the last ACK alone, in halves of a packet; growth by its own count, of ACKs."""

    def __init__(self, *off):
        super().__init__(*off)
        self.base, self.queued, self.acks, self.skip, self.window = 1 << 30, 0, 0, False, 2

    def sample(self, now, rtt, acked, open_):
        us = int(rtt * 1e6) + 1
        self.base = min(self.base, us)
        self.queued = 2 * self.cwnd - 2 * self.cwnd * self.base // us if acked and open_ else self.queued

    def keep(self):
        self.acks = 0
        return self.cwnd * 4 // 5 if self.queued < 6 else self.cwnd >> 1

    def least(self):
        return self.ssthresh

    def ack(self, now, acked, flow):
        if self.cwnd <= self.ssthresh:
            self.cwnd += 1
        elif self.acks < self.cwnd:
            self.acks += 1
        else:
            more, self.acks = self.queued < 6 or not self.skip, 0
            self.skip = self.queued >= 6 and more
            self.cwnd += more


class YeahAgent(Halved):
    def __init__(self, *off):
        super().__init__(*off)
        self.queue, self.base, self.low, self.samples, self.edge = 0, 1 << 30, 1 << 30, 0, 0

    def sample(self, now, rtt, acked, open_):
        us = int(rtt * 1e6) + 1
        self.base, self.low, self.samples = min(self.base, us), min(self.low, us), self.samples + 1

    def keep(self):
        return self.cwnd - max(min(self.queue, self.cwnd >> 1), self.cwnd >> 3)

    def limit(self):
        return min(self.cwnd, 100)

    def ack(self, now, acked, flow):
        super().ack(now, acked, flow)
        if flow.una > self.edge:
            if self.samples > 2:
                self.queue = self.cwnd * (self.low - self.base) // self.low
            self.edge, self.samples, self.low = flow.next, 0, 1 << 30


class CompoundAgent(Halved):
    """Slow start looks at its own part of the window alone."""

    def __init__(self, *off):
        super().__init__(*off)
        self.own, self.extra = self.cwnd, 0
        self.base, self.low, self.samples, self.edge, self.una = 1 << 30, 1 << 30, 0, 0, 0

    def sample(self, now, rtt, acked, open_):
        us = int(rtt * 1e6) + 1
        self.base, self.low, self.samples = min(self.base, us), min(self.low, us), self.samples + 1

    def recovered(self, now, flight):
        super().recovered(now, flight)
        self.edge = None # a round trip that is measured whole

    def ack(self, now, acked, flow):
        if self.own + self.extra > self.cwnd:
            if self.own > self.cwnd or self.extra > self.cwnd:
                self.own, self.extra = self.cwnd, 0
            else:
                self.own = self.cwnd - self.extra
        more = (self.own if "own part" not in self.off else self.cwnd) <= self.ssthresh
        if not more and self.count < self.cwnd:
            self.count += 1
        if self.count >= self.cwnd:
            more, self.count = True, 0
        self.own += more
        if self.edge is None:
            self.edge, self.samples, self.low = flow.next, 0, 1 << 30
        if flow.una > self.edge:
            window = self.edge - self.una
            self.una, self.edge = self.edge, flow.next
            if self.samples > 2:
                self.judge(window)
            self.samples, self.low = 0, 1 << 30
        self.cwnd = self.own + self.extra

    def judge(self, window):
        queued = 2 * window - 2 * window * self.base // self.low
        if queued < 60:
            self.extra += max(0, (int((window ** 3) ** 0.25) >> 3) - 1)
        else:
            self.extra = max(0, 2 * self.extra - queued) >> 1


class CubicAgent(Agent):
    """Version 2.1 in Linux 2.6.22, in its own units. "ratio": its count of packets per ACK, 31/16 where it is 1."""

    def __init__(self, *off):
        super().__init__(*off)
        self.epoch, self.most, self.lost, self.looked, self.limit_ = None, 0, 0, (0, 0), 0
        self.delay = 0

    def keep(self):
        self.epoch = None
        self.most = self.cwnd * (1024 + 819) // 2048 if self.cwnd < self.most else self.cwnd
        self.lost = self.cwnd
        return self.cwnd * 819 // 1024

    def sample(self, now, rtt, acked, open_):
        self.now = now
        if open_ and (self.epoch is None or now - self.epoch > 1):
            self.delay = min(self.delay or 8000, int(rtt * 1000) * 8)

    def avoid(self, now, acked, flow):
        self.update(now)
        super().avoid(now, acked, flow)

    def limit(self):
        return self.limit_

    def update(self, now):
        self.acks = getattr(self, "acks", 0) + 1
        if self.looked[0] == self.cwnd and int((now - self.looked[1]) * 1000) <= 31:
            return
        self.looked = (self.cwnd, now)
        if self.epoch is None:
            self.epoch, self.acks, self.reno = now, 1, self.cwnd
            self.k = int(1024 * ((self.most - self.cwnd) / 0.4) ** (1 / 3)) if self.most > self.cwnd else 0
            self.origin = max(self.most, self.cwnd)
        t = (int((now - self.epoch) * 1000) + self.delay // 8) * 1024 // 1000
        delta = 410 * abs(t - self.k) ** 3 >> 40
        target = self.origin - delta if t < self.k else self.origin + delta
        limit = self.cwnd // (target - self.cwnd) if target > self.cwnd else 100 * self.cwnd
        if self.delay and t >= self.k:
            limit = max(limit, self.cwnd * 8000 // (160 * self.delay))
        if not self.lost:
            limit = 50
        step = self.cwnd * 23 >> 3
        while self.acks > step:
            self.acks, self.reno = self.acks - step, self.reno + 1
        if self.reno > self.cwnd:
            limit = min(limit, self.cwnd // (self.reno - self.cwnd))
        self.limit_ = max(1, limit if "ratio" in self.off else limit * 16 // 31)


class WestwoodAgent(RenoAgent):
    """`bw` is bytes per millisecond, here packets of 1000."""

    def __init__(self, *off):
        super().__init__(*off)
        self.first = self.smooth = 0
        self.got, self.then, self.low, self.srtt = 0, 0, None, None

    def sample(self, now, rtt, acked, open_):
        ms = round(rtt * 1000)
        self.srtt = ms if self.srtt is None else (7 * self.srtt + ms) / 8
        self.low = min(self.low or int(self.srtt), int(self.srtt))
        took = int(now * 1000) - int(self.then * 1000)
        if took > max(int(self.srtt), 50):
            rate = self.got * 1014 // took
            if not self.first and not self.smooth:
                self.first = self.smooth = rate
            else:
                self.first = (7 * self.first + rate) >> 3
                self.smooth = (7 * self.smooth + self.first) >> 3
            self.got, self.then = 0, now
        self.got += 1
        super().sample(now, rtt, acked, open_)

    def least(self):
        return max(2, self.smooth * self.low // 1014)


class BicAgent(Agent):
    """"ratio" as in CubicAgent."""

    def __init__(self, *off):
        super().__init__(*off)
        self.most, self.lost, self.looked, self.limit_ = 0, 0, (0, 0), 1

    def keep(self):
        self.most = self.cwnd * (1024 + 819) // 2048 if self.cwnd < self.most else self.cwnd
        self.lost = self.cwnd
        return self.cwnd >> 1 if self.cwnd <= 14 else self.cwnd * 819 // 1024

    def avoid(self, now, acked, flow):
        if self.looked[0] != self.cwnd or int((now - self.looked[1]) * 1000) > 31:
            self.looked, self.limit_ = (self.cwnd, now), self.needed()
        super().avoid(now, acked, flow)

    def limit(self):
        return self.limit_

    def needed(self):
        window, beyond = self.cwnd, self.cwnd - self.most
        if window <= 14:
            return window
        if beyond < 0:
            way = -beyond // 4
            acks = window // 16 if way > 16 else window // way if way > 1 else window * 5
        else:
            acks = window * 5 if beyond < 4 else window * 3 // beyond if beyond < 48 else window // 16
        if not self.lost:
            acks = min(acks, 20)
        return max(1, acks if "ratio" in self.off else acks * 16 // 31)


class HyblaAgent(Halved):
    """rho in eighths; an ACK's growth in parts of 128, of which division leaves whole ones."""

    def __init__(self, *off):
        super().__init__(*off)
        self.parts = 0

    def ack(self, now, acked, flow):
        if self.cwnd < self.ssthresh:
            self.cwnd, self.parts = min(self.ssthresh, self.cwnd + 1), self.parts + 22
        else:
            self.parts += 162 / self.cwnd if "parts" in self.off else 162 // self.cwnd
        if self.parts >= 128:
            self.cwnd, self.parts = self.cwnd + 1, self.parts - 128


class HighspeedAgent(Halved):
    """RFC 3649, appendix B: up to this window, and the share given up, in parts of 256. The row is that of the last ACK that was counted."""
    TABLE = [(38, 128), (118, 112), (221, 104), (347, 98), (495, 93)]

    def __init__(self, *off):
        super().__init__(*off)
        self.row = 0

    def keep(self):
        return self.cwnd - (self.cwnd * self.TABLE[self.row][1] >> 8)

    def avoid(self, now, acked, flow):
        self.row = next((i for i, row in enumerate(self.TABLE) if self.cwnd <= row[0]), 4)
        self.count += self.row + 1
        if self.count >= self.cwnd:
            self.cwnd, self.count = self.cwnd + 1, self.count - self.cwnd


class IllinoisAgent(Halved):
    """Of the window `beta` is kept, not given up. In parts of 128 and 64; round trips are those of ACKs of new data, looked at outside recovery."""

    def __init__(self, *off):
        super().__init__(*off)
        self.alpha, self.beta, self.base, self.most, self.edge = 1280, 32, 1 << 30, 0, 0
        self.sum = self.samples = self.low = 0
        self.above = False

    def sample(self, now, rtt, acked, open_):
        us = int(rtt * 1e6) + 1
        if acked:
            self.base, self.most, self.sum, self.samples = min(self.base, us), max(self.most, us), self.sum + us, self.samples + 1

    def keep(self):
        return self.cwnd * self.beta >> 6

    def ack(self, now, acked, flow):
        if flow.una > self.edge:
            self.judge(self.most - self.base, self.sum // self.samples - self.base)
            self.edge, self.sum, self.samples = flow.next, 0, 0
        super().ack(now, acked, flow)

    def judge(self, most, mean):
        if self.cwnd < 15:
            self.alpha, self.beta = 128, 32
            return
        near, low, high = most // 100, most // 10, 8 * most // 10
        if mean > near:
            self.above = True
            self.alpha = (most - near) * 1280 // (most - near + (mean - near) * (1280 - 38) // 38)
        else:
            self.low += self.above
            if not self.above or self.low >= 5:
                self.alpha, self.above, self.low = 1280, False, 0
        self.beta = 8 if mean <= low else 32 if mean >= high else (8 * high - 32 * low + 24 * mean) // (high - low)

    def avoid(self, now, acked, flow):
        self.count += acked
        more = self.count * self.alpha >> 7
        if more >= self.cwnd:
            self.cwnd, self.count = self.cwnd + more // self.cwnd, 0
