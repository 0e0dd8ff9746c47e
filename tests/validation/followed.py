# SPDX-License-Identifier: BSD-2-Clause
"""
Modules that measure, beside their rules written again from the papers and RFCs. A rule follows the ACKs of a run, when they came, what they
acknowledged, which of them told of marks, and what was outstanding; from these alone it has its round trips, its window and what the module shows
of itself. Both are compared at each ACK. The paths have a queue that never drops; losses are listed.
"""
import math

from following import FOREVER, MSS, Bytes, Rule, acks

LINK = "rate 10Mbit burst 0B limit 10MB"
MARKS = LINK + " queue red min 5KB max 120KB prob 50% weight 1 ecn"
TOLERANCE = 0.01


class Vegas(Rule):
    """Brakmo and Peterson 1995: alpha 2, beta 4, gamma 1. Whole segments fly."""

    def __init__(self):
        super().__init__()
        self.stands = False

    def round(self, samples, ack):
        diff = int(self.window) * (1 - self.base / min(samples))
        if self.window < self.ssthresh:
            self.stands = not self.stands
            if diff > 1:
                self.window = self.ssthresh = int(self.window) - diff + 1
        elif diff > 4:
            self.window = int(self.window) - 1
            self.ssthresh = min(self.ssthresh, self.window)
        elif diff < 2:
            self.window += 1

    def grow(self, ack):
        if self.window < self.ssthresh and not self.stands:
            self.window += ack.acked


class Fast(Rule):
    """Wei, Jin, Low and Hegde 2006: alpha 20, gamma 1/2, every other round trip; the mean by min(3 / w, 1/4)."""
    waits, mean = False, None

    def ack(self, ack):
        if ack.rtt:
            self.mean = ack.rtt if self.mean is None else self.mean + min(3 / self.window, 0.25) * (ack.rtt - self.mean)
        super().ack(ack)

    def round(self, samples, ack):
        if self.window < self.ssthresh:
            if self.window * (1 - self.base / self.mean) > 20:
                self.ssthresh = self.window
            return
        self.waits = not self.waits
        if not self.waits:
            self.window = min(2 * self.window, self.window / 2 + (self.base / self.mean * self.window + 20) / 2)
            self.ssthresh = min(self.ssthresh, self.window)

    def grow(self, ack):
        if self.window < self.ssthresh:
            self.window += ack.acked


class Ledbat(Rule):
    """draft-irtf-iccrg-ledbat-plus-plus: TARGET 60 ms, Constant 1; the least of four samples; 2 round trips at two segments, 9 times as long apart."""
    window = 2.0

    def __init__(self):
        super().__init__()
        self.last, self.smooth = [], None
        self.first, self.begins, self.frozen, self.began = True, FOREVER, 0, None

    def ack(self, ack):
        if ack.rtt:
            self.base = min(self.base or FOREVER, ack.rtt)
            self.last = (self.last + [ack.rtt])[-4:]
            self.smooth = ack.rtt if self.smooth is None else self.smooth + (ack.rtt - self.smooth) / 8
        gain, queue = 1 / min(16, math.ceil(0.12 / self.base)), min(self.last) - self.base
        if ack.now >= self.begins:
            self.begins, self.began, self.frozen = FOREVER, ack.now, ack.now + 2 * self.smooth
            self.ssthresh, self.window = self.window, 2.0
        if ack.now < self.frozen:
            return
        if self.window < self.ssthresh:
            self.window = min(self.window + gain * ack.acked, FOREVER)
            if self.first and queue > 0.045:
                self.first, self.begins, self.ssthresh = False, ack.now + 2 * self.smooth, self.window
            elif self.window >= self.ssthresh:
                self.begins = ack.now + 9 * (ack.now - self.began)
        else:
            change = gain if queue <= 0.06 else max(gain - self.window * (queue / 0.06 - 1), -self.window / 2)
            self.window = max(2, self.window + change * ack.acked / self.window)
            self.ssthresh = min(self.ssthresh, self.window)


class Illinois(Rule):
    """Liu, Basar and Srikant 2008: alpha 0.1 to 10, beta 1/8 to 1/2; d1, d2, d3 at 0.01, 0.1, 0.8 of the largest delay; theta 5; W 15."""
    shown = "alpha_segs", lambda self: self.alpha

    def __init__(self):
        super().__init__()
        self.alpha, self.beta, self.most, self.above, self.below = 1, 0.5, 0, False, 0

    def round(self, samples, ack):
        self.most = max(self.most, max(samples))
        delay, largest = sum(samples) / len(samples) - self.base, self.most - self.base
        if self.window < 15:
            self.alpha, self.beta = 1, 0.5
            return
        near, low, high = 0.01 * largest, 0.1 * largest, 0.8 * largest
        if delay > near:
            self.above, self.below = True, 0
            k1, k2 = (largest - near) * 1 / 9.9, (largest - near) * 0.1 / 9.9 - near
            self.alpha = k1 / (k2 + delay)
        elif self.above:
            self.below += 1
            if self.below >= 5:
                self.alpha, self.above = 10, False
        else:
            self.alpha = 10
        self.beta = min(0.5, max(0.125, 0.125 + 0.375 * (delay - low) / (high - low) if largest else 0.125))

    def pace(self, ack):
        return self.alpha

    def keep(self):
        return 1 - self.beta

    def left(self):
        self.alpha, self.beta, self.above = 1, 0.5, False
        return 0.5


class Veno(Rule):
    """Fu and Liew 2003: beta 3 segments."""
    backlog = 0

    def round(self, samples, ack):
        self.backlog = self.queued(min(samples))

    def pace(self, ack):
        return 1 if self.backlog < 3 else 0.5

    def keep(self):
        return 0.8 if self.backlog < 3 else 0.5


class Yeah(Rule):
    """Baiocchi, Castellani and Vacirca 2007: Qmax 80, phi 8, gamma 1, rho 16, zeta 50; Scalable's hundredth."""
    queue = reno = slow = fast = 0

    def round(self, samples, ack):
        self.queue = self.queued(min(samples))
        if self.queue > 80 or min(samples) / self.base - 1 > 1 / 8:
            if self.queue > 80 and self.window > self.reno and not ack.recovery:
                self.window = max(self.reno, self.window - min(self.queue, self.window / 2))
                self.ssthresh = min(self.ssthresh, self.window)
            self.reno = self.reno + 1 if self.reno else self.window / 2
            self.slow += 1
        else:
            self.slow, self.fast = 0, self.fast + 1
            if self.fast > 50:
                self.fast = self.reno = 0

    def pace(self, ack):
        return 1 if self.slow else max(1, 0.01 * self.window)

    def keep(self):
        return 0.5 if self.slow > 16 else 1 - min(max(self.queue / self.window, 1 / 8), 1 / 2)

    def cut(self):
        self.fast, self.reno = 0, self.reno / 2


class Compound(Rule):
    """Tan, Song, Zhang and Sridharan 2006: alpha 1/8, k 3/4, beta 1/2, gamma 30, zeta 1; Reno below 38."""
    extra = 0

    def round(self, samples, ack):
        if self.window < self.ssthresh or ack.recovery:
            return
        diff, before = self.queued(min(samples)), self.extra
        if diff >= 30:
            self.extra = max(0, self.extra - diff)
        elif self.window >= 38:
            self.extra += max(0, self.window ** 0.75 / 8 - 1)
        self.window += self.extra - before

    def ack(self, ack):
        own = self.window - self.extra
        super().ack(ack)
        if ack.loss:
            self.extra = max(0, self.window - own / 2)


class Htcp(Rule):
    """Leith and Shorten 2004: 2 (1 - beta) f(D); beta RTTmin / RTTmax from 0.5 to 0.8 where the throughput changed by a fifth at most."""

    def __init__(self):
        super().__init__()
        self.began, self.most, self.beta = None, 0, 0.5
        self.since, self.best, self.before = None, 0, None

    def ack(self, ack):
        self.began = ack.now if self.began is None else self.began
        super().ack(ack)
        if ack.loss:
            self.began, self.most, self.since, self.before, self.best = ack.now, 0, None, self.best, 0

    def round(self, samples, ack):
        self.most = max(self.most, max(samples))
        if self.since:
            self.best = max(self.best, (ack.una - self.since[1]) / (ack.now - self.since[0]))
        self.since = ack.now, ack.una

    def timeout(self, ack):
        super().timeout(ack)
        self.began, self.most, self.since, self.before, self.best, self.beta = ack.expired, 0, None, self.best, 0, 0.5

    def pace(self, ack):
        time = ack.now - self.began - 1
        return 2 * (1 - self.beta) * (1 + 10 * time + time * time / 4 if time > 0 else 1)

    def keep(self):
        steady = self.before and abs(self.best / self.before - 1) <= 0.2
        self.beta = min(0.8, max(0.5, self.base / self.most)) if steady else 0.5
        return self.beta


class Bic(Rule):
    """Xu, Harfoush and Rhee 2004: S_max 32, S_min 0.01, beta 1/8; half of the way to W_max, then 1, 2, 4 ... beyond."""
    most, probe, goal = None, 0, 0

    def pace(self, ack):
        if self.window < self.most:
            self.probe = 0
            return min(32, max(0.01, (self.most - self.window) / 2))
        if not self.probe:
            self.probe, self.goal = 1, self.window + 1
        elif self.window >= self.goal:
            self.probe = min(32, 2 * self.probe)
            self.goal = self.window + self.probe
        return self.probe

    def keep(self):
        self.most, self.probe = self.window * (15 / 16 if self.most and self.window < self.most else 1), 0
        return 7 / 8

    def left(self):
        return self.keep() and 0.5


class Westwood(Bytes):
    """Grieco and Mascolo 2004: a sample per round trip, 0.9 and 0.1; ssthresh is the estimate times RTTmin."""
    rate, since = None, None
    shown = "bandwidth_Bps", lambda self: (self.rate or 0) * MSS

    def round(self, samples, ack):
        if self.since:
            sample = (ack.delivered - self.since[1]) / (ack.now - self.since[0])
            self.rate = sample if self.rate is None else 0.9 * self.rate + 0.1 * sample
        self.since = ack.now, ack.delivered

    def ack(self, ack):
        before = self.window
        super().ack(ack)
        if ack.loss:
            self.ssthresh = max(2, self.rate * self.base)
            self.window = min(before, self.ssthresh)


class WestwoodOriginal(Westwood):
    """Mascolo et al. 2001: a sample per ACK, a low pass of tau = 0.5 s by the trapezoid rule, a sample of 0 for each tau / 2 of silence."""
    TAU = 0.5

    def round(self, samples, ack):
        pass

    def ack(self, ack):
        if self.since and ack.now > self.since[0]:
            time = ack.now - self.since[0]
            sample = (ack.delivered - self.since[1]) / time
            if self.rate is None:
                self.rate = self.last = sample
            else:
                while time > self.TAU / 2:
                    self.filter(0, self.TAU / 2)
                    time -= self.TAU / 2
                self.filter(sample, time)
        if not self.since or ack.now > self.since[0]:
            self.since = ack.now, ack.delivered
        super().ack(ack)

    def filter(self, sample, time):
        part = (2 * self.TAU - time) / (2 * self.TAU + time)
        self.rate, self.last = part * self.rate + (1 - part) * (sample + self.last) / 2, sample


class Dctcp(Bytes):
    """RFC 8257 3.3: alpha 1 at first, g 1/16; once per window of data the window falls by alpha / 2."""
    share, gain = 1.0, 1 / 16
    shown = "alpha", lambda self: self.share

    def __init__(self):
        super().__init__()
        self.acked = self.marked = self.end = self.reduced = 0

    def observed(self, ack):
        return ack.una > self.end

    def ack(self, ack):
        self.acked += ack.acked
        self.marked += ack.acked * ack.ece
        if self.observed(ack) and self.acked:
            self.fold(ack)
            self.acked, self.marked, self.end = 0, 0, ack.next
        super().ack(ack)
        if ack.ece and ack.una > self.reduced:
            self.reduce(ack)

    def fold(self, ack):
        self.share += self.gain * (self.marked / self.acked - self.share)

    def reduce(self, ack):
        self.reduced = ack.next
        self.window = self.ssthresh = max(2, int(MSS * self.window * (1 - self.cut() / 2)) / MSS) # whole bytes

    def cut(self):
        return self.share


class Prague(Dctcp):
    """
    draft-briscoe-iccrg-prague-congestion-control: alpha waits for the first mark; no round trip below 25 ms; (R / 25 ms)^2 of a segment. It is paced,
    so the flight may not fill the window: then it does not grow, unless it did within the last round trip. A mark reduces by what was known
    before its ACK (the authors' code: the reduction is tcp_fastretrans_alert's, the share cong_control's, which comes later).
    """
    VIRTUAL = 0.025
    seen, folded, cut_at, smooth, full, known = False, None, -FOREVER, None, 0, 1.0

    def observed(self, ack):
        return ack.una > self.end and ack.now - self.folded >= self.VIRTUAL

    def ack(self, ack):
        if ack.rtt:
            self.smooth = ack.rtt if self.smooth is None else self.smooth + (ack.rtt - self.smooth) / 8
        if self.folded is None:
            self.folded = ack.now - ack.rtt
        self.seen |= ack.ece
        self.known = self.share
        if ack.next - ack.una + ack.acked + 1 > self.window:
            self.full = ack.next
        super().ack(ack)

    def fold(self, ack):
        self.folded = ack.now
        if self.seen:
            super().fold(ack)

    def reduce(self, ack):
        if ack.now - self.cut_at >= self.VIRTUAL or self.smooth >= self.VIRTUAL:
            self.cut_at = ack.now
            super().reduce(ack)
        else:
            self.reduced = ack.next

    def cut(self):
        return self.known

    def grow(self, ack):
        if ack.una <= self.full:
            Rule.grow(self, ack)

    def pace(self, ack):
        return min(1, self.smooth / self.VIRTUAL) ** 2


class Scalable(Rule):
    """Kelly 2003: a hundredth per segment acknowledged, an eighth after a loss; Reno below 16 segments."""

    def pace(self, ack):
        return 1 if self.window < 16 else 0.01 * self.window

    def keep(self):
        return 0.5 if self.window < 16 else 7 / 8


class HighSpeed(Rule):
    """RFC 3649 5, with W 38, P 10^-3, W1 83000, P1 10^-7; a and b of whole segments."""

    def b(self):
        return 0.5 - 0.4 * math.log(int(self.window) / 38) / math.log(83000 / 38) if self.window >= 39 else 0.5

    def pace(self, ack):
        whole = int(self.window)
        p = 1e-3 * (whole / 38) ** (math.log(1e-7 / 1e-3) / math.log(83000 / 38))
        return max(1, whole ** 2 * p * 2 * self.b() / (2 - self.b())) if whole > 38 else 1

    def keep(self):
        return 1 - self.b()


class Cubic(Rule):
    """RFC 9438: C 0.4, beta 0.7, fast convergence, the Reno-friendly window; plain slow start. Time from the first ACK after recovery."""
    most = prior = 0.0
    begin = smooth = None

    def ack(self, ack):
        if ack.rtt:
            self.smooth = ack.rtt if self.smooth is None else self.smooth + (ack.rtt - self.smooth) / 8
        self.now = ack.now
        super().ack(ack)

    def grow(self, ack):
        if self.window < self.ssthresh:
            super().grow(ack)
            return
        if self.begin is None:
            self.begin, self.friend, self.most = self.now, self.window, max(self.most, self.window)
            self.k = max(0, (self.most - self.window) / 0.4) ** (1 / 3)
        time = self.now - self.begin
        target = min(max(0.4 * (time + self.smooth - self.k) ** 3 + self.most, self.window), 1.5 * self.window)
        self.friend += (3 * 0.3 / 1.7 if self.friend < self.prior else 1) * ack.acked / self.window
        if 0.4 * (time - self.k) ** 3 + self.most < self.friend:
            self.window = max(self.window, self.friend)
        else:
            self.window += (target - self.window) / self.window * ack.acked

    def keep(self):
        self.prior, self.begin = self.window, None
        self.most = self.window * 1.7 / 2 if self.window < self.most else self.window
        return 0.7

    left = keep

    def timeout(self, ack):
        super().timeout(ack)
        self.most = 0 # 4.8: K is 0, W_max the window where congestion avoidance begins


# module, rule, link, ms each way, seconds
LOSSES = LINK + " loss list "
OUTAGE = " outage at 10s for 1s drop 100%" # longer than a timeout
RUNS = [
    ("vegas", Vegas, LINK, 20, 20),
    ("fast", Fast, LINK, 20, 20),
    ("ledbat", Ledbat, LINK, 20, 60),
    ("ledbat", Ledbat, LINK, 3, 60),    # GAIN = 1/16
    ("ledbat", Ledbat, LINK, 100, 30),  # GAIN = 1
    ("illinois", Illinois, LOSSES + "201,8000", 20, 20),
    ("veno", Veno, LOSSES + "201,8000", 20, 20),
    ("yeah", Yeah, LOSSES + "201,8000", 20, 20),
    ("compound", Compound, LOSSES + "201,8000", 20, 20),
    ("htcp", Htcp, LOSSES + "201,2000,4000,8000", 20, 20),
    ("bic", Bic, LOSSES + "201,2000,8000", 20, 20),
    ("westwood", Westwood, LOSSES + "201,230,2000,4000,8000", 20, 20),
    ("westwood:filter=original", WestwoodOriginal, LOSSES + "201,230,2000,4000,8000", 20, 20),
    ("dctcp", Dctcp, MARKS, 20, 20),
    ("prague", Prague, MARKS, 20, 20),
    ("prague", Prague, MARKS, 4, 20),   # below the virtual round trip
    ("reno", Bytes, LOSSES + "201,230,2000,4000,8000", 20, 20),
    ("newreno", Bytes, LOSSES + "201,230,2000,4000,8000" + OUTAGE, 20, 20),
    ("scalable", Scalable, LOSSES + "201,230,2000,4000,8000" + OUTAGE, 20, 20),
    ("highspeed", HighSpeed, LOSSES + "201,230,2000,4000,8000" + OUTAGE, 20, 20),
    ("cubic:hystart=off", Cubic, LOSSES + "201,2000,4000,4300,8000", 20, 20),
    ("cubic:hystart=off", Cubic, LOSSES + "201,2000,4000" + OUTAGE, 20, 30),
    ("veno", Veno, LOSSES + "201,8000" + OUTAGE, 20, 20),
    ("bic", Bic, LOSSES + "201,2000" + OUTAGE, 20, 20),
    ("htcp", Htcp, LOSSES + "201,2000,4000" + OUTAGE, 20, 20),
    ("illinois", Illinois, LOSSES + "201,8000" + OUTAGE, 20, 20),
]
QUICK = {("vegas", 20), ("cubic:hystart=off", 20), ("ledbat", 100), ("westwood", 20), ("prague", 4)}


def furthest(pairs):
    return max(pairs, key=lambda pair: abs(pair[0] / pair[1] - 1))


def follow(wavetank, module, rule, link, delay, seconds):
    """Rows of (name, measured, expected): the windows, and the numbers shown, that are furthest apart."""
    rule, windows, shown = rule(), [], []
    for ack in acks(wavetank, module, link, delay, seconds):
        rule.ack(ack)
        windows.append((ack.window, rule.window))
        if rule.shown and rule.shown[1](rule):
            shown.append((ack.shown[rule.shown[0]], rule.shown[1](rule)))
    name = f"{module}, {2 * delay} ms: window, furthest of {len(windows)} ACKs"
    yield name, *furthest(windows)
    if shown:
        yield f"{module}, {2 * delay} ms: {rule.shown[0]}, furthest", *furthest(shown)
