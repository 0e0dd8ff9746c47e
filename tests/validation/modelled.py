# SPDX-License-Identifier: BSD-2-Clause
"""
BBR of both versions at every ACK, beside the pseudo-code of its drafts: draft-cardwell-iccrg-bbr-congestion-control-00 and draft-ietf-ccwg-bbr
(revision 4ce5e87d of 2026-08-03). A rule sees when each packet left and arrived, and how many were held lost; rates (draft-cheng-iccrg-
delivery-rate-estimation), rounds, filters, states, windows and pacing follow from that. Of the module it takes only what is drawn by chance: the
first phase of ProbeBW, and when version 3 probes within the bounds of the draft. Windows in segments, rates in segments per second.
"""
import collections

from following import FOREVER, MSS, acks


class Packet:
    """As it left, last: s; delivered, lost, in flight (itself included) in segments. again: it was sent before."""

    def __init__(self, link, now, again):
        self.sent, self.again = now, again
        self.delivered, self.delivered_at, self.first_sent = link.delivered, link.delivered_at, link.first_sent
        self.inflight, self.lost, self.limited = link.inflight, link.lost, link.delivered < link.limited_to


class Link:
    """What the drafts call C; `limited_to`: MarkConnectionAppLimited(), until so much is delivered."""

    def __init__(self):
        self.delivered = self.inflight = self.lost = 0
        self.delivered_at = self.first_sent = 0.0
        self.limited_to = self.highest = 0
        self.out = {}


def since(now, then):
    """Differences of times to the nanosecond, so that equal ones are equal."""
    return round(now - then, 9)


class Ack:
    """What one ACK did: `packet` arrived, `gone` were held lost. Before it `before` were in flight, after it `inflight`. event: of recovery."""


def taken(events):
    link, arrived, iss, ack, loss, leaves = Link(), collections.deque(), None, None, False, False
    for event in events:
        name, data, now = event["event"].partition(":")[2], event["data"], event["time_ns"] / 1e9
        if event["host"] == "b":
            if data["len_bytes"]:
                arrived.append((data["seq"] - iss) % 2**32 // MSS)
        elif name == "packet_sent":
            iss = data["seq"] + 1 if iss is None else iss
            if data["len_bytes"]:
                number = (data["seq"] - iss) % 2**32 // MSS
                if ack:
                    ack.sends.append((now, number))
                else:
                    send(link, now, number)
        elif name == "packet_received" and link.out:
            for when in ack.sends if ack else ():
                send(link, *when)
            ack = Ack()
            ack.link, ack.now, ack.sends = link, now, []
            ack.number, ack.before = arrived.popleft(), link.inflight
            ack.una, loss, leaves = (data["ack"] - iss) % 2**32 // MSS, False, False
        elif name == "loss_detected":
            loss = True
        elif name == "recovery_exited":
            leaves = True
        elif name == "metrics_updated" and ack:
            inflight = data["in_flight_bytes"] // MSS - len(ack.sends)
            ack.gone, ack.loss, ack.leaves, ack.shown = link.inflight - 1 - inflight, loss, leaves, data
            deliver(link, ack)
            yield ack


def send(link, now, number):
    if not link.inflight:
        link.first_sent = link.delivered_at = now
    link.inflight += 1
    link.highest = max(link.highest, number + 1)
    link.out[number] = Packet(link, now, number in link.out)


def deliver(link, ack):
    """UpdateRateSample() and GenerateRateSample()."""
    packet = ack.packet = link.out[ack.number]
    link.inflight -= 1 + ack.gone
    link.lost += ack.gone
    link.delivered, link.delivered_at, link.first_sent = link.delivered + 1, ack.now, packet.sent
    ack.inflight = link.inflight
    ack.rtt = None if packet.again else since(ack.now, packet.sent)
    ack.got = link.delivered - packet.delivered
    interval = max(since(packet.sent, packet.first_sent), since(ack.now, packet.delivered_at))
    link.least = min(getattr(link, "least", FOREVER), ack.rtt or FOREVER)
    ack.rate = ack.got / interval if interval >= link.least else 0


class Greatest:
    """The greatest of a window of times, by Nichols' three samples (the draft of version 3 names them): the best, and the best after each."""

    def __init__(self, length):
        self.length, self.best = length, []

    def take(self, time, value):
        new = time, value
        if not self.best or value >= self.best[0][1] or time - self.best[2][0] > self.length:
            self.best = [new] * 3
            return
        for place in (1, 2):
            if value >= self.best[place][1]:
                self.best[place:] = [new] * (3 - place)
                break
        age = time - self.best[0][0]
        if age > self.length:
            self.best = self.best[1:] + [new]
            if time - self.best[0][0] > self.length:
                self.best = self.best[1:] + [new]
        elif self.best[1][0] == self.best[0][0] and age > self.length // 4:
            self.best[1:] = [new] * 2
        elif self.best[2][0] == self.best[1][0] and age > self.length // 2:
            self.best[2] = new

    def value(self):
        return self.best[0][1] if self.best else 0


def shared(rule, bandwidth):
    """Name, what the module shows, what the rule has."""
    yield "window", rule.shown["cwnd_bytes"] / MSS, rule.cwnd
    yield "pacing", rule.shown["pacing_rate_Bps"] / MSS, rule.pacing
    yield "bandwidth", rule.shown["bandwidth_Bps"] / MSS, bandwidth
    yield "state", rule.shown["state"] + 1, rule.state + 1


def quantum(rate):
    """Draft 00, 4.2.2, in segments."""
    return 1 if rate * MSS < 150000 else 2 if rate * MSS < 3000000 else min(rate / 1000, 65536 / MSS)


class Bbr:
    """draft-cardwell-iccrg-bbr-congestion-control-00."""
    HIGH = 2.88539008
    STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)

    def __init__(self, now):
        self.state, self.cwnd, self.pacing = self.STARTUP, 10.0, self.HIGH * 10 / 0.001
        self.gain = self.cwnd_gain = self.HIGH
        self.bw, self.rounds, self.next_round = Greatest(10), 0, 0
        self.rtt, self.rtt_at, self.seen = None, now, False
        self.full_bw, self.full_count, self.filled = 0, 0, False
        self.phase, self.cycle_at = None, 0  # phase None: one of those of gain 1, which one is not known
        self.conserve = self.conserve_at = self.conserve_end = self.probe_done = None
        self.prior, self.recovering = 0, False

    def inflight(self, gain):
        return gain * self.bw.value() * self.rtt + 3 * quantum(self.pacing) if self.rtt and self.bw.best else 10

    def ack(self, ack):
        self.now, self.a, self.shown = ack.now, ack, ack.shown
        if ack.leaves and ack.loss:  # one recovery ends and the next begins
            self.leave()
        if ack.loss:
            self.prior = max(self.prior, self.cwnd) if self.recovering or self.state == self.PROBE_RTT else self.cwnd
            self.cwnd, self.conserve, self.recovering = ack.inflight + 1, True, True
            self.conserve_at = self.conserve_end = ack.now
            self.next_round = ack.link.delivered - 1
        self.model()
        self.controls()
        if ack.leaves and not ack.loss:
            self.leave()

    def leave(self):
        self.cwnd = max(self.cwnd, self.prior)
        if self.state == self.PROBE_RTT:
            self.cwnd = min(self.cwnd, 4)
        self.conserve = self.recovering = False

    def model(self):
        ack, packet, link = self.a, self.a.packet, self.a.link
        self.started = packet.delivered >= self.next_round
        if self.conserve:
            self.conserve_end = self.now
        if self.started:
            self.next_round, self.rounds, self.conserve = link.delivered, self.rounds + 1, False
        if ack.rate and (ack.rate >= self.bw.value() or not packet.limited):
            self.bw.take(self.rounds, ack.rate)
        if self.state == self.PROBE_BW:
            self.next_phase()
        self.check_full()
        if self.state == self.STARTUP and self.filled:
            self.state, self.gain, self.cwnd_gain = self.DRAIN, 1 / self.HIGH, self.HIGH
        if self.state == self.DRAIN and ack.inflight <= self.inflight(1):
            self.probe_bw()
        self.expired = since(self.now, self.rtt_at) > 10
        if ack.rtt:
            if not self.seen:
                self.pacing, self.seen = self.HIGH * 10 / ack.rtt, True
            if not self.rtt or ack.rtt <= self.rtt or self.expired:
                self.rtt, self.rtt_at = ack.rtt, self.now
        self.check_probe_rtt()

    def next_phase(self):
        full, before = since(self.now, self.cycle_at) > self.rtt, self.a.before
        if self.gain > 1:
            over = full and (self.a.gone or before >= self.inflight(self.gain))
        elif self.gain < 1:
            over = full or before <= self.inflight(1)
        else:
            over = full
        if not over:
            return
        self.cycle_at = self.now
        if self.phase is None:
            self.gain = self.shown["pacing_gain"]
            self.phase = 0 if self.gain == 1.25 else None
        else:
            self.phase = (self.phase + 1) % 8
            self.gain = {0: 1.25, 1: 0.75}.get(self.phase, 1)

    def probe_bw(self):
        self.state, self.cwnd_gain, self.cycle_at = self.PROBE_BW, 2, self.now
        self.gain = self.shown["pacing_gain"]  # by chance
        self.phase = {1.25: 0, 1: None}[self.gain]

    def check_full(self):
        conserved = self.conserve_at and self.conserve_at <= self.a.packet.sent <= self.conserve_end
        if self.filled or not self.started or self.a.packet.limited or conserved:
            return
        if self.bw.value() >= 1.25 * self.full_bw:
            self.full_bw, self.full_count = self.bw.value(), 0
        else:
            self.full_count += 1
            self.filled = self.full_count >= 3

    def check_probe_rtt(self):
        link = self.a.link
        if self.state != self.PROBE_RTT and self.expired:
            self.state, self.gain, self.cwnd_gain, self.probe_done = self.PROBE_RTT, 1, 1, None
            self.prior = max(self.prior, self.cwnd) if self.recovering else self.cwnd
        if self.state != self.PROBE_RTT:
            return
        link.limited_to = link.delivered + max(link.inflight, 1)
        if self.probe_done is None and self.a.inflight <= 4:
            self.probe_done, self.round_done, self.next_round = self.now + 0.2, False, link.delivered
        elif self.probe_done is not None:
            self.round_done |= self.started
            if self.round_done and since(self.now, self.probe_done) > 0:
                self.rtt_at, self.cwnd = self.now, max(self.cwnd, self.prior)
                if self.filled:
                    self.probe_bw()
                else:
                    self.state, self.gain, self.cwnd_gain = self.STARTUP, self.HIGH, self.HIGH

    def controls(self):
        rate = self.gain * self.bw.value()
        if self.filled or rate > self.pacing:
            self.pacing = rate
        target = self.inflight(self.cwnd_gain)
        if self.a.gone:
            self.cwnd = max(self.cwnd - self.a.gone, 1)
        if self.conserve:
            self.cwnd = max(self.cwnd, self.a.inflight + 1)
        elif self.filled:
            self.cwnd = min(self.cwnd + 1, target)
        elif self.cwnd < target or self.a.link.delivered < 10:
            self.cwnd += 1
        self.cwnd = max(self.cwnd, 4)
        if self.state == self.PROBE_RTT:
            self.cwnd = min(self.cwnd, 4)

    def compared(self):
        return shared(self, self.bw.value())


class Bbr3:
    """
    draft-ietf-ccwg-bbr. One thing is our module's: losses are judged once per ACK by the packet that it reports, not each by its own flight (so
    InflightAtLoss() is that flight).
    """
    STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
    GAIN = 2.77, 0.5, 0.9, 1, 1, 1.25, 1
    INIT, REFILLING, STARTING, FEEDBACK, STOPPING = range(5)

    def __init__(self, now):
        self.state, self.cwnd, self.pacing, self.acks = self.STARTUP, 10.0, 2.77 * 10 / 0.001, self.INIT
        self.filter, self.cycles, self.bw = Greatest(1), 0, 0
        self.extra, self.extra_got, self.extra_at = Greatest(1), 0, now
        self.rtt = self.probe_rtt = None
        self.rtt_at = self.probe_at = now
        self.rounds = self.next_round = self.loss_round = 0
        self.bw_short = self.inflight_short = self.inflight_long = FOREVER
        self.bw_latest = self.inflight_latest = 0
        self.lossy = self.probe_sample = self.too_high = self.precautionary = False
        self.full_bw, self.full_count, self.full_now, self.filled = 0, 0, False, False
        self.per_step, self.up_acked, self.up_rounds, self.since_up = FOREVER, 0, 0, 0
        self.prior, self.recovering, self.events, self.full_to = 0, False, 0, 0
        self.done = None

    # ---- volumes

    def bdp(self, bw, gain):
        return gain * bw * self.rtt if self.rtt and self.filter.best else 10

    def budget(self, volume):
        volume = max(volume, 3 * max(min(self.pacing / 1000, 65536 / MSS), 2), 4)
        return volume + 2 if self.state == self.UP else volume

    def headroom(self):
        return max(self.inflight_long - max(1, 0.15 * self.inflight_long), 4) if self.inflight_long < FOREVER else FOREVER

    def target(self):
        return min(self.bdp(self.bw, 1), self.cwnd)

    # ---- states

    def start_round(self):
        self.next_round = self.a.link.delivered

    def reset_full(self, bw=0):
        self.full_bw, self.full_count, self.full_now = bw, 0, False

    def down(self):
        self.lossy, self.bw_latest, self.inflight_latest, self.per_step = False, 0, 0, FOREVER
        self.since_up, self.cycle_at, self.acks, self.state = 0, self.now, self.STOPPING, self.DOWN
        self.start_round()

    def refill(self):
        self.bw_short = self.inflight_short = FOREVER
        self.up_rounds, self.up_acked, self.precautionary, self.acks, self.state = 0, 0, False, self.REFILLING, self.REFILL
        self.start_round()

    def up(self):
        self.acks, self.state = self.STARTING, self.UP
        self.start_round()
        self.reset_full(self.a.rate)
        self.slope()

    def slope(self):
        self.per_step, self.up_rounds = max(self.cwnd / (1 << self.up_rounds), 1), min(self.up_rounds + 1, 30)

    def save(self):
        self.prior = max(self.prior, self.cwnd) if self.recovering or self.state == self.PROBE_RTT else self.cwnd

    # ---- an ACK

    def ack(self, ack):
        self.now, self.a, self.shown, link = ack.now, ack, ack.shown, ack.link
        if ack.before + 1 > self.cwnd:
            self.full_to = link.highest
        self.limited = ack.before + 1 > self.cwnd or ack.una <= self.full_to
        if ack.leaves and ack.loss:
            self.leave()
        if ack.loss:
            self.save()
            self.recovering = True
        if ack.gone:
            self.lost()
        self.signals()
        self.check_startup_loss()
        self.short_term()
        self.aggregation()
        self.check_full()
        if self.state == self.STARTUP and self.filled:
            self.state, self.drain_round = self.DRAIN, self.rounds
        if self.state == self.DRAIN and (ack.inflight <= self.budget(self.bdp(self.bw, 1)) or self.rounds > self.drain_round + 3):
            self.down()
        if self.filled and not self.long_term():
            self.cycle()
        self.least()
        self.check_probe_rtt()
        if self.loss_round_start:
            self.bw_latest, self.inflight_latest = ack.rate, ack.got
        self.bw = min(self.filter.value(), self.bw_short)
        self.controls()
        if ack.leaves and not ack.loss:
            self.leave()

    def leave(self):
        self.cwnd, self.recovering = max(self.cwnd, self.prior), False

    def high(self):
        return self.a.link.lost - self.a.packet.lost > 0.02 * self.a.packet.inflight

    def lost(self):
        """HandleLostPacket(), which comes before the ACK's own signals."""
        if not self.lossy:
            self.loss_round = self.a.link.delivered
            self.save()
        self.lossy = True
        self.events += 1
        if not self.probe_sample or not self.high():
            return
        self.too_high, self.probe_sample = True, False
        if not self.a.packet.limited:
            self.inflight_long = max(self.a.packet.inflight, 0.7 * self.target())
        if self.state == self.UP:
            self.down()

    def signals(self):
        ack, packet = self.a, self.a.packet
        self.bw_latest, self.inflight_latest = max(self.bw_latest, ack.rate), max(self.inflight_latest, ack.got)
        self.loss_round_start = packet.delivered >= self.loss_round
        if self.loss_round_start:
            self.loss_round = ack.link.delivered
        self.started = packet.delivered >= self.next_round
        if self.started:
            self.start_round()
            self.rounds, self.since_up = self.rounds + 1, self.since_up + 1
        if ack.rate and (ack.rate >= self.filter.value() or not packet.limited):
            self.filter.take(self.cycles, ack.rate)

    def check_startup_loss(self):
        if self.state == self.STARTUP and self.recovering and self.loss_round_start and self.events >= 6 and self.high():
            self.filled, self.inflight_long = True, max(self.bdp(self.filter.value(), 1), self.inflight_latest)
        if self.loss_round_start:
            self.events = 0

    def short_term(self):
        if not self.loss_round_start:
            return
        if self.lossy and self.state not in (self.STARTUP, self.REFILL, self.UP):
            self.bw_short = max(self.bw_latest, 0.7 * min(self.bw_short, self.filter.value()))
            self.inflight_short = max(self.inflight_latest, 0.7 * (self.inflight_short if self.inflight_short < FOREVER else self.cwnd))
        self.lossy = False

    def aggregation(self):
        expected = self.bw * since(self.now, self.extra_at)
        if self.extra_got <= expected:
            self.extra_got, self.extra_at, expected = 0, self.now, 0
        self.extra_got += 1
        self.extra.length = 10 if self.filled else 1
        self.extra.take(self.rounds, max(min(self.extra_got - expected, self.cwnd), 0))

    def check_full(self):
        if self.full_now or not self.started or self.a.packet.limited:
            return
        if self.a.rate >= 1.25 * self.full_bw:
            self.reset_full(self.a.rate)
        else:
            self.full_count += 1
            self.full_now = self.full_count >= 3
            self.filled |= self.full_now

    def long_term(self):
        probing = self.DOWN <= self.state <= self.UP
        if self.acks == self.STARTING and self.started:
            self.acks = self.FEEDBACK
        if self.acks == self.STOPPING and self.started:
            self.probe_sample, self.acks = False, self.INIT
            self.cycles += probing and not self.a.packet.limited
            if probing and self.precautionary and not self.too_high:
                self.refill()
                return True
        if self.high() or self.inflight_long == FOREVER:
            return False
        self.inflight_long = max(self.inflight_long, self.a.packet.inflight)
        if self.state == self.UP and self.limited and self.cwnd >= self.inflight_long:
            self.up_acked += 1
            if self.up_acked >= self.per_step:
                steps = int(self.up_acked / self.per_step)
                self.up_acked, self.inflight_long = self.up_acked - steps * self.per_step, self.inflight_long + steps
            if self.started:
                self.slope()
        return False

    def time_to_probe(self):
        """Drawn by chance: 2 to 3 s, or the round trips of Reno, of which one may have been counted before."""
        waited, rounds = since(self.now, self.cycle_at), min(self.target(), 63)
        if self.since_up >= rounds or waited > 3:
            return True
        return self.shown["state"] == self.REFILL and (waited > 2 or self.since_up + 1 >= rounds)

    def cycle(self):
        inflight = self.a.inflight
        if self.state in (self.DOWN, self.CRUISE) and self.time_to_probe():
            self.refill()
        elif self.state == self.DOWN and inflight <= self.headroom() and inflight <= self.budget(self.bdp(self.filter.value(), 1)):
            self.state = self.CRUISE
        elif self.state == self.REFILL and self.started:
            self.probe_sample = True
            self.up()
        elif self.state == self.UP and self.go_down():
            self.too_high = False
            self.down()

    def go_down(self):
        if self.too_high and self.a.inflight >= self.inflight_long:
            self.precautionary = True
            return True
        if self.limited and self.cwnd >= self.inflight_long:
            self.reset_full(self.a.rate)
            return False
        return self.full_now

    def least(self):
        rtt = self.a.rtt
        self.expired = since(self.now, self.probe_at) > 5
        if rtt and (not self.probe_rtt or rtt < self.probe_rtt or self.expired):
            self.probe_rtt, self.probe_at = rtt, self.now
        if self.probe_rtt and (not self.rtt or self.probe_rtt < self.rtt or since(self.now, self.rtt_at) > 10):
            if not self.rtt:
                self.pacing = 2.77 * 10 / self.probe_rtt
            self.rtt, self.rtt_at = self.probe_rtt, self.probe_at

    def check_probe_rtt(self):
        link = self.a.link
        if self.state != self.PROBE_RTT and self.expired:
            self.save()
            self.state, self.done, self.acks = self.PROBE_RTT, None, self.STOPPING
            self.start_round()
        if self.state != self.PROBE_RTT:
            return
        link.limited_to = link.delivered + max(link.inflight, 1)
        if self.done is None and self.a.inflight <= self.least_window():
            self.done, self.round_done = self.now + 0.2, False
            self.start_round()
        elif self.done is not None:
            self.round_done |= self.started
            if self.round_done and since(self.now, self.done) > 0:
                self.probe_at, self.cwnd = self.now, max(self.cwnd, self.prior)
                self.bw_short = self.inflight_short = FOREVER
                self.state = self.STARTUP
                if self.filled:
                    self.down()
                    self.state = self.CRUISE

    def least_window(self):
        return max(self.bdp(self.bw, 0.5), 4)

    def controls(self):
        rate = self.GAIN[self.state] * self.bw * 0.99
        if self.filled or rate > self.pacing:
            self.pacing = rate
        gain = {self.UP: 2.25, self.PROBE_RTT: 0.5}.get(self.state, 2)
        most = self.budget(self.bdp(self.bw, gain) + self.extra.value())
        if self.filled:
            self.cwnd = min(self.cwnd + 1, most)
        elif self.cwnd < most or self.a.link.delivered < 10:
            self.cwnd += 1
        self.cwnd = max(self.cwnd, 4)
        cap = FOREVER
        if self.state == self.PROBE_RTT:
            self.cwnd = min(self.cwnd, self.least_window())
        if self.state in (self.PROBE_RTT, self.CRUISE):
            cap = self.headroom()
        elif self.DOWN <= self.state <= self.UP:
            cap = self.inflight_long
        self.cwnd = min(self.cwnd, max(min(cap, self.inflight_short), 4))

    def compared(self):
        yield from shared(self, self.filter.value())
        if self.inflight_long < FOREVER:
            yield "inflight_longterm", self.shown["inflight_longterm_bytes"] / MSS, self.inflight_long


# module, rule, the way there, ms each way, seconds
LINK = "rate 10Mbit burst 0B limit 10MB"
BLOCKS = "300,5000-5020,9000,9001,9010-9040,12000"
WHILE_PROBING = "214-217,917-920,1406-1412,2840-2846,3287,4970-4976,6523-6526,6691-6697,8772,9135-9136,10665,12427,13766,15609-15610,16093"
AS_A_ROUND_ENDS = "1150,1899,5339-5340,8360,8570-8571,11948-11951,15457,17568-17571"
RUNS = [
    ("bbr", Bbr, LINK, 20, 25),
    ("bbr", Bbr, LINK, 100, 25),
    ("bbr:conserve=pipe", Bbr, f"{LINK} loss list {BLOCKS}", 20, 25),
    ("bbr:conserve=pipe", Bbr, "rate 10Mbit burst 0B limit 100KB loss 2%", 20, 25),
    ("bbr3", Bbr3, LINK, 20, 25),
    ("bbr3", Bbr3, LINK, 100, 25),
    ("bbr3", Bbr3, f"{LINK} loss list {BLOCKS}", 20, 25),
    ("bbr3", Bbr3, f"{LINK} loss list {WHILE_PROBING}", 20, 20),
    ("bbr3", Bbr3, f"{LINK} loss list {AS_A_ROUND_ENDS}", 20, 20),
]
QUICK = {WHILE_PROBING, AS_A_ROUND_ENDS}


def follow(wavetank, module, rule, fwd, delay, seconds):
    """A row of (name, measured, expected): of window, pace, bandwidth, state and bound what is furthest apart."""
    follower, worst, count = None, (-1,), 0
    for ack in acks(wavetank, module, fwd, delay, seconds, taken):
        follower = follower or rule(min(packet.sent for packet in ack.link.out.values()))
        follower.ack(ack)
        count += 1
        for name, measured, expected in follower.compared():
            worst = max(worst, (abs(measured - expected) / max(expected, 1e-9), name, measured, expected))
    losses = "no loss" if "loss" not in fwd else f"lost {fwd.partition('loss ')[2].removeprefix('list ').partition(',')[0]} ..."
    yield f"{module}, {2 * delay} ms, {losses}: {worst[1]}, furthest of {count} ACKs", *worst[2:]
