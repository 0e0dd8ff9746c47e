# SPDX-License-Identifier: BSD-2-Clause
"""Our rules with the preset ns2: what is sent is whole packets, and what a window has towards the next one a fraction, lost with a loss."""
import math

from sums.rules import Rule


class Ours(Rule):
    """With the preset ns2: whole packets, slow start at ssthresh, half of the window."""

    def __init__(self, *off):
        super().__init__(*off)
        self.rest = 0.0

    def keep(self):
        return self.cwnd * 0.5

    def pace(self):
        """Packets per round trip."""
        return 1

    def window(self):
        return self.cwnd + self.rest

    def loss(self, now):
        self.cwnd = self.ssthresh = max(2, int(self.keep() + 1e-9))
        self.rest = 0.0

    def grow(self, packets):
        self.rest += packets
        self.cwnd, self.rest = self.cwnd + int(self.rest), self.rest - int(self.rest)

    def avoid(self, now, acked, flow):
        self.grow(min(1, self.pace() * acked / self.cwnd))


class Rounds:
    """Round trips as ours counts them: over with the ACK of what was sent after the last was."""

    def __init__(self):
        self.end = None

    def over(self, flow):
        if self.end is not None and flow.una <= self.end:
            return False
        first, self.end = self.end is None, flow.next
        return not first


class Reno(Ours):
    pass


class Scalable(Ours):
    low, a = 16, 0.02

    def keep(self):
        return self.cwnd * (0.5 if self.window() < self.low else 0.875)

    def pace(self):
        return 1 if self.window() < self.low else self.a * self.window()


class Htcp(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.begin, self.base, self.most, self.beta = 0, None, 0, 0.5
        self.acked = self.best = self.before = 0
        self.since = None
        self.rounds = Rounds()

    def sample(self, now, rtt, acked, open_):
        self.base = min(self.base or rtt, rtt)
        self.most, self.now, self.acked = max(self.most, rtt), now, self.acked + 1

    def seen(self, flow):
        if self.rounds.over(flow):
            if self.since is not None and self.now > self.since[0]:
                self.best = max(self.best, (self.acked - self.since[1]) / (self.now - self.since[0]))
            self.since = (self.now, self.acked)

    def keep(self):
        steady = self.before and abs(self.best - self.before) <= 0.2 * self.before
        self.beta = min(0.8, max(0.5, self.base / self.most)) if steady else 0.5
        return self.cwnd * self.beta

    def loss(self, now):
        super().loss(now)
        self.begin, self.most, self.before, self.best, self.since = now, 0, self.best, 0, None

    def pace(self):
        since = self.now - self.begin - 1
        factor = 1 + since * (10 + since / 4) if since > 0 else 1
        return max(1, factor * self.base / 0.1) * 2 * (1 - self.beta)


class Veno(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.queued, self.base, self.low, self.rounds = 0.0, None, None, Rounds()

    def sample(self, now, rtt, acked, open_):
        self.base, self.low = min(self.base or rtt, rtt), min(self.low or rtt, rtt)

    def seen(self, flow):
        if self.rounds.over(flow):
            self.queued, self.low = self.window() * (self.low - self.base) / self.low, None

    def keep(self):
        return self.cwnd * (0.8 if self.queued < 3 else 0.5)

    def pace(self):
        return 1 if self.queued < 3 else 0.5


class Yeah(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.queue, self.base, self.least, self.rounds = 0.0, None, None, Rounds()

    def sample(self, now, rtt, acked, open_):
        self.base, self.least = min(self.base or rtt, rtt), min(self.least or rtt, rtt)

    def seen(self, flow):
        if self.rounds.over(flow):
            self.queue, self.least = self.window() * (self.least - self.base) / self.least, None

    def keep(self):
        return self.cwnd - min(max(self.queue, self.window() / 8), self.cwnd / 2)

    def pace(self):
        return max(1, 0.01 * self.window())


class Compound(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.extra, self.base, self.low, self.rounds = 0.0, None, None, Rounds()

    def sample(self, now, rtt, acked, open_):
        self.base, self.low = min(self.base or rtt, rtt), min(self.low or rtt, rtt)

    def seen(self, flow):
        if not self.rounds.over(flow):
            return
        queued, self.low = self.window() * (self.low - self.base) / self.low, None
        if self.cwnd < self.ssthresh or flow.recover is not None:
            return
        if queued >= 30:
            before, self.extra = self.extra, max(0, self.extra - queued)
            self.cwnd, self.rest = max(2, int(self.cwnd + self.extra - before)), 0.0
        elif self.window() >= 38:
            step = max(0, 0.125 * self.window() ** 0.75 - 1)
            self.extra += step
            self.grow(step)

    def loss(self, now):
        own = self.window() - self.extra
        super().loss(now)
        self.extra = max(0, self.cwnd - own / 2)


class Cubic(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.epoch, self.most, self.before, self.first = None, 0, 0, True

    def sample(self, now, rtt, acked, open_):
        self.rtt, self.now = rtt, now

    def recorded(self):
        return self.cwnd + self.rest # its window is bytes

    def loss(self, now):
        window, self.epoch = self.window(), None
        self.before, self.most = window, window * 0.9 if window < self.most else window
        self.ssthresh = max(2, window * 0.8)
        self.cwnd, self.rest, self.first = int(self.ssthresh), self.ssthresh % 1, False

    def ack(self, now, acked, flow):
        if self.window() < self.ssthresh:
            self.cwnd += 1
            return
        window = self.window()
        if self.epoch is None:
            self.epoch, self.reno = now, window
            if self.first or self.most < window:
                self.most, self.k = window, 0
            else:
                self.k = ((self.most - window) / 0.4) ** (1 / 3)
            self.first = False
        t = now - self.epoch
        target = min(1.5 * window, max(window, 0.4 * (t + self.rtt - self.k) ** 3 + self.most))
        self.reno += (1 / 3 if self.reno < self.before else 1) * acked / window
        if 0.4 * (t - self.k) ** 3 + self.most < self.reno:
            step = max(0, self.reno - window)
        else:
            step = (target - window) / window * acked
        self.grow(min(acked, step))


class Westwood(Ours):
    gain = 0.1

    def __init__(self, *off):
        super().__init__(*off)
        self.rate, self.base, self.since, self.acked, self.rounds = 0, None, None, 0, Rounds()
        self.count = 0

    def sample(self, now, rtt, acked, open_):
        self.base, self.acked, self.now = min(self.base or rtt, rtt), self.acked + 1, now

    def seen(self, flow):
        if self.rounds.over(flow):
            if self.since:
                rate = (self.acked - self.since[1]) / (self.now - self.since[0])
                self.rate += (self.gain if self.rate else 1) * (rate - self.rate)
            self.since = (self.now, self.acked)

    def keep(self):
        return min(self.cwnd, self.rate * self.base)

    def loss(self, now):
        self.held = int(self.rate * self.base)
        super().loss(now)
        self.count = 0

    def recovered(self, now, flight):
        self.ssthresh = max(self.ssthresh, self.held)

    def avoid(self, now, acked, flow):
        self.count += acked
        if self.count >= self.cwnd:
            self.count, self.cwnd = self.count - self.cwnd, self.cwnd + 1


class Bic(Ours):
    part = 2

    def __init__(self, *off):
        super().__init__(*off)
        self.most, self.probe, self.goal = 0, 0, 0

    def loss(self, now):
        window = self.window()
        self.most, self.probe = window * 0.9 if window < self.most else window, 0
        super().loss(now)

    def keep(self):
        return self.cwnd * (0.8 if self.window() >= 14 else 0.5)

    def pace(self):
        window = self.window()
        if window < 14:
            return 1
        if window < self.most:
            self.probe = 0
            return min(16, max(0.01, (self.most - window) / self.part))
        if not self.probe:
            self.probe, self.goal = 1, window + 1
        elif window >= self.goal and self.probe < 16:
            self.probe *= 2
            self.goal = window + self.probe
        return min(16, self.probe)


class Hybla(Ours):
    def __init__(self, *off):
        super().__init__(*off)
        self.rho = 30.09 / 25

    def ack(self, now, acked, flow):
        if self.cwnd < self.ssthresh:
            self.grow(min(2 ** self.rho - 1, self.ssthresh - self.window()))
        else:
            self.grow(self.rho ** 2 / self.window())


class Highspeed(Ours):
    """RFC 3649 5, with its constants."""

    def share(self, window):
        return 0.5 if window <= 38 else 0.5 - 0.4 * math.log(window / 38) / math.log(83000 / 38)

    def keep(self):
        return self.cwnd * (1 - self.share(self.cwnd))

    def pace(self):
        if self.cwnd <= 38:
            return 1
        loss = 1e-3 * (self.cwnd / 38) ** (math.log(1e-7 / 1e-3) / math.log(83000 / 38))
        return max(1, self.cwnd ** 2 * loss * 2 * self.share(self.cwnd) / (2 - self.share(self.cwnd)))


class Illinois(Ours):
    """Liu, Basar and Srikant 2008, on paper as in cc/sender/delay/illinois.c. Off: "delay", alpha 1 and `least` at any delay."""
    slow, fast, least, largest = 0.1, 10, 0.125, 0.5 # alpha, and shares given up

    def __init__(self, *off):
        super().__init__(*off)
        self.alpha, self.beta, self.base, self.most, self.above, self.below = 1, 0.5, None, 0, False, 0
        self.samples, self.rounds = [], Rounds()

    def sample(self, now, rtt, acked, open_):
        self.base = min(self.base or rtt, rtt)
        self.samples.append(rtt)

    def seen(self, flow):
        if self.rounds.over(flow):
            self.most = max(self.most, *self.samples)
            self.judge(sum(self.samples) / len(self.samples) - self.base, self.most - self.base)
            self.samples = []

    def judge(self, mean, most):
        near, low, high = 0.01 * most, 0.1 * most, 0.8 * most
        if "delay" in self.off:
            self.alpha, self.beta = 1, self.least
        elif self.window() < 15:
            self.alpha, self.beta = 1, 0.5
        else:
            share = min(1, max(0, (mean - low) / (high - low))) if most else 0
            self.beta = self.least + (self.largest - self.least) * share
            self.pace_at(mean - near, most - near)

    def pace_at(self, beyond, most):
        """`beyond` d1 and dm beyond it: alpha is the inverse of a straight line from 1/fast to 1/slow."""
        if beyond > 0:
            self.above, self.below = True, 0
            self.alpha = 1 / (1 / self.fast + (1 / self.slow - 1 / self.fast) * beyond / most)
        else:
            self.below += 1
            if not self.above or self.below >= 5:
                self.above, self.alpha = False, self.fast

    def pace(self):
        return self.alpha

    def keep(self):
        return self.cwnd * (1 - self.beta)


class IllinoisKept(Illinois):
    """With the shares of ns-2's agent, which keeps beta of a window."""
    slow, least, largest = 0.3, 0.875, 0.5
